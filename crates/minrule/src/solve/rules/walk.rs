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
use std::sync::Arc;

use minrule_native::kernels::fewest_common;

use crate::solve::bits::{self, BitMatrix};
use crate::solve::class_problem::ClassProblem;

/// Negatives looked at for the one with the fewest literals to branch on.
const BRANCHING_SAMPLE: usize = 64;
/// Literals beyond which dominated ones are not looked for: that takes quadratic time.
const DOMINATED_LITERALS_MOST: usize = 4096;
/// Words of bits that may be looked at to find the negatives nearest to a positive.
const NEAREST_WORK: usize = 1_000_000;

/// A class as bit matrices, with the order of examples that suits the search.
#[derive(Debug, Clone)]
pub(crate) struct Ground {
    pub(crate) literals: usize,
    pub(crate) positives: usize,
    pub(crate) negatives: usize,
    /// Of each literal, the positives that satisfy it.
    positives_with: Arc<BitMatrix>,
    /// Of each literal, the negatives that satisfy it.
    negatives_with: Arc<BitMatrix>,
    /// Of each negative, the literals that discriminate it.
    discriminating: Arc<BitMatrix>,
}

impl Ground {
    /// The whole class.
    pub(crate) fn new(problem: &ClassProblem) -> Ground {
        let (literals, negatives) = (problem.literals.len(), problem.negatives.len());
        // The negatives that are most like the positives leave the fewest useful literals: first.
        let mut likeness = vec![0; negatives];
        for literal in 0..literals {
            let common = problem.positives_with(literal).count_ones(..);
            problem.negatives_with(literal).ones().for_each(|negative| likeness[negative] += common);
        }
        let mut order: Vec<usize> = (0..negatives).collect();
        order.sort_by_key(|&negative| (Reverse(likeness[negative]), negative));

        let mut negatives_with = BitMatrix::new(literals, negatives);
        let mut discriminating = BitMatrix::new(negatives, literals);
        for literal in 0..literals {
            let with = problem.negatives_with(literal);
            for (position, &negative) in order.iter().enumerate() {
                match with.contains(negative) {
                    true => negatives_with.insert(literal, position),
                    false => discriminating.insert(position, literal),
                }
            }
        }
        let ground = Ground {
            literals,
            positives: 0,
            negatives,
            positives_with: Arc::default(),
            negatives_with: Arc::new(negatives_with),
            discriminating: Arc::new(discriminating),
        };
        let all: Vec<usize> = (0..problem.positives.len()).collect();
        ground.of_positives(problem, &all)
    }

    /// This ground with only the given positives, in this order.
    pub(crate) fn of_positives(&self, problem: &ClassProblem, chosen: &[usize]) -> Ground {
        let mut positives_with = BitMatrix::new(self.literals, chosen.len());
        for literal in 0..self.literals {
            let with = problem.positives_with(literal);
            for (position, &positive) in chosen.iter().enumerate() {
                if with.contains(positive) {
                    positives_with.insert(literal, position);
                }
            }
        }
        let positives_with = Arc::new(positives_with);
        Ground { positives: chosen.len(), positives_with, ..self.clone() }
    }

    /// This ground with only the given negatives, in this order.
    pub(crate) fn of_negatives(&self, chosen: &[u32]) -> Ground {
        let mut negatives_with = BitMatrix::new(self.literals, chosen.len());
        let mut discriminating = BitMatrix::new(chosen.len(), self.literals);
        for (position, &negative) in chosen.iter().enumerate() {
            let row = self.discriminating.row(negative as usize);
            (0..self.literals).for_each(|literal| match bits::contains(row, literal) {
                true => discriminating.insert(position, literal),
                false => negatives_with.insert(literal, position),
            });
        }
        Ground {
            negatives: chosen.len(),
            negatives_with: Arc::new(negatives_with),
            discriminating: Arc::new(discriminating),
            ..self.clone()
        }
    }

