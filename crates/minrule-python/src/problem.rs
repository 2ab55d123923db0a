//! Learning: a table, what is to be solved of it, and what came of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use minrule::apply::{EFFORT, Expected};
use minrule::data::{ColumnBuilder, Warning};
use minrule::judge;
use minrule::result::{CurvePoint, History, Moment, write_history};
use minrule::solve::{Otherwise, Progress, Stage};
use minrule::{
    ClassId, Examples, LearnOptions, Limits, Literal, Policy, Proof, Status, Stop, StopReason, Table,
    TableOptions,
};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};

use crate::choose::Curve;
use crate::columns::{NamedValues, read_columns};
use crate::model::Model;
use crate::options::{Asked, Binarise, Decide, Learn, ParameterNames, raised};
use crate::reading::{Reading, listening, not_ctrl_c};

/// How often Python is asked for signals and told of progress.
pub(crate) const LISTEN: Duration = Duration::from_millis(50);

/// A table, and how its columns become features.
#[pyclass(frozen, module = "minrule._core")]
pub(crate) struct Problem(pub(crate) minrule::Problem);

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

    /// Rows that are there.
    #[getter]
    fn table_rows(&self) -> usize {
        self.0.table().rows()
    }

    /// What all rows count for together.
    #[getter]
    fn rows(&self) -> u64 {
        self.0.examples().all_rows()
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

    /// Finds the smallest set of rules, from what is kept on file if that was asked for. `watch` is called now
    /// and then with the seconds that have passed and, for each class, its position, stage, rules so far, cost
    /// (or `None`) and lower bound. At a point of a curve, the alpha is its own, and its rules are where it begins.
    /// If it is bounded, there is no more work than one price takes for a choice by folds.
    #[pyo3(signature = (options, watch=None, point=None, bounded=false))]
    fn learn(
        &self,
        py: Python,
        options: Learn,
        watch: Option<Py<PyAny>>,
        point: Option<(PyRef<Curve>, usize)>,
        bounded: bool,
    ) -> PyResult<Outcome> {
        let learn = options.options_for(self.0.examples())?;
        let (learn, begun) = match point {
            Some((curve, place)) => (learn.with_alpha(curve.alpha(place)), curve.known(place)),
            None => (learn, Vec::new()),
        };
        let limits = options.limits()?;
        let limits = if bounded { limits.with_effort(EFFORT) } else { limits };
        let keeper = options.resume.as_ref().map(|path| self.0.keeper(path, &learn));
        let mut keeper = keeper.transpose().map_err(raised)?;
        // Certificates on file are checked, which can take a while.
        let kept = listening(py, &limits.stop, || {
            keeper.as_ref().map_or(Vec::new(), |keeper| keeper.known(&limits))
        })?;
        let known = [kept, begun].concat();
        listening_learn(py, self.0.examples(), &learn, &limits, watch, |hear| {
            self.0.learn_from(&known, &learn, &limits, |running| {
                hear(&running.progress());
                if let Some(keeper) = &mut keeper {
                    keeper.note(running);
                }
            })
        })
    }

    /// Writes what was asked for besides the model. Whatever cannot be written does not keep the rest from
    /// being so.
    fn write(&self, py: Python, outcome: &Outcome, options: Learn) -> PyResult<()> {
        let Outcome { outcome, history } = outcome;
        let written = py.detach(|| {
            let resume = options.resume.as_ref().map(|path| self.0.saved(outcome).write(path));
            let proof = options.proof.as_ref().map(|folder| self.0.proof(outcome).write(folder));
            let trace = options.trace.as_ref().map(|path| write_history(history, path));
            [resume, proof, trace]
        });
        written.into_iter().flatten().collect::<Result<(), _>>().map_err(raised)
    }

    /// What is wrong with a model and with the certificates in this folder, by this table; nothing if they hold.
    fn faults(&self, py: Python, model: &Model, folder: PathBuf) -> PyResult<Vec<String>> {
        let limits = Limits::default();
        let judged = Reading::new(limits.clone(), 0).listen(py, || {
            let (model, table) = (&model.0, self.0.table());
            let faults = judge::model::judge(model, table)?;
            if !faults.is_empty() {
                return Ok(faults.iter().map(ToString::to_string).collect());
            }
            let proof = Proof::read(&folder, model.decision_set.classes.len())?;
            let faults = judge::proof::judge(model, table, &proof, &limits)?;
            Ok(faults.iter().map(ToString::to_string).collect())
        })?;
        judged.map_err(raised)
    }

    /// The model of what came of it.
    /// `expected` is what to expect of it on new rows, as JSON.
    #[pyo3(signature = (outcome, policy, expected=None))]
    fn model(&self, outcome: &Outcome, policy: Decide, expected: Option<&str>) -> PyResult<Model> {
        let policy = policy.policy(Policy::suited_to(&outcome.outcome.options))?;
        let mut model = self.0.model(&outcome.outcome, policy);
        model.expected = read_expected(expected)?;
        Ok(Model(model))
    }

    /// One page about a model and this table, as HTML; with the points of a curve, if there are any.
    fn report(
        &self,
        py: Python,
        model: &Model,
        outcome: Option<&Outcome>,
        curve: Vec<PointOfCurve>,
        style: Asked<String>,
    ) -> PyResult<String> {
        let history = outcome.map_or(&[][..], |outcome| &outcome.history);
        let point = |(model, alpha, alpha_from, alpha_to, proven, expected): PointOfCurve| {
            PyResult::Ok(CurvePoint {
                model: model.get().0.clone(),
                expected: read_expected(expected.as_deref())?,
                alpha,
                alpha_from,
                alpha_to,
                status: if proven { Status::Optimal } else { Status::Feasible },
            })
        };
        let curve: Vec<CurvePoint> = curve.into_iter().map(point).collect::<PyResult<_>>()?;
        let style = style.choice("style")?;
        let made = py.detach(|| minrule::show::report(&model.0, self.0.table(), history, &curve, style));
        Ok(made.map_err(raised)?.page)
    }
}

