"""Sets whose rules may be wrong where it pays."""

import json
import pickle
import subprocess
import warnings
from fractions import Fraction

import joblib
import numpy as np
import pytest
from minrule import DataWarning, DecisionSetClassifier
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

#: What a fitted model says of itself.
SAID = [
    "status_",
    "cost_",
    "lower_bound_",
    "gap_",
    "price_",
    "errors_",
    "rows_wrong_",
    "otherwise_",
    "proof_",
]


@pytest.fixture
def model(loans):
    return DecisionSetClassifier(alpha="2rows").fit(*loans)


@pytest.fixture
def noisy():
    """Three classes that overlap, in numbers."""
    random = np.random.RandomState(3)
    y = random.randint(0, 3, 240)
    near = (y + (random.rand(240) < 0.3)) % 3
    return np.column_stack([y + random.normal(0, 0.9, 240), random.normal(0, 1, 240), near]), y


def recounted(model, X, y, weights=None):
    """Errors by the objective and size, counted by the rules that fire."""
    fired = model.fired_rules(X).toarray()
    weights = np.ones(len(y)) if weights is None else np.asarray(weights)
    errors = 0.0
    for label in model.classes_:
        if label == model.otherwise_:
            continue
        own = [number for number, rule in enumerate(model.rules_) if rule.class_ == label]
        for number in own:
            rule, covered = model.rules_[number], fired[:, number]
            assert weights[covered & (y == label)].sum() == pytest.approx(rule.support)
            assert weights[covered & (y != label)].sum() == pytest.approx(rule.wrong)
            assert rule.precision == pytest.approx(rule.support / (rule.support + rule.wrong))
            errors += rule.wrong
        errors += weights[(y == label) & ~fired[:, own].any(axis=1)].sum()
    return errors


def by_precision(model, X):
    """The class and the share of each row, by the rules that fire."""
    order = list(model.class_count_)
    fired = model.fired_rules(X).toarray()
    for row in range(len(fired)):
        best = None
        for rule in (model.rules_[number] for number in np.flatnonzero(fired[row])):
            right = Fraction(rule.support) + 1
            precision = right / (right + Fraction(rule.wrong) + 1)
            # Of equals the label that appeared first.
            key = (precision, -order.index(rule.class_))
            best = max(best, (key, rule.class_)) if best else (key, rule.class_)
        yield (None, None) if best is None else (best[1], float(best[0][0]))


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 0.01},
        {"alpha": "0.7rows", "otherwise": "none"},
        {"alpha": "2%", "otherwise": 1},
        {"alpha": 0.004, "objective": "rules"},
        {"alpha": "3 rows", "objective": "literals", "cuts": 8},
    ],
    ids=str,
)
def test_what_is_said_can_be_counted(noisy, options):
    X, y = noisy
    model = DecisionSetClassifier(**options).fit(X, y)
    units = {"rules": model.n_rules_, "literals": model.n_literals_}.get(model.objective, model.size_)
    assert model.errors_ == recounted(model, X, y)
    assert model.cost_ == pytest.approx(model.price_ * units + model.errors_)
    assert (model.status_, model.lower_bound_, model.gap_) == ("optimal", model.cost_, 0)
    assert model.rows_wrong_ == (model.predict(X) != y).sum()
    assert model.score(X, y) == pytest.approx(1 - model.rows_wrong_ / len(y))
    proba = model.predict_proba(X)
    assert proba.sum(axis=1) == pytest.approx(np.ones(len(y)))
    default = model.otherwise_ if model.otherwise_ is not None else np.bincount(y).argmax()
    for label, shares, (named, share) in zip(model.predict(X), proba, by_precision(model, X)):
        assert label == (default if named is None else named)
        assert named is None or shares[named] == share
    described = {rule.class_ for rule in model.rules_}
    assert model.otherwise_ not in described
    assert (model.otherwise_ is None) == (options.get("otherwise") == "none")


