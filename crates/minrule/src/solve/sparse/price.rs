//! The rules that are worth their cost at given prices, where a rule may cover negatives.
//!
//! A rule is worth the prices of the positives it covers, less the weight of the negatives it covers, less
//! what it pays for itself and its literals. The search adds literals to a term, one by one. All of them are
//! weighed at once, in one pass over the rows that the term covers: what each keeps of the value, and which
//! negatives it removes.
//!
//! - A literal that removes negatives of no more weight than it costs is not needed: without it a rule covers
//!   no less and costs no more. So a price is a least support, too.
//! - Branches are taken in ascending order of the value they keep, and each may only add literals that keep
//!   more. So the widest branches have the fewest choices.
//! - A branch ends when the best that could come of it is not enough. What negatives it removes must be paid
//!   for by literals, and in lost value: each negative at the lowest rate of the literals that remove it.
//!
//! All arithmetic is in integers: a search that finds nothing proves that there is nothing.

use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};
use minrule_native::kernels::{least_values, lower_others, pack_bits, sums_of_those, weigh_bits};

use crate::limits::{Halt, Stop};
use crate::solve::bits;
use crate::solve::class_problem::ClassProblem;
use crate::solve::faults::{self, Site};
use crate::solve::workers::Workers;

/// Nodes between two looks at the request to stop.
const NODES_PER_LOOK: u64 = 256;
/// Parts of a search that are done at a time.
const BATCH: usize = 16;
/// Rounds in which literals are forbidden, at most.
const ROUNDS: usize = 4;
/// Literals that are added up to bound what a branch can still remove.
const TOP: usize = 16;
/// What a negative weighs, where rates are fractions of it.
const WHOLE: i64 = 1 << 14;
/// No sum of prices or weights may exceed this: differences of two still fit.
pub(super) const MOST: i64 = 1 << 29;
/// Rows that the terms of a beam may hold together, and the most to begin with.
const BEAM_ROWS: usize = 4_000_000;
const SAMPLE: usize = 50_000;
/// Literals of a term in a beam, at most.
const BEAM_DEPTH: usize = 30;

/// What a class pays, in the unit of prices.
#[derive(Debug, Clone)]
pub(super) struct Rates {
    pub(super) per_rule: i32,
    /// Of each literal, by position.
    pub(super) literals: Vec<i32>,
    /// The cheapest literal's.
    pub(super) least: i32,
}

impl Rates {
    pub(super) fn rule(&self, term: &[usize]) -> i64 {
        i64::from(self.per_rule) + term.iter().map(|&l| i64::from(self.literals[l])).sum::<i64>()
    }
}

/// Rows of bits, and what each is worth or costs.
#[derive(Debug, Clone, Default)]
struct Rows {
    /// Row after row.
    bits: Vec<u64>,
    weights: Vec<i32>,
}

impl Rows {
    fn clear(&mut self) {
        self.bits.clear();
        self.weights.clear();
    }

    fn sum(&self) -> i32 {
        self.weights.iter().sum()
    }

    /// Shows the rows, of so many words each, whose bit is this.
    fn for_those(&self, words: usize, (bit, set): (usize, bool), mut show: impl FnMut(&[u64], i32)) {
        let (word, bit, wanted) = (bit / 64, bit % 64, u64::from(set));
        for (row, &weight) in self.bits.chunks_exact(words).zip(&self.weights) {
            if row[word] >> bit & 1 == wanted {
                show(row, weight);
            }
        }
    }
}

/// The rows of a class problem as searches look at them.
pub(super) struct Field {
    /// Words of bits a row.
    words: usize,
    /// Bits of the positives.
    positives: Vec<u64>,
    /// The negatives, and what covering each costs.
    negatives: Rows,
    /// Of each positive, the negative with the same features, if there is one.
    twins: Vec<Option<u32>>,
    /// Of each literal, its feature and its sign.
    literals: Vec<(usize, bool)>,
    pub(super) rates: Rates,
}

impl Field {
    /// `weight` says what so many rows weigh in the unit of prices.
    pub(super) fn new(problem: &ClassProblem, rates: Rates, weight: impl Fn(u64) -> i32) -> Field {
        let examples = problem.examples();
        let words = examples.features().div_ceil(64);
        let bits = |&example: &usize| examples.bits(example);
        let positives: Vec<u64> = problem.positives.iter().flat_map(bits).copied().collect();
        // Rows of several classes may have the same features.
        let mut place: HashMap<&[u64], u32> = HashMap::with_capacity(problem.negatives.len());
        let mut negatives = Rows::default();
        for &example in &problem.negatives {
            let weight = weight(examples.rows(example));
            match place.entry(examples.bits(example)) {
                Entry::Occupied(known) => negatives.weights[*known.get() as usize] += weight,
                Entry::Vacant(new) => {
                    negatives.bits.extend_from_slice(new.key());
                    new.insert(negatives.weights.len() as u32);
                    negatives.weights.push(weight);
                }
            }
        }
        let twins = problem.positives.iter().map(|e| place.get(bits(e)).copied()).collect();
        let literals = problem.literals.iter().map(|l| (l.feature.0 as usize, l.positive)).collect();
        Field { words, positives, negatives, twins, literals, rates }
    }

