//! What stands in a table or in a model file is text. It never becomes code, a query, markup, a
//! command of TeX or one of the terminal, whatever it is exported to and whoever shows it.
//!
//! Many of the texts below would leave a mark if they were more than text: a file called `pwned`, a
//! table dropped, a variable of the page. Programs are run as in `export.rs`, pages are opened in a
//! real browser.

#[path = "common/browser.rs"]
mod browser;
mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use browser::Browser;
use common::{Random, Run, command, csv, file, finish, output, records, run, text};
use minrule::text::one_line;
use serde_json::{Value, json};
use tempfile::TempDir;

const DATING: &str = include_str!("../../../data/dating.csv");

/// Texts that mean something to somebody; none has blanks around it, which readers of CSV trim.
const HOSTILE: [&str; 81] = [
    // As the first label, it stands in comments; see the encoding below.
    "\\u000aopen('pwned','w')#",
    // Quotes, backslashes and comments of programs.
    "\"",
    "'",
    "`",
    "\\",
    "trailing\\",
    "\\\"",
    "\\'",
    "\\n",
    "\"\"\"",
    "'''",
    "*/",
    "/*",
    "//",
    "*/ int pwned = system(\"touch pwned\"); /*",
    "\"); system(\"touch pwned\"); //",
    "??/",
    "why??/\"",
    "\"+str(open('pwned','w'))+\"",
    "'''\nopen('pwned', 'w')\n'''",
    "\"\"\"\nopen('pwned', 'w')\n\"\"\"",
    "x\nopen('pwned', 'w')\n#",
    "+AAo-open('pwned','w')+AAo-",
    "\\N{BULLET}",
    "```\nstd::fs::write(\"pwned\", \"\")\n```",
    "%s%n%x",
    "{}",
    "{{",
    "{0.__class__}",
    "${HOME}",
    "$(touch pwned)",
    "`touch pwned`",
    "#{pwned}",
    // Databases and spreadsheets.
    "\"; DROP TABLE victim; --",
    "'; DROP TABLE victim; --",
    "x\n; DROP TABLE victim; --",
    "--",
    "=cmd|' /C calc'!A0",
    "@SUM(1)",
    // Pages.
    "<script>window.pwned=1;document.title='pwned'</script>",
    "</script><script>window.pwned=1</script>",
    "</title><script>window.pwned=1</script>",
    "<img src=x onerror=\"window.pwned=1\">",
    "\"><svg onload=window.pwned=1>",
    "' onmouseover='window.pwned=1",
    "javascript:window.pwned=1",
    "&lt;b&gt;",
    "&#60;script&#62;",
    "<!--",
    "-->",
    "]]>",
    "<!DOCTYPE x [<!ENTITY pwned SYSTEM \"file:///etc/hostname\">]>",
    "&pwned;",
    "{{DATA}}",
    "{{TITLE}}",
    "__proto__",
    "constructor",
    // TeX and Markdown.
    "\\end{document}",
    "\\input{/etc/hostname}",
    "\\write18{touch pwned}",
    "^^5cinput{pwned}",
    "50 % of $x^2_i$ & #1 ~ ?`!`",
    "a | b",
    "\\|",
    "[x](javascript:pwned)",
    "![x](http://localhost/pwned)",
    "**b** _i_ ~~s~~",
    "# heading",
    // Terminals, and letters that change how others are shown.
    "\u{1b}[2J\u{1b}[31mred",
    "\u{1b}]0;pwned\u{7}",
    "\u{9b}31m",
    "\u{8}\u{8}\u{8}\u{7f}",
    "one\r\nminrule: all is well\n  Run `touch pwned`.",
    "tab\tbed\u{b}",
    "\u{202e}txet",
    "\u{2066}isolated",
    "line\u{2028}paragraph\u{2029}",
    "\u{feff}mark\u{85}",
    "\u{a0}not a blank\u{a0}",
    "\u{e9}",
    "e\u{301}",
];

/// Names that collide, that are words of a language, or that are hardly names.
const NAMES: [&str; 26] = [
    "a b",
    "a_b",
    "a-b",
    "A B",
    "case",
    "Case",
    "",
    "1st",
    "2",
    "class",
    "if",
    "fn",
    "self",
    "int",
    "lambda",
    "None",
    "SELECT",
    "row",
    "rules",
    "t",
    "errno",
    "math_errhandling",
    "__class__",
    "hasOwnProperty",
    "_",
    "\u{20ac}",
];

/// Of a class column and of a file that hold nothing good.
const PLACES: [[&str; 2]; 4] = [
    ["\"; DROP TABLE victim; --", "'\"; DROP TABLE victim; --.csv"],
    // Python takes an encoding from a comment on its second line; in this one, comments can end.
    ["coding=raw_unicode_escape", "+AAo-open('pwned','w')+AAo-.csv"],
    [
        "</title><script>window.pwned=1;document.title='pwned'</script>",
        "<img src=x onerror=window.pwned=1>.csv",
    ],
    ["*/ ??/ \u{1b}[2J\n  \u{202e} \\", "\u{1b}[31m *\n`touch pwned` $x.csv"],
];

const POLICIES: [[&str; 2]; 2] = [["default", "majority"], ["nearest", "size"]];

/// Numbers for the columns that hold them.
const NUMBERS: [&str; 8] = ["1", "2", "3", "4", "5", "6.5", "7", "8"];

/// What a table is made of.
#[derive(Clone)]
struct Texts {
    target: String,
    file: String,
    names: Vec<String>,
    values: Vec<String>,
    labels: Vec<String>,
}

