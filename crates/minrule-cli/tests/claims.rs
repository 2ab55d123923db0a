//! What is claimed is so, and says of what: classes left undescribed, the conditions a proof is about,
//! accuracies with something to compare them with, values as they were meant.

mod common;

use common::{command, file, finish, run, run_with_input, text};
use serde_json::Value;

const LOANS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/loans.csv");

fn learned(table: &str, options: &[&str]) -> (tempfile::TempDir, String, String) {
    let (folder, path) = file("table.csv", table);
    let model = text(&folder.path().join("model.json")).to_string();
    let args = ["learn", text(&path), "--quiet", "--model", &model];
    let result = run(&[&args[..], options].concat());
    assert_eq!(result.code, 0, "{}", result.stderr);
    let table = text(&path).to_string();
    (folder, model, table)
}

/// The column of predictions.
fn predictions(model: &str, table: &str, options: &[&str]) -> Vec<String> {
    let result = run(&[&["predict", model, table, "--quiet"], options].concat());
    assert_eq!(result.code, 0, "{}", result.stderr);
    result.stdout.lines().skip(1).map(String::from).collect()
}

const COLOURS: &str = "colour,size,kind\nred,1,a\nred,2,a\nblue,1,b\nblue,2,b\ngreen,1,c\ngreen,2,c\n";

#[test]
fn of_two_classes_the_undescribed_one_is_what_no_rule_covers() {
    let loans = std::fs::read_to_string(LOANS).unwrap();
    for class in ["yes", "no"] {
        let (_folder, model, table) = learned(&loans, &["--numeric", "intervals", "--classes", class]);
        let result = run(&["evaluate", &model, &table, "--format", "json"]).json();
        // Two rows lose the vote against equal ones of the other class, whichever is described.
        assert_eq!(result["rows"].as_u64().unwrap() - result["correct"].as_u64().unwrap(), 2, "{class}");
        let said =
            run(&["learn", &table, "--numeric", "intervals", "--classes", class, "--quiet"]).stdout;
        let claim = format!(
            "Proven optimal: no set of rules for \"{class}\" over these 42 conditions is smaller."
        );
        assert!(said.contains(&claim), "{said}");
        let checked = run(&["check", &model, &table]);
        assert_eq!(checked.code, 0, "{}", checked.stdout);
        let other = if class == "yes" { "no" } else { "yes" };
        let left_out = format!("No rule describes \"{other}\": the claims are about the other classes.");
        assert!(checked.stdout.contains(&left_out), "{}", checked.stdout);
    }
}

#[test]
fn of_several_undescribed_classes_none_is_named() {
    let (_folder, model, table) = learned(COLOURS, &["--classes", "a"]);
    assert_eq!(predictions(&model, &table, &[]), ["a", "a", "", "", "", ""]);
    let said = run(&["predict", &model, &table]).stderr;
    assert!(said.contains("4 of a class that no rule describes") && !said.contains("without"), "{said}");
    let result = run(&["evaluate", &model, &table, "--format", "json"]).json();
    assert_eq!((&result["correct"], &result["abstained"]), (&6.into(), &0.into()));
    assert_eq!(result["classes"][1]["class"], "(another class)");
    let exported = run(&["export", &model, "--to", "text"]).stdout;
    assert!(exported.contains("has one of the classes that no rule describes"), "{exported}");
    // Two of three leave one, which has a name.
    let (_folder, model, table) = learned(COLOURS, &["--classes", "a,b"]);
    assert_eq!(predictions(&model, &table, &[]), ["a", "a", "b", "b", "c", "c"]);
    let exported = run(&["export", &model, "--to", "text"]).stdout;
    assert!(exported.contains("has the other class, \"c\""), "{exported}");
}

