#!/usr/bin/env python3
"""Times the data path: reading, binarising and merging tables of growing length.

    experiments/reading/run.py -o experiments/reading/results.csv

Two kinds of table, both of 50 columns: `mixed` (10 of numbers, 20 of four categories, 20 of 0/1) and
`numbers` (50 of six-digit numbers, nearly all different: the worst case for dictionaries). The time is
`seconds.read` of a run with a time limit so short that only the data path counts.
"""

import argparse
import csv
import json
import os
import pathlib
import random
import subprocess
import tempfile


def mixed(draw):
    numbers = [f"{draw.random():.4f}" for _ in range(10)]
    bits = draw.getrandbits(60)
    categories = [("red", "green", "blue", "amber")[bits >> 2 * i & 3] for i in range(20)]
    flags = [str(bits >> 40 + i & 1) for i in range(20)]
    return numbers + categories + flags, numbers[0] > "0.5" and categories[0] == "red"


def numbers(draw):
    values = [f"{draw.random():.6f}" for _ in range(50)]
    return values, values[0] > "0.5" and values[1] > "0.75"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--minrule", default="target/release/minrule")
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    args = parser.parse_args()
    with args.output.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", "rows", "megabytes", "seconds_read", "peak_mb"])
        for make in (mixed, numbers):
            for rows in args.rows:
                with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
                    write(table, make, rows)
                    size = pathlib.Path(table.name).stat().st_size / 1e6
                    seconds, peak = measure(args.minrule, table.name)
                    row = [make.__name__, rows, f"{size:.1f}", f"{seconds:.3f}", peak]
                    print(*row)
                    writer.writerow(row)


def write(table, make, rows):
    draw = random.Random(1)
    print(",".join(f"c{i}" for i in range(50)), "class", sep=",", file=table)
    for _ in range(rows):
        fields, positive = make(draw)
        print(",".join(fields), "yes" if positive else "no", sep=",", file=table)
    table.flush()


def measure(minrule, path):
    command = [minrule, "learn", path, "--format", "json", "--quiet", "--time-limit", "1ms"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return json.loads(output)["seconds"]["read"], usage.ru_maxrss // 1024


if __name__ == "__main__":
    main()
