//! `minrule check`: good models pass, and every broken one is refused by name.

mod common;

use common::{file, mixed_table, run, text};
use serde_json::{Value, json};

const LOANS: &str = include_str!("../../../data/loans.csv");

/// A table, its model, and a place to write broken ones.
struct Bench {
    _folders: [tempfile::TempDir; 2],
    table: std::path::PathBuf,
    path: std::path::PathBuf,
    model: Value,
}

impl Bench {
    fn new(table: &str, options: &[&str]) -> Bench {
        let (table_folder, table) = file("table.csv", table);
        let (folder, path) = file("model.json", "");
        let mut args = vec!["learn", text(&table), "--model", text(&path), "--quiet"];
        args.extend(options);
        run(&args);
        let model = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        Bench { _folders: [table_folder, folder], table, path, model }
    }

    /// Checks the model after a change.
    fn check(&self, change: impl FnOnce(&mut Value)) -> common::Run {
        let mut model = self.model.clone();
        change(&mut model);
        std::fs::write(&self.path, serde_json::to_vec(&model).unwrap()).unwrap();
        run(&["check", text(&self.path), text(&self.table)])
    }

    fn refuses(&self, fault: &str, change: impl FnOnce(&mut Value)) {
        let result = self.check(change);
        assert_eq!(result.code, 6, "{}{}", result.stdout, result.stderr);
        assert!(result.stdout.contains(fault), "\"{fault}\" is not in:\n{}", result.stdout);
        assert!(result.stdout.contains("The model is refused"), "{}", result.stdout);
    }
}

/// The rules of a class.
fn rules(model: &mut Value, class: usize) -> &mut Vec<Value> {
    model["decision_set"]["classes"][class]["rules"].as_array_mut().unwrap()
}

fn conditions(model: &mut Value, class: usize, rule: usize) -> &mut Vec<Value> {
    rules(model, class)[rule]["if"].as_array_mut().unwrap()
}

#[test]
fn learned_models_hold() {
    let tables = [LOANS.to_string(), mixed_table(70, 4), mixed_table(120, 5)];
    for (i, table) in tables.iter().enumerate() {
        for options in [
            &["--minimize", "size"][..],
            &["--minimize", "rules", "--numeric", "thresholds"],
            &["--minimize", "literals", "--no-negations"],
            &["--minimize", "rules-then-literals", "--missing", "drop-rows"],
            &["--method", "enumerate", "--rules", "search"],
            &["--ignore", LOANS.split(',').next().unwrap()],
            &["--time-limit", "1ms"],
        ] {
            if i > 0 && options[0] == "--ignore" {
                continue;
            }
            let result = Bench::new(table, options).check(|_| ());
            assert_eq!(result.code, 0, "{options:?}: {}{}", result.stdout, result.stderr);
            assert!(result.stdout.contains("The model holds"), "{}", result.stdout);
        }
    }
}

