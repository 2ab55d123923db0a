//! The model file: a decision set with all it takes to apply, question and trace it.
//!
//! Versioned JSON. It holds no times and no dates, so the same table and options give the same
//! bytes.

use std::fs;
use std::path::Path;

use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};

use crate::apply::choose::Expected;
use crate::apply::evaluate::Evaluation;
use crate::apply::predict::{Conflict, Policy, Uncovered};
use crate::data::binarise::{BinariseOptions, Features};
use crate::data::condition::Condition;
use crate::data::examples::Examples;
use crate::data::kind::Kind;
use crate::data::spelling::Spelling;
use crate::data::table::{Missing, Table, TableOptions};
use crate::data::wording::{Style, Wording};
use crate::error::{Error, Result};
use crate::file::write_text;
use crate::result::decision_set::{DecisionRule, DecisionSet};
use crate::result::occurring::Occurring;
use crate::result::outcome::Outcome;
use crate::result::sparse::Applied;
use crate::solve::cover::CoverMethod;
use crate::solve::options::{LearnOptions, Method, MethodName};
use crate::solve::rivals::OptOptions;
use crate::solve::rules::EnumerateOptions;

const FORMAT: &str = "minrule-model";
const VERSION: u32 = 4;
/// Only tables of dates, or of numbers that are not written plainly, need the latest version; an earlier program
/// would take their values for something else.
const PLAIN_SPARSE: u32 = 3;
/// Only sparse sets need version 3: others are written as they always were.
const PLAIN_PERFECT: u32 = 2;
/// Version 1 does not say over what a claim holds.
const OLDEST: u32 = 1;

/// A decision set on file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    format: String,
    version: u32,
    /// Where it comes from.
    pub provenance: Provenance,
    /// Every label of the class column, in order of appearance.
    pub labels: Vec<String>,
    /// Rows of the table with each label.
    pub class_rows: Vec<u64>,
    /// How rows are decided that the rules alone do not.
    pub policy: Policy,
    /// The features and their encodings.
    pub features: Features,
    /// The rules and what was proven about them.
    pub decision_set: DecisionSet,
    /// Of each label, rows of the table that no rule of a sparse set covers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncovered_rows: Vec<u64>,
    /// Of each column that rules test, values that occur in the table. Models of earlier programs have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurring: Option<Vec<Occurring>>,
    /// What to expect on rows not seen, if that was found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// What the Python package adds for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<serde_json::Value>,
}

/// A column that rules test.
#[derive(Debug, Clone)]
pub struct UsedColumn<'m> {
    /// Its heading.
    pub name: &'m str,
    /// Whether its values are compared as numbers.
    pub numeric: bool,
    /// The different conditions on it.
    pub conditions: Vec<&'m Condition>,
}

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The version of minrule that made it.
    pub minrule: String,
    /// The table's name.
    pub table: String,
    /// SHA-256 of the table's bytes as they were read; of a table in memory, "examples:" and that of its examples.
    pub sha256: String,
    /// Rows used.
    pub rows: usize,
    /// Columns left out on request.
    pub ignored: Vec<String>,
    /// What was done about missing values.
    pub missing: Missing,
    /// How its values were written.
    #[serde(default, skip_serializing_if = "Spelling::is_plain")]
    pub spelling: Spelling,
    /// How columns became features.
    pub binarise: BinariseOptions,
    /// How the rules were found.
    pub method: MethodName,
    /// Stage 1 of [`Method::Enumerate`].
    pub enumerate: EnumerateOptions,
    /// Stage 2.
    pub cover: CoverMethod,
    /// The variants of [`Method::Opt`].
    #[serde(default)]
    pub opt: OptOptions,
    /// The order in which the examples were looked at, if it was drawn at random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl Provenance {
    /// The provenance of a model of this table.
    pub(crate) fn new(table: &Table, binarise: &BinariseOptions, learn: &LearnOptions) -> Provenance {
        let method = learn.method();
        // What a method has no use for stands there as the default.
        let (enumerate, opt) = match method {
            Method::Enumerate { rules, .. } => (rules, OptOptions::default()),
            Method::Opt(opt) => (EnumerateOptions::default(), opt),
            Method::Lazy { .. } | Method::Mds2 | Method::Mds2Star => Default::default(),
        };
        Provenance {
            minrule: env!("CARGO_PKG_VERSION").to_string(),
            table: table.name.clone(),
            sha256: table.sha256.clone(),
            rows: table.rows(),
            ignored: table.options.ignore.clone(),
            missing: table.options.missing,
            spelling: table.options.spelling.clone(),
            binarise: binarise.clone(),
            method: method.name(),
            enumerate,
            cover: method.cover().unwrap_or_default(),
            opt,
            seed: learn.seed(),
        }
    }
}

