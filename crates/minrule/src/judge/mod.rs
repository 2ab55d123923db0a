//! Judges what was found by the data alone; nothing here comes from the solvers.

pub(crate) mod looks;
pub mod model;
pub mod outcome;
pub mod proof;
mod sparse;

use minrule_proof::Bound;

use crate::solve::evidence;
use crate::solve::objective::{Cost, Objective};

/// What rules of so many literals each cost, counted by the code of the checker.
pub(crate) fn cost(objective: Objective, sizes: impl Iterator<Item = usize> + Clone) -> Cost {
    let Bound { first, second } = evidence::objective(objective).cost(sizes);
    Cost { first, second }
}
