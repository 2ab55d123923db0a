#!/usr/bin/env python3
"""Frames of a million rows: how long Python takes to read them, and whether limits hold meanwhile.

    experiments/frames/run.py --version after [--python PYTHON] [--minrule MINRULE] [CASE ...]

For each kind of column, each in a process of its own: the seconds of `fit` until the search begins; the
seconds from a time limit of 2 s to the end of `fit`, and from Ctrl-C after 2 s; beside them pandas'
`to_csv` and what the command line takes to read that, and polars' own `from_pandas`. Cases that are named
are measured again, all if none is; the others keep their rows. Writes results.csv and, from it, RESULTS.md.
"""

import argparse
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
ROWS, COLUMNS, VALUES = 1_000_000, 30, 20
LIMIT = 2.0
KINDS = ["float", "int", "category", "string", "object", "mixed", "numpy", "polars"]
OURS = ["read_s", "limit_over_s", "limit_end", "ctrl_c_s", "ctrl_c_end"]
THEIRS = ["to_csv_s", "command_line_s", "from_pandas_s"]
FIELDS = ["kind", "version", *OURS, *THEIRS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="CASE", help=", ".join(KINDS))
    parser.add_argument("--version", required=True, help="what the rows are called: before, after")
    parser.add_argument("--python", type=pathlib.Path, default=pathlib.Path(".venv/bin/python"))
    parser.add_argument("--minrule", type=pathlib.Path, default=pathlib.Path("target/release/minrule"))
    parser.add_argument("-o", "--output", type=pathlib.Path, default=HERE / "results.csv")
    args = parser.parse_args()
    results = read(args.output)
    for kind in args.kinds or KINDS:
        row = {"kind": kind, "version": args.version}
        row.update(child(args.python, "reading", kind))
        row.update(child(args.python, "limit", kind))
        row.update(interrupted(args.python, kind))
        if args.version != "before" and kind not in ("numpy", "polars"):
            row.update(others(args, kind))
        results[kind, args.version] = row
        print(*row.values(), sep=" | ", flush=True)
        write(args.output, results)


# ---------------------------------------------------------------------- what is measured


def child(python, task, kind):
    done = subprocess.run([python, __file__, "--child", task, kind], stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def interrupted(python, kind):
    command = [python, __file__, "--child", "interrupted", kind]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "fitting\n"
        time.sleep(LIMIT)
        asked = time.time()
        process.send_signal(signal.SIGINT)
        told = json.loads(process.stdout.read().splitlines()[-1])
    # Below zero: it was done before it was asked.
    return {"ctrl_c_s": f"{told['at'] - asked:.2f}", "ctrl_c_end": told["end"]}


def others(args, kind):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.csv"
        row = child_with(args.python, "others", kind, path)
        command = [args.minrule, "learn", path, "--format", "json", "--quiet", "--time-limit", "60"]
        told = json.loads(subprocess.run(command, stdout=subprocess.PIPE).stdout)
    return {**row, "command_line_s": f"{told['seconds']['read']:.2f}"}


def child_with(python, task, kind, path):
    command = [python, __file__, "--child", task, kind, path]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1])


# ---------------------------------------------------------------------- in the child


def task(name, kind, *path):
    import warnings

    warnings.simplefilter("ignore")
    # Whoever starts this in the background may have Ctrl-C ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if name == "others":
        return compare(kind, *path)
    from minrule import DecisionSetClassifier

    X, y = table(kind)
    if name == "reading":

        class Read(Exception):
            pass

        def stop(*_):
            raise Read

        DecisionSetClassifier._solve = stop
        start = time.monotonic()
        try:
            DecisionSetClassifier().fit(X, y)
        except Read:
            return {"read_s": f"{time.monotonic() - start:.2f}"}
    limit = LIMIT if name == "limit" else None
    model = DecisionSetClassifier(time_limit=limit, n_jobs=-1)
    print("fitting", flush=True)
    start = time.monotonic()
    try:
        end = model.fit(X, y).status_
    except (KeyboardInterrupt, TimeoutError) as error:
        end = type(error).__name__
    if name == "limit":
        return {"limit_over_s": f"{time.monotonic() - start - LIMIT:.2f}", "limit_end": end}
    return {"at": time.time(), "end": end}


def compare(kind, path):
    import polars

    X, y = table(kind)
    start = time.monotonic()
    X.assign(y=y).to_csv(path, index=False)
    written = time.monotonic()
    polars.from_pandas(X)
    seconds = written - start, time.monotonic() - written
    return {"to_csv_s": f"{seconds[0]:.2f}", "from_pandas_s": f"{seconds[1]:.2f}"}


def table(kind):
    """A frame, and labels that follow two columns of it."""
    import numpy as np
    import pandas as pd

    draw = np.random.default_rng(1)

    def numbers():
        return draw.random(ROWS)

    def texts():
        # Objects of their own, as most readers make them, though the texts repeat.
        return pd.Series([f"value {i}" for i in draw.integers(0, VALUES, ROWS)], dtype=object)

    make = {
        "float": numbers,
        "int": lambda: draw.integers(0, 1000, ROWS),
        "category": lambda: pd.Categorical.from_codes(
            draw.integers(0, VALUES, ROWS), [f"value {i}" for i in range(VALUES)]
        ),
        "string": lambda: pd.array(texts(), dtype="string[pyarrow]"),
        "object": texts,
    }
    makers = [make[kind]] if kind in make else [numbers] if kind == "numpy" else [numbers, texts]
    X = pd.DataFrame({f"c{i}": makers[i % len(makers)]() for i in range(COLUMNS)})
    parts = [pd.factorize(X[name], sort=True)[0] for name in ("c0", "c1")]
    half = [part > part.max() // 2 for part in parts]
    y = np.where(half[0] & half[1], "yes", "no").astype(object)
    if kind == "numpy":
        return np.ascontiguousarray(X.to_numpy()), y
    if kind == "polars":
        import polars

        return polars.from_pandas(X), y
    return X, y


# ---------------------------------------------------------------------- on file


def read(path):
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {(row["kind"], row["version"]): row for row in csv.DictReader(file)}


def write(path, results):
    versions = sorted({version for _, version in results}, key=["before", "after"].index)
    rows = [results[kind, v] for kind in KINDS for v in versions if (kind, v) in results]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(rows)
    lines = ["| " + " | ".join(field.replace("_", " ") for field in FIELDS) + " |",
             "|---|---" + "|--:" * (len(FIELDS) - 2) + "|"]
    lines += ["| " + " | ".join(str(row.get(field, "")) for field in FIELDS) + " |" for row in rows]
    path.with_name("RESULTS.md").write_text(HEAD + "\n".join(lines) + "\n")


HEAD = f"""# What came of it

Written by `run.py` from results.csv: {ROWS:,} rows, {COLUMNS} columns, times in seconds. `read` is all that
`fit` does before the search; `limit over` the seconds that `fit(time_limit={LIMIT:g})` took beyond its limit and
how it ended, `ctrl c` those from Ctrl-C to the end (below zero: it had ended before). `to csv` and
`command line` are pandas' and minrule's parts of the way through a file, `from pandas` is polars'
conversion of the same frame.

"""


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        # Only one line of what a child says counts; os._exit spares taking the frame apart.
        print(json.dumps(task(*sys.argv[2:])), flush=True)
        os._exit(0)
    main()
