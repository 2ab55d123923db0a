//! Judges the certificates of a model by a table.
//!
//! Rows are read by the words of the model's conditions alone; the certificates are left to
//! [`minrule_proof`], which knows no solver.

use hashbrown::HashMap;
pub use minrule_proof::Derivation;
use minrule_proof::{Bound, Certificate, Example, Grid, Price, Refusal};

use crate::data::binarise::Features;
use crate::data::condition::Condition;
use crate::data::literal::{FeatureId, Literal};
use crate::data::table::Table;
use crate::error::Result;
use crate::judge::looks::{Looks, value, values};
use crate::judge::model::identity;
use crate::limits::Limits;
use crate::names::Choice;
use crate::result::decision_set::{ClassRules, CostValue, DecisionRule};
use crate::result::model::Model;
use crate::result::proof::{Manifest, Proof};
use crate::solve::evidence;
use crate::solve::objective::Objective;

/// What is wrong with the proof of a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofFault {
    /// The rules could have used other conditions than the model says.
    #[error("the model's features are not those that its own options make of the table")]
    OtherFeatures,
    /// A manifest that is not that of this model and table, or not of these certificates.
    #[error("the manifest of the proof says {stated} of {what}, but it is {expected}")]
    Manifest {
        /// What it speaks of.
        what: String,
        /// What it says.
        stated: String,
        /// What it should say.
        expected: String,
    },
    /// A bound without a certificate.
    #[error("class \"{class}\": there is no certificate {file}")]
    NoCertificate {
        /// The class.
        class: String,
        /// The file that should be there.
        file: String,
    },
    /// A file that is no certificate.
    #[error("class \"{class}\": {file} is no certificate: {problem}")]
    Garbled {
        /// The class.
        class: String,
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: minrule_proof::Garbled,
    },
    /// A certificate of something else.
    #[error("class \"{class}\": the certificate is of another {what}: {found}")]
    Elsewhere {
        /// The class.
        class: String,
        /// What differs.
        what: &'static str,
        /// What the certificate says.
        found: String,
    },
    /// A certificate of less than the model claims.
    #[error("class \"{class}\": the model claims the bound {claimed}, the certificate {certified}")]
    TooLittle {
        /// The class.
        class: String,
        /// By the model.
        claimed: Bound,
        /// By the certificate.
        certified: Bound,
    },
    /// A certificate whose argument is wrong, or took too long to check.
    #[error("class \"{class}\": {refusal}")]
    Refused {
        /// The class.
        class: String,
        /// Why.
        refusal: Refusal,
    },
}

impl ProofFault {
    /// Whether this is only for want of time.
    pub fn is_unfinished(&self) -> bool {
        matches!(self, ProofFault::Refused { refusal: Refusal::Unfinished, .. })
    }
}

/// All faults of a proof, within these limits; none if it holds.
pub fn judge(model: &Model, table: &Table, proof: &Proof, limits: &Limits) -> Result<Vec<ProofFault>> {
    let mut faults = Vec::new();
    if Features::choose(table, &model.provenance.binarise)? != model.features {
        faults.push(ProofFault::OtherFeatures);
    }
    let examples = Seen::new(model, table)?;
    if let Some(manifest) = &proof.manifest {
        faults.extend(manifest_faults(manifest, model, &examples.table, proof));
    }
    let tired = || limits.is_reached();
    for (number, class) in model.decision_set.classes.iter().enumerate() {
        let (file, label) = (Proof::file_name(number), class.class.clone());
        let text = proof.certificates.get(number).and_then(Option::as_ref);
        match text.map(|text| Certificate::parse(text)) {
            None => faults.push(ProofFault::NoCertificate { class: label, file }),
            Some(Err(problem)) => faults.push(ProofFault::Garbled { class: label, file, problem }),
            Some(Ok(certificate)) => {
                faults.extend(one(model, (number, class), &certificate, &examples, &tired));
            }
        }
    }
    Ok(faults)
}

