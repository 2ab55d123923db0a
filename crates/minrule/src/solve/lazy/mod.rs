//! The lazy method: generate only the rules that can matter.
//!
//! 1. *Relaxation* ([`relax`]). The linear relaxation of the cover, over the rules known so far,
//!    puts a price on each example. A rule that is worth more than it costs at these prices is
//!    missing; the most attractive ones are added, and the prices change. When there is none, the
//!    prices add up to a lower bound over *all* rules, known or not.
//! 2. *Good covers* ([`dive`]). If the bound meets the best cover, it is optimal.
//! 3. *Gap* ([`gap`]). Otherwise a cheaper cover can only use rules that miss their cost by less
//!    than the gap between the two. All of these are enumerated, and the smallest cover among them
//!    is optimal.
//!
//! Prices are rounded to integers before the search for missing rules, so the bound is exact
//! whatever the LP solver's arithmetic was. (Gilmore and Gomory 1961 for the first step; the last
//! one is reduced-cost fixing turned around.)

mod dive;
mod gap;
mod price;
mod relax;
mod weights;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::limits::{Halt, Stop};
use crate::solve::board::{Board, Stage};
use crate::solve::class_problem::ClassProblem;
use crate::solve::cover::{self, CoverMethod, CoverProblem, News};
use crate::solve::evidence::{Evidence, Log};
use crate::solve::rule::{Rule, Term};
use crate::solve::rules::walk::Ground;
use crate::solve::workers::Workers;
use gap::Gap;
use price::Rates;
use relax::Relaxation;
use weights::Weights;

/// Rules within the gap that need no better cover first.
const SMALL_GAP: usize = 2_000;
/// How long a class that is stopped still looks for a better cover among the rules it has generated: a third
/// of what solvers have to answer in.
pub(super) const LAST_LOOK: Duration = Duration::from_millis(100);
/// LPs of a search for a good cover among the rules near the prices.
const MORE_SOLVES: u64 = 2_000;
/// A gap with many rules is worth a look at these parts of it first: a better cover makes it smaller.
const PARTS: [i32; 2] = [4, 2];

/// A class whose relaxation was solved, or begun.
pub(crate) struct Relaxed<'a> {
    lazy: Lazy<'a>,
    relaxation: Relaxation,
    /// Whether the prices hold for all rules.
    complete: bool,
}

/// Step 1 for a class, starting from terms that cover every example; nothing, if these are the
/// proof already. Where the turn of `stop` ends, the rest is left to [`Relaxed::prove`].
pub(crate) fn relax<'a>(
    problem: ClassProblem,
    first: &[Vec<usize>],
    cover: CoverMethod,
    workers: &'a Workers,
    stop: Stop,
    board: &'a Board,
) -> Result<Option<Relaxed<'a>>, Halt> {
    // A class that lost all its examples in conflicts needs no rules.
    if problem.positives.is_empty() {
        return Ok(None);
    }
    let known = board.progress();
    if known.cost == Some(known.lower_bound) {
        return Ok(None);
    }
    board.enter(Stage::Rules);
    let mut lazy = Lazy::new(problem, first, cover, workers, stop, board)?;
    let relaxation = Relaxation::new(&mut lazy, first)?;
    let mut relaxed = Relaxed { lazy, relaxation, complete: false };
    match relaxed.generate() {
        Err(Halt::Stopped) => Ok(Some(relaxed)),
        done => done.map(|()| Some(relaxed)),
    }
}

impl Relaxed<'_> {
    fn generate(&mut self) -> Result<(), Halt> {
        let generated = self.relaxation.generate(&mut self.lazy);
        // What was generated is worth a look, complete or not, even if time is up.
        let stop = match generated {
            Err(Halt::Stopped) => Stop::default().for_a_turn(Some(Instant::now() + LAST_LOOK)),
            _ => self.lazy.stop.clone(),
        };
        self.lazy.improve_cover(&self.relaxation.pool, &stop);
        self.complete = generated.is_ok();
        generated
    }

    /// What the best cover may weigh too much.
    pub(crate) fn open(&self) -> i64 {
        self.lazy.best_weight - self.relaxation.bound
    }

    /// The other steps.
    pub(crate) fn prove(&mut self, pool_bytes: usize, stop: &Stop) -> Result<(), Halt> {
        self.lazy.stop = stop.clone();
        // A class that was stopped has had its last look.
        if stop.requested() {
            return Err(Halt::Stopped);
        }
        let generated = if self.complete { Ok(()) } else { self.generate() };
        let proven = generated.and_then(|()| self.lazy.prove(&mut self.relaxation, pool_bytes));
        let Lazy { problem, weights, nodes, .. } = &self.lazy;
        log::debug!("class {}: {} nodes searched", problem.label(), nodes.load(Ordering::Relaxed));
        if !weights.are_complete(problem) {
            let what = "the table is too large to prove more than the number of rules";
            return proven.and(Err(Halt::Failed(what.to_string())));
        }
        proven
    }
}

