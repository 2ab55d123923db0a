//! The provably smallest set of if-then rules that explains a table.
#![deny(unsafe_code)]

mod binarise;
mod board;
mod bound;
pub mod check;
mod cover;
mod cuts;
mod decision_set;
mod error;
mod examples;
mod learn;
mod limits;
mod maxsat;
mod model;
mod objective;
mod outcome;
mod problem;
mod rule;
mod rules;
mod sat;
mod table;
#[cfg(test)]
mod testing;
mod warnings;

pub use binarise::{
    BinariseOptions, Cell, Condition, Cut, EncodedColumn, Encoding, Features, Numeric, Op, Operand,
};
pub use board::{Progress, Stage};
pub use cover::CoverMethod;
pub use decision_set::{ClassRules, CostValue, DecisionRule, DecisionSet};
pub use error::{Error, ErrorKind, Result};
pub use examples::{Conflicts, Examples};
pub use learn::{LearnOptions, learn};
pub use limits::{Limits, Stop, StopReason, memory_in_use};
pub use model::{Model, Provenance};
pub use objective::{Cost, Objective};
pub use outcome::{ClassOutcome, Outcome, StageSeconds, Status};
pub use rule::{ClassId, Coverage, FeatureId, Literal, Rule, Term};
pub use rules::{EnumerateOptions, RuleSource, enumerate_rules};
pub use table::{Column, Missing, Table, TableOptions, Values};
pub use warnings::{Warning, warnings};
