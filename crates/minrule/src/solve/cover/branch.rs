//! Covers by branch and bound over the linear relaxation.
//!
//! The LP works in floating point, on the few rules it needs. Its prices are rounded to integers,
//! and what they prove is counted out over all rules in integers: every cover costs at least the
//! sum of the prices, less what some rules are worth beyond their cost. Rules that are too dear to
//! be in a better cover than the best one known are dropped, here and below. At the root, [cuts](super::cuts)
//! make the relaxation stronger; they hold in all nodes.
//!
//! A node branches on an example that few rules can cover: one of them must be taken. Each is
//! tried, and those that lead to a bound too high are dropped at once; what is left are the
//! children, the most promising first, each without the rules of those before it.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashMap;

use super::cuts::{self, Cut};
use super::lp::{Basis, CoverLp, Fractional};
use super::simplex::Corner;
use super::{CoverProblem, CoverSolver, Finding, Quest, greedy, solve_below};
use crate::limits::{Halt, Stop};
use crate::solve::evidence::{ROOT, Scribe};
use crate::solve::rule::Coverage;
use crate::solve::workers::Workers;

/// Prices are integers in this fraction of the unit of cost.
pub(crate) const SCALE: i64 = 1 << 24;
/// LP prices are lowered by this much, relatively, before they are rounded.
const SLACK: f64 = 1e-7;
/// An LP need not be solved to optimality once it exceeds the cost of the last acceptable cover by this
/// much.
const CLOSED: f64 = 0.01;
/// Rules that come into the LP at a time, at most.
const COLUMNS: usize = 100;
/// Nodes that are worked on side by side, however many threads there are.
const DESKS: usize = 4;
/// Rounds of cuts at the root, and cuts that come in at a time, at most; and the fewest rules in a cover where
/// cuts still matter after some rules are taken.
const ROUNDS: usize = 5;
const CUTS: usize = 30;
const MANY: f64 = 10.0;
/// At the root, a rest of the rules smaller than this is worth reducing again.
const SHRUNK: f64 = 0.75;
/// More than any cover costs, scaled.
const NEVER: i64 = i64::MAX / 4;
/// Stands for the LP's first column in a basis.
const NO_RULE: usize = usize::MAX;

/// The result of a search.
pub(super) enum Branched {
    /// A cover of least cost.
    Cover(Vec<usize>),
    /// None costs less than the cutoff.
    NoneBelow,
    /// Only these rules can be in one that does.
    Only(Vec<usize>),
    /// The best cover found, if any, when the allotted work was done.
    Unfinished(Option<Vec<usize>>),
}

/// Branch and bound to the end.
pub(super) struct Branch;

impl CoverSolver for Branch {
    fn solve(&self, quest: &Quest, tell: &mut dyn FnMut(Finding)) -> Result<Option<Vec<usize>>, Halt> {
        let &Quest { problem, start, cutoff, stop, workers, scribe } = quest;
        let on = (stop, workers);
        match branch(problem, start, cutoff, u64::MAX, on, scribe, tell)? {
            Branched::Cover(cover) => Ok(Some(cover)),
            Branched::NoneBelow => Ok(None),
            Branched::Unfinished(_) => Err(Halt::Stopped),
            Branched::Only(rules) => {
                // Fewer rules leave more to reduce.
                let rest = problem.restricted(&rules);
                let back = |part: Vec<usize>| part.iter().map(|&rule| rules[rule]).collect();
                let tell = &mut |finding| {
                    tell(match finding {
                        Finding::Cover(part) => Finding::Cover(back(part)),
                        Finding::Bound(value) => Finding::Bound(value.min(cutoff)),
                    });
                };
                let examples: Vec<usize> = (0..rest.examples).collect();
                let scribe = &scribe.within(&rules, &examples, 0);
                Ok(solve_below(&rest, cutoff, None, self, on, scribe, tell)?.map(back))
            }
        }
    }
}

