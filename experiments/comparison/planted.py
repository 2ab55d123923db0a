"""Tables with a truth that is known: rules, or something that rules cannot say, with noise upon it.

Each maker draws columns and says the true class of each row. `make(name)` gives a table whose labels
are noisy, and a larger one of the same kind whose labels are true. Seeds are fixed.
"""

import zlib

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification, make_moons
from sklearn.neighbors import KNeighborsClassifier

TRAINING, TRUE = 500, 5000
COLOURS = ["red", "green", "blue", "white"]
PLACES = ["north", "south", "east", "west", "centre", "coast"]


def columns(random, rows, numbers=6, categories=2):
    """Numbers of several shapes, and categories of uneven frequency."""
    X = {}
    for i in range(numbers):
        shape = [random.uniform(0, 10, rows), random.normal(50, 10, rows), random.exponential(3, rows)][i % 3]
        X[f"n{i}"] = shape.round(2)
    for i in range(categories):
        values = [COLOURS, PLACES][i % 2]
        shares = np.arange(len(values), 0, -1) / sum(range(len(values) + 1))
        X[f"k{i}"] = random.choice(values, rows, p=shares)
    return pd.DataFrame(X)


def rules(X):
    """Two classes, three rules of one to three literals."""
    yes = (X.n0 > 6) & (X.k0 == "red")
    yes |= (X.n1 <= 42) & (X.n0 > 2)
    yes |= (X.k1 == "south") & (X.n2 > 3) & (X.n4 <= 55)
    return np.where(yes, "yes", "no")


def several(X):
    """Four classes, one after the other."""
    return np.select([(X.n0 > 7) & (X.k0 != "blue"), (X.n1 > 55) | (X.k1 == "east"), (X.n2 > 4) & (X.n0 <= 4)],
                     ["a", "b", "c"], "d")


def rare(X):
    """One row in twelve or so."""
    return np.where((X.n0 > 8) & (X.n1 > 48) & (X.k0 != "white"), "yes", "no")


def either(X):
    """Neither column says anything alone."""
    return np.where((X.n0 > 5) ^ (X.n1 > 50), "yes", "no")


def linear(X):
    """A weighted sum, which takes many rules to come near."""
    score = (X.n0 - 5) / 2.9 - (X.n1 - 50) / 10 + (X.n3 - 5) / 2.9 + 0.5 * (X.n4 - 50) / 10
    return np.where(score > 0, "yes", "no")


def names(X):
    """Categories alone."""
    yes = ((X.k0 == "red") & X.k1.isin(["north", "south"])) | ((X.k2 == "blue") & (X.k3 != "north"))
    return np.where(yes, "yes", "no")


def of(truth, **shape):
    def draw(random, rows):
        X = columns(random, rows, **shape)
        return X, truth(X)
    return draw


def moons(random, rows):
    """Two moons, scattered; the true class is that of the nearer one."""
    X, _ = make_moons(rows, noise=0.25, random_state=random.integers(2**31))
    nearer = KNeighborsClassifier(1).fit(*make_moons(2000)).predict(X)
    return pd.DataFrame(X.round(3), columns=["x", "y"]), np.where(nearer == 1, "lower", "upper")


def blobs(random, rows):
    """Clusters of three classes in five of twenty columns. One draw, cut in two: the clusters differ by seed."""
    X, y = make_classification(TRAINING + TRUE, 20, n_informative=5, n_redundant=3, n_classes=3,
                               n_clusters_per_class=2, flip_y=0, random_state=1)
    part = slice(0, TRAINING) if rows == TRAINING else slice(TRAINING, None)
    return pd.DataFrame(X[part].round(3), columns=[f"x{i}" for i in range(20)]), y[part].astype(str)


# name: (maker, share of labels that are wrong, share of values missing, what is true)
TABLES = {
    "rules-0": (of(rules), 0, 0, "three rules over four numbers and two categories, of eight columns"),
    "rules-5": (of(rules), 0.05, 0, "the same"),
    "rules-10": (of(rules), 0.10, 0, "the same"),
    "rules-20": (of(rules), 0.20, 0, "the same"),
    "several-10": (of(several), 0.10, 0, "rules for four classes, one after the other"),
    "missing": (of(rules), 0.05, 0.10, "the three rules"),
    "irrelevant": (of(rules, numbers=24, categories=8), 0.10, 0, "the three rules, of 32 columns"),
    "rare": (of(rare), 0.02, 0, "one rule of three literals for one row in twelve"),
    "either": (of(either), 0.05, 0, "one number is large, or another, but not both"),
    "linear": (of(linear), 0.05, 0, "a weighted sum of four numbers, which takes many rules to come near"),
    "names": (of(names, numbers=0, categories=6), 0.10, 0, "two rules over categories alone"),
    "moons": (moons, 0.05, 0, "the nearer of two moons"),
    "blobs": (blobs, 0.05, 0, "clusters of three classes in five of 20 columns"),
}


def make(name):
    """The table, and many more rows of its kind with their true classes."""
    draw, noise, missing, _ = TABLES[name]
    random = np.random.default_rng(zlib.crc32(name.encode()))
    X, y = draw(random, TRAINING)
    X_true, y_true = draw(random, TRUE)
    classes = np.unique(y)
    wrong = random.random(len(y)) < noise
    # Another class, each as likely as the next.
    step = random.integers(1, len(classes), len(y))
    y = np.where(wrong, classes[(np.searchsorted(classes, y) + step) % len(classes)], y)
    return gaps(random, X, missing), pd.Series(y, name="class"), gaps(random, X_true, missing), y_true


def gaps(random, X, share):
    """Values go missing by chance, after the class was settled."""
    return X.mask(random.random(X.shape) < share) if share else X
