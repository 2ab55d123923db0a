#!/usr/bin/env python3
"""Installs the wheel into empty environments and measures what a new user meets.

    tools/wheel
    experiments/python/fresh.py [PYTHON ...] > experiments/python/RESULTS.md

One environment for each interpreter given; the one that runs this if none is. In each: the size of the
wheel, the time to import, and fits (with thresholds) of iris, of a table like zoo and of 100,000 rows. Imports are the
fastest of five; fits are run once. Needs only Python's standard library.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

IMPORT = """
import subprocess, sys, time
def seconds(code):
    def once():
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - start
    return min(once() for _ in range(5))
bare = seconds("pass")
import json
print(json.dumps({name: seconds(code) - bare for name, code in {
    "import minrule": "import minrule",
    "from minrule import DecisionSetClassifier": "from minrule import DecisionSetClassifier",
    "import sklearn.base": "import sklearn.base",
}.items()}))
"""

FIT = """
import json, time, warnings
import numpy as np
from sklearn.datasets import load_iris
from minrule import DecisionSetClassifier
warnings.simplefilter("ignore")

def zoo():
    # Animals: 15 Boolean columns and a number of legs; seven kinds that some of them decide.
    random = np.random.RandomState(0)
    kind = random.randint(0, 7, 101)
    typical = random.randint(0, 2, (7, 15))
    X = np.where(random.rand(101, 15) < 0.04, 1 - typical[kind], typical[kind])
    legs = np.array([4, 2, 0, 0, 4, 6, 8])[kind]
    return np.column_stack([X, legs]), np.array(list("abcdefg"))[kind]

def rows():
    random = np.random.RandomState(0)
    X = random.rand(100_000, 20)
    return X, np.where(X[:, 0] > 0.5, "high", np.where((X[:, 1] > 0.25) & (X[:, 2] < 0.5), "middle", "low"))

out = {}
for name, (X, y) in {"iris": load_iris(return_X_y=True), "like zoo": zoo(), "100,000 x 20": rows()}.items():
    start = time.perf_counter()
    model = DecisionSetClassifier(numeric="thresholds", n_jobs=-1, time_limit=60).fit(X, y)
    fit = time.perf_counter() - start
    start = time.perf_counter()
    right = (model.predict(X) == y).mean()
    out[name] = [*X.shape, len(model.classes_), model.status_, model.n_rules_, model.size_, right, fit,
                 time.perf_counter() - start]
print(json.dumps(out))
"""


def main():
    wheel = max((ROOT / "target" / "wheels").glob("minrule-*.whl"))
    print("# A new user's first minute\n\nWritten by `fresh.py`.\n")
    print(f"The wheel `{wheel.name}` has {wheel.stat().st_size / 1e6:.2f} MB.")
    for python in sys.argv[1:] or [sys.executable]:
        with tempfile.TemporaryDirectory() as folder:
            environment = pathlib.Path(folder) / "environment"
            subprocess.run([python, "-m", "venv", environment], check=True)
            inside = environment / "bin" / "python"

            def run(code):
                done = subprocess.run([inside, "-c", code], check=True, capture_output=True, text=True, cwd=folder)
                return json.loads(done.stdout)

            subprocess.run([inside, "-m", "pip", "install", "--quiet", wheel], check=True)
            version = subprocess.run([inside, "--version"], capture_output=True, text=True).stdout.strip()
            learn = subprocess.run(
                [inside, "-c", "import sklearn; print(sklearn.__version__)"], capture_output=True, text=True
            ).stdout.strip()
            report(version, learn, run(IMPORT), run(FIT))


def report(version, learn, imports, fits):
    print(f"\n## {version}, scikit-learn {learn}\n")
    print("| import | milliseconds more than `pass` |\n|---|--:|")
    for name, seconds in imports.items():
        print(f"| `{name}` | {1000 * seconds:.0f} |")
    print("\n| table | rows | columns | classes | status | rules | size | agrees with | fit, s | predict, s |")
    print("|---|--:|--:|--:|---|--:|--:|--:|--:|--:|")
    for name, (rows, columns, classes, status, rules, size, right, fit, predict) in fits.items():
        print(
            f"| {name} | {rows:,} | {columns} | {classes} | {status} | {rules} | {size} | {right:.2%} "
            f"| {fit:.2f} | {predict:.3f} |"
        )


if __name__ == "__main__":
    main()
