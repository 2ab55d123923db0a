"""The same table and options give the same rules in Python and on the command line."""

import csv
import datetime
import io
import json
import subprocess
import warnings

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from minrule import DecisionSetClassifier

WORDS = st.text(st.sampled_from("ab \"',;?é<NA.-0123"), max_size=4)
KINDS = {
    "text": st.one_of(st.none(), WORDS),
    "truth": st.booleans(),
    "few": st.integers(0, 3),
    "whole": st.integers(-50, 50),
    "whole or none": st.one_of(st.none(), st.integers(-50, 50)),
    "number": st.one_of(st.none(), st.floats(-100, 100).map(lambda x: round(x, 3) + 0.0)),
    "day": st.one_of(st.none(), st.dates(datetime.date(2020, 1, 1), datetime.date(2021, 12, 31))),
    "moment": st.datetimes(datetime.datetime(2021, 3, 1), datetime.datetime(2021, 3, 3)).map(
        lambda time: time.replace(microsecond=0)
    ),
}
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "objective": st.sampled_from(["size", "rules", "literals", "rules-then-literals"]),
        "alpha": st.sampled_from(["0.5rows", "1row", "2 rows", "3%", "0.07", "0.123456789"]),
        "otherwise": st.sampled_from(["auto", "none", "red", "1"]),
        "order": st.sampled_from(["none", "rarest", "frequent", ["red", "1"], ["1", "blue", "red"]]),
        "numbers": st.one_of(
            st.fixed_dictionaries({"cuts": st.sampled_from([1, 3, 6, "all"])}),
            st.fixed_dictionaries(
                {"numeric": st.just("intervals")},
                optional={"intervals": st.integers(2, 6), "cut": st.sampled_from(["frequency", "width"])},
            ),
        ),
        "missing": st.sampled_from(["value", "drop-rows", "error"]),
        "negations": st.booleans(),
        "prefer_disjoint": st.booleans(),
        "cover": st.sampled_from(["branch", "ilp", "maxsat"]),
        "random_state": st.integers(0, 3),
    },
).map(lambda given: {**given.pop("numbers", {}), **given})


@st.composite
def tables(draw):
    rows = draw(st.integers(2, 25))
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4))
    columns = {
        f"{kind} {i}": draw(st.lists(KINDS[kind], min_size=rows, max_size=rows))
        for i, kind in enumerate(kinds)
    }
    labels = draw(st.lists(st.sampled_from(["red", "blue", "1"]), min_size=rows, max_size=rows))
    return columns, labels


def as_frame(columns):
    kind = {"number": np.float64, "truth": bool, "few": np.int64, "whole": np.int64}
    kind["moment"] = "datetime64[us]"
    return pd.DataFrame(
        {
            name: np.array(values, dtype=kind.get(name.rsplit(" ", 1)[0], object))
            for name, values in columns.items()
        }
    )


def cell(value):
    if value is None:
        return ""
    if isinstance(value, datetime.date):
        return value.isoformat()
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def as_csv(columns, labels):
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerow([*columns, "class"])
    writer.writerows([*map(cell, row), label] for *row, label in zip(*columns.values(), labels))
    return out.getvalue()


def command_line(cli, text, options):
    args = []
    for option, value in options.items():
        if option == "negations":
            args += [] if value else ["--no-negations"]
        elif option == "prefer_disjoint":
            args += ["--prefer-disjoint"] if value else []
        elif option == "random_state":
            # The seed that scikit-learn's convention makes of it.
            args += ["--seed", str(np.random.RandomState(value).randint(np.iinfo(np.int32).max))]
        elif option == "order":
            args += ["--order", value if isinstance(value, str) else ",".join(value)]
        else:
            args += [{"objective": "--minimize"}.get(option, f"--{option}"), str(value)]
    done = subprocess.run(
        [cli, "learn", "-", "--format", "json", "--threads", "1", "--quiet", *args],
        input=text.encode(),
        capture_output=True,
    )
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.decode()


@settings(max_examples=300, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(table=tables(), options=OPTIONS)
def test_python_and_the_command_line_agree(cli, table, options):
    columns, labels = table
    theirs = command_line(cli, as_csv(columns, labels), options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ours = DecisionSetClassifier(**options).fit(as_frame(columns), labels)
        except ValueError as error:
            # What cannot be learned from cannot be learned from here either.
            assert isinstance(theirs, str), error
            return
    assert not isinstance(theirs, str), theirs
    rules = [rule for of_class in theirs["classes"] for rule in of_class["rules"]]
    assert [
        ([(c.feature, c.op, c.value) for c in rule.conditions], rule.class_, rule.support)
        for rule in ours.rules_
    ] == [
        (
            [
                (c["feature"], c["op"], tuple(c["value"]) if isinstance(c["value"], list) else c["value"])
                for c in rule["if"]
            ],
            rule["then"],
            rule["covers"],
        )
        for rule in rules
    ]
    assert [(rule.wrong, rule.precision) for rule in ours.rules_] == [
        (rule.get("wrong"), rule.get("precision")) for rule in rules
    ]
    bound = theirs["lower_bound"]
    assert ours.lower_bound_ == (tuple(bound) if isinstance(bound, list) else bound)
    for name in ["price", "errors", "rows_wrong", "otherwise", "order"]:
        assert getattr(ours, f"{name}_") == theirs.get(name)
    assert "alpha" not in options or ours.cost_ == theirs["cost"]
    assert (ours.status_, ours.size_, ours.gap_) == (theirs["status"], theirs["size"], theirs["gap"])
    assert ours.conflicts_["rows_dropped"] == theirs["conflicts"]["rows_dropped"]
