"""Whatever X and y are made of, the rules are the same."""

import datetime
import json
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import texts
from minrule import Binariser, DataWarning, DecisionSetClassifier
from scipy import sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError

DURATIONS = 'column "when" holds durations, periods or times of day; turn them into numbers or categories'


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
    assert texts(model) == ["IF a is unknown THEN class = 1", "IF a is known THEN class = 0"]
    assert model.predict(pd.DataFrame({"a": ["z", None]})).tolist() == [0, 1]


def test_categories_that_look_like_numbers_stay_names():
    codes = [10, 20, 30, 40, 50, 60] * 3
    y = [1 if code == 30 else 0 for code in codes]
    as_names = fit(pd.DataFrame({"code": pd.Categorical(codes)}), y)
    assert texts(as_names) == ["IF code is not 30 THEN class = 0", "IF code = 30 THEN class = 1"]
    assert as_names.predict(pd.DataFrame({"code": [30, 31]})).tolist() == [1, 0]
    as_numbers = " ".join(texts(fit(pd.DataFrame({"code": codes}), y)))
    assert "<= code" in as_numbers or "code <=" in as_numbers or "code between" in as_numbers, as_numbers


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
    model = fit(X.astype(str), y, numeric="intervals", intervals=10)
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
        (lambda X: X.assign(when=pd.Timedelta("1h")), DURATIONS),
        (lambda X: pl.DataFrame({"when": [datetime.time(1)] * 8}), DURATIONS),
        (lambda X: X.assign(when=pd.Series([pd.Timedelta("1h")] * 8, dtype=object)), DURATIONS),
        (lambda X: X.assign(when=pd.period_range("2020-01", periods=8, freq="M")), DURATIONS),
        (lambda X: X.assign(z=1j), 'Complex data not supported: column "z"'),
        (lambda X: X[[]], "0 feature"),
        (lambda X: X[:0], "0 sample"),
        (lambda X: X.set_axis(["a", "b", "c", "d", "d"], axis=1), 'both called "d"|unique column names'),
        (lambda X: pl.DataFrame({"t": [[1]] * 8}), 'column "t" has values of type'),
        (lambda X: X[["age"]].assign(age=1), "no column of X has two different values"),
    ],
)
def test_columns_that_cannot_be_used_are_named(people, change, message):
    X, y = people
    X = change(X)
    with pytest.raises(ValueError, match=message):
        fit(X, y[: len(X)])


@pytest.mark.parametrize(
    "convert",
    [
        lambda when: when,
        lambda when: when.astype("datetime64[s]"),
        lambda when: when.dt.date,
        lambda when: when.astype(object),
        lambda when: when.dt.strftime("%Y-%m-%d"),
        lambda when: when.dt.strftime("%Y-%m-%d").astype("string"),
        lambda when: when.astype("timestamp[us][pyarrow]"),
        lambda when: when.dt.date.astype("date32[pyarrow]"),
    ],
)
def test_dates_of_every_kind_say_the_same(convert):
    when = pd.Series(pd.date_range("2020-11-03", periods=40, freq="9D"))
    when[7] = pd.NaT
    y = np.where(when >= "2021-03-01", "late", "early")
    expected = fit(pd.DataFrame({"when": when}), y, numeric="thresholds")
    model = fit(pd.DataFrame({"when": convert(when)}), y, numeric="thresholds")
    assert texts(model) == texts(expected)
    assert (model.predict(pd.DataFrame({"when": when})) == y).all()
    assert (expected.predict(pd.DataFrame({"when": convert(when)})) == y).all()
    assert (expected.predict(pl.from_pandas(pd.DataFrame({"when": when}))) == y).all()
    around = pd.DataFrame({"when": ["2021-02-27", "2021-03-02"]})
    assert expected.predict(around).tolist() == ["early", "late"]


def test_times_with_and_without_an_offset():
    when = pd.Series(pd.date_range("2021-03-01 07:15", periods=40, freq="37min"))
    y = np.where(when >= "2021-03-01 19:00", "late", "early")
    naive, aware = pd.DataFrame({"when": when}), pd.DataFrame({"when": when.dt.tz_localize("Europe/Zurich")})
    for X in naive, aware:
        model = fit(X, y, numeric="thresholds")
        assert (model.predict(X) == y).all()
        assert (model.predict(pl.from_pandas(X)) == y).all()
        assert (model.predict(X.assign(when=X.when.map(lambda time: time.isoformat()))) == y).all()
        other = aware if X is naive else naive
        assert model.explain(other[:1])  # a time of the other kind is missing, and that is no error
    mixed = [time.isoformat() + ("Z" if i % 2 else "") for i, time in enumerate(when)]
    with pytest.warns(DataWarning, match="not written alike"):
        fit(pd.DataFrame({"when": mixed}), y)


