//! One class: a valid set of rules at once, then the paper's two stages.

use std::sync::Arc;

use crate::limits::{Halt, Stop};
use crate::solve::board::{Board, Stage};
use crate::solve::bound::IndependentBound;
use crate::solve::class_problem::ClassProblem;
use crate::solve::cover::{self, CoverProblem, News};
use crate::solve::evidence::Evidence;
use crate::solve::lazy::{self, Relaxed};
use crate::solve::learn::LearnOptions;
use crate::solve::objective::{Cost, Objective};
use crate::solve::rule::{Rule, Term};
use crate::solve::rules::{self, Part, partition};
use crate::solve::workers::Workers;

/// Rules after which stage 1 first looks for a better cover, and again whenever they double.
const FIRST_LOOK: usize = 64;
/// Bytes of coverages that are gathered to look for a better cover.
const GOOD_COVER_BYTES: usize = 256 << 20;

/// Words of bits that are looked at to drop redundant literals in the end: a tenth of a second.
const IRREDUNDANT_WORDS: usize = 200_000_000;

/// What a class starts with.
pub(crate) struct Start {
    /// Terms that cover every example.
    pub(crate) terms: Vec<Vec<usize>>,
    bound: IndependentBound,
}

/// A valid set of rules at once, then a better one and a bound.
pub(crate) fn begin(
    problem: &ClassProblem,
    options: &LearnOptions,
    stop: &Stop,
    board: &Board,
) -> Start {
    board.enter(Stage::First);
    let known = board.read().best;
    let terms = match known {
        Some(rules) => rules.iter().map(|term| problem.positions(term)).collect(),
        None => {
            let net = partition(problem);
            board.offer(terms_of(problem, &net));
            rules::first_terms(problem, &net, stop)
        }
    };
    board.offer(terms.iter().map(|term| problem.term(term)).collect());
    if !stop.requested() {
        offer_good_cover(problem, options.objective, &[], &terms, board);
    }
    let bound = IndependentBound::new(problem, &terms, options.objective, stop);
    board.raise_because(bound.value(), || Arc::new(Evidence::Apart(bound.members())));
    board.enter(Stage::Waiting);
    Start { terms, bound }
}

/// The rules of a class that nobody has begun with, when there is no time left.
pub(crate) fn safety_net(problem: &ClassProblem) -> Vec<Term> {
    terms_of(problem, &partition(problem))
}

/// The same rules without redundant literals. What a class begins with has some, and where only
/// rules count, nothing better may come. Sets so large that this would take a while stay as they
/// are: they were given because time was up.
pub(crate) fn irredundant(problem: &ClassProblem, rules: Vec<Term>) -> Vec<Term> {
    let squares: usize = rules.iter().map(|term| term.size() * term.size()).sum();
    if squares * (problem.negatives.len() / 64 + 1) > IRREDUNDANT_WORDS {
        return rules;
    }
    let reduce = |term: &Term| problem.term(&rules::without_redundant(problem, problem.positions(term)));
    rules.iter().map(reduce).collect()
}

/// The rules in order, and the rows that each covers. People read the rules that say most first; the
/// order is part of the result.
pub(crate) fn in_order(problem: &ClassProblem, rules: Vec<Term>) -> (Vec<u64>, Vec<Term>) {
    let mut rules: Vec<(u64, Term)> = problem.rows_covered(&rules).into_iter().zip(rules).collect();
    rules.sort_by(|(rows, term), (other_rows, other)| {
        other_rows.cmp(rows).then(term.size().cmp(&other.size())).then(term.cmp(other))
    });
    rules.into_iter().unzip()
}

fn terms_of(problem: &ClassProblem, parts: &[Part]) -> Vec<Term> {
    parts.iter().map(|part| problem.term(&part.literals)).collect()
}

/// The first step of the lazy method.
pub(crate) fn relax<'a>(
    problem: ClassProblem,
    start: &Start,
    options: &'a LearnOptions,
    workers: &'a Workers,
    stop: Stop,
    board: &'a Board,
) -> Result<Option<Relaxed<'a>>, Halt> {
    // A class that lost all its examples in conflicts needs no rules.
    if problem.positives.is_empty() {
        return Ok(None);
    }
    lazy::relax(problem, &start.terms, options, workers, stop, board)
}

/// The paper's two stages.
pub(crate) fn solve(
    problem: &ClassProblem,
    Start { terms: first, mut bound }: Start,
    options: &LearnOptions,
    workers: &Workers,
    stop: &Stop,
    board: &Board,
) -> Result<(), Halt> {
    // A class that lost all its examples in conflicts needs no rules.
    if problem.positives.is_empty() {
        return Ok(());
    }
    let objective = options.objective;
    let mut pool: Vec<Rule> = Vec::new();

    board.enter(Stage::Rules);
    let mut next_look = FIRST_LOOK;
    let enumerated = rules::enumerate(problem, &options.enumerate, stop, &mut |rule| {
        if bound.note(&rule) {
            board.raise(bound.value());
        }
        pool.push(rule);
        board.count(pool.len());
        if pool.len() >= next_look {
            next_look *= 2;
            offer_good_cover(problem, objective, &pool, &first, board);
        }
    });
    if enumerated.is_err() {
        offer_good_cover(problem, objective, &pool, &first, board);
    }
    enumerated?;
    log::info!("class {}: {} rules enumerated", problem.label(), pool.len());

    board.enter(Stage::Cover);
    let examples = problem.positives.len();
    let pick = |cover: &[usize]| cover.iter().map(|&rule| pool[rule].term.clone()).collect();
    let tell = &mut |news| match news {
        News::Cover(cover) => board.offer(pick(&cover)),
        News::Bound(bound) => board.raise(bound),
    };
    let cover = cover::minimum_cover(&pool, examples, options, None, (stop, workers), None, tell)?;
    board.offer(pick(&cover));
    Ok(())
}

/// Offers a cover by rules of the pool and the first terms, good but not proven; on tables so
/// large that all their coverages would not fit into memory, what was offered before must do.
pub(crate) fn offer_good_cover(
    problem: &ClassProblem,
    objective: Objective,
    pool: &[Rule],
    first: &[Vec<usize>],
    board: &Board,
) {
    if (pool.len() + first.len()) * problem.positives.len() / 8 > GOOD_COVER_BYTES {
        return;
    }
    let first: Vec<Rule> = first.iter().map(|term| problem.rule(term)).collect();
    let rules: Vec<&Rule> = pool.iter().chain(&first).collect();
    // A lexicographic cost as one number: a rule weighs more than any number of literals saved.
    let literals: u64 = rules.iter().map(|rule| rule.size() as u64).sum();
    let weigh = |Cost { first, second }: Cost| match objective.is_lexicographic() {
        true => first * (literals + 1) + second,
        false => first,
    };
    let cover = CoverProblem {
        examples: problem.positives.len(),
        coverages: rules.iter().map(|rule| rule.coverage.clone()).collect(),
        costs: rules.iter().map(|rule| weigh(objective.cost_of_rule(rule.size()))).collect(),
        max_rules: None,
    };
    let chosen = cover::greedy(&cover);
    board.offer(chosen.into_iter().map(|rule| rules[rule].term.clone()).collect());
}
