//! Methods over many tables: what is left to run, one run, and the files about them all. Rows travel as JSON.

use std::path::{PathBuf, absolute};
use std::time::Duration;

use minrule::{Error, Stop, StopReason};
use minrule_compare::{Configuration, Row, chosen, tables};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

use crate::options::raised;
use crate::reading::listening;

/// The methods known by name, each with the options that it stands for.
#[pyfunction]
pub(crate) fn compare_methods() -> PyResult<Vec<(String, String)>> {
    let all = chosen(&[], &[]).map_err(raised)?;
    Ok(all.into_iter().map(|configuration| (configuration.name, configuration.options)).collect())
}

/// Every method on every table, and the folder that holds what came of it.
#[pyclass(module = "minrule._core")]
pub(crate) struct Comparison(minrule_compare::Comparison);

#[pymethods]
impl Comparison {
    #[new]
    fn new(
        output: PathBuf,
        places: Vec<PathBuf>,
        methods: Vec<(String, String)>,
        time_limit: f64,
        memory_limit: u64,
    ) -> PyResult<Comparison> {
        let configurations: Vec<Configuration> =
            methods.into_iter().map(|(name, options)| Configuration { name, options }).collect();
        for configuration in &configurations {
            configuration.learn_options().map_err(raised)?;
        }
        let mut tables = tables(&places).map_err(|error| match error {
            Error::Empty { place } => PyValueError::new_err(format!("there are no tables in '{place}'")),
            other => raised(other),
        })?;
        // Workers have folders of their own.
        for table in &mut tables {
            table.path = absolute(&table.path)?;
        }
        let time = seconds(time_limit)?;
        let opened =
            minrule_compare::Comparison::open(&output, &tables, &configurations, time, memory_limit);
        opened.map(Comparison).map_err(raised)
    }

    fn __len__(&self) -> usize {
        self.0.jobs().len()
    }

    /// The jobs that have no row yet.
    fn jobs_left(&self) -> Vec<Job> {
        self.0.jobs_left().into_iter().map(Job).collect()
    }

    /// Keeps a row; it is on file at once.
    fn add(&mut self, row: &str) -> PyResult<()> {
        let row = serde_json::from_str(row).map_err(|e| PyValueError::new_err(e.to_string()))?;
        self.0.add(row).map_err(raised)
    }

    /// The rows of the jobs that are done, in the order of the jobs.
    fn rows(&self) -> String {
        serde_json::to_string(&self.0.rows()).expect("plain data")
    }

    /// Writes the page and its figures.
    fn write_page(&self) -> PyResult<()> {
        self.0.write_page().map_err(raised)
    }
}

/// One method on one table. It can be sent to another process.
#[pyclass(frozen, module = "minrule._core")]
pub(crate) struct Job(minrule_compare::Job);

#[pymethods]
impl Job {
    #[new]
    fn new(
        file: String,
        path: PathBuf,
        name: String,
        options: String,
        time_limit: f64,
        memory_limit: u64,
    ) -> PyResult<Job> {
        let (configuration, time_limit) = (Configuration { name, options }, seconds(time_limit)?);
        Ok(Job(minrule_compare::Job { file, path, configuration, time_limit, memory_limit }))
    }

    fn __getnewargs__(&self) -> (&str, &PathBuf, &str, &str, f64, u64) {
        let minrule_compare::Job { file, path, configuration, time_limit, memory_limit } = &self.0;
        let Configuration { name, options } = configuration;
        (file, path, name, options, time_limit.as_secs_f64(), *memory_limit)
    }

    /// Runs it; gives its row.
    fn run(&self, py: Python) -> PyResult<String> {
        let stop = Stop::default();
        let row = listening(py, &stop, || self.0.run(&self.0.configuration, &stop))?;
        match stop.reason() {
            Some(StopReason::Interrupted) => Err(PyKeyboardInterrupt::new_err(())),
            _ => Ok(text(&row)),
        }
    }

    /// The row of a run that nobody will hear of.
    fn lost(&self, why: &str) -> String {
        text(&Row { status: format!("failed: {}", minrule::text::one_line(why)), ..self.0.row() })
    }
}

fn text(row: &Row) -> String {
    serde_json::to_string(row).expect("plain data")
}

fn seconds(limit: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(limit)
        .map_err(|_| PyValueError::new_err("time_limit must be seconds, more than zero"))
}
