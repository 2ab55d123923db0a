"""Alpha chosen by cross-validation, and the curve of best trades."""

import json
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, texts
from minrule import DecisionSetClassifier, DecisionSetClassifierCV
from sklearn.base import clone
from sklearn.model_selection import LeaveOneOut, StratifiedKFold


@pytest.fixture
def noisy():
    """A rule with noise: X and y."""
    random = np.random.RandomState(1)
    X = pd.DataFrame(random.randint(0, 3, (240, 5)), columns=list("abcde")).astype(str)
    y = np.where((X["a"] == "1") & (X["b"] != "2"), "yes", "no")
    return X, pd.Series(np.where(random.rand(240) < 0.1, "yes", y), name="said")


def test_auto_finds_the_rule_behind_the_noise(noisy):
    X, y = noisy
    model = DecisionSetClassifier(alpha="auto").fit(X, y)
    assert texts(model) == ["IF a = 1 AND b != 2 THEN said = yes"]
    assert model.status_ == "optimal" and model.otherwise_ == "no"
    results = model.cv_results_
    assert model.alpha_ in results["alpha"]
    assert len(results["alpha"]) == len(results["mean_accuracy"]) == len(results["se_log_loss"])
    assert results["alpha"] == sorted(results["alpha"], reverse=True)
    assert 0.85 < model.expected_["accuracy"] < 0.97 and 0 < model.expected_["se"] < 0.1
    assert "chosen by the other folds" in model.expected_["how"]
    # It is the set that this alpha leads to.
    assert texts(DecisionSetClassifier(alpha=model.alpha_).fit(X, y)) == texts(model)


def test_the_best_score_has_no_larger_alpha_than_one_standard_error_allows(noisy):
    one_se = DecisionSetClassifier(alpha="auto").fit(*noisy)
    best = DecisionSetClassifier(alpha="auto", choose="best").fit(*noisy)
    assert best.alpha_ <= one_se.alpha_
    scores = dict(zip(best.cv_results_["alpha"], best.cv_results_["mean_accuracy"]))
    assert scores[best.alpha_] == max(scores.values())
    losses = DecisionSetClassifier(alpha="auto", choose="best", scoring="neg_log_loss").fit(*noisy)
    scores = dict(zip(losses.cv_results_["alpha"], losses.cv_results_["mean_log_loss"]))
    assert scores[losses.alpha_] == min(scores.values())


def chosen(model):
    return texts(model), model.alpha_, model.expected_, model.cv_results_


def test_the_choice_is_the_same_on_any_number_of_threads_and_processes(noisy):
    expected = chosen(DecisionSetClassifier(alpha="auto").fit(*noisy))
    assert chosen(DecisionSetClassifier(alpha="auto", n_jobs=2).fit(*noisy)) == expected
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert chosen(DecisionSetClassifier(alpha="auto").fit(*noisy)) == expected