/// Looks for a cover that costs less than `cutoff`, solving at most so many LPs.
pub(super) fn branch(
    problem: &CoverProblem,
    start: Option<&[usize]>,
    cutoff: u64,
    most_solves: u64,
    on: (&Stop, &Workers),
    scribe: &Scribe,
    tell: &mut dyn FnMut(Finding),
) -> Result<Branched, Halt> {
    // More than any cover without redundant rules costs.
    let cutoff = cutoff.min(problem.costs.iter().sum::<u64>() + 1);
    let examples_of = problem.coverages.iter().map(|c| c.ones().map(|e| e as u32).collect());
    let examples_of: Vec<Vec<u32>> = examples_of.collect();
    let mut rules_of = vec![Vec::new(); problem.examples];
    for (rule, examples) in examples_of.iter().enumerate() {
        examples.iter().for_each(|&example| rules_of[example as usize].push(rule as u32));
    }
    let mut tree = Tree { problem, cutoff: cutoff as i64, best: None, tell, nodes: 0, solves: 0 };
    let start = start.unwrap_or_default();
    let place = Place { problem, examples_of: &examples_of, rules_of: &rules_of, stop: on.0, scribe };
    let mut desks = vec![Desk::new(place, tree.cutoff, start, Vec::new())?];
    tree.explore(&mut desks, most_solves, on.1)
}

/// A part of the problem.
#[derive(Clone)]
struct Node {
    /// No cover in here costs less, scaled.
    bound: i64,
    /// Rules that covers in here may use.
    active: Vec<u32>,
    /// Rules that they do use.
    taken: Vec<u32>,
    /// Where its LP may start, by rule; there is none for the root.
    basis: Option<Arc<Basis>>,
    depth: usize,
    number: u64,
    /// Its name in the proof.
    case: usize,
}

/// Nodes still to divide.
#[derive(Default)]
struct Open {
    nodes: HashMap<u64, Node>,
    /// By bound, in whole units of cost, then the deepest first.
    lowest: BTreeSet<(i64, Reverse<usize>, u64)>,
    /// By depth, then the lowest bound first.
    deepest: BTreeSet<(Reverse<usize>, i64, u64)>,
}

impl Open {
    fn push(&mut self, node: Node) {
        self.lowest.insert((units(node.bound), Reverse(node.depth), node.number));
        self.deepest.insert((Reverse(node.depth), node.bound, node.number));
        self.nodes.insert(node.number, node);
    }

    /// No cover in any of them costs less.
    fn bound(&self) -> Option<i64> {
        self.lowest.first().map(|(bound, ..)| *bound)
    }

    /// Takes out some nodes: half of them raise the bound, the other half go for better covers.
    fn batch(&mut self) -> Vec<Node> {
        let mut batch = Vec::new();
        while batch.len() < DESKS {
            let number = match batch.len() % 2 {
                0 => self.lowest.first().map(|&(.., number)| number),
                _ => self.deepest.first().map(|&(.., number)| number),
            };
            let Some(node) = number.and_then(|number| self.nodes.remove(&number)) else { break };
            self.lowest.remove(&(units(node.bound), Reverse(node.depth), node.number));
            self.deepest.remove(&(Reverse(node.depth), node.bound, node.number));
            batch.push(node);
        }
        batch
    }

    /// Drops what a better cover has closed.
    fn close(&mut self, cutoff: i64) {
        while self.lowest.last().is_some_and(|(bound, ..)| *bound >= cutoff) {
            let Some((.., number)) = self.lowest.pop_last() else { break };
            if let Some(node) = self.nodes.remove(&number) {
                self.deepest.remove(&(Reverse(node.depth), node.bound, node.number));
            }
        }
    }
}

/// What the LP lets a rule be.
#[derive(Clone, Copy, PartialEq)]
enum Bounds {
    Free,
    Out,
    In,
}

struct Tree<'p> {
    problem: &'p CoverProblem,
    cutoff: i64,
    best: Option<Vec<usize>>,
    tell: &'p mut dyn FnMut(Finding),
    nodes: u64,
    solves: u64,
}

