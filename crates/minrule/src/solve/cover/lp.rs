//! The linear relaxation of a cover, with HiGHS: it grows by rules and by constraints.

pub(crate) use minrule_native::lp::{Basis, Fractional};

use crate::limits::Halt;
use crate::solve::faults::{self, Site};

/// A covering LP; each solve starts from the last basis.
pub(crate) struct CoverLp(minrule_native::lp::CoverLp);

impl CoverLp {
    pub(crate) fn new(examples: usize) -> CoverLp {
        CoverLp(minrule_native::lp::CoverLp::new(examples))
    }

    /// Adds a rule: its cost, and how often it counts in which rows.
    pub(crate) fn add_rule(
        &mut self,
        cost: f64,
        entries: impl Iterator<Item = (usize, f64)>,
    ) -> Result<(), Halt> {
        Ok(self.0.add_rule(cost, entries)?)
    }

    /// Adds a constraint: the least sum of the rules, each counted so often.
    pub(crate) fn add_row(
        &mut self,
        least: f64,
        entries: impl Iterator<Item = (usize, f64)>,
    ) -> Result<(), Halt> {
        Ok(self.0.add_row(least, entries)?)
    }

    /// Bounds the share of a rule: taken, left out or free.
    pub(crate) fn bound(&mut self, rule: usize, least: f64, most: f64) -> Result<(), Halt> {
        Ok(self.0.bound(rule, least, most)?)
    }

    /// From now on the primal simplex method is used where the last basis is feasible: where only rules came in.
    pub(crate) fn go_on_from_feasible(&mut self) -> Result<(), Halt> {
        Ok(self.0.go_on_from_feasible()?)
    }

    /// Ends a solve as soon as the optimum is known to cost more than this; the prices then say so,
    /// and the shares mean nothing.
    pub(crate) fn enough_at(&mut self, cost: f64) -> Result<(), Halt> {
        Ok(self.0.enough_at(cost)?)
    }

    /// The basis of the last solve.
    pub(crate) fn basis(&mut self) -> Result<Basis, Halt> {
        Ok(self.0.basis()?)
    }

    /// Starts the next solve from a basis.
    pub(crate) fn start_from(&mut self, basis: &Basis) -> Result<(), Halt> {
        Ok(self.0.start_from(basis)?)
    }

    /// The optimum of the relaxation. Its numbers are floats, and believed by nobody.
    pub(crate) fn solve(&mut self) -> Result<Fractional, Halt> {
        let mut fractional = self.0.solve()?;
        if faults::strike(Site::Lp)? {
            scramble(&mut fractional);
        }
        Ok(fractional)
    }
}

/// Numbers as a solver that went wrong would give them.
fn scramble(fractional: &mut Fractional) {
    let nonsense = [f64::NAN, 1e300, -7.0, f64::INFINITY, 3.3, f64::NEG_INFINITY, 1e12, 0.0];
    for values in [&mut fractional.shares, &mut fractional.prices] {
        values.iter_mut().zip(nonsense.iter().cycle()).for_each(|(value, wrong)| *value = *wrong);
    }
    fractional.cost = f64::NAN;
}
