//! Learning: a table, what is to be solved of it, and what came of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use minrule::data::{ColumnBuilder, Warning};
use minrule::result::{History, Moment};
use minrule::solve::{Otherwise, Progress, Stage};
use minrule::{ClassId, Examples, Literal, Policy, Stop, StopReason, Table, TableOptions};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};

use crate::columns::{NamedValues, read_columns};
use crate::model::Model;
use crate::options::{Binarise, Decide, Learn, ParameterNames, raised};
use crate::reading::{Reading, listening, not_ctrl_c};

/// How often Python is asked for signals and told of progress.
const LISTEN: Duration = Duration::from_millis(50);

/// A table, and how its columns become features.
#[pyclass(frozen, module = "minrule._core")]
pub(crate) struct Problem(minrule::Problem);

#[pymethods]
impl Problem {
    /// A table of columns and of labels, given by their names in order of appearance and by a
    /// position among them for each row; what each row counts for; and how columns become features.
    #[new]
    #[pyo3(signature = (columns, target, labels, codes, weights, ignored, options))]
    #[expect(clippy::too_many_arguments, reason = "they are what a table is")]
    fn new(
        py: Python,
        columns: Vec<NamedValues>,
        target: &str,
        labels: Vec<String>,
        codes: PyReadonlyArray1<i64>,
        weights: Option<PyReadonlyArray1<u64>>,
        ignored: Vec<String>,
        options: Binarise,
    ) -> PyResult<Problem> {
        let (binarise, missing) = (options.options()?, options.missing()?);
        let limits = options.limits();
        let table_options = TableOptions {
            ignore: ignored,
            missing,
            limits: limits.clone(),
            spelling: options.spelling()?,
            ..TableOptions::default()
        };
        let reading = Reading::new(limits, columns.len());
        let features = read_columns(py, &columns, &reading)?;
        let target = target_column(target, &labels, codes.as_array().iter())?;
        let weights = weights.map(|weights| weights.as_array().to_vec());
        let problem = reading.listen(py, || {
            let table = Table::from_columns("X", features, target, weights, &table_options)?;
            let mut problem = minrule::Problem::new(table, &binarise)?;
            // The limits were for reading; a report may be made whenever.
            problem.lift_limits();
            Ok(Problem(problem))
        })?;
        problem.map_err(raised)
    }

    /// What is left to solve.
    fn task(&self) -> Task {
        Task { examples: Arc::clone(self.0.examples()), literals: self.0.features().literals() }
    }

    /// What a careful reader would ask about the table.
    fn warnings(&self) -> Vec<String> {
        // What columns are called is the frame's own affair.
        let about_names = |warning: &Warning| {
            matches!(warning, Warning::NumbersForNames { .. } | Warning::OtherSeparator { .. })
        };
        let warnings = self.0.warnings();
        warnings.iter().filter(|warning| !about_names(warning)).map(in_words).collect()
    }

    /// The labels that have rows, by name.
    fn labels(&self) -> Vec<String> {
        self.0.examples().classes().to_vec()
    }

    /// Rows left out for a missing value.
    #[getter]
    fn rows_left_out(&self) -> usize {
        self.0.table().rows_left_out
    }

    /// Boolean features.
    #[getter]
    fn features(&self) -> usize {
        self.0.features().len()
    }

    /// Distinct examples.
    #[getter]
    fn examples(&self) -> usize {
        self.0.examples().len()
    }

    /// What settling conflicts cost: feature vectors with several classes, ties, rows that lost the
    /// vote, and the share of the rows that kept their class.
    #[getter]
    fn conflicts(&self) -> (usize, usize, usize, f64) {
        let conflicts = self.0.examples().conflicts();
        (conflicts.vectors, conflicts.ties, conflicts.rows_dropped, conflicts.training_accuracy)
    }

