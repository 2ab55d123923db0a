//! The result of a run: in numbers, in the words of the table, and on file.

pub(crate) mod curve;
pub(crate) mod decision_set;
mod disjoint;
pub(crate) mod history;
mod keeper;
pub(crate) mod model;
pub(crate) mod occurring;
pub(crate) mod outcome;
pub(crate) mod overlap;
pub(crate) mod proof;
pub(crate) mod readable;
mod resume;
pub(crate) mod sparse;

pub use curve::{CurveFile, CurvePoint, FoldsOnFile, PointOnFile, TableOnFile};
pub use decision_set::{ClassRules, CostValue, DecisionRule, DecisionSet, Scope};
pub use disjoint::prefer_disjoint;
pub use history::{History, Moment, write_history};
pub use keeper::Keeper;
pub use model::{Model, Provenance, UsedColumn};
pub use occurring::Occurring;
pub use outcome::{ClassOutcome, Outcome, StageSeconds, Status};
pub use overlap::{Overlap, Overlaps, overlaps};
pub use proof::{CertifiedClass, Manifest, Proof};
pub(crate) use resume::Question;
pub use resume::Saved;
