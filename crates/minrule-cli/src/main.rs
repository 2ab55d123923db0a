//! The command line of minrule.
#![forbid(unsafe_code)]

mod args;
mod learn;
mod progress;
mod words;

use std::process::ExitCode;

use clap::Parser;
use minrule::{ErrorKind, StopReason};

use args::{Cli, Command};

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Learn(args) => learn::run(&args),
    };
    match result {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(StopReason::TimeLimit)) => ExitCode::from(10),
        Ok(Some(StopReason::MemoryLimit)) => ExitCode::from(11),
        Ok(Some(StopReason::Interrupted)) => ExitCode::from(12),
        Ok(Some(StopReason::SolverFailure)) => ExitCode::from(13),
        Err(error) => {
            eprintln!("minrule: {error}");
            ExitCode::from(match error.kind() {
                ErrorKind::Internal => 1,
                ErrorKind::Option => 2,
                ErrorKind::Read => 3,
                ErrorKind::Table => 4,
                ErrorKind::Write => 5,
            })
        }
    }
}
