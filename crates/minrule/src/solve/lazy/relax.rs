//! The linear relaxation over all rules, most of which are never generated.
//!
//! Prices make rules, and rules make prices. At first these come from an [ascent](super::ascent), which is quick
//! and close to the optimum; when it finds next to nothing new, an LP goes on with the rules that its prices nearly
//! pay for. Rules that are worth more than they cost come in, the best for each example, until there are none. The
//! same search says by how much prices must fall to be a proof, so every round has a bound.
//!
//! Examples come in by and by, too: to begin with the hardest ones, and whenever there is little left to find for
//! these, more of those that the fractional cover leaves out.

use std::sync::atomic::Ordering;

use super::Lazy;
use super::ascent::Ascent;
use super::price::{self, Find, Market};
use crate::limits::Halt;
use crate::solve::cover::lp::{CoverLp, Fractional};
use crate::solve::rule::Rule;

/// Rules that a short search adds at a time, at most.
const COLUMNS: usize = 100;
/// Nodes of a short search, which takes the first rules it finds.
pub(super) const HASTY_NODES: u64 = if cfg!(test) { 20 } else { 10_000 };
/// Nodes for each example of a long one: to begin with, how many times as many when it finds next to nothing, and
/// how many before an LP makes the prices.
const FIRST_NODES: u64 = 1_000;
const MORE_NODES: u64 = 4;
const NODES: u64 = 16_000;
/// From how many examples an ascent comes before the LP, and how many are in play to begin with.
const ASCENT_FROM: usize = if cfg!(test) { 4 } else { 128 };
const IN_PLAY: usize = 500;
/// Rounds of an ascent with the same examples in play, at most. It has done its work when a round finds a rule for
/// few of them: for less than this part, and where the bound has gained less than such a part of itself in so many
/// rounds, for less than that.
const ROUNDS: usize = 60;
const FEW: usize = 32;
const LOOK_BACK: usize = 3;
const SLOW: i64 = 200;
const FEW_IF_SLOW: usize = 16;
/// The LP knows the rules that miss their cost by less than this part of the cheapest rule's when it starts.
const NEAR: i64 = 4;
/// How many examples an LP begins with where no ascent came before it.
const FIRST_ROWS: usize = 256;
/// An example is left out if it is covered by less than this.
const COVERED: f64 = 1.0 - 1e-6;

/// An LP, its rules, and what it proves.
pub(super) struct Relaxation {
    pub(super) lp: CoverLp,
    /// Prices before there is an LP.
    ascent: Option<Ascent>,
    /// The rules generated, in the order of the LP's columns.
    pub(super) pool: Vec<Rule>,
    /// Rules of the ascent that the LP does without.
    spare: Vec<Rule>,
    /// Of each example in the LP, in order of its rows.
    rows: Vec<usize>,
    row_of: Vec<Option<usize>>,
    /// The examples, the hardest first.
    order: Vec<usize>,
    /// Of each example, its place in this order.
    rank_of: Vec<u32>,
    /// Prices at which no rule is worth more than it costs, and the bound they prove.
    pub(super) prices: Vec<i32>,
    pub(super) bound: i64,
}

impl Relaxation {
    pub(super) fn new(lazy: &mut Lazy, first: &[Vec<usize>]) -> Result<Relaxation, Halt> {
        let examples = lazy.problem.positives.len();
        let mut room = vec![0; examples];
        let rules: Vec<_> = first.iter().map(|literals| lazy.problem.rule(literals)).collect();
        for rule in &rules {
            let width = rule.coverage.count_ones(..);
            rule.coverage.ones().for_each(|example| room[example] = width.max(room[example]));
        }
        let mut order: Vec<usize> = (0..examples).collect();
        order.sort_by_key(|&example| (room[example], example));
        let mut rank_of = vec![0; examples];
        order.iter().zip(0..).for_each(|(&example, rank)| rank_of[example] = rank);
        let mut relaxation = Relaxation {
            lp: CoverLp::new(0),
            ascent: (examples >= ASCENT_FROM).then(|| Ascent::new(examples.min(IN_PLAY))),
            pool: Vec::new(),
            spare: Vec::new(),
            rows: Vec::new(),
            row_of: vec![None; examples],
            order,
            rank_of,
            prices: vec![0; examples],
            bound: 0,
        };
        for literals in first {
            relaxation.add(lazy, literals)?;
        }
        lazy.consider(rules);
        Ok(relaxation)
    }

