//! Sparse sets by the lazy method: rules may cover rows of other classes and leave out rows of their own,
//! where that costs less than avoiding it.
//!
//! A cover problem like the other: each example has a column of its own, "left out", that costs its rows. The
//! steps are the same, too: the relaxation ([`relax`]) with exact pricing ([`price`]), good covers, and if these
//! do not meet the bound, the smallest cover of all rules within the gap. What differs is how rules are
//! searched for, since they need not discriminate every negative, and the form of the LP.

mod choose;
mod price;
mod relax;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use minrule_proof::Pricing;

use crate::limits::{Halt, Stop};
use crate::solve::board::{Board, Stage};
use crate::solve::class_problem::ClassProblem;
use crate::solve::cover::{self, CoverMethod, CoverProblem, Finding};
use crate::solve::evidence::{self, Evidence, Log, Scribe};
use crate::solve::lazy::LAST_LOOK;
use crate::solve::objective::Cost;
use crate::solve::rule::{Coverage, Rule, Term};
use crate::solve::workers::Workers;
use choose::{Choice, Chosen};
use price::{Field, Find, Market, Rates};
use relax::Relaxation;

/// Prices are integers in this fraction of a row, or in a coarser one.
const ROW: i64 = 1 << 20;
/// Where prices are in parts of the unit of cost, in certificates, no sum of them exceeds this.
const MOST_MONEY: u128 = 1 << 60;
/// LPs of a search for a good cover among the rules generated.
const SOLVES: u64 = 100;
/// A gap with many rules is worth a look at these parts of it first: a better cover makes it smaller.
const PARTS: [i64; 3] = [8, 4, 2];
/// Rules within the gap that need no better cover first.
const SMALL_GAP: usize = 10_000;
/// Words of bits that the search for dominated rules may compare. What is not compared stays.
const DOMINANCE_WORK: usize = 200_000_000;

/// How costs, prices and rows are measured.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// Units of cost a row.
    cost: u64,
    /// Units of prices a row.
    row: i64,
}

impl Scale {
    /// A cost in rows.
    fn rows(self, cost: u64) -> f64 {
        cost as f64 / self.cost as f64
    }

    /// A cost in the unit of prices, rounded down: rules seem no dearer than they are.
    fn price(self, cost: u64) -> i64 {
        let price = u128::from(cost) * self.row as u128 / u128::from(self.cost);
        price.min(price::MOST as u128) as i64
    }

    /// The least cost that is no less than this sum of prices.
    fn cost_at_least(self, prices: i64) -> u64 {
        let (prices, row) = (prices.max(0) as u128, self.row as u128);
        (prices * u128::from(self.cost)).div_ceil(row) as u64
    }
}

/// A class whose relaxation was solved, or begun.
pub(crate) struct Relaxed<'a> {
    sparse: Sparse<'a>,
    relaxation: Relaxation,
    /// Whether the prices hold for all rules.
    complete: bool,
}

/// The relaxation of a class, beginning with these rules. Where the turn of `stop` ends, the rest is left to [`Relaxed::prove`].
pub(crate) fn relax<'a>(
    problem: ClassProblem,
    pool: &[Term],
    cover: CoverMethod,
    workers: &'a Workers,
    stop: Stop,
    board: &'a Board,
) -> Result<Option<Relaxed<'a>>, Halt> {
    if problem.positives.is_empty() {
        return Ok(None);
    }
    board.enter(Stage::Rules);
    let sparse = Sparse::new(problem, cover, workers, stop, board)?;
    let relaxation = Relaxation::new(&sparse, pool);
    let mut relaxed = Relaxed { sparse, relaxation, complete: false };
    match relaxed.generate() {
        Err(Halt::Stopped) => Ok(Some(relaxed)),
        done => done.map(|()| Some(relaxed)),
    }
}

