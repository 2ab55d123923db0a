"""What a fitted model says, shows and writes."""

import json
import pickle
import sqlite3
import subprocess
import sys

import matplotlib

matplotlib.use("agg")
import numpy as np
import pandas as pd
import pytest
from conftest import texts
from minrule import Condition, DecisionSetClassifier
from sklearn.base import clone

pytestmark = pytest.mark.filterwarnings("ignore:rows that agree::")


@pytest.fixture
def model(loans):
    return DecisionSetClassifier(numeric="thresholds").fit(*loans)


def holds(condition: Condition, row) -> bool:
    """A condition judged by its words alone."""
    value = row[condition.feature]
    return {
        "=": lambda: str(value) == condition.value,
        "!=": lambda: str(value) != condition.value,
        "<=": lambda: value <= condition.value,
        ">": lambda: value > condition.value,
        "not <=": lambda: not value <= condition.value,
        "not >": lambda: not value > condition.value,
        "is missing": lambda: pd.isna(value),
        "is not missing": lambda: not pd.isna(value),
    }[condition.op]()


def test_the_rules_mean_what_they_say(model, loans):
    X, y = loans
    fired = model.fired_rules(X).toarray()
    assert fired.shape == (len(X), len(model.rules_))
    for number, rule in enumerate(model.rules_):
        by_words = [all(holds(c, row) for c in rule.conditions) for _, row in X.iterrows()]
        assert (fired[:, number] == by_words).all(), rule
        own = np.array(by_words) & (y == rule.class_)
        assert own.sum() >= rule.support > 0
        assert (
            rule.text == f"IF {' AND '.join(str(c) for c in rule.conditions)} THEN approved = {rule.class_}"
        )


def test_predictions_follow_the_rules_that_fire(model, loans):
    X, _ = loans
    fired = model.fired_rules(X).toarray()
    predicted, proba = model.predict(X), model.predict_proba(X)
    for row in range(len(X)):
        classes = {model.rules_[i].class_ for i in np.flatnonzero(fired[row])}
        if len(classes) == 1:
            assert {predicted[row]} == classes
    assert np.allclose(proba.sum(axis=1), 1)
    assert (model.classes_[proba.argmax(axis=1)] == predicted).all()


def test_rows_that_the_rules_do_not_decide(model, loans):
    X, _ = loans
    nothing = pd.DataFrame({column: [None] for column in X.columns})
    unsure = pd.concat([X, nothing], ignore_index=True)
    counts = model.fired_rules(unsure).sum(axis=1)
    abstaining = clone(model).set_params(uncovered="abstain").fit(*loans)
    said = abstaining.predict(unsure)
    assert said.dtype == object
    assert ((np.asarray(counts).ravel() == 0) == np.array([label is None for label in said])).all()
    assert (abstaining.predict_proba(unsure)[[label is None for label in said]] == 0).all()
    assert abstaining.score(unsure[:-1], loans[1]) == pytest.approx(model.score(*loans), abs=0.01)
    assert abstaining.score(unsure[-1:], ["no"]) == 0
    # Policies are read when they are used.
    assert model.set_params(uncovered="nearest").predict(unsure)[-1] in model.classes_


def test_a_row_is_explained_however_it_is_given(model, loans):
    X, _ = loans
    row = X.iloc[7]
    explained = model.explain(X.iloc[[7]])
    assert explained.class_ == model.predict(X.iloc[[7]])[0]
    assert all(rule in model.rules_ for rule in explained.rules)
    assert model.explain(row) == model.explain(row.to_dict()) == explained
    with pytest.warns(UserWarning, match="feature names"):
        assert model.explain(list(row)) == explained
    for other in explained.counterfactuals:
        changed = X.iloc[[7]].astype(object)
        for change in other.changes:
            number = pd.to_numeric(change.to, errors="coerce")
            changed[change.feature] = change.to if pd.isna(number) else number
        assert model.predict(changed.infer_objects())[0] == other.class_
    assert str(explained).startswith(f"{explained.class_} (all rules that fire agree)\n  IF ")
    with pytest.raises(ValueError, match="one row"):
        model.explain(X)
    with pytest.raises(ValueError, match="no value for"):
        model.explain({"age": 3})


def test_a_change_names_only_conditions_that_it_meets_anew(model, loans):
    for row in range(len(loans[0])):
        x = loans[0].iloc[[row]]
        for change in (c for other in model.explain(x).counterfactuals for c in other.changes):
            if change.conditions:
                rules = (
                    rule
                    for rule in model.rules_
                    if set(change.conditions) <= {str(c) for c in rule.conditions}
                )
                named = [c for c in next(rules).conditions if str(c) in change.conditions]
                assert not all(holds(c, x.iloc[0]) for c in named), (row, change)


def test_the_rules_as_a_frame(model):
    frame = model.rules_frame()
    assert list(frame.columns) == ["rule", "class", "support", "size"]
    assert frame["size"].sum() == model.size_
    assert frame["class"].tolist() == [rule.class_ for rule in model.rules_]


