#!/usr/bin/env python3
"""Cross-validates rule and tree learners on the same folds of the same tables.

    experiments/comparison/run.py [--suite ../shared/suite] [--methods ripper,figs] [--limit 60]

Appends one line a (table, fold, method) to results.csv. What is there is not run again, so it can be
interrupted and continued. Each run is a child process of its own: one that fails is a line with the
first line of the error, one that hangs is a line that says "timeout". At the end every method also
learns from one small table as a whole, and its rules go to example.json.
"""

import argparse
import csv
import importlib.metadata
import json
import math
import multiprocessing
import os
import pathlib
import resource
import signal
import sys
import time
import warnings

# One core for every method; and Python's sets in the same order each time, on which wittgenstein depends.
FIXED = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
if any(os.environ.get(name) != value for name, value in FIXED.items()):
    os.environ.update(FIXED)
    os.execv(sys.executable, [sys.executable] + sys.argv)

import numpy as np
from sklearn.model_selection import StratifiedKFold

import data
from literals import Universe
from methods import METHODS, SEED, OptimalTree

HERE = pathlib.Path(__file__).resolve().parent
FOLDS = 5
PATIENCE = 5
# What is said to be less likely than this counts as this likely in the log loss, of every method.
LEAST = 1e-3
KEY = ["table", "fold", "method"]
FIELDS = KEY + [
    "version", "limit", "stop", "rows", "columns", "classes", "status", "detail", "alpha", "rules", "literals", "size",
    "train_accuracy", "accuracy", "balanced_accuracy", "log_loss", "true_accuracy", "seconds", "tests",
]
PACKAGES = {"scikit-learn": ["sklearn.tree", "sklearn.model_selection"], "interpret-core": ["interpret.glassbox"],
            "aix360": ["cvxpy", "aix360.algorithms.rbm"]}


def main():
    args = arguments()
    warnings.filterwarnings("ignore")
    done = finished(args.output, args.retry)
    todo = [(table, fold, name) for table in args.tables for fold in range(FOLDS) for name in args.methods
            if (table, str(fold), name) not in done]
    print(f"{len(args.tables) * FOLDS * len(args.methods)} runs, {len(todo)} to do", file=sys.stderr)
    warm_up({name for _, _, name in todo})
    loaded, start = None, time.time()
    for count, (name, fold, method) in enumerate(todo, 1):
        if loaded != name:
            table, loaded = data.load(name, args.suite), name
            parts, universe = folds(table), Universe(table.X)
        row = {"table": name, "fold": fold, "rows": len(table.X), "columns": table.X.shape[1],
               "classes": table.y.nunique()}
        row.update(run(method, table, universe, *parts[fold], args.limit, args.stop))
        row.pop("words", None)
        append(args.output, row)
        left = (time.time() - start) / count * (len(todo) - count) / 60
        print(f"{count}/{len(todo)} {name} fold {fold} {method}: {row['status']} {row.get('detail', '')}"
              f" size {row.get('size', '')}; about {left:.0f} min left", file=sys.stderr)
    example(args)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", type=pathlib.Path, default=data.SUITE, help="the folder of the suite's tables")
    parser.add_argument("--tables", default=",".join(data.names()), help="which tables, with commas between")
    parser.add_argument("--methods", default=",".join(METHODS), help="which methods, with commas between")
    parser.add_argument("--limit", type=float, default=60, help="seconds of computing for each run")
    parser.add_argument("--stop", type=float, default=10, help="seconds after which a method that can stop by"
                        " itself, with the best it has, is told to")
    parser.add_argument("--retry", action="store_true", help="repeat runs that ended in an error or a timeout")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=HERE / "results.csv")
    parser.add_argument("--example", type=pathlib.Path, default=HERE / "example.json")
    args = parser.parse_args()
    args.methods, args.tables = args.methods.split(","), args.tables.split(",")
    for what, given, known in [("method", args.methods, METHODS), ("table", args.tables, data.names())]:
        unknown = set(given) - set(known)
        if unknown:
            parser.error(f"no such {what}: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return args


def folds(table):
    """The same for every method. The rows of a class with fewer than five of them go to as many folds;
    in the others it does not occur. A test row whose class is not in the training rows is an error."""
    return list(StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(table.X, table.y))


def warm_up(names):
    """Loads what the children will need: they are forks of this process, and need not load it again."""
    for package in {METHODS[name].package for name in names}:
        for module in PACKAGES.get(package, [package]):
            try:
                __import__(module)
            except Exception:
                pass  # The method's own lines will say so.
    if "tree-optimal" in names:
        try:
            OptimalTree.warm_up()
        except Exception:
            pass


def run(name, table, universe, train, test, limit, stop):
    """One method on one fold, in a child process."""
    try:
        version = f"{METHODS[name].package} {importlib.metadata.version(METHODS[name].package)}"
    except importlib.metadata.PackageNotFoundError:
        version = ""
    row = {"method": name, "version": version, "limit": f"{limit:g}", "stop": f"{stop:g}"}
    fork = multiprocessing.get_context("fork")
    receiver, sender = fork.Pipe(duplex=False)
    child = fork.Process(target=work, args=(sender, limit, name, table, universe, train, test, stop))
    child.start()
    sender.close()
    # The limit is on computing; one that only waits gets no longer than this.
    if not receiver.poll(PATIENCE * limit):
        row["status"] = "timeout"
        child.kill()
    else:
        try:
            row.update(receiver.recv())
        except EOFError:
            child.join()
            late = child.exitcode == -signal.SIGXCPU
            row.update({"status": "timeout"} if late else
                       {"status": "error", "detail": f"died with exit code {child.exitcode}"})
    child.join()
    return row


def work(sender, limit, *job):
    """Runs in the child. Libraries may print what they like: nobody reads it."""
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 5))
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    # Limits that libraries of Python keep by the clock are on computing, too: the machine may have other work.
    time.time = time.monotonic = time.perf_counter = time.process_time
    np.random.seed(SEED)  # Some learners of imodels draw from the global generator.
    try:
        sender.send(measure(*job))
    except BaseException as error:  # A panic of a Rust library is not an `Exception`.
        first_line = f"{type(error).__name__}: {error}".split("\n")[0]
        sender.send({"status": "error", "detail": first_line[:100]})


