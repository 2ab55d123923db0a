//! Stage 1: the rules of one class.

mod dual_rail;
mod first;
mod maxsat;

use serde::{Deserialize, Serialize};

pub(crate) use first::{discriminates_all, first_rules};

use crate::limits::{Halt, Stop};
use crate::problem::ClassProblem;
use crate::rule::Rule;

/// Where rules come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleSource {
    /// The paper's MaxSAT formula, solved again and again.
    #[default]
    Maxsat,
}

/// How to enumerate rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnumerateOptions {
    /// Where rules come from.
    pub rules: RuleSource,
    /// Whether every later rule must cover an example that this one does not. Without it, all
    /// irredundant rules are enumerated.
    pub break_symmetry: bool,
}

impl Default for EnumerateOptions {
    fn default() -> Self {
        EnumerateOptions { rules: RuleSource::Maxsat, break_symmetry: true }
    }
}

/// Hands over the rules of a class one by one, smaller ones first.
///
/// When it returns `Ok`, a smallest cover can be made of the rules handed over, whatever the
/// objective. In any case, a rule that is still to come has at least as many literals as the last.
pub(crate) fn enumerate(
    problem: &ClassProblem,
    options: &EnumerateOptions,
    stop: &Stop,
    found: &mut dyn FnMut(Rule),
) -> Result<(), Halt> {
    match options.rules {
        RuleSource::Maxsat => maxsat::enumerate(problem, options.break_symmetry, stop, found),
    }
}