def test_numbers_with_signs_are_numbers():
    plain = pd.DataFrame({"price": [x * x * 37.25 for x in range(40)]})
    y = np.where(plain.price > 12000, "dear", "cheap")
    signed = pd.DataFrame({"price": [f"${x:,.2f}" for x in plain.price]})
    expected, model = (fit(X, y, numeric="thresholds") for X in (plain, signed))
    assert [text.replace("$", "") for text in texts(model)] == texts(expected)
    assert "price <= $" in texts(model)[0]
    assert (model.predict(signed) == y).all() and (model.predict(plain) == y).all()
    assert len(model.explain(signed[:2])) == 2
    features = Binariser(intervals=3).fit(signed)
    assert (features.transform(signed) == Binariser(intervals=3).fit(plain).transform(plain)).all()
    with pytest.warns(DataWarning, match="not written alike"):
        fit(signed.assign(price=["5 %", *signed.price[1:]]), y)


def test_of_many_names_the_most_frequent_are_tested():
    names = [f"n{i % 60}" if i % 3 else "often" for i in range(300)]
    X = pd.DataFrame({"name": names, "id": [f"id{i}" for i in range(300)]})
    y = np.where(X.name == "often", 1, 0)
    with pytest.warns(DataWarning, match="max_values"):
        model = fit(X, y, max_values=5)
    assert set(texts(model)) == {"IF name = often THEN class = 1", "IF name is not often THEN class = 0"}
    assert (model.predict(X) == y).all()
    assert DecisionSetClassifier.from_json(model.to_json()).max_values == 5


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
        ({"rules": "search"}, "rules means nothing with method='lazy'"),
        ({"method": "opt", "cover": "ilp"}, "cover means nothing with method='opt'"),
        ({"method": "mds2"}, "choose objective='rules'"),
        ({"opt_model": "joint"}, "choose method='opt'"),
        ({"numeric": "thresholds", "cut": "width"}, "cut means nothing with numeric='thresholds'"),
        ({"intervals": 1}, "intervals"),
        ({"missing": "mean"}, "missing must be one of"),
        ({"time_limit": 0}, "time_limit must be more than zero"),
        ({"memory_limit": "lots"}, "memory_limit must be bytes"),
        ({"memory_limit": 1000}, "the process holds"),
        ({"ignore": ["colour"]}, "X has no column 'colour'"),
        ({"uncovered": "guess"}, "uncovered must be one of"),
        ({"conflict": "guess"}, "conflict must be one of"),
        ({"alpha": "auto", "method": "enumerate"}, "alpha means nothing with method='enumerate'"),
        ({"alpha": 0.01, "method": "enumerate"}, "alpha means nothing with method='enumerate'"),
        ({"alpha": 0.01, "method": "opt"}, "alpha means nothing with method='opt'"),
        ({"alpha": 0.01, "prefer_disjoint": True}, "prefer_disjoint does not go with alpha"),
        (
            {"alpha": 0.01, "objective": "rules-then-literals"},
            "does not go with alpha; choose objective='size'",
        ),
        ({"otherwise": "yes"}, "otherwise='yes' goes only with alpha.* for example alpha='0.5%'"),
        ({"otherwise": "auto"}, "otherwise='auto' goes only with alpha"),
        ({"alpha": 0.01, "otherwise": "yess"}, 'otherwise: y has no label "yess"; did you mean "yes"'),
        ({"alpha": 0.01, "otherwise": 1}, "otherwise must be None, 'auto', 'none' or a label of y"),
        ({"alpha": 0.01, "otherwise": ["yes"]}, r"or a label of y \('no', 'yes'\); it is \['yes'\]"),
        ({"order": "rarest"}, "order='rarest' goes only with alpha.* for example alpha='0.5%'"),
        ({"order": ["yes", "no"]}, "order='yes,no' goes only with alpha"),
        (
            {"alpha": 0.01, "order": "yes"},
            "order must be None, 'none', 'rarest', 'frequent' or a list of labels",
        ),
        ({"alpha": 0.01, "order": {"yes", "no"}}, "or a list of labels of y; it is {"),
        ({"alpha": 0.01, "order": []}, r"or a list of labels of y; it is \[\]"),
        ({"alpha": 0.01, "order": ["yes", "noo"]}, "order: y has no label 'noo'; it has 'no', 'yes'"),
        ({"alpha": 0.01, "order": [["yes"], "no"]}, r"order: y has no label \['yes'\]"),
        ({"alpha": 0.01, "order": ["yes", "yes"]}, 'order names class "yes" twice; name every class once'),
        ({"alpha": 0.01, "order": ["yes"], "otherwise": "none"}, 'order leaves out class "no"'),
        ({"alpha": 0.01, "order": ["yes", "no"], "otherwise": "yes"}, "which gets no rules, before others"),
        ({"alpha": 0.01, "order": "rarest", "conflict": "size"}, "the earlier class always wins"),
        ({"alpha": 0.01, "order": "none", "conflict": "order"}, "goes only with an order of classes"),
        ({"conflict": "order"}, "goes only with an order of classes"),
        ({"method": "opt", "prefer_disjoint": True}, "prefer_disjoint means nothing with method='opt'"),
    ],
    ids=str,
)
def test_options_that_do_not_exist_are_refused(people, options, message):
    with pytest.raises(ValueError, match=message):
        fit(*people, **options)