impl Relaxed<'_> {
    fn generate(&mut self) -> Result<(), Halt> {
        let generated = self.relaxation.generate(&mut self.sparse);
        if generated == Err(Halt::Stopped) && self.relaxation.bound == 0 {
            let stop = Stop::default().for_a_turn(Some(Instant::now() + LAST_LOOK));
            self.relaxation.quick_bound(&self.sparse, &stop);
        }
        self.complete = generated.is_ok();
        generated
    }

    /// The rules generated.
    pub(crate) fn pool(&self) -> Vec<Term> {
        self.relaxation.pool.iter().map(|rule| rule.term.clone()).collect()
    }

    /// What the best cover may cost too much, in rows.
    pub(crate) fn open(&self) -> i64 {
        self.sparse.scale.price(self.sparse.best_cost.saturating_sub(self.relaxation.bound))
    }

    /// The other steps.
    pub(crate) fn prove(&mut self, pool_bytes: usize, stop: &Stop) -> Result<(), Halt> {
        self.sparse.stop = stop.clone();
        if self.sparse.board.is_dearest() {
            return Ok(());
        }
        if stop.requested() {
            return Err(Halt::Stopped);
        }
        let generated = if self.complete { Ok(()) } else { self.generate() };
        let proven = generated.and_then(|()| match self.sparse.board.is_dearest() {
            true => Ok(()),
            false => self.sparse.prove(&self.relaxation, pool_bytes),
        });
        let Sparse { problem, nodes, .. } = &self.sparse;
        log::debug!("class {}: {} nodes searched", problem.label(), nodes.load(Ordering::Relaxed));
        proven
    }
}

/// A class and the best set of rules for it: what all steps share.
struct Sparse<'a> {
    problem: ClassProblem,
    field: Field,
    scale: Scale,
    /// Rows of each positive.
    rows: Vec<u64>,
    cover: CoverMethod,
    workers: &'a Workers,
    stop: Stop,
    board: &'a Board,
    /// Nodes that searches for rules have visited.
    nodes: AtomicU64,
    /// The best rules known, and what they and the rows they leave out cost.
    best: Vec<Rule>,
    best_cost: u64,
}

