//! One class against the rest: what both stages work on.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::data::examples::Examples;
use crate::data::literal::{ClassId, FeatureId, Literal};
use crate::solve::bits;
use crate::solve::objective::Cost;
use crate::solve::rule::{Coverage, Rule, Term};
use crate::solve::tariff::Tariffs;
use crate::text::one_line;

/// The examples of one class (the positives, `E+`), all others (the negatives, `E-`), and for
/// each literal the set of each that satisfies it.
#[derive(Debug, Clone)]
pub struct ClassProblem {
    /// The literals that rules may use, in order.
    pub literals: Vec<Literal>,
    /// Numbers of the class's examples; a coverage is a set of positions in this list.
    pub positives: Vec<usize>,
    /// Numbers of the other examples.
    pub negatives: Vec<usize>,
    class: ClassId,
    tariffs: Tariffs,
    examples: Arc<Examples>,
    satisfying_positives: Vec<Coverage>,
    satisfying_negatives: Vec<Coverage>,
}

impl ClassProblem {
    /// Sets up the problem of one class, whose rules cost what these tariffs say.
    pub fn new(
        examples: &Arc<Examples>,
        literals: &[Literal],
        class: ClassId,
        tariffs: Tariffs,
    ) -> ClassProblem {
        let mut literals = literals.to_vec();
        literals.sort_unstable();
        let (positives, negatives) = examples.split(class);
        let of_feature = || literals.chunk_by(|a, b| a.feature == b.feature);
        let features: Vec<FeatureId> = of_feature().map(|literals| literals[0].feature).collect();
        let columns = |side: &[usize]| -> Vec<Coverage> {
            let mut with_literal = Vec::with_capacity(literals.len());
            // Each column goes as soon as its literals have theirs.
            for (with_feature, literals) in
                examples.columns(side, &features).into_iter().zip(of_feature())
            {
                for literal in literals {
                    let mut column = with_feature.clone();
                    if !literal.positive {
                        column.toggle_range(..);
                    }
                    with_literal.push(column);
                }
            }
            with_literal
        };
        ClassProblem {
            satisfying_positives: columns(&positives),
            satisfying_negatives: columns(&negatives),
            literals,
            positives,
            negatives,
            class,
            tariffs,
            examples: Arc::clone(examples),
        }
    }

    /// The class.
    pub(crate) fn class(&self) -> ClassId {
        self.class
    }

    /// The label of the class, for the log.
    pub(crate) fn label(&self) -> String {
        one_line(&self.examples.classes()[self.class.0 as usize])
    }

    /// The same class where rules cost something else.
    #[cfg(test)]
    pub(crate) fn with_tariffs(mut self, tariffs: Tariffs) -> ClassProblem {
        self.tariffs = tariffs;
        self
    }

    /// What rules cost.
    pub(crate) fn tariffs(&self) -> &Tariffs {
        &self.tariffs
    }

    /// The examples behind the problem.
    pub fn examples(&self) -> &Examples {
        &self.examples
    }

    /// The positives that satisfy the literal at this position of `literals`.
    pub(crate) fn positives_with(&self, literal: usize) -> &Coverage {
        &self.satisfying_positives[literal]
    }

    /// The negatives that satisfy the literal at this position of `literals`.
    pub(crate) fn negatives_with(&self, literal: usize) -> &Coverage {
        &self.satisfying_negatives[literal]
    }

    /// The positions of the literals that a positive satisfies.
    pub(crate) fn literals_of(&self, positive: usize) -> Vec<usize> {
        let example = self.positives[positive];
        let satisfied = |&i: &usize| self.examples.satisfies(example, self.literals[i]);
        (0..self.literals.len()).filter(satisfied).collect()
    }

    /// The rule of the literals at these positions: the one place where rules are made. Unless the tariffs
    /// allow them, the caller vouches that it covers no negatives; the
    /// [judge](crate::judge::outcome) makes sure in the end.
    pub(crate) fn rule(&self, literals: &[usize]) -> Rule {
        let term = self.term(literals);
        let coverage = satisfying_all(self.positives.len(), &self.satisfying_positives, literals);
        let negatives = match self.tariffs.allow_negatives() {
            true => {
                let covered = satisfying_all(self.negatives.len(), &self.satisfying_negatives, literals);
                covered.ones().map(|negative| self.examples.rows(self.negatives[negative])).sum()
            }
            false => 0,
        };
        Rule { cost: self.tariffs.rule(term.literals(), negatives), term, coverage }
    }

