"""Reading large frames: within limits, interruptible, and the same whatever the way."""

import functools
import signal
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import texts
from minrule import Binariser, DecisionSetClassifier, _core
from minrule._columns import columns_of

ROWS = 100_000
pytestmark = pytest.mark.filterwarnings("ignore::minrule.DataWarning")


class Says:
    """An object that does something when it is read."""

    def __init__(self, act):
        self.act = act

    def __str__(self):
        self.act()
        return "said"


def frame(kind):
    draw = np.random.default_rng(0)
    names = np.array([f"value {i}" for i in range(7)], dtype=object)
    make = {
        "float": lambda: draw.random(ROWS),
        "int": lambda: draw.integers(0, 50, ROWS),
        "bool": lambda: draw.integers(0, 2, ROWS).astype(bool),
        "category": lambda: pd.Categorical(names[draw.integers(0, 7, ROWS)]),
        "string": lambda: pd.array(names[draw.integers(0, 7, ROWS)], dtype="string[pyarrow]"),
        "object": lambda: pd.Series(names[draw.integers(0, 7, ROWS)], dtype=object),
    }[kind]
    return pd.DataFrame({f"c{i}": make() for i in range(3)}), np.arange(ROWS) % 2


KINDS = ["float", "int", "bool", "category", "string", "object"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "convert", [lambda X: X, pl.from_pandas, lambda X: X.to_numpy()], ids=["pandas", "polars", "numpy"]
)
def test_a_time_limit_holds_while_reading(kind, convert, monkeypatch):
    X, y = frame(kind)
    monkeypatch.setattr(DecisionSetClassifier, "_time_left", lambda self, start: -1.0)
    with pytest.raises(TimeoutError, match="time_limit was reached after reading 0 of 3 columns of X.*raise"):
        DecisionSetClassifier(time_limit=1).fit(convert(X), y)


@pytest.mark.parametrize("kind", KINDS)
def test_rust_looks_at_the_clock_too(kind):
    X, y = frame(kind)
    columns = columns_of(X, list(X.columns))
    no_time = DecisionSetClassifier()._binarise(-1.0)
    with pytest.raises(TimeoutError, match="after reading 0 of 3 columns"):
        _core.Problem(columns, "class", ["a", "b"], y, None, [], no_time)


def test_a_limit_that_is_reached_halfway_says_how_far_it_got():
    X, y = frame("object")
    # The second column takes longer than there is time, and the moment longer that reading may take.
    slow = np.array(X["c1"], dtype=object)
    slow[0] = Says(lambda: time.sleep(6))
    with pytest.raises(TimeoutError, match="after reading 1 of 3 columns"):
        DecisionSetClassifier(time_limit=5).fit(X.assign(c1=slow), y)


def test_a_table_that_was_read_too_late_is_not_searched(monkeypatch):
    X, y = frame("int")
    monkeypatch.setattr(DecisionSetClassifier, "_time_left", lambda self, start: -0.1)
    monkeypatch.setattr("minrule._core.Problem", lambda *_: time.sleep(0.5))
    with pytest.raises(TimeoutError, match="time_limit was reached after reading X, before"):
        DecisionSetClassifier(time_limit=1).fit(X, y)


def test_a_small_table_has_rules_whatever_the_limit(loans):
    model = DecisionSetClassifier(time_limit="1ms")
    assert (model.fit(*loans).predict(loans[0]) == loans[1]).mean() > 0.9


@pytest.mark.parametrize("estimator", [DecisionSetClassifier(), Binariser()], ids=["classifier", "binariser"])
def test_ctrl_c_while_objects_are_read(estimator):
    X, y = frame("object")
    X, y = pd.concat([X] * 10, ignore_index=True), np.tile(y, 10)
    # The signal comes when no line of Python is run, and two million objects are still to be read. The last
    # of them is read without one, too: Python must not find the signal there.
    unread = iter([1.0])
    Last = type("Last", (), {"__float__": functools.partial(next, unread)})
    X.loc[5, "c1"] = Says(lambda: signal.setitimer(signal.ITIMER_REAL, 0.01))
    X.loc[len(X) - 1, "c2"] = Last()

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert list(unread) == [1.0]


@pytest.mark.parametrize("kind", ["float", "string"])
def test_ctrl_c_while_other_columns_are_read(kind):
    X, y = frame(kind)
    X = pd.concat([X] * 20, ignore_index=True)
    X = pd.concat([X.add_suffix(f" {i}") for i in range(10)], axis=1)
    y = np.resize(y, len(X))

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            DecisionSetClassifier().fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_objects_are_read_as_one_by_one():
    """Blocks of rows that repeat objects, or hold the separator of blocks, are no different."""
    values = ["a", " a ", "b\0c", "", "é", None, np.nan, pd.NA]
    values += [1, 1.0, True, np.bool_(True), 2**70, np.int64(3)]
    draw = np.random.default_rng(1)
    places = draw.integers(0, len(values), 40_000)
    # Texts of their own, and texts that are the same object.
    own = [str(values[i]) + "" if isinstance(values[i], str) else values[i] for i in places]
    same = [values[i] for i in places]
    expected = ["1", str(2**70), "3", "True", "a", '"b\\u{0}c"', "é"]
    for column in (own, same):
        X = pd.DataFrame({"a": pd.Series(column, dtype=object)})
        names = Binariser().fit(X).get_feature_names_out().tolist()
        assert names == [f"a = {text}" for text in expected] + ["a is unknown"]
        bits = Binariser().fit_transform(X)
        missing = [value is None or value is pd.NA or value is np.nan or value == "" for value in column]
        assert bits[:, -1].tolist() == missing


@pytest.mark.parametrize(
    "labels, dtype",
    [
        (["b", "a", "c"], object),
        (["b", "a", "c"], None),
        ([" b", "b", "", "NA", "é", "b\0"], object),
        ([2, 0, 1], None),
        ([True, False], None),
    ],
    ids=str,
)
def test_labels_are_told_apart_as_numpy_does(labels, dtype):
    y = np.array(labels, dtype=dtype)[np.random.default_rng(2).integers(0, len(labels), 500)]
    X = pd.DataFrame({"x": [f"{label!r}" for label in y.tolist()]})
    model = DecisionSetClassifier().fit(X, y)
    classes = np.unique(y)
    assert model.classes_.tolist() == classes.tolist() and model.classes_.dtype == classes.dtype
    assert model.predict(X).tolist() == y.tolist()


def test_nullable_columns_say_what_objects_say():
    numbers = [1, None, 2**60, -(2**53), 2**53 + 1, 7, 7, 8]
    truth, halves = [True, None, False, True] * 2, [1.5, None] * 4
    for values, dtype in [(numbers, "Int64"), (truth, "boolean"), (halves, "Float64")]:
        nullable = pd.DataFrame({"x": pd.array(values, dtype=dtype)})
        objects = pd.DataFrame({"x": pd.Series(values, dtype=object)})
        y = [0, 1, 1, 0, 1, 1, 1, 1]
        options = {"numeric": "intervals", "intervals": 9}
        assert texts(DecisionSetClassifier(**options).fit(nullable, y)) == texts(
            DecisionSetClassifier(**options).fit(objects, y)
        )
