//! The objective as the lazy method computes with it.

use minrule_proof::Pricing;

use super::price::{self, Tariff};
use crate::limits::Halt;
use crate::solve::class_problem::ClassProblem;
use crate::solve::objective::{Cost, Objective};

/// Prices are integers in this fraction of the unit of cost, or in a coarser one.
const SCALE: i64 = 1 << 20;
/// LP prices are lowered by this much, relatively, before they are rounded down: more than the LP
/// solver's tolerance, so that no rule it knows seems to be missing.
const SLACK: f64 = 1e-6;

/// The objective as one number for each rule. A lexicographic one weighs a rule more than all the
/// literals of the best cover together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights {
    per_rule: i64,
    per_literal: i64,
    /// Whether a weight stands for both parts of a lexicographic cost.
    pub(super) lexicographic: bool,
    /// Prices are integers in this fraction of the unit of cost.
    pub(super) scale: i64,
}

impl Weights {
    pub(super) fn new(
        objective: Objective,
        problem: &ClassProblem,
        first: &[Vec<usize>],
    ) -> Result<Weights, Halt> {
        let rules = first.len() as i64;
        let literals: i64 = first.iter().map(|term| term.len() as i64).sum();
        // An irredundant term has at most one literal a negative, and one a feature.
        let longest = problem.negatives.len().min(problem.literals.len()) as i64;
        let (per_rule, per_literal) = match objective {
            Objective::Rules => (1, 0),
            Objective::Literals => (0, 1),
            Objective::Size => (1, 1),
            Objective::RulesThenLiterals => (1 + rules * longest, 1),
        };
        // No sum of prices exceeds what the first rules cost.
        let most = rules.saturating_mul(per_rule) + literals * per_literal;
        let scale = SCALE.min(price::MOST / most.max(1));
        match scale {
            0 if objective.is_lexicographic() => Weights::new(Objective::Rules, problem, first),
            0 => Err(Halt::Failed("the first rules are too large to improve on".to_string())),
            _ => {
                Ok(Weights { per_rule, per_literal, lexicographic: objective.is_lexicographic(), scale })
            }
        }
    }

    pub(super) fn of_rule(self, literals: usize) -> i64 {
        self.per_rule + self.per_literal * literals as i64
    }

    pub(super) fn of(self, cost: Cost) -> i64 {
        match self.lexicographic {
            true => cost.first as i64 * self.per_rule + cost.second as i64,
            false => cost.first as i64,
        }
    }

    /// The cost that a weight stands for; a lower bound stays one.
    pub(super) fn cost(self, weight: i64) -> Cost {
        let weight = weight.max(0);
        match self.lexicographic {
            true => {
                Cost { first: (weight / self.per_rule) as u64, second: (weight % self.per_rule) as u64 }
            }
            false => Cost { first: weight as u64, second: 0 },
        }
    }

    /// The same in the unit of prices.
    pub(super) fn tariff(self) -> Tariff {
        let scaled = |weight: i64| (weight * self.scale) as i32;
        Tariff { per_rule: scaled(self.per_rule), per_literal: scaled(self.per_literal) }
    }

    /// The same with prices, for those who check them.
    pub(super) fn pricing(self, prices: &[i32]) -> Pricing {
        let priced = prices.iter().enumerate().filter(|(_, price)| **price > 0);
        Pricing {
            per_rule: self.per_rule as u64,
            per_literal: self.per_literal as u64,
            unit: self.scale as u64,
            prices: priced.map(|(example, &price)| (example, price as u64)).collect(),
        }
    }

    /// A price in integers, not above the LP's.
    pub(super) fn rounded(self, price: f64) -> i32 {
        (price.max(0.0) * (1.0 - SLACK) * self.scale as f64).floor() as i32
    }

    /// The least that a rule with literals costs, in the unit of prices.
    pub(super) fn cheapest_rule(self) -> i64 {
        self.of_rule(1).max(1) * self.scale
    }

    /// The whole units of cost that a sum of prices proves.
    pub(super) fn units(self, sum: i64) -> i64 {
        (sum + self.scale - 1).div_euclid(self.scale)
    }
}
