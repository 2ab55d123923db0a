//! Certificates that no smaller set of rules exists, and their checker.
//!
//! A [`Certificate`] says of one class of a table that every valid set of rules costs at least its
//! bound, and why. [`check`] believes nothing in it: each claim is derived again, from the examples
//! and in integers, by a search of its own that is slower and simpler than the solver's. This crate
//! knows no solver, and depends on nothing that does; what it takes on trust is the [`Grid`] of
//! examples it is handed.
//!
//! The argument has up to three parts, each in a file of its own:
//!
//! - prices (`search.rs`, and `sparse.rs` for rules that may be wrong): at these prices of the examples no rule is worth more than it costs, so that
//!   every cover costs at least the sum of the prices; and all rules that miss their cost by little
//!   are dominated by one of a pool;
//! - cover (`cover.rs`): the cheapest cover by rules of the pool costs at least so much;
//! - apart (`apart.rs`): these examples need a rule each.
//!
//! Where one thing is counted after another, there is an argument for each.
//!
//! `docs/PROOFS.md` has the format and the reasons in full.
#![forbid(unsafe_code)]

mod apart;
mod bits;
mod certificate;
mod cover;
mod grid;
mod search;
mod sparse;
mod tariff;
mod verdict;
mod veripb;

pub use certificate::{Argument, Bound, Certificate, Cover, Garbled, Objective, Pricing, Step};
pub use grid::{Example, Grid};
pub use tariff::{Price, Tariff};
pub use verdict::{Refusal, check};
pub use veripb::{Derivation, derivations};
