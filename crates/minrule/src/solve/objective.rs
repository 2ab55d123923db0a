//! What "smallest" means.

use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};

use crate::solve::rule::Term;

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

/// One thing to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    Rules,
    Literals,
    Size,
}

impl Measure {
    /// What a rule of so many literals counts.
    pub(crate) fn of_rule(self, literals: usize) -> u64 {
        match self {
            Measure::Rules => 1,
            Measure::Literals => literals as u64,
            Measure::Size => literals as u64 + 1,
        }
    }
}

impl Objective {
    /// What to count, the more important first.
    pub(crate) fn measures(self) -> &'static [Measure] {
        match self {
            Objective::Rules => &[Measure::Rules],
            Objective::Literals => &[Measure::Literals],
            Objective::Size => &[Measure::Size],
            Objective::RulesThenLiterals => &[Measure::Rules, Measure::Literals],
        }
    }

    /// What a rule of so many literals costs.
    pub fn cost_of_rule(self, literals: usize) -> Cost {
        let measures = self.measures();
        Cost {
            first: measures[0].of_rule(literals),
            second: measures.get(1).map_or(0, |measure| measure.of_rule(literals)),
        }
    }

    /// What a set of rules costs.
    pub fn cost(self, rules: &[Term]) -> Cost {
        rules.iter().map(|term| self.cost_of_rule(term.size())).sum()
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
        self.measures().len() > 1
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
