//! The command line of minrule.
#![forbid(unsafe_code)]

mod args;
mod check;
mod compare;
mod evaluate;
mod explain;
mod export;
mod learn;
mod predict;
mod progress;
mod report;
mod words;

use std::process::ExitCode;

use clap::Parser;
use minrule::{Error, ErrorKind, StopReason};

use args::{Cli, Command};
use words::one_line;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Learn(args) => learn::run(&args).map(proof),
        Command::Predict(args) => predict::run(&args).map(done),
        Command::Explain(args) => explain::run(&args).map(done),
        Command::Evaluate(args) => evaluate::run(&args).map(done),
        Command::Check(args) => check::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Export(args) => export::run(&args).map(done),
        Command::Compare(args) => compare::run(&args).map(finished),
    };
    result.unwrap_or_else(|error| {
        eprintln!("minrule: {}", message(&error));
        ExitCode::from(match error.kind() {
            ErrorKind::Internal => 1,
            ErrorKind::Option => 2,
            ErrorKind::Read => 3,
            ErrorKind::Table => 4,
            ErrorKind::Write => 5,
        })
    })
}

/// What went wrong on a line, and the remedy on another, whatever the names in them hold.
fn message(error: &Error) -> String {
    let text = error.to_string();
    match text.rsplit_once("\n  ") {
        Some((problem, remedy)) => format!("{}\n  {}", one_line(problem), one_line(remedy)),
        None => one_line(&text),
    }
}

fn done((): ()) -> ExitCode {
    ExitCode::SUCCESS
}

/// Whether all was done.
fn finished(all: bool) -> ExitCode {
    ExitCode::from(if all { 0 } else { 12 })
}

/// Whether there is a proof, and if not, why.
fn proof(stopped_by: Option<StopReason>) -> ExitCode {
    match stopped_by {
        None => ExitCode::SUCCESS,
        Some(StopReason::TimeLimit) => ExitCode::from(10),
        Some(StopReason::MemoryLimit) => ExitCode::from(11),
        Some(StopReason::Interrupted) => ExitCode::from(12),
        Some(StopReason::SolverFailure) => ExitCode::from(13),
    }
}