#: For each parameter, what its message says is allowed, and values that are not.
STRANGE = [float("nan"), -1.5, [], {}, object, b"x", ""]
NAMES = [*STRANGE, 1, "none", np.float64(1), np.int64(1)]
WRONG = {
    "objective": ("one of 'size', 'rules', 'literals', 'rules-then-literals'", [*NAMES, None, True]),
    "alpha": (
        "more than zero, with nine decimals at most or as a fraction: a share of the rows such as 0.005",
        [*STRANGE, 0, 0.0, 1e-12, "0rows", "-1", "1e-3", "2 columns", float("inf"), True, np.False_],
    ),
    "scoring": ("None unless alpha='auto'", [*NAMES, True]),
    "choose": ("None unless alpha='auto'", [*NAMES, True]),
    "folds": ("None unless alpha='auto'", [*STRANGE, 0, 1.5, True]),
    "repeats": ("None unless alpha='auto'", [*STRANGE, 0, 1.5, True]),
    "max_size": ("None or a whole number, 0 or more", [*STRANGE, -1, 1.5, "4", True]),
    "max_rules": ("None or a whole number, 0 or more", [*STRANGE, -1, 1.5, "4", True]),
    "max_errors": ("None, a whole number of rows, or a share of them", [*STRANGE, -1, 1.5, "few", True]),
    "down_to": ("None unless with max_size, max_rules, max_errors", [*STRANGE, 0, 0.1, "1row", True]),
    "order": (
        "None, 'none', 'rarest', 'frequent' or a list of labels of y",
        [*STRANGE, 1, "Rarest", np.float64(1), np.int64(1), True, {"yes", "no"}],
    ),
    "method": ("one of 'lazy', 'enumerate', 'mds2', 'mds2-star', 'opt'", [*NAMES, None, True]),
    "rules": ("one of 'maxsat', 'search'", [*NAMES, True]),
    "cover": ("one of 'branch', 'ilp', 'maxsat'", [*NAMES, True]),
    "break_symmetry": ("True, False or None", [*STRANGE, 1, np.int64(1), "True"]),
    "opt_model": ("one of 'separate', 'joint'", [*NAMES, True]),
    "opt_search": ("one of 'sat', 'maxsat'", [*NAMES, True]),
    "prefer_disjoint": ("True or False", [*STRANGE, None, 1, np.int64(1), "True"]),
    "time_limit": (
        "seconds, or a text such as '30s'",
        [float("nan"), *STRANGE[2:], "30 parsecs", "s", "-1s", True],
    ),
    "memory_limit": (
        "bytes, or a text such as '8GB'",
        [float("nan"), *STRANGE[2:], "8", "lots", "8 parsecs", True],
    ),
    **{parameter: ("a path or None", [*STRANGE, 1, True]) for parameter in ["resume", "proof", "trace"]},
    "n_jobs": ("None or a whole number other than 0", [*STRANGE, 0, 1.5, "2", True]),
    "numeric": ("one of 'thresholds', 'intervals'", [*NAMES, None, True]),
    "cuts": ("a whole number of 1 or more, or all", [*STRANGE, 0, -4, 4.5, "some", True, np.int64(0)]),
    "max_values": ("a whole number of 1 or more", [*STRANGE, 0, -4, 4.5, "4", True]),
    "intervals": ("a whole number of 2 or more", [*STRANGE, 0, 1, -4, 4.5, "4", True, np.int64(1)]),
    "cut": ("one of 'frequency', 'width'", [*NAMES, True]),
    "negations": ("True or False", [*STRANGE, None, 1, "True", np.int64(0)]),
    "missing": ("one of 'value', 'drop-rows', 'error'", [*NAMES, None, True]),
    "missing_values": ("a list of texts and numbers, or None", ["n/a", 1, [None], float("nan"), True]),
    "categorical": ("a list of names of columns, or None", ["age", 1, [1], float("nan"), True]),
    "numeric_columns": ("a list of names of columns, or None", ["age", 1, [1], float("nan"), True]),
    "decimal": ("one of '.', ','", [*NAMES, None, True]),
    "ignore": ("a list of names of columns, or None", ["age", 1, [1], {"age": 1}, float("nan"), True]),
    "uncovered": ("one of 'default', 'abstain', 'nearest'", [*NAMES, None, True]),
    "conflict": ("one of 'majority', 'size', 'precision', 'order', 'abstain'", [*NAMES, True]),
    "class_weight": (
        "a dict of labels and weights, 'balanced' or None",
        ["even", 1, [1], float("nan"), True],
    ),
    "random_state": ("a whole number from 0 to 4294967295", [float("nan"), -1, 1.5, "seed", [None], object]),
    "verbose": ("a whole number", [float("nan"), 1.5, "yes", None, []]),
}


