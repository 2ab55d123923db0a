#!/usr/bin/env python3
"""Runs minrule over many tables and appends one line a run to a CSV.

    experiments/suite/run.py LIST -o results.csv --configuration "name: --cover ilp" ...

One process a table, N at a time, each with a time limit and a memory limit. The rules that come
back are judged by the table's text (`judge.py`). A run that the CSV
already holds (same file, configuration, limits and version) is not repeated, so an interrupted
experiment goes on where it stopped. Needs only Python's standard library.
"""

import argparse
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from judge import is_valid

FIELDS = [
    "file", "configuration", "options", "time_limit", "memory_limit", "version",
    "exit_code", "status", "stopped_by", "rules", "literals", "size", "lower_bound",
    "rules_enumerated", "seconds", "seconds_rules", "seconds_cover", "peak_mb", "valid",
]
KEY = ["file", "configuration", "options", "time_limit", "memory_limit", "version"]
# A run that outlives its limit by this much is killed, and recorded as killed.
GRACE = 20


def main():
    args = arguments()
    folder = args.list.resolve().parent
    files = [line.strip() for line in args.list.read_text().splitlines() if line.strip()]
    version = subprocess.run(
        [args.minrule, "--version"], capture_output=True, text=True, check=True
    ).stdout.split()[-1]
    jobs = []
    for text in args.configuration:
        name, _, options = text.partition(":")
        for file in files:
            key = [file, name.strip(), options.strip(), f"{args.time_limit:g}", args.memory_limit, version]
            jobs.append((folder / file, key))
    done = finished_runs(args.output)
    todo = [(path, key) for path, key in jobs if tuple(key) not in done]
    print(f"{len(jobs)} runs, {len(jobs) - len(todo)} already there", file=sys.stderr)

    lock = threading.Lock()
    start = time.time()
    count = 0

    def work(job):
        nonlocal count
        path, key = job
        row = dict(zip(KEY, key)) | run(args, path, key[2].split())
        with lock:
            append(args.output, row)
            count += 1
            left = (time.time() - start) / count * (len(todo) - count)
            print(
                f"{count}/{len(todo)} {row['file']} [{row['configuration']}] {row['status']}"
                f" size {row['size']} {row['seconds']} s; about {left / 60:.0f} min left",
                file=sys.stderr,
            )

    with ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(work, todo))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("list", type=pathlib.Path, help="a text file of table names, relative to it")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="the CSV to append to")
    parser.add_argument("--minrule", default="target/release/minrule", help="the program")
    parser.add_argument(
        "--configuration", action="append", required=True, metavar="NAME: OPTIONS",
        help="a name and the options of `minrule learn` (may be given more than once)",
    )
    parser.add_argument("--time-limit", type=float, default=60, help="seconds for each run")
    parser.add_argument("--memory-limit", default="8GB", help="memory for each run")
    parser.add_argument("--jobs", type=int, default=1, help="runs side by side")
    return parser.parse_args()


def finished_runs(output):
    if not output.exists():
        return set()
    with output.open(newline="") as file:
        return {tuple(row[field] for field in KEY) for row in csv.DictReader(file)}


def append(output, row):
    new = not output.exists()
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


def run(args, path, options):
    command = [
        args.minrule, "learn", str(path), "--format", "json", "--quiet",
        "--time-limit", f"{args.time_limit:g}", "--memory-limit", args.memory_limit, *options,
    ]
    start = time.time()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    watchdog = threading.Timer(args.time_limit + GRACE, process.send_signal, [signal.SIGKILL])
    watchdog.start()
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    watchdog.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    row = dict.fromkeys(FIELDS, "")
    for key in KEY:
        del row[key]
    row["exit_code"] = process.returncode
    row["seconds"] = f"{time.time() - start:.3f}"
    row["peak_mb"] = usage.ru_maxrss // 1024
    try:
        result = json.loads(output)
    except ValueError:
        row["status"] = "failed"
        return row
    for field in ["status", "rules", "literals", "size", "lower_bound", "rules_enumerated"]:
        row[field] = json.dumps(result[field]).strip('"')
    reasons = {c["stopped_by"] for c in result["classes"] if c["stopped_by"]}
    row["stopped_by"] = " ".join(sorted(reasons))
    row["seconds_rules"] = result["seconds"]["rules"]
    row["seconds_cover"] = result["seconds"]["cover"]
    row["valid"] = "yes" if is_valid(path, result) else "no"
    return row


if __name__ == "__main__":
    main()
