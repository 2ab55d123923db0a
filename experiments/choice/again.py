#!/usr/bin/env python3
"""Which alphas need not be tried again once all folds have been predicted, and how far down two classes need go.

    experiments/choice/again.py SUITE     prints what each rule would have come to, by scores.csv and orders.csv

Small alphas take most of the time. Later repeats could leave out those that are so many places below the best one of the
first repeat: does the choice stay what it is? Each repeat is the first one in turn. And the tables of two classes with a
larger smallest alpha, in rows of an inner fold's training part. Nothing is learned here; the suite only says how many
rows there are.
"""

import csv
import gzip
import math
import sys
from pathlib import Path

import numpy as np
from run import REPEATS, TEST

HERE = Path(__file__).parent
GRID = [2000, 1500, 1000, 700, 500, 400, 300, 250, 200, 150, 120, 100, 80, 60, 50, 40, 30, 20, 15, 10]


def outer_folds(file: str):
    """Of each outer fold: scores by repeat, inner fold and alpha; what a test says of each alpha; the sets' sizes."""
    by: dict[tuple, dict] = {}
    for row in csv.DictReader((HERE / file).open()):
        of = by.setdefault((row["table"], row["classes"] == "2", row.get("order", "none"), row["outer"]), {})
        of[row["repeat"], row["inner"]] = [[float(v) for v in row[name].split()] for name in ("accuracy", "size")]
    for (table, two, order, _), of in by.items():
        tests, sizes = of.pop((TEST, ""))
        scores = np.array([values[0] for _, values in sorted(of.items())])
        yield table, two, order, scores.reshape(REPEATS, -1, scores.shape[1]), tests, sizes


def place_of(scores: np.ndarray) -> int:
    """The largest alpha within one standard error of the difference to the best, of all repeats together."""
    folds, flat = scores.shape[1], scores.reshape(-1, scores.shape[2])
    behind = flat[:, [int(flat.mean(axis=0).argmax())]] - flat
    error = behind.std(axis=0, ddof=1) / math.sqrt(folds)
    return int(np.flatnonzero(behind.mean(axis=0) <= error + 1e-9)[0])


def again() -> None:
    print("| tables | order | alphas below the best one | same choice | test | size | alphas tried again |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for file, order in (("scores.csv", "none"), ("orders.csv", "none"), ("orders.csv", "rarest")):
        for two in (True, False):
            folds = [of for of in outer_folds(file) if of[1] == two and of[2] == order]
            for further in (0, 1, 2, 3, 4, 6, 20) if folds else ():
                said = []
                for _, _, _, scores, tests, sizes in folds:
                    full = place_of(scores)
                    for first in scores:
                        kept = min(int(first.mean(axis=0).argmax()) + further + 1, scores.shape[2])
                        place = place_of(scores[:, :, :kept])
                        said.append((place == full, tests[place], sizes[place], kept / scores.shape[2]))
                same, test, size, kept = np.mean(said, axis=0)
                words = "two classes" if two else f"several, {file}"
                print(f"| {words} | {order} | {further} | {same:.1%} | {test:.2%} | {size:.1f} | {kept:.0%} |")


def floor(suite: Path) -> None:
    print("\n| smallest alpha, two classes | test | size |\n|--:|--:|--:|")
    rows: dict[str, int] = {}
    for least in (0.5, 0.7, 1, 1.5, 2, 3):
        said: dict[str, list] = {}
        for table, two, _, scores, tests, sizes in outer_folds("scores.csv"):
            if not two:
                continue
            if table not in rows:
                with gzip.open(suite / f"{table}_train1.csv.gz") as text:
                    rows[table] = sum(1 for _ in text) - 1
            training = rows[table] * 0.8 * 0.8
            kept = sum(share / 10_000 * training >= least - 1e-6 for share in GRID[: scores.shape[2]])
            place = place_of(scores[:, :, : max(kept, 1)])
            said.setdefault(table, []).append((tests[place], sizes[place]))
        test, size = np.mean([np.mean(of, axis=0) for of in said.values()], axis=0)
        print(f"| {least:g} rows | {test:.2%} | {size:.1f} |")


if __name__ == "__main__":
    again()
    floor(Path(sys.argv[1]))
