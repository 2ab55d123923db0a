//! Better covers by diving: take the rule with the largest share in the relaxation, solve the
//! relaxation of the rest with the rules that are missing there, and so on.

use super::DIVES;
use super::Lazy;
use super::relax::Relaxation;
use crate::limits::Halt;
use crate::rule::Coverage;

/// Rounds of missing rules before each step.
const ROUNDS: usize = 5;
/// Shares beyond this are whole.
const WHOLE: f64 = 0.999;

/// The first dive goes straight down; each later one does without one of the rules that the first
/// took.
#[derive(Default)]
pub(super) struct Dives {
    done: usize,
    without: Vec<usize>,
}

impl Dives {
    /// One more dive; whether there was one.
    pub(super) fn next(&mut self, lazy: &mut Lazy, relaxation: &mut Relaxation) -> Result<bool, Halt> {
        let without = match self.done {
            0 => None,
            _ => match self.without.pop() {
                Some(rule) => Some(rule),
                None => return Ok(false),
            },
        };
        let taken = dive(lazy, relaxation, without)?;
        log::debug!(
            "class {}: dive {}, {} rules, best {}",
            lazy.problem.label(),
            self.done,
            taken.len(),
            lazy.best_weight
        );
        if self.done + 1 == DIVES {
            lazy.improve_cover_more()?;
            log::debug!(
                "class {}: best of the rules generated {}",
                lazy.problem.label(),
                lazy.best_weight
            );
        }
        if self.done == 0 {
            self.without = taken.into_iter().filter(|&rule| can_do_without(lazy, rule)).collect();
            self.without.truncate(DIVES - 1);
            self.without.reverse();
        }
        self.done += 1;
        Ok(true)
    }
}

/// Whether the pool covers everything without this rule.
fn can_do_without(lazy: &Lazy, rule: usize) -> bool {
    let mut covered = Coverage::with_capacity(lazy.problem.positives.len());
    let others = lazy.pool.iter().enumerate().filter(|(other, _)| *other != rule);
    others.for_each(|(_, other)| covered.union_with(&other.coverage));
    covered.is_full()
}

/// One dive, and the rules that it took.
fn dive(
    lazy: &mut Lazy,
    relaxation: &mut Relaxation,
    without: Option<usize>,
) -> Result<Vec<usize>, Halt> {
    let mut taken: Vec<usize> = Vec::new();
    let mut uncovered = Coverage::with_capacity(lazy.problem.positives.len());
    uncovered.insert_range(..);
    if let Some(rule) = without {
        relaxation.lp.bound(rule, 0.0, 0.0)?;
    }
    let mut rounds = 0;
    while !uncovered.is_clear() {
        if lazy.stop.requested() {
            return Err(Halt::Stopped);
        }
        let fractional = relaxation.lp.solve()?;
        if fractional.cost > lazy.best_weight as f64 {
            break;
        }
        if relaxation.add_lacking(lazy, &fractional.shares)? {
            continue;
        }
        if rounds < ROUNDS {
            rounds += 1;
            if relaxation.add_missing(lazy, &fractional, without)? {
                continue;
            }
        }
        rounds = 0;
        let shares = fractional.shares.iter().copied().enumerate();
        let useful = |&(rule, _): &(usize, f64)| !lazy.pool[rule].coverage.is_disjoint(&uncovered);
        let shares: Vec<(usize, f64)> = shares.filter(useful).collect();
        let mut take: Vec<usize> =
            shares.iter().filter(|(_, share)| *share > WHOLE).map(|&(rule, _)| rule).collect();
        if take.is_empty() {
            let larger = |a: (usize, f64), b| if b_is_larger(a, b) { b } else { a };
            let Some((largest, _)) = shares.into_iter().reduce(larger) else { break };
            take.push(largest);
        }
        for rule in take {
            relaxation.lp.bound(rule, 1.0, 1.0)?;
            uncovered.difference_with(&lazy.pool[rule].coverage);
            taken.push(rule);
        }
    }
    for &rule in taken.iter().chain(&without) {
        relaxation.lp.bound(rule, 0.0, f64::INFINITY)?;
    }
    if uncovered.is_clear() {
        lazy.consider(taken.iter().map(|&rule| lazy.pool[rule].clone()).collect());
    }
    lazy.improve_cover();
    Ok(taken)
}

/// The first of equals, so that the result does not depend on the last digits.
fn b_is_larger(a: (usize, f64), b: (usize, f64)) -> bool {
    b.1 > a.1 + 1e-9
}
