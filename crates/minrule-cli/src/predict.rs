//! `minrule predict`: a class for each row, in the order of the rows.
//!
//! While one batch is predicted on all cores, the next one is read; memory holds two batches.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use minrule::apply::{DecidedBy, Scratch, Uncovered};
use minrule::data::{Batch, Decimal, Row, Rows, RowsHash};
use minrule::{Error, Model, Policy, Predictor, Result};
use rayon::prelude::*;

use crate::args::{ModelAndTable, Predict};
use crate::words;

/// Rows that one thread predicts at a time.
const CHUNK: usize = 1024;

/// Runs the command.
pub(crate) fn run(args: &Predict) -> Result<()> {
    let model = Model::read(&args.input.model)?;
    let mut rows = open(&args.input, &model)?;
    let policy = args.policy.or(model.policy)?;
    let predictor = Predictor::new(&model, policy, rows.names(), rows.place())?;
    let page = Page::new(args, &model, policy, &rows);
    let mut tally = Tally::default();
    match &args.output {
        Some(path) => {
            minrule::file::write_file(path, |out| page.write(&mut rows, &predictor, out, &mut tally))?
        }
        None => {
            let mut out = BufWriter::with_capacity(1 << 18, io::stdout());
            match page.write(&mut rows, &predictor, &mut out, &mut tally) {
                // Whoever reads us has seen enough.
                Err(Error::Write { cause, .. }) if cause.kind() == io::ErrorKind::BrokenPipe => {}
                written => written?,
            }
        }
    }
    if !args.quiet {
        eprintln!("minrule: {}", tally.sentence());
    }
    Ok(())
}

/// Opens the table of a command; `-` is standard input.
pub(crate) fn open(input: &ModelAndTable, model: &Model) -> Result<Rows> {
    let decimal = model.provenance.spelling.decimal;
    let rows = match input.table == Path::new("-") {
        true => Rows::from_reader(io::stdin(), "standard input", input.separator, decimal)?,
        false => Rows::open(&input.table, input.separator, decimal)?,
    };
    rows.check_columns(model.used_columns().iter().map(|column| column.name))?;
    Ok(rows)
}

/// The same, with the hash of what is read; the class is needed, too.
pub(crate) fn open_hashed(input: &ModelAndTable, model: &Model) -> Result<(Rows, RowsHash)> {
    let (rows, hash) = hashed(input, model.provenance.spelling.decimal)?;
    let used = model.used_columns();
    let used = used.iter().map(|column| column.name);
    rows.check_columns(used.chain([model.decision_set.target.as_str()]))?;
    Ok((rows, hash))
}

fn hashed(input: &ModelAndTable, decimal: Decimal) -> Result<(Rows, RowsHash)> {
    if input.table == Path::new("-") {
        return Rows::hashed(io::stdin(), "standard input", input.separator, decimal);
    }
    let place = input.table.display().to_string();
    if input.table.is_dir() {
        return Err(Error::IsFolder { place });
    }
    let file = File::open(&input.table).map_err(|cause| Error::Read { place: place.clone(), cause })?;
    Rows::hashed(file, &place, input.separator, decimal)
}

/// Gives each batch of rows to `take`, and reads the next one meanwhile.
pub(crate) fn each_batch(
    rows: &mut Rows,
    mut take: impl FnMut(&[Row]) -> Result<()> + Send,
) -> Result<()> {
    let (mut current, mut next) = (Batch::default(), Batch::default());
    rows.read(&mut current)?;
    while !current.rows().is_empty() {
        let (taken, read) = rayon::join(|| take(current.rows()), || rows.read(&mut next));
        taken?;
        read?;
        std::mem::swap(&mut current, &mut next);
    }
    Ok(())
}

/// How rows were decided.
#[derive(Default)]
struct Tally {
    rows: u64,
    uncovered: u64,
    in_conflict: u64,
    abstained: u64,
    /// Of one of several classes that no rule describes.
    unnamed: u64,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.rows += other.rows;
        self.uncovered += other.uncovered;
        self.in_conflict += other.in_conflict;
        self.abstained += other.abstained;
        self.unnamed += other.unnamed;
    }

    fn sentence(&self) -> String {
        let rows = words::count(self.rows as usize, "row");
        let by_rules = self.rows - self.uncovered - self.in_conflict;
        let counted = |n: u64, what: &str| match n {
            0 => String::new(),
            n => format!("; {n} {what}"),
        };
        format!(
            "{rows}: {by_rules} decided by rules that agree, {} covered by none, {} in conflict{}{}",
            self.uncovered,
            self.in_conflict,
            counted(self.unnamed, "of a class that no rule describes"),
            counted(self.abstained, "without a prediction"),
        )
    }
}

