//! What people do with a model: predict, explain, evaluate.

mod common;

use std::path::{Path, PathBuf};

use common::{class_of_row, file, mixed_table, run, run_with_input, text};
use serde_json::{Value, json};
use tempfile::TempDir;

const DATING: &str = include_str!("../../../data/dating.csv");
const LOANS: &str = include_str!("../../../data/loans.csv");

/// Learns a model of a table; the folder, the model's file, and the result.
fn learn(table: &str, options: &[&str]) -> (TempDir, PathBuf, Value) {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.json");
    let mut args = vec!["learn", "-", "--format", "json", "--model", text(&model)];
    args.extend(options);
    let result = run_with_input(&args, table.as_bytes());
    assert_eq!(result.code, 0, "{}", result.stderr);
    (folder, model, result.json())
}

fn predict(model: &Path, table: &str, options: &[&str]) -> Vec<String> {
    let mut args = vec!["predict", text(model), "-"];
    args.extend(options);
    let result = run_with_input(&args, table.as_bytes());
    assert_eq!(result.code, 0, "{}", result.stderr);
    result.stdout.lines().skip(1).map(str::to_string).collect()
}

#[test]
fn training_rows_get_the_class_that_the_rules_say_row_by_row() {
    let tables = [
        (DATING.to_string(), vec![]),
        (LOANS.to_string(), vec![]),
        (LOANS.to_string(), vec!["--numeric", "thresholds"]),
        (LOANS.to_string(), vec!["--no-negations"]),
        (mixed_table(60, 1), vec![]),
        (mixed_table(60, 2), vec!["--cuts", "3"]),
        (mixed_table(80, 3), vec!["--minimize", "rules"]),
    ];
    for (table, options) in tables {
        let (_folder, model, result) = learn(&table, &options);
        let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
        let target = result["target"].as_str().unwrap();
        let mut others = 0;
        for (row, predicted) in table.lines().skip(1).zip(predict(&model, &table, &[])) {
            let fields: Vec<&str> = row.split(',').collect();
            let field = |name: &str| fields[header.iter().position(|h| *h == name).unwrap()];
            assert_eq!(class_of_row(&result, &field), Some(predicted.as_str()), "{row}");
            others += usize::from(field(target) != predicted);
        }
        assert_eq!(result["conflicts"]["rows_dropped"], others);
        // And so says evaluate.
        let evaluation =
            run_with_input(&["evaluate", text(&model), "-", "--format", "json"], table.as_bytes());
        assert_eq!(evaluation.code, 0, "{}", evaluation.stderr);
        let evaluation = evaluation.json();
        let rows = table.lines().count() - 1;
        assert_eq!(evaluation["correct"], rows - others);
        assert_eq!((&evaluation["uncovered"], &evaluation["in_conflict"]), (&json!(0), &json!(0)));
    }
}

/// A model whose rules overlap and leave gaps: `a = 1` for x (3 rows), `b = 1` and `c = 1` for y
/// (2 rows), and z has most rows.
fn holes() -> (TempDir, PathBuf) {
    let table = "a,b,c,class\n1,0,0,x\n0,1,1,y\n0,0,0,z\n0,0,0,z\n0,0,0,z\n";
    let (folder, path, _) = learn(table, &[]);
    let mut model: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let is = |column: &str| json!({"feature": column, "op": "=", "value": "1"});
    let rule = |conditions: Value, then: &str, covers: u64| json!([{"if": conditions, "then": then, "covers": covers}]);
    let classes = &mut model["decision_set"]["classes"];
    classes[0]["rules"] = rule(json!([is("a")]), "x", 3);
    classes[1]["rules"] = rule(json!([is("b"), is("c")]), "y", 2);
    classes[2]["rules"] = json!([]);
    std::fs::write(&path, serde_json::to_vec(&model).unwrap()).unwrap();
    (folder, path)
}

#[test]
fn policies_decide_where_rules_do_not() {
    let (_folder, model) = holes();
    let rows = "a,b,c\n1,0,0\n1,1,1\n0,1,0\n0,0,0\n";
    let with = |options: &[&str]| predict(&model, rows, options).join(" ");
    assert_eq!(with(&[]), "x x z z");
    assert_eq!(with(&["--conflict", "size"]), "x y z z");
    assert_eq!(with(&["--conflict", "abstain"]), "x  z z");
    assert_eq!(with(&["--uncovered", "abstain"]), "x x  ");
    // The third row misses one condition of either rule, and so does the last of the first.
    assert_eq!(with(&["--uncovered", "nearest"]), "x x x x");
    assert_eq!(with(&["--uncovered", "nearest", "--conflict", "size"]), "x y y x");
    let counted =
        run_with_input(&["predict", text(&model), "-", "--conflict", "abstain"], rows.as_bytes());
    let words = "4 rows: 1 decided by rules that agree, 2 covered by none, 1 in conflict; 1 without";
    assert!(counted.stderr.contains(words), "{}", counted.stderr);
}

