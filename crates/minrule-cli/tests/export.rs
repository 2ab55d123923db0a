//! `minrule export`: what is exported says of every row what `minrule predict` says.
//!
//! Programs are run as a user would run them, so the tests need `python3`, `cc` and `rustc`.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Random, csv, output, records, run, text};
use serde_json::{Value, json};
use tempfile::TempDir;

const DATING: &str = include_str!("../../../data/dating.csv");
const LOANS: &str = include_str!("../../../data/loans.csv");

const UNCOVERED: [&str; 3] = ["default", "abstain", "nearest"];
const CONFLICT: [&str; 4] = ["majority", "size", "precision", "abstain"];

/// Policies that have each choice once or twice.
const SOME_POLICIES: [[&str; 2]; 4] =
    [["default", "majority"], ["abstain", "size"], ["nearest", "abstain"], ["default", "precision"]];

/// A model and rows to apply it to.
struct Case {
    name: &'static str,
    folder: TempDir,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Case {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Where classes have an order, nothing else decides conflicts.
    fn conflict<'c>(&self, conflict: &'c str) -> &'c str {
        if self.name.contains("in order") { "order" } else { conflict }
    }

    fn export(&self, to: &str, [uncovered, conflict]: [&str; 2]) -> String {
        let (model, conflict) = (self.path("model.json"), self.conflict(conflict));
        let args =
            ["export", text(&model), "--to", to, "--uncovered", uncovered, "--conflict", conflict];
        let result = run(&args);
        assert_eq!(result.code, 0, "{}: {}", self.name, result.stderr);
        result.stdout
    }

    /// What `minrule predict` prints, without the header.
    fn expected(&self, [uncovered, conflict]: [&str; 2]) -> String {
        let (model, rows) = (self.path("model.json"), self.path("rows.csv"));
        let policy = ["--uncovered", uncovered, "--conflict", self.conflict(conflict)];
        let args = [&["predict", text(&model), text(&rows), "--quiet"], &policy[..]].concat();
        let result = run(&args);
        assert_eq!(result.code, 0, "{}: {}", self.name, result.stderr);
        result.stdout.split_once('\n').expect("a header").1.to_string()
    }

    /// Runs a program on the rows and compares what it prints.
    fn compare(&self, program: &mut Command, policy: [&str; 2], what: &str) {
        let rows = std::fs::read(self.path("rows.csv")).unwrap();
        let printed = output(program, &rows, what);
        let (printed, expected) = (records(&printed), records(&self.expected(policy)));
        assert_eq!(printed.len(), self.rows.len(), "{what}, {}, {policy:?}", self.name);
        for (i, row) in self.rows.iter().enumerate() {
            assert_eq!(printed[i], expected[i], "{what}, {}, {policy:?}: {row:?}", self.name);
        }
    }
}

/// A column's name and the values that a table draws from.
type Column<'c> = (&'c str, Vec<&'c str>);

fn table(columns: &[Column], target: &str, labels: &[&str], rows: usize, seed: u64) -> String {
    let mut random = Random(seed);
    let mut names: Vec<String> = columns.iter().map(|(name, _)| name.to_string()).collect();
    names.push(target.to_string());
    let row = |_| {
        let mut row: Vec<String> =
            columns.iter().map(|(_, values)| random.of(values).to_string()).collect();
        row.push(random.of(labels).to_string());
        row
    };
    let rows: Vec<Vec<String>> = (0..rows).map(row).collect();
    csv(&names, &rows)
}

