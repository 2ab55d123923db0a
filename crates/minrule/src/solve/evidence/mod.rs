//! Why the bound of a class holds: what solvers post along with their bounds.

mod log;

use minrule_proof::{Argument, Pricing};

pub(crate) use log::{Log, ROOT, Scribe};

use crate::data::examples::Examples;
use crate::data::literal::Literal;
use crate::names::Choice;
use crate::solve::class_problem::ClassProblem;
use crate::solve::objective::{Cost, Objective};
use crate::solve::rule::Term;
use crate::solve::tariff::Tariff;

/// Why a bound holds. Examples are positions in the problem's positives.
#[derive(Debug)]
pub(crate) enum Evidence {
    /// No rule covers two of these.
    Apart(Vec<usize>),
    /// At these prices no rule is worth more than it costs.
    Prices(Pricing),
    /// A better cover needs no other rules than these, and what is known about their covers.
    Pool {
        pricing: Pricing,
        rules: Vec<Term>,
        log: Log,
        /// What the log calls examples, if these are groups of them: the group of each example in one.
        groups: Option<Vec<Option<u32>>>,
    },
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
            let listed =
                |(example, price): &(usize, u64)| *price != unlisted(problem, pricing, *example);
            let listed = pricing.prices.iter().filter(|priced| listed(priced));
            let mut prices: Vec<(usize, u64)> =
                listed.map(|&(example, price)| (number[example], price)).collect();
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
            Evidence::Pool { pricing, rules, log, groups } => {
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
                let mut covers = log.covers(&least);
                let number = groups.as_ref().map_or(number.clone(), |groups| firsts(groups, &number));
                covers.iter_mut().for_each(|cover| cover.renumber(&number));
                let terms = rules.iter().map(|term| term.literals().iter().map(signed).collect());
                Argument::Pool(renumbered(pricing), terms.collect(), covers)
            }
        }
    }
}

/// The price of an example that a certificate does not list: none, or what leaving it out costs.
fn unlisted(problem: &ClassProblem, pricing: &Pricing, positive: usize) -> u64 {
    let per_row = problem.tariffs().first().per_left_out().unwrap_or(0);
    problem.examples().rows(problem.positives[positive]) * per_row * pricing.unit
}

/// Groups of examples go by the number of the first of them.
fn firsts(groups: &[Option<u32>], number: &[usize]) -> Vec<usize> {
    let all = groups.iter().flatten().max().map_or(0, |last| *last as usize + 1);
    let mut firsts = vec![usize::MAX; all];
    for (group, &number) in groups.iter().zip(number) {
        if let Some(group) = group {
            let first = &mut firsts[*group as usize];
            *first = number.min(*first);
        }
    }
    firsts
}

/// What rules weigh, in the words of certificates: where a unit of size has a price in rows, it is said elsewhere.
pub(crate) fn tariff(tariff: &Tariff) -> minrule_proof::Tariff {
    let (per_rule, per_literal) = (tariff.per_rule(), tariff.per_literal());
    match tariff.per_left_out() {
        None => minrule_proof::Tariff { per_rule, per_literal },
        Some(_) => minrule_proof::Tariff { per_rule: per_rule.min(1), per_literal: per_literal.min(1) },
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
