//! A model applied to rows: predictions, their reasons, and how good they are.

pub(crate) mod choose;
mod cross_validate;
pub(crate) mod evaluate;
mod explain;
pub(crate) mod predict;
pub(crate) mod samples;

pub use choose::{
    Candidate, CandidateScores, Choose, Chosen, EFFORT, Expected, Mean, Part, PartScores, Picked, Score,
    Scores, Validation,
};
pub(crate) use cross_validate::predictions;
pub use cross_validate::{CrossValidation, Fold};
pub use evaluate::{ClassScores, Evaluation};
pub use explain::{Change, Counterfactual, Explainer, Explanation, OutOfReach};
pub use predict::{Conflict, DecidedBy, Policy, Predictor, Scratch, Uncovered, Verdict};
