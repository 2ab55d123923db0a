//! The linear relaxation over all rules, where examples may be left out.
//!
//! Examples that the same rules cover have the same price for each row, so they are one group, with one
//! variable. To begin with there is one group, of all examples; each rule that comes in divides those that it
//! covers in part. Nobody pays more for an example than leaving it out costs, and most prices are at that
//! bound.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hashbrown::HashSet;
use minrule_native::packing::{Packing, PackingLp, Place};

use super::Sparse;
use super::choose::NODES_PER_LP;
use super::price::{self, Find, Finds, Market, Searched};
use crate::limits::{Halt, Stop};
use crate::solve::evidence::Evidence;
use crate::solve::faults::{self, Site};
use crate::solve::objective::Cost;
use crate::solve::rule::{Coverage, Rule, Term};

/// Rules added to the LP at a time, at most.
const COLUMNS: usize = 100;
/// At least, if there are so many; and how many are looked at.
const LEAST_COLUMNS: usize = 10;
const FINDS: usize = 300;
/// How wide beams are, one after another, while they find nothing.
const BEAMS: [usize; 2] = [40, 400];
/// Parts of the prices, in percent, that may prove a bound when there is no time left.
const QUICK: [i64; 10] = [1, 3, 6, 12, 25, 40, 55, 70, 85, 95];
/// An LP price that is so near to its bound, relatively, is at it.
const SLACK: f64 = 1e-9;
/// Prices are lowered to what is enough if that is so many percent of them, or less.
const MUCH_LESS: i64 = 75;
/// Shares below this are none.
const NO_SHARE: f64 = 1e-6;

/// An LP, its rules, and what it proves.
pub(super) struct Relaxation {
    lp: PackingLp,
    groups: Groups,
    rule_places: Vec<Place>,
    /// What each rule costs, in rows and in the unit of prices.
    costs: Vec<f64>,
    rates: Vec<i64>,
    /// The rules generated, in the order of the LP's constraints.
    pub(super) pool: Vec<Rule>,
    known: HashSet<Vec<usize>>,
    /// Where the next search begins.
    first: Option<usize>,
    /// The LP's last prices, and a mean of all, of which the later ones count more.
    last: Vec<i32>,
    calm: Vec<i32>,
    /// Prices at which no rule is worth more than it costs, and the bound they prove.
    pub(super) prices: Vec<i32>,
    pub(super) bound: u64,
}

/// Positives that the same rules of the pool cover.
struct Groups {
    /// Of each positive.
    of: Vec<u32>,
    /// Of each group: rows, rules that cover it, and where its price is.
    rows: Vec<u64>,
    rules_of: Vec<Vec<u32>>,
    places: Vec<Place>,
}

impl Groups {
    fn new(rows: &[u64]) -> Groups {
        Groups {
            of: vec![0; rows.len()],
            rows: vec![rows.iter().sum()],
            rules_of: vec![Vec::new()],
            places: vec![Place::Upper],
        }
    }

    /// Divides the groups that a rule covers in part.
    fn divide(&mut self, rule: u32, coverage: &Coverage, rows: &[u64]) {
        let mut covered = vec![0; self.rows.len()];
        for example in coverage.ones() {
            covered[self.of[example] as usize] += rows[example];
        }
        let mut part_of = vec![None; covered.len()];
        for (group, &inside) in covered.iter().enumerate() {
            if inside == self.rows[group] {
                self.rules_of[group].push(rule);
            } else if inside > 0 {
                part_of[group] = Some(self.rows.len() as u32);
                self.rows[group] -= inside;
                self.rows.push(inside);
                let mut rules = self.rules_of[group].clone();
                rules.push(rule);
                self.rules_of.push(rules);
                // A basis has as many members as before.
                let place = self.places[group];
                self.places.push(if place == Place::Basic { Place::Upper } else { place });
            }
        }
        for example in coverage.ones() {
            if let Some(part) = part_of[self.of[example] as usize] {
                self.of[example] = part;
            }
        }
    }
}

impl Relaxation {
    pub(super) fn new(sparse: &Sparse, pool: &[Term]) -> Relaxation {
        let mut relaxation = Relaxation {
            lp: PackingLp::new(),
            groups: Groups::new(&sparse.rows),
            rule_places: Vec::new(),
            costs: Vec::new(),
            rates: Vec::new(),
            pool: Vec::new(),
            known: HashSet::new(),
            first: None,
            last: Vec::new(),
            calm: sparse.rows.iter().map(|&rows| (rows as i64 * sparse.scale.row) as i32).collect(),
            prices: vec![0; sparse.rows.len()],
            bound: 0,
        };
        for term in pool {
            relaxation.add(sparse, &sparse.problem.positions(term));
        }
        relaxation
    }

