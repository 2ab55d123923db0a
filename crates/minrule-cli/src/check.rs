//! `minrule check`: whether a model holds for a table.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use minrule::file::write_text;
use minrule::judge::model::{
    BOUNDS, ORDERED_BOUNDS, SPARSE_BOUNDS, Unchecked, agreement, is_its_table, judge, unchecked,
};
use minrule::judge::proof::{Derivation, ProofFault, derivations, judge as judge_proof};
use minrule::{Error, Limits, Model, Proof, Result, Status, Table, TableOptions};
use serde_json::{Value, json};

use crate::args::{Check, Format, ModelAndTable};
use crate::words;

/// Faults that are named one by one.
const SHOWN: usize = 20;
/// Lines of a pseudo-Boolean proof, at most: some tens of megabytes.
const MOST_LINES: usize = 1_000_000;

/// Runs the command; refused models have an exit code of their own, and so have proofs that could
/// not be checked to the end.
pub(crate) fn run(args: &Check) -> Result<ExitCode> {
    let start = Instant::now();
    let model = Model::read(&args.input.model)?;
    let table = read_table(&model, &args.input)?;
    let faults = judge(&model, &table)?;
    let its_table = is_its_table(&model, &table);
    if !its_table {
        let learned = words::one_line(&model.provenance.table);
        eprintln!("minrule: warning: this is not the table that the model was learned from ({learned})");
    }
    let mut findings = Findings {
        its_table,
        agreement: if faults.is_empty() { Some(agreement(&model, &table)?) } else { None },
        unchecked: unchecked(&model, &table),
        faults: faults.iter().map(ToString::to_string).collect(),
        proof: None,
    };
    if let Some(folder) = args.proof.as_ref().filter(|_| faults.is_empty()) {
        let deadline = args.time_limit.and_then(|limit| start.checked_add(limit));
        let limits = Limits { deadline, ..Limits::default() };
        let proof = Proof::read(folder, model.decision_set.classes.len())?;
        let judged = ProofFindings::new(&judge_proof(&model, &table, &proof, &limits)?);
        if judged.holds() {
            findings.unchecked.retain(|left| ![BOUNDS, SPARSE_BOUNDS, ORDERED_BOUNDS].contains(left));
            if let Some(folder) = &args.veripb {
                write_derivations(&derivations(&model, &table, &proof, MOST_LINES)?, folder)?;
            }
        }
        findings.proof = Some(judged);
    }
    words::print(&match args.format {
        Format::Text => findings.text(&model),
        Format::Json => words::pretty(&findings.json()),
    })?;
    Ok(ExitCode::from(findings.exit_code()))
}

/// What came of a check.
struct Findings {
    its_table: bool,
    /// Rows that the rules agree with, and all rows.
    agreement: Option<(u64, u64)>,
    faults: Vec<String>,
    unchecked: Vec<Unchecked>,
    proof: Option<ProofFindings>,
}

/// What came of the check of a proof.
struct ProofFindings {
    wrong: Vec<String>,
    /// For want of time.
    unfinished: Vec<String>,
}

impl ProofFindings {
    fn new(faults: &[ProofFault]) -> ProofFindings {
        let (unfinished, wrong): (Vec<&ProofFault>, Vec<&ProofFault>) =
            faults.iter().partition(|fault| fault.is_unfinished());
        let words = |faults: Vec<&ProofFault>| faults.iter().map(ToString::to_string).collect();
        ProofFindings { wrong: words(wrong), unfinished: words(unfinished) }
    }

    fn holds(&self) -> bool {
        self.wrong.is_empty() && self.unfinished.is_empty()
    }

    fn text(&self, out: &mut String, model: &Model) {
        list(out, &self.wrong);
        list(out, &self.unfinished);
        let set = &model.decision_set;
        let classes = words::count(set.classes.len(), "class");
        if !self.wrong.is_empty() {
            let faults = words::count(self.wrong.len(), "fault");
            words::line(out, &format!("The proof is refused: {faults}."));
        } else if !self.unfinished.is_empty() {
            let checked = set.classes.len() - self.unfinished.len();
            words::line(out, &format!("The time was up: the proof holds for {checked} of {classes}."));
        } else {
            words::line(out, &format!("The proof holds for {classes}. {}", set.proof()));
        }
    }
}

