//! `minrule compare-run`: the one run that a process of a comparison makes.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use minrule::{BinariseOptions, Error, LearnOptions, Problem, Result, TableOptions};
use minrule_compare::{Configuration, Job, Row, Settings};

use crate::alpha::Asked;
use crate::args::{Cli, Command, CompareRun, Learn};
use crate::learn;
use crate::source::{self, Interruption};
use crate::{exit_code, proof, refusal, words};

/// Prints the row of a run; the exit code is that of `minrule learn`.
pub(crate) fn run_one(args: CompareRun) -> Result<ExitCode> {
    let job = Job {
        file: args.file,
        path: args.table,
        configuration: Configuration { name: args.name, options: args.options },
        time_limit: args.time_limit,
        memory_limit: args.memory_limit,
    };
    let (row, code) = match typed(&job) {
        Err(error) => {
            let status = format!("failed: {}", refusal(&error).0);
            (Row { status, ..job.row() }, ExitCode::from(error.exit_code() as u8))
        }
        Ok(args) => run(&job, args)?,
    };
    words::print(&serde_json::to_string(&row).expect("plain data"))?;
    Ok(code)
}

fn run(job: &Job, args: Box<Learn>) -> Result<(Row, ExitCode)> {
    let interruption = Interruption::listen();
    if let Some(deadline) = Instant::now().checked_add(job.time_limit) {
        interruption.end_reading_at(deadline, &args.source, args.format);
    }
    let stop = interruption.stop.clone();
    let options = Options { args, interruption };
    let answer = options.all_matter().and_then(|()| job.answer(&options, &stop));
    Ok(match answer {
        Ok(answer) => {
            // Whoever started this waits for an answer only so long, and for its judge as long as it takes.
            words::print("\n")?;
            let code = proof(answer.stopped_by);
            (answer.judged(), code)
        }
        Err(error) => (job.failed(&error), ExitCode::from(exit_code(&error))),
    })
}

/// The options of a configuration, as `minrule learn` takes them. What a comparison settles itself stands
/// there already, and cannot be given again.
fn typed(job: &Job) -> std::result::Result<Box<Learn>, clap::Error> {
    let time_limit = job.time_limit.as_secs_f64().to_string();
    let memory_limit = format!("{}KB", job.memory_limit as f64 / 1000.0);
    let mut words = vec!["minrule", "learn", "--format=json", "--quiet"];
    words.extend(["--time-limit", &time_limit, "--memory-limit", &memory_limit]);
    words.extend(job.configuration.options.split_whitespace());
    let words = words.into_iter().map(OsString::from);
    // The name of a table is no option, whatever it begins with.
    let table = ["--".into(), job.path.clone().into_os_string()];
    match Cli::try_parse_from(words.chain(table))?.command {
        Command::Learn(mut args) => {
            args.threads.get_or_insert(1);
            Ok(args)
        }
        _ => unreachable!("the command is learn"),
    }
}

struct Options {
    args: Box<Learn>,
    interruption: Interruption,
}

impl Options {
    /// Refuses what would change nothing in the row, and files that every run would write anew.
    fn all_matter(&self) -> Result<()> {
        let args = &self.args;
        let policy = args.policy.uncovered.is_some() || args.policy.conflict.is_some();
        for (what, given) in [
            ("--model", args.model.is_some()),
            ("--trace", args.trace.is_some()),
            ("--resume", args.resume.is_some()),
            ("--overlap", args.overlap.is_some()),
            ("--cross-validate", args.cross_validate.is_some()),
            ("--uncovered or --conflict", policy),
        ] {
            if given {
                let (given, allowed) =
                    ("given".to_string(), "left out of a comparison, which keeps only rows");
                return Err(Error::Unsuitable { what, given, allowed });
            }
        }
        Ok(())
    }
}

impl Settings for Options {
    fn table(&self) -> TableOptions {
        source::table_options(&self.args.source)
    }

    fn binarise(&self) -> Result<BinariseOptions> {
        source::binarise_options(&self.args.source, self.args.memory_limit)
    }

    fn learn(&self, problem: &Problem) -> Result<LearnOptions> {
        // The table is read: from here on there is something to give.
        self.interruption.begin_learning();
        learn::options(&self.args, Asked::new(&self.args)?.given()?, problem)
    }

    fn prefers_disjoint(&self) -> bool {
        self.args.prefer_disjoint
    }

    fn proof(&self) -> Option<&Path> {
        self.args.proof.as_deref()
    }
}