def test_files_go_both_ways_between_python_and_the_command_line(model, loans, cli, tmp_path):
    X, y = loans
    table = tmp_path / "loans.csv"
    X.assign(approved=y).to_csv(table, index=False)

    def run(*args):
        return subprocess.run([cli, *map(str, args)], capture_output=True, text=True, check=True).stdout

    model.to_json(tmp_path / "ours.json")
    predicted = run("predict", tmp_path / "ours.json", table).splitlines()
    assert predicted[1:] == model.predict(X).tolist()

    run("learn", table, "--numeric", "thresholds", "--model", tmp_path / "theirs.json")
    theirs = DecisionSetClassifier.from_json(tmp_path / "theirs.json")
    assert theirs.rules_ == model.rules_
    assert theirs.get_params()["numeric"] == "thresholds"
    assert (theirs.predict(X) == model.predict(X)).all()
    # Only the columns that rules test are needed.
    used = {condition.feature for rule in theirs.rules_ for condition in rule.conditions}
    assert (theirs.predict(X[sorted(used)]) == model.predict(X)).all()


@pytest.mark.parametrize("labels", [["a", "b"], [0, 1], [False, True], [0.0, 1.0]], ids=repr)
def test_a_model_on_file_is_the_same_model(loans, labels, tmp_path):
    X, y = loans
    model = DecisionSetClassifier(uncovered="nearest").fit(X, np.array(labels)[(y == "yes").astype(int)])
    again = DecisionSetClassifier.from_json(model.to_json())
    unpickled = pickle.loads(pickle.dumps(model))
    for other in (again, unpickled):
        assert other.rules_ == model.rules_
        assert other.classes_.tolist() == model.classes_.tolist()
        assert (other.predict(X) == model.predict(X)).all()
        assert np.allclose(other.predict_proba(X), model.predict_proba(X))
        assert other.uncovered == "nearest"
        assert (other.status_, other.lower_bound_, other.gap_) == (
            model.status_,
            model.lower_bound_,
            model.gap_,
        )
        assert other.class_count_ == model.class_count_
    assert again.to_json() == model.to_json()


def test_files_that_are_no_models_are_refused(tmp_path):
    with pytest.raises(ValueError, match="not a minrule model"):
        DecisionSetClassifier.from_json('{"format": "other", "version": 1}')
    with pytest.raises(FileNotFoundError):
        DecisionSetClassifier.from_json(tmp_path / "none.json")


def test_exports_predict_the_same(model, loans, tmp_path):
    X, y = loans
    program = tmp_path / "rules.py"
    model.export("python", program)
    table = tmp_path / "loans.csv"
    X.to_csv(table, index=False)
    with open(table) as file:
        done = subprocess.run(
            [sys.executable, program], stdin=file, capture_output=True, text=True, check=True
        )
    assert done.stdout.splitlines() == model.predict(X).tolist()
    for form in ("text", "json", "sql", "rust", "c", "pmml", "latex", "markdown", "html"):
        assert model.export(form)
    with pytest.raises(ValueError, match="to must be one of"):
        model.export("cobol")
    assert sqlite3.complete_statement(model.export("sql"))


def test_a_report_is_one_page(model, loans, tmp_path):
    model.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
    assert model.rules_[0].conditions[0].text.replace("<", "\\u003c") in page
    assert "the table it was learned from: the model holds." in page
    with pytest.raises(ValueError, match="fitted here"):
        pickle.loads(pickle.dumps(model)).report(tmp_path / "other.html")
    with pytest.raises(FileNotFoundError):
        model.report(tmp_path / "none" / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_notebooks_show_the_rules(model):
    page = model._repr_mimebundle_()["text/html"]
    assert "Proven: no decision set is smaller." in page
    assert page.count("<tr>") == len(model.rules_) + 1
    hostile = DecisionSetClassifier().fit(pd.DataFrame({"<script>": ["<b>", "x"]}), ["<i>", "y"])
    page = hostile._repr_mimebundle_()["text/html"]
    assert "<script>" not in page and "<i>" not in page and "&lt;script&gt; = &lt;b&gt;" in page


def test_an_unfitted_model_shows_its_parameters():
    bundle = DecisionSetClassifier(intervals=7)._repr_mimebundle_()
    assert "intervals=7" in bundle["text/plain"] and "intervals" in bundle["text/html"]


def test_a_plot_has_a_bar_for_each_rule(model):
    ax = model.plot_coverage()
    assert len(ax.patches) == len(model.rules_)
    widths = [patch.get_width() for patch in ax.patches]
    assert widths == pytest.approx([rule.support / model.class_count_[rule.class_] for rule in model.rules_])
    assert model.plot_coverage(ax) is ax


def test_the_json_is_the_command_lines_and_a_little_more(model):
    data = json.loads(model.to_json())
    assert data["format"] == "minrule-model"
    assert data["python"]["feature_names"] == list(model.feature_names_in_)
    assert texts(model)
