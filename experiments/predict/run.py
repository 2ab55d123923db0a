#!/usr/bin/env python3
"""How fast `minrule predict` goes through millions of rows, and how much memory it takes.

    experiments/predict/run.py --minrule target/release/minrule [--rows 5000000] -o RESULTS.md

Learns a model from `data/loans.csv`, writes a table of random loans (a fixed seed; some values missing,
some never seen), and runs `predict` on it in several ways: seconds, rows a second, peak memory.
"""

import argparse
import os
import pathlib
import random
import resource
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def write_table(path: pathlib.Path, rows: int) -> None:
    """Blocks of random rows, repeated in random order: Python alone would take minutes."""
    draw = random.Random(1)
    pick = draw.choice

    def row() -> str:
        income = "" if draw.random() < 0.05 else f"{draw.uniform(10, 150):.1f}"
        history = pick(["good", "none", "defaulted", "unheard of"])
        return (f"{draw.randint(18, 80)},{income},{draw.uniform(0, 60):.1f},"
                f"{pick(['none', 'self-employed', 'employed'])},{history},{pick(['yes', 'no'])}\n")

    blocks = ["".join(row() for _ in range(1000)) for _ in range(200)]
    with path.open("w") as file:
        file.write("age,income,debt,employment,history,guarantor\n")
        for _ in range(rows // 1000):
            file.write(pick(blocks))


def measure(command: list[str]) -> tuple[float, int]:
    """Seconds and peak memory in MB."""
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
        os.execv(command[0], command)
    _, status, usage = os.wait4(child, 0)
    assert status == 0, command
    return time.monotonic() - start, usage.ru_maxrss // 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minrule", default=str(ROOT / "target/release/minrule"))
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    args = parser.parse_args()
    minrule = str(pathlib.Path(args.minrule).resolve())
    with tempfile.TemporaryDirectory() as folder:
        model, table = f"{folder}/model.json", pathlib.Path(folder) / "loans.csv"
        subprocess.run([minrule, "learn", str(ROOT / "data/loans.csv"), "--numeric", "thresholds",
                        "--model", model, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        lines = ["# Predicting many rows", "", "Written by `run.py`: a model of nine rules, six columns.", "",
                 "| rows | MB | options | seconds | million rows a second | peak memory |",
                 "|--:|--:|---|--:|--:|--:|"]
        for rows in [args.rows // 10, args.rows]:
            write_table(table, rows)
            size = table.stat().st_size / 1e6
            measure([minrule, "predict", model, str(table)])  # The table is in the cache now.
            for options in [[], ["--proba"], ["--explain"], ["--keep-columns"]]:
                seconds, peak = measure([minrule, "predict", model, str(table), *options])
                lines.append(f"| {rows:,} | {size:,.0f} | {' '.join(options)} | {seconds:.2f} |"
                             f" {rows / seconds / 1e6:.2f} | {peak} MB |")
    args.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