/// What is written for a row.
struct Page<'a> {
    header: Vec<u8>,
    separator: u8,
    /// Labels as they are written.
    labels: Vec<Vec<u8>>,
    /// Rules in words, by number.
    rules: Vec<String>,
    /// Whether rows that no rule covers are of one of several classes that no rule describes.
    unnamed: bool,
    args: &'a Predict,
}

impl<'a> Page<'a> {
    fn new(args: &'a Predict, model: &Model, policy: Policy, rows: &Rows) -> Page<'a> {
        let separator = args.input.separator;
        let target = &model.decision_set.target;
        let field = |text: &str| quoted(text.as_bytes(), separator);
        let mut names: Vec<Vec<u8>> = Vec::new();
        if args.keep_columns {
            names.extend(rows.names().iter().map(|name| field(name)));
        }
        names.push(field(&format!("predicted {target}")));
        if args.proba {
            names.extend(model.labels.iter().map(|label| field(&format!("share of {label}"))));
        }
        if args.explain {
            names.push(field("rules"));
        }
        let mut header = names.join(&separator);
        header.push(b'\n');
        let wording = model.wording(args.style.unwrap_or_default());
        let rules = match args.explain {
            true => model.rules().map(|(_, rule)| rule.sentence(target, &wording)).collect(),
            false => Vec::new(),
        };
        let labels = model.labels.iter().map(|label| field(label)).collect();
        let unnamed = policy.uncovered == Uncovered::Default && model.default_label().is_none();
        Page { header, separator, labels, rules, unnamed, args }
    }

    /// Writes the predictions of all rows.
    fn write(
        &self,
        rows: &mut Rows,
        predictor: &Predictor,
        out: &mut (dyn Write + Send),
        tally: &mut Tally,
    ) -> Result<()> {
        let path = self.args.output.clone().unwrap_or_else(|| "standard output".into());
        let in_place = |cause| Error::Write { path: path.clone(), cause };
        out.write_all(&self.header).map_err(in_place)?;
        each_batch(rows, |batch| {
            let chunks = batch.par_chunks(CHUNK).map(|rows| self.predict(rows, predictor));
            let chunks: Vec<(Vec<u8>, Tally)> = chunks.collect();
            for (bytes, counted) in chunks {
                tally.add(&counted);
                out.write_all(&bytes).map_err(in_place)?;
            }
            Ok(())
        })?;
        out.flush().map_err(in_place)
    }

    /// Some rows' predictions, as they are written.
    fn predict(&self, rows: &[Row], predictor: &Predictor) -> (Vec<u8>, Tally) {
        let mut bytes = Vec::with_capacity(rows.len() * 8);
        let mut tally = Tally { rows: rows.len() as u64, ..Tally::default() };
        let mut scratch = Scratch::default();
        for row in rows {
            let verdict = predictor.predict_row(row, &mut scratch);
            tally.uncovered += u64::from(verdict.decided_by == DecidedBy::Uncovered);
            tally.in_conflict += u64::from(verdict.decided_by == DecidedBy::Conflict);
            let unnamed = self.unnamed && verdict.decided_by == DecidedBy::Uncovered;
            tally.unnamed += u64::from(unnamed);
            tally.abstained += u64::from(verdict.label.is_none() && !unnamed);
            if self.args.keep_columns {
                for field in row.fields() {
                    bytes.extend_from_slice(&quoted(field, self.separator));
                    bytes.push(self.separator);
                }
            }
            if let Some(label) = verdict.label {
                bytes.extend_from_slice(&self.labels[label]);
            }
            if self.args.proba {
                for share in predictor.shares(verdict, &mut scratch) {
                    bytes.push(self.separator);
                    bytes.extend_from_slice(share.to_string().as_bytes());
                }
            }
            if self.args.explain {
                let rules = scratch.rules.iter().map(|&rule| self.rules[rule].as_str());
                let rules: Vec<&str> = rules.collect();
                bytes.push(self.separator);
                bytes.extend_from_slice(&quoted(rules.join("; ").as_bytes(), self.separator));
            }
            bytes.push(b'\n');
        }
        (bytes, tally)
    }
}

/// A field, in quotes where it needs them.
fn quoted(field: &[u8], separator: u8) -> Vec<u8> {
    let special = |byte: &u8| *byte == separator || matches!(byte, b'"' | b'\n' | b'\r');
    if !field.iter().any(special) {
        return field.to_vec();
    }
    let mut quoted = vec![b'"'];
    for &byte in field {
        quoted.extend(std::iter::repeat_n(byte, if byte == b'"' { 2 } else { 1 }));
    }
    quoted.push(b'"');
    quoted
}