    /// Negatives that suffice for terms of these literals: whatever discriminates them discriminates all.
    ///
    /// A negative that more of the literals discriminate than another one, and all that discriminate the other,
    /// goes with it: of a positive's literals, those of the nearest negatives remain (the rows of the blocking
    /// matrix that are minimal, Brayton et al. 1984). The most alike come first.
    pub(crate) fn nearest_negatives(&self, literals: &[u64]) -> Vec<u32> {
        let rows: Vec<u64> = self
            .discriminating
            .rows()
            .iter()
            .zip(literals.iter().cycle())
            .map(|(row, literals)| row & literals)
            .collect();
        let words = literals.len();
        let row = |negative: u32| &rows[negative as usize * words..][..words];
        let mut order: Vec<(usize, u32)> =
            (0..self.negatives as u32).map(|negative| (bits::count(row(negative)), negative)).collect();
        order.sort_unstable();
        let compared = NEAREST_WORK / rows.len().max(1);
        let mut nearest: Vec<u32> = Vec::new();
        for (_, negative) in order {
            let goes_with = |&other: &u32| bits::is_subset(row(other), row(negative));
            if !nearest.iter().take(compared).any(goes_with) {
                nearest.push(negative);
            }
        }
        nearest
    }

    pub(crate) fn positives_with(&self, literal: usize) -> &[u64] {
        self.positives_with.row(literal)
    }

    pub(crate) fn negatives_with(&self, literal: usize) -> &[u64] {
        self.negatives_with.row(literal)
    }
}

/// What is known at one depth.
#[derive(Default)]
pub(crate) struct Level {
    /// Positives that the term covers.
    pub(crate) covered: Vec<u64>,
    /// Negatives that the term does not discriminate.
    pub(crate) left: Vec<u64>,
    /// Literals that may still be added.
    pub(crate) allowed: Vec<u64>,
    /// For each literal of the term, the negatives that it alone discriminates.
    alone: Vec<u64>,
}

/// A term and all its beginnings.
pub(crate) struct Walk<'g> {
    ground: &'g Ground,
    term: Vec<usize>,
    /// One for each beginning of the term, and perhaps old ones whose memory is used again.
    levels: Vec<Level>,
}

