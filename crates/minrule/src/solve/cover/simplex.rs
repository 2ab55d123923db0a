//! The linear relaxation of a small cover, solved by a dual simplex method that has the inverse of its basis at hand.
//!
//! Branch and bound solves tens of thousands of LPs of some hundred rows, each of which differs from the last one
//! by little. Here the inverse of the basis is a plain table of numbers. A pivot changes its rows in one go, it is kept from
//! a node for all of the node's children, and its rows say what the steepest edge is (Forrest and Goldfarb 1992).
//!
//! No cover needs a rule more than once. So each rule's share has a most, one, and whatever the prices are, they suit some
//! shares: all of those rules that are worth more than they cost, and none of the others. From there the dual method makes the
//! shares feasible, and what is spent meanwhile is a bound.
//!
//! Costs are lowered by about a millionth, each by another part of itself: covers have many equal costs, and where much is
//! equal a simplex method walks in circles. Nobody believes the numbers that come out, so a method that goes
//! wrong costs a proof at worst; but it begins anew first, with no rule in the basis.

use minrule_native::kernels::{WIDTH, product, subtract_multiple, sum_of};

use super::lp::Basis;

/// What counts as zero: of an amount, of a price, and of a number that is divided by.
const FEASIBLE: f64 = 1e-7;
const WORTHLESS: f64 = 1e-9;
const PIVOT: f64 = 1e-7;
/// What is left of a zero after many pivots.
const NOTHING: f64 = 1e-13;
/// Costs are lowered by this part of themselves, at most.
const LOWERED: f64 = 1e-6;
/// Pivots after which the inverse is made anew.
const PIVOTS: usize = 300;
/// Pivots of a solve, at most, for each row.
const PIVOTS_A_ROW: usize = 20;
/// Stands for the place of what is not basic.
const NOWHERE: u32 = u32::MAX;

/// An LP: rules of some cost, of which each row needs so many.
///
/// Its variables are the surpluses, one for each row (what there is beyond what the row needs), and then the rules.
pub(crate) struct Simplex {
    /// What each row needs at least.
    least: Vec<f64>,
    /// The rows in which each rule counts once, one rule after another, and where each one's begin.
    once: Vec<u16>,
    starts: Vec<usize>,
    /// Those in which it counts several times, or against the row.
    often: Vec<Vec<(u16, f64)>>,
    /// The other way round: of each row, the variables that count once, and those that count otherwise.
    once_of: Vec<Vec<u32>>,
    often_of: Vec<Vec<(u32, f64)>>,
    /// Of each variable: what it costs when costs are lowered, and the least and most there may be of it.
    lowered: Vec<f64>,
    bounds: Vec<(f64, f64)>,
    /// A solve may end when more than this is spent.
    enough: f64,
    corner: Corner,
    /// The place of each variable in the basis.
    place_of: Vec<u32>,
    /// Whether there is the most of a variable that is not basic, instead of the least.
    at_most: Vec<bool>,
    /// Which way a variable that is not basic may go: one if there can be less of it, minus one if there can be more.
    ways: Vec<f64>,
    /// How much there is of what is basic, and the bounds of that.
    amounts: Vec<f64>,
    bounds_at: Vec<(f64, f64)>,
    /// What each row is worth.
    prices: Vec<f64>,
    /// What each variable costs beyond what it is worth.
    dearness: Vec<f64>,
    /// What is spent on all of it.
    spent: f64,
    /// How much each variable counts in the row of the inverse that is about to change.
    across: Vec<f64>,
}

/// Where a solve ended: a basis and its inverse.
#[derive(Clone, Default)]
pub(crate) struct Corner {
    /// The variables in it.
    basic: Vec<u32>,
    /// Row by row, each a multiple of [`WIDTH`] long.
    inverse: Vec<f64>,
    /// The squared length of each row.
    lengths: Vec<f64>,
    /// Since it was made anew.
    pivots: usize,
}

/// How much a variable counts in each row.
#[derive(Clone, Copy)]
struct Column<'s> {
    surplus_of: Option<usize>,
    once: &'s [u16],
    often: &'s [(u16, f64)],
}

