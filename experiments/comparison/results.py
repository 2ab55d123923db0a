"""results.csv, read: means over folds, stability, and what methods are over groups of tables."""

import collections
import csv
import itertools
import math
import statistics

from scipy import stats

from data import is_raw
from methods import METHODS

NUMBERS = ["rules", "literals", "size", "train_accuracy", "accuracy", "balanced_accuracy", "log_loss",
           "true_accuracy", "seconds"]


class Results:
    """The lines of the CSV, and for each (table, method) that finished all folds the means over them."""

    def __init__(self, path):
        with path.open(newline="") as file:
            self.rows = list(csv.DictReader(file))
        self.tables = sorted({row["table"] for row in self.rows}, key=lambda table: short(table).lower())
        self.folds = {row["fold"] for row in self.rows}
        present = {row["method"] for row in self.rows}
        self.methods = [name for name in METHODS if name in present]
        self.facts = {row["table"]: row for row in self.rows}
        groups = collections.defaultdict(list)
        for row in self.rows:
            groups[row["table"], row["method"]].append(row)
        self.finished = {key: group for key, group in groups.items()
                         if len(group) == len(self.folds) and all(row["status"] == "ok" for row in group)}
        self.means = {key: means(group) for key, group in self.finished.items()}
        self.proven = {key: all(row["detail"] == "optimal" for row in group) for key, group in self.finished.items()}

    def groups(self):
        """Tables by kind."""
        suite = [table for table in self.tables if not is_raw(table)]
        two = [table for table in suite if self.facts[table]["classes"] == "2"]
        several = [table for table in suite if table not in two]
        made = [table for table in self.tables if table.startswith("made/")]
        collected = [table for table in self.tables if is_raw(table) and table not in made]
        return {"suite": suite, "two": two, "several": several, "collected": collected, "made": made}

    def get(self, table, name, field):
        """None if there is no such thing. Rounded as in the CSV: what differs only by rounding is a tie."""
        value = self.means.get((table, name), {}).get(field)
        return None if value is None else round(value, 5)

    def of(self, tables, name, field):
        values = [self.get(table, name, field) for table in tables]
        return [value for value in values if value is not None]

    def count(self, tables, name, **wanted):
        return sum(row["table"] in tables and row["method"] == name
                   and all(row[field] == value for field, value in wanted.items()) for row in self.rows)

    def differences(self, tables, name, other, field):
        """Table by table, where both finished."""
        pairs = [(self.get(table, name, field), self.get(table, other, field)) for table in tables]
        return [round(a - b, 5) for a, b in pairs if a is not None and b is not None]

    def ranks(self, tables, field="accuracy"):
        """Each method's places on the tables, 1 for the best, among those that finished all of them."""
        names = [name for name in self.methods if len(self.of(tables, name, field)) == len(tables) > 0]
        places = {name: [] for name in names}
        for table in tables:
            ranked = stats.rankdata([-self.get(table, name, field) for name in names])
            for name, place in zip(names, ranked):
                places[name].append(float(place))
        return places


def means(group):
    found = {field: statistics.mean(float(row[field]) for row in group)
             for field in NUMBERS if all(row[field] for row in group)}
    if all(row["tests"] for row in group):
        found["stability"] = stability([int(row["tests"], 16) for row in group])
    return found


def stability(models):
    """How alike the literals of two folds' models are: those in both, of those in either; the mean over pairs."""
    alike = [(a & b).bit_count() / (a | b).bit_count() if a | b else 1 for a, b in itertools.combinations(models, 2)]
    return statistics.mean(alike)


def error(values):
    """The standard error of the mean."""
    return statistics.stdev(values) / math.sqrt(len(values))


def chance(differences):
    """Wilcoxon's signed-rank test: how likely are such differences, or larger ones, if none is meant?"""
    if not any(differences):
        return 1
    return float(stats.wilcoxon(differences, zero_method="zsplit").pvalue)


def short(table):
    """r4/zoo_train1.csv.gz -> zoo (r4); made/moons -> moons (made)"""
    folder, file = table.split("/")
    return f"{file.split('_train')[0]} ({folder})"
