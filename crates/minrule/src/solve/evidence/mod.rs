//! Why the bound of a class holds: what solvers post along with their bounds.

mod log;

use std::sync::Arc;

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
    /// Why the first part of the bound holds, and why the second does for covers with no more rules than that.
    InTurn(Option<Arc<Evidence>>, Box<Evidence>),
    /// An argument that was made before.
    Made(Argument),
}

impl Evidence {
    /// Where what is found out about covers is written down.
    pub(crate) fn log(&self) -> Option<&Log> {
        match self {
            Evidence::Pool { log, .. } => Some(log),
            Evidence::InTurn(_, then) => then.log(),
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
            Evidence::Made(Argument::InTurn(first, _)) if bound.second == 0 => Argument::clone(first),
            Evidence::Made(argument) => argument.clone(),
            Evidence::InTurn(first, then) => {
                let only = |first: u64| Cost { first, second: 0 };
                let argued = |evidence: &Evidence, bound: u64| evidence.argument(problem, only(bound));
                let first = first.as_ref().map_or(Argument::Nothing, |e| argued(e, bound.first));
                match bound.second {
                    0 => first,
                    second => Argument::InTurn(Box::new(first), Box::new(argued(then, second))),
                }
            }
            Evidence::Apart(examples) => {
                Argument::Apart(examples.iter().map(|&example| number[example]).collect())
            }
            Evidence::Prices(pricing) => Argument::Prices(renumbered(pricing)),
            Evidence::Pool { pricing, rules, log, groups } => {
                // The prices alone may do.
                let total: u64 = pricing.prices.iter().map(|(_, price)| price).sum();
                let charged = pricing.charge * log.limit();
                if total.saturating_sub(charged).div_ceil(pricing.unit) >= bound.first {
                    return Argument::Prices(renumbered(pricing));
                }
                let number = groups.as_ref().map_or(number.clone(), |groups| firsts(groups, &number));
                let mut cover = log.cover(bound.first);
                cover.iter_mut().for_each(|cover| cover.renumber(&number));
                let terms = rules.iter().map(|term| term.literals().iter().map(signed).collect());
                Argument::Pool(renumbered(pricing), terms.collect(), cover.into_iter().collect())
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