impl Texts {
    /// All there are, for each place.
    fn all() -> Vec<Texts> {
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut names = [owned(&NAMES), owned(&HOSTILE)].concat();
        names.extend(["long", "longer"].map(|end| "x".repeat(5000) + end));
        let labels: Vec<String> = owned(&HOSTILE).into_iter().step_by(7).collect();
        let texts = |[target, file]: [&str; 2]| Texts {
            target: target.to_string(),
            file: file.to_string(),
            names: names.iter().filter(|name| *name != target).cloned().collect(),
            values: owned(&HOSTILE),
            labels: labels.clone(),
        };
        PLACES.map(texts).to_vec()
    }

    /// Those that have only characters of this kind.
    fn only(mut self, good: impl Fn(char) -> bool) -> Texts {
        for texts in [&mut self.names, &mut self.values, &mut self.labels] {
            texts.retain(|text| text.chars().all(&good));
        }
        self.target.retain(&good);
        self
    }

    /// Every other third column holds numbers.
    fn is_numeric(column: usize) -> bool {
        column % 3 == 2
    }
}

/// A table and a model of it whose rules name every column and every value.
struct Case {
    folder: TempDir,
    texts: Texts,
    table: PathBuf,
    model: PathBuf,
    /// Columns, as they are called.
    columns: Vec<String>,
    /// Rows to apply the model to.
    rows: Vec<Vec<String>>,
}

impl Case {
    fn new(texts: Texts) -> Case {
        let folder = tempfile::tempdir().unwrap();
        let (table, model) = (folder.path().join(&texts.file), folder.path().join("model.json"));
        let (values, labels) = (&texts.values, &texts.labels);
        let mut header = texts.names.clone();
        header.push(texts.target.clone());
        let row = |row: usize| {
            let value = |column: usize| match Texts::is_numeric(column) {
                true => NUMBERS[(column + row) % NUMBERS.len()].to_string(),
                false => values[(column + row) % values.len()].clone(),
            };
            let mut fields: Vec<String> = (0..texts.names.len()).map(value).collect();
            fields.push(labels[row % labels.len()].clone());
            fields
        };
        let rows: Vec<Vec<String>> = (0..labels.len()).map(row).collect();
        std::fs::write(&table, csv(&header, &rows)).unwrap();
        let args = ["learn", text(&table), "--quiet", "--cuts", "all", "--model", text(&model)];
        let learned = run(&args);
        assert_eq!(learned.code, 0, "{}", learned.stderr);

        let nameless = |(i, name): (usize, &String)| match name.is_empty() {
            true => format!("column {}", i + 1),
            false => name.clone(),
        };
        let columns: Vec<String> = texts.names.iter().enumerate().map(nameless).collect();
        let mut random = Random(11);
        let mut field = |column: usize| match (random.below(12), Texts::is_numeric(column)) {
            (0, _) => String::new(),
            (1, _) => "never seen".to_string(),
            (_, true) => random.of(&NUMBERS).to_string(),
            // What the rule of this column asks for, often enough.
            (2..6, false) => values[column % values.len()].clone(),
            (_, false) => random.of(values).clone(),
        };
        let rows: Vec<Vec<String>> =
            (0..100).map(|_| (0..columns.len()).map(&mut field).collect()).collect();
        std::fs::write(folder.path().join("rows.csv"), csv(&columns, &rows)).unwrap();
        let case = Case { folder, texts, table, model, columns, rows };
        case.change(|model| case.fill(model));
        case
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Edits the model file.
    fn change(&self, change: impl Fn(&mut Value)) {
        let mut model: Value = serde_json::from_slice(&std::fs::read(&self.model).unwrap()).unwrap();
        change(&mut model);
        std::fs::write(&self.model, model.to_string()).unwrap();
    }

    /// A rule for each column, and nothing good where a model has free text.
    fn fill(&self, model: &mut Value) {
        let (values, count) = (&self.texts.values, self.columns.len());
        let condition = |column: usize, op: [&str; 2]| match Texts::is_numeric(column) {
            true => json!({ "feature": self.columns[column], "op": op[1], "value": 4.5 }),
            false => {
                let value = &values[column % values.len()];
                json!({ "feature": self.columns[column], "op": op[0], "value": value })
            }
        };
        let classes = model["decision_set"]["classes"].as_array_mut().unwrap();
        let labels = classes.len();
        for (i, class) in classes.iter_mut().enumerate() {
            let then = class["class"].clone();
            let rule = |column: usize| {
                let all =
                    [condition(column, ["=", ">"]), condition((column + 1) % count, ["!=", "not <="])];
                json!({ "if": all, "then": then, "covers": 1 + column % 5 })
            };
            class["rules"] = (i..count).step_by(labels).map(rule).collect();
        }
        model["provenance"]["minrule"] = json!(format!("1 {}", self.texts.target));
        model["provenance"]["sha256"] = json!(self.texts.target);
    }

    fn export(&self, to: &str, [uncovered, conflict]: [&str; 2]) -> String {
        let policy = ["--uncovered", uncovered, "--conflict", conflict];
        let result = run(&[&["export", text(&self.model), "--to", to], &policy[..]].concat());
        assert_eq!(result.code, 0, "{}", result.stderr);
        result.stdout
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.export("json", POLICIES[0])).unwrap()
    }