#[test]
fn a_proof_says_over_which_conditions_it_holds() {
    let scope = |options: &[&str]| {
        let result = run(&[&["learn", LOANS, "--quiet", "--format", "json"], options].concat()).json();
        let words = run(&[&["learn", LOANS, "--quiet"], options].concat()).stdout;
        (result["scope"].clone(), words)
    };
    let mut conditions = Vec::new();
    for cuts in ["2", "4", "8"] {
        let (scope, words) = scope(&["--cuts", cuts]);
        let n = scope["conditions"].as_u64().unwrap();
        assert!(
            words.contains(&format!("no decision set over these {n} conditions is smaller")),
            "{words}"
        );
        assert!(words.contains("Other cuts may allow a smaller set."), "{words}");
        conditions.push(n);
    }
    assert!(conditions.is_sorted_by(|a, b| a < b), "{conditions:?}");
    let (all, words) = scope(&["--cuts", "all", "--alpha", "2rows"]);
    assert_eq!(all["all_thresholds"], true);
    let claim = "wherever the class changes, so that what is proven holds for all thresholds.";
    assert!(words.contains(claim) && !words.contains("Other cuts"), "{words}");
    let (scope, words) = scope(&["--ignore", "age", "--no-negations"]);
    assert!(scope["all_thresholds"].is_null(), "{scope}");
    assert_eq!((&scope["ignored"][0], &scope["negations"]), (&"age".into(), &false.into()));
    assert!(
        words.contains("all tests but \"is not\"") && words.contains("left out on request: \"age\""),
        "{words}"
    );
}

#[test]
fn accuracies_stand_beside_what_saying_the_majority_would_reach() {
    let loans = std::fs::read_to_string(LOANS).unwrap();
    let (_folder, model, table) = learned(&loans, &[]);
    let own = run(&["evaluate", &model, &table]).stdout;
    assert!(own.contains("The model was learned from this very table"), "{own}");
    assert!(own.contains("Always saying \"no\", as most rows are: 51.25 %"), "{own}");
    let other = run_with_input(&["evaluate", &model, "-"], format!("{loans}\n").as_bytes()).stdout;
    assert!(!other.contains("this very table"), "{other}");
    let validated =
        run(&["learn", LOANS, "--quiet", "--cross-validate", "4", "--format", "json"]).json();
    let fold = &validated["cross_validation"]["folds"][0]["evaluation"];
    assert!(fold["majority"]["share"].as_f64().unwrap() > 0.4, "{fold}");
    let words = run(&["learn", LOANS, "--quiet", "--cross-validate", "4"]).stdout;
    assert!(words.contains("accuracy  majority"), "{words}");
}

#[test]
fn nothing_short_of_all_is_shown_as_all() {
    let mut rows: String = (0..30_000).map(|i| format!("{},{}\n", i % 2, ["x", "y"][i % 2])).collect();
    rows.push_str("0,y\n");
    let table = format!("a,class\n{rows}");
    let (_folder, model, path) = learned(&table, &[]);
    for args in [
        &["learn", &path, "--quiet"][..],
        &["evaluate", &model, &path],
        &["export", &model, "--to", "text"],
    ] {
        let said = run(args).stdout;
        // The precision of a single class may well be all.
        let (whole, _) = said.split_once("precision").unwrap_or((&said, ""));
        assert!(whole.contains("99.99 %") && !whole.contains("100.00 %"), "{args:?}: {said}");
    }
    let checked = run(&["check", &model, &path]).stdout;
    assert!(checked.contains("agree with 30000 of 30001 rows; 1 row lost the vote"), "{checked}");
}

/// Ages with a slip.
fn ages(slip: &str) -> String {
    let rows: String = (20..50)
        .map(|age| {
            let shown = if age == 33 { slip.to_string() } else { format!("{age}.5") };
            format!("{shown},{}\n", if age < 35 { "young" } else { "old" })
        })
        .collect();
    format!("age,class\n{rows}")
}

fn features(options: &[&str], table: &str) -> (Value, String) {
    let result = run_with_input(
        &[&["learn", "-", "--numeric", "intervals", "--format", "json"], options].concat(),
        table.as_bytes(),
    );
    assert_eq!(result.code, 0, "{}", result.stderr);
    (result.json()["table"]["features"].clone(), result.stderr)
}

