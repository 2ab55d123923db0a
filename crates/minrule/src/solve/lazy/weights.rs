//! Costs as the lazy method computes with them: one integer for each rule.
//!
//! Of a lexicographic cost, the first part is minimised on its own, and then the second over covers that have no
//! more rules than that takes. There each rule is charged for besides, and what prices prove is what is left of their
//! sum after as many charges as such a cover pays at most (a Lagrange multiplier).

use minrule_proof::Pricing;

use super::price::{self, Rates};
use crate::limits::Halt;
use crate::solve::class_problem::ClassProblem;
use crate::solve::evidence;
use crate::solve::objective::Cost;
use crate::solve::tariff::Part;

/// Prices are integers in this fraction of the unit of cost, or in a coarser one.
const SCALE: i64 = 1 << 20;
/// LP prices are lowered by this much, relatively, before they are rounded down: more than the LP
/// solver's tolerance, so that no rule it knows seems to be missing.
const SLACK: f64 = 1e-6;
/// Rules are charged for at most this many times what those of the best cover cost on average.
const DEAREST: i64 = 8;

/// How a cost becomes a weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights {
    /// What weighs anything.
    pub(super) part: Part,
    /// What each rule is charged besides, where their number is limited, in the unit of prices.
    charge: i64,
    /// What the cheapest rule with a literal weighs.
    cheapest: i64,
    /// Prices are integers in this fraction of the unit of weight.
    pub(super) scale: i64,
}

impl Weights {
    /// Weights of this part that can tell apart all covers that cost no more than this.
    pub(super) fn new(problem: &ClassProblem, part: Part, cover: Cost) -> Result<Weights, Halt> {
        let cheapest = part.of(problem.tariffs().cheapest_rule(1)).max(1) as i64;
        let mut weights = Weights { part, charge: 0, cheapest, scale: 1 };
        // No sum of prices exceeds what the cover costs, charges included.
        let most =
            weights.of(cover).saturating_mul(if part.limit().is_some() { 1 + DEAREST } else { 1 });
        weights.scale = SCALE.min(price::MOST / most.max(1));
        let too_large = || Halt::Failed("the first rules are too large to improve on".to_string());
        (weights.scale > 0).then_some(weights).ok_or_else(too_large)
    }

    /// With this charge for each rule, or the most that sums have room for beside a cover of this weight.
    pub(super) fn with_charge(self, charge: f64, cover: i64) -> Weights {
        let Some(limit) = self.part.limit() else { return self };
        let most = (price::MOST - cover * self.scale) / limit.max(1) as i64;
        let charge = (charge * self.scale as f64).round() as i64;
        Weights { charge: charge.clamp(0, most), ..self }
    }

    pub(super) fn of(self, cost: Cost) -> i64 {
        i64::try_from(self.part.of(cost)).unwrap_or(i64::MAX)
    }

    /// A cost as local search sees it, which is told neither of a second part nor of charges: as one number.
    pub(super) fn in_search(self, cost: Cost, best: Cost) -> u64 {
        match self.part {
            Part::First => cost.first.saturating_mul(best.second.saturating_add(1)) + cost.second,
            Part::Second { .. } => cost.second * self.scale as u64 + self.charge as u64,
        }
    }

    /// What a rule of this cost is paid with what it is charged, in the unit of prices.
    pub(super) fn price_of(self, cost: Cost) -> i64 {
        self.of(cost) * self.scale + self.charge
    }

    /// The same in the unit of weight.
    pub(super) fn charged(self, cost: Cost) -> f64 {
        self.price_of(cost) as f64 / self.scale as f64
    }

    /// What a relaxation costs if covers of this weight are no better.
    pub(super) fn relaxed(self, weight: i64) -> f64 {
        weight as f64 + self.charges() as f64 / self.scale as f64
    }

    /// What a cover with as many rules as it may have is charged.
    fn charges(self) -> i64 {
        self.charge * self.part.limit().unwrap_or(0) as i64
    }

    /// What prices prove that covers weigh, in the unit of prices: their sum, less what covers get back.
    pub(super) fn total(self, prices: &[i32]) -> i64 {
        prices.iter().map(|&price| i64::from(price)).sum::<i64>() - self.charges()
    }

    /// The cost that a weight stands for; a lower bound stays one.
    pub(super) fn cost(self, weight: i64) -> Cost {
        self.part.cost(weight.max(0) as u64)
    }

    /// What rules cost in the unit of prices.
    pub(super) fn rates(self, problem: &ClassProblem) -> Rates {
        // What is dearer than all prices together is never bought.
        let scaled = |cost: Cost| self.of(cost).saturating_mul(self.scale);
        let rate = |scaled: i64| scaled.min(price::MOST) as i32;
        let tariffs = problem.tariffs();
        let literals = problem.literals.iter().map(|&l| rate(scaled(tariffs.literal(l)))).collect();
        Rates::new(rate(scaled(tariffs.rule(&[], 0)).saturating_add(self.charge)), literals)
    }

    /// Prices and what rules cost, for those who check them.
    pub(super) fn pricing(self, problem: &ClassProblem, prices: &[i32]) -> Pricing {
        let priced = prices.iter().enumerate().filter(|(_, price)| **price > 0);
        Pricing {
            tariff: evidence::tariff(self.part.tariff(problem.tariffs())),
            unit: self.scale as u64,
            charge: self.charge as u64,
            prices: priced.map(|(example, &price)| (example, price as u64)).collect(),
        }
    }

    /// A price in integers, not above the LP's.
    pub(super) fn rounded(self, price: f64) -> i32 {
        (price.max(0.0) * (1.0 - SLACK) * self.scale as f64).floor() as i32
    }

    /// The least that a rule with literals costs, in the unit of prices.
    pub(super) fn cheapest_rule(self) -> i64 {
        self.cheapest * self.scale + self.charge
    }

    /// The whole units of weight that a sum of prices proves.
    pub(super) fn units(self, sum: i64) -> i64 {
        (sum + self.scale - 1).div_euclid(self.scale)
    }
}