impl Tree<'_> {
    /// Takes some nodes at a time and puts their children back.
    fn explore(
        &mut self,
        desks: &mut Vec<Desk>,
        most_solves: u64,
        workers: &Workers,
    ) -> Result<Branched, Halt> {
        let active = (0..self.problem.costs.len() as u32).collect();
        let taken = Vec::new();
        let mut root = Node { bound: 0, active, taken, basis: None, depth: 0, number: 0, case: ROOT };
        if let Some(rules) = self.few_left(&mut desks[0], &mut root, most_solves == u64::MAX)? {
            return Ok(Branched::Only(rules));
        }
        let mut open = Open::default();
        open.push(root);
        while let Some(bound) = open.bound() {
            if self.solves > most_solves {
                return Ok(Branched::Unfinished(self.best.take()));
            }
            (self.tell)(Finding::Bound(bound.max(0) as u64));
            let batch = open.batch();
            while desks.len() < batch.len() {
                let another = desks[0].another(self.cutoff, desks[0].cuts.clone())?;
                desks.push(another);
            }
            let tasks: Vec<(&mut Desk, Node)> = desks.iter_mut().zip(batch).collect();
            let cutoff = self.cutoff;
            let divided = workers.map(tasks, |(desk, node)| {
                desk.cutoff = cutoff;
                desk.divide(node)
            });
            let mut children = Vec::new();
            for divided in divided {
                children.extend(divided?);
            }
            for desk in desks.iter_mut() {
                self.solves += std::mem::take(&mut desk.solves);
                if let Some(cover) = desk.best.take()
                    && (self.problem.cost(&cover) as i64) < self.cutoff
                {
                    self.cutoff = self.problem.cost(&cover) as i64;
                    (self.tell)(Finding::Cover(cover.clone()));
                    self.best = Some(cover);
                }
            }
            for mut child in children {
                self.nodes += 1;
                child.number = self.nodes;
                open.push(child);
            }
            open.close(self.cutoff);
        }
        log::debug!(
            "cover: {} nodes, {} LPs, {} columns",
            self.nodes,
            self.solves,
            desks[0].working.len()
        );
        (self.tell)(Finding::Bound(self.cutoff as u64));
        Ok(self.best.take().map_or(Branched::NoneBelow, Branched::Cover))
    }

    /// The rules that are left at the root, if it pays to start again with only these. A search to the end
    /// begins with cuts.
    fn few_left(
        &mut self,
        desk: &mut Desk,
        root: &mut Node,
        to_the_end: bool,
    ) -> Result<Option<Vec<usize>>, Halt> {
        desk.enter(root)?;
        let rounds = if to_the_end { ROUNDS } else { 0 };
        if !desk.strengthen(root, rounds)? {
            return Ok(None);
        }
        log::debug!(
            "cover: relaxation {:.3} of {} with {} cuts, {} rules of {} left",
            root.bound as f64 / SCALE as f64,
            self.cutoff,
            desk.cuts.len(),
            root.active.len(),
            self.problem.costs.len()
        );
        let few = (root.active.len() as f64) < SHRUNK * self.problem.costs.len() as f64;
        let left = root.active.iter().map(|&rule| rule as usize);
        Ok((few && !root.active.is_empty()).then(|| left.collect()))
    }
}

/// Where a node is worked on: an LP, and what is found there.
struct Desk<'p> {
    place: Place<'p>,
    cutoff: i64,
    best: Option<Vec<usize>>,
    /// Its first column is no rule: it covers everything, for more than any cover may cost, so
    /// that there always is a solution.
    lp: CoverLp,
    /// A basis from which several nodes start, and where it is.
    home: Option<(Arc<Basis>, Corner)>,
    /// Rules that the LP knows, and where.
    working: Vec<u32>,
    at: Vec<Option<u32>>,
    bounds: Vec<Bounds>,
    /// The LP's last rows, and of each rule, how often it counts in which.
    cuts: Vec<Cut>,
    counts: Vec<Vec<(u32, u32)>>,
    solves: u64,
}

/// What all desks share.
#[derive(Clone, Copy)]
struct Place<'p> {
    problem: &'p CoverProblem,
    examples_of: &'p [Vec<u32>],
    rules_of: &'p [Vec<u32>],
    stop: &'p Stop,
    scribe: &'p Scribe<'p>,
}

