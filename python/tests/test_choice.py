"""Alpha chosen by cross-validation, and the curve of best trades."""

import pickle
import signal
import subprocess
import sys
import textwrap
import time
import warnings

import joblib
import matplotlib
import numpy as np
import pandas as pd
import pytest
from conftest import texts
from minrule import DecisionSetClassifier, DecisionSetClassifierCV
from minrule._progress import Count
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, LeaveOneOut, StratifiedKFold, cross_validate

matplotlib.use("Agg")


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
    assert texts(model) == ["IF a = 1 AND b <= 1 THEN said = yes"]
    assert model.status_ == "optimal" and model.otherwise_ == "no"
    results = model.cv_results_
    assert model.alpha_ in results["alpha"]
    assert len(results["alpha"]) == len(results["mean_accuracy"]) == len(results["se_log_loss"])
    assert results["alpha"] == sorted(results["alpha"], reverse=True)
    assert 0.85 < model.expected_["accuracy"] < 0.97 and 0 < model.expected_["se"] < 0.1
    assert "chosen by the other folds" in model.expected_["how"]
    assert model.expected_["chosen"] == {"alpha": str(model.alpha_)}
    # It is the set that this alpha leads to.
    assert texts(DecisionSetClassifier(alpha=model.alpha_).fit(X, y)) == texts(model)


def test_the_best_score_has_no_larger_alpha_than_one_standard_error_allows(noisy):
    one_se = DecisionSetClassifier(alpha="auto").fit(*noisy)
    best = DecisionSetClassifier(alpha="auto", choose="best").fit(*noisy)
    assert best.alpha_ <= one_se.alpha_

    def scores_of(model, score):
        """Of what was tried in every repeat: nothing else is chosen."""
        results = model.cv_results_
        tried = zip(results["alpha"], results[score], results["repeats"])
        assert min(results["repeats"]) == 1 and max(results["repeats"]) == 3
        return {alpha: score for alpha, score, repeats in tried if repeats == 3}

    scores = scores_of(best, "mean_accuracy")
    assert scores[best.alpha_] == pytest.approx(max(scores.values()))
    losses = DecisionSetClassifier(alpha="auto", choose="best", scoring="neg_log_loss").fit(*noisy)
    scores = scores_of(losses, "mean_log_loss")
    assert scores[losses.alpha_] == pytest.approx(min(scores.values()))


