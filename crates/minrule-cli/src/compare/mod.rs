//! `minrule compare`: methods over many tables, and what that shows.

mod process;
mod run;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};
use minrule::{Error, Result};
use minrule_compare::{Comparison, Sheet, chosen, tables};

use crate::args::Compare;
use crate::words;
pub(crate) use run::run_one;

/// Runs the command; whether all runs are done.
pub(crate) fn run(args: &Compare) -> Result<bool> {
    let configurations = chosen(&args.methods, &args.configuration)?;
    let tables = tables(&args.tables)?;
    let mut comparison =
        Comparison::open(&args.output, &tables, &configurations, args.time_limit, args.memory_limit)?;
    let finished = work(args, &mut comparison)?;
    if comparison.rows().is_empty() {
        return Ok(finished);
    }
    comparison.write_page()?;
    if !args.quiet {
        words::print(&summary(comparison.sheets()))?;
    }
    Ok(finished)
}

/// What the page tells, as text.
fn summary(sheets: Vec<Sheet>) -> String {
    let text = |sheet: Sheet| {
        let columns = sheet.columns.iter().map(ToString::to_string).collect();
        format!("{}\n{}\n", sheet.heading, words::columns(columns, sheet.rows.into_iter()))
    };
    sheets.into_iter().map(text).collect()
}

/// Does what is left, several jobs side by side. Each row is written when it is there, so nothing is
/// lost if this is stopped; it then says that it is not finished.
fn work(args: &Compare, comparison: &mut Comparison) -> Result<bool> {
    let (all, left) = (comparison.jobs().len(), comparison.jobs_left());
    let stopped = Arc::new(AtomicBool::new(false));
    let hear = Arc::clone(&stopped);
    // The first signal ends this in order, a second one at once.
    let handler = move || {
        if hear.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        log::warn!("Ctrl-C will end the program at once: {error}");
    }
    let bar = if args.quiet { ProgressBar::hidden() } else { ProgressBar::new(all as u64) };
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len}  {eta} left  {wide_msg}");
    bar.set_style(style.expect("the template is well-formed"));
    bar.set_position((all - left.len()) as u64);
    bar.reset_eta();

    let next = AtomicUsize::new(0);
    let comparison = Mutex::new(comparison);
    let failure: Mutex<Option<Error>> = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..args.jobs {
            scope.spawn(|| {
                while let Some(job) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(row) = process::run(job, &stopped) else { break };
                    let said = format!("{} {}: {}", job.file, job.configuration.name, row.status);
                    bar.set_message(words::one_line(&said));
                    bar.inc(1);
                    let mut comparison = comparison.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Err(error) = comparison.add(row) {
                        *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        stopped.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    bar.finish_and_clear();
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(!stopped.load(Ordering::Relaxed)),
    }
}
