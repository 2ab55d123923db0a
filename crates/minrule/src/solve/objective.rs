//! What "smallest" means.

use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};

use super::tariff::{Tariff, Tariffs};

/// What to minimise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// The number of rules.
    Rules,
    /// The number of literals.
    Literals,
    /// Literals plus one for each rule: the paper's total size.
    #[default]
    Size,
    /// The number of rules, and among the sets with fewest rules the number of literals.
    RulesThenLiterals,
}

impl Objective {
    /// What it makes rules cost.
    pub fn tariffs(self) -> Tariffs {
        let (rules, literals) = (Tariff::new(1, 0), Tariff::new(0, 1));
        match self {
            Objective::Rules => rules.into(),
            Objective::Literals => literals.into(),
            Objective::Size => Tariff::new(1, 1).into(),
            Objective::RulesThenLiterals => Tariffs::lexicographic(rules, literals),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Objective::Rules => "rules",
            Objective::Literals => "literals",
            Objective::Size => "size",
            Objective::RulesThenLiterals => "rules-then-literals",
        }
    }

    /// Whether a cost has a second part.
    pub fn is_lexicographic(self) -> bool {
        self == Objective::RulesThenLiterals
    }
}

/// A cost in the unit of an [`Objective`]. Ordered by its first part, then by its second, which is
/// zero for every objective but the lexicographic one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Cost {
    /// Rules, literals or size.
    pub first: u64,
    /// Literals, for [`Objective::RulesThenLiterals`].
    pub second: u64,
}

impl Add for Cost {
    type Output = Cost;

    /// No rules cost so much that it matters where the sum ends, but a file may claim so.
    fn add(self, other: Cost) -> Cost {
        Cost {
            first: self.first.saturating_add(other.first),
            second: self.second.saturating_add(other.second),
        }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::default(), Add::add)
    }
}