def test_sets_that_are_never_wrong_say_nothing_of_it(loans):
    with pytest.warns(DataWarning, match="settled by majority"):
        model = DecisionSetClassifier(numeric="intervals").fit(*loans)
    assert model.cost_ == model.size_ == model.lower_bound_
    assert {model.price_, model.errors_, model.rows_wrong_, model.otherwise_} == {None}
    assert {rule.wrong for rule in model.rules_} == {rule.precision for rule in model.rules_} == {None}
    assert list(model.rules_frame().columns) == ["rule", "class", "support", "size"]
    pair = DecisionSetClassifier(objective="rules-then-literals").fit(loans[0][["history"]], loans[1])
    assert pair.cost_ == (pair.n_rules_, pair.n_literals_)


def test_equal_rows_of_different_classes_are_counted_and_not_settled():
    X, y = [["a"]] * 5 + [["b"]] * 5, [1, 1, 1, 1, 0] + [0] * 5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = DecisionSetClassifier(alpha="0.1rows").fit(X, y)
    assert (model.errors_, model.rows_wrong_, model.otherwise_) == (1, 1, 0)
    assert [(rule.support, rule.wrong, rule.precision) for rule in model.rules_] == [(4, 1, 0.8)]
    assert model.conflicts_["rows_dropped"] == 1


@pytest.mark.parametrize(
    "labels", [["no", "yes"], [0, 1], [False, True], [1.0, 2.0], ["auto", "none"]], ids=repr
)
def test_a_label_of_any_type_may_do_without_rules(loans, labels):
    X, y = loans[0], np.array(labels)[(loans[1] == "yes").astype(int)]
    for label in labels:
        model = DecisionSetClassifier(alpha="2rows", otherwise=label).fit(X, y)
        # As on the command line, what has a meaning cannot be a label.
        expected = {"auto": "auto", "none": None}.get(label, label)
        assert model.otherwise_ == expected
        for copy in (pickle.loads(pickle.dumps(model)), DecisionSetClassifier.from_json(model.to_json())):
            assert copy.otherwise == model.otherwise and type(copy.otherwise) is type(model.otherwise)


def test_alpha_in_several_ways(loans):
    said = {"0.0125", 0.0125, "1.25%", " 1.25 % ", "2rows", "2 rows", np.float32(0.0125), Fraction(1, 80)}
    prices = {DecisionSetClassifier(alpha=alpha).fit(*loans).price_ for alpha in said}
    assert prices == {2.0}
    # Of a number, nine decimals count.
    assert DecisionSetClassifier(alpha=1 / 300).fit(*loans).price_ == pytest.approx(160 / 300, abs=1e-6)
    assert DecisionSetClassifier(alpha="1row").fit(*loans).price_ == 1


@pytest.mark.parametrize("weight", [2, 0.5, 0.125, 1 / 3], ids=str)
def test_weights_count_in_errors_and_rows_are_meant_by_weight(noisy, weight):
    X, y = noisy
    plain = DecisionSetClassifier(alpha="2.4rows").fit(X, y)
    # All rows weigh the same, and so does the price.
    share = DecisionSetClassifier(alpha=0.01).fit(X, y, np.full(240, weight))
    rows = DecisionSetClassifier(alpha=f"{2.4 * weight:.9f}rows").fit(X, y, np.full(240, weight))
    for model in (share, rows):
        assert [rule.text for rule in model.rules_] == [rule.text for rule in plain.rules_]
        assert model.price_ == pytest.approx(2.4 * weight, rel=1e-5)
        assert model.cost_ == pytest.approx(plain.cost_ * weight, rel=1e-5)
        assert model.errors_ == pytest.approx(plain.errors_ * weight)
        assert model.rows_wrong_ == pytest.approx(plain.rows_wrong_ * weight)
        assert recounted(model, X, y, np.full(240, weight)) == pytest.approx(model.errors_)


def test_class_weights_make_errors_dear(noisy):
    X, y = noisy
    wrong = {}
    for weight in (1, 20):
        model = DecisionSetClassifier(alpha="2rows", class_weight={2: weight}, otherwise=0).fit(X, y)
        weights = np.where(y == 2, weight, 1)
        assert model.errors_ == recounted(model, X, y, weights)
        assert model.rows_wrong_ == weights[model.predict(X) != y].sum()
        wrong[weight] = (model.predict(X[y == 2]) != 2).sum()
    assert wrong[20] < wrong[1]
    balanced = DecisionSetClassifier(alpha=0.003162277660168, class_weight="balanced").fit(X, y)
    assert balanced.status_ == "optimal" and balanced.price_ == pytest.approx(0.0031622776 * 240, rel=1e-5)


