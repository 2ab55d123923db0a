//! A model in other forms, and a page about it.

pub(crate) mod export;
pub(crate) mod report;

pub use export::{Export, conflicts, escaped, export};
pub use report::{Report, report};