impl Column<'_> {
    /// The sum of a row's values where the variable counts.
    fn times(self, row: &[f64]) -> f64 {
        if let Some(surplus) = self.surplus_of {
            return -row[surplus];
        }
        sum_of(row, self.once)
            + self.often.iter().map(|&(at, times)| row[at as usize] * times).sum::<f64>()
    }

    /// Takes so much of the variable off what rows need.
    fn take(self, amount: f64, needed: &mut [f64]) {
        if let Some(surplus) = self.surplus_of {
            needed[surplus] += amount;
        }
        self.once.iter().for_each(|&at| needed[at as usize] -= amount);
        self.often.iter().for_each(|&(at, times)| needed[at as usize] -= amount * times);
    }
}

/// How a solve ended.
#[derive(PartialEq)]
enum End {
    Optimal,
    Enough,
    Nowhere,
}

/// Where a solve ended.
pub(crate) struct Optimum<'s> {
    simplex: &'s Simplex,
    /// Whether that is the optimum, or as much was spent as was asked for.
    pub(crate) complete: bool,
}

impl Optimum<'_> {
    /// How much there is of a rule.
    pub(crate) fn share(&self, rule: usize) -> f64 {
        self.simplex.amount(self.simplex.rows() + rule)
    }

    /// What each row is worth.
    pub(crate) fn prices(&self) -> &[f64] {
        &self.simplex.prices
    }
}

impl Corner {
    /// With all surpluses in the basis.
    fn of_surpluses(rows: usize) -> Corner {
        let stride = rows.next_multiple_of(WIDTH);
        let mut inverse = vec![0.0; rows * stride];
        (0..rows).for_each(|row| inverse[row * stride + row] = -1.0);
        Corner { basic: (0..rows as u32).collect(), inverse, lengths: vec![1.0; rows], pivots: 0 }
    }

    fn stride(&self) -> usize {
        self.basic.len().next_multiple_of(WIDTH)
    }

    fn row(&self, place: usize) -> &[f64] {
        &self.inverse[place * self.stride()..][..self.stride()]
    }

    /// A column in terms of the basis.
    fn in_basis(&self, column: Column) -> Vec<f64> {
        self.inverse.chunks_exact(self.stride().max(1)).map(|row| column.times(row)).collect()
    }

    /// Puts a variable at a place; `column` is the variable in terms of the basis.
    fn pivot(&mut self, place: usize, variable: u32, column: &[f64]) {
        let stride = self.stride();
        let mut own = self.row(place).to_vec();
        own.iter_mut().for_each(|value| *value /= column[place]);
        let rows = self.inverse.chunks_exact_mut(stride).zip(&mut self.lengths).zip(column);
        for ((row, length), &times) in rows {
            if times != 0.0 {
                *length = subtract_multiple(row, times, &own);
            }
        }
        self.inverse[place * stride..][..stride].copy_from_slice(&own);
        self.lengths[place] = product(&own, &own);
        self.basic[place] = variable;
        self.pivots += 1;
    }
}

impl Simplex {
    /// No rule yet, and rows that need at least this.
    pub(crate) fn new(least: impl Iterator<Item = f64>) -> Simplex {
        let mut simplex = Simplex {
            least: Vec::new(),
            once: Vec::new(),
            starts: vec![0],
            often: Vec::new(),
            once_of: Vec::new(),
            often_of: Vec::new(),
            lowered: Vec::new(),
            bounds: Vec::new(),
            enough: f64::INFINITY,
            corner: Corner::default(),
            place_of: Vec::new(),
            at_most: Vec::new(),
            ways: Vec::new(),
            amounts: Vec::new(),
            bounds_at: Vec::new(),
            prices: Vec::new(),
            dearness: Vec::new(),
            spent: 0.0,
            across: Vec::new(),
        };
        least.for_each(|least| simplex.add_row(least));
        simplex
    }

