//! The rules that are worth their cost at given prices of the examples.
//!
//! Each positive has a price, an integer; a rule is worth the prices of the examples it covers
//! less its cost. On a [walk](crate::solve::rules::walk) through the terms, each literal is known to lose
//! some of what the term covers now, at least so much further down, and to cost something itself.
//! A literal that cannot be afforded any more is forbidden, before the negative to branch on is
//! chosen: a negative that only dear literals discriminate ends the branch. All arithmetic is in
//! integers: a search that finds nothing proves that there is nothing.

use std::cmp::Reverse;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use minrule_native::kernels::{LANES, add_rows, subtract_rows};

use crate::limits::{Halt, Stop};
use crate::solve::bits;
use crate::solve::class_problem::ClassProblem;
use crate::solve::faults::{self, Site};
use crate::solve::rules::walk::{Ground, Walk};
use crate::solve::workers::Workers;

/// Nodes between two looks at the request to stop.
const NODES_PER_LOOK: u64 = 256;
/// Depth down to which dominated literals are looked for.
const DOMINATED_LITERALS_DEPTH: usize = 1;
/// Nodes of a search that does without precautions.
const BRIEF_NODES: u64 = if cfg!(test) { 5 } else { 100 };
/// Parts of a price, one for each time that a search by example lowers its sights.
const SIGHTS: [i32; 4] = [64, 16, 4, 2];
/// Rules that others are compared with, at most.
const MOST_DOMINATORS: usize = 512;
/// Depth at which a search is cut into parts, and the parts done at a time.
const PART_DEPTH: usize = 2;
const BATCH: usize = 32;
/// No sum of prices and costs may exceed this: differences of two still fit.
pub(super) const MOST: i64 = 1 << 29;

/// What rules cost, in the unit of prices.
#[derive(Debug, Clone)]
pub(super) struct Rates {
    per_rule: i32,
    /// Of each literal, by position.
    literals: Vec<i32>,
    /// The cheapest literal's.
    least: i32,
}

impl Rates {
    pub(super) fn new(per_rule: i32, literals: Vec<i32>) -> Rates {
        let least = literals.iter().copied().min().unwrap_or(0);
        Rates { per_rule, literals, least }
    }

    pub(super) fn rule(&self, term: &[usize]) -> i32 {
        term.iter().fold(self.per_rule, |sum, &l| sum.saturating_add(self.literals[l]))
    }

    /// What a literal costs beyond the cheapest.
    fn extra(&self, literal: usize) -> i32 {
        self.literals[literal] - self.least
    }
}

/// Examples and their prices.
pub(super) struct Market {
    ground: Ground,
    /// The sum of all prices.
    value: i32,
    /// Examples that have a price; they come first, the dearest before all.
    priced: usize,
    /// For each priced example a row of [`Market::stride`] values: for each literal, the price if
    /// the example does not satisfy it.
    lost: Vec<i32>,
    stride: usize,
    /// The prices of these, in the same order.
    prices: Vec<i32>,
    /// Which example of the problem each one is.
    examples: Vec<usize>,
    /// Nodes that searches have visited.
    visited: AtomicU64,
}

impl Market {
    /// Only examples with a price count, unless `all` do: then a literal stands in for another
    /// only if it keeps the unpriced ones too.
    pub(super) fn new(problem: &ClassProblem, ground: &Ground, prices: &[i32], all: bool) -> Market {
        let (mut order, free): (Vec<usize>, Vec<usize>) =
            (0..prices.len()).partition(|&example| prices[example] > 0);
        order.sort_by_key(|&example| Reverse(prices[example]));
        let priced = order.len();
        let stride = ground.literals.next_multiple_of(LANES);
        let mut lost = vec![0; priced * stride];
        for literal in 0..ground.literals {
            let with = problem.positives_with(literal);
            for (row, &example) in order.iter().enumerate() {
                if !with.contains(example) {
                    lost[row * stride + literal] = prices[example];
                }
            }
        }
        let own_prices = order.iter().map(|&example| prices[example]).collect();
        if all {
            order.extend(free);
        }
        let ground = ground.of_positives(problem, &order);
        let visited = AtomicU64::new(0);
        let value = prices.iter().sum();
        Market { ground, value, priced, lost, stride, prices: own_prices, examples: order, visited }
    }
}

