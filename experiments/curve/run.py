#!/usr/bin/env python3
"""Whole curves: what they cost, compared with their hardest point, and whether they miss anything.

    experiments/curve/run.py cost PROGRAM SUITE [--time-limit 300]
    experiments/curve/run.py alphas PROGRAM SUITE

PROGRAM is a built minrule, SUITE a folder of tables. Everything runs on one thread, one run after another. `cost` follows
the curves of twenty tables down to 0.1 % of the rows, then learns each of their points from nothing, at the smallest
alpha of its range: `points.csv` and `curves.csv`. `alphas` compares five curves with sets learned at 200 alphas each,
drawn at random (their logarithms evenly): `alphas.csv`. Rows that are there already are not run again.
"""

import argparse
import csv
import json
import math
import random
import resource
import statistics
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
LAST = "0.1%"
#: Which tables: drawn from those whose smallest alpha was proven before, in a time that is neither nothing nor too long.
FOLDS = HERE.parent / "sparse" / "folds.csv"
SECONDS = (0.05, 20.0)
TABLES, SEED = 20, 17
ALPHAS = 200
FIVE = ["r4/haberman", "r3/diabetes", "r2/uci_mammo_data", "r4/car", "r3/zoo"]

CURVE_FIELDS = "file rows points status seconds hardest ratio".split()
POINT_FIELDS = "file alpha size errors status seconds".split()
ALPHA_FIELDS = "file alpha cost cost_of_curve status".split()


class Rows:
    """Rows on file, each written at once."""

    def __init__(self, path: Path, fields: list[str]):
        self.path, self.fields = path, fields
        if not path.exists():
            path.write_text(",".join(fields) + "\n")
        with path.open() as text:
            self.rows = list(csv.DictReader(text))

    def of(self, file: str) -> list[dict]:
        return [row for row in self.rows if row["file"] == file]

    def add(self, *values: object) -> None:
        row = dict(zip(self.fields, map(str, values), strict=True))
        self.rows.append(row)
        with self.path.open("a") as out:
            csv.DictWriter(out, self.fields, lineterminator="\n").writerow(row)


def run(program: str, command: str, table: Path, *options: str) -> tuple[dict, float]:
    """What the program says, and the processor seconds that it took: other work does not count."""
    line = [program, command, str(table), "--format", "json", "--quiet", "--threads", "1", *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode not in (0, 10):
        raise SystemExit(done.stderr)
    return json.loads(done.stdout), seconds


def tables() -> list[str]:
    """Twenty tables, each of another data set."""
    by_name: dict[str, list[str]] = {}
    with FOLDS.open() as text:
        for row in csv.DictReader(text):
            fits = row["alpha"] == LAST and row["status"] == "optimal"
            if fits and SECONDS[0] <= float(row["seconds"]) <= SECONDS[1]:
                by_name.setdefault(row["file"].split("/")[1], []).append(row["file"])
    draw = random.Random(SEED)
    names = draw.sample(sorted(by_name), TABLES)
    return [draw.choice(sorted(by_name[name])) for name in sorted(names)]


def cost(args: argparse.Namespace) -> None:
    curves = Rows(HERE / "curves.csv", CURVE_FIELDS)
    points = Rows(HERE / "points.csv", POINT_FIELDS)
    limit = ["--time-limit", f"{args.time_limit}s"]
    for file in tables():
        if curves.of(file):
            continue
        table = args.suite / file
        curve, seconds = run(args.program, "curve", table, "--down-to", LAST, *limit)
        rows = curve["table"]["rows"]
        hardest = 0.0
        for point in curve["points"]:
            alpha = f"{max(point['alpha_from'], 1e-9):.9f}"
            said, alone = run(args.program, "learn", table, "--alpha", alpha, *limit)
            points.add(file, alpha, point["size"], point["errors"], said["status"], round(alone, 3))
            hardest = max(hardest, alone)
        proven = all(point["status"] == "optimal" for point in curve["points"])
        status = "optimal" if proven else "feasible"
        curves.add(file, rows, len(curve["points"]), status, round(seconds, 3), round(hardest, 3), round(seconds / hardest, 3))
    proven = [row for row in curves.rows if row["status"] == "optimal"]
    ratios = [float(row["ratio"]) for row in proven]
    print(f"{len(proven)} of {len(curves.rows)} curves proven")
    print(f"seconds of a curve / of its hardest point: median {statistics.median(ratios):.2f}, largest {max(ratios):.2f}")
    print(f"points of a curve: median {statistics.median(int(row['points']) for row in proven)}")


def alphas(args: argparse.Namespace) -> None:
    rows = Rows(HERE / "alphas.csv", ALPHA_FIELDS)
    for name in FIVE:
        file = f"{name}_train1.csv.gz"
        table = args.suite / file
        if rows.of(file):
            continue
        curve, _ = run(args.program, "curve", table, "--down-to", LAST)
        draw = random.Random(SEED)
        for _ in range(ALPHAS):
            alpha = round(math.exp(draw.uniform(math.log(0.001), math.log(0.5))), 6)
            point = next(point for point in curve["points"] if point["alpha_from"] <= alpha)
            ours = point["errors"] + alpha * curve["table"]["rows"] * point["size"]
            said, _ = run(args.program, "learn", table, "--alpha", f"{alpha:.6f}")
            rows.add(file, alpha, said["cost"], round(ours, 9), said["status"])
    equal = [row for row in rows.rows if abs(float(row["cost"]) - float(row["cost_of_curve"])) < 1e-6]
    print(f"{len(equal)} of {len(rows.rows)} sets cost the same as the curve's")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["cost", "alphas"])
    parser.add_argument("program")
    parser.add_argument("suite", type=Path)
    parser.add_argument("--time-limit", type=float, default=300)
    args = parser.parse_args()
    {"cost": cost, "alphas": alphas}[args.what](args)


if __name__ == "__main__":
    main()
