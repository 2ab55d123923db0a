//! The linear relaxation over all rules, most of which are never generated.
//!
//! It grows in two directions. Rules that are worth more than they cost come in as columns, until
//! there are none. Examples come in as rows: to begin with the hardest ones, and whenever the
//! rules are complete for these, more of those that the fractional cover leaves out. So a large
//! table has a bound early, which rises with every batch of examples.

use std::sync::atomic::Ordering;

use super::Lazy;
use super::price::{self, Find, Market};
use crate::limits::Halt;
use crate::solve::cover::lp::{CoverLp, Fractional};
use crate::solve::rule::Rule;

/// Rules added to the LP at a time, at most.
const COLUMNS: usize = 100;
/// Nodes of a short search, which takes the first rules it finds.
const HASTY_NODES: u64 = 10_000;
/// Nodes of a long search, and the words of bits it may look at.
const PATIENT_NODES: u64 = 300_000;
const PATIENT_WORK: u64 = 2_000_000_000;
/// How many examples to begin with: for most tables, for a large table, and the number of examples from
/// which a table is large.
const FIRST_ROWS: usize = 256;
const FIRST_ROWS_OF_MANY: usize = 64;
const MANY_ROWS: usize = 2_000;
/// What a missing rule is worth beyond its cost, in fractions of the cheapest rule's: to begin with,
/// and before more examples come in.
const COARSE: i64 = 8;
const ROUGH: i64 = 64;
/// An example is left out if it is covered by less than this.
const COVERED: f64 = 1.0 - 1e-6;

/// An LP, its rules, and what it proves.
pub(super) struct Relaxation {
    pub(super) lp: CoverLp,
    /// The rules generated, in the order of the LP's columns.
    pub(super) pool: Vec<Rule>,
    /// Of each example in the LP, in order of its rows.
    rows: Vec<usize>,
    row_of: Vec<Option<usize>>,
    /// The examples, the hardest first.
    order: Vec<usize>,
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
        let mut relaxation = Relaxation {
            lp: CoverLp::new(0),
            pool: Vec::new(),
            rows: Vec::new(),
            row_of: vec![None; examples],
            order,
            prices: vec![0; examples],
            bound: 0,
        };
        for literals in first {
            relaxation.add(lazy, literals)?;
        }
        lazy.consider(rules);
        Ok(relaxation)
    }

    /// Adds a rule to the pool and to the LP.
    fn add(&mut self, lazy: &Lazy, literals: &[usize]) -> Result<(), Halt> {
        let rule = lazy.problem.rule(literals);
        let rows = rule.coverage.ones().filter_map(|example| self.row_of[example]);
        let weight = lazy.weights.of(rule.cost) as f64;
        self.lp.add_rule(weight, rows.map(|row| (row, 1.0)))?;
        self.pool.push(rule);
        lazy.board.count(self.pool.len());
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
        let many = self.order.len() > MANY_ROWS;
        let first = if many { FIRST_ROWS_OF_MANY } else { FIRST_ROWS };
        lacking.truncate(self.rows.len().max(first));
        for &example in &lacking {
            self.add_row(example)?;
        }
        Ok(!lacking.is_empty())
    }

    /// Generates rules until no missing one is worth its cost.
    ///
    /// Rules that are worth only a little more than they cost are many and hard to rule out. Where
    /// that takes more than a short search, those are ruled out first that are worth a good deal
    /// more, and then less and less.
    pub(super) fn generate(&mut self, lazy: &mut Lazy) -> Result<(), Halt> {
        self.add_lacking(&[])?;
        let cheapest = lazy.weights.cheapest_rule();
        let [coarse, rough] = [COARSE, ROUGH].map(|part| (cheapest / part).max(1) as i32);
        let mut least = coarse;
        loop {
            if lazy.stop.requested() {
                return Err(Halt::Stopped);
            }
            let fractional = self.lp.solve()?;
            let prices = self.rounded(lazy, &fractional)?;
            let missing = Missing::search(lazy, &prices, least, false)?;
            let total: i64 = prices.iter().map(|&price| i64::from(price)).sum();
            log::debug!(
                "class {}: {} rules, {} examples, prices add up to {:.3}, {} rules added",
                lazy.problem.label(),
                self.pool.len(),
                self.rows.len(),
                total as f64 / lazy.weights.scale as f64,
                missing.rules.len(),
            );
            if let Some(most) = missing.most {
                self.prove(lazy, &prices, most);
            }
            if missing.rules.is_empty() {
                let done = least == 1 || missing.most.is_some_and(|most| most <= 0);
                // Before all examples have come in, a bound in the rough will do.
                if (done || least <= rough) && self.add_lacking(&fractional.shares)? {
                    lazy.improve_cover(&self.pool, &lazy.stop.clone());
                    least = coarse;
                } else if done {
                    return Ok(());
                } else {
                    least = if least > rough { rough } else { 1 };
                }
                if self.bound >= lazy.best_weight {
                    return Ok(());
                }
            }
            for literals in missing.rules {
                self.add(lazy, &literals)?;
            }
        }
    }

    /// The bound of prices at which no rule is worth more than `most` beyond its cost: lowered so
    /// that none is worth more than its cost, they are a proof.
    fn prove(&mut self, lazy: &Lazy, prices: &[i32], most: i32) {
        let cheapest = lazy.weights.cheapest_rule();
        let lower =
            |price: &i32| (i64::from(*price) * cheapest / (cheapest + i64::from(most.max(0)))) as i32;
        let lowered: Vec<i32> = prices.iter().map(lower).collect();
        let total: i64 = lowered.iter().map(|&price| i64::from(price)).sum();
        let proven: i64 = self.prices.iter().map(|&price| i64::from(price)).sum();
        if total > proven {
            self.prices = lowered;
            self.bound = lazy.weights.units(total);
            lazy.raise(self.bound, &self.prices);
        }
    }

    /// The LP's prices, of all examples, in integers.
    fn rounded(&self, lazy: &Lazy, fractional: &Fractional) -> Result<Vec<i32>, Halt> {
        let mut prices = vec![0; self.order.len()];
        for (&example, &price) in self.rows.iter().zip(&fractional.prices) {
            prices[example] = lazy.weights.rounded(price);
        }
        let total: i64 = prices.iter().map(|&price| i64::from(price)).sum();
        match total <= price::MOST {
            true => Ok(prices),
            false => Err(Halt::Failed("the LP's prices are more than any cover costs".to_string())),
        }
    }

    /// Adds some rules that are missing at the LP's prices; whether any were found in haste.
    pub(super) fn add_missing(&mut self, lazy: &Lazy, fractional: &Fractional) -> Result<bool, Halt> {
        let prices = self.rounded(lazy, fractional)?;
        let missing = Missing::search(lazy, &prices, 1, true)?.rules;
        for literals in &missing {
            self.add(lazy, literals)?;
        }
        Ok(!missing.is_empty())
    }
}

