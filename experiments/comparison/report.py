#!/usr/bin/env python3
"""Writes docs/COMPARISON.md from results.csv and example.json. Every figure in it is computed here.

    experiments/comparison/report.py [-o docs/COMPARISON.md]
"""

import argparse
import collections
import csv
import json
import math
import pathlib
import statistics

from methods import METHODS

HERE = pathlib.Path(__file__).resolve().parent
NUMBERS = ["rules", "literals", "size", "train_accuracy", "test_accuracy", "seconds"]
REFERENCE = "minrule-size"
HAVE_ELSE = ("ripper", "irep", "rule-list")
# The example's longest models would fill pages: this many rules of each are shown.
SHOWN = 8


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results.csv")
    parser.add_argument("--example", type=pathlib.Path, default=HERE / "example.json")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=HERE.parents[1] / "docs" / "COMPARISON.md")
    args = parser.parse_args()
    with args.results.open(newline="") as file:
        results = Results(list(csv.DictReader(file)))
    lines = ["# minrule and other rule and tree learners", "",
             "Written by [experiments/comparison/report.py](../experiments/comparison/report.py);"
             " do not edit by hand.", ""]
    lines += what_was_run(results)
    lines += by_method(results)
    lines += pairwise(results)
    lines += by_table(results)
    lines += in_words(json.loads(args.example.read_text()))
    lines += not_shown(results)
    args.output.write_text("\n".join(lines).rstrip() + "\n")


class Results:
    """The lines of the CSV, and for each (table, method) that finished all folds the means over them."""

    def __init__(self, rows):
        self.rows = rows
        self.tables = sorted({row["table"] for row in rows}, key=lambda table: short(table).lower())
        self.folds = {row["fold"] for row in rows}
        present = {row["method"] for row in rows}
        self.methods = [name for name in METHODS if name in present]
        self.facts = {row["table"]: row for row in rows}
        groups = collections.defaultdict(list)
        for row in rows:
            groups[row["table"], row["method"]].append(row)
        self.means = {
            key: {field: statistics.mean(float(row[field]) for row in group) for field in NUMBERS}
            for key, group in groups.items()
            if len(group) == len(self.folds) and all(row["status"] == "ok" for row in group)
        }
        self.proven = {key: all(row["detail"] == "optimal" for row in group) for key, group in groups.items()}
        # A method that finished nothing has no means, and must not take those of the others away.
        self.compared = [name for name in self.methods if any(name == method for _, method in self.means)]
        self.common = [table for table in self.tables
                       if all((table, name) in self.means for name in self.compared)]

    def get(self, table, name, field):
        """Rounded as in the CSV: what differs only by rounding is a tie."""
        return round(self.means[table, name][field], 6)

    def column(self, name, field):
        return [self.get(table, name, field) for table in self.common]

    def of_method(self, name, **wanted):
        return [row for row in self.rows if row["method"] == name
                and all(row[field] == value for field, value in wanted.items())]


def short(table):
    """r4/zoo_train1.csv.gz -> zoo (r4)"""
    folder, file = table.split("/")
    return f"{file.split('_train')[0]} ({folder})"


def span(values):
    return f"{min(values):,} to {max(values):,}"