impl<'a> Sparse<'a> {
    fn new(
        problem: ClassProblem,
        cover: CoverMethod,
        workers: &'a Workers,
        stop: Stop,
        board: &'a Board,
    ) -> Result<Sparse<'a>, Halt> {
        let tariff = problem.tariffs().first().clone();
        let examples = problem.examples();
        let rows_of = |side: &[usize]| -> Vec<u64> {
            side.iter().map(|&example| examples.rows(example)).collect()
        };
        let rows = rows_of(&problem.positives);
        let largest = rows.iter().sum::<u64>().max(rows_of(&problem.negatives).iter().sum());
        let cost = tariff.per_left_out().unwrap_or(1);
        let row = ROW.min(price::MOST / i64::try_from(largest).unwrap_or(i64::MAX).max(1));
        let finest = MOST_MONEY / (u128::from(largest.max(1)) * u128::from(cost));
        let row = row.min(finest.min(ROW as u128) as i64);
        if row == 0 || tariff.per_negative() != Some(cost) {
            let what = "the rows weigh more than can be added up; divide their weights";
            return Err(Halt::Failed(what.to_string()));
        }
        let scale = Scale { cost, row };
        let rate = |cost: u64| scale.price(cost) as i32;
        let literals: Vec<i32> = problem.literals.iter().map(|&l| rate(tariff.literal(l))).collect();
        let least = literals.iter().copied().min().unwrap_or(0);
        let rates = Rates { per_rule: rate(tariff.per_rule()), literals, least };
        let field = Field::new(&problem, rates, |rows| (rows as i64 * row) as i32);
        let best_cost = rows.iter().sum::<u64>() * cost;
        let nodes = AtomicU64::new(0);
        let best = Vec::new();
        let mut sparse =
            Sparse { problem, field, scale, rows, cover, workers, stop, board, nodes, best, best_cost };
        // What is known already may be better than no rules.
        if let Some(known) = board.read().best {
            let rules = known.iter().map(|term| sparse.problem.rule(&sparse.problem.positions(term)));
            let rules = rules.collect();
            sparse.consider(rules);
        }
        sparse.board.offer(Vec::new(), Cost { first: best_cost, second: 0 });
        Ok(sparse)
    }

    /// The least that a rule with literals costs, in the unit of prices.
    fn cheapest_rule(&self) -> i64 {
        let Rates { per_rule, least, .. } = self.field.rates;
        i64::from(per_rule) + i64::from(least)
    }

    /// What a rule of these literals costs in the unit of prices, as searches count it.
    fn rate(&self, rule: &Rule, literals: &[usize]) -> i64 {
        let size = self.problem.tariffs().first().rule(rule.term.literals(), 0);
        let wrong = (rule.cost.first - size) / self.scale.cost;
        self.field.rates.rule(literals) + wrong as i64 * self.scale.row
    }

    /// Prices in the money of certificates: parts of the unit of cost.
    fn pricing(&self, prices: &[i32]) -> Pricing {
        let price = |(example, &price): (usize, &i32)| (example, price as u64 * self.scale.cost);
        Pricing {
            tariff: evidence::tariff(self.problem.tariffs().first()),
            unit: self.scale.row as u64,
            charge: 0,
            prices: prices.iter().enumerate().map(price).collect(),
        }
    }

    /// What rules cost together with the rows that they leave out.
    fn cost(&self, rules: &[Rule]) -> u64 {
        let mut left_out = Coverage::with_capacity(self.rows.len());
        left_out.insert_range(..);
        rules.iter().for_each(|rule| left_out.difference_with(&rule.coverage));
        let left_out: u64 = left_out.ones().map(|example| self.rows[example]).sum();
        left_out * self.scale.cost + rules.iter().map(|rule| rule.cost.first).sum::<u64>()
    }

    /// Keeps a set of rules if it is the best so far.
    fn consider(&mut self, rules: Vec<Rule>) {
        let cost = self.cost(&rules);
        if cost < self.best_cost {
            let terms = rules.iter().map(|rule| rule.term.clone()).collect();
            self.board.offer(terms, Cost { first: cost, second: 0 });
            (self.best, self.best_cost) = (rules, cost);
        }
    }

    /// Takes the rules with the largest shares as long as they gain something.
    fn round(&mut self, pool: &[Rule], shares: &[f64]) {
        let mut left_out = Coverage::with_capacity(self.rows.len());
        left_out.insert_range(..);
        let mut chosen: Vec<Rule> = Vec::new();
        for rule in relax::by_share(shares) {
            let rule = &pool[rule];
            let gain: u64 =
                left_out.intersection(&rule.coverage).map(|example| self.rows[example]).sum();
            if gain * self.scale.cost > rule.cost.first {
                left_out.difference_with(&rule.coverage);
                chosen.push(rule.clone());
            }
        }
        // A rule that others made superfluous goes.
        for i in (0..chosen.len()).rev() {
            let mut others = chosen.clone();
            others.remove(i);
            if self.cost(&others) <= self.cost(&chosen) {
                chosen = others;
            }
        }
        self.consider(chosen);
    }

    /// Steps 2 and 3.
    fn prove(&mut self, relaxation: &Relaxation, pool_bytes: usize) -> Result<(), Halt> {
        if relaxation.bound >= self.best_cost {
            return Ok(());
        }
        self.improve(&relaxation.pool)?;
        let most = pool_bytes / (self.rows.len() / 8 + 128);
        let mut parts = PARTS.iter();
        let gap = loop {
            if relaxation.bound >= self.best_cost {
                return Ok(());
            }
            if let Some(gap) = self.gap(relaxation, 1, SMALL_GAP.min(most), true)? {
                break gap;
            }
            let Some(&parts) = parts.next() else {
                let gap = self.gap(relaxation, 1, most, true)?;
                break gap.ok_or(Halt::Full)?;
            };
            let near = self.gap(relaxation, parts, SMALL_GAP.min(most), false)?.unwrap_or_default();
            log::debug!(
                "class {}: best {:.3}, {} rules within 1/{parts} of the gap",
                self.problem.label(),
                self.scale.rows(self.best_cost),
                near.len(),
            );
            self.improve(&near)?;
        };
        log::debug!(
            "class {}: bound {:.3}, best {:.3}, {} rules within the gap",
            self.problem.label(),
            self.scale.rows(relaxation.bound),
            self.scale.rows(self.best_cost),
            gap.len(),
        );
        self.board.enter(Stage::Cover);
        self.minimum_cover(&gap, &relaxation.prices)
    }

    /// The rules that miss their cost by no more than a fraction, 1 / `parts`, of what a better set could pay
    /// for; nothing, if they are more than `most` and all are wanted.
    fn gap(
        &self,
        relaxation: &Relaxation,
        parts: i64,
        most: usize,
        all: bool,
    ) -> Result<Option<Vec<Rule>>, Halt> {
        let prices = &relaxation.prices;
        let total: i64 = prices.iter().map(|&price| i64::from(price)).sum();
        let widest = (total - self.scale.price(self.best_cost - 1)) / parts;
        let mut threshold = widest.min(0) as i32;
        let widest = threshold;
        let market = Market::of_all(&self.field, prices);
        // Of each coverage, the cheapest rule, of equals the shortest.
        let mut cheapest: HashMap<Coverage, Rule> = HashMap::new();
        let mut too_many = false;
        let mut note = |find: Find| {
            let rule = self.problem.rule(find.literals);
            match cheapest.entry(rule.coverage.clone()) {
                Entry::Occupied(mut known) => {
                    let size = |rule: &Rule| (rule.cost.first, rule.term.size());
                    if size(&rule) < size(known.get()) {
                        known.insert(rule);
                    }
                }
                Entry::Vacant(new) => {
                    new.insert(rule);
                }
            }
            if cheapest.len() > most {
                too_many = true;
                threshold = price::MOST as i32;
            }
            threshold
        };
        price::search(&market, widest, u64::MAX, &self.stop, &mut note)?;
        self.nodes.fetch_add(market.visited(), Ordering::Relaxed);
        if too_many && all {
            return Ok(None);
        }
        let mut rules: Vec<Rule> = cheapest.into_values().collect();
        rules.sort_by(|a, b| a.term.cmp(&b.term));
        self.board.count(relaxation.pool.len() + rules.len());
        Ok(Some(rules))
    }

    /// Looks for a better set among these rules, for a while.
    fn improve(&mut self, rules: &[Rule]) -> Result<(), Halt> {
        let pool = rules.iter().chain(&self.best).cloned().collect();
        self.choose(pool, SOLVES, None).map(|_| ())
    }

    /// The cheapest set of these rules, which are known to hold a cheapest one of all rules, or there is none
    /// below the best.
    fn minimum_cover(&mut self, rules: &[Rule], prices: &[i32]) -> Result<(), Halt> {
        let pool: Vec<&Rule> = rules.iter().chain(&self.best).collect();
        let pool = not_dominated(pool);
        log::debug!("class {}: {} of these rules are not dominated", self.problem.label(), pool.len());
        if self.cover == CoverMethod::Branch {
            let pool = pool.into_iter().chain(&self.best).cloned().collect();
            return match self.choose(pool, u64::MAX, Some(prices))? {
                Chosen::Proven => Ok(()),
                Chosen::Unfinished => Err(Halt::Stopped),
            };
        }
        let pool: Vec<&Rule> = pool.into_iter().chain(&self.best).collect();
        let own = pool.len() - self.best.len();
        let choice = Choice::new(&pool, &self.rows, self.scale.cost);
        let (groups, costs) = choice.columns();
        let coverage = |groups: &Vec<u32>| {
            let mut coverage = Coverage::with_capacity(choice.groups());
            groups.iter().for_each(|&group| coverage.insert(group as usize));
            coverage
        };
        let coverages = groups.iter().map(coverage).collect();
        let problem = CoverProblem { examples: choice.groups(), coverages, costs, max_rules: None };
        let mut start: Vec<usize> = (own..pool.len()).collect();
        let mut covered = Coverage::with_capacity(choice.groups());
        start.iter().for_each(|&rule| covered.union_with(&problem.coverages[rule]));
        start.extend(covered.zeroes().map(|group| pool.len() + group));
        let (board, always) = (self.board, choice.always);
        let mut found = None;
        let tell = &mut |finding| match finding {
            Finding::Cover(cover) => found = Some(cover),
            Finding::Bound(bound) => board.raise(Cost { first: bound + always, second: 0 }),
        };
        let on = (&self.stop, self.workers);
        let cheapest = cover::cheapest(&problem, self.cover, start, on, tell);
        let (cover, halt) = match cheapest {
            Ok(cover) => (Some(cover), None),
            Err(halt) => (found, Some(halt)),
        };
        if let Some(cover) = cover {
            let chosen = cover.iter().filter_map(|&rule| pool.get(rule).copied()).cloned().collect();
            self.consider(chosen);
        }
        match halt {
            Some(halt) => Err(halt),
            None => {
                self.board.raise(Cost { first: self.best_cost, second: 0 });
                Ok(())
            }
        }
    }

    /// Branch and bound over these rules, with so many LPs. What it proves holds for all rules, if at these
    /// prices no other rule can be part of a better set.
    fn choose(&mut self, pool: Vec<Rule>, solves: u64, prices: Option<&[i32]>) -> Result<Chosen, Halt> {
        let choice = Choice::new(&pool.iter().collect::<Vec<_>>(), &self.rows, self.scale.cost);
        let board = self.board;
        let evidence = prices.filter(|_| board.proof).map(|prices| {
            let log = Log::default();
            log.begin(evidence::tariff(self.problem.tariffs().first()), None, choice.scale());
            let rules = pool.iter().map(|rule| rule.term.clone()).collect();
            let groups = Some(choice.group_of.clone());
            Arc::new(Evidence::Pool { pricing: self.pricing(prices), rules, log, groups })
        });
        let log = evidence.as_deref().and_then(Evidence::log);
        let scribe = Scribe::new(log, pool.len(), choice.groups());
        let mut best = None;
        let better = &mut |chosen: &[u32]| {
            let terms = chosen.iter().map(|&rule| pool[rule as usize].term.clone()).collect();
            board.offer(terms, Cost { first: choice.cost(chosen), second: 0 });
            best = Some(chosen.to_vec());
        };
        let raise = &mut |bound| {
            let bound = Cost { first: bound, second: 0 };
            match (&evidence, prices) {
                (Some(evidence), _) => board.raise_because(bound, || Arc::clone(evidence)),
                (None, Some(_)) => board.raise(bound),
                (None, None) => {}
            }
        };
        let done = choose::choose(&choice, self.best_cost, solves, &self.stop, &scribe, better, raise);
        if let Some(chosen) = best {
            let chosen = chosen.iter().map(|&rule| pool[rule as usize].clone()).collect();
            self.consider(chosen);
        }
        done
    }
}

/// The rules that no other covers as much as for no more.
fn not_dominated(mut rules: Vec<&Rule>) -> Vec<&Rule> {
    rules.sort_by_key(|rule| (std::cmp::Reverse(rule.coverage.count_ones(..)), rule.cost, rule.size()));
    let mut kept: Vec<&Rule> = Vec::new();
    let mut work = 0;
    for rule in rules {
        work += kept.len() * (1 + rule.coverage.len() / 64);
        let as_good =
            |other: &&&Rule| other.cost <= rule.cost && rule.coverage.is_subset(&other.coverage);
        if work > DOMINANCE_WORK || kept.iter().find(as_good).is_none() {
            kept.push(rule);
        }
    }
    kept
}
