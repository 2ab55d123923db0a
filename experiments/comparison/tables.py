#!/usr/bin/env python3
"""Writes tables.txt: which tables are compared, by a rule that was fixed before any accuracy was known.

    experiments/comparison/tables.py [--suite ../shared/suite]

Needs only Python's standard library.
"""

import argparse
import csv
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
SUITE = HERE.parents[1] / ".." / "shared" / "suite"
FEWEST_ROWS, MOST_ROWS = 50, 1500
# The suite holds some data, or a part of them, under several names. One is enough: else they would count twice.
SAME_DATA = {
    "pima": "diabetes",
    "promoters": "molecular-biology_promoters",
    "glass2": "glass",
    "cleve": "cleveland",
    "cleveland-nominal": "cleveland",
    "heart-c": "cleveland",
    "heart-statlog": "cleveland",
}
RULE = f"""\
# The tables of the comparison, relative to the suite's folder. Written by tables.py, by this rule, which
# was fixed before any accuracy was known:
#   one table of each data set of the suite's panel; if the panel has several, the one with the finest
#   intervals (r4 before r3 before r2); with {FEWEST_ROWS} to {MOST_ROWS} rows; of data that the suite holds, whole or
#   in part, under several names, only one:
""" + "".join(f"#     {name} is left out for {kept}\n" for name, kept in SAME_DATA.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", type=pathlib.Path, default=SUITE, help="the folder of tables")
    args = parser.parse_args()
    with (args.suite / "INDEX.tsv").open(newline="") as file:
        rows = {line["file"]: int(line["rows"]) for line in csv.DictReader(file, delimiter="\t")}
    chosen = {}
    for table in (args.suite / "panel.txt").read_text().split():
        name = table.split("/")[1].split("_train")[0]
        if name in SAME_DATA or not FEWEST_ROWS <= rows[table] <= MOST_ROWS:
            continue
        chosen[name] = max(table, chosen.get(name, ""))  # "r4/..." sorts after "r3/..."
    (HERE / "tables.txt").write_text(RULE + "".join(f"{chosen[name]}\n" for name in sorted(chosen)))


if __name__ == "__main__":
    main()