impl Market {
    /// Nodes that searches have visited.
    pub(super) fn visited(&self) -> u64 {
        self.visited.load(Ordering::Relaxed)
    }

    /// The literals that the example at this place satisfies.
    fn satisfied_by(&self, place: usize) -> Vec<u64> {
        let mut satisfied = bits::full(self.ground.literals);
        for literal in 0..self.ground.literals {
            if !bits::contains(self.ground.positives_with(literal), place) {
                bits::remove(&mut satisfied, literal);
            }
        }
        satisfied
    }

    /// What a term covers, in the order of the market.
    fn covered(&self, literals: &[usize]) -> Vec<u64> {
        let mut covered = bits::full(self.ground.positives);
        for &literal in literals {
            let with = self.ground.positives_with(literal);
            covered.iter_mut().zip(with).for_each(|(covered, with)| *covered &= with);
        }
        covered
    }
}

/// Rules that make others superfluous: those that cover no more, cost no less and have no fewer literals.
#[derive(Clone, Default)]
pub(super) struct Dominators {
    /// Words a rule.
    words: usize,
    covered: Vec<u64>,
    /// What each costs, and its literals.
    sizes: Vec<(i32, usize)>,
    /// Which one goes next when there are too many.
    oldest: usize,
}

impl Dominators {
    /// All positives of the market must count, priced or not.
    pub(super) fn new<'l>(
        market: &Market,
        rates: &Rates,
        rules: impl Iterator<Item = &'l [usize]>,
    ) -> Dominators {
        let mut dominators =
            Dominators { words: bits::words(market.ground.positives), ..Dominators::default() };
        for literals in rules.take(MOST_DOMINATORS / 2) {
            dominators.add(&market.covered(literals), (rates.rule(literals), literals.len()));
        }
        dominators
    }

    fn add(&mut self, covered: &[u64], size: (i32, usize)) {
        if self.sizes.len() < MOST_DOMINATORS {
            self.covered.extend_from_slice(covered);
            self.sizes.push(size);
        } else {
            self.covered[self.oldest * self.words..][..self.words].copy_from_slice(covered);
            self.sizes[self.oldest] = size;
            self.oldest = (self.oldest + 1) % MOST_DOMINATORS;
        }
    }

    /// Whether one of them covers all this for so much and with so many literals, or less of both.
    fn dominate(&self, covered: &[u64], (cost, literals): (i32, usize)) -> bool {
        let rules = self.covered.chunks_exact(self.words.max(1)).zip(&self.sizes);
        let mut no_larger = rules.filter(|(_, size)| size.0 <= cost && size.1 <= literals);
        no_larger.any(|(rule, _)| bits::is_subset(covered, rule))
    }
}

/// A consistent, irredundant term that the search came upon.
pub(super) struct Find<'s> {
    /// Positions in the problem's literals.
    pub(super) literals: &'s [usize],
    /// Prices of what it covers, less its cost.
    pub(super) worth: i32,
}

/// Calls `found` with the terms worth `threshold` or more; it returns the threshold to continue with,
/// which may rise. For every term worth the last threshold or more, the term itself is shown, or another
/// that costs no more and covers no less. Returns whether the search was complete: it is not if it ran
/// out of `nodes`.
pub(super) fn search(
    market: &Market,
    rates: &Rates,
    threshold: i32,
    nodes: u64,
    dominators: Option<&Dominators>,
    stop: &Stop,
    found: &mut dyn FnMut(Find) -> i32,
) -> Result<bool, Halt> {
    let mut search = Search::new(market, rates, threshold, nodes, stop, found);
    search.dominators = dominators.cloned();
    search.run(market.value, rates.per_rule)?;
    Ok(search.nodes > 0)
}

/// Finds every rule worth this much, even those that another rule could replace.
pub(super) fn every(
    market: &Market,
    rates: &Rates,
    threshold: i32,
    stop: &Stop,
    found: &mut dyn FnMut(Find) -> i32,
) -> Result<(), Halt> {
    let mut search = Search::new(market, rates, threshold, u64::MAX, stop, found);
    search.every = true;
    search.run(market.value, rates.per_rule)
}

