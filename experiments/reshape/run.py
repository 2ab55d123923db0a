#!/usr/bin/env python3
"""Two builds of the program side by side: the same answers, and how much time and memory each takes.

    experiments/reshape/run.py BEFORE AFTER SUITE [--time-limit 20] [--output experiments/reshape]

BEFORE and AFTER are built programs, SUITE a folder with `panel.txt` and the tables it lists. The programs take turns,
table by table, so that whatever else the machine does falls on both; what is solved in less than two seconds is run
five times, and the fastest counts. Writes `results.csv` (a row for each table) and `RESULTS.md`.
"""

import argparse
import csv
import json
import math
import subprocess
import tempfile
import time
from pathlib import Path

QUICK, REPEATS = 2.0, 5
FIELDS = (
    "table status_before status_after cost_before cost_after bound_before bound_after same_model "
    "seconds_before seconds_after mb_before mb_after"
).split()


def run(program: Path, table: Path, limit: float, model: Path) -> dict:
    command = [program, "learn", table, "--format", "json", "--quiet", "--time-limit", str(limit), "--model", model]
    start = time.perf_counter()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode not in (0, 10):
        return {"status": f"exit {done.returncode}", "seconds": seconds, "mb": 0, "cost": "", "bound": "", "model": b""}
    said = json.loads(done.stdout)
    return {
        "status": said["status"],
        "cost": said["size"],
        "bound": said["lower_bound"],
        "seconds": seconds,
        "mb": said["peak_mb"],
        "model": model.read_bytes(),
    }


def best(runs: list[dict]) -> dict:
    return {**runs[0], "seconds": min(r["seconds"] for r in runs), "mb": min(r["mb"] for r in runs)}


def mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--time-limit", type=float, default=20)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent)
    args = parser.parse_args()
    tables = [line.strip() for line in (args.suite / "panel.txt").read_text().splitlines() if line.strip()]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.json"
        for number, name in enumerate(tables):
            pair = [args.before, args.after]
            found: list[list[dict]] = [[], []]
            for turn in range(REPEATS):
                # Who begins changes from table to table, and from turn to turn.
                for which in (0, 1) if (number + turn) % 2 == 0 else (1, 0):
                    found[which].append(run(pair[which], args.suite / name, args.time_limit, model))
                if max(found[0][0]["seconds"], found[1][0]["seconds"]) > QUICK:
                    break
            before, after = map(best, found)
            row = {"table": name, "same_model": "yes" if before["model"] == after["model"] else "no"}
            for key in ("status", "cost", "bound"):
                row |= {f"{key}_before": before[key], f"{key}_after": after[key]}
            row |= {"seconds_before": f"{before['seconds']:.3f}", "seconds_after": f"{after['seconds']:.3f}"}
            row |= {"mb_before": before["mb"], "mb_after": after["mb"]}
            rows.append(row)
            print(*row.values(), flush=True)
    with (args.output / "results.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (args.output / "RESULTS.md").write_text(report(rows, args.time_limit))


def report(rows: list[dict], limit: float) -> str:
    both = [r for r in rows if r["status_before"] == r["status_after"] == "optimal"]
    one = [r for r in rows if (r["status_before"] == "optimal") != (r["status_after"] == "optimal")]
    differ = [r for r in both if (r["cost_before"], r["bound_before"]) != (r["cost_after"], r["bound_after"])]
    other = [r["table"] for r in both if r["same_model"] == "no"]
    seconds = [float(r["seconds_after"]) / float(r["seconds_before"]) for r in both]
    memory = [r["mb_after"] / max(r["mb_before"], 1) for r in both]
    slow = [r for r in both if float(r["seconds_before"]) > 0.1]
    slow_seconds = [float(r["seconds_after"]) / float(r["seconds_before"]) for r in slow]
    lines = [
        "# Before and after",
        "",
        f"{len(rows)} tables, {limit:g} s each, on all cores. Written by `run.py` from `results.csv`.",
        "",
        "| | |",
        "|---|--:|",
        f"| proven before | {sum(r['status_before'] == 'optimal' for r in rows)} |",
        f"| proven after | {sum(r['status_after'] == 'optimal' for r in rows)} |",
        f"| proven by both | {len(both)} |",
        f"| of these, another cost or bound | {len(differ)} |",
        f"| of these, another model file | {len(other)} |",
        f"| seconds after / before, geometric mean over tables that both prove | {mean(seconds):.3f} |",
        f"| the same over the {len(slow)} of them that took more than 0.1 s | {mean(slow_seconds):.3f} |",
        f"| memory after / before, geometric mean | {mean(memory):.3f} |",
        f"| memory after / before, largest | {max(memory):.3f} |",
        "",
        "Proven by one only: " + (", ".join(r["table"] for r in one) or "none") + ".",
        "Another model: " + (", ".join(other) or "none") + ".",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
