//! Methods over many tables: what is to be run, one run, the rows on file, and a page about them all.
//!
//! A [`Comparison`] knows which [`Job`]s are left, and keeps the [`Row`] of each that is done. Where jobs run
//! is up to the caller: the command line starts a process for each, the Python package sends them to a
//! cluster. Wherever it is, [`Job::run`] is what runs them.
#![forbid(unsafe_code)]

mod comparison;
mod configurations;
mod figures;
mod page;
mod results;
mod row;
mod run;
mod tables;

pub use comparison::Comparison;
pub use configurations::{Configuration, chosen, known_names};
pub use page::Sheet;
pub use results::Results;
pub use row::Row;
pub use run::{Answer, Job, Settings};
pub use tables::{NamedTable, tables};