impl<'p> std::ops::Deref for Desk<'p> {
    type Target = Place<'p>;

    fn deref(&self) -> &Place<'p> {
        &self.place
    }
}

impl<'p> Desk<'p> {
    /// With an LP of these rules and cuts.
    fn new(place: Place<'p>, cutoff: i64, rules: &[usize], cuts: Vec<Cut>) -> Result<Desk<'p>, Halt> {
        let problem = place.problem;
        let counts = problem.coverages.iter().map(|coverage| {
            let counts = cuts.iter().map(|cut| cut.count(coverage)).zip(0..);
            counts.filter(|(count, _)| *count > 0).map(|(count, cut)| (cut, count)).collect()
        });
        let counts = counts.collect();
        let mut desk = Desk {
            place,
            cutoff,
            best: None,
            lp: CoverLp::one_of_many(problem.examples, problem.examples + cuts.len() + 1),
            home: None,
            working: Vec::new(),
            at: vec![None; problem.costs.len()],
            bounds: Vec::new(),
            cuts,
            counts,
            solves: 0,
        };
        if let Some(most) = problem.max_rules {
            desk.lp.add_row(-(most as f64), std::iter::empty())?;
        }
        for cut in &desk.cuts {
            desk.lp.add_row(f64::from(cut.least()), std::iter::empty())?;
        }
        let examples = (0..problem.examples).map(|example| (example, 1.0));
        let cuts = (desk.first_cut()..).zip(desk.cuts.iter().map(|cut| f64::from(cut.least())));
        desk.lp.add_rule((cutoff + 1) as f64, examples.chain(cuts))?;
        for &rule in rules {
            desk.work_with(rule)?;
        }
        Ok(desk)
    }

    /// Another desk that knows the same rules, with these cuts.
    fn another(&self, cutoff: i64, cuts: Vec<Cut>) -> Result<Desk<'p>, Halt> {
        let known: Vec<usize> = self.working.iter().map(|&rule| rule as usize).collect();
        Desk::new(self.place, cutoff, &known, cuts)
    }

    /// The LP's row of the first cut.
    fn first_cut(&self) -> usize {
        self.problem.examples + usize::from(self.problem.max_rules.is_some())
    }

    /// Relaxes the root, and again with cuts that the solution violates, if covers have many rules. Whether a
    /// better cover may be in it.
    fn strengthen(&mut self, root: &mut Node, rounds: usize) -> Result<bool, Halt> {
        for round in 0.. {
            let Some((fractional, _, prices)) = self.relax(root)? else { return Ok(false) };
            if round == rounds || fractional.shares.iter().sum::<f64>() < MANY {
                break;
            }
            let shares = self.working.iter().zip(&fractional.shares[1..]);
            let shares = shares.map(|(&rule, &share)| (&self.problem.coverages[rule as usize], share));
            let found = cuts::violated(self.problem.examples, shares, CUTS);
            if found.is_empty() {
                break;
            }
            self.exchange_cuts(&prices, found)?;
            root.basis = self.basis()?;
            self.enter(root)?;
        }
        Ok(true)
    }

    /// Drops cuts without a price, and takes new ones.
    fn exchange_cuts(&mut self, prices: &Prices, new: Vec<Cut>) -> Result<(), Halt> {
        let mut basis = self.lp.basis()?;
        let first = self.first_cut();
        let kept: Vec<usize> = (0..self.cuts.len()).filter(|&cut| prices.cuts[cut] > 0).collect();
        let rows = (0..first).chain(kept.iter().map(|cut| first + cut));
        let mut basic: Vec<usize> =
            rows.zip(0..).filter(|(row, _)| basis.rows.contains(row)).map(|(_, place)| place).collect();
        let mut cuts: Vec<Cut> = kept.iter().map(|&cut| self.cuts[cut].clone()).collect();
        let new = new.into_iter().filter(|cut| !self.cuts.contains(cut));
        cuts.extend(new);
        // New rows are violated; they begin as basic.
        basic.extend(first + kept.len()..first + cuts.len());
        basis.rows = basic;
        let solves = self.solves;
        let best = self.best.take();
        *self = Desk { solves, best, ..self.another(self.cutoff, cuts)? };
        self.lp.start_from(&basis)
    }

