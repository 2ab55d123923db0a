//! `minrule export`: a model in another form.

use minrule::{Error, Model, Result, write_file};

use crate::args::Export;
use crate::words;

/// Runs the command.
pub(crate) fn run(args: &Export) -> Result<()> {
    let model = Model::read(&args.model)?;
    let text = minrule::export(&model, args.policy.or(model.policy), args.to.into())?;
    let Some(path) = &args.output else { return words::print(&text) };
    write_file(path, |file| {
        let in_place = |cause| Error::Write { path: path.clone(), cause };
        file.write_all(text.as_bytes()).map_err(in_place)
    })
}