impl Findings {
    fn exit_code(&self) -> u8 {
        match &self.proof {
            _ if !self.faults.is_empty() => 6,
            Some(proof) if !proof.wrong.is_empty() => 6,
            Some(proof) if !proof.unfinished.is_empty() => 10,
            _ => 0,
        }
    }

    fn text(&self, model: &Model) -> String {
        let mut out = String::new();
        list(&mut out, &self.faults);
        match self.agreement {
            None => {
                let faults = words::count(self.faults.len(), "fault");
                words::line(&mut out, &format!("The model is refused: {faults}."));
            }
            Some((agree, rows)) => words::line(&mut out, &self.holds(model, agree, rows)),
        }
        if let Some(proof) = &self.proof {
            proof.text(&mut out, model);
        }
        if self.faults.is_empty() {
            set_scope(&mut out, model);
            for Unchecked { what, why, .. } in &self.unchecked {
                words::line(&mut out, &format!("Not checked: {what} ({why})."));
            }
        }
        out
    }

    fn holds(&self, model: &Model, agree: u64, rows: u64) -> String {
        let set = &model.decision_set;
        let rules = words::count(set.rules, "rule");
        let agreed = match rows - agree {
            _ if set.is_sparse() => format!("are right about {agree} of {rows} rows"),
            0 => format!("agree with {}", words::count(rows as usize, "row")),
            lost => format!(
                "agree with {agree} of {rows} rows; {} lost the vote against equal rows of another class",
                words::count(lost as usize, "row")
            ),
        };
        let needed =
            if set.status == Status::Optimal && !set.is_sparse() { "each is needed, and " } else { "" };
        let fits =
            if self.its_table { "what is said of them fits" } else { "what they say is in order" };
        format!("The model holds: {rules} of size {} {agreed}; {needed}{fits}.", set.size)
    }

    fn json(&self) -> Value {
        let unchecked = self
            .unchecked
            .iter()
            .map(|left| json!({ "what": left.what, "why": left.why, "fields": left.fields }));
        let proof = self.proof.as_ref().map(|proof| {
            json!({
                "holds": proof.holds(),
                "faults": proof.wrong,
                "unfinished": proof.unfinished,
            })
        });
        json!({
            "format": "minrule-check",
            "version": 1,
            "holds": self.exit_code() == 0,
            "its_table": self.its_table,
            "rows": self.agreement.map(|(_, rows)| rows),
            "rows_agreed_with": self.agreement.map(|(agree, _)| agree),
            "faults": self.faults,
            "proof": proof,
            "not_checked": unchecked.collect::<Vec<Value>>(),
        })
    }
}

/// What the claims are about.
fn set_scope(out: &mut String, model: &Model) {
    if let Some(scope) = model.decision_set.scope_in_words() {
        words::line(out, &scope);
    }
    let label = |&label: &usize| format!("\"{}\"", words::one_line(&model.labels[label]));
    let others: Vec<String> = model.undescribed().iter().map(label).collect();
    if !others.is_empty() {
        let others = others.join(", ");
        words::line(
            out,
            &format!("No rule describes {others}: the claims are about the other classes."),
        );
    }
}

/// Faults, a line each.
fn list(out: &mut String, faults: &[String]) {
    faults.iter().take(SHOWN).for_each(|fault| words::line(out, fault));
    if faults.len() > SHOWN {
        words::line(out, &format!("and {} more", faults.len() - SHOWN));
    }
}

fn write_derivations(derivations: &[(String, Derivation)], folder: &Path) -> Result<()> {
    let failed = |cause| Error::Write { path: folder.to_path_buf(), cause };
    fs::create_dir_all(folder).map_err(failed)?;
    for (name, derivation) in derivations {
        for (ending, text) in [("opb", &derivation.formula), ("pbp", &derivation.proof)] {
            write_text(&folder.join(format!("{name}.{ending}")), text)?;
        }
    }
    Ok(())
}

/// Reads a table the way the model's own was read.
pub(crate) fn read_table(model: &Model, input: &ModelAndTable) -> Result<Table> {
    let options = TableOptions { separator: input.separator, ..model.table_options() };
    match input.table == Path::new("-") {
        true => Table::from_reader(std::io::stdin().lock(), "standard input", &options),
        false => Table::read(&input.table, &options),
    }
}