def test_a_cluster_makes_the_same_choice(noisy):
    from dask.distributed import Client, LocalCluster, get_task_stream

    expected = chosen(DecisionSetClassifier(alpha="auto").fit(*noisy))
    own = DecisionSetClassifierCV().fit(*noisy)
    options = dict(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        with get_task_stream(client) as stream, joblib.parallel_config(backend="dask"):
            assert chosen(DecisionSetClassifier(alpha="auto").fit(*noisy)) == expected
            spread = DecisionSetClassifierCV().fit(*noisy)
        assert len({task["worker"] for task in stream.data}) == 2
    assert (spread.alpha_, texts(spread)) == (own.alpha_, texts(own))


@pytest.mark.parametrize(
    "options", [{}, {"choose": "best", "folds": 4}, {"scoring": "log-loss", "repeats": 2}]
)
def test_the_command_line_makes_the_same_choice(noisy, cli, tmp_path, options):
    X, y = noisy
    path = tmp_path / "noisy.csv"
    X.assign(said=y).to_csv(path, index=False)
    loans = pd.read_csv(ROOT / "data" / "loans.csv")
    tables = [(path, X, y), (ROOT / "data" / "loans.csv", loans.drop(columns="approved"), loans["approved"])]
    names = {"scoring": "score"}
    asked = [f"--{names.get(name, name)}={value}" for name, value in options.items()]
    for file, X, y in tables:
        command = [cli, "learn", file, "--alpha=auto", "--format=json", *asked]
        said = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        model = DecisionSetClassifier(alpha="auto", **options).fit(X, y)
        assert model.alpha_ == said["alpha"] == float(said["choice"]["alpha"])
        assert model.expected_ == said["expected"]
        assert model.size_ == said["size"]
        assert model.cv_results_["mean_accuracy"] == [of["accuracy"] for of in said["choice"]["tried"]]


def test_time_limits_are_kept(hard):
    X, y = hard
    model = DecisionSetClassifier(alpha="auto", time_limit=1)
    with pytest.warns() if sys.flags.dev_mode else pytest.MonkeyPatch.context():
        model.fit(X, y)
    assert model.status_ in ("optimal", "time_limit")
    assert model.expected_ is not None


def test_what_goes_only_with_auto_is_refused_without(noisy):
    for options in ({"choose": "best"}, {"folds": 3}, {"repeats": 2}, {"scoring": "accuracy"}):
        with pytest.raises(ValueError, match=f"{next(iter(options))} must be None unless alpha='auto'"):
            DecisionSetClassifier(alpha=0.01, **options).fit(*noisy)
    for options, words in [
        ({"choose": "worst"}, "choose must be None or one of 'one-se', 'best'"),
        ({"folds": 1}, "folds must be None or a whole number, 2 or more"),
        ({"scoring": "f1"}, "scoring must be None or one of 'accuracy'"),
        ({"folds": 1000}, "folds"),
    ]:
        with pytest.raises(ValueError, match=words):
            DecisionSetClassifier(alpha="auto", **options).fit(*noisy)


def test_models_on_file_say_what_to_expect(noisy):
    model = DecisionSetClassifier(alpha="auto").fit(*noisy)
    for copy in (pickle.loads(pickle.dumps(model)), DecisionSetClassifier.from_json(model.to_json())):
        assert copy.expected_ == model.expected_
        assert copy.alpha_ == model.alpha_ and copy.alpha == "auto"


def test_weights_count_as_rows(noisy):
    X, y = noisy
    twice = DecisionSetClassifier(alpha="auto").fit(X, y, sample_weight=np.full(len(y), 2.0))
    once = DecisionSetClassifier(alpha="auto").fit(X, y)
    assert (twice.alpha_, texts(twice)) == (once.alpha_, texts(once))


def test_a_class_with_one_row_and_tables_of_few_rows():
    X = pd.DataFrame({"a": list("xxyyxy"), "b": list("uvuvuv")})
    model = DecisionSetClassifier(alpha="auto").fit(X, ["p", "p", "q", "q", "p", "r"])
    assert set(model.classes_) == {"p", "q", "r"}
    model = DecisionSetClassifier(alpha="auto").fit(X.head(3), ["p", "p", "q"])
    assert model.expected_["how"].startswith("3-fold")


# ---------------------------------------------------------------------- the curve


def test_the_curve_has_the_best_set_of_every_alpha(noisy):
    X, y = noisy
    estimator = DecisionSetClassifier()
    curve = estimator.curve(X, y, down_to="0.5rows")
    assert estimator.curve_ is curve and not hasattr(estimator, "classes_")
    assert curve[0].size == 0 and curve[0].alpha_to is None
    assert curve[-1].alpha_from == pytest.approx(0.5 / 240)
    sizes, errors = [point.size for point in curve], [point.errors for point in curve]
    assert sizes == sorted(sizes) and errors == sorted(errors, reverse=True)
    for point in curve:
        assert point.status == "optimal"
        fitted = DecisionSetClassifier(alpha=point.alpha).fit(X, y)
        assert (fitted.size_, fitted.errors_) == (point.size, point.errors)
        assert point.model.errors_ == point.errors and point.model.status_ == "optimal"
        assert (point.model.predict(X) == fitted.predict(X)).all()
        assert curve.at(point.alpha) is point
    assert list(curve.frame()["size"]) == sizes
    with pytest.raises(ValueError, match="ends at alpha"):
        curve.at(0.0001)


def test_the_curve_is_that_of_the_command_line(noisy, cli, tmp_path):
    X, y = noisy
    path = tmp_path / "noisy.csv"
    X.assign(said=y).to_csv(path, index=False)
    said = subprocess.run([cli, "curve", path, "--format=json"], capture_output=True, check=True).stdout
    curve = DecisionSetClassifier().curve(X, y)
    for point, of in zip(curve, json.loads(said)["points"], strict=True):
        for name in ("alpha_from", "alpha_to", "rules", "literals", "size", "errors", "status"):
            assert getattr(point, name) == of[name]


def test_the_curve_is_drawn(noisy):
    import matplotlib

    matplotlib.use("Agg")
    estimator = DecisionSetClassifier()
    with pytest.raises(ValueError, match=r"curve\(X, y\) first"):
        estimator.plot_curve()
    curve = estimator.curve(*noisy)
    axes = estimator.plot_curve()
    assert axes.lines[0].get_xdata().tolist() == [point.size for point in curve]


def test_an_order_has_no_curve(noisy):
    with pytest.raises(ValueError, match="order must be None or 'none' for a curve"):
        DecisionSetClassifier(order="rarest").curve(*noisy)


# ---------------------------------------------------------------------- folds and scores of one's own


def test_the_classifier_with_folds_of_its_own(noisy):
    X, y = noisy
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    model = DecisionSetClassifierCV(alphas=["2rows", 0.1, "1%"], cv=folds, scoring="balanced_accuracy").fit(
        X, y
    )
    results = model.cv_results_
    assert results["alpha"].tolist() == [0.1, 0.01, 2 / 240]
    by_hand = []
    for train, test in folds.split(X, y):
        from sklearn.metrics import balanced_accuracy_score

        one = DecisionSetClassifier(alpha=0.01).fit(X.iloc[train], y.iloc[train])
        by_hand.append(balanced_accuracy_score(y.iloc[test], one.predict(X.iloc[test])))
    assert [results[f"split{i}_test_score"][1] for i in range(4)] == pytest.approx(by_hand)
    assert results["mean_test_score"][1] == pytest.approx(np.mean(by_hand))
    assert any(model.alpha_ == pytest.approx(alpha) for alpha in results["alpha"])
    score, error = model.expected_score_
    assert 0.5 < score <= 1 and 0 <= error < 0.2
    assert str(clone(model)) == str(model)


def test_any_folds_and_kinds_of_data(loans):
    X, y = loans
    small = X.head(24), y.head(24)
    assert DecisionSetClassifierCV(cv=LeaveOneOut(), alphas=[0.1]).fit(*small).alpha_ == 0.1
    polars = pytest.importorskip("polars")
    by_pandas = DecisionSetClassifierCV(cv=3).fit(X, y)
    assert DecisionSetClassifierCV(cv=3).fit(polars.from_pandas(X), y).alpha_ == by_pandas.alpha_
    assert DecisionSetClassifierCV.from_json(by_pandas.to_json()).size_ == by_pandas.size_
    with pytest.raises(ValueError, match="alphas must be None or a list"):
        DecisionSetClassifierCV(alphas=[]).fit(X, y)
