//! A model in other forms, and a page about it.

pub(crate) mod export;
pub(crate) mod report;

pub use export::{Export, conflicts, export};
pub use report::{Report, report};