/// Whether columns have numbers that are not written plainly.
fn reads_notations(provenance: &Provenance, features: &Features) -> bool {
    let has_dates = features.columns.iter().any(|column| column.kind.is_temporal());
    has_dates || !provenance.spelling.notations.is_empty()
}

impl Model {
    /// A model of the earliest version that can hold it.
    pub fn new(
        provenance: Provenance,
        table: &Table,
        policy: Policy,
        features: Features,
        decision_set: DecisionSet,
    ) -> Model {
        let target = &table.target;
        let mut class_rows = vec![0; target.values.len()];
        for (row, code) in target.codes.iter().enumerate() {
            class_rows[code as usize] += table.weight(row);
        }
        let version = match (reads_notations(&provenance, &features), decision_set.is_sparse()) {
            (true, _) => VERSION,
            (false, true) => PLAIN_SPARSE,
            (false, false) => PLAIN_PERFECT,
        };
        Model {
            format: FORMAT.to_string(),
            version,
            provenance,
            labels: target.values.iter().map(str::to_string).collect(),
            class_rows,
            policy,
            features,
            decision_set,
            uncovered_rows: Vec::new(),
            occurring: None,
            expected: None,
            python: None,
        }
    }

    /// The same model with another sparse set in place of its own.
    pub(crate) fn with_set(&self, decision_set: DecisionSet, policy: Policy) -> Model {
        Model {
            version: self.version.max(PLAIN_SPARSE),
            policy,
            decision_set,
            uncovered_rows: vec![0; self.labels.len()],
            occurring: None,
            expected: None,
            ..self.clone()
        }
    }

    /// Counts what a sparse set does on the examples that it was found with, conflicts not settled.
    pub(crate) fn apply_to(&mut self, outcome: &Outcome, examples: &Examples) -> Result<()> {
        let applied = Applied::new(self, outcome, examples)?;
        self.decision_set.rows_wrong = Some(applied.wrong);
        self.uncovered_rows = applied.uncovered;
        Ok(())
    }

