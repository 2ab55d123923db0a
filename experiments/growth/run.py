#!/usr/bin/env python3
"""How time and memory grow with the rows and with the Boolean features of a table.

    experiments/growth/run.py [--minrule target/release/minrule] [-o experiments/growth/results.csv]

Random tables whose class is given by three planted rules of three literals each. One series grows
the rows, one the features; each run has a limit. Writes a CSV and, from it, two plots beside it.
What the CSV already holds is not run again. Needs only Python's standard library.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import random
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
ROWS = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
FEATURES = [10, 20, 50, 100, 200, 500]
# The series: rows with this many features, features with this many rows.
ROWS_AT, FEATURES_AT = 20, 2_000
FIELDS = ["rows", "features", "distinct", "status", "size", "lower_bound",
          "read", "first", "rules", "cover", "total", "peak_mb"]
CURVES = {"total seconds": "total", "seconds to read": "read", "peak memory, 100 MB": "peak_mb"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minrule", default="target/release/minrule")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=HERE / "results.csv")
    parser.add_argument("--time-limit", default="60")
    args = parser.parse_args()
    done = read(args.output)
    for rows, features in [(r, ROWS_AT) for r in ROWS] + [(FEATURES_AT, f) for f in FEATURES]:
        if (rows, features) not in done:
            done[rows, features] = run(args, rows, features)
            write(args.output, done)
            print(done[rows, features])
    plot(args.output.with_name("rows.svg"), "rows", [done[r, ROWS_AT] for r in ROWS])
    plot(args.output.with_name("features.svg"), "features", [done[FEATURES_AT, f] for f in FEATURES])


def table(path, rows, features):
    """The same rules for all tables with so many features."""
    random.seed(features)
    planted = [[(random.randrange(features), random.randrange(2)) for _ in range(3)] for _ in range(3)]
    random.seed(rows * 1_000 + features)
    with path.open("w") as file:
        file.write(",".join(f"f{i}" for i in range(features)) + ",class\n")
        for _ in range(rows):
            bits = random.getrandbits(features)
            fires = any(all(bits >> f & 1 == v for f, v in rule) for rule in planted)
            file.write(",".join(format(bits, f"0{features}b")[::-1]) + (",yes\n" if fires else ",no\n"))


def run(args, rows, features):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.csv"
        table(path, rows, features)
        command = [args.minrule, "learn", str(path), "--format", "json", "--quiet",
                   "--time-limit", args.time_limit]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        result = json.loads(process.stdout.read())
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    seconds = result["seconds"]
    return {
        "rows": rows, "features": features, "distinct": result["table"]["examples"],
        "status": result["status"], "size": result["size"], "lower_bound": result["lower_bound"],
        **{stage: seconds[stage] for stage in ["read", "first", "rules", "cover", "total"]},
        "peak_mb": usage.ru_maxrss // 1024,
    }


def read(path):
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {(int(row["rows"]), int(row["features"])): row for row in csv.DictReader(file)}


def write(path, done):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(done.values())


def plot(path, field, rows, curves=CURVES):
    """Both axes logarithmic: a straight line of slope one is linear growth. A curve may end early."""
    size, edge = 420, 60
    xs = [float(row[field]) for row in rows]
    values = {name: [max(float(row[key]) / (100 if key == "peak_mb" else 1), 1e-3)
                     for row in rows if key in row] for name, key in curves.items()}
    low, high = -3, math.ceil(math.log10(max(max(v) for v in values.values())))
    x_at = lambda x: edge + (math.log10(x) - math.log10(xs[0])) / math.log10(xs[-1] / xs[0]) * size
    y_at = lambda y: edge + size - (math.log10(y) - low) / (high - low) * size
    parts = []
    for power in range(low, high + 1):
        y = y_at(10.0**power)
        parts.append(f'<line x1="{edge}" x2="{edge + size}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                     f'<text x="{edge - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for x in xs:
        parts.append(f'<text x="{x_at(x):.1f}" y="{edge + size + 16}" text-anchor="middle">{x:g}</text>')
    for i, (name, ys) in enumerate(values.items()):
        colour = ["#1f5fa8", "#c1541c", "#3a7d44"][i]
        points = " ".join(f"{x_at(x):.1f},{y_at(y):.1f}" for x, y in zip(xs, ys))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
                     f'<text x="{edge + 10}" y="{edge + 20 + 18 * i}" fill="{colour}">{name}</text>')
    width = size + 2 * edge
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{width}"'
        f' font-family="sans-serif" font-size="12"><rect width="{width}" height="{width}" fill="white"/>'
        f'<rect x="{edge}" y="{edge}" width="{size}" height="{size}" fill="none" stroke="#888"/>'
        f'{"".join(parts)}<text x="{edge + size / 2}" y="{width - 14}" text-anchor="middle">{field}</text>'
        "</svg>\n"
    )


if __name__ == "__main__":
    main()
