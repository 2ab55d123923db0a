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
//! Where the cost has two parts, all of this is done for the first, and then for the second over covers that
//! have no more rules than that takes ([`weights`], [`limit`]).
//!
//! Prices are rounded to integers before the search for missing rules, so the bound is exact
//! whatever the LP solver's arithmetic was. (Gilmore and Gomory 1961 for the first step; the last
//! one is reduced-cost fixing turned around.)

mod ascent;
mod dive;
mod gap;
mod limit;
mod price;
mod relax;
mod weights;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::limits::{Halt, Stop};
use crate::solve::board::{Board, Stage};
use crate::solve::class_problem::ClassProblem;
use crate::solve::cover::{self, CoverMethod, CoverProblem, Effort, News};
use crate::solve::evidence::{Evidence, Log};
use crate::solve::objective::Cost;
use crate::solve::rule::{Rule, Term};
use crate::solve::rules::walk::Ground;
use crate::solve::tariff::Part;
use crate::solve::workers::Workers;
use gap::Gap;
use price::{Nearest, Rates};
use relax::Relaxation;
use weights::Weights;

/// Rules within the gap that need no better cover first.
const SMALL_GAP: usize = 2_000;
/// How long a class that is stopped still looks for a better cover among the rules it has generated: a third
/// of what solvers have to answer in.
pub(super) const LAST_LOOK: Duration = Duration::from_millis(100);
/// LPs of a search for a good cover of few rules among the rules near the prices.
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
        if self.lazy.is_proven() {
            return Ok(());
        }
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
        let mut proven = self.prove_part(pool_bytes);
        if proven.is_ok() && self.lazy.problem.tariffs().is_lexicographic() {
            proven = self.go_on().and_then(|()| self.prove_part(pool_bytes));
        }
        let Lazy { problem, nodes, .. } = &self.lazy;
        log::debug!("class {}: {} nodes searched", problem.label(), nodes.load(Ordering::Relaxed));
        proven
    }

    fn prove_part(&mut self, pool_bytes: usize) -> Result<(), Halt> {
        if !self.complete {
            self.generate()?;
        }
        self.lazy.prove(&mut self.relaxation, pool_bytes)
    }

    /// On to the second part of the cost, with the rules generated for the first.
    fn go_on(&mut self) -> Result<(), Halt> {
        let pool = self.relaxation.take_rules();
        self.relaxation = self.lazy.with_few_rules(pool)?;
        self.complete = false;
        Ok(())
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
    if problem.tariffs().is_lexicographic() {
        relaxation = lazy.with_few_rules(relaxation.pool)?;
    }
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
        let mut looked_around = false;
        let mut parts = PARTS.iter();
        let gap = loop {
            if lazy.is_proven() {
                return Ok(());
            }
            if let Some(gap) = Gap::small(lazy, relaxation, SMALL_GAP.min(most))? {
                break gap;
            }
            // Where a dive takes long, much is won before it.
            if !looked_around && lazy.best.len() >= cover::MANY_RULES {
                looked_around = true;
                lazy.improve_cover_more(&relaxation.pool, Effort::Vicinity(MORE_SOLVES))?;
                continue;
            }
            if dives.next(lazy, relaxation)? {
                continue;
            }
            let Some(&parts) = parts.next() else { break Gap::large(lazy, relaxation, most)? };
            let near = Gap::near(lazy, relaxation, parts, most)?;
            lazy.improve_cover_more(&near, Effort::Vicinity(MORE_SOLVES))?;
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
    nearest: Nearest,
    /// What chooses the cover in the end.
    cover: CoverMethod,
    workers: &'a Workers,
    stop: Stop,
    board: &'a Board,
    /// Nodes that searches for rules have visited.
    nodes: AtomicU64,
    /// The best cover known, its cost, and its weight.
    best: Vec<Rule>,
    best_cost: Cost,
    best_weight: i64,
    /// Why no cover has fewer rules, while the second part of the cost is minimised.
    fewest: Option<Arc<Evidence>>,
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
        let terms: Vec<Term> = first.iter().map(|literals| problem.term(literals)).collect();
        let weights = Weights::new(&problem, Part::First, problem.cost(&terms))?;
        Ok(Lazy {
            weights,
            rates: weights.rates(&problem),
            ground: Ground::new(&problem),
            nearest: Nearest::new(problem.positives.len()),
            problem,
            cover,
            workers,
            stop,
            board,
            nodes: AtomicU64::new(0),
            best: Vec::new(),
            best_cost: Cost { first: u64::MAX, second: u64::MAX },
            best_weight: i64::MAX,
            fewest: None,
        })
    }

    /// From here on the second part of the cost counts, of covers with no more rules than the best, which has as few as
    /// can be. The relaxation of that, which begins with these rules.
    fn with_few_rules(&mut self, mut pool: Vec<Rule>) -> Result<Relaxation, Halt> {
        let limit = self.best.len();
        self.fewest = self.board.read().evidence;
        self.weights = Weights::new(&self.problem, Part::Second { rules: limit }, self.best_cost)?;
        self.best_weight = self.weights.of(self.best_cost);
        self.charge(0.0);
        pool.extend(self.best.iter().cloned());
        limit::charge(self, &mut pool, limit)?;
        let terms: Vec<Vec<usize>> =
            pool.iter().map(|rule| self.problem.positions(&rule.term)).collect();
        Relaxation::new(self, &terms)
    }

    /// Charges so much for each rule.
    fn charge(&mut self, charge: f64) {
        self.weights = self.weights.with_charge(charge, self.best_weight);
        self.rates = self.weights.rates(&self.problem);
    }

    fn raise(&self, weight: i64, prices: &[i32]) {
        let evidence = || self.because(Evidence::Prices(self.weights.pricing(&self.problem, prices)));
        self.board.raise_because(self.weights.cost(weight), evidence);
    }

    /// What is known about the part of the cost that counts, as evidence for all of it.
    fn because(&self, evidence: Evidence) -> Arc<Evidence> {
        Arc::new(match self.weights.part {
            Part::First => evidence,
            Part::Second { .. } => Evidence::InTurn(self.fewest.clone(), Box::new(evidence)),
        })
    }

    /// Whether no cover is better than the best, as far as the part of the cost goes that counts.
    fn is_proven(&self) -> bool {
        self.board.progress().lower_bound >= self.weights.cost(self.best_weight)
    }

    /// Keeps a cover if it is the best so far.
    fn consider(&mut self, cover: Vec<Rule>) {
        let cost = cover.iter().map(|rule| rule.cost).sum();
        if cost < self.best_cost {
            self.board.offer_rules(cover.iter());
            (self.best, self.best_cost, self.best_weight) = (cover, cost, self.weights.of(cost));
        }
    }

    /// Looks for a better cover among these rules.
    fn improve_cover(&mut self, rules: &[Rule], stop: &Stop) {
        let (weights, best) = (self.weights, self.best_cost);
        let weigh = |cost| weights.in_search(cost, best);
        let better =
            self.cover_of(rules, weigh, |problem, start| Ok(cover::improve(problem, start, stop)));
        better.expect("local search does not halt");
    }

    /// Looks for one with more effort.
    fn improve_cover_more(&mut self, rules: &[Rule], effort: Effort) -> Result<(), Halt> {
        let (stop, workers) = (self.stop.clone(), self.workers);
        let (on, part) = ((&stop, workers), self.weights.part);
        let weigh = |cost| part.of(cost);
        self.cover_of(rules, weigh, |problem, start| cover::good_cover(problem, start, effort, on))
    }

    fn cover_of(
        &mut self,
        pool: &[Rule],
        weigh: impl Fn(Cost) -> u64,
        improve: impl FnOnce(&CoverProblem, &[usize]) -> Result<Vec<usize>, Halt>,
    ) -> Result<(), Halt> {
        let rules: Vec<&Rule> = pool.iter().chain(&self.best).collect();
        let examples = self.problem.positives.len();
        let mut problem = CoverProblem::new(examples, rules.iter().copied(), |rule| weigh(rule.cost));
        problem.max_rules = self.weights.part.limit();
        let best: Vec<usize> = (pool.len()..rules.len()).collect();
        let greedy = cover::greedy(&problem);
        let better = problem.is_cover(&greedy) && problem.cost(&greedy) < problem.cost(&best);
        let start = if best.is_empty() || better { greedy } else { best };
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
            self.because(Evidence::Pool { pricing, rules, log, groups: None })
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
        let by = (weights.part, self.cover);
        let cover = cover::minimum_part(&rules, &self.problem, by, Some(best), on, log, tell)?;
        self.consider(cover.into_iter().map(|rule| rules[rule].clone()).collect());
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
        let cover = cover::minimum_cover(&all, problem, CoverMethod::Ilp, None, on, tell).unwrap();
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