    /// Adds a row for rules that are still to come.
    pub(crate) fn add_row(&mut self, least: f64) {
        debug_assert!(self.often.is_empty(), "rows come before rules");
        self.least.push(least);
        self.once_of.push(Vec::new());
        self.often_of.push(Vec::new());
        // More than there can be: no optimum has so much, and therefore none has a price below zero.
        self.add_variable(0.0, (0.0, 1.0 - least));
    }

    pub(crate) fn add_rule(&mut self, cost: f64, entries: impl Iterator<Item = (usize, f64)>) {
        let variable = self.bounds.len() as u32;
        let mut often = Vec::new();
        for (row, times) in entries {
            if times == 1.0 {
                self.once.push(row as u16);
                self.once_of[row].push(variable);
            } else {
                often.push((row as u16, times));
                self.often_of[row].push((variable, times));
            }
            self.bounds[row].1 += times.max(0.0);
        }
        self.often.push(often);
        self.starts.push(self.once.len());
        // Golden sections: neighbours differ, and all runs are alike.
        let part = 0.5 + 0.5 * (self.often.len() as f64 * 0.618_033_988_749_895).fract();
        self.add_variable(cost - LOWERED * part * cost.abs(), (0.0, 1.0));
    }

    fn add_variable(&mut self, lowered: f64, bounds: (f64, f64)) {
        self.lowered.push(lowered);
        self.bounds.push(bounds);
        self.place_of.push(NOWHERE);
        self.at_most.push(false);
    }

    fn rows(&self) -> usize {
        self.least.len()
    }