/// Learns from a table, changes the model at will, and draws rows to apply it to.
fn case(name: &'static str, table: &str, options: &[&str], change: impl Fn(&mut Value)) -> Case {
    let folder = tempfile::tempdir().unwrap();
    let (table_path, model_path) = (folder.path().join("table.csv"), folder.path().join("model.json"));
    std::fs::write(&table_path, table).unwrap();
    let args = ["learn", text(&table_path), "--quiet", "--model", text(&model_path)];
    let result = run(&[&args[..], options].concat());
    assert_eq!(result.code, 0, "{name}: {}", result.stderr);
    let mut model: Value = serde_json::from_slice(&std::fs::read(&model_path).unwrap()).unwrap();
    change(&mut model);
    std::fs::write(&model_path, model.to_string()).unwrap();
    let columns: Vec<String> = model["features"]["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["name"].as_str().unwrap().to_string())
        .collect();
    let pools: Vec<Vec<String>> = columns.iter().map(|name| pool(&model, name)).collect();
    let mut random = Random(7);
    let rows: Vec<Vec<String>> =
        (0..250).map(|_| pools.iter().map(|pool| random.of(pool).clone()).collect()).collect();
    std::fs::write(folder.path().join("rows.csv"), csv(&columns, &rows)).unwrap();
    Case { name, folder, columns, rows }
}

/// Values to try in a column: those that its encoding and the rules name, numbers beside them,
/// missing ones, and ones that the model has never seen.
fn pool(model: &Value, column: &str) -> Vec<String> {
    let mut named = Vec::new();
    let encodings = model["features"]["columns"].as_array().unwrap().iter();
    encodings.filter(|c| c["name"] == column).for_each(|c| leaves(&c["encoding"], &mut named));
    for class in model["decision_set"]["classes"].as_array().unwrap() {
        for rule in class["rules"].as_array().unwrap() {
            let conditions = rule["if"].as_array().unwrap().iter();
            conditions.filter(|c| c["feature"] == column).for_each(|c| leaves(&c["value"], &mut named));
        }
    }
    let kind = kind_of(model, column);
    if kind != "number" {
        return moments(kind, &named);
    }
    let mut pool = named.clone();
    for x in named.iter().filter_map(|text| text.parse::<f64>().ok()) {
        pool.extend([x, x.next_up(), x.next_down(), x + 0.5, x - 3.0].map(|x| format!("{x:?}")));
    }
    // Often enough beside a long list of names.
    for _ in 0..=named.len() / 8 {
        pool.extend(
            ["", "?", "NA", "nan", "Na", "never seen", "many", "inf", "1e999", "0x10", "1_0", "1e1"]
                .map(String::from),
        );
        pool.extend(["+2", ".5", "5.", "-0", "infinity", " 2 ", "e5", "."].map(String::from));
        leaves(&model["provenance"]["spelling"]["missing"], &mut pool);
    }
    if model["provenance"]["spelling"]["decimal"] == "," {
        let commas: Vec<String> = pool.iter().map(|text| text.replace('.', ",")).collect();
        pool.extend(commas);
        pool.extend(["1,2,3", "1.5,2", ",5", "5,"].map(String::from));
    }
    pool
}

/// What the numbers of a column are: "number", also where there are none, "date", "time" or "instant".
fn kind_of<'m>(model: &'m Value, column: &str) -> &'m str {
    let columns = [&model["features"]["columns"], &model["columns"]];
    let mut columns = columns.into_iter().filter_map(Value::as_array).flatten();
    let kind = columns.find(|c| c["name"] == column).and_then(|c| c["kind"].as_str());
    kind.filter(|kind| ["date", "time", "instant"].contains(kind)).unwrap_or("number")
}

/// Dates or times to try: the given ones and their neighbours, written in several ways, others, and what is none.
fn moments(kind: &str, numbers: &[String]) -> Vec<String> {
    let mut pool: Vec<String> = Vec::new();
    for n in numbers.iter().filter_map(|text| text.parse::<f64>().ok()) {
        for n in [n as i64 - 1, n as i64, n as i64 + 1] {
            let (date, clock) = match kind {
                "date" => (iso_date(n), String::new()),
                _ => (iso_date(n.div_euclid(86_400_000_000)), iso_time(n.rem_euclid(86_400_000_000))),
            };
            pool.extend(match kind {
                "date" => [date.clone(), format!("{date}T00:00"), format!("{date} 00:00:00.000")],
                "time" => ["T", " ", "t"].map(|t| format!("{date}{t}{clock}")),
                _ => ["Z", "+00:00", " -0000"].map(|utc| format!("{date}T{clock}{utc}")),
            });
        }
    }
    let other = "\
        2021-03-01|2021-03-01T12:30|2021-03-01 12:30:15,25|2021-03-01T12:30Z|2021-03-01T12:30+01|2021-02-29|2020-02-29|\
        2021-03-01T24:00|2021-03-01T12|2021-03-01T12:30:60|2021-03-01T12:30.5|2021-03-01T12:30:00.|2021-3-1|2021-13-01|\
        2021-03-01T12:30:01.1234569|2021-03-01T12:30+24:00|2021-03-01T12:30 Z|2021-03-01T00:30+0130|0000-01-01|\
        2021-03-01T12:30+01:|2021-03-01T12:30Z1|2021-03-01T12:30 |2021-03-01T|1600-01-01|1600-01-01T00:00|\
        1600-01-01T00:00Z|9999-12-31|9999-12-31T00:00|2021-03-01x|18687|0|1614556800000000|soon|nan|NA||?";
    for _ in 0..=numbers.len() / 4 {
        pool.extend(other.split('|').map(String::from));
    }
    pool
}

/// The date of so many days since 1970, counted day by day.
fn iso_date(days: i64) -> String {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let (mut year, mut left) = (1970, days);
    while left < 0 {
        year -= 1;
        left += 365 + i64::from(is_leap(year));
    }
    while left >= 365 + i64::from(is_leap(year)) {
        left -= 365 + i64::from(is_leap(year));
        year += 1;
    }
    let mut month = 0;
    let lengths = [31, 28 + i64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while left >= lengths[month] {
        left -= lengths[month];
        month += 1;
    }
    format!("{year:04}-{:02}-{:02}", month + 1, left + 1)
}

fn iso_time(micros: i64) -> String {
    let seconds = micros / 1_000_000;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{hour:02}:{minute:02}:{second:02}.{:06}", micros % 1_000_000)
}

/// All texts and numbers in a JSON value.
fn leaves(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Number(number) => out.push(number.to_string()),
        Value::Array(values) => values.iter().for_each(|value| leaves(value, out)),
        Value::Object(fields) => fields.values().for_each(|value| leaves(value, out)),
        _ => {}
    }
}

