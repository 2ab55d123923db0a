//! Rules by search on bit sets, in the order that stage 1 asks for.
//!
//! A consistent term is a set of literals that hits every negative (discriminates it) and misses
//! some positive. Terms of size 0, 1, 2, ... are searched for depth first. A node takes a negative
//! that its term does not discriminate yet and branches on the literals that would; a literal
//! tried is not tried again by its later siblings, so no term comes up twice (Murakami and Uno
//! 2014). Cut off are:
//!
//! - terms that cover no positive;
//! - terms with a literal that discriminates no negative alone: it stays redundant below;
//! - with symmetry breaking, terms that cover only what a rule found already covers: that rule is
//!   no larger, and coverage only shrinks further down, so nothing below is needed;
//! - at the last literal, those that leave a negative undiscriminated.
//!
//! With symmetry breaking, a literal is left out near the root of the search if another one keeps
//! all the positives that it keeps and discriminates all the negatives that it does: put in its
//! place, the other one gives a rule that covers no less.
//!
//! Going through the sizes repeats the upper levels of the search, which costs less than it saves:
//! the larger half of the rules is cut off by the smaller half.

use std::cmp::Reverse;

use crate::limits::{Halt, Stop};
use crate::problem::ClassProblem;
use crate::rule::{Coverage, Rule};

/// Nodes between two looks at the request to stop.
const NODES_PER_LOOK: u64 = 1024;
/// Depth down to which dominated literals are looked for: they take time quadratic in the literals.
const DOMINATED_LITERALS_DEPTH: usize = 1;
/// Literals beyond which they are not looked for at all.
const DOMINATED_LITERALS_MOST: usize = 4096;
/// Negatives looked at for the one with the fewest literals to branch on.
const BRANCHING_SAMPLE: usize = 16;

pub(super) fn enumerate(
    problem: &ClassProblem,
    break_symmetry: bool,
    stop: &Stop,
    found: &mut dyn FnMut(Rule),
) -> Result<(), Halt> {
    let mut search = Search::new(problem, break_symmetry, stop, found);
    for size in 0..=problem.literals.len() {
        search.size = size;
        search.complete = true;
        search.levels[0].allowed.insert_range(..);
        search.visit(0)?;
        // No branch was cut for its length alone: longer terms do not exist.
        if search.complete {
            break;
        }
    }
    Ok(())
}

/// What is known at one depth of the search.
struct Level {
    /// Positives that the term covers.
    covered: Coverage,
    /// Negatives that the term does not discriminate.
    left: Coverage,
    /// Literals that may still be added.
    allowed: Coverage,
    /// For each literal of the term, the negatives that it alone discriminates.
    alone: Vec<Coverage>,
}

struct Search<'a> {
    problem: &'a ClassProblem,
    break_symmetry: bool,
    stop: &'a Stop,
    found: &'a mut dyn FnMut(Rule),
    /// For each negative, the literals that discriminate it.
    discriminating: Vec<Coverage>,
    /// What the rules found cover.
    known: Vec<Coverage>,
    term: Vec<usize>,
    levels: Vec<Level>,
    /// The size of the terms looked for.
    size: usize,
    complete: bool,
    nodes: u64,
}

impl<'a> Search<'a> {
    fn new(
        problem: &'a ClassProblem,
        break_symmetry: bool,
        stop: &'a Stop,
        found: &'a mut dyn FnMut(Rule),
    ) -> Search<'a> {
        let all = |n: usize| {
            let mut set = Coverage::with_capacity(n);
            set.insert_range(..);
            set
        };
        let (literals, negatives) = (problem.literals.len(), problem.negatives.len());
        let mut discriminating = vec![all(literals); negatives];
        for literal in 0..literals {
            for negative in problem.negatives_with(literal).ones() {
                discriminating[negative].remove(literal);
            }
        }
        let root = Level {
            covered: all(problem.positives.len()),
            left: all(negatives),
            allowed: all(literals),
            alone: Vec::new(),
        };
        Search {
            problem,
            break_symmetry,
            stop,
            found,
            discriminating,
            known: Vec::new(),
            term: Vec::new(),
            levels: vec![root],
            size: 0,
            complete: true,
            nodes: 0,
        }
    }

    /// Finds all terms of the size looked for that begin with the term at hand.
    fn visit(&mut self, depth: usize) -> Result<(), Halt> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_PER_LOOK) && self.stop.requested() {
            return Err(Halt::Stopped);
        }
        let level = &self.levels[depth];
        if level.left.is_clear() {
            // Shorter terms were found in an earlier round.
            if depth == self.size {
                let rule = self.problem.rule(&self.term);
                if self.break_symmetry {
                    self.known.push(rule.coverage.clone());
                }
                (self.found)(rule);
            }
            return Ok(());
        }
        if depth == self.size {
            self.complete = false;
            return Ok(());
        }
        let last = depth + 1 == self.size;
        if self.break_symmetry && depth <= DOMINATED_LITERALS_DEPTH && !last {
            self.drop_dominated_literals(depth);
        }
        for literal in self.branches(depth) {
            self.levels[depth].allowed.remove(literal);
            if last && !self.levels[depth].left.is_disjoint(self.problem.negatives_with(literal)) {
                self.complete = false;
            } else if self.descend(depth, literal) {
                self.term.push(literal);
                self.visit(depth + 1)?;
                self.term.pop();
            }
        }
        Ok(())
    }

    /// Takes literals off the allowed ones that another allowed one can stand in for.
    fn drop_dominated_literals(&mut self, depth: usize) {
        let Level { covered, left, allowed, .. } = &mut self.levels[depth];
        if allowed.count_ones(..) > DOMINATED_LITERALS_MOST {
            return;
        }
        // What a literal keeps of each side, with its number.
        let mut kept: Vec<(Coverage, Coverage, usize)> = allowed
            .ones()
            .map(|literal| {
                let of = |side: &Coverage, with: &Coverage| {
                    let mut kept = side.clone();
                    kept.intersect_with(with);
                    kept
                };
                let positives = of(covered, self.problem.positives_with(literal));
                (positives, of(left, self.problem.negatives_with(literal)), literal)
            })
            .collect();
        // One that stands in for another keeps as many positives and no more negatives.
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

    /// The literals to branch on: those that discriminate the negative with the fewest of them.
    fn branches(&self, depth: usize) -> Vec<usize> {
        let Level { covered, left, allowed, .. } = &self.levels[depth];
        let choices = |negative: &usize| self.discriminating[*negative].intersection_count(allowed);
        let negative = left.ones().take(BRANCHING_SAMPLE).min_by_key(choices);
        let negative = negative.expect("only nodes with negatives left branch");
        let literals = self.discriminating[negative].intersection(allowed);
        literals.filter(|&l| !covered.is_disjoint(self.problem.positives_with(l))).collect()
    }

    /// Prepares the next level for the term with one literal more; whether it is worth a visit.
    fn descend(&mut self, depth: usize, literal: usize) -> bool {
        if self.levels.len() == depth + 1 {
            let empty = || Coverage::new();
            let (covered, left, allowed) = (empty(), empty(), empty());
            self.levels.push(Level { covered, left, allowed, alone: Vec::new() });
        }
        let (above, below) = self.levels.split_at_mut(depth + 1);
        let (above, below) = (&above[depth], &mut below[0]);

        below.covered.clone_from(&above.covered);
        below.covered.intersect_with(self.problem.positives_with(literal));
        let dominated = |known: &Coverage| below.covered.is_subset(known);
        if below.covered.is_clear() || self.known.iter().any(dominated) {
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
        true
    }
}
