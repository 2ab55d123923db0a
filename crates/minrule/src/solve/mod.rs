//! From examples to the smallest rules: the methods, and what runs them.

pub(crate) mod alpha;
pub(crate) mod bits;
pub(crate) mod board;
mod bound;
pub(crate) mod class_problem;
pub(crate) mod cover;
pub(crate) mod evidence;
pub mod faults;
pub(crate) mod finish;
pub(crate) mod lazy;
pub(crate) mod learn;
mod maxsat;
pub(crate) mod objective;
pub(crate) mod options;
mod otherwise;
pub(crate) mod rivals;
pub(crate) mod rule;
pub(crate) mod rules;
mod sat;
mod schedule;
mod sparse;
pub(crate) mod start;
pub(crate) mod tariff;
mod two_stage;
pub(crate) mod workers;

pub use alpha::Alpha;
pub use board::{Progress, Stage};
pub use cover::CoverMethod;
pub use learn::{Known, Running, learn, learn_from};
pub use objective::{Cost, Objective};
pub use options::{LearnOptions, Method, MethodName, Otherwise, Request};
pub use rivals::{OptModel, OptOptions, OptSearch};
pub use rule::{Coverage, Rule, Term};
pub use rules::{EnumerateOptions, RuleSource, enumerate_rules};
pub use tariff::{Tariff, Tariffs};