def test_time_limits_are_kept(hard):
    X, y = hard
    model = DecisionSetClassifier(alpha="auto", time_limit=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
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


def test_rows_may_stand_apart(noisy):
    apart, together = (DecisionSetClassifier(alpha=alpha).fit(*noisy) for alpha in ("2 rows", "2rows"))
    assert texts(apart) == texts(together) and apart.alpha_ == together.alpha_ == 2 / 240


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


def test_a_curve_is_read_off_at_rows_and_shares(noisy):
    X, y = noisy
    curve = DecisionSetClassifier().curve(X, y, down_to="0.5 rows")
    assert curve.at("2rows") is curve.at("2 rows") is curve.at(2 / 240)
    assert curve.at("5%") is curve.at(0.05)
    with pytest.raises(ValueError, match="alpha must be a share"):
        curve.at("many")


def test_points_are_classifiers_that_can_be_fitted_again(noisy):
    X, y = noisy
    weights = np.where(y == "yes", 1.25, 0.5)
    for estimator in (
        DecisionSetClassifier(alpha="auto", choose="best"),
        DecisionSetClassifier(max_size=4),
        DecisionSetClassifierCV(choose="best", cv=3),
    ):
        for point in estimator.curve(X, y, weights, down_to="2rows"):
            again = clone(point.model).fit(X, y, weights)
            assert (again.size_, again.errors_) == (point.size, point.errors)
            assert point.model.alpha_ == pytest.approx(again.alpha_)
            assert type(again) is DecisionSetClassifier


def test_a_curve_says_what_to_expect_if_somebody_asks(noisy):
    estimator = DecisionSetClassifier()
    curve = estimator.curve(*noisy, cross_validate=4, repeats=2)
    assert all(0.5 < point.accuracy <= 1 and 0 <= point.accuracy_se < 0.2 for point in curve)
    assert {"accuracy", "accuracy_se", "balanced_accuracy", "log_loss_se"} < set(curve.frame().columns)
    assert "accuracy" not in estimator.curve(*noisy).frame().columns
    for asked, words in [
        ({"cross_validate": 1}, "cross_validate must be None or a whole number, 2 or more"),
        ({"cross_validate": 1000}, "no more than there are rows"),
        ({"repeats": 2}, "repeats must be None unless with cross_validate"),
    ]:
        with pytest.raises(ValueError, match=words):
            estimator.curve(*noisy, **asked)


def test_the_curve_is_drawn(noisy):
    estimator = DecisionSetClassifier()
    with pytest.raises(ValueError, match=r"curve\(X, y\) first"):
        estimator.plot_curve()
    curve = estimator.curve(*noisy)
    sizes = [point.size for point in curve]
    axes = estimator.plot_curve()
    assert axes.lines[0].get_xdata().tolist() == sizes and len(axes.figure.axes) == 1
    # With what to expect on rows not seen, and its band.
    estimator.curve(*noisy, cross_validate=3)
    first, second = estimator.plot_curve().figure.axes
    assert first.lines[0].get_xdata().tolist() == second.lines[0].get_xdata().tolist() == sizes
    assert second.get_ylabel().startswith("accuracy") and second.collections
    # What was tried in choosing is drawn, too.
    for chooser in (DecisionSetClassifier(alpha="auto"), DecisionSetClassifierCV(cv=3, scoring="f1_macro")):
        axes = chooser.fit(*noisy).plot_curve()
        assert axes.lines[0].get_xdata().tolist() == list(chooser.cv_results_["mean_size"])
    assert axes.get_ylabel().startswith("f1 macro")
    assert estimator.plot_curve(axes) is axes


def test_fit_forgets_what_was_chosen_before(noisy):
    model = DecisionSetClassifier(alpha="auto").fit(*noisy)
    model.curve(*noisy)
    model.set_params(alpha=0.05).fit(*noisy)
    assert not any(hasattr(model, name) for name in ("cv_results_", "curve_", "budget_"))
    assert model.expected_ is None


def test_limits_end_a_curve_with_what_was_found(hard):
    estimator = DecisionSetClassifier(time_limit=1)
    curve = estimator.curve(*hard, cross_validate=3)
    assert any(point.status == "feasible" for point in curve)
    assert all(point.accuracy is not None for point in curve)


def test_an_order_has_no_curve(noisy):
    with pytest.raises(ValueError, match="order must be None or 'none' for a curve"):
        DecisionSetClassifier(order="rarest").curve(*noisy)


# ---------------------------------------------------------------------- budgets


def test_a_budget_has_the_best_set_of_the_curve_within_it(noisy):
    X, y = noisy
    curve = DecisionSetClassifier().curve(X, y)
    for size in (0, 3, 5, 50):
        model = DecisionSetClassifier(max_size=size).fit(X, y)
        assert model.size_ <= size and model.status_ == "optimal"
        assert model.errors_ == min(point.errors for point in curve if point.size <= size)
        assert model.budget_["least_errors"] <= model.errors_
    most = curve[1].errors
    for errors in (most, float(most), str(most), f"{100 * most / 240}%"):
        model = DecisionSetClassifier(max_errors=errors).fit(X, y)
        assert (model.size_, model.errors_) == (curve[1].size, curve[1].errors)
        assert model.budget_["least_size"] <= model.size_
    share = DecisionSetClassifier(max_errors=0.2).fit(X, y)
    assert share.errors_ <= 48 and texts(share) == texts(DecisionSetClassifier(max_errors="20%").fit(X, y))


def test_errors_are_allowed_by_their_weight(noisy):
    X, y = noisy
    once = DecisionSetClassifier(max_errors=30).fit(X, y)
    half = DecisionSetClassifier(max_errors=15).fit(X, y, np.full(len(y), 0.5))
    assert texts(half) == texts(once) and half.errors_ == once.errors_ / 2
    assert half.budget_["least_size"] == once.budget_["least_size"]


def test_a_budget_that_is_none(noisy):
    for options, words in [
        ({"max_size": -1}, "max_size must be None or a whole number, 0 or more"),
        ({"max_rules": "few"}, "max_rules must be None or a whole number"),
        ({"max_errors": "many"}, "max_errors must be None, a whole number of rows, or a share"),
        ({"max_errors": -3}, "max_errors must be"),
        ({"max_errors": "200%"}, "max_errors"),
        ({"max_size": 3, "alpha": 0.1}, "alpha must be None with max_size, max_rules, max_errors"),
        ({"max_size": 3, "alpha": "auto"}, "alpha must be None with"),
        ({"down_to": 0.1}, "down_to must be None unless with max_size"),
        ({"max_size": 3, "down_to": "far"}, "alpha must be more than zero"),
        ({"max_size": 3, "order": "rarest"}, "order must be None"),
        ({"max_size": 3, "method": "enumerate"}, "alpha"),
        ({"max_errors": 0}, "no set down to alpha '1row' is within the budget"),
    ]:
        with pytest.raises(ValueError, match=words):
            DecisionSetClassifier(**options).fit(*noisy)


def test_a_budget_within_limits(hard):
    model = DecisionSetClassifier(max_size=20, time_limit=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(*hard)
    assert model.size_ <= 20 and model.status_ in ("optimal", "time_limit")
    copy = pickle.loads(pickle.dumps(model))
    assert copy.budget_ == model.budget_ and copy.max_size == 20


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


def test_alphas_that_are_none(noisy):
    for alphas in ([], "auto", 0.1, ["many"], [None], [True]):
        with pytest.raises(ValueError, match="alphas must be"):
            DecisionSetClassifierCV(alphas=alphas).fit(*noisy)
    for alphas in ([0.1, -0.1], [0], np.array([0.0])):
        with pytest.raises(ValueError, match="alpha"):
            DecisionSetClassifierCV(alphas=alphas).fit(*noisy)
    assert DecisionSetClassifierCV(alphas=np.array([0.1, 0.2]), cv=3).fit(*noisy).alpha_ in (0.1, 0.2)


def test_groups_stay_together(noisy):
    X, y = noisy
    groups = np.arange(len(y)) % 7
    model = DecisionSetClassifierCV(cv=GroupKFold(4), alphas=[0.05, 0.02]).fit(X, y, groups=groups)
    splits = list(GroupKFold(4).split(X, y, groups))
    by_hand = DecisionSetClassifierCV(cv=splits, alphas=[0.05, 0.02]).fit(X, y)
    assert model.cv_results_["mean_test_score"].tolist() == by_hand.cv_results_["mean_test_score"].tolist()
    with pytest.raises(ValueError, match="groups"):
        DecisionSetClassifierCV(cv=GroupKFold(4)).fit(X, y)


def test_groups_and_weights_are_routed(noisy):
    import sklearn

    X, y = noisy
    groups, weights = np.arange(len(y)) % 7, np.where(y == "yes", 2.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = DecisionSetClassifierCV(cv=GroupKFold(3), alphas=[0.05])
        model.set_fit_request(sample_weight=True, groups=True).set_score_request(sample_weight=False)
        given = {"sample_weight": weights, "groups": groups}
        assert len(cross_validate(model, X, y, cv=2, params=given, error_score="raise")["test_score"]) == 2


def test_weights_count_in_scores_as_rows_do(noisy):
    X, y = noisy
    weights = 1 + np.arange(len(y)) % 3
    folds = list(StratifiedKFold(3).split(X, y))
    alphas = ["3rows", "9 rows"]
    weighed = DecisionSetClassifierCV(cv=folds, alphas=alphas).fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(len(y)), weights)
    of_rows = [tuple(np.flatnonzero(np.isin(rows, part)) for part in fold) for fold in folds]
    repeated = DecisionSetClassifierCV(cv=of_rows, alphas=alphas)
    repeated.fit(X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True))
    for name in ("alpha", "mean_test_score", "mean_size"):
        assert weighed.cv_results_[name] == pytest.approx(repeated.cv_results_[name])
    assert weighed.alpha_ == pytest.approx(repeated.alpha_) and texts(weighed) == texts(repeated)


def test_rows_are_those_that_count_whatever_they_weigh(noisy):
    X, y = noisy
    model = DecisionSetClassifierCV(alphas=["4rows"], cv=3, class_weight={"yes": 3, "no": 1}).fit(X, y)
    one = DecisionSetClassifier(alpha="4rows", class_weight={"yes": 3, "no": 1}).fit(X, y)
    assert model.alpha_ == one.alpha_ and texts(model) == texts(one)
    assert model.cv_results_["alpha"][0] == pytest.approx(model.alpha_)


# ---------------------------------------------------------------------- people who wait


@pytest.mark.parametrize("backend", ["threading", "loky"])
@pytest.mark.parametrize(
    "estimator", [DecisionSetClassifier(alpha="auto"), DecisionSetClassifierCV()], ids=str
)
def test_a_bar_counts_the_folds(noisy, estimator, backend, capsys):
    pytest.importorskip("tqdm")
    with joblib.parallel_config(backend=backend, n_jobs=2):
        clone(estimator).set_params(verbose=1).fit(*noisy)
    shown = capsys.readouterr().err
    # Few rows are cut into folds three times.
    parts = 15 if estimator.__class__ is DecisionSetClassifier else 5
    assert "folds" in shown and f"/{parts}" in shown
    clone(estimator).fit(*noisy)
    assert capsys.readouterr().err == ""


def test_lines_without_tqdm_say_what_is_left(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(Count, "PAUSE", 0.0)
    with Count("folds", 5, 1) as count:
        count.start -= 10
        count(2)
        with Count("prices solved", None, 1) as other:
            other(7)
    first, second = capsys.readouterr().err.splitlines()
    assert first == "  10 s  2 of 5 folds, 15 s left" and second == "   0 s  7 prices solved"


#: What is interrupted before there is any set.
CHOICES = {
    "auto": "DecisionSetClassifier(alpha='auto').fit(X, y)",
    "auto on threads": "DecisionSetClassifier(alpha='auto', n_jobs=2).fit(X, y)",
    "own folds": "DecisionSetClassifierCV().fit(X, y)",
    "own folds on threads": "DecisionSetClassifierCV(n_jobs=2).fit(X, y)",
    "auto in processes": "in_processes(DecisionSetClassifier(alpha='auto'))",
    "own folds in processes": "in_processes(DecisionSetClassifierCV())",
}

FIT = """
import joblib
import numpy as np
from minrule import DecisionSetClassifier, DecisionSetClassifierCV

random = np.random.RandomState(0)
X, y = random.randint(0, 2, (3000, 60)), random.randint(0, 2, 3000)

def in_processes(estimator):
    with joblib.parallel_config(backend="loky", n_jobs=2):
        estimator.fit(X, y)

if __name__ == "__main__":
    print("fitting", flush=True)
    try:
        {work}
        print("not interrupted", flush=True)
    except KeyboardInterrupt:
        print("interrupted")
"""


#: What has something to show when it is interrupted.
FOUND = {
    "a budget": "print(DecisionSetClassifier(max_size=9).fit(X, y).status_)",
    "a curve": "print('interrupted' if len(DecisionSetClassifier().curve(X, y, cross_validate=5)) else '')",
}


@pytest.mark.parametrize("choice", CHOICES)
def test_ctrl_c_while_alpha_is_chosen(choice):
    assert interrupted(CHOICES[choice]) == "interrupted\n"


@pytest.mark.parametrize("found", FOUND)
def test_ctrl_c_leaves_what_was_found(found):
    assert interrupted(FOUND[found]) == "interrupted\nnot interrupted\n"


def interrupted(work):
    """What a program prints that hears Ctrl-C after a while."""
    program = textwrap.dedent(FIT).replace("{work}", work)
    command = [sys.executable, "-W", "ignore", "-c", program]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "fitting\n"
    time.sleep(2)
    child.send_signal(signal.SIGINT)
    # How soon is measured elsewhere; here it must only not be as late as the folds would take.
    printed = child.communicate(timeout=60)[0]
    assert child.returncode == 0
    return printed
