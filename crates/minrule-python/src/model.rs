//! A model, and what it says of rows.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use minrule::apply::{Conflict, DecidedBy, Explainer, Explanation, Scratch, Verdict};
use minrule::data::Column;
use minrule::result::CostValue;
use minrule::{
    Condition, DecisionSet, Export, Objective, Policy, Predictor, Spelling, Status, StopReason, Style,
};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::columns::{self, Fields, NamedValues, given};
use crate::options::{Asked, Decide, raised};
use crate::reading::Reading;

/// Rows that a thread predicts at a time.
const CHUNK: usize = 4096;

/// A decision set with all it takes to apply it.
#[pyclass(frozen, module = "minrule._core")]
pub(crate) struct Model(pub(crate) minrule::Model);

/// The number of a rule for each row where one fires: where a row begins, and which.
type Fired<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

#[pymethods]
impl Model {
    /// Reads what `to_json` or `minrule learn --model` wrote.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Model> {
        minrule::Model::from_json(text.as_bytes(), Path::new("the text")).map(Model).map_err(raised)
    }

    fn to_json(&self) -> PyResult<String> {
        self.0.to_json().map_err(raised)
    }

    /// The labels, in the order that predictions count them.
    fn labels(&self) -> Vec<String> {
        self.0.labels.clone()
    }

    /// The columns that rules test.
    fn used_columns(&self) -> Vec<String> {
        self.0.used_columns().iter().map(|column| column.name.to_string()).collect()
    }

    /// Each rule in a sentence, in the order of their numbers.
    fn sentences(&self, style: Asked<String>) -> PyResult<Vec<String>> {
        let (target, wording) = (&self.0.decision_set.target, self.0.wording(style.choice("style")?));
        Ok(self.0.rules().map(|(_, rule)| rule.sentence(target, &wording)).collect())
    }

    /// Each rule's conditions in words, one by one, in the order of their numbers.
    fn conditions(&self) -> Vec<Vec<String>> {
        let wording = self.0.wording(Style::Words);
        let words = |condition: &Condition| wording.said(condition);
        self.0.rules().map(|(_, rule)| rule.conditions.iter().map(words).collect()).collect()
    }

    /// Each rule's conditions as they are said, those on a column together, in the order of their numbers.
    fn phrases(&self) -> Vec<Vec<String>> {
        let wording = self.0.wording(Style::Words);
        let phrases = |rule: &minrule::DecisionRule| {
            wording.parts(&rule.conditions).iter().map(ToString::to_string).collect()
        };
        self.0.rules().map(|(_, rule)| phrases(rule)).collect()
    }

    /// The label of each row, by position; -1 where the policy abstains.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<NamedValues<'py>>,
        rows: usize,
        policy: Decide,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let label = |predictor: &Predictor, fields: &[Fields], row: usize, scratch: &mut Scratch| {
            verdict(predictor, fields, row, scratch).label.map_or(-1, |label| label as i64)
        };
        let labels = self.each_row(py, &columns, rows, self.policy(&policy)?, label)?;
        Ok(labels.into_pyarray(py))
    }

    /// The share of each label for each row.
    fn shares<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<NamedValues<'py>>,
        rows: usize,
        policy: Decide,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let shares = |predictor: &Predictor, fields: &[Fields], row: usize, scratch: &mut Scratch| {
            predictor.shares(verdict(predictor, fields, row, scratch), scratch)
        };
        let shares = self.each_row(py, &columns, rows, self.policy(&policy)?, shares)?;
        let shape = (rows, self.0.labels.len());
        let flat: Vec<f64> = shares.into_iter().flatten().collect();
        let shares = Array2::from_shape_vec(shape, flat);
        Ok(shares.map_err(|e| PyValueError::new_err(e.to_string()))?.into_pyarray(py))
    }

    /// The rules that fire on each row.
    fn fired<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<NamedValues<'py>>,
        rows: usize,
    ) -> PyResult<Fired<'py>> {
        // Any policy will do that the model goes with: where classes have an order, rules of later ones fire too.
        let fired = |predictor: &Predictor, fields: &[Fields], row: usize, scratch: &mut Scratch| {
            predictor.fired(|column, _| fields[column].get(row), scratch);
            scratch.rules.clone()
        };
        let rules = self.each_row(py, &columns, rows, self.0.policy, fired)?;
        let mut starts = vec![0];
        let mut numbers = Vec::new();
        for rules in rules {
            numbers.extend(rules.into_iter().map(|rule| rule as i64));
            starts.push(numbers.len() as i64);
        }
        Ok((starts.into_pyarray(py), numbers.into_pyarray(py)))
    }

    /// Why each row is what the model says, and what would make it something else; as JSON. Rules and
    /// labels are given by position.
    fn explain(
        &self,
        py: Python,
        columns: Vec<NamedValues>,
        rows: usize,
        policy: Decide,
        fixed: Vec<String>,
    ) -> PyResult<String> {
        let explainer = Explainer::new(&self.0, self.policy(&policy)?, Style::Words)
            .and_then(|explainer| explainer.with_fixed(&fixed))
            .map_err(raised)?;
        let given = given(&columns)?;
        let cells = columns::cells(py, &given)?;
        let reading = Reading::unlimited();
        let used = self.0.used_columns();
        let tested: PyResult<Vec<(Column, Spelling, bool)>> = explainer
            .columns()
            .map(|name| {
                let cells = cells.iter().find(|(given, _)| *given == name).map(|(_, cells)| cells);
                let column = cells.ok_or_else(|| no_column(name))?.column(name, &reading);
                let spelling = columns::spelling_of(&column, &self.0.provenance.spelling);
                Ok((column, spelling, used.iter().any(|used| used.name == name && used.numeric)))
            })
            .collect();
        let tested = tested?;
        let explained = reading.listen(py, || {
            let explain = |row: usize| {
                let plain = tested.iter().map(|(column, spelling, numeric)| {
                    let text = column.values.get(column.codes.get(row)).as_bytes();
                    spelling.reader(&column.name, *numeric).plain(text)
                });
                let plain: Vec<Cow<[u8]>> = plain.collect();
                let row: Vec<&[u8]> = plain.iter().map(|text| &**text).collect();
                // Whoever has asked to stop wants none of it.
                let occur = explainer.advises_what_occurs();
                (!reading.is_over()).then(|| in_json(&explainer.explain(&row), occur))
            };
            (0..rows).into_par_iter().map(explain).collect::<Option<Vec<Value>>>()
        })?;
        Ok(Value::from(explained.unwrap_or_default()).to_string())
    }

    /// What was proven, in a sentence, where rows are counted by weight and a row of weight 1 counts as `row`.
    fn proof(&self, row: f64) -> String {
        let set = &self.0.decision_set;
        // Only costs in rows depend on what a row counts as.
        let bound = set.lower_bound.rows().filter(|_| set.is_sparse());
        let Some(bound) = bound else { return set.proof() };
        let weight = |rows: f64| (1e6 * rows / row).round() / 1e6;
        let lower_bound = CostValue::Rows(weight(bound));
        DecisionSet { lower_bound, gap: weight(set.gap), ..set.clone() }.proof()
    }

    /// Over what that holds, in a sentence; nothing if the model is too old to say.
    fn scope(&self) -> Option<String> {
        self.0.decision_set.scope_in_words()
    }

    /// All but the rules, as JSON.
    fn summary(&self) -> String {
        let set = &self.0.decision_set;
        let cost = match (set.cost, set.objective) {
            (Some(cost), _) => json!(cost),
            (None, Objective::Size) => json!(set.size),
            (None, Objective::Rules) => json!(set.rules),
            (None, Objective::Literals) => json!(set.literals),
            (None, Objective::RulesThenLiterals) => json!([set.rules, set.literals]),
        };
        let summary = json!({
            "status": self.status(),
            "sparse": set.is_sparse(),
            "cost": cost,
            "alpha": set.alpha,
            "expected": self.0.expected,
            "price": set.price,
            "errors": set.errors,
            "rows_wrong": set.rows_wrong,
            "otherwise": self.0.otherwise(),
            "order": set.order,
            "lower_bound": set.lower_bound,
            "gap": set.gap,
            "size": set.size,
            "rules": set.rules,
            "literals": set.literals,
            "rules_enumerated": set.rules_enumerated,
            "class_rows": self.0.class_rows,
        });
        summary.to_string()
    }

    /// "optimal", or why it is not proven.
    fn status(&self) -> String {
        let set = &self.0.decision_set;
        match set.classes.iter().find_map(|class| class.stopped_by) {
            _ if set.status == Status::Optimal => "optimal".to_string(),
            reason => reason.unwrap_or(StopReason::SolverFailure).name().replace('-', "_"),
        }
    }

    /// The model in another form.
    fn export(&self, to: Asked<String>, policy: Decide, style: Asked<String>) -> PyResult<String> {
        let to: Export = to.choice("to")?;
        minrule::export(&self.0, self.policy(&policy)?, to, style.choice("style")?).map_err(raised)
    }

    /// The model with another policy. How many rows a sparse set gets wrong is known only of its own: that of
    /// another has to be counted.
    fn with_policy(&self, policy: Decide) -> PyResult<Model> {
        let policy = self.policy(&policy)?;
        if self.0.decision_set.is_sparse() && policy != self.0.policy {
            return Err(PyValueError::new_err(
                "uncovered or conflict has changed, and rows_wrong_ can be counted again only with the training \
                 data: fit again, or set it back",
            ));
        }
        let mut model = self.0.clone();
        model.policy = policy;
        Ok(Model(model))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Model>().getattr("from_json")?, (self.to_json()?,)))
    }
}

