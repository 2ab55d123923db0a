#!/usr/bin/env python3
"""Prints what the CSVs of this folder show, as Markdown.

    experiments/paper/report.py --reference PANEL.tsv > experiments/paper/RESULTS.md

First the comparison with the authors' prototype (a table with its seconds and optimal sizes), then
the paper's eight configurations. Needs only Python's standard library.
"""

import argparse
import csv
import math
import pathlib

HERE = pathlib.Path(__file__).parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", type=pathlib.Path, required=True)
    args = parser.parse_args()
    against_the_prototype(read(HERE / "size.csv"), read(args.reference, "\t"))
    configurations(read(HERE / "configurations.csv"))


def read(path, delimiter=","):
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def against_the_prototype(ours, reference):
    ours = {row["file"]: row for row in ours}
    limit = next(iter(ours.values()))["time_limit"]
    print("# Results\n")
    print("## Against the authors' prototype\n")
    print(f"`--minimize size --cover ilp`, symmetry breaking, one thread, {limit} s a file.\n")
    print("| file | size | prototype | same | seconds | prototype | ratio | rules enumerated | prototype |")
    print("|---|--:|--:|---|--:|--:|--:|--:|--:|")
    finished, same, ratios = 0, 0, []
    for row in reference:
        if row["finished"] != "yes":
            continue
        mine = ours[row["file"]]
        solved = mine["status"] == "optimal"
        equal = solved and mine["size"] == row["size"]
        finished += solved
        same += equal
        ratio = float(row["seconds"]) / float(mine["seconds"])
        if solved:
            ratios.append(ratio)
        cells = [
            row["file"].removesuffix(".csv.gz"), mine["size"] if solved else "not finished", row["size"],
            "yes" if equal else ("**NO**" if solved else ""), f"{float(mine['seconds']):.2f}",
            row["seconds"], f"{ratio:.1f}" if solved else "", mine["rules_enumerated"], row["rules_enumerated"],
        ]
        print("| " + " | ".join(cells) + " |")
    total = sum(row["finished"] == "yes" for row in reference)
    extra = [
        row["file"].removesuffix(".csv.gz") for row in reference
        if row["finished"] != "yes" and ours[row["file"]]["status"] == "optimal"
    ]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\nOf the {total} files that the prototype finished, {finished} were finished and proven optimal")
    print(f"here, {same} of them with the very same size. Geometric mean of prototype seconds / our")
    print(f"seconds over these: {mean:.1f}. Proven optimal here but not by the prototype: {len(extra)}"
          f"{' (' + ', '.join(extra) + ')' if extra else ''}.\n")
    late = max(float(row["seconds"]) - float(limit) for row in ours.values())
    broken = [row["file"] for row in ours.values() if row["status"] not in ("optimal", "feasible")]
    print(f"All {len(ours)} files of the panel gave a decision set and a bound"
          f"{' except ' + ', '.join(broken) if broken else ''}; the latest answer came {late:.2f} s after the limit.\n")


def configurations(rows):
    by_name = {}
    for row in rows:
        by_name.setdefault(row["configuration"], {})[row["file"]] = row
    limit = rows[0]["time_limit"]
    solved = {
        name: {file for file, row in runs.items() if row["status"] == "optimal"}
        for name, runs in by_name.items()
    }
    common = set.intersection(*solved.values())
    print("## The paper's eight configurations\n")
    print(f"The panel's {len(next(iter(by_name.values())))} files, one thread, {limit} s a file. Rules are those that")
    print(f"stage 1 enumerated; the common files are the {len(common)} that every configuration solved.\n")
    print("| configuration | solved | rules, mean of solved | rules, most of solved |"
          " rules, mean of common | seconds, sum of common | literals, mean of common |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, runs in sorted(by_name.items(), key=lambda item: -len(solved[item[0]])):
        rules = [int(runs[file]["rules_enumerated"]) for file in solved[name]]
        shared = [runs[file] for file in sorted(common)]
        mean = lambda field: sum(float(row[field]) for row in shared) / len(shared)
        print(
            f"| {name} | {len(solved[name])} | {sum(rules) / len(rules):.1f} | {max(rules)} |"
            f" {mean('rules_enumerated'):.1f} | {sum(float(row['seconds']) for row in shared):.1f} |"
            f" {mean('literals'):.1f} |"
        )
    print("\nDisagreements between configurations on an optimum:", disagreements(by_name))


def disagreements(by_name):
    count = 0
    for letter, field in (("l", "literals"), ("r", "rules")):
        for file in next(iter(by_name.values())):
            values = {
                runs[file][field]
                for name, runs in by_name.items()
                if f"-{letter}" in name and runs[file]["status"] == "optimal"
            }
            count += len(values) > 1
    return count


if __name__ == "__main__":
    main()
