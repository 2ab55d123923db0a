#!/usr/bin/env python3
"""Where should numbers be cut?

    experiments/cuts/run.py PROGRAM [--ways A,B] [--modes M,N] [--tables T,U]    adds to cuts.csv, row by row
    experiments/cuts/run.py --summary                                          prints what each way comes to

Runs that cuts.csv has are not repeated. Ways that the program does not offer need one built with ways.patch; it is told
which by the variable MINRULE_CUTS. One thread; seconds are the processor's. Needs scikit-learn and pandas.
"""

import argparse
import csv
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = HERE / "cuts.csv"
FIELDS = "table mode way status size bound rules conflicts cv_accuracy true_accuracy features seconds".split()
WAYS = ("intervals greedy:2 greedy:3 greedy:4 greedy:6 greedy:8 greedy:12 greedy:16 mdl freq:4 bag:4 boost:2 boost:4 boost:6 "
        "boost:8 boost:16 boost:8:60 boost:6::20:3 boost:6::80:3 boost:6::40:2 boost:6::40:4 all default").split()
MODES = {
    "perfect": ["--time-limit", "10"],
    "folds": ["--cross-validate", "5", "--time-limit", "2"],
    "auto": ["--alpha", "auto", "--time-limit", "15"],
    "fixed": ["--alpha", "1%", "--cross-validate", "5", "--time-limit", "2"],
}


def of_way(way):
    """Options, and what the variable says."""
    if way == "intervals":
        return ["--numeric", "intervals"], None
    if way == "default":
        return [], None
    return ["--numeric", "thresholds"], way


def run(program, way, arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    options, variable = of_way(way)
    environment = os.environ | ({"MINRULE_CUTS": variable} if variable else {})
    done = subprocess.run([program, *arguments, *(options if arguments[0] == "learn" else [])], env=environment,
                          capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 10):
        sys.exit(f"{way} {arguments}: {done.returncode}\n{done.stderr}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), seconds


def measure(program, name, mode, way, folder):
    import tables

    table, true = tables.write(name, folder)
    model = folder / "model.json"
    learned, seconds = run(program, way, ["learn", str(table), "--format", "json", "--threads", "1", "--quiet",
                                          "--model", str(model), *MODES[mode]])
    row = {"table": name, "mode": mode, "way": way, "seconds": f"{seconds:.2f}", "status": learned["status"],
           "size": learned["size"], "rules": learned["rules"], "conflicts": learned["conflicts"]["rows_dropped"],
           "bound": learned["lower_bound"], "features": learned["scope"]["conditions"]}
    if "expected" in learned:
        row["cv_accuracy"] = round(learned["expected"]["accuracy"], 5)
    if true:
        row["true_accuracy"] = run(program, way, ["evaluate", str(model), str(true), "--format", "json"])[0]["accuracy"]
    return row


def rows():
    if not RESULTS.exists():
        return []
    with RESULTS.open() as text:
        return list(csv.DictReader(text))


def chosen(given, known):
    return given.split(",") if given else list(known)


def measure_all(args):
    import tables

    done = {(row["table"], row["mode"], row["way"]) for row in rows()}
    if not RESULTS.exists():
        RESULTS.write_text(",".join(FIELDS) + "\n")
    with tempfile.TemporaryDirectory() as folder:
        for mode in chosen(args.modes, MODES):
            for name in chosen(args.tables, tables.NAMES):
                for way in chosen(args.ways, WAYS):
                    if (name, mode, way) in done:
                        continue
                    row = measure(args.program, name, mode, way, pathlib.Path(folder))
                    with RESULTS.open("a") as out:
                        csv.DictWriter(out, FIELDS, lineterminator="\n").writerow(row)


def summary():
    """Means over the tables that all ways of a mode have: those by which the default was chosen, and the others."""
    by = {}
    for row in rows():
        group = "collected by others" if row["table"].startswith("real/") else "tables"
        by.setdefault((row["mode"], group), {}).setdefault(row["way"], {})[row["table"]] = row
    for (mode, group), ways in by.items():
        # Ways of which only some tables are there would leave out the others for all.
        most = max(len(of) for of in ways.values())
        ways = {way: of for way, of in ways.items() if len(of) == most}
        print(f"\n`{mode}`, {most} {group}:\n")
        print("| way | conditions | size | proven | outvoted | 5 folds | true | seconds |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|")
        for way in sorted(ways, key=lambda way: WAYS.index(way) if way in WAYS else len(WAYS)):
            of = list(ways[way].values())

            def mean(key, form, of=of):
                values = [float(row[key]) for row in of if row[key]]
                return form.format(np.mean(values)) if values else ""

            proven = sum(row["status"] == "optimal" for row in of)
            print(f"| `{way}` | {mean('features', '{:.0f}')} | {mean('size', '{:.1f}')} | {proven} | "
                  f"{mean('conflicts', '{:.1f}')} | {mean('cv_accuracy', '{:.1%}')} | "
                  f"{mean('true_accuracy', '{:.1%}')} | {mean('seconds', '{:.2f}')} |")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", nargs="?")
    for what in ("ways", "modes", "tables"):
        arguments.add_argument(f"--{what}")
    arguments.add_argument("--summary", action="store_true")
    args = arguments.parse_args()
    if args.program:
        measure_all(args)
    if args.summary:
        summary()


if __name__ == "__main__":
    main()
