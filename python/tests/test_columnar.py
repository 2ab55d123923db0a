"""The command line reads what pandas and polars write, and learns from it what it learns from their CSV."""

import datetime
import json
import subprocess

import pandas as pd
import polars as pl
import pytest

ROWS = range(60)


def some(values):
    return [None if row % 13 == 4 else value for row, value in zip(ROWS, values)]


def frame():
    """A column of every type, and a class that several of them tell."""
    day = datetime.date(2020, 11, 20)
    noon = datetime.datetime(2021, 1, 1, 12, 30)
    return pd.DataFrame(
        {
            "member": [row % 3 == 0 for row in ROWS],
            "maybe": pd.array(some([row % 4 == 0 for row in ROWS]), "boolean"),
            "visits": [row % 5 for row in ROWS],
            "points": pd.array(some([row * 7 for row in ROWS]), "Int32"),
            "weight": [float("nan") if value is None else value for value in some([row / 7 for row in ROWS])],
            "short": pd.array([row % 9 / 10 for row in ROWS], "float32"),
            "town": some([["Ulm", "Köln", " Bern "][row % 3] for row in ROWS]),
            "tier": pd.Categorical(some([["gold", "tin"][row % 2] for row in ROWS])),
            "signed": some([day + datetime.timedelta(days=9 * row) for row in ROWS]),
            "seen": pd.to_datetime(
                pd.Series(some([noon + datetime.timedelta(hours=7 * row) for row in ROWS]))
            ),
            "paid": pd.date_range(noon, periods=len(ROWS), freq="50min", tz="Europe/Berlin"),
            "opens": some([datetime.time(8 + row % 2, 30) for row in ROWS]),
            "deal": [["no", "yes"][(row % 5 > 2) != (row > 30)] for row in ROWS],
        }
    )


def model(cli, table, folder):
    """What is learned from a table, but for where it came from."""
    path = folder / "model.json"
    done = subprocess.run(
        [cli, "learn", table, "--alpha", "1row", "--model", path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(path.read_text())
    for place in ["table", "sha256"]:
        assert made["provenance"].pop(place)
    return made


WRITERS = {
    "pandas.parquet": lambda table, path: table.to_parquet(path),
    "pandas-gzip.pq": lambda table, path: table.to_parquet(path, compression="gzip"),
    "filtered.parquet": lambda table, path: table.set_index(pd.Index(range(5, 65))).to_parquet(path),
    "pandas.feather": lambda table, path: table.to_feather(path),
    "polars.parquet": lambda table, path: pl.from_pandas(table).write_parquet(path),
    "polars.arrow": lambda table, path: pl.from_pandas(table).write_ipc(path),
    "polars-zstd.ipc": lambda table, path: pl.from_pandas(table).write_ipc(path, compression="zstd"),
    "polars-lz4.ipc": lambda table, path: pl.from_pandas(table).write_ipc(path, compression="lz4"),
    "polars-stream.arrow": lambda table, path: pl.from_pandas(table).write_ipc_stream(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_files_of_columns_give_the_rules_of_their_csv(cli, tmp_path, name):
    table = frame()
    table.to_csv(tmp_path / "table.csv", index=False)
    expected = model(cli, tmp_path / "table.csv", tmp_path)
    assert {column["name"] for column in expected["features"]["columns"]} >= {"seen", "signed", "tier"}
    WRITERS[name](table, tmp_path / name)
    assert model(cli, tmp_path / name, tmp_path) == expected
    predicted = [
        subprocess.run(
            [cli, "predict", tmp_path / "model.json", tmp_path / table], capture_output=True, check=True
        ).stdout
        for table in ("table.csv", name)
    ]
    assert predicted[0] == predicted[1]


def test_what_polars_writes_as_csv_is_the_same_too(cli, tmp_path):
    table = pl.from_pandas(frame()).drop("member", "maybe", "opens")
    table.write_csv(tmp_path / "table.csv")
    table.write_parquet(tmp_path / "table.parquet")
    expected = model(cli, tmp_path / "table.csv", tmp_path)
    assert model(cli, tmp_path / "table.parquet", tmp_path) == expected