    /// Conditions of each rule: column, comparison and value, as the JSON has them.
    fn rules(&self) -> Vec<Vec<[String; 3]>> {
        let part = |value: &Value| value.as_str().map_or(value.to_string(), str::to_string);
        let condition = |c: &Value| [part(&c["feature"]), part(&c["op"]), part(&c["value"])];
        let json = self.json();
        let rules = common::classes(&json["decision_set"]).flat_map(common::rules);
        rules.map(|rule| rule["if"].as_array().unwrap().iter().map(condition).collect()).collect()
    }

    /// Conditions of each rule, in the words of the program, on one line.
    fn words(&self) -> Vec<Vec<String>> {
        let words = |[name, op, value]: &[String; 3]| {
            // A name that looks like a number has quotes, too.
            let name = if name.parse::<f64>().is_ok() { format!("\"{name}\"") } else { quoted(name) };
            let value = quoted(value);
            match op.as_str() {
                "!=" => format!("{name} is not {value}"),
                "not <=" => format!("{name} > {value} or unknown"),
                _ => format!("{name} {op} {value}"),
            }
        };
        self.rules().iter().map(|rule| rule.iter().map(words).collect()).collect()
    }

    /// What `minrule predict` says of the rows.
    fn expected(&self, [uncovered, conflict]: [&str; 2]) -> Vec<String> {
        let rows = self.path("rows.csv");
        let policy = ["--uncovered", uncovered, "--conflict", conflict];
        let args = [&["predict", text(&self.model), text(&rows), "--quiet"], &policy[..]].concat();
        let result = run(&args);
        assert_eq!(result.code, 0, "{}", result.stderr);
        let mut all = records(&result.stdout);
        assert_eq!(all.remove(0), format!("predicted {}", self.texts.target));
        assert_eq!(all.len(), self.rows.len());
        all
    }

    /// Runs a program on the rows: it says what `minrule predict` says, and does nothing else.
    fn compare(&self, program: &mut Command, policy: [&str; 2]) {
        let rows = std::fs::read(self.path("rows.csv")).unwrap();
        let program = program.current_dir(self.folder.path()).env("PYTHONDONTWRITEBYTECODE", "1");
        let printed = output(program, &rows, &self.texts.target);
        assert_eq!(records(&printed), self.expected(policy), "{:?}", self.texts.target);
        self.is_clean();
    }

    fn is_clean(&self) {
        assert!(!self.path("pwned").exists(), "{:?}: code of a table was run", self.texts.target);
    }
}

/// The hostile texts are worth something only if they reach the rules and decide something.
#[test]
fn the_cases_name_every_text_and_the_rules_matter() {
    for case in Texts::all().into_iter().map(Case::new) {
        let rules = case.rules();
        let named = |text: &String| rules.iter().flatten().any(|[name, _, _]| name == text);
        assert!(case.columns.iter().all(named));
        let values = |text: &&String| rules.iter().flatten().any(|[_, _, value]| value == *text);
        assert!(case.texts.values.iter().filter(values).count() > HOSTILE.len() / 2);
        let mut predicted = case.expected(POLICIES[0]);
        predicted.sort_unstable();
        predicted.dedup();
        assert!(predicted.len() > 5, "{predicted:?}");
    }
}

#[test]
fn json_keeps_every_text() {
    for case in Texts::all().into_iter().map(Case::new) {
        let json = case.json();
        let columns = json["columns"].as_array().unwrap().iter().map(|column| &column["name"]);
        assert_eq!(columns.collect::<Vec<_>>(), case.columns.iter().collect::<Vec<_>>());
        assert_eq!(json["labels"], json!(case.texts.labels));
        assert_eq!(json["decision_set"]["target"], case.texts.target);
        assert_eq!(json["table"], text(&case.table));
    }
}

#[test]
fn python_runs_nothing_of_the_table() {
    let script = "import json, rules; print(json.dumps([list(rules.COLUMNS), rules.LABELS]))";
    for case in Texts::all().into_iter().map(Case::new) {
        for policy in POLICIES {
            let program = case.path("rules.py");
            std::fs::write(&program, case.export("python", policy)).unwrap();
            case.compare(Command::new("python3").arg(&program), policy);
        }
        let mut python = Command::new("python3");
        let python = python.args(["-c", script]).current_dir(case.folder.path());
        let read: Value = serde_json::from_str(&output(python, b"", "Python")).unwrap();
        assert_eq!(read, json!([case.columns, case.texts.labels]));
        case.is_clean();
    }
}