    /// What a literal keeps, by the sums over the rows that have each feature and over all rows.
    fn kept(&self, literal: usize, sums: &[i32], all: i32) -> i32 {
        let (feature, positive) = self.literals[literal];
        if positive { sums[feature] } else { all - sums[feature] }
    }

    /// The same, where features have moved.
    fn kept_at(&self, places: &[u32], literal: usize, sums: &[i32], all: i32) -> i32 {
        let (feature, positive) = self.literals[literal];
        let sum = sums[places[feature] as usize];
        if positive { sum } else { all - sum }
    }

    /// Of these rows, those that satisfy a literal.
    fn satisfying(&self, literal: usize, of: &Rows, into: &mut Rows) {
        into.clear();
        of.for_those(self.words, self.literals[literal], |row, weight| {
            into.bits.extend_from_slice(row);
            into.weights.push(weight);
        });
    }
}

/// A field with prices.
///
/// A positive and a negative that nothing tells apart come and go together: what one is priced at is taken off
/// the other. Every rule is worth what it was.
pub(super) struct Market<'f> {
    field: &'f Field,
    positives: Rows,
    negatives: Rows,
    /// All negatives as they are, where rules must be shown that are worth less than nothing: only these say
    /// which rules are dominated by others, for what they cover and for what they cost.
    plain: Option<Rows>,
    /// Nodes that searches have visited.
    visited: AtomicU64,
}

impl<'f> Market<'f> {
    /// For those who look for rules that are worth most.
    pub(super) fn new(field: &'f Field, prices: &[i32]) -> Market<'f> {
        let (mut prices, mut wrongs) = (prices.to_vec(), field.negatives.weights.clone());
        for (price, twin) in prices.iter_mut().zip(&field.twins) {
            if let Some(twin) = twin {
                let both = (*price).min(wrongs[*twin as usize]);
                *price -= both;
                wrongs[*twin as usize] -= both;
            }
        }
        Market::of(field, &prices, &wrongs)
    }

    /// A market of fewer rows, every so many of a large table, each of which stands for as many: for those who
    /// look around first.
    pub(super) fn sample(&self) -> Market<'f> {
        let rows = self.positives.weights.len() + self.negatives.weights.len();
        let step = rows.div_ceil(SAMPLE).max(1);
        // A few heavy rows may stand for more than there is: then all are looked at.
        let stands_for = |side: &Rows| {
            side.weights.iter().step_by(step).map(|&weight| i64::from(weight)).sum::<i64>() * step as i64
        };
        let step = match stands_for(&self.positives).max(stands_for(&self.negatives)) <= MOST {
            true => step,
            false => 1,
        };
        let some = |side: &Rows| Rows {
            bits: side.bits.chunks_exact(self.field.words).step_by(step).flatten().copied().collect(),
            weights: side.weights.iter().step_by(step).map(|weight| weight * step as i32).collect(),
        };
        let (positives, negatives) = (some(&self.positives), some(&self.negatives));
        Market { field: self.field, positives, negatives, plain: None, visited: AtomicU64::new(0) }
    }