    /// Says the conditions of its rules.
    pub fn wording(&self, style: Style) -> Wording<'_> {
        Wording::new(&self.features, style).with_signs(&self.provenance.spelling.notations)
    }

    /// How to read a table as the model's own was read.
    pub fn table_options(&self) -> TableOptions {
        TableOptions {
            target: Some(self.decision_set.target.clone()),
            ignore: self.provenance.ignored.clone(),
            missing: self.provenance.missing,
            spelling: self.provenance.spelling.clone(),
            recognise: false,
            ..TableOptions::default()
        }
    }

    /// The rules of all classes in order, each with its label by position in `labels`.
    pub fn rules(&self) -> impl Iterator<Item = (usize, &DecisionRule)> {
        let labels = self.labels.iter().enumerate();
        let places: HashMap<&str, usize> =
            labels.map(|(place, label)| (label.as_str(), place)).collect();
        self.decision_set.classes.iter().flat_map(move |class| {
            let label = places.get(class.class.as_str()).copied().unwrap_or_default();
            class.rules.iter().map(move |rule| (label, rule))
        })
    }

    /// Rules of a set without errors that cover less than a tenth of the rows of their class, if the set has ten
    /// rules or more and these are at least half of them. Such a set describes its table row by row, and
    /// probably its noise as well.
    pub fn thin_rules(&self) -> Option<usize> {
        const MANY: usize = 10;
        let set = &self.decision_set;
        let is_thin = |(label, rule): &(usize, &DecisionRule)| {
            rule.covers.saturating_mul(10) < self.class_rows[*label]
        };
        let thin = self.rules().filter(is_thin).count();
        (!set.is_sparse() && set.rules >= MANY && 2 * thin >= set.rules).then_some(thin)
    }

    /// The labels that the rules do not describe, by position in `labels`.
    pub fn undescribed(&self) -> Vec<usize> {
        let described: HashSet<&str> =
            self.decision_set.classes.iter().map(|class| class.class.as_str()).collect();
        (0..self.labels.len())
            .filter(|&label| !described.contains(self.labels[label].as_str()))
            .collect()
    }

    /// What the model says of rows under a policy, to be counted.
    pub fn evaluation(&self, policy: Policy) -> Evaluation {
        let described: Vec<String> =
            self.decision_set.classes.iter().map(|class| class.class.clone()).collect();
        match (policy.uncovered, self.otherwise()) {
            (Uncovered::Default, None) => Evaluation::partial(&self.labels, &described),
            _ => Evaluation::new(&self.labels),
        }
    }

    /// The label that gets no rules, by position in `labels`: rows that no rule covers have it.
    pub fn otherwise(&self) -> Option<usize> {
        let otherwise = self.decision_set.otherwise.as_ref()?.as_ref()?;
        self.labels.iter().position(|label| label == otherwise)
    }

    /// The label of a row that no rule covers, by position in `labels`: the one that most rows of the
    /// table had. Where some classes are described and others are not, it is one of those others: the
    /// one said to have no rules, the only one, or none that could be named.
    pub fn default_label(&self) -> Option<usize> {
        if let Some(label) = self.otherwise() {
            return Some(label);
        }
        match self.undescribed()[..] {
            [] => {
                let most = self.class_rows.iter().max();
                self.class_rows.iter().position(|rows| Some(rows) == most)
            }
            [only] => Some(only),
            _ => None,
        }
    }

    /// What the numbers of a column are.
    pub(crate) fn kind_of(&self, column: &str) -> Kind {
        let encoded = self.features.columns.iter().find(|encoded| encoded.name == column);
        encoded.map_or(Kind::default(), |encoded| encoded.kind)
    }

    /// The columns that rules test, in the order of the table, each with its conditions.
    pub fn used_columns(&self) -> Vec<UsedColumn<'_>> {
        let mut columns: Vec<UsedColumn> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for column in &self.features.columns {
            places.insert(&column.name, columns.len());
            let (name, numeric) = (column.name.as_str(), column.encoding.is_numeric());
            columns.push(UsedColumn { name, numeric, conditions: Vec::new() });
        }
        let mut seen: HashSet<(&str, String)> = HashSet::new();
        for condition in self.rules().flat_map(|(_, rule)| &rule.conditions) {
            let name = condition.feature.as_str();
            if seen.insert((name, condition.to_string())) {
                let place = *places.entry(name).or_insert_with(|| {
                    columns.push(UsedColumn { name, numeric: false, conditions: Vec::new() });
                    columns.len() - 1
                });
                columns[place].conditions.push(condition);
            }
        }
        columns.retain(|column| !column.conditions.is_empty());
        columns
    }

    /// The model as it is written.
    pub fn to_json(&self) -> Result<String> {
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|cause| Error::Internal(format!("the model cannot be written: {cause}")))?;
        text.push('\n');
        Ok(text)
    }

    /// Writes the model.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_text(path, self.to_json()?)
    }

    /// Reads a model file.
    pub fn read(path: &Path) -> Result<Model> {
        let text =
            fs::read(path).map_err(|cause| Error::Read { place: path.display().to_string(), cause })?;
        Model::from_json(&text, path)
    }

    /// A model as it is written; `path` names it in messages.
    pub fn from_json(text: &[u8], path: &Path) -> Result<Model> {
        let bad = |problem: String| Error::BadModel { path: path.to_path_buf(), problem };
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let head: Head = serde_json::from_slice(text).map_err(|e| bad(e.to_string()))?;
        if head.format != FORMAT {
            return Err(bad(format!("its format is \"{}\"", head.format)));
        }
        if !(OLDEST..=VERSION).contains(&head.version) {
            return Err(bad(format!(
                "its version is {}, and this program reads versions {OLDEST} to {VERSION}",
                head.version
            )));
        }
        let model: Model = serde_json::from_slice(text).map_err(|e| bad(e.to_string()))?;
        model.problem().map_or(Ok(model), |problem| Err(bad(problem)))
    }

    /// What is wrong with the order of its classes: their rules must stand in it, or nobody knows which hold.
    fn order_problem(&self) -> Option<String> {
        let set = &self.decision_set;
        if set.order.as_ref().is_some_and(|order| *order != set.as_they_stand()) {
            return Some("its classes do not stand in the order that it states".to_string());
        }
        if set.order.as_ref().is_some_and(|order| order.len() != self.labels.len()) {
            return Some("its order does not name every class".to_string());
        }
        (set.is_ordered() != (self.policy.conflict == Conflict::Order)).then(|| {
            "the earlier class must win in conflicts where classes have an order, and only there"
                .to_string()
        })
    }

    /// What keeps the model from being applied at all, if anything does.
    pub(crate) fn problem(&self) -> Option<String> {
        if (self.version > 1) != self.decision_set.scope.is_some() {
            return Some(
                "from version 2 on, and only then, it must say over what it was proven".to_string(),
            );
        }
        let may_be_sparse = match self.version {
            ..PLAIN_SPARSE => !self.decision_set.is_sparse(),
            PLAIN_SPARSE => self.decision_set.is_sparse(),
            _ => true,
        };
        if !may_be_sparse || !self.decision_set.is_whole() {
            return Some(
                "in version 3, and not before, it must say what its rules get wrong".to_string(),
            );
        }
        if self.version == VERSION && !reads_notations(&self.provenance, &self.features) {
            return Some("version 4 is only for tables of dates, or of numbers with signs".to_string());
        }
        if let Some(problem) = self.order_problem() {
            return Some(problem);
        }
        let counts = if self.decision_set.is_sparse() { self.labels.len() } else { 0 };
        if self.uncovered_rows.len() != counts {
            return Some("it has no count of the rows of each label that no rule covers".to_string());
        }
        if self.decision_set.price_fraction.is_some_and(|[_, parts]| parts == 0) {
            return Some("its price is no number".to_string());
        }
        if self.provenance.binarise.max_values == Some(0) {
            return Some("a column of names cannot have conditions on none of them".to_string());
        }
        if self.provenance.binarise.intervals < 2 {
            return Some("a column of numbers cannot be cut into fewer than 2 intervals".to_string());
        }
        if self.provenance.binarise != self.provenance.binarise.as_used() {
            return Some("it says how to cut numbers in two ways, intervals and thresholds".to_string());
        }
        if self.labels.len() != self.class_rows.len() || self.labels.is_empty() {
            return Some("it has no count of rows for each label".to_string());
        }
        let mut labels = HashSet::new();
        if let Some(twice) = self.labels.iter().find(|label| !labels.insert(label.as_str())) {
            return Some(format!("it has the label \"{twice}\" twice"));
        }
        // Whoever adds rows up relies on it.
        let covered = self.decision_set.classes.iter().flat_map(|class| &class.rules);
        let rows = |rule: &DecisionRule| [rule.covers, rule.wrong.unwrap_or_default()];
        let counts = [
            sum(self.class_rows.iter().copied()),
            sum(self.uncovered_rows.iter().copied()),
            sum(covered.flat_map(rows)),
        ];
        if counts.contains(&None) {
            return Some("its rows are too many to count".to_string());
        }
        let mut undescribed = labels.clone();
        for class in &self.decision_set.classes {
            if !undescribed.remove(class.class.as_str()) {
                let known = labels.contains(class.class.as_str());
                let problem = if known { "twice" } else { "which is no label" };
                return Some(format!("it has rules for \"{}\", {problem}", class.class));
            }
            for condition in class.rules.iter().flat_map(|rule| &rule.conditions) {
                if !condition.is_well_formed() {
                    return Some(format!("\"{condition}\" is no condition"));
                }
            }
        }
        if let Some(Some(otherwise)) = &self.decision_set.otherwise
            && !undescribed.contains(otherwise.as_str())
        {
            let known = labels.contains(otherwise.as_str());
            let problem = if known { "which has rules" } else { "which is no label" };
            return Some(format!("it gives rows that no rule covers to \"{otherwise}\", {problem}"));
        }
        self.features.problem()
    }
}