/// Rules at random, so many for each class and of these lengths, with every kind of condition that
/// the columns allow.
fn wild_rules(seed: u64, rules: usize, lengths: &'static [usize]) -> impl Fn(&mut Value) {
    move |model| {
        let mut random = Random(seed);
        let columns: Vec<(String, bool, Vec<String>)> = model["features"]["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|column| {
                let mut values = Vec::new();
                leaves(&column["encoding"], &mut values);
                values.retain(|value| value != "missing");
                let numeric = values.iter().all(|value| value.parse::<f64>().is_ok());
                (column["name"].as_str().unwrap().to_string(), numeric, values)
            })
            .collect();
        let mut condition = || {
            let (name, numeric, values) = random.of(&columns).clone();
            let value = random.of(&values).clone();
            let ops: &[&str] = match numeric {
                true => &[
                    "<=",
                    ">",
                    ">=",
                    "not <=",
                    "not >",
                    "not <",
                    "in",
                    "not in",
                    "between",
                    "not between",
                    "=",
                    "!=",
                    "is missing",
                ],
                false => &["=", "!=", "is missing", "is not missing", "=", "!="],
            };
            let op = *random.of(ops);
            let number = |text: &String| text.parse::<f64>().unwrap();
            let value = match op {
                "=" | "!=" => json!(value),
                "in" | "not in" | "between" | "not between" => {
                    let (x, y) = (number(&value), number(random.of(&values)));
                    json!([x.min(y), x.max(y)])
                }
                "is missing" | "is not missing" => Value::Null,
                _ => json!(number(&value)),
            };
            json!({ "feature": name, "op": op, "value": value })
        };
        let sparse = !model["decision_set"]["alpha"].is_null();
        let classes = model["decision_set"]["classes"].as_array_mut().unwrap();
        for (c, class) in classes.iter_mut().enumerate() {
            let then = class["class"].clone();
            let rule = |i: usize| {
                let mut all: Vec<Value> = Vec::new();
                for _ in 0..lengths[(i + c) % lengths.len()] {
                    let next = condition();
                    if !all.contains(&next) {
                        all.push(next);
                    }
                }
                // Few different numbers, so that there are ties.
                let covers = 1 + (i + c) % 3;
                let mut rule = json!({ "if": all, "then": then, "covers": covers });
                if sparse {
                    // One of two and two of four: these are equal only as fractions.
                    rule["wrong"] = json!([covers, 0, covers + 1][(i + 2 * c) % 3]);
                    rule["precision"] = json!(0.5);
                }
                rule
            };
            class["rules"] = (1..=rules).map(rule).collect();
        }
    }
}

fn mixed_columns() -> Vec<Column<'static>> {
    vec![
        ("score", vec!["1", "2.5", "3", "4.25", "5", "6.5", "7", "", "NA", "-1e-3"]),
        ("count", vec!["1", "1.0", "2", "03"]),
        ("colour", vec!["red", "blue", "green", "?", "amber"]),
        ("flag", vec!["yes", "no"]),
        ("code", vec!["1", "x1", "1.0", "nan"]),
        ("size", vec!["10", "200", "3e3", "44", "5.5", "66", "7e-1"]),
    ]
}

fn moment_columns() -> Vec<Column<'static>> {
    vec![
        (
            "signed",
            vec![
                "2020-02-29",
                "2021-03-01 00:00",
                "2021-12-31",
                "1969-12-31",
                "1066-10-14",
                "9999-12-31",
                "",
            ],
        ),
        (
            "seen",
            vec![
                "2021-03-01T12:30",
                "2021-03-01 12:30:15.25",
                "2021-03-01",
                "1999-12-31T23:59:59.999999",
                "1969-07-20 20:17",
                "2000-01-01T00:00:00",
                "NA",
            ],
        ),
        (
            "sent",
            vec![
                "2021-03-01T12:30Z",
                "2021-03-01 12:30+02:00",
                "2021-03-01T10:30:00.5-0130",
                "2020-01-01T00:00:00Z",
                "1950-05-05T05:05 +05",
                "?",
            ],
        ),
        ("tier", vec!["1", "2", "3", "4.5"]),
        ("colour", vec!["red", "blue", "9999-12-31"]),
    ]
}

/// Names and values with a meaning in some language.
fn nasty_columns() -> Vec<Column<'static>> {
    vec![
        ("if", vec!["class", "\\", "it's"]),
        ("class", vec!["*/ x /*", "??/", "\"\"\""]),
        ("2nd \"quoted\"", vec!["1", "2", "3", "4", "5.5", ""]),
        ("", vec!["a\nb", "a\\nb", "a,b", ""]),
        ("Größe, in \\m", vec!["1e300", "-2.5", "0.1", "1e-7", "123456789.125"]),
        ("größe, in m", vec!["ß", "\u{202e}abc", "日本", "e\u{301}"]),
        ("a\nb", vec!["'; DROP TABLE t; --", "%s", "{x}", "${y}"]),
        ("*/ ??/", vec!["<b>&amp;</b>", "]]>", "--"]),
        ("r", vec!["row", "self"]),
        ("self", vec!["NULL", "None", "null"]),
    ]
}