    /// What terms cost together: that cover no negatives and leave nothing out, or with all their errors,
    /// where the tariffs allow them.
    pub(crate) fn cost(&self, terms: &[Term]) -> Cost {
        let Some(per_left_out) = self.tariffs.first().per_left_out() else {
            return self.tariffs.rules(terms.iter().map(Term::literals));
        };
        let mut left_out = satisfying_all(self.positives.len(), &[], &[]);
        let mut cost = Cost::default();
        for term in terms {
            let rule = self.rule(&self.positions(term));
            left_out.difference_with(&rule.coverage);
            cost = cost + rule.cost;
        }
        let rows = left_out.ones().map(|positive| self.examples.rows(self.positives[positive]));
        cost + Cost { first: rows.sum::<u64>().saturating_mul(per_left_out), second: 0 }
    }

    /// The term of the literals at these positions.
    pub(crate) fn term(&self, literals: &[usize]) -> Term {
        Term::new(literals.iter().map(|&i| self.literals[i]).collect())
    }

    /// The positions of a term's literals.
    pub(crate) fn positions(&self, term: &Term) -> Vec<usize> {
        let position = |literal| self.literals.binary_search(literal).expect("one of ours");
        term.literals().iter().map(position).collect()
    }

    /// Rows of the table, of this class, that each term covers.
    ///
    /// Terms that share a literal look at the positives that satisfy it once for all, and only at
    /// these from there on. Sets of a hundred thousand rules are like trees: their terms share nearly
    /// everything, and the positives at a leaf are few.
    pub(crate) fn rows_covered(&self, terms: &[Term]) -> Vec<u64> {
        let satisfying = |positives: &[Word], literal: usize| -> Vec<Word> {
            let with = self.satisfying_positives[literal].as_slice();
            let both = positives.iter().map(|&(i, word)| (i, word & with[i]));
            both.filter(|(_, word)| *word != 0).collect()
        };
        let rows = |positives: &[Word]| -> u64 {
            let ones = positives.iter().flat_map(|&(i, word)| bits::ones_of_word(i, word as u64));
            ones.map(|positive| self.examples.rows(self.positives[positive])).sum()
        };
        let mut counted = vec![0; terms.len()];
        let all: Vec<Word> = self.rule(&[]).coverage.as_slice().iter().copied().enumerate().collect();
        let terms = terms.iter().enumerate().map(|(i, term)| (i, self.positions(term))).collect();
        let mut open: Vec<Group> = vec![(terms, Rc::new(all), None)];
        while let Some((mut terms, positives, shared)) = open.pop() {
            let positives = shared.map_or_else(
                || Rc::clone(&positives),
                |literal| Rc::new(satisfying(&positives, literal)),
            );
            let mut uses: HashMap<usize, usize> = HashMap::new();
            for literal in terms.iter().flat_map(|(_, left)| left) {
                *uses.entry(*literal).or_default() += 1;
            }
            while let Some((n, literal)) = uses.iter().map(|(&literal, &n)| (n, literal)).max()
                && n > 1
            {
                let has = |(_, left): &Left| left.contains(&literal);
                let (mut with, without): (Vec<Left>, Vec<Left>) = terms.into_iter().partition(has);
                terms = without;
                for (_, left) in &mut with {
                    left.iter().for_each(|l| *uses.get_mut(l).expect("counted above") -= 1);
                    left.retain(|&other| other != literal);
                }
                uses.retain(|_, n| *n > 0);
                open.push((with, Rc::clone(&positives), Some(literal)));
            }
            for (term, left) in terms {
                let mut covered = Cow::Borrowed(&positives[..]);
                for literal in left {
                    covered = Cow::Owned(satisfying(&covered, literal));
                }
                counted[term] = rows(&covered);
            }
        }
        counted
    }
}

/// Of so many examples, those that satisfy all these literals.
fn satisfying_all(examples: usize, satisfying: &[Coverage], literals: &[usize]) -> Coverage {
    let mut all = Coverage::with_capacity(examples);
    all.insert_range(..);
    literals.iter().for_each(|&literal| all.intersect_with(&satisfying[literal]));
    all
}

/// A term's number and the positions of the literals still to be looked at.
type Left = (usize, Vec<usize>);
/// The number of a word of bits, and the bits.
type Word = (usize, usize);
/// Terms, the positives they are to look at, and a literal that they share and have not looked at yet.
type Group = (Vec<Left>, Rc<Vec<Word>>, Option<usize>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_problem;

    #[test]
    fn rows_are_counted_as_one_rule_at_a_time_would() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let problem = random_problem(&mut random, ClassId(0));
            let mut term = |_| {
                let all = 0..problem.literals.len();
                let some: Vec<usize> = all.filter(|_| random.u8(..4) == 0).collect();
                problem.term(&some)
            };
            let terms: Vec<Term> = (0..20).map(&mut term).collect();
            let one_by_one: Vec<u64> = terms
                .iter()
                .map(|term| {
                    let covered = problem.rule(&problem.positions(term)).coverage;
                    covered.ones().map(|i| problem.examples.rows(problem.positives[i])).sum()
                })
                .collect();
            assert_eq!(problem.rows_covered(&terms), one_by_one);
        }
    }
}
