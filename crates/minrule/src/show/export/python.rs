//! A Python module, 3.9 or later, that is also a program.
//!
//! Inside, a missing number is NaN and a missing text is None: then a comparison is false of a
//! missing value and its negation true, as conditions want it, and reads as anyone would write it.

use crate::apply::predict::Conflict;
use crate::data::kind::Kind;
use crate::show::export::program::{Column, Program, Rule, Test, What};
use crate::show::export::words::head;
use crate::text::{is_plain, one_line};

pub(crate) fn python(program: &Program) -> String {
    // The second line may name an encoding; left to the table, it could make code of any comment.
    let mut out = String::from("#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n");
    for line in head(program) {
        out.push_str(format!("# {line}").trim_end());
        out.push('\n');
    }
    out.push_str(USE);
    out.push_str(&tables(program));
    out.push_str(&values(program));
    out.push_str(&fired(program));
    out.push_str(&predict(program));
    out.push_str(MAIN);
    out
}

/// How values are read.
fn values(program: &Program) -> String {
    let texts = program.missing_texts();
    let mut code = VALUES.to_string();
    let mut replace = |old: &str, new: String| {
        debug_assert!(code.contains(old), "{old}");
        code = code.replacen(old, &new, 1);
    };
    if program.decimal_comma() {
        replace(
            "        value = value.strip(BLANKS)\n        if not",
            "        value = value.strip(BLANKS)\n        \
             # Decimals follow a comma.\n        \
             value = \"\" if \".\" in value else value.replace(\",\", \".\", 1)\n        if not"
                .to_string(),
        );
    }
    if program.columns.iter().any(|column| column.kind.is_temporal()) {
        replace(
            "        name: number(row[name]) if kind == \"number\" else text(row[name])\n",
            "        name: number(row[name]) if kind == \"number\"\n        \
             else text(row[name]) if kind == \"text\"\n        \
             else moment(row[name], kind)\n"
                .to_string(),
        );
        replace("\n\ndef text(", format!("{MOMENT}\n\ndef text("));
    }
    let unknown = program.columns.iter().filter(|column| !column.missing.is_empty()).map(|column| {
        let numbers: Vec<String> = column.missing.iter().map(|&x| number(x)).collect();
        format!("    {}: ({},),\n", string(column.name), numbers.join(", "))
    });
    let unknown: String = unknown.collect();
    if !unknown.is_empty() {
        replace(
            "\n\ndef known(",
            format!(
                "\n# Numbers that stand for a missing value.\nUNKNOWN = {{\n{unknown}}}\n\n\ndef known("
            ),
        );
        replace("    return {\n", "    values = {\n".to_string());
        replace(
            "in COLUMNS.items()\n    }\n",
            "in COLUMNS.items()\n    }\n    \
             return {\n        \
                 name: math.nan if value in UNKNOWN.get(name, ()) else value\n        \
                 for name, value in values.items()\n    }\n"
                .to_string(),
        );
    }
    if !texts.is_empty() {
        let texts: Vec<String> = texts.iter().map(|text| string(text)).collect();
        replace(
            "(\"\", \"?\", \"na\", \"nan\") else",
            format!("(\"\", \"?\", \"na\", \"nan\") or value in ({},) else", texts.join(", ")),
        );
    }
    code
}

/// The columns, the labels and the rules.
fn tables(program: &Program) -> String {
    let column = |column: &Column| match column.kind {
        Kind::Date => "date",
        Kind::Time => "time",
        Kind::Instant => "instant",
        Kind::Real | Kind::Whole if column.numeric => "number",
        Kind::Real | Kind::Whole => "text",
    };
    let columns: Vec<String> = program
        .columns
        .iter()
        .map(|c| format!("    {}: {},\n", string(c.name), string(column(c))))
        .collect();
    let labels: Vec<String> = program.model.labels.iter().map(|label| string(label)).collect();
    let rules: Vec<String> = program.rules.iter().map(|r| rule(program, r)).collect();
    format!(
        "\n# The columns that rules test, and what their values are.\n\
         COLUMNS = {{\n{}}}\n\n\
         LABELS = [{}]\n\n\n\
         class Rule(NamedTuple):\n    \
             words: str\n    \
             then: str\n    \
             covers: int  # rows of the table that it was learned from\n    \
             {}: int\n    \
             conditions: Callable[[Dict[str, Any]], List[bool]]  # all of them must hold\n\n\n\
         RULES = [\n{}]\n",
        columns.concat(),
        labels.join(", "),
        program.strength(),
        rules.concat(),
    )
}

