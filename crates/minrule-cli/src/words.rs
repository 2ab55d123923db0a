//! A result as text or JSON.

use std::fmt::Write;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use minrule::apply::{Expected, Fold};
use minrule::result::{ClassRules, Overlaps, StageSeconds};
use minrule::{
    DecisionRule, DecisionSet, Error, ErrorKind, Evaluation, Model, Outcome, Problem, Result, Status,
    Style, Wording,
};
use serde_json::{Value, json};

use crate::alpha::Settled;
use crate::evaluate;

use minrule::text::percent;
pub(crate) use minrule::text::{count, one_line};

/// What was read.
pub(crate) struct Facts<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) warnings: &'a [String],
    pub(crate) overlaps: Option<&'a Overlaps>,
    pub(crate) folds: Option<&'a [Fold]>,
    pub(crate) settled: &'a Settled,
}

/// Where the time went. Stages are added up over classes, which may run side by side.
pub(crate) struct Seconds {
    read: f64,
    stages: StageSeconds,
    total: f64,
}

impl Seconds {
    pub(crate) fn new(read: Duration, stages: StageSeconds, total: Duration) -> Seconds {
        Seconds { read: read.as_secs_f64(), stages, total: total.as_secs_f64() }
    }
}

/// One JSON object and a line end.
pub(crate) fn json(model: &Model, facts: &Facts, seconds: &Seconds) -> String {
    let round = |x: f64| (x * 1e6).round() / 1e6;
    let (set, table) = (&model.decision_set, facts.problem.table());
    let mut object = serde_json::to_value(set).expect("a decision set is plain data");
    let extra = json!({
        "format": "minrule-result",
        // Sparse sets say more, and cost rows.
        "version": if set.is_sparse() { 2 } else { 1 },
        "proof": set.proof(),
        "majority": majority(model),
        "seconds": {
            "read": round(seconds.read),
            "first": round(seconds.stages.first),
            "rules": round(seconds.stages.rules),
            "cover": round(seconds.stages.cover),
            "total": round(seconds.total),
        },
        "table": {
            "name": table.name,
            "rows": table.rows(),
            "rows_left_out": table.rows_left_out,
            "examples": facts.problem.examples().len(),
            "features": facts.problem.features().len(),
            "constant_columns": facts.problem.features().constant,
            "uncut_columns": facts.problem.features().uncut,
        },
        "warnings": facts.warnings,
        "peak_mb": minrule::limits::peak_memory().map(|bytes| bytes / 1_000_000),
    });
    if let (Value::Object(object), Value::Object(extra)) = (&mut object, extra) {
        object.extend(extra);
        object.extend(model.expected.iter().map(|expected| ("expected".to_string(), json!(expected))));
        object.extend(facts.settled.to_json());
        object.extend(facts.overlaps.map(|found| ("overlaps".to_string(), json!(found))));
        object
            .extend(facts.folds.map(|folds| ("cross_validation".to_string(), folds_json(folds, model))));
    }
    pretty(&object)
}

/// The label that most rows of the table have, and its share of them.
fn majority(model: &Model) -> Value {
    let all: u64 = model.class_rows.iter().sum();
    let most = model.labels.iter().zip(&model.class_rows).rev().max_by_key(|(_, rows)| **rows);
    json!(most.map(|(label, &rows)| json!({ "class": label, "share": rows as f64 / all.max(1) as f64 })))
}

/// Sentences.
pub(crate) fn text(
    model: &Model,
    facts: &Facts,
    seconds: &Seconds,
    outcome: &Outcome,
    style: Style,
) -> String {
    let mut out = String::new();
    let wording = model.wording(style);
    let set = &model.decision_set;
    head(&mut out, set, facts);
    facts.settled.in_words().iter().for_each(|words| line(&mut out, words));
    model.expected.iter().for_each(|expected| line(&mut out, &expectation(expected)));
    for (class, result) in set.classes.iter().zip(&outcome.classes) {
        class_rules(&mut out, (set, &wording), class, &result.failure);
    }
    if let Some(Some(otherwise)) = &set.otherwise {
        line(&mut out, "");
        line(&mut out, &format!("otherwise: {otherwise}"));
    }
    if let Some(found) = facts.overlaps {
        overlaps(&mut out, set, &wording, found);
    }
    foot(&mut out, set, seconds);
    if let Some(thin) = model.thin_rules() {
        line(&mut out, &hint(thin, set.rules));
    }
    if let Some(folds) = facts.folds {
        cross_validation(&mut out, folds, model);
    }
    out
}

