//! Rules by search on bit sets, smaller ones first.
//!
//! Looks for terms of size 0, 1, 2, ... in turn, on a [walk](super::walk) that ends at that depth. With
//! symmetry breaking, a term is not entered if a rule found earlier covers all that it covers: that rule
//! is no larger, and coverage only shrinks further down. Starting again for each size repeats the upper
//! part of the walk, but this costs less than it saves: the smaller half of the rules cuts off the
//! larger half.

use super::walk::{Ground, Walk};
use crate::limits::{Halt, Stop};
use crate::solve::bits;
use crate::solve::class_problem::ClassProblem;
use crate::solve::rule::Rule;

/// Nodes between two looks at the request to stop.
const NODES_PER_LOOK: u64 = 1024;
/// Depth down to which dominated literals are looked for.
const DOMINATED_LITERALS_DEPTH: usize = 1;

pub(super) fn enumerate(
    problem: &ClassProblem,
    break_symmetry: bool,
    stop: &Stop,
    found: &mut dyn FnMut(Rule),
) -> Result<(), Halt> {
    let ground = Ground::new(problem);
    let walk = Walk::new(&ground);
    let known = Vec::new();
    let mut search =
        Search { problem, break_symmetry, stop, found, walk, known, size: 0, complete: true, nodes: 0 };
    for size in 0..=problem.literals.len() {
        search.size = size;
        search.complete = true;
        search.walk.restart();
        search.visit()?;
        // No branch was cut for its length alone: longer terms do not exist.
        if search.complete {
            break;
        }
    }
    Ok(())
}

struct Search<'a> {
    problem: &'a ClassProblem,
    break_symmetry: bool,
    stop: &'a Stop,
    found: &'a mut dyn FnMut(Rule),
    walk: Walk<'a>,
    /// What the rules found cover.
    known: Vec<Vec<u64>>,
    /// The size of the terms looked for.
    size: usize,
    complete: bool,
    nodes: u64,
}

impl Search<'_> {
    /// Finds all terms of the size looked for that begin with the term at hand.
    fn visit(&mut self) -> Result<(), Halt> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_PER_LOOK) && self.stop.requested() {
            return Err(Halt::Stopped);
        }
        let depth = self.walk.depth();
        if bits::is_clear(&self.walk.here().left) {
            // Shorter terms were found in an earlier round.
            if depth == self.size {
                let rule = self.problem.rule(self.walk.term());
                if self.break_symmetry {
                    self.known.push(self.walk.here().covered.clone());
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
            self.walk.forbid_dominated(|_| 1);
        }
        for literal in self.walk.branches().collect::<Vec<usize>>() {
            self.walk.forbid(literal);
            if last && !self.walk.finishes(literal) {
                self.complete = false;
            } else if self.walk.enter(literal) {
                let covered = &self.walk.here().covered;
                if !self.known.iter().any(|known| bits::is_subset(covered, known)) {
                    self.visit()?;
                }
                self.walk.leave();
            }
        }
        Ok(())
    }
}