/// The sum, if it can be counted.
fn sum(mut counts: impl Iterator<Item = u64>) -> Option<u64> {
    counts.try_fold(0, u64::checked_add)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::data::binarise::Numeric;
    use crate::data::condition::Operand;
    use crate::testing::model_of;

    fn read(text: &str) -> Result<Model> {
        Model::from_json(text.as_bytes(), Path::new("model.json"))
    }

    fn numbers() -> Model {
        let options = BinariseOptions { numeric: Numeric::Thresholds, ..BinariseOptions::default() };
        model_of("x,y,class\n1,0,a\n2,0,b\n3,1,a\n4,1,b\n", &options)
    }

    #[test]
    fn a_set_of_many_thin_rules_is_told_from_others() {
        let table = |rows: usize, class: fn(usize) -> usize| {
            let cells = |row: usize| format!("{},{},{}\n", row / 2, row % 2, class(row));
            format!("x,y,class\n{}", (0..rows).map(cells).collect::<String>())
        };
        let names = BinariseOptions {
            numeric: Numeric::Intervals,
            intervals: 100,
            negations: false,
            ..BinariseOptions::default()
        };
        let alternating = |row: usize| (row / 2 + row) % 2;
        // Each value of x has two rows, of different classes, and so has each value of y.
        assert_eq!(model_of(&table(80, alternating), &names).thin_rules(), Some(80));
        assert_eq!(model_of(&table(8, alternating), &names).thin_rules(), None);
        assert_eq!(model_of(&table(80, |row| row % 2), &names).thin_rules(), None);
    }

    #[test]
    fn numbers_come_back_from_a_file_to_the_last_bit() {
        let mut model = numbers();
        let mut random = fastrand::Rng::with_seed(6);
        for _ in 0..1_000 {
            let number = f64::from_bits(random.u64(..));
            if number.is_finite() {
                model.decision_set.classes[0].rules[0].conditions[0].value = Operand::Number(number);
                model.decision_set.classes[0].rules[0].conditions[0].op =
                    crate::data::condition::Op::AtMost;
                assert_eq!(read(&model.to_json().unwrap()).unwrap(), model, "{number:e}");
            }
        }
    }

    #[test]
    fn a_model_that_cannot_be_applied_is_refused() {
        let refused = |words: &str, change: &dyn Fn(&mut Value)| {
            let mut model: Value = serde_json::from_str(&numbers().to_json().unwrap()).unwrap();
            change(&mut model);
            let error = read(&model.to_string()).expect_err(words).to_string();
            assert!(error.contains(words), "{error}");
        };
        let columns = |model: &mut Value| model["features"]["columns"].as_array_mut().unwrap().clone();
        refused("begin at 4294967295 and not at 0", &|model| {
            model["features"]["columns"][0]["first"] = json!(u32::MAX);
        });
        refused("begin at 3 and not at 0", &|model| {
            let reversed: Vec<Value> = columns(model).into_iter().rev().collect();
            model["features"]["columns"] = json!(reversed);
        });
        refused("two columns \"x\"", &|model| {
            let first = columns(model)[0].clone();
            model["features"]["columns"].as_array_mut().unwrap().push(first);
        });
        refused("cuts of \"x\" do not rise", &|model| {
            model["features"]["columns"][0]["encoding"]["thresholds"]["cuts"] = json!([1.5, 2.5, 2.5]);
        });
        refused("column \"y\" has no features", &|model| {
            model["features"]["columns"][1]["encoding"] = json!({ "cells": [] });
        });
        refused("the label \"a\" twice", &|model| model["labels"] = json!(["a", "a"]));
        refused("rules for \"a\", twice", &|model| {
            model["decision_set"]["classes"][1]["class"] = json!("a");
        });
        refused("too many to count", &|model| model["class_rows"] = json!([u64::MAX, 1]));
        refused("too many to count", &|model| {
            model["decision_set"]["classes"][0]["rules"][0]["covers"] = json!(u64::MAX);
        });
    }
}