    fn column(&self, variable: usize) -> Column<'_> {
        match variable.checked_sub(self.rows()) {
            None => Column { surplus_of: Some(variable), once: &[], often: &[] },
            Some(rule) => {
                let once = &self.once[self.starts[rule]..self.starts[rule + 1]];
                Column { surplus_of: None, once, often: &self.often[rule] }
            }
        }
    }

    /// Which way a variable may go that is not basic.
    fn way(&self, variable: usize) -> f64 {
        match self.bounds[variable] {
            (least, most) if least >= most => 0.0,
            _ if self.at_most[variable] => 1.0,
            _ => -1.0,
        }
    }

    /// How much there is of what is not basic.
    fn resting(&self, variable: usize) -> f64 {
        let (least, most) = self.bounds[variable];
        if self.at_most[variable] { most } else { least }
    }

    pub(crate) fn bound(&mut self, rule: usize, least: f64, most: f64) {
        let variable = self.rows() + rule;
        self.bounds[variable] = (least, most.min(1.0));
    }

    pub(crate) fn enough_at(&mut self, cost: f64) {
        self.enough = cost;
    }

    /// The basis of the last solve.
    pub(crate) fn basis(&self) -> Basis {
        let (rows, rules) = self.corner.basic.iter().partition(|&&v| (v as usize) < self.rows());
        let rules: Vec<u32> = rules;
        let rows: Vec<u32> = rows;
        Basis {
            rules: rules.into_iter().map(|v| v as usize - self.rows()).collect(),
            rows: rows.into_iter().map(|v| v as usize).collect(),
        }
    }

    /// Starts the next solve from a basis; if it is none, from one that is like it.
    pub(crate) fn start_from(&mut self, basis: &Basis) {
        let mut stays = vec![false; self.rows()];
        basis.rows.iter().for_each(|&row| stays[row] = true);
        let mut corner = Corner::of_surpluses(self.rows());
        for &rule in &basis.rules {
            let variable = self.rows() + rule;
            let column = corner.in_basis(self.column(variable));
            let size = |&place: &usize| column[place].abs();
            let may_go = |place: &usize| stays.get(corner.basic[*place] as usize) == Some(&false);
            let largest = (0..self.rows()).filter(may_go).max_by(|a, b| size(a).total_cmp(&size(b)));
            if let Some(place) = largest.filter(|place| size(place) > PIVOT) {
                corner.pivot(place, variable as u32, &column);
            }
        }
        corner.pivots = 0;
        self.go_to(corner);
    }

    /// Where the last solve ended.
    pub(crate) fn corner(&self) -> &Corner {
        &self.corner
    }

    /// Starts the next solve from where an earlier one ended.
    pub(crate) fn go_to(&mut self, corner: Corner) {
        self.corner = corner;
        self.place_of.fill(NOWHERE);
        for (place, &variable) in self.corner.basic.iter().enumerate() {
            self.place_of[variable as usize] = place as u32;
        }
    }

    /// Goes to the optimum, if it is found.
    pub(crate) fn solve(&mut self) -> Option<Optimum<'_>> {
        if self.corner.basic.len() < self.rows() {
            self.go_to(Corner::of_surpluses(self.rows()));
        }
        let mut end = self.descend();
        if end == End::Nowhere {
            self.go_to(Corner::of_surpluses(self.rows()));
            end = self.descend();
        }
        let complete = end == End::Optimal;
        (end != End::Nowhere).then_some(Optimum { simplex: self, complete })
    }

    /// How much there is of a variable.
    fn amount(&self, variable: usize) -> f64 {
        match self.place_of[variable] {
            NOWHERE => self.resting(variable),
            place => self.amounts[place as usize],
        }
    }

    /// The dual method.
    fn descend(&mut self) -> End {
        self.count();
        for _ in 0..PIVOTS_A_ROW * (self.rows() + 10) {
            if self.spent > self.enough {
                return End::Enough;
            }
            let Some((place, to)) = self.leaving() else { return End::Optimal };
            let lack = to - self.amounts[place];
            self.count_across(place);
            let Some((variable, passed)) = self.entering(lack) else { return End::Nowhere };
            self.flip(passed);
            if !self.exchange(place, to, variable) {
                return End::Nowhere;
            }
            if self.corner.pivots >= PIVOTS {
                let basis = self.basis();
                self.start_from(&basis);
                self.count();
            }
        }
        End::Nowhere
    }

    /// Counts anew what follows from the basis.
    fn count(&mut self) {
        let stride = self.corner.stride();
        let mut prices = vec![0.0; stride];
        for (place, &variable) in self.corner.basic.iter().enumerate() {
            let cost = self.lowered[variable as usize];
            if cost != 0.0 {
                subtract_multiple(&mut prices, -cost, self.corner.row(place));
            }
        }
        self.dearness.clear();
        self.dearness.extend_from_slice(&prices[..self.rows()]);
        for variable in self.rows()..self.bounds.len() {
            self.dearness.push(self.lowered[variable] - self.column(variable).times(&prices));
        }
        prices.truncate(self.rows());
        self.prices = prices;

        let mut needed = self.least.clone();
        needed.resize(stride, 0.0);
        self.ways.clear();
        self.ways.resize(self.bounds.len(), 0.0);
        for variable in 0..self.bounds.len() {
            if self.place_of[variable] != NOWHERE {
                continue;
            }
            self.at_most[variable] = self.dearness[variable] < -WORTHLESS;
            self.ways[variable] = self.way(variable);
            let amount = self.resting(variable);
            if amount != 0.0 {
                self.column(variable).take(amount, &mut needed);
            }
        }
        self.bounds_at.clear();
        self.bounds_at.extend(self.corner.basic.iter().map(|&variable| self.bounds[variable as usize]));
        self.amounts.clear();
        self.amounts.extend((0..self.rows()).map(|place| product(self.corner.row(place), &needed)));
        self.spent =
            (self.rows()..self.bounds.len()).map(|rule| self.amount(rule) * self.lowered[rule]).sum();
    }

    /// The place in the basis where there is too little or too much, along the steepest edge, and how much there should be.
    fn leaving(&self) -> Option<(usize, f64)> {
        let mut steepest = (0.0, None);
        let places = self.amounts.iter().zip(&self.bounds_at).zip(&self.corner.lengths).enumerate();
        for (place, ((&amount, &(least, most)), length)) in places {
            let lack = (least - amount).max(amount - most);
            if lack > FEASIBLE && lack * lack > steepest.0 * length {
                let to = if amount < least { least } else { most };
                steepest = (lack * lack / length, Some((place, to)));
            }
        }
        steepest.1
    }

    /// Counts how much each variable counts in a row of the inverse. Most of a row is zero: what is in the basis
    /// for surplus rows is there once.
    fn count_across(&mut self, place: usize) {
        let mut across = std::mem::take(&mut self.across);
        across.clear();
        let row = &self.corner.row(place)[..self.rows()];
        across.extend(row.iter().map(|value| -value));
        across.resize(self.bounds.len(), 0.0);
        for ((&value, once), often) in row.iter().zip(&self.once_of).zip(&self.often_of) {
            if value.abs() > NOTHING {
                once.iter().for_each(|&variable| across[variable as usize] += value);
                often.iter().for_each(|&(variable, times)| across[variable as usize] += value * times);
            }
        }
        self.across = across;
    }

    /// Who comes in where so much is lacking, or is too much, and who goes from one bound to the other before that: prices
    /// go past those whose whole range is too little. Of those whose prices are reached about then, who counts most comes in.
    fn entering(&self, lack: f64) -> Option<(usize, Vec<usize>)> {
        let mut candidates = Vec::new();
        for (variable, (&across, &way)) in self.across.iter().zip(&self.ways).enumerate() {
            let rising = across * way * lack.signum();
            if rising > PIVOT {
                candidates.push((self.dearness[variable].abs() / rising, rising, variable));
            }
        }
        let mut lack = lack.abs();
        let mut passed = Vec::new();
        loop {
            let reached = candidates.iter().zip(0..).min_by(|(a, _), (b, _)| a.0.total_cmp(&b.0));
            let (&(reached, rising, variable), place) = reached?;
            let (least, most) = self.bounds[variable];
            lack -= rising * (most - least);
            if lack < FEASIBLE {
                let soon = reached + WORTHLESS / rising;
                let about = candidates.iter().filter(|(reached, ..)| *reached <= soon);
                let entering = about.max_by(|a, b| a.1.total_cmp(&b.1));
                return entering.map(|&(.., variable)| (variable, passed));
            }
            candidates.swap_remove(place);
            passed.push(variable);
        }
    }

    /// Brings variables from one bound to the other.
    fn flip(&mut self, variables: Vec<usize>) {
        if variables.is_empty() {
            return;
        }
        let mut needed = vec![0.0; self.corner.stride()];
        for variable in variables {
            let before = self.resting(variable);
            self.at_most[variable] ^= true;
            self.ways[variable] = self.way(variable);
            let more = self.resting(variable) - before;
            self.spent += self.dearness[variable] * more;
            self.column(variable).take(more, &mut needed);
        }
        for (place, amount) in self.amounts.iter_mut().enumerate() {
            *amount += product(self.corner.row(place), &needed);
        }
    }

    /// Puts a variable in the place of another one, of which there is as much as this from then on. Whether that went well.
    fn exchange(&mut self, place: usize, to: f64, variable: usize) -> bool {
        let column = self.corner.in_basis(self.column(variable));
        if column[place].abs() < PIVOT {
            return false;
        }
        let step = (self.amounts[place] - to) / column[place];
        self.amounts.iter_mut().zip(&column).for_each(|(amount, by)| *amount -= step * by);
        self.amounts[place] = self.resting(variable) + step;
        self.spent += self.dearness[variable] * step;
        let rise = self.dearness[variable] / column[place];
        let row = self.corner.row(place);
        self.prices.iter_mut().zip(row).for_each(|(price, value)| *price += rise * value);
        self.dearness.iter_mut().zip(&self.across).for_each(|(dear, across)| *dear -= rise * across);
        let gone = self.corner.basic[place] as usize;
        (self.dearness[gone], self.dearness[variable]) = (-rise, 0.0);
        (self.place_of[gone], self.place_of[variable]) = (NOWHERE, place as u32);
        self.at_most[gone] = to > self.bounds[gone].0;
        (self.ways[gone], self.ways[variable]) = (self.way(gone), 0.0);
        self.bounds_at[place] = self.bounds[variable];
        self.corner.pivot(place, variable as u32, &column);
        true
    }
}