    /// The children of a node; none, if no better cover is in it.
    fn divide(&mut self, mut node: Node) -> Result<Vec<Node>, Halt> {
        loop {
            self.enter(&node)?;
            let relaxed = self.relax(&mut node)?;
            let Some((fractional, worths, prices)) = relaxed else { return Ok(Vec::new()) };
            self.home = node.basis.clone().zip(self.lp.corner());
            self.round(&fractional);
            if units(node.bound) >= self.cutoff {
                return Ok(Vec::new());
            }
            let Some((example, mut choices)) = self.fewest_choices(&node, &worths) else {
                // Everything is covered by the rules taken.
                return Ok(Vec::new());
            };
            // The most promising first: the others can do without it.
            choices.sort_unstable_by_key(|&(worth, rule)| (Reverse(worth), rule));
            let mut children: Vec<Node> = Vec::new();
            for &(_, rule) in &choices {
                let mut child = node.clone();
                child.depth += 1;
                child.taken.push(rule);
                child.case = self.scribe.attempt(node.case, rule as usize);
                child.bound = child.bound.max(self.ascend(&prices, &child));
                if units(child.bound) < self.cutoff {
                    self.enter(&child)?;
                    self.estimate(&mut child)?;
                }
                // Its covers are all in this child, or there are none.
                node.active.retain(|&other| other != rule);
                if units(child.bound) < self.cutoff {
                    children.push(child);
                }
            }
            self.scribe.stuck(node.case, example);
            match children.len() {
                1 => node = children.remove(0),
                _ => return Ok(children),
            }
        }
    }

    /// Of an example that the rules taken do not cover, the rules that can; of the example with
    /// the fewest, where those count most that are worth their cost. Nothing, if all are covered.
    fn fewest_choices(&self, node: &Node, worths: &[i64]) -> Option<(usize, Vec<(i64, u32)>)> {
        let room = ((self.cutoff - 1) * SCALE - node.bound).max(1) as f64;
        let mut weight = vec![0.0; self.problem.examples];
        for (&rule, &worth) in node.active.iter().zip(worths) {
            let likely = (1.0 + worth as f64 / room).clamp(0.0, 1.0);
            for &example in &self.examples_of[rule as usize] {
                weight[example as usize] += likely * likely + 0.05;
            }
        }
        let covered = self.covered(&node.taken);
        let open = (0..self.problem.examples).filter(|&example| !covered.contains(example));
        let example = open.min_by(|&a, &b| weight[a].total_cmp(&weight[b]).then(a.cmp(&b)))?;
        let covers = |rule: u32| self.problem.coverages[rule as usize].contains(example);
        let choices = worths.iter().copied().zip(node.active.iter().copied());
        Some((example, choices.filter(|&(_, rule)| covers(rule)).collect()))
    }

    fn covered(&self, taken: &[u32]) -> Coverage {
        let mut covered = Coverage::with_capacity(self.problem.examples);
        taken.iter().for_each(|&rule| covered.union_with(&self.problem.coverages[rule as usize]));
        covered
    }

    /// Makes the LP that of a node.
    fn enter(&mut self, node: &Node) -> Result<(), Halt> {
        if self.stop.requested() {
            return Err(Halt::Stopped);
        }
        let home = self.home.as_ref().map(|(basis, _)| Arc::as_ptr(basis));
        let at_home = home.is_some() && home == node.basis.as_ref().map(Arc::as_ptr);
        let elsewhere = node.basis.as_ref().filter(|_| !at_home);
        let basis = elsewhere.map(|basis| self.here(basis)).transpose()?;
        let mut wanted = vec![Bounds::Out; self.working.len()];
        for &rule in &node.active {
            if let Some(place) = self.at[rule as usize] {
                wanted[place as usize] = Bounds::Free;
            }
        }
        for &rule in &node.taken {
            let place = self.work_with(rule as usize)?;
            wanted.resize(self.working.len(), Bounds::Free);
            wanted[place] = Bounds::In;
        }
        for (place, wanted) in wanted.into_iter().enumerate() {
            if self.bounds[place] != wanted {
                let (least, most) = match wanted {
                    Bounds::Free => (0.0, f64::INFINITY),
                    Bounds::Out => (0.0, 0.0),
                    Bounds::In => (1.0, 1.0),
                };
                self.lp.bound(place + 1, least, most)?;
                self.bounds[place] = wanted;
            }
        }
        match (&self.home, basis) {
            (_, Some(basis)) => {
                self.home = None;
                self.lp.start_from(&basis)?;
            }
            (Some((_, corner)), None) if at_home => self.lp.go_to(corner),
            _ => {}
        }
        Ok(())
    }

