//! Judges a decision set by the data alone.
//!
//! Nothing here comes from the solvers: rules are evaluated on the examples' own bits, one
//! column of examples at a time, and sizes are counted again. Every result that claims to be
//! optimal passes through it, and every other that is not enormous.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use super::cost;
use crate::data::examples::Examples;
use crate::data::literal::{ClassId, FeatureId};
use crate::result::outcome::{Outcome, Status};
use crate::solve::alpha::Alpha;
use crate::solve::objective::{Cost, Objective};
use crate::solve::rule::Term;

/// Words of bits that are compared to judge rules that were not proven smallest. Sets of hundreds
/// of thousands of rules, given because time was up, are not judged again before they are given.
const UNPROVEN_WORK: u64 = 1_000_000_000;

/// Examples that are read for all features before the next: their bits are fetched once, not for each.
const AT_ONCE: usize = 256;

/// What is wrong with a decision set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutcomeFault {
    /// A rule fires on an example of another class.
    #[error("rule {rule} of class \"{class}\" fires on example {example} of class \"{other}\"")]
    Misclassified {
        /// The rule's class.
        class: String,
        /// The rule's number in its class, from 1.
        rule: usize,
        /// The example, from 1.
        example: usize,
        /// The example's class.
        other: String,
    },
    /// No rule of its class fires on an example.
    #[error("no rule of class \"{class}\" covers example {example}")]
    Uncovered {
        /// The class.
        class: String,
        /// The example, from 1.
        example: usize,
    },
    /// A stated cost is not that of the rules.
    #[error("class \"{class}\" is said to cost {stated}, but its rules cost {actual}")]
    WrongCost {
        /// The class.
        class: String,
        /// What was stated.
        stated: u64,
        /// What was counted.
        actual: u64,
    },
    /// A lower bound above the cost of a valid set: one of the two is wrong.
    #[error("class \"{class}\" has the lower bound {bound} above its cost {cost}")]
    BoundAboveCost {
        /// The class.
        class: String,
        /// The bound.
        bound: u64,
        /// The cost.
        cost: u64,
    },
}

/// The first fault of an outcome, if it has any.
pub fn verify(examples: &Examples, outcome: &Outcome) -> std::result::Result<(), OutcomeFault> {
    let mut judge = Judge::new(examples);
    let ordered = outcome.options.is_ordered();
    for class in &outcome.classes {
        let literals: usize = class.rules.iter().map(Term::size).sum();
        let work = literals as u64 * (examples.len() as u64 / 64 + 1);
        let actual = match outcome.options.alpha() {
            Some(alpha) => {
                let cost = judge.sparse_cost(class.class, &class.rules, outcome.objective(), alpha);
                if ordered {
                    judge.leave_to_later_classes(&class.rules);
                }
                Cost { first: cost.unwrap_or(u64::MAX), second: 0 }
            }
            None => {
                if class.status() == Status::Optimal || work <= UNPROVEN_WORK {
                    judge.rules(class.class, &class.rules)?;
                }
                cost(outcome.objective(), class.rules.iter().map(Term::size))
            }
        };
        let label = || examples.classes()[class.class.0 as usize].clone();
        if actual != class.cost {
            let (stated, actual) = (class.cost.first, actual.first);
            return Err(OutcomeFault::WrongCost { class: label(), stated, actual });
        }
        if class.lower_bound > class.cost {
            let (bound, cost) = (class.lower_bound.first, class.cost.first);
            return Err(OutcomeFault::BoundAboveCost { class: label(), bound, cost });
        }
    }
    Ok(())
}

/// The examples by columns: for each feature that rules test, the examples that have it.
pub struct Judge<'e> {
    examples: &'e Examples,
    with_feature: BTreeMap<FeatureId, FixedBitSet>,
    of_class: Vec<FixedBitSet>,
    /// Examples that no rule of an earlier class covers; all, where classes have no order.
    reached: FixedBitSet,
}

