//! `minrule compare`: methods over many tables, and what that shows.

mod job;
mod results;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};
use minrule::compare::{Configuration, Row, chosen, figures, page, sheets};
use minrule::file::write_text;
use minrule::{Error, Result};

use crate::args::Compare;
use crate::words;
use job::Job;
use results::Results;

/// Runs the command; whether all runs are done.
pub(crate) fn run(args: &Compare) -> Result<bool> {
    let configurations = chosen(&args.methods, &args.configuration)?;
    let tables = tables(&args.tables)?;
    fs::create_dir_all(&args.output)
        .map_err(|cause| Error::Write { path: args.output.clone(), cause })?;
    let mut results = Results::open(&args.output.join("results.csv"))?;
    let jobs = jobs(args, &configurations, &tables);
    let open: Vec<&Job> = jobs.iter().filter(|job| !results.has(job)).collect();
    let finished = work(args, &open, jobs.len(), &mut results)?;

    let rows: Vec<_> = jobs.iter().filter_map(|job| results.get(job)).collect();
    if rows.is_empty() {
        return Ok(finished);
    }
    let names: Vec<&str> = configurations.iter().map(|c| c.name.as_str()).collect();
    for (name, figure) in figures(&rows, &names) {
        write_text(&args.output.join(name), &figure)?;
    }
    write_text(&args.output.join("index.html"), &page(&rows, &names)?)?;
    if !args.quiet {
        words::print(&summary(&rows, &names))?;
    }
    Ok(finished)
}

/// What the page tells, as text.
fn summary(rows: &[&Row], names: &[&str]) -> String {
    let sheet = |sheet: minrule::compare::Sheet| {
        let columns = sheet.columns.iter().map(ToString::to_string).collect();
        format!("{}\n{}\n", sheet.heading, words::columns(columns, sheet.rows.into_iter()))
    };
    sheets(rows, names).into_iter().map(sheet).collect()
}

/// Does what is left, several jobs side by side. Each row is written when it is there, so nothing is
/// lost if this is stopped; it then says that it is not finished.
fn work(args: &Compare, open: &[&Job], all: usize, results: &mut Results) -> Result<bool> {
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
    bar.set_position((all - open.len()) as u64);
    bar.reset_eta();

    let next = AtomicUsize::new(0);
    let results = Mutex::new(results);
    let failure: Mutex<Option<Error>> = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..args.jobs {
            scope.spawn(|| {
                while let Some(job) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(row) = job.run(&stopped) else { break };
                    let said = format!("{} {}: {}", job.file, job.configuration.name, row.status);
                    bar.set_message(words::one_line(&said));
                    bar.inc(1);
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Err(error) = results.add(row) {
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

/// Every configuration on every table.
fn jobs(args: &Compare, configurations: &[Configuration], tables: &[(String, PathBuf)]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (file, path) in tables {
        for configuration in configurations {
            jobs.push(Job {
                file: file.clone(),
                path: path.clone(),
                configuration: configuration.clone(),
                time_limit: args.time_limit,
                memory_limit: args.memory_limit,
            });
        }
    }
    jobs
}

/// The tables of a list or of a folder, with the names they are shown by.
fn tables(places: &[PathBuf]) -> Result<Vec<(String, PathBuf)>> {
    let mut tables = Vec::new();
    for place in places {
        let name = place.display().to_string();
        let read = |cause| Error::Read { place: name.clone(), cause };
        if place.is_dir() {
            let mut found = Vec::new();
            tables_below(place, &mut found).map_err(read)?;
            found.sort();
            for path in found {
                let shown = path.strip_prefix(place).unwrap_or(&path).display().to_string();
                tables.push((shown, path));
            }
        } else if place.extension().is_some_and(|end| end == "txt") {
            let folder = place.parent().unwrap_or(Path::new(""));
            let list = fs::read_to_string(place).map_err(read)?;
            let lines = list.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
            tables.extend(lines.map(|line| (line.to_string(), folder.join(line))));
        } else {
            tables.push((name, place.clone()));
        }
    }
    if tables.is_empty() {
        let place = places.first().map_or(String::new(), |place| place.display().to_string());
        return Err(Error::Empty { place });
    }
    Ok(tables)
}

fn tables_below(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.display().to_string();
        if path.is_dir() {
            tables_below(&path, found)?;
        } else if name.ends_with(".csv") || name.ends_with(".csv.gz") {
            found.push(path);
        }
    }
    Ok(())
}
