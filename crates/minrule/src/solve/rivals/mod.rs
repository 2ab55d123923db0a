//! The SAT models that the paper compares itself with, so that anyone can repeat the comparison.
//!
//! Each asks for a whole set of a given size, and asks again for a larger one while there is none:
//! every refusal is a lower bound. They are written as their papers have them, with nothing of ours
//! to make them faster, except that they need not find again a set that is known to be smallest.

mod mds2;
mod opt;

pub(crate) use mds2::mds2;
pub(crate) use opt::{joint, separate};

use serde::{Deserialize, Serialize};

use crate::limits::{Halt, Stop};
use crate::names::choices;
use crate::solve::maxsat::MaxSat;
use crate::solve::sat::{Sat, SatLit};

/// How the model of nodes is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OptOptions {
    /// Classes one by one, or all at once.
    pub model: OptModel,
    /// What finds the fewest nodes.
    pub search: OptSearch,
}

/// Classes one by one, or all at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptModel {
    /// One model for each class: the smallest sets together are a smallest set.
    #[default]
    Separate,
    /// One model for all classes.
    Joint,
}

choices!(OptModel {
    Separate = "separate": "One model for each class",
    Joint = "joint": "One model for all classes",
});

/// What finds the fewest nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptSearch {
    /// SAT with ever more nodes.
    #[default]
    Sat,
    /// MaxSAT with nodes that may stay unused.
    Maxsat,
}

choices!(OptSearch {
    Sat = "sat": "SAT with an increasing number of nodes",
    Maxsat = "maxsat": "MaxSAT with nodes that may be left unused",
});

/// What clauses are given to.
trait Formula {
    /// A variable of its own, as its positive literal.
    fn fresh(&mut self) -> SatLit;
    /// Adds a clause.
    fn clause(&mut self, clause: &[SatLit]) -> Result<(), Halt>;

    fn many(&mut self, n: usize) -> Vec<SatLit> {
        (0..n).map(|_| self.fresh()).collect()
    }
}

impl Formula for Sat {
    fn fresh(&mut self) -> SatLit {
        Sat::fresh(self)
    }

    fn clause(&mut self, clause: &[SatLit]) -> Result<(), Halt> {
        Sat::clause(self, clause)
    }
}

impl Formula for MaxSat {
    fn fresh(&mut self) -> SatLit {
        MaxSat::fresh(self)
    }

    fn clause(&mut self, clause: &[SatLit]) -> Result<(), Halt> {
        self.hard(clause)
    }
}

/// Gives clauses to a formula until it is asked to stop: these models have many.
struct Clauses<'a> {
    formula: &'a mut dyn Formula,
    stop: &'a Stop,
}

impl Clauses<'_> {
    fn add(&mut self, clause: &[SatLit]) -> Result<(), Halt> {
        if self.stop.requested() { Err(Halt::Stopped) } else { self.formula.clause(clause) }
    }

    /// The literal is true if and only if all of these are.
    fn defines_and(&mut self, literal: SatLit, all: &[SatLit]) -> Result<(), Halt> {
        for &one in all {
            self.add(&[!literal, one])?;
        }
        let mut back: Vec<SatLit> = all.iter().map(|&one| !one).collect();
        back.push(literal);
        self.add(&back)
    }

    /// At most one of these is true (Sinz's sequential counter).
    fn at_most_one(&mut self, literals: &[SatLit]) -> Result<(), Halt> {
        let mut some_before: Option<SatLit> = None;
        for &literal in literals {
            let some = self.formula.fresh();
            self.add(&[!literal, some])?;
            if let Some(before) = some_before {
                self.add(&[!before, some])?;
                self.add(&[!before, !literal])?;
            }
            some_before = Some(some);
        }
        Ok(())
    }
}
