//! What a class starts with: a valid set of rules at once, then a better one, and a first bound.

use std::sync::Arc;

use super::board::{Board, Stage};
use super::bound::IndependentBound;
use super::class_problem::ClassProblem;
use super::cover::{self, CoverProblem};
use super::evidence::Evidence;
use super::objective::Cost;
use super::rule::{Rule, Term};
use super::rules::{self, Part, partition};
use crate::limits::Stop;

/// Bytes of coverages that are gathered to look for a better cover.
const GOOD_COVER_BYTES: usize = 256 << 20;

/// What a class starts with.
pub(crate) struct Start {
    /// Terms that cover every example.
    pub(crate) terms: Vec<Vec<usize>>,
    pub(super) bound: IndependentBound,
}

/// Posts valid rules at once, then better ones and a bound.
pub(crate) fn begin(problem: &ClassProblem, stop: &Stop, board: &Board) -> Start {
    board.enter(Stage::First);
    let known = board.read().best;
    let terms = match known {
        Some(rules) => rules.iter().map(|term| problem.positions(term)).collect(),
        None => {
            let net = partition(problem);
            offer(problem, terms_of(problem, &net), board);
            rules::first_terms(problem, &net, stop)
        }
    };
    offer(problem, terms.iter().map(|term| problem.term(term)).collect(), board);
    if !stop.requested() {
        offer_good_cover(problem, &[], &terms, board);
    }
    let bound = IndependentBound::new(problem, &terms, stop);
    board.raise_because(bound.value(), || Arc::new(Evidence::Apart(bound.members())));
    board.enter(Stage::Waiting);
    Start { terms, bound }
}

impl Start {
    /// Nothing: no rules are rules, too, where examples may be left out.
    pub(crate) fn without_rules(problem: &ClassProblem, board: &Board) -> Start {
        offer(problem, Vec::new(), board);
        Start { terms: Vec::new(), bound: IndependentBound::nothing(problem) }
    }
}

/// The rules of a class that nobody has begun with, when there is no time left.
pub(crate) fn safety_net(problem: &ClassProblem) -> Vec<Term> {
    terms_of(problem, &partition(problem))
}

/// Posts terms that are known to be valid together.
pub(super) fn offer(problem: &ClassProblem, terms: Vec<Term>, board: &Board) {
    let cost = problem.cost(&terms);
    board.offer(terms, cost);
}

/// Offers a cover by rules of the pool and the first terms, good but not proven; on tables so
/// large that all their coverages would not fit into memory, what was offered before must do.
pub(super) fn offer_good_cover(
    problem: &ClassProblem,
    pool: &[Rule],
    first: &[Vec<usize>],
    board: &Board,
) {
    if (pool.len() + first.len()) * problem.positives.len() / 8 > GOOD_COVER_BYTES {
        return;
    }
    let first: Vec<Rule> = first.iter().map(|term| problem.rule(term)).collect();
    let rules: Vec<&Rule> = pool.iter().chain(&first).collect();
    let weigh = one_weight(rules.iter().copied());
    let cover =
        CoverProblem::new(problem.positives.len(), rules.iter().copied(), |rule| weigh(rule.cost));
    board.offer_rules(cover::greedy(&cover).iter().map(|&rule| rules[rule]));
}

/// Costs of these rules as one number each: a unit of the first part weighs more than any saving in the
/// second.
pub(crate) fn one_weight<'r>(rules: impl Iterator<Item = &'r Rule>) -> impl Fn(Cost) -> u64 {
    let unit = 1 + rules.map(|rule| rule.cost.second).sum::<u64>();
    move |Cost { first, second }| first * unit + second
}

fn terms_of(problem: &ClassProblem, parts: &[Part]) -> Vec<Term> {
    parts.iter().map(|part| problem.term(&part.literals)).collect()
}
