//! The paper's two stages for one class: enumerate its rules, then choose the smallest cover.

use super::board::{Board, Stage};
use super::class_problem::ClassProblem;
use super::cover::{self, CoverMethod, News};
use super::rule::Rule;
use super::rules::{self, EnumerateOptions};
use super::start::{Start, offer_good_cover};
use super::workers::Workers;
use crate::limits::{Halt, Stop};

/// Rules after which stage 1 first looks for a better cover, and again whenever they double.
const FIRST_LOOK: usize = 64;

/// Takes a class to the proof.
pub(crate) fn solve(
    problem: &ClassProblem,
    Start { terms: first, mut bound }: Start,
    enumerate: &EnumerateOptions,
    cover: CoverMethod,
    workers: &Workers,
    stop: &Stop,
    board: &Board,
) -> Result<(), Halt> {
    // A class that lost all its examples in conflicts needs no rules.
    if problem.positives.is_empty() {
        return Ok(());
    }
    let mut pool: Vec<Rule> = Vec::new();

    board.enter(Stage::Rules);
    let mut next_look = FIRST_LOOK;
    let enumerated = rules::enumerate(problem, enumerate, stop, &mut |rule| {
        if bound.note(&rule) {
            board.raise(bound.value());
        }
        pool.push(rule);
        board.count(pool.len());
        if pool.len() >= next_look {
            next_look *= 2;
            offer_good_cover(problem, &pool, &first, board);
        }
    });
    if enumerated.is_err() {
        offer_good_cover(problem, &pool, &first, board);
    }
    enumerated?;
    log::info!("class {}: {} rules enumerated", problem.label(), pool.len());

    board.enter(Stage::Cover);
    let offer = |cover: &[usize]| board.offer_rules(cover.iter().map(|&rule| &pool[rule]));
    let tell = &mut |news| match news {
        News::Cover(cover) => offer(&cover),
        News::Bound(bound) => board.raise(bound),
    };
    let cover = cover::minimum_cover(&pool, problem, cover, None, (stop, workers), tell)?;
    offer(&cover);
    Ok(())
}
