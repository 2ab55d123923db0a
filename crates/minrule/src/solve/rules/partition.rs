//! Valid rules in one sweep over the examples: the safety net under everything else.
//!
//! The positives are split by literals until no negative is left in the same part; the literals on the
//! way to a part are its rule. This resembles a decision tree, but positives that do not satisfy the
//! literal keep all the negatives, so it works with any set of literals, whether "is not" is allowed or
//! not. A part takes time linear in its examples, so even the largest table has a valid decision set at
//! once. It is not a small one.

use crate::data::examples::Examples;
use crate::data::literal::Literal;
use crate::solve::class_problem::ClassProblem;

/// Examples of each side that are looked at to choose a literal: as many as a word has bits.
const SAMPLE: usize = 64;

/// A consistent term and the positives that were split off by it (it may cover others too).
pub(crate) struct Part {
    /// Positions in the problem's literals.
    pub(crate) literals: Vec<usize>,
    pub(crate) positives: Vec<u32>,
}

/// Splits the positives into parts, each with a consistent term that covers it.
pub(crate) fn partition(problem: &ClassProblem) -> Vec<Part> {
    let mut done = Vec::new();
    let mut open = vec![Node {
        literals: Vec::new(),
        positives: (0..problem.positives.len() as u32).collect(),
        negatives: (0..problem.negatives.len() as u32).collect(),
    }];
    while let Some(mut node) = open.pop() {
        if node.positives.is_empty() {
            continue;
        }
        if node.negatives.is_empty() {
            done.push(Part { literals: node.literals, positives: node.positives });
            continue;
        }
        let literal = node.choose(problem);
        let inside = node.split_off(problem, literal);
        open.push(node);
        open.push(inside);
    }
    done
}

struct Node {
    literals: Vec<usize>,
    positives: Vec<u32>,
    /// Those that satisfy all of `literals`.
    negatives: Vec<u32>,
}

impl Node {
    /// A literal that some positive satisfies and some negative does not: of those that tell the
    /// first of each apart, the one that keeps most positives and fewest negatives of a sample.
    fn choose(&self, problem: &ClassProblem) -> usize {
        let positives = Sample::new(problem.examples(), &problem.positives, &self.positives);
        let negatives = Sample::new(problem.examples(), &problem.negatives, &self.negatives);
        let tells_apart =
            |literal: Literal| positives.with(literal) & 1 == 1 && negatives.with(literal) & 1 == 0;
        (0..problem.literals.len())
            .filter(|&literal| tells_apart(problem.literals[literal]))
            .map(|literal| {
                let with = problem.literals[literal];
                (positives.share_with(with) - negatives.share_with(with), literal)
            })
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .expect("examples of different classes differ in some literal")
            .1
    }

    /// Takes out the positives that satisfy a literal, with the negatives that do too.
    fn split_off(&mut self, problem: &ClassProblem, literal: usize) -> Node {
        let (with, negatives_with) = (problem.positives_with(literal), problem.negatives_with(literal));
        let (positives, others) =
            self.positives.iter().partition(|example| with.contains(**example as usize));
        let negatives = self.negatives.iter().copied();
        let negatives = negatives.filter(|&example| negatives_with.contains(example as usize)).collect();
        self.positives = others;
        let mut literals = self.literals.clone();
        literals.push(literal);
        Node { literals, positives, negatives }
    }
}

/// Some examples of a side, the first one among them.
struct Sample {
    /// Which of them have each feature: bit `i` is the `i`-th.
    having: Vec<u64>,
    all: u64,
}

impl Sample {
    fn new(examples: &Examples, side: &[usize], members: &[u32]) -> Sample {
        let sample = members.iter().step_by(members.len().div_ceil(SAMPLE));
        let sample: Vec<usize> = sample.map(|&member| side[member as usize]).collect();
        Sample { having: examples.having(&sample), all: u64::MAX >> (SAMPLE - sample.len()) }
    }

    fn with(&self, literal: Literal) -> u64 {
        let having = self.having[literal.feature.0 as usize];
        if literal.positive { having } else { self.all & !having }
    }

    fn share_with(&self, literal: Literal) -> f64 {
        f64::from(self.with(literal).count_ones()) / f64::from(self.all.count_ones())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::literal::ClassId;
    use crate::solve::rules::discriminates_all;
    use crate::testing::random_problem;

    #[test]
    fn every_positive_is_in_one_part_that_its_term_covers() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..300 {
            let problem = random_problem(&mut random, ClassId(0));
            let mut seen = vec![0; problem.positives.len()];
            for part in partition(&problem) {
                assert!(discriminates_all(&problem, &part.literals));
                let covered = problem.rule(&part.literals).coverage;
                for positive in part.positives {
                    assert!(covered.contains(positive as usize));
                    seen[positive as usize] += 1;
                }
            }
            assert!(seen.iter().all(|&times| times == 1));
        }
    }
}
