"""The same choice, budget and curve from Python and the command line, on threads and on a cluster."""

import json
import subprocess
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, texts
from minrule import DecisionSetClassifier, DecisionSetClassifierCV

pytestmark = pytest.mark.filterwarnings("ignore::minrule.DataWarning")


@pytest.fixture(scope="module")
def cluster():
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            yield client


def random_table(seed):
    """Columns of every kind, two to four classes that depend on them, and noise."""
    random = np.random.RandomState(seed)
    rows, classes = random.randint(60, 160), random.randint(2, 5)
    X = pd.DataFrame(
        {
            "number": random.randn(rows).round(2),
            "whole": random.randint(0, 9, rows),
            "name": random.choice(["red", "green", "blue"], rows),
            "mixed": np.where(random.rand(rows) < 0.1, None, random.choice(["u", "v"], rows)),
        }
    )
    told = (X["number"] > 0).astype(int) + 2 * (X["name"] == "red") + (X["whole"] > 5)
    y = np.where(random.rand(rows) < 0.15, random.randint(0, classes, rows), told % classes)
    return X, pd.Series(y, name="class").map(lambda code: f"c{code}")


def bundled(name):
    table = pd.read_csv(ROOT / "data" / f"{name}.csv")
    return table[table.columns[:-1]], table[table.columns[-1]]


TABLES = {"loans": lambda: bundled("loans"), "dating": lambda: bundled("dating")}
TABLES |= {f"seed {seed}": (lambda seed=seed: random_table(seed)) for seed in range(4)}


@pytest.fixture(params=sorted(TABLES))
def table(request):
    return TABLES[request.param]()


