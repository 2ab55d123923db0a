//! The part of a cover's LP that is open at a node of branch and bound, which [`Simplex`] solves.
//!
//! Rules that are taken leave fewer rows, and rules that are left out need no columns. Deep in the tree little is left.

use minrule_native::lp::CoverLp;

use super::lp::{Basis, Fractional};
use super::simplex::{Corner, Simplex};
use crate::limits::Halt;

/// An LP that is solved again and again with other rules taken or left out.
pub(crate) struct OpenLp {
    rows: Vec<Row>,
    rules: Vec<Rule>,
    enough: f64,
    simplex: Simplex,
    /// The rows and rules that are open, in its order.
    open_rows: Vec<usize>,
    open_rules: Vec<usize>,
    /// What the rules taken cost that are not among these.
    spent: f64,
}

struct Row {
    least: f64,
    /// Whether some rules count against it.
    is_limit: bool,
    /// Its place among the open ones.
    place: Option<usize>,
}

struct Rule {
    cost: f64,
    entries: Vec<(usize, f64)>,
    least: f64,
    most: f64,
    place: Option<usize>,
}

impl OpenLp {
    /// So many examples, and no rule yet.
    pub(crate) fn new(examples: usize) -> OpenLp {
        let mut lp = OpenLp {
            rows: Vec::new(),
            rules: Vec::new(),
            enough: f64::INFINITY,
            simplex: Simplex::new(std::iter::empty()),
            open_rows: Vec::new(),
            open_rules: Vec::new(),
            spent: 0.0,
        };
        (0..examples).for_each(|_| lp.add_row(1.0));
        lp
    }

    /// Adds a row for rules that are still to come.
    pub(crate) fn add_row(&mut self, least: f64) {
        let place = Some(self.open_rows.len());
        self.open_rows.push(self.rows.len());
        self.rows.push(Row { least, is_limit: false, place });
        self.simplex.add_row(least);
    }

    pub(crate) fn add_rule(&mut self, cost: f64, entries: impl Iterator<Item = (usize, f64)>) {
        let entries: Vec<(usize, f64)> = entries.collect();
        entries.iter().for_each(|&(row, times)| self.rows[row].is_limit |= times < 0.0);
        self.rules.push(Rule { cost, entries, least: 0.0, most: f64::INFINITY, place: None });
        self.open(self.rules.len() - 1);
    }

    /// Puts a rule among the open ones.
    fn open(&mut self, rule: usize) {
        let Rule { cost, entries, place, .. } = &mut self.rules[rule];
        *place = Some(self.open_rules.len());
        self.open_rules.push(rule);
        let entries = entries.iter().filter_map(|&(row, times)| Some((self.rows[row].place?, times)));
        self.simplex.add_rule(*cost, entries);
    }

    /// Bounds the share of a rule: taken, left out or free. A rule that was taken is given up only before a start from
    /// another basis, since what it covers is not open.
    pub(crate) fn bound(&mut self, rule: usize, least: f64, most: f64) {
        (self.rules[rule].least, self.rules[rule].most) = (least, most);
        if self.rules[rule].place.is_none() && most > 0.0 {
            self.open(rule);
        }
        if let Some(place) = self.rules[rule].place {
            self.simplex.bound(place, least, most);
        }
    }

    pub(crate) fn enough_at(&mut self, cost: f64) {
        self.enough = cost;
    }

    pub(crate) fn basis(&self) -> Basis {
        let Basis { rules, rows } = self.simplex.basis();
        Basis {
            rules: rules.into_iter().map(|place| self.open_rules[place]).collect(),
            rows: rows.into_iter().map(|place| self.open_rows[place]).collect(),
        }
    }

    /// Starts the next solve from a basis, with what is open now.
    pub(crate) fn start_from(&mut self, basis: &Basis) {
        let mut least: Vec<f64> = self.rows.iter().map(|row| row.least).collect();
        self.spent = 0.0;
        for rule in self.rules.iter().filter(|rule| rule.least > 0.0) {
            self.spent += rule.least * rule.cost;
            rule.entries.iter().for_each(|&(row, times)| least[row] -= rule.least * times);
        }
        self.open_rows.clear();
        for (at, (row, &least)) in self.rows.iter_mut().zip(&least).enumerate() {
            let is_open = row.is_limit || least > 0.0;
            row.place = is_open.then_some(self.open_rows.len());
            self.open_rows.extend(is_open.then_some(at));
        }
        self.simplex = Simplex::new(self.open_rows.iter().map(|&row| least[row]));
        self.open_rules.clear();
        for rule in 0..self.rules.len() {
            self.rules[rule].place = None;
            if self.rules[rule].least < self.rules[rule].most {
                self.open(rule);
            }
        }
        let rules = basis.rules.iter().filter_map(|&rule| self.rules[rule].place).collect();
        let rows = basis.rows.iter().filter_map(|&row| self.rows[row].place).collect();
        self.simplex.start_from(&Basis { rules, rows });
    }

    /// Where the last solve ended.
    pub(crate) fn corner(&self) -> &Corner {
        self.simplex.corner()
    }

    /// Starts the next solve from where an earlier one ended. What was open then is open still.
    pub(crate) fn go_to(&mut self, corner: Corner) {
        self.simplex.go_to(corner);
    }

