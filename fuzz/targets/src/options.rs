//! Options that a stranger typed, or gave to the library.

use std::time::Duration;

use clap::Parser;
use minrule::apply::CrossValidation;
use minrule::data::ColumnBuilder;
use minrule::judge::outcome::verify;
use minrule::{BinariseOptions, ClassId, Features, Limits, Missing, Problem, Stop, Table, TableOptions};
use minrule_compare::chosen;

use crate::choices::Choices;
use crate::refused;

// The command line is a program, not a library; its options stand in a file that needs nothing else.
#[path = "../../../crates/minrule-cli/src/args.rs"]
#[allow(dead_code, reason = "options are read here, and used by the program")]
mod args;

/// Arguments of the command line.
const MOST_ARGUMENTS: usize = 40;

/// Arguments in lines; the same bytes choose options of the library.
///
/// Arguments are taken or refused as clap does it, with the exit code for wrong options. The library
/// takes options or refuses them in words.
pub fn options(bytes: &[u8]) {
    command_line(bytes);
    let mut choices = Choices::new(bytes);
    let Some((table, binarise)) = table(&mut choices) else { return };
    let threads = choices.one_of(&[1, 2, 1, 3]).try_into().expect("none is zero");
    let classes = choices.flag().then(|| vec![ClassId(1), ClassId(0), ClassId(1)]);
    let options = choices.learn_options().with_threads(threads).with_classes(classes);
    let limits = Limits {
        memory: choices.flag().then(|| choices.number()),
        ..Limits::default().with_time(Duration::from_millis(choices.number().min(20)))
    };
    if let Ok(problem) = Problem::new(table.clone(), &binarise) {
        match problem.learn(&options, &limits) {
            Ok(outcome) => assert_eq!(verify(problem.examples(), &outcome), Ok(())),
            Err(error) => refused(&error),
        }
    }
    let validation = CrossValidation {
        folds: choices.number() as usize,
        binarise,
        learn: options.with_classes(None),
        policy: choices.policy(),
        time_limit: Some(Duration::from_millis(10)),
        memory: None,
    };
    if choices.flag()
        && let Err(error) = validation.run(&table, &Stop::default())
    {
        refused(&error);
    }
}

fn command_line(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let arguments: Vec<&str> = text.lines().take(MOST_ARGUMENTS).collect();
    let program = std::iter::once("minrule");
    match args::Cli::try_parse_from(program.chain(arguments.iter().copied())) {
        Ok(cli) => {
            if let args::Command::Learn(learn) = &cli.command {
                assert!(
                    learn.source.intervals.is_none_or(|intervals| intervals >= 2)
                        && learn.threads != Some(0)
                        && learn.source.separator.is_ascii()
                );
            }
            if let args::Command::Compare(compare) = &cli.command {
                match chosen(&compare.methods, &compare.configuration) {
                    Ok(chosen) => chosen.iter().for_each(|configuration| {
                        if let Err(error) = configuration.learn_options() {
                            refused(&error);
                        }
                    }),
                    Err(error) => refused(&error),
                }
            }
        }
        Err(error) => {
            assert!(matches!(error.exit_code(), 0 | 2), "{error}");
            assert!(!error.to_string().is_empty());
        }
    }
}

/// A small table in memory, with weights at the edge of what there is.
fn table(choices: &mut Choices) -> Option<(Table, BinariseOptions)> {
    let rows = usize::from(choices.byte() % 12);
    let weighted = choices.flag();
    let mut columns = ["number", "name", "class"].map(ColumnBuilder::new);
    let mut weights = Vec::new();
    for _ in 0..rows {
        let number = choices.byte();
        match number % 8 {
            0 => columns[0].push_number(f64::from(number)),
            1 => columns[0].push_number(f64::from_bits(u64::from(number) << 56)),
            2 => columns[0].push_integer(i64::MIN),
            3 => columns[0].push_missing(),
            _ => columns[0].push_integer(i64::from(number)),
        }
        columns[1].push_name(choices.one_of(&["red", "", "blue", "nan", "1", "1.0"]));
        columns[2].push_name(choices.one_of(&["yes", "no", "", "?"]));
        weights.push(choices.number());
    }
    let nominal = choices.flag();
    let [number, name, class] = columns;
    let name = if nominal { name.finish_nominal() } else { name.finish() };
    let missing = choices.one_of(&[Missing::Value, Missing::DropRows, Missing::Error]);
    let features = vec![number.finish(), name];
    let weights = weighted.then_some(weights);
    let options = TableOptions { missing, ..TableOptions::default() };
    match Table::from_columns("memory", features, class.finish(), weights, &options) {
        Ok(table) => {
            let mut binarise = choices.binarise_options();
            binarise.max_bytes = choices.flag().then(|| choices.number());
            match Features::choose(&table, &binarise) {
                Ok(_) => Some((table, binarise)),
                Err(error) => {
                    refused(&error);
                    None
                }
            }
        }
        Err(error) => {
            refused(&error);
            None
        }
    }
}
