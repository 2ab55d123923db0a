//! Better covers by diving: take the rule with the largest share in the relaxation, solve the
//! relaxation of the rest with the rules that are missing there, and so on.

use super::Lazy;
use super::relax::Relaxation;
use crate::limits::Halt;
use crate::solve::cover::Effort;
use crate::solve::rule::Coverage;

/// Dives, at most, and how many may bring nothing in a row.
const MOST: usize = 40;
const PATIENCE: usize = 5;
/// Rounds of missing rules before each step.
const ROUNDS: usize = 5;
/// LPs of the search for a good cover of few rules among the rules generated, after the last dive.
const SOLVES: u64 = 500;
/// Shares beyond this are whole.
const WHOLE: f64 = 0.999;

/// The first dive takes the rule with the largest share each time; later ones draw lots, large
/// shares most likely. The lots are the same in every run.
pub(super) struct Dives {
    done: usize,
    in_vain: usize,
    random: fastrand::Rng,
}

impl Dives {
    pub(super) fn new() -> Dives {
        Dives { done: 0, in_vain: 0, random: fastrand::Rng::with_seed(0) }
    }

    /// One more dive; whether there was one.
    pub(super) fn next(&mut self, lazy: &mut Lazy, relaxation: &mut Relaxation) -> Result<bool, Halt> {
        if self.done == MOST || self.in_vain == PATIENCE {
            return Ok(false);
        }
        let before = lazy.best_weight;
        let mut random = (self.done > 0).then_some(&mut self.random);
        dive(lazy, relaxation, &mut random)?;
        self.done += 1;
        self.in_vain = if lazy.best_weight < before { 0 } else { self.in_vain + 1 };
        if self.done == MOST || self.in_vain == PATIENCE {
            lazy.improve_cover_more(&relaxation.pool, Effort::Solves(SOLVES))?;
        }
        log::debug!("class {}: dive {}, best {}", lazy.problem.label(), self.done, lazy.best_weight);
        Ok(true)
    }
}

/// One dive.
fn dive(
    lazy: &mut Lazy,
    relaxation: &mut Relaxation,
    random: &mut Option<&mut fastrand::Rng>,
) -> Result<(), Halt> {
    let mut taken: Vec<usize> = Vec::new();
    let mut uncovered = Coverage::with_capacity(lazy.problem.positives.len());
    uncovered.insert_range(..);
    let mut rounds = 0;
    while !uncovered.is_clear() {
        if lazy.stop.requested() {
            return Err(Halt::Stopped);
        }
        let fractional = relaxation.lp.solve()?;
        if fractional.cost > lazy.weights.relaxed(lazy.best_weight) {
            break;
        }
        if relaxation.add_lacking(&fractional.shares)? {
            continue;
        }
        if rounds < ROUNDS {
            rounds += 1;
            if relaxation.add_missing(lazy, &fractional)? {
                continue;
            }
        }
        rounds = 0;
        let shares = fractional.shares.iter().copied().enumerate();
        let useful = |&(rule, _): &(usize, f64)| !relaxation.pool[rule].coverage.is_disjoint(&uncovered);
        let shares: Vec<(usize, f64)> = shares.filter(useful).collect();
        let mut take: Vec<usize> =
            shares.iter().filter(|(_, share)| *share > WHOLE).map(|&(rule, _)| rule).collect();
        if take.is_empty() {
            take.extend(choose(&shares, random));
            if take.is_empty() {
                break;
            }
        }
        for rule in take {
            relaxation.lp.bound(rule, 1.0, 1.0)?;
            uncovered.difference_with(&relaxation.pool[rule].coverage);
            taken.push(rule);
        }
    }
    for &rule in &taken {
        relaxation.lp.bound(rule, 0.0, f64::INFINITY)?;
    }
    if uncovered.is_clear() {
        lazy.consider(taken.iter().map(|&rule| relaxation.pool[rule].clone()).collect());
    }
    lazy.improve_cover(&relaxation.pool, &lazy.stop.clone());
    Ok(())
}

/// The rule with the largest share, the first of equals; or one drawn by lot.
fn choose(shares: &[(usize, f64)], random: &mut Option<&mut fastrand::Rng>) -> Option<usize> {
    let Some(random) = random else {
        let larger = |a: (usize, f64), b: (usize, f64)| if b.1 > a.1 + 1e-9 { b } else { a };
        return shares.iter().copied().reduce(larger).map(|(rule, _)| rule);
    };
    let lots = |share: f64| share.max(0.0).powi(3);
    let mut left = random.f64() * shares.iter().map(|(_, share)| lots(*share)).sum::<f64>();
    let drawn = shares.iter().find(|(_, share)| {
        left -= lots(*share);
        left < 0.0
    });
    drawn.or(shares.last()).map(|(rule, _)| *rule)
}
