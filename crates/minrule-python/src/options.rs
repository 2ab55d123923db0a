//! Options by their names, and errors in the words of Python.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use minrule::file::{try_output, try_output_folder};
use minrule::limits::memory_in_use;
use minrule::solve::{Alpha, Request};
use minrule::{
    BinariseOptions, Choice, Cuts, Error, ErrorKind, Examples, LearnOptions, Limits, Missing, Names,
    Policy, Setting, Spelling, StopReason,
};
use pyo3::exceptions::{
    PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyTimeoutError, PyValueError,
};
use pyo3::prelude::*;

/// A parameter as it was given: as it should be, or else what `repr` says of it.
pub(crate) struct Asked<T>(Result<T, String>);

impl<'a, 'py, T: Parameter> FromPyObject<'a, 'py> for Asked<T> {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Asked<T>> {
        match T::of(&given) {
            Some(value) => Ok(Asked(Ok(value))),
            None => Ok(Asked(Err(given.repr()?.to_string()))),
        }
    }
}

/// What parameters are made of.
pub(crate) trait Parameter: Sized {
    fn of(given: &Bound<PyAny>) -> Option<Self>;
}

impl Parameter for String {
    fn of(given: &Bound<PyAny>) -> Option<String> {
        given.extract().ok()
    }
}

impl Parameter for bool {
    fn of(given: &Bound<PyAny>) -> Option<bool> {
        given.extract().ok()
    }
}

impl Parameter for u64 {
    /// 4.0 is a whole number too.
    fn of(given: &Bound<PyAny>) -> Option<u64> {
        const EXACT: f64 = (1u64 << 53) as f64;
        if bool::of(given).is_some() {
            return None;
        }
        let whole = |x: &f64| x.fract() == 0.0 && (0.0..EXACT).contains(x);
        let float = || given.extract().ok().filter(whole).map(|x: f64| x as u64);
        given.extract().ok().or_else(float)
    }
}

impl Parameter for Alpha {
    /// A text as on the command line, or a number, which is a share.
    fn of(given: &Bound<PyAny>) -> Option<Alpha> {
        if bool::of(given).is_some() {
            return None;
        }
        let share = || given.extract().ok().map(|share: f64| format!("{share:.9}"));
        given.extract().ok().or_else(share)?.parse().ok()
    }
}

impl Parameter for Cuts {
    /// A whole number, or a text as on the command line.
    fn of(given: &Bound<PyAny>) -> Option<Cuts> {
        let number = || u64::of(given).map(|n| n.to_string());
        given.extract().ok().or_else(number)?.parse().ok()
    }
}

impl<T> Asked<T> {
    /// The value, or what should have been given.
    fn get(&self, parameter: &str, allowed: &str) -> PyResult<&T> {
        let refuse = |given| format!("{parameter} must be {allowed}; it is {given}");
        self.0.as_ref().map_err(|given| PyValueError::new_err(refuse(given)))
    }
}

impl Asked<String> {
    /// A choice by its name; what does not exist is answered with what does.
    pub(crate) fn choice<C: Choice>(&self, parameter: &str) -> PyResult<C> {
        let names: Vec<String> = C::ALL.iter().map(|choice| format!("'{}'", choice.name())).collect();
        let names = format!("one of {}", names.join(", "));
        let name = self.get(parameter, &names)?;
        let refused = || format!("{parameter} must be {names}; it is '{name}'");
        C::named(name).ok_or_else(|| PyValueError::new_err(refused()))
    }
}

/// A choice that may be `None`.
pub(crate) fn optional<C: Choice>(
    asked: &Option<Asked<String>>,
    parameter: &str,
) -> PyResult<Option<C>> {
    asked.as_ref().map(|asked| asked.choice(parameter)).transpose()
}

/// How columns become features.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Binarise {
    numeric: Asked<String>,
    intervals: Option<Asked<u64>>,
    cut: Option<Asked<String>>,
    cuts: Option<Asked<Cuts>>,
    negations: Asked<bool>,
    max_values: Asked<u64>,
    missing: Asked<String>,
    missing_values: Vec<String>,
    categorical: Vec<String>,
    numeric_columns: Vec<String>,
    decimal: Asked<String>,
    time_limit: Option<f64>,
    memory_limit: Option<u64>,
}

impl Binarise {
    pub(crate) fn options(&self) -> PyResult<BinariseOptions> {
        let numeric = self.numeric.choice("numeric")?;
        let cut = optional(&self.cut, "cut")?;
        let intervals = self.intervals.as_ref();
        let intervals = intervals.map(|given| given.get("intervals", "a whole number of 2 or more"));
        let intervals = intervals.transpose()?.map(|&n| usize::try_from(n).unwrap_or(usize::MAX));
        let cuts =
            self.cuts.as_ref().map(|given| given.get("cuts", Cuts::ALLOWED)).transpose()?.copied();
        let negations = *self.negations.get("negations", "True or False")?;
        let max_values = *self.max_values.get("max_values", "a whole number of 1 or more")?;
        let max_values = usize::try_from(max_values).unwrap_or(usize::MAX);
        let memory = self.memory_limit;
        BinariseOptions::requested(numeric, intervals, cut, cuts, negations, max_values, memory)
            .map_err(raised)
    }