/// What a manifest says that is not so.
fn manifest_faults(manifest: &Manifest, model: &Model, table: &str, proof: &Proof) -> Vec<ProofFault> {
    let set = &model.decision_set;
    let mut faults = Vec::new();
    let mut equal = |what: String, stated: String, expected: String| {
        if stated != expected {
            faults.push(ProofFault::Manifest { what, stated, expected });
        }
    };
    equal("the table".into(), manifest.table.clone(), table.to_string());
    equal("the class column".into(), manifest.target.clone(), set.target.clone());
    let name = |objective: Objective| objective.name().to_string();
    equal("the objective".into(), name(manifest.objective), name(set.objective));
    let fraction = |price: Option<[u64; 2]>| {
        price.map_or("none".to_string(), |[numerator, denominator]| format!("{numerator}/{denominator}"))
    };
    equal("the price".into(), fraction(manifest.price), fraction(set.price_fraction));
    equal(
        "the number of classes".into(),
        manifest.classes.len().to_string(),
        set.classes.len().to_string(),
    );
    for (number, (stated, class)) in manifest.classes.iter().zip(&set.classes).enumerate() {
        let of = format!("class {}", number + 1);
        equal(format!("the name of {of}"), stated.class.clone(), class.class.clone());
        let words = |value: CostValue| match value {
            CostValue::One(n) => n.to_string(),
            CostValue::Two([first, second]) => format!("{first} and {second}"),
            CostValue::Rows(rows) => format!("{rows} rows"),
        };
        equal(format!("the lower bound of {of}"), words(stated.lower_bound), words(class.lower_bound));
        let file = proof.certificates.get(number).and_then(Option::as_ref);
        let file = file.map_or("none".to_string(), |_| Proof::file_name(number));
        let named = stated.certificate.clone().unwrap_or("none".to_string());
        equal(format!("the certificate of {of}"), named, file);
    }
    faults
}

/// Translates the proof for checkers of pseudo-Boolean proofs: a file name and a derivation for each
/// part. The proof should have been judged before. Parts of more than `most_lines` lines are left out.
pub fn derivations(
    model: &Model,
    table: &Table,
    proof: &Proof,
    most_lines: usize,
) -> Result<Vec<(String, Derivation)>> {
    let examples = Seen::new(model, table)?;
    let mut all = Vec::new();
    for (number, class) in model.decision_set.classes.iter().enumerate() {
        let text = proof.certificates.get(number).and_then(Option::as_ref);
        let Some(Ok(certificate)) = text.map(|text| Certificate::parse(text)) else { continue };
        let grid = examples.grid(number, class);
        let derived = minrule_proof::derivations(&grid, &certificate, most_lines, &|| false);
        for derivation in derived.unwrap_or_default() {
            all.push((format!("class-{}-{}", number + 1, derivation.name), derivation));
        }
    }
    Ok(all)
}

/// The fault of one certificate, if it has any.
fn one(
    model: &Model,
    (number, class): (usize, &ClassRules),
    certificate: &Certificate,
    examples: &Seen,
    tired: &dyn Fn() -> bool,
) -> Option<ProofFault> {
    let label = || class.class.clone();
    let elsewhere = |what, found: &str| {
        Some(ProofFault::Elsewhere { class: label(), what, found: found.to_string() })
    };
    if certificate.table != examples.table {
        return elsewhere("table", &certificate.table);
    }
    if certificate.class != class.class {
        return elsewhere("class", &certificate.class);
    }
    let set = &model.decision_set;
    let before = &set.classes[..if set.is_ordered() { number } else { 0 }];
    if !certificate.after.iter().eq(before.iter().map(|class| &class.class)) {
        let found = match &certificate.after[..] {
            [] => "no class comes before it".to_string(),
            after => format!("it is told from what {} leave", after.join(", ")),
        };
        return elsewhere("order", &found);
    }
    if certificate.objective != evidence::objective(model.decision_set.objective) {
        return elsewhere("objective", certificate.objective.name());
    }
    let price = model
        .decision_set
        .price_fraction
        .map(|[numerator, denominator]| Price { numerator, denominator });
    if certificate.price != price {
        let found = certificate.price.map_or("none".to_string(), |price| price.to_string());
        return elsewhere("price", &found);
    }
    let claimed = match class.lower_bound {
        CostValue::One(first) => Bound { first, second: 0 },
        CostValue::Two([first, second]) => Bound { first, second },
        // The judge of models has seen that it is a whole number of parts.
        CostValue::Rows(rows) => {
            let parts = price.map_or(1, |price| price.denominator);
            Bound { first: (rows * parts as f64).round() as u64, second: 0 }
        }
    };
    if certificate.bound < claimed {
        let certified = certificate.bound;
        return Some(ProofFault::TooLittle { class: label(), claimed, certified });
    }
    let grid = examples.grid(number, class);
    let refusal = minrule_proof::check(&grid, certificate, tired).err()?;
    Some(ProofFault::Refused { class: label(), refusal })
}