/// Rules that covers of the least cost are made of, where these rules are one: all such rules, or
/// `most` of them.
pub(crate) fn rules_of_smallest_covers(
    problem: &ClassProblem,
    rules: &[Term],
    most: usize,
    workers: &Workers,
    stop: &Stop,
) -> Result<Vec<Rule>, Halt> {
    let board = &Board::new(false);
    let first: Vec<Vec<usize>> = rules.iter().map(|term| problem.positions(term)).collect();
    let cover = CoverMethod::default();
    let mut lazy = Lazy::new(problem.clone(), &first, cover, workers, stop.clone(), board)?;
    let mut relaxation = Relaxation::new(&mut lazy, &first)?;
    relaxation.generate(&mut lazy)?;
    gap::every(&lazy, &relaxation, most)
}

impl Lazy<'_> {
    /// Steps 2 and 3.
    fn prove(&mut self, relaxation: &mut Relaxation, pool_bytes: usize) -> Result<(), Halt> {
        let lazy = self;
        let (label, board) = (lazy.problem.label().to_string(), lazy.board);
        let bound = relaxation.bound;

        // The better the best cover, the fewer rules are within the gap.
        let most = pool_bytes / (lazy.problem.positives.len() / 8 + 128);
        let mut dives = dive::Dives::new();
        let mut parts = PARTS.iter();
        let gap = loop {
            if bound >= lazy.best_weight {
                return Ok(());
            }
            if let Some(gap) = Gap::small(lazy, relaxation, SMALL_GAP.min(most))? {
                break gap;
            }
            if dives.next(lazy, relaxation)? {
                continue;
            }
            let Some(&parts) = parts.next() else { break Gap::large(lazy, relaxation, most)? };
            let near = Gap::near(lazy, relaxation, parts, most)?;
            lazy.improve_cover_more(&near, MORE_SOLVES)?;
            log::debug!(
                "class {}: bound {bound}, best {} with {} rules within 1/{parts} of the gap",
                label,
                lazy.best_weight,
                near.len(),
            );
        };
        log::debug!(
            "class {}: bound {bound}, best {}, {} rules within the gap",
            label,
            lazy.best_weight,
            gap.rules.len(),
        );
        board.enter(Stage::Cover);
        let beyond = gap.beyond.min(lazy.best_weight);
        lazy.minimum_cover(gap.rules, beyond, &relaxation.prices)?;
        if gap.complete { Ok(()) } else { Err(Halt::Full) }
    }
}

/// A class and the best cover of it: what all steps share.
struct Lazy<'a> {
    problem: ClassProblem,
    weights: Weights,
    /// What rules cost, in the unit of prices.
    rates: Rates,
    ground: Ground,
    /// What chooses the cover in the end.
    cover: CoverMethod,
    workers: &'a Workers,
    stop: Stop,
    board: &'a Board,
    /// Nodes that searches for rules have visited.
    nodes: AtomicU64,
    /// The best cover known, and its weight.
    best: Vec<Rule>,
    best_weight: i64,
}

