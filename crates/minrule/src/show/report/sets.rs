//! The sets of rules that a page can show: that of the model at hand, and those of a curve.
//!
//! Each is counted and judged by the table as if it were alone on the page.

use crate::apply::choose::Expected;
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::result::curve::CurvePoint;
use crate::result::decision_set::DecisionSet;
use crate::result::model::Model;
use crate::show::report::counts::Counts;
use crate::show::report::verdict::Verdict;

/// A set of rules, and what the table says of it.
pub(super) struct Shown<'a> {
    pub(super) model: &'a Model,
    /// Its place on the curve, if it is there.
    pub(super) point: Option<&'a CurvePoint>,
    /// What to expect of it on new rows, if that was found out.
    pub(super) expected: Option<&'a Expected>,
    pub(super) counts: Counts,
    pub(super) verdict: Verdict,
}

/// All that a page can show, the smallest first.
pub(super) struct Sets<'a> {
    pub(super) all: Vec<Shown<'a>>,
    /// The place of the model at hand.
    pub(super) at: usize,
}

impl<'a> Sets<'a> {
    /// Lines up a model with a curve, which may be empty, and has the table judge all of them.
    pub(super) fn new(model: &'a Model, table: &Table, curve: &'a [CurvePoint]) -> Result<Sets<'a>> {
        let (line, at) = line_up(model, curve);
        let mut all = Vec::new();
        for (place, (model, point)) in line.into_iter().enumerate() {
            let verdict = Verdict::new(model, table)?;
            if !curve.is_empty() && !verdict.its_table {
                return Err(bad("the model was learned from another table".to_string()));
            }
            if let (Some(fault), true) = (verdict.faults.first(), place != at) {
                return Err(bad(format!("of the set of size {}, {fault}", model.decision_set.size)));
            }
            let of_point = point.and_then(|point| point.expected.as_ref());
            let expected = model.expected.as_ref().or(of_point);
            all.push(Shown { model, point, expected, counts: Counts::new(model, table)?, verdict });
        }
        Ok(Sets { all, at })
    }

    /// The model at hand.
    pub(super) fn here(&self) -> &Shown<'a> {
        &self.all[self.at]
    }
}

fn bad(problem: String) -> Error {
    Error::BadCurve { place: "the curve".to_string(), problem }
}

type Line<'a> = Vec<(&'a Model, Option<&'a CurvePoint>)>;

/// The sets in order, and the place of the model: its own point, if the curve has one, else after smaller sets.
fn line_up<'a>(model: &'a Model, curve: &'a [CurvePoint]) -> (Line<'a>, usize) {
    let mut line: Line = curve.iter().map(|point| (&point.model, Some(point))).collect();
    let own = curve.iter().position(|point| is_trade_of(point, &model.decision_set));
    let place = match own {
        Some(place) => {
            line[place].0 = model;
            place
        }
        None => {
            let size = model.decision_set.size;
            let place = line.iter().position(|(other, _)| other.decision_set.size > size);
            let place = place.unwrap_or(line.len());
            line.insert(place, (model, None));
            place
        }
    };
    (line, place)
}

/// Whether a set is the trade of a point: as many rules, literals and errors, and the same class left out.
fn is_trade_of(point: &CurvePoint, set: &DecisionSet) -> bool {
    let said = |set: &DecisionSet| {
        (set.objective, set.rules, set.literals, set.errors, set.otherwise.clone(), set.order.is_some())
    };
    said(&point.model.decision_set) == said(set)
}