    /// For those who look for all rules that are not dominated.
    pub(super) fn of_all(field: &'f Field, prices: &[i32]) -> Market<'f> {
        Market { plain: Some(field.negatives.clone()), ..Market::new(field, prices) }
    }

    fn of(field: &'f Field, prices: &[i32], wrongs: &[i32]) -> Market<'f> {
        let counting = |bits: &[u64], weights: &[i32]| {
            let mut rows = Rows::default();
            for (row, &weight) in bits.chunks_exact(field.words).zip(weights) {
                if weight > 0 {
                    rows.bits.extend_from_slice(row);
                    rows.weights.push(weight);
                }
            }
            rows
        };
        let positives = counting(&field.positives, prices);
        let negatives = counting(&field.negatives.bits, wrongs);
        Market { field, positives, negatives, plain: None, visited: AtomicU64::new(0) }
    }

    /// Nodes that searches have visited.
    pub(super) fn visited(&self) -> u64 {
        self.visited.load(Ordering::Relaxed)
    }

    /// What a rule without literals is worth.
    fn empty(&self) -> i32 {
        self.positives.sum() - self.negatives.sum() - self.field.rates.per_rule
    }
}

/// A term that a search came upon.
pub(super) struct Find<'s> {
    /// Positions in the problem's literals.
    pub(super) literals: &'s [usize],
    /// Prices of the positives it covers, less the negatives it covers, less its cost.
    pub(super) worth: i32,
}

/// Calls `found` with the terms worth `threshold` or more; it returns the threshold to continue with,
/// which may rise. For every term worth the last threshold or more, the term itself is shown, or another
/// that costs no more and covers no less. Returns whether the search was complete: it is not if it ran
/// out of `nodes`.
pub(super) fn search(
    market: &Market,
    threshold: i32,
    nodes: u64,
    stop: &Stop,
    found: &mut dyn FnMut(Find) -> i32,
) -> Result<bool, Halt> {
    let mut search = Search::new(market, threshold, nodes, stop, found);
    search.show(&[], market.empty());
    search.begin(&[], (0..market.field.literals.len() as u32).collect());
    search.run(market.field.rates.per_rule)?;
    Ok(search.nodes > 0)
}

/// The same on all threads. The search is cut into parts by first literals, and a few parts are searched at
/// a time. The threshold rises from one batch to the next, and within a part by `raise`, according to what is
/// found there. The part of the literal `first` comes first.
pub(super) fn search_all(
    market: &Market,
    mut threshold: i32,
    raise: impl Fn(i32) -> i32 + Sync + Send,
    (stop, workers): (&Stop, &Workers),
    first: Option<usize>,
    finds: &mut dyn Finds,
) -> Result<Searched, Halt> {
    let mut parts = Vec::new();
    let note = &mut |find: Find| finds.note(find);
    let mut top = Search::new(market, threshold, u64::MAX, stop, note);
    top.parts = Some(&mut parts);
    top.show(&[], market.empty());
    top.begin(&[], (0..market.field.literals.len() as u32).collect());
    top.run(market.field.rates.per_rule)?;
    threshold = top.threshold;
    let first = parts.iter().position(|part| Some(part.literal) == first);
    parts.rotate_left(first.unwrap_or(0));
    let mut parts = parts.into_iter().peekable();
    while parts.peek().is_some() {
        if finds.are_enough() {
            return Ok(Searched::Until(parts.peek().map_or(0, |part| part.literal)));
        }
        let batch: Vec<Part> = parts.by_ref().take(BATCH).collect();
        let done = workers.map(batch, |part| {
            let mut finds = Vec::new();
            let mut rising = threshold;
            let mut note = |find: Find| {
                finds.push((find.worth, find.literals.to_vec()));
                rising = rising.max(raise(find.worth));
                rising
            };
            let mut search = Search::new(market, threshold, u64::MAX, stop, &mut note);
            search.begin(&[part.literal], part.allowed);
            search.run(part.cost).map(|()| finds)
        });
        for found in done {
            for (worth, literals) in found? {
                threshold = threshold.max(finds.note(Find { literals: &literals, worth }));
            }
        }
    }
    Ok(Searched::All)
}

/// How far a search came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Searched {
    /// To the end.
    All,
    /// As far as the part that begins with this literal: there was enough.
    Until(usize),
}

/// Whoever takes what a search finds.
pub(super) trait Finds {
    /// Takes a find, and says what the next one must be worth.
    fn note(&mut self, find: Find) -> i32;

    /// Whether the search may end before it is complete.
    fn are_enough(&self) -> bool;
}

/// A part of the search: the terms that begin with this literal and go on with some of those allowed.
struct Part {
    literal: usize,
    allowed: Vec<u32>,
    cost: i32,
}

/// A literal that may be added to a term.
#[derive(Debug, Clone, Copy)]
struct Child {
    /// The value that is kept.
    value: i32,
    /// The weight of negatives that go.
    removed: i32,
    literal: u32,
    /// What it costs, with a share of what it loses.
    price: i32,
    /// What the best term further down could be worth.
    bound: i32,
}

/// What a search knows at each depth.
#[derive(Default)]
struct Level {
    /// Rows that the term covers.
    positives: Rows,
    negatives: Rows,
    plain: Rows,
    /// Words of bits a row, and where the bit of each feature is.
    words: usize,
    places: Vec<u32>,
    /// Literals that may be added.
    allowed: Vec<u32>,
    children: Vec<Child>,
}

struct Search<'s> {
    market: &'s Market<'s>,
    threshold: i32,
    stop: &'s Stop,
    found: &'s mut dyn FnMut(Find) -> i32,
    term: Vec<usize>,
    levels: Vec<Level>,
    /// Where the search began.
    base: usize,
    /// How many nodes it may visit, and how many of these are left.
    granted: u64,
    nodes: u64,
    /// Where parts go, instead of being searched.
    parts: Option<&'s mut Vec<Part>>,
    memory: Memory,
}

