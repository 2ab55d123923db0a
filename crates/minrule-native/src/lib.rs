//! The parts of minrule that take unsafe code; everything else forbids it.
//!
//! [`lp`], [`packing`] and [`ilp`] are HiGHS through its C interface, [`kernels`] the innermost loops, compiled for
//! several instruction sets of which the best is chosen at run time. Nothing here knows what a rule is.

pub mod ilp;
pub mod kernels;
pub mod lp;
pub mod packing;

/// What went wrong in a solver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed(pub String);