fn rule(program: &Program, rule: &Rule) -> String {
    let tests: Vec<String> =
        rule.tests.iter().map(|t| format!("            {},\n", test(program, t))).collect();
    let (tests, end) = match tests.is_empty() {
        true => (String::new(), ""),
        false => (format!("\n{}", tests.concat()), "        "),
    };
    let words = rule.rule.sentence(&program.model.decision_set.target, &program.wording);
    format!(
        "    Rule(\n        {},\n        then={},\n        covers={},\n        {}={},\n        \
         conditions=lambda row: [{tests}{end}],\n    ),\n",
        string(&one_line(&words)),
        string(&program.model.labels[rule.label]),
        rule.covers,
        program.strength(),
        rule.strength,
    )
}

fn test(program: &Program, test: &Test) -> String {
    let column = &program.columns[test.column];
    let value = format!("row[{}]", string(column.name));
    let not = if test.negated { "not " } else { "" };
    match (test.what, test.negated) {
        (What::Is(text), false) => format!("{value} == {}", string(text)),
        (What::Is(text), true) => format!("{value} != {}", string(text)),
        (What::Equals(x), false) => format!("{value} == {}", number(x)),
        (What::Equals(x), true) => format!("{value} != {}", number(x)),
        (What::AtMost(t), _) => format!("{not}{value} <= {}", number(t)),
        (What::Above(t), _) => format!("{not}{value} > {}", number(t)),
        (What::AtLeast(t), _) => format!("{not}{value} >= {}", number(t)),
        (What::Below(t), _) => format!("{not}{value} < {}", number(t)),
        (What::Within(low, high), _) => format!("{not}{} < {value} <= {}", number(low), number(high)),
        (What::Between(low, high), _) => format!("{not}{} <= {value} <= {}", number(low), number(high)),
        (What::Missing, _) if column.numeric => format!("{not}math.isnan({value})"),
        (What::Missing, false) => format!("{value} is None"),
        (What::Missing, true) => format!("{value} is not None"),
        (What::Never, negated) => if negated { "True" } else { "False" }.to_string(),
    }
}

fn fired(program: &Program) -> String {
    let also = match program.nearest() {
        true => " (none, where the nearest decide)",
        false => "",
    };
    let (of, rules) = match program.policy.conflict {
        Conflict::Order => (
            ", of the first class that has any",
            "rules = [rule for rule in RULES if all(rule.conditions(values))]\n    \
             return [rule.words for rule in rules if rule.then == rules[0].then]\n",
        ),
        _ => ("", "return [rule.words for rule in RULES if all(rule.conditions(values))]\n"),
    };
    format!(
        "\n\ndef fired(row: Dict[str, Any]) -> List[str]:\n    \
             \"\"\"The rules that fire for a row{of}, in words{also}.\"\"\"\n    \
             values = known(row)\n    \
             {rules}"
    )
}

fn predict(program: &Program) -> String {
    let mut body = String::from("    values = known(row)\n");
    if program.nearest() {
        body.push_str(
            "    unmet = [rule.conditions(values).count(False) for rule in RULES]\n    \
             rules = [rule for rule, n in zip(RULES, unmet) if n == min(unmet)]\n",
        );
    } else {
        let label = program.uncovered_label().map_or("None".to_string(), string);
        body.push_str(&format!(
            "    rules = [rule for rule in RULES if all(rule.conditions(values))]\n    \
             if not rules:\n        \
                 return {label}\n",
        ));
    }
    body.push_str(
        "    if len({rule.then for rule in rules}) == 1:\n        \
             return rules[0].then\n",
    );
    let strength = program.strength();
    body.push_str(&match program.policy.conflict {
        Conflict::Abstain => "    return None\n".to_string(),
        Conflict::Majority => "    votes = dict.fromkeys(LABELS, 0)\n    \
             for rule in rules:\n        \
                 votes[rule.then] += rule.covers\n    \
             return max(LABELS, key=lambda label: votes[label])  # the first of equals\n"
            .to_string(),
        Conflict::Size | Conflict::Precision | Conflict::Order => format!(
            "    first = min(\n        \
                 rules, key=lambda rule: (-rule.{strength}, -rule.covers, LABELS.index(rule.then))\n    \
             )\n    \
             return first.then\n"
        ),
    });
    format!(
        "\n\ndef predict(row: Dict[str, Any]) -> Optional[str]:\n    \
             \"\"\"The class of a row, if the rules and the policy give it one.\"\"\"\n{body}"
    )
}

