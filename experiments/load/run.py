#!/usr/bin/env python3
"""minrule under load: many runs at once, long tables, wide tables.

    experiments/load/run.py [--minrule target/release/minrule] [--folder FOLDER] [CASE ...]

Makes each table, runs `minrule learn` on it with a time limit, takes the time from the start of each process
to its end and the most memory it held, and lets `minrule check` judge what was written. Writes results.csv
and, from it, RESULTS.md. Cases that are named are run again, all if none is; the others keep their rows.
Needs only Python's standard library.
"""

import argparse
import collections
import csv
import json
import os
import pathlib
import subprocess
import tempfile
import time

import tables

HERE = pathlib.Path(__file__).parent
# A case: what it is called, its tables (kind, rows, columns), how often each is run, all at once, the
# seconds and the memory that a run has.
CROWD = [
    ("planted", 500, 12), ("planted", 2_000, 20), ("noise", 300, 40), ("noise", 1_000, 60),
    ("noise", 1_000, 20), ("classes", 1_000, 20), ("classes", 300, 100), ("numbers", 1_000, 20),
    ("mixed", 1_000, 60), ("mixed", 200, 500),
]
CASES = {
    "200 runs at once": (CROWD, 20, 5, "500MB"),
    "noise, alone": ([("noise", 20_000, 100)], 1, 5, None),
    "long noise, alone": ([("noise", 200_000, 50)], 1, 5, None),
    "wide, 0/1": ([("noise", 500, 20_000)], 1, 10, None),
    "wide, mixed": ([("mixed", 500, 20_000)], 1, 10, None),
    "wide, numbers": ([("numbers", 500, 20_000)], 1, 10, None),
    "long, mixed": ([("mixed", 2_000_000, 200)], 1, 240, None),
    "long, mixed, in 500 MB": ([("mixed", 2_000_000, 200)], 1, 240, "500MB"),
}
FIELDS = ["case", "runs", "rows", "columns", "limit_s", "memory_limit", "peak_mb", "peak_mb_of_all",
          "read_s", "cpu_s", "of_machine", "over_p50_s", "over_p99_s", "over_max_s", "exit_codes", "invalid"]
# What a run may end with: a result (proven, time or memory limit), or a clear message instead.
RESULT, REFUSED = {0, 10, 11}, {2, 4}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help="; ".join(CASES))
    parser.add_argument("--minrule", type=pathlib.Path, default=pathlib.Path("target/release/minrule"))
    parser.add_argument("--folder", type=pathlib.Path, help="for the tables, which are kept [default: none]")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=HERE / "results.csv")
    args = parser.parse_args()
    unknown = [name for name in args.cases if name not in CASES]
    if unknown:
        parser.error(f"no such case: {', '.join(unknown)}")
    results = read(args.output)
    for name in args.cases or CASES:
        with tempfile.TemporaryDirectory(dir=args.folder) as folder:
            folder = pathlib.Path(folder)
            results[name] = case(name, args.minrule.resolve(), args.folder or folder, folder)
        print(*results[name].values(), sep=" | ", flush=True)
        write(args.output, results)