/// Memory to use again.
#[derive(Default)]
struct Memory {
    /// For each feature, sums over the rows that have it.
    value: Vec<i32>,
    wrong: Vec<i32>,
    plain: Vec<i32>,
    shares: Vec<i32>,
    /// Of each positive.
    share_of: Vec<i32>,
    /// Rates of literals, by feature.
    if_set: Vec<i32>,
    if_clear: Vec<i32>,
    least: Vec<i32>,
    /// What each negative pays at least.
    pays: Vec<i32>,
    /// The lowest rates at which each negative may go: of literals alone, and with half of what they lose.
    pays_alone: Vec<i64>,
    pays_half: Vec<i64>,
    /// Features that lose a row which has them, or has them not.
    when_set: Vec<u64>,
    when_clear: Vec<u64>,
    literals: Vec<usize>,
    merger: Merger,
}

/// Merges rows that nothing tells apart any more.
#[derive(Default)]
struct Merger {
    /// Features that do tell rows apart, where they are and where they go.
    mask: Vec<u64>,
    words: usize,
    /// A hash table of positions in `rows`.
    table: Vec<u32>,
    rows: Rows,
}

const NO_ROW: u32 = u32::MAX;

impl Merger {
    /// Makes room for so many rows.
    fn begin(&mut self, rows: usize) {
        self.rows.clear();
        let size = (2 * rows).next_power_of_two().max(16);
        self.table.clear();
        self.table.resize(size, NO_ROW);
    }

    fn add(&mut self, row: &[u64], weight: i32) {
        let (words, end) = (self.words, self.rows.bits.len());
        if words < row.len() {
            pack_bits(&mut self.rows.bits, row, &self.mask, words);
        } else {
            self.rows.bits.extend(row.iter().zip(&self.mask).map(|(bits, mask)| bits & mask));
        }
        let mut hash = 0u64;
        for &bits in &self.rows.bits[end..] {
            hash = (hash ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 29;
        }
        let last = self.table.len() - 1;
        let mut place = (hash >> 7) as usize & last;
        loop {
            match self.table[place] {
                NO_ROW => {
                    self.table[place] = self.rows.weights.len() as u32;
                    self.rows.weights.push(weight);
                    return;
                }
                other => {
                    let from = other as usize * words;
                    let (known, new) = self.rows.bits.split_at(end);
                    if known[from..from + words] == *new {
                        self.rows.bits.truncate(end);
                        self.rows.weights[other as usize] += weight;
                        return;
                    }
                }
            }
            place = (place + 1) & last;
        }
    }

    /// What was merged: rows of more than nothing, and of less.
    fn end(&self, positives: &mut Rows, negatives: &mut Rows) {
        positives.clear();
        negatives.clear();
        for (row, &weight) in self.rows.bits.chunks_exact(self.words).zip(&self.rows.weights) {
            let side = match weight {
                0 => continue,
                1.. => &mut *positives,
                _ => &mut *negatives,
            };
            side.bits.extend_from_slice(row);
            side.weights.push(weight.abs());
        }
    }
}

impl<'s> Search<'s> {
    fn new(
        market: &'s Market<'s>,
        threshold: i32,
        nodes: u64,
        stop: &'s Stop,
        found: &'s mut dyn FnMut(Find) -> i32,
    ) -> Search<'s> {
        let words = market.field.words;
        let bits = words * 64;
        let memory = Memory {
            value: vec![0; bits],
            wrong: vec![0; bits],
            plain: vec![0; bits],
            shares: vec![0; bits],
            if_set: vec![0; bits],
            if_clear: vec![0; bits],
            when_set: vec![0; words],
            when_clear: vec![0; words],
            ..Memory::default()
        };
        Search {
            market,
            threshold,
            stop,
            found,
            term: Vec::new(),
            levels: Vec::new(),
            base: 0,
            granted: nodes,
            nodes,
            parts: None,
            memory,
        }
    }

    /// Starts from a term.
    fn begin(&mut self, term: &[usize], allowed: Vec<u32>) {
        let Market { field, positives, negatives, plain, .. } = self.market;
        let mut level = Level {
            positives: positives.clone(),
            negatives: negatives.clone(),
            plain: plain.clone().unwrap_or_default(),
            words: field.words,
            places: (0..64 * field.words as u32).collect(),
            allowed,
            children: Vec::new(),
        };
        for &literal in term {
            for side in [&mut level.positives, &mut level.negatives, &mut level.plain] {
                let all = side.clone();
                field.satisfying(literal, &all, side);
            }
        }
        self.term = term.to_vec();
        self.base = term.len();
        self.levels = vec![level];
    }

    /// Visits everything from here on.
    fn run(&mut self, cost: i32) -> Result<(), Halt> {
        faults::strike(Site::Search)?;
        let done = self.visit(cost);
        self.market.visited.fetch_add(self.granted - self.nodes, Ordering::Relaxed);
        done
    }