/// SQLite tells no names apart by their case, so of such names only the first is there.
#[test]
fn sql_drops_no_table() {
    let script = r#"
import json, sqlite3, sys
given = json.load(sys.stdin)
quoted = lambda name: '"' + name.replace('"', '""') + '"'
database = sqlite3.connect(":memory:")
columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in given["columns"])
database.execute("CREATE TABLE victim (x)")
database.execute(f"CREATE TABLE {quoted(given['table'])} ({columns})")
marks = ", ".join("?" for _ in given["columns"])
database.executemany(f"INSERT INTO {quoted(given['table'])} VALUES ({marks})", given["rows"])
tables = lambda: database.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall()
before = tables()
# A script may hold several statements, one alone may not.
database.executescript(given["select"])
assert tables() == before, tables()
print(json.dumps(database.execute(given["select"]).fetchall()))
"#;
    for mut texts in Texts::all() {
        let mut seen: Vec<String> = Vec::new();
        texts.names.retain(|name| {
            let name = name.to_ascii_lowercase();
            !seen.contains(&name) && {
                seen.push(name);
                true
            }
        });
        let case = Case::new(texts);
        let value = |(column, field): (usize, &String)| match field.parse::<f64>() {
            _ if field.is_empty() => Value::Null,
            Ok(x) if Texts::is_numeric(column) => json!(x),
            _ if Texts::is_numeric(column) => Value::Null,
            _ => json!(field),
        };
        let row = |row: &Vec<String>| row.iter().enumerate().map(value).collect::<Vec<_>>();
        let kind = |column| if Texts::is_numeric(column) { "REAL" } else { "TEXT" };
        let columns = case.columns.iter().enumerate().map(|(i, name)| [name.as_str(), kind(i)]);
        for policy in POLICIES {
            let given = json!({
                "table": case.texts.file.strip_suffix(".csv").unwrap(),
                "columns": columns.clone().collect::<Vec<_>>(),
                "rows": case.rows.iter().map(row).collect::<Vec<_>>(),
                "select": case.export("sql", policy),
            });
            let mut python = Command::new("python3");
            let printed = output(python.args(["-c", script]), given.to_string().as_bytes(), "SQL");
            let rows: Vec<Vec<Value>> = serde_json::from_str(&printed).unwrap();
            let said = rows.iter().map(|row| row.last().unwrap().as_str().unwrap_or("").to_string());
            assert_eq!(said.collect::<Vec<_>>(), case.expected(policy));
        }
    }
}

#[test]
fn c_has_no_trigraph_and_its_comments_do_not_end_early() {
    // Of a name of 5,000 letters, a literal is longer than C99 promises to take.
    let flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-DMINRULE_MAIN"];
    for (i, case) in Texts::all().into_iter().map(Case::new).enumerate() {
        let (policy, source, program) = (POLICIES[i % 2], case.path("rules.c"), case.path("rules"));
        std::fs::write(&source, case.export("c", policy)).unwrap();
        let mut cc = Command::new("cc");
        cc.args(flags).args(["-Wno-overlength-strings", "-o", text(&program), text(&source)]);
        output(&mut cc, b"", "C");
        case.compare(&mut Command::new(&program), policy);
    }
}

#[test]
fn rust_has_nothing_of_the_table_in_its_documentation() {
    let documentation = |source: &str| -> Vec<String> {
        let lines = source.lines().map(str::trim_start);
        lines.filter(|l| l.starts_with("///") || l.starts_with("//!")).map(str::to_string).collect()
    };
    let plain = |letter: &str| (0..12).map(|i| format!("{letter}{i}")).collect::<Vec<_>>();
    let (target, file) = ("kind".to_string(), "plain.csv".to_string());
    let [names, values, labels] = ["n", "v", "l"].map(plain);
    let harmless = Case::new(Texts { target, file, names, values, labels });
    let rustc = std::env::var("RUSTC").unwrap_or("rustc".to_string());
    for (i, case) in Texts::all().into_iter().map(Case::new).enumerate() {
        let (policy, source, program) = (POLICIES[i % 2], case.path("rules.rs"), case.path("rules"));
        let exported = case.export("rust", policy);
        // There it would be Markdown, and its code run as a test.
        assert_eq!(documentation(&exported), documentation(&harmless.export("rust", policy)));
        std::fs::write(&source, exported).unwrap();
        let mut rustc = Command::new(&rustc);
        rustc.args(["--edition", ["2015", "2024"][i % 2], "-D", "warnings"]);
        output(rustc.args(["-o", text(&program), text(&source)]), b"", "Rust");
        case.compare(&mut Command::new(&program), policy);
    }
}

/// Whether XML can hold a character.
fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

#[test]
fn pmml_keeps_every_text_and_knows_no_entity() {
    let script = r#"
import json, sys
import xml.etree.ElementTree as ElementTree
root = ElementTree.fromstring(sys.stdin.buffer.read())
space = "{http://www.dmg.org/PMML-4_4}"
elements = lambda name: list(root.iter(space + name))
print(json.dumps({
    "tags": sorted({element.tag.removeprefix(space) for element in root.iter()}),
    "version": elements("Application")[0].get("version"),
    "fields": [field.get("name") for field in elements("DataField")],
    "labels": [value.get("value") for value in elements("Value")],
    "rules": [[[p.get("field"), p.get("value")] for p in rule.iter(space + "SimplePredicate")
               if p.get("value") is not None] for rule in elements("SimpleRule")],
    "notes": len(elements("Annotation")),
}))
"#;
    for case in Texts::all().into_iter().map(|texts| Case::new(texts.only(is_xml))) {
        let exported = case.export("pmml", POLICIES[0]);
        let mut python = Command::new("python3");
        let printed = output(python.args(["-c", script]), exported.as_bytes(), "PMML");
        let read: Value = serde_json::from_str(&printed).unwrap();
        let tags = "Annotation Application CompoundPredicate DataDictionary DataField Header Interval \
                    MiningField MiningSchema PMML RuleSelectionMethod RuleSet RuleSetModel \
                    SimplePredicate SimpleRule Value";
        assert_eq!(read["tags"], json!(tags.split_whitespace().collect::<Vec<_>>()));
        assert_eq!(read["version"], format!("1 {}", case.texts.target));
        let fields: Vec<&String> = case.columns.iter().chain([&case.texts.target]).collect();
        assert_eq!(read["fields"], json!(fields));
        assert_eq!(read["labels"], json!(case.texts.labels));
        let tests = |rule: &Vec<[String; 3]>| -> Vec<[String; 2]> {
            rule.iter().map(|[name, _, value]| [name.clone(), value.clone()]).collect()
        };
        assert_eq!(read["rules"], json!(case.rules().iter().map(tests).collect::<Vec<_>>()));
        assert_eq!(read["notes"], 6);
    }
}

