//! Tables as people have them: numbers with signs and marks.

mod common;

use std::path::{Path, PathBuf};

use common::{run, run_with_input, text};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Learns a model of a table; the folder, the model's file, the result and the warnings.
fn learn(table: &str, options: &[&str]) -> (TempDir, PathBuf, Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let (model, path) = (folder.path().join("model.json"), folder.path().join("table.csv"));
    std::fs::write(&path, table).unwrap();
    let mut args = vec!["learn", text(&path), "--format", "json", "--model", text(&model)];
    args.extend(options);
    let result = run(&args);
    assert_eq!(result.code, 0, "{}", result.stderr);
    let json = result.json();
    (folder, model, json, result.stderr)
}

fn predict(model: &Path, table: &str) -> Vec<String> {
    let result = run_with_input(&["predict", text(model), "-"], table.as_bytes());
    assert_eq!(result.code, 0, "{}", result.stderr);
    result.stdout.lines().skip(1).map(str::to_string).collect()
}

fn premises(result: &Value) -> Vec<Value> {
    let classes = result["classes"].as_array().unwrap().iter();
    let rules = classes.flat_map(|class| class["rules"].as_array().unwrap());
    rules.flat_map(|rule| rule["if"].as_array().unwrap().clone()).collect()
}

/// Dear things are bought at high rates, in the spelling that `write` gives.
fn prices(write: impl Fn(f64) -> [String; 2]) -> String {
    let mut table = "price;rate;bought\n".to_string();
    for i in 0..40 {
        let x = f64::from(i * i) * 37.25;
        let [price, rate] = write(x);
        table += &format!("{price};{rate};{}\n", if i < 20 { "no" } else { "yes" });
    }
    table
}

fn grouped(x: f64, mark: &str, decimal: &str) -> String {
    let (whole, decimals) = (x.trunc() as u64, (x.fract() * 100.0) as u64);
    let digits = whole.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text += mark;
        }
        text.push(digit);
    }
    format!("{text}{decimal}{decimals:02}")
}

#[test]
fn numbers_with_signs_give_the_rules_of_plain_numbers() {
    let plain = prices(|x| [x.to_string(), (x / 4.0).to_string()]);
    let (_folder, plain_model, expected, _) = learn(&plain, &["--separator", ";"]);
    let separated = ["--separator", ";"];
    let comma = ["--separator", ";", "--decimal", ","];
    let ways = [
        (prices(|x| [format!("${}", grouped(x, ",", ".")), format!("{} %", x / 4.0)]), &separated[..]),
        (prices(|x| [format!("CHF {}", grouped(x, "'", ".")), format!("{}%", x / 4.0)]), &separated[..]),
        (
            prices(|x| [format!("{} €", grouped(x, ".", ",")), (x / 4.0).to_string().replace('.', ",")]),
            &comma[..],
        ),
        (
            prices(|x| [grouped(x, "\u{a0}", ","), (x / 4.0).to_string().replace('.', ",") + " %"]),
            &comma[..],
        ),
    ];
    for (table, options) in ways {
        let (folder, model, result, warnings) = learn(&table, options);
        assert_eq!(warnings, "", "{table}");
        assert_eq!(premises(&result).len(), premises(&expected).len());
        assert_eq!(result["scope"], expected["scope"], "{table}");
        let predicted = predict_separated(&model, &table);
        let classes: Vec<&str> =
            table.lines().skip(1).map(|row| row.rsplit(';').next().unwrap()).collect();
        assert_eq!(predicted, classes);
        // Numbers without signs mean the same.
        if options == separated {
            assert_eq!(predict_separated(&model, &plain), classes);
        }
        let table = folder.path().join("table.csv");
        let check = run(&["check", text(&model), text(&table), "--separator", ";"]);
        assert_eq!(check.code, 0, "{}{}", check.stdout, check.stderr);
        let evaluated =
            run(&["evaluate", text(&model), text(&table), "--separator", ";", "--format", "json"]);
        assert_eq!(evaluated.json()["correct"], 40);
        let explained = run(&["explain", text(&model), text(&table), "--separator", ";"]);
        assert_eq!(explained.code, 0, "{}", explained.stderr);
        let page = folder.path().join("page.html");
        let report =
            run(&["report", text(&model), text(&table), "--separator", ";", "--output", text(&page)]);
        assert_eq!(report.code, 0, "{}", report.stderr);
        // Exported programs take plain numbers, and say so.
        let python = run(&["export", text(&model), "--to", "python"]);
        let used = premises(&result)[0]["feature"].as_str().unwrap().to_string();
        let written = &saved(&model)["provenance"]["spelling"]["notations"][&used];
        let says = python.stdout.contains(&format!("Numbers in \"{used}\" must be plain here: without"));
        assert_eq!(says, !written.is_null(), "{}", python.stdout);
    }
    assert_eq!(saved(&plain_model)["provenance"]["spelling"], Value::Null);
}

fn saved(model: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(model).unwrap()).unwrap()
}

fn predict_separated(model: &Path, table: &str) -> Vec<String> {
    let result = run_with_input(&["predict", text(model), "-", "--separator", ";"], table.as_bytes());
    assert_eq!(result.code, 0, "{}", result.stderr);
    result.stdout.lines().skip(1).map(str::to_string).collect()
}

#[test]
fn what_may_be_meant_otherwise_is_said() {
    let table = |value: &dyn Fn(usize) -> String| {
        let rows: String = (0..12).map(|i| format!("{};{}\n", value(i), i % 2)).collect();
        format!("x;c\n{rows}")
    };
    let warned = |value: &dyn Fn(usize) -> String| learn(&table(value), &["--separator", ";"]).3;
    let doubtful = warned(&|i| format!("{},500", i + 1));
    assert!(
        doubtful.contains("marks between thousands") && doubtful.contains("--decimal ,"),
        "{doubtful}"
    );
    let mixed = warned(&|i| if i == 3 { "$5".into() } else { format!("{i} €") });
    assert!(mixed.contains("not written alike") && mixed.contains("--numeric-columns x"), "{mixed}");
    let slip = warned(&|i| if i == 3 { "free".into() } else { format!("{i} €") });
    assert!(slip.contains("except \"free\" in 1 row"), "{slip}");
    // The remedy works.
    let slip = table(&|i| if i == 3 { "free".into() } else { format!("{i} €") });
    let (_folder, model, _, warnings) = learn(&slip, &["--separator", ";", "--missing-values", "free"]);
    assert_eq!(warnings, "");
    assert_eq!(
        saved(&model)["provenance"]["spelling"]["notations"],
        json!({"x": {"signs": {"before": "", "after": " €"}}})
    );
}

#[test]
fn a_model_without_signs_takes_texts_with_signs_for_what_they_were() {
    // As models of earlier versions have it: names that look like numbers now.
    let table = "rate,c\n5%,a\n6%,b\n7%,a\n";
    let (_folder, model, _, _) = learn(table, &["--categorical", "rate"]);
    let mut json = saved(&model);
    json["provenance"]["spelling"] =
        json!({"missing": [], "decimal": ".", "categorical": [], "numeric": []});
    std::fs::write(&model, json.to_string()).unwrap();
    assert_eq!(predict(&model, table), ["a", "b", "a"]);
    let check = run_with_input(&["check", text(&model), "-"], table.as_bytes());
    assert_eq!(check.code, 0, "{}{}", check.stdout, check.stderr);
}