#[test]
fn a_policy_is_kept_in_the_model() {
    let options = ["--uncovered", "abstain", "--conflict", "size"];
    let (_folder, model, _) = learn(DATING, &options);
    let kept: Value = serde_json::from_slice(&std::fs::read(&model).unwrap()).unwrap();
    assert_eq!(kept["policy"], json!({"uncovered": "abstain", "conflict": "size"}));
    // Neither rule speaks of such a day.
    let rows = "Day,Venue,Weather,TV Show\nHoliday,Club,Mild,None\n";
    assert_eq!(predict(&model, rows, &[]), [""]);
    assert_ne!(predict(&model, rows, &["--uncovered", "default"]), [""]);
}

#[test]
fn shares_reasons_and_the_rows_themselves_can_be_had() {
    let (_folder, model) = holes();
    let rows = "id,a,b,c\n\"7,5\",1,1,1\n";
    let result = run_with_input(
        &["predict", text(&model), "-", "--proba", "--explain", "--keep-columns"],
        rows.as_bytes(),
    );
    let lines: Vec<&str> = result.stdout.lines().collect();
    assert_eq!(lines[0], "id,a,b,c,predicted class,share of x,share of y,share of z,rules");
    let reasons = "IF a = 1 THEN class = x; IF b = 1 AND c = 1 THEN class = y";
    assert_eq!(lines[1], format!("\"7,5\",1,1,1,x,0.6,0.4,0,{reasons}"));
}

#[test]
fn only_the_columns_that_rules_use_are_needed() {
    let (_folder, model, result) = learn(DATING, &[]);
    let used: Vec<&str> = ["Day", "Venue", "Weather", "TV Show"]
        .into_iter()
        .filter(|column| result["classes"].to_string().contains(&format!("\"feature\":\"{column}\"")))
        .collect();
    assert!(used.len() < 4);
    let missing = run_with_input(&["predict", text(&model), "-"], b"Some,Other\n1,2\n");
    assert_eq!(missing.code, 4);
    assert!(missing.stderr.contains("has no column"), "{}", missing.stderr);
    let header: Vec<&str> = DATING.lines().next().unwrap().split(',').collect();
    let only: Vec<String> = DATING
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let mut kept: Vec<&str> = Vec::new();
            for column in &used {
                kept.push(fields[header.iter().position(|h| h == column).unwrap()]);
            }
            kept.join(",")
        })
        .collect();
    assert_eq!(predict(&model, &only.join("\n"), &[]), predict(&model, DATING, &[]));
}

#[test]
fn a_bad_row_leaves_no_half_written_file() {
    let (folder, model) = holes();
    let (_rows_folder, rows) = file("rows.csv", "a,b,c\n1,0,0\n1,0\n");
    let output = folder.path().join("out.csv");
    std::fs::write(&output, "as it was").unwrap();
    let result = run(&["predict", text(&model), text(&rows), "-o", text(&output)]);
    assert_eq!(result.code, 4);
    assert!(result.stderr.contains("line 3"), "{}", result.stderr);
    assert_eq!(std::fs::read_to_string(&output).unwrap(), "as it was");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    let result = run(&["predict", text(&rows), text(&rows)]);
    assert_eq!(result.code, 3);
    assert!(result.stderr.contains("is not a minrule model"), "{}", result.stderr);
}

#[test]
fn many_rows_come_out_in_order() {
    let (_folder, model) = holes();
    let mut rows = String::from("a,b,c\n");
    let expected: Vec<&str> = (0..100_000)
        .map(|i| {
            let (row, class) = [("1,0,0", "x"), ("0,1,1", "y"), ("0,0,0", "z")][i * i % 7 % 3];
            rows += row;
            rows.push('\n');
            class
        })
        .collect();
    assert_eq!(predict(&model, &rows, &[]), expected);
}