/// What TeX would show. Fails for a command, a comment or a formula that is not ours.
fn typeset(source: &str) -> String {
    let (mut shown, mut rest, mut groups, mut formula) = (String::new(), source, 0, false);
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\\' => {
                let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                let first = rest.chars().next().map_or(0, char::len_utf8);
                let (name, after) = rest.split_at(letters.max(first));
                rest = after;
                shown.push_str(match name {
                    "textit" | "textsc" => "",
                    "textbackslash" => "\\",
                    "textasciitilde" => "~",
                    "textasciicircum" => "^",
                    "textless" => "<",
                    "textgreater" => ">",
                    "textbar" => "|",
                    "textquotedbl" => "\"",
                    "textasciigrave" => "`",
                    "textquotesingle" => "'",
                    "le" if formula => "<=",
                    "ne" if formula => "!=",
                    "#" | "$" | "%" | "&" | "_" | "{" | "}" => name,
                    _ => panic!("the command \\{name} in {source}"),
                });
            }
            '{' => groups += 1,
            '}' => groups -= 1,
            '$' => formula = !formula,
            '%' | '#' | '&' | '_' | '^' | '~' | '"' | '`' | '\'' | '|' => panic!("{c} in {source}"),
            _ if formula => assert!("=<>. 0123456789-".contains(c), "{c} in a formula of {source}"),
            _ => shown.push(c),
        }
        // What stands in a formula is shown, too.
        shown.extend((formula && !matches!(c, '$' | '\\')).then_some(c));
        assert!(groups >= 0, "a group ends that did not begin in {source}");
    }
    assert!(groups == 0 && !formula, "{source} is cut short");
    shown
}

#[test]
fn latex_has_no_command_of_the_table() {
    for case in Texts::all().into_iter().map(Case::new) {
        let latex = case.export("latex", POLICIES[1]);
        let (head, rest) = latex.split_once("\\begin{document}\n\n").unwrap();
        assert_eq!(head.lines().count(), 4, "{head}");
        let body = rest.strip_suffix("\n\\end{document}\n").unwrap();
        let target = one_line(&case.texts.target);
        let mut items = Vec::new();
        // A condition that goes on on another line is indented; nothing else is.
        for line in body.replace("\n    ", " ").lines() {
            let inner = |command: &str| line.strip_prefix(command)?.strip_suffix('}');
            if let Some(premise) = line.strip_prefix("  \\item ") {
                items.push(typeset(premise));
            } else if let Some(title) = inner("\\section*{") {
                assert_eq!(typeset(title), format!("Rules for {target}"));
            } else if let Some(title) = inner("\\subsection*{") {
                let title = typeset(title);
                let is_it = |label: &String| title == format!("{target} = {}", one_line(label));
                assert!(case.texts.labels.iter().any(is_it), "{title}");
            } else if !["\\begin{itemize}", "\\end{itemize}"].contains(&line) {
                typeset(line);
            }
        }
        let words: Vec<String> = case.words().iter().map(|rule| rule.join(" and ")).collect();
        assert_eq!(items.len(), words.len());
        for (item, words) in items.iter().zip(words) {
            assert!(item.starts_with(&format!("if {words} (")), "{item}\n{words}");
        }
    }
}

/// A name or value as conditions show it: in quotes where it could be taken for something else.
fn quoted(text: &str) -> String {
    const WORDS: &str = " and or nor is not between then known unknown missing ";
    let is_word = |word: &str| WORDS.contains(&format!(" {} ", word.to_ascii_lowercase()));
    let hides = text.is_empty() || text.starts_with(' ') || text.ends_with(' ') || text.contains("  ");
    let has_signs = text.contains([',', '(', ')', '<', '>', '=', '"']);
    let odd_blanks = text.chars().any(|c| c.is_whitespace() && c != ' ');
    let shown = one_line(text);
    match shown != text || hides || has_signs || odd_blanks || text.split(' ').any(is_word) {
        false => shown,
        true => format!("\"{}\"", one_line(&text.replace('\\', r"\\").replace('"', "\\\""))),
    }
}

/// The text of a piece of Markdown; fails for markup.
fn unmarked(source: &str) -> String {
    let mut shown = String::new();
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let escaped = chars.next().filter(char::is_ascii_punctuation);
                shown.push(escaped.unwrap_or_else(|| panic!("a backslash alone in {source}")));
            }
            '`' | '*' | '_' | '[' | ']' | '<' | '|' | '~' | '&' | '#' | '$' => panic!("{c} in {source}"),
            _ => shown.push(c),
        }
    }
    shown
}

/// The cells of a line of a table.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut chars = line.strip_prefix("| ").and_then(|l| l.strip_suffix(" |")).unwrap().chars();
    while let Some(c) = chars.next() {
        let cell = cells.last_mut().expect("never empty");
        match c {
            '|' => cells.push(String::new()),
            '\\' => cell.extend([Some(c), chars.next()].into_iter().flatten()),
            _ => cell.push(c),
        }
    }
    cells.iter().map(|cell| unmarked(cell.trim_matches(' '))).collect()
}

