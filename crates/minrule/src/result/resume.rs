//! What a run knows, on file, so that a later one can go on from there.
//!
//! Nothing in the file is believed: rules are judged by the examples again, what they cost is not even in it,
//! and a bound counts only with a certificate that the checker accepts.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use hashbrown::HashMap;
use minrule_proof::{Bound, Certificate, Example, Grid, Price};
use serde::{Deserialize, Serialize};

use crate::data::binarise::{BinariseOptions, Features};
use crate::data::examples::Examples;
use crate::data::literal::{ClassId, FeatureId, Literal};
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::file::write_text;
use crate::judge::outcome::Judge;
use crate::limits::Limits;
use crate::result::proof;
use crate::solve::alpha::Alpha;
use crate::solve::evidence;
use crate::solve::learn::Known;
use crate::solve::objective::{Cost, Objective};
use crate::solve::options::LearnOptions;
use crate::solve::rule::Term;

const FORMAT: &str = "minrule-progress";
/// Of files about sets that agree with every row, and about sparse ones.
const VERSION: u32 = 1;
const SPARSE_VERSION: u32 = 2;

/// What is known about the classes of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    format: String,
    version: u32,
    #[serde(flatten)]
    question: Question,
    classes: Vec<SavedClass>,
}

/// What was asked. An answer to another question is of no use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Question {
    /// SHA-256 of the table, as [`Table::sha256`] has it.
    sha256: String,
    /// How columns became features.
    binarise: BinariseOptions,
    /// What is minimised; in sparse sets, what alpha is paid for.
    objective: Objective,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sparse: Option<Sparse>,
}

/// What size costs in errors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Sparse {
    alpha: Alpha,
    /// Rows of the table, of which alpha may be a share.
    rows: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SavedClass {
    class: String,
    /// Literals: feature 1 is `1`, and `-1` its negation.
    rules: Vec<Vec<i32>>,
    /// Why a bound holds.
    certificate: Option<String>,
}

impl Question {
    pub(crate) fn new(
        table: &Table,
        examples: &Examples,
        binarise: &BinariseOptions,
        options: &LearnOptions,
    ) -> Question {
        Question {
            sha256: table.sha256.clone(),
            // Features are the same within any memory.
            binarise: BinariseOptions { max_bytes: None, ..binarise.clone() },
            objective: options.objective(),
            sparse: options.alpha().map(|alpha| Sparse { alpha, rows: examples.all_rows() }),
        }
    }

    /// What a unit of size costs in rows, if rules may be wrong: a fraction.
    fn price(&self) -> Option<(u64, u64)> {
        self.sparse.map(|Sparse { alpha, rows }| alpha.price(rows))
    }

    fn version(&self) -> u32 {
        if self.sparse.is_some() { SPARSE_VERSION } else { VERSION }
    }

    /// In what it is another question than the one that is asked now.
    fn difference(&self, now: &Question) -> Option<String> {
        if self.binarise != now.binarise {
            return Some("its columns became features in another way".to_string());
        }
        if self.sha256 != now.sha256 {
            return Some("it is of another table".to_string());
        }
        if self.objective != now.objective {
            return Some("something else was minimised".to_string());
        }
        match (self.sparse, now.sparse) {
            (None, Some(_)) => Some("its rules are to agree with every row".to_string()),
            (Some(_), None) => Some("its rules may be wrong about some rows".to_string()),
            (Some(then), Some(now)) if then.alpha != now.alpha => {
                Some(format!("its alpha is {}, and not {}", then.alpha, now.alpha))
            }
            (Some(then), Some(now)) if then.rows != now.rows => {
                Some(format!("it is of {} rows of the table, and not of {}", then.rows, now.rows))
            }
            _ => None,
        }
    }
}

impl Saved {
    /// What is known, in a form to keep.
    pub(crate) fn new(known: &[Known], question: Question, table: &Table, examples: &Examples) -> Saved {
        let class = |known: &Known| {
            let label = examples.classes()[known.class.0 as usize].clone();
            let certificate = known.argument.as_ref().map(|argument| {
                let minimised = (question.objective, question.price());
                proof::certificate(table, (&label, Vec::new()), minimised, known.lower_bound, argument)
            });
            let literals = |term: &Term| term.literals().iter().map(evidence::signed).collect();
            SavedClass { class: label, rules: known.rules.iter().map(literals).collect(), certificate }
        };
        let classes = known.iter().map(class).collect();
        Saved { format: FORMAT.to_string(), version: question.version(), question, classes }
    }

