"""Models, and rows to compare predictions on: seen and unseen values, missing ones, numbers exactly on
cuts and beside them, and texts where numbers belong."""

import csv
import dataclasses
import io
import itertools
import json
import math
import pathlib
import random
import subprocess

DATA = pathlib.Path(__file__).parents[2] / "data"
MISSING = ["", "?", "NA", "nan", "Na"]
UNSEEN = ["never seen", "many", "inf", "1e999", "1_0", "0x10"]
ROWS = 2000


@dataclasses.dataclass
class Case:
    name: str
    minrule: str
    model: pathlib.Path
    columns: list  # of all columns that have features
    numeric: set
    rows: list  # of lists of texts

    @property
    def table(self):
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.columns, *self.rows])
        return out.getvalue()

    def predict(self, uncovered, conflict):
        """What minrule says of each row (None for no class), and how rows were decided."""
        command = [self.minrule, "predict", self.model, "-"]
        command += ["--uncovered", uncovered, "--conflict", conflict]
        run = subprocess.run(command, input=self.table, capture_output=True, text=True, check=True)
        labels = [line or None for line in run.stdout.splitlines()[1:]]
        return labels, run.stderr.strip().removeprefix("minrule: ")

    def export(self, to, uncovered, conflict):
        command = [self.minrule, "export", self.model, "--to", to]
        command += ["--uncovered", uncovered, "--conflict", conflict]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def value(self, column, text):
        """What a typed table holds instead of a text."""
        if text.lower() in ("", "?", "na", "nan"):
            return None
        if column not in self.numeric:
            return text
        try:
            number = float(text.replace("_", "x"))  # Python reads 1_0 as ten
        except ValueError:
            return None
        return number if math.isfinite(number) else None


def cases(minrule, folder):
    """Learns a model for each table and way to use numbers."""
    draw = random.Random(1)
    generated = folder / "generated.csv"
    with generated.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(random_table(draw))
    tables = [DATA / "loans.csv", DATA / "dating.csv", generated]
    for table, numeric in itertools.product(tables, ["thresholds", "intervals"]):
        model = folder / f"{table.stem}-{numeric}.json"
        command = [minrule, "learn", table, "--quiet", "--numeric", numeric, "--model", model]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        yield make_case(f"{table.stem}, {numeric}", minrule, model, draw)


def random_table(draw):
    """Three classes that follow from nothing: many small rules, so that other rows meet several of
    different classes, or none."""
    pools = {
        "score": [*map(str, range(12)), "2.5", "7.25", ""],
        "count": ["1", "1.0", "2", "3"],
        "colour": ["red", "blue", "green", "amber", "?"],
        "flag": ["yes", "no"],
        "code": ["1", "x1", "1.0", "NA"],
        'odd <"name"> & \\': ["it's", "<b>&amp;</b>", 'a "quote"', "é"],
    }
    yield [*pools, "kind"]
    for _ in range(90):
        yield [draw.choice(pool) for pool in pools.values()] + [draw.choice("abc")]


def make_case(name, minrule, model, draw):
    content = json.loads(model.read_text())
    columns = [column["name"] for column in content["features"]["columns"]]
    encodings = [column["encoding"] for column in content["features"]["columns"]]
    pools = []
    for encoding in encodings:
        named = list(leaves(encoding))
        pool = named + [str(x + d) for x in numbers(named) for d in (-3, -1e-9, 1e-9, 0.5)]
        pools.append(pool + (MISSING + UNSEEN) * (1 + len(pool) // 20))
    rows = [[draw.choice(pool) for pool in pools] for _ in range(ROWS)]
    case = Case(name, minrule, model, columns, set(), rows)
    exported = json.loads(case.export("json", "default", "majority"))
    case.numeric = {column["name"] for column in exported["columns"] if column["numeric"]}
    return case


def leaves(value):
    """All texts and numbers of a JSON value, as texts."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from leaves(part)
    elif not isinstance(value, bool) and value is not None:
        yield str(value)


def numbers(texts):
    for text in texts:
        try:
            yield float(text)
        except ValueError:
            pass