#[test]
fn explain_names_rules_support_and_what_would_change_it() {
    let (_folder, model, result) = learn(LOANS, &["--numeric", "thresholds"]);
    let (_table_folder, table) = file("loans.csv", LOANS);
    let labels: Vec<&str> = vec!["yes", "no"];
    for row in [1, 2, 17, 160] {
        let args = ["explain", text(&model), text(&table), "--row", &row.to_string()];
        let said = run(&[&args[..], &["--format", "json"]].concat()).json();
        let line = LOANS.lines().nth(row).unwrap();
        let class = said["class"].as_str().unwrap();
        assert_eq!(predict(&model, LOANS, &[])[row - 1], class);
        for rule in said["rules"].as_array().unwrap() {
            let same = |r: &&Value| r["if"] == rule["if"];
            let known = result["classes"].as_array().unwrap().iter();
            let known = known.flat_map(|c| c["rules"].as_array().unwrap()).find(same).unwrap();
            assert_eq!(rule["supported_by"], known["covers"], "{line}");
        }
        // Each other class has a counterfactual, of values that occur, and the model confirms it.
        let occurs = |column: usize, value: &str| {
            let number = |text: &str| text.parse::<f64>().ok();
            let same =
                |field: &str| field == value || number(field).is_some_and(|x| number(value) == Some(x));
            LOANS.lines().skip(1).any(|line| same(line.split(',').nth(column).unwrap()))
        };
        let others: Vec<&Value> = said["counterfactuals"].as_array().unwrap().iter().collect();
        assert_eq!(others.len(), labels.len() - 1);
        for other in others {
            let header: Vec<&str> = LOANS.lines().next().unwrap().split(',').collect();
            let mut fields: Vec<String> = line.split(',').map(str::to_string).collect();
            for change in other["changes"].as_array().unwrap() {
                let column = header.iter().position(|h| change["column"] == *h).unwrap();
                assert_eq!(change["from"], fields[column]);
                fields[column] = change["to"].as_str().unwrap().replace("(missing)", "");
                assert!(occurs(column, &fields[column]), "{change}");
            }
            assert!(other["fewest"] == true && said["advised_values_occur"] == true);
            let changed = format!("{}\n{}\n", header.join(","), fields.join(","));
            assert_eq!(predict(&model, &changed, &[]), [other["class"].as_str().unwrap()]);
        }
        let words = run(&args).stdout;
        assert!(words.starts_with(&format!("Row {row} of ")), "{words}");
        assert!(words.contains("Supported by ") && words.contains(" would do:"), "{words}");
    }
    let unknown = run(&["explain", text(&model), text(&table), "--row", "1", "--fixed", "age,incme"]);
    assert_eq!(unknown.code, 4, "{}", unknown.stderr);
    assert!(
        unknown.stderr.contains("\"incme\"") && unknown.stderr.contains("\"income\""),
        "{}",
        unknown.stderr
    );
    let beyond = run(&["explain", text(&model), text(&table), "--row", "161"]);
    assert_eq!(beyond.code, 4);
    assert!(beyond.stderr.contains("has 160 rows, so there is no row 161"), "{}", beyond.stderr);
}

#[test]
fn fixed_columns_are_never_changed() {
    let (_folder, model, _) = learn(LOANS, &["--numeric", "thresholds"]);
    let (_table_folder, table) = file("loans.csv", LOANS);
    let columns = ["age", "income", "debt", "employment", "history", "guarantor"];
    let explain = |fixed: &str, format: &str| {
        let args = ["explain", text(&model), text(&table), "--row", "1-40", "--format", format];
        run(&[&args[..], &["--fixed", fixed]].concat())
    };
    let changed = |said: &Value| -> Vec<String> {
        let others =
            said.as_array().unwrap().iter().flat_map(|row| row["counterfactuals"].as_array().unwrap());
        let changes = others.flat_map(|other| other["changes"].as_array().unwrap());
        changes.map(|change| change["column"].as_str().unwrap().to_string()).collect()
    };
    let said = explain("age,history", "json").json();
    let names = changed(&said);
    assert!(
        !names.is_empty() && !names.iter().any(|name| name == "age" || name == "history"),
        "{names:?}"
    );
    let said = explain(&columns.join(","), "json").json();
    assert!(changed(&said).is_empty());
    for row in said.as_array().unwrap() {
        assert_eq!(row["out_of_reach"].as_array().unwrap().len(), 1);
        assert_eq!(row["out_of_reach"][0]["proven"], true);
    }
    let words = explain(&columns.join(","), "text").stdout;
    assert!(words.contains("no change of the other columns would do."), "{words}");
}

#[test]
fn a_model_that_does_not_know_what_occurs_gives_examples_and_says_so() {
    let (_folder, model, _) = learn(LOANS, &["--numeric", "thresholds"]);
    let (_table_folder, table) = file("loans.csv", LOANS);
    let mut older: Value = serde_json::from_slice(&std::fs::read(&model).unwrap()).unwrap();
    assert!(older.as_object_mut().unwrap().remove("occurring").is_some());
    std::fs::write(&model, older.to_string()).unwrap();
    assert_eq!(run(&["check", text(&model), text(&table)]).code, 0);
    let args = ["explain", text(&model), text(&table), "--row", "17"];
    let words = run(&args).stdout;
    assert!(words.contains("are examples, which need not occur in the table"), "{words}");
    let said = run(&[&args[..], &["--format", "json"]].concat()).json();
    assert_eq!(said["advised_values_occur"], false);
}

