#!/usr/bin/env python3
"""How sparse sets grow: time and memory to get planted rules back from noise, by rows and by columns.

    experiments/planted/run.py PROGRAM [-o experiments/planted/results.csv]

Random tables of Boolean columns. The class is 1 where one of three planted rules holds, and 5 % of the
classes are flipped. Each table is learned on one thread with the class named that gets no rules
(--otherwise 0), and with --otherwise auto as well, which has to find out that class 0 is the dearer one. A row of
the CSV says whether exactly the planted rules came back and whether that is proven. Then two plots are drawn
beside the CSV. What the CSV already holds is not run again. Needs only Python's standard library.
"""

import argparse
import csv
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
# Each rule: the columns that it tests, and the values that they must have.
PLANTED = [{0: 1, 1: 1, 2: 0}, {3: 1, 4: 0, 5: 1}, {6: 1, 7: 1, 8: 1, 9: 1}]
FLIPPED = 0.05
ROWS = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
COLUMNS = [10, 20, 50, 100, 200]
# The series: rows with this many columns, columns with this many rows.
ROWS_AT, COLUMNS_AT = 50, 100_000
BY_ROWS = [(rows, ROWS_AT) for rows in ROWS]
BY_COLUMNS = [(COLUMNS_AT, columns) for columns in COLUMNS]
ALPHA, TIME_LIMIT = "0.3%", 300
AUTO_TOO = [*BY_ROWS, *BY_COLUMNS[:4]]
# A lower price, at which noise is worth more rules and a proof is harder: a look at some tables.
LOW_ALPHA, LOW_TIME_LIMIT = "0.1%", 120
LOW = [(rows, ROWS_AT) for rows in (1_000, 10_000, 100_000)]
NAMED, AUTO = "0", "auto"
FIELDS = ["alpha", "rows", "columns", "otherwise", "time_limit", "status", "planted", "rules", "literals",
          "cost", "lower_bound", "rows_wrong", "read", "total", "cpu", "peak_mb"]
CURVES = {"CPU seconds, otherwise auto": AUTO, "CPU seconds, otherwise 0": NAMED,
          "peak memory, 100 MB": "peak_mb"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="minrule, as built")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=HERE / "results.csv")
    args = parser.parse_args()
    points = [(ALPHA, *size, NAMED, TIME_LIMIT) for size in BY_ROWS + BY_COLUMNS]
    points += [(ALPHA, *size, AUTO, TIME_LIMIT) for size in dict.fromkeys(AUTO_TOO)]
    points += [(LOW_ALPHA, *size, NAMED, LOW_TIME_LIMIT) for size in LOW]
    # The quickest first, so that there is something to look at.
    points.sort(key=lambda point: point[1] * point[2])
    done = read(args.output)
    for *key, time_limit in points:
        if tuple(key) not in done:
            done[tuple(key)] = learn(args.program, *key, time_limit)
            write(args.output, done)
            print(done[tuple(key)], flush=True)
    draw(args.output.with_name("rows.svg"), "rows", BY_ROWS, done)
    draw(args.output.with_name("columns.svg"), "columns", BY_COLUMNS, done)


def draw(path, field, sizes, done):
    """The seconds of both ways in one plot."""
    rows = []
    for size in sizes:
        ways = {way: done[(ALPHA, *size, way)]["cpu"] for way in (NAMED, AUTO) if (ALPHA, *size, way) in done}
        rows.append({**done[(ALPHA, *size, NAMED)], **ways})
    other_script("growth").plot(path, field, rows, CURVES)


def table(path, rows, columns):
    random.seed(f"{rows} rows, {columns} columns")
    with path.open("w") as file:
        file.write(",".join(f"f{i}" for i in range(columns)) + ",class\n")
        for _ in range(rows):
            bits = random.getrandbits(columns)
            fires = any(all(bits >> f & 1 == v for f, v in rule.items()) for rule in PLANTED)
            label = fires != (random.random() < FLIPPED)
            file.write(",".join(format(bits, f"0{columns}b")[::-1]) + (",1\n" if label else ",0\n"))


def learn(program, alpha, rows, columns, otherwise, time_limit):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.csv"
        table(path, rows, columns)
        command = [program, "learn", str(path), "--alpha", alpha, "--otherwise", otherwise,
                   "--threads", "1", "--time-limit", str(time_limit), "--format", "json", "--quiet"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        result = json.loads(process.stdout.read())
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    return {
        "alpha": alpha, "rows": rows, "columns": columns, "otherwise": otherwise,
        "time_limit": time_limit, "status": result["status"],
        "planted": "yes" if is_planted(result) else "no",
        **{name: result[name] for name in ["rules", "literals", "cost", "lower_bound", "rows_wrong"]},
        **{stage: result["seconds"][stage] for stage in ["read", "total"]},
        "cpu": round(usage.ru_utime + usage.ru_stime, 2), "peak_mb": usage.ru_maxrss // 1024,
    }


def is_planted(result):
    """Whether there are rules for class 1 alone, and exactly the planted ones."""
    if [described["class"] for described in result["classes"]] != ["1"]:
        return False

    def literal(condition):
        value = int(condition["value"])
        return int(condition["feature"][1:]), value if condition["op"] == "=" else 1 - value

    found = [dict(literal(condition) for condition in rule["if"]) for rule in result["classes"][0]["rules"]]
    return len(found) == len(PLANTED) and all(rule in found for rule in PLANTED)


def other_script(experiment):
    """The script of another experiment, for what it has that is needed here, too."""
    spec = importlib.util.spec_from_file_location(experiment, HERE.parent / experiment / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(path):
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {(row["alpha"], int(row["rows"]), int(row["columns"]), row["otherwise"]): row
                for row in csv.DictReader(file)}


def write(path, done):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(done.values())


if __name__ == "__main__":
    main()
