//! Valid rules in one sweep over the examples: the safety net under everything else.
//!
//! The positives are split by literals, again and again, until no negative is left in the same
//! part; the literals on the way to a part are its rule. Like a decision tree, but the negatives
//! are kept whole for the positives that do not satisfy the literal, so it works for any set of
//! literals, "is not" allowed or not. A part is handled in time linear in its examples, so that
//! even the largest table has a valid decision set at once. Small it is not.

use crate::problem::ClassProblem;
use crate::rule::Coverage;

/// Examples of each side that are looked at to choose a literal.
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
        let (positive, negative) = (self.positives[0] as usize, self.negatives[0] as usize);
        let tells_apart = |literal: &usize| {
            problem.positives_with(*literal).contains(positive)
                && !problem.negatives_with(*literal).contains(negative)
        };
        let share = |side: &[u32], with: &Coverage| {
            let step = side.len().div_ceil(SAMPLE);
            let sample = side.iter().step_by(step);
            let kept = sample.clone().filter(|example| with.contains(**example as usize)).count();
            kept as f64 / sample.count() as f64
        };
        (0..problem.literals.len())
            .filter(tells_apart)
            .map(|literal| {
                let kept = share(&self.positives, problem.positives_with(literal));
                let left = share(&self.negatives, problem.negatives_with(literal));
                (kept - left, literal)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::ClassId;
    use crate::rules::discriminates_all;
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