    /// What bounds the reading.
    pub(crate) fn limits(&self) -> Limits {
        within(self.time_limit, Limits { memory: self.memory_limit, ..Limits::default() }).for_reading()
    }

    /// How values are written.
    pub(crate) fn spelling(&self) -> PyResult<Spelling> {
        Ok(Spelling {
            missing: self.missing_values.clone(),
            decimal: self.decimal.choice("decimal")?,
            categorical: self.categorical.clone(),
            numeric: self.numeric_columns.clone(),
            ..Spelling::default()
        })
    }

    pub(crate) fn missing(&self) -> PyResult<Missing> {
        self.missing.choice("missing")
    }
}

/// What `alpha` may be.
const ALPHA: &str = "more than zero, with nine decimals at most or as a fraction: a share of the rows such as 0.005 \
                     or '0.5%', or rows such as '2rows' or '1/3rows'";

/// How rules are found, and within what.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Learn {
    objective: Asked<String>,
    alpha: Option<Asked<Alpha>>,
    /// The class that gets no rules, by its text.
    otherwise: Option<String>,
    /// Which classes come first, by their texts, or the name of an order alone.
    order: Option<Vec<String>>,
    /// What a row of weight 1 counts as.
    row: f64,
    method: Asked<String>,
    rules: Option<Asked<String>>,
    cover: Option<Asked<String>>,
    break_symmetry: Option<Asked<bool>>,
    opt_model: Option<Asked<String>>,
    opt_search: Option<Asked<String>>,
    prefer_disjoint: bool,
    seed: Option<u64>,
    threads: usize,
    time_limit: Option<f64>,
    pub(crate) memory_limit: Option<u64>,
    /// Where certificates go, where what is known is kept, and where its history goes.
    pub(crate) proof: Option<PathBuf>,
    pub(crate) resume: Option<PathBuf>,
    pub(crate) trace: Option<PathBuf>,
}

impl Learn {
    /// Finds out before the work whether its results can be written.
    fn try_outputs(&self) -> PyResult<()> {
        let mut files = [&self.resume, &self.trace].into_iter().flatten();
        files.try_for_each(|path| try_output(path)).map_err(raised)?;
        self.proof.as_ref().map_or(Ok(()), |folder| try_output_folder(folder)).map_err(raised)
    }

    /// The options, as far as they can be known without a table.
    pub(crate) fn options(&self) -> PyResult<LearnOptions> {
        self.request()?.options().map_err(raised)
    }

    /// The options for these examples.
    pub(crate) fn options_for(&self, examples: &Examples) -> PyResult<LearnOptions> {
        let mut request = self.request()?;
        request.alpha = request.alpha.map(|alpha| alpha.weighed(examples.all_rows(), self.row));
        request.options_for(examples, "y").map_err(raised)
    }

    fn request(&self) -> PyResult<Request> {
        let break_symmetry = match &self.break_symmetry {
            Some(asked) => Some(*asked.get("break_symmetry", "True, False or None")?),
            None => None,
        };
        let alpha = match &self.alpha {
            Some(asked) => Some(*asked.get("alpha", ALPHA)?),
            None => None,
        };
        Ok(Request {
            objective: Some(self.objective.choice("objective")?),
            alpha,
            otherwise: self.otherwise.clone(),
            order: self.order.clone(),
            method: Some(self.method.choice("method")?),
            rules: optional(&self.rules, "rules")?,
            break_symmetry,
            cover: optional(&self.cover, "cover")?,
            opt_model: optional(&self.opt_model, "opt_model")?,
            opt_search: optional(&self.opt_search, "opt_search")?,
            seed: self.seed,
            threads: Some(self.threads),
            prefer_disjoint: self.prefer_disjoint,
            proof: self.proof.is_some(),
            resume: self.resume.is_some(),
            ..Request::default()
        })
    }

    /// Whether folds may choose an order of classes. Where there is one, nothing else decides conflicts.
    pub(crate) fn leaves_order_open(&self, Decide(_, conflict): &Decide) -> PyResult<bool> {
        Ok(self.request()?.leaves_order_open() && conflict.is_none())
    }

    pub(crate) fn limits(&self) -> PyResult<Limits> {
        if let (Some(limit), Some(used)) = (self.memory_limit, memory_in_use())
            && used >= limit
        {
            return Err(PyValueError::new_err(format!(
                "memory_limit is {} MB, but the process holds {} MB already",
                limit / 1_000_000,
                used / 1_000_000
            )));
        }
        Ok(within(self.time_limit, Limits { memory: self.memory_limit, ..Limits::default() }))
    }
}

