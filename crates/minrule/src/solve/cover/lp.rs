//! The linear relaxation of a cover: it grows by rules and by constraints. HiGHS solves it, or, where it is small and one
//! of very many, [`OpenLp`].

pub(crate) use minrule_native::lp::{Basis, Fractional};

use super::open_lp::OpenLp;
use super::simplex::Corner;
use crate::limits::Halt;
use crate::solve::faults::{self, Site};

/// A covering LP; each solve starts from the last basis.
pub(crate) enum CoverLp {
    Highs(minrule_native::lp::CoverLp),
    Own(Box<OpenLp>),
}

/// Rows of a small LP, at most.
const SMALL: usize = 500;

impl CoverLp {
    pub(crate) fn new(examples: usize) -> CoverLp {
        CoverLp::Highs(minrule_native::lp::CoverLp::new(examples))
    }

    /// One of very many, which is to have so many rows.
    pub(crate) fn one_of_many(examples: usize, rows: usize) -> CoverLp {
        match rows <= SMALL {
            true => CoverLp::Own(Box::new(OpenLp::new(examples))),
            false => CoverLp::new(examples),
        }
    }

    /// Adds a rule: its cost, and how often it counts in which rows.
    pub(crate) fn add_rule(
        &mut self,
        cost: f64,
        entries: impl Iterator<Item = (usize, f64)>,
    ) -> Result<(), Halt> {
        match self {
            CoverLp::Highs(lp) => lp.add_rule(cost, entries)?,
            CoverLp::Own(lp) => lp.add_rule(cost, entries),
        }
        Ok(())
    }

    /// Adds a constraint: the least sum of the rules, each counted so often.
    pub(crate) fn add_row(
        &mut self,
        least: f64,
        entries: impl Iterator<Item = (usize, f64)>,
    ) -> Result<(), Halt> {
        match self {
            CoverLp::Highs(lp) => lp.add_row(least, entries)?,
            // Its constraints come before its rules: there are no entries yet.
            CoverLp::Own(lp) => lp.add_row(least),
        }
        Ok(())
    }

    /// Bounds the share of a rule: taken, left out or free.
    pub(crate) fn bound(&mut self, rule: usize, least: f64, most: f64) -> Result<(), Halt> {
        match self {
            CoverLp::Highs(lp) => lp.bound(rule, least, most)?,
            CoverLp::Own(lp) => lp.bound(rule, least, most),
        }
        Ok(())
    }

    /// From now on the primal simplex method is used where the last basis is feasible: where only rules came in.
    pub(crate) fn go_on_from_feasible(&mut self) -> Result<(), Halt> {
        match self {
            CoverLp::Highs(lp) => lp.go_on_from_feasible()?,
            // The dual method starts anywhere.
            CoverLp::Own(_) => {}
        }
        Ok(())
    }

    /// Ends a solve as soon as the optimum is known to cost more than this; the prices then say so,
    /// and the shares mean nothing.
    pub(crate) fn enough_at(&mut self, cost: f64) -> Result<(), Halt> {
        match self {
            CoverLp::Highs(lp) => lp.enough_at(cost)?,
            CoverLp::Own(lp) => lp.enough_at(cost),
        }
        Ok(())
    }

    /// The basis of the last solve.
    pub(crate) fn basis(&mut self) -> Result<Basis, Halt> {
        match self {
            CoverLp::Highs(lp) => Ok(lp.basis()?),
            CoverLp::Own(lp) => Ok(lp.basis()),
        }
    }

    /// Starts the next solve from a basis.
    pub(crate) fn start_from(&mut self, basis: &Basis) -> Result<(), Halt> {
        match self {
            CoverLp::Highs(lp) => lp.start_from(basis)?,
            CoverLp::Own(lp) => lp.start_from(basis),
        }
        Ok(())
    }

    /// Where the last solve ended, if that can be said.
    pub(crate) fn corner(&self) -> Option<Corner> {
        match self {
            CoverLp::Highs(_) => None,
            CoverLp::Own(lp) => Some(lp.corner().clone()),
        }
    }

    /// Starts the next solve from where an earlier one of this LP ended.
    pub(crate) fn go_to(&mut self, corner: &Corner) {
        if let CoverLp::Own(lp) = self {
            lp.go_to(corner.clone());
        }
    }

    /// The optimum of the relaxation. Its numbers are floats, and believed by nobody.
    pub(crate) fn solve(&mut self) -> Result<Fractional, Halt> {
        if let CoverLp::Own(lp) = self {
            match lp.solve() {
                Some(fractional) => return faulty(fractional),
                None => {
                    log::debug!("cover: the LP is left to HiGHS");
                    *self = CoverLp::Highs(lp.for_highs()?);
                }
            }
        }
        let CoverLp::Highs(lp) = self else { unreachable!("HiGHS has it by now") };
        faulty(lp.solve()?)
    }
}

/// What a solver says, or, in tests of failing solvers, nonsense.
fn faulty(mut fractional: Fractional) -> Result<Fractional, Halt> {
    if faults::strike(Site::Lp)? {
        scramble(&mut fractional);
    }
    Ok(fractional)
}

/// Numbers as a solver that went wrong would give them.
fn scramble(fractional: &mut Fractional) {
    let nonsense = [f64::NAN, 1e300, -7.0, f64::INFINITY, 3.3, f64::NEG_INFINITY, 1e12, 0.0];
    for values in [&mut fractional.shares, &mut fractional.prices] {
        values.iter_mut().zip(nonsense.iter().cycle()).for_each(|(value, wrong)| *value = *wrong);
    }
    fractional.cost = f64::NAN;
}
