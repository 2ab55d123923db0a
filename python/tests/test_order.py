"""Classes of sparse sets in an order."""

import json
import pickle
import subprocess

import joblib
import numpy as np
import pytest
from minrule import DecisionSetClassifier, DecisionSetClassifierCV
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

#: What a fitted model says of itself.
SAID = [
    "status_",
    "cost_",
    "lower_bound_",
    "gap_",
    "errors_",
    "rows_wrong_",
    "otherwise_",
    "order_",
    "proof_",
]

ASKED = [
    {"order": "rarest"},
    {"order": "frequent", "otherwise": "none"},
    {"order": [2, 0, 1]},
    {"order": (1, 2)},
    {"order": np.array([1, 2]), "otherwise": 0},
    {"order": [0, 1, 2], "otherwise": "none"},
    {"order": "rarest", "otherwise": 1},
]


@pytest.fixture
def noisy():
    """Three classes of different sizes that overlap, in numbers."""
    random = np.random.RandomState(3)
    y = random.choice(3, 240, p=[0.5, 0.3, 0.2])
    near = (y + (random.rand(240) < 0.3)) % 3
    return np.column_stack([y + random.normal(0, 0.9, 240), random.normal(0, 1, 240), near]), y


def fitted(X, y, weights=None, **options):
    return DecisionSetClassifier(alpha="0.7rows", **options).fit(X, y, weights)


def in_order(model, X, y, weights):
    """Labels, and errors by the objective, counted on the rows that reach each class."""
    fired = model.fired_rules(X).toarray()
    said = np.full(len(y), -1)
    errors = 0.0
    for label in model.order_:
        own = [number for number, rule in enumerate(model.rules_) if rule.class_ == label]
        reached = said < 0
        for rule, covered in ((model.rules_[number], fired[:, number] & reached) for number in own):
            assert weights[covered & (y == label)].sum() == pytest.approx(rule.support)
            assert weights[covered & (y != label)].sum() == pytest.approx(rule.wrong)
            errors += rule.wrong
        covered = fired[:, own].any(axis=1)
        if label != model.otherwise_:
            errors += weights[reached & (y == label) & ~covered].sum()
        said[reached & covered] = label
    return said, errors


@pytest.mark.parametrize("weighed", [False, True], ids=["plain", "weighed"])
@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_what_is_said_can_be_counted(noisy, asked, weighed):
    X, y = noisy
    weights = np.where(y == 2, 1.5, 1) if weighed else np.ones(len(y))
    model = fitted(X, y, weights if weighed else None, **asked)
    said, errors = in_order(model, X, y, weights)
    assert model.errors_ == pytest.approx(errors)
    assert model.cost_ == pytest.approx(model.price_ * model.size_ + model.errors_)
    assert (model.status_, model.lower_bound_, model.gap_) == ("optimal", model.cost_, 0)
    predicted, proba = model.predict(X), model.predict_proba(X)
    assert (predicted[said >= 0] == said[said >= 0]).all()
    assert len(set(predicted[said < 0])) <= 1
    assert model.rows_wrong_ == pytest.approx(weights[predicted != y].sum())
    assert proba.sum(axis=1) == pytest.approx(np.ones(len(y)))
    assert model.proof_.startswith(
        "Proven in order: each class's rules are proven best given those before it"
    )
    assert sorted(model.order_) == [0, 1, 2]
    assert model.otherwise_ in (None, model.order_[-1])
    assert (model.otherwise_ is None) == (asked.get("otherwise") == "none")
    # Rules stand in the order of their classes.
    places = [model.order_.index(rule.class_) for rule in model.rules_]
    assert places == sorted(places)
    assert model.rules_frame()["place"].tolist() == [place + 1 for place in places]


def test_the_order_is_the_one_asked_for(noisy):
    orders = [fitted(*noisy, **asked).order_ for asked in ASKED]
    assert orders == [[2, 1, 0], [0, 1, 2], [2, 0, 1], [1, 2, 0], [1, 2, 0], [0, 1, 2], [2, 0, 1]]
    for order in (None, "none"):
        assert fitted(*noisy, order=order).order_ is None
    assert DecisionSetClassifier(order="none").fit(*noisy).order_ is None


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [1.0, 2.0]], ids=repr)
def test_labels_of_any_type_have_an_order(loans, labels):
    X, y = loans[0], np.array(labels)[(loans[1] == "yes").astype(int)]
    for order in (labels, labels[::-1], labels[1:]):
        model = fitted(X, y, order=order)
        assert model.order_ == (order if len(order) > 1 else labels[::-1])
        assert [type(label) for label in model.order_] == [type(label) for label in labels]
        for copy in (pickle.loads(pickle.dumps(model)), DecisionSetClassifier.from_json(model.to_json())):
            assert (copy.order, copy.order_) == (order, model.order_)


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_a_model_on_file_is_the_same_model(noisy, asked):
    X, y = noisy
    weights = np.random.RandomState(0).uniform(0.1, 2, len(y))
    model = fitted(X, y, weights, **asked)
    again = DecisionSetClassifier.from_json(model.to_json())
    for other in (again, pickle.loads(pickle.dumps(model))):
        assert [getattr(other, name) for name in SAID] == [getattr(model, name) for name in SAID]
        assert other.rules_ == model.rules_
        assert (other.predict_proba(X) == model.predict_proba(X)).all()
        assert other.explain(X[:5]) == model.explain(X[:5])
        assert (other.fired_rules(X) != model.fired_rules(X)).nnz == 0
    assert again.to_json() == model.to_json()
    assert (again.otherwise, list(again.order)) == (model.otherwise, list(model.order))
    assert clone(again).fit(X, y, weights).rules_ == clone(model).fit(X, y, weights).rules_ == model.rules_