/// Rules that are worth more than they cost.
struct Missing {
    /// The most attractive ones.
    rules: Vec<Vec<usize>>,
    /// What the best of all is worth beyond its cost, if the search was complete.
    most: Option<i32>,
}

impl Missing {
    /// While a short search finds some, or growing terms does, they will do: at the prices of the
    /// first rounds a complete search takes longest. Else all that are worth `least` more than they
    /// cost are looked for.
    fn search(lazy: &Lazy, prices: &[i32], least: i32, in_haste: bool) -> Result<Missing, Halt> {
        let market = Market::new(&lazy.problem, &lazy.ground, prices, false);
        let rates = &lazy.rates;
        let on = (&lazy.stop, lazy.workers);
        let mut finds = Finds::default();
        let note = &mut |find: Find| finds.note(find);
        let mut complete = price::search(&market, rates, 1, HASTY_NODES, None, &lazy.stop, note)?;
        if !complete && !in_haste && finds.terms.is_empty() {
            finds.terms = price::grow(&lazy.problem, &market, rates, least, on);
        }
        if !complete && !in_haste && finds.terms.is_empty() {
            let (nodes, note) = (patient_nodes(lazy), &mut |find: Find| finds.note(find));
            complete = price::search(&market, rates, 1, nodes, None, &lazy.stop, note)?;
        }
        if !complete && !in_haste && finds.terms.is_empty() {
            finds.most = least - 1;
            let note = &mut |find: Find| finds.note(find);
            price::search_all(&market, rates, least, raised, None, on, note)?;
            complete = true;
        }
        lazy.nodes.fetch_add(market.visited(), Ordering::Relaxed);
        let Finds { most, mut terms } = finds;
        terms.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        terms.dedup();
        terms.truncate(COLUMNS);
        let rules = terms.into_iter().map(|(_, literals)| literals).collect();
        Ok(Missing { rules, most: complete.then_some(most) })
    }
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
}

/// Rules that are worth less than half as much as the best are not looked for.
fn raised(most: i32) -> i32 {
    1.max(most / 2)
}

fn patient_nodes(lazy: &Lazy) -> u64 {
    let words = lazy.ground.literals * (lazy.ground.negatives / 64 + 1);
    PATIENT_NODES.min(PATIENT_WORK / words.max(1) as u64)
}
