//! Judges what was found by the data alone; nothing here comes from the solvers.

pub(crate) mod looks;
pub mod model;
pub mod outcome;
pub mod proof;
