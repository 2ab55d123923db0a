//! Costs as the lazy method computes with them: one integer for each rule.

use minrule_proof::Pricing;

use super::price::{self, Rates};
use crate::limits::Halt;
use crate::solve::class_problem::ClassProblem;
use crate::solve::objective::Cost;

/// Prices are integers in this fraction of the unit of cost, or in a coarser one.
const SCALE: i64 = 1 << 20;
/// LP prices are lowered by this much, relatively, before they are rounded down: more than the LP
/// solver's tolerance, so that no rule it knows seems to be missing.
const SLACK: f64 = 1e-6;

/// How a cost becomes a weight. A lexicographic one weighs a unit of its first part more than all that the
/// best cover pays in its second.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights {
    /// What a unit of the first part weighs.
    unit: i64,
    /// Whether a weight stands for both parts of a lexicographic cost.
    lexicographic: bool,
    /// What the cheapest rule with a literal weighs.
    cheapest: i64,
    /// Prices are integers in this fraction of the unit of weight.
    pub(super) scale: i64,
}

impl Weights {
    /// Weights that can tell apart all covers no dearer than these first terms.
    pub(super) fn new(problem: &ClassProblem, first: &[Vec<usize>]) -> Result<Weights, Halt> {
        let lexicographic = problem.tariffs().is_lexicographic();
        match Weights::fitting(problem, first, lexicographic) {
            Some(weights) => Some(weights),
            // Too large a table to weigh both parts: the first alone is better than nothing.
            None if lexicographic => Weights::fitting(problem, first, false),
            None => None,
        }
        .ok_or_else(|| Halt::Failed("the first rules are too large to improve on".to_string()))
    }

    fn fitting(problem: &ClassProblem, first: &[Vec<usize>], lexicographic: bool) -> Option<Weights> {
        let tariffs = problem.tariffs();
        let unit = match lexicographic {
            false => 1,
            true => {
                // An irredundant term has at most one literal a negative, and one a feature.
                let longest = problem.negatives.len().min(problem.literals.len()) as i64;
                let dearest = problem.literals.iter().map(|&l| tariffs.literal(l).second).max();
                let literals = longest.checked_mul(i64::try_from(dearest.unwrap_or(0)).ok()?)?;
                let rule = i64::try_from(tariffs.rule(&[], 0).second).ok()?.checked_add(literals)?;
                1 + (first.len() as i64).checked_mul(rule)?
            }
        };
        let mut weights = Weights { unit, lexicographic, cheapest: 0, scale: 1 };
        weights.cheapest = weights.of(tariffs.cheapest_rule(1)).max(1);
        // No sum of prices exceeds what the first rules cost.
        let cost = problem.cost(&first.iter().map(|term| problem.term(term)).collect::<Vec<_>>());
        let most = weights.of(cost);
        weights.scale = SCALE.min(price::MOST / most.max(1));
        (weights.scale > 0).then_some(weights)
    }

    pub(super) fn of(self, cost: Cost) -> i64 {
        let part = |part: u64| i64::try_from(part).unwrap_or(i64::MAX);
        match self.lexicographic {
            true => part(cost.first).saturating_mul(self.unit).saturating_add(part(cost.second)),
            false => part(cost.first),
        }
    }

    /// The cost that a weight stands for; a lower bound stays one.
    pub(super) fn cost(self, weight: i64) -> Cost {
        let weight = weight.max(0);
        match self.lexicographic {
            true => Cost { first: (weight / self.unit) as u64, second: (weight % self.unit) as u64 },
            false => Cost { first: weight as u64, second: 0 },
        }
    }

    /// Whether weights say all that the tariffs of this problem do.
    pub(super) fn are_complete(self, problem: &ClassProblem) -> bool {
        self.lexicographic == problem.tariffs().is_lexicographic()
    }

    /// What rules cost in the unit of prices.
    pub(super) fn rates(self, problem: &ClassProblem) -> Rates {
        // What is dearer than all prices together is never bought.
        let scaled = |cost: Cost| self.of(cost).saturating_mul(self.scale).min(price::MOST) as i32;
        let tariffs = problem.tariffs();
        let literals =
            problem.literals.iter().map(|&literal| scaled(tariffs.literal(literal))).collect();
        Rates::new(scaled(tariffs.rule(&[], 0)), literals)
    }

    /// Prices and what rules cost, for those who check them.
    pub(super) fn pricing(self, problem: &ClassProblem, prices: &[i32]) -> Pricing {
        let priced = prices.iter().enumerate().filter(|(_, price)| **price > 0);
        let tariffs = problem.tariffs();
        let weight = |first, second| self.of(Cost { first, second }) as u64;
        let (first, second) = (tariffs.first(), tariffs.second());
        Pricing {
            tariff: minrule_proof::Tariff {
                per_rule: weight(first.per_rule(), second.map_or(0, |second| second.per_rule())),
                per_literal: weight(
                    first.per_literal(),
                    second.map_or(0, |second| second.per_literal()),
                ),
            },
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
        self.cheapest * self.scale
    }

    /// The whole units of weight that a sum of prices proves.
    pub(super) fn units(self, sum: i64) -> i64 {
        (sum + self.scale - 1).div_euclid(self.scale)
    }
}
