"""What minrule writes for programs is what the published schemas say."""

import json
import subprocess
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from minrule import DecisionSetClassifier
from referencing import Registry, Resource

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
    for path in (ROOT / "docs/schema").glob("*.schema.json")
}
REGISTRY = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()
)
LOANS = str(ROOT / "data/loans.csv")

OPTIONS = [
    [],
    ["--numeric", "thresholds", "--cross-validate", "3", "--overlap", "report"],
    ["--minimize", "rules-then-literals", "--no-negations", "--ignore", "age", "--seed", "3"],
    ["--classes", "yes", "--cross-validate", "2"],
    ["--missing-values", "none", "--categorical", "age", "--missing", "drop-rows"],
    ["--method", "enumerate", "--rules", "search"],
    ["--time-limit", "1ms"],
    ["--alpha", "0.5%"],
    ["--alpha", "2rows", "--otherwise", "none", "--minimize", "rules", "--cross-validate", "2"],
    ["--alpha", "0.02", "--classes", "yes", "--time-limit", "1ms"],
]


@pytest.fixture
def minrule(cli):
    """The command line program."""
    return lambda *arguments: subprocess.run([cli, *arguments], capture_output=True, text=True)


def validate(kind, data):
    jsonschema.Draft202012Validator(SCHEMAS[kind], registry=REGISTRY).validate(data)


def test_the_schemas_are_schemas():
    assert len(SCHEMAS) == 8
    for schema in SCHEMAS.values():
        jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_models_results_checks_and_evaluations(minrule, options, tmp_path):
    model = str(tmp_path / "model.json")
    learned = minrule("learn", LOANS, "--quiet", "--format", "json", "--model", model, *options)
    assert learned.returncode in (0, 10), learned.stderr
    validate("result", json.loads(learned.stdout))
    validate("model", json.loads(Path(model).read_text(encoding="utf-8")))
    validate("check", json.loads(minrule("check", model, LOANS, "--format", "json").stdout))
    validate("evaluation", json.loads(minrule("evaluate", model, LOANS, "--format", "json").stdout))


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--cross-validate", "3", "--repeats", "2", "--numeric", "thresholds"],
        ["--otherwise", "none", "--minimize", "rules", "--down-to", "1%"],
        ["--classes", "yes", "--time-limit", "1ms"],
    ],
    ids=" ".join,
)
def test_curves(minrule, options):
    curve = minrule("curve", LOANS, "--quiet", "--format", "json", *options)
    assert curve.returncode in (0, 10), curve.stderr
    validate("curve", json.loads(curve.stdout))


def test_manifests_of_proofs(minrule, tmp_path):
    model, proof = str(tmp_path / "model.json"), tmp_path / "proof"
    for objective in ["size", "rules-then-literals"]:
        minrule("learn", LOANS, "--quiet", "--model", model, "--proof", str(proof), "--minimize", objective)
        validate("proof-manifest", json.loads((proof / "manifest.json").read_text(encoding="utf-8")))
        checked = minrule("check", model, LOANS, "--proof", str(proof), "--format", "json")
        validate("check", json.loads(checked.stdout))


@pytest.mark.parametrize("options", [[], ["--cover", "ilp"], ["--alpha", "0.5%"]], ids=" ".join)
def test_what_is_kept_for_the_next_run(minrule, options, tmp_path):
    progress = tmp_path / "progress.json"
    learned = minrule("learn", LOANS, "--quiet", "--resume", str(progress), *options)
    assert learned.returncode == 0, learned.stderr
    validate("progress", json.loads(progress.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "arguments",
    [
        ["learn", "no such file"],
        ["learn", LOANS, "--target", "nothing"],
        ["learn", LOANS, "--intervals", "1"],
        ["learn", LOANS, "--model", "no folder/x"],
        ["check", LOANS, LOANS],
    ],
)
def test_errors(minrule, arguments):
    failed = minrule(*arguments, "--format", "json")
    assert failed.returncode > 0
    validate("error", json.loads(failed.stdout))


def test_models_of_python(loans):
    for options in [
        {},
        {"alpha": 0.01},
        {"alpha": "2 rows", "otherwise": "none"},
        {"alpha": 0.01, "order": ["yes"]},
    ]:
        validate("model", json.loads(DecisionSetClassifier(**options).fit(*loans).to_json()))


@pytest.mark.parametrize("options", [{}, {"alpha": 0.01}], ids=str)
def test_models_of_dates_have_a_version_of_their_own(options):
    X = pd.DataFrame({"signed": pd.date_range("2021-03-01", periods=40)})
    data = json.loads(DecisionSetClassifier(**options).fit(X, np.arange(40) < 20).to_json())
    assert data["version"] == 4
    validate("model", data)
    with pytest.raises(jsonschema.ValidationError):
        validate("model", {**data, "version": 2 if options else 3})


@pytest.mark.parametrize("options", [{}, {"alpha": 0.01}], ids=str)
def test_files_of_python(loans, options, tmp_path):
    DecisionSetClassifier(proof=tmp_path, resume=tmp_path / "progress.json", **options).fit(*loans)
    for kind, file in [("proof-manifest", "manifest.json"), ("progress", "progress.json")]:
        validate(kind, json.loads((tmp_path / file).read_text(encoding="utf-8")))


def test_what_is_no_model_is_told_from_one(minrule, tmp_path):
    model = tmp_path / "model.json"
    minrule("learn", LOANS, "--quiet", "--model", str(model))
    data = json.loads(model.read_text(encoding="utf-8"))
    for place, value in [("version", 1), ("labels", "yes"), ("more", 0)]:
        with pytest.raises(jsonschema.ValidationError):
            validate("model", {**data, place: value})
