#!/usr/bin/env python3
"""Compares the exported SELECT, run by PostgreSQL, with `minrule predict`.

    experiments/export/postgres.py --psql "psql -h localhost -d test" -o experiments/export/postgres.csv

It makes and drops a temporary table in the database that `psql` connects to.
"""

import argparse
import csv
import io
import itertools
import pathlib
import shlex
import subprocess
import sys
import tempfile

import cases


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--minrule", default="target/release/minrule")
    parser.add_argument("--psql", default="psql", help="how to reach a database")
    args = parser.parse_args()
    differences = 0
    with tempfile.TemporaryDirectory() as folder, args.output.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["model", "numbers", "uncovered", "conflict", "rows", "differ", "decided"])
        for case in cases.cases(args.minrule, pathlib.Path(folder)):
            for kind in ("double precision", "numeric"):
                for row in check(case, shlex.split(args.psql), kind):
                    print(*row, sep=", ")
                    writer.writerow(row)
                    differences += row[-2]
    print("no differences" if differences == 0 else f"{differences} differences")
    sys.exit(differences > 0)


def check(case, psql, kind):
    """All policies on one table, whose numbers are of this type."""
    policies = itertools.product(["default", "abstain", "nearest"], ["majority", "size", "abstain"])
    policies = list(policies)
    quoted = lambda name: '"' + name.replace('"', '""') + '"'
    table = quoted(case.model.stem.rsplit("-", 1)[0])
    types = [kind if column in case.numeric else "text" for column in case.columns]
    columns = ", ".join(f"{quoted(column)} {t}" for column, t in zip(case.columns, types))
    # Row numbers keep the order, which no SELECT promises.
    script = [f'CREATE TEMPORARY TABLE {table} ("row number" serial, {columns});']
    names = ", ".join(map(quoted, case.columns))
    script.append(f"COPY {table} ({names}) FROM STDIN WITH (FORMAT csv);")
    rows = io.StringIO()
    typed = [[case.value(*pair) for pair in zip(case.columns, row)] for row in case.rows]
    csv.writer(rows, lineterminator="\n").writerows(typed)
    script.append(rows.getvalue() + "\\.\n")
    for policy in policies:
        select = case.export("sql", *policy).strip().removesuffix(";")
        select = f'SELECT * FROM ({select}) AS s ORDER BY "row number"'
        script.append(f"COPY ({select}) TO STDOUT WITH (FORMAT csv);")
    command = psql + ["-X", "-q", "-v", "ON_ERROR_STOP=1"]
    run = subprocess.run(command, input="\n".join(script), capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(run.stderr)
    found = [row[-1] or None for row in csv.reader(io.StringIO(run.stdout))]
    for i, policy in enumerate(policies):
        expected, decided = case.predict(*policy)
        mine = found[i * len(expected) : (i + 1) * len(expected)]
        assert len(mine) == len(expected)
        wrong = sum(a != b for a, b in zip(expected, mine))
        yield [case.name, kind, *policy, len(expected), wrong, decided]


if __name__ == "__main__":
    main()