fn in_json(explanation: &Explanation, advised_values_occur: bool) -> Value {
    let decided_by = match explanation.verdict.decided_by {
        DecidedBy::Rules => "rules",
        DecidedBy::Conflict => "conflict",
        DecidedBy::Uncovered => "uncovered",
    };
    json!({
        "label": explanation.verdict.label,
        "decided_by": decided_by,
        "rules": explanation.rules,
        "counterfactuals": explanation.counterfactuals,
        "out_of_reach": explanation.out_of_reach,
        "advised_values_occur": advised_values_occur,
    })
}

/// Writes a text to wherever a path leads: a file, a link's, a device, a pipe. Nobody may be at the other
/// end of a pipe, so a thread of its own waits there, and whoever is interrupted leaves it to that.
#[pyfunction]
pub(crate) fn write_text(py: Python, path: PathBuf, text: String) -> PyResult<()> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || tell.send(minrule::file::write_text(&path, text)));
    py.detach(move || {
        loop {
            match told.recv_timeout(Duration::from_millis(50)) {
                Ok(written) => return written.map_err(raised),
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("writing ended without a word"));
                }
            }
        }
    })
}

/// What a model says of a row.
fn verdict(predictor: &Predictor, fields: &[Fields], row: usize, scratch: &mut Scratch) -> Verdict {
    predictor.predict(|column, _| fields[column].get(row), scratch)
}

