#!/usr/bin/env python3
"""Sparse sets of three or more classes: without an order of classes, and with one.

    experiments/order/run.py PROGRAM SUITE [--tables 'r3/*_train1.csv.gz'] [--splits 3] [--time-limit 2] [--minutes 25]
    experiments/order/run.py --summary [--tables 'r3/*_train1.csv.gz']

PROGRAM is a built minrule, SUITE a folder of tables. Of each table with three or more classes and no more rows than
`--rows`, seven tenths are for learning and the rest is for testing, split anew for each seed, each class in these
shares. Each order and each alpha is learned from all rows for learning, and cross-validated on them (3 folds). Everything
runs on one thread, one run after another, and begins with all tables at the first split. Writes `runs.csv` here, a row
at once for each run; rows that are there already are not run again. The summary chooses alpha, and the order where it
is open, by the cross-validation alone.
"""

import argparse
import csv
import gzip
import json
import math
import random
import subprocess
import tempfile
import time
from fnmatch import fnmatch
from pathlib import Path

HERE = Path(__file__).parent
FIELDS = "file split order alpha classes rows status inner_accuracy test_accuracy rules size seconds".split()
ALPHAS = ["3%", "1.5%", "0.7%", "0.3%"]
ORDERS = ["none", "rarest", "frequent"]
FOLDS = 3


def read(table: Path) -> tuple[list[str], list[list[str]]]:
    with gzip.open(table, "rt", newline="") as text:
        header, *rows = csv.reader(text)
    return header, rows


def split(rows: list[list[str]], seed: int) -> tuple[list[list[str]], list[list[str]]]:
    """Rows for learning and for testing: of each class, the same share."""
    rows = rows[:]
    random.Random(seed).shuffle(rows)
    rows.sort(key=lambda row: row[-1])
    test = [i % 10 in (2, 5, 8) for i in range(len(rows))]
    return [r for r, t in zip(rows, test) if not t], [r for r, t in zip(rows, test) if t]


def write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([header, *rows])


def run(program: str, folder: Path, order: str, alpha: str, limit: float) -> list[object] | None:
    """Learns, cross-validates and tests; nothing if the program refuses the table."""
    train, test, model = folder / "train.csv", folder / "test.csv", folder / "model.json"
    command = [program, "learn", str(train), "--alpha", alpha, "--order", order, "--cross-validate", str(FOLDS)]
    output = ["--format", "json", "--quiet", "--threads", "1", "--time-limit", f"{limit}s", "--model", str(model)]
    start = time.perf_counter()
    done = subprocess.run([*command, *output], capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode not in (0, 10):
        return None
    said = json.loads(done.stdout)
    command = [program, "evaluate", str(model), str(test), "--format", "json"]
    tested = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    inner = said["cross_validation"]["all"]["accuracy"]
    accuracies = [round(inner, 6), round(tested["accuracy"], 6)]
    return [said["status"], *accuracies, said["rules"], said["size"], round(seconds, 2)]


def measure(args: argparse.Namespace) -> None:
    path = HERE / "runs.csv"
    if not path.exists():
        path.write_text(",".join(FIELDS) + "\n")
    done = {tuple(row[field] for field in FIELDS[:4]) for row in csv.DictReader(path.open())}
    tables = {}
    for table in sorted(args.suite.glob(args.tables)):
        header, rows = read(table)
        if len({row[-1] for row in rows}) >= 3 and len(rows) <= args.rows:
            tables[str(table.relative_to(args.suite))] = header, rows
    end = time.monotonic() + 60 * args.minutes
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, args.splits + 1):
            for name, (header, rows) in tables.items():
                learned, tested = split(rows, seed)
                write(Path(folder) / "train.csv", header, learned)
                write(Path(folder) / "test.csv", header, tested)
                for order in ORDERS:
                    for alpha in ALPHAS:
                        key = name, str(seed), order, alpha
                        if key in done:
                            continue
                        if time.monotonic() > end:
                            return
                        came = run(args.program, Path(folder), order, alpha, args.time_limit)
                        came = came or ["refused", *[""] * 5]
                        row = [*key, len({row[-1] for row in rows}), len(learned), *came]
                        with path.open("a", newline="") as out:
                            csv.writer(out).writerow(row)