    /// `cost` is what the term costs. The term itself was shown before.
    fn visit(&mut self, cost: i32) -> Result<(), Halt> {
        self.nodes = self.nodes.saturating_sub(1);
        if self.nodes == 0 {
            return Ok(());
        }
        if self.nodes.is_multiple_of(NODES_PER_LOOK) {
            self.stop.spend(NODES_PER_LOOK);
            if self.stop.requested() {
                return Err(Halt::Stopped);
            }
        }
        let depth = self.term.len() - self.base;
        let Level { positives, negatives, .. } = &self.levels[depth];
        let (value, wrong) = (positives.sum(), negatives.sum());
        let mut children = std::mem::take(&mut self.levels[depth].children);
        self.weigh(depth, value, wrong, cost, &mut children);
        for _ in 0..ROUNDS {
            // Alone, each was shown.
            if children.len() < 2 {
                break;
            }
            let before = children.len();
            self.forbid(depth, value, cost, &mut children);
            if children.len() == before {
                break;
            }
        }
        if children.len() > 1 {
            children.sort_unstable_by_key(|child| (child.value, child.literal));
            self.bound_children(depth, value, wrong, cost, &mut children);
            self.descend(depth, cost, &children)?;
        }
        self.levels[depth].children = children;
        Ok(())
    }

    /// Weighs the literals allowed, shows the terms that are worth enough, and lists those literals to which
    /// others may be added.
    fn weigh(&mut self, depth: usize, value: i32, wrong: i32, cost: i32, children: &mut Vec<Child>) {
        let field = self.market.field;
        let memory = &mut self.memory;
        let level = &self.levels[depth];
        let bits = 64 * level.words;
        weigh_bits(&mut memory.value[..bits], &level.positives.bits, &level.positives.weights);
        weigh_bits(&mut memory.wrong[..bits], &level.negatives.bits, &level.negatives.weights);
        let all_plain = level.plain.sum();
        if self.market.plain.is_some() {
            weigh_bits(&mut memory.plain[..bits], &level.plain.bits, &level.plain.weights);
        }
        children.clear();
        for i in 0..level.allowed.len() {
            let Level { allowed, places, .. } = &self.levels[depth];
            let literal = allowed[i];
            let rate = field.rates.literals[literal as usize];
            let kept = field.kept_at(places, literal as usize, &self.memory.value, value);
            let left = field.kept_at(places, literal as usize, &self.memory.wrong, wrong);
            let worth = kept - cost - rate;
            let removed = match self.market.plain {
                None => wrong - left,
                Some(_) => {
                    all_plain - field.kept_at(places, literal as usize, &self.memory.plain, all_plain)
                }
            };
            // Without negatives it would be worth this.
            if removed <= rate || worth < self.threshold {
                continue;
            }
            if worth - left >= self.threshold {
                self.show(&[literal as usize], worth - left);
            }
            children.push(Child { value: kept, removed: wrong - left, literal, price: 0, bound: 0 });
        }
        let threshold = self.threshold;
        children.retain(|child| {
            child.value - cost - field.rates.literals[child.literal as usize] >= threshold
        });
    }

    /// What could come of each child with literals that keep more.
    ///
    /// At best these remove as much as they do here, and each negative that a child keeps is paid for at the
    /// lowest rate of those that may still remove it, or in full. What a child loses is known; with half of
    /// it, and half of the shares, the others' rates count half of theirs.
    fn bound_children(
        &mut self,
        depth: usize,
        value: i32,
        wrong: i32,
        cost: i32,
        children: &mut [Child],
    ) {
        let field = self.market.field;
        let rates = &field.rates;
        let least = i64::from(rates.least);
        let Level { negatives, words, places, .. } = &self.levels[depth];
        let Memory { pays_alone, pays_half, .. } = &mut self.memory;
        pays_alone.clear();
        pays_alone.extend(negatives.weights.iter().map(|&weight| i64::from(weight) * WHOLE));
        pays_half.clone_from(pays_alone);
        let mut top = [0i64; TOP];
        let mut tops = 0;
        for child in children.iter_mut().rev() {
            let left = i64::from(wrong - child.removed);
            let rate = rates.literals[child.literal as usize];
            let mut gain = i64::MIN / 2;
            let mut sum = 0;
            for (k, removed) in (1..).zip(&top[..tops]) {
                sum += removed;
                gain = gain.max(sum.min(left) - k * least);
                if sum >= left {
                    break;
                }
            }
            if tops == TOP && sum < left {
                gain = gain.max(left - (TOP as i64 + 1) * least);
            }
            let worth = i64::from(child.value - cost - rate);
            let mut bound = worth - left + gain;
            let (feature, positive) = field.literals[child.literal as usize];
            let place = places[feature] as usize;
            let with = (place, positive);
            if bound >= i64::from(self.threshold) {
                let pays = (&pays_alone[..], &pays_half[..]);
                let (alone, half) = sums_of_those(&negatives.bits, *words, with, pays);
                let lost = i64::from(value - child.value + child.price - rate);
                bound = bound
                    .min(worth - alone / WHOLE)
                    .min(i64::from(value - cost - rate) - lost / 2 - half / WHOLE);
            }
            child.bound = bound.max(i64::from(i32::MIN)) as i32;
            let removed = i64::from(child.removed);
            let rate_of = |price: i32| (i64::from(price) * WHOLE / removed.max(1)).min(WHOLE) as i32;
            let rates = (rate_of(rate), rate_of(rate + (child.price - rate) / 2));
            let pays = (&mut pays_alone[..], &mut pays_half[..]);
            lower_others(&negatives.bits, *words, with, pays, &negatives.weights, rates);
            // Sorted, the largest first.
            let place = top[..tops].partition_point(|&other| other >= removed);
            if place < TOP {
                tops = (tops + 1).min(TOP);
                top.copy_within(place..tops - 1, place + 1);
                top[place] = removed;
            }
        }
    }