const NASTY_LABELS: [&str; 4] = ["it's \"so\", \\n", "class", "*/ ??/ ü\u{202e}", "two\nlines"];

/// Every kind of table and model.
fn cases() -> Vec<Case> {
    let keep = |_: &mut Value| {};
    let mixed = table(&mixed_columns(), "kind", &["a", "b", "c"], 60, 1);
    let nasty = table(&nasty_columns(), "if \"class\" /*", &NASTY_LABELS, 40, 2);
    let moments = table(&moment_columns(), "deal", &["a", "b", "c"], 60, 3);
    let silent = |model: &mut Value| {
        for class in model["decision_set"]["classes"].as_array_mut().unwrap() {
            class["rules"] = json!([]);
        }
    };
    let thresholds = &["--numeric", "thresholds"][..];
    vec![
        case("loans, thresholds", LOANS, thresholds, keep),
        case(
            "loans, one class, intervals",
            LOANS,
            &["--numeric", "intervals", "--classes", "yes"],
            keep,
        ),
        case("dating", DATING, &[], keep),
        case("mixed, one class of three", &mixed, &["--classes", "b"], keep),
        case("mixed, other missing values", &mixed, &["--missing-values", "x1,3,amber,1e3"], keep),
        case(
            "mixed, wild, other missing values",
            &mixed,
            &["--missing-values", "x1,3"],
            wild_rules(3, 5, &[2, 5, 3, 6]),
        ),
        case("mixed, intervals", &mixed, &["--numeric", "intervals", "--intervals", "3"], keep),
        case("mixed, wild", &mixed, thresholds, wild_rules(3, 5, &[2, 5, 3, 6])),
        case("nasty", &nasty, thresholds, keep),
        case("nasty, wild", &nasty, thresholds, wild_rules(4, 4, &[2, 5, 3, 6])),
        case("loans, sparse", LOANS, &["--alpha", "0.5%"], keep),
        case("mixed, sparse", &mixed, &["--alpha", "0.7rows", "--otherwise", "none"], keep),
        case("mixed, sparse, some classes", &mixed, &["--alpha", "1row", "--classes", "b"], keep),
        case(
            "mixed, sparse, wild",
            &mixed,
            &["--alpha", "1row", "--otherwise", "none", "--numeric", "thresholds"],
            wild_rules(6, 5, &[2, 5, 3, 6]),
        ),
        case(
            "nasty, sparse, wild",
            &nasty,
            &["--alpha", "1row", "--numeric", "thresholds"],
            wild_rules(8, 4, &[1, 3, 2]),
        ),
        case("mixed, in order", &mixed, &["--alpha", "0.7rows", "--order", "rarest"], keep),
        case(
            "mixed, in order, wild",
            &mixed,
            &["--alpha", "1row", "--order", "c,a,b", "--otherwise", "none", "--numeric", "thresholds"],
            wild_rules(9, 5, &[2, 1, 3, 4]),
        ),
        case(
            "nasty, in order, wild",
            &nasty,
            &["--alpha", "1row", "--order", "frequent", "--numeric", "thresholds"],
            wild_rules(10, 4, &[1, 3, 2]),
        ),
        case("dates", &moments, thresholds, keep),
        case("dates, intervals", &moments, &["--numeric", "intervals", "--intervals", "3"], keep),
        case("dates, wild", &moments, thresholds, wild_rules(11, 5, &[2, 5, 3, 6])),
        case(
            "dates, sparse, wild, other missing values",
            &moments,
            &[
                "--alpha",
                "1row",
                "--numeric",
                "thresholds",
                "--missing-values",
                "9999-12-31,2021-03-01,3",
            ],
            wild_rules(12, 5, &[2, 1, 3, 4]),
        ),
        case("no rules", DATING, &[], silent),
        case("some always", DATING, &[], wild_rules(5, 3, &[0, 1])),
    ]
}

fn all_policies() -> impl Iterator<Item = [&'static str; 2]> {
    UNCOVERED.into_iter().flat_map(|uncovered| CONFLICT.map(|conflict| [uncovered, conflict]))
}

/// The comparisons below are worth something only if rows are uncovered and in conflict, and
/// policies matter.
#[test]
fn the_cases_tell_policies_apart() {
    let told_apart = |case: &Case| {
        let mut all: Vec<String> = all_policies().map(|policy| case.expected(policy)).collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    };
    let cases = cases();
    let apart: Vec<(&str, usize)> = cases.iter().map(|case| (case.name, told_apart(case))).collect();
    // Two may agree by chance: where all the nearest rules contradict each other, nearest abstains.
    let well = apart.iter().filter(|(_, policies)| *policies >= 9).count();
    assert!(well >= 4 && apart.iter().any(|(_, policies)| *policies >= 11), "{apart:?}");
}

