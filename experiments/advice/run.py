#!/usr/bin/env python3
"""Advice: does every advised value occur, does the model confirm it, and how often is it proven the fewest changes?

    experiments/advice/run.py PROGRAM SUITE
    experiments/advice/run.py --summary

PROGRAM is a built minrule, SUITE a folder of the paper's tables. Of five tables (loans, scikit-learn's wine and breast
cancer, and two of the suite) three sets are learned: perfect, sparse, and sparse with classes in order; each within 20 s
on one thread. Of each table 200 random rows are explained by each set: 100 of its own, and 100 that mix the values of its
rows at random, so that no rule fires on some and several do on others. A quarter of the columns is fixed on every
second row. Every advised value is looked up in the table, and the changed row is predicted. Writes `runs.csv` here, a row
for each set and kind of row.
"""

import argparse
import csv
import gzip
import json
import random
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
SETS = {
    "perfect": [],
    "sparse": ["--alpha", "1%"],
    "ordered": ["--alpha", "1%", "--order", "rarest"],
}
SUITE = ["r3/heart-c_train1.csv.gz", "r4/car_train1.csv.gz"]
FIELDS = "table set fixed rows rules asked advised proven out_of_reach unproven changes most foreign refused seconds".split()


def tables(suite: Path):
    with open(HERE.parent.parent / "data/loans.csv", newline="") as text:
        yield "loans", list(csv.reader(text))
    from sklearn import datasets

    for name, load in [("wine", datasets.load_wine), ("breast-cancer", datasets.load_breast_cancer)]:
        data = load()
        rows = [[f"{x:.10g}" for x in row] + [data.target_names[y]] for row, y in zip(data.data, data.target)]
        yield name, [[*map(str, data.feature_names), "class"], *rows]
    for path in SUITE:
        with gzip.open(suite / path, "rt", newline="") as text:
            yield Path(path).name.split("_")[0], list(csv.reader(text))


def write(path: Path, table: list[list[str]]) -> Path:
    with open(path, "w", newline="") as text:
        csv.writer(text).writerows(table)
    return path


def run(program: str, *args) -> str:
    done = subprocess.run([program, *map(str, args)], capture_output=True, text=True)
    if done.returncode not in (0, 10):
        raise SystemExit(done.stderr)
    return done.stdout


def number(text: str):
    try:
        return float(text)
    except ValueError:
        return text


def measure(program: str, name: str, table: list[list[str]], folder: Path, draw: random.Random):
    header, *rows = table
    path = write(folder / "table.csv", table)
    own = draw.choices(rows, k=100)
    mixed = [[draw.choice(rows)[column] for column in range(len(header))] for _ in range(100)]
    fixed = draw.sample(header[:-1], max(1, len(header) // 4))
    occurs = {column: {number(row[i]) for row in rows} for i, column in enumerate(header)}
    for kind, options in SETS.items():
        model = folder / "model.json"
        args = ["--quiet", "--threads", 1, "--time-limit", 20, "--model", model]
        learned = json.loads(run(program, "learn", path, "--format", "json", *args, *options))
        if json.loads(run(program, "check", model, path, "--format", "json"))["faults"]:
            raise SystemExit(f"{name}, {kind}: the model does not hold")
        for some_fixed in (False, True):
            asked = (own + mixed)[int(some_fixed) :: 2]
            asked_path = write(folder / "rows.csv", [header, *asked])
            keep = ["--fixed", ",".join(fixed)] if some_fixed else []
            start = time.monotonic()
            said = run(program, "explain", model, asked_path, "--row", "all", "--format", "json", *keep)
            seconds = time.monotonic() - start
            result = {
                "table": name,
                "set": kind,
                "fixed": len(fixed) if some_fixed else 0,
                "rows": len(asked),
                "rules": learned["rules"],
                "seconds": f"{seconds:.2f}",
            }
            result |= counted(program, folder, model, header, asked, json.loads(said), occurs, fixed if some_fixed else [])
            yield result


def counted(program, folder, model, header, asked, said, occurs, fixed):
    changed, classes, sizes, foreign, proven = [], [], [], 0, 0
    for row, explained in zip(asked, said, strict=True):
        for other in explained["counterfactuals"]:
            new = list(row)
            for change in other["changes"]:
                column = header.index(change["column"])
                new[column] = "" if change["to"] == "(missing)" else change["to"]
                foreign += number(new[column]) not in occurs[change["column"]] or change["column"] in fixed
            changed.append(new)
            classes.append(other["class"])
            sizes.append(len(other["changes"]))
            proven += other["fewest"]
    confirmed = []
    if changed:
        path = write(folder / "changed.csv", [header, *changed])
        confirmed = [row[0] for row in csv.reader(run(program, "predict", model, path, "--quiet").splitlines())][1:]
    out_of_reach = [far for explained in said for far in explained["out_of_reach"]]
    return {
        "asked": len(changed) + len(out_of_reach),
        "advised": len(changed),
        "proven": proven,
        "out_of_reach": sum(far["proven"] for far in out_of_reach),
        "unproven": sum(not far["proven"] for far in out_of_reach),
        "changes": sum(sizes),
        "most": max(sizes, default=0),
        "foreign": foreign,
        "refused": sum(now != wanted for now, wanted in zip(confirmed, classes, strict=True)),
    }


def summary() -> None:
    with open(HERE / "runs.csv", newline="") as text:
        runs = list(csv.DictReader(text))
    print("| table | set | rules | advice asked for | given | proven the fewest | proven out of reach | changes, mean (most) | ms a row |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for some_fixed in (False, True):
        for row in (row for row in runs if (row["fixed"] != "0") == some_fixed):
            n = {field: int(row[field]) for field in "asked advised proven out_of_reach changes most rows".split()}
            fixed = f", {row['fixed']} fixed" if some_fixed else ""
            mean = n["changes"] / max(1, n["advised"])
            milliseconds = 1000 * float(row["seconds"]) / n["rows"]
            print(
                f"| {row['table']} | {row['set']}{fixed} | {row['rules']} | {n['asked']} | {n['advised']} | {n['proven']} "
                f"| {n['out_of_reach']} | {mean:.2f} ({n['most']}) | {milliseconds:.1f} |"
            )
    total = {field: sum(int(row[field]) for row in runs) for field in "asked advised proven out_of_reach unproven changes foreign refused".split()}
    print()
    print(", ".join(f"{field} {n}" for field, n in total.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("suite", nargs="?", type=Path)
    parser.add_argument("--summary", action="store_true")
    args = parser.parse_args()
    if args.summary:
        return summary()
    draw = random.Random(18)
    with open(HERE / "runs.csv", "w", newline="") as text, tempfile.TemporaryDirectory() as folder:
        out = csv.DictWriter(text, FIELDS)
        out.writeheader()
        for name, table in tables(args.suite):
            for result in measure(args.program, name, table, Path(folder), draw):
                out.writerow(result)
                text.flush()
                print(result)


if __name__ == "__main__":
    main()
