//! The decision set for other programs: what it takes to apply it, and nothing of how it was found.

use serde::Serialize;

use crate::apply::predict::Policy;
use crate::error::{Error, Result};
use crate::result::decision_set::DecisionSet;
use crate::show::export::program::{Column, Program};

#[derive(Serialize)]
struct Exported<'m> {
    table: &'m str,
    rows: usize,
    labels: &'m [String],
    class_rows: &'m [u64],
    #[serde(skip_serializing_if = "<[u64]>::is_empty")]
    uncovered_rows: &'m [u64],
    default: Option<&'m str>,
    policy: Policy,
    columns: &'m [Column<'m>],
    decision_set: DecisionSet,
}

pub(crate) fn json(program: &Program) -> Result<String> {
    let model = program.model;
    let mut decision_set = model.decision_set.clone();
    if program.policy != model.policy {
        // That was counted with the model's own policy.
        decision_set.rows_wrong = None;
    }
    let exported = Exported {
        table: &model.provenance.table,
        rows: model.provenance.rows,
        labels: &model.labels,
        class_rows: &model.class_rows,
        uncovered_rows: &model.uncovered_rows,
        default: program.default_label(),
        policy: program.policy,
        columns: &program.columns,
        decision_set,
    };
    let mut text = serde_json::to_string_pretty(&exported)
        .map_err(|cause| Error::Internal(format!("the model cannot be written: {cause}")))?;
    text.push('\n');
    Ok(text)
}
