//! The best choice among given rules, where examples may be left out: branch and bound over rules.
//!
//! A node has rules that are in, rules that are out, and others. Its relaxation, in the form of [`Packing`],
//! knows only the rules it needs. Prices are rounded to integers, and what they prove is counted out over all
//! rules: every choice in the node costs at least the rules that are in and the prices, less what some rules
//! are worth beyond their cost. Rules that are too dear for a better choice than the best one known go out,
//! here and below. A node branches on the rule that promises to raise the bounds of both its parts, by what
//! deciding on rules has gained before (Bénichou et al. 1971); while nothing is known, and where there is no time for
//! a proof, on the rule whose share is nearest to one half.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hashbrown::HashMap;
use minrule_native::packing::{Packing, PackingLp, Place};

use crate::limits::{Halt, Stop};
use crate::solve::bits;
use crate::solve::evidence::{ROOT, Scribe};
use crate::solve::faults::{self, Site};
use crate::solve::rule::Rule;

/// Prices are integers in this fraction of the unit of cost, or in a coarser one.
const SCALE: i64 = 1 << 20;
/// More than any sum of prices.
const MOST: i64 = 1 << 60;
/// Rules that come into the LP at a time, at most.
const COLUMNS: usize = 50;
/// Rules leave the LP after so many LPs to which they made no difference, as soon as these are half of all.
const IDLE: u32 = 20;
/// LP prices are lowered by this much, relatively, before they are rounded.
const SLACK: f64 = 1e-9;
/// Nodes of a search for rules that take as long as an LP, roughly.
pub(super) const NODES_PER_LP: u64 = 500;
/// The values of a byte.
const BYTES: usize = 256;
/// Shares nearer to a whole number than this are whole.
const WHOLE: f64 = 1e-6;

/// Rules to choose from, and groups of examples: those that the same rules cover.
pub(super) struct Choice {
    /// Of each rule, the groups it covers, and what it costs.
    groups_of: Vec<Vec<u32>>,
    costs: Vec<u64>,
    /// The groups of each rule as bits, one rule after another, where these are shorter than lists.
    patterns: Vec<u8>,
    /// What leaving out each group costs.
    weights: Vec<u64>,
    /// What leaving out the examples costs that no rule covers.
    pub(super) always: u64,
    /// The group of each example that some rule covers.
    pub(super) group_of: Vec<Option<u32>>,
}

impl Choice {
    /// `rows` are those of each example, of which leaving out one costs `row`.
    pub(super) fn new(rules: &[&Rule], rows: &[u64], row: u64) -> Choice {
        let words = bits::words(rules.len());
        let mut signatures = vec![0u64; rows.len() * words];
        for (number, rule) in rules.iter().enumerate() {
            for example in rule.coverage.ones() {
                signatures[example * words + number / 64] |= 1 << (number % 64);
            }
        }
        let mut place: HashMap<&[u64], usize> = HashMap::new();
        let mut choice = Choice {
            groups_of: vec![Vec::new(); rules.len()],
            costs: rules.iter().map(|rule| rule.cost.first).collect(),
            patterns: Vec::new(),
            weights: Vec::new(),
            always: 0,
            group_of: vec![None; rows.len()],
        };
        for (example, &rows) in rows.iter().enumerate() {
            let signature = &signatures[example * words..][..words];
            if bits::is_clear(signature) {
                choice.always += rows * row;
                continue;
            }
            let group = *place.entry(signature).or_insert_with(|| {
                let group = choice.weights.len();
                choice.weights.push(0);
                bits::ones(signature).for_each(|rule| choice.groups_of[rule].push(group as u32));
                group
            });
            choice.weights[group] += rows * row;
            choice.group_of[example] = Some(group as u32);
        }
        let width = choice.weights.len().div_ceil(8);
        if choice.groups_of.iter().map(Vec::len).sum::<usize>() > rules.len() * width {
            choice.patterns = vec![0; rules.len() * width];
            let rows = choice.patterns.chunks_exact_mut(width).zip(&choice.groups_of);
            rows.for_each(|(row, groups)| {
                groups.iter().for_each(|g| row[*g as usize / 8] |= 1 << (g % 8))
            });
        }
        choice
    }