def test_a_model_on_file_is_the_same_model(noisy):
    X, y = noisy
    weights = np.random.RandomState(0).uniform(0.1, 2, len(y))
    for options in [
        {"alpha": 0.01},
        {"alpha": "2rows", "otherwise": "none"},
        {"alpha": "1%", "otherwise": 2},
    ]:
        model = DecisionSetClassifier(**options).fit(X, y, weights)
        again = DecisionSetClassifier.from_json(model.to_json())
        for other in (again, pickle.loads(pickle.dumps(model))):
            assert [getattr(other, name) for name in SAID] == [getattr(model, name) for name in SAID]
            assert other.rules_ == model.rules_
            assert (other.predict(X) == model.predict(X)).all()
            assert (other.predict_proba(X) == model.predict_proba(X)).all()
            assert (other.alpha, other.otherwise) == (model.alpha, model.otherwise)
            assert other.explain(X[:5]) == model.explain(X[:5])
        assert again.to_json() == model.to_json()
        assert clone(model).fit(X, y, weights).rules_ == model.rules_
        assert clone(again).fit(X, y, weights).rules_ == model.rules_


def test_files_go_both_ways(model, loans, cli, tmp_path):
    X, y = loans
    table = tmp_path / "loans.csv"
    X.assign(approved=y).to_csv(table, index=False)

    def run(*args):
        return subprocess.run([cli, *map(str, args)], capture_output=True, text=True, check=True).stdout

    model.to_json(tmp_path / "ours.json")
    said = run("predict", tmp_path / "ours.json", table, "--proba")
    lines = [line.split(",") for line in said.splitlines()]
    assert [line[0] for line in lines[1:]] == model.predict(X).tolist()
    shares = model.predict_proba(X)[:, [model.classes_.tolist().index(name) for name in ("yes", "no")]]
    assert [[float(share) for share in line[1:]] for line in lines[1:]] == shares.tolist()
    run("learn", table, "--alpha", "2rows", "--model", tmp_path / "theirs.json")
    theirs = DecisionSetClassifier.from_json(tmp_path / "theirs.json")
    assert theirs.rules_ == model.rules_
    assert [getattr(theirs, name) for name in SAID] == [getattr(model, name) for name in SAID]
    assert (theirs.alpha, theirs.otherwise, theirs.conflict) == (0.0125, "no", "precision")
    assert (theirs.predict(X) == model.predict(X)).all()


def test_rows_wrong_are_counted_with_the_policy_that_is_written(noisy):
    X, y = noisy
    model = DecisionSetClassifier(alpha="0.5rows", otherwise="none").fit(X, y)
    assert model.conflict is None
    counted = set()
    for policy in [
        {"conflict": "majority"},
        {"conflict": "size", "uncovered": "nearest"},
        {"conflict": "abstain"},
    ]:
        data = json.loads(model.set_params(**policy).to_json())
        assert data["policy"]["conflict"] == policy["conflict"]
        said = model.predict(X)
        assert data["decision_set"]["rows_wrong"] == sum(a != b for a, b in zip(said, y))
        counted.add(data["decision_set"]["rows_wrong"])
    assert len(counted) > 1
    copy = pickle.loads(pickle.dumps(model.set_params(conflict=None, uncovered="default")))
    assert copy.to_json() == model.to_json()
    with pytest.raises(ValueError, match="only with the training data"):
        copy.set_params(conflict="size").to_json()
    assert len(copy.predict(X)) == len(X)


def test_a_conflict_is_settled_by_precision_unless_somebody_says_otherwise(noisy):
    X, y = noisy
    options = {"alpha": "0.5rows", "otherwise": "none", "cuts": 8}
    model = DecisionSetClassifier(**options).fit(X, y)
    as_usual = model.predict(X)
    assert (model.set_params(conflict="precision").predict(X) == as_usual).all()
    assert (model.set_params(conflict="majority").predict(X) != as_usual).any()


