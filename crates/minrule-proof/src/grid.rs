//! The examples of one class and all others, as the checker sees them.

use crate::bits::Bits;

/// Rows of a table that no feature tells apart.
#[derive(Debug, Clone)]
pub struct Example {
    /// The features they have.
    pub features: Vec<bool>,
    /// How many rows, or what they weigh together. Only rules that may be wrong care.
    pub rows: u64,
}

impl Example {
    /// One row.
    pub fn of(features: Vec<bool>) -> Example {
        Example { features, rows: 1 }
    }
}

/// One class against the rest: which literals each example satisfies.
///
/// Literals are numbers as in other formats of logic: feature 1 is `1`, and `-1` its negation.
#[derive(Debug)]
pub struct Grid {
    /// The literals that rules may use.
    literals: Vec<i32>,
    pub(crate) positives: usize,
    pub(crate) negatives: usize,
    /// Rows of the table that look like each positive and are of the class.
    pub(crate) positive_rows: Vec<u64>,
    /// Rows that look like each negative and are of other classes.
    pub(crate) negative_rows: Vec<u64>,
    /// Of each literal, the positives that satisfy it.
    pub(crate) positives_with: Vec<Bits>,
    /// Of each literal, the negatives that satisfy it.
    pub(crate) negatives_with: Vec<Bits>,
}

impl Grid {
    /// A grid of examples; rules may use these literals.
    ///
    /// Positives are numbered in an order of their own, so that a certificate and its checker mean the
    /// same ones however the rows stand: by the first feature, false before true, then by the next.
    pub fn new(literals: &[i32], mut positives: Vec<Example>, negatives: &[Example]) -> Grid {
        positives.sort_unstable_by(|a, b| a.features.cmp(&b.features));
        let with = |examples: &[Example], literal: i32| {
            let mut with = Bits::none(examples.len());
            for (i, example) in examples.iter().enumerate() {
                if example.features[literal.unsigned_abs() as usize - 1] == (literal > 0) {
                    with.insert(i);
                }
            }
            with
        };
        let rows = |examples: &[Example]| examples.iter().map(|example| example.rows).collect();
        Grid {
            literals: literals.to_vec(),
            positives: positives.len(),
            negatives: negatives.len(),
            positive_rows: rows(&positives),
            negative_rows: rows(negatives),
            positives_with: literals.iter().map(|&literal| with(&positives, literal)).collect(),
            negatives_with: literals.iter().map(|&literal| with(negatives, literal)).collect(),
        }
    }

    /// How many literals rules may use.
    pub(crate) fn literals(&self) -> usize {
        self.literals.len()
    }

    /// The literal at a place in the list.
    pub(crate) fn literal(&self, place: usize) -> i32 {
        self.literals[place]
    }

    /// The place of a literal in the list.
    pub(crate) fn place(&self, literal: i32) -> Option<usize> {
        self.literals.iter().position(|&known| known == literal)
    }

    /// A term to be shown.
    pub(crate) fn words(&self, term: &[usize]) -> String {
        let literals: Vec<String> = term.iter().map(|&i| self.literals[i].to_string()).collect();
        format!("the rule ({})", literals.join(" "))
    }

    /// The positives that a term covers.
    pub(crate) fn covered(&self, term: &[usize]) -> Bits {
        let mut covered = Bits::all(self.positives);
        term.iter().for_each(|&literal| covered.intersect(&self.positives_with[literal]));
        covered
    }

    /// Rows of other classes that a term covers.
    pub(crate) fn wrong(&self, term: &[usize]) -> u64 {
        let mut covered = Bits::all(self.negatives);
        term.iter().for_each(|&literal| covered.intersect(&self.negatives_with[literal]));
        covered.iter().map(|negative| self.negative_rows[negative]).sum()
    }

    /// Whether a term discriminates every negative.
    pub(crate) fn is_consistent(&self, term: impl IntoIterator<Item = usize>) -> bool {
        let mut left = Bits::all(self.negatives);
        for literal in term {
            left.intersect(&self.negatives_with[literal]);
        }
        left.is_empty()
    }
}
