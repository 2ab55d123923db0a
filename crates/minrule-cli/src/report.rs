//! `minrule report`: one page about a model and its table.

use minrule::{Error, Model, Moment, Result, report, write_text};

use crate::args::Report;
use crate::check::read_table;

/// Runs the command.
pub(crate) fn run(args: &Report) -> Result<()> {
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
    write_text(&args.output, report(&model, &table, &history)?)
}