fn no_column(name: &str) -> PyErr {
    PyValueError::new_err(format!("X has no column \"{name}\", which rules test"))
}

impl Model {
    /// What was asked for; where nothing was, what suits the rules.
    fn policy(&self, asked: &Decide) -> PyResult<Policy> {
        let set = &self.0.decision_set;
        let conflict = match (set.is_sparse(), set.is_ordered()) {
            (_, true) => Conflict::Order,
            (true, false) => Conflict::Precision,
            (false, false) => Conflict::default(),
        };
        asked.policy(Policy { conflict, ..Policy::default() })
    }

    /// What is made of each row, without the interpreter. Only columns that rules test are read.
    fn each_row<T: Send>(
        &self,
        py: Python,
        columns: &[NamedValues],
        rows: usize,
        policy: Policy,
        make: impl Fn(&Predictor, &[Fields], usize, &mut Scratch) -> T + Sync,
    ) -> PyResult<Vec<T>> {
        let (used, spelling) = (self.0.used_columns(), &self.0.provenance.spelling);
        let mut given = given(columns)?;
        given.retain(|(name, _)| used.iter().any(|column| column.name == name));
        let cells = columns::cells(py, &given)?;
        if let Some((name, _)) = cells.iter().find(|(_, cells)| cells.rows() != rows) {
            return Err(PyValueError::new_err(format!("column \"{name}\" has not {rows} rows")));
        }
        py.detach(|| {
            let fields: Vec<Fields> = cells
                .par_iter()
                .map(|(name, cells)| {
                    let numeric = used.iter().any(|column| column.name == *name && column.numeric);
                    cells.fields(name, numeric, spelling)
                })
                .collect();
            let names: Vec<String> = cells.iter().map(|(name, _)| name.to_string()).collect();
            let predictor = Predictor::new(&self.0, policy, &names, "X")?;
            let starts: Vec<usize> = (0..rows).step_by(CHUNK).collect();
            let chunks = starts.into_par_iter().map(|start| {
                let mut scratch = Scratch::default();
                let row = |row: usize| make(&predictor, &fields, row, &mut scratch);
                (start..rows.min(start + CHUNK)).map(row).collect::<Vec<T>>()
            });
            let chunks: Vec<Vec<T>> = chunks.collect();
            Ok(chunks.into_iter().flatten().collect())
        })
        .map_err(raised)
    }
}
