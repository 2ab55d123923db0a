//! Walking through the consistent terms of a class, depth first, on bit sets.
//!
//! A consistent term is a set of literals that hits every negative (discriminates it) and misses
//! some positive. A node of the walk takes a negative that its term does not discriminate yet and
//! branches on the literals that would; a literal tried is forbidden to its later siblings, so no
//! term comes up twice (Murakami and Uno 2014). Terms that cover nothing, or that have a literal
//! which discriminates no negative alone, are not entered: neither changes further down.
//!
//! What to look for, and which branches to leave out, is up to the searches that use this.

use std::cmp::Reverse;

use crate::problem::ClassProblem;
use crate::rule::Coverage;

/// Negatives looked at for the one with the fewest literals to branch on.
const BRANCHING_SAMPLE: usize = 16;
/// Literals beyond which dominated ones are not looked for: that takes quadratic time.
const DOMINATED_LITERALS_MOST: usize = 4096;

/// What is known at one depth.
#[derive(Default)]
pub(crate) struct Level {
    /// Positives that the term covers.
    pub(crate) covered: Coverage,
    /// Negatives that the term does not discriminate.
    pub(crate) left: Coverage,
    /// Literals that may still be added.
    allowed: Coverage,
    /// For each literal of the term, the negatives that it alone discriminates.
    alone: Vec<Coverage>,
}

/// A term and all its beginnings.
pub(crate) struct Walk<'p> {
    problem: &'p ClassProblem,
    /// For each negative, the literals that discriminate it.
    discriminating: Vec<Coverage>,
    term: Vec<usize>,
    /// One for each beginning of the term, and perhaps old ones whose memory is used again.
    levels: Vec<Level>,
}

impl<'p> Walk<'p> {
    pub(crate) fn new(problem: &'p ClassProblem) -> Walk<'p> {
        let mut discriminating = vec![full(problem.literals.len()); problem.negatives.len()];
        for literal in 0..problem.literals.len() {
            for negative in problem.negatives_with(literal).ones() {
                discriminating[negative].remove(literal);
            }
        }
        let mut walk = Walk { problem, discriminating, term: Vec::new(), levels: Vec::new() };
        walk.restart();
        walk
    }

    /// Back to the empty term, with every literal allowed.
    pub(crate) fn restart(&mut self) {
        self.term.clear();
        self.levels.truncate(1);
        self.levels.resize_with(1, Level::default);
        let root = &mut self.levels[0];
        root.covered = full(self.problem.positives.len());
        root.left = full(self.problem.negatives.len());
        root.allowed = full(self.problem.literals.len());
    }

    /// The literals of the term, as positions in the problem's.
    pub(crate) fn term(&self) -> &[usize] {
        &self.term
    }

    pub(crate) fn depth(&self) -> usize {
        self.term.len()
    }

    pub(crate) fn here(&self) -> &Level {
        &self.levels[self.term.len()]
    }

    /// The literals to branch on: those that discriminate the negative with the fewest of them.
    pub(crate) fn branches(&self) -> impl Iterator<Item = usize> {
        let Level { left, allowed, .. } = self.here();
        let choices = |negative: &usize| self.discriminating[*negative].intersection_count(allowed);
        let negative = left.ones().take(BRANCHING_SAMPLE).min_by_key(choices);
        let negative = negative.expect("only nodes with negatives left branch");
        self.discriminating[negative].intersection(allowed)
    }

    /// The literals each of which discriminates all the negatives left.
    pub(crate) fn finishing(&self) -> Coverage {
        let Level { left, allowed, .. } = self.here();
        let mut finishing = allowed.clone();
        for negative in left.ones() {
            finishing.intersect_with(&self.discriminating[negative]);
            if finishing.is_clear() {
                break;
            }
        }
        finishing
    }

    /// From now on, no longer term that begins with this one gets the literal.
    pub(crate) fn forbid(&mut self, literal: usize) {
        let depth = self.depth();
        self.levels[depth].allowed.remove(literal);
    }

    /// Adds a literal, if the longer term covers anything and has no redundant literal.
    pub(crate) fn enter(&mut self, literal: usize) -> bool {
        let depth = self.depth();
        if self.levels.len() == depth + 1 {
            self.levels.push(Level::default());
        }
        let (above, below) = self.levels.split_at_mut(depth + 1);
        let (above, below) = (&above[depth], &mut below[0]);

        below.covered.clone_from(&above.covered);
        below.covered.intersect_with(self.problem.positives_with(literal));
        if below.covered.is_clear() {
            return false;
        }
        let still = self.problem.negatives_with(literal);
        below.alone.resize_with(depth + 1, Coverage::new);
        for (below, above) in below.alone.iter_mut().zip(&above.alone) {
            below.clone_from(above);
            below.intersect_with(still);
            if below.is_clear() {
                return false;
            }
        }
        let own = &mut below.alone[depth];
        own.clone_from(&above.left);
        own.difference_with(still);
        below.left.clone_from(&above.left);
        below.left.intersect_with(still);
        below.allowed.clone_from(&above.allowed);
        self.term.push(literal);
        true
    }

    /// Takes back the last literal.
    pub(crate) fn leave(&mut self) {
        self.term.pop();
    }

    /// Forbids literals that another allowed one can stand in for: it keeps all the positives that
    /// this one keeps and discriminates all the negatives that this one does. In its place, the
    /// other one gives a rule of the same size that covers no less.
    pub(crate) fn forbid_dominated(&mut self) {
        let depth = self.depth();
        let Level { covered, left, allowed, .. } = &mut self.levels[depth];
        if allowed.count_ones(..) > DOMINATED_LITERALS_MOST {
            return;
        }
        let kept_of = |side: &Coverage, with: &Coverage| {
            let mut kept = side.clone();
            kept.intersect_with(with);
            kept
        };
        let mut kept: Vec<(Coverage, Coverage, usize)> = allowed
            .ones()
            .map(|literal| {
                let positives = kept_of(covered, self.problem.positives_with(literal));
                (positives, kept_of(left, self.problem.negatives_with(literal)), literal)
            })
            .collect();
        // One that stands in for another keeps no fewer positives and no more negatives.
        kept.sort_by_cached_key(|(positives, negatives, literal)| {
            (Reverse(positives.count_ones(..)), negatives.count_ones(..), *literal)
        });
        let mut stay: Vec<&(Coverage, Coverage, usize)> = Vec::new();
        for candidate in &kept {
            let (positives, negatives, literal) = candidate;
            let dominated = positives.is_clear()
                || stay.iter().any(|(p, n, _)| positives.is_subset(p) && n.is_subset(negatives));
            if dominated {
                allowed.remove(*literal);
            } else {
                stay.push(candidate);
            }
        }
    }
}

fn full(n: usize) -> Coverage {
    let mut set = Coverage::with_capacity(n);
    set.insert_range(..);
    set
}
