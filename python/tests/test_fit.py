"""What is proven, within which limits, and by whom."""

import itertools
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pandas as pd
import pytest
from conftest import texts
from minrule import DataWarning, DecisionSetClassifier
from sklearn.exceptions import ConvergenceWarning

pytestmark = pytest.mark.filterwarnings("ignore:rows that agree::")


def test_the_proof_is_told(loans):
    model = DecisionSetClassifier(numeric="thresholds").fit(*loans)
    assert model.status_ == "optimal"
    assert model.lower_bound_ == model.size_ == sum(rule.size for rule in model.rules_)
    assert model.gap_ == 0
    assert model.n_literals_ == sum(len(rule) for rule in model.rules_)
    assert model.n_rules_ == len(model.rules_) <= model.n_rules_enumerated_


def test_a_proof_says_over_which_conditions_it_holds(loans):
    said = [DecisionSetClassifier(cuts=n).fit(*loans).proof_ for n in (2, 4, 8)]
    assert len(set(said)) == 3
    assert all("Proven optimal: no decision set over these" in proof for proof in said)
    assert all(proof.endswith("Other cuts may allow a smaller set.") for proof in said)
    everywhere = DecisionSetClassifier(cuts="all").fit(*loans)
    assert everywhere.proof_.endswith("so that what is proven holds for all thresholds.")
    assert DecisionSetClassifier.from_json(everywhere.to_json()).cuts == "all"
    narrower = DecisionSetClassifier(negations=False, ignore=["age"]).fit(*loans)
    assert 'all tests but "is not" on 5 columns' in narrower.proof_
    assert 'left out on request: "age"' in narrower.proof_
    assert DecisionSetClassifier.from_json(narrower.to_json()).proof_ == narrower.proof_


@pytest.mark.parametrize("objective", ["size", "rules", "literals", "rules-then-literals"])
def test_all_methods_agree_on_the_optimum(loans, objective):
    X, y = loans
    X = X[["history", "guarantor", "debt"]]
    costs = set()
    for options in [
        {},
        {"cover": "ilp"},
        {"method": "enumerate"},
        {"method": "enumerate", "rules": "search", "cover": "maxsat"},
        {"method": "enumerate", "rules": "search", "break_symmetry": False, "cover": "ilp"},
    ]:
        model = DecisionSetClassifier(objective=objective, **options).fit(X, y)
        assert model.status_ == "optimal"
        costs.add(model.lower_bound_)
    rivals = {
        "size": [{"method": "opt"}, {"method": "opt", "opt_search": "maxsat"}],
        "rules": [{"method": "mds2"}],
        "rules-then-literals": [{"method": "mds2-star"}],
    }
    for options in rivals.get(objective, []):
        few = X[["history"]]
        model = DecisionSetClassifier(objective=objective, **options).fit(few, y)
        assert model.lower_bound_ == DecisionSetClassifier(objective=objective).fit(few, y).lower_bound_
        assert model.status_ == "optimal"
    assert len(costs) == 1
    assert isinstance(costs.pop(), tuple) == (objective == "rules-then-literals")


def test_a_time_limit_gives_a_valid_set_and_a_bound(hard):
    X, y = hard
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model = DecisionSetClassifier(time_limit=0.5).fit(X, y)
    assert model.status_ == "time_limit"
    assert 0 < model.lower_bound_ < model.size_
    assert 0 < model.gap_ < 1
    assert (model.predict(X) == y).all()


def test_a_memory_limit_gives_a_valid_set_and_a_bound():
    script = """
        import warnings
        import numpy as np
        from minrule import DecisionSetClassifier
        random = np.random.RandomState(0)
        X, y = random.randint(0, 2, (20000, 100)), random.randint(0, 2, 20000)
        pages = int(open("/proc/self/statm").read().split()[1])
        warnings.simplefilter("ignore")
        limit = pages * 4096 + 20_000_000
        model = DecisionSetClassifier(memory_limit=limit, time_limit=60).fit(X, y)
        print(model.status_, (model.predict(X) == y).all(), model.lower_bound_ < model.size_)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True)
    assert done.stdout.split() == ["memory_limit", "True", "True"], done.stderr


def test_ctrl_c_keeps_the_best_set():
    script = """
        import sys, time, warnings
        import numpy as np
        from minrule import DecisionSetClassifier
        random = np.random.RandomState(0)
        X, y = random.randint(0, 2, (400, 40)), random.randint(0, 2, 400)
        warnings.simplefilter("ignore")
        model = DecisionSetClassifier(n_jobs=2)
        print("fitting", flush=True)
        model.fit(X, y)
        print(model.status_, (model.predict(X) == y).all(), flush=True)
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "fitting\n"
    time.sleep(1.5)
    child.send_signal(signal.SIGINT)
    # How soon is measured elsewhere; here it must only not be as late as the search would take.
    status, valid = child.communicate(timeout=60)[0].split()
    assert (status, valid) == ("interrupted", "True")
    assert child.returncode == 0


