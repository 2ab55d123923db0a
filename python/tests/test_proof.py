"""What `fit` leaves on file besides the model: certificates, what is known, and its history."""

import json
import os
import pickle
import signal
import subprocess
import threading
import time

import joblib
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from hypothesis import HealthCheck, given, settings
from minrule import DecisionSetClassifier
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from test_command_line import OPTIONS, as_csv, as_frame, tables

pytestmark = pytest.mark.filterwarnings("ignore::minrule.DataWarning")

LOANS = ROOT / "data" / "loans.csv"


@pytest.fixture
def check(cli, tmp_path):
    """What `minrule check` says of a model, a table and the certificates in a folder."""

    def run(model, table, proof):
        model.to_json(tmp_path / "model.json")
        command = [cli, "check", tmp_path / "model.json", table, "--proof", proof]
        return subprocess.run(command, capture_output=True, text=True)

    return run


@pytest.fixture
def messy(tmp_path):
    """A table on file that pandas writes in words of its own, with missing values and contradictions."""
    random = np.random.RandomState(3)
    lines = ["weight,kept,kind,parts,what"]
    for _ in range(60):
        weight = random.choice(["1.50", "2.0", "03", "", "4.25", "1e1"])
        kind = random.choice(["a", " b", '"c, d"', "?"])
        row = [
            weight,
            random.choice(["True", "False"]),
            kind,
            str(random.randint(9)),
            random.choice([*"012"]),
        ]
        lines.append(",".join(row))
    path = tmp_path / "messy.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


QUESTIONS = [
    {},
    {"numeric": "thresholds", "objective": "rules-then-literals"},
    {"prefer_disjoint": True, "negations": False, "random_state": 1},
    {"alpha": "2rows", "otherwise": "none"},
    {"alpha": 0.01, "order": "rarest"},
    {"missing": "drop-rows"},
    {"ignore": ["guarantor"]},
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_the_command_line_accepts_certificates_of_a_frame(check, loans, question, tmp_path):
    model = DecisionSetClassifier(proof=tmp_path / "proof", **question).fit(*loans)
    assert model.status_ == "optimal"
    checked = check(model, LOANS, tmp_path / "proof")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "what is said of them fits" in checked.stdout or "right about" in checked.stdout
    assert "The proof holds for" in checked.stdout
    assert model.check_proof(tmp_path / "proof") == f"The proof holds. {model.proof_}"


@pytest.mark.parametrize("question", [{}, {"alpha": "1row"}], ids=str)
def test_however_the_values_are_written(check, messy, question, tmp_path):
    table = pd.read_csv(messy)
    model = DecisionSetClassifier(proof=tmp_path / "proof", **question)
    model.fit(table.drop(columns="what"), table["what"])
    checked = check(model, messy, tmp_path / "proof")
    assert (checked.returncode, checked.stderr) == (0, "")


@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(table=tables(), options=OPTIONS)
def test_whatever_the_table(check, tmp_path, table, options):
    columns, labels = table
    path, proof = tmp_path / "table.csv", tmp_path / "proof"
    path.write_text(as_csv(columns, labels), encoding="utf-8")
    try:
        model = DecisionSetClassifier(**options, proof=proof).fit(as_frame(columns), labels)
    except ValueError:
        return
    checked = check(model, path, proof)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_certificates_are_of_the_examples(check, loans, tmp_path):
    X, y = loans
    proof = tmp_path / "proof"
    weighted = DecisionSetClassifier(proof=proof).fit(X, y, sample_weight=np.arange(len(y)) % 3 + 1)
    # A file has no weights: the rules may hold for it, but it is another table.
    checked = check(weighted, LOANS, proof)
    assert checked.returncode == 6
    assert "not the table that the model was learned from" in checked.stderr
    assert "The proof is refused" in checked.stdout
    weighted.check_proof(proof)

    some = DecisionSetClassifier().fit(X[10:], y[10:])
    with pytest.raises(ValueError, match="the proof is refused: the manifest of the proof says"):
        some.check_proof(proof)
    with pytest.raises(ValueError, match="there is no certificate class-1.proof"):
        some.check_proof(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="check_proof needs a model fitted here"):
        pickle.loads(pickle.dumps(some)).check_proof(proof)


def test_a_broken_certificate_is_refused(loans, tmp_path):
    model = DecisionSetClassifier(proof=tmp_path).fit(*loans)
    certificate = tmp_path / "class-1.proof"
    lines = certificate.read_text(encoding="utf-8").splitlines(keepends=True)
    bound = next(i for i, line in enumerate(lines) if line.startswith("bound "))
    lines[bound] = f"bound {int(lines[bound].split()[1]) + 1}\n"
    certificate.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(ValueError, match='the proof is refused: class "yes"'):
        model.check_proof(tmp_path)
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"manifest\.json"):
        model.check_proof(tmp_path)


class NotLookedAt:
    """Data that whoever looks at them hears of."""

    def __getattr__(self, name):
        raise AssertionError(f"{name} was asked for before the parameters were checked")


