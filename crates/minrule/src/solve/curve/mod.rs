//! The whole trade-off between size and errors: the best sets at every price of size, down to the smallest.
//!
//! Classes have [curves](class) of their own, and what is best for all of them at a price is what is best for
//! each. Prices are gone through from the largest down, in a few long steps, so that a run that is stopped has
//! the whole curve above some price. Rules generated at one price are where the next one begins.
//!
//! Where the class that costs most to describe gets no rules, it may be another class at another price. It is
//! solved only as far as it takes to show that it costs most: what is known at two prices holds between
//! them, since the least cost is concave.

mod budget;
mod class;
mod price;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

pub use budget::{Budget, Within};
pub use price::UnitPrice;

use self::class::ClassCurve;
use super::alpha::Alpha;
use super::objective::{Cost, Objective};
use super::options::{LearnOptions, Otherwise};
use super::otherwise;
use super::rule::Term;
use super::workers;
use crate::data::examples::Examples;
use crate::data::literal::{ClassId, Literal};
use crate::error::{Error, Result, Setting};
use crate::limits::{Limits, StopReason};
use crate::names::Choice;
use crate::result::outcome::{ClassOutcome, Outcome, Status};

/// From one price that is solved first to the next.
const STEP: u64 = 2;

/// What all classes share.
struct Task {
    examples: Arc<Examples>,
    literals: Vec<Literal>,
    options: LearnOptions,
    limits: Limits,
    /// The work to do for a class at a price, at most.
    effort: Option<u64>,
    /// Prices that were solved, for all classes together.
    solves: Arc<AtomicUsize>,
}

impl Task {
    /// The limits of a class at a price.
    fn limits_of_solve(&self) -> Limits {
        let stop = self.effort.map(|effort| self.limits.stop.with_effort(effort));
        Limits { stop: stop.unwrap_or_else(|| self.limits.stop.clone()), ..self.limits.clone() }
    }

    /// What the objective counts.
    fn size(&self, rules: &[Term]) -> u64 {
        self.options.objective().tariffs().rules(rules.iter().map(Term::literals)).first
    }

    /// The same with so many threads for each class.
    fn on_threads(&self, classes: usize) -> Task {
        let options = match classes {
            0 | 1 => self.options.clone(),
            _ => self.options.clone().on_one_thread(),
        };
        let (examples, literals) = (Arc::clone(&self.examples), self.literals.clone());
        let (limits, solves) = (self.limits.clone(), Arc::clone(&self.solves));
        Task { examples, literals, options, limits, effort: self.effort, solves }
    }
}

/// The best sets of a table at every price of size, down to the smallest asked for.
#[derive(Debug, Clone)]
pub struct Curve {
    options: LearnOptions,
    rows: u64,
    class_rows: Vec<u64>,
    classes: Vec<ClassCurve>,
    points: Vec<Point>,
    /// Why it was not followed to its end, if somebody asked.
    stopped_by: Option<StopReason>,
}

/// A set that is best over a range of prices.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The smallest price at which it is.
    pub from: UnitPrice,
    /// The largest; none, if it is best at every larger one.
    pub to: Option<UnitPrice>,
    /// The number of rules.
    pub rules: usize,
    /// The number of literals.
    pub literals: usize,
    /// Rows of a class with rules that none of them covers, and rows of other classes for every rule that does.
    pub errors: u64,
    /// Whether it is proven that it is best over the whole range.
    pub status: Status,
    /// The class without rules, if there is one.
    pub otherwise: Option<ClassId>,
    /// Of each class solved, its set.
    sets: Vec<usize>,
}

impl Point {
    /// Literals plus one for each rule.
    pub fn size(&self) -> usize {
        self.rules + self.literals
    }
}

