//! `minrule check`: whether a model holds for a table.

use std::path::Path;
use std::process::ExitCode;

use minrule::check::model::{is_its_table, judge};
use minrule::{Model, Result, Table, TableOptions};

use crate::args::{Check, ModelAndTable};
use crate::words;

/// Faults that are named one by one.
const SHOWN: usize = 20;

/// Runs the command; refused models have an exit code of their own.
pub(crate) fn run(args: &Check) -> Result<ExitCode> {
    let model = Model::read(&args.input.model)?;
    let table = read_table(&model, &args.input)?;
    let faults = judge(&model, &table)?;
    if !is_its_table(&model, &table) {
        let learned = &model.provenance.table;
        eprintln!("minrule: warning: this is not the table that the model was learned from ({learned})");
    }
    for fault in faults.iter().take(SHOWN) {
        words::print(&format!("{fault}\n"))?;
    }
    if faults.len() > SHOWN {
        words::print(&format!("and {} more\n", faults.len() - SHOWN))?;
    }
    let set = &model.decision_set;
    if faults.is_empty() {
        words::print(&format!(
            "The model holds: {} of size {} agree with {}, each is needed, and what is said of them fits.\n",
            words::count(set.rules, "rule"),
            set.size,
            words::count(table.rows(), "row"),
        ))?;
        return Ok(ExitCode::SUCCESS);
    }
    words::print(&format!("The model is refused: {}.\n", words::count(faults.len(), "fault")))?;
    Ok(ExitCode::from(6))
}

/// Reads a table the way the model's own was read.
pub(crate) fn read_table(model: &Model, input: &ModelAndTable) -> Result<Table> {
    let options = TableOptions {
        separator: input.separator,
        target: Some(model.decision_set.target.clone()),
        ignore: model.provenance.ignored.clone(),
        missing: model.provenance.missing,
    };
    match input.table == Path::new("-") {
        true => Table::from_reader(std::io::stdin().lock(), "standard input", &options),
        false => Table::read(&input.table, &options),
    }
}
