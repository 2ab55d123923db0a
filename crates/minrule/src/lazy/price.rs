//! The rules that are worth their cost at given prices of the examples.
//!
//! Each positive has a price, an integer; a rule is worth the prices of the examples it covers
//! less its cost. Adding literals never adds examples, so on a [walk](crate::rules::walk) through
//! the terms, what a term covers now less the cost it cannot fall below bounds everything under
//! it. All arithmetic is in integers: a search that finds nothing proves that there is nothing.

use std::cmp::Reverse;

use crate::limits::{Halt, Stop};
use crate::problem::ClassProblem;
use crate::rule::Coverage;
use crate::rules::walk::Walk;

/// Nodes between two looks at the request to stop.
const NODES_PER_LOOK: u64 = 1024;
/// Depth down to which dominated literals are looked for.
const DOMINATED_LITERALS_DEPTH: usize = 1;

/// What rules cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tariff {
    pub(super) per_rule: i64,
    pub(super) per_literal: i64,
}

impl Tariff {
    pub(super) fn cost(self, literals: usize) -> i64 {
        self.per_rule + self.per_literal * literals as i64
    }

    /// The same in a finer unit.
    pub(super) fn times(self, factor: i64) -> Tariff {
        Tariff { per_rule: self.per_rule * factor, per_literal: self.per_literal * factor }
    }
}

/// A consistent, irredundant term that the search came upon.
pub(super) struct Find<'s> {
    /// Positions in the problem's literals.
    pub(super) literals: &'s [usize],
    pub(super) covered: &'s Coverage,
    /// Prices of what it covers, less its cost.
    pub(super) worth: i64,
}

/// Shows `found` the terms worth `threshold` or more. It answers with the threshold to go on with,
/// which may rise. Every term worth the last threshold or more is shown, or another one is that
/// costs no more and covers no less; unless the search ran out of its `nodes`, which the result
/// says: whether it is complete.
pub(super) fn search(
    problem: &ClassProblem,
    tariff: Tariff,
    prices: &[i64],
    threshold: i64,
    nodes: u64,
    stop: &Stop,
    found: &mut dyn FnMut(Find) -> i64,
) -> Result<bool, Halt> {
    let walk = Walk::new(problem);
    let mut search = Search { problem, tariff, prices, threshold, stop, found, walk, nodes };
    search.visit(prices.iter().sum())?;
    Ok(search.nodes > 0)
}

struct Search<'s> {
    problem: &'s ClassProblem,
    tariff: Tariff,
    prices: &'s [i64],
    threshold: i64,
    stop: &'s Stop,
    found: &'s mut dyn FnMut(Find) -> i64,
    walk: Walk<'s>,
    /// How many are left.
    nodes: u64,
}

impl Search<'_> {
    /// `value` is what the examples that the term covers are priced at together.
    fn visit(&mut self, value: i64) -> Result<(), Halt> {
        self.nodes = self.nodes.saturating_sub(1);
        if self.nodes == 0 {
            return Ok(());
        }
        if self.nodes.is_multiple_of(NODES_PER_LOOK) && self.stop.requested() {
            return Err(Halt::Stopped);
        }
        let depth = self.walk.depth();
        if self.walk.here().left.is_clear() {
            let worth = value - self.tariff.cost(depth);
            if worth >= self.threshold {
                let (literals, covered) = (self.walk.term(), &self.walk.here().covered);
                let next = (self.found)(Find { literals, covered, worth });
                self.threshold = self.threshold.max(next);
            }
            return Ok(());
        }
        // With one more literal to afford, only those that leave no negative come into question.
        let last = value - self.tariff.cost(depth + 2) < self.threshold;
        if depth <= DOMINATED_LITERALS_DEPTH && !last {
            self.walk.forbid_dominated();
        }
        let priced = |literal| (self.value_with(literal), literal);
        let mut branches: Vec<(i64, usize)> = match last {
            true => self.walk.finishing().ones().map(priced).collect(),
            false => self.walk.branches().map(priced).collect(),
        };
        // The most valuable first: good finds raise the threshold for the rest.
        branches.sort_unstable_by_key(|&(value, literal)| (Reverse(value), literal));
        for (value, literal) in branches {
            self.walk.forbid(literal);
            if value - self.tariff.cost(depth + 1) < self.threshold || !self.walk.enter(literal) {
                continue;
            }
            // Negatives left take one literal more at least.
            let more = usize::from(!self.walk.here().left.is_clear());
            if value - self.tariff.cost(depth + 1 + more) >= self.threshold {
                self.visit(value)?;
            }
            self.walk.leave();
        }
        Ok(())
    }

    fn value_with(&self, literal: usize) -> i64 {
        let covered = &self.walk.here().covered;
        let kept = covered.intersection(self.problem.positives_with(literal));
        kept.map(|example| self.prices[example]).sum()
    }
}