/// A complete search on all threads. It is cut into parts at a fixed depth, and a few parts are searched
/// at a time. The threshold rises from one batch to the next, and within a part by `raise`, according to
/// what is found there.
pub(super) fn search_all(
    market: &Market,
    rates: &Rates,
    mut threshold: i32,
    raise: impl Fn(i32) -> i32 + Sync + Send,
    dominators: Option<&Dominators>,
    (stop, workers): (&Stop, &Workers),
    found: &mut dyn FnMut(Find) -> i32,
) -> Result<(), Halt> {
    let mut parts = Vec::new();
    let mut top = Search::new(market, rates, threshold, u64::MAX, stop, found);
    top.parts = Some(&mut parts);
    top.dominators = dominators.cloned();
    top.run(market.value, rates.per_rule)?;
    threshold = top.threshold;
    let mut parts = parts.into_iter().peekable();
    while parts.peek().is_some() {
        let batch: Vec<Part> = parts.by_ref().take(BATCH).collect();
        let done = workers.map(batch, |part| {
            let mut finds = Vec::new();
            let mut rising = threshold;
            let mut note = |find: Find| {
                finds.push((find.worth, find.literals.to_vec()));
                rising = rising.max(raise(find.worth));
                rising
            };
            let mut search = Search::new(market, rates, threshold, u64::MAX, stop, &mut note);
            search.dominators = dominators.cloned();
            search.walk.go_to(&part.term, &part.allowed);
            search.losses.resize(part.term.len(), Vec::new());
            search.run(part.value, part.cost).map(|()| finds)
        });
        for finds in done {
            for (worth, literals) in finds? {
                threshold = threshold.max(found(Find { literals: &literals, worth }));
            }
        }
    }
    Ok(())
}

/// What was found out about the rules that cover an example, at what they are worth without the dearer ones.
pub(super) struct Best {
    /// The example, as the problem counts.
    pub(super) example: usize,
    /// The most valuable rule found and what it is worth, if that is more than its cost.
    pub(super) rule: Option<(i32, Vec<usize>)>,
    /// What none is worth more than, if that is known.
    pub(super) most: Option<i32>,
}

/// For each positive of a problem, the negatives that suffice for rules that cover it, once they were needed.
#[derive(Default)]
pub(super) struct Nearest(Vec<OnceLock<Vec<u32>>>);

impl Nearest {
    /// For so many positives.
    pub(super) fn new(positives: usize) -> Nearest {
        Nearest((0..positives).map(|_| OnceLock::new()).collect())
    }
}

/// A search for the best rule of each priced example in turn, the dearest first; examples that had theirs are free
/// from then on. So every rule is looked at with the first of its examples, at what the others are worth.
///
/// Only literals that the example satisfies matter, and only the negatives nearest to it. Each search has so many
/// nodes; when it has used them up, it lowers its sights, and goes on for rules that are worth a part of the
/// example's price, and then a larger part.
pub(super) fn search_by_example(
    market: &Market,
    rates: &Rates,
    nodes: u64,
    nearest: &Nearest,
    (stop, workers): (&Stop, &Workers),
) -> Result<Vec<Best>, Halt> {
    let tasks: Vec<(usize, i32, Vec<i32>)> = rests(market).collect();
    let done = workers.map(tasks, |(place, value, losses)| {
        let (example, price) = (market.examples[place], market.prices[place]);
        let mut best = Best { example, rule: None, most: Some(0) };
        if value <= rates.per_rule {
            return Ok(best);
        }
        let literals = market.satisfied_by(place);
        let nearest = nearest.0[example].get_or_init(|| market.ground.nearest_negatives(&literals));
        let ground = market.ground.of_negatives(nearest);
        let sights = SIGHTS.map(|part| price / part);
        let mut note = |find: Find| {
            best.rule = Some((find.worth, find.literals.to_vec()));
            find.worth + 1
        };
        let mut search = Search::new(market, rates, 1, nodes.min(BRIEF_NODES), stop, &mut note);
        search.walk = Walk::new(&ground);
        search.walk.restart_from(place, &literals);
        search.losses.push(losses);
        // Most are over before it pays to look for dominated literals.
        search.every = true;
        search.run(value, rates.per_rule)?;
        if search.nodes == 0 && nodes > BRIEF_NODES {
            search.walk.restart_from(place, &literals);
            search.branches.clear();
            (search.granted, search.nodes, search.every) = (nodes, nodes, false);
            search.sights = &sights;
            search.run(value, rates.per_rule)?;
        }
        best.most = (search.nodes > 0).then_some(search.threshold - 1);
        Ok(best)
    });
    done.into_iter().collect()
}