impl<'e> Judge<'e> {
    /// Prepares to judge rules on these examples.
    pub fn new(examples: &'e Examples) -> Judge<'e> {
        let mut of_class = vec![FixedBitSet::with_capacity(examples.len()); examples.classes().len()];
        for example in 0..examples.len() {
            of_class[examples.class(example).0 as usize].insert(example);
        }
        let mut reached = FixedBitSet::with_capacity(examples.len());
        reached.insert_range(..);
        Judge { examples, with_feature: BTreeMap::new(), of_class, reached }
    }

    /// Reads off, bit by bit, which examples have the features of these rules.
    fn read(&mut self, rules: &[Term]) {
        let examples = self.examples;
        let literals = rules.iter().flat_map(|rule| rule.literals());
        let features: BTreeSet<FeatureId> = literals.map(|literal| literal.feature).collect();
        let unread = features.into_iter().filter(|feature| !self.with_feature.contains_key(feature));
        let empty = || FixedBitSet::with_capacity(examples.len());
        let mut columns: Vec<(FeatureId, FixedBitSet)> = unread.map(|f| (f, empty())).collect();
        for start in (0..examples.len()).step_by(AT_ONCE) {
            let some = start..examples.len().min(start + AT_ONCE);
            for (feature, column) in &mut columns {
                let having = some.clone().filter(|&example| examples.value(example, *feature));
                having.for_each(|example| column.insert(example));
            }
        }
        self.with_feature.extend(columns);
    }

    /// The examples on which a rule fires that was read.
    fn fires(&self, rule: &Term) -> FixedBitSet {
        let mut fires = FixedBitSet::with_capacity(self.examples.len());
        fires.insert_range(..);
        for literal in rule.literals() {
            let column = &self.with_feature[&literal.feature];
            if literal.positive {
                fires.intersect_with(column);
            } else {
                fires.difference_with(column);
            }
        }
        fires
    }

    /// What the rules of a class cost in a sparse set; nothing, if that is more than can be counted.
    pub fn sparse_cost(
        &mut self,
        class: ClassId,
        rules: &[Term],
        objective: Objective,
        alpha: Alpha,
    ) -> Option<u64> {
        let (price, row) = alpha.price(self.examples.all_rows());
        let size = cost(objective, rules.iter().map(Term::size)).first.checked_mul(price)?;
        size.checked_add(self.errors(class, rules).checked_mul(row)?)
    }

    /// Rows that the rules of a class get wrong: each row of the class that none covers, and each row of
    /// another class for every rule that covers it.
    pub fn errors(&mut self, class: ClassId, rules: &[Term]) -> u64 {
        self.read(rules);
        let rows = |examples: &FixedBitSet| -> u64 {
            examples.intersection(&self.reached).map(|example| self.examples.rows(example)).sum()
        };
        let own = &self.of_class[class.0 as usize];
        let (mut left_out, mut wrong) = (own.clone(), 0);
        for rule in rules {
            let mut fires = self.fires(rule);
            left_out.difference_with(&fires);
            fires.difference_with(own);
            wrong += rows(&fires);
        }
        wrong + rows(&left_out)
    }

    /// From here on only examples count that these rules do not cover.
    fn leave_to_later_classes(&mut self, rules: &[Term]) {
        self.read(rules);
        for rule in rules {
            let fires = self.fires(rule);
            self.reached.difference_with(&fires);
        }
    }

    /// Whether the rules of a class cover all of its examples and none of another.
    pub fn rules(&mut self, class: ClassId, rules: &[Term]) -> std::result::Result<(), OutcomeFault> {
        let examples = self.examples;
        let label = |class: ClassId| examples.classes()[class.0 as usize].clone();
        self.read(rules);
        let mut uncovered = self.of_class[class.0 as usize].clone();
        for (number, rule) in rules.iter().enumerate() {
            let mut fires = self.fires(rule);
            uncovered.difference_with(&fires);
            fires.difference_with(&self.of_class[class.0 as usize]);
            if let Some(example) = fires.minimum() {
                return Err(OutcomeFault::Misclassified {
                    class: label(class),
                    rule: number + 1,
                    example: example + 1,
                    other: label(self.examples.class(example)),
                });
            }
        }
        match uncovered.minimum() {
            Some(example) => Err(OutcomeFault::Uncovered { class: label(class), example: example + 1 }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::literal::Literal;
    use crate::testing::dating;

    const NO: ClassId = ClassId(0);
    const YES: ClassId = ClassId(1);

    /// A rule from the paper's names: 1 is `f_1`, -1 its negation.
    fn rule(literals: &[i32]) -> Term {
        let literal = |&l: &i32| Literal { feature: FeatureId(l.unsigned_abs() - 1), positive: l > 0 };
        Term::new(literals.iter().map(literal).collect())
    }

    #[test]
    fn both_published_decision_sets_are_valid() {
        let (examples, _) = dating();
        let mut judge = Judge::new(&examples);
        let no = [rule(&[4]), rule(&[-1])];
        for yes in [rule(&[-4, 1]), rule(&[3, 1])] {
            assert_eq!(judge.rules(NO, &no), Ok(()));
            assert_eq!(judge.rules(YES, std::slice::from_ref(&yes)), Ok(()));
            let literals: usize = no.iter().map(Term::size).sum::<usize>() + yes.size();
            let rules = no.len() + 1;
            assert_eq!((rules, literals + rules), (3, 7));
        }
    }

    #[test]
    fn wrong_sets_are_refused_and_the_fault_is_named() {
        let (examples, _) = dating();
        let mut judge = Judge::new(&examples);
        let too_broad = judge.rules(YES, &[rule(&[1])]).unwrap_err();
        assert!(matches!(too_broad, OutcomeFault::Misclassified { rule: 1, .. }), "{too_broad}");
        let too_narrow = judge.rules(NO, &[rule(&[4])]).unwrap_err();
        assert!(matches!(too_narrow, OutcomeFault::Uncovered { .. }), "{too_narrow}");
    }
}
