//! Whatever cuts a run short, a valid decision set with a bound comes back, and no claim of proof.

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command};

use common::{Run, classes, command, file, finish, hard_table, judge, run, run_with_input, text};

const ROWS: usize = 300;
const COLUMNS: usize = 40;

#[track_caller]
fn cut_short(result: &Run, code: i32, reason: &str, table: &str) {
    assert_eq!(result.code, code, "{}", result.stderr);
    let json = result.json();
    judge(&json, table);
    assert_eq!(json["status"], "feasible");
    let bound = json["lower_bound"].as_u64().unwrap();
    assert!(0 < bound && bound < json["size"].as_u64().unwrap());
    assert!(classes(&json).any(|class| class["stopped_by"] == reason));
    for class in classes(&json).filter(|class| class["status"] == "feasible") {
        assert_eq!(class["stopped_by"], reason);
    }
}

#[test]
fn the_time_limit() {
    let table = hard_table(ROWS, COLUMNS);
    let (_folder, path) = file("hard.csv", &table);
    for how in [
        ["--method", "lazy", "--cover", "branch"],
        ["--method", "enumerate", "--cover", "ilp"],
        ["--method", "enumerate", "--cover", "maxsat"],
        ["--method", "enumerate", "--rules", "search"],
    ] {
        let args = ["learn", text(&path), "--format", "json", "--time-limit", "1.5"];
        cut_short(&run(&[&args[..], &how[..]].concat()), 10, "time-limit", &table);
    }
}

#[test]
fn a_time_limit_too_short_for_anything() {
    let table = hard_table(2_000, 60);
    let (_folder, path) = file("hard.csv", &table);
    let result = run(&["learn", text(&path), "--format", "json", "--time-limit", "1ms"]);
    assert_eq!(result.code, 10, "{}", result.stderr);
    judge(&result.json(), &table);
}

#[test]
fn the_memory_limit() {
    let table = hard_table(2_000, 120);
    let (_folder, path) = file("hard.csv", &table);
    let args = ["learn", text(&path), "--format", "json", "--memory-limit", "20MB"];
    let result = run(&[&args[..], &["--time-limit", "60"]].concat());
    assert_eq!(result.code, 11, "{}", result.stderr);
    judge(&result.json(), &table);
}

#[test]
fn a_model_says_that_it_is_not_proven() {
    let (folder, path) = file("hard.csv", hard_table(ROWS, COLUMNS));
    let model = folder.path().join("model.json");
    let result = run(&["learn", text(&path), "--time-limit", "1", "--model", text(&model)]);
    assert_eq!(result.code, 10);
    assert!(result.stdout.contains("Not proven smallest"), "{}", result.stdout);
    assert!(result.stdout.contains("feasible (time limit)"), "{}", result.stdout);
    let model: serde_json::Value = serde_json::from_slice(&std::fs::read(model).unwrap()).unwrap();
    assert_eq!(model["decision_set"]["status"], "feasible");
}

/// Starts a run that would take minutes and waits until it has begun to learn.
fn started(path: &str, options: &[&str]) -> (Child, BufReader<std::process::ChildStderr>) {
    let mut child =
        command(&[&["learn", path, "--format", "json", "-v"], options].concat()).spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    log.read_line(&mut line).unwrap();
    assert!(line.contains("distinct examples"), "{line}");
    (child, log)
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
#[cfg(unix)]
fn ctrl_c_and_the_termination_signal() {
    let table = hard_table(ROWS, COLUMNS);
    let (_folder, path) = file("hard.csv", &table);
    for name in ["-INT", "-TERM"] {
        let (child, _log) = started(text(&path), &[]);
        std::thread::sleep(std::time::Duration::from_millis(500));
        signal(&child, name);
        cut_short(&finish(child), 12, "interrupted", &table);
    }
}

#[test]
fn with_one_thread_every_class_gets_its_turn() {
    let table = hard_table(500, 60);
    let args = ["learn", "-", "--format", "json", "--time-limit", "3", "--threads", "1"];
    let result = run_with_input(&args, table.as_bytes());
    assert_eq!(result.code, 10, "{}", result.stderr);
    let json = result.json();
    judge(&json, &table);
    for class in classes(&json) {
        assert!(class["rules_enumerated"].as_u64() > Some(0), "{}", class["class"]);
    }
}

/// One thread does one class after another; no class is left with what was found in no time.
#[test]
#[cfg(unix)]
fn classes_whose_turn_had_not_come_are_no_worse_off() {
    let table = hard_table(ROWS, COLUMNS);
    let (_folder, path) = file("hard.csv", &table);
    let costs = |result: &Run| -> Vec<u64> {
        let classes = result.json()["classes"].as_array().unwrap().clone();
        classes.iter().map(|class| class["cost"].as_u64().unwrap()).collect()
    };
    let first =
        run(&["learn", text(&path), "--format", "json", "--threads", "1", "--time-limit", "1ms"]);
    let (child, _log) = started(text(&path), &["--threads", "1"]);
    std::thread::sleep(std::time::Duration::from_millis(1500));
    signal(&child, "-TERM");
    let interrupted = finish(child);
    cut_short(&interrupted, 12, "interrupted", &table);
    let (first, later) = (costs(&first), costs(&interrupted));
    assert!(
        later.iter().zip(&first).all(|(later, first)| later < first),
        "{later:?}, at first {first:?}"
    );
}