@pytest.fixture
def file(table, tmp_path):
    """The table as a file."""
    X, y = table
    X.assign(**{y.name: y}).to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def said(cli, *args):
    command = [cli, *args, "--format=json", "--quiet"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def rules_said(told):
    rules = [rule for of_class in told["classes"] for rule in of_class["rules"]]
    return [(rule["then"], rule["covers"], rule["wrong"]) for rule in rules]


def rules_of(model):
    return [(rule.class_, rule.support, rule.wrong) for rule in model.rules_]


def everywhere(cluster, work):
    """What comes of the same work on one thread, on two, in two processes and on a cluster."""
    yield work(1)
    yield work(2)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        yield work(None)
    with joblib.parallel_config(backend="dask"):
        yield work(None)


def chosen(model):
    return texts(model), model.alpha_, model.status_, model.expected_, model.cv_results_


def test_the_choice(cli, cluster, table, file):
    told = said(cli, "learn", file, "--alpha=auto")
    models = list(
        everywhere(cluster, lambda jobs: DecisionSetClassifier(alpha="auto", n_jobs=jobs).fit(*table))
    )
    for model in models:
        assert chosen(model) == chosen(models[0])
    model, tried = models[0], told["choice"]["tried"]
    assert (model.alpha_, model.size_, model.errors_) == (told["alpha"], told["size"], told["errors"])
    assert model.expected_ == told["expected"]
    assert rules_of(model) == rules_said(told)
    assert model.cv_results_["alpha"] == [float(of["alpha"]) for of in tried]
    assert model.cv_results_["order"] == [of["order"] for of in tried]
    assert (model.order_ is None) == (told["choice"]["order"] == "none")
    for name in ("accuracy", "balanced_accuracy", "log_loss"):
        assert model.cv_results_[f"mean_{name}"] == [of[name] for of in tried]
        assert model.cv_results_[f"se_{name}"] == [of[f"{name}_se"] for of in tried]
    assert model.cv_results_["mean_size"] == [of["size"] for of in tried]


@pytest.mark.parametrize(
    "options",
    [
        {"choose": "best", "folds": 4},
        {"scoring": "log-loss", "repeats": 2},
        {"scoring": "balanced-accuracy", "otherwise": "none", "numeric": "thresholds"},
        {"order": "rarest", "folds": 3},
    ],
    ids=str,
)
def test_other_choices(cli, options, tmp_path):
    X, y = random_table(7)
    X.assign(**{y.name: y}).to_csv(tmp_path / "table.csv", index=False)
    names = {"scoring": "score"}
    asked = [f"--{names.get(name, name)}={value}" for name, value in options.items()]
    told = said(cli, "learn", tmp_path / "table.csv", "--alpha=auto", *asked)
    model = DecisionSetClassifier(alpha="auto", **options).fit(X, y)
    assert (model.alpha_, model.expected_, model.size_) == (told["alpha"], told["expected"], told["size"])
    assert rules_of(model) == rules_said(told)
    accuracies = [of["accuracy"] for of in told["choice"]["tried"]]
    assert model.cv_results_["mean_accuracy"] == accuracies


def points(curve):
    frame = curve.frame()
    return frame.astype(object).where(frame.notna(), None).to_dict("records"), [texts(p.model) for p in curve]


def test_the_curve(cli, cluster, table, file):
    folds = min(4, len(table[1]))
    asked = {"cross_validate": folds, "repeats": 2}
    curves = list(everywhere(cluster, lambda jobs: DecisionSetClassifier(n_jobs=jobs).curve(*table, **asked)))
    for curve in curves:
        assert points(curve) == points(curves[0])
    told = said(cli, "curve", file, f"--cross-validate={folds}", "--repeats=2")["points"]
    for point, of in zip(curves[0], told, strict=True):
        same = ["alpha_from", "alpha_to", "rules", "literals", "size", "errors", "status"]
        for score in ("accuracy", "balanced_accuracy", "log_loss"):
            same += [score, f"{score}_se"]
        assert {name: getattr(point, name) for name in same} == {name: of[name] for name in same}
        assert point.model.rows_wrong_ == of["rows_wrong"] and point.model.otherwise_ == of["otherwise"]
        assert rules_of(point.model) == rules_said(of)
        assert float(of["alpha"]) == point.alpha


BUDGETS = [{"max_size": size} for size in (0, 2, 4, 8, 50)]
BUDGETS += [{"max_rules": 1}, {"max_errors": "45%"}, {"max_errors": "45%", "max_rules": 3}]
BUDGETS += [{"max_size": 6, "down_to": "0.3rows"}]


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_budgets(cli, budget, tmp_path):
    for number, (X, y) in enumerate([bundled("loans"), random_table(3)]):
        path = tmp_path / f"{number}.csv"
        X.assign(**{y.name: y}).to_csv(path, index=False)
        told = said(cli, "learn", path, *(f"--{k.replace('_', '-')}={v}" for k, v in budget.items()))
        for jobs in (1, 2):
            model = DecisionSetClassifier(**budget, n_jobs=jobs).fit(X, y)
            assert (model.alpha_, model.status_, model.errors_) == (
                told["alpha"],
                told["status"],
                told["errors"],
            )
            assert rules_of(model) == rules_said(told)
            least = {name: told["budget"][name] for name in ("least_errors", "least_size")}
            assert model.budget_ == least


def test_folds_of_ones_own(cluster):
    X, y = random_table(5)

    def work(jobs):
        model = DecisionSetClassifierCV(cv=3, scoring="balanced_accuracy", n_jobs=jobs).fit(X, y)
        results = {name: of.tolist() for name, of in model.cv_results_.items()}
        return texts(model), model.alpha_, model.expected_score_, results

    first, *others = everywhere(cluster, work)
    for other in others:
        assert other == first


def test_workers_do_the_work(cluster):
    from dask.distributed import get_task_stream

    X, y = random_table(5)
    for work in (
        lambda: DecisionSetClassifier(alpha="auto").fit(X, y),
        lambda: DecisionSetClassifierCV().fit(X, y),
        lambda: DecisionSetClassifier().curve(X, y, cross_validate=4),
    ):
        with get_task_stream(cluster) as stream, joblib.parallel_config(backend="dask"):
            work()
        assert len({task["worker"] for task in stream.data}) == 2


def test_a_cluster_keeps_the_time_limit(cluster, hard):
    for estimator in (
        DecisionSetClassifier(alpha="auto", time_limit=2),
        DecisionSetClassifierCV(cv=3, time_limit=2),
    ):
        with joblib.parallel_config(backend="dask"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            estimator.fit(*hard)
        assert estimator.status_ in ("optimal", "time_limit")
