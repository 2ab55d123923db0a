//! The whole story: examples in, the smallest rules of each class out.
//!
//! Classes are independent problems, unless they have [an order](super::order). A [`Run`] takes each to its proof, by the method asked for, and posts
//! what is known on a [board](super::board) for each class. Whatever ends it, the outcome is what the boards
//! say, and the judge has seen it.

use std::sync::Arc;

use minrule_proof::Argument;

use super::board::Progress;
use super::objective::Cost;
use super::options::LearnOptions;
use super::order::{self, Blocks};
use super::otherwise;
use super::rule::Term;
use super::schedule::Run;
use crate::data::examples::Examples;
use crate::data::literal::{ClassId, Literal};
use crate::error::{Error, Result};
use crate::judge;
use crate::limits::Limits;
use crate::result::outcome::{ClassOutcome, Outcome};

/// What is known about a class: valid rules, and what every valid set costs at least.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// The class.
    pub class: ClassId,
    /// Rules that cover every example of the class and none of another; in a sparse set, any.
    pub rules: Vec<Term>,
    /// What every valid set of rules costs at least.
    pub lower_bound: Cost,
    /// Why the lower bound holds.
    pub argument: Option<Argument>,
}

impl From<&ClassOutcome> for Known {
    fn from(outcome: &ClassOutcome) -> Known {
        Known {
            class: outcome.class,
            rules: outcome.rules.clone(),
            lower_bound: outcome.lower_bound,
            argument: outcome.argument.clone(),
        }
    }
}

/// A run that is under way.
pub struct Running<'r> {
    run: &'r Run,
    /// Classes that are learned before or after those of this run.
    others: &'r [(ClassId, Progress)],
}

impl<'r> Running<'r> {
    pub(super) fn new(run: &'r Run, others: &'r [(ClassId, Progress)]) -> Running<'r> {
        Running { run, others }
    }

    /// How far each class has come.
    pub fn progress(&self) -> Vec<(ClassId, Progress)> {
        let mut progress = self.run.progress();
        progress.extend(self.others);
        progress
    }

    /// What is known about each class that has been begun.
    pub fn known(&self) -> Vec<Known> {
        self.run.known()
    }
}

/// Finds the smallest set of rules for each class.
///
/// `watch` is called every few milliseconds with how far each class has come. The result is valid
/// whatever cut the run short; [`ClassOutcome::status`](crate::result::ClassOutcome::status) says what was
/// proven.
pub fn learn(
    examples: &Arc<Examples>,
    literals: &[Literal],
    options: &LearnOptions,
    limits: &Limits,
    mut watch: impl FnMut(&[(ClassId, Progress)]),
) -> Result<Outcome> {
    learn_from(&[], examples, literals, options, limits, |running| watch(&running.progress()))
}

/// Finds it from what is known already and is believed. Where classes have an order, that says nothing: what
/// a class is told from depends on the rules of earlier ones.
pub fn learn_from(
    known: &[Known],
    examples: &Arc<Examples>,
    literals: &[Literal],
    options: &LearnOptions,
    limits: &Limits,
    mut watch: impl FnMut(&Running),
) -> Result<Outcome> {
    otherwise::check(options, examples)?;
    let blocks = Blocks::new(options, examples)?;
    let unsettled = options.alpha().map(|_| Arc::new(examples.with_outvoted()));
    let examples = unsettled.as_ref().unwrap_or(examples);
    let shuffled = options.seed().map(|seed| Arc::new(examples.shuffled(seed)));
    let examples = shuffled.as_ref().unwrap_or(examples);
    let verified = |outcome: Outcome| match judge::outcome::verify(examples, &outcome) {
        Ok(()) => Ok(outcome),
        Err(fault) => Err(Error::Internal(fault.to_string())),
    };
    if let Some(blocks) = blocks {
        return verified(order::learn(blocks, examples, literals, options, limits, watch)?);
    }
    let tariffs = options.tariffs(examples.all_rows())?;
    let run = Arc::new(Run::new(examples, literals, options, tariffs, limits)?);
    known.iter().for_each(|known| run.begin_with(known));

    Run::to_the_end(&run, limits, |run| watch(&Running::new(run, &[])))?;

    let (classes, joint_bound) = run.outcomes();
    let (options, otherwise, undescribed) = (options.clone(), None, None);
    let mut outcome = verified(Outcome { options, classes, otherwise, undescribed, joint_bound })?;
    otherwise::choose(examples, &mut outcome);
    Ok(outcome)
}
