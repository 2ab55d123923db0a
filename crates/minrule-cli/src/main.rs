//! The command line of minrule.
#![forbid(unsafe_code)]

mod alpha;
mod args;
mod check;
mod compare;
mod curve;
mod evaluate;
mod explain;
mod export;
mod learn;
mod names;
mod predict;
mod progress;
mod report;
mod source;
mod words;

use std::process::ExitCode;

use clap::Parser;
use minrule::{Error, ErrorKind, StopReason};

use args::{Cli, Command, Format};
use names::OptionNames;
use words::one_line;

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| refuse(error));
    let format = cli.command.format();
    let result = match cli.command {
        Command::Learn(args) => learn::run(&args).map(proof),
        Command::Curve(args) => curve::run(&args).map(proof),
        Command::Predict(args) => predict::run(&args).map(done),
        Command::Explain(args) => explain::run(&args).map(done),
        Command::Evaluate(args) => evaluate::run(&args).map(done),
        Command::Check(args) => check::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Export(args) => export::run(&args).map(done),
        Command::Compare(args) => compare::run(&args).map(finished),
        Command::CompareRun(args) => compare::run_one(args),
    };
    result.unwrap_or_else(|error| ExitCode::from(report_error(&error, format)))
}

/// Says what is wrong with the options; if JSON is among them, as JSON too.
fn refuse(error: clap::Error) -> ! {
    let args: Vec<String> = std::env::args().collect();
    let json = args.iter().any(|arg| arg == "--format=json")
        || args.windows(2).any(|pair| pair == ["--format", "json"]);
    if json && error.use_stderr() {
        let (message, remedy) = refusal(&error);
        // Nobody may be listening, and there is nothing more to say then.
        let _ = words::print(&words::error(ErrorKind::Option, 2, &message, &remedy));
    }
    error.exit()
}

/// What is wrong with the options, and the remedy.
fn refusal(error: &clap::Error) -> (String, String) {
    let text = error.render().to_string();
    let (message, remedy) = text.trim_end().split_once("\n\n").unwrap_or((text.trim_end(), ""));
    (message.strip_prefix("error: ").unwrap_or(message).to_string(), remedy.to_string())
}

/// Says what went wrong, for people and, if asked to, for programs; gives the exit code.
fn report_error(error: &Error, format: Format) -> u8 {
    let code = exit_code(error);
    let text = message(error);
    // A result that could not be written to its file stands there already, and is the one object.
    if format == Format::Json && !words::has_printed() {
        let (message, remedy) = text.split_once("\n  ").unwrap_or((&text, ""));
        let _ = words::print(&words::error(error.kind(), code, message, remedy));
    }
    eprintln!("minrule: {text}");
    code
}

fn exit_code(error: &Error) -> u8 {
    match error.kind() {
        ErrorKind::Internal => 1,
        ErrorKind::Option => 2,
        ErrorKind::Read => 3,
        ErrorKind::Table => 4,
        ErrorKind::Write => 5,
        ErrorKind::Limit
            if matches!(error, Error::LimitReached { limit: StopReason::Interrupted, .. }) =>
        {
            130
        }
        ErrorKind::Limit => 14,
    }
}

/// What went wrong on a line, and the remedy on another, whatever the names in them hold.
fn message(error: &Error) -> String {
    let problem = one_line(&error.problem(&OptionNames));
    match error.remedy(&OptionNames) {
        Some(remedy) => format!("{problem}\n  {}", one_line(&remedy)),
        None => problem,
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