/// The distinct rows of a table, as the conditions of a model see them.
struct Seen {
    /// What the model's files call the table.
    table: String,
    literals: Vec<i32>,
    looks: Vec<Look>,
}

/// Rows that no feature tells apart.
struct Look {
    features: Vec<bool>,
    /// Their labels, and the rows that have each: one label, where conflicts are settled.
    labels: Vec<(String, u64)>,
    /// Where classes have an order, the first class of the model that has a rule for them.
    first: Option<usize>,
}

impl Seen {
    fn new(model: &Model, table: &Table) -> Result<Seen> {
        let looks = Looks::new(model, table)?;
        let mut place: HashMap<u32, usize> = HashMap::new();
        // The first row of each look, and the labels of all its rows.
        let mut seen: Vec<(usize, HashMap<u32, u64>)> = Vec::new();
        let settled = !model.decision_set.is_sparse();
        for (row, &look) in looks.look.iter().enumerate() {
            let at = *place.entry(look).or_insert(seen.len());
            if at == seen.len() {
                seen.push((row, HashMap::new()));
            }
            let label = if settled { looks.settled[row] } else { table.target.codes.get(row) };
            *seen[at].1.entry(label).or_insert(0) += table.weight(row);
        }
        let label = |(&code, &rows): (&u32, &u64)| (table.target.values.get(code).to_string(), rows);
        let look = |(row, labels): &(usize, HashMap<u32, u64>)| Look {
            features: Vec::new(),
            labels: labels.iter().map(label).collect(),
            first: first_class(model, &looks, *row),
        };
        let mut all: Vec<Look> = seen.iter().map(look).collect();
        for encoded in &model.features.columns {
            let (column, numeric) = looks.columns[encoded.name.as_str()];
            let features = (0..encoded.encoding.features() as u32).map(|i| {
                let feature = FeatureId(encoded.first + i);
                model.features.condition(Literal { feature, positive: true })
            });
            let features: Vec<Condition> = features.collect();
            let cells: Vec<Vec<bool>> = values(column, numeric)
                .map(|field| features.iter().map(|feature| feature.holds(field)).collect())
                .collect();
            for (&(row, _), look) in seen.iter().zip(&mut all) {
                look.features.extend(&cells[column.codes.get(row) as usize]);
            }
        }
        let literals = model.features.literals().iter().map(evidence::signed).collect();
        Ok(Seen { table: identity(model, table), literals, looks: all })
    }

    /// One class, by its number in the model, against the rest: all looks, or those that rules of earlier
    /// classes leave.
    fn grid(&self, number: usize, class: &ClassRules) -> Grid {
        let left = || self.looks.iter().filter(|look| look.first.is_none_or(|first| first >= number));
        let of = |own: bool| {
            let example = |look: &Look| {
                let side = look.labels.iter().filter(|(label, _)| (*label == class.class) == own);
                let rows = side.map(|(_, rows)| rows).sum();
                (rows > 0).then(|| Example { features: look.features.clone(), rows })
            };
            left().filter_map(example).collect::<Vec<_>>()
        };
        Grid::new(&self.literals, of(true), &of(false))
    }
}

/// Where classes have an order, the first class of a model that has a rule for a row.
fn first_class(model: &Model, looks: &Looks, row: usize) -> Option<usize> {
    let set = &model.decision_set;
    let holds = |condition: &Condition| {
        let (column, numeric) = looks.columns[condition.feature.as_str()];
        condition.holds(value(column, numeric, column.codes.get(row)))
    };
    let fires = |rule: &DecisionRule| rule.conditions.iter().all(holds);
    let mut classes = set.classes.iter().filter(|_| set.is_ordered());
    classes.position(|class| class.rules.iter().any(fires))
}