    /// Forbids the literals that no term further down can use and still be worth enough.
    ///
    /// A literal costs its price and a share of each positive it loses, where the shares of a positive add
    /// up to its price. Spread over the negatives that it removes, that is its rate; a negative that goes
    /// pays the lowest rate of the literals that remove it, at least, and one that stays is paid in full. A
    /// term with a certain literal pays for this one, and for the negatives that are left then.
    fn forbid(&mut self, depth: usize, value: i32, cost: i32, children: &mut Vec<Child>) {
        let field = self.market.field;
        let memory = &mut self.memory;
        let level = &self.levels[depth];
        let Level { words, places, positives, negatives, .. } = level;
        let (words, bits) = (*words, 64 * *words);
        let Memory { when_set, when_clear, .. } = memory;
        when_set.fill(0);
        when_clear.fill(0);
        let place = |literal: u32| {
            let (feature, positive) = field.literals[literal as usize];
            (places[feature] as usize, positive)
        };
        for child in children.iter() {
            let (place, positive) = place(child.literal);
            let losing = if positive { &mut *when_clear } else { &mut *when_set };
            losing[place / 64] |= 1 << (place % 64);
        }
        let mut all = 0;
        memory.share_of.clear();
        for (row, &price) in positives.bits.chunks_exact(words).zip(&positives.weights) {
            let lost = |word: usize| row[word] & when_set[word] | !row[word] & when_clear[word];
            let losers: u32 = (0..words).map(|word| lost(word).count_ones()).sum();
            let share = if losers == 0 { 0 } else { price / losers as i32 };
            memory.share_of.push(share);
            all += share;
        }
        weigh_bits(&mut memory.shares[..bits], &positives.bits, &memory.share_of);
        memory.if_set[..bits].fill(WHOLE as i32);
        memory.if_clear[..bits].fill(WHOLE as i32);
        for child in children.iter_mut() {
            let (place, positive) = place(child.literal);
            let lost = if positive { all - memory.shares[place] } else { memory.shares[place] };
            child.price = field.rates.literals[child.literal as usize] + lost;
            let rate =
                (i64::from(child.price) * WHOLE / i64::from(child.removed.max(1))).min(WHOLE) as i32;
            let of_literal = if positive { &mut memory.if_clear } else { &mut memory.if_set };
            of_literal[place] = rate;
        }
        let Memory { least, if_set, if_clear, pays, .. } = memory;
        least_values(least, &negatives.bits, &if_set[..bits], &if_clear[..bits]);
        let mut all = 0;
        pays.clear();
        for (&weight, &rate) in negatives.weights.iter().zip(least.iter()) {
            let pay = (i64::from(weight) * i64::from(rate) / WHOLE) as i32;
            pays.push(pay);
            all += pay;
        }
        if value - cost - all < self.threshold {
            children.clear();
            return;
        }
        weigh_bits(&mut memory.wrong[..bits], &negatives.bits, &memory.pays);
        let room = value - cost - self.threshold;
        children.retain(|child| {
            let left = field.kept_at(places, child.literal as usize, &memory.wrong, all);
            room - child.price - left >= 0
        });
    }

    fn descend(&mut self, depth: usize, cost: i32, children: &[Child]) -> Result<(), Halt> {
        let field = self.market.field;
        for (i, child) in children.iter().enumerate() {
            if child.bound < self.threshold {
                continue;
            }
            let literal = child.literal as usize;
            let cost = cost + field.rates.literals[literal];
            let allowed = &children[i + 1..];
            if let Some(parts) = &mut self.parts {
                let allowed = allowed.iter().map(|child| child.literal).collect();
                parts.push(Part { literal, allowed, cost });
                continue;
            }
            if self.levels.len() == depth + 1 {
                self.levels.push(Level::default());
            }
            self.enter(depth, literal, allowed);
            self.term.push(literal);
            self.visit(cost)?;
            self.term.pop();
        }
        Ok(())
    }