impl<'a> Lazy<'a> {
    fn new(
        problem: ClassProblem,
        first: &[Vec<usize>],
        cover: CoverMethod,
        workers: &'a Workers,
        stop: Stop,
        board: &'a Board,
    ) -> Result<Lazy<'a>, Halt> {
        let weights = Weights::new(&problem, first)?;
        Ok(Lazy {
            weights,
            rates: weights.rates(&problem),
            ground: Ground::new(&problem),
            problem,
            cover,
            workers,
            stop,
            board,
            nodes: AtomicU64::new(0),
            best: Vec::new(),
            best_weight: i64::MAX,
        })
    }

    fn raise(&self, weight: i64, prices: &[i32]) {
        let evidence = || Arc::new(Evidence::Prices(self.weights.pricing(&self.problem, prices)));
        self.board.raise_because(self.weights.cost(weight), evidence);
    }

    /// Keeps a cover if it is the best so far.
    fn consider(&mut self, cover: Vec<Rule>) {
        let weight = cover.iter().map(|rule| self.weights.of(rule.cost)).sum();
        if weight < self.best_weight {
            self.board.offer_rules(cover.iter());
            (self.best, self.best_weight) = (cover, weight);
        }
    }

    /// Looks for a better cover among these rules.
    fn improve_cover(&mut self, rules: &[Rule], stop: &Stop) {
        let better = self.cover_of(rules, |problem, start| Ok(cover::improve(problem, start, stop)));
        better.expect("local search does not halt");
    }

    /// Looks for one with more effort, of so many LPs.
    fn improve_cover_more(&mut self, rules: &[Rule], solves: u64) -> Result<(), Halt> {
        let (stop, workers) = (self.stop.clone(), self.workers);
        let on = (&stop, workers);
        self.cover_of(rules, |problem, start| cover::good_cover(problem, start, solves, on))
    }

    fn cover_of(
        &mut self,
        pool: &[Rule],
        improve: impl FnOnce(&CoverProblem, &[usize]) -> Result<Vec<usize>, Halt>,
    ) -> Result<(), Halt> {
        let rules: Vec<&Rule> = pool.iter().chain(&self.best).collect();
        let weigh = |rule: &Rule| self.weights.of(rule.cost) as u64;
        let problem = CoverProblem::new(self.problem.positives.len(), rules.iter().copied(), weigh);
        let best: Vec<usize> = (pool.len()..rules.len()).collect();
        let greedy = cover::greedy(&problem);
        let start = match best.is_empty() || problem.cost(&greedy) < problem.cost(&best) {
            true => greedy,
            false => best,
        };
        let cover = improve(&problem, &start)?;
        let cover = cover.into_iter().map(|rule| rules[rule].clone()).collect();
        self.consider(cover);
        Ok(())
    }

    /// The end of step 3: the cheapest cover of these rules, which are known to hold a cheapest
    /// cover of all rules, or there is none below the weight `beyond`.
    fn minimum_cover(&mut self, mut rules: Vec<Rule>, beyond: i64, prices: &[i32]) -> Result<(), Halt> {
        let best = (rules.len()..rules.len() + self.best.len()).collect();
        rules.extend(self.best.iter().cloned());
        let (board, weights) = (self.board, self.weights);
        let pricing = weights.pricing(&self.problem, prices);
        let evidence = board.proof.then(|| {
            let (rules, log) = (terms(&rules), Log::default());
            Arc::new(Evidence::Pool { pricing, rules, log, groups: None })
        });
        let log = evidence.as_deref().and_then(Evidence::log);
        let tell = &mut |news| match news {
            News::Cover(cover) => {
                board.offer_rules(cover.iter().map(|&rule| &rules[rule]));
            }
            News::Bound(bound) => {
                let bound = weights.cost(weights.of(bound).min(beyond));
                match &evidence {
                    Some(evidence) => board.raise_because(bound, || Arc::clone(evidence)),
                    None => board.raise(bound),
                }
            }
        };
        let on = (&self.stop, self.workers);
        cover::minimum_cover(&rules, &self.problem, self.cover, Some(best), on, log, tell)?;
        Ok(())
    }
}

fn terms(rules: &[Rule]) -> Vec<Term> {
    rules.iter().map(|rule| rule.term.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::literal::ClassId;
    use crate::solve::objective::Cost;
    use crate::solve::rules::{self, EnumerateOptions, RuleSource};
    use crate::solve::start;
    use crate::solve::tariff::{Tariff, Tariffs};
    use crate::testing::random_problem;

    /// The least cost by another way: all irredundant rules there are, and HiGHS.
    fn by_enumeration(problem: &ClassProblem, workers: &Workers) -> Cost {
        let every = EnumerateOptions { rules: RuleSource::Search, break_symmetry: false };
        let (stop, mut all) = (Stop::default(), Vec::new());
        rules::enumerate(problem, &every, &stop, &mut |rule| all.push(rule)).unwrap();
        let (on, tell) = ((&stop, workers), &mut |_| ());
        let cover = cover::minimum_cover(&all, problem, CoverMethod::Ilp, None, on, None, tell).unwrap();
        cover.iter().map(|&rule| all[rule].cost).sum()
    }

    #[test]
    fn literals_may_have_prices_of_their_own() {
        let mut random = fastrand::Rng::with_seed(15);
        let workers = Workers::new(1);
        let mut differ = 0;
        for round in 0..400 {
            let problem = random_problem(&mut random, ClassId(0));
            if problem.positives.is_empty() {
                continue;
            }
            let mut tariff = Tariff::new(random.u64(0..4), random.u64(1..4));
            for &literal in &problem.literals {
                if random.bool() {
                    tariff = tariff.with_literal(literal, random.u64(0..9));
                }
            }
            let tariffs = match round % 3 {
                0 => Tariffs::lexicographic(Tariff::new(1, 0), tariff),
                _ => tariff.into(),
            };
            let plain = by_enumeration(&problem, &workers);
            let problem = problem.with_tariffs(tariffs);
            let (stop, board) = (Stop::default(), Board::new(false));
            let start = start::begin(&problem, &stop, &board);
            let first = &start.terms;
            let relaxed =
                relax(problem.clone(), first, CoverMethod::Branch, &workers, stop.clone(), &board);
            if let Some(mut relaxed) = relaxed.unwrap() {
                relaxed.prove(1 << 30, &stop).unwrap();
            }
            let expected = by_enumeration(&problem, &workers);
            let found = board.progress();
            assert_eq!((found.cost, found.lower_bound), (Some(expected), expected), "round {round}");
            differ += usize::from(expected != plain);
        }
        assert!(differ > 100, "only {differ} tables cost another sum");
    }
}
