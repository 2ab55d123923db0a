//! What a run knows, on file, so that a later one can go on from there.
//!
//! Nothing in the file is believed: rules are judged by the examples again, and a bound counts only
//! with a certificate that the checker accepts.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use hashbrown::HashMap;
use minrule_proof::{Bound, Certificate, Example, Grid};
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
use crate::solve::evidence;
use crate::solve::learn::Known;
use crate::solve::objective::{Cost, Objective};
use crate::solve::rule::Term;

const FORMAT: &str = "minrule-progress";
const VERSION: u32 = 1;

/// What is known about the classes of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    format: String,
    version: u32,
    /// SHA-256 of the table's bytes as they were read.
    sha256: String,
    /// How columns became features.
    binarise: BinariseOptions,
    /// What is minimised.
    objective: Objective,
    classes: Vec<SavedClass>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SavedClass {
    class: String,
    /// Literals: feature 1 is `1`, and `-1` its negation.
    rules: Vec<Vec<i32>>,
    /// Why a bound holds.
    certificate: Option<String>,
}

impl Saved {
    /// What is known, in a form to keep.
    pub fn new(
        known: &[Known],
        table: &Table,
        examples: &Examples,
        binarise: &BinariseOptions,
        objective: Objective,
    ) -> Saved {
        let class = |known: &Known| {
            let label = examples.classes()[known.class.0 as usize].clone();
            let certificate = known.argument.as_ref().map(|argument| {
                proof::certificate(table, &label, (objective, None), known.lower_bound, argument)
            });
            let literals = |term: &Term| term.literals().iter().map(evidence::signed).collect();
            SavedClass { class: label, rules: known.rules.iter().map(literals).collect(), certificate }
        };
        Saved {
            format: FORMAT.to_string(),
            version: VERSION,
            sha256: table.sha256.clone(),
            binarise: binarise.clone(),
            objective,
            classes: known.iter().map(class).collect(),
        }
    }

    /// Writes the file. If that fails, the old file stays.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_vec(self)
            .map_err(|cause| Error::Internal(format!("progress cannot be written: {cause}")))?;
        write_text(path, text)
    }

    /// Reads what a run on the same table left; nothing, if there is no such file.
    pub fn read(
        path: &Path,
        table: &Table,
        binarise: &BinariseOptions,
        objective: Objective,
    ) -> Result<Option<Saved>> {
        let bad = |problem: &str| Error::BadProgress {
            path: path.to_path_buf(),
            problem: problem.to_string(),
        };
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
        let saved: Saved = serde_json::from_slice(&text).map_err(|cause| bad(&cause.to_string()))?;
        if saved.format != FORMAT || saved.version != VERSION {
            return Err(bad("it is not a progress file of this version"));
        }
        if saved.sha256 != table.sha256 {
            return Err(bad("it is of another table"));
        }
        if saved.binarise != *binarise {
            return Err(bad("its columns became features in another way"));
        }
        if saved.objective != objective {
            return Err(bad("something else was minimised"));
        }
        Ok(Some(saved))
    }

    /// The part of it that still holds. Each class is judged anew, and whatever does not hold is left
    /// out.
    pub fn known(&self, examples: &Arc<Examples>, features: &Features, limits: &Limits) -> Vec<Known> {
        let mut judge = Judge::new(examples);
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
            let Some(rules) = rules.filter(|rules| judge.rules(class, rules).is_ok()) else { continue };
            let proven = self.proven(saved, class, examples, features, limits);
            let (lower_bound, argument) = proven.map_or((Cost::default(), None), |certificate| {
                let Bound { first, second } = certificate.bound;
                (Cost { first, second }, Some(certificate.argument))
            });
            all.push(Known { class, rules, lower_bound, argument });
        }
        all
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
        if certificate.objective != evidence::objective(self.objective) {
            return None;
        }
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