    /// Prepares the next level: the rows that satisfy a literal too, as far as the literals allowed from there
    /// on can tell them apart.
    fn enter(&mut self, depth: usize, literal: usize, allowed: &[Child]) {
        let Market { field, plain, .. } = self.market;
        let merger = &mut self.memory.merger;
        let (above, below) = self.levels.split_at_mut(depth + 1);
        let (above, below) = (&above[depth], &mut below[0]);
        below.allowed.clear();
        below.allowed.extend(allowed.iter().map(|child| child.literal));
        let place = |literal: usize| {
            let (feature, positive) = field.literals[literal];
            (above.places[feature] as usize, positive)
        };
        merger.mask.clear();
        merger.mask.resize(above.words, 0);
        for child in allowed {
            let (place, _) = place(child.literal as usize);
            merger.mask[place / 64] |= 1 << (place % 64);
        }
        below.places.clone_from(&above.places);
        below.words = bits::words(bits::count(&merger.mask)).max(1);
        merger.words = below.words;
        if below.words < above.words {
            for child in allowed {
                let (place, _) = place(child.literal as usize);
                let (word, bit) = (place / 64, place % 64);
                let before = bits::count(&merger.mask[..word])
                    + (merger.mask[word] & ((1 << bit) - 1)).count_ones() as usize;
                below.places[field.literals[child.literal as usize].0] = before as u32;
            }
        }
        let with = place(literal);
        if plain.is_some() {
            merger.begin(above.plain.weights.len());
            above.plain.for_those(above.words, with, |row, weight| merger.add(row, weight));
            merger.end(&mut below.plain, &mut below.negatives);
        }
        merger.begin(above.positives.weights.len() + above.negatives.weights.len());
        above.positives.for_those(above.words, with, |row, weight| merger.add(row, weight));
        above.negatives.for_those(above.words, with, |row, weight| merger.add(row, -weight));
        merger.end(&mut below.positives, &mut below.negatives);
    }

    /// Shows the term, with one more literal perhaps, if it is worth enough.
    fn show(&mut self, more: &[usize], worth: i32) {
        if worth >= self.threshold {
            self.memory.literals.clear();
            self.memory.literals.extend(&self.term);
            self.memory.literals.extend(more);
            let next = (self.found)(Find { literals: &self.memory.literals, worth });
            self.threshold = self.threshold.max(next);
        }
    }
}

/// A term on the way of a beam.
struct Candidate {
    term: Vec<usize>,
    positives: Rows,
    negatives: Rows,
    value: i32,
    wrong: i32,
    cost: i32,
}

/// Terms worth `threshold` or more that a beam of this width comes upon: of all terms of one literal more,
/// the best so many are kept, and so on. Quick where a search would be long, but not exhaustive.
pub(super) fn beam(
    market: &Market,
    threshold: i32,
    width: usize,
    (stop, workers): (&Stop, &Workers),
) -> Vec<(i32, Vec<usize>)> {
    let field = market.field;
    let rows = market.positives.weights.len() + market.negatives.weights.len();
    let width = width.min(BEAM_ROWS / rows.max(1)).max(1);
    let mut finds = Vec::new();
    if market.empty() >= threshold {
        finds.push((market.empty(), Vec::new()));
    }
    let mut beam = vec![Candidate {
        term: Vec::new(),
        positives: market.positives.clone(),
        negatives: market.negatives.clone(),
        value: market.positives.sum(),
        wrong: market.negatives.sum(),
        cost: field.rates.per_rule,
    }];
    for _ in 0..BEAM_DEPTH {
        if stop.requested() {
            break;
        }
        let indices: Vec<usize> = (0..beam.len()).collect();
        let weighed = workers.map(indices, |i| children_of(market, &beam[i], threshold));
        let mut next: Vec<(i32, i32, usize, u32)> = Vec::new();
        for (i, children) in weighed.iter().enumerate() {
            for child in children {
                let candidate = &beam[i];
                let rate = field.rates.literals[child.literal as usize];
                let worth = child.value - candidate.cost - rate - (candidate.wrong - child.removed);
                if worth >= threshold {
                    finds.push((worth, with(&candidate.term, child.literal)));
                }
                next.push((-worth, -child.value, i, child.literal));
            }
        }
        next.sort_unstable();
        let mut seen = HashSet::new();
        let mut chosen = Vec::new();
        for &(worth, value, i, literal) in &next {
            if chosen.len() == width {
                break;
            }
            // Two terms that are worth and keep the same are most likely one, in another order, or cover
            // the same.
            if seen.insert((worth, value)) {
                chosen.push((i, literal));
            }
        }
        let grown = workers.map(chosen, |(i, literal)| {
            let candidate = &beam[i];
            let child = weighed[i].iter().find(|child| child.literal == literal).expect("it is one");
            let (mut positives, mut negatives) = (Rows::default(), Rows::default());
            let literal = literal as usize;
            field.satisfying(literal, &candidate.positives, &mut positives);
            field.satisfying(literal, &candidate.negatives, &mut negatives);
            Candidate {
                term: with(&candidate.term, child.literal),
                positives,
                negatives,
                value: child.value,
                wrong: candidate.wrong - child.removed,
                cost: candidate.cost + field.rates.literals[literal],
            }
        });
        beam = grown;
        if beam.is_empty() {
            break;
        }
    }
    finds
}