/// Prices lowered so that no rule is worth more than it costs: each example pays for the best rule that it is the
/// first of, or, if that is not known, is not paid for at all.
pub(super) fn repaired(prices: &[i32], bests: &[Best]) -> Vec<i32> {
    let mut repaired = prices.to_vec();
    for best in bests {
        let price = &mut repaired[best.example];
        *price = best.most.map_or(0, |most| 0.max(*price - most));
    }
    repaired
}

/// For each priced example, what it and those after it are worth together, and what each literal loses of that.
fn rests(market: &Market) -> impl Iterator<Item = (usize, i32, Vec<i32>)> {
    let all: Vec<u32> = (0..market.priced as u32).collect();
    let mut losses = vec![0; market.stride];
    add_rows(&mut losses, &market.lost, &all);
    let mut value = market.value;
    market.prices.iter().enumerate().map(move |(place, price)| {
        let rest = (place, value, losses.clone());
        value -= price;
        subtract_rows(&mut losses, &rest.2, &market.lost, &[place as u32]);
        rest
    })
}

/// A part of the search: all terms that begin with this one.
struct Part {
    term: Vec<usize>,
    allowed: Vec<u64>,
    value: i32,
    cost: i32,
}

struct Search<'s> {
    market: &'s Market,
    rates: &'s Rates,
    threshold: i32,
    stop: &'s Stop,
    found: &'s mut dyn FnMut(Find) -> i32,
    walk: Walk<'s>,
    /// At each depth, what each literal loses of the value the term covers.
    losses: Vec<Vec<i32>>,
    /// Branches not yet taken, of all depths, with their losses.
    branches: Vec<(i32, u32)>,
    /// Memory to use again.
    examples: Vec<u32>,
    literals: Vec<usize>,
    /// How many nodes it may visit, and how many of these are left.
    granted: u64,
    nodes: u64,
    /// Thresholds to go on with, with as many nodes again, when none are left.
    sights: &'s [i32],
    /// Rules that need no rival, where every rule is wanted that none of them dominates.
    dominators: Option<Dominators>,
    /// Whether rules are wanted too that others make superfluous.
    every: bool,
    /// Where parts go, instead of being searched.
    parts: Option<&'s mut Vec<Part>>,
}