#[test]
fn evaluate_counts_by_hand() {
    let (_folder, model) = holes();
    let rows = "a,b,c,class\n1,0,0,x\n1,1,1,y\n0,1,1,y\n0,0,0,x\n0,0,0,w\n0,0,0,\n";
    let result = run_with_input(&["evaluate", text(&model), "-"], rows.as_bytes());
    assert_eq!(result.code, 0, "{}", result.stderr);
    for words in [
        "5 rows",
        "Accuracy: 40.00 % (2 correct)",
        "Covered by no rule: 2 (40.00 %)",
        "Covered by rules of several classes: 1 (20.00 %)",
    ] {
        assert!(result.stdout.contains(words), "\"{words}\" is not in:\n{}", result.stdout);
    }
    assert!(result.stderr.contains("1 row left out: the class is missing"), "{}", result.stderr);
    let json = run_with_input(&["evaluate", text(&model), "-", "--format", "json"], rows.as_bytes());
    let json = json.json();
    assert_eq!(json["confusion"]["actual"], json!(["x", "y", "z", "w"]));
    assert_eq!(json["confusion"]["rows"][1], json!([1, 1, 0, 0]));
    assert_eq!(json["classes"][0]["recall"], json!(0.5));
}

#[test]
fn folds_are_evaluated_on_rows_that_they_did_not_see() {
    let table = mixed_table(120, 7);
    let args = ["learn", "-", "--cross-validate", "4", "--format", "json"];
    let one = run_with_input(&[&args[..], &["--threads", "1"]].concat(), table.as_bytes()).json();
    let two = run_with_input(&[&args[..], &["--threads", "2"]].concat(), table.as_bytes()).json();
    let validation = &one["cross_validation"];
    assert_eq!(*validation, two["cross_validation"]);
    let folds = validation["folds"].as_array().unwrap();
    let rows = |evaluation: &Value| evaluation["rows"].as_u64().unwrap();
    assert_eq!(folds.iter().map(|fold| rows(&fold["evaluation"])).sum::<u64>(), 120);
    assert_eq!(rows(&validation["all"]), 120);
    let accuracy = validation["all"]["accuracy"].as_f64().unwrap();
    assert!((0.4..1.0).contains(&accuracy), "{accuracy}");
    let words = run_with_input(&["learn", "-", "--cross-validate", "3"], LOANS.as_bytes()).stdout;
    assert!(words.contains("Cross-validation, 3 folds:"), "{words}");
    let too_many = run_with_input(&["learn", "-", "--cross-validate", "5"], DATING.as_bytes());
    assert_eq!(too_many.code, 2, "{}", too_many.stderr);
}

#[test]
fn overlapping_rules_are_shown_with_an_example() {
    let table = "a,b,class\n1,0,x\n0,1,y\n0,0,z\n";
    let words = run_with_input(&["learn", "-", "--overlap", "report"], table.as_bytes()).stdout;
    assert!(words.contains("of 3 pairs of rules of different classes, 1 can fire together"), "{words}");
    assert!(words.contains("both fire on a = 1, b = 1"), "{words}");
    let json =
        run_with_input(&["learn", "-", "--overlap", "report", "--format", "json"], table.as_bytes());
    assert_eq!(json.json()["overlaps"]["pairs"], 3);
}

#[test]
fn disjoint_rules_are_preferred_where_it_costs_nothing() {
    let (mut before, mut after) = (0, 0);
    for seed in 20..26 {
        let table = mixed_table(60, seed);
        let args = ["learn", "-", "--overlap", "report", "--format", "json"];
        let plain = run_with_input(&args, table.as_bytes()).json();
        let disjoint = run_with_input(&[&args[..], &["--prefer-disjoint"]].concat(), table.as_bytes());
        let disjoint = disjoint.json();
        common::judge(&disjoint, &table);
        for field in ["size", "lower_bound", "status"] {
            assert_eq!(plain[field], disjoint[field], "{field}");
        }
        let overlaps = |result: &Value| result["overlaps"]["overlapping"].as_array().unwrap().len();
        assert!(overlaps(&disjoint) <= overlaps(&plain));
        before += overlaps(&plain);
        after += overlaps(&disjoint);
    }
    assert!(after < before, "{before} overlaps became {after}");
}