def test_every_parameter_is_looked_at():
    # Anything may be a label.
    assert set(WRONG) | {"undecided", "otherwise"} == set(DecisionSetClassifier().get_params())


#: What a parameter means nothing without.
WITH = {"intervals": {"numeric": "intervals"}}


@pytest.mark.parametrize("parameter", sorted(WRONG))
def test_parameters_of_no_meaning_are_refused_by_name(people, parameter):
    allowed, values = WRONG[parameter]
    for value in values:
        with pytest.raises(ValueError, match=re.escape(f"{parameter} must be {allowed}")) as refused:
            fit(*people, **{parameter: value}, **WITH.get(parameter, {}))
        # It says what was given, too.
        assert str(refused.value).endswith((f"; it is {value!r}", f"; it is {value}")), refused.value


@pytest.mark.parametrize("parameter", ["time_limit", "memory_limit"])
@pytest.mark.parametrize("value", [0, -1, -1.5, 0.0, "0s", "0GB"])
def test_limits_are_more_than_zero(people, parameter, value):
    if isinstance(value, str) and value.endswith("s") != (parameter == "time_limit"):
        return
    with pytest.raises(ValueError, match=f"{parameter} must be more than zero; it is {value!r}"):
        fit(*people, **{parameter: value})


@pytest.mark.parametrize(
    "options",
    [
        {"numeric": "intervals", "intervals": 4.0},
        {"numeric": "intervals", "intervals": np.int8(4)},
        {"cuts": np.float64(4)},
        {"cuts": np.int64(4)},
        {"negations": np.True_, "prefer_disjoint": np.False_},
        {"n_jobs": 1.0},
        {"n_jobs": np.int64(1)},
        {"objective": np.str_("size")},
        {"time_limit": "30s"},
        {"time_limit": " 5 m "},
        {"time_limit": "2h"},
        {"time_limit": "60000ms"},
        {"time_limit": "30"},
        {"time_limit": np.float32(30)},
        {"time_limit": 30},
        {"time_limit": 1e300},
        {"time_limit": float("inf")},
        {"time_limit": 10**400},
        {"time_limit": "1e20h"},
        {"memory_limit": 1e300},
        {"memory_limit": "1e20GB"},
        {"memory_limit": "64GiB"},
        {"verbose": False},
        {"ignore": []},
        {"ignore": ()},
        {"class_weight": {"yes": 1, "no": 1}},
    ],
    ids=str,
)
def test_parameters_may_be_written_in_several_ways(people, options):
    model = fit(*people, **options)
    plain = {"numeric": options["numeric"]} if "numeric" in options else {}
    assert (texts(model), model.status_) == (texts(fit(*people, **plain)), "optimal")


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