    /// All rules generated, which are of no more use here.
    pub(super) fn take_rules(&mut self) -> Vec<Rule> {
        let mut rules = std::mem::take(&mut self.pool);
        rules.append(&mut self.spare);
        rules
    }

    /// Adds a rule to the pool, and to what makes the prices.
    fn add(&mut self, lazy: &Lazy, literals: &[usize]) -> Result<(), Halt> {
        let rule = lazy.problem.rule(literals);
        if let Some(ascent) = &mut self.ascent {
            let ranks = rule.coverage.ones().map(|example| self.rank_of[example]);
            ascent.add(lazy.weights.charged(rule.cost), ranks.collect());
            self.pool.push(rule);
        } else {
            self.put_in(lazy, rule)?;
        }
        lazy.board.count(self.pool.len() + self.spare.len());
        Ok(())
    }

    /// Generates rules at prices that need no LP, as long as that pays.
    fn ascend(&mut self, lazy: &mut Lazy) -> Result<(), Halt> {
        let mut nodes = FIRST_NODES;
        let mut improved_at = 0;
        let mut bounds = Vec::new();
        while let Some(ascent) = &mut self.ascent {
            if lazy.stop.requested() {
                return Err(Halt::Stopped);
            }
            ascent.climb(lazy.weights.relaxed(lazy.best_weight));
            let (in_play, feasible) = (ascent.examples(), ascent.feasible());
            let prices = self.rounded(lazy, self.order.iter().zip(&feasible))?;
            let missing = Missing::search(lazy, &prices, nodes)?;
            self.take(lazy, &prices, &missing)?;
            if self.bound >= lazy.best_weight {
                return Ok(());
            }
            if self.pool.len() > 2 * improved_at {
                improved_at = self.pool.len();
                lazy.improve_cover(&self.pool, &lazy.stop.clone());
            }
            bounds.push(self.bound);
            let before = bounds.len().checked_sub(LOOK_BACK + 1).map(|then| bounds[then]);
            let slow = before.is_some_and(|before| (self.bound - before) * SLOW < self.bound);
            let few = missing.rules.len() * if slow { FEW_IF_SLOW } else { FEW } < in_play;
            if !(few || missing.in_haste || bounds.len() == ROUNDS) {
                continue;
            }
            bounds.clear();
            lazy.improve_cover(&self.pool, &lazy.stop.clone());
            if !missing.all_known && nodes < NODES {
                nodes *= MORE_NODES;
            } else if in_play < self.order.len() {
                let more = (2 * in_play).min(self.order.len());
                self.ascent.iter_mut().for_each(|ascent| ascent.extend_to(more));
            } else {
                self.begin_lp(lazy, &prices)?;
            }
        }
        Ok(())
    }

    /// From now on an LP makes the prices: to begin with, of the best cover's rules and those that these prices
    /// nearly pay for, and of the examples that have one. The other rules come in when they are worth their cost.
    fn begin_lp(&mut self, lazy: &Lazy, prices: &[i32]) -> Result<(), Halt> {
        self.ascent = None;
        self.lp.go_on_from_feasible()?;
        self.spare = std::mem::take(&mut self.pool);
        for rule in lazy.best.clone() {
            self.put_in(lazy, rule)?;
        }
        self.use_spare(lazy, prices, lazy.weights.cheapest_rule() / NEAR)?;
        (0..prices.len())
            .filter(|&example| prices[example] > 0)
            .try_for_each(|example| self.add_row(example))
    }

    /// Brings in the spare rules that miss their cost by less than this, or are worth more; whether there were any.
    fn use_spare(&mut self, lazy: &Lazy, prices: &[i32], miss: i64) -> Result<bool, Halt> {
        let is_near = |rule: &mut Rule| {
            let value: i64 = rule.coverage.ones().map(|example| i64::from(prices[example])).sum();
            value + miss > lazy.weights.price_of(rule.cost)
        };
        let near: Vec<Rule> = self.spare.extract_if(.., is_near).collect();
        let any = !near.is_empty();
        near.into_iter().try_for_each(|rule| self.put_in(lazy, rule))?;
        Ok(any)
    }

    /// Puts a rule into the pool and the LP.
    fn put_in(&mut self, lazy: &Lazy, rule: Rule) -> Result<(), Halt> {
        let rows = rule.coverage.ones().filter_map(|example| self.row_of[example]);
        self.lp.add_rule(lazy.weights.charged(rule.cost), rows.map(|row| (row, 1.0)))?;
        self.pool.push(rule);
        Ok(())
    }

