//! From options to a problem: how a table is read, until when, and what interrupts it.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use minrule::limits::leaves_room;
use minrule::{
    BinariseOptions, Error, Limits, Problem, Result, Spelling, Stop, StopReason, Table, TableOptions,
};

use crate::args::{Format, Source};
use crate::names::OptionNames;

/// How long reading may take to notice that its time is up.
const READING_ENDS: Duration = Duration::from_millis(800);

/// Logs to standard error, if asked to.
pub(crate) fn start_log(verbosity: u8) {
    let level = match verbosity {
        0 => log::LevelFilter::Off,
        1 => log::LevelFilter::Info,
        _ => log::LevelFilter::Debug,
    };
    env_logger::Builder::new().filter_level(level).format_target(false).init();
}

/// The texts of a list.
fn listed(texts: &str) -> impl Iterator<Item = String> {
    let separator = if texts.contains(';') { ';' } else { ',' };
    texts.split(separator).map(|text| text.trim().to_string())
}

/// How the table is read, but for limits.
pub(crate) fn table_options(source: &Source) -> TableOptions {
    TableOptions {
        separator: source.separator,
        target: source.target.clone(),
        ignore: source.ignore.clone(),
        missing: source.missing,
        spelling: Spelling {
            missing: source.missing_values.iter().flat_map(|texts| listed(texts)).collect(),
            decimal: source.decimal,
            categorical: source.categorical.clone(),
            numeric: source.numeric_columns.clone(),
            ..Spelling::default()
        },
        ..TableOptions::default()
    }
}

/// A table that was read, and what a careful reader would ask about it.
pub(crate) struct Opened {
    pub(crate) problem: Problem,
    pub(crate) warnings: Vec<String>,
    pub(crate) deadline: Option<Instant>,
    /// How long it took.
    pub(crate) read: Duration,
}

impl Opened {
    /// Warns of what is doubtful. Not before the options are known to fit the table: an error comes alone.
    pub(crate) fn warn(&self, quiet: bool) {
        if !quiet {
            self.warnings.iter().for_each(|warning| eprintln!("minrule: warning: {warning}"));
        }
    }
}

/// Reads a table within limits.
pub(crate) fn open(
    source: &Source,
    (time_limit, memory_limit): (Option<Duration>, Option<u64>),
    interruption: &Interruption,
    format: Format,
) -> Result<Opened> {
    let start = Instant::now();
    let deadline = time_limit.and_then(|limit| start.checked_add(limit));
    let binarise = binarise_options(source, memory_limit)?;
    if let Some(deadline) = deadline {
        interruption.end_reading_at(deadline, source, format);
    }
    let limits = Limits { deadline, memory: memory_limit, ..Limits::default() };
    let options = TableOptions { limits: limits.for_reading(), ..table_options(source) };
    let table = match source.table == Path::new("-") {
        true => Table::from_reader(io::stdin().lock(), "standard input", &options)?,
        false => Table::read(&source.table, &options)?,
    };
    log::debug!("table read after {:.2} s", start.elapsed().as_secs_f64());
    let problem = Problem::new(table, &binarise)?;
    let warnings: Vec<String> =
        problem.warnings().iter().map(|warning| warning.words(&OptionNames)).collect();
    memory_limit.map_or(Ok(()), leaves_room)?;
    let read = start.elapsed();
    log::info!(
        "{}: {} rows, {} distinct examples, {} Boolean features, {} classes, read in {:.2} s",
        minrule::text::one_line(&problem.table().name),
        problem.table().rows(),
        problem.examples().len(),
        problem.features().len(),
        problem.examples().classes().len(),
        read.as_secs_f64()
    );
    Ok(Opened { problem, warnings, deadline, read })
}

/// How columns become features.
pub(crate) fn binarise_options(source: &Source, memory_limit: Option<u64>) -> Result<BinariseOptions> {
    let Source { numeric, intervals, cut, cuts, no_negations, max_values, .. } = source;
    let negations = !no_negations;
    BinariseOptions::requested(*numeric, *intervals, *cut, *cuts, negations, *max_values, memory_limit)
}

/// Ctrl-C and the termination signal.
pub(crate) struct Interruption {
    pub(crate) stop: Stop,
    /// Whether there is anything to give back yet.
    learning: Arc<AtomicBool>,
}

impl Interruption {
    /// The first signal asks for the best set so far; a second one, or one while the table is
    /// still being read, ends the program at once.
    pub(crate) fn listen() -> Interruption {
        let this = Interruption { stop: Stop::default(), learning: Arc::default() };
        let (stop, learning) = (this.stop.clone(), Arc::clone(&this.learning));
        let handler = move || {
            if stop.requested() || !learning.load(Ordering::Relaxed) {
                std::process::exit(130);
            }
            stop.request(StopReason::Interrupted);
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            log::warn!("Ctrl-C will end the program without a result: {error}");
        }
        this
    }

    /// Ends the program soon after this time if nothing has been read until then: whoever should write
    /// to us may not, and nothing wakes a thread that waits for it.
    pub(crate) fn end_reading_at(&self, deadline: Instant, source: &Source, format: Format) {
        let place = source.table.display().to_string();
        let learning = Arc::clone(&self.learning);
        std::thread::spawn(move || {
            std::thread::sleep((deadline + READING_ENDS).saturating_duration_since(Instant::now()));
            if !learning.load(Ordering::Relaxed) {
                let (limit, progress) = (StopReason::TimeLimit, "waiting for it".to_string());
                let error = Error::LimitReached { place, limit, progress };
                std::process::exit(crate::report_error(&error, format).into());
            }
        });
    }

    pub(crate) fn begin_learning(&self) -> Stop {
        self.learning.store(true, Ordering::Relaxed);
        self.stop.clone()
    }
}
