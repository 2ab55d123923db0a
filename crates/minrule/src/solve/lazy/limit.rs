//! What one more rule is worth where the number of rules is limited.
//!
//! The relaxation with the limit as a row of its own knows: it is the price of that row. Rules are generated for
//! it as long as short searches find any. Charged for each rule, it makes the relaxation without the limit prove
//! nearly as much.

use super::Lazy;
use super::price::{self, Find, Market};
use super::relax::HASTY_NODES;
use crate::limits::Halt;
use crate::solve::cover::lp::CoverLp;
use crate::solve::rule::Rule;

/// Rules that come in at a time, at most, and how often.
const COLUMNS: usize = 100;
const ROUNDS: usize = 200;

/// Charges for each rule what it is worth that covers may have no more than the limit, and adds the rules to the
/// pool that were generated to find out. The pool has a cover within the limit.
pub(super) fn charge(lazy: &mut Lazy, pool: &mut Vec<Rule>, limit: usize) -> Result<(), Halt> {
    let examples = lazy.problem.positives.len();
    let mut lp = CoverLp::new(examples);
    lp.add_row(-(limit as f64), std::iter::empty())?;
    let add = |lp: &mut CoverLp, rule: &Rule, weight: i64| {
        let covered = rule.coverage.ones().map(|example| (example, 1.0));
        lp.add_rule(weight as f64, covered.chain([(examples, -1.0)]))
    };
    for rule in pool.iter() {
        add(&mut lp, rule, lazy.weights.of(rule.cost))?;
    }
    for _ in 0..ROUNDS {
        if lazy.stop.requested() {
            return Err(Halt::Stopped);
        }
        let fractional = lp.solve()?;
        lazy.charge(fractional.prices[examples]);
        let rounded = |&price: &f64| lazy.weights.rounded(price);
        let prices: Vec<i32> = fractional.prices[..examples].iter().map(rounded).collect();
        let sum: i64 = prices.iter().map(|&price| i64::from(price)).sum();
        if sum > price::MOST {
            return Ok(());
        }
        let market = Market::new(&lazy.problem, &lazy.ground, &prices, false);
        let mut missing: Vec<(i32, Vec<usize>)> = Vec::new();
        let mut most = 1;
        let note = &mut |find: Find| {
            missing.push((find.worth, find.literals.to_vec()));
            most = most.max(find.worth / 2);
            most
        };
        price::search(&market, &lazy.rates, 1, HASTY_NODES, None, &lazy.stop, note)?;
        log::debug!(
            "class {}: {} rules, at most {limit} cost {:.3}, one more is worth {:.3}, {} rules added",
            lazy.problem.label(),
            pool.len(),
            fractional.cost,
            fractional.prices[examples],
            missing.len(),
        );
        if missing.is_empty() {
            break;
        }
        missing.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        missing.truncate(COLUMNS);
        for (_, literals) in missing {
            let rule = lazy.problem.rule(&literals);
            add(&mut lp, &rule, lazy.weights.of(rule.cost))?;
            pool.push(rule);
        }
    }
    Ok(())
}
