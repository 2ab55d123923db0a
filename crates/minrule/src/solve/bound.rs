//! A lower bound from examples that no rule can share.
//!
//! Two positives can be covered by one rule only if the literals they have in common discriminate
//! every negative. Positives that pairwise cannot need a rule each, and each of these rules is at
//! least as dear as the cheapest one that covers its example. Rules are enumerated from small to
//! large, so that the size of the first one seen is exact, and until then the size enumeration
//! has reached will do: the bound grows as stage 1 goes on.

use crate::limits::Stop;
use crate::solve::class_problem::ClassProblem;
use crate::solve::objective::Cost;
use crate::solve::rule::{Coverage, Rule};
use crate::solve::rules::discriminates_all;
use crate::solve::tariff::Tariffs;

/// Literal columns that the choice of examples may look at: a fraction of a second's work.
const WORK: u64 = 100_000_000;

/// The bound and what it rests on.
pub(crate) struct IndependentBound {
    tariffs: Tariffs,
    /// Members whose cheapest rule is not known yet.
    open: Vec<usize>,
    /// What the others pay together.
    known: Cost,
    /// Every rule still to come has at least so many literals.
    size: usize,
}

impl IndependentBound {
    /// Chooses positives greedily, those first that only narrow ones of the first terms cover.
    pub(crate) fn new(problem: &ClassProblem, first: &[Vec<usize>], stop: &Stop) -> IndependentBound {
        let mut room = vec![0; problem.positives.len()];
        for term in first {
            if stop.requested() {
                break;
            }
            let coverage = problem.rule(term).coverage;
            let width = coverage.count_ones(..);
            coverage.ones().for_each(|example| room[example] = width.max(room[example]));
        }
        let mut order: Vec<usize> = (0..problem.positives.len()).collect();
        order.sort_by_key(|&example| (room[example], example));

        let mut members: Vec<(usize, Coverage)> = Vec::new();
        let words = problem.negatives.len() as u64 / 64 + 1;
        let mut work = 0;
        for candidate in order {
            work += words * (problem.literals.len() * members.len()) as u64;
            if work > WORK || stop.requested() {
                break;
            }
            let mut literals = Coverage::with_capacity(problem.literals.len());
            problem.literals_of(candidate).into_iter().for_each(|literal| literals.insert(literal));
            let shares_a_rule = |(_, other): &(usize, Coverage)| {
                let common: Vec<usize> = literals.intersection(other).collect();
                discriminates_all(problem, &common)
            };
            if !members.iter().any(shares_a_rule) {
                members.push((candidate, literals));
            }
        }
        let open = members.into_iter().map(|(example, _)| example).collect();
        IndependentBound { tariffs: problem.tariffs().clone(), open, known: Cost::default(), size: 0 }
    }

    /// A bound that rests on nothing.
    pub(crate) fn nothing(problem: &ClassProblem) -> IndependentBound {
        let (tariffs, known) = (problem.tariffs().clone(), Cost::default());
        IndependentBound { tariffs, open: Vec::new(), known, size: 0 }
    }

    /// Takes note of the next rule of the enumeration; whether the bound may have changed.
    pub(crate) fn note(&mut self, rule: &Rule) -> bool {
        let before = (self.open.len(), self.size);
        self.size = self.size.max(rule.size());
        self.open.retain(|&example| !rule.coverage.contains(example));
        let priced = before.0 - self.open.len();
        for _ in 0..priced {
            self.known = self.known + self.tariffs.cheapest_rule(rule.size());
        }
        before != (self.open.len(), self.size)
    }

    /// The examples that it rests on, before any rule was noted.
    pub(crate) fn members(&self) -> Vec<usize> {
        self.open.clone()
    }

    /// No cover costs less.
    pub(crate) fn value(&self) -> Cost {
        let open = self.open.iter().map(|_| self.tariffs.cheapest_rule(self.size)).sum();
        self.known + open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::literal::ClassId;
    use crate::solve::objective::Objective;
    use crate::solve::rules::{first_terms, partition};
    use crate::testing::dating;

    #[test]
    fn the_two_dinner_refusals_need_a_rule_each() {
        let (examples, features) = dating();
        let problem =
            ClassProblem::new(&examples, &features.literals(), ClassId(0), Objective::Rules.tariffs());
        let stop = Stop::default();
        let first = first_terms(&problem, &partition(&problem), &stop);
        let bound = IndependentBound::new(&problem, &first, &stop);
        assert_eq!(bound.value(), Cost { first: 2, second: 0 });
    }

    #[test]
    fn the_bound_grows_with_the_sizes_seen() {
        let (examples, features) = dating();
        let problem = ClassProblem::new(
            &examples,
            &features.literals(),
            ClassId(1),
            Objective::Literals.tariffs(),
        );
        let stop = Stop::default();
        let first = first_terms(&problem, &partition(&problem), &stop);
        let mut bound = IndependentBound::new(&problem, &first, &stop);
        assert_eq!(bound.value().first, 0);
        assert!(bound.note(&problem.rule(&first[0])));
        assert_eq!(bound.value().first, 2);
    }
}
