//! `minrule export`: a model in another form.

use minrule::file::write_text;
use minrule::{Model, Result};

use crate::args::Export;
use crate::words;

/// Runs the command.
pub(crate) fn run(args: &Export) -> Result<()> {
    let model = Model::read(&args.model)?;
    let text = minrule::export(&model, args.policy.or(model.policy)?, args.to, args.style)?;
    match &args.output {
        Some(path) => write_text(path, text),
        None => words::print(&text),
    }
}
