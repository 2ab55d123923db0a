"""What all tests share."""

import os
import pathlib

# One of scikit-learn's checks runs only with this, and it must be set before scipy is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import pandas as pd
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def cli():
    """The command line program."""
    path = pathlib.Path(os.environ.get("MINRULE", ROOT / "target" / "release" / "minrule"))
    assert path.exists(), f"{path} is not there: build it with `tools/with-build-tools cargo build --release`"
    return path


@pytest.fixture
def loans():
    """A bundled table: X and y."""
    table = pd.read_csv(ROOT / "data" / "loans.csv")
    return table.drop(columns="approved"), table["approved"]


@pytest.fixture
def people():
    """A small table with columns of every kind, and missing values."""
    frame = pd.DataFrame(
        {
            "age": [20, 30.5, np.nan, 50, 60, 35, 41, 22],
            "city": ["a", "b", None, "a", "b", "c", "a", "c"],
            "owner": [True, False, True, True, False, False, True, True],
            "children": pd.array([1, 2, None, 4, 5, 6, 7, 8], dtype="Int64"),
            "plan": pd.Categorical(["1", "2", "1", None, "2", "1", "2", "1"]),
        }
    )
    return frame, pd.Series(["yes", "no", "yes", "yes", "no", "no", "yes", "no"], name="buys")


@pytest.fixture
def hard():
    """A table whose smallest decision set nobody finds in a minute."""
    random = np.random.RandomState(0)
    return random.randint(0, 2, (400, 40)), random.randint(0, 2, 400)


def texts(model):
    """The rules of a model."""
    return [rule.text for rule in model.rules_]
