//! What the Python package asks of the Rust library.
//!
//! Nothing here decides anything: values of Python become columns of a table, results become arrays
//! and JSON. The estimators themselves are in Python, where scikit-learn's users expect them.
#![deny(unsafe_code)]

mod arrow;
mod binarise;
mod choose;
mod columns;
mod compare;
mod model;
mod objects;
mod options;
mod problem;
mod reading;

use pyo3::prelude::*;

/// The Rust half of minrule.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::arrow::{ArrowColumn, arrow_columns};
    #[pymodule_export]
    use super::binarise::Features;
    #[pymodule_export]
    use super::choose::{Curve, Folds, chosen_place, default_alphas};
    #[pymodule_export]
    use super::compare::{Comparison, Job, compare_methods};
    #[pymodule_export]
    use super::model::{Model, write_text};
    #[pymodule_export]
    use super::objects::distinct_texts;
    #[pymodule_export]
    use super::options::check_options;
    #[pymodule_export]
    use super::problem::{Outcome, Problem, Task};
    #[pymodule_export]
    use super::reading::time_is_up;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