#[test]
fn python_says_the_same_under_every_policy() {
    for case in cases() {
        // All of them where they differ most; starting Python takes its time.
        let all: Vec<[&str; 2]> = match case.name.contains("wild") || case.name.contains("intervals") {
            true => all_policies().collect(),
            false => SOME_POLICIES.to_vec(),
        };
        for policy in all {
            let program = case.path("rules.py");
            std::fs::write(&program, case.export("python", policy)).unwrap();
            case.compare(Command::new("python3").arg(&program), policy, "Python");
        }
    }
}

/// What is compiled or run reads files as they were written.
#[test]
fn decimals_after_a_comma_are_read_alike() {
    let columns: Vec<Column> = mixed_columns();
    let commas: Vec<(&str, Vec<String>)> = columns
        .into_iter()
        .map(|(name, values)| (name, values.iter().map(|value| value.replace('.', ",")).collect()))
        .collect();
    let columns: Vec<Column> = commas
        .iter()
        .map(|(name, values)| (*name, values.iter().map(String::as_str).collect()))
        .collect();
    let content = table(&columns, "kind", &["a", "b"], 60, 9);
    let options = ["--decimal", ",", "--missing-values", "4,25;-", "--numeric", "thresholds"];
    let case = case("commas", &content, &options, |_| {});
    let policy = SOME_POLICIES[1];
    assert!(case.expected(policy).contains('a') && case.expected(policy).contains('b'));
    let (python, c, rust) = (case.path("rules.py"), case.path("rules.c"), case.path("rules.rs"));
    std::fs::write(&python, case.export("python", policy)).unwrap();
    case.compare(Command::new("python3").arg(&python), policy, "Python");
    let program = case.path("rules");
    let mut compiler = Command::new("cc");
    let compiler =
        compiler.args(["-std=c99", "-Wall", "-Werror", "-DMINRULE_MAIN", "-o", text(&program)]);
    compile(compiler, &c, &case.export("c", policy));
    case.compare(&mut Command::new(&program), policy, "C");
    let mut compiler = Command::new("rustc");
    let compiler = compiler.args(["--edition", "2021", "-D", "warnings", "-o", text(&program)]);
    compile(compiler, &rust, &case.export("rust", policy));
    case.compare(&mut Command::new(&program), policy, "Rust");
}

/// Values of other types than a file has.
#[test]
fn python_takes_numbers_and_none() {
    let case = case("loans", LOANS, &["--numeric", "thresholds"], |_| {});
    std::fs::write(case.path("rules.py"), case.export("python", ["abstain", "majority"])).unwrap();
    let script = r#"
import rules
row = {"age": 60, "income": None, "debt": 19.0, "history": "good", "guarantor": "no"}
assert rules.predict(row) == "yes", rules.predict(row)
assert rules.fired(row) == [
    "IF age >= 36 AND debt <= 19.9 AND history = good THEN approved = yes"
], rules.fired(row)
for missing in (None, float("nan"), float("inf"), 10**400, "many", "", "NA", "1_000", "0x1p3"):
    assert rules.predict({**row, "age": missing}) is None, missing
assert rules.predict({**row, "age": " 60.0 "}) == "yes"
assert rules.predict({**row, "history": float("nan")}) is None
try:
    rules.predict({})
except KeyError as error:
    assert "age" in str(error)
else:
    raise AssertionError("a row without columns was taken")
"#;
    let mut python = Command::new("python3");
    output(python.arg("-c").arg(script).current_dir(case.folder.path()), b"", "Python");
}

/// A reader of dates and times for scripts, in the words that exports ask for.
const READ_MOMENT: &str = r#"
import datetime, re

MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[Tt ]([0-9]{2}:[0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?"
    r"(?: ?(?:([Zz])|([+-])([0-9]{2}):?([0-9]{2})?))?)?"
)

def moment(text, kind, separator):
    found = MOMENT.fullmatch(text)
    if not found or text.endswith(":"):
        return None
    date, clock, seconds, decimals, zulu, sign, hours, minutes = found.groups("")
    try:
        micros = (decimals + "000000")[:6]
        when = datetime.datetime.fromisoformat(f"{date}T{clock or '00:00'}:{seconds or '00'}.{micros}")
        datetime.time(int(hours or 0), int(minutes or 0))
    except ValueError:
        return None
    ahead = datetime.timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    distance = abs((when - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1))
    if (clock or kind != "date") and distance > 2**53 - 10**12:
        return None
    if bool(zulu or sign) != (kind == "instant"):
        return None
    if kind == "date":
        return date if when.time() == datetime.time() else None
    when += ahead if sign == "-" else -ahead
    text = when.isoformat(separator)
    return text.rstrip("0") if "." in text else text
"#;

/// Columns are typed as the exported comment asks for.
#[test]
fn sql_says_the_same() {
    let script = r#"
import json, sqlite3, sys
given = json.load(sys.stdin)
quoted = lambda name: '"' + name.replace('"', '""') + '"'
database = sqlite3.connect(":memory:")
types = {"date": "DATE", "time": "TIMESTAMP", "instant": "TEXT"}
columns = ", ".join(f"{quoted(name)} {types.get(kind, kind)}" for name, kind in given["columns"])
def value(text, kind):
    text = moment(text, kind, " ") if kind in types and text is not None else text
    return text + "+00:00" if kind == "instant" and text is not None else text
rows = [[value(text, kind) for text, (_, kind) in zip(row, given["columns"])] for row in given["rows"]]
database.execute(f"CREATE TABLE {quoted('table')} ({columns})")
marks = ", ".join("?" for _ in given["columns"])
database.executemany(f"INSERT INTO {quoted('table')} VALUES ({marks})", rows)
print(json.dumps([database.execute(select).fetchall() for select in given["selects"]]))
"#;
    let script = READ_MOMENT.to_string() + script;
    for case in cases() {
        let exported: Value = serde_json::from_str(&case.export("json", SOME_POLICIES[0])).unwrap();
        let numeric = |name: &String| {
            let columns = exported["columns"].as_array().unwrap();
            columns.iter().any(|column| column["name"] == **name && column["numeric"] == true)
        };
        let value = |(name, field): (&String, &String)| {
            let field = field.trim_ascii();
            let missing = ["", "?", "na", "nan"].contains(&field.to_lowercase().as_str());
            match (numeric(name), field.parse::<f64>()) {
                _ if missing => Value::Null,
                _ if kind_of(&exported, name) != "number" => json!(field),
                (true, Ok(x)) if x.is_finite() => json!(x),
                (true, _) => Value::Null,
                (false, _) => json!(field),
            }
        };
        let typed = |row: &Vec<String>| case.columns.iter().zip(row).map(value).collect::<Vec<_>>();
        let given = json!({
            "columns": case.columns.iter()
                .map(|name| match kind_of(&exported, name) {
                    "number" => [name.as_str(), if numeric(name) { "REAL" } else { "TEXT" }],
                    kind => [name.as_str(), kind],
                })
                .collect::<Vec<_>>(),
            "rows": case.rows.iter().map(typed).collect::<Vec<_>>(),
            "selects": all_policies().map(|policy| case.export("sql", policy)).collect::<Vec<_>>(),
        });
        let printed =
            output(Command::new("python3").args(["-c", &script]), given.to_string().as_bytes(), "SQL");
        let tables: Vec<Vec<Vec<Value>>> = serde_json::from_str(&printed).unwrap();
        for (policy, rows) in all_policies().zip(tables) {
            let expected = records(&case.expected(policy));
            assert_eq!(rows.len(), expected.len());
            for (i, row) in rows.iter().enumerate() {
                assert_eq!(row.len(), case.columns.len() + 1);
                let label = row.last().unwrap().as_str().unwrap_or("");
                assert_eq!(label, expected[i], "SQL, {}, {policy:?}: {:?}", case.name, case.rows[i]);
            }
        }
    }
}

fn compile(compiler: &mut Command, source: &Path, code: &str) {
    std::fs::write(source, code).unwrap();
    let name = source.display().to_string();
    output(compiler.arg(source), b"", &name);
}

#[test]
fn rust_says_the_same() {
    let rustc = std::env::var("RUSTC").unwrap_or("rustc".to_string());
    for (i, case) in cases().iter().enumerate() {
        // Compiling takes a second: every policy once, three of them where names are nasty.
        let policies = if case.name == "nasty, wild" { &SOME_POLICIES[..] } else { &[] };
        let one = all_policies().nth(i % 9).unwrap();
        for (j, policy) in policies.iter().copied().chain([one]).enumerate() {
            let (source, program) = (case.path("rules.rs"), case.path(&format!("rust-{j}")));
            let mut rustc = Command::new(&rustc);
            rustc.args(["--edition", ["2015", "2024"][i % 2], "-D", "warnings", "-o", text(&program)]);
            compile(&mut rustc, &source, &case.export("rust", policy));
            case.compare(&mut Command::new(&program), policy, "Rust");
        }
    }
}

#[test]
fn c_says_the_same() {
    let flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-DMINRULE_MAIN"];
    for (i, case) in cases().iter().enumerate() {
        let policies = if case.name == "nasty, wild" { 0..9 } else { i % 9..i % 9 + 1 };
        for policy in policies.map(|p| all_policies().nth(p).unwrap()) {
            let (source, program) = (case.path("rules.c"), case.path(&policy.concat()));
            let mut cc = Command::new("cc");
            compile(cc.args(flags).args(["-o", text(&program)]), &source, &case.export("c", policy));
            case.compare(&mut Command::new(&program), policy, "C");
        }
    }
}

/// By a reader of our own, which goes by the words of PMML 4.4. What others make of the file is in
/// `experiments/export`.
#[test]
fn pmml_says_the_same() {
    let script = r#"
import json, math, operator, sys
import xml.etree.ElementTree as ElementTree

given = json.load(sys.stdin)
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
OPERATORS = {
    "equal": operator.eq, "notEqual": operator.ne, "lessThan": operator.lt, "lessOrEqual": operator.le,
    "greaterThan": operator.gt, "greaterOrEqual": operator.ge,
}

def local(element):
    return element.tag.rsplit("}")[-1]

def parsed(text, kind):
    if kind == "double":
        return float(text) if NUMBER.fullmatch(text) else None
    if kind == "string":
        return text
    return datetime.datetime.fromisoformat(text) if text is not None else None

def holds(predicate, row):
    "True, False, or None where that is unknown."
    name = local(predicate)
    if name in ("True", "False"):
        return name == "True"
    if name == "CompoundPredicate":
        parts = [holds(part, row) for part in predicate]
        decisive = predicate.get("booleanOperator") == "or"
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    value, test = row[predicate.get("field")], predicate.get("operator")
    if test in ("isMissing", "isNotMissing"):
        return (value is None) == (test == "isMissing")
    kind = kinds[predicate.get("field")]
    return None if value is None else OPERATORS[test](value, parsed(predicate.get("value"), kind))

def read(fields, root):
    row = {}
    for (name, kind), text in zip(given["columns"], fields):
        if name not in kinds:
            continue
        if kinds[name] in ("date", "dateTime"):
            text = moment(text, kind, "T")
        value = parsed(text, kinds[name])
        if kinds[name] == "double" and value is not None and not math.isfinite(value):
            value = None
        row[name] = None if value in missing[name] else value
    return row

def predicted(row, rules, selection, default):
    fired = [rule for rule in rules if holds(rule[-1], row) is True]
    if not fired:
        return default
    weights = {}
    for rule in fired:
        score, weight = rule.get("score"), float(rule.get("weight"))
        known = weights.get(score, 0)
        weights[score] = known + weight if selection == "weightedSum" else max(known, weight)
    return max(weights, key=weights.get)

printed = []
for text in given["files"]:
    root = ElementTree.fromstring(text)
    elements = list(root.iter())
    named = lambda name: [element for element in elements if local(element) == name]
    fields = named("DataField")[:-1]
    kinds = {field.get("name"): field.get("dataType") for field in fields}
    assert all((kind == "double") == (field.get("optype") == "continuous")
               for field, kind in zip(fields, kinds.values()))
    missing = {
        field.get("name"): [parsed(value.get("value"), field.get("dataType")) for value in field
                            if value.get("property") == "missing"]
        for field in fields
    }
    chosen = (named("SimpleRule"), named("RuleSelectionMethod")[0].get("criterion"),
              named("RuleSet")[0].get("defaultScore"))
    printed.append([predicted(read(row, root), *chosen) for row in given["rows"]])
print(json.dumps(printed))
"#;
    let script = READ_MOMENT.to_string() + script;
    let policies = || {
        all_policies().filter(|[uncovered, conflict]| *uncovered != "nearest" && *conflict != "abstain")
    };
    for case in cases() {
        let exported: Value = serde_json::from_str(&case.export("json", SOME_POLICIES[0])).unwrap();
        let trimmed = |row: &Vec<String>| -> Vec<String> {
            row.iter().map(|field| field.trim_ascii().to_string()).collect()
        };
        let given = json!({
            "columns": case.columns.iter()
                .map(|name| [name.as_str(), kind_of(&exported, name)])
                .collect::<Vec<_>>(),
            "rows": case.rows.iter().map(trimmed).collect::<Vec<_>>(),
            "files": policies().map(|policy| case.export("pmml", policy)).collect::<Vec<_>>(),
        });
        let mut python = Command::new("python3");
        let printed = output(python.args(["-c", &script]), given.to_string().as_bytes(), "PMML");
        let all: Vec<Vec<Option<String>>> = serde_json::from_str(&printed).unwrap();
        for (policy, labels) in policies().zip(all) {
            let expected = records(&case.expected(policy));
            for ((label, expected), row) in labels.iter().zip(&expected).zip(&case.rows) {
                let label = label.as_deref().unwrap_or("");
                assert_eq!(label, expected, "PMML, {}, {policy:?}: {row:?}", case.name);
            }
        }
    }
}

#[test]
fn pmml_is_well_formed_and_names_survive() {
    let script = r#"
import json, sys
import xml.etree.ElementTree as ElementTree
root = ElementTree.fromstring(sys.stdin.buffer.read())
space = "{http://www.dmg.org/PMML-4_4}"
texts = {f.get("name") for f in root.iter(space + "DataField") if f.get("dataType") == "string"}
print(json.dumps({
    "fields": [field.get("name") for field in root.iter(space + "DataField")],
    "labels": [value.get("value") for value in root.iter(space + "Value")
               if value.get("property") is None],
    "values": sorted({p.get("value") for p in root.iter(space + "SimplePredicate")
                      if p.get("value") is not None and p.get("field") in texts}),
    "rules": len(list(root.iter(space + "SimpleRule"))),
    "default": root.find(f".//{space}RuleSet").get("defaultScore"),
}))
"#;
    for case in cases() {
        for policy in [["default", "majority"], ["abstain", "size"]] {
            let exported = case.export("pmml", policy);
            let mut python = Command::new("python3");
            let printed = output(python.args(["-c", script]), exported.as_bytes(), "PMML");
            let read: Value = serde_json::from_str(&printed).unwrap();
            let json: Value = serde_json::from_str(&case.export("json", policy)).unwrap();
            let set = &json["decision_set"];
            let columns = json["columns"].as_array().unwrap().iter().map(|column| &column["name"]);
            let fields: Vec<&Value> = columns.chain([&set["target"]]).collect();
            assert_eq!(read["fields"], json!(fields), "{}", case.name);
            assert_eq!(read["labels"], json["labels"], "{}", case.name);
            let classes = set["classes"].as_array().unwrap();
            let rules: usize = classes.iter().map(|c| c["rules"].as_array().unwrap().len()).sum();
            assert_eq!(read["rules"], rules, "{}", case.name);
            let default = if policy[0] == "default" { &json["default"] } else { &Value::Null };
            assert_eq!(read["default"], *default, "{}", case.name);
            assert_eq!(read["values"], json!(texts(&json)), "{}", case.name);
        }
    }
}

/// The texts that rules compare with, sorted.
fn texts(json: &Value) -> Vec<&str> {
    let numeric = |name: &Value| {
        let columns = json["columns"].as_array().unwrap();
        columns.iter().any(|column| column["name"] == *name && column["numeric"] == true)
    };
    let classes = json["decision_set"]["classes"].as_array().unwrap().iter();
    let rules = classes.flat_map(|class| class["rules"].as_array().unwrap());
    let conditions = rules.flat_map(|rule| rule["if"].as_array().unwrap());
    let of_texts = conditions.filter(|condition| !numeric(&condition["feature"]));
    let mut texts: Vec<&str> = of_texts.filter_map(|condition| condition["value"].as_str()).collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}

#[test]
fn pmml_refuses_what_it_cannot_say() {
    let case = case("dating", DATING, &[], |_| {});
    let model = case.path("model.json");
    for (option, given, instead) in [
        ("--uncovered", "nearest", "`default` or `abstain`"),
        ("--conflict", "abstain", "`majority` or"),
    ] {
        let result = run(&["export", text(&model), "--to", "pmml", option, given]);
        assert_eq!((result.code, result.stdout.as_str()), (2, ""));
        let (message, needed) = (&result.stderr, [option, given, instead]);
        assert!(needed.iter().all(|word| message.contains(word)), "{message}");
    }
}

#[test]
fn pages_show_every_rule_and_no_markup_of_their_own() {
    for case in cases() {
        for to in ["text", "markdown", "latex", "html"] {
            let page = case.export(to, ["nearest", "size"]);
            assert!(!page.contains("<b>&amp;</b>") || to == "text", "{to}, {}", case.name);
            assert!(page.contains("size"), "{to}, {}", case.name);
        }
        let json: Value = serde_json::from_str(&case.export("json", ["nearest", "size"])).unwrap();
        let classes = json["decision_set"]["classes"].as_array().unwrap();
        let rules: usize = classes.iter().map(|c| c["rules"].as_array().unwrap().len()).sum();
        let html = case.export("html", ["nearest", "size"]);
        assert_eq!(html.matches("<tr><td>").count(), rules, "{}", case.name);
        let latex = case.export("latex", ["nearest", "size"]);
        assert_eq!(latex.matches("\\item").count(), rules, "{}", case.name);
    }
}

#[test]
fn text_is_what_learn_prints() {
    let folder = tempfile::tempdir().unwrap();
    let (table, model) = (folder.path().join("loans.csv"), folder.path().join("model.json"));
    std::fs::write(&table, LOANS).unwrap();
    let learned = run(&["learn", text(&table), "--model", text(&model)]).stdout;
    let exported = run(&["export", text(&model), "--to", "text"]).stdout;
    let until_time = &learned[..learned.rfind(" rules generated").unwrap()];
    let same = until_time.rfind('\n').unwrap();
    assert_eq!(exported[..same], learned[..same]);
    assert!(exported[same..].contains("A row that no rule covers"), "{exported}");
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let case = case("dating", DATING, &[], |_| {});
    let (model, file) = (case.path("model.json"), case.path("rules.md"));
    let result = run(&["export", text(&model), "--to", "markdown", "-o", text(&file)]);
    assert_eq!((result.code, result.stdout.as_str()), (0, ""));
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        case.export("markdown", ["default", "majority"])
    );
    let nowhere = case.path("no such folder/rules.md");
    assert_eq!(run(&["export", text(&model), "--to", "markdown", "-o", text(&nowhere)]).code, 5);
    assert_eq!(run(&["export", text(&file), "--to", "markdown"]).code, 3);
}