impl<'g> Walk<'g> {
    pub(crate) fn new(ground: &'g Ground) -> Walk<'g> {
        let mut walk = Walk { ground, term: Vec::new(), levels: Vec::new() };
        walk.restart();
        walk
    }

    /// Back to the empty term, with every literal allowed.
    pub(crate) fn restart(&mut self) {
        self.term.clear();
        self.levels.truncate(1);
        self.levels.resize_with(1, Level::default);
        let root = &mut self.levels[0];
        root.covered = bits::full(self.ground.positives);
        root.left = bits::full(self.ground.negatives);
        root.allowed = bits::full(self.ground.literals);
    }

    /// Goes to a term that was entered before, with these literals allowed from there on.
    pub(crate) fn go_to(&mut self, term: &[usize], allowed: &[u64]) {
        self.restart();
        for &literal in term {
            let entered = self.enter(literal);
            debug_assert!(entered, "the term was entered before");
        }
        self.here_mut().allowed.copy_from_slice(allowed);
    }

    /// Back to the empty term, to be made of these literals only; of what terms cover, only the positives from
    /// this one on count.
    pub(crate) fn restart_from(&mut self, positive: usize, literals: &[u64]) {
        self.restart();
        let root = self.here_mut();
        bits::clear_below(&mut root.covered, positive);
        root.allowed.copy_from_slice(literals);
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

    pub(crate) fn here_mut(&mut self) -> &mut Level {
        &mut self.levels[self.term.len()]
    }

    /// What was known one literal ago.
    pub(crate) fn above(&self) -> Option<&Level> {
        self.term.len().checked_sub(1).map(|depth| &self.levels[depth])
    }

    /// The literals to branch on: those that discriminate the negative with the fewest of them.
    pub(crate) fn branches(&self) -> impl Iterator<Item = usize> {
        let Level { left, allowed, .. } = self.here();
        let rows = self.ground.discriminating.rows();
        let negative = fewest_common(rows, allowed, left, BRANCHING_SAMPLE);
        bits::ones_of_both(self.ground.discriminating.row(negative), allowed)
    }

    /// Whether this literal would leave no negative.
    pub(crate) fn finishes(&self, literal: usize) -> bool {
        bits::is_disjoint(&self.here().left, self.ground.negatives_with(literal))
    }

    /// Whether every literal of the term still discriminates a negative alone, with one more.
    pub(crate) fn stays_irredundant(&self, literal: usize) -> bool {
        let still = self.ground.negatives_with(literal);
        let mut alone = self.here().alone.chunks_exact(still.len().max(1));
        alone.all(|alone| !bits::is_disjoint(alone, still))
    }

    /// From now on, no longer term that begins with this one gets the literal.
    pub(crate) fn forbid(&mut self, literal: usize) {
        bits::remove(&mut self.here_mut().allowed, literal);
    }

    /// Adds a literal, if the longer term covers anything and has no redundant literal.
    pub(crate) fn enter(&mut self, literal: usize) -> bool {
        if !self.stays_irredundant(literal) {
            return false;
        }
        let depth = self.depth();
        if self.levels.len() == depth + 1 {
            self.levels.push(Level::default());
        }
        let (above, below) = self.levels.split_at_mut(depth + 1);
        let (above, below) = (&above[depth], &mut below[0]);
        let with = self.ground.positives_with(literal);
        if !bits::intersect_into(&mut below.covered, &above.covered, with) {
            return false;
        }
        let still = self.ground.negatives_with(literal);
        bits::intersect_into(&mut below.left, &above.left, still);
        below.alone.clear();
        for alone in above.alone.chunks_exact(still.len().max(1)) {
            below.alone.extend(alone.iter().zip(still).map(|(alone, still)| alone & still));
        }
        below.alone.extend(above.left.iter().zip(still).map(|(left, still)| left & !still));
        below.allowed.clone_from(&above.allowed);
        self.term.push(literal);
        true
    }

    /// Takes back the last literal.
    pub(crate) fn leave(&mut self) {
        self.term.pop();
    }

    /// Forbids literals that another allowed one can stand in for: it keeps all the positives that
    /// this one keeps, discriminates all the negatives that this one does, and costs no more. In its
    /// place, the other one gives a rule of the same size that covers no less.
    pub(crate) fn forbid_dominated(&mut self, cost: impl Fn(usize) -> i32) {
        let ground = self.ground;
        let Level { covered, left, allowed, .. } = self.here_mut();
        if bits::count(allowed) > DOMINATED_LITERALS_MOST {
            return;
        }
        let kept_of = |side: &[u64], with: &[u64]| {
            let mut kept = Vec::new();
            bits::intersect_into(&mut kept, side, with);
            kept
        };
        let mut kept: Vec<(Vec<u64>, Vec<u64>, usize)> = bits::ones(allowed)
            .map(|literal| {
                let positives = kept_of(covered, ground.positives_with(literal));
                (positives, kept_of(left, ground.negatives_with(literal)), literal)
            })
            .collect();
        // One that stands in for another keeps no fewer positives and no more negatives.
        kept.sort_by_cached_key(|(positives, negatives, literal)| {
            (Reverse(bits::count(positives)), bits::count(negatives), cost(*literal), *literal)
        });
        let mut stay: Vec<&(Vec<u64>, Vec<u64>, usize)> = Vec::new();
        for candidate in &kept {
            let (positives, negatives, literal) = candidate;
            let dominated = bits::is_clear(positives)
                || stay.iter().any(|(p, n, other)| {
                    cost(*other) <= cost(*literal)
                        && bits::is_subset(positives, p)
                        && bits::is_subset(n, negatives)
                });
            if dominated {
                bits::remove(allowed, *literal);
            } else {
                stay.push(candidate);
            }
        }
    }
}
