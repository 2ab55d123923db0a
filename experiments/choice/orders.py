#!/usr/bin/env python3
"""Whether an order of classes should be chosen along with alpha, on tables that no comparison with other learners uses.

    experiments/choice/orders.py measure SUITE     writes orders.csv, a row at once for each part
    experiments/choice/orders.py summary           prints what each way of choosing comes to

As run.py, for tables of several classes with at most 400 rows: sets without an order, with the rarest class first and
with the most frequent one first, at the alphas of the default grid. What is tested on the outer fold was learned at each
alpha within two seconds. Needs minrule's Python package.
"""

import argparse
import csv
import itertools
import json
import math
import sys
from pathlib import Path

import numpy as np
from run import FOLDS, REPEATS, SEED, TEST

SCORES = Path(__file__).parent / "orders.csv"
FIELDS = "table classes outer order repeat inner accuracy size".split()
TABLES = "cars ecoli lymphography new-thyroid tae cloud".split()
ORDERS = ["none", "rarest", "frequent"]


def measure(args: argparse.Namespace) -> None:
    import pandas as pd
    from sklearn.model_selection import StratifiedKFold

    done = {(row["table"], row["outer"], row["order"]) for row in rows()} if SCORES.exists() else set()
    if not SCORES.exists():
        SCORES.write_text(",".join(FIELDS) + "\n")
    for table in (f"{folder}/{name}" for folder in ("r4", "r3") for name in TABLES):
        data = pd.read_csv(args.suite / f"{table}_train1.csv.gz")
        X, y = data.iloc[:, :-1], data.iloc[:, -1].astype(str)
        outer = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
        for place, (train, test) in enumerate(outer.split(X, y)):
            for order in (order for order in ORDERS if (table, str(place), order) not in done):
                with SCORES.open("a") as out:
                    writer = csv.writer(out, lineterminator="\n")
                    for repeat, inner, accuracy, size in parts(X, y, train, test, order):
                        said = (" ".join(f"{v:.5g}" for v in of) for of in (accuracy, size))
                        writer.writerow([table, y.nunique(), place, order, repeat, inner, *said])
                print(table, place, order, file=sys.stderr)


def parts(X, y, train, test, order):
    """What each alpha comes to: in each inner fold, and on the outer one."""
    from minrule import DecisionSetClassifier, _core

    own, labels = X.iloc[train].reset_index(drop=True), y.iloc[train].reset_index(drop=True)
    model = DecisionSetClassifier(alpha="auto", order=order)
    kept = {}

    def choose(X, y, weight, problem, options, start):
        folds = _core.Folds(problem, options, model._policy(), FOLDS, REPEATS)
        kept["alphas"] = [alpha for alpha, _ in folds.candidates()]
        kept["parts"] = folds.run()
        return {"alpha": "0.5"}, None

    model._choose_alpha = choose
    model.fit(own, labels)
    for part in map(json.loads, kept["parts"]):
        accuracy, size = ([of[name] for of in part["scores"]] for name in ("accuracy", "size"))
        yield part["part"]["repeat"], part["part"]["fold"], accuracy, size
    models = [DecisionSetClassifier(alpha=float(a), order=order, time_limit=2) for a in kept["alphas"]]
    models = [model.fit(own, labels) for model in models]
    yield TEST, "", [model.score(X.iloc[test], y.iloc[test]) for model in models], [m.size_ for m in models]


def rows() -> list[dict]:
    with SCORES.open() as text:
        return list(csv.DictReader(text))


def place_of(scores: np.ndarray, sizes: np.ndarray, repeats: int, factor: float) -> int:
    """The smallest set within so many standard errors of the difference to the best."""
    behind = scores[:, [int(scores.mean(axis=0).argmax())]] - scores
    error = behind.std(axis=0, ddof=1) / math.sqrt(len(scores) / repeats)
    near = np.flatnonzero(behind.mean(axis=0) <= factor * error + 1e-9)
    return int(near[sizes[near].argmin()])


def each(of_orders: list, repeats: int, factor: float) -> np.ndarray:
    """An alpha for each order, and then the better order."""
    places = [place_of(scores, sizes, repeats, factor) for scores, sizes, _ in of_orders]
    means = [scores[:, place].mean() for (scores, *_), place in zip(of_orders, places)]
    # Of equals, the first.
    best = int(np.argmax(np.round(means, 9)))
    return of_orders[best][2][places[best]]


def together(of_orders: list, repeats: int, factor: float) -> np.ndarray:
    """The smallest of all sets that are nearly as good as the best, whatever their order."""
    scores, sizes, tests = (np.concatenate(of, axis=axis) for of, axis in zip(zip(*of_orders), (1, 0, 0)))
    return tests[place_of(scores, sizes, repeats, factor)]


def summary(_args: argparse.Namespace) -> None:
    by: dict[tuple, dict] = {}
    for row in rows():
        of = by.setdefault((row["table"], row["outer"]), {}).setdefault(row["order"], {})
        key = TEST if row["repeat"] == TEST else (int(row["repeat"]), int(row["inner"]))
        of[key] = np.array([[float(v) for v in row[name].split()] for name in ("accuracy", "size")])

    def mean(orders: list[str], way, repeats: int, factor: float) -> dict[str, np.ndarray]:
        tables: dict[str, list] = {}
        for (table, _), of in by.items():
            for drawn in itertools.combinations(range(REPEATS), repeats):
                inner = [[o[k] for k in sorted(k for k in o if k != TEST and k[0] in drawn)] for o in map(of.get, orders)]
                arrays = [np.array(parts) for parts in inner]
                of_orders = [(a[:, 0], a[:, 1].mean(axis=0), of[o][TEST].T) for a, o in zip(arrays, orders)]
                tables.setdefault(table, []).append(way(of_orders, repeats, factor))
        return {table: np.mean(values, axis=0) for table, values in tables.items()}

    print("| orders | choice | repeats | test | difference to none, and its standard error | size |")
    print("|---|---|--:|--:|--:|--:|")
    for orders, way in [(["none"], each), (["rarest"], each), (["frequent"], each), (["none", "rarest"], each),
                        (["none", "rarest"], together), (ORDERS, each), (ORDERS, together)]:
        for name, factor in (("one-se", 1), ("best", 0)):
            for repeats in (1, REPEATS):
                means, none = mean(orders, way, repeats, factor), mean(["none"], each, repeats, factor)
                gains = np.array([100 * (means[table][0] - none[table][0]) for table in means])
                test, size = np.mean(list(means.values()), axis=0)
                error = gains.std(ddof=1) / math.sqrt(len(gains))
                words = " or ".join(orders) + (", together" if way is together else "")
                print(f"| {words} | {name} | {repeats} | {100 * test:.2f} % | {gains.mean():+.2f} ({error:.2f}) | {size:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    of_measure = commands.add_parser("measure")
    of_measure.add_argument("suite", type=Path)
    of_measure.set_defaults(run=measure)
    commands.add_parser("summary").set_defaults(run=summary)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
