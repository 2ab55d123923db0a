"""Twenty tables of numbers: scikit-learn's, those of ../comparison, and more with thresholds that are known. And twenty
that other people collected, by which nothing was chosen."""

import pathlib
import sys

import numpy as np
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "comparison"))
import data  # noqa: E402
import planted  # noqa: E402
import real  # noqa: E402

BUNDLED = ["iris", "wine", "breast_cancer", "digits"]
SHARED = "rules-0 rules-5 rules-10 several-10 missing irrelevant rare either linear moons blobs".split()


def integers(random, rows):
    """Whole numbers: ages, counts, marks."""
    X = pd.DataFrame({"age": random.integers(18, 91, rows), "visits": random.poisson(3, rows),
                      "mark": random.integers(1, 7, rows), "days": random.integers(0, 366, rows),
                      "floor": random.integers(0, 6, rows)})
    yes = ((X.age >= 65) & (X.visits >= 3)) | ((X.mark <= 2) & (X.days > 90)) | (X.visits >= 7)
    return X, np.where(yes, "yes", "no")


def skewed(random, rows):
    """Sums of money, whose thresholds are far out."""
    X = pd.DataFrame({f"m{i}": random.lognormal(3 + i % 3, 1.2, rows).round(1) for i in range(6)})
    yes = (X.m0 > 90) | ((X.m1 > 250) & (X.m2 <= 60)) | ((X.m3 <= 4) & (X.m4 > 20))
    return X, np.where(yes, "yes", "no")


def many(random, rows):
    """Forty columns, three of which matter."""
    X = pd.DataFrame({f"n{i}": random.normal(0, 1, rows).round(3) for i in range(40)})
    yes = ((X.n3 > 0.5) & (X.n17 <= 0.8)) | ((X.n17 <= -0.4) & (X.n29 > 0))
    return X, np.where(yes, "yes", "no")


def bands(random, rows):
    """Five classes by bands of one number, shifted by another."""
    X = pd.DataFrame({f"x{i}": random.uniform(0, 100, rows).round(1) for i in range(5)})
    band = np.digitize(X.x0, [18, 37, 61, 84])
    band = np.where(X.x1 > 70, (band + 1) % 5, band)
    return X, np.array(list("abcde"))[band]


def island(random, rows):
    """Inside a box of three numbers, which takes two thresholds of each."""
    X = pd.DataFrame({f"x{i}": random.uniform(0, 10, rows).round(2) for i in range(6)})
    yes = X.x0.between(2, 7) & X.x1.between(3.5, 9) & X.x2.between(1, 6.5)
    return X, np.where(yes, "in", "out")


OWN = {
    "integers": (integers, 0.05, 0, "three rules over ages, counts and marks"),
    "skewed": (skewed, 0.05, 0, "three rules over sums of money"),
    "many": (many, 0.10, 0, "two rules over three of forty columns"),
    "bands": (bands, 0.05, 0, "five classes by bands of one number, shifted by another"),
    "island": (island, 0.05, 0.05, "inside a box of three numbers"),
}
NAMES = BUNDLED + SHARED + list(OWN)
COLLECTED = [f"real/{name}" for name in real.NAMES]


def load(name):
    """X and y; and more rows with their true classes, if these are known."""
    if name in COLLECTED:
        return data.load(name)
    if name in BUNDLED:
        return data.bundled(name)
    planted.TABLES |= OWN
    return data.Table(*planted.make(name))


def write(name, folder):
    """The table as a file, and the true rows as another."""
    table = load(name)
    path = folder / f"{name.replace('/', '-')}.csv"
    table.X.assign(**{"class": np.asarray(table.y)}).to_csv(path, index=False)
    if table.X_true is None:
        return path, None
    true = folder / f"{name}-true.csv"
    table.X_true.assign(**{"class": table.y_true}).to_csv(true, index=False)
    return path, true


assert len(NAMES) == len(COLLECTED) == 20