/// What to expect on new rows.
fn expectation(expected: &Expected) -> String {
    format!(
        "Expected on new rows: {} right, with a standard error of {} ({}).",
        percent(expected.accuracy),
        percent(expected.se),
        expected.how,
    )
}

/// All folds together.
fn sum(folds: &[Fold], model: &Model) -> Evaluation {
    let mut sum = model.evaluation(model.policy);
    folds.iter().for_each(|fold| sum.merge(&fold.evaluation));
    sum
}

fn folds_json(folds: &[Fold], model: &Model) -> Value {
    let fold = |fold: &Fold| {
        json!({
            "status": fold.decision_set.status,
            "rules": fold.decision_set.rules,
            "literals": fold.decision_set.literals,
            "size": fold.decision_set.size,
            "evaluation": evaluate::to_json(&fold.evaluation),
        })
    };
    json!({
        "folds": folds.iter().map(fold).collect::<Vec<Value>>(),
        "all": evaluate::to_json(&sum(folds, model)),
    })
}

fn cross_validation(out: &mut String, folds: &[Fold], model: &Model) {
    let percent = |share: Option<f64>| share.map_or("-".to_string(), percent);
    let head =
        ["fold", "rules", "size", "status", "rows", "accuracy", "majority", "uncovered", "in conflict"];
    let rows = folds.iter().enumerate().map(|(i, fold)| {
        let (set, e) = (&fold.decision_set, &fold.evaluation);
        let status = if set.status == Status::Optimal { "optimal" } else { "feasible" };
        vec![
            (i + 1).to_string(),
            set.rules.to_string(),
            set.size.to_string(),
            status.to_string(),
            e.rows().to_string(),
            percent(e.accuracy()),
            percent(e.majority().map(|(_, share)| share)),
            e.uncovered.to_string(),
            e.in_conflict.to_string(),
        ]
    });
    line(out, "");
    line(out, &format!("Cross-validation, {}:", count(folds.len(), "fold")));
    out.push_str(&columns(head.map(String::from).to_vec(), rows));
    line(out, "");
    line(out, "All folds together, each predicted by rules learned from the others:");
    out.push_str(&evaluate::text(model, &sum(folds, model), false));
}

/// The pairs of rules that can fire together, with an example of each.
fn overlaps(out: &mut String, set: &DecisionSet, wording: &Wording, found: &Overlaps) {
    const SHOWN: usize = 20;
    let rules: Vec<&DecisionRule> = set.classes.iter().flat_map(|class| &class.rules).collect();
    line(out, "");
    line(
        out,
        &format!(
            "Overlap: of {} of rules of different classes, {} can fire together{}.",
            count(found.pairs as usize, "pair"),
            found.overlapping.len(),
            if set.is_ordered() { "; then the rule that stands first holds" } else { "" },
        ),
    );
    for overlap in found.overlapping.iter().take(SHOWN) {
        let example = overlap.example.iter().map(|(column, value)| format!("{column} = {value}"));
        for number in [overlap.first, overlap.second] {
            line(out, &format!("  {}", rules[number - 1].sentence(&set.target, wording)));
        }
        line(out, &format!("    both fire on {}", example.collect::<Vec<_>>().join(", ")));
    }
    if found.overlapping.len() > SHOWN {
        line(
            out,
            &format!(
                "  and {} more pairs (all of them with --format json)",
                found.overlapping.len() - SHOWN
            ),
        );
    }
}

fn head(out: &mut String, set: &DecisionSet, facts: &Facts) {
    let (table, features) = (facts.problem.table(), facts.problem.features());
    line(
        out,
        &format!(
            "{}: {}, {}, {} of \"{}\"",
            table.name,
            count(table.rows(), "row"),
            count(features.len(), "Boolean feature"),
            count(facts.problem.examples().classes().len(), "class"),
            set.target,
        ),
    );
    if table.rows_left_out > 0 {
        line(out, &format!("Left out for a missing value: {}.", count(table.rows_left_out, "row")));
    }
    if !features.constant.is_empty() {
        line(out, &format!("Left out as constant: {}.", some_of(&features.constant)));
    }
    if !features.uncut.is_empty() {
        let columns = some_of(&features.uncut);
        line(
            out,
            &format!("Left out, since no threshold there adds to those of other columns: {columns}."),
        );
    }
    if set.conflicts.rows_dropped > 0 {
        line(out, &minrule::show::conflicts(set));
    }
    set.price_in_words().iter().chain(&set.order_in_words()).for_each(|words| line(out, words));
}

