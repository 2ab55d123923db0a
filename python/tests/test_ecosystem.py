"""Pipelines, searches, clones, pickles, and clusters."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from minrule import Binariser, DecisionSetClassifier
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

pytestmark = pytest.mark.filterwarnings("ignore::minrule.DataWarning")


def test_cross_validation_and_search(loans):
    X, y = loans
    assert cross_val_score(DecisionSetClassifier(), X, y, cv=3).min() > 0.5
    grid = {"cuts": [2, 4, "all"], "negations": [True, False]}
    search = GridSearchCV(DecisionSetClassifier(), grid, cv=3, n_jobs=2, error_score="raise").fit(X, y)
    assert search.best_estimator_.status_ == "optimal"
    assert set(search.best_params_) == set(grid)


def test_clones_are_not_fitted(loans):
    model = DecisionSetClassifier(cuts=3).fit(*loans)
    copy = clone(model)
    assert copy.cuts == 3 and not hasattr(copy, "rules_")


def test_a_pipeline_of_features_and_rules(loans):
    X, y = loans
    direct = DecisionSetClassifier().fit(X, y)
    pipeline = make_pipeline(Binariser().set_output(transform="pandas"), DecisionSetClassifier())
    pipeline.fit(X, y)
    # The same features, so the same size; only the words are longer.
    assert pipeline[-1].size_ == direct.size_
    assert pickle.loads(pickle.dumps(pipeline)).predict(X).tolist() == pipeline.predict(X).tolist()


def test_features_for_other_learners(loans):
    X, y = loans
    columns = ColumnTransformer(
        [
            ("conditions", Binariser(numeric="thresholds"), ["history", "guarantor", "debt"]),
            ("scaled", StandardScaler(), ["age"]),
        ],
        verbose_feature_names_out=False,
    )
    pipeline = make_pipeline(columns, LogisticRegression()).fit(X, y)
    names = pipeline[0].get_feature_names_out()
    assert "history = good" in names and "age" in names
    assert pipeline.score(X, y) > 0.6


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_frames_come_out(loans, frame):
    X, y = loans
    out = Binariser(numeric="thresholds").set_output(transform=frame).fit_transform(X, y)
    assert type(out).__module__.split(".")[0] == frame
    assert "history = good" in list(out.columns)
    column = np.asarray(out["history = good"])
    assert (column == (X["history"] == "good")).all()


def test_features_mean_what_they_say(loans):
    X, y = loans
    by_width = {"numeric": "intervals", "cut": "width"}
    for options in ({}, by_width, {"numeric": "intervals", "intervals": 3}, {"cuts": "all"}):
        binariser = Binariser(**options).fit(X, y)
        frame = pd.DataFrame(binariser.transform(X), columns=binariser.get_feature_names_out())
        for name in frame.columns:
            parts = name.split(" <= ")
            if name.count(" < ") == 0 and len(parts) == 2:
                assert (frame[name] == (X[parts[0]] <= float(parts[1]))).all(), name
            elif " = " in name:
                column, value = name.split(" = ")
                assert (frame[name] == (X[column].astype(str) == value)).all(), name


def test_unseen_and_missing_values_have_features_too():
    binariser = Binariser().fit(pd.DataFrame({"a": ["x", "y", "z", None]}))
    assert binariser.get_feature_names_out().tolist() == ["a = x", "a = y", "a = z", "a is unknown"]
    rows = pd.DataFrame({"a": ["w", None, "z"]})
    assert binariser.transform(rows).tolist() == [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    assert (
        Binariser(sparse_output=True).fit(rows).transform(rows).toarray()
        == Binariser().fit(rows).transform(rows)
    ).all()


def test_thresholds_need_classes(loans):
    X, y = loans
    with pytest.raises(ValueError, match="pass y"):
        Binariser(numeric="thresholds").fit(X)
    with pytest.raises(ValueError, match="numeric must be one of"):
        Binariser(numeric="bins").fit(X)
    # Who has no classes and asks for nothing gets intervals.
    names = [
        set(Binariser(numeric=how).fit(X, y).get_feature_names_out()) for how in ("intervals", "thresholds")
    ]
    assert set(Binariser().fit(X).get_feature_names_out()) == names[0]
    assert set(Binariser().fit(X, y).get_feature_names_out()) == names[1] != names[0]


@pytest.mark.parametrize("labels", [["no", "yes"], [0, 1]], ids=str)
def test_skops_saves_and_loads(loans, labels):
    X, y = loans
    y = np.array(labels)[(y == "yes").astype(int)]
    pipeline = make_pipeline(Binariser().set_output(transform="pandas"), DecisionSetClassifier()).fit(X, y)
    for estimator in (DecisionSetClassifier(numeric="thresholds").fit(X, y), pipeline):
        saved = skops.io.dumps(estimator)
        ours = skops.io.get_untrusted_types(data=saved)
        assert all(name.startswith("minrule.") for name in ours), ours
        again = skops.io.loads(saved, trusted=ours)
        assert again.predict(X).tolist() == estimator.predict(X).tolist()
        last, first = (steps[-1] if hasattr(steps, "steps") else steps for steps in (again, estimator))
        assert (last.rules_, last.status_, last.class_count_) == (
            first.rules_,
            first.status_,
            first.class_count_,
        )


def test_processes_give_the_same_rules(loans):
    expected = DecisionSetClassifier().fit(*loans)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        spread = DecisionSetClassifier().fit(*loans)
    assert spread.rules_ == expected.rules_
    assert (spread.status_, spread.lower_bound_) == (expected.status_, expected.lower_bound_)


@pytest.fixture(scope="module")
def cluster():
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            yield client


def test_a_cluster_gives_the_same_rules(cluster, loans):
    from dask.distributed import get_task_stream

    random = np.random.RandomState(0)
    many = pd.DataFrame(random.randint(0, 3, (200, 6)), columns=list("abcdef")).astype(str)
    for X, y in (loans, (many, (many["a"] + many["b"]).str.replace("2", "1"))):
        expected = DecisionSetClassifier(prefer_disjoint=True).fit(X, y)
        with get_task_stream(cluster) as stream, joblib.parallel_config(backend="dask"):
            spread = DecisionSetClassifier(prefer_disjoint=True).fit(X, y)
        assert spread.rules_ == expected.rules_
        assert (spread.status_, spread.lower_bound_) == (expected.status_, expected.lower_bound_)
        # It was the workers that did it.
        assert len({task["worker"] for task in stream.data}) == 2


def test_a_cluster_keeps_the_time_limit(cluster, hard):
    from sklearn.exceptions import ConvergenceWarning

    X, y = hard
    with joblib.parallel_config(backend="dask"), pytest.warns(ConvergenceWarning):
        model = DecisionSetClassifier(time_limit=2).fit(X, y)
    assert model.status_ == "time_limit"
    assert (model.predict(X) == y).all()