#[test]
fn one_slip_does_not_silently_make_names_of_numbers() {
    let (many, asked) = features(&[], &ages("n/a"));
    assert_eq!(many, 30, "each value is a category");
    assert!(asked.contains("column \"age\" holds numbers except \"n/a\" in 1 row"), "{asked}");
    for remedy in
        [&["--missing-values", "n/a"][..], &["--numeric-columns", "age"], &["--missing-values", "-,n/a"]]
    {
        let (few, said) = features(remedy, &ages("n/a"));
        assert_eq!(few, 5, "four intervals and the missing value: {remedy:?}");
        assert_eq!(said.contains("counts as missing"), remedy[0] == "--numeric-columns", "{said}");
    }
    let (names, quiet) = features(&["--categorical", "age"], &ages("n/a"));
    assert_eq!((names, quiet.contains("holds numbers")), (30.into(), false));
    let (sentinel, _) = features(&["--missing-values", "999"], &ages("999.0"));
    assert_eq!(sentinel, 5, "a number stands for every way to write it");
    let commas = ages("1,5").replace('.', ",").replace(",young", ";young").replace(",old", ";old");
    let commas = commas.replace("age,class", "age;class");
    let (many, asked) = features(&["--separator", ";"], &commas);
    assert!(many == 30 && asked.contains("--decimal ,"), "{asked}");
    assert_eq!(features(&["--separator", ";", "--decimal", ","], &commas).0, 4);
    let unknown = run_with_input(&["learn", "-", "--categorical", "agee"], ages("1").as_bytes());
    assert!(unknown.code == 4 && unknown.stderr.contains("Did you mean \"age\"?"), "{}", unknown.stderr);
}

/// What a model was told about values holds for all rows it is applied to.
#[test]
fn a_model_reads_rows_as_its_table_was_read() {
    let table = ages("n/a").replace("20.5", "-9");
    let options = ["--missing-values", "n/a,-9", "--numeric", "thresholds"];
    let (_folder, model, path) = learned(&table, &options);
    let result = run(&["evaluate", &model, &path, "--format", "json"]).json();
    assert_eq!(result["correct"], result["rows"]);
    assert_eq!(run(&["check", &model, &path]).code, 0);
    // A number that stands for a missing value is not compared as one.
    let (_rows, rows) = file("rows.csv", "age\n-9\n-9.0\nn/a\n\n21\n");
    let said = predictions(&model, text(&rows), &["--uncovered", "abstain"]);
    assert_eq!(said[0], said[1], "{said:?}");
    assert_eq!(said[0], said[2], "{said:?}");
    let explained = run(&["explain", &model, &path, "--row", "1,3-4", "--format", "json"]).json();
    assert_eq!(explained.as_array().unwrap().len(), 3);
    assert_eq!(explained[0]["values"]["age"], "");
    assert_eq!(run(&["explain", &model, &path, "--row", "29-31"]).code, 4, "there are 30 rows");
    let all = run(&["explain", &model, &path, "--row", "all"]).stdout;
    assert_eq!(all.matches("Row ").count(), 30);
}

#[test]
fn the_time_limit_holds_for_a_table_that_does_not_come() {
    let args = ["learn", "-", "--time-limit", "200ms", "--format", "json"];
    // Standard input stays open, and nothing is written to it.
    let child = command(&args).spawn().unwrap();
    let result = finish_with_open_input(child);
    assert_eq!(result.code, 14, "{}", result.stderr);
    assert!(result.stderr.contains("the time limit was reached"), "{}", result.stderr);
    assert_eq!(result.json()["error"]["kind"], "limit");
}

fn finish_with_open_input(mut child: std::process::Child) -> common::Run {
    let _open = child.stdin.take();
    let status = child.wait().unwrap();
    assert!(status.code().is_some());
    finish(child)
}
