//! Features, classes and literals by number.

use serde::{Deserialize, Serialize};

/// The number of a Boolean feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FeatureId(pub u32);

/// The number of a class, in order of its first appearance in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClassId(pub u32);

/// A feature or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Literal {
    /// The feature.
    pub feature: FeatureId,
    /// Whether the feature must be true (or false).
    pub positive: bool,
}
