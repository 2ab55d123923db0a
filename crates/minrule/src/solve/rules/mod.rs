//! Stage 1: the rules of one class.

mod dual_rail;
mod first;
mod maxsat;
mod partition;
mod search;
pub(crate) mod walk;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub(crate) use first::{discriminates_all, first_terms, without_redundant};
pub(crate) use partition::{Part, partition};

use crate::data::examples::Examples;
use crate::data::literal::{ClassId, Literal};
use crate::limits::{Halt, Stop};
use crate::names::choices;
use crate::solve::class_problem::ClassProblem;
use crate::solve::objective::Objective;
use crate::solve::rule::Rule;

/// Where rules come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleSource {
    /// The paper's MaxSAT formula, solved again and again.
    #[default]
    Maxsat,
    /// Depth-first search on bit sets.
    Search,
}

choices!(RuleSource {
    Maxsat = "maxsat": "The paper's MaxSAT formula",
    Search = "search": "Depth-first search on bit sets",
});

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
        RuleSource::Search => search::enumerate(problem, options.break_symmetry, stop, found),
    }
}

/// All rules that stage 1 enumerates for a class, in order; without symmetry breaking, all
/// irredundant rules there are. For looking into the method: [`learn`](crate::solve::learn) does not
/// need it.
pub fn enumerate_rules(
    examples: &Arc<Examples>,
    literals: &[Literal],
    class: ClassId,
    options: &EnumerateOptions,
) -> Vec<Rule> {
    let problem = ClassProblem::new(examples, literals, class, Objective::Size.tariffs());
    if problem.positives.is_empty() {
        return Vec::new();
    }
    let mut rules = Vec::new();
    enumerate(&problem, options, &Stop::default(), &mut |rule| rules.push(rule))
        .expect("a run that nobody stops ends by itself");
    rules
}
