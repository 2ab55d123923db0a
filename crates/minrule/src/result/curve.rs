//! A curve on file: all that it takes to show its sets beside a model of the same table.
//!
//! Nothing on file is believed: the sets become models, which the table judges like any other.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::apply::choose::{CandidateScores, Expected};
use crate::apply::predict::{DecidedBy, Policy};
use crate::apply::predictions;
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::judge;
use crate::result::decision_set::{ClassRules, CostValue, DecisionSet, Scope};
use crate::result::model::Model;
use crate::result::outcome::Status;
use crate::solve::objective::Objective;

const FORMAT: &str = "minrule-curve";
const VERSION: u32 = 1;

/// A point of a curve: a model that is the best trade over a range of alphas.
#[derive(Debug, Clone)]
pub struct CurvePoint {
    /// The model.
    pub model: Model,
    /// How right sets of its alpha are on rows not seen, if that was found out. What to expect of the model may be
    /// something else, if it was chosen for this.
    pub expected: Option<Expected>,
    /// An alpha in its range, as it is written.
    pub alpha: String,
    /// The smallest alpha of its range, as a share of the rows.
    pub alpha_from: f64,
    /// The largest; none, if it is best at every larger one.
    pub alpha_to: Option<f64>,
    /// Whether it is proven that it is best over the whole range.
    pub status: Status,
}

/// A curve on file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurveFile {
    format: String,
    version: u32,
    /// What size counts.
    pub objective: Objective,
    /// The class column.
    pub target: String,
    /// The table.
    pub table: TableOnFile,
    /// How rows are decided that the rules alone do not.
    pub policy: Policy,
    /// How its sets were tried on rows not seen, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_validation: Option<FoldsOnFile>,
    /// The sets, the smallest first.
    pub points: Vec<PointOnFile>,
    /// How long it took.
    pub seconds: f64,
}

/// The table of a curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableOnFile {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: usize,
    /// Its SHA-256, as a model has it.
    pub sha256: String,
}

/// How the sets of a curve were tried on rows not seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoldsOnFile {
    /// Into how many parts the rows were cut.
    pub folds: usize,
    /// How often.
    pub repeats: usize,
    /// The point that they choose, counted from 0: the smallest set within one standard error of the best.
    pub chosen: usize,
    /// What to expect of a set that is chosen so.
    pub expected: Expected,
    /// How the accuracies of the points were found out.
    pub how: String,
}

/// A point of a curve on file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is described in CurvePoint, DecisionSet or Scores")]
pub struct PointOnFile {
    pub alpha: String,
    pub alpha_from: f64,
    pub alpha_to: Option<f64>,
    pub price_fraction: [u64; 2],
    pub rules: usize,
    pub literals: usize,
    pub size: usize,
    pub errors: u64,
    pub rows_wrong: u64,
    pub status: Status,
    pub otherwise: Option<String>,
    pub classes: Vec<ClassRules>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy_se: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balanced_accuracy: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balanced_accuracy_se: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_loss_se: Option<f64>,
}

impl PointOnFile {
    /// A point as it is written, with what it came to on rows not seen.
    pub fn new(point: &CurvePoint, scores: Option<&CandidateScores>) -> PointOnFile {
        let set = &point.model.decision_set;
        let score = |of: fn(&CandidateScores) -> f64| scores.map(of);
        PointOnFile {
            alpha: point.alpha.clone(),
            alpha_from: point.alpha_from,
            alpha_to: point.alpha_to,
            price_fraction: set.price_fraction.unwrap_or([0, 1]),
            rules: set.rules,
            literals: set.literals,
            size: set.size,
            errors: set.errors.unwrap_or_default(),
            rows_wrong: set.rows_wrong.unwrap_or_default(),
            status: point.status,
            otherwise: set.otherwise.clone().flatten(),
            classes: set.classes.clone(),
            accuracy: score(|of| of.accuracy.mean),
            accuracy_se: score(|of| of.accuracy.se),
            balanced_accuracy: score(|of| of.balanced_accuracy.mean),
            balanced_accuracy_se: score(|of| of.balanced_accuracy.se),
            log_loss: score(|of| of.log_loss.mean),
            log_loss_se: score(|of| of.log_loss.se),
        }
    }

