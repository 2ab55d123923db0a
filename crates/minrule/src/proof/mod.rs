//! Proofs: why the bound of a class holds, for a checker that knows no solver.
//!
//! Solvers post [`Evidence`] along with their bounds. In the end it is put into the words and numbers
//! of a [`Certificate`](minrule_proof::Certificate).

mod log;

use std::fs;
use std::path::Path;

use minrule_proof::{Argument, Bound, Certificate, Pricing};
use serde::{Deserialize, Serialize};

pub(crate) use log::{Log, ROOT, Scribe};

use crate::cover::SCALE;
use crate::decision_set::CostValue;
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
    /// What they are certificates of. Older proofs have none.
    pub manifest: Option<Manifest>,
}

/// What a folder of certificates proves, for programs and people that do not read certificates. Each of
/// them says the same of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Always "minrule-proof".
    pub format: String,
    /// Of this file.
    pub version: u32,
    /// SHA-256 of the table.
    pub table: String,
    /// The class column.
    pub target: String,
    /// What was minimised.
    pub objective: Objective,
    /// What is proven of each class.
    pub classes: Vec<CertifiedClass>,
}

/// What is proven of a class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedClass {
    /// The label.
    pub class: String,
    /// What every valid set of rules costs at least.
    pub lower_bound: CostValue,
    /// Where the certificate is, if there is one.
    pub certificate: Option<String>,
}

impl Manifest {
    const FORMAT: &str = "minrule-proof";
    const VERSION: u32 = 1;
    const FILE: &str = "manifest.json";

    fn problem(&self) -> Option<String> {
        match (self.format.as_str(), self.version) {
            (Manifest::FORMAT, Manifest::VERSION) => None,
            (Manifest::FORMAT, other) => Some(format!("its version is {other}")),
            (other, _) => Some(format!("its format is \"{other}\"")),
        }
    }
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
        let certificates: Vec<Option<Vec<u8>>> = outcome.classes.iter().map(certificate).collect();
        let classes = outcome.classes.iter().enumerate().map(|(number, class)| CertifiedClass {
            class: examples.classes[class.class.0 as usize].clone(),
            lower_bound: CostValue::new(outcome.objective, class.lower_bound),
            certificate: certificates[number].as_ref().map(|_| Proof::file_name(number)),
        });
        let manifest = Manifest {
            format: Manifest::FORMAT.to_string(),
            version: Manifest::VERSION,
            table: table.sha256.clone(),
            target: table.target.name.clone(),
            objective: outcome.objective,
            classes: classes.collect(),
        };
        Proof { certificates, manifest: Some(manifest) }
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
        // Last, so that what it names is there.
        match &self.manifest {
            Some(manifest) => {
                let text = serde_json::to_string_pretty(manifest).map_err(|cause| {
                    Error::Internal(format!("the manifest cannot be written: {cause}"))
                })?;
                write_text(&folder.join(Manifest::FILE), text + "\n")
            }
            None => Ok(()),
        }
    }

    /// Reads the certificates of a model of so many classes.
    pub fn read(folder: &Path, classes: usize) -> Result<Proof> {
        let read = |name: &str| {
            let path = folder.join(name);
            match fs::read(&path) {
                Ok(text) => Ok(Some(text)),
                Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(None),
                Err(cause) => Err(Error::Read { place: path.display().to_string(), cause }),
            }
        };
        let manifest = match read(Manifest::FILE)? {
            None => None,
            Some(text) => {
                let bad = |problem| Error::BadManifest { path: folder.join(Manifest::FILE), problem };
                let manifest: Manifest =
                    serde_json::from_slice(&text).map_err(|e| bad(e.to_string()))?;
                Some(manifest.problem().map_or(Ok(manifest), |problem| Err(bad(problem)))?)
            }
        };
        let certificate = |class| read(&Proof::file_name(class));
        Ok(Proof { certificates: (0..classes).map(certificate).collect::<Result<_>>()?, manifest })
    }
}
