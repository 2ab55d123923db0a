#!/usr/bin/env python3
"""Sparse sets: single classes at given prices, and all first folds of a suite at several alphas.

    experiments/sparse/run.py points PROGRAM SUITE POINTS [--time-limit 15]
    experiments/sparse/run.py folds PROGRAM SUITE [--alpha 1% 0.3% 0.1%] [--time-limit 60]
    experiments/sparse/run.py proofs PROGRAM SUITE POINTS [--time-limit 15]

PROGRAM is a built minrule, SUITE a folder of tables. POINTS is a table of points that another program has solved, with
the columns file, class, price_rows, proven, cost, lower_bound and seconds. Everything runs on one thread, one run after
another. `proofs` solves the points with a proof, and checks it for as long as it takes. Writes `points.csv`,
`folds.csv` and `proofs.csv` here, a row at once for each run, and prints a summary; rows that are there already are not
run again.
"""

import argparse
import csv
import json
import math
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
POINT_FIELDS = "file class price proven cost lower_bound rules size seconds their_proven their_cost their_seconds".split()
PROOF_FIELDS = "file class price status because bytes verdict learn_seconds check_seconds".split()
FOLD_FIELDS = "file alpha status classes otherwise rules size cost lower_bound rows_wrong rows seconds".split()


def learn(program: str, table: Path, limit: float, *options: str) -> tuple[dict | None, float]:
    """What the program says of a table, if it takes it, and the seconds from start to end."""
    command = [program, "learn", str(table), "--format", "json", "--quiet", "--threads", "1"]
    start = time.perf_counter()
    done = subprocess.run([*command, "--time-limit", f"{limit}s", *options], capture_output=True, text=True)
    seconds = time.perf_counter() - start
    return (json.loads(done.stdout) if done.returncode in (0, 10) else None), seconds


class Rows:
    """Rows on file, each written at once."""

    def __init__(self, path: Path, fields: list[str], key: int):
        self.path, self.fields, self.key = path, fields, key
        self.rows = list(csv.DictReader(path.open())) if path.exists() else []
        if not path.exists():
            path.write_text(",".join(fields) + "\n")

    def has(self, *key: str) -> bool:
        return any(tuple(row[field] for field in self.fields[: self.key]) == key for row in self.rows)

    def add(self, *values: object) -> None:
        row = dict(zip(self.fields, map(str, values), strict=True))
        self.rows.append(row)
        with self.path.open("a") as out:
            csv.DictWriter(out, self.fields).writerow(row)


def left(points: Path, rows: Rows) -> Iterator[tuple[tuple[str, str, str], dict]]:
    """Points that have no row yet: file, class and price, and what the other program says of them."""
    with points.open() as text:
        for point in csv.DictReader(text, delimiter="\t"):
            key = point["file"], point["class"], point["price_rows"]
            if not rows.has(*key):
                yield key, point


def points(args: argparse.Namespace) -> None:
    rows = Rows(HERE / "points.csv", POINT_FIELDS, 3)
    for key, point in left(args.points, rows):
        options = ["--classes", key[1], "--otherwise", "none", "--alpha", f"{key[2]}rows"]
        said, seconds = learn(args.program, args.suite / key[0], args.time_limit, *options)
        mine = [said["status"] == "optimal", said["cost"], said["lower_bound"], said["rules"], said["size"]]
        rows.add(*key, *mine, round(seconds, 3), point["proven"], point["cost"], point["seconds"])
    proven = [row for row in rows.rows if row["proven"] == "True"]
    both = [row for row in proven if row["their_proven"] == "yes"]
    equal = [row for row in both if abs(float(row["cost"]) - float(row["their_cost"])) < 1e-3]
    long = [row for row in proven if float(row["their_seconds"]) > 0.1]
    ratios = [math.log(float(row["their_seconds"]) / float(row["seconds"])) for row in long]
    print(f"{len(rows.rows)} points, {len(proven)} proven; {len(equal)} of {len(both)} proven by both cost the same")
    print(f"seconds there / here over {len(long)} points: {math.exp(sum(ratios) / len(ratios)):.1f} (geometric mean)")


def folds(args: argparse.Namespace) -> None:
    rows = Rows(HERE / "folds.csv", FOLD_FIELDS, 2)
    tables = sorted(args.suite.glob("*/*_train1.csv.gz"))
    for alpha in args.alpha:
        for table in tables:
            name = str(table.relative_to(args.suite))
            if rows.has(name, alpha):
                continue
            said, seconds = learn(args.program, table, args.time_limit, "--alpha", alpha)
            if said is None:
                rows.add(name, alpha, "refused", *[""] * 8, round(seconds, 3))
                continue
            mine = [said[field] for field in ("rules", "size", "cost", "lower_bound", "rows_wrong")]
            count = len(said["classes"]) + (said["otherwise"] is not None)
            status = [said["status"], count, said["otherwise"], *mine, said["table"]["rows"]]
            rows.add(name, alpha, *status, round(seconds, 3))
        here = [row for row in rows.rows if row["alpha"] == alpha]
        proven = sum(row["status"] == "optimal" for row in here)
        refused = sum(row["status"] == "refused" for row in here)
        latest = max(float(row["seconds"]) for row in here)
        print(f"alpha {alpha}: {proven} of {len(here)} proven, {refused} refused, the longest took {latest:.2f} s")
        for row in here:
            if row["status"] == "feasible":
                print(f"  open: {row['file']}, cost {row['cost']}, bound {row['lower_bound']}")


def proofs(args: argparse.Namespace) -> None:
    rows = Rows(HERE / "proofs.csv", PROOF_FIELDS, 3)
    for key, _ in left(args.points, rows):
        with tempfile.TemporaryDirectory() as folder:
            table, model, proof = str(args.suite / key[0]), f"{folder}/model.json", f"{folder}/proof"
            options = ["--classes", key[1], "--otherwise", "none", "--alpha", f"{key[2]}rows"]
            options += ["--model", model, "--proof", proof]
            said, seconds = learn(args.program, Path(table), args.time_limit, *options)
            start = time.perf_counter()
            done = subprocess.run([args.program, "check", model, table, "--proof", proof], capture_output=True)
            checked = time.perf_counter() - start
            certificate = Path(proof, "class-1.proof").read_text()
        because = certificate.split("\nbecause ")[1].split()[0]
        verdict = "holds" if done.returncode == 0 else "refused"
        status = said["status"] if said else "refused"
        rows.add(*key, status, because, len(certificate), verdict, round(seconds, 3), round(checked, 3))
    hold = [row for row in rows.rows if row["verdict"] == "holds"]
    sizes = sorted(int(row["bytes"]) for row in hold)
    ratios = [math.log(float(row["check_seconds"]) / float(row["learn_seconds"])) for row in hold]
    print(f"{len(hold)} of {len(rows.rows)} proofs hold; median {sizes[len(sizes) // 2]} bytes, largest {sizes[-1]}")
    print(f"seconds to check / to learn: {math.exp(sum(ratios) / len(ratios)):.2f} (geometric mean)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run, limit in (("points", points, 15), ("folds", folds, 60), ("proofs", proofs, 15)):
        command = commands.add_parser(name)
        command.add_argument("program")
        command.add_argument("suite", type=Path)
        if name != "folds":
            command.add_argument("points", type=Path)
        else:
            command.add_argument("--alpha", nargs="+", default=["1%", "0.3%", "0.1%"])
        command.add_argument("--time-limit", type=float, default=limit)
        command.set_defaults(run=run)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