/// Limits with so many seconds, which may be over; what is beyond counting is no limit.
pub(crate) fn within(seconds: Option<f64>, limits: Limits) -> Limits {
    let Some(seconds) = seconds else { return limits };
    let deadline = match Duration::try_from_secs_f64(seconds.abs()) {
        Ok(late) if seconds < 0.0 => Instant::now().checked_sub(late),
        Ok(time) => Instant::now().checked_add(time),
        Err(_) => None,
    };
    Limits { deadline, ..limits }
}

/// How rows are decided that the rules alone do not.
#[derive(FromPyObject)]
pub(crate) struct Decide(Asked<String>, Option<Asked<String>>);

impl Decide {
    /// The policy, where what is left open is decided as it suits the rules.
    pub(crate) fn policy(&self, suited: Policy) -> PyResult<Policy> {
        let Decide(uncovered, conflict) = self;
        let (uncovered, conflict) = (uncovered.choice("uncovered")?, optional(conflict, "conflict")?);
        suited.but(Some(uncovered), conflict).map_err(raised)
    }
}

/// Refuses parameters that mean nothing and outputs that cannot be written, before any data are read.
#[pyfunction]
pub(crate) fn check_options(binarise: Binarise, learn: Learn, policy: Decide) -> PyResult<()> {
    binarise.options()?;
    binarise.missing()?;
    policy.policy(Policy::suited_to(&learn.options()?))?;
    learn.try_outputs()
}

/// Settings as parameters of Python.
pub(crate) struct ParameterNames;

impl Names for ParameterNames {
    fn setting(&self, setting: Setting) -> String {
        match setting {
            Setting::Threads => "n_jobs".to_string(),
            other => other.name().to_string(),
        }
    }

    fn value(&self, setting: Setting, value: &str) -> String {
        format!("{}='{value}'", self.setting(setting))
    }

    fn list(&self, setting: Setting, texts: &[String]) -> String {
        format!("{}={texts:?}", self.setting(setting))
    }
}

/// An error as Python raises it: a frame has no file and no lines, and settings are parameters.
pub(crate) fn raised(error: Error) -> PyErr {
    let problem = match &error {
        Error::NoFeatures { .. } => "no column of X has two different values".to_string(),
        Error::OneClass { label, .. } => format!(
            "y has one class only, {label:?} (rows that weigh nothing do not count); rules tell \
             classes apart, so there must be two"
        ),
        Error::NoSuchClass { name, .. } => format!("otherwise: y has no label {name:?}"),
        Error::MissingValue { line, column, .. } => {
            format!("column \"{column}\" has a missing value in row {}", line - 1)
        }
        Error::AllRowsDropped { .. } => {
            "every row has a missing value, so missing='drop-rows' leaves none".to_string()
        }
        Error::NoRows { .. } => "no row of X has a weight".to_string(),
        Error::DuplicateColumn { name, first, second, .. } => {
            format!("columns {} and {} are both called \"{name}\"", first - 1, second - 1)
        }
        Error::LimitReached { limit, progress, .. } => {
            let memory = *limit == StopReason::MemoryLimit;
            let parameter = if memory { "memory_limit" } else { "time_limit" };
            format!("{parameter} was reached after {progress}, before there were any rules")
        }
        Error::BadModel { problem, .. } => format!("this is not a minrule model: {problem}"),
        other => other.problem(&ParameterNames),
    };
    let words = match &error {
        // What to do about these in Python is not what to do about them on the command line.
        Error::OneClass { .. }
        | Error::NoRows { .. }
        | Error::BadModel { .. }
        | Error::BadManifest { .. }
        | Error::BadCurve { .. } => problem,
        other => match other.remedy(&ParameterNames) {
            Some(remedy) => format!("{problem}; {}", decapitalised(remedy.trim_end_matches('.'))),
            None => problem,
        },
    };
    if let Error::Write { cause, .. } = &error {
        // That makes a FileNotFoundError or the like of it.
        return io::Error::new(cause.kind(), words).into();
    }
    if let Error::LimitReached { limit, .. } = &error {
        return match limit {
            StopReason::MemoryLimit => PyMemoryError::new_err(words),
            StopReason::Interrupted => PyKeyboardInterrupt::new_err(()),
            _ => PyTimeoutError::new_err(words),
        };
    }
    // What was read, and is not what it should be.
    let bad = matches!(
        error,
        Error::BadModel { .. }
            | Error::BadManifest { .. }
            | Error::BadProgress { .. }
            | Error::BadCurve { .. }
    );
    match error.kind() {
        ErrorKind::Read | ErrorKind::Write if !bad => PyOSError::new_err(words),
        ErrorKind::Internal => PyRuntimeError::new_err(words),
        _ => PyValueError::new_err(words),
    }
}

/// A sentence that goes on from another.
fn decapitalised(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}
