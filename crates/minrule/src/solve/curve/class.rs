//! The curve of one class: its best sets of rules at every price of size.
//!
//! What a set costs is a line in the price: its errors, and so much more for each unit of its size. The least
//! cost is the lower envelope of these lines, which is concave. So a set that is best at two prices is best
//! between them, and where the lines of two neighbours cross, either no set is better, or one is found that
//! lies between them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Task;
use super::price::UnitPrice;
use crate::data::literal::ClassId;
use crate::error::Result;
use crate::limits::StopReason;
use crate::result::outcome::StageSeconds;
use crate::solve::learn::Known;
use crate::solve::objective::Cost;
use crate::solve::rule::Term;
use crate::solve::schedule::Run;

/// Sizes between two neighbours that are looked at one by one.
const MOST_SIZES: u64 = 10_000;

/// A set of rules for a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) rules: Vec<Term>,
    /// Rows of the class that each of them covers.
    pub(super) rows_covered: Vec<u64>,
    /// What the objective counts.
    pub(super) size: u64,
    /// Rows left out, and rows of other classes covered, once for each rule.
    pub(super) errors: u64,
}

impl Line {
    /// What it costs, in the parts of a row that the price is told in.
    pub(super) fn cost(&self, price: UnitPrice) -> u64 {
        price.cost(self.size, self.errors)
    }

    /// Where it costs as much as a larger set with fewer errors.
    fn crosses(&self, larger: &Line) -> UnitPrice {
        UnitPrice::new(self.errors - larger.errors, larger.size - self.size)
    }
}

/// What is known of a class.
#[derive(Debug, Clone)]
pub(super) struct ClassCurve {
    pub(super) class: ClassId,
    /// Its rows: from this price on, nothing beats the sets of no size.
    pub(super) rows: u64,
    /// Sets that were best somewhere, when they were found.
    pub(super) lines: Vec<Line>,
    /// What every set costs at least at some prices, in the parts of a row that each is told in.
    bounds: BTreeMap<UnitPrice, u64>,
    /// Rules generated on the way.
    pool: Vec<Term>,
    pub(super) rules_enumerated: usize,
    pub(super) stopped_by: Option<StopReason>,
    pub(super) failure: Option<String>,
    pub(super) seconds: StageSeconds,
}

impl ClassCurve {
    pub(super) fn new(class: ClassId, task: &Task) -> ClassCurve {
        let rows = task.examples.class_rows();
        let (own, all) = (rows[class.0 as usize], rows.iter().sum::<u64>());
        let size = |rules: &[Term]| task.size(rules);
        let line = |rules: Vec<Term>, rows_covered, errors| {
            let size = size(&rules);
            Line { rules, rows_covered, size, errors }
        };
        let nothing = line(Vec::new(), Vec::new(), own);
        let everything = line(vec![Term::new(Vec::new())], vec![own], all - own);
        let mut curve = ClassCurve {
            class,
            rows: own,
            lines: vec![nothing, everything],
            bounds: BTreeMap::new(),
            pool: Vec::new(),
            rules_enumerated: 0,
            stopped_by: None,
            failure: None,
            seconds: StageSeconds::default(),
        };
        // Whatever else has a size costs as much as all rows of the class, or more.
        let top = curve.top();
        let least = curve.best(top).1;
        curve.bounds.insert(top, least);
        curve
    }

    /// A price at which, and above which, the best sets are those of no size.
    pub(super) fn top(&self) -> UnitPrice {
        UnitPrice::new(self.rows.max(1), 1)
    }

    /// The best set known at a price, of equals the smallest, and what it costs there.
    pub(super) fn best(&self, price: UnitPrice) -> (usize, u64) {
        let costs = self.lines.iter().enumerate().map(|(i, line)| (i, line.cost(price)));
        let best = costs.min_by_key(|&(i, cost)| (cost, self.lines[i].size, i));
        best.expect("no rules are always known")
    }

    /// What every set costs at least at a price, in its parts of a row. It does not fall with the price, and
    /// is no less than its chords.
    pub(super) fn bound(&self, price: UnitPrice) -> u64 {
        let Some((&below, &low)) = self.bounds.range(..=price).next_back() else { return 0 };
        if below == price {
            return low;
        }
        let Some((&above, &high)) = self.bounds.range(price..).next() else {
            return if price >= self.top() { self.best(price).1 } else { 0 };
        };
        chord((below, low), (above, high), price).unwrap_or(0)
    }

    /// Whether a set is proven best at a price where it was looked for.
    fn is_best(&self, line: &Line, price: UnitPrice) -> bool {
        let price = price.min(self.top());
        self.bounds.get(&price).is_some_and(|&bound| bound >= line.cost(price))
    }

    /// Whether a set is proven best from one price to the other, or to any.
    pub(super) fn is_best_between(&self, line: usize, from: UnitPrice, to: Option<UnitPrice>) -> bool {
        let (line, top) = (&self.lines[line], self.top());
        let (from, to) = (from.min(top), to.map_or(top, |to| to.min(top)));
        let best = |price: &UnitPrice| self.is_best(line, *price);
        let below = self.bounds.range(..=from).map(|(price, _)| price).any(best);
        below && self.bounds.range(to..).map(|(price, _)| price).any(best)
    }