impl Curve {
    /// Finds all sets that are best at some price down to `alpha`, as far as the limits allow. Where there is an
    /// `effort`, no class has more than so much work at any price: that many nodes of a search.
    /// `watch` is told every few milliseconds how many prices were solved.
    pub fn new(
        examples: &Arc<Examples>,
        literals: &[Literal],
        options: &LearnOptions,
        alpha: Alpha,
        (limits, effort): (&Limits, Option<u64>),
        mut watch: impl FnMut(usize),
    ) -> Result<Curve> {
        let options = options.clone().with_alpha(alpha);
        check(&options, examples)?;
        let examples = Arc::new(examples.with_outvoted());
        let examples = options.seed().map_or(examples.clone(), |seed| Arc::new(examples.shuffled(seed)));
        let solves = Arc::new(AtomicUsize::new(0));
        let task = Task {
            examples: Arc::clone(&examples),
            literals: literals.to_vec(),
            options: options.clone(),
            limits: limits.clone(),
            effort,
            solves: Arc::clone(&solves),
        };
        let numbers = options.classes_to_solve(examples.classes().len() as u32);
        let classes: Vec<ClassCurve> =
            numbers.into_iter().map(|class| ClassCurve::new(class, &task)).collect();
        let (rows, class_rows) = (examples.all_rows(), examples.class_rows());
        let (points, stopped_by) = (Vec::new(), None);
        let mut curve = Curve { options, rows, class_rows, classes, points, stopped_by };
        let pool = workers::pool(curve.options.threads().min(curve.classes.len().max(1)));
        let pool = pool.map_err(|cause| Error::Internal(format!("no threads: {cause}")))?;
        let last = UnitPrice::of(alpha, rows);
        let follow = || pool.install(|| curve.follow(last, &task));
        workers::attended(follow, || watch(solves.load(Ordering::Relaxed)))?;
        curve.points = curve.points(last);
        curve.stopped_by = limits.stop.reason();
        Ok(curve)
    }

    /// Goes through all prices down to the last one.
    fn follow(&mut self, last: UnitPrice, task: &Task) -> Result<()> {
        let mut above = self.classes.iter().map(ClassCurve::top).max().unwrap_or(last).max(last);
        for price in steps(last, above) {
            self.take_step(price, above, task)?;
            above = price;
        }
        Ok(())
    }

    /// All that is best between two prices.
    fn take_step(&mut self, from: UnitPrice, to: UnitPrice, task: &Task) -> Result<()> {
        let left_out = self.leaves_out_the_dearest().then(|| self.dearest(from)).flatten();
        let of_step: Vec<usize> = (0..self.classes.len()).filter(|&i| Some(i) != left_out).collect();
        self.refine(&of_step, from, to, task)?;
        let Some(left_out) = left_out else { return Ok(()) };
        // It may be another one, now that the others are known.
        let prices = self.corners(left_out, from, to);
        for &price in prices.iter().rev() {
            let most = self.others(left_out).map(|other| other.best(price).1).max();
            self.classes[left_out].solve(price, most, task)?;
        }
        for ends in prices.windows(2).rev() {
            if !ends.iter().all(|&price| self.is_dearest(left_out, price)) {
                self.refine(&[left_out], ends[0], ends[1], task)?;
            }
        }
        Ok(())
    }

    /// The curves of some classes between two prices, side by side.
    fn refine(&mut self, which: &[usize], from: UnitPrice, to: UnitPrice, task: &Task) -> Result<()> {
        let task = &task.on_threads(which.len());
        let chosen = self.classes.par_iter_mut().enumerate().filter(|(i, _)| which.contains(i));
        chosen.map(|(_, class)| class.refine(from, to, task)).collect()
    }

    /// Whether the class that costs most to describe gets no rules.
    fn leaves_out_the_dearest(&self) -> bool {
        self.options.otherwise() == Otherwise::Auto && self.options.classes().is_none()
    }

    /// The class that costs most at a price, as far as is known, by its place.
    fn dearest(&self, price: UnitPrice) -> Option<usize> {
        let key = |class: &ClassCurve| (class.best(price).1, self.class_rows[class.class.0 as usize]);
        otherwise::dearest(self.classes.iter().map(key))
    }

    /// All classes but one.
    fn others(&self, left_out: usize) -> impl Iterator<Item = &ClassCurve> {
        let classes = self.classes.iter().enumerate();
        classes.filter(move |(i, _)| *i != left_out).map(|(_, class)| class)
    }

    /// Prices between which what all classes but one cost are lines. What that one costs is concave: if it is
    /// the dearest class at two neighbours, it is so between them.
    fn corners(&self, left_out: usize, from: UnitPrice, to: UnitPrice) -> Vec<UnitPrice> {
        let of_class =
            |class: &ClassCurve| class.envelope(from).into_iter().filter_map(|(_, price)| price);
        let crossings = self.others(left_out).flat_map(of_class).filter(|price| *price < to);
        let prices: BTreeSet<UnitPrice> = crossings.chain([from, to]).collect();
        prices.into_iter().collect()
    }

    /// Whether a class is proven to cost more than each of the others at a price.
    fn is_dearest(&self, left_out: usize, price: UnitPrice) -> bool {
        let bound = self.classes[left_out].bound(price);
        self.others(left_out).all(|other| other.best(price).1 < bound)
    }