    /// The optimum, or nothing, if it was not found.
    pub(crate) fn solve(&mut self) -> Option<Fractional> {
        self.simplex.enough_at(self.enough - self.spent);
        let optimum = self.simplex.solve()?;
        let mut prices = vec![0.0; self.rows.len()];
        self.open_rows.iter().zip(optimum.prices()).for_each(|(&row, &price)| prices[row] = price);
        let share = |rule: &Rule| rule.place.map_or(rule.least, |place| optimum.share(place));
        let shares: Vec<f64> = self.rules.iter().map(share).collect();
        let cost = shares.iter().zip(&self.rules).map(|(share, rule)| share * rule.cost).sum();
        Some(Fractional { shares, prices, cost, complete: optimum.complete })
    }

    /// The same LP, for a solver that has seen more of them.
    pub(crate) fn for_highs(&self) -> Result<CoverLp, Halt> {
        let mut lp = CoverLp::new(0);
        for row in &self.rows {
            lp.add_row(row.least, std::iter::empty())?;
        }
        for (place, rule) in self.rules.iter().enumerate() {
            lp.add_rule(rule.cost, rule.entries.iter().copied())?;
            lp.bound(place, rule.least, rule.most)?;
        }
        lp.enough_at(self.enough)?;
        Ok(lp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that need one rule or two, one that limits the rules, and a first rule that does for all rows.
    fn random_lp(random: &mut fastrand::Rng) -> OpenLp {
        let examples = random.usize(1..40);
        let mut lp = OpenLp::new(examples);
        let limited = random.bool();
        if limited {
            lp.add_row(-(random.usize(3..10) as f64));
        }
        let first = examples + usize::from(limited);
        let cuts = first..first + random.usize(0..4);
        cuts.clone().for_each(|_| lp.add_row(2.0));
        let all = (0..examples).map(|row| (row, 1.0)).chain(cuts.clone().map(|row| (row, 2.0)));
        lp.add_rule(100.0, all);
        for _ in 0..random.usize(1..100) {
            add_random(&mut lp, examples, limited, cuts.clone(), random);
        }
        lp
    }

    fn add_random(
        lp: &mut OpenLp,
        examples: usize,
        limited: bool,
        cuts: std::ops::Range<usize>,
        random: &mut fastrand::Rng,
    ) {
        let covered: Vec<usize> = (0..examples).filter(|_| random.u8(0..5) == 0).collect();
        let mut entries: Vec<(usize, f64)> = covered.into_iter().map(|row| (row, 1.0)).collect();
        entries.extend(limited.then_some((examples, -1.0)));
        entries.extend(
            cuts.filter_map(|cut| Some((cut, random.u8(0..3))).filter(|(_, times)| *times > 0))
                .map(|(cut, times)| (cut, f64::from(times))),
        );
        lp.add_rule(random.u8(2..7).into(), entries.into_iter());
    }

    /// Whether prices in floats prove about as much as the LP costs.
    fn proven(lp: &OpenLp, prices: &[f64]) -> f64 {
        assert!(prices.iter().all(|price| *price > -1e-6));
        let rows: f64 = lp.rows.iter().zip(prices).map(|(row, price)| row.least * price).sum();
        let rest = lp.rules.iter().map(|rule| {
            let worth = rule.entries.iter().map(|&(row, times)| times * prices[row]).sum::<f64>();
            let dear = rule.cost - worth;
            // A rule is never needed more than once.
            dear * if dear < 0.0 { rule.most.min(1.0) } else { rule.least }
        });
        rows + rest.sum::<f64>()
    }

    #[test]
    fn optima_are_those_of_highs_whatever_is_taken_or_left_out() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..200 {
            let mut lp = random_lp(&mut random);
            let mut home = None;
            for step in 0..8 {
                let solved = lp.solve().expect("it has an optimum");
                let highs = lp.for_highs().unwrap().solve().unwrap();
                assert!((solved.cost - highs.cost).abs() < 1e-3, "{} {}", solved.cost, highs.cost);
                assert!(solved.complete);
                assert!((proven(&lp, &solved.prices) - highs.cost).abs() < 1e-3);
                // Taken rules fit into the limit: there are at most two.
                let (basis, corner) = (lp.basis(), lp.corner().clone());
                let rule = random.usize(1..lp.rules.len());
                let taken = lp.rules.iter().filter(|rule| rule.least > 0.0).count();
                let gives_up = lp.rules[rule].least > 0.0;
                match random.u8(0..3) {
                    0 if taken < 2 => lp.bound(rule, 1.0, 1.0),
                    1 => lp.bound(rule, 0.0, 0.0),
                    _ => lp.bound(rule, 0.0, f64::INFINITY),
                }
                if gives_up || step % 3 == 0 {
                    lp.start_from(&basis);
                    home = None;
                } else if step % 3 == 1 {
                    home = Some(corner);
                } else if let Some(corner) = &home {
                    lp.go_to(corner.clone());
                }
            }
        }
    }

    #[test]
    fn what_costs_enough_need_not_be_solved() {
        let mut random = fastrand::Rng::with_seed(2);
        let mut ended = 0;
        for _ in 0..100 {
            let mut lp = random_lp(&mut random);
            let cost = lp.for_highs().unwrap().solve().unwrap().cost;
            lp.enough_at(cost / 2.0);
            let solved = lp.solve().unwrap();
            let proven = proven(&lp, &solved.prices);
            assert!(proven < cost + 1e-3);
            ended += usize::from(!solved.complete);
        }
        assert!(ended > 50, "{ended} of 100 ended early");
    }
}