def measure(name, table, universe, train, test, seconds):
    X, y = table.X.iloc[train].reset_index(drop=True), table.y.iloc[train].reset_index(drop=True)
    method = METHODS[name].make(seconds)
    start = time.process_time()
    method.fit(X, y, universe.numbers)
    took = time.process_time() - start + getattr(method, "seconds_before", 0)
    row = {"status": "ok", "detail": getattr(method, "detail", ""), "seconds": f"{took:.4f}"}
    row.update(scores(method, X, y, "train_", ["accuracy"]))
    row.update(scores(method, table.X.iloc[test].reset_index(drop=True), table.y.iloc[test]))
    if table.X_true is not None:
        row.update(scores(method, table.X_true, table.y_true, "true_", ["accuracy"]))
    if getattr(method, "alpha", None) is not None:
        row["alpha"] = f"{method.alpha:.5g}"
    rules = method.rules()
    if rules is not None:
        # What holds where no rule does ("else", a constant) is not counted, of any method.
        counted = [conditions for conditions, _ in rules if conditions]
        literals = sum(len(conditions) for conditions in counted)
        row.update(rules=len(counted), literals=literals, size=len(counted) + literals, tests=universe.bits(rules),
                   words=[([str(literal) for literal in conditions], outcome) for conditions, outcome in rules])
    return row


def scores(method, X, y, prefix="", wanted=("accuracy", "balanced_accuracy", "log_loss")):
    y, said = np.asarray(y), np.asarray(method.predict(X))
    found = {"accuracy": np.mean(said == y)}
    if "log_loss" in wanted:
        found["balanced_accuracy"] = np.mean([np.mean(said[y == c] == c) for c in np.unique(y)])
        found["log_loss"] = log_loss(np.asarray(method.chances(X)), list(method.classes), y)
    return {f"{prefix}{name}": f"{found[name]:.5f}" for name in wanted}


def log_loss(chances, classes, y):
    """A class that the training rows did not have is as unlikely as anything can be."""
    chances = np.clip(np.nan_to_num(chances), LEAST, 1)
    chances = chances / chances.sum(axis=1, keepdims=True)
    places = np.array([classes.index(c) if c in classes else -1 for c in y])
    return -np.mean(np.log(np.where(places < 0, LEAST, chances[np.arange(len(y)), places])))


def finished(output, retry):
    """The runs that the CSV holds; with `retry`, failed ones are taken out of it first."""
    if not output.exists():
        return set()
    with output.open(newline="") as file:
        rows = list(csv.DictReader(file))
    if retry:
        rows = [row for row in rows if row["status"] == "ok"]
        output.unlink()
        for row in rows:
            append(output, row)
    return {tuple(row[field] for field in KEY) for row in rows}


def append(output, row):
    new = not output.exists()
    with output.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


def example(args):
    """Every method's rules for one table, learned from all of its rows."""
    known = json.loads(args.example.read_text())["methods"] if args.example.exists() else {}
    table = data.load(data.EXAMPLE, args.suite)
    everything = np.arange(len(table.X))
    for name in args.methods:
        if known.get(name, {}).get("status") != "ok":
            known[name] = run(name, table, Universe(table.X), everything, everything, args.limit, args.stop)
    known = {name: known[name] for name in METHODS if name in known}
    content = {"table": data.EXAMPLE, "target": table.y.name, "rows": len(table.X), "columns": table.X.shape[1],
               "classes": sorted(table.y.unique()), "methods": known}
    args.example.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
