//! What the command-line tests share: running the program, and judging what it says by the table
//! alone.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What a run left behind.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// The JSON object on standard output.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("not JSON ({e}): {}\n{}", self.stdout, self.stderr))
    }
}

pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_minrule"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program with this on standard input.
pub fn run_with_input(args: &[&str], input: &[u8]) -> Run {
    let mut child = command(args).spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    // From a thread of its own, since the program may write before it has read everything, or
    // end without reading at all.
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let run = finish(child);
    writer.join().expect("the writer only writes");
    run
}

pub fn run(args: &[&str]) -> Run {
    run_with_input(args, b"")
}

pub fn finish(child: Child) -> Run {
    let output = child.wait_with_output().expect("the program ends");
    Run {
        code: output.status.code().expect("no signal killed it"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// A folder with one file in it.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a temporary file");
    (folder, path)
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A table in which little follows from anything: no method enumerates its rules in a minute.
pub fn hard_table(rows: usize, columns: usize) -> String {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut bit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 63
    };
    let mut text: String = (0..columns).map(|i| format!("f{i},")).collect();
    text.push_str("class\n");
    for _ in 0..rows {
        for _ in 0..columns {
            text.push_str(if bit() == 1 { "1," } else { "0," });
        }
        text.push_str(if bit() == 1 { "yes\n" } else { "no\n" });
    }
    text
}

/// Judges a JSON result by the table: on every row, rules of exactly one class fire, and they
/// disagree with the row's own class just as often as rows were said to be dropped. Sizes and
/// bounds are counted again.
pub fn judge(result: &Value, table: &str) {
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let target = result["target"].as_str().expect("a target");
    let mut dropped = 0;
    for line in lines {
        let row: Vec<&str> = line.split(',').collect();
        let field = |name: &str| row[header.iter().position(|h| *h == name).expect("a known column")];
        let fired: Vec<&str> = classes(result)
            .filter(|class| rules(class).any(|rule| fires(rule, &field)))
            .map(|class| class["class"].as_str().expect("a label"))
            .collect();
        assert_eq!(fired.len(), 1, "on {line} fired {fired:?}");
        dropped += usize::from(fired[0] != field(target));
    }
    assert_eq!(result["conflicts"]["rows_dropped"], dropped);

    let count: usize = classes(result).map(|class| rules(class).count()).sum();
    let literals: usize =
        classes(result).flat_map(rules).map(|rule| rule["if"].as_array().expect("a list").len()).sum();
    assert_eq!(result["rules"], count);
    assert_eq!(result["literals"], literals);
    assert_eq!(result["size"], count + literals);
    for class in classes(result) {
        let (cost, bound) = (parts(&class["cost"]), parts(&class["lower_bound"]));
        assert!(bound <= cost);
        let expected = if bound == cost { "optimal" } else { "feasible" };
        assert_eq!(class["status"], expected);
    }
}

/// A cost: a number, or two, of which the first counts more.
fn parts(cost: &Value) -> Vec<u64> {
    let both = cost.as_array().cloned().unwrap_or_else(|| vec![cost.clone()]);
    both.iter().map(|part| part.as_u64().expect("a whole number")).collect()
}

pub fn classes(result: &Value) -> impl Iterator<Item = &Value> {
    result["classes"].as_array().expect("a list of classes").iter()
}

pub fn rules(class: &Value) -> impl Iterator<Item = &Value> {
    class["rules"].as_array().expect("a list of rules").iter()
}

/// A table of our own making: texts and numbers, some missing, three classes, a little noise.
pub fn mixed_table(rows: usize, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut text = String::from("colour,weight,count,ripe,kind\n");
    for _ in 0..rows {
        let colour = ["red", "green", "yellow", "?"][below(4) as usize];
        let weight = below(400) as f64 / 4.0;
        let count = below(5);
        let ripe = ["yes", "no"][below(2) as usize];
        let kind = match (colour, ripe) {
            _ if below(20) == 0 => "unsure",
            ("red", "yes") => "apple",
            ("yellow", _) if weight > 50.0 => "melon",
            _ if count > 2 => "melon",
            _ => "apple",
        };
        let weight = if below(8) == 0 { "NA".to_string() } else { weight.to_string() };
        text += &format!("{colour},{weight},{count},{ripe},{kind}\n");
    }
    text
}

/// The class that the rules of a JSON result give to a row, if they agree.
pub fn class_of_row<'a>(result: &'a Value, field: &impl Fn(&str) -> &'a str) -> Option<&'a str> {
    let mut fired = classes(result)
        .filter(|class| rules(class).any(|rule| fires(rule, field)))
        .map(|class| class["class"].as_str().expect("a label"));
    let first = fired.next()?;
    fired.next().is_none().then_some(first)
}

/// Whether a rule of a JSON result fires on a row.
pub fn fires<'r>(rule: &Value, field: &impl Fn(&str) -> &'r str) -> bool {
    rule["if"].as_array().expect("a list").iter().all(|condition| {
        let text = field(condition["feature"].as_str().expect("a column"));
        holds(condition["op"].as_str().expect("an operator"), &condition["value"], text)
    })
}

fn holds(op: &str, value: &Value, text: &str) -> bool {
    let missing = ["", "?", "na", "nan"].contains(&text.to_lowercase().as_str());
    let number = if missing { None } else { text.parse::<f64>().ok() };
    let equal = || !missing && (value.as_str() == Some(text));
    let at_most = |limit: &Value| number.is_some_and(|x| x <= limit.as_f64().expect("a number"));
    let above = |limit: &Value| number.is_some_and(|x| x > limit.as_f64().expect("a number"));
    let at_least = |limit: &Value| number.is_some_and(|x| x >= limit.as_f64().expect("a number"));
    let below = |limit: &Value| number.is_some_and(|x| x < limit.as_f64().expect("a number"));
    match op {
        "=" => equal(),
        "!=" => !equal(),
        "<=" => at_most(value),
        ">" => above(value),
        ">=" => at_least(value),
        "not <" => !below(value),
        "between" => at_least(&value[0]) && at_most(&value[1]),
        "not between" => !(at_least(&value[0]) && at_most(&value[1])),
        "not <=" => !at_most(value),
        "not >" => !above(value),
        "in" => above(&value[0]) && at_most(&value[1]),
        "not in" => !(above(&value[0]) && at_most(&value[1])),
        "is missing" => missing,
        "is not missing" => !missing,
        other => panic!("unknown operator {other}"),
    }
}

/// Runs a program with this on standard input.
pub fn output(program: &mut Command, input: &[u8], what: &str) -> String {
    let name = program.get_program().to_string_lossy().into_owned();
    let child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child =
        child.unwrap_or_else(|cause| panic!("this test needs `{name}`, which does not start: {cause}"));
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer only writes");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {name} failed\n{errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Lines of one field each, which may be quoted; an empty line is an empty field.
pub fn records(text: &str) -> Vec<String> {
    let mut records = Vec::new();
    let mut chars = text.chars().peekable();
    while chars.peek().is_some() {
        let mut field = String::new();
        if chars.next_if_eq(&'"').is_some() {
            while let Some(c) = chars.next() {
                if c == '"' && chars.next_if_eq(&'"').is_none() {
                    break;
                }
                field.push(c);
            }
        }
        field.extend(std::iter::from_fn(|| chars.next_if(|&c| c != '\n')));
        assert_eq!(chars.next(), Some('\n'));
        records.push(field);
    }
    records
}

/// Numbers at random, the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    pub fn of<'t, T>(&mut self, values: &'t [T]) -> &'t T {
        &values[self.below(values.len())]
    }
}

/// A table, every field in quotes.
pub fn csv(columns: &[String], rows: &[Vec<String>]) -> String {
    let quoted = |field: &String| format!("\"{}\"", field.replace('"', "\"\""));
    let line = |fields: &Vec<String>| fields.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    std::iter::once(&columns.to_vec()).chain(rows).map(line).collect()
}
