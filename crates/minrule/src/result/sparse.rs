//! What a sparse set gets wrong, counted by the examples' bits. Conflicts are not settled here: every row of
//! the table counts as what it is.

use crate::apply::predict::{Predictor, Scratch, Uncovered};
use crate::data::examples::Examples;
use crate::error::Result;
use crate::result::model::Model;
use crate::result::outcome::{ClassOutcome, Outcome};
use crate::solve::rule::Term;

/// What the rules of a class do on the rows of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClassErrors {
    /// For each rule: the rows of its class that it covers, and those of other classes.
    pub(crate) rules: Vec<(u64, u64)>,
    /// Rows of the class that no rule covers.
    pub(crate) left_out: u64,
}

impl ClassErrors {
    pub(crate) fn count(class: &ClassOutcome, examples: &Examples) -> ClassErrors {
        let mut counted = ClassErrors { rules: vec![(0, 0); class.rules.len()], left_out: 0 };
        for example in 0..examples.len() {
            let (own, rows) = (examples.class(example) == class.class, examples.rows(example));
            let mut covered = false;
            for (rule, (covers, wrong)) in class.rules.iter().zip(&mut counted.rules) {
                if unmet(rule, examples, example) == 0 {
                    covered = true;
                    *(if own { covers } else { wrong }) += rows;
                }
            }
            counted.left_out += if own && !covered { rows } else { 0 };
        }
        counted
    }

    /// Rows wrong by the objective: each row of the class that is left out, and each row of another class
    /// for every rule that covers it.
    pub(crate) fn errors(&self) -> u64 {
        self.left_out + self.rules.iter().map(|(_, wrong)| wrong).sum::<u64>()
    }
}

/// The literals of a rule that an example does not satisfy.
fn unmet(rule: &Term, examples: &Examples, example: usize) -> usize {
    rule.literals().iter().filter(|&&literal| !examples.satisfies(example, literal)).count()
}

/// What a model says of the rows that it was learned from.
pub(crate) struct Applied {
    /// Rows that it gets wrong.
    pub(crate) wrong: u64,
    /// Of each label, rows that no rule covers.
    pub(crate) uncovered: Vec<u64>,
}

impl Applied {
    /// Applies a model to the examples that its outcome was found with, by the model's own policy.
    pub(crate) fn new(model: &Model, outcome: &Outcome, examples: &Examples) -> Result<Applied> {
        let names: Vec<String> =
            model.used_columns().iter().map(|column| column.name.to_string()).collect();
        let predictor = Predictor::new(model, model.policy, &names, "the model")?;
        let rules: Vec<&Term> = outcome.classes.iter().flat_map(|class| &class.rules).collect();
        let mut evaluation = model.evaluation(model.policy);
        let mut uncovered = vec![0; model.labels.len()];
        let mut scratch = Scratch::default();
        for example in 0..examples.len() {
            let label = &examples.classes()[examples.class(example).0 as usize];
            let unmet: Vec<usize> = rules.iter().map(|rule| unmet(rule, examples, example)).collect();
            let covered = unmet.contains(&0);
            let nearest = !covered && model.policy.uncovered == Uncovered::Nearest;
            let most = if nearest { unmet.iter().copied().min().unwrap_or(0) } else { 0 };
            scratch.rules.clear();
            scratch.rules.extend((0..rules.len()).filter(|&rule| unmet[rule] == most));
            let verdict = predictor.decide(covered, &mut scratch);
            evaluation.add_rows(label, verdict, examples.rows(example));
            if !covered && let Some(place) = model.labels.iter().position(|known| known == label) {
                uncovered[place] += examples.rows(example);
            }
        }
        Ok(Applied { wrong: evaluation.rows() - evaluation.correct(), uncovered })
    }
}
