//! Alpha by cross-validation, and curves.

use std::sync::Arc;
use std::time::Instant;

use minrule::apply::{Choose, Part, PartScores, Score, Validation};
use minrule::result::ClassOutcome;
use minrule::solve::{Alpha, Budget, Cost, Curve as Trades, Known};
use minrule::{Limits, Policy, Stop, StopReason, Table};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::options::{Asked, Decide, Learn, optional, raised, within};
use crate::problem::{LISTEN, Outcome, Problem, Reduced};
use crate::reading::not_ctrl_c;

/// A table whose folds say which alpha is right on new rows, fit to be sent to another process.
#[pyclass(frozen, module = "minrule._core")]
#[derive(Serialize, Deserialize)]
pub(crate) struct Folds {
    table: Table,
    validation: Validation,
    /// The most memory, in bytes, that a process may hold.
    memory: Option<u64>,
}

#[pymethods]
impl Folds {
    /// The folds of a table, for the alphas of a curve; for the usual ones if there is none.
    #[new]
    #[pyo3(signature = (problem, options, decide, folds, repeats, curve=None))]
    fn new(
        problem: &Problem,
        options: Learn,
        decide: Decide,
        folds: usize,
        repeats: Option<usize>,
        curve: Option<&Curve>,
    ) -> PyResult<Folds> {
        let learn = options.options_for(problem.0.examples())?;
        let policy = decide.policy(Policy::suited_to(&learn))?;
        let (table, classes) = (problem.0.table().clone(), problem.0.examples().classes().len());
        let alphas = match curve {
            Some(Curve(curve)) => curve.all_points().iter().map(|point| curve.alpha(point)).collect(),
            None => Validation::default_alphas(table.rows(), classes, folds),
        };
        let repeats = repeats.unwrap_or_else(|| Validation::default_repeats(table.rows()));
        let binarise = problem.0.binarise().clone();
        let orders = match curve.is_none() && options.leaves_order_open(&decide)? {
            true => Validation::default_orders(&learn, classes),
            false => vec![learn.order().clone()],
        };
        let validation = Validation { folds, repeats, alphas, orders, binarise, learn, policy };
        validation.check(table.rows()).map_err(raised)?;
        Ok(Folds { table, validation, memory: options.memory_limit })
    }

    /// What is tried: alphas, as texts, and the names of orders.
    fn candidates(&self) -> Vec<(String, &'static str)> {
        let candidates = self.validation.candidates();
        candidates.map(|tried| (tried.alpha.to_string(), tried.order.name())).collect()
    }

    /// Repeat and fold of each part.
    fn parts(&self) -> Vec<(usize, usize)> {
        self.validation.parts().iter().map(|part| (part.repeat, part.fold)).collect()
    }

    /// How many alphas are to be tried again, by what the parts of the first repeat came to.
    fn worth_repeating(&self, first: Vec<String>, score: Asked<String>) -> PyResult<usize> {
        Ok(self.validation.worth_repeating(&read(&first)?, score.choice("scoring")?))
    }

    /// Does one part, with the largest so many of the alphas, or all, within so many seconds; gives its scores as JSON.
    #[pyo3(signature = (repeat, fold, alphas=None, seconds=None))]
    fn part(
        &self,
        py: Python,
        repeat: usize,
        fold: usize,
        alphas: Option<usize>,
        seconds: Option<f64>,
    ) -> PyResult<String> {
        let limits = within(seconds, self.limits());
        let part = Part { repeat, fold };
        let alphas = alphas.unwrap_or(self.validation.alphas.len());
        let scores = py.detach(|| self.validation.part(&self.table, part, alphas, &limits));
        text_of(&scores.map_err(raised)?)
    }

    /// Does all parts on threads; `watch` is called with the number of parts done. To choose by a score, alphas far below
    /// the best one are tried once.
    #[pyo3(signature = (score=None, seconds=None, watch=None))]
    fn run(
        &self,
        py: Python,
        score: Option<Asked<String>>,
        seconds: Option<f64>,
        watch: Option<Py<PyAny>>,
    ) -> PyResult<Vec<String>> {
        let by: Option<Score> = optional(&score, "scoring")?;
        let limits = within(seconds, self.limits());
        let mut listener = Listener::new(watch, &limits.stop);
        let parts =
            py.detach(|| self.validation.run(&self.table, by, &limits, |done| listener.hear(done)));
        if let Some(failure) = listener.failure {
            return Err(failure);
        }
        parts.map_err(raised)?.iter().map(text_of).collect()
    }

    /// What these parts choose, as JSON: the place of the candidate, what each came to, and what to expect.
    fn choose(
        &self,
        parts: Vec<String>,
        score: Asked<String>,
        choose: Asked<String>,
    ) -> PyResult<String> {
        let (score, choose): (Score, Choose) = (score.choice("scoring")?, choose.choice("choose")?);
        let chosen = self.validation.choose(&read(&parts)?, score, choose);
        text_of(&json!({
            "place": chosen.place,
            "by_candidate": chosen.by_candidate,
            "expected": self.validation.expected(&chosen),
        }))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, Bound<'py, PyBytes>>> {
        let bytes = postcard::to_stdvec(self).map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
        Ok((py.get_type::<Folds>().getattr("_from_bytes")?, (PyBytes::new(py, &bytes),)))
    }

    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Folds> {
        postcard::from_bytes(bytes).map_err(|e| PyValueError::new_err(format!("not folds: {e}")))
    }
}

/// What parts came to, as they said.
fn read(parts: &[String]) -> PyResult<Vec<PartScores>> {
    let parts: Result<_, _> = parts.iter().map(|part| serde_json::from_str(part)).collect();
    parts.map_err(|e| PyValueError::new_err(format!("not the scores of a part: {e}")))
}

