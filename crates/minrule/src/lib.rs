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

pub mod apply;
pub mod data;
mod error;
mod file;
pub mod judge;
mod limits;
pub mod result;
pub mod show;
pub mod solve;
#[cfg(test)]
mod testing;
mod text;

pub use apply::*;
pub use data::*;
pub use error::{Error, ErrorKind, Result};
pub use file::{try_output, try_output_folder, write_file, write_text};
pub use limits::{Limits, Stop, StopReason, leaves_room, memory_in_use, peak_memory};
pub use result::*;
pub use show::*;
pub use solve::*;
pub use text::{count, one_line, percent};
