//! Methods over many tables: one run, and the page about all of them. Rows travel as JSON.

use std::path::Path;
use std::time::Duration;

use minrule::compare::{self, Configuration, Row, figures, page};
use minrule::{Stop, StopReason};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

use crate::options::raised;
use crate::reading::listening;

/// The methods known by name, each with the options that it stands for.
#[pyfunction]
pub(crate) fn compare_methods() -> PyResult<Vec<(String, String)>> {
    let all = compare::chosen(&[], &[]).map_err(raised)?;
    Ok(all.into_iter().map(|configuration| (configuration.name, configuration.options)).collect())
}

/// What is known of a run before it is run.
#[pyfunction]
pub(crate) fn compare_row(
    file: &str,
    name: String,
    options: String,
    time_limit: f64,
    memory_limit: u64,
) -> PyResult<String> {
    let configuration = Configuration { name, options };
    configuration.learn_options().map_err(raised)?;
    let row = Row::new(file, &configuration, seconds(time_limit)?, memory_limit);
    Ok(serde_json::to_string(&row).expect("plain data"))
}

/// Runs a method on a table.
#[pyfunction]
pub(crate) fn compare_run(
    py: Python,
    file: &str,
    path: &str,
    name: String,
    options: String,
    time_limit: f64,
    memory_limit: u64,
) -> PyResult<String> {
    let (configuration, time) = (Configuration { name, options }, seconds(time_limit)?);
    let stop = Stop::default();
    let row = listening(py, &stop, || {
        compare::run(file, Path::new(path), &configuration, time, memory_limit, &stop)
    })?;
    match stop.reason() {
        Some(StopReason::Interrupted) => Err(PyKeyboardInterrupt::new_err(())),
        _ => Ok(serde_json::to_string(&row).expect("plain data")),
    }
}

/// The page about some rows, as HTML, and the figures, each with the name of its file.
#[pyfunction]
pub(crate) fn compare_page(rows: &str, names: Vec<String>) -> PyResult<(String, Vec<(String, String)>)> {
    let rows: Vec<Row> = serde_json::from_str(rows).map_err(|e| PyValueError::new_err(e.to_string()))?;
    let rows: Vec<&Row> = rows.iter().collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok((page(&rows, &names).map_err(raised)?, figures(&rows, &names)))
}

fn seconds(limit: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(limit)
        .map_err(|_| PyValueError::new_err("time_limit must be seconds, more than zero"))
}
