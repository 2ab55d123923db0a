//! Inputs too large to keep in a folder. Memory must stay in proportion to them; what took time with their
//! square would never end.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use minrule::apply::Explainer;
use minrule::limits::memory_in_use;
use minrule::{Error, Limits, Model, Style, Table, TableOptions};
use minrule_fuzz::{csv, model};
use serde_json::{Value, json};

/// Stands for the default options of the target.
const DEFAULTS: &str = "00000000000000100000000000\n";

#[test]
fn a_hundred_thousand_columns() {
    let columns = 100_000;
    let mut text = String::from(DEFAULTS);
    (0..columns).for_each(|i| text.push_str(&format!("c{i},")));
    text.push_str("class\n");
    for row in 0..8 {
        text.push_str(&format!("v{row},").repeat(columns));
        text.push_str(if row < 4 { "a\n" } else { "b\n" });
    }
    csv(text.as_bytes());
}

#[test]
fn a_field_of_a_megabyte() {
    let field = "x".repeat(1 << 20);
    csv(format!("{DEFAULTS}a,b\n\"{field}\",0\ny,1\n").as_bytes());
    csv(format!("{DEFAULTS}a,\"{field}\"\nx,0\ny,1\n").as_bytes());
    // Without its end, and as a name that is not found.
    csv(format!("{DEFAULTS}a,b\n\"{field},0\ny,1\n").as_bytes());
    let options = TableOptions { target: Some(field.clone()), ..TableOptions::default() };
    let text = format!("a,{}\nx,0\n", &field[1..]);
    let refused = Table::from_reader(text.as_bytes(), "table", &options).unwrap_err();
    assert!(matches!(refused, Error::NoSuchColumn { .. }));
}

#[test]
fn a_small_file_of_a_large_table_stops_at_the_memory_limit() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(b"a,class\n\"").unwrap();
    let piece = vec![b'x'; 1 << 20];
    (0..600).for_each(|_| packed.write_all(&piece).unwrap());
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 8 << 20);
    let Some(used) = memory_in_use() else { return };
    let limits = Limits { memory: Some(used + (100 << 20)), ..Limits::default() };
    let options = TableOptions { limits, ..TableOptions::default() };
    let refused = Table::from_reader(&packed[..], "bomb", &options).unwrap_err();
    assert!(matches!(refused, Error::LimitReached { .. }), "{refused}");
}

#[test]
fn a_model_of_nothing_but_brackets() {
    for open in ["[", "{\"format\":", "{\"format\":\"minrule-model\",\"version\":1,\"x\":[["] {
        model(open.repeat(200_000).as_bytes());
    }
}

/// For each label its rules: columns that must be 1, and rows covered.
type Rules = Vec<Vec<(Vec<usize>, u64)>>;

/// A model of columns that all have the values 0 and 1, with these rules.
fn of_rules(columns: usize, labels: &[String], rules: &Rules) -> Value {
    let column = |i: usize| {
        let cells = json!([{ "value": "0" }, { "value": "1" }]);
        json!({ "name": format!("c{i}"), "encoding": { "cells": cells }, "first": i })
    };
    let class = |(label, rules): (&String, &Vec<(Vec<usize>, u64)>)| {
        let rules = rules.iter().map(|(columns, covers)| {
            let is_one = |i: &usize| json!({ "feature": format!("c{i}"), "op": "=", "value": "1" });
            let conditions: Vec<Value> = columns.iter().map(is_one).collect();
            json!({ "if": conditions, "then": label, "covers": covers })
        });
        json!({
            "class": label, "status": "feasible", "stopped_by": "time-limit", "cost": 1,
            "lower_bound": 0, "rules_enumerated": 1, "rules": rules.collect::<Vec<Value>>(),
        })
    };
    let dating = include_str!("../../corpus/model/dating");
    let mut model: Value = serde_json::from_str(dating).expect("a model");
    model["labels"] = json!(labels);
    model["class_rows"] = json!(vec![1; labels.len()]);
    model["features"]["columns"] = (0..columns).map(column).collect();
    model["decision_set"]["classes"] = labels.iter().zip(rules).map(class).collect();
    model
}

fn read(model: &Value) -> Model {
    let text = serde_json::to_vec(model).expect("JSON");
    Model::from_json(&text, Path::new("model.json")).expect("a model")
}

#[test]
fn a_model_of_very_many_labels() {
    let labels: Vec<String> = (0..100_000).map(|i| format!("label {i}")).collect();
    let model = of_rules(1, &labels, &vec![vec![(vec![0], 1)]; labels.len()]);
    assert_eq!(read(&model).rules().count(), labels.len());
}

#[test]
fn an_explanation_of_what_cannot_be_had() {
    let columns = 1_500;
    let labels = ["a", "b"].map(str::to_string);
    // The one rule of a always fires and always wins; those of b fail in as many ways as there are.
    let rules = vec![vec![(Vec::new(), 1 << 40)], (0..columns).map(|i| (vec![i], 1)).collect()];
    let model = read(&of_rules(columns, &labels, &rules));
    let explainer = Explainer::new(&model, model.policy, Style::Words).expect("an explainer");
    let row: Vec<&[u8]> = vec![b"0"; columns];
    let explanation = explainer.explain(&row);
    assert_eq!(explanation.verdict.label, Some(0));
    assert!(explanation.counterfactuals.is_empty());
}