def best(runs: list[dict]) -> dict:
    """The best by cross-validation; of equals, the smallest."""
    return max(runs, key=lambda run: (float(run["inner_accuracy"]), -int(run["size"])))


def summary(tables: str) -> None:
    cases: dict[tuple[str, str], list[dict]] = {}
    rows = csv.DictReader((HERE / "runs.csv").open())
    for row in (row for row in rows if fnmatch(row["file"], tables)):
        cases.setdefault((row["file"], row["split"]), []).append(row)
    whole = {
        key: runs for key, runs in cases.items()
        if len(runs) == len(ORDERS) * len(ALPHAS) and all(run["status"] != "refused" for run in runs)
    }
    files = sorted({file for file, _ in whole})
    splits = sorted({seed for _, seed in whole})
    print(f"{len(whole)} cases: {len(files)} tables, splits {', '.join(splits)}; left out: {len(cases) - len(whole)}")
    runs = [run for of_case in whole.values() for run in of_case]
    proven = sum(run["status"] == "optimal" for run in runs)
    print(f"{len(runs)} runs, {proven} proven, {sum(float(run['seconds']) for run in runs) / 60:.1f} minutes")
    by = {order: {key: best([r for r in rs if r["order"] == order]) for key, rs in whole.items()} for order in ORDERS}
    by["rarest or frequent"] = {key: best([r for r in rs if r["order"] != "none"]) for key, rs in whole.items()}
    by["any of the three"] = {key: best(rs) for key, rs in whole.items()}

    def mean(chosen: dict, field: str, file: str | None = None) -> float:
        """The mean over tables of the means over splits."""
        means = []
        for f in files if file is None else [file]:
            of_table = [float(run[field]) for (name, _), run in chosen.items() if name == f]
            means.append(sum(of_table) / len(of_table))
        return sum(means) / len(means)

    print("\n| order | test accuracy | difference to none, and its standard error over tables | better, worse | size |")
    print("|---|--:|--:|--:|--:|")
    for name, chosen in by.items():
        gains = [mean(chosen, "test_accuracy", f) - mean(by["none"], "test_accuracy", f) for f in files]
        gain = sum(gains) / len(gains)
        error = math.sqrt(sum((g - gain) ** 2 for g in gains) / max(1, len(gains) - 1) / len(gains))
        more, less = sum(g > 1e-9 for g in gains), sum(g < -1e-9 for g in gains)
        accuracy = 100 * mean(chosen, "test_accuracy")
        print(f"| {name} | {accuracy:.2f} % | {100 * gain:+.2f} ({100 * error:.2f}) | {more}, {less} "
              f"| {mean(chosen, 'size'):.1f} |")
    print("\n| table | classes | rows | none | rarest | frequent | size: none | rarest | frequent |")
    print("|---|" + "--:|" * 8)
    for f in files:
        some = next(run for run in runs if run["file"] == f)
        accuracies = [f"{100 * mean(by[order], 'test_accuracy', f):.1f}" for order in ORDERS]
        sizes = [f"{mean(by[order], 'size', f):.1f}" for order in ORDERS]
        name = Path(f).name.removesuffix("_train1.csv.gz")
        print("| " + " | ".join([name, some["classes"], some["rows"], *accuracies, *sizes]) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("suite", type=Path, nargs="?")
    parser.add_argument("--tables", default="r3/*_train1.csv.gz")
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--time-limit", type=float, default=2)
    parser.add_argument("--minutes", type=float, default=25, help="begin no run after this time")
    parser.add_argument("--summary", action="store_true", help="run nothing")
    args = parser.parse_args()
    if not args.summary:
        measure(args)
    summary(args.tables)


if __name__ == "__main__":
    main()
