//! The result of a run: rules, and what was proven about them.

use std::ops::AddAssign;

use minrule_proof::Argument;
use serde::{Deserialize, Serialize};

use crate::data::literal::ClassId;
use crate::limits::StopReason;
use crate::solve::objective::{Cost, Objective};
use crate::solve::options::LearnOptions;
use crate::solve::rule::Term;

/// What was proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// No smaller set of rules exists.
    Optimal,
    /// The rules are valid; a smaller set, down to the lower bound, may exist.
    Feasible,
}

/// Seconds spent in each stage.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StageSeconds {
    /// A first valid set of rules and a first bound.
    pub first: f64,
    /// Enumerating or generating rules.
    pub rules: f64,
    /// Choosing the cover.
    pub cover: f64,
}

impl AddAssign for StageSeconds {
    fn add_assign(&mut self, other: StageSeconds) {
        self.first += other.first;
        self.rules += other.rules;
        self.cover += other.cover;
    }
}

/// The result for one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassOutcome {
    /// The class.
    pub class: ClassId,
    /// Conditions of the rules, which cover every example of the class and none of another.
    pub rules: Vec<Term>,
    /// How many rows of the table each of them covers.
    pub rows_covered: Vec<u64>,
    /// What the rules cost.
    pub cost: Cost,
    /// What every valid set of rules costs at least.
    pub lower_bound: Cost,
    /// Why the lower bound holds, if that was asked for.
    #[serde(skip)]
    pub argument: Option<Argument>,
    /// Rules enumerated or generated.
    pub rules_enumerated: usize,
    /// Why there is no proof, if there is none.
    pub stopped_by: Option<StopReason>,
    /// What went wrong, if [`StopReason::SolverFailure`] is why.
    pub failure: Option<String>,
    /// Seconds spent in each stage.
    pub seconds: StageSeconds,
}

impl ClassOutcome {
    /// Optimal exactly when the lower bound equals the cost. There is no flag to set.
    pub fn status(&self) -> Status {
        if self.lower_bound >= self.cost { Status::Optimal } else { Status::Feasible }
    }
}

/// The result for a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// What was asked for.
    pub options: LearnOptions,
    /// One for each class asked for, in order of appearance in the table; or in the order asked for, and then
    /// each is about the rows that no rule of an earlier class covers.
    pub classes: Vec<ClassOutcome>,
    /// The class that was given no rules, of which rows are that no rule covers.
    pub otherwise: Option<ClassId>,
    /// What was found for that class, if it was solved to find out that it costs most. No claim is about it.
    pub undescribed: Option<ClassOutcome>,
    /// What all classes together cost at least, if that was found out for all at once.
    pub joint_bound: Cost,
}

impl Outcome {
    /// What was minimised.
    pub fn objective(&self) -> Objective {
        self.options.objective()
    }

    /// Optimal exactly when the lower bound equals the cost. Then every class is optimal, even if this
    /// was proven of all classes together and the run stopped before it was noted for each. Classes in an
    /// order are optimal given the rules of those before them.
    pub fn status(&self) -> Status {
        if self.lower_bound() >= self.cost() { Status::Optimal } else { Status::Feasible }
    }

    /// Why there is no proof, if there is none.
    pub fn stopped_by(&self) -> Option<StopReason> {
        let unproven = self.status() == Status::Feasible;
        self.classes.iter().find_map(|class| class.stopped_by).filter(|_| unproven)
    }

    /// All classes that were solved, described or not.
    pub fn solved(&self) -> impl Iterator<Item = &ClassOutcome> {
        self.classes.iter().chain(&self.undescribed)
    }

    /// What all rules cost together.
    pub fn cost(&self) -> Cost {
        self.classes.iter().map(|class| class.cost).sum()
    }

    /// What every valid decision set costs at least; in an order, what each class costs at least given the
    /// rules of those before it, added up.
    pub fn lower_bound(&self) -> Cost {
        self.classes.iter().map(|class| class.lower_bound).sum::<Cost>().max(self.joint_bound)
    }

    /// The share of the cost that the lower bound leaves open, from 0 (proven) to 1. For a lexicographic
    /// cost, that of the first part that is open.
    pub fn gap(&self) -> f64 {
        let (cost, bound) = (self.cost(), self.lower_bound());
        let (cost, bound) = match cost.first > bound.first {
            true => (cost.first, bound.first),
            false => (cost.second, bound.second),
        };
        if cost > bound { (cost - bound) as f64 / cost as f64 } else { 0.0 }
    }

    /// The number of rules.
    pub fn rules(&self) -> usize {
        self.classes.iter().map(|class| class.rules.len()).sum()
    }

    /// The number of literals.
    pub fn literals(&self) -> usize {
        self.classes.iter().flat_map(|class| &class.rules).map(Term::size).sum()
    }

    /// Literals plus one for each rule.
    pub fn size(&self) -> usize {
        self.literals() + self.rules()
    }

    /// Rules enumerated or generated.
    pub fn rules_enumerated(&self) -> usize {
        self.classes.iter().map(|class| class.rules_enumerated).sum()
    }

    /// Seconds spent in each stage, all classes added up.
    pub fn seconds(&self) -> StageSeconds {
        let mut sum = StageSeconds::default();
        self.solved().for_each(|class| sum += class.seconds);
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A class that costs 3 and was stopped when its bound was this.
    fn class(bound: u64) -> ClassOutcome {
        ClassOutcome {
            class: ClassId(0),
            rules: Vec::new(),
            rows_covered: Vec::new(),
            cost: Cost { first: 3, second: 0 },
            lower_bound: Cost { first: bound, second: 0 },
            argument: None,
            rules_enumerated: 0,
            stopped_by: (bound < 3).then_some(StopReason::TimeLimit),
            failure: None,
            seconds: StageSeconds::default(),
        }
    }

    #[test]
    fn a_bound_of_all_classes_that_meets_their_cost_is_a_proof() {
        let outcome = |bounds: [u64; 2], joint: u64| {
            let classes = bounds.map(class).to_vec();
            let joint_bound = Cost { first: joint, second: 0 };
            let (options, otherwise, undescribed) = (LearnOptions::default(), None, None);
            Outcome { options, classes, otherwise, undescribed, joint_bound }
        };
        for (proven, status) in [
            (outcome([3, 3], 0), Status::Optimal),
            (outcome([1, 2], 6), Status::Optimal),
            (outcome([3, 2], 0), Status::Feasible),
            (outcome([1, 2], 5), Status::Feasible),
        ] {
            assert_eq!(proven.status(), status, "{proven:?}");
            assert_eq!(proven.stopped_by().is_none(), status == Status::Optimal);
            assert_eq!(proven.gap() == 0.0, status == Status::Optimal);
        }
    }
}