/// A model of a curve, an alpha that leads to it, the range of such alphas, whether it is proven, and what to
/// expect of it as JSON.
type PointOfCurve = (Py<Model>, String, f64, Option<f64>, bool, Option<String>);

/// What to expect on new rows, from JSON.
fn read_expected(text: Option<&str>) -> PyResult<Option<Expected>> {
    let expected = text.map(serde_json::from_str).transpose();
    expected.map_err(|error| PyValueError::new_err(error.to_string()))
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

    /// Finds the smallest set of rules for these classes, given by position.
    fn learn(&self, py: Python, options: Learn, classes: Vec<u32>) -> PyResult<Outcome> {
        let classes = classes.into_iter().map(ClassId).collect();
        let learn = options.options_for(&self.examples)?.with_classes(Some(classes));
        let limits = options.limits()?;
        listening_learn(py, &self.examples, &learn, &limits, None, |hear| {
            minrule::solve::learn(&self.examples, &self.literals, &learn, &limits, hear)
        })
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

/// Learns while listening to Python. What is learned is left to `work`, which passes on how far each class has
/// come.
fn listening_learn(
    py: Python,
    examples: &Examples,
    options: &LearnOptions,
    limits: &Limits,
    watch: Option<Py<PyAny>>,
    work: impl FnOnce(&mut dyn FnMut(&[(ClassId, Progress)])) -> minrule::Result<minrule::Outcome> + Send,
) -> PyResult<Outcome> {
    let start = Instant::now();
    // Errors and size are counted in parts of a row, and told in rows.
    let parts = options.alpha().map(|alpha| alpha.price(examples.all_rows()).1);
    let mut history = History::new(examples.classes(), options.objective(), start).in_rows(parts);
    let (stop, parts) = (limits.stop.clone(), parts.unwrap_or(1) as f64);
    let mut listener = Listener { watch, stop, parts, last: start, failure: None };
    let outcome = py.detach(|| {
        work(&mut |news| {
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

impl Outcome {
    /// One that has no history.
    pub(crate) fn new(outcome: minrule::Outcome) -> Outcome {
        Outcome { outcome, history: Vec::new() }
    }
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
pub(crate) type Reduced<'py, T> = (Bound<'py, PyAny>, (T,));