    /// What the groups of each of these rules amount to. With many rules, eight groups are looked up at a time.
    fn amounts(&self, of_groups: &[i64], rules: &[u32]) -> Vec<i64> {
        if self.patterns.is_empty() || rules.len() < BYTES {
            let amount = |&group: &u32| of_groups[group as usize];
            return rules.iter().map(|&r| self.groups_of[r as usize].iter().map(amount).sum()).collect();
        }
        let table = |amounts: &[i64]| {
            let mut table = [0; BYTES];
            for byte in 1..BYTES {
                // The lowest bit is a group more than the others; groups beyond the last are in no rule.
                let lowest = amounts.get(byte.trailing_zeros() as usize);
                table[byte] = table[byte & (byte - 1)] + lowest.copied().unwrap_or(0);
            }
            table
        };
        let tables: Vec<[i64; BYTES]> = of_groups.chunks(8).map(table).collect();
        let row = |&rule: &u32| &self.patterns[rule as usize * tables.len()..][..tables.len()];
        let amount = |row: &[u8]| row.iter().zip(&tables).map(|(&byte, of)| of[byte as usize]).sum();
        rules.iter().map(row).map(amount).collect()
    }

    pub(super) fn rules(&self) -> usize {
        self.costs.len()
    }

    /// What these rules cost, with all that they leave out.
    pub(super) fn cost(&self, chosen: &[u32]) -> u64 {
        let mut left_out = vec![true; self.weights.len()];
        for &rule in chosen {
            self.groups_of[rule as usize].iter().for_each(|&group| left_out[group as usize] = false);
        }
        let paid: u64 = chosen.iter().map(|&rule| self.costs[rule as usize]).sum();
        let left_out = left_out.iter().zip(&self.weights).filter(|(out, _)| **out);
        self.always + paid + left_out.map(|(_, weight)| weight).sum::<u64>()
    }

    /// The groups of each rule, and one column more for each group, "left out", for solvers of covers.
    pub(super) fn columns(&self) -> (Vec<Vec<u32>>, Vec<u64>) {
        let mut groups = self.groups_of.clone();
        groups.extend((0..self.weights.len() as u32).map(|group| vec![group]));
        (groups, self.costs.iter().chain(&self.weights).copied().collect())
    }

    /// Prices are integers in this fraction of the unit of cost.
    pub(super) fn scale(&self) -> i64 {
        let most = i64::try_from(self.always + self.weights.iter().sum::<u64>()).unwrap_or(i64::MAX);
        SCALE.min(MOST / most.max(1)).max(1)
    }

    pub(super) fn groups(&self) -> usize {
        self.weights.len()
    }
}

/// What came of a search.
pub(super) enum Chosen {
    /// No choice costs less than the best one known.
    Proven,
    /// The allotted work was done.
    Unfinished,
}

struct Node {
    /// No choice in here costs less, scaled.
    bound: i64,
    /// Rules that may be in.
    free: Vec<u32>,
    /// Rules that are.
    inside: Vec<u32>,
    /// Its number in a proof.
    case: usize,
    /// The rule that was decided on last, if any: whether it is in, and how far it was from that.
    decided: Option<(u32, bool, f64)>,
}

/// What deciding on a rule has gained so far: how much the bound rose for each unit of its share.
#[derive(Clone, Copy, Default)]
struct Gains {
    sums: [f64; 2],
    counts: [u32; 2],
}

impl Gains {
    fn add(&mut self, inside: bool, gain: f64) {
        self.sums[usize::from(inside)] += gain;
        self.counts[usize::from(inside)] += 1;
    }

    fn mean(&self, inside: bool) -> Option<f64> {
        let side = usize::from(inside);
        (self.counts[side] > 0).then(|| self.sums[side] / f64::from(self.counts[side]))
    }
}

