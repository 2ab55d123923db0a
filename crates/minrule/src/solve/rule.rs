//! Terms and rules: the paper's words for the paper's things.

use fixedbitset::FixedBitSet;
use serde::{Deserialize, Serialize};

use super::objective::Cost;
use crate::data::literal::Literal;

/// A conjunction of literals, in order and without repetition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Term(Vec<Literal>);

impl Term {
    /// A term of these literals.
    pub fn new(mut literals: Vec<Literal>) -> Term {
        literals.sort_unstable();
        literals.dedup();
        Term(literals)
    }

    /// The literals, in order.
    pub fn literals(&self) -> &[Literal] {
        &self.0
    }

    /// The number of literals.
    pub fn size(&self) -> usize {
        self.0.len()
    }
}

/// The examples of a class, among all examples of that class, that a term covers.
pub type Coverage = FixedBitSet;

/// A term that covers examples of its class and discriminates all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The condition.
    pub term: Term,
    /// The examples of the class it covers.
    pub coverage: Coverage,
    /// What it costs, by the [tariffs](super::Tariffs) of the objective.
    pub cost: Cost,
}

impl Rule {
    /// The number of literals.
    pub fn size(&self) -> usize {
        self.term.size()
    }
}