fn class_rules(
    out: &mut String,
    (set, wording): (&DecisionSet, &Wording),
    class: &ClassRules,
    failure: &Option<String>,
) {
    line(out, "");
    line(out, &class.heading(set));
    if let Some(failure) = failure {
        line(out, &format!("  ({failure})"));
    }
    for rule in &class.rules {
        line(out, &format!("  {}", rule.sentence_with_size(&set.target, wording)));
    }
}

/// An error as one JSON object.
pub(crate) fn error(kind: ErrorKind, code: u8, message: &str, remedy: &str) -> String {
    let kind = match kind {
        ErrorKind::Internal => "internal",
        ErrorKind::Option => "option",
        ErrorKind::Read => "read",
        ErrorKind::Table => "table",
        ErrorKind::Write => "write",
        ErrorKind::Limit => "limit",
    };
    let remedy = Some(remedy).filter(|remedy| !remedy.is_empty());
    pretty(&json!({
        "format": "minrule-error",
        "version": 1,
        "error": { "kind": kind, "exit_code": code, "message": message, "remedy": remedy },
    }))
}

/// JSON with line ends.
pub(crate) fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("plain data");
    text.push('\n');
    text
}

/// Lines of aligned columns; all but the first are flush right.
pub(crate) fn columns(head: Vec<String>, rows: impl Iterator<Item = Vec<String>>) -> String {
    let shown = |row: Vec<String>| row.iter().map(|text| one_line(text)).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).map(shown).collect();
    let wide = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).max()
    };
    let widths: Vec<usize> = (0..rows[0].len()).map(|column| wide(column).unwrap_or(0)).collect();
    let mut out = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (text, &width))| match column {
            0 => format!("{text:<width$}"),
            _ => format!("{text:>width$}"),
        });
        line(&mut out, cells.collect::<Vec<String>>().join("  ").trim_end());
    }
    out
}

/// Whether anything was printed.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// Whether a result, or part of one, stands on standard output.
pub(crate) fn has_printed() -> bool {
    PRINTED.load(Ordering::Relaxed)
}

/// Writes to standard output; whoever reads may have seen enough before the end.
pub(crate) fn print(text: &str) -> Result<()> {
    PRINTED.store(true, Ordering::Relaxed);
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(cause) => Err(Error::Write { path: "standard output".into(), cause }),
        Ok(()) => Ok(()),
    }
}

fn foot(out: &mut String, set: &DecisionSet, seconds: &Seconds) {
    line(out, "");
    line(out, &set.total());
    let costs = set.cost_in_words().into_iter().chain(set.rows_wrong_in_words());
    costs.for_each(|cost| line(out, &cost));
    line(out, &set.proof());
    set.scope_in_words().iter().for_each(|scope| line(out, scope));
    line(
        out,
        &format!(
            "{} generated. {:.2} s: reading {:.2}, first rules {:.2}, rules {:.2}, cover {:.2} \
             (summed over classes).",
            count(set.rules_enumerated, "rule"),
            seconds.total,
            seconds.read,
            seconds.stages.first,
            seconds.stages.rules,
            seconds.stages.cover,
        ),
    );
}

/// What somebody may want to know who sees rules that hardly any rows follow.
fn hint(thin: usize, rules: usize) -> String {
    format!(
        "Hint: {thin} of {} cover less than a tenth of their class, so they may describe noise; `--alpha auto` \
         finds rules that hold for new rows, too.",
        count(rules, "rule"),
    )
}

/// The first few names of a list that may be long.
fn some_of(names: &[String]) -> String {
    const SHOWN: usize = 10;
    let mut text = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

/// A line for people to read: nothing of a table breaks it or speaks to the terminal.
pub(crate) fn line(out: &mut String, text: &str) {
    writeln!(out, "{}", one_line(text)).expect("writing to a string cannot fail");
}
