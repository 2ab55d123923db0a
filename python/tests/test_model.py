"""What a fitted model says, shows and writes."""

import json
import os
import pickle
import re
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from xml.etree import ElementTree

import matplotlib

matplotlib.use("agg")
import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import texts
from minrule import Condition, DataWarning, DecisionSetClassifier, DecisionSetClassifierCV, _display
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectFromModel
from sklearn.metrics import accuracy_score

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
        ">=": lambda: value >= condition.value,
        "not <=": lambda: not value <= condition.value,
        "not >": lambda: not value > condition.value,
        "not <": lambda: not value < condition.value,
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
        assert rule.text == f"IF {' AND '.join(rule.phrases)} THEN approved = {rule.class_}"
        assert rule.symbols().count(" AND ") == len(rule.conditions) - 1


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
    with pytest.raises(ValueError, match="no value for"):
        model.explain({"age": 3})


def test_advised_values_occur_and_fixed_columns_stay(model, loans):
    X, _ = loans
    for fixed in ([], ["age", "history"], list(X.columns)):
        for explained in model.explain(X, fixed=fixed):
            assert explained.advised_values_occur
            for other in explained.counterfactuals:
                assert other.fewest and other.changes
                for change in other.changes:
                    assert change.feature not in fixed
                    values = X[change.feature]
                    assert change.to in {str(value) for value in values} or float(change.to) in set(values)
            reached = {other.class_ for other in explained.counterfactuals}
            far = {other.class_ for other in explained.out_of_reach if other.proven}
            assert reached | far == set(model.classes_) - {explained.class_}
            assert not (fixed == list(X.columns) and reached)
    assert "For " in str(explained) and "no change would do" in str(explained)
    assert model.explain(X, fixed="age") == model.explain(X, fixed=["age"])
    with pytest.raises(ValueError, match='no column "agee"'):
        model.explain(X, fixed=["agee"])


def test_several_rows_are_explained_one_by_one(model, loans):
    X = loans[0].iloc[:20]
    explained = model.explain(X)
    assert explained == [model.explain(X.iloc[[row]]) for row in range(len(X))]
    assert [explanation.class_ for explanation in explained] == model.predict(X).tolist()
    with pytest.warns(UserWarning, match="feature names"):
        assert model.explain(X.to_numpy()) == model.explain(X.to_numpy().tolist()) == explained
    assert model.explain(X.iloc[:1]) == explained[0]


def test_ctrl_c_ends_many_explanations(model, loans):
    many = pd.concat([loans[0]] * 2000, ignore_index=True)

    def out_of_time(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, out_of_time)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            model.explain(many)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_importances_are_shares_of_what_rules_cover(model, loans):
    X, y = loans
    expected = dict.fromkeys(X.columns, 0.0)
    for rule in model.rules_:
        for name in {condition.feature for condition in rule.conditions}:
            expected[name] += rule.support / len({condition.feature for condition in rule.conditions})
    total = sum(expected.values())
    assert model.feature_importances_ == pytest.approx([expected[name] / total for name in X.columns])
    assert model.feature_importances_.sum() == pytest.approx(1)
    # scikit-learn's own users of it.
    few = SelectFromModel(model, prefit=True, threshold=0.2).get_support()
    assert few.tolist() == (model.feature_importances_ >= 0.2).tolist()
    array = DecisionSetClassifier().fit(np.array([[0, 0], [0, 1], [1, 0]]), [0, 0, 1])
    assert array.feature_importances_.tolist() == [1, 0]


@pytest.mark.parametrize(
    "labels, undecided, dtype", [(["no", "yes"], "?", object), ([0, 1], -1, np.int64), ([0, 1], "?", object)]
)
def test_a_label_of_your_own_for_rows_left_undecided(loans, labels, undecided, dtype):
    X, y = loans
    y = np.array(labels, dtype=None if labels[0] == 0 else object)[(y == "yes").astype(int)]
    nothing = pd.concat([X, pd.DataFrame({column: [None] for column in X.columns})], ignore_index=True)
    truth = [*y.tolist(), labels[0]]
    model = DecisionSetClassifier(numeric="thresholds", uncovered="abstain", undecided=undecided).fit(X, y)
    said = model.predict(nothing)
    assert said.dtype == dtype and said[-1] == undecided
    decided = said != undecided
    assert said[decided].tolist() == model.set_params(undecided=None).predict(nothing)[decided].tolist()
    model.set_params(undecided=undecided)
    assert DecisionSetClassifier.from_json(model.to_json()).predict(nothing).tolist() == said.tolist()
    if type(undecided) is type(labels[0]):
        assert accuracy_score(truth, said) == pytest.approx(np.mean(np.array(truth, object) == said))
        assert model.score(nothing, truth) == accuracy_score(truth, said)
    # A row that is left undecided is not predicted, whatever it is called.
    assert model.score(nothing.iloc[[-1]], [undecided]) == 0
    with pytest.raises(ValueError, match="undecided must be no label of y"):
        model.set_params(undecided=labels[0]).predict(X)


