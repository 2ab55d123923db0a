"""The tables of the comparison by name: of the suite, of scikit-learn and other packages, and made here."""

import collections
import pathlib
import sys

import pandas as pd
from sklearn import datasets

import planted
import real

HERE = pathlib.Path(__file__).resolve().parent
SUITE = HERE.parents[1] / ".." / "shared" / "suite"
# Small, and known to everybody.
EXAMPLE = "r3/iris_train1.csv.gz"
BUNDLED = {"iris": datasets.load_iris, "wine": datasets.load_wine, "breast_cancer": datasets.load_breast_cancer,
           "digits": datasets.load_digits}
# So many rows of digits, the first of each class: with all of them, few methods would end within the limit.
DIGITS = 500
# Some of the real tables; the others are for ../cuts alone.
REAL = real.NAMES[:11] + ["heart-c"]

# X and y; and more rows with their true classes, if these are known.
Table = collections.namedtuple("Table", "X y X_true y_true")


def names():
    """Every table: 0/1 ones first."""
    suite = [line for line in (HERE / "tables.txt").read_text().split("\n") if line and not line.startswith("#")]
    raw = {"sklearn": BUNDLED, "real": REAL, "made": planted.TABLES}
    return suite + [f"{folder}/{name}" for folder, tables in raw.items() for name in tables]


def is_raw(name):
    return name.startswith(("sklearn/", "real/", "made/"))


def load(name, suite=SUITE):
    folder, short = name.split("/")
    if folder == "sklearn":
        return bundled(short)
    if folder == "real":
        X, y = real.load(short)
        return Table(X, y, None, None)
    if folder == "made":
        return Table(*planted.make(short))
    table = pd.read_csv(suite / name)
    X, y = table.iloc[:, :-1], table.iloc[:, -1].astype(str)
    # What counts as a literal would differ between methods if it were not so.
    if not X.isin([0, 1]).all(axis=None):
        sys.exit(f"{name}: not all columns are 0/1")
    return Table(X, y, None, None)


def bundled(name):
    X, y = BUNDLED[name](as_frame=True, return_X_y=True)
    if name == "digits":
        kept = y.groupby(y).head(DIGITS // y.nunique()).index
        X, y = X.loc[kept].reset_index(drop=True), y.loc[kept].reset_index(drop=True)
    return Table(X, y.astype(str), None, None)