def test_classes_on_workers_are_the_classes_here(noisy):
    X, y = noisy
    for otherwise in (None, "none", 2):
        here = DecisionSetClassifier(alpha="1row", otherwise=otherwise).fit(X, y)
        with joblib.parallel_config(backend="loky", n_jobs=2):
            there = DecisionSetClassifier(alpha="1row", otherwise=otherwise).fit(X, y)
        assert there.rules_ == here.rules_
        assert [getattr(there, name) for name in SAID] == [getattr(here, name) for name in SAID]


def test_a_row_that_no_rule_covers_is_explained(model, loans):
    X, _ = loans
    uncovered = np.asarray(model.fired_rules(X).sum(axis=1)).ravel() == 0
    explained = model.explain(X[uncovered].iloc[[0]])
    assert (explained.class_, explained.decided_by, explained.rules) == ("no", "uncovered", ())
    assert explained.otherwise and str(explained).startswith("no (otherwise: no rule fires)\nFor yes: ")
    covered = model.explain(X[~uncovered].iloc[[0]])
    assert not covered.otherwise
    (other,) = covered.counterfactuals
    assert (other.class_, other.rule, other.fewest) == ("no", None, True)
    assert str(covered).endswith("\n  Then no rule fires")
    assert not model.set_params(uncovered="nearest").explain(X[uncovered].iloc[[0]]).otherwise


def test_a_notebook_shows_what_is_wrong(loans):
    model = DecisionSetClassifier(alpha="2rows", numeric="intervals").fit(*loans)
    page = model._repr_mimebundle_()["text/html"]
    heads = ["precision", "right", "wrong", "size"]
    assert "".join(f"<th class=n>{head}</th>" for head in heads) in page
    assert "<td class=n>96.87%</td><td class=n>31</td><td class=n>1</td><td class=n>6</td>" in page
    assert "<tr><td><i>otherwise</i></td><td>no</td></tr></table>" in page
    assert "Cost 26 rows: 2 for each rule and literal, and 8 errors." in page
    assert "Predicted wrongly: 8 of 160 training rows." in page
    assert "is a better trade of errors against size" in page
    frame = model.rules_frame()
    assert frame[["support", "wrong", "precision"]].values.tolist() == [[51, 0, 1], [31, 1, 0.96875]]


def test_a_price_that_no_rule_is_worth(loans, tmp_path):
    X, y = loans
    for otherwise in (None, "none"):
        model = DecisionSetClassifier(alpha="50rows", otherwise=otherwise).fit(X, y)
        assert (model.rules_, model.n_rules_, model.status_) == ([], 0, "optimal")
        assert (model.predict(X) == "no").all() and model.rows_wrong_ == (y != "no").sum()
        assert model.predict_proba(X)[0] == pytest.approx([(y == "no").mean(), (y == "yes").mean()])
        assert model.explain(X.iloc[[0]]).class_ == "no"
        assert model.feature_importances_.tolist() == [0] * 6
        assert "size 0" in model._repr_html_inner()
        assert model.plot_coverage() is not None
        assert model.export("text")
        model.report(tmp_path / "page.html")


def test_a_limit_leaves_a_gap_in_rows(hard):
    with pytest.warns(ConvergenceWarning, match="The time limit was reached. Not proven optimal"):
        model = DecisionSetClassifier(alpha="0.05rows", time_limit=0.5).fit(*hard, np.full(400, 0.5))
    assert model.status_ == "time_limit"
    assert model.gap_ == pytest.approx(model.cost_ - model.lower_bound_)
    assert 0 < model.gap_ <= model.cost_
    # The words count rows by weight too.
    assert f"(gap {model.gap_:g} rows)" in model.proof_ or f"{round(model.gap_, 6)} rows)" in model.proof_


def test_alpha_is_found_by_cross_validation(noisy):
    X, y = noisy
    grid = np.logspace(-3, -1, 4)
    search = GridSearchCV(DecisionSetClassifier(), {"alpha": grid}, cv=3).fit(X, y)
    assert search.best_estimator_.price_ == pytest.approx(240 * search.best_params_["alpha"], rel=1e-5)
    # What costs as much as a third of the rows is not bought.
    assert search.best_params_["alpha"] < grid[-1] and search.best_score_ > 0.5


def test_a_report_is_made_of_it(model, tmp_path):
    model.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "the table it was learned from: the model holds." in page
    assert "is a better trade of errors against size" in page