def test_files_go_both_ways(loans, cli, tmp_path):
    X, y = loans
    table = tmp_path / "loans.csv"
    X.assign(approved=y).to_csv(table, index=False)

    def run(*args):
        return subprocess.run([cli, *map(str, args)], capture_output=True, text=True, check=True).stdout

    for order in ("rarest", "no,yes"):
        model = fitted(X, y, order=order.split(",") if "," in order else order, otherwise="none")
        model.to_json(tmp_path / "ours.json")
        lines = [line.split(",") for line in run("predict", tmp_path / "ours.json", table).splitlines()]
        assert [line[0] for line in lines[1:]] == model.predict(X).tolist()
        options = ["--alpha", "0.7rows", "--order", order, "--otherwise", "none"]
        run("learn", table, *options, "--model", tmp_path / "theirs.json")
        theirs = DecisionSetClassifier.from_json(tmp_path / "theirs.json")
        assert theirs.rules_ == model.rules_
        assert [getattr(theirs, name) for name in SAID] == [getattr(model, name) for name in SAID]
        assert (theirs.order, theirs.otherwise, theirs.conflict) == (model.order_, "none", "order")
        assert (theirs.predict(X) == model.predict(X)).all()


def test_nothing_but_the_order_decides(noisy):
    X, y = noisy
    model = fitted(X, y, order="rarest")
    assert model.conflict is None and json.loads(model.to_json())["policy"]["conflict"] == "order"
    assert (model.set_params(conflict="order").predict(X) == fitted(X, y, order="rarest").predict(X)).all()
    for ask in (model.predict, model.predict_proba, model.explain):
        with pytest.raises(ValueError, match="the earlier class always wins"):
            model.set_params(conflict="majority")
            ask(X)


def test_classes_in_order_are_learned_here_whatever_the_workers(noisy):
    here = fitted(*noisy, order="rarest")
    with joblib.parallel_config(backend="loky", n_jobs=2):
        there = fitted(*noisy, order="rarest")
    assert there.rules_ == here.rules_
    assert [getattr(there, name) for name in SAID] == [getattr(here, name) for name in SAID]


def test_people_are_told_of_the_order(noisy, tmp_path):
    X, y = noisy
    model = fitted(X, y, order="rarest")
    page = model._repr_mimebundle_()["text/html"]
    assert "Order: 2, then 1, otherwise 0. A rule holds unless a rule of an earlier class fires." in page
    assert "each class&#x27;s rules are proven best given those before it" in page
    assert "A rule holds unless a rule of an earlier class fires" in model.export("text")
    fired = model.fired_rules(X).toarray()
    several = [
        row for row in range(len(y)) if len({model.rules_[i].class_ for i in np.flatnonzero(fired[row])}) > 1
    ]
    explained = model.explain(X[several[0]])
    first = next(
        label
        for label in model.order_
        if any(fired[several[0]][i] for i, r in enumerate(model.rules_) if r.class_ == label)
    )
    assert explained.class_ == first and {rule.class_ for rule in explained.rules} == {first}
    assert str(explained).startswith(f"{first} (a rule fires, and none of an earlier class)\n")
    model.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "the table it was learned from: the model holds." in page
    assert "A rule holds unless a rule of an earlier class fires" in page


def test_a_bound_may_be_written_without_decimals(noisy):
    X, y = noisy
    data = json.loads(fitted(X, y, order="rarest").to_json())
    data["decision_set"]["status"] = "feasible"
    for bound in (26, 26.0):
        data["decision_set"]["lower_bound"] = bound
        assert "cost at least 26 rows together" in DecisionSetClassifier.from_json(json.dumps(data)).proof_


def test_folds_of_ones_own_choose_an_order_too(noisy):
    X, y = noisy
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    alphas = [0.05, 0.02, "1row"]

    def chosen(**options):
        return DecisionSetClassifierCV(alphas=alphas, cv=folds, **options).fit(X, y)

    both = chosen(choose="best")
    results = both.cv_results_
    assert results["order"].tolist() == ["none"] * 3 + ["rarest"] * 3
    assert results["alpha"].tolist() == [0.05, 0.02, 1 / 240] * 2
    for order, places in [("none", slice(0, 3)), ("rarest", slice(3, 6))]:
        of_order = chosen(order=order, choose="best")
        # A class that is left out of the rest of the choice scores the same.
        assert of_order.cv_results_["order"].tolist() == [order] * 3
        assert of_order.cv_results_["mean_test_score"].tolist() == results["mean_test_score"][places].tolist()
        by_hand = [
            DecisionSetClassifier(alpha=0.02, order=order).fit(X[train], y[train]).score(X[test], y[test])
            for train, test in folds.split(X, y)
        ]
        assert [results[f"split{i}_test_score"][places][1] for i in range(3)] == pytest.approx(by_hand)
    # The better order is taken, and no order of equals.
    none, rarest = results["mean_test_score"][:3].max(), results["mean_test_score"][3:].max()
    assert (both.order_ is not None) == (rarest > none + 1e-9)
    assert both.plot_curve() is not None
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert (
            chosen(choose="best").cv_results_["mean_test_score"].tolist()
            == results["mean_test_score"].tolist()
        )
    listed = chosen(order=[2, 0, 1])
    assert listed.cv_results_["order"].tolist() == ["given"] * 3 and listed.order_ == [2, 0, 1]
    # Where something else decides conflicts, or there are two classes, there is no order to choose.
    assert set(chosen(conflict="precision").cv_results_["order"]) == {"none"}
    two = DecisionSetClassifierCV(alphas=alphas, cv=folds).fit(X, y == 1)
    assert set(two.cv_results_["order"]) == {"none"} and two.order_ is None