def ages(slip):
    values = [f"{age}.5" for age in range(20, 50)]
    values[13] = slip
    return pd.DataFrame({"age": pd.Series(values, dtype=object)}), ["young"] * 15 + ["old"] * 15


def test_one_slip_does_not_silently_make_names_of_numbers():
    X, y = ages("n/a")
    with pytest.warns(DataWarning, match=r"holds numbers except \"n/a\" in 1 row"):
        named = DecisionSetClassifier().fit(X, y)
    assert json.loads(named.to_json())["decision_set"]["scope"]["cuts"] == 0
    for remedy in [{"missing_values": ["n/a"]}, {"missing_values": ["-", "n/a", -999]}]:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = DecisionSetClassifier(**remedy).fit(X, y)
        assert json.loads(model.to_json())["decision_set"]["scope"]["cuts"] > 0
        assert model.score(X, y) == 1
        # What was said of values is kept on file, and holds for frames.
        again = DecisionSetClassifier.from_json(model.to_json())
        assert again.missing_values == [str(value) for value in remedy["missing_values"]]
        assert (again.predict(X) == model.predict(X)).all()
    with pytest.warns(DataWarning, match="as numeric_columns asks"):
        model = DecisionSetClassifier(numeric_columns=["age"]).fit(X, y)
    assert json.loads(model.to_json())["decision_set"]["scope"]["cuts"] > 0
    # Names they are then, one for each row; that they are nearly numbers is no question any more.
    with pytest.warns(DataWarning, match="has a value of its own") as asked:
        DecisionSetClassifier(categorical=["age"]).fit(X, y)
    assert len(asked) == 1


def test_features_alone_know_slips_too():
    X, _ = ages("n/a")
    with pytest.warns(DataWarning, match=r"holds numbers except \"n/a\" in 1 row"):
        assert len(Binariser().fit(X).get_feature_names_out()) == 30
    binariser = Binariser(missing_values=["n/a"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        missing = pickle.loads(pickle.dumps(binariser.fit(X))).transform(X)[:, -1]
    assert len(binariser.get_feature_names_out()) == 5
    assert missing.tolist() == [row == 13 for row in range(30)]
    commas = X.assign(age=X["age"].str.replace(".", ","))
    binariser = Binariser(decimal=",", numeric_columns=["age"])
    with pytest.warns(DataWarning, match="as numeric_columns asks"):
        assert (binariser.fit_transform(commas)[:, -1] == missing).all()
    assert len(Binariser(categorical=["age"]).fit(X).get_feature_names_out()) == 30


def test_numbers_that_stand_for_missing_values():
    X = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6, 7, 999], "n": [1, 2, 3, 4, 5, 6, 7, 999]})
    model = DecisionSetClassifier(missing_values=[999], numeric="thresholds").fit(X, [0, 0, 0, 0, 1, 1, 1, 1])
    conditions = [str(c) for rule in model.rules_ for c in rule.conditions]
    assert not any("999" in words for words in conditions)
    assert (model.predict(X) == [0, 0, 0, 0, 1, 1, 1, 1]).all()
    far, missing = X.assign(x=998.0, n=998), X.assign(x=np.nan, n=None)
    assert (model.predict(X.assign(x=999.0, n=999)) == model.predict(missing)).all()
    assert (model.predict(far) == 1).all()


def test_decimals_may_follow_a_comma():
    X, y = ages("33,5")
    X["age"] = X["age"].str.replace(".", ",")
    with pytest.warns(DataWarning, match="decimal=','"):
        DecisionSetClassifier().fit(X, y)
    model = DecisionSetClassifier(decimal=",").fit(X, y)
    numbers = X.assign(age=X["age"].str.replace(",", ".").astype(float))
    assert texts(model) == texts(DecisionSetClassifier().fit(numbers, y))
    assert (model.predict(numbers) == model.predict(X)).all()


@pytest.mark.parametrize(
    "wrong, words",
    [
        ({"categorical": ["agee"]}, "categorical: X has no column 'agee'"),
        ({"categorical": ["age"], "numeric_columns": ["age"]}, "must be about other columns"),
    ],
)
def test_what_is_said_of_values_is_checked(wrong, words):
    with pytest.raises(ValueError, match=words):
        DecisionSetClassifier(**wrong).fit(*ages("1"))
