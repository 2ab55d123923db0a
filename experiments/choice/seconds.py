#!/usr/bin/env python3
"""How long `minrule learn --alpha auto` takes on the tables of ../comparison, and how late it is at a time limit.

    experiments/choice/seconds.py PROGRAM SUITE     writes seconds.csv

Each table is learned once without a limit and once with a limit of 2 s. `cpu` counts the processor's seconds, which other
work on the machine does not change; `seconds` are those of a clock.
"""

import csv
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
TABLES = HERE.parent / "comparison" / "tables.txt"
FIELDS = "table rows alpha size status seconds cpu limit limited_seconds".split()
LIMIT, LONG = 2.0, 300.0


def learn(program: str, table: Path, limit: float) -> tuple[dict, float, float]:
    """What the program says, and the seconds of a clock and of the processor."""
    line = [program, "learn", str(table), "--alpha", "auto", "--format", "json", "--quiet", "--time-limit", str(limit)]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 10):
        raise SystemExit(f"{table}: {done.stderr}")
    return json.loads(done.stdout), seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    program, suite = sys.argv[1], Path(sys.argv[2])
    tables = [line for line in TABLES.read_text().split("\n") if line and not line.startswith("#")]
    rows = []
    for table in tables:
        said, seconds, cpu = learn(program, suite / table, LONG)
        _, limited, _ = learn(program, suite / table, LIMIT)
        values = [table, said["table"]["rows"], said["alpha"], said["size"], said["status"]]
        rows.append(dict(zip(FIELDS, [*values, round(seconds, 2), round(cpu, 2), LIMIT, round(limited, 2)], strict=True)))
        print(*rows[-1].values(), flush=True)
    with (HERE / "seconds.csv").open("w") as out:
        writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    quick = sum(row["seconds"] < 10 for row in rows)
    print(f"under 10 s: {quick} of {len(rows)}; latest answer {max(row['limited_seconds'] for row in rows) - LIMIT:.2f} s after its limit")


if __name__ == "__main__":
    main()
