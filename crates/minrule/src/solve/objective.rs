//! What "smallest" means.

use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};

use super::tariff::{Tariff, Tariffs};
use crate::names::choices;
use crate::text::count;

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

choices!(Objective {
    Size = "size": "Literals plus one for each rule",
    Rules = "rules": "Fewest rules",
    Literals = "literals": "Fewest literals",
    RulesThenLiterals = "rules-then-literals": "Fewest rules; among those sets, fewest literals",
});

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

    /// What no other set does, if this one is proven: as in "no decision set is smaller".
    pub(crate) fn better(self) -> &'static str {
        match self {
            Objective::Rules => "has fewer rules",
            Objective::Literals => "has fewer literals",
            Objective::Size => "is smaller",
            Objective::RulesThenLiterals => {
                "has fewer rules, and none with as few rules has fewer literals"
            }
        }
    }

    /// What is as small as can be, in the words of people who call literals conditions.
    pub(crate) fn subject(self) -> &'static str {
        match self {
            Objective::Size => "size, that is rules plus conditions",
            Objective::Rules => "number of rules",
            Objective::Literals => "number of conditions",
            Objective::RulesThenLiterals => "number of rules, and then of conditions",
        }
    }

    /// A cost in words.
    pub(crate) fn amount(self, cost: Cost) -> String {
        let number = |n: u64, what| count(n as usize, what);
        match self {
            Objective::Rules => number(cost.first, "rule"),
            Objective::Literals => number(cost.first, "literal"),
            Objective::Size => format!("size {}", cost.first),
            Objective::RulesThenLiterals => {
                format!("{} and {}", number(cost.first, "rule"), number(cost.second, "literal"))
            }
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
