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
import multiprocessing
import os
import pathlib
import sys
import time
import warnings

# One core for every method; and Python's sets in the same order each time, on which wittgenstein depends.
FIXED = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
if any(os.environ.get(name) != value for name, value in FIXED.items()):
    os.environ.update(FIXED)
    os.execv(sys.executable, [sys.executable] + sys.argv)

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from methods import METHODS, SEED, OptimalTree

HERE = pathlib.Path(__file__).resolve().parent
SUITE = HERE.parents[1] / ".." / "shared" / "suite"
# Small, and known to everybody.
EXAMPLE = "r3/iris_train1.csv.gz"
FOLDS = 5
KEY = ["table", "fold", "method"]
FIELDS = KEY + [
    "version", "limit", "rows", "columns", "classes", "status", "detail", "rules", "literals", "size",
    "lower_bound", "train_accuracy", "test_accuracy", "seconds",
]


def main():
    args = arguments()
    warnings.filterwarnings("ignore")
    done = finished(args.output, args.retry)
    tables = [line for line in args.tables.read_text().split("\n") if line and not line.startswith("#")]
    todo = [(table, fold, name) for table in tables for fold in range(FOLDS) for name in args.methods
            if (table, str(fold), name) not in done]
    print(f"{len(tables) * FOLDS * len(args.methods)} runs, {len(todo)} to do", file=sys.stderr)
    warm_up({name for _, _, name in todo})
    loaded, start = None, time.time()
    for count, (table, fold, name) in enumerate(todo, 1):
        if loaded != table:
            X, y = read(args.suite / table)
            parts, loaded = folds(X, y), table
        row = {"table": table, "fold": fold, "rows": len(X), "columns": X.shape[1], "classes": y.nunique()}
        row.update(run(name, X, y, *parts[fold], args.limit))
        row.pop("words", None)
        append(args.output, row)
        left = (time.time() - start) / count * (len(todo) - count) / 60
        print(f"{count}/{len(todo)} {table} fold {fold} {name}: {row['status']} {row.get('detail', '')}"
              f" size {row.get('size', '')}; about {left:.0f} min left", file=sys.stderr)
    example(args)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", type=pathlib.Path, default=SUITE, help="the folder of tables")
    parser.add_argument("--tables", type=pathlib.Path, default=HERE / "tables.txt", help="which of them")
    parser.add_argument("--methods", default=",".join(METHODS), help="which methods, with commas between")
    parser.add_argument("--limit", type=float, default=60, help="seconds for each run; a method that can stop"
                        " by itself with the best it has gets half of them")
    parser.add_argument("--retry", action="store_true", help="repeat runs that ended in an error or a timeout")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=HERE / "results.csv")
    parser.add_argument("--example", type=pathlib.Path, default=HERE / "example.json")
    args = parser.parse_args()
    args.methods = args.methods.split(",")
    unknown = set(args.methods) - set(METHODS)
    if unknown:
        parser.error(f"no such method: {', '.join(sorted(unknown))}; there are {', '.join(METHODS)}")
    return args


def read(path):
    """A table of the suite: 0/1 columns, the class last."""
    table = pd.read_csv(path)
    X, y = table.iloc[:, :-1], table.iloc[:, -1].astype(str)
    # What counts as a literal would differ between methods if it were not so.
    if not X.isin([0, 1]).all(axis=None):
        sys.exit(f"{path}: not all columns are 0/1")
    return X, y


def folds(X, y):
    """The same for every method. The rows of a class with fewer than five of them go to as many folds;
    in the others it does not occur. A test row whose class is not in the training rows is an error."""
    return list(StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(X, y))


def warm_up(names):
    """Loads what the children will need: they are forks of this process, and need not load it again."""
    packages = {"scikit-learn": "sklearn.tree"}
    for package in {METHODS[name].package for name in names}:
        try:
            __import__(packages.get(package, package))
        except Exception:
            pass  # The method's own lines will say so.
    if "tree-optimal" in names:
        try:
            OptimalTree.warm_up()
        except Exception:
            pass


def run(name, X, y, train, test, limit):
    """One method on one fold, in a child process."""
    try:
        version = f"{METHODS[name].package} {importlib.metadata.version(METHODS[name].package)}"
    except importlib.metadata.PackageNotFoundError:
        version = ""
    row = {"method": name, "version": version, "limit": f"{limit:g}"}
    fork = multiprocessing.get_context("fork")
    receiver, sender = fork.Pipe(duplex=False)
    child = fork.Process(target=work, args=(sender, name, X, y, train, test, limit / 2))
    child.start()
    sender.close()
    if not receiver.poll(limit):
        row["status"] = "timeout"
        child.kill()
    else:
        try:
            row.update(receiver.recv())
        except EOFError:
            child.join()
            row.update(status="error", detail=f"died with exit code {child.exitcode}")
    child.join()
    return row


def work(sender, name, X, y, train, test, seconds):
    """Runs in the child. Libraries may print what they like: nobody reads it."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    np.random.seed(SEED)  # Some learners of imodels draw from the global generator.
    try:
        sender.send(measure(name, X, y, train, test, seconds))
    except BaseException as error:  # A panic of a Rust library is not an `Exception`.
        first_line = f"{type(error).__name__}: {error}".split("\n")[0]
        sender.send({"status": "error", "detail": first_line})


def measure(name, X, y, train, test, seconds):
    X_train, y_train = X.iloc[train].reset_index(drop=True), y.iloc[train].reset_index(drop=True)
    method = METHODS[name].make(seconds)
    start = time.perf_counter()
    method.fit(X_train, y_train)
    took = time.perf_counter() - start
    rules = method.rules()
    literals = sum(len(conditions) for conditions, _ in rules)

    def accuracy(rows, classes):
        return f"{np.mean(np.asarray(method.predict(rows)) == classes.to_numpy()):.6f}"

    return {
        "status": "ok", "detail": getattr(method, "detail", ""), "rules": len(rules), "literals": literals,
        "size": len(rules) + literals, "lower_bound": getattr(method, "lower_bound", ""),
        "train_accuracy": accuracy(X_train, y_train), "test_accuracy": accuracy(X.iloc[test], y.iloc[test]),
        "seconds": f"{took:.4f}", "words": rules,
    }


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
    X, y = read(args.suite / EXAMPLE)
    everything = np.arange(len(X))
    for name in args.methods:
        if known.get(name, {}).get("status") != "ok":
            known[name] = run(name, X, y, everything, everything, args.limit)
    known = {name: known[name] for name in METHODS if name in known}
    content = {"table": EXAMPLE, "target": y.name, "rows": len(X), "columns": X.shape[1],
               "classes": sorted(y.unique()), "methods": known}
    args.example.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
