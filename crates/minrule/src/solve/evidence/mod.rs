//! Why the bound of a class holds: what solvers post along with their bounds.

mod log;

use minrule_proof::{Argument, Pricing};

pub(crate) use log::{Log, ROOT, Scribe};

use crate::data::examples::Examples;
use crate::data::literal::Literal;
use crate::names::Choice;
use crate::solve::class_problem::ClassProblem;
use crate::solve::cover::SCALE;
use crate::solve::objective::{Cost, Objective};
use crate::solve::rule::Term;

/// Why a bound holds. Examples are positions in the problem's positives.
#[derive(Debug)]
pub(crate) enum Evidence {
    /// No rule covers two of these.
    Apart(Vec<usize>),
    /// At these prices no rule is worth more than it costs.
    Prices(Pricing),
    /// A better cover needs no other rules than these, and what is known about their covers.
    Pool { pricing: Pricing, rules: Vec<Term>, log: Log },
    /// An argument that was made before.
    Made(Argument),
}

impl Evidence {
    /// Where what is found out about covers is written down.
    pub(crate) fn log(&self) -> Option<&Log> {
        match self {
            Evidence::Pool { log, .. } => Some(log),
            _ => None,
        }
    }

    /// The evidence as an argument for a bound.
    pub(crate) fn argument(&self, problem: &ClassProblem, bound: Cost) -> Argument {
        let number = numbers(problem);
        let renumbered = |pricing: &Pricing| {
            let mut prices: Vec<(usize, u64)> =
                pricing.prices.iter().map(|&(example, price)| (number[example], price)).collect();
            prices.sort_unstable();
            Pricing { prices, ..pricing.clone() }
        };
        match self {
            _ if bound == Cost::default() => Argument::Nothing,
            Evidence::Made(argument) => argument.clone(),
            Evidence::Apart(examples) => {
                Argument::Apart(examples.iter().map(|&example| number[example]).collect())
            }
            Evidence::Prices(pricing) => Argument::Prices(renumbered(pricing)),
            Evidence::Pool { pricing, rules, log } => {
                // The prices alone may do.
                let weight = weight(pricing, bound);
                let total: u64 = pricing.prices.iter().map(|(_, price)| price).sum();
                if total.div_ceil(pricing.unit) >= weight {
                    return Argument::Prices(renumbered(pricing));
                }
                let least = match bound.second {
                    0 => vec![bound.first],
                    _ => vec![bound.first, bound.second],
                };
                let mut covers = log.covers(&least, SCALE);
                covers.iter_mut().for_each(|cover| cover.renumber(&number));
                let terms = rules.iter().map(|term| term.literals().iter().map(signed).collect());
                Argument::Pool(renumbered(pricing), terms.collect(), covers)
            }
        }
    }
}

fn weight(pricing: &Pricing, bound: Cost) -> u64 {
    match (pricing.tariff.per_rule, pricing.tariff.per_literal) {
        (per_rule, 1) if per_rule > 1 => bound.first * per_rule + bound.second,
        _ => bound.first,
    }
}

/// Feature 1 is `1`, and `-1` its negation.
pub(crate) fn signed(literal: &Literal) -> i32 {
    let number = literal.feature.0 as i32 + 1;
    if literal.positive { number } else { -number }
}

/// Of each positive, its number in certificates: there they are sorted by their features, the first
/// one first, false before true.
fn numbers(problem: &ClassProblem) -> Vec<usize> {
    let examples: &Examples = problem.examples();
    let bits = |&i: &usize| examples.bits(problem.positives[i]).iter().map(|word| word.reverse_bits());
    let mut order: Vec<usize> = (0..problem.positives.len()).collect();
    order.sort_unstable_by(|a, b| bits(a).cmp(bits(b)));
    let mut numbers = vec![0; order.len()];
    for (number, &positive) in order.iter().enumerate() {
        numbers[positive] = number;
    }
    numbers
}

/// What is minimised, in the words of certificates.
pub(crate) fn objective(objective: Objective) -> minrule_proof::Objective {
    minrule_proof::Objective::named(objective.name()).expect("the checker knows every objective")
}