    /// What to expect on rows not seen, if that was found out.
    fn expected(&self, how: &str) -> Option<Expected> {
        Some(Expected {
            accuracy: self.accuracy?,
            se: self.accuracy_se?,
            balanced_accuracy: self.balanced_accuracy?,
            log_loss: self.log_loss?,
            how: how.to_string(),
            chosen: None,
        })
    }

    /// What is wrong with its numbers, as far as they alone tell.
    fn problem(&self) -> Option<&'static str> {
        let share = |share: &f64| (0.0..=1.0).contains(share);
        let (above, not_negative) = (|x: &f64| *x > 0.0, |x: &f64| *x >= 0.0);
        let errors = [self.accuracy_se, self.balanced_accuracy_se, self.log_loss, self.log_loss_se];
        match () {
            () if self.price_fraction[1] == 0 => Some("its price is no number"),
            () if !above(&self.alpha_from) || self.alpha_to.is_some_and(|to| to < self.alpha_from) => {
                Some("its range of alphas is none")
            }
            () if !self.accuracy.iter().chain(&self.balanced_accuracy).all(share)
                || !errors.iter().flatten().all(not_negative) =>
            {
                Some("its accuracy is none")
            }
            () => None,
        }
    }
}

impl CurveFile {
    /// A curve of the current version.
    pub fn new(
        table: &Table,
        objective: Objective,
        policy: Policy,
        points: Vec<PointOnFile>,
        cross_validation: Option<FoldsOnFile>,
        seconds: f64,
    ) -> CurveFile {
        CurveFile {
            format: FORMAT.to_string(),
            version: VERSION,
            objective,
            target: table.target.name.clone(),
            table: TableOnFile {
                name: table.name.clone(),
                rows: table.rows(),
                sha256: table.sha256.clone(),
            },
            policy,
            cross_validation,
            points,
            seconds,
        }
    }

    /// Reads a curve.
    pub fn read(path: &Path) -> Result<CurveFile> {
        let place = path.display().to_string();
        let text = fs::read(path).map_err(|cause| Error::Read { place: place.clone(), cause })?;
        CurveFile::from_json(&text, &place)
    }

    /// A curve as it is written; `place` names it in messages.
    pub fn from_json(text: &[u8], place: &str) -> Result<CurveFile> {
        let bad = |problem: String| Error::BadCurve { place: place.to_string(), problem };
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let head: Head = serde_json::from_slice(text).map_err(|e| bad(e.to_string()))?;
        if head.format != FORMAT {
            return Err(bad(format!("its format is \"{}\"", head.format)));
        }
        if head.version != VERSION {
            let version = head.version;
            return Err(bad(format!("its version is {version}, and this program reads {VERSION}")));
        }
        let file: CurveFile = serde_json::from_slice(text).map_err(|e| bad(e.to_string()))?;
        if file.points.is_empty() {
            return Err(bad("it has no points".to_string()));
        }
        if file.cross_validation.as_ref().is_some_and(|folds| folds.chosen >= file.points.len()) {
            return Err(bad("the point that folds choose is none of its points".to_string()));
        }
        let named = |(place, point): (usize, &PointOnFile)| {
            point.problem().map(|problem| format!("of point {}, {problem}", place + 1))
        };
        match file.points.iter().enumerate().find_map(named) {
            Some(problem) => Err(bad(problem)),
            None => Ok(file),
        }
    }