    /// Writes the file. If that fails, the old file stays.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_vec(self)
            .map_err(|cause| Error::Internal(format!("progress cannot be written: {cause}")))?;
        write_text(path, text)
    }

    /// Reads what a run with the same question left; nothing, if there is no such file.
    pub(crate) fn read(path: &Path, question: &Question) -> Result<Option<Saved>> {
        let bad = |problem: String| Error::BadProgress { path: path.to_path_buf(), problem };
        // A pipe would keep us waiting, and a device gives back nothing that was written to it.
        let read = match fs::metadata(path) {
            Ok(found) if !found.is_file() => Err(std::io::Error::other("it is not a regular file")),
            _ => fs::read(path),
        };
        let text = match read {
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(Error::Read { place: path.display().to_string(), cause }),
            Ok(text) => text,
        };
        let saved: Saved = serde_json::from_slice(&text).map_err(|cause| bad(cause.to_string()))?;
        if saved.format != FORMAT || saved.version != saved.question.version() {
            return Err(bad("it is not a progress file of this version".to_string()));
        }
        match saved.question.difference(question) {
            Some(difference) => Err(bad(difference)),
            None => Ok(Some(saved)),
        }
    }

    /// The part of it that still holds. Each class is judged anew, and whatever does not hold is left
    /// out.
    pub fn known(&self, examples: &Arc<Examples>, features: &Features, limits: &Limits) -> Vec<Known> {
        // In sparse sets, every row counts as what it is.
        let unsettled = self.question.sparse.map(|_| examples.with_outvoted());
        let mut judge = Judge::new(unsettled.as_ref().unwrap_or(examples));
        let literals: HashMap<i32, Literal> = features
            .literals()
            .into_iter()
            .map(|literal| (evidence::signed(&literal), literal))
            .collect();
        let mut all = Vec::new();
        for saved in &self.classes {
            let label = |class: &ClassId| examples.classes()[class.0 as usize] == saved.class;
            let Some(class) = (0..examples.classes().len() as u32).map(ClassId).find(label) else {
                continue;
            };
            let term = |rule: &Vec<i32>| {
                let rule: Option<Vec<Literal>> =
                    rule.iter().map(|number| literals.get(number).copied()).collect();
                rule.map(Term::new)
            };
            let rules: Option<Vec<Term>> = saved.rules.iter().map(term).collect();
            let Some(rules) = rules.filter(|rules| self.holds(class, rules, &mut judge)) else {
                continue;
            };
            let proven = self.proven(saved, class, examples, features, limits);
            let (lower_bound, argument) = proven.map_or((Cost::default(), None), |certificate| {
                let Bound { first, second } = certificate.bound;
                (Cost { first, second }, Some(certificate.argument))
            });
            all.push(Known { class, rules, lower_bound, argument });
        }
        all
    }

    /// Whether rules are valid. In a sparse set all are: it is enough that they are better than none.
    fn holds(&self, class: ClassId, rules: &[Term], judge: &mut Judge) -> bool {
        let Some(Sparse { alpha, .. }) = self.question.sparse else {
            return judge.rules(class, rules).is_ok();
        };
        let mut cost = |rules: &[Term]| judge.sparse_cost(class, rules, self.question.objective, alpha);
        matches!((cost(rules), cost(&[])), (Some(cost), Some(of_none)) if cost <= of_none)
    }

    /// The certificate of a class, if it is one.
    fn proven(
        &self,
        saved: &SavedClass,
        class: ClassId,
        examples: &Examples,
        features: &Features,
        limits: &Limits,
    ) -> Option<Certificate> {
        let certificate = Certificate::parse(saved.certificate.as_ref()?.as_bytes()).ok()?;
        let price =
            self.question.price().map(|(numerator, denominator)| Price { numerator, denominator });
        let minimised = (evidence::objective(self.question.objective), price);
        if (certificate.objective, certificate.price) != minimised || !certificate.after.is_empty() {
            return None;
        }
        // Where rules may be wrong, each row counts as what it is.
        let examples = match price {
            None => Cow::Borrowed(examples),
            Some(_) => Cow::Owned(examples.with_outvoted()),
        };
        let row = |&example: &usize| {
            let features =
                (0..examples.features() as u32).map(|f| examples.value(example, FeatureId(f)));
            Example { features: features.collect(), rows: examples.rows(example) }
        };
        let (positives, negatives) = examples.split(class);
        let negatives: Vec<Example> = negatives.iter().map(row).collect();
        let literals: Vec<i32> = features.literals().iter().map(evidence::signed).collect();
        let grid = Grid::new(&literals, positives.iter().map(row).collect(), &negatives);
        let tired = || limits.is_reached();
        minrule_proof::check(&grid, &certificate, &tired).ok().map(|()| certificate)
    }
}
