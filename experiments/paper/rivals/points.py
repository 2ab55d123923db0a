#!/usr/bin/env python3
"""Prints, point by point, what the paper reports and what `results.csv` shows, as Markdown.

    experiments/paper/rivals/points.py > experiments/paper/rivals/POINTS.md

The paper's figures are of 1065 tables, 1800 s and 8 GB each. Needs only Python's standard library.
"""

import csv
import pathlib

HERE = pathlib.Path(__file__).parent
TABLES = 1065
# Our name, the paper's name, and how many tables it solved there; the paper does not say for all.
METHODS = [
    ("ilp-rules", "ilp, r, symmetry breaking", 802),
    ("ilp-literals", "ilp, l, symmetry breaking", 800),
    ("maxsat-rules", "rc2, r, symmetry breaking", 734),
    ("maxsat-literals", "rc2, l, symmetry breaking", 669),
    ("ilp-rules-all", "ilp, r", None),
    ("ilp-literals-all", "ilp, l", 686),
    ("maxsat-rules-all", "rc2, r", None),
    ("maxsat-literals-all", "rc2, l", 556),
    ("mds2", "mds2", 578),
    ("mds2-star", "mds2*", 398),
    ("opt", "opt", 351),
    ("lazy-rules", "", None),
    ("lazy-literals", "", None),
    ("lazy-size", "", None),
    ("lazy-rules-then-literals", "", None),
]


def main():
    rows = {}
    with (HERE / "results.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            rows.setdefault(row["configuration"], {})[row["file"]] = row
    first = next(iter(rows["opt"].values()))
    print("# Point by point\n\nWritten by `points.py`.\n")
    print(f"Here: {len(rows['opt'])} tables, {first['time_limit']} s and {first['memory_limit']} each. "
          f"The paper: {TABLES} tables, 1800 s and 8 GB each.\n")
    solved_tables(rows)
    symmetries(rows)
    literals(rows)
    times(rows)


def solved(rows, name):
    return {file for file, row in rows[name].items() if row["status"] == "optimal"}


def solved_tables(rows):
    print("## Tables solved\n\n| method | in the paper | there | here |\n|---|---|--:|--:|")
    for name, theirs, count in METHODS:
        there = f"{count} ({count / TABLES:.0%})" if count else ""
        here = len(solved(rows, name))
        print(f"| {name} | {theirs} | {there} | {here} ({here / len(rows[name]):.0%}) |")
    known = [(name, count) for name, _, count in METHODS if count]
    swapped = [
        f"{a} and {b}"
        for i, (a, there_a) in enumerate(known)
        for b, there_b in known[i + 1 :]
        if (there_a - there_b) * (len(solved(rows, a)) - len(solved(rows, b))) < 0
    ]
    print(f"\nPairs in the other order here: {', '.join(swapped) or 'none'}.\n")


def symmetries(rows):
    common = solved(rows, "ilp-literals") & solved(rows, "ilp-literals-all")
    print("## Rules enumerated\n\n| | mean there | most there | mean here | most here |\n|---|--:|--:|--:|--:|")
    for label, name, mean, most in [
        ("with symmetry breaking", "ilp-literals", 563.7, 8865),
        ("without", "ilp-literals-all", 19604.4, 326399),
    ]:
        numbers = [int(rows[name][file]["rules_enumerated"]) for file in common]
        print(f"| {label} | {mean} | {most} | {sum(numbers) / len(numbers):.1f} | {max(numbers)} |")
    print(f"\nHere on the {len(common)} tables that ilp-literals proves both ways.\n")


def literals(rows):
    print("## Literals, where both have a proof\n")
    print("| | there | fewest there | here | fewest here | tables here |\n|---|--:|--:|--:|--:|--:|")
    for name, there, fewest in [("mds2", "116.2", "62.2"), ("mds2-star", "almost the same", "")]:
        common = solved(rows, name) & solved(rows, "ilp-literals")
        mean = lambda which: sum(int(rows[which][f]["literals"]) for f in common) / len(common)
        print(f"| {name} | {there} | {fewest} | {mean(name):.1f} | {mean('ilp-literals'):.1f} | {len(common)} |")
    print()


def times(rows):
    common = solved(rows, "opt") & solved(rows, "ilp-literals")
    ratios = sorted(float(rows["opt"][f]["seconds"]) / float(rows["ilp-literals"][f]["seconds"]) for f in common)
    more = len(solved(rows, "ilp-literals") - solved(rows, "opt"))
    print("## Seconds of opt / seconds of ilp-literals\n")
    print(f"There: up to four orders of magnitude, except for a few outliers. Here, on the {len(common)} tables "
          f"that both prove: from {ratios[0]:.1f} to {ratios[-1]:.0f}, median {ratios[len(ratios) // 2]:.1f}; "
          f"{more} tables are proven by ilp-literals alone, {len(solved(rows, 'opt') - solved(rows, 'ilp-literals'))} by opt alone.")


if __name__ == "__main__":
    main()
