//! Hostile input for minrule, and what must hold of it all the same.
//!
//! A target is a function of some bytes that panics if anything is wrong. Any bytes will do: the
//! target makes of them what a stranger's file or command line could be, and takes that the way that
//! people's input goes. Two drivers share the targets: a test of the workspace replays and mutates a
//! corpus in a fixed order, and programs beside this crate let libFuzzer search for new ways.
#![forbid(unsafe_code)]

mod apply;
mod certificate;
mod choices;
mod columnar;
mod csv;
mod curve;
mod model;
pub mod mutate;
mod options;

pub use certificate::certificate;
pub use columnar::columnar;
pub use csv::csv;
pub use curve::curve;
pub use model::model;
pub use options::options;

/// A function of hostile bytes.
pub type Target = fn(&[u8]);

/// Every target by its name, which is also that of its folders of inputs.
pub const TARGETS: [(&str, Target); 6] = [
    ("csv", csv),
    ("columnar", columnar),
    ("model", model),
    ("curve", curve),
    ("options", options),
    ("certificate", certificate),
];

/// What is wrong with input must be said in words, and must not be a bug of ours.
fn refused(error: &minrule::Error) {
    assert!(!error.to_string().is_empty());
    assert_ne!(error.kind(), minrule::ErrorKind::Internal, "{error}");
}