    /// The same costs with fewer pairs of rules of different classes that can fire together.
    fn prefer_disjoint(&self, py: Python, outcome: &Outcome, options: Learn) -> PyResult<Outcome> {
        let limits = options.limits()?;
        let better =
            listening(py, &limits.stop, || self.0.prefer_disjoint(outcome.outcome.clone(), &limits))?;
        Ok(Outcome { outcome: better.map_err(raised)?, history: outcome.history.clone() })
    }

    /// The model of what came of it.
    fn model(&self, outcome: &Outcome, policy: Decide) -> PyResult<Model> {
        let policy = policy.policy(Policy::suited_to(&outcome.outcome.options))?;
        Ok(Model(self.0.model(&outcome.outcome, policy)))
    }

    /// One page about a model and this table, as HTML.
    fn report(&self, py: Python, model: &Model, outcome: Option<&Outcome>) -> PyResult<String> {
        let history = outcome.map_or(&[][..], |outcome| &outcome.history);
        let made =
            py.detach(|| minrule::show::report(&model.0, self.0.table(), history)).map_err(raised)?;
        Ok(made.page)
    }
}

/// A question about a table, with remedies that Python knows.
pub(crate) fn in_words(warning: &Warning) -> String {
    match warning {
        Warning::IdLikeTarget { labels, .. } => {
            format!("y has a label of its own for each of {labels} rows: is it the class?")
        }
        other => other.words(&ParameterNames),
    }
}

/// The class of each row.
fn target_column<'a>(
    name: &str,
    labels: &[String],
    codes: impl Iterator<Item = &'a i64> + Clone,
) -> PyResult<minrule::data::Column> {
    let place = |&code: &i64| usize::try_from(code).ok().filter(|&code| code < labels.len());
    if codes.clone().any(|code| place(code).is_none()) {
        return Err(PyValueError::new_err("a row has no label"));
    }
    let mut target = ColumnBuilder::new(name);
    target
        .extend_places(codes.map(place), labels.len(), |target, label| target.push_name(&labels[label]));
    Ok(target.finish())
}

/// What is to be solved, fit to be sent to another process.
#[pyclass(frozen, module = "minrule._core")]
#[derive(Serialize, Deserialize)]
pub(crate) struct Task {
    examples: Arc<Examples>,
    literals: Vec<Literal>,
}

#[pymethods]
impl Task {
    /// The classes that rules are looked for, by position.
    fn classes(&self, options: Learn) -> PyResult<Vec<u32>> {
        let otherwise = options.options_for(&self.examples)?.otherwise();
        let all = 0..self.examples.classes().len() as u32;
        Ok(all.filter(|&class| otherwise != Otherwise::Class(ClassId(class))).collect())
    }

