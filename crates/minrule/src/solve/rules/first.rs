//! A first set of rules, good enough to answer with and quick enough to have at once.
//!
//! One example after another that no rule covers yet is made the seed of a new rule: of the
//! literals it satisfies, the one with the best FOIL gain (Quinlan 1990) is added until no
//! negative is left, and literals that turn out redundant are dropped. Every positive is covered
//! in the end, so there is a valid decision set before the first solver call.
//!
//! When time is up before that, the examples still uncovered are left to the parts of a
//! [partition](super::partition()), which is there from the start.

use super::Part;
use crate::limits::Stop;
use crate::solve::class_problem::ClassProblem;
use crate::solve::rule::Coverage;

/// Consistent terms, as positions of literals, that together cover every positive.
pub(crate) fn first_terms(problem: &ClassProblem, net: &[Part], stop: &Stop) -> Vec<Vec<usize>> {
    let mut uncovered = Coverage::with_capacity(problem.positives.len());
    uncovered.insert_range(..);
    let mut terms = Vec::new();
    while let Some(seed) = uncovered.minimum() {
        if stop.requested() {
            let needed = |part: &&Part| part.positives.iter().any(|&p| uncovered.contains(p as usize));
            terms.extend(net.iter().filter(needed).map(|part| part.literals.clone()));
            break;
        }
        let term = without_redundant(problem, grow(problem, &problem.literals_of(seed)));
        uncovered.difference_with(&problem.rule(&term).coverage);
        terms.push(term);
    }
    terms
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
pub(crate) fn without_redundant(problem: &ClassProblem, mut term: Vec<usize>) -> Vec<usize> {
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
    use crate::data::literal::ClassId;
    use crate::limits::StopReason;
    use crate::solve::rules::partition;
    use crate::testing::random_problem;

    fn valid(problem: &ClassProblem, terms: &[Vec<usize>]) -> bool {
        let mut covered = Coverage::with_capacity(problem.positives.len());
        for term in terms {
            covered.union_with(&problem.rule(term).coverage);
            let satisfied_by = |example: usize| {
                term.iter().all(|&l| problem.examples().satisfies(example, problem.literals[l]))
            };
            if problem.negatives.iter().any(|&negative| satisfied_by(negative)) {
                return false;
            }
        }
        covered.is_full()
    }

    #[test]
    fn covers_every_positive_and_no_negative_also_when_stopped() {
        let mut random = fastrand::Rng::with_seed(3);
        let stopped = Stop::default();
        stopped.request(StopReason::TimeLimit);
        for _ in 0..300 {
            let problem = random_problem(&mut random, ClassId(0));
            let net = partition(&problem);
            assert!(valid(&problem, &first_terms(&problem, &net, &Stop::default())));
            assert!(valid(&problem, &first_terms(&problem, &net, &stopped)));
        }
    }
}
