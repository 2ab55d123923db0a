//! The provably smallest set of if-then rules that explains a table.
//!
//! A *decision set* is an unordered set of rules that describes every class explicitly. This
//! library finds one that agrees with the data and is as small as any can be, or says how far from
//! that it may be. The default method generates only the rules that can matter, by linear programming
//! and an exact search for rules worth their price. The two-stage approach that it grew from
//! (Ignatiev, Lam, Stuckey and Marques-Silva, AAAI 2021) is here too: enumerate the rules of each
//! class with MaxSAT, then choose the smallest cover of its examples.
//!
//! The data flow in one direction, one type a step:
//!
//! ```text
//! Table -> Features -> Examples -> rules and cover -> Outcome -> DecisionSet
//! ```
//!
//! ```
//! use std::sync::Arc;
//! use minrule::{
//!     BinariseOptions, DecisionSet, Examples, Features, LearnOptions, Limits, Status, Table,
//!     TableOptions, learn,
//! };
//!
//! let csv = "\
//! Day,Venue,Weather,TV Show,Date?
//! Weekday,Dinner,Warm,Bad,No
//! Weekend,Club,Warm,Bad,Yes
//! Weekend,Club,Warm,Bad,Yes
//! Weekend,Club,Cold,Good,No
//! ";
//! let table = Table::from_reader(csv.as_bytes(), "dating", &TableOptions::default())?;
//! let features = Features::choose(&table, &BinariseOptions::default())?;
//! let examples = Arc::new(Examples::new(&table, &features)?);
//!
//! let (options, limits) = (LearnOptions::default(), Limits::default());
//! let outcome = learn(&examples, &features.literals(), &options, &limits, |_| {})?;
//! assert_eq!(outcome.status(), Status::Optimal);
//! assert_eq!((outcome.rules(), outcome.literals(), outcome.size()), (3, 4, 7));
//!
//! let set = DecisionSet::new(&outcome, &examples, &features, &table);
//! for rule in set.classes.iter().flat_map(|class| &class.rules) {
//!     let conditions: Vec<String> = rule.conditions.iter().map(|c| c.to_string()).collect();
//!     println!("IF {} THEN {} = {}", conditions.join(" AND "), set.target, rule.then);
//! }
//! # Ok::<(), minrule::Error>(())
//! ```
//!
//! A [limit](Limits) that is reached is no failure: [`learn`] gives the best set found and a proven lower
//! bound, as an [`Outcome`] like any other. Only a table so large that it has no rules at all when its time
//! is up is an error, as is one that could not be read by then.
#![forbid(unsafe_code)]

mod binarise;
mod bits;
mod board;
mod bound;
pub mod check;
mod column;
pub mod compare;
mod condition;
mod cover;
mod cross_validate;
mod cuts;
mod decision_set;
mod disjoint;
mod error;
mod evaluate;
mod examples;
mod explain;
mod export;
pub mod faults;
mod file;
mod history;
mod lazy;
mod learn;
mod limits;
mod looks;
mod maxsat;
mod model;
mod objective;
mod outcome;
mod overlap;
mod predict;
mod problem;
mod proof;
mod quotes;
mod read;
mod report;
mod resume;
mod rivals;
mod rows;
mod rule;
mod rules;
mod samples;
mod sat;
mod spelling;
mod stages;
mod table;
#[cfg(test)]
mod testing;
mod warnings;
mod workers;

pub use binarise::{BinariseOptions, Cell, Cut, EncodedColumn, Encoding, Features, Numeric};
pub use board::{Progress, Stage};
pub use column::{Codes, Column, ColumnBuilder, Values, is_missing};
pub use condition::{Condition, Field, Op, Operand};
pub use cover::CoverMethod;
pub use cross_validate::{CrossValidation, Fold};
pub use decision_set::{ClassRules, CostValue, DecisionRule, DecisionSet, Scope};
pub use disjoint::prefer_disjoint;
pub use error::{Error, ErrorKind, Result};
pub use evaluate::{ClassScores, Evaluation};
pub use examples::{Conflicts, Examples};
pub use explain::{Change, Counterfactual, Explainer, Explanation};
pub use export::{Export, conflicts, count, export, one_line, percent};
pub use file::{try_output, try_output_folder, write_file, write_text};
pub use history::{History, Moment};
pub use learn::{Known, LearnOptions, Method, Running, learn, learn_from};
pub use limits::{Limits, Stop, StopReason, leaves_room, memory_in_use, peak_memory};
pub use model::{Model, Provenance, UsedColumn};
pub use objective::{Cost, Objective};
pub use outcome::{ClassOutcome, Outcome, StageSeconds, Status};
pub use overlap::{Overlap, Overlaps, overlaps};
pub use predict::{Conflict, DecidedBy, Policy, Predictor, Scratch, Uncovered, Verdict};
pub use proof::{CertifiedClass, Manifest, Proof};
pub use quotes::QuoteFault;
pub use report::{Report, report};
pub use resume::Saved;
pub use rivals::{OptModel, OptOptions, OptSearch};
pub use rows::{Batch, Row, Rows, RowsHash};
pub use rule::{ClassId, Coverage, FeatureId, Literal, Rule, Term};
pub use rules::{EnumerateOptions, RuleSource, enumerate_rules};
pub use spelling::{Decimal, Spelling};
pub use table::{Missing, Table, TableOptions};
pub use warnings::{Warning, warnings};
