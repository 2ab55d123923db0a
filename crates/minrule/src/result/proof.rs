//! Proofs on file: why the bounds of a model hold, for a checker that knows no solver.
//!
//! The [evidence](crate::solve::evidence) that solvers posted, in the words and numbers of a
//! [`Certificate`](minrule_proof::Certificate) for each class.

use std::fs;
use std::path::Path;

use minrule_proof::{Argument, Bound, Certificate, Price};
use serde::{Deserialize, Serialize};

use crate::data::examples::Examples;
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::file::write_text;
use crate::result::decision_set::CostValue;
use crate::result::outcome::{ClassOutcome, Outcome};
use crate::solve::evidence;
use crate::solve::objective::{Cost, Objective};

/// The certificate of a class: every valid set of rules costs at least the bound. Where rules may be wrong, a
/// unit of size has a price in rows. The classes before it matter where classes have an order.
pub(crate) fn certificate(
    table: &Table,
    (class, after): (&str, Vec<String>),
    (minimised, price): (Objective, Option<(u64, u64)>),
    bound: Cost,
    argument: &Argument,
) -> String {
    let certificate = Certificate {
        table: table.sha256.clone(),
        class: class.to_string(),
        after,
        objective: evidence::objective(minimised),
        price: price.map(|(numerator, denominator)| Price { numerator, denominator }),
        bound: Bound { first: bound.first, second: bound.second },
        argument: argument.clone(),
    };
    certificate.to_text()
}

/// The certificates of a model, one text for each of its classes; some may be lacking.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// In the order of the model's classes.
    pub certificates: Vec<Option<Vec<u8>>>,
    /// What they are certificates of. Older proofs have none.
    pub manifest: Option<Manifest>,
}

/// What a folder of certificates proves, for programs and people that do not read certificates. Each
/// certificate contains the same information about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// What a unit of that costs in rows, as a fraction, if rules may be wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<[u64; 2]>,
    /// What is proven of each class.
    pub classes: Vec<CertifiedClass>,
}

/// What is proven of a class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Where rules may be wrong.
    const SPARSE_VERSION: u32 = 2;
    const FILE: &str = "manifest.json";

    fn problem(&self) -> Option<String> {
        match (self.format.as_str(), self.version, self.price) {
            (Manifest::FORMAT, Manifest::VERSION, None) => None,
            (Manifest::FORMAT, Manifest::SPARSE_VERSION, Some(_)) => None,
            (Manifest::FORMAT, other, _) => Some(format!("its version is {other}")),
            (other, ..) => Some(format!("its format is \"{other}\"")),
        }
    }
}

impl Proof {
    /// What an outcome that was asked for [a proof](crate::LearnOptions::with_proof) has to show.
    pub fn new(outcome: &Outcome, examples: &Examples, table: &Table) -> Proof {
        let price = outcome.options.alpha().map(|alpha| alpha.price(examples.all_rows()));
        let label = |class: &ClassOutcome| examples.classes()[class.class.0 as usize].clone();
        let certificate = |(number, class): (usize, &ClassOutcome)| {
            let argument = class.argument.as_ref()?;
            let before = &outcome.classes[..if outcome.options.is_ordered() { number } else { 0 }];
            let of = (&*label(class), before.iter().map(label).collect());
            let minimised = (outcome.objective(), price);
            let text = certificate(table, of, minimised, class.lower_bound, argument);
            Some(text.into_bytes())
        };
        let certificates: Vec<Option<Vec<u8>>> =
            outcome.classes.iter().enumerate().map(certificate).collect();
        let classes = outcome.classes.iter().enumerate().map(|(number, class)| CertifiedClass {
            class: examples.classes()[class.class.0 as usize].clone(),
            lower_bound: match price {
                None => CostValue::new(outcome.objective(), class.lower_bound),
                Some((_, parts)) => CostValue::in_rows(class.lower_bound, parts),
            },
            certificate: certificates[number].as_ref().map(|_| Proof::file_name(number)),
        });
        let manifest = Manifest {
            format: Manifest::FORMAT.to_string(),
            version: if price.is_some() { Manifest::SPARSE_VERSION } else { Manifest::VERSION },
            table: table.sha256.clone(),
            target: table.target.name.clone(),
            objective: outcome.objective(),
            price: price.map(|(numerator, denominator)| [numerator, denominator]),
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
