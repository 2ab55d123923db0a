//! The verdict of a table on a model, which the page states before anything else.

use crate::data::table::Table;
use crate::error::Result;
use crate::judge::model::{ModelFault, is_its_table, judge};
use crate::result::model::Model;
use crate::result::outcome::Status;
use crate::show::export::escaped;
use crate::show::report::words::{count, file_name};

/// Faults that are named one by one.
const SHOWN: usize = 20;

/// What became of a check.
pub(super) struct Verdict {
    /// Whether this is the table that the model was learned from.
    pub(super) its_table: bool,
    /// What is wrong with the model, by this table.
    pub(super) faults: Vec<ModelFault>,
}

impl Verdict {
    pub(super) fn new(model: &Model, table: &Table) -> Result<Verdict> {
        Ok(Verdict { its_table: is_its_table(model, table), faults: judge(model, table)? })
    }

    pub(super) fn is_refused(&self) -> bool {
        !self.faults.is_empty()
    }

    /// Whether the model's claims may be repeated: no fault was found, and they are about this table.
    pub(super) fn bears_out(&self) -> bool {
        self.its_table && !self.is_refused()
    }

    /// The verdict in words.
    pub(super) fn html(&self, model: &Model, table: &Table) -> String {
        let (shown, own) =
            (escaped(file_name(&table.name)), escaped(file_name(&model.provenance.table)));
        let foreign = format!(
            "{shown} is not the table that the model was learned from ({own}): their SHA-256 differ."
        );
        let (kind, sign, head, more) = if self.is_refused() {
            let faults = count(self.faults.len() as u64, "fault");
            let head = format!("The model is refused by {shown}: {faults}.");
            let origin = if self.its_table { String::new() } else { format!("<p>{foreign}</p>\n") };
            ("refused", "✗", head, origin + &self.list())
        } else if self.its_table {
            let head =
                format!("Checked against {shown}, the table it was learned from: the model holds.");
            ("holds", "✓", head, format!("<p>{}</p>\n", not_repeated(model)))
        } else {
            let rules = match model.decision_set.is_sparse() {
                true => format!("Its rules may be wrong, so no row of {shown} speaks against them."),
                false => format!("The rules hold for {shown} too."),
            };
            let more = format!(
                "<p>{rules} Rows and accuracies on this page are those of {shown}; \
                 what was proven was proven for {own}.</p>\n"
            );
            ("other", "≠", foreign, more)
        };
        format!(
            "<div class=\"check {kind}\" id=\"check\" role=\"note\">\n\
             <p><b><span aria-hidden=\"true\">{sign}</span> {head}</b></p>\n{more}</div>\n"
        )
    }

    fn list(&self) -> String {
        let item = |fault: &ModelFault| format!("<li>{}</li>\n", escaped(&fault.to_string()));
        let mut items: String = self.faults.iter().take(SHOWN).map(item).collect();
        if self.faults.len() > SHOWN {
            items += &format!("<li>and {} more</li>\n", self.faults.len() - SHOWN);
        }
        format!("<ul>\n{items}</ul>\n<p>Do not rely on what it claims.</p>\n")
    }
}

/// Says what this check does not repeat, and which command does.
fn not_repeated(model: &Model) -> String {
    if model.decision_set.is_sparse() {
        let what = match model.decision_set.status {
            Status::Optimal if model.decision_set.is_ordered() => {
                "That each class's rules are best given those before it"
            }
            Status::Optimal => "That no other trade is better",
            Status::Feasible => "The lower bound",
        };
        return format!(
            "What is said of its rules, their errors and what both cost was counted again, and fits. {what} was \
             not proven again: <code>minrule check --proof</code> does that."
        );
    }
    let what = match model.decision_set.status {
        Status::Optimal => "That there is no smaller set",
        Status::Feasible => "The lower bound",
    };
    format!(
        "Its rules agree with the rows, each is needed where that is claimed, and what is said of them fits. \
         {what} was not proven again: <code>minrule check --proof</code> does that."
    )
}
