//! Options by their names, and errors in the words of Python.

use std::time::Duration;

use minrule::{
    BinariseOptions, Cut, EnumerateOptions, Error, ErrorKind, LearnOptions, Limits, Method, Missing,
    OptOptions, Policy, Stop, memory_in_use,
};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// An option by its name; what does not exist is answered with what does.
pub(crate) fn named<T: DeserializeOwned>(option: &str, name: &str, allowed: &[&str]) -> PyResult<T> {
    serde_json::from_value(Value::from(name)).map_err(|_| {
        let allowed: Vec<String> = allowed.iter().map(|name| format!("'{name}'")).collect();
        PyValueError::new_err(format!("{option} must be one of {}; it is '{name}'", allowed.join(", ")))
    })
}

/// How columns become features.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Binarise {
    numeric: String,
    intervals: usize,
    cut: Option<String>,
    negations: bool,
    missing: String,
    memory_limit: Option<u64>,
}

impl Binarise {
    pub(crate) fn options(&self) -> PyResult<BinariseOptions> {
        let numeric = named("numeric", &self.numeric, &["intervals", "thresholds"])?;
        if numeric == minrule::Numeric::Thresholds && self.cut.is_some() {
            return Err(PyValueError::new_err(
                "cut must be None with numeric='thresholds', which are cut at class boundaries",
            ));
        }
        let cut = self.cut.as_ref().map(|cut| named("cut", cut, &["frequency", "width"]));
        Ok(BinariseOptions {
            numeric,
            intervals: self.intervals,
            cut: cut.transpose()?.unwrap_or(Cut::default()),
            negations: self.negations,
            // The bits are the smaller part of what a run holds.
            max_bytes: self.memory_limit.map(|limit| limit / 4),
        })
    }

    pub(crate) fn missing(&self) -> PyResult<Missing> {
        named("missing", &self.missing, &["value", "drop-rows", "error"])
    }
}

/// How rules are found, and within what.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Learn {
    objective: String,
    method: String,
    rules: Option<String>,
    cover: Option<String>,
    break_symmetry: Option<bool>,
    opt_model: Option<String>,
    opt_search: Option<String>,
    seed: Option<u64>,
    threads: usize,
    time_limit: Option<f64>,
    memory_limit: Option<u64>,
}

impl Learn {
    pub(crate) fn options(&self) -> PyResult<LearnOptions> {
        let objectives = ["size", "rules", "literals", "rules-then-literals"];
        let methods = ["lazy", "enumerate", "mds2", "mds2-star", "opt"];
        let method: Method = named("method", &self.method, &methods)?;
        let objective = named("objective", &self.objective, &objectives)?;
        if let Some(only) = method.objective()
            && only != objective
        {
            let (method, only) = (&self.method, only.name());
            return Err(PyValueError::new_err(format!(
                "objective must be '{only}' with method='{method}', which minimises nothing else"
            )));
        }
        let enumerates = method == Method::Enumerate;
        let covers = enumerates || method == Method::Lazy;
        let opt = self.opt_model.is_some() || self.opt_search.is_some();
        for (parameters, ignored) in [
            ("rules", self.rules.is_some() && !enumerates),
            ("break_symmetry", self.break_symmetry.is_some() && !enumerates),
            ("cover", self.cover.is_some() && !covers),
            ("opt_model and opt_search", opt && method != Method::Opt),
        ] {
            if ignored {
                let method = &self.method;
                return Err(PyValueError::new_err(format!(
                    "{parameters} must be None with method='{method}', which has no use for it"
                )));
            }
        }
        let cover = self.cover.as_ref().map(|cover| named("cover", cover, &["branch", "ilp", "maxsat"]));
        let model = self.opt_model.as_ref().map(|name| named("opt_model", name, &["separate", "joint"]));
        let search = self.opt_search.as_ref().map(|name| named("opt_search", name, &["sat", "maxsat"]));
        let rules = self.rules.as_ref().map(|rules| named("rules", rules, &["maxsat", "search"]));
        Ok(LearnOptions {
            objective,
            method,
            enumerate: EnumerateOptions {
                rules: rules.transpose()?.unwrap_or_default(),
                break_symmetry: self.break_symmetry.unwrap_or(true),
            },
            cover: cover.transpose()?.unwrap_or_default(),
            opt: OptOptions {
                model: model.transpose()?.unwrap_or_default(),
                search: search.transpose()?.unwrap_or_default(),
            },
            seed: self.seed,
            classes: None,
            threads: self.threads,
            proof: false,
        })
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
        let limits = Limits { deadline: None, memory: self.memory_limit, stop: Stop::default() };
        let seconds = self.time_limit.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)));
        Ok(match seconds {
            Some(Ok(time)) => limits.with_time(time),
            _ => limits,
        })
    }
}

/// How rows are decided that the rules alone do not.
pub(crate) fn policy(uncovered: &str, conflict: &str) -> PyResult<Policy> {
    Ok(Policy {
        uncovered: named("uncovered", uncovered, &["default", "abstain", "nearest"])?,
        conflict: named("conflict", conflict, &["majority", "size", "abstain"])?,
    })
}

/// An error as Python raises it: remedies name parameters, not options of the command line.
pub(crate) fn raised(error: Error) -> PyErr {
    let words = match &error {
        Error::NoFeatures { .. } => "no column of X has two different values: there is nothing that \
                                     rules could test"
            .to_string(),
        Error::OneClass { label, .. } => format!(
            "y has one class only, {label:?} (rows that weigh nothing do not count); rules tell \
             classes apart, so there must be two"
        ),
        Error::MissingValue { line, column, .. } => format!(
            "column \"{column}\" has a missing value in row {}; fill it in, or set missing='value' or \
             missing='drop-rows'",
            line - 1
        ),
        Error::AllRowsDropped { .. } => {
            "every row has a missing value, so missing='drop-rows' leaves none".to_string()
        }
        Error::NoRows { .. } => "no row of X has a weight".to_string(),
        Error::DuplicateColumn { name, first, second, .. } => {
            format!("columns {} and {} are both called \"{name}\"; rename one", first - 1, second - 1)
        }
        Error::TooManyFeatures { features, rows, needed, allowed, widest, values } => format!(
            "X makes {features} Boolean features for {rows} rows, {needed} MiB as bits, more than the \
             {allowed} MiB allowed; column \"{widest}\" alone makes {values}: name it in ignore, or \
             raise memory_limit"
        ),
        Error::BadModel { problem, .. } => format!("this is not a minrule model: {problem}"),
        other => other.to_string(),
    };
    match error.kind() {
        ErrorKind::Read | ErrorKind::Write if !matches!(error, Error::BadModel { .. }) => {
            PyOSError::new_err(words)
        }
        ErrorKind::Internal => PyRuntimeError::new_err(words),
        _ => PyValueError::new_err(words),
    }
}