    fn add_row(&mut self, example: usize) -> Result<(), Halt> {
        let pool = self.pool.iter().enumerate();
        let with = pool.filter(|(_, rule)| rule.coverage.contains(example));
        self.lp.add_row(1.0, with.map(|(rule, _)| (rule, 1.0)))?;
        self.row_of[example] = Some(self.rows.len());
        self.rows.push(example);
        Ok(())
    }

    /// Adds examples that the fractional cover leaves out, at most as many as there are; whether
    /// there were any.
    pub(super) fn add_lacking(&mut self, shares: &[f64]) -> Result<bool, Halt> {
        let mut covered = vec![0.0; self.order.len()];
        for (rule, &share) in self.pool.iter().zip(shares) {
            if share > 0.0 {
                rule.coverage.ones().for_each(|example| covered[example] += share);
            }
        }
        let outside = self.order.iter().copied();
        let outside = outside.filter(|&e| self.row_of[e].is_none() && covered[e] < COVERED);
        let mut lacking: Vec<usize> = outside.collect();
        // Stable: among equals the hardest first.
        lacking.sort_by(|&a, &b| covered[a].total_cmp(&covered[b]));
        lacking.truncate(self.rows.len().max(FIRST_ROWS));
        for &example in &lacking {
            self.add_row(example)?;
        }
        Ok(!lacking.is_empty())
    }

    /// Generates rules until no missing one is worth its cost.
    pub(super) fn generate(&mut self, lazy: &mut Lazy) -> Result<(), Halt> {
        self.ascend(lazy)?;
        if self.bound >= lazy.best_weight {
            return Ok(());
        }
        if self.rows.is_empty() {
            self.add_lacking(&[])?;
        }
        let mut nodes = NODES;
        loop {
            if lazy.stop.requested() {
                return Err(Halt::Stopped);
            }
            let fractional = self.lp.solve()?;
            let prices = self.rounded(lazy, self.rows.iter().zip(&fractional.prices))?;
            if self.use_spare(lazy, &prices, 0)? {
                continue;
            }
            let missing = Missing::search(lazy, &prices, nodes)?;
            self.take(lazy, &prices, &missing)?;
            if self.bound >= lazy.best_weight {
                return Ok(());
            }
            if missing.rules.is_empty() {
                // Before all examples have come in, a bound in the rough will do.
                if self.add_lacking(&fractional.shares)? {
                    lazy.improve_cover(&self.pool, &lazy.stop.clone());
                } else if missing.none {
                    return Ok(());
                } else {
                    nodes = nodes.saturating_mul(MORE_NODES);
                }
            }
        }
    }

    /// Takes the rules that are missing at these prices, and what the prices prove once they are lowered.
    fn take(&mut self, lazy: &Lazy, prices: &[i32], missing: &Missing) -> Result<(), Halt> {
        for literals in &missing.rules {
            self.add(lazy, literals)?;
        }
        for lowered in &missing.lowered {
            let total = lazy.weights.total(lowered);
            if total > lazy.weights.total(&self.prices) {
                self.prices.clone_from(lowered);
                self.bound = lazy.weights.units(total);
                lazy.raise(self.bound, &self.prices);
            }
        }
        log::debug!(
            "class {}: {} rules, prices add up to {:.3}, {} rules added, bound {}, best {}",
            lazy.problem.label(),
            self.pool.len(),
            lazy.weights.total(prices) as f64 / lazy.weights.scale as f64,
            missing.rules.len(),
            self.bound,
            lazy.best_weight,
        );
        Ok(())
    }

    /// Prices of all examples in integers, where some have one.
    fn rounded<'p>(
        &self,
        lazy: &Lazy,
        priced: impl Iterator<Item = (&'p usize, &'p f64)>,
    ) -> Result<Vec<i32>, Halt> {
        let mut prices = vec![0; self.order.len()];
        priced.for_each(|(&example, &price)| prices[example] = lazy.weights.rounded(price));
        match prices.iter().map(|&price| i64::from(price)).sum::<i64>() <= price::MOST {
            true => Ok(prices),
            false => Err(Halt::Failed("the LP's prices are more than any cover costs".to_string())),
        }
    }

    /// Adds some rules that are missing at the LP's prices; whether any were found in haste.
    pub(super) fn add_missing(&mut self, lazy: &Lazy, fractional: &Fractional) -> Result<bool, Halt> {
        let prices = self.rounded(lazy, self.rows.iter().zip(&fractional.prices))?;
        let market = Market::new(&lazy.problem, &lazy.ground, &prices, false);
        let missing = Missing::in_haste(lazy, &market)?.0.rules();
        for literals in &missing {
            self.add(lazy, literals)?;
        }
        Ok(!missing.is_empty())
    }
}

