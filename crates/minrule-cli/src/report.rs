//! `minrule report`: one page about a model and a table.

use std::process::ExitCode;

use minrule::file::{try_output, write_text};
use minrule::result::{CurveFile, Moment};
use minrule::{Error, Model, Result, report};

use crate::args::Report;
use crate::check::read_table;
use crate::words;

/// Runs the command; as for `check`, refused models have an exit code of their own. Their page is written
/// all the same, and says so.
pub(crate) fn run(args: &Report) -> Result<ExitCode> {
    try_output(&args.output)?;
    let model = Model::read(&args.input.model)?;
    let table = read_table(&model, &args.input)?;
    let history: Vec<Moment> = match &args.trace {
        None => Vec::new(),
        Some(path) => {
            let place = path.display().to_string();
            let text =
                std::fs::read(path).map_err(|cause| Error::Read { place: place.clone(), cause })?;
            serde_json::from_slice(&text)
                .map_err(|cause| Error::BadTrace { place, problem: cause.to_string() })?
        }
    };
    let curve = match &args.curve {
        None => Vec::new(),
        Some(path) => CurveFile::read(path)?.points(&model, &table, &path.display().to_string())?,
    };
    let made = report(&model, &table, &history, &curve, args.style)?;
    write_text(&args.output, &made.page)?;
    if !made.its_table {
        let learned = words::one_line(&model.provenance.table);
        eprintln!("minrule: warning: this is not the table that the model was learned from ({learned})");
    }
    if made.faults.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let faults = words::count(made.faults.len(), "fault");
    eprintln!("minrule: the model is refused: {faults}; the page says which");
    Ok(ExitCode::from(6))
}