    /// Finds a best set at a price; if `enough` is given, a bound above it will do.
    pub(super) fn solve(&mut self, price: UnitPrice, enough: Option<u64>, task: &Task) -> Result<()> {
        let (best, cost) = self.best(price);
        let needed = enough.map_or(cost, |enough| cost.min(enough.saturating_add(1)));
        if price >= self.top() || self.bound(price) >= needed || task.limits.stop.requested() {
            return Ok(());
        }
        let options = task.options.clone().with_alpha(price.alpha()).for_class(self.class);
        let tariffs = options.tariffs(task.examples.all_rows())?;
        let limits = task.limits_of_solve();
        let run = Arc::new(Run::new(&task.examples, &task.literals, &options, tariffs, &limits)?);
        let rules = self.lines[best].rules.clone();
        run.begin_with(&Known {
            class: self.class,
            rules,
            lower_bound: Cost::default(),
            argument: None,
        });
        run.generate_from(&self.pool);
        enough.into_iter().for_each(|enough| run.more_is_enough(enough));
        Run::to_the_end(&run, &limits, |_| {})?;
        task.solves.fetch_add(1, Ordering::Relaxed);
        let outcome = run.outcomes().0.pop().expect("a run of one class");
        self.rules_enumerated += outcome.rules_enumerated.saturating_sub(self.pool.len());
        self.pool = run.generated();
        // Where a bound will do, it is no wonder that there is no more.
        let is_short = enough.is_none() || outcome.failure.is_some();
        self.stopped_by = self.stopped_by.or(outcome.stopped_by.filter(|_| is_short));
        self.failure = self.failure.take().or(outcome.failure);
        self.seconds += outcome.seconds;
        let bound = self.bound(price).max(outcome.lower_bound.first);
        self.bounds.insert(price, bound);
        if outcome.cost.first < cost {
            let size = task.size(&outcome.rules);
            let errors = (outcome.cost.first - price.rows * size) / price.parts;
            let (rules, rows_covered) = (outcome.rules, outcome.rows_covered);
            self.lines.push(Line { rules, rows_covered, size, errors });
        }
        Ok(())
    }

    /// Finds all sets that are best between two prices, if there is time: the larger price first, since it is
    /// the easier one.
    pub(super) fn refine(&mut self, from: UnitPrice, to: UnitPrice, task: &Task) -> Result<()> {
        for price in [to, from] {
            self.solve(price, None, task)?;
        }
        let mut open = vec![(from, to)];
        while let Some((from, to)) = open.pop() {
            let (small, large) = (self.best(to).0, self.best(from).0);
            let (small, large) = (&self.lines[small], &self.lines[large]);
            let proven = self.is_best(small, to) && self.is_best(large, from);
            if !proven || self.is_best(small, from) || self.is_best(large, to) {
                continue;
            }
            let between = small.crosses(large);
            let known = small.cost(between);
            if self.leaves_no_room(small, large, between) {
                self.bounds.insert(between, known);
                continue;
            }
            self.solve(between, None, task)?;
            if self.best(between).1 < known {
                open.push((from, between));
                open.push((between, to));
            }
        }
        Ok(())
    }

    /// Whether nothing can be better than two neighbours where they cost the same, because sizes and errors
    /// are whole numbers: what is known at other prices rules out all that would be. A better set is larger than
    /// the one and smaller than the other, as one of them would not be the best elsewhere.
    fn leaves_no_room(&self, small: &Line, large: &Line, price: UnitPrice) -> bool {
        let fewest = |size: u64| {
            let errors = |(at, &bound): (&UnitPrice, &u64)| {
                bound.saturating_sub(at.rows.saturating_mul(size)).div_ceil(at.parts)
            };
            self.bounds.iter().map(errors).max().unwrap_or(0)
        };
        let known = small.cost(price);
        large.size - small.size <= MOST_SIZES
            && (small.size + 1..large.size).all(|size| price.cost(size, fewest(size)) >= known)
    }

    /// The lower envelope of the sets known: each with the price down from which it is best, the smallest
    /// first, as far as a price goes.
    pub(super) fn envelope(&self, from: UnitPrice) -> Vec<(usize, Option<UnitPrice>)> {
        let smallest = |&i: &usize| (self.lines[i].size, self.lines[i].errors, i);
        let first = (0..self.lines.len()).min_by_key(smallest).expect("no rules are always known");
        let mut envelope = vec![(first, None)];
        let mut last = first;
        loop {
            let next = (0..self.lines.len()).filter(|&i| {
                let (line, last) = (&self.lines[i], &self.lines[last]);
                line.size > last.size && line.errors < last.errors
            });
            let crossing = |&i: &usize| (self.lines[last].crosses(&self.lines[i]), self.lines[i].size);
            let Some(next) = next.max_by_key(|i| (crossing(i), std::cmp::Reverse(*i))) else { break };
            let (price, _) = crossing(&next);
            if price <= from {
                break;
            }
            envelope.push((next, Some(price)));
            last = next;
        }
        envelope
    }
}

/// The height of a chord between two prices, in the parts of a row of a price between them, rounded down;
/// nothing, if the numbers are too large.
fn chord(
    (below, low): (UnitPrice, u64),
    (above, high): (UnitPrice, u64),
    price: UnitPrice,
) -> Option<u64> {
    let product = |a: u64, b: u64| i128::from(a) * i128::from(b);
    let apart = |a: UnitPrice, b: UnitPrice| product(a.rows, b.parts) - product(b.rows, a.parts);
    let low = i128::from(low).checked_mul(apart(above, price))?;
    let high = i128::from(high).checked_mul(apart(price, below))?;
    u64::try_from(low.checked_add(high)? / apart(above, below)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chord_is_as_high_as_its_ends_make_it() {
        let price = UnitPrice::new;
        // From 10 rows at price 2 to 16 rows at price 5.
        let (below, above) = ((price(2, 1), 10), (price(5, 1), 16));
        assert_eq!(chord(below, above, price(3, 1)), Some(12));
        assert_eq!(chord(below, above, price(7, 2)), Some(26));
        assert_eq!(chord(below, above, price(2, 1)), Some(10));
        assert_eq!(chord(below, above, price(10, 3)), Some(38));
    }
}