#[test]
fn markdown_tables_keep_their_shape_and_nothing_is_markup() {
    for case in Texts::all().into_iter().map(Case::new) {
        let markdown = case.export("markdown", POLICIES[1]);
        let target = one_line(&case.texts.target);
        let mut premises = Vec::new();
        for line in markdown.lines().filter(|line| !line.is_empty()) {
            if line == "| IF | rows | literals |" || line == "|---|---:|---:|" {
                continue;
            }
            if line.starts_with('|') {
                let cells = cells(line);
                assert_eq!(cells.len(), 3, "{line}");
                premises.push(cells[0].clone());
            } else if let Some(title) = line.strip_prefix("## ") {
                let title = unmarked(title);
                let is_it = |label: &String| title == format!("{target} = {}", one_line(label));
                let ours = title == "Where the rules alone do not decide";
                assert!(ours || case.texts.labels.iter().any(is_it), "{title}");
            } else if let Some(title) = line.strip_prefix("# ") {
                assert_eq!(unmarked(title), format!("Rules for {target}"));
            } else {
                unmarked(line.strip_prefix("- ").unwrap_or(line));
            }
        }
        let words: Vec<String> = case.words().iter().map(|rule| rule.join(" AND ")).collect();
        assert_eq!(premises, words);
    }
}

/// What a page must not have: none of our pages has any of these.
const INJECTED: &str = "document.querySelectorAll('img, iframe, object, embed, base, [onerror], \
                        [onload], [onmouseover], a[href^=javascript]').length";

/// What holds of every page: nothing ran, nothing was made, nothing was fetched nor can be.
fn is_harmless(browser: &mut Browser, title: &str, scripts: usize) {
    assert_eq!(browser.evaluate("document.title"), title);
    assert_eq!(browser.evaluate("typeof window.pwned"), "undefined");
    assert_eq!(browser.evaluate(INJECTED), 0);
    assert_eq!(browser.evaluate("document.scripts.length"), scripts);
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let fetched = browser.evaluate("fetch('data:,x').then(() => 'fetched', () => 'refused')");
    assert_eq!(fetched, "refused");
    browser.events.clear();
}

/// A title as the browser has it, which makes one blank of many.
fn title(text: &str) -> String {
    one_line(text).split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_exported_page_shows_texts_as_they_are() {
    let mut browser = Browser::start();
    for case in Texts::all().into_iter().map(Case::new) {
        let page = case.path("rules.html");
        std::fs::write(&page, case.export("html", POLICIES[0])).unwrap();
        browser.call("Page.navigate", json!({"url": format!("file://{}", page.display())}));
        let there = format!("location.pathname === '{}'", page.display());
        browser.wait_for(&format!("{there} && document.readyState === 'complete'"));
        is_harmless(&mut browser, &title(&format!("Rules for {}", case.texts.target)), 0);
        let shown = browser.evaluate(
            "[...document.querySelectorAll('tbody tr')].map(row =>
               [...row.querySelectorAll('span')].map(condition => condition.textContent))",
        );
        assert_eq!(shown, json!(case.words()));
        let labels =
            browser.evaluate("[...document.querySelectorAll('section h2')].map(h => h.textContent)");
        let headings = case.texts.labels.iter();
        let headings = headings.map(|label| one_line(&format!("{} = {label}", case.texts.target)));
        assert_eq!(labels, json!(headings.collect::<Vec<_>>()));
    }
}

#[test]
fn the_report_shows_texts_as_they_are_and_decides_by_them() {
    let mut browser = Browser::start();
    for case in Texts::all().into_iter().map(Case::new) {
        let page = case.path("page.html");
        // The rules are made up, so the page names faults too, and with them the texts.
        let result = run(&["report", text(&case.model), text(&case.table), "-o", text(&page)]);
        assert_eq!(result.code, 6, "{}", result.stderr);
        browser.open(&page);
        let (target, file) = (&case.texts.target, &case.texts.file);
        let expected = title(&format!("{target}: {file}"));
        is_harmless(&mut browser, &expected, 3);
        let heading = browser.evaluate("document.getElementById('title').textContent");
        assert_eq!(heading, one_line(&format!("Rules for {target}")));

        let chips = "[...document.querySelectorAll('.rule')].map(rule =>
               [...rule.querySelectorAll('.chip')].map(condition => condition.textContent))";
        let shown = json!(case.words());
        assert_eq!(browser.evaluate(chips), shown);

        // Names and values that the form holds are those of the table.
        let names = "[...document.querySelectorAll('[data-column]')].map(input => input.dataset.column)";
        assert_eq!(browser.evaluate(names), json!(case.columns));
        let expected = case.expected(POLICIES[0]);
        let rows = case.rows.iter().map(|row| {
            let fields = case.columns.iter().cloned().zip(row.iter().map(|field| json!(field)));
            Value::Object(fields.collect())
        });
        let rows: Vec<Value> = rows.collect();
        // As JSON, a key may be `__proto__`.
        let code = format!(
            "JSON.parse({}).map(row => minrule.predict(row).class ?? '')",
            json!(json!(rows).to_string())
        );
        assert_eq!(browser.evaluate(&code), json!(expected));

        // Whatever is tried out shows no markup either.
        browser.evaluate("document.querySelectorAll('.rule button').forEach(button => button.click())");
        browser.evaluate(
            "(() => { const map = document.getElementById('map'), box = map.getBoundingClientRect();
               for (let x = 50; x < box.width; x += 20) for (let y = 10; y < box.height; y += 10)
                 map.dispatchEvent(new PointerEvent('pointermove',
                   {clientX: box.left + x, clientY: box.top + y, bubbles: true})); })()",
        );
        assert_eq!(browser.evaluate(INJECTED), 0);
        assert_eq!(browser.evaluate("typeof window.pwned"), "undefined");
        assert_eq!(browser.complaints(), Vec::<String>::new());

        // Nor is there any with scripts turned off, and the texts are the same.
        browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
        browser.call("Page.reload", json!({}));
        browser
            .wait_for("document.readyState === 'complete' && !document.documentElement.dataset.theme");
        assert_eq!(browser.evaluate(chips), shown);
        assert_eq!(browser.evaluate("document.getElementById('title').textContent"), heading);
        assert_eq!(browser.evaluate(INJECTED), 0);
        assert_eq!(browser.evaluate("document.scripts.length"), 3);
        browser.call("Emulation.setScriptExecutionDisabled", json!({"value": false}));
    }
}