impl Folds {
    /// What bounds a part, but for time.
    fn limits(&self) -> Limits {
        Limits { memory: self.memory, ..Limits::default() }
    }
}

/// The best trades of errors against size.
#[pyclass(frozen, module = "minrule._core")]
pub(crate) struct Curve(Arc<Trades>);

#[pymethods]
impl Curve {
    /// Follows the curve of a table down to the alpha of the options; `watch` is called with the number of prices
    /// solved. If it is bounded, no price takes more work than one does for a choice by folds, and Ctrl-C raises
    /// what it raises elsewhere: half a fold says nothing.
    #[new]
    #[pyo3(signature = (problem, options, watch=None, bounded=false))]
    fn new(
        py: Python,
        problem: &Problem,
        options: Learn,
        watch: Option<Py<PyAny>>,
        bounded: bool,
    ) -> PyResult<Curve> {
        let learn = options.options_for(problem.0.examples())?;
        let alpha = learn.alpha().ok_or_else(|| PyValueError::new_err("a curve needs an alpha"))?;
        let limits = options.limits()?;
        let effort = bounded.then_some(minrule::apply::EFFORT);
        let mut listener = Listener::new(watch, &limits.stop);
        let curve =
            py.detach(|| problem.0.curve(&learn, alpha, (&limits, effort), |done| listener.hear(done)));
        match listener.failure {
            Some(failure) => Err(failure),
            None if bounded && limits.stop.reason() == Some(StopReason::Interrupted) => {
                Err(PyKeyboardInterrupt::new_err(()))
            }
            None => Ok(Curve(Arc::new(curve.map_err(raised)?))),
        }
    }

    fn __len__(&self) -> usize {
        self.0.all_points().len()
    }

    /// Why not all is proven, if it is not.
    #[getter]
    fn stopped_by(&self) -> Option<String> {
        self.0.stopped_by().map(|reason| reason.name().replace('-', "_"))
    }

    /// A point as JSON: a short alpha in its range, the ends of the range, size, errors and status.
    fn point(&self, place: usize) -> PyResult<String> {
        let point = &self.0.all_points()[place];
        let share = |rows: f64| rows / self.0.rows() as f64;
        text_of(&json!({
            "alpha": self.0.alpha(point).to_string(),
            "alpha_from": share(point.from.in_rows()),
            "alpha_to": point.to.map(|to| share(to.in_rows())),
            "rules": point.rules,
            "literals": point.literals,
            "size": point.size(),
            "errors": point.errors,
            "status": point.status,
        }))
    }

    /// The best point within a budget, as JSON: its place, and the errors and the size that every set within the
    /// budget has at least, where that can be said. Nothing if no point is.
    fn within(
        &self,
        size: Option<usize>,
        rules: Option<usize>,
        errors: Option<&str>,
    ) -> PyResult<Option<String>> {
        let errors = errors.map(str::parse).transpose().map_err(raised)?;
        let within = self.0.within(&Budget { size, rules, errors });
        let told = within.map(|within| {
            json!({
                "place": within.place,
                "least_errors": within.least_errors,
                "least_size": within.least_size,
            })
        });
        told.as_ref().map(text_of).transpose()
    }

    /// What learning at the alpha of a point comes to.
    fn outcome(&self, place: usize) -> Outcome {
        let point = &self.0.all_points()[place];
        Outcome::new(self.0.outcome(point, self.0.alpha(point)))
    }
}

impl Curve {
    /// The alpha of a point.
    pub(crate) fn alpha(&self, place: usize) -> Alpha {
        self.0.alpha(&self.0.all_points()[place])
    }

    /// The rules of a point, to begin with.
    pub(crate) fn known(&self, place: usize) -> Vec<Known> {
        let point = &self.0.all_points()[place];
        let outcome = self.0.outcome(point, self.0.alpha(point));
        let of_class = |class: &ClassOutcome| Known {
            class: class.class,
            rules: class.rules.clone(),
            lower_bound: Cost::default(),
            argument: None,
        };
        outcome.solved().map(of_class).collect()
    }
}

/// The place that is chosen by the scores of each fold, of which more is better, at places of falling alpha.
#[pyfunction]
pub(crate) fn chosen_place(folds: Vec<Vec<f64>>, choose: Asked<String>) -> PyResult<usize> {
    let choose: Choose = choose.choice("choose")?;
    Ok(choose.place(&folds, 1))
}

/// The alphas that are tried for a table of so many rows, as texts.
#[pyfunction]
pub(crate) fn default_alphas(rows: usize, classes: usize, folds: usize) -> Vec<String> {
    Validation::default_alphas(rows, classes, folds).iter().map(Alpha::to_string).collect()
}

/// Listens to Python while Rust counts what is done. Ctrl-C ends it.
struct Listener {
    watch: Option<Py<PyAny>>,
    stop: Stop,
    last: Instant,
    failure: Option<PyErr>,
}

impl Listener {
    fn new(watch: Option<Py<PyAny>>, stop: &Stop) -> Listener {
        Listener { watch, stop: stop.clone(), last: Instant::now(), failure: None }
    }

    fn hear(&mut self, done: usize) {
        if self.last.elapsed() < LISTEN || self.stop.requested() {
            return;
        }
        self.last = Instant::now();
        Python::attach(|py| {
            // Ctrl-C may be heard by Python's own code, too.
            let watch =
                || self.watch.as_ref().map_or(Ok(()), |watch| watch.call1(py, (done,)).map(drop));
            if let Err(raised) = py.check_signals().and_then(|()| watch()) {
                self.failure = not_ctrl_c(py, raised);
                self.stop.request(StopReason::Interrupted);
            }
        });
    }
}

fn text_of(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyRuntimeError::new_err(e.to_string()))
}