    /// Adds a rule to the pool and to the LP, unless it is there.
    fn add(&mut self, sparse: &Sparse, literals: &[usize]) -> bool {
        if !self.known.insert(literals.to_vec()) {
            return false;
        }
        let rule = sparse.problem.rule(literals);
        self.groups.divide(self.pool.len() as u32, &rule.coverage, &sparse.rows);
        self.costs.push(sparse.scale.rows(rule.cost.first));
        self.rates.push(sparse.rate(&rule, literals));
        self.rule_places.push(Place::Basic);
        self.pool.push(rule);
        sparse.board.count(self.pool.len());
        true
    }

    /// Generates rules until no missing one is worth its cost.
    pub(super) fn generate(&mut self, sparse: &mut Sparse) -> Result<(), Halt> {
        loop {
            if sparse.stop.requested() {
                return Err(Halt::Stopped);
            }
            let (prices, shares) = self.solve(sparse)?;
            sparse.round(&self.pool, &shares);
            for (calm, &price) in self.calm.iter_mut().zip(&prices) {
                *calm = i32::midpoint(*calm, price);
            }
            self.last.clone_from(&prices);
            let missing = Missing::search(sparse, &prices, &self.calm, &self.known, &mut self.first)?;
            let mut added = 0;
            for literals in &missing.rules {
                added += usize::from(self.add(sparse, literals));
            }
            let total: i64 = prices.iter().map(|&price| i64::from(price)).sum();
            log::debug!(
                "class {}: {} rules, {} groups, prices add up to {:.3}, best {:.3}, {added} rules added by {}",
                sparse.problem.label(),
                self.pool.len(),
                self.groups.rows.len(),
                total as f64 / sparse.scale.row as f64,
                sparse.scale.rows(sparse.best_cost),
                missing.by,
            );
            if let Some(most) = missing.most {
                self.prove(sparse, &missing.prices, most);
                if self.bound >= sparse.best_cost || sparse.board.is_dearest() {
                    return Ok(());
                }
            }
            if added == 0 && missing.most.is_some() {
                return Ok(());
            }
        }
    }

    /// A bound at once, from a part of the last prices: the largest at which a search, as long as it may
    /// last, finds that no rule is worth its cost.
    pub(super) fn quick_bound(&mut self, sparse: &Sparse, stop: &Stop) {
        for percent in QUICK {
            let part = |&price: &i32| (i64::from(price) * percent / 100) as i32;
            let prices: Vec<i32> = self.last.iter().map(part).collect();
            let market = Market::new(&sparse.field, &prices);
            let mut most = 0;
            // The first find ends it: nothing is worth so much.
            let note = &mut |find: Find| {
                most = find.worth;
                price::MOST as i32
            };
            match price::search(&market, 1, u64::MAX, stop, note) {
                Ok(true) if most == 0 => self.prove(sparse, &prices, 0),
                _ => return,
            }
        }
    }

    /// Prices of the positives in integers, and the shares of the rules.
    fn solve(&mut self, sparse: &Sparse) -> Result<(Vec<i32>, Vec<f64>), Halt> {
        faults::strike(Site::Lp)?;
        sparse.stop.spend(NODES_PER_LP);
        let Groups { of, rows, rules_of, places } = &mut self.groups;
        let bounds: Vec<f64> = rows.iter().map(|&rows| rows as f64).collect();
        let packing = Packing { bounds: &bounds, rules_of, costs: &self.costs };
        let packed = self.lp.solve(&packing, places, &self.rule_places)?;
        *places = packed.price_places;
        self.rule_places = packed.rule_places;
        let whole: Vec<i64> = rows.iter().map(|&rows| rows as i64 * sparse.scale.row).collect();
        let worth = |(price, (&rows, &whole)): (&f64, (&u64, &i64))| {
            let share = price.max(0.0) / rows as f64;
            match share {
                _ if share >= 1.0 - SLACK => whole,
                _ => (share * whole as f64).floor() as i64,
            }
        };
        let mut worths: Vec<i64> =
            packed.prices.iter().zip(rows.iter().zip(&whole)).map(worth).collect();
        lower(&mut worths, &whole, rules_of, &self.rates);
        // What a group is worth is spread over its rows, so that rounding costs next to nothing.
        let mut before = vec![0i64; rows.len()];
        let price = |(&group, &own): (&u32, &u64)| {
            let group = group as usize;
            let spread = |rows_before: i64| {
                (i128::from(worths[group]) * i128::from(rows_before) / i128::from(rows[group])) as i64
            };
            let (from, to) = (before[group], before[group] + own as i64);
            before[group] = to;
            (spread(to) - spread(from)) as i32
        };
        let prices = of.iter().zip(&sparse.rows).map(price).collect();
        Ok((prices, packed.shares.iter().map(|share| share.abs()).collect()))
    }