    /// Finds the smallest set of rules for these classes, given by position; for all if `None`.
    /// `watch` is called now and then with the seconds that have passed and, for each class, its
    /// position, stage, rules so far, cost (or `None`) and lower bound.
    #[pyo3(signature = (options, classes=None, watch=None))]
    fn learn(
        &self,
        py: Python,
        options: Learn,
        classes: Option<Vec<u32>>,
        watch: Option<Py<PyAny>>,
    ) -> PyResult<Outcome> {
        let classes = classes.map(|classes| classes.into_iter().map(ClassId).collect());
        let learn = options.options_for(&self.examples)?.with_classes(classes);
        let limits = options.limits()?;
        let start = Instant::now();
        // Errors and size are counted in parts of a row, and told in rows.
        let parts = learn.alpha().map(|alpha| alpha.price(self.examples.all_rows()).1);
        let labels = self.examples.classes();
        let mut history = History::new(labels, learn.objective(), start).in_rows(parts);
        let (stop, parts) = (limits.stop.clone(), parts.unwrap_or(1) as f64);
        let mut listener = Listener { watch, stop, parts, last: start, failure: None };
        let outcome = py.detach(|| {
            minrule::solve::learn(&self.examples, &self.literals, &learn, &limits, |news| {
                history.note(news);
                listener.hear(start, news);
            })
        });
        match listener.failure {
            Some(failure) => Err(failure),
            None => {
                let outcome = outcome.map_err(raised)?;
                Ok(Outcome { history: history.finish(&outcome), outcome })
            }
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, Bound<'py, PyBytes>>> {
        let bytes = postcard::to_stdvec(self).map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
        Ok((py.get_type::<Task>().getattr("_from_bytes")?, (PyBytes::new(py, &bytes),)))
    }

    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Task> {
        postcard::from_bytes(bytes).map_err(|e| PyValueError::new_err(format!("not a task: {e}")))
    }
}

/// Listens to Python while Rust works.
struct Listener {
    watch: Option<Py<PyAny>>,
    stop: Stop,
    /// The parts that one of what is paid with is counted in.
    parts: f64,
    last: Instant,
    failure: Option<PyErr>,
}

impl Listener {
    fn hear(&mut self, start: Instant, news: &[(ClassId, Progress)]) {
        // After a request to stop, a second Ctrl-C is Python's own again.
        if self.last.elapsed() < LISTEN || self.stop.requested() {
            return;
        }
        self.last = Instant::now();
        Python::attach(|py| {
            if let Err(raised) = py.check_signals() {
                self.failure = not_ctrl_c(py, raised);
                return self.stop.request(StopReason::Interrupted);
            }
            let Some(watch) = &self.watch else { return };
            let state = |(class, progress): &(ClassId, Progress)| {
                let paid = |parts: u64| parts as f64 / self.parts;
                let cost = progress.cost.map(|cost| paid(cost.first));
                let stage = match progress.stage {
                    Stage::Waiting => "waiting",
                    Stage::First => "first rules",
                    Stage::Rules => "rules",
                    Stage::Cover => "cover",
                    Stage::Done => "done",
                };
                (class.0, stage, progress.rules_enumerated, cost, paid(progress.lower_bound.first))
            };
            let states: Vec<_> = news.iter().map(state).collect();
            if let Err(failure) = watch.call1(py, (start.elapsed().as_secs_f64(), states)) {
                self.failure = Some(failure);
                self.stop.request(StopReason::Interrupted);
            }
        });
    }
}

/// What came of a task, and what was known when.
#[pyclass(frozen, module = "minrule._core")]
#[derive(Serialize, Deserialize)]
pub(crate) struct Outcome {
    outcome: minrule::Outcome,
    history: Vec<Moment>,
}

#[pymethods]
impl Outcome {
    /// The outcomes of single classes of a task, for each of which there were rules, as one.
    #[staticmethod]
    fn together(outcomes: Vec<PyRef<Outcome>>, task: &Task, options: Learn) -> PyResult<Outcome> {
        let options = options.options_for(&task.examples)?;
        let parts = outcomes.iter().map(|part| part.outcome.clone());
        let outcome = minrule::solve::together(parts, &task.examples, &options);
        Ok(Outcome { outcome, history: outcomes.iter().flat_map(|part| part.history.clone()).collect() })
    }

    /// "optimal", or why it is not proven.
    #[getter]
    fn status(&self) -> String {
        match self.outcome.stopped_by() {
            None => "optimal".to_string(),
            Some(reason) => reason.name().replace('-', "_"),
        }
    }

    /// What went wrong in solvers.
    #[getter]
    fn failures(&self) -> Vec<String> {
        self.outcome.classes.iter().filter_map(|class| class.failure.clone()).collect()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, String>> {
        let text = serde_json::to_string(self).map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
        Ok((py.get_type::<Outcome>().getattr("_from_json")?, (text,)))
    }

    #[staticmethod]
    fn _from_json(text: &str) -> PyResult<Outcome> {
        serde_json::from_str(text).map_err(|e| PyValueError::new_err(format!("not an outcome: {e}")))
    }
}

/// How Python pickles an object: a function and its argument.
type Reduced<'py, T> = (Bound<'py, PyAny>, (T,));
