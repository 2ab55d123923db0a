//! From examples to the smallest rules: the methods, and what runs them.

pub(crate) mod bits;
pub(crate) mod board;
mod bound;
pub(crate) mod class_problem;
pub(crate) mod cover;
pub(crate) mod evidence;
pub mod faults;
pub(crate) mod lazy;
pub(crate) mod learn;
mod maxsat;
pub(crate) mod objective;
pub(crate) mod rivals;
pub(crate) mod rule;
pub(crate) mod rules;
mod sat;
pub(crate) mod stages;
pub(crate) mod workers;

pub use board::{Progress, Stage};
pub use cover::CoverMethod;
pub use learn::{Known, LearnOptions, Method, Running, learn, learn_from};
pub use objective::{Cost, Objective};
pub use rivals::{OptModel, OptOptions, OptSearch};
pub use rule::{Coverage, Rule, Term};
pub use rules::{EnumerateOptions, RuleSource, enumerate_rules};