    /// What is best for all classes together, the smallest set first.
    fn points(&self, last: UnitPrice) -> Vec<Point> {
        let envelopes: Vec<Vec<(usize, Option<UnitPrice>)>> =
            self.classes.iter().map(|class| class.envelope(last)).collect();
        let mut prices: BTreeSet<UnitPrice> =
            envelopes.iter().flatten().filter_map(|(_, price)| *price).collect();
        prices.insert(last);
        if self.leaves_out_the_dearest() {
            self.add_changes(&mut prices);
        }
        let mut points: Vec<Point> = Vec::new();
        let mut to = None;
        for from in prices.into_iter().rev() {
            let sets: Vec<usize> = envelopes.iter().map(|envelope| set_below(envelope, to)).collect();
            let point = self.point(from, to, sets);
            match points.last_mut() {
                Some(last) if self.is_same(last, &point) => {
                    last.from = from;
                    let both = [last.status, point.status].contains(&Status::Feasible);
                    last.status = if both { Status::Feasible } else { Status::Optimal };
                }
                _ => points.push(point),
            }
            to = Some(from);
        }
        points
    }

    /// Adds the prices at which the class that costs most becomes another one.
    fn add_changes(&self, prices: &mut BTreeSet<UnitPrice>) {
        let top = self.classes.iter().map(ClassCurve::top).max();
        let mut ends: Vec<UnitPrice> = prices.iter().copied().chain(top).collect();
        ends.sort_unstable();
        let mut open: Vec<(UnitPrice, UnitPrice)> = ends.windows(2).map(|w| (w[0], w[1])).collect();
        while let Some((from, to)) = open.pop() {
            // Costs are lines in between, whose largest is convex: one that is largest at both ends is so
            // throughout.
            let cost = |i: usize, price: UnitPrice| self.classes[i].best(price).1;
            let (Some(low), Some(high)) = (self.dearest(from), self.dearest(to)) else { return };
            if low == high || cost(low, to) == cost(high, to) || cost(low, from) == cost(high, from) {
                continue;
            }
            let (flat, steep) = (self.line_between(low, from, to), self.line_between(high, from, to));
            let Some((flat, steep)) = flat.zip(steep) else { continue };
            let (errors, size) = (flat.1.checked_sub(steep.1), steep.0.checked_sub(flat.0));
            let (Some(errors), Some(size)) = (errors, size.filter(|size| *size > 0)) else { continue };
            let change = UnitPrice::new(errors, size);
            if from < change && change < to {
                prices.insert(change);
                open.extend([(from, change), (change, to)]);
            }
        }
    }

    /// Size and errors of the set of a class that is best at both prices.
    fn line_between(&self, class: usize, from: UnitPrice, to: UnitPrice) -> Option<(u64, u64)> {
        let class = &self.classes[class];
        let both = |line: &&class::Line| {
            line.cost(from) == class.best(from).1 && line.cost(to) == class.best(to).1
        };
        class.lines.iter().find(both).map(|line| (line.size, line.errors))
    }

    fn point(&self, from: UnitPrice, to: Option<UnitPrice>, sets: Vec<usize>) -> Point {
        let otherwise = self.left_out(from, to);
        let proven = |(i, &set): (usize, &usize)| {
            let class = &self.classes[i];
            Some(class.class) == otherwise || class.is_best_between(set, from, to)
        };
        let mut optimal = sets.iter().enumerate().all(proven);
        if let Some(left_out) = self.classes.iter().position(|class| Some(class.class) == otherwise) {
            optimal &= [Some(from), to].into_iter().flatten().all(|price| {
                let bound = self.classes[left_out].bound(price);
                self.classes.iter().zip(&sets).all(|(class, &set)| {
                    Some(class.class) == otherwise || class.lines[set].cost(price) <= bound
                })
            });
        }
        let status = if optimal { Status::Optimal } else { Status::Feasible };
        let mut point = Point { from, to, rules: 0, literals: 0, errors: 0, status, otherwise, sets };
        let (mut rules, mut literals, mut errors) = (0, 0, 0);
        for line in self.described(&point) {
            rules += line.rules.len();
            literals += line.rules.iter().map(Term::size).sum::<usize>();
            errors += line.errors;
        }
        (point.rules, point.literals, point.errors) = (rules, literals, errors);
        point
    }

    /// The class without rules in a range of prices.
    fn left_out(&self, from: UnitPrice, to: Option<UnitPrice>) -> Option<ClassId> {
        match self.options.otherwise() {
            Otherwise::Auto if self.leaves_out_the_dearest() => {
                let dearest = self.dearest(middle(from, to))?;
                Some(self.classes[dearest].class)
            }
            _ => otherwise::named(&self.options, self.class_rows.len()),
        }
    }