#[test]
fn the_comparison_takes_names_as_they_are() {
    let names = [
        "<img src=x onerror=window.pwned=1>",
        "</script><script>window.pwned=1</script>",
        "{{DATA}}",
        "__proto__",
        "constructor",
        "\u{1b}[31m\u{202e}",
    ];
    let files = [
        "-x.csv",
        "<img src=x onerror=window.pwned=1>.csv",
        "{{SHEETS}}.csv",
        "__proto__",
        "constructor",
        "\u{1b}[31m\u{202e}.csv",
        "=cmd().csv",
    ];
    let (folder, _) = file("list.txt", files.join("\n"));
    files.iter().for_each(|name| std::fs::write(folder.path().join(name), DATING).unwrap());
    let mut args: Vec<String> = ["compare", "list.txt", "-o", "out"].map(String::from).to_vec();
    for name in names {
        args.extend(["--configuration".to_string(), format!("{name}: --minimize rules")]);
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = finish(command(&args).current_dir(folder.path()).spawn().unwrap());
    assert_eq!(result.code, 0, "{}", result.stderr);
    is_readable(&result, "comparison");
    let out = folder.path().join("out");
    let results = csv_of(&out.join("results.csv"));
    assert_eq!(results.len(), 1 + files.len() * names.len());
    assert!(results[1..].iter().all(|row| row[7] == "optimal"), "{results:?}");

    let mut browser = Browser::start();
    browser.open(&out.join("index.html"));
    is_harmless(&mut browser, "minrule compare", 1);
    assert_eq!(browser.evaluate("Object.keys(Object.prototype).concat(Object.keys(Object)).length"), 0);
    let choices = "[...document.getElementById('x').options].map(option => option.value)";
    assert_eq!(browser.evaluate(choices), json!(names));
    let methods = browser.evaluate(
        "[...document.querySelector('table').rows].slice(1).map(row => row.cells[0].textContent)",
    );
    assert_eq!(methods, json!(names.map(one_line)));
    for name in names {
        let choose = format!(
            "for (const id of ['x', 'y']) document.getElementById(id).value = {};
             document.getElementById('x').dispatchEvent(new Event('change'));
             [...document.querySelectorAll('#scatter circle')].map(point => point.dataset.tip.split('\\n')[0])",
            json!(name)
        );
        let points = browser.evaluate(&choose);
        let mut points: Vec<&str> =
            points.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        points.sort_unstable();
        let mut expected = files.to_vec();
        expected.sort_unstable();
        assert_eq!(points, expected, "{name:?}");
    }
    assert_eq!(browser.evaluate("typeof window.pwned"), "undefined");
    let script = "import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])";
    let figure = out.join("cactus.svg");
    output(Command::new("python3").args(["-c", script, text(&figure)]), b"", "SVG");
}

/// The fields of a CSV file.
fn csv_of(path: &Path) -> Vec<Vec<String>> {
    let script =
        "import csv, json, sys; print(json.dumps(list(csv.reader(open(sys.argv[1], newline='')))))";
    let printed = output(Command::new("python3").args(["-c", script, text(path)]), b"", "CSV");
    serde_json::from_str(&printed).unwrap()
}

/// Fails if anything printed for people speaks to their terminal or turns their lines around.
fn is_readable(result: &Run, what: &str) {
    for c in result.stdout.chars().chain(result.stderr.chars()).filter(|c| *c != '\n') {
        let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(!c.is_control() && !turns, "{what}: {c:?}\n{}\n{}", result.stdout, result.stderr);
    }
}

#[test]
fn what_people_read_is_safe_for_terminals() {
    for case in Texts::all().into_iter().map(Case::new) {
        let (model, table) = (text(&case.model), text(&case.table));
        let predicted = case.path("predicted.csv");
        let commands: [&[&str]; 9] = [
            &["learn", table, "--overlap", "report", "--cross-validate", "2"],
            &["learn", table, "--numeric", "thresholds", "--no-negations"],
            &["export", model, "--to", "text"],
            &["explain", model, table, "--row", "1"],
            &["explain", model, table, "--row", "3", "--uncovered", "nearest"],
            &["evaluate", model, table],
            &["check", model, table],
            &["check", model, table, "--separator", ";"],
            &["predict", model, table, "-o", text(&predicted)],
        ];
        let mut all = String::new();
        for args in commands {
            let result = run(args);
            is_readable(&result, &args.join(" "));
            all += &result.stdout;
            all += &result.stderr;
        }
        // They were shown.
        for shown in
            ["\\u{1b}[2J", "\\u{9b}31m", "\\u{202e}txet", "one\\r\\nminrule: all is well\\n  Run"]
        {
            assert!(all.contains(shown), "{shown}");
        }
        // A name with a line end does not begin a line.
        let lines = |start: &str| all.lines().filter(|line| line.starts_with(start)).count();
        assert_eq!(lines("minrule: all is well") + lines("  Run `touch"), 0);
        let text = case.export("text", POLICIES[0]);
        let rules = text.lines().filter(|line| line.starts_with("  IF ")).count();
        assert_eq!(rules, case.columns.len());
    }
}

#[test]
fn the_log_is_safe_for_terminals() {
    let label = "\u{1b}[31m\nminrule: all is well";
    let rows = [["1", "0", label], ["0", "1", label], ["1", "1", "other"], ["0", "0", "other"]];
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(String::from).to_vec()).collect();
    let table = csv(&["a", "b", "class"].map(String::from), &rows);
    let (_folder, table) = file("table.csv", table);
    for method in ["lazy", "enumerate"] {
        let result = run(&["learn", text(&table), "-v", "-v", "--method", method]);
        assert!(result.stderr.contains("class \\u{1b}[31m\\nminrule"), "{}", result.stderr);
        is_readable(&result, method);
    }
}