    /// The bound of prices at which no rule is worth more than `most` beyond its cost: lowered so
    /// that none is worth more than its cost, they are a proof.
    fn prove(&mut self, sparse: &Sparse, prices: &[i32], most: i32) {
        let cheapest = sparse.cheapest_rule();
        let lowered: Vec<i32> = match most {
            ..=0 => prices.to_vec(),
            _ if cheapest == 0 => return,
            _ => {
                let share = |&price: &i32| i64::from(price) * cheapest / (cheapest + i64::from(most));
                prices.iter().map(|price| share(price) as i32).collect()
            }
        };
        let total: i64 = lowered.iter().map(|&price| i64::from(price)).sum();
        let proven: i64 = self.prices.iter().map(|&price| i64::from(price)).sum();
        if total > proven {
            self.prices = lowered;
            self.bound = sparse.scale.cost_at_least(total);
            let evidence = || Arc::new(Evidence::Prices(sparse.pricing(&self.prices)));
            sparse.board.raise_because(Cost { first: self.bound, second: 0 }, evidence);
        }
    }
}

/// Lowers the worths of groups until no rule's exceed its cost: the LP's arithmetic is not exact. Those that
/// are not whole go first.
fn lower(worths: &mut [i64], whole: &[i64], rules_of: &[Vec<u32>], costs: &[i64]) {
    let mut excess: Vec<i64> = costs.iter().map(|cost| -cost).collect();
    for (worth, rules) in worths.iter().zip(rules_of) {
        rules.iter().for_each(|&rule| excess[rule as usize] += worth);
    }
    for part in [true, false] {
        for (group, worth) in worths.iter_mut().enumerate() {
            if part == (*worth < whole[group]) {
                let most = rules_of[group].iter().map(|&rule| excess[rule as usize]).max();
                let by = most.unwrap_or(0).clamp(0, *worth);
                if by > 0 {
                    *worth -= by;
                    rules_of[group].iter().for_each(|&rule| excess[rule as usize] -= by);
                }
            }
        }
    }
}

/// Rules that are worth more than they cost.
struct Missing {
    /// The most attractive ones.
    rules: Vec<Vec<usize>>,
    /// The prices they were searched for at, and what the best of all is worth beyond its cost, if the search
    /// was complete.
    prices: Vec<i32>,
    most: Option<i32>,
    /// Who found them.
    by: &'static str,
}

impl Missing {
    /// While beams find some, they will do. Else they are searched for, until some are found or it is certain
    /// that there are none.
    fn search(
        sparse: &Sparse,
        prices: &[i32],
        calm: &[i32],
        known: &HashSet<Vec<usize>>,
        first: &mut Option<usize>,
    ) -> Result<Missing, Halt> {
        let market = Market::new(&sparse.field, prices);
        let on = (&sparse.stop, sparse.workers);
        let new = |found| {
            let mut terms = attractive(sparse, prices, found);
            terms.retain(|(_, term)| !known.contains(term));
            terms
        };
        // Prices jump from one round to the next; what is attractive at calmer ones lasts longer.
        let mut terms = new(price::beam(&Market::new(&sparse.field, calm).sample(), 1, BEAMS[0], on));
        for width in BEAMS {
            if terms.is_empty() {
                terms = new(price::beam(&market.sample(), 1, width, on));
            }
        }
        sparse.nodes.fetch_add(market.visited(), Ordering::Relaxed);
        if !terms.is_empty() {
            let rules = diverse(sparse, prices, foremost(terms));
            return Ok(Missing { rules, prices: prices.to_vec(), most: None, by: "beam" });
        }
        if let Some(lowered) = just_enough(sparse, prices) {
            let market = Market::new(&sparse.field, &lowered);
            let mut finds = Taken { most: 0, terms: Vec::new(), known };
            let searched = price::search_all(&market, 1, raised, on, None, &mut finds)?;
            sparse.nodes.fetch_add(market.visited(), Ordering::Relaxed);
            if searched == Searched::All && finds.most == 0 {
                return Ok(Missing { rules: Vec::new(), prices: lowered, most: Some(0), by: "search" });
            }
            // What was found is not used: when other classes have which cost is a matter of threads, and the
            // rules of this one must not be.
        }
        let mut finds = Taken { most: 0, terms: Vec::new(), known };
        let searched = price::search_all(&market, 1, raised, on, *first, &mut finds)?;
        sparse.nodes.fetch_add(market.visited(), Ordering::Relaxed);
        if let Searched::Until(literal) = searched {
            // Where some were, there may be more next time.
            *first = Some(literal);
        }
        let Taken { most, terms, .. } = finds;
        let rules = diverse(sparse, prices, foremost(terms));
        let most = (searched == Searched::All).then_some(most);
        Ok(Missing { rules, prices: prices.to_vec(), most, by: "search" })
    }
}

