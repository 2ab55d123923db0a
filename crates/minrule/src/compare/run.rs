//! One run, in this process.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::configurations::Configuration;
use super::row::Row;
use crate::apply::predict::Policy;
use crate::data::binarise::{BinariseOptions, Features};
use crate::data::examples::Examples;
use crate::data::table::{Table, TableOptions};
use crate::error::Result;
use crate::judge::model::judge;
use crate::limits::{Limits, Stop, peak_memory};
use crate::result::decision_set::{CostValue, DecisionSet};
use crate::result::model::{Model, Provenance};
use crate::result::outcome::Status;
use crate::solve::learn::{LearnOptions, learn};

/// Runs a method on a table, on one thread. The row says what happened, whatever it was.
pub fn run(
    file: &str,
    path: &Path,
    configuration: &Configuration,
    time: Duration,
    memory: u64,
    stop: &Stop,
) -> Row {
    let mut row = Row::new(file, configuration, time, memory);
    let start = Instant::now();
    let filled = configuration.learn_options().and_then(|options| {
        let limits =
            Limits { deadline: start.checked_add(time), memory: Some(memory), stop: stop.clone() };
        fill(&mut row, path, &options, &limits, start)
    });
    if let Err(error) = filled {
        let text = error.to_string();
        row.status = format!("failed: {}", text.lines().next().unwrap_or_default());
    }
    row
}

fn fill(
    row: &mut Row,
    path: &Path,
    options: &LearnOptions,
    limits: &Limits,
    start: Instant,
) -> Result<()> {
    let mut table =
        Table::read(path, &TableOptions { limits: limits.for_reading(), ..TableOptions::default() })?;
    let binarise = BinariseOptions::default();
    let features = Features::choose(&table, &binarise)?;
    let examples = Arc::new(Examples::new(&table, &features)?);
    let outcome = learn(&examples, &features.literals(), options, limits, |_| {})?;
    row.seconds = format!("{:.3}", start.elapsed().as_secs_f64());
    row.peak_mb = peak_memory().map_or(String::new(), |bytes| (bytes / 1_000_000).to_string());
    let set = DecisionSet::new(&outcome, &examples, &features, &table);
    let provenance = Provenance::new(&table, &binarise, options);
    let model = Model::new(provenance, &table, Policy::default(), features, set);
    let set = &model.decision_set;
    row.status = if set.status == Status::Optimal { "optimal" } else { "feasible" }.to_string();
    row.stopped_by = outcome.stopped_by().map_or("", |reason| reason.name()).to_string();
    row.rules = set.rules.to_string();
    row.literals = set.literals.to_string();
    row.size = set.size.to_string();
    row.lower_bound = match set.lower_bound {
        CostValue::One(bound) => bound.to_string(),
        CostValue::Two([first, second]) => format!("[{first},{second}]"),
    };
    row.rules_enumerated = set.rules_enumerated.to_string();
    row.seconds_rules = format!("{:.6}", outcome.seconds().rules);
    row.seconds_cover = format!("{:.6}", outcome.seconds().cover);
    // The run is over; its judge has the time that it takes.
    table.options.limits = Limits::default();
    row.valid = if judge(&model, &table)?.is_empty() { "yes" } else { "no" }.to_string();
    Ok(())
}
