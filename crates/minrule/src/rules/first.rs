//! A first set of rules, good enough to answer with and quick enough to have at once.
//!
//! One example after another that no rule covers yet is made the seed of a new rule: of the
//! literals it satisfies, the one with the best FOIL gain (Quinlan 1990) is added until no
//! negative is left, and literals that turn out redundant are dropped. Every positive is covered
//! in the end, so there is a valid decision set before the first solver call.
//!
//! When time is up before that, the rest is done without weighing: literals are added in a fixed
//! order, the most discriminating first. That gives poorer rules hundreds of times faster.

use crate::limits::Stop;
use crate::problem::ClassProblem;
use crate::rule::{Coverage, Rule};

/// Consistent rules that together cover every positive: carefully, and from the moment a stop is
/// requested hastily.
pub(crate) fn first_rules(problem: &ClassProblem, stop: &Stop) -> Vec<Rule> {
    let mut uncovered = Coverage::with_capacity(problem.positives.len());
    uncovered.insert_range(..);
    let mut rules = Vec::new();
    let mut most_discriminating_first = None;
    while let Some(seed) = uncovered.minimum() {
        let term = if stop.requested() {
            let order = most_discriminating_first.get_or_insert_with(|| {
                let mut order: Vec<usize> = (0..problem.literals.len()).collect();
                order.sort_by_key(|&literal| problem.negatives_with(literal).count_ones(..));
                order
            });
            grow_hastily(problem, seed, order)
        } else {
            without_redundant(problem, grow(problem, &problem.literals_of(seed)))
        };
        let rule = problem.rule(&term);
        uncovered.difference_with(&rule.coverage);
        rules.push(rule);
    }
    rules
}

/// Goes through literals in this order and keeps those of the seed that discriminate anything.
fn grow_hastily(problem: &ClassProblem, seed: usize, order: &[usize]) -> Vec<usize> {
    let mut term = Vec::new();
    let mut negatives = Coverage::with_capacity(problem.negatives.len());
    negatives.insert_range(..);
    for &literal in order {
        if negatives.is_clear() {
            break;
        }
        let helps = problem.positives_with(literal).contains(seed)
            && !negatives.is_subset(problem.negatives_with(literal));
        if helps {
            negatives.intersect_with(problem.negatives_with(literal));
            term.push(literal);
        }
    }
    term
}

/// Adds literals of the seed until no negative satisfies them all.
fn grow(problem: &ClassProblem, literals: &[usize]) -> Vec<usize> {
    let mut term = Vec::new();
    let mut positives = Coverage::with_capacity(problem.positives.len());
    let mut negatives = Coverage::with_capacity(problem.negatives.len());
    positives.insert_range(..);
    negatives.insert_range(..);
    let mut left = negatives.count_ones(..);
    while left > 0 {
        let covered = positives.count_ones(..);
        let gain = |literal: usize| {
            let p = positives.intersection_count(problem.positives_with(literal));
            let n = negatives.intersection_count(problem.negatives_with(literal));
            let purity = |p: usize, n: usize| (p as f64 / (p + n) as f64).log2();
            (n < left).then(|| p as f64 * (purity(p, n) - purity(covered, left)))
        };
        let best = literals
            .iter()
            .filter_map(|&literal| gain(literal).map(|gain| (gain, literal)))
            // The first of equals, so that the result does not depend on chance.
            .reduce(|best, next| if next.0 > best.0 { next } else { best });
        let (_, literal) = best.expect("a negative that agrees with a positive on every literal");
        term.push(literal);
        positives.intersect_with(problem.positives_with(literal));
        negatives.intersect_with(problem.negatives_with(literal));
        left = negatives.count_ones(..);
    }
    term
}

/// Drops literals, the earliest (most general) last, as long as every negative is discriminated.
fn without_redundant(problem: &ClassProblem, mut term: Vec<usize>) -> Vec<usize> {
    for i in (0..term.len()).rev() {
        let literal = term.remove(i);
        if !discriminates_all(problem, &term) {
            term.insert(i, literal);
        }
    }
    term
}

/// Whether no negative satisfies all these literals.
pub(crate) fn discriminates_all(problem: &ClassProblem, literals: &[usize]) -> bool {
    let mut negatives = Coverage::with_capacity(problem.negatives.len());
    negatives.insert_range(..);
    for &literal in literals {
        negatives.intersect_with(problem.negatives_with(literal));
        if negatives.is_clear() {
            return true;
        }
    }
    negatives.is_clear()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::StopReason;
    use crate::rule::ClassId;
    use crate::testing::random_problem;

    fn valid(problem: &ClassProblem, rules: &[Rule]) -> bool {
        let mut covered = Coverage::with_capacity(problem.positives.len());
        for rule in rules {
            covered.union_with(&rule.coverage);
            let satisfied_by = |example: usize| {
                rule.term.literals().iter().all(|l| problem.examples().satisfies(example, *l))
            };
            if problem.negatives.iter().any(|&negative| satisfied_by(negative)) {
                return false;
            }
        }
        covered.is_full()
    }

    #[test]
    fn covers_every_positive_and_no_negative() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..300 {
            let problem = random_problem(&mut random, ClassId(0));
            let rules = first_rules(&problem, &Stop::default());
            assert!(valid(&problem, &rules));
        }
    }

    #[test]
    fn is_valid_even_when_asked_to_stop_at_once() {
        let mut random = fastrand::Rng::with_seed(4);
        let stop = Stop::default();
        stop.request(StopReason::TimeLimit);
        for _ in 0..100 {
            let problem = random_problem(&mut random, ClassId(1));
            assert!(valid(&problem, &first_rules(&problem, &stop)));
        }
    }
}
