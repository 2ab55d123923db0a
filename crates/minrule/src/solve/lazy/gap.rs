//! The rules that a cover better than the best one known could use.

use std::sync::atomic::Ordering;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::Lazy;
use super::price::{self, Dominators, Find, Market};
use super::relax::Relaxation;
use crate::limits::Halt;
use crate::solve::rule::{Coverage, Rule};

pub(super) struct Gap {
    pub(super) rules: Vec<Rule>,
    /// Whether all of them are there.
    pub(super) complete: bool,
    /// What a cover with a rule that is not there weighs at least.
    pub(super) beyond: i64,
}

impl Gap {
    /// All rules that miss their cost at these prices by no more than a better cover could pay for,
    /// if they are no more than `most`.
    pub(super) fn small(lazy: &Lazy, relaxation: &Relaxation, most: usize) -> Result<Option<Gap>, Halt> {
        let gap = Gap::enumerate(lazy, relaxation, 1, most, true)?;
        Ok(Some(gap).filter(|gap| gap.complete))
    }

    /// All such rules, or, if they are more than `most`, those that miss their cost by least.
    pub(super) fn large(lazy: &Lazy, relaxation: &Relaxation, most: usize) -> Result<Gap, Halt> {
        Gap::enumerate(lazy, relaxation, 1, most, false)
    }

    /// The rules that miss their cost by no more than a fraction, 1 / `parts`, of what a better cover
    /// could pay for. The rules of a better cover share that amount, so most of them are among these.
    pub(super) fn near(
        lazy: &Lazy,
        relaxation: &Relaxation,
        parts: i32,
        most: usize,
    ) -> Result<Vec<Rule>, Halt> {
        Ok(Gap::enumerate(lazy, relaxation, parts, most, false)?.rules)
    }

    fn enumerate(
        lazy: &Lazy,
        Relaxation { pool, prices, .. }: &Relaxation,
        parts: i32,
        most: usize,
        or_none: bool,
    ) -> Result<Gap, Halt> {
        let (weights, rates) = (lazy.weights, &lazy.rates);
        let total = weights.total(prices) as i32;
        // A cover with a rule of this worth costs the prices and what the rule is not worth.
        let widest = total - ((lazy.best_weight - 1) * weights.scale) as i32;
        let widest = widest / parts;
        let mut threshold = widest;
        let market = Market::new(&lazy.problem, &lazy.ground, prices, true);
        // Of each coverage, the cheapest rule, of equals the shortest, and its worth.
        let mut cheapest: HashMap<Coverage, (i32, Vec<usize>)> = HashMap::new();
        // The rules generated are there from the start, the most attractive first.
        let mut known: Vec<(i32, Vec<usize>)> =
            pool.iter().map(|rule| worth_of(lazy, prices, rule)).collect();
        known.retain(|(worth, _)| *worth >= widest);
        known.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let dominators = known.iter().map(|(_, literals)| &literals[..]);
        let dominators = Dominators::new(&market, rates, dominators);
        let mut note = |find: Find| {
            let rule = lazy.problem.rule(find.literals);
            match cheapest.entry(rule.coverage) {
                Entry::Occupied(mut known) => {
                    let (worth, literals) = known.get();
                    let better = find.worth > *worth
                        || (find.worth == *worth && find.literals.len() < literals.len());
                    if better {
                        known.insert((find.worth, find.literals.to_vec()));
                    }
                }
                Entry::Vacant(new) => {
                    new.insert((find.worth, find.literals.to_vec()));
                }
            }
            if cheapest.len() > most && or_none {
                // Nothing is worth this much: the search ends.
                threshold = price::MOST as i32;
            } else if cheapest.len() > most {
                // The better half is kept, and the search goes on for better ones only.
                let mut worths: Vec<i32> = cheapest.values().map(|(worth, _)| *worth).collect();
                worths.sort_unstable();
                threshold = threshold.max(worths[worths.len() / 2] + 1);
                cheapest.retain(|_, (worth, _)| *worth >= threshold);
            }
            threshold
        };
        for (worth, literals) in &known {
            note(Find { literals, worth: *worth });
        }
        let dominators = Some(&dominators);
        if or_none {
            price::search(&market, rates, widest, u64::MAX, dominators, &lazy.stop, &mut note)?;
        } else {
            let on = (&lazy.stop, lazy.workers);
            price::search_all(&market, rates, widest, |_| widest, dominators, on, &mut note)?;
        }
        lazy.nodes.fetch_add(market.visited(), Ordering::Relaxed);
        let mut rules: Vec<Rule> =
            cheapest.into_values().map(|(_, literals)| lazy.problem.rule(&literals)).collect();
        rules.sort_by(|a, b| a.term.cmp(&b.term));
        lazy.board.count(pool.len() + rules.len());
        let beyond = weights.units(i64::from(total) - i64::from(threshold) + 1);
        Ok(Gap { rules, complete: threshold == widest, beyond })
    }
}

/// All rules that miss their cost by no more than a cover as good as the best could pay for, or the
/// first `most` of them.
pub(super) fn every(
    lazy: &Lazy,
    Relaxation { prices, .. }: &Relaxation,
    most: usize,
) -> Result<Vec<Rule>, Halt> {
    let weights = lazy.weights;
    let total = weights.total(prices) as i32;
    let threshold = total - (lazy.best_weight * weights.scale) as i32;
    let market = Market::new(&lazy.problem, &lazy.ground, prices, true);
    let mut rules = Vec::new();
    price::every(&market, &lazy.rates, threshold, &lazy.stop, &mut |find| {
        rules.push(lazy.problem.rule(find.literals));
        // Nothing is worth this much: the search ends.
        if rules.len() < most { threshold } else { price::MOST as i32 }
    })?;
    Ok(rules)
}

/// What a rule is worth beyond its cost, and its literals by position.
fn worth_of(lazy: &Lazy, prices: &[i32], rule: &Rule) -> (i32, Vec<usize>) {
    let literals = lazy.problem.positions(&rule.term);
    let value: i32 = rule.coverage.ones().map(|example| prices[example]).sum();
    (value - lazy.rates.rule(&literals), literals)
}