/// The literals that a term of a beam may be extended by.
fn children_of(market: &Market, candidate: &Candidate, threshold: i32) -> Vec<Child> {
    let field = market.field;
    let (mut kept, mut left) = (vec![0; field.words * 64], vec![0; field.words * 64]);
    weigh_bits(&mut kept, &candidate.positives.bits, &candidate.positives.weights);
    weigh_bits(&mut left, &candidate.negatives.bits, &candidate.negatives.weights);
    let child = |literal: usize| {
        let rate = field.rates.literals[literal];
        let value = field.kept(literal, &kept, candidate.value);
        let removed = candidate.wrong - field.kept(literal, &left, candidate.wrong);
        let useful = removed > rate && value - candidate.cost - rate >= threshold;
        useful.then_some(Child { value, removed, literal: literal as u32, price: 0, bound: 0 })
    };
    (0..field.literals.len()).filter_map(child).collect()
}

fn with(term: &[usize], literal: u32) -> Vec<usize> {
    let mut longer = term.to_vec();
    longer.push(literal as usize);
    longer.sort_unstable();
    longer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::literal::ClassId;
    use crate::testing::random_problem;

    const ROW: i32 = 16;

    /// What the best term is worth, by trying all of them.
    fn by_brute_force(problem: &ClassProblem, field: &Field, prices: &[i32]) -> i32 {
        let features = problem.examples().features();
        let terms = (0..3usize.pow(features as u32)).map(|code| {
            let digit = |feature: usize| code / 3usize.pow(feature as u32) % 3;
            (0..features).filter(|&f| digit(f) > 0).map(|f| 2 * f + digit(f) - 1).collect::<Vec<_>>()
        });
        let worth = |term: Vec<usize>| {
            let covers = |&example: &usize| {
                term.iter().all(|&l| problem.examples().satisfies(example, problem.literals[l]))
            };
            let own = problem.positives.iter().zip(prices).filter(|(e, _)| covers(e));
            let wrong = problem.negatives.iter().filter(|e| covers(e));
            let wrong: u64 = wrong.map(|&example| problem.examples().rows(example)).sum();
            own.map(|(_, price)| price).sum::<i32>()
                - wrong as i32 * ROW
                - field.rates.rule(&term) as i32
        };
        terms.map(worth).max().expect("there is the empty term")
    }

    struct All(Vec<(i32, Vec<usize>)>);

    impl Finds for All {
        fn note(&mut self, find: Find) -> i32 {
            self.0.push((find.worth, find.literals.to_vec()));
            find.worth
        }

        fn are_enough(&self) -> bool {
            false
        }
    }

    #[test]
    fn the_best_term_is_found_and_no_better_one_is_shown() {
        let mut random = fastrand::Rng::with_seed(16);
        let (stop, workers) = (Stop::default(), Workers::new(1));
        let mut found_some = 0;
        for round in 0..400 {
            let problem = random_problem(&mut random, ClassId(0));
            let literals = problem.literals.iter().map(|_| random.i32(0..24)).collect::<Vec<_>>();
            let least = literals.iter().copied().min().unwrap_or(0);
            let rates = Rates { per_rule: random.i32(0..24), literals, least };
            let field = Field::new(&problem, rates, |rows| rows as i32 * ROW);
            let rows = problem.positives.iter().map(|&example| problem.examples().rows(example));
            let prices: Vec<i32> = rows.map(|rows| random.i32(0..=rows as i32 * ROW)).collect();
            let best = by_brute_force(&problem, &field, &prices);
            for market in [Market::new(&field, &prices), Market::of_all(&field, &prices)] {
                let mut finds = All(Vec::new());
                search_all(&market, 1, |worth| worth, (&stop, &workers), Some(0), &mut finds).unwrap();
                let most = finds.0.iter().map(|(worth, _)| *worth).max().unwrap_or(0);
                assert_eq!(most, best.max(0), "round {round}");
                let mut most = 0;
                let note = &mut |find: Find| {
                    most = most.max(find.worth);
                    most
                };
                assert!(search(&market, 1, u64::MAX, &stop, note).unwrap());
                assert_eq!(most, best.max(0), "round {round}");
                let beam = beam(&market, 1, 40, (&stop, &workers));
                assert!(beam.iter().all(|(worth, _)| *worth <= best), "round {round}");
            }
            found_some += usize::from(best > 0);
        }
        assert!(found_some > 100, "only {found_some} tables had a term worth its cost");
    }
}
