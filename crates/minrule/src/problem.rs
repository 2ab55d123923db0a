//! One class against the rest: what both stages work on.

use std::sync::Arc;

use crate::examples::Examples;
use crate::export::one_line;
use crate::rule::{ClassId, Coverage, Literal, Rule, Term};

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
    examples: Arc<Examples>,
    satisfying_positives: Vec<Coverage>,
    satisfying_negatives: Vec<Coverage>,
}

impl ClassProblem {
    /// Sets up the problem of one class.
    pub fn new(examples: &Arc<Examples>, literals: &[Literal], class: ClassId) -> ClassProblem {
        let mut literals = literals.to_vec();
        literals.sort_unstable();
        let (positives, negatives) = examples.split(class);
        let columns = |side: &[usize]| -> Vec<Coverage> {
            let with_feature = examples.columns(side);
            let with_literal = |literal: &Literal| {
                let mut column = with_feature[literal.feature.0 as usize].clone();
                if !literal.positive {
                    column.toggle_range(..);
                }
                column
            };
            literals.iter().map(with_literal).collect()
        };
        ClassProblem {
            satisfying_positives: columns(&positives),
            satisfying_negatives: columns(&negatives),
            literals,
            positives,
            negatives,
            class,
            examples: Arc::clone(examples),
        }
    }

    /// The class.
    pub(crate) fn class(&self) -> ClassId {
        self.class
    }

    /// The label of the class, for the log.
    pub(crate) fn label(&self) -> String {
        one_line(&self.examples.classes[self.class.0 as usize])
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

    /// The rule of the literals at these positions. The caller vouches that it discriminates
    /// every negative; [`check`](crate::check) makes sure in the end.
    pub(crate) fn rule(&self, literals: &[usize]) -> Rule {
        let mut coverage = Coverage::with_capacity(self.positives.len());
        coverage.insert_range(..);
        for &literal in literals {
            coverage.intersect_with(&self.satisfying_positives[literal]);
        }
        Rule { term: self.term(literals), coverage }
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

    /// Rows of the table, of this class, that a term covers.
    pub(crate) fn rows_covered(&self, term: &Term) -> u64 {
        let literals = self.positions(term);
        let rows = |i| self.examples.rows(self.positives[i]);
        self.rule(&literals).coverage.ones().map(rows).sum()
    }
}
