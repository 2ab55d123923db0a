#!/usr/bin/env python3
"""Seconds of two programs side by side, over the tables that the first one is known to prove.

    experiments/lazy/ratio.py BEFORE NOW SUITE

BEFORE and NOW are built programs. The tables are those that `before/panel.csv` (for size) and `before/train1.csv` have as proven. One
thread each, one run after another, the two programs in turn; each at most 60 s. Adds a row to ratio.csv for each table and
prints the ratios. Tables that are there already are not run again.
"""

import argparse
import csv
import json
import math
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "ratio.csv"
FIELDS = "file before_status before_size before_seconds now_status now_size now_seconds".split()


def learn(program: str, table: Path) -> list:
    command = [program, "learn", str(table), "--threads", "1", "--time-limit", "60s", "--format", "json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    said = json.loads(done.stdout)
    return [said["status"], said["size"], f"{said['seconds']['total']:.4f}"]


def known() -> list[str]:
    files = set()
    for name in ("panel.csv", "train1.csv"):
        with (HERE / "before" / name).open() as rows:
            files.update(r["file"] for r in csv.DictReader(rows) if r["configuration"] == "size" and r["status"] == "optimal")
    return sorted(files)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("now")
    parser.add_argument("suite", type=Path)
    args = parser.parse_args()
    if not RESULTS.exists():
        RESULTS.write_text(",".join(FIELDS) + "\n")
    with RESULTS.open() as text:
        there = {row["file"] for row in csv.DictReader(text)}
    for file in known():
        if file not in there:
            row = [file, *learn(args.before, args.suite / file), *learn(args.now, args.suite / file)]
            with RESULTS.open("a") as out:
                csv.writer(out, lineterminator="\n").writerow(row)
    with RESULTS.open() as text:
        rows = list(csv.DictReader(text))
    both = [row for row in rows if row["before_status"] == row["now_status"] == "optimal"]
    same = sum(row["before_size"] == row["now_size"] for row in both)
    print(f"{len(rows)} tables, {len(both)} proven by both, {same} of these with the same size")
    for least, most in ((0, 0.1), (0.1, 1), (0, 1), (1, 60)):
        some = [row for row in both if least <= float(row["before_seconds"]) < most]
        logs = [math.log(float(row["before_seconds"]) / float(row["now_seconds"])) for row in some]
        mean = math.exp(sum(logs) / len(logs))
        print(f"seconds before / now over the {len(some)} that took {least} to {most} s before: {mean:.2f} (geometric mean)")


if __name__ == "__main__":
    main()
