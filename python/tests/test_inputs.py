"""Whatever X and y are made of, the rules are the same."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import texts
from minrule import DecisionSetClassifier
from scipy import sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError


def fit(X, y, **options):
    return DecisionSetClassifier(**options).fit(X, y)


@pytest.mark.parametrize(
    "convert",
    [
        lambda frame: frame.convert_dtypes(),
        lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
        lambda frame: frame.assign(city=frame.city.astype("string"), age=frame.age.astype("Float64")),
        lambda frame: frame.assign(city=frame.city.astype("category")),
        lambda frame: pl.from_pandas(frame),
        lambda frame: pl.from_pandas(frame).with_columns(pl.col("city").cast(pl.Categorical)),
        lambda frame: pa.Table.from_pandas(frame),
        lambda frame: pa.concat_tables([pa.Table.from_pandas(frame[:3]), pa.Table.from_pandas(frame[3:])]),
    ],
    ids=["nullable", "pyarrow", "string", "category", "polars", "polars-categorical", "arrow", "chunks"],
)
def test_frames_of_every_kind_say_the_same(people, convert):
    X, y = people
    expected = fit(X, y)
    model = fit(convert(X), y)
    assert texts(model) == texts(expected)
    assert list(model.feature_names_in_) == list(X.columns)
    assert (model.predict(convert(X)) == y).all()
    assert (model.fired_rules(convert(X)) != expected.fired_rules(X)).nnz == 0


@pytest.mark.parametrize(
    "dtype", [np.float64, np.float32, np.int64, np.int8, np.uint8, np.uint64, bool, object, str]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_every_type_say_the_same(dtype, order):
    X = np.array([[0, 1, 1], [1, 1, 0], [1, 0, 1], [0, 0, 0], [0, 1, 0]], order=order)
    y = [0, 1, 1, 0, 0]
    model = fit(X.astype(dtype), y)
    assert (model.predict(X.astype(dtype)) == y).all()
    value = {bool: "True", str: "1"}.get(dtype, "1")
    assert texts(model)[-1] == f"IF x0 = {value} THEN class = 1"


def test_lists_and_mixed_rows_are_read():
    X = [["red", 1], ["blue", 2], ["red", 2], ["blue", 1]]
    assert (fit(X, ["a", "b", "b", "b"]).predict(X) == ["a", "b", "b", "b"]).all()


@pytest.mark.parametrize(
    "convert", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array, sparse.csr_array]
)
def test_sparse_matrices_are_read_as_the_dense(convert):
    X = np.random.RandomState(0).randint(0, 3, (60, 8)) * (np.random.RandomState(1).rand(60, 8) < 0.3)
    y = X[:, 0] + X[:, 3] > 1
    dense, model = fit(X, y), fit(convert(X), y)
    assert texts(model) == texts(dense)
    assert (model.predict(convert(X)) == dense.predict(X)).all()


def test_a_sparse_matrix_with_too_many_cells_is_refused():
    X = sparse.csr_matrix((200_000, 1_000))
    with pytest.raises(ValueError, match="too many to look at; choose columns first"):
        fit(X, np.arange(200_000) % 2)


def test_missing_values_are_a_value_or_leave_or_are_refused():
    X = pd.DataFrame({"a": [1, 2, None, 4, 5, 6], "b": ["x", "y", "x", None, "x", "y"]})
    y = [0, 1, 1, 1, 0, 1]
    assert (fit(X, y).predict(X) == y).all()
    dropped = fit(X, y, missing="drop-rows")
    assert dropped.class_count_ == {0: 2, 1: 2}
    with pytest.raises(ValueError, match='column "a" has a missing value in row 2'):
        fit(X, y, missing="error")
    with pytest.raises(ValueError, match="every row has a missing value"):
        fit(X.assign(c=None), y, missing="drop-rows")


def test_every_spelling_of_missing_is_one():
    X = pd.DataFrame({"a": ["?", "NA", "nan", "", None, np.nan, pd.NA, "x", "y", " x "]}, dtype=object)
    y = [1] * 7 + [0, 0, 0]
    model = fit(X, y)
    assert texts(model) == ["IF a is missing THEN class = 1", "IF a is not missing THEN class = 0"]
    assert model.predict(pd.DataFrame({"a": ["z", None]})).tolist() == [0, 1]


def test_categories_that_look_like_numbers_stay_names():
    codes = [10, 20, 30, 40, 50, 60] * 3
    y = [1 if code == 30 else 0 for code in codes]
    as_names = fit(pd.DataFrame({"code": pd.Categorical(codes)}), y)
    assert texts(as_names) == ["IF code != 30 THEN class = 0", "IF code = 30 THEN class = 1"]
    assert as_names.predict(pd.DataFrame({"code": [30, 31]})).tolist() == [1, 0]
    as_numbers = fit(pd.DataFrame({"code": codes}), y, numeric="thresholds")
    assert "25 < code" in " ".join(texts(as_numbers)) or "code <= 25" in " ".join(texts(as_numbers))


@pytest.mark.parametrize(
    "labels",
    [["yes", "no"], [1, 0], [True, False], [2.0, 1.0], [-1, 1], ["", "NA"], [np.str_("a"), np.str_("b")]],
    ids=repr,
)
def test_labels_of_any_type_come_back(labels):
    X = [[0], [1], [0], [1]]
    y = np.array([labels[0], labels[1], labels[0], labels[1]])
    model = fit(X, y)
    assert model.classes_.tolist() == sorted(labels)
    assert model.predict(X).tolist() == y.tolist()
    assert model.predict(X).dtype == y.dtype
    assert {rule.class_ for rule in model.rules_} == set(labels)


def test_categories_and_series_as_labels(people):
    X, y = people
    for convert in (pd.Categorical, pl.Series, list, pa.array):
        assert (fit(X, convert(y)).predict(X) == y).all(), convert


def test_many_classes():
    X = np.arange(30).reshape(-1, 1) % 10
    y = X.ravel()
    model = fit(X.astype(str), y, intervals=10)
    assert model.n_rules_ == 10 and (model.predict(X.astype(str)) == y).all()
    assert np.allclose(model.predict_proba(X.astype(str)).sum(axis=1), 1)


def test_a_column_vector_of_labels_is_taken_with_a_warning(people):
    X, y = people
    with pytest.warns(DataConversionWarning):
        assert (fit(X, y.to_frame()).predict(X) == y).all()


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda X: X.assign(age=np.inf), 'column "age" contains infinity'),
        (lambda X: X.assign(when=pd.Timestamp("2020-01-01")), 'column "when" holds dates'),
        (lambda X: X.assign(z=1j), 'Complex data not supported: column "z"'),
        (lambda X: X[[]], "0 feature"),
        (lambda X: X[:0], "0 sample"),
        (lambda X: X.set_axis(["a", "b", "c", "d", "d"], axis=1), 'both called "d"|unique column names'),
        (lambda X: pl.DataFrame({"t": [None] * 8}, schema={"t": pl.Date}), 'column "t" has values of type'),
        (lambda X: X[["age"]].assign(age=1), "no column of X has two different values"),
    ],
)
def test_columns_that_cannot_be_used_are_named(people, change, message):
    X, y = people
    X = change(X)
    with pytest.raises(ValueError, match=message):
        fit(X, y[: len(X)])


@pytest.mark.parametrize(
    "y, message",
    [
        (None, "requires y to be passed"),
        ([1] * 8, "one class only"),
        ([1, 2], "inconsistent numbers of samples"),
        ([0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4], "Unknown label type"),
        ([np.nan, 1, 0, 1, 0, 1, 0, 1], "contains NaN"),
    ],
)
def test_labels_that_cannot_be_used_are_refused(people, y, message):
    with pytest.raises(ValueError, match=message):
        fit(people[0], y)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"objective": "smallest"}, "objective must be one of 'size', 'rules'"),
        ({"method": "guess"}, "method must be one of"),
        ({"cover": "sat"}, "cover must be one of"),
        ({"rules": "search"}, "must be None with method='lazy'"),
        ({"method": "opt", "cover": "ilp"}, "cover must be None with method='opt'"),
        ({"method": "mds2"}, "objective must be 'rules' with method='mds2'"),
        ({"opt_model": "joint"}, "must be None with method='lazy'"),
        ({"numeric": "thresholds", "cut": "width"}, "cut must be None"),
        ({"intervals": 1}, "intervals"),
        ({"missing": "mean"}, "missing must be one of"),
        ({"time_limit": 0}, "time_limit must be more than zero"),
        ({"memory_limit": "lots"}, "memory_limit must be bytes"),
        ({"memory_limit": 1000}, "the process holds"),
        ({"ignore": ["colour"]}, "X has no column 'colour'"),
        ({"uncovered": "guess"}, "uncovered must be one of"),
        ({"conflict": "guess"}, "conflict must be one of"),
    ],
    ids=str,
)
def test_options_that_do_not_exist_are_refused(people, options, message):
    with pytest.raises(ValueError, match=message):
        fit(*people, **options)


def test_what_is_not_fitted_says_so(people):
    model = DecisionSetClassifier()
    for use in (model.predict, model.predict_proba, model.fired_rules, model.explain):
        with pytest.raises(NotFittedError):
            use(people[0])
    for use in (model.rules_frame, model.export, model.to_json, model.plot_coverage):
        with pytest.raises(NotFittedError):
            use()


def test_other_columns_are_refused_in_predict(people):
    X, y = people
    model = fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X.rename(columns={"age": "years"}))
    with pytest.raises(ValueError, match="features"):
        model.predict(X.to_numpy()[:, :2])


def test_columns_to_ignore_are_in_no_rule(loans):
    X, y = loans
    model = fit(X, y, ignore=["history"])
    assert "history" not in " ".join(texts(model))
    assert (model.predict(X) == y).mean() == pytest.approx(model.conflicts_["training_accuracy"])