    /// Its sets as models of the table that `model` was learned from. Whether they hold is for the table to judge.
    pub fn points(&self, model: &Model, table: &Table, place: &str) -> Result<Vec<CurvePoint>> {
        let bad = |problem: String| Error::BadCurve { place: place.to_string(), problem };
        let target = &model.decision_set.target;
        if self.target != *target {
            return Err(bad(format!("its class column is \"{}\", not \"{target}\"", self.target)));
        }
        if ![&model.provenance.sha256, &table.sha256].contains(&&self.table.sha256) {
            return Err(bad("its table has another SHA-256".to_string()));
        }
        let how = self.cross_validation.as_ref().map_or("", |folds| folds.how.as_str());
        let mut points = Vec::new();
        for (number, on_file) in self.points.iter().enumerate() {
            let mut of_point = model.with_set(self.set(on_file, model), self.policy);
            let of = |problem: String| bad(format!("of point {}, {problem}", number + 1));
            if let Some(problem) = of_point.problem() {
                return Err(of(problem));
            }
            of_point.uncovered_rows = uncovered(&of_point, table)?;
            let expected = on_file.expected(how);
            of_point.expected = match &self.cross_validation {
                Some(folds) if folds.chosen == number => Some(folds.expected.clone()),
                _ => expected.clone(),
            };
            points.push(CurvePoint {
                model: of_point,
                expected,
                alpha: on_file.alpha.clone(),
                alpha_from: on_file.alpha_from,
                alpha_to: on_file.alpha_to,
                status: on_file.status,
            });
        }
        Ok(points)
    }

    /// A set in full: what the file does not say follows from what it does.
    fn set(&self, point: &PointOnFile, model: &Model) -> DecisionSet {
        let of = &model.decision_set;
        let [units, parts] = point.price_fraction;
        let in_rows = |n: u128| n as f64 / parts as f64;
        let lengths =
            point.classes.iter().flat_map(|class| &class.rules).map(|rule| rule.conditions.len());
        let size = judge::cost(self.objective, lengths).first;
        let cost = u128::from(units) * u128::from(size) + u128::from(parts) * u128::from(point.errors);
        let bound = |class: &ClassRules| {
            let rows = class.lower_bound.rows().unwrap_or_default();
            (rows * parts as f64).round() as u128
        };
        let bound: u128 = point.classes.iter().map(bound).fold(0, u128::saturating_add);
        let all: u64 = model.class_rows.iter().sum();
        let described: Vec<String> = point.classes.iter().map(|class| class.class.clone()).collect();
        let partial = described.len() < model.labels.len();
        DecisionSet {
            status: if bound >= cost { Status::Optimal } else { Status::Feasible },
            objective: self.objective,
            alpha: Some(units as f64 / (parts as f64 * all.max(1) as f64)),
            price: Some(in_rows(units.into())),
            price_fraction: Some(point.price_fraction),
            rules: point.rules,
            literals: point.literals,
            size: point.size,
            cost: Some(CostValue::Rows(in_rows(cost))),
            lower_bound: CostValue::Rows(in_rows(bound)),
            gap: in_rows(cost.saturating_sub(bound)),
            errors: Some(point.errors),
            rows_wrong: Some(point.rows_wrong),
            otherwise: Some(point.otherwise.clone()),
            order: None,
            scope: Some(Scope::new(
                &model.features,
                &model.provenance.ignored,
                partial.then_some(described),
            )),
            rules_enumerated: point
                .classes
                .iter()
                .fold(0, |sum, c| c.rules_enumerated.saturating_add(sum)),
            conflicts: of.conflicts.clone(),
            target: of.target.clone(),
            classes: point.classes.clone(),
        }
    }
}

/// Of each label, the rows that no rule covers.
fn uncovered(model: &Model, table: &Table) -> Result<Vec<u64>> {
    let rows: Vec<usize> = (0..table.rows()).collect();
    let mut uncovered = vec![0; model.labels.len()];
    predictions(model, table, &rows, |row, label, verdict, _| {
        let place = model.labels.iter().position(|known| known == label);
        if let (DecidedBy::Uncovered, Some(place)) = (verdict.decided_by, place) {
            uncovered[place] += table.weight(row);
        }
    })?;
    Ok(uncovered)
}