/// A string literal.
fn string(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            _ if is_plain(c) => literal.push(c),
            _ => literal.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    literal.push('"');
    literal
}

fn number(x: f64) -> String {
    // Whole numbers read better without ".0"; Python compares them exactly all the same.
    if x.fract() == 0.0 && x.abs() < 1e15 { format!("{x:.0}") } else { format!("{x:?}") }
}

const USE: &str = r#"#
# predict(row) and fired(row) take a dict with a value for each column below: a str, an int, a
# float, or None where it is missing. As a program it reads a table with column names from a file
# or from standard input, and prints the class of each row, or an empty line:
#
#     python3 rules.py table.csv

import csv
import datetime
import math
import re
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional
"#;

const VALUES: &str = r#"

BLANKS = " \t\n\r\f"
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def known(row: Dict[str, Any]) -> Dict[str, Any]:
    """The values that rules test."""
    return {
        name: number(row[name]) if kind == "number" else text(row[name])
        for name, kind in COLUMNS.items()
    }


def number(value: Any) -> float:
    """A number; where there is none, NaN, of which no comparison is true."""
    if isinstance(value, str):
        value = value.strip(BLANKS)
        if not NUMBER.fullmatch(value):
            return math.nan
    try:
        x = float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return x if math.isfinite(x) else math.nan


def text(value: Any) -> Optional[str]:
    """A text, or None where it stands for a missing value."""
    if value is None:
        return None
    value = str(value).strip(BLANKS)
    return None if value.lower() in ("", "?", "na", "nan") else value
"#;

const MOMENT: &str = r#"

MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})([Tt ]([0-9]{2}):([0-9]{2})(:([0-9]{2})([.,]([0-9]+))?)?"
    r"( ?([Zz]|([+-])([0-9]{2})(:?([0-9]{2}))?))?)?"
)


def moment(value: Any, kind: str) -> float:
    """Days, or microseconds, since 1970; where there is no date or time, NaN."""
    if isinstance(value, datetime.date):
        value = value.isoformat()
    value = text(value)
    found = MOMENT.fullmatch(value) if value is not None else None
    if not found:
        return math.nan
    date, clock, hour, minute, _, second, _, decimals, offset, _, ahead, hours, _, minutes = found.groups("")
    try:
        days = datetime.date.fromisoformat(date).toordinal() - 719163
        if clock:
            datetime.time(int(hour), int(minute), int(second or 0))
            datetime.time(int(hours or 0), int(minutes or 0))
    except ValueError:
        return math.nan
    seconds = (int(hour or 0) * 60 + int(minute or 0)) * 60 + int(second or 0)
    seconds -= (int(hours or 0) * 60 + int(minutes or 0)) * (-60 if ahead == "-" else 60)
    micros = (days * 86400 + seconds) * 10**6 + int(decimals.ljust(6, "0")[:6])
    if bool(offset) != (kind == "instant"):
        return math.nan
    if (clock or kind != "date") and abs(micros) >= 2**53 - 1:
        return math.nan
    if kind == "date":
        return days if micros == days * 86400 * 10**6 else math.nan
    return micros
"#;

const MAIN: &str = r#"

def main() -> None:
    """Prints the class of each row of a table, quoted as in CSV where it must be."""
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    csv.field_size_limit(2**31 - 1)
    source = sys.argv[1] if len(sys.argv) > 1 else 0
    with open(source, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        rows = csv.reader(file)
        header = [name.strip(BLANKS) or f"column {i}" for i, name in enumerate(next(rows, []), 1)]
        for name in COLUMNS:
            if name not in header:
                sys.exit(f"the table has no column {name!r}")
        for fields in filter(None, rows):
            if len(fields) != len(header):
                sys.exit(f"line {rows.line_num}: {len(fields)} fields, not {len(header)}")
            label = predict(dict(zip(header, fields))) or ""
            if any(c in label for c in ',"\n\r'):
                label = '"' + label.replace('"', '""') + '"'
            print(label)


if __name__ == "__main__":
    main()
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        assert_eq!(string("a \"b\" \\ \n\t é"), r#""a \"b\" \\ \n\t é""#);
        assert_eq!(string("\0\u{202e}"), r#""\U00000000\U0000202e""#);
    }

    #[test]
    fn numbers_are_exact() {
        assert_eq!([58.0, -0.5, 1e300, 0.1].map(number), ["58", "-0.5", "1e300", "0.1"]);
    }
}
