//! The best set of a curve within a budget, and how far a set that is on no curve could still be better.

use std::fmt;
use std::str::FromStr;

use super::{Curve, Point};
use crate::error::{Error, Result, Setting};
use crate::solve::objective::Objective;

const ERRORS: &str = "a whole number of rows such as `12`, or a share of them such as `5%`";

/// How many errors are allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MostErrors {
    /// So many rows.
    Rows(u64),
    /// This share of the rows.
    Share(f64),
}

impl FromStr for MostErrors {
    type Err = Error;

    fn from_str(text: &str) -> Result<MostErrors> {
        let given = text.trim();
        let share = given.strip_suffix('%').map(|number| number.trim().parse::<f64>());
        let errors = match share {
            Some(share) => {
                share.ok().filter(|s| (0.0..=100.0).contains(s)).map(|s| MostErrors::Share(s / 100.0))
            }
            None => given.parse().ok().map(MostErrors::Rows),
        };
        errors.ok_or_else(|| Error::BadOption {
            setting: Setting::MaxErrors,
            given: format!("\"{text}\""),
            allowed: ERRORS,
        })
    }
}

impl fmt::Display for MostErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MostErrors::Rows(rows) => write!(f, "{rows}"),
            MostErrors::Share(share) => write!(f, "{}%", share * 100.0),
        }
    }
}

/// What a set may have at most.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Budget {
    /// Literals plus one for each rule.
    pub size: Option<usize>,
    /// Rules.
    pub rules: Option<usize>,
    /// Errors, as the objective counts them.
    pub errors: Option<MostErrors>,
}

/// The best point of a curve within a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Within {
    /// Its place.
    pub place: usize,
    /// Errors that every set within the budget makes at least, if it leaves out the same class and that can be
    /// said.
    pub least_errors: Option<u64>,
    /// The size that every set within the budget has at least, likewise.
    pub least_size: Option<u64>,
}

impl Budget {
    /// Whether anything is limited.
    pub fn is_given(&self) -> bool {
        self.size.is_some() || self.rules.is_some() || self.errors.is_some()
    }

    /// The errors allowed in a table of so many rows.
    fn most_errors(&self, rows: u64) -> Option<u64> {
        self.errors.map(|errors| match errors {
            MostErrors::Rows(rows) => rows,
            MostErrors::Share(share) => (share * rows as f64).floor() as u64,
        })
    }
}

impl Curve {
    /// The best point within a budget: with a limit on errors the smallest, else the one with the fewest errors.
    pub fn within(&self, budget: &Budget) -> Option<Within> {
        let most_errors = budget.most_errors(self.rows);
        let fits = |point: &Point| {
            budget.size.is_none_or(|most| point.size() <= most)
                && budget.rules.is_none_or(|most| point.rules <= most)
                && most_errors.is_none_or(|most| point.errors <= most)
        };
        let fitting = || (0..self.points.len()).filter(|&place| fits(&self.points[place]));
        let place = match most_errors {
            Some(_) => fitting().min_by_key(|&place| (self.points[place].size(), place)),
            None => fitting().min_by_key(|&place| (self.points[place].errors, place)),
        }?;
        let exact = self.options.objective() == Objective::Size;
        let size = budget.size.filter(|_| exact);
        Some(Within {
            place,
            least_errors: size.and_then(|size| self.least_errors(place, size as u64)),
            least_size: most_errors.filter(|_| exact).and_then(|errors| self.least_size(place, errors)),
        })
    }

    /// Errors that sets of this size make at least. What a set costs at the price where two neighbours meet is
    /// no less than what these cost there.
    fn least_errors(&self, place: usize, size: u64) -> Option<u64> {
        let point = &self.points[place];
        let price = point.from;
        let proven = self.proven_cost(place)?;
        let paid = u128::from(price.rows) * u128::from(size);
        let left = u128::from(proven).saturating_sub(paid);
        u64::try_from(left.div_ceil(u128::from(price.parts))).ok().map(|least| least.min(point.errors))
    }

    /// The size that sets with these errors have at least.
    fn least_size(&self, place: usize, errors: u64) -> Option<u64> {
        let point = &self.points[place];
        let Some(above) = point.to.filter(|_| place > 0) else { return Some(point.size() as u64) };
        let proven = self.proven_cost(place - 1).filter(|_| self.points[place - 1].from == above)?;
        let paid = u128::from(above.parts) * u128::from(errors);
        let left = u128::from(proven).saturating_sub(paid);
        let least = u64::try_from(left.div_ceil(u128::from(above.rows))).ok()?;
        Some(least.min(point.size() as u64))
    }

    /// What a set costs at least at the lowest price of a point, if it leaves out the same class.
    fn proven_cost(&self, place: usize) -> Option<u64> {
        let point = &self.points[place];
        let described = self.classes.iter().filter(|class| Some(class.class) != point.otherwise);
        Some(described.map(|class| class.bound(point.from)).sum())
    }
}