    /// Makes sure that the LP knows a rule; its place there.
    fn work_with(&mut self, rule: usize) -> Result<usize, Halt> {
        if let Some(place) = self.at[rule] {
            return Ok(place as usize);
        }
        let examples = self.examples_of[rule].iter().map(|&example| (example as usize, 1.0));
        let limit = self.problem.max_rules.map(|_| (self.problem.examples, -1.0));
        let first_cut = self.first_cut();
        let cuts = self.counts[rule].iter();
        let cuts = cuts.map(|&(cut, count)| (first_cut + cut as usize, f64::from(count)));
        let cost = self.problem.costs[rule] as f64;
        self.lp.add_rule(cost, examples.chain(limit).chain(cuts))?;
        let place = self.working.len();
        self.at[rule] = Some(place as u32);
        self.working.push(rule as u32);
        self.bounds.push(Bounds::Free);
        Ok(place)
    }

    /// Solves the relaxation of a node over all its rules, raises its bound and drops rules.
    /// Nothing, if there is no better cover in it.
    fn relax(&mut self, node: &mut Node) -> Result<Option<(Fractional, Vec<i64>, Prices)>, Halt> {
        loop {
            if self.stop.requested() {
                return Err(Halt::Stopped);
            }
            let mut fractional = self.solve()?;
            let mut prices = self.prices(&fractional, &node.taken);
            let mut worths = Vec::with_capacity(node.active.len());
            let mut bound = self.bound(&prices, node, &mut worths);
            self.note(node.case, &prices, bound, false);
            node.bound = node.bound.max(bound);
            if units(node.bound) >= self.cutoff {
                return Ok(None);
            }
            if !fractional.complete {
                // Rules that the LP does not know yet keep the bound down.
                self.lp.enough_at(f64::INFINITY)?;
                fractional = self.lp.solve()?;
                prices = self.prices(&fractional, &node.taken);
                worths.clear();
                bound = self.bound(&prices, node, &mut worths);
                self.note(node.case, &prices, bound, false);
                node.bound = node.bound.max(bound);
            }
            // A cover with this rule costs the bound and what the rule is not worth, at least.
            let most = (self.cutoff - 1) * SCALE;
            let mut kept = Vec::with_capacity(node.active.len());
            let mut kept_worths = Vec::with_capacity(node.active.len());
            let mut missing: Vec<(i64, u32)> = Vec::new();
            for (&rule, &worth) in node.active.iter().zip(&worths) {
                if worth >= 0 || bound - worth <= most || node.taken.contains(&rule) {
                    kept.push(rule);
                    kept_worths.push(worth);
                    if worth > 0 && self.at[rule as usize].is_none() {
                        missing.push((worth, rule));
                    }
                }
            }
            if kept.len() < node.active.len() {
                self.note(node.case, &prices, bound, true);
            }
            node.active = kept;
            if missing.is_empty() {
                node.basis = self.basis()?;
                return Ok(Some((fractional, kept_worths, prices)));
            }
            missing.sort_unstable_by_key(|&(worth, rule)| (Reverse(worth), rule));
            for &(_, rule) in missing.iter().take(COLUMNS) {
                self.work_with(rule as usize)?;
            }
        }
    }

