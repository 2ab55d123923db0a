//! Methods over many tables: which there are, what one run came to, and what all of them show.
//!
//! Who runs them is somebody else's business: the command line starts a process for each run, the
//! Python package sends them to a cluster.

mod configurations;
mod figures;
mod page;
mod row;
mod run;

pub use configurations::{Configuration, chosen, known_names};
pub use figures::figures;
pub use page::{Sheet, page, sheets};
pub use row::Row;
pub use run::run;
