#!/usr/bin/env python3
"""Learns from tables, and compares predictions of the model and of its exports, row by row.

    experiments/export/roundtrip.py -o experiments/export/roundtrip.csv TABLE[:HELD_BACK] ...

On the rows that a model was learned from, `minrule predict` must say the class after conflicts were
settled: that of most equal rows, and of equals the one that appears first. (Tables with columns of many
numbers are left out of that: there, rows are equal if they are in the same intervals.) On these rows, on
those of the held-back table, and on random ones with unseen and missing values, the exports (Python; SQL
on SQLite; Rust and C, compiled; with `--pmml` also PMML, read by JPMML) must say the same as
`minrule predict`. Needs python3, rustc and cc; for PMML also Java and `pip install jpmml_evaluator pypmml`.
"""

import argparse
import collections
import csv
import gzip
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

import cases


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--minrule", default="target/release/minrule")
    parser.add_argument("--pmml", action="store_true", help="read PMML too")
    args = parser.parse_args()
    exports = [by_python, by_sql, by_rust, by_c] + [by_pmml] * args.pmml
    wrong = 0
    with args.output.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", "rules", "size", "training_rows", "not_the_settled_class", "rows_compared",
                         *(run.__name__.removeprefix("by_") + "_differs" for run in exports)])
        for pair in args.tables:
            table, _, held_back = pair.partition(":")
            with tempfile.TemporaryDirectory() as folder:
                row = compare(args.minrule, pathlib.Path(table), held_back, pathlib.Path(folder), exports)
            print(*row, sep=", ", flush=True)
            writer.writerow(row)
            wrong += sum(n for n in [row[4], *row[6:]] if n != "")
    sys.exit(wrong > 0)


def compare(minrule, table, held_back, folder, exports):
    model = folder / "model.json"
    subprocess.run([minrule, "learn", table, "--quiet", "--model", model, "--time-limit", "60"],
                   check=True, stdout=subprocess.DEVNULL)
    header, training = read(table)
    case = cases.make_case(table.stem, minrule, model, random.Random(1))
    own_columns, random_rows = case.columns, case.rows
    case.columns, case.rows = header, training
    predicted, _ = case.predict("default", "majority")
    settled = settle(header, training, cases.json.loads(model.read_text()))
    unsettled = "" if settled is None else sum(a != b for a, b in zip(settled, predicted))

    # The held-back rows may have their columns in another order, and the random ones have fewer.
    rows = [[dict(zip(header, row)).get(name, "") for name in own_columns] for row in training]
    if held_back:
        other_header, other = read(pathlib.Path(held_back))
        rows += [[dict(zip(other_header, row)).get(name, "") for name in own_columns] for row in other]
    case.columns, case.rows = own_columns, rows + random_rows
    expected, _ = case.predict("default", "majority")
    differ = [sum(a != b for a, b in zip(expected, run(case, folder), strict=True))
              for run in exports]
    content = cases.json.loads(model.read_text())["decision_set"]
    name = f"{table.parent.name}/{table.name}"
    return [name, content["rules"], content["size"], len(training), unsettled, len(case.rows), *differ]


def read(path):
    opened = gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="")
    with opened as file:
        header, *rows = csv.reader(file)
    return header, rows


def settle(header, rows, model):
    """The class of most equal rows, if rows are equal exactly where their texts are."""
    if any("thresholds" in c["encoding"] or "at_most" in str(c["encoding"]) for c in model["features"]["columns"]):
        return None
    target = header.index(model["decision_set"]["target"])
    votes = collections.defaultdict(collections.Counter)
    key = lambda row: tuple(row[:target] + row[target + 1:])
    for row in rows:
        votes[key(row)][row[target]] += 1
    order = {label: i for i, label in enumerate(model["labels"])}
    winner = lambda counts: min(counts, key=lambda label: (-counts[label], order[label]))
    return [winner(votes[key(row)]) for row in rows]


def program(command, case):
    run = subprocess.run(command, input=case.table, capture_output=True, text=True, check=True)
    return [line or None for line in run.stdout.split("\n")[:-1]]


def by_python(case, folder):
    path = folder / "rules.py"
    path.write_text(case.export("python", "default", "majority"))
    return program([sys.executable, path], case)


def by_rust(case, folder):
    path = folder / "rules.rs"
    path.write_text(case.export("rust", "default", "majority"))
    subprocess.run(["rustc", "--edition", "2021", "-o", folder / "by-rust", path], check=True)
    return program([folder / "by-rust"], case)


def by_c(case, folder):
    path = folder / "rules.c"
    path.write_text(case.export("c", "default", "majority"))
    subprocess.run(["cc", "-DMINRULE_MAIN", "-o", folder / "by-c", path, "-lm"], check=True)
    return program([folder / "by-c"], case)


def by_sql(case, folder):
    query = case.export("sql", "default", "majority")
    base = sqlite3.connect(":memory:")
    quoted = lambda name: '"' + name.replace('"', '""') + '"'
    kinds = [f"{quoted(c)} {'REAL' if c in case.numeric else 'TEXT'}" for c in case.columns]
    name = query.split('FROM "', 1)[1].split('" AS t', 1)[0].replace('""', '"')
    base.execute(f"CREATE TABLE {quoted(name)} (place INTEGER, {', '.join(kinds)})")
    holes = ", ".join("?" * (1 + len(case.columns)))
    values = ([i, *map(case.value, case.columns, row)] for i, row in enumerate(case.rows))
    base.executemany(f"INSERT INTO {quoted(name)} VALUES ({holes})", values)
    found = {row[0]: row[-1] for row in base.execute(query.rstrip().rstrip(";"))}
    return [found[i] for i in range(len(case.rows))]


def by_pmml(case, folder):
    import pmml

    path = folder / "model.pmml"
    path.write_text(case.export("pmml", "default", "majority"), encoding="utf-8")
    rows = [[case.value(*pair) for pair in zip(case.columns, row)] for row in case.rows]
    return pmml.with_jpmml(path, case.columns, rows)


if __name__ == "__main__":
    main()