    /// A bound for a node from the rules that the LP knows already.
    fn estimate(&mut self, node: &mut Node) -> Result<(), Halt> {
        let fractional = self.solve()?;
        let prices = self.prices(&fractional, &node.taken);
        let bound = self.bound(&prices, node, &mut Vec::new());
        self.note(node.case, &prices, bound, false);
        node.bound = node.bound.max(bound);
        if units(node.bound) < self.cutoff {
            node.basis = self.basis()?;
        }
        Ok(())
    }

    /// A bound for a node from prices for another: examples that the taken rules cover are free,
    /// which lets other prices rise until some rule is worth its cost, those of the examples with
    /// the fewest rules first (dual ascent).
    fn ascend(&self, prices: &Prices, node: &Node) -> i64 {
        let mut prices = prices.clone();
        let covered = self.covered(&node.taken);
        self.make_free(&mut prices, &node.taken, &covered);
        let mut worths = Vec::with_capacity(node.active.len());
        let mut bound = self.bound(&prices, node, &mut worths);
        // What each rule is short of its cost; those that are not active may be worth anything.
        let mut short = vec![NEVER; self.problem.costs.len()];
        let mut choices = vec![0; self.problem.examples];
        for (&rule, &worth) in node.active.iter().zip(&worths) {
            short[rule as usize] = (-worth).max(0);
            for &example in &self.examples_of[rule as usize] {
                choices[example as usize] += 1;
            }
        }
        let mut open: Vec<usize> = (0..choices.len()).filter(|&e| !covered.contains(e)).collect();
        open.sort_unstable_by_key(|&example| (choices[example], example));
        for example in open {
            let rules = &self.rules_of[example];
            let rise = rules.iter().map(|&rule| short[rule as usize]).min().unwrap_or(NEVER);
            if rise == NEVER {
                // Nothing covers it, and so there is no cover.
                self.scribe.stuck(node.case, example);
                return NEVER;
            }
            if rise > 0 {
                bound += rise;
                prices.examples[example] += rise;
                for &rule in rules {
                    // An inactive rule stays out of reach.
                    short[rule as usize] -= if short[rule as usize] < NEVER { rise } else { 0 };
                }
            }
        }
        self.note(node.case, &prices, bound, false);
        bound
    }

    /// Notes down what prices prove.
    fn note(&self, case: usize, prices: &Prices, bound: i64, rules_went: bool) {
        let priced = prices.examples.iter().enumerate().filter(|(_, price)| **price > 0);
        let priced = priced.map(|(example, &price)| (example, price as u64));
        let cuts = self.cuts.iter().zip(&prices.cuts).filter(|(_, price)| **price > 0);
        let cuts = cuts.map(|(cut, &price)| (cut.examples.ones().collect(), price as u64));
        self.scribe.priced(case, (priced, cuts, prices.limit), (bound, SCALE), self.cutoff, rules_went);
    }

    /// The LP's basis, by rule, whatever this desk's LP calls them.
    fn basis(&mut self) -> Result<Option<Arc<Basis>>, Halt> {
        let mut basis = self.lp.basis()?;
        for column in &mut basis.rules {
            *column = column.checked_sub(1).map_or(NO_RULE, |place| self.working[place] as usize);
        }
        Ok(Some(Arc::new(basis)))
    }

    /// A basis as this desk's LP calls it.
    fn here(&mut self, basis: &Basis) -> Result<Basis, Halt> {
        let mut here = basis.clone();
        for rule in &mut here.rules {
            *rule = match *rule {
                NO_RULE => 0,
                rule => 1 + self.work_with(rule)?,
            };
        }
        Ok(here)
    }

    /// Solves the LP, or until it costs so much that the node is closed.
    fn solve(&mut self) -> Result<Fractional, Halt> {
        self.solves += 1;
        self.lp.enough_at((self.cutoff - 1) as f64 + CLOSED)?;
        self.lp.solve()
    }

