//! Judges what was found by the data alone; nothing here comes from the solvers.

pub(crate) mod looks;
pub mod model;
pub mod outcome;
pub mod proof;

use crate::solve::objective::{Cost, Objective};

/// What rules of so many literals each cost, counted by a code of our own.
pub(crate) fn cost(objective: Objective, sizes: impl Iterator<Item = usize> + Clone) -> Cost {
    let (rules, literals) = (sizes.clone().count() as u64, sizes.sum::<usize>() as u64);
    match objective {
        Objective::Rules => Cost { first: rules, second: 0 },
        Objective::Literals => Cost { first: literals, second: 0 },
        Objective::Size => Cost { first: rules + literals, second: 0 },
        Objective::RulesThenLiterals => Cost { first: rules, second: literals },
    }
}
