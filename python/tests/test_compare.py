"""Methods over many tables, here and on a cluster of which a part dies."""

import csv
import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from minrule import compare


@pytest.fixture
def tables(tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    for seed in range(6):
        random = np.random.RandomState(seed)
        frame = pd.DataFrame(random.randint(0, 2, (20, 4)), columns=list("abcd"))
        frame["class"] = (frame["a"] & frame["b"]) ^ (random.rand(20) < 0.1)
        frame.to_csv(folder / f"t{seed}.csv", index=False)
    return folder


def rows_on_file(folder):
    with open(folder / "results.csv", newline="") as file:
        return [(row["file"], row["configuration"]) for row in csv.DictReader(file)]


def test_all_methods_agree(tables, tmp_path):
    rows = compare(tables, output=tmp_path / "out", time_limit=30)
    assert len(rows) == 6 * 15
    assert {(row["status"], row["valid"]) for row in rows} == {("optimal", "yes")}
    size = {row["file"]: row["size"] for row in rows if row["configuration"] == "lazy-size"}
    assert all(size[row["file"]] == row["size"] for row in rows if row["configuration"] == "opt")
    assert "<title>minrule compare</title>" in (tmp_path / "out" / "index.html").read_text()
    assert (tmp_path / "out" / "cactus.svg").exists()


def test_what_is_there_is_not_run_again(tables, tmp_path):
    out = tmp_path / "out"
    first = compare(tables, ["mds2"], output=out)
    methods = {"mds2": "--method mds2", "mine": "--method enumerate --rules search"}
    second = compare(tables, methods, output=out)
    assert len(first) == 6 and [row for row in second if row["configuration"] == "mds2"] == first
    assert len(rows_on_file(out)) == 12


def test_lists_and_failures(tables, tmp_path):
    (tables / "list.txt").write_text("# some\nt0.csv\nnone.csv\n")
    rows = compare(tables / "list.txt", ["lazy-size"], output=tmp_path / "out")
    assert [row["status"].split(":")[0] for row in rows] == ["optimal", "failed"]
    with pytest.raises(ValueError, match="known by name are"):
        compare(tables, ["best"], output=tmp_path / "out")
    with pytest.raises(ValueError, match="no tables"):
        compare([], output=tmp_path / "out")
    with pytest.raises(ValueError, match="a method is"):
        compare(tables, {"mine": "--quickly"}, output=tmp_path / "out")


def test_a_worker_that_dies_loses_nothing(tables, tmp_path):
    from dask.distributed import Client, LocalCluster

    # One table that takes its time, so that there is a middle to be killed in.
    random = np.random.RandomState(0)
    for name in ("slow0.csv", "slow1.csv"):
        pd.DataFrame(random.randint(0, 2, (400, 41))).to_csv(tables / name, index=False)
    out = tmp_path / "out"
    methods = ["lazy-size", "lazy-rules", "mds2", "ilp-rules"]
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            pids = client.run(os.getpid)

            def kill():
                time.sleep(1.0)
                os.kill(next(iter(pids.values())), signal.SIGKILL)

            killer = threading.Thread(target=kill)
            killer.start()
            rows = compare(tables, methods, output=out, time_limit=2, client=client)
            killer.join()
            assert set(client.run(os.getpid).values()) != set(pids.values())
    expected = sorted(
        (f"{name}.csv", m) for name in [*(f"t{i}" for i in range(6)), "slow0", "slow1"] for m in methods
    )
    assert sorted(rows_on_file(out)) == expected
    assert sorted((row["file"], row["configuration"]) for row in rows) == expected
    assert all(row["valid"] == "yes" for row in rows)
