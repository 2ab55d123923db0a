//! `minrule evaluate`: how well a model predicts rows whose classes are known.

use minrule::apply::Scratch;
use minrule::data::Rows;
use minrule::{Error, Evaluation, Model, Predictor, Result};
use rayon::prelude::*;
use serde_json::json;

use crate::args::{Evaluate, Format};
use crate::predict::{each_batch, open_hashed};
use crate::words;

/// Rows that one thread predicts at a time.
const CHUNK: usize = 1024;

/// Runs the command.
pub(crate) fn run(args: &Evaluate) -> Result<()> {
    let model = Model::read(&args.input.model)?;
    let (mut rows, hash) = open_hashed(&args.input, &model)?;
    let (evaluation, left_out) = evaluate(&model, args.policy.or(model.policy)?, &mut rows)?;
    let trained_on = hash.get() == model.provenance.sha256;
    if left_out > 0 {
        let rows = words::count(left_out as usize, "row");
        eprintln!("minrule: warning: {rows} left out: the class is missing");
    }
    words::print(&match args.format {
        Format::Text => text(&model, &evaluation, trained_on),
        Format::Json => {
            let mut object = to_json(&evaluation);
            object["format"] = json!("minrule-evaluation");
            object["version"] = json!(1);
            object["trained_on_these_rows"] = json!(trained_on);
            words::pretty(&object)
        }
    })
}

/// Counts what the model says of all rows that have a class, and the rows that have none.
fn evaluate(model: &Model, policy: minrule::Policy, rows: &mut Rows) -> Result<(Evaluation, u64)> {
    let predictor = Predictor::new(model, policy, rows.names(), rows.place())?;
    let target = &model.decision_set.target;
    let position = rows.names().iter().position(|name| name == target);
    let target = position.ok_or_else(|| Error::no_such_column(rows.place(), target, rows.names()))?;
    let mut evaluation = model.evaluation(policy);
    let mut left_out = 0;
    each_batch(rows, |batch| {
        let parts = batch.par_chunks(CHUNK).map(|rows| {
            let mut part = model.evaluation(policy);
            let mut left_out = 0;
            let mut scratch = Scratch::default();
            for row in rows {
                let label = row.field(target);
                if model.provenance.spelling.is_missing(label) {
                    left_out += 1;
                    continue;
                }
                let verdict = predictor.predict_row(row, &mut scratch);
                part.add(&String::from_utf8_lossy(label), verdict);
            }
            (part, left_out)
        });
        let parts: Vec<(Evaluation, u64)> = parts.collect();
        for (part, rows) in parts {
            evaluation.merge(&part);
            left_out += rows;
        }
        Ok(())
    })?;
    Ok((evaluation, left_out))
}

/// One JSON object.
pub(crate) fn to_json(e: &Evaluation) -> serde_json::Value {
    json!({
        "rows": e.rows(),
        "correct": e.correct(),
        "accuracy": e.accuracy(),
        "majority": e.majority().map(|(class, share)| json!({ "class": class, "share": share })),
        "balanced_accuracy": e.balanced_accuracy(),
        "uncovered": e.uncovered,
        "in_conflict": e.in_conflict,
        "abstained": e.abstained(),
        "classes": e.classes(),
        "confusion": { "actual": e.labels(), "predicted": e.known_labels(), "rows": e.confusion() },
    })
}

/// Sentences and two tables.
pub(crate) fn text(model: &Model, e: &Evaluation, trained_on: bool) -> String {
    let mut out = String::new();
    let rows = e.rows().max(1) as f64;
    let percent = |share: Option<f64>| share.map_or("-".to_string(), minrule::text::percent);
    let part = |n: u64| format!("{n} ({})", minrule::text::percent(n as f64 / rows));
    let mut line = |text: String| words::line(&mut out, &text);
    line(words::count(e.rows() as usize, "row"));
    if trained_on {
        line(
            "The model was learned from this very table: this says nothing about other rows."
                .to_string(),
        );
    }
    line(format!("Accuracy: {} ({} correct)", percent(e.accuracy()), e.correct()));
    if let Some((class, share)) = e.majority() {
        line(format!("Always saying \"{class}\", as most rows are: {}", minrule::text::percent(share)));
    }
    line(format!("Balanced accuracy: {}", percent(e.balanced_accuracy())));
    line(format!("Covered by no rule: {}", part(e.uncovered)));
    // Where classes have an order, rules of one class hold, whatever else fires.
    if !model.decision_set.is_ordered() {
        line(format!("Covered by rules of several classes: {}", part(e.in_conflict)));
    }
    if e.abstained() > 0 {
        line(format!("Without a prediction: {}", part(e.abstained())));
    }
    let scores = e.classes().into_iter().map(|class| {
        let shares = [class.precision, class.recall, class.f1].map(percent);
        let [precision, recall, f1] = shares;
        vec![class.class, class.rows.to_string(), precision, recall, f1]
    });
    let head = ["class", "rows", "precision", "recall", "F1"].map(String::from).to_vec();
    let scores = words::columns(head, scores);
    let mut head = vec!["actual \\ predicted".to_string()];
    head.extend(e.known_labels().iter().cloned());
    let silent = e.abstained() > 0;
    head.extend(silent.then(|| "none".to_string()));
    let counts = e.labels().iter().zip(e.confusion()).map(|(label, counts)| {
        let shown = counts.len() - usize::from(!silent);
        let counts = counts[..shown].iter().map(u64::to_string);
        std::iter::once(label.clone()).chain(counts).collect()
    });
    out + "\n" + &scores + "\n" + &words::columns(head, counts) + "\n"
}
