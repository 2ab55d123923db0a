//! `minrule check`: whether a model holds for a table.

use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use minrule::check::model::{is_its_table, judge};
use minrule::check::proof::{Derivation, derivations, judge as judge_proof};
use minrule::{Error, Model, Proof, Result, Status, Table, TableOptions, write_text};

use crate::args::{Check, ModelAndTable};
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
    if !is_its_table(&model, &table) {
        let learned = words::one_line(&model.provenance.table);
        eprintln!("minrule: warning: this is not the table that the model was learned from ({learned})");
    }
    if !faults.is_empty() {
        show(&faults)?;
        words::print(&format!("The model is refused: {}.\n", words::count(faults.len(), "fault")))?;
        return Ok(ExitCode::from(6));
    }
    let set = &model.decision_set;
    words::print(&format!(
        "The model holds: {} of size {} agree with {}, each is needed, and what is said of them fits.\n",
        words::count(set.rules, "rule"),
        set.size,
        words::count(table.rows(), "row"),
    ))?;
    match &args.proof {
        None => Ok(ExitCode::SUCCESS),
        Some(folder) => {
            let deadline = args.time_limit.and_then(|limit| start.checked_add(limit));
            let proof = Proof::read(folder, set.classes.len())?;
            let judged = check_proof(&model, &table, &proof, deadline)?;
            if let Some(folder) = args.veripb.as_ref().filter(|_| judged == ExitCode::SUCCESS) {
                write_derivations(&derivations(&model, &table, &proof, MOST_LINES)?, folder)?;
            }
            Ok(judged)
        }
    }
}

fn check_proof(
    model: &Model,
    table: &Table,
    proof: &Proof,
    deadline: Option<Instant>,
) -> Result<ExitCode> {
    let faults = judge_proof(model, table, proof, deadline)?;
    show(&faults)?;
    let classes = words::count(model.decision_set.classes.len(), "class");
    let (unfinished, wrong): (Vec<_>, Vec<_>) = faults.iter().partition(|fault| fault.is_unfinished());
    if !wrong.is_empty() {
        words::print(&format!("The proof is refused: {}.\n", words::count(wrong.len(), "fault")))?;
        return Ok(ExitCode::from(6));
    }
    if !unfinished.is_empty() {
        let checked = model.decision_set.classes.len() - unfinished.len();
        words::print(&format!("The time was up: the proof holds for {checked} of {classes}.\n"))?;
        return Ok(ExitCode::from(10));
    }
    let claim = match model.decision_set.status {
        Status::Optimal => "no smaller set exists",
        Status::Feasible => "no set is smaller than its lower bound",
    };
    words::print(&format!("The proof holds for {classes}: {claim}.\n"))?;
    Ok(ExitCode::SUCCESS)
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

fn show(faults: &[impl Display]) -> Result<()> {
    for fault in faults.iter().take(SHOWN) {
        words::print(&(words::one_line(&fault.to_string()) + "\n"))?;
    }
    if faults.len() > SHOWN {
        words::print(&format!("and {} more\n", faults.len() - SHOWN))?;
    }
    Ok(())
}

/// Reads a table the way the model's own was read.
pub(crate) fn read_table(model: &Model, input: &ModelAndTable) -> Result<Table> {
    let options = TableOptions {
        separator: input.separator,
        target: Some(model.decision_set.target.clone()),
        ignore: model.provenance.ignored.clone(),
        missing: model.provenance.missing,
        ..TableOptions::default()
    };
    match input.table == Path::new("-") {
        true => Table::from_reader(std::io::stdin().lock(), "standard input", &options),
        false => Table::read(&input.table, &options),
    }
}