#[test]
fn broken_models_are_refused_and_the_fault_is_named() {
    let bench = Bench::new(LOANS, &["--numeric", "thresholds"]);
    bench.refuses("fires on row", |model| {
        conditions(model, 0, 0).pop();
    });
    bench.refuses("no rule of class \"yes\" covers row", |model| {
        rules(model, 0).pop();
    });
    bench.refuses("the size is said to be 7, but it is", |model| {
        model["decision_set"]["size"] = json!(7);
    });
    bench.refuses("the number of rules is said to be 1, but it is", |model| {
        model["decision_set"]["rules"] = json!(1);
    });
    bench.refuses("the number of literals is said to be 1, but it is", |model| {
        model["decision_set"]["literals"] = json!(1);
    });
    bench.refuses("the lower bound is said to be 2, but it is", |model| {
        model["decision_set"]["lower_bound"] = json!(2);
    });
    bench.refuses("above its cost", |model| {
        model["decision_set"]["classes"][1]["lower_bound"] = json!(1000);
    });
    bench.refuses("class \"yes\" is said to be optimal, with cost", |model| {
        model["decision_set"]["classes"][0]["lower_bound"] = json!(1);
    });
    bench.refuses("class \"yes\" is said to be feasible, with cost", |model| {
        model["decision_set"]["classes"][0]["status"] = json!("feasible");
    });
    bench.refuses("tests \"shoe size\", which is none of the model's columns", |model| {
        conditions(model, 0, 0)[0]["feature"] = json!("shoe size");
    });
    bench.refuses("which is none of the model's features", |model| {
        let condition = json!({"feature": "age", "op": "<=", "value": 12.25});
        conditions(model, 0, 0).push(condition);
    });
    bench.refuses("does not need the condition", |model| {
        let another = conditions(model, 0, 1)[0].clone();
        let first = conditions(model, 0, 0);
        assert!(!first.contains(&another));
        first.push(another);
    });
    bench.refuses("is not needed: others cover all of its rows", |model| {
        let twice = rules(model, 1)[0].clone();
        rules(model, 1).push(twice);
    });
    bench.refuses("rule 1 of class \"yes\" concludes \"no\"", |model| {
        rules(model, 0)[0]["then"] = json!("no");
    });
    bench.refuses("rows that rule 1 of class \"yes\" covers is said to be 1, but it is", |model| {
        rules(model, 0)[0]["covers"] = json!(1);
    });
    bench.refuses("the cost of class \"no\" is said to be 3, but it is", |model| {
        model["decision_set"]["classes"][1]["cost"] = json!(3);
    });
    bench.refuses("the gap is said to be 0.5", |model| {
        model["decision_set"]["gap"] = json!(0.5);
    });
    bench.refuses("rows of class \"no\" is said to be 5, but it is", |model| {
        model["class_rows"][1] = json!(5);
    });
    bench.refuses("rows dropped in conflicts is said to be 9, but it is", |model| {
        model["decision_set"]["conflicts"]["rows_dropped"] = json!(9);
    });
    assert_eq!(bench.check(|_| ()).code, 0);
}

#[test]
fn what_is_no_model_or_no_table_of_it_is_an_error() {
    let bench = Bench::new(LOANS, &[]);
    let other = bench.check(|model| {
        let condition = json!({"feature": "age", "op": "<=", "value": "many"});
        conditions(model, 0, 0).push(condition);
    });
    assert_eq!(other.code, 3);
    assert!(other.stderr.contains("is no condition"), "{}", other.stderr);
    let other = bench.check(|model| {
        model["decision_set"]["classes"][0]["class"] = json!("perhaps");
    });
    assert_eq!(other.code, 3);
    assert!(other.stderr.contains("\"perhaps\", which is no label"), "{}", other.stderr);
    bench.check(|_| ());
    let (_folder, table) = file("other.csv", "a,approved\n1,yes\n2,no\n");
    let other = run(&["check", text(&bench.path), text(&table)]);
    assert_eq!(other.code, 4);
    assert!(other.stderr.contains("has no column"), "{}", other.stderr);
    let (_folder, table) = file("less.csv", LOANS.lines().take(100).collect::<Vec<_>>().join("\n"));
    let less = run(&["check", text(&bench.path), text(&table)]);
    assert!(less.stderr.contains("not the table that the model was learned from"), "{}", less.stderr);
}

#[test]
fn models_of_version_1_are_read_and_what_they_do_not_say_is_said() {
    let bench = Bench::new(LOANS, &[]);
    let old = |model: &mut Value| {
        model["version"] = json!(1);
        model["decision_set"].as_object_mut().unwrap().remove("scope");
    };
    let result = bench.check(old);
    assert_eq!(result.code, 0, "{}{}", result.stdout, result.stderr);
    assert!(
        result.stdout.contains("Not checked: over which conditions it was proven"),
        "{}",
        result.stdout
    );
    assert_eq!(run(&["predict", text(&bench.path), text(&bench.table), "--quiet"]).code, 0);
    let half_old = bench.check(|model| model["version"] = json!(1));
    assert_eq!(half_old.code, 3, "{}", half_old.stdout);
    let half_new = bench.check(|model| model["version"] = json!(3));
    assert!(half_new.stderr.contains("it must say what its rules get wrong"), "{}", half_new.stderr);
    let no_dates = bench.check(|model| model["version"] = json!(4));
    assert!(no_dates.stderr.contains("only for tables of dates"), "{}", no_dates.stderr);
    let newer = bench.check(|model| model["version"] = json!(5));
    assert!(newer.stderr.contains("this program reads versions 1 to 4"), "{}", newer.stderr);
}