REFUSED = [
    (
        {"proof": "p", "method": "mds2", "objective": "rules"},
        ValueError,
        "choose method='lazy' with cover='branch'",
    ),
    ({"proof": "p", "cover": "ilp"}, ValueError, "choose method='lazy' with cover='branch'"),
    ({"resume": "r", "alpha": 0.01, "order": "rarest"}, ValueError, "resume"),
    ({"proof": 3}, ValueError, "proof must be a path or None; it is 3"),
    ({"resume": ["r"]}, ValueError, r"resume must be a path or None; it is \['r'\]"),
    ({"resume": "nowhere/file"}, FileNotFoundError, "nowhere/file"),
    ({"trace": "nowhere/file"}, FileNotFoundError, "nowhere/file"),
    ({"trace": "."}, IsADirectoryError, "."),
    ({"proof": "file/folder"}, OSError, "file/folder"),
]


@pytest.mark.parametrize(("parameters", "error", "words"), REFUSED, ids=lambda value: str(value)[:40])
def test_what_cannot_be_is_refused_before_the_work(parameters, error, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("kept", encoding="utf-8")
    with pytest.raises(error, match=words):
        DecisionSetClassifier(**parameters).fit(NotLookedAt(), NotLookedAt())
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def first_known(trace):
    """What was first known of each class: its cost and its bound."""
    first = {}
    for moment in json.loads(trace.read_text(encoding="utf-8")):
        first.setdefault(moment["class"], (moment["cost"], moment["lower_bound"]))
    return first


@pytest.mark.parametrize("question", [{}, {"alpha": "2rows", "otherwise": "none"}, {"cover": "ilp"}], ids=str)
def test_a_fit_goes_on_from_what_is_on_file(loans, question, tmp_path):
    files = {"resume": tmp_path / "progress.json", "trace": tmp_path / "trace.json"}
    model = DecisionSetClassifier(numeric="thresholds", **question, **files)
    expected = model.fit(*loans).cost_
    for _ in range(2):
        again = clone(model).fit(*loans)
        assert (again.status_, again.cost_) == ("optimal", expected)
        known = first_known(files["trace"]).values()
        costs, bounds = zip(*known)
        assert sum(costs) == expected
        # Covers by other means have no certificates: their bounds are proven anew.
        assert "cover" in question or costs == bounds
    assert sorted(path.name for path in tmp_path.iterdir()) == ["progress.json", "trace.json"]


def test_stopped_fits_never_go_back(hard, tmp_path):
    stopped = DecisionSetClassifier(time_limit=1, resume=tmp_path / "progress.json", proof=tmp_path / "proof")
    cost = np.inf
    for _ in range(3):
        with pytest.warns(ConvergenceWarning):
            stopped.fit(*hard)
        assert stopped.cost_ <= cost
        cost = stopped.cost_
        assert "The proof holds. " in stopped.check_proof(tmp_path / "proof")


def test_ctrl_c_leaves_what_is_known(hard, tmp_path):
    progress, proof = tmp_path / "progress.json", tmp_path / "proof"

    def interrupt():
        while not progress.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    model = DecisionSetClassifier(resume=progress, proof=proof)
    with pytest.warns(ConvergenceWarning):
        model.fit(*hard)
    assert model.status_ == "interrupted"
    assert "The proof holds. " in model.check_proof(proof)
    with pytest.warns(ConvergenceWarning):
        again = DecisionSetClassifier(resume=progress, time_limit=1).fit(*hard)
    assert again.cost_ <= model.cost_


def test_files_of_other_questions_are_refused_and_stay(loans, tmp_path):
    X, y = loans
    path = tmp_path / "progress.json"
    DecisionSetClassifier(resume=path).fit(X, y)
    before = path.read_bytes()
    for parameters, rows, why in [
        ({}, slice(10, None), "it is of another table"),
        ({"cuts": 3}, slice(None), "its columns became features in another way"),
        ({"objective": "rules"}, slice(None), "something else was minimised"),
        ({"alpha": 0.01}, slice(None), "its rules are to agree with every row"),
    ]:
        with pytest.raises(ValueError, match=f"no run can go on from .*{why}.*remove the file to begin anew"):
            DecisionSetClassifier(resume=path, **parameters).fit(X[rows], y[rows])
        assert path.read_bytes() == before
    path.write_text("nonsense", encoding="utf-8")
    with pytest.raises(ValueError, match="no run can go on from"):
        DecisionSetClassifier(resume=path).fit(X, y)


def test_files_are_written_whatever_the_workers(loans, tmp_path):
    here = DecisionSetClassifier().fit(*loans)
    files = {name: tmp_path / name for name in ["proof", "resume", "trace"]}
    with joblib.parallel_config(backend="loky", n_jobs=2):
        there = DecisionSetClassifier(**files).fit(*loans)
        only_trace = DecisionSetClassifier(trace=tmp_path / "alone").fit(*loans)
    assert there.rules_ == here.rules_ == only_trace.rules_
    there.check_proof(files["proof"])
    saved = json.loads(files["resume"].read_text(encoding="utf-8"))
    assert [known["class"] for known in saved["classes"]] == ["yes", "no"]
    assert first_known(files["trace"]).keys() == first_known(tmp_path / "alone").keys() == {"yes", "no"}


def test_parameters_are_kept_as_they_are(tmp_path):
    files = {"proof": tmp_path / "proof", "resume": str(tmp_path / "progress.json"), "trace": None}
    model = DecisionSetClassifier(**files)
    for other in [clone(model), pickle.loads(pickle.dumps(model))]:
        assert {name: other.get_params()[name] for name in files} == files