/// Looks for choices that cost less than `best`, solving at most so many LPs. What is found, and what is proven,
/// is told.
pub(super) fn choose(
    choice: &Choice,
    best: u64,
    most_solves: u64,
    stop: &Stop,
    scribe: &Scribe,
    better: &mut dyn FnMut(&[u32]),
    raise: &mut dyn FnMut(u64),
) -> Result<Chosen, Halt> {
    let mut search = Search {
        choice,
        scale: choice.scale(),
        best,
        stop,
        scribe,
        better,
        lp: PackingLp::new(),
        working: Vec::new(),
        at: vec![None; choice.rules()],
        signatures: Vec::new(),
        words: 1,
        solves: 0,
        idle: Vec::new(),
        proving: most_solves == u64::MAX,
        gains: vec![Gains::default(); choice.rules()],
        all_gains: Gains::default(),
        rule_places: Vec::new(),
        group_places: vec![Place::Upper; choice.groups()],
    };
    search.signatures = vec![0; choice.groups()];
    let free = (0..choice.rules() as u32).collect();
    let mut open: BTreeMap<(i64, Reverse<usize>, usize), Node> = BTreeMap::new();
    let mut number = 0;
    let root = Node { bound: 0, free, inside: Vec::new(), case: ROOT, decided: None };
    open.insert((0, Reverse(0), 0), root);
    while let Some(((bound, ..), node)) = open.pop_first() {
        if search.units(bound) >= search.best {
            break;
        }
        raise(search.units(bound).min(search.best));
        if search.solves > most_solves {
            return Ok(Chosen::Unfinished);
        }
        // The children that take a rule in are followed at once: good choices come from there.
        let mut next = Some(node);
        while let Some(node) = next.take() {
            let Some((with, without)) = search.divide(node)? else { break };
            number += 1;
            let depth = without.inside.len();
            open.insert((without.bound, Reverse(depth), number), without);
            next = Some(with);
        }
    }
    log::debug!(
        "choice: {number} nodes, {} LPs, {} of {} rules",
        search.solves,
        search.working.len(),
        choice.rules()
    );
    raise(search.best);
    Ok(Chosen::Proven)
}

struct Search<'s> {
    choice: &'s Choice,
    scale: i64,
    best: u64,
    stop: &'s Stop,
    scribe: &'s Scribe<'s>,
    better: &'s mut dyn FnMut(&[u32]),
    lp: PackingLp,
    /// Rules that LPs know, and where.
    working: Vec<u32>,
    at: Vec<Option<u32>>,
    /// Of each group, which of these cover it: so many words of bits.
    signatures: Vec<u64>,
    words: usize,
    solves: u64,
    /// Of each working rule, the LPs since one in which its constraint was tight.
    idle: Vec<u32>,
    /// Whether there is time for a proof. Else rules are decided on that are neither in nor out: good choices
    /// come from there.
    proving: bool,
    /// Of each rule, and of all.
    gains: Vec<Gains>,
    all_gains: Gains,
    /// Where the last LP ended: by place in the working rules, and by group.
    rule_places: Vec<Place>,
    group_places: Vec<Place>,
}

/// Prices of the groups, scaled, and the shares of the rules that the LP knows.
struct Relaxed {
    prices: Vec<i64>,
    /// By place in the working rules.
    shares: Vec<f64>,
}