impl<'s> Search<'s> {
    fn new(
        market: &'s Market,
        rates: &'s Rates,
        threshold: i32,
        nodes: u64,
        stop: &'s Stop,
        found: &'s mut dyn FnMut(Find) -> i32,
    ) -> Search<'s> {
        Search {
            market,
            rates,
            threshold,
            stop,
            found,
            walk: Walk::new(&market.ground),
            losses: Vec::new(),
            branches: Vec::new(),
            examples: Vec::new(),
            literals: Vec::new(),
            granted: nodes,
            nodes,
            sights: &[],
            dominators: None,
            every: false,
            parts: None,
        }
    }

    /// Visits everything from here on.
    fn run(&mut self, value: i32, cost: i32) -> Result<(), Halt> {
        faults::strike(Site::Search)?;
        let done = self.visit(value, cost);
        self.market.visited.fetch_add(self.granted - self.nodes, Ordering::Relaxed);
        done
    }

    /// `value` is what the examples that the term covers are priced at together, `cost` what the term costs.
    fn visit(&mut self, value: i32, cost: i32) -> Result<(), Halt> {
        self.nodes = self.nodes.saturating_sub(1);
        if self.nodes == 0 {
            let Some((&sight, sights)) = self.sights.split_first() else { return Ok(()) };
            self.sights = sights;
            self.threshold = self.threshold.max(sight);
            self.market.visited.fetch_add(self.granted, Ordering::Relaxed);
            self.nodes = self.granted;
        }
        if self.nodes.is_multiple_of(NODES_PER_LOOK) && self.stop.requested() {
            return Err(Halt::Stopped);
        }
        let depth = self.walk.depth();
        if bits::is_clear(&self.walk.here().left) {
            self.show(None, value, cost);
            return Ok(());
        }
        // Every rule further down covers no more and has one more literal at least.
        if let Some(dominators) = &self.dominators
            && dominators.dominate(&self.walk.here().covered, (cost + self.rates.least, depth + 1))
        {
            return Ok(());
        }
        if depth == PART_DEPTH
            && let Some(parts) = &mut self.parts
        {
            let (term, allowed) = (self.walk.term().to_vec(), self.walk.here().allowed.clone());
            parts.push(Part { term, allowed, value, cost });
            return Ok(());
        }
        let rates = self.rates;
        // What may be lost if one more literal is bought, the cheapest.
        let slack = |search: &Self| value - search.threshold - cost - rates.least;
        if slack(self) < 0 {
            return Ok(());
        }
        if depth > 0 || self.losses.is_empty() {
            self.count_losses();
        }
        self.forbid_unaffordable(slack(self));

        let first = self.branches.len();
        let losses = &self.losses[depth];
        let priced = |literal: usize| (losses[literal], literal as u32);
        // If there is only enough for one more literal, each one still allowed is a last one.
        let last = slack(self) < rates.least;
        if last {
            self.branches.extend(bits::ones(&self.walk.here().allowed).map(priced));
        } else {
            if depth <= DOMINATED_LITERALS_DEPTH && !self.every {
                self.walk.forbid_dominated(|literal| rates.literals[literal]);
            }
            self.branches.extend(self.walk.branches().map(priced));
        }
        // The most valuable first: good finds raise the threshold for the rest.
        self.branches[first..].sort_unstable();
        for i in first..self.branches.len() {
            let (loss, literal) = self.branches[i];
            let literal = literal as usize;
            let left = slack(self) - loss - rates.extra(literal);
            self.walk.forbid(literal);
            if left < 0 {
                continue;
            }
            let cost = cost + rates.literals[literal];
            if last {
                if self.walk.stays_irredundant(literal) {
                    self.show(Some(literal), value - loss, cost);
                }
            } else if self.walk.enter(literal) {
                self.visit(value - loss, cost)?;
                self.walk.leave();
            }
        }
        self.branches.truncate(first);
        Ok(())
    }

    /// Shows the term, with one more literal perhaps, if it is worth enough.
    fn show(&mut self, literal: Option<usize>, value: i32, cost: i32) {
        let worth = value - cost;
        if worth >= self.threshold {
            self.literals.clear();
            self.literals.extend(self.walk.term());
            self.literals.extend(literal);
            if let Some(dominators) = &mut self.dominators {
                let covered = self.market.covered(&self.literals);
                let size = (cost, self.literals.len());
                if dominators.dominate(&covered, size) {
                    return;
                }
                dominators.add(&covered, size);
            }
            let next = (self.found)(Find { literals: &self.literals, worth });
            self.threshold = self.threshold.max(next);
        }
    }

    /// Sums up what each literal loses: over the examples covered, or by what changed since the
    /// last literal, whichever are fewer.
    fn count_losses(&mut self) {
        let Market { priced, lost, stride, .. } = self.market;
        let depth = self.walk.depth();
        if self.losses.len() == depth {
            self.losses.push(vec![0; *stride]);
        }
        let words = bits::words(*priced);
        let covered = &self.walk.here().covered[..words];
        let (above, below) = self.losses.split_at_mut(depth);
        let losses = &mut below[0];
        let dropped = self.walk.above().map(|above| &above.covered[..words]);
        let is_priced = |example: &u32| (*example as usize) < *priced;
        self.examples.clear();
        if let Some(before) = dropped
            && !above[depth - 1].is_empty()
            && 2 * bits::count(covered) > bits::count(before)
        {
            let dropped = bits::ones_without(before, covered);
            self.examples.extend(dropped.map(|example| example as u32).filter(is_priced));
            subtract_rows(losses, &above[depth - 1], lost, &self.examples);
        } else {
            let covered = bits::ones(covered);
            self.examples.extend(covered.map(|example| example as u32).filter(is_priced));
            add_rows(losses, lost, &self.examples);
        }
    }

    /// Forbids the literals that lose more than there is, or that leave negatives with nothing
    /// left for one more literal.
    fn forbid_unaffordable(&mut self, slack: i32) {
        let losses = &self.losses[self.walk.depth()];
        for word in 0..self.walk.here().allowed.len() {
            let mut rest = self.walk.here().allowed[word];
            while rest != 0 {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let literal = 64 * word + bit;
                let left = slack - losses[literal] - self.rates.extra(literal);
                if left < 0 || (left < self.rates.least && !self.walk.finishes(literal)) {
                    self.walk.here_mut().allowed[word] &= !(1 << bit);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::literal::ClassId;
    use crate::solve::rule::Rule;
    use crate::solve::rules::{self, EnumerateOptions, RuleSource};
    use crate::testing::random_problem;

    #[test]
    fn repaired_prices_pay_for_no_rule() {
        let mut random = fastrand::Rng::with_seed(16);
        let workers = Workers::new(1);
        let on = (&Stop::default(), &workers);
        let (mut found, mut unknown) = (0, 0);
        for round in 0..4_000 {
            let problem = random_problem(&mut random, ClassId(0));
            if problem.positives.is_empty() || problem.negatives.is_empty() {
                continue;
            }
            let ground = Ground::new(&problem);
            let prices: Vec<i32> = problem.positives.iter().map(|_| random.i32(0..40)).collect();
            let literals = problem.literals.iter().map(|_| random.i32(0..20)).collect();
            let rates = Rates::new(random.i32(0..20), literals);
            let market = Market::new(&problem, &ground, &prices, false);
            let nearest = Nearest::new(prices.len());
            // Some do with few nodes, and lower their sights.
            let nodes = if random.bool() { random.u64(1..50) } else { u64::MAX };
            let bests = search_by_example(&market, &rates, nodes, &nearest, on).unwrap();

            let every = EnumerateOptions { rules: RuleSource::Search, break_symmetry: false };
            let mut all: Vec<Rule> = Vec::new();
            rules::enumerate(&problem, &every, &Stop::default(), &mut |rule| all.push(rule)).unwrap();
            let worth = |rule: &Rule, prices: &[i32]| -> i32 {
                let value: i32 = rule.coverage.ones().map(|example| prices[example]).sum();
                value - rates.rule(&problem.positions(&rule.term))
            };
            let repaired = repaired(&prices, &bests);
            for rule in &all {
                assert!(worth(rule, &repaired) <= 0, "round {round}: {rule:?}");
            }
            for best in &bests {
                let Some((claimed, literals)) = &best.rule else { continue };
                let rule = problem.rule(literals);
                assert!(ground.negatives == 0 || rules::discriminates_all(&problem, literals));
                // Examples before its first one may be covered, too.
                assert!(rule.coverage.contains(best.example) && worth(&rule, &prices) >= *claimed);
                assert!(best.most.is_none_or(|most| most >= *claimed));
                found += 1;
            }
            unknown += bests.iter().filter(|best| best.most.is_none()).count();
            if nodes == u64::MAX {
                let most = all.iter().map(|rule| worth(rule, &prices)).max().unwrap_or(0).max(0);
                let claimed = bests.iter().map(|best| best.most.unwrap()).max().unwrap_or(0);
                assert_eq!(claimed, most, "round {round}");
            }
        }
        assert!(found > 1_000 && unknown > 100, "only {found} rules and {unknown} open searches");
    }

    #[test]
    fn the_nearest_negatives_suffice() {
        let mut random = fastrand::Rng::with_seed(17);
        let mut fewer = 0;
        for _ in 0..1_000 {
            let problem = random_problem(&mut random, ClassId(0));
            let ground = Ground::new(&problem);
            for positive in 0..problem.positives.len() {
                let mut literals = bits::full(ground.literals);
                let own = problem.literals_of(positive);
                (0..ground.literals)
                    .filter(|l| !own.contains(l))
                    .for_each(|l| bits::remove(&mut literals, l));
                let nearest = ground.nearest_negatives(&literals);
                fewer += ground.negatives - nearest.len();
                let near = ground.of_negatives(&nearest);
                let some: Vec<usize> = own.iter().copied().filter(|_| random.bool()).collect();
                let leave = |ground: &Ground| {
                    (0..ground.negatives).any(|negative| {
                        some.iter()
                            .all(|&literal| bits::contains(ground.negatives_with(literal), negative))
                    })
                };
                assert_eq!(leave(&near), leave(&ground));
            }
        }
        assert!(fewer > 1_000, "only {fewer} negatives went");
    }
}