    /// Prices in integers; examples that the taken rules cover are free.
    ///
    /// The bound holds at any prices, as long as their sums fit: none counts for more than a cover may
    /// cost.
    fn prices(&self, fractional: &Fractional, taken: &[u32]) -> Prices {
        let examples = self.problem.examples;
        let most = (self.cutoff + 1) as f64;
        let down = |price: f64| (price.clamp(0.0, most) * (1.0 - SLACK) * SCALE as f64).floor() as i64;
        let limit = self.problem.max_rules.map_or(0.0, |_| fractional.prices[examples].clamp(0.0, most));
        let mut prices = Prices {
            examples: fractional.prices[..examples].iter().map(|&price| down(price)).collect(),
            limit: (limit * SCALE as f64).ceil() as i64,
            cuts: fractional.prices[self.first_cut()..].iter().map(|&price| down(price)).collect(),
        };
        self.make_free(&mut prices, taken, &self.covered(taken));
        prices
    }

    /// Examples that the taken rules cover have no price, nor have cuts that they satisfy.
    fn make_free(&self, prices: &mut Prices, taken: &[u32], covered: &Coverage) {
        covered.ones().for_each(|example| prices.examples[example] = 0);
        let mut counted = vec![0; self.cuts.len()];
        for (cut, count) in taken.iter().flat_map(|&rule| &self.counts[rule as usize]) {
            counted[*cut as usize] += count;
        }
        for ((price, cut), counted) in prices.cuts.iter_mut().zip(&self.cuts).zip(counted) {
            if counted >= cut.least() {
                *price = 0;
            }
        }
    }

    /// What every cover in a node costs at least, whatever the prices are, scaled; and what each
    /// active rule is worth beyond its cost.
    fn bound(&self, prices: &Prices, node: &Node, worths: &mut Vec<i64>) -> i64 {
        // Prices that make no sense still add up.
        let mut bound: i128 = prices.examples.iter().map(|&price| i128::from(price)).sum();
        bound -= i128::from(prices.limit) * self.problem.max_rules.unwrap_or(0) as i128;
        let cuts = self.cuts.iter().zip(&prices.cuts);
        bound += cuts.map(|(cut, &price)| i128::from(cut.least()) * i128::from(price)).sum::<i128>();
        let worth = |rule: u32| {
            let examples = self.examples_of[rule as usize].iter();
            let value: i64 = examples.map(|&example| prices.examples[example as usize]).sum();
            let counts = self.counts[rule as usize].iter();
            let value = value
                + counts.map(|&(cut, count)| i64::from(count) * prices.cuts[cut as usize]).sum::<i64>();
            value - prices.limit - self.problem.costs[rule as usize] as i64 * SCALE
        };
        for &rule in &node.active {
            let worth = worth(rule);
            worths.push(worth);
            bound -= i128::from(worth.max(0));
        }
        // A taken rule that is not worth its cost is paid for all the same.
        for &rule in &node.taken {
            bound += i128::from((-worth(rule)).max(0));
        }
        bound.clamp(-i128::from(NEVER), i128::from(NEVER)) as i64
    }

    /// Rounds the fractional cover: whole rules first, then by share, as long as they cover
    /// something new, and none that the others make redundant. Kept if better than the best.
    fn round(&mut self, fractional: &Fractional) {
        let shares = self.working.iter().copied().zip(fractional.shares[1..].iter().copied());
        let mut order: Vec<(u32, f64)> = shares.filter(|(_, share)| *share > 1e-6).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut covered = Coverage::with_capacity(self.problem.examples);
        let mut cover: Vec<usize> = Vec::new();
        for (rule, _) in order {
            let coverage = &self.problem.coverages[rule as usize];
            if !coverage.is_subset(&covered) {
                covered.union_with(coverage);
                cover.push(rule as usize);
            }
        }
        let cover = greedy::without_redundant(self.problem, cover);
        let cost = self.problem.cost(&cover) as i64;
        if cost < self.cutoff && self.problem.is_cover(&cover) {
            self.cutoff = cost;
            self.best = Some(cover);
        }
    }
}

/// Prices of the rows in integers.
#[derive(Clone)]
struct Prices {
    examples: Vec<i64>,
    /// What one more rule costs where their number is limited.
    limit: i64,
    cuts: Vec<i64>,
}

/// The whole units of cost that a scaled bound proves.
fn units(bound: i64) -> i64 {
    (bound + SCALE - 1).div_euclid(SCALE)
}