/// Rules that are worth more than they cost.
struct Missing {
    rules: Vec<Vec<usize>>,
    /// Prices lowered so that no rule is worth more than it costs.
    lowered: Vec<Vec<i32>>,
    /// Whether there is none.
    none: bool,
    /// Whether what the best rule for each example is worth is known, nearly at least.
    all_known: bool,
    /// Whether a short search was enough.
    in_haste: bool,
}

impl Missing {
    /// If a short search of all rules is complete, it will do; so it will for few examples if it finds any. Else
    /// each example has a search of its own, of so many nodes.
    fn search(lazy: &Lazy, prices: &[i32], nodes: u64) -> Result<Missing, Halt> {
        let market = Market::new(&lazy.problem, &lazy.ground, prices, false);
        let (finds, complete) = Missing::in_haste(lazy, &market)?;
        if complete {
            let (none, lowered) = (finds.most <= 0, vec![lowered_by(lazy, prices, finds.most)]);
            return Ok(Missing { rules: finds.rules(), lowered, none, all_known: true, in_haste: true });
        }
        if prices.len() < ASCENT_FROM && !finds.terms.is_empty() {
            let rules = finds.rules();
            return Ok(Missing {
                rules,
                lowered: Vec::new(),
                none: false,
                all_known: false,
                in_haste: true,
            });
        }
        let on = (&lazy.stop, lazy.workers);
        let before = market.visited();
        let bests = price::search_by_example(&market, &lazy.rates, nodes, &lazy.nearest, on)?;
        lazy.nodes.fetch_add(market.visited() - before, Ordering::Relaxed);
        let most = bests.iter().map(|best| best.most).reduce(|a, b| Some(a?.max(b?))).unwrap_or(Some(0));
        let mut lowered = vec![price::repaired(prices, &bests)];
        lowered.extend(most.map(|most| lowered_by(lazy, prices, most)));
        let mut rules: Vec<_> = bests.into_iter().filter_map(|best| best.rule).collect();
        rules.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let rules = rules.into_iter().map(|(_, literals)| literals).collect();
        Ok(Missing { rules, lowered, none: most == Some(0), all_known: most.is_some(), in_haste: false })
    }

    /// The first rules that a short search finds, and whether it was complete.
    fn in_haste(lazy: &Lazy, market: &Market) -> Result<(Finds, bool), Halt> {
        let mut finds = Finds::default();
        let note = &mut |find: Find| finds.note(find);
        let complete = price::search(market, &lazy.rates, 1, HASTY_NODES, None, &lazy.stop, note)?;
        lazy.nodes.fetch_add(market.visited(), Ordering::Relaxed);
        Ok((finds, complete))
    }
}

/// Prices at which no rule is worth more than `most` beyond its cost, lowered so that none is worth more than its
/// cost.
fn lowered_by(lazy: &Lazy, prices: &[i32], most: i32) -> Vec<i32> {
    let cheapest = lazy.weights.cheapest_rule();
    let lower = |price: &i32| (i64::from(*price) * cheapest / (cheapest + i64::from(most))) as i32;
    prices.iter().map(lower).collect()
}

/// What a search has found so far.
#[derive(Default)]
struct Finds {
    /// What the best is worth beyond its cost.
    most: i32,
    terms: Vec<(i32, Vec<usize>)>,
}

impl Finds {
    /// Takes a find, and says what the next one must be worth.
    fn note(&mut self, find: Find) -> i32 {
        self.most = self.most.max(find.worth);
        self.terms.push((find.worth, find.literals.to_vec()));
        raised(self.most)
    }

    /// The most attractive ones.
    fn rules(self) -> Vec<Vec<usize>> {
        let mut terms = self.terms;
        terms.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        terms.dedup();
        terms.truncate(COLUMNS);
        terms.into_iter().map(|(_, literals)| literals).collect()
    }
}

/// Rules that are worth less than half as much as the best are not looked for.
fn raised(most: i32) -> i32 {
    1.max(most / 2)
}
