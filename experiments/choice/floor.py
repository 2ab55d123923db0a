#!/usr/bin/env python3
"""How far down alphas should be tried, on tables that no comparison with other learners uses.

    experiments/choice/floor.py measure SUITE     writes floor.csv, a row at once for each part
    experiments/choice/floor.py summary           prints what each smallest alpha comes to

As run.py, but with alphas down to a tenth of a row, and with one set of inner folds (scikit-learn's). Needs minrule's
Python package.
"""

import argparse
import csv
import sys
import time
from pathlib import Path

import numpy as np
from run import FOLDS, SEED, TABLES, TEST, WAYS

FLOOR = Path(__file__).parent / "floor.csv"
FIELDS = "table classes rows outer inner accuracy size".split()
#: The default grid, as shares of the rows.
ALPHAS = [g / 10_000 for g in (2000, 1500, 1000, 700, 500, 400, 300, 250, 200, 150, 120, 100, 80, 60, 50, 40, 30, 20, 15, 10)]
LEAST = 0.1
FLOORS = [0.5, 0.3, 0.2, 0.1]


def measure(args: argparse.Namespace) -> None:
    import pandas as pd
    from sklearn.model_selection import StratifiedKFold

    done = {row["table"] for row in rows()} if FLOOR.exists() else set()
    if not FLOOR.exists():
        FLOOR.write_text(",".join(FIELDS) + "\n")
    for name in TABLES:
        table = f"r4/{name}"
        if table in done:
            continue
        data = pd.read_csv(args.suite / f"{table}_train1.csv.gz")
        X, y = data.iloc[:, :-1], data.iloc[:, -1].astype(str)
        outer = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
        for place, (train, test) in enumerate(outer.split(X, y)):
            own, labels = X.iloc[train].reset_index(drop=True), y.iloc[train].reset_index(drop=True)
            inner = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(own, labels)
            parts = [(fold, scores(own, labels, *split)) for fold, split in enumerate(inner)]
            with FLOOR.open("a") as out:
                writer = csv.writer(out, lineterminator="\n")
                for fold, of in [*parts, (TEST, scores(X, y, train, test))]:
                    said = (" ".join(f"{v:.5g}" for v in values) for values in zip(*of, strict=True))
                    writer.writerow([table, y.nunique(), len(train), place, fold, *said])
        print(table, file=sys.stderr)


def scores(X, y, train, test) -> list[tuple[float, int]]:
    """Accuracy on rows not seen, and size, at each alpha."""
    from minrule import DecisionSetClassifier

    alphas = [alpha for alpha in ALPHAS if alpha * len(train) >= LEAST]
    own, labels = X.iloc[train].reset_index(drop=True), y.iloc[train].reset_index(drop=True)
    begun = DecisionSetClassifier()._read_for_curve(own, labels, None, alphas[-1], time.monotonic())
    reader, problem, options = begun
    # Somebody who watches stands for a fold, whose work is limited.
    curve = reader._points(reader._follow(problem, options, None, watch=lambda _done: None), problem)
    points = [curve.at(alpha) for alpha in alphas]
    known = {id(point): (point.model.score(X.iloc[test], y.iloc[test]), point.size) for point in points}
    return [known[id(point)] for point in points]


def rows() -> list[dict]:
    with FLOOR.open() as text:
        return list(csv.DictReader(text))


def summary(_args: argparse.Namespace) -> None:
    by: dict[tuple, dict] = {}
    for row in rows():
        of = by.setdefault((row["table"], row["outer"]), {"inner": [], "classes": int(row["classes"]), "rows": int(row["rows"])})
        accuracy = [float(v) for v in row["accuracy"].split()]
        if row["inner"] == TEST:
            of["test"], of["size"] = accuracy, [float(v) for v in row["size"].split()]
        else:
            of["inner"].append(accuracy)
    print("| tables | smallest alpha | choice | test | size |\n|---|--:|---|--:|--:|")
    for which, fits in (("two classes", lambda n: n == 2), ("several", lambda n: n > 2)):
        for name in ("best", "one standard error of the difference"):
            for floor in FLOORS:
                tables: dict[str, list] = {}
                for (table, _), of in by.items():
                    if not fits(of["classes"]):
                        continue
                    inner = of["rows"] * (FOLDS - 1) / FOLDS
                    tried = max(1, sum(alpha * inner >= floor for alpha in ALPHAS))
                    tried = min([tried, len(of["test"]), *map(len, of["inner"])])
                    place = WAYS[name](np.array([accuracy[:tried] for accuracy in of["inner"]]))
                    tables.setdefault(table, []).append((of["test"][place], of["size"][place]))
                test, size = np.mean([np.mean(values, axis=0) for values in tables.values()], axis=0)
                print(f"| {which} ({len(tables)}) | {floor} rows | {name} | {100 * test:.2f} % | {size:.1f} |")


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