/// Prices lowered so far that they add up to no more than it takes to show that the class gets no rules, if
/// that is much less than these: the lower the prices, the shorter is the search.
fn just_enough(sparse: &Sparse, prices: &[i32]) -> Option<Vec<i32>> {
    let total: i64 = prices.iter().map(|&price| i64::from(price)).sum();
    // Each price may lose a fraction.
    let needed = sparse.scale.price(sparse.board.enough()?) + 1 + prices.len() as i64;
    let lowered = |&price: &i32| (i64::from(price) * needed / total) as i32;
    (needed * 100 <= total * MUCH_LESS).then(|| prices.iter().map(lowered).collect())
}

/// The most attractive of these terms, in order.
fn foremost(mut terms: Vec<(i32, Vec<usize>)>) -> Vec<(i32, Vec<usize>)> {
    terms.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    terms.dedup();
    terms.truncate(FINDS);
    terms
}

/// Of terms found at other prices, those that are worth more than they cost at these.
fn attractive(sparse: &Sparse, prices: &[i32], terms: Vec<(i32, Vec<usize>)>) -> Vec<(i32, Vec<usize>)> {
    let worth = |(_, literals): (i32, Vec<usize>)| {
        let rule = sparse.problem.rule(&literals);
        let value: i64 = rule.coverage.ones().map(|example| i64::from(prices[example])).sum();
        let worth = value - sparse.rate(&rule, &literals);
        (worth > 0).then_some((worth as i32, literals))
    };
    foremost(terms).into_iter().filter_map(worth).collect()
}

/// The most attractive of these rules, and then those that are attractive for other examples: what a chosen
/// rule covers counts for half of its price.
fn diverse(sparse: &Sparse, prices: &[i32], terms: Vec<(i32, Vec<usize>)>) -> Vec<Vec<usize>> {
    let mut seen = HashSet::new();
    let mut rest: Vec<(i64, Rule, Vec<usize>)> = Vec::new();
    for (worth, literals) in terms {
        let rule = sparse.problem.rule(&literals);
        if seen.insert(rule.coverage.clone()) {
            rest.push((i64::from(worth), rule, literals));
        }
    }
    let mut prices: Vec<i64> = prices.iter().map(|&price| i64::from(price)).collect();
    let mut chosen = Vec::new();
    while chosen.len() < COLUMNS {
        let best =
            rest.iter().enumerate().max_by_key(|(i, (worth, ..))| (*worth, std::cmp::Reverse(*i)));
        let Some((i, &(worth, ..))) = best else { break };
        if worth <= 0 && chosen.len() >= LEAST_COLUMNS {
            break;
        }
        let (_, rule, literals) = rest.remove(i);
        for (worth, other, _) in &mut rest {
            let both = other.coverage.intersection(&rule.coverage);
            *worth -= both.map(|example| prices[example] - prices[example] / 2).sum::<i64>();
        }
        rule.coverage.ones().for_each(|example| prices[example] /= 2);
        chosen.push(literals);
    }
    chosen
}

/// What a search has found so far.
struct Taken<'k> {
    /// What the best is worth beyond its cost.
    most: i32,
    terms: Vec<(i32, Vec<usize>)>,
    /// Terms that the LP knows.
    known: &'k HashSet<Vec<usize>>,
}

impl Finds for Taken<'_> {
    fn note(&mut self, find: Find) -> i32 {
        self.most = self.most.max(find.worth);
        let mut literals = find.literals.to_vec();
        literals.sort_unstable();
        if !self.known.contains(&literals) {
            self.terms.push((find.worth, literals));
        }
        raised(self.most)
    }

    fn are_enough(&self) -> bool {
        !self.terms.is_empty()
    }
}

/// Rules that are worth less than half as much as the best are not looked for.
fn raised(most: i32) -> i32 {
    1.max(most / 2)
}

/// The rules with a share, the largest first.
pub(super) fn by_share(shares: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..shares.len()).filter(|&rule| shares[rule] > NO_SHARE).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]).then(a.cmp(&b)));
    order
}