def test_a_change_names_only_conditions_that_it_meets_anew(model, loans):
    for row in range(len(loans[0])):
        x = loans[0].iloc[[row]]
        for change in (c for other in model.explain(x).counterfactuals for c in other.changes):
            if change.conditions:
                rules = (rule for rule in model.rules_ if set(change.conditions) <= set(rule.phrases))
                named = [c for c in next(rules).conditions if c.feature == change.feature]
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


def test_a_model_of_another_spelling_reads_frames_in_it(cli, tmp_path):
    text = "x;city;class\n" + "".join(f"{i},5;{'ab'[i % 2]};{int(i > 6)}\n" for i in range(12)) + "-9;a;1\n"
    table = tmp_path / "table.csv"
    table.write_text(text)
    spelled = ["--separator", ";", "--decimal", ",", "--missing-values=-9", "--numeric", "thresholds"]
    model = tmp_path / "model.json"
    subprocess.run(
        [cli, "learn", table, "--model", model, "--quiet", *spelled], check=True, capture_output=True
    )
    model = DecisionSetClassifier.from_json(model)
    texts = pd.read_csv(table, sep=";", dtype=str)
    numbers = texts.assign(x=texts["x"].str.replace(",", ".").astype(float))
    for frame in (texts, texts.astype(object), numbers, pl.from_pandas(numbers), numbers.astype(object)):
        assert model.predict(frame).tolist() == texts["class"].tolist()
        assert [explained.class_ for explained in model.explain(frame)] == texts["class"].tolist()


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
    assert model.rules_[0].phrases[0].replace("<", "\\u003c") in page
    assert "the table it was learned from: the model holds." in page
    with pytest.raises(ValueError, match="fitted here"):
        pickle.loads(pickle.dumps(model)).report(tmp_path / "other.html")
    with pytest.raises(FileNotFoundError):
        model.report(tmp_path / "none" / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_report_shows_the_sets_of_a_curve(loans, tmp_path):
    model = DecisionSetClassifier(alpha=0.02).fit(*loans)
    curve = model.curve(*loans)
    model.report(tmp_path / "page.html", curve=curve)
    page = (tmp_path / "page.html").read_text()
    assert page.count('<template class="set">') == len(curve)
    assert "on new rows is not known" in page
    model.report(tmp_path / "page.html", curve=model.curve(*loans, cross_validate=3))
    assert "right on new rows, ± one standard error" in (tmp_path / "page.html").read_text()
    X, y = loans
    with pytest.raises(ValueError, match="not a curve of this model and table"):
        model.report(tmp_path / "page.html", curve=model.curve(X[:100], y[:100]))


def test_what_is_written_goes_where_the_path_leads(model, tmp_path):
    target, link = tmp_path / "folder" / "target.json", tmp_path / "link.json"
    target.parent.mkdir()
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    writers = [model.to_json, lambda path: model.export("json", path), model.report]
    for write in writers:
        write(link)
        assert link.is_symlink() and len(target.read_text()) > 100
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
        assert [path.name for path in target.parent.iterdir()] == ["target.json"]
        target.write_text("old")


def test_what_is_written_to_a_pipe_arrives(model, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    # Opening waits for the writer, and reading takes the interpreter that the writer must leave free.
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    text = model.to_json(pipe)
    reader.join()
    assert got == [text]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_ctrl_c_ends_waiting_at_a_pipe(model, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def out_of_time(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, out_of_time)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            model.to_json(pipe)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    pipe.read_text()


def test_what_is_written_to_a_device_leaves_it_one(model, tmp_path):
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        device.write_text("it opens")
    except PermissionError:
        pytest.skip("devices cannot be made or opened here")
    model.to_json(device)
    assert stat.S_ISCHR(device.stat().st_mode)


@pytest.mark.parametrize("objective", ["size", "rules", "literals", "rules-then-literals"])
def test_the_proof_is_about_the_objective(loans, objective):
    X, y = loans
    model = DecisionSetClassifier(objective=objective).fit(X[["history", "guarantor"]], y)
    words = {"size": "is smaller", "literals": "has fewer literals"}.get(objective, "has fewer rules")
    assert f"no decision set over these 8 conditions {words}" in model._repr_html_inner()


def test_what_stopped_a_model_is_read_from_its_file(hard, tmp_path):
    with pytest.warns(ConvergenceWarning, match="The time limit was reached. Not proven"):
        model = DecisionSetClassifier(time_limit=0.5).fit(*hard)
    # The limit is not for what comes after.
    model.report(tmp_path / "page.html")
    data = json.loads(model.to_json())
    for of_class in data["decision_set"]["classes"]:
        if of_class["stopped_by"]:
            of_class["stopped_by"] = "memory-limit"
    assert DecisionSetClassifier.from_json(json.dumps(data)).status_ == "memory_limit"
    assert pickle.loads(pickle.dumps(model)).status_ == "time_limit"


@pytest.mark.parametrize(
    "share, text",
    [
        (1, "100.00%"),
        (0.999999, "99.99%"),
        (1 - 1e-15, "99.99%"),
        (0.29, "29.00%"),
        (0.99999, "99.99%"),
        (0, "0.00%"),
    ],
)
def test_shares_are_rounded_down(share, text):
    assert _display.percent(share) == text


def test_a_lost_vote_in_many_rows_is_not_a_hundred_percent():
    X = np.array([[0]] * 60_000 + [[1]] * 60_000)
    y = [0] * 59_999 + [1] * 60_001
    with pytest.warns(DataWarning, match=r"agree with 99\.99% of the rows"):
        DecisionSetClassifier().fit(X, y)


def test_notebooks_show_the_rules(model):
    page = model._repr_mimebundle_()["text/html"]
    assert re.search("Proven optimal: no decision set over these [0-9]+ conditions is smaller", page)
    assert page.count("<tr>") == len(model.rules_) + 1
    hostile = DecisionSetClassifier().fit(pd.DataFrame({"<script>": ["<b>", "x"]}), ["<i>", "y"])
    page = hostile._repr_mimebundle_()["text/html"]
    assert "<script>" not in page and "<i>" not in page and "&lt;script&gt;&quot; = &quot;&lt;b&gt;" in page


def test_notebooks_say_first_what_to_expect(loans):
    perfect = DecisionSetClassifier().fit(*loans)
    assert "<p>What to expect on new rows is not known" in perfect._repr_html_inner()
    assert "<svg" not in perfect._repr_html_inner()
    auto = DecisionSetClassifier(alpha="auto").fit(*loans)
    own = DecisionSetClassifierCV(scoring="balanced_accuracy").fit(*loans)
    curve = DecisionSetClassifier(alpha="2rows").fit(*loans)
    curve.curve(*loans)
    expected = _display.percent(auto.expected_["accuracy"])
    for model, words in [
        (auto, f"Expected on new rows: {expected} right, ±"),
        (own, "Expected on new rows: balanced accuracy 0."),
        (curve, "What to expect on new rows is not known"),
    ]:
        page = model._repr_html_inner()
        assert page.index(words) < page.index("<table>") < page.index("<svg") < page.index("literals, size")
        # Well-formed, on its own, and in the colours of the page.
        drawn = ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])
        assert drawn.find("title").text.endswith("against size")
        rings = [of for of in drawn.iter("circle") if of.get("stroke") == "currentColor"]
        assert len(rings) == 1 and drawn.get("fill") == "currentColor"
        assert "<script" not in page and "http" not in page


def test_an_unfitted_model_shows_its_parameters():
    bundle = DecisionSetClassifier(cuts=7)._repr_mimebundle_()
    assert "cuts=7" in bundle["text/plain"] and "cuts" in bundle["text/html"]


def test_rules_are_made_when_somebody_asks(loans):
    model = DecisionSetClassifier().fit(*loans)
    assert model._rules is None
    assert len(model.rules_) == model.n_rules_ and model.rules_ is model.rules_
    assert not hasattr(DecisionSetClassifier(), "rules_")


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