#[test]
fn messages_are_a_line_and_a_remedy_whatever_they_name() {
    let evil = "\u{1b}[31m\"\n  Run `touch pwned`.\nminrule: \u{202e}";
    let case = Case::new(Texts::all().remove(3));
    let (model, table) = (text(&case.model), text(&case.table));
    let strange = |name: &str, content: &str| {
        let path = case.path(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let quoted = format!("\"{}\"", evil.replace('"', "\"\""));
    let other = strange("other.csv", &format!("{quoted},x\n1,2\n3,4\n"));
    let twice = strange("twice.csv", &format!("{quoted},{quoted},class\n1,2,a\n1,3,b\n"));
    let single = strange("single.csv", &format!("{quoted}\n1\n"));
    let alone = strange("alone.csv", &format!("x,{quoted}\n1,{quoted}\n2,{quoted}\n"));
    let gap = strange("gap.csv", &format!("x,{quoted}\n1,a\n2,\n"));
    let constant = strange("constant.csv", &format!("x,{quoted}\n1,a\n1,b\n"));
    let ragged = strange(&format!("ragged {}.csv", &evil[..10]), "a,b\n1\n");
    let edited = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut model: Value = serde_json::from_slice(&std::fs::read(&case.model).unwrap()).unwrap();
        change(&mut model);
        strange(name, &model.to_string())
    };
    let policy = edited("policy.json", &|model| model["policy"]["uncovered"] = json!(evil));
    let format = edited("format.json", &|model| model["format"] = json!(evil));
    let class =
        edited("class.json", &|model| model["decision_set"]["classes"][0]["class"] = json!(evil));
    let missing = format!("{}.json", text(&case.path("no such "))) + &evil[..8];
    let commands: [(i32, &[&str]); 16] = [
        (4, &["predict", model, text(&other)]),
        (4, &["explain", model, table, "--row", "1000"]),
        (4, &["learn", table, "--target", evil]),
        (4, &["learn", table, "--target", "nothing like it at all"]),
        (4, &["learn", table, "--classes", evil]),
        (4, &["learn", text(&twice)]),
        (4, &["learn", text(&single)]),
        (4, &["learn", text(&alone)]),
        (4, &["learn", text(&gap)]),
        (4, &["learn", text(&constant)]),
        (4, &["learn", text(&ragged)]),
        (3, &["predict", text(&policy), table]),
        (3, &["predict", text(&format), table]),
        (3, &["check", text(&class), table]),
        (3, &["predict", &missing, table]),
        (2, &["export", model, "--to", "pmml"]),
    ];
    for (code, args) in commands {
        let result = run(args);
        assert_eq!(result.code, code, "{args:?}\n{}", result.stderr);
        is_readable(&result, &args.join(" "));
        let lines: Vec<&str> = result.stderr.lines().collect();
        assert!(lines[0].starts_with("minrule: ") && lines.len() <= 2, "{args:?}\n{}", result.stderr);
        let remedy =
            lines.get(1).is_none_or(|line| line.starts_with("  ") && !line.starts_with("  Run"));
        assert!(remedy, "{args:?}\n{}", result.stderr);
    }
}

/// For programs, texts are what they are.
#[test]
fn data_are_given_out_as_they_are() {
    for case in Texts::all().into_iter().map(Case::new) {
        let (model, table) = (text(&case.model), text(&case.table));
        let predicted = run(&["predict", model, table, "--quiet", "--keep-columns", "--explain"]);
        let path = case.path("predicted.csv");
        std::fs::write(&path, predicted.stdout).unwrap();
        let (given, kept) = (csv_of(&case.table), csv_of(&path));
        assert_eq!(kept.len(), given.len());
        // A column without a name gets one.
        assert_eq!(kept[0][..case.columns.len()], case.columns);
        for (given, kept) in given.iter().zip(&kept).skip(1) {
            assert_eq!(kept[..given.len()], given[..]);
            assert!(case.texts.labels.contains(&kept[given.len()]));
        }
        let learned = run(&["learn", table, "--format", "json", "--quiet"]).json();
        assert_eq!(learned["target"], case.texts.target);
        let labels: Vec<&Value> = common::classes(&learned).map(|class| &class["class"]).collect();
        assert_eq!(json!(labels), json!(case.texts.labels));
        let explained = run(&["explain", model, table, "--row", "1", "--format", "json"]).json();
        for (name, field) in case.columns.iter().zip(&given[1]) {
            assert_eq!(explained["values"][name], *field, "{name:?}");
        }
    }
}