    /// The sets of the classes that have rules.
    fn described<'c>(&'c self, point: &'c Point) -> impl Iterator<Item = &'c class::Line> {
        let classes = self.classes.iter().zip(&point.sets);
        let described = classes.filter(|(class, _)| Some(class.class) != point.otherwise);
        described.map(|(class, &set)| &class.lines[set])
    }

    fn is_same(&self, a: &Point, b: &Point) -> bool {
        a.otherwise == b.otherwise && self.described(a).eq(self.described(b))
    }

    /// The sets that are best, the smallest first.
    pub fn all_points(&self) -> &[Point] {
        &self.points
    }

    /// The place of the set that is best at a price, if the curve goes so far.
    pub fn at(&self, price: UnitPrice) -> Option<usize> {
        self.points.iter().position(|point| point.from <= price)
    }

    /// The rows of the table.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// What was asked for.
    pub fn options(&self) -> &LearnOptions {
        &self.options
    }

    /// Why not all is proven, if it is not.
    pub fn stopped_by(&self) -> Option<StopReason> {
        let open = self.points.iter().any(|point| point.status == Status::Feasible);
        let of_class = || self.classes.iter().find_map(|class| class.stopped_by);
        // A class may never have had its turn.
        of_class().or(self.stopped_by).filter(|_| open)
    }

    /// The alpha to name for a point: a short number in its range.
    pub fn alpha(&self, point: &Point) -> Alpha {
        price::short_alpha(point.from, point.to, self.rows)
    }

    /// The outcome of learning at an alpha in the range of a point.
    pub fn outcome(&self, point: &Point, alpha: Alpha) -> Outcome {
        let price = UnitPrice::of(alpha, self.rows);
        let outcome = |(class, &set): (&ClassCurve, &usize)| {
            let line = &class.lines[set];
            let cost = line.cost(price);
            let proven = class.is_best_between(set, point.from, point.to);
            let bound = if proven { cost } else { class.bound(price).min(cost) };
            let cost_of = |first: u64| Cost { first, second: 0 };
            ClassOutcome {
                class: class.class,
                rules: line.rules.clone(),
                rows_covered: line.rows_covered.clone(),
                cost: cost_of(cost),
                lower_bound: cost_of(bound),
                argument: None,
                rules_enumerated: class.rules_enumerated,
                stopped_by: (bound < cost).then(|| class.stopped_by.unwrap_or(StopReason::TimeLimit)),
                failure: class.failure.clone().filter(|_| bound < cost),
                seconds: class.seconds,
            }
        };
        let all = self.classes.iter().zip(&point.sets).map(outcome);
        let (undescribed, classes): (Vec<ClassOutcome>, Vec<ClassOutcome>) =
            all.partition(|class| Some(class.class) == point.otherwise);
        Outcome {
            options: self.options.clone().with_alpha(alpha),
            classes,
            otherwise: point.otherwise,
            undescribed: undescribed.into_iter().next(),
            joint_bound: Cost::default(),
        }
    }
}

/// Refuses what has no curve.
fn check(options: &LearnOptions, examples: &Examples) -> Result<()> {
    if options.objective() == Objective::RulesThenLiterals {
        let value = options.objective().name();
        return Err(Error::NotWithAlpha { setting: Setting::Objective, value });
    }
    otherwise::check(options, examples)
}

/// Prices that are solved first, down to the last one: whole numbers of rows but for that.
fn steps(last: UnitPrice, top: UnitPrice) -> Vec<UnitPrice> {
    let mut steps = vec![last];
    let mut factor = STEP;
    loop {
        let rows = u128::from(last.rows) * u128::from(factor) / u128::from(last.parts);
        let Ok(rows) = u64::try_from(rows) else { break };
        let step = UnitPrice::new(rows, 1);
        if step >= top || factor > u64::MAX / STEP {
            break;
        }
        if rows > 0 && step > last {
            steps.push(step);
        }
        factor *= STEP;
    }
    steps.dedup();
    steps.reverse();
    steps
}

/// A price within a range.
fn middle(from: UnitPrice, to: Option<UnitPrice>) -> UnitPrice {
    match to {
        // The mediant lies between two fractions.
        Some(to) => UnitPrice::new(from.rows + to.rows, from.parts + to.parts),
        None => UnitPrice::new(from.rows.saturating_mul(2), from.parts),
    }
}

/// The set of an envelope that is best just below a price.
fn set_below(envelope: &[(usize, Option<UnitPrice>)], to: Option<UnitPrice>) -> usize {
    let begun = |(_, begins): &&(usize, Option<UnitPrice>)| match (begins, to) {
        (None, _) => true,
        (Some(begins), Some(to)) => *begins >= to,
        (Some(_), None) => false,
    };
    envelope.iter().rfind(begun).map_or(0, |(set, _)| *set)
}
