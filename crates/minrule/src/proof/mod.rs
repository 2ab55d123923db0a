//! Proofs: why the bound of a class holds, for a checker that knows no solver.
//!
//! Solvers post [`Evidence`] along with their bounds. In the end it is put into the words and numbers
//! of a [`Certificate`](minrule_proof::Certificate).

mod log;

use std::fs;
use std::path::Path;

use minrule_proof::{Argument, Bound, Certificate, Pricing};

pub(crate) use log::{Log, ROOT, Scribe};

use crate::cover::SCALE;
use crate::error::{Error, Result};
use crate::examples::Examples;
use crate::file::write_text;
use crate::objective::{Cost, Objective};
use crate::outcome::{ClassOutcome, Outcome};
use crate::problem::ClassProblem;
use crate::rule::{Literal, Term};
use crate::table::Table;

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
    match (pricing.per_rule, pricing.per_literal) {
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
    match objective {
        Objective::Rules => minrule_proof::Objective::Rules,
        Objective::Literals => minrule_proof::Objective::Literals,
        Objective::Size => minrule_proof::Objective::Size,
        Objective::RulesThenLiterals => minrule_proof::Objective::RulesThenLiterals,
    }
}

/// The certificate of a class: every valid set of rules costs at least the bound.
pub(crate) fn certificate(
    table: &Table,
    class: &str,
    minimised: Objective,
    bound: Cost,
    argument: &Argument,
) -> String {
    let certificate = Certificate {
        table: table.sha256.clone(),
        class: class.to_string(),
        objective: objective(minimised),
        bound: Bound { first: bound.first, second: bound.second },
        argument: argument.clone(),
    };
    certificate.to_text()
}

/// The certificates of a model, one text for each of its classes; some may be lacking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// In the order of the model's classes.
    pub certificates: Vec<Option<Vec<u8>>>,
}

impl Proof {
    /// What an outcome that was asked for [a proof](crate::LearnOptions::proof) has to show.
    pub fn new(outcome: &Outcome, examples: &Examples, table: &Table) -> Proof {
        let certificate = |class: &ClassOutcome| {
            let label = &examples.classes[class.class.0 as usize];
            let argument = class.argument.as_ref()?;
            let text = certificate(table, label, outcome.objective, class.lower_bound, argument);
            Some(text.into_bytes())
        };
        Proof { certificates: outcome.classes.iter().map(certificate).collect() }
    }

    /// The file of the certificate of a class, by its number in the model.
    pub fn file_name(class: usize) -> String {
        format!("class-{}.proof", class + 1)
    }

    /// Writes the certificates into a folder, which is made if it is not there.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let failed = |cause| Error::Write { path: folder.to_path_buf(), cause };
        fs::create_dir_all(folder).map_err(failed)?;
        for (class, text) in self.certificates.iter().enumerate() {
            let Some(text) = text else { continue };
            write_text(&folder.join(Proof::file_name(class)), text)?;
        }
        Ok(())
    }

    /// Reads the certificates of a model of so many classes.
    pub fn read(folder: &Path, classes: usize) -> Result<Proof> {
        let read = |class| {
            let path = folder.join(Proof::file_name(class));
            match fs::read(&path) {
                Ok(text) => Ok(Some(text)),
                Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(None),
                Err(cause) => Err(Error::Read { place: path.display().to_string(), cause }),
            }
        };
        Ok(Proof { certificates: (0..classes).map(read).collect::<Result<_>>()? })
    }
}
