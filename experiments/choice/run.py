#!/usr/bin/env python3
"""How alpha should be chosen, tried on tables that no comparison with other learners uses.

    experiments/choice/run.py measure SUITE     writes scores.csv, a row at once for each part
    experiments/choice/run.py summary           prints what each way of choosing comes to

Each table is cut into five outer folds. Of the rows of the other four, five inner folds, drawn three times, say what each
alpha of the default grid comes to on rows not seen; and the sets learned from all of them are tested on the outer fold,
at each alpha. Every way of choosing can then be judged without learning again. Needs minrule's Python package.
"""

import argparse
import csv
import json
import math
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SCORES = HERE / "scores.csv"
FIELDS = "table classes outer repeat inner accuracy size".split()
REPEATS, FOLDS, SEED = 3, 5, 1
#: Data sets of the suite with at most 5,000 rows that ../comparison does not use under any name.
TABLES = """australian auto biomed bupa cars cloud compas contraceptive ecoli heart-h hepatitis house-votes-84 irish
lymphography mouse new-thyroid postoperative-patient-data schizo tae titanic""".split()
TEST = "test"


def measure(suite: Path, intervals: str) -> None:
    import pandas as pd
    from sklearn.model_selection import StratifiedKFold

    done = {(r["table"], r["outer"]) for r in rows()} if SCORES.exists() else set()
    if not SCORES.exists():
        SCORES.write_text(",".join(FIELDS) + "\n")
    for name in TABLES:
        table = f"{intervals}/{name}"
        data = pd.read_csv(suite / f"{table}_train1.csv.gz")
        X, y = data.iloc[:, :-1], data.iloc[:, -1].astype(str)
        outer = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(X, y)
        for place, (train, test) in enumerate(outer):
            if (table, str(place)) in done:
                continue
            with SCORES.open("a") as out:
                writer = csv.writer(out, lineterminator="\n")
                for repeat, inner, accuracy, size in parts(X, y, train, test):
                    said = (" ".join(f"{v:.5g}" for v in of) for of in (accuracy, size))
                    writer.writerow([table, y.nunique(), place, repeat, inner, *said])
            print(table, place, file=sys.stderr)


def parts(X, y, train, test):
    """What each alpha comes to: in each inner fold, and on the outer one."""
    from minrule import DecisionSetClassifier, _core

    X_train, y_train = X.iloc[train].reset_index(drop=True), y.iloc[train].reset_index(drop=True)
    model = DecisionSetClassifier(alpha="auto", order="none")
    kept = {}

    def choose(X, y, weight, problem, options, start):
        folds = _core.Folds(problem, options, model._policy(), FOLDS, REPEATS)
        kept["alphas"], kept["parts"] = [alpha for alpha, _ in folds.candidates()], folds.run()
        return {"alpha": "0.5"}, None

    model._choose_alpha = choose
    model.fit(X_train, y_train)
    for part in map(json.loads, kept["parts"]):
        accuracy = [of["accuracy"] for of in part["scores"]]
        yield part["part"]["repeat"], part["part"]["fold"], accuracy, [of["size"] for of in part["scores"]]
    shares = [float(alpha) for alpha in kept["alphas"]]
    begun = model._read_for_curve(X_train, y_train, None, shares[-1], time.monotonic())
    reader, problem, options = begun
    # Somebody who watches stands for a fold, whose work is limited.
    curve = reader._points(reader._follow(problem, options, None, watch=lambda _done: None), problem)
    points = [curve.at(share) for share in shares]
    tested = {id(point): point.model.score(X.iloc[test], y.iloc[test]) for point in points}
    accuracy, size = [tested[id(point)] for point in points], [point.size for point in points]
    yield TEST, "", accuracy, size


def rows():
    with SCORES.open() as text:
        return list(csv.DictReader(text))


def one_se(factor):
    def choose(scores):
        mean = scores.mean(axis=0)
        best = int(mean.argmax())
        se = scores[:, best].std(ddof=1) / math.sqrt(FOLDS)
        return int(np.argmax(mean >= mean[best] - factor * se - 1e-9))
    return choose


def paired(factor):
    """Within so many standard errors of the difference to the best, fold by fold."""
    def choose(scores):
        mean = scores.mean(axis=0)
        best = int(mean.argmax())
        difference = scores[:, [best]] - scores
        se = difference.std(axis=0, ddof=1) / math.sqrt(FOLDS)
        return int(np.argmax(difference.mean(axis=0) <= factor * se + 1e-9))
    return choose


WAYS = {
    "best": one_se(0),
    "half a standard error": one_se(0.5),
    "one standard error": one_se(1),
    "one standard error of the difference": paired(1),
    "half of the difference": paired(0.5),
}


def summary(_args=None) -> None:
    by: dict[tuple, dict] = {}
    for row in rows():
        of = by.setdefault((row["table"], row["outer"]), {"inner": {}, "classes": int(row["classes"])})
        values = np.array([float(v) for v in row["accuracy"].split()])
        if row["repeat"] == TEST:
            of["test"], of["size"] = values, np.array([float(v) for v in row["size"].split()])
        else:
            of["inner"].setdefault(int(row["repeat"]), []).append(values)
    print("| tables | repeats | choice | test | size |\n|---|--:|---|--:|--:|")
    for which, fits in (("two classes", lambda n: n == 2), ("several", lambda n: n > 2)):
        of_kind = {key: of for key, of in by.items() if "test" in of and fits(of["classes"])}
        for repeats in (1, REPEATS):
            for name, way in WAYS.items():
                tables: dict[str, list] = {}
                for (table, _), of in of_kind.items():
                    place = way(np.array(sum((of["inner"][r] for r in range(repeats)), [])))
                    tables.setdefault(table, []).append((of["test"][place], of["size"][place]))
                test, size = np.mean([np.mean(values, axis=0) for values in tables.values()], axis=0)
                print(f"| {which} ({len(tables)}) | {repeats} | {name} | {100 * test:.2f} % | {size:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    of_measure = commands.add_parser("measure")
    of_measure.add_argument("suite", type=Path)
    of_measure.add_argument("--intervals", default="r4", help="which of the suite's folders")
    of_measure.set_defaults(run=lambda args: measure(args.suite, args.intervals))
    commands.add_parser("summary").set_defaults(run=summary)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
