//! What rules cost, by a code of its own: nothing here is the solvers'.

use std::fmt;

/// What a rule costs: something for itself, and something for each of its literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tariff {
    /// For a rule without its literals.
    pub per_rule: u64,
    /// For each literal.
    pub per_literal: u64,
}

impl Tariff {
    /// The number of rules.
    pub const RULES: Tariff = Tariff { per_rule: 1, per_literal: 0 };
    /// The number of literals.
    pub const LITERALS: Tariff = Tariff { per_rule: 0, per_literal: 1 };
    /// Literals plus one for each rule.
    pub const SIZE: Tariff = Tariff { per_rule: 1, per_literal: 1 };

    /// What a rule of so many literals costs.
    pub fn rule(self, literals: usize) -> u64 {
        self.per_rule + self.per_literal * literals as u64
    }
}

/// What a unit of size costs where rules may be wrong, in rows that they get wrong: a fraction.
///
/// Costs are whole numbers in parts of a row, as many as its denominator says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Of the fraction.
    pub numerator: u64,
    /// Of the fraction: the parts of a row.
    pub denominator: u64,
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}