def plural(count, word):
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def table_lines(head, rows):
    """The first column is text, the others are figures."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "--:|" * (len(head) - 1)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def what_was_run(results):
    facts = results.facts.values()
    numbers = {field: [int(row[field]) for row in facts] for field in ["rows", "columns", "classes"]}
    two = sum(count == 2 for count in numbers["classes"])
    limits = sorted({float(row["limit"]) for row in results.rows})
    limit = " or ".join(f"{seconds:g}" for seconds in limits)
    half = " or ".join(f"{seconds / 2:g}" for seconds in limits)
    missing = len(results.tables) * len(results.methods) * len(results.folds) - len(results.rows)
    lines = [
        "## What was run", "",
        f"{plural(len(results.tables), 'table')} (training parts) of the paper's benchmark suite, with {span(numbers['rows'])} rows,"
        f" {span(numbers['columns'])} columns and {span(numbers['classes'])} classes ({two} of them with two classes)."
        " They were chosen by the rule stated in [tables.txt](../experiments/comparison/tables.txt), not"
        " by results. Every column is 0 or 1, so a literal means the same for every method: a column"
        " and its value.", "",
        f"{len(results.folds)}-fold cross-validation, stratified by class. Every method gets the same folds, one core"
        f" and {limit} s a fold. A method that can stop early with its best result so far is told to do so after"
        f" {half} s. Rules, literals, size and seconds are means over the folds. *Size* is literals plus one"
        " for each rule. Seconds are those of the fit alone.", "",
        "Libraries are used with their defaults and a fixed seed, with two exceptions: `tree-tuned` chooses its own"
        " pruning, and `tree-optimal` pays the price of a leaf that is given below. Learners for two classes only"
        " (`ripper`, `irep`, `rule-list`, `rulefit`) learn each class against the others when there are more.", "",
    ]
    if missing:
        lines += [f"**{plural(missing, 'run')} of this comparison {'is' if missing == 1 else 'are'} not there yet.**", ""]
    lines += ["| method | what it is | library | what counts as its rules |", "|---|---|---|---|"]
    for name in results.methods:
        versions = ", ".join(sorted({row["version"] for row in results.of_method(name) if row["version"]}))
        lines.append(f"| `{name}` | {METHODS[name].what} | {versions} | {METHODS[name].counted} |")
    return lines + [""]


def winners(results, field, best):
    """For each method: on how many tables it alone is best, and on how many it shares that."""
    alone, shared = collections.Counter(), collections.Counter()
    for table in results.common:
        values = {name: results.get(table, name, field) for name in results.compared}
        first = [name for name in values if values[name] == best(values.values())]
        (alone if len(first) == 1 else shared).update(first)
    return {name: f"{alone[name]} + {shared[name]}" for name in results.compared}


def by_method(results):
    lines = ["## By method", ""]
    if not results.common:
        return lines + ["No table was finished by every method.", ""]
    accurate, small = winners(results, "test_accuracy", max), winners(results, "size", min)
    rows = []
    for name in results.methods:
        errors = len(results.of_method(name, status="error"))
        timeouts = len(results.of_method(name, status="timeout"))
        failures = f"{errors} / {timeouts}"
        if name not in results.compared:
            rows.append([f"`{name}`"] + ["-"] * 8 + [failures])
            continue
        values = {field: results.column(name, field) for field in NUMBERS}
        seconds = math.exp(statistics.mean(math.log(max(s, 1e-4)) for s in values["seconds"]))
        rows.append([
            f"`{name}`", f"{statistics.mean(values['test_accuracy']):.2%}",
            f"{statistics.mean(values['train_accuracy']):.2%}",
            f"{statistics.mean(values['rules']):.1f} / {statistics.median(values['rules']):.1f}",
            f"{statistics.mean(values['literals']):.1f} / {statistics.median(values['literals']):.1f}",
            f"{statistics.mean(values['size']):.1f} / {statistics.median(values['size']):.1f}",
            accurate[name], small[name], f"{seconds:.3g}", failures,
        ])
    lines += [
        f"Over the {plural(len(results.common), 'table')} that every method finished. *Best* and *smallest* give the number"
        " of tables on which the method alone is best, plus the number on which it shares first place. Seconds are"
        " geometric means. Errors and timeouts are counted in folds, over all tables. A method that finished no table"
        " has dashes, and is left out of these counts.", "",
    ]
    return lines + table_lines(
        ["method", "test accuracy", "training accuracy", "rules, mean / median", "literals, mean / median",
         "size, mean / median", "best test accuracy", "smallest", "seconds", "errors / timeouts"], rows)


def pairwise(results):
    if REFERENCE not in results.compared:
        return []
    lines = [f"## Each against `{REFERENCE}`", "",
             "Over the tables that both methods finished: the number of tables on which the method is more accurate"
             f" than `{REFERENCE}`, as accurate, or less accurate; and on which it is smaller, as large, or larger.", ""]
    rows = []
    for name in results.methods:
        both = [table for table in results.tables
                if (table, name) in results.means and (table, REFERENCE) in results.means]
        if name == REFERENCE or not both:
            continue
        counts = []
        for field, better in [("test_accuracy", 1), ("size", -1)]:
            signs = collections.Counter()
            for table in both:
                difference = better * (results.get(table, name, field) - results.get(table, REFERENCE, field))
                signs[(difference > 0) - (difference < 0)] += 1
            counts += [signs[1], signs[0], signs[-1]]
        rows.append([f"`{name}`", len(both)] + counts)
    lines += table_lines(["method", "tables", "more accurate", "equal", "less accurate",
                          "smaller", "equal", "larger"], rows)
    for name in [name for name in results.methods if METHODS[name].package == "minrule"]:
        done = [table for table in results.tables if (table, name) in results.means]
        proven = sum(results.proven[table, name] for table in done)
        lines += [f"`{name}` was proven optimal in every fold of {proven} of the {plural(len(done), 'table')} it"
                  " finished. Where it was not, the best set found within the limit counts.", ""]
    return lines


def by_table(results):
    lines = ["## By table", "",
             "The best of each line is bold. A dash means that not all folds were finished.", ""]
    for title, field, best, form in [("Test accuracy", "test_accuracy", max, "{:.1%}"),
                                     ("Size", "size", min, "{:.1f}"), ("Rules", "rules", min, "{:.1f}")]:
        rows = []
        for table in results.tables:
            values = {name: results.get(table, name, field) for name in results.methods
                      if (table, name) in results.means}
            cells = []
            for name in results.methods:
                text = form.format(values[name]) if name in values else "-"
                cells.append(f"**{text}**" if name in values and values[name] == best(values.values()) else text)
            facts = results.facts[table]
            rows.append([short(table), facts["rows"], facts["columns"], facts["classes"]] + cells)
        lines += [f"### {title}", ""]
        lines += table_lines(["table", "rows", "columns", "classes"] + results.methods, rows)
    return lines


def in_words(example):
    lines = ["## One table in words", "",
             f"What each method says about {short(example['table'])}, learned from all {example['rows']} rows"
             f" ({example['columns']} columns, {len(example['classes'])} classes of `{example['target']}`)."
             f" Of long models the first {SHOWN} rules are shown.", ""]
    for name, run in example["methods"].items():
        if run["status"] != "ok":
            lines += [f"**{name}**: {run['status']} {run.get('detail', '')}".rstrip(), ""]
            continue
        accuracy = float(run["train_accuracy"])
        lines += [f"**{name}**: {plural(run['rules'], 'rule')}, {plural(run['literals'], 'literal')},"
                  f" size {run['size']}; right on {accuracy:.1%} of these rows.", "", "```text"]
        word = "IF"
        for conditions, outcome in run["words"][:SHOWN]:
            outcome = f"{example['target']} = {outcome}" if outcome in example["classes"] else outcome
            if conditions:
                lines.append(f"{word} {' AND '.join(conditions)} THEN {outcome}")
            else:
                lines.append(f"{'ELSE' if name in HAVE_ELSE else 'ALWAYS'} {outcome}")
            # In a list the order matters; its "else" ends it, and the list of the next class begins.
            word = "ELSE IF" if name == "rule-list" and conditions else "IF"
        if len(run["words"]) > SHOWN:
            lines.append(f"... and {len(run['words']) - SHOWN} more")
        lines += ["```", ""]
    return lines


def not_shown(results):
    smallest = min(int(row["rows"]) for row in results.facts.values())
    return [
        "## What this does not show", "",
        "- That one learner is better than another in general. These are some tables of one suite, and each"
        f" counts the same, even the one with {smallest} rows. No test of significance was made; small"
        " differences can be due to chance.",
        "- How the learners handle raw numbers or categories. The tables had been cut into 0/1 columns"
        " beforehand, which may put learners that choose their own thresholds at a disadvantage.",
        "- What tuning would achieve. Only `tree-tuned` was tuned. Most of these methods can be told to be"
        " smaller or larger, and their accuracy changes with it.",
        "- Size at equal fit. minrule's rules must agree with every training row that does not contradict"
        " another; so must those of `tree-full`, up to ties. The other methods may be wrong on training rows, and can be"
        " smaller for that reason. The training accuracy shows how much they make use of this.",
        "- That models of equal size are equally easy to read. Rules of a decision set and leaves of a tree can be"
        " read one by one. A rule of a list holds only if all earlier ones fail; leaves of `figs` and rules of"
        " `rulefit` stand for numbers to be added up. Tests that leaves of a tree share are counted once for each leaf.",
        "- Accuracy on new kinds of rows. Many tables repeat rows, so some test rows were seen in training,"
        " by every method alike.",
        "- The speed of the methods as such. The times are of these programs, some in Python and some compiled, on one"
        " machine that had other work now and then.",
    ]


if __name__ == "__main__":
    main()