def test_what_other_signals_raise_is_raised(hard):
    def out_of_time(*_):
        raise TimeoutError("the caller's own clock")

    before = signal.signal(signal.SIGALRM, out_of_time)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(TimeoutError, match="the caller's own clock"):
            DecisionSetClassifier().fit(*hard)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_the_interpreter_is_free_while_rust_works(hard):
    ticks, over = itertools.count(), threading.Event()

    def tick():
        while not over.wait(0.01):
            next(ticks)

    other = threading.Thread(target=tick)
    other.start()
    with pytest.warns(ConvergenceWarning):
        DecisionSetClassifier(time_limit=1).fit(*hard)
    over.set()
    other.join()
    assert next(ticks) > 20


def test_fits_in_several_threads_do_not_disturb_each_other(loans):
    expected = texts(DecisionSetClassifier().fit(*loans))
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(texts(DecisionSetClassifier().fit(*loans))))
        for _ in range(4)
    ]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [expected] * 4


def test_the_order_of_rows_and_the_number_of_threads_do_not_matter(loans):
    X, y = loans
    expected = texts(DecisionSetClassifier().fit(X, y))
    assert texts(DecisionSetClassifier(n_jobs=-1).fit(X, y)) == expected
    for seed in range(5):
        rows = np.random.RandomState(seed).permutation(len(X))
        # The labels must appear in the same order: ties and listings follow it.
        rows = np.concatenate([rows[(y[rows] == y[0]).to_numpy()], rows[(y[rows] != y[0]).to_numpy()]])
        assert sorted(texts(DecisionSetClassifier().fit(X.iloc[rows], y.iloc[rows]))) == sorted(expected)


def test_a_random_state_finds_sets_of_the_same_size():
    random = np.random.RandomState(1)
    X, y = random.randint(0, 2, (40, 10)), random.randint(0, 2, 40)
    models = [DecisionSetClassifier(random_state=seed).fit(X, y) for seed in range(10)]
    assert len({model.size_ for model in models}) == 1
    assert len({tuple(sorted(texts(model))) for model in models}) > 1
    again = DecisionSetClassifier(random_state=3).fit(X, y)
    assert texts(again) == texts(models[3])
    assert texts(DecisionSetClassifier(random_state=np.random.RandomState(3)).fit(X, y)) == texts(again)


def test_a_row_that_weighs_twice_is_two_rows(loans):
    X, y = loans
    weights = np.random.RandomState(0).randint(0, 4, len(X))
    weighted = DecisionSetClassifier().fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(len(X)), weights)
    repeated = DecisionSetClassifier().fit(X.iloc[rows], y.iloc[rows])
    assert weighted.rules_ == repeated.rules_
    assert weighted.class_count_ == repeated.class_count_
    assert np.allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_weights_decide_between_rows_that_contradict_each_other():
    X, y = [[0], [0], [1]], ["a", "b", "a"]
    with pytest.warns(DataWarning, match="settled by majority, here 1 time:"):
        assert DecisionSetClassifier().fit(X, y, [0.1, 0.7, 0.2]).predict([[0]]) == ["b"]
    with pytest.warns(DataWarning):
        model = DecisionSetClassifier(class_weight={"a": 1, "b": 0.25}).fit(X, ["b", "a", "b"])
    assert model.predict([[0]]) == ["a"]
    # Decimals are kept as they are.
    assert model.class_count_ == {"a": 1, "b": 0.5}
    assert {rule.class_: rule.support for rule in model.rules_} == {"a": 1, "b": 0.25}
    with pytest.warns(DataWarning):
        thirds = DecisionSetClassifier().fit(X, y, [1 / 3, 2 / 3, 1])
    assert thirds.class_count_["a"] == pytest.approx(4 / 3, rel=1e-5)


@pytest.mark.parametrize("weights", [[-1, 1, 1], [0, 0, 0], [1, 1], [[1], [1], [1]]], ids=str)
def test_weights_that_mean_nothing_are_refused(weights):
    with pytest.raises(ValueError):
        DecisionSetClassifier().fit([[0], [1], [1]], [0, 1, 1], weights)


def test_identifiers_are_questioned():
    X = pd.DataFrame({"patient": [f"p{i}" for i in range(20)], "ill": [i % 2 for i in range(20)]})
    with pytest.warns(DataWarning, match='column "patient" has a value of its own'):
        DecisionSetClassifier().fit(X, X["ill"])


def test_fewer_overlaps_at_the_same_cost(loans):
    plain = DecisionSetClassifier().fit(*loans)
    apart = DecisionSetClassifier(prefer_disjoint=True).fit(*loans)
    assert (apart.size_, apart.status_) == (plain.size_, plain.status_)


def test_progress_is_shown(hard, capfd):
    with pytest.warns(ConvergenceWarning):
        DecisionSetClassifier(time_limit=1, verbose=1).fit(*hard)
    assert "classes proven" in capfd.readouterr().err


def test_progress_without_tqdm_is_lines(hard, capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr("minrule._progress.Progress.PAUSE", 0.3)
    with pytest.warns(ConvergenceWarning):
        DecisionSetClassifier(time_limit=1, verbose=1).fit(*hard)
    assert "0/2 classes  best" in capfd.readouterr().err


def test_what_a_watcher_raises_is_raised(hard, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("watcher")

    monkeypatch.setattr("minrule._progress.Progress.__call__", fail)
    with pytest.raises(ZeroDivisionError, match="watcher"):
        DecisionSetClassifier(verbose=1).fit(*hard)