def case(name, minrule, store, folder):
    kinds, times, limit, memory = CASES[name]
    runs = [(table(store, *kind), folder / f"{i}-{turn}") for turn in range(times)
            for i, kind in enumerate(kinds)]
    os.sync()
    before, begun = os.times(), time.monotonic()
    ended = start_all(minrule, runs, limit, memory)
    after, seconds = os.times(), time.monotonic() - begun
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    over = sorted(wall - limit for _, wall in ended.values())
    codes = collections.Counter(code for code, _ in ended.values())
    told = [json.loads(output.with_suffix(".json").read_text())
            for _, output in runs if ended[output][0] in RESULT]
    invalid = sum(not holds(minrule, path, output, ended[output][0]) for path, output in runs)
    peaks = [result["peak_mb"] for result in told]
    several = len(kinds) > 1
    at = lambda share: over[min(len(over) - 1, int(share * len(over)))]
    return {
        "case": name, "runs": len(runs),
        "rows": "200-2000" if several else kinds[0][1], "columns": "12-500" if several else kinds[0][2],
        "limit_s": limit, "memory_limit": memory or "", "peak_mb": max(peaks, default=""),
        "peak_mb_of_all": sum(peaks) if several else "",
        "read_s": f"{max(result['seconds']['read'] for result in told):.2f}" if told else "",
        "cpu_s": f"{cpu:.1f}", "of_machine": f"{cpu / (seconds * os.cpu_count()):.0%}",
        "over_p50_s": f"{at(0.5):.2f}", "over_p99_s": f"{at(0.99):.2f}", "over_max_s": f"{over[-1]:.2f}",
        "exit_codes": " ".join(f"{code}:{n}" for code, n in sorted(codes.items())), "invalid": invalid,
    }


def table(folder, kind, rows, columns):
    """The table's file, which is made if it is not there."""
    path = folder / f"{kind}-{rows}-{columns}.csv"
    if not path.exists():
        with path.open("w") as file:
            tables.write(file, kind, rows, columns, 1)
    return path


def start_all(minrule, runs, limit, memory):
    """Exit code and seconds of each run, all started at once."""
    started, ended = {}, {}
    # Starting so many takes a while, so each waits for the gate to open before it becomes minrule.
    waiting, gate = os.pipe()
    for path, output in runs:
        command = ["sh", "-c", 'read _; exec "$0" "$@" < /dev/null', minrule, "learn", path,
                   "--format", "json", "--quiet", "--time-limit", str(limit),
                   "--model", output.with_suffix(".model"), *(["--memory-limit", memory] if memory else [])]
        with output.with_suffix(".json").open("w") as out, output.with_suffix(".err").open("w") as err:
            process = subprocess.Popen(command, stdin=waiting, stdout=out, stderr=err)
        started[process.pid] = process, output
    os.close(waiting)
    start = time.monotonic()
    os.close(gate)
    while started:
        pid, status, _ = os.wait4(-1, 0)
        process, output = started.pop(pid)
        process.returncode = os.waitstatus_to_exitcode(status)
        ended[output] = process.returncode, time.monotonic() - start
    return ended


def holds(minrule, path, output, code):
    """Whether a run ended as it should, and what it wrote passes the judge."""
    model = output.with_suffix(".model")
    if code in REFUSED:
        return output.with_suffix(".err").read_text().startswith("minrule: ") and not model.exists()
    check = [minrule, "check", model, path]
    return code in RESULT and subprocess.run(check, stdout=subprocess.DEVNULL).returncode == 0


def read(path):
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {row["case"]: row for row in csv.DictReader(file)}


def write(path, results):
    rows = [results[name] for name in CASES if name in results]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    lines = ["| " + " | ".join(field.replace("_", " ") for field in FIELDS) + " |",
             "|---" + "|--:" * (len(FIELDS) - 1) + "|"]
    lines += ["| " + " | ".join(str(row[field]) for field in FIELDS) + " |" for row in rows]
    path.with_name("RESULTS.md").write_text(HEAD + "\n".join(lines) + "\n")


HEAD = """# What came of it

Written by `run.py` from results.csv. Times are in seconds, memory in MB, the most that a process held. `over` is
the time from the start of a process to its end, less its limit: the median, the 99th percentile and the
most; below zero it ended before. `read` is the longest time to read and binarise a table, which is part of the
limit. `cpu` is the work of all runs of a case, and `of machine` its share of what all cores could do meanwhile:
where many runs want more than they get, a low share means that others used the machine too. Exit code 0 is a proof, 10 the time limit and 11 the memory limit, each with a valid set; 2 and 4 are refusals with
a message. `invalid` counts results that `minrule check` refused, and runs that ended in any other way.

"""


if __name__ == "__main__":
    main()