impl Search<'_> {
    /// The whole units of cost that a scaled bound proves.
    fn units(&self, bound: i64) -> u64 {
        (bound.max(0) as u64).div_ceil(self.scale as u64)
    }

    /// Relaxes a node; its parts with and without some rule, unless there is nothing better in it.
    fn divide(&mut self, mut node: Node) -> Result<Option<(Node, Node)>, Halt> {
        self.forget();
        let before = node.bound;
        let mut covered = vec![false; self.choice.groups()];
        for &rule in &node.inside {
            self.choice.groups_of[rule as usize]
                .iter()
                .for_each(|&group| covered[group as usize] = true);
        }
        let paid: u64 = node.inside.iter().map(|&rule| self.choice.costs[rule as usize]).sum();
        // A rule that does not pay for itself any more goes out.
        let left = self.choice.weights.iter().zip(&covered);
        let left: Vec<i64> =
            left.map(|(&weight, &covered)| if covered { 0 } else { weight as i64 }).collect();
        let mut gains = self.choice.amounts(&left, &node.free).into_iter();
        node.free.retain(|&rule| gains.next() > Some(self.choice.costs[rule as usize] as i64));
        loop {
            if self.stop.requested() {
                return Err(Halt::Stopped);
            }
            let relaxed = self.relax(&node.free, &covered)?;
            self.round(&node.inside, &relaxed.shares);
            let mut bound =
                (self.choice.always + paid) as i64 * self.scale + relaxed.prices.iter().sum::<i64>();
            let values = self.choice.amounts(&relaxed.prices, &node.free);
            let worth = |(&rule, value): (&u32, i64)| {
                value - self.choice.costs[rule as usize] as i64 * self.scale
            };
            let worths: Vec<i64> = node.free.iter().zip(values).map(worth).collect();
            bound -= worths.iter().filter(|worth| **worth > 0).sum::<i64>();
            node.bound = node.bound.max(bound);
            self.note(node.case, (&relaxed.prices, &covered), bound, false);
            if self.units(node.bound) >= self.best {
                self.learn(&node, before);
                return Ok(None);
            }
            let most = (self.best - 1) as i64 * self.scale;
            let mut missing: Vec<(i64, u32)> = Vec::new();
            let mut kept = Vec::with_capacity(node.free.len());
            for (&rule, &worth) in node.free.iter().zip(&worths) {
                if worth >= 0 || bound - worth <= most {
                    kept.push(rule);
                    if worth > 0 && self.at[rule as usize].is_none() {
                        missing.push((worth, rule));
                    }
                }
            }
            if kept.len() < node.free.len() {
                self.note(node.case, (&relaxed.prices, &covered), bound, true);
            }
            node.free = kept;
            if missing.is_empty() {
                self.learn(&node, before);
                return Ok(self.parts(node, &relaxed.shares));
            }
            missing.sort_unstable_by_key(|&(worth, rule)| (Reverse(worth), rule));
            for &(_, rule) in missing.iter().take(COLUMNS) {
                self.work_with(rule);
            }
        }
    }

    /// Notes down prices of the groups that are not covered yet. What is as dear as leaving it out goes without
    /// saying.
    fn note(&self, case: usize, (prices, covered): (&[i64], &[bool]), bound: i64, rules_went: bool) {
        let listed = prices.iter().zip(&self.choice.weights).enumerate().filter_map(
            |(group, (&price, &weight))| {
                let listed = !covered[group] && price != weight as i64 * self.scale;
                listed.then_some((group, price as u64))
            },
        );
        let cuts = std::iter::empty();
        self.scribe.priced(case, (listed, cuts, 0), (bound, self.scale), self.best as i64, rules_went);
    }

    /// Takes in what the last decision has gained.
    fn learn(&mut self, node: &Node, before: i64) {
        if let Some((rule, inside, distance)) = node.decided
            && self.proving
        {
            let gain = (node.bound - before) as f64 / self.scale as f64 / distance;
            self.gains[rule as usize].add(inside, gain);
            self.all_gains.add(inside, gain);
        }
    }

    /// How promising it is to decide on a rule of this share.
    fn promise(&self, rule: u32, share: f64) -> f64 {
        let gain = |inside: bool, distance: f64| {
            let mean = self.gains[rule as usize].mean(inside).or(self.all_gains.mean(inside));
            mean.unwrap_or(1.0).max(WHOLE) * distance
        };
        gain(true, 1.0 - share) * gain(false, share)
    }

    fn parts(&self, node: Node, shares: &[f64]) -> Option<(Node, Node)> {
        let share_of = |rule: u32| self.at[rule as usize].map_or(0.0, |at| shares[at as usize]);
        let promise = |&rule: &u32| {
            let share = share_of(rule);
            let undecided = (WHOLE..=1.0 - WHOLE).contains(&share);
            undecided.then(|| (self.promise(rule, share), rule))
        };
        let promising = node.free.iter().filter_map(promise);
        let better = |a: (f64, u32), b: (f64, u32)| if b.0 > a.0 * (1.0 + 1e-9) { b } else { a };
        let rule = match promising.reduce(better) {
            Some((_, rule)) => rule,
            // Whole already, but not proven in integers: any rule will do.
            None => *node.free.first()?,
        };
        let free: Vec<u32> = node.free.into_iter().filter(|&other| other != rule).collect();
        let mut inside = node.inside.clone();
        inside.push(rule);
        let case = self.scribe.attempt(node.case, rule as usize);
        let share = share_of(rule);
        let decided = Some((rule, true, (1.0 - share).max(WHOLE)));
        let with = Node { bound: node.bound, free: free.clone(), inside, case, decided };
        let case = self.scribe.rest(node.case);
        let decided = Some((rule, false, share.max(WHOLE)));
        Some((with, Node { bound: node.bound, free, inside: node.inside, case, decided }))
    }

    /// The LP of some rules, as far as it knows them, and of the groups that are not covered yet.
    fn relax(&mut self, free: &[u32], covered: &[bool]) -> Result<Relaxed, Halt> {
        faults::strike(Site::Lp)?;
        self.solves += 1;
        self.stop.spend(NODES_PER_LP);
        let mut mask = vec![0u64; self.words];
        let mut row_of = vec![u32::MAX; self.working.len()];
        let mut costs = Vec::new();
        for at in free.iter().filter_map(|&rule| self.at[rule as usize]) {
            mask[at as usize / 64] |= 1 << (at % 64);
            row_of[at as usize] = costs.len() as u32;
            costs.push(self.choice.costs[self.working[at as usize] as usize] as f64);
        }
        // Groups that the same of these rules cover are one.
        let mut place: HashMap<Vec<u64>, usize> = HashMap::new();
        let (mut bounds, mut rules_of, mut column_of) = (Vec::new(), Vec::new(), Vec::new());
        let mut key = vec![0; self.words];
        for (group, &weight) in self.choice.weights.iter().enumerate() {
            if covered[group] {
                column_of.push(usize::MAX);
                continue;
            }
            let signature = &self.signatures[group * self.words..][..self.words];
            key.iter_mut().zip(signature.iter().zip(&mask)).for_each(|(key, (s, m))| *key = s & m);
            let column = match place.get(&key) {
                Some(&column) => column,
                None => {
                    let column = bounds.len();
                    place.insert(key.clone(), column);
                    bounds.push(0.0);
                    rules_of.push(bits::ones(&key).map(|at| row_of[at]).collect::<Vec<u32>>());
                    column
                }
            };
            bounds[column] += weight as f64;
            column_of.push(column);
        }
        let packing = Packing { bounds: &bounds, rules_of: &rules_of, costs: &costs };
        let (column_places, row_places) = self.places(&row_of, costs.len(), &column_of, bounds.len());
        let packed = self.lp.solve(&packing, &column_places, &row_places)?;
        for (at, &row) in row_of.iter().enumerate() {
            if row != u32::MAX {
                let place = packed.rule_places[row as usize];
                self.rule_places[at] = place;
                self.idle[at] = if place == Place::Basic { self.idle[at] + 1 } else { 0 };
            }
        }
        for (place, &column) in self.group_places.iter_mut().zip(&column_of) {
            if column != usize::MAX {
                *place = packed.price_places[column];
            }
        }
        let mut shares = vec![0.0; self.working.len()];
        for (at, &row) in row_of.iter().enumerate() {
            if row != u32::MAX {
                shares[at] = packed.shares[row as usize].abs();
            }
        }
        let price = |(&column, &weight): (&usize, &u64)| {
            if column == usize::MAX {
                return 0;
            }
            let share = packed.prices[column] / bounds[column];
            let whole = weight as i64 * self.scale;
            match share {
                _ if share >= 1.0 - SLACK => whole,
                _ => (share.max(0.0) * (1.0 - SLACK) * whole as f64).floor() as i64,
            }
        };
        let prices = column_of.iter().zip(&self.choice.weights).map(price).collect();
        Ok(Relaxed { prices, shares })
    }

    /// Where the next LP may begin: where the last one ended, as far as the two have rules and groups in common.
    fn places(
        &self,
        row_of: &[u32],
        rows: usize,
        column_of: &[usize],
        columns: usize,
    ) -> (Vec<Place>, Vec<Place>) {
        let (mut row_places, mut column_places) = (vec![Place::Basic; rows], vec![None; columns]);
        for (&row, &place) in row_of.iter().zip(&self.rule_places) {
            if row != u32::MAX {
                row_places[row as usize] = place;
            }
        }
        let basic = |places: &[Place]| places.iter().filter(|place| **place == Place::Basic).count();
        // A basis has as many members as there are rules.
        let mut left = rows - basic(&row_places);
        for (&column, &place) in column_of.iter().zip(&self.group_places) {
            if column != usize::MAX && column_places[column].is_none() {
                let one_too_many = place == Place::Basic && left == 0;
                left -= usize::from(place == Place::Basic && left > 0);
                column_places[column] = Some(if one_too_many { Place::Upper } else { place });
            }
        }
        for place in row_places.iter_mut().filter(|place| **place != Place::Basic).take(left) {
            *place = Place::Basic;
        }
        (column_places.into_iter().map(|place| place.unwrap_or(Place::Upper)).collect(), row_places)
    }

    /// Makes sure that LPs know a rule.
    fn work_with(&mut self, rule: u32) {
        if self.at[rule as usize].is_some() {
            return;
        }
        let at = self.working.len();
        self.at[rule as usize] = Some(at as u32);
        self.working.push(rule);
        self.idle.push(0);
        self.rule_places.push(Place::Basic);
        if at / 64 == self.words {
            let wider: Vec<u64> =
                self.signatures.chunks(self.words).flat_map(|s| s.iter().copied().chain([0])).collect();
            self.signatures = wider;
            self.words += 1;
        }
        for &group in &self.choice.groups_of[rule as usize] {
            self.signatures[group as usize * self.words + at / 64] |= 1 << (at % 64);
        }
    }

    /// Leaves out of LPs the rules that have made no difference for long, if these are many: an LP has a
    /// constraint for each rule, and takes longer the more there are.
    fn forget(&mut self) {
        let idle = |&at: &usize| self.idle[at] > IDLE;
        if 2 * (0..self.working.len()).filter(idle).count() <= self.working.len() {
            return;
        }
        let kept: Vec<usize> = (0..self.working.len()).filter(|at| !idle(at)).collect();
        let known: Vec<(u32, u32, Place)> =
            kept.iter().map(|&at| (self.working[at], self.idle[at], self.rule_places[at])).collect();
        self.working.drain(..).for_each(|rule| self.at[rule as usize] = None);
        (self.idle, self.rule_places) = (Vec::new(), Vec::new());
        (self.signatures, self.words) = (vec![0; self.choice.groups()], 1);
        for (rule, idle, place) in known {
            self.work_with(rule);
            let at = self.working.len() - 1;
            (self.idle[at], self.rule_places[at]) = (idle, place);
        }
    }

    /// Takes the rules with the largest shares as long as they gain something; kept if better than the best.
    fn round(&mut self, inside: &[u32], shares: &[f64]) {
        let mut order: Vec<usize> = (0..shares.len()).filter(|&at| shares[at] > WHOLE).collect();
        order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]).then(a.cmp(&b)));
        let mut chosen = inside.to_vec();
        let mut covered = vec![false; self.choice.groups()];
        let groups_of = &self.choice.groups_of;
        for &rule in inside {
            groups_of[rule as usize].iter().for_each(|&group| covered[group as usize] = true);
        }
        for at in order {
            let rule = self.working[at];
            let groups = groups_of[rule as usize].iter();
            let left = groups.filter(|&&group| !covered[group as usize]);
            let gain: u64 = left.map(|&group| self.choice.weights[group as usize]).sum();
            if gain > self.choice.costs[rule as usize] {
                groups_of[rule as usize].iter().for_each(|&group| covered[group as usize] = true);
                chosen.push(rule);
            }
        }
        let mut cost = self.choice.cost(&chosen);
        // A rule that others made superfluous goes.
        for i in (0..chosen.len()).rev() {
            let mut others = chosen.clone();
            others.remove(i);
            let without = self.choice.cost(&others);
            if without <= cost {
                (chosen, cost) = (others, without);
            }
        }
        if cost < self.best {
            self.best = cost;
            (self.better)(&chosen);
        }
    }
}
