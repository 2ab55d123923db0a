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
//! Table -> Features -> Examples -> rules and cover -> Outcome -> DecisionSet -> Model
//! ```
//!
//! ```
//! use minrule::{BinariseOptions, LearnOptions, Limits, Problem, Status, Style, Table, TableOptions, Wording};
//!
//! let csv = "Day,Venue,TV,Date?\nWeekday,Dinner,Bad,No\nWeekend,Club,Bad,Yes\nWeekend,Club,Good,No\n";
//! let table = Table::from_reader(csv.as_bytes(), "dating", &TableOptions::default())?;
//! let problem = Problem::new(table, &BinariseOptions::default())?;
//! let outcome = problem.learn(&LearnOptions::default(), &Limits::default())?;
//! let set = problem.decision_set(&outcome);
//! assert_eq!((set.status, set.rules, set.size), (Status::Optimal, 3, 7));
//! let wording = Wording::new(problem.features(), Style::Words);
//! println!("{}", set.classes[1].rules[0].sentence(&set.target, &wording));
//! # Ok::<(), minrule::Error>(())
//! ```
//!
//! A [`Problem`] makes a [`Model`] of what it learned, to [`apply`] to other rows, to
//! [`judge`] and to [`show`].
//!
//! A [limit](Limits) that is reached is no failure: [`Problem::learn`] gives the best set found and a proven lower
//! bound, as an [`Outcome`] like any other. Only a table so large that it has no rules at all when its time
//! is up is an error, as is one that could not be read by then.
#![forbid(unsafe_code)]

pub mod apply;
pub mod data;
mod error;
pub mod file;
pub mod judge;
pub mod limits;
mod names;
mod problem;
pub mod result;
pub mod show;
pub mod solve;
#[cfg(test)]
mod testing;
pub mod text;

pub use apply::{Evaluation, Policy, Predictor};
pub use data::{
    BinariseOptions, ClassId, Condition, Cut, Cuts, Examples, FeatureId, Features, Literal, Missing,
    Numeric, Spelling, Style, Table, TableOptions, Wording,
};
pub use error::{Error, ErrorKind, Result};
pub use limits::{Limits, Stop, StopReason};
pub use names::{Choice, Names, PlainNames, Setting};
pub use problem::Problem;
pub use result::{DecisionRule, DecisionSet, Model, Outcome, Proof, Status};
pub use show::{Export, export, report};
pub use solve::{
    Cost, CoverMethod, EnumerateOptions, LearnOptions, Method, MethodName, Objective, OptModel,
    OptOptions, OptSearch, Otherwise, Request, RuleSource, Term,
};
