//! Judges a model file by a table: whether the rules hold, and whether the claims about them are true.
//!
//! Rules count by their words alone. Nothing here looks at how they were found, at the bits they were
//! found with, or at what a solver said. A proof of optimality is not repeated, but the claims must be
//! consistent.

use std::fmt;

use fixedbitset::FixedBitSet;
use hashbrown::{HashMap, HashSet};

use crate::data::binarise::{Cell, EncodedColumn, Encoding, Features};
use crate::data::condition::Condition;
use crate::data::examples::{Examples, OF_EXAMPLES};
use crate::data::literal::Literal;
use crate::data::table::Table;
use crate::data::wording::Style;
use crate::error::{Error, Result};
use crate::judge::cost;
use crate::judge::looks::{Looks, values};
use crate::judge::sparse::{self, Fired};
use crate::result::decision_set::{ClassRules, CostValue, DecisionRule, DecisionSet, Scope};
use crate::result::model::Model;
use crate::result::occurring::{Observed, Occurring};
use crate::result::outcome::Status;
use crate::solve::objective::{Cost, Objective};
use crate::solve::rivals::OptModel;

/// What is wrong with a model. Rules are numbered from 1 in their class, rows from 1 in the table.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelFault {
    /// A rule tests a column that the model does not describe.
    #[error("{rule} tests \"{column}\", which is none of the model's columns")]
    ForeignColumn {
        /// The rule.
        rule: RuleName,
        /// The column.
        column: String,
    },
    /// A rule tests what no feature of the model stands for.
    #[error("{rule} has the condition \"{condition}\", which is none of the model's features")]
    ForeignCondition {
        /// The rule.
        rule: RuleName,
        /// The condition.
        condition: String,
    },
    /// A rule stands in one class and concludes another.
    #[error("{rule} concludes \"{then}\"")]
    WrongConclusion {
        /// The rule.
        rule: RuleName,
        /// What it concludes.
        then: String,
    },
    /// A rule fires on a row of another class.
    #[error("{rule} fires on row {row}, whose class is \"{class}\"")]
    Inconsistent {
        /// The rule.
        rule: RuleName,
        /// The row.
        row: usize,
        /// Its class.
        class: String,
    },
    /// No rule of its class fires on a row.
    #[error("no rule of class \"{class}\" covers row {row}")]
    Uncovered {
        /// The class.
        class: String,
        /// The row.
        row: usize,
    },
    /// A condition that can be left out.
    #[error("{rule} does not need the condition \"{condition}\"")]
    RedundantCondition {
        /// The rule.
        rule: RuleName,
        /// The condition.
        condition: String,
    },
    /// A rule that can be left out.
    #[error("{rule} is not needed: others cover all of its rows")]
    RedundantRule {
        /// The rule.
        rule: RuleName,
    },
    /// A number that is not what was counted.
    #[error("{what} is said to be {stated}, but it is {counted}")]
    WrongNumber {
        /// What the number is of.
        what: String,
        /// What the model says.
        stated: String,
        /// What was counted.
        counted: String,
    },
    /// A class that the model should describe and does not, or the other way round.
    #[error("the rules describe {described}, but the model says {stated}")]
    OtherClasses {
        /// The classes that have rules.
        described: String,
        /// The classes that it says it describes.
        stated: String,
    },
    /// The rules could have used other conditions than the model says.
    #[error("the model's features are not those that its own options make of the table")]
    OtherFeatures,
    /// A model names values of a column that occur, and other ones do.
    #[error("the values that occur in column \"{column}\" are not those that the model names")]
    OtherValues {
        /// The column.
        column: String,
    },
    /// The scope of a claim that is not that of the model's own features.
    #[error("{what} is not what the model's features and options make it")]
    WrongScope {
        /// What is said of the scope.
        what: &'static str,
    },
    /// A threshold that the model says it need not try, and that may well be better than those that it has.
    #[error(
        "the claim is said to hold for all thresholds, but \"{column}\" is not cut between {low} and {high}, where the class changes"
    )]
    NotAllThresholds {
        /// The column.
        column: String,
        /// A number.
        low: f64,
        /// The next one.
        high: f64,
    },
    /// A reason for the lack of a proof although there is a proof, or no reason although there is none.
    #[error("class \"{class}\" is {status}, but {reason}")]
    WrongReason {
        /// The class.
        class: String,
        /// What is claimed.
        status: &'static str,
        /// What is said of why.
        reason: &'static str,
    },
    /// A lower bound above the cost of a valid set.
    #[error("{what} has the lower bound {bound} above its cost {cost}")]
    BoundAboveCost {
        /// What the bound is of.
        what: String,
        /// The bound.
        bound: String,
        /// The cost.
        cost: String,
    },
    /// A claim of optimality that its own bound does not bear out, or the other way round.
    #[error("{what} is said to be {status}, with cost {cost} and lower bound {bound}")]
    WrongStatus {
        /// What the claim is about.
        what: String,
        /// What is claimed.
        status: &'static str,
        /// The cost.
        cost: String,
        /// The bound.
        bound: String,
    },
}

/// A rule by its class and number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleName {
    /// The class.
    pub class: String,
    /// From 1.
    pub number: usize,
}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {} of class \"{}\"", self.number, self.class)
    }
}

/// All faults of a model, by a table; none if it holds. What is said of the table that the model was
/// learned from is judged only by that table.
pub fn judge(model: &Model, table: &Table) -> Result<Vec<ModelFault>> {
    let mut faults = Vec::new();
    let sparse = model.decision_set.is_sparse();
    wording(model, &mut faults);
    match sparse {
        true => sparse::claims(model, &mut faults),
        false => claims(model, &mut faults),
    }
    scope(model, &mut faults);
    // The rows have no say about rules that cannot be read.
    let unreadable = |fault: &ModelFault| matches!(fault, ModelFault::ForeignColumn { .. });
    if !faults.iter().any(unreadable) {
        let mut rows = Rows::new(model, table)?;
        // Where rules may be wrong, rows refuse nothing but what is said of them.
        for class in model.decision_set.classes.iter().filter(|_| !sparse) {
            rows.judge(class, &mut faults);
        }
        if rows.is_its_table {
            rows.counts(&mut faults);
            if model.features.all_thresholds {
                rows.thresholds(&mut faults);
            }
            if sparse {
                Fired::new(model, &mut rows).counts(&rows, &mut faults);
            }
            if Features::choose(table, &model.provenance.binarise)? != model.features {
                faults.push(ModelFault::OtherFeatures);
            }
            occurring(model, table, &mut faults);
        }
    }
    Ok(faults)
}

/// Whether the values that a model says occur are those that do, if it says so.
fn occurring(model: &Model, table: &Table, faults: &mut Vec<ModelFault>) {
    let Some(stated) = &model.occurring else { return };
    let counted = Observed::new(&model.features, table).told_apart(&model.used_columns());
    for place in 0..stated.len().max(counted.len()) {
        let both = (stated.get(place), counted.get(place));
        let agree = matches!(both, (Some(stated), Some(counted)) if stated.agrees(counted));
        if let (false, Some(Occurring { column, .. })) = (agree, both.1.or(both.0)) {
            faults.push(ModelFault::OtherValues { column: column.clone() });
        }
    }
}

/// Rows of a table that the rules agree with, and all rows, by their weight: equal rows of different
/// classes cannot all be agreed with. Where rules may be wrong, these are the rows that the model gets right.
pub fn agreement(model: &Model, table: &Table) -> Result<(u64, u64)> {
    let weight = |row: usize| table.weight(row);
    let all = (0..table.rows()).map(weight).sum();
    if model.decision_set.is_sparse() {
        let mut rows = Rows::new(model, table)?;
        return Ok((all - Fired::new(model, &mut rows).wrong(&rows), all));
    }
    let looks = Looks::new(model, table)?;
    let kept = (0..table.rows()).filter(|&row| looks.settled[row] == table.target.codes.get(row));
    Ok((kept.map(weight).sum(), all))
}

/// Something that a model says and that nobody looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unchecked {
    /// What it is.
    pub what: &'static str,
    /// Why it was not checked, or what would check it.
    pub why: &'static str,
    /// Its places in the model file.
    pub fields: &'static [&'static str],
}

/// What [`judge`] leaves alone.
pub fn unchecked(model: &Model, table: &Table) -> Vec<Unchecked> {
    let sparse = model.decision_set.is_sparse();
    let mut unchecked = vec![match model.decision_set.is_ordered() {
        true => ORDERED_BOUNDS,
        false if sparse => SPARSE_BOUNDS,
        false => BOUNDS,
    }];
    if !is_its_table(model, table) {
        unchecked.push(COUNTS);
        unchecked.extend(sparse.then_some(SPARSE_COUNTS));
    }
    if model.decision_set.scope.is_none() {
        unchecked.push(SCOPE);
    }
    unchecked.push(ORIGIN);
    if model.expected.is_some() {
        unchecked.push(EXPECTED);
    }
    if model.python.is_some() {
        unchecked.push(PYTHON);
    }
    unchecked
}

/// The bounds, unless there is a proof.
pub const BOUNDS: Unchecked = Unchecked {
    what: "the lower bounds, and so that no smaller set exists",
    why: "give the proof that `minrule learn --proof DIR` wrote",
    fields: &[
        "decision_set.lower_bound",
        "decision_set.gap",
        "decision_set.status",
        "decision_set.classes.*.lower_bound",
        "decision_set.classes.*.status",
        "decision_set.classes.*.stopped_by",
    ],
};
/// The bounds of a set whose rules may be wrong, unless there is a proof.
pub const SPARSE_BOUNDS: Unchecked = Unchecked {
    what: "the lower bounds, and so that no better trade of errors against size exists",
    why: BOUNDS.why,
    fields: &[
        "decision_set.lower_bound",
        "decision_set.gap",
        "decision_set.status",
        "decision_set.classes.*.lower_bound",
        "decision_set.classes.*.gap",
        "decision_set.classes.*.status",
        "decision_set.classes.*.stopped_by",
    ],
};
/// The bounds of a set whose classes have an order, unless there is a proof.
pub const ORDERED_BOUNDS: Unchecked = Unchecked {
    what: "the lower bounds, and so that each class's rules are best given those before it",
    ..SPARSE_BOUNDS
};
const SPARSE_COUNTS: Unchecked = Unchecked {
    what: "how many rows the rules got wrong there",
    why: "this is another table",
    fields: &[
        "uncovered_rows",
        "decision_set.alpha",
        "decision_set.cost",
        "decision_set.errors",
        "decision_set.rows_wrong",
        "decision_set.classes.*.cost",
        "decision_set.classes.*.errors",
        "decision_set.classes.*.rules.*.wrong",
        "decision_set.classes.*.rules.*.precision",
    ],
};
const COUNTS: Unchecked = Unchecked {
    what: "what is said of the table that the model was learned from: its rows, classes, conflicts and features",
    why: "this is another table",
    fields: &[
        "provenance.sha256",
        "provenance.rows",
        "provenance.binarise",
        "labels",
        "class_rows",
        "features",
        "occurring",
        "decision_set.conflicts",
        "decision_set.classes.*.rules.*.covers",
    ],
};
const SCOPE: Unchecked = Unchecked {
    what: "over which conditions it was proven",
    why: "a model of version 1 does not say it",
    fields: &["decision_set.scope"],
};
const ORIGIN: Unchecked = Unchecked {
    what: "how the rules were found, and of how many they were chosen",
    why: "rules are judged by what they say",
    fields: &[
        "provenance.minrule",
        "provenance.table",
        "provenance.method",
        "provenance.enumerate",
        "provenance.cover",
        "provenance.opt",
        "provenance.seed",
        "decision_set.rules_enumerated",
        "decision_set.classes.*.rules_enumerated",
        "decision_set.classes.*.stopped_by",
    ],
};
const EXPECTED: Unchecked = Unchecked {
    what: "what to expect on rows not seen",
    why: "that takes cross-validation; `minrule curve --cross-validate` does it again",
    fields: &["expected"],
};
const PYTHON: Unchecked = Unchecked {
    what: "what Python keeps for itself, such as the types of labels",
    why: "no rule depends on it",
    fields: &["python"],
};

/// Whether this is the very table that the model was learned from.
pub fn is_its_table(model: &Model, table: &Table) -> bool {
    model.provenance.sha256 == identity(model, table)
}

/// What the files of a model call this table. A model that was learned from a table in memory knows it by its
/// examples, wherever they are read from.
pub(super) fn identity(model: &Model, table: &Table) -> String {
    let is_of_examples = |sha256: &str| sha256.starts_with(OF_EXAMPLES);
    if !is_of_examples(&model.provenance.sha256) || is_of_examples(&table.sha256) {
        return table.sha256.clone();
    }
    let of_examples = || {
        let features = Features::choose(table, &model.provenance.binarise)?;
        Ok(Examples::new(table, &features)?.identity(&features))
    };
    // What makes no examples has none of this model's.
    of_examples().unwrap_or_else(|_: Error| table.sha256.clone())
}

/// Whether the rules speak of the model's own features and their own class.
fn wording(model: &Model, faults: &mut Vec<ModelFault>) {
    let features = &model.features;
    let columns: HashMap<&str, &EncodedColumn> =
        features.columns.iter().map(|column| (column.name.as_str(), column)).collect();
    // The literals of a column in words, once some rule tests it: there can be many of both.
    let mut known: HashMap<&str, HashSet<String>> = HashMap::new();
    let (literals, words) = (features.literals(), model.wording(Style::Words));
    let in_words = |column: &EncodedColumn| {
        let numbers = column.first..column.first + column.encoding.features() as u32;
        let of_column = |literal: &&Literal| numbers.contains(&literal.feature.0);
        literals.iter().filter(of_column).map(|&l| features.condition(l).to_string()).collect()
    };
    for (name, rule) in named_rules(&model.decision_set.classes) {
        if rule.then != name.class {
            faults.push(ModelFault::WrongConclusion { rule: name.clone(), then: rule.then.clone() });
        }
        for condition in &rule.conditions {
            let (rule, text) = (name.clone(), condition.to_string());
            match columns.get(condition.feature.as_str()) {
                None => {
                    let column = condition.feature.clone();
                    faults.push(ModelFault::ForeignColumn { rule, column });
                }
                Some(column) => {
                    let known = known.entry(&column.name).or_insert_with(|| in_words(column));
                    if !known.contains(&text) {
                        let condition = words.said(condition);
                        faults.push(ModelFault::ForeignCondition { rule, condition });
                    }
                }
            }
        }
    }
}

fn named_rules(classes: &[ClassRules]) -> impl Iterator<Item = (RuleName, &DecisionRule)> {
    classes.iter().flat_map(|class| {
        class.rules.iter().enumerate().map(|(i, rule)| {
            let name = RuleName { class: class.class.clone(), number: i + 1 };
            (name, rule)
        })
    })
}

/// Whether sizes, bounds and status fit the rules and each other.
fn claims(model: &Model, faults: &mut Vec<ModelFault>) {
    let set = &model.decision_set;
    sizes(set, faults);
    enumerated(set, faults);
    let mut equal = |what: &str, stated: String, counted: String| {
        if stated != counted {
            faults.push(ModelFault::WrongNumber { what: what.to_string(), stated, counted });
        }
    };
    let (mut cost_of_all, mut bound_of_all) = (Cost::default(), Cost::default());
    let mut all_optimal = true;
    for class in &set.classes {
        let what = format!("class \"{}\"", class.class);
        let lengths = class.rules.iter().map(|rule| rule.conditions.len());
        let counted = cost(set.objective, lengths);
        let (cost, bound) = (class.cost, class.lower_bound);
        equal(&format!("the cost of {what}"), words(cost), words(value(set.objective, counted)));
        cost_of_all = cost_of_all + counted;
        bound_of_all = bound_of_all + as_cost(bound);
        all_optimal &= class.status == Status::Optimal;
    }
    // A model of all classes at once can refuse more than the classes one by one.
    let jointly = model.provenance.opt.model == OptModel::Joint;
    if jointly {
        bound_of_all = bound_of_all.max(as_cost(set.lower_bound));
    }
    let bound = words(set.lower_bound);
    equal("the lower bound", bound, words(value(set.objective, bound_of_all)));
    equal("the gap", format!("{:.9}", set.gap), format!("{:.9}", gap(cost_of_all, bound_of_all)));
    for class in &set.classes {
        let what = format!("class \"{}\"", class.class);
        status(&what, class.status, as_cost(class.cost), as_cost(class.lower_bound), faults);
        reason(class, faults);
    }
    if jointly || (set.status == Status::Optimal) != all_optimal {
        status("the decision set", set.status, cost_of_all, bound_of_all, faults);
    }
}

/// Whether rules and literals are as many as the set says.
pub(super) fn sizes(set: &DecisionSet, faults: &mut Vec<ModelFault>) {
    let rules: usize = set.classes.iter().map(|class| class.rules.len()).sum();
    let literals: usize = named_rules(&set.classes).map(|(_, rule)| rule.conditions.len()).sum();
    for (what, stated, counted) in [
        ("the number of rules", set.rules, rules),
        ("the number of literals", set.literals, literals),
        ("the size", set.size, rules + literals),
    ] {
        if stated != counted {
            let (what, stated, counted) = (what.to_string(), stated.to_string(), counted.to_string());
            faults.push(ModelFault::WrongNumber { what, stated, counted });
        }
    }
}

/// Whether the rules enumerated add up.
pub(super) fn enumerated(set: &DecisionSet, faults: &mut Vec<ModelFault>) {
    let generated: Option<usize> =
        set.classes.iter().try_fold(0usize, |sum, class| sum.checked_add(class.rules_enumerated));
    if generated != Some(set.rules_enumerated) {
        faults.push(ModelFault::WrongNumber {
            what: "the number of rules enumerated".to_string(),
            stated: set.rules_enumerated.to_string(),
            counted: generated.map_or("beyond counting".to_string(), |sum| sum.to_string()),
        });
    }
}

/// Whether a class says what kept it from being proven exactly if it was not.
pub(super) fn reason(class: &ClassRules, faults: &mut Vec<ModelFault>) {
    let (status, reason) = match (class.status, class.stopped_by) {
        (Status::Optimal, Some(_)) => ("optimal", "it is said what kept it from being proven"),
        (Status::Feasible, None) => ("feasible", "it is not said what kept it from being proven"),
        _ => return,
    };
    faults.push(ModelFault::WrongReason { class: class.class.clone(), status, reason });
}

/// Whether the stated scope of the claims, and the classes they are about, are right.
fn scope(model: &Model, faults: &mut Vec<ModelFault>) {
    let set = &model.decision_set;
    let quoted = |labels: Vec<&str>| {
        let labels: Vec<String> = labels.iter().map(|label| format!("\"{label}\"")).collect();
        if labels.is_empty() { "no class".to_string() } else { labels.join(" and ") }
    };
    let described: Vec<&str> = set.classes.iter().map(|class| class.class.as_str()).collect();
    let stated: Vec<&str> = match set.scope.as_ref().and_then(|scope| scope.classes.as_ref()) {
        Some(classes) => classes.iter().map(String::as_str).collect(),
        // All of them, as they stand in the table or in the order.
        None => set.order.as_ref().unwrap_or(&model.labels).iter().map(String::as_str).collect(),
    };
    if described != stated {
        let (described, stated) = (quoted(described), quoted(stated));
        faults.push(ModelFault::OtherClasses { described, stated });
    }
    if model.features.negations != model.provenance.binarise.negations {
        faults.push(ModelFault::WrongScope { what: "whether \"is not\" is among the conditions" });
    }
    let Some(stated) = &set.scope else { return };
    let counted = Scope::new(&model.features, &model.provenance.ignored, stated.classes.clone());
    for (what, same) in [
        ("the number of conditions in its scope", stated.conditions == counted.conditions),
        ("the number of columns in its scope", stated.columns == counted.columns),
        ("the number of columns that are cut", stated.cut_columns == counted.cut_columns),
        ("the number of cuts in its scope", stated.cuts == counted.cuts),
        (
            "whether its claims hold for all thresholds",
            stated.all_thresholds == counted.all_thresholds && !lacks_thresholds(&model.features),
        ),
        ("whether \"is not\" is in its scope", stated.negations == counted.negations),
        ("what its scope leaves out", stated.ignored == counted.ignored),
        ("the number of columns of many values", stated.wide_columns == counted.wide_columns),
        ("the number of values without a condition", stated.rare_values == counted.rare_values),
    ] {
        if !same {
            faults.push(ModelFault::WrongScope { what });
        }
    }
}

/// Whether features that claim to make up for all thresholds cannot say one of them: a threshold below or above all
/// numbers tells whether there is a number at all.
fn lacks_thresholds(features: &Features) -> bool {
    let untold = |column: &EncodedColumn| match &column.encoding {
        Encoding::Thresholds { missing, .. } => *missing,
        Encoding::Frequent { .. } => false,
        Encoding::Cells(cells) => {
            column.encoding.is_numeric() && cells.len() > 2 && cells.contains(&Cell::Missing)
        }
    };
    features.all_thresholds && !features.negations && features.columns.iter().any(untold)
}

/// Whether an encoding tells two numbers apart.
fn tells_apart(encoding: &Encoding, low: f64, high: f64) -> bool {
    match encoding {
        Encoding::Thresholds { cuts, .. } => cuts.iter().any(|&cut| low <= cut && cut < high),
        Encoding::Frequent { .. } => false,
        Encoding::Cells(cells) => {
            let is = |number: f64| move |cell: &Cell| matches!(cell, Cell::Value(text) if text.parse() == Ok(number));
            cells.iter().any(is(low)) && cells.iter().any(is(high))
        }
    }
}

/// Whether a claim of optimality and a bound go together.
fn status(what: &str, status: Status, cost: Cost, bound: Cost, faults: &mut Vec<ModelFault>) {
    let text = |cost: Cost| match cost.second {
        0 => cost.first.to_string(),
        _ => format!("{} and {}", cost.first, cost.second),
    };
    let (what, cost_text, bound_text) = (what.to_string(), text(cost), text(bound));
    if bound > cost {
        faults.push(ModelFault::BoundAboveCost { what, bound: bound_text, cost: cost_text });
    } else if (status == Status::Optimal) != (bound == cost) {
        let status = if status == Status::Optimal { "optimal" } else { "feasible" };
        faults.push(ModelFault::WrongStatus { what, status, cost: cost_text, bound: bound_text });
    }
}

fn gap(cost: Cost, bound: Cost) -> f64 {
    let open = |cost: u64, bound: u64| cost.saturating_sub(bound) as f64 / cost.max(1) as f64;
    match cost.first > bound.first {
        true => open(cost.first, bound.first),
        false => open(cost.second, bound.second),
    }
}

fn as_cost(value: CostValue) -> Cost {
    match value {
        CostValue::One(first) => Cost { first, second: 0 },
        CostValue::Two([first, second]) => Cost { first, second },
        // A model that counts so is judged elsewhere, or was not read at all.
        CostValue::Rows(rows) => Cost { first: rows as u64, second: 0 },
    }
}

fn value(objective: Objective, cost: Cost) -> CostValue {
    match objective.is_lexicographic() {
        true => CostValue::Two([cost.first, cost.second]),
        false => CostValue::One(cost.first),
    }
}

fn words(value: CostValue) -> String {
    match value {
        CostValue::One(n) => n.to_string(),
        CostValue::Two([rules, literals]) => format!("{rules} and {literals}"),
        CostValue::Rows(rows) => format!("{rows} rows"),
    }
}

/// The rows of a table, and what each of them is after conflicts are settled.
pub(super) struct Rows<'a> {
    model: &'a Model,
    pub(super) table: &'a Table,
    looks: Looks<'a>,
    is_its_table: bool,
    /// Rows on which a condition holds, by its words.
    meeting: HashMap<(String, String), FixedBitSet>,
}

impl<'a> Rows<'a> {
    fn new(model: &'a Model, table: &'a Table) -> Result<Rows<'a>> {
        let looks = Looks::new(model, table)?;
        let is_its_table = is_its_table(model, table);
        Ok(Rows { model, table, looks, is_its_table, meeting: HashMap::new() })
    }

    /// Rows on which a condition holds.
    pub(super) fn meeting(&mut self, condition: &Condition) -> &FixedBitSet {
        let key = (condition.feature.clone(), condition.to_string());
        let (column, numeric) = self.looks.columns[condition.feature.as_str()];
        self.meeting.entry(key).or_insert_with(|| {
            let holds: Vec<bool> = values(column, numeric).map(|f| condition.holds(f)).collect();
            let mut rows = FixedBitSet::with_capacity(column.codes.len());
            for (row, code) in column.codes.iter().enumerate() {
                rows.set(row, holds[code as usize]);
            }
            rows
        })
    }

    /// Rows on which all of these hold.
    pub(super) fn fires<'c>(&mut self, conditions: impl Iterator<Item = &'c Condition>) -> FixedBitSet {
        let mut rows = FixedBitSet::with_capacity(self.table.rows());
        rows.insert_range(..);
        conditions.for_each(|condition| rows.intersect_with(self.meeting(condition)));
        rows
    }

    /// The class of a row as it stands in the table.
    pub(super) fn own_label(&self, row: usize) -> &'a str {
        self.table.target.values.get(self.table.target.codes.get(row))
    }

    fn label(&self, row: usize) -> &'a str {
        self.table.target.values.get(self.looks.settled[row])
    }

    /// Whether the rules of a class cover all of its rows and no others, and whether each rule is
    /// needed.
    fn judge(&mut self, class: &ClassRules, faults: &mut Vec<ModelFault>) {
        let name = |number: usize| RuleName { class: class.class.clone(), number: number + 1 };
        let mut own = FixedBitSet::with_capacity(self.table.rows());
        (0..self.table.rows()).for_each(|row| own.set(row, self.label(row) == class.class));
        // A set that was not proven smallest may well have something to spare.
        let proven = class.status == Status::Optimal;
        let words = self.model.wording(Style::Words);
        let mut coverages: Vec<FixedBitSet> = Vec::new();
        let mut times = vec![0u32; self.table.rows()];
        for (number, rule) in class.rules.iter().enumerate() {
            let mut fires = self.fires(rule.conditions.iter());
            if let Some(row) = fires.difference(&own).next() {
                let class = self.label(row).to_string();
                faults.push(ModelFault::Inconsistent { rule: name(number), row: row + 1, class });
            }
            for (left_out, condition) in rule.conditions.iter().enumerate() {
                let others = rule.conditions.iter().enumerate();
                let others = others.filter(|(i, _)| *i != left_out).map(|(_, condition)| condition);
                if proven && self.fires(others).is_subset(&own) {
                    let condition = words.said(condition);
                    faults.push(ModelFault::RedundantCondition { rule: name(number), condition });
                }
            }
            fires.intersect_with(&own);
            // Rows that lost the vote against their equals are not counted.
            let target = &self.table.target;
            let counts = |row: &usize| target.values.get(target.codes.get(*row)) == class.class;
            let covers: u64 = fires.ones().filter(counts).map(|row| self.table.weight(row)).sum();
            if covers != rule.covers && self.is_its_table {
                faults.push(ModelFault::WrongNumber {
                    what: format!("the number of rows that {} covers", name(number)),
                    stated: rule.covers.to_string(),
                    counted: covers.to_string(),
                });
            }
            fires.ones().for_each(|row| times[row] += 1);
            // Whether each rule is needed is asked only of a proven set; others can be enormous.
            if proven {
                coverages.push(fires);
            }
        }
        if let Some(row) = own.ones().find(|&row| times[row] == 0) {
            faults.push(ModelFault::Uncovered { class: class.class.clone(), row: row + 1 });
        }
        for (number, coverage) in coverages.iter().enumerate() {
            if coverage.ones().all(|row| times[row] > 1) {
                faults.push(ModelFault::RedundantRule { rule: name(number) });
            }
        }
    }

    /// Whether the numbers of every column are told apart wherever the class changes: where neighbours are not both of
    /// one and the same class.
    fn thresholds(&self, faults: &mut Vec<ModelFault>) {
        let table = self.table;
        for column in &table.features {
            let Some(numbers) = column.numbers() else { continue };
            let mut rows: Vec<(f64, u32)> = (0..table.rows())
                .filter(|&row| table.weight(row) > 0 && Some(column.codes.get(row)) != column.missing)
                .map(|row| (numbers[column.codes.get(row) as usize], table.target.codes.get(row)))
                .collect();
            rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            let equal: Vec<&[(f64, u32)]> = rows.chunk_by(|a, b| a.0 == b.0).collect();
            let encoded = self.model.features.columns.iter().find(|of| of.name == column.name);
            for pair in equal.windows(2) {
                let (low, high, class) = (pair[0][0].0, pair[1][0].0, pair[0][0].1);
                let one_class = pair.iter().all(|rows| rows.iter().all(|row| row.1 == class));
                if !one_class && !encoded.is_some_and(|of| tells_apart(&of.encoding, low, high)) {
                    let column = column.name.clone();
                    faults.push(ModelFault::NotAllThresholds { column, low, high });
                    break;
                }
            }
        }
    }

    /// Whether the rows are as many as the model says.
    fn counts(&self, faults: &mut Vec<ModelFault>) {
        let mut equal = |what: String, stated: u64, counted: u64| {
            if stated != counted {
                let (stated, counted) = (stated.to_string(), counted.to_string());
                faults.push(ModelFault::WrongNumber { what, stated, counted });
            }
        };
        let target = &self.table.target;
        equal("the number of rows".into(), self.model.provenance.rows as u64, self.table.rows() as u64);
        for (label, &stated) in self.model.labels.iter().zip(&self.model.class_rows) {
            let of_class = |row: &usize| target.values.get(target.codes.get(*row)) == label;
            let rows = (0..self.table.rows()).filter(of_class).map(|row| self.table.weight(row));
            equal(format!("the number of rows of class \"{label}\""), stated, rows.sum());
        }
        let lost = |row: &usize| self.looks.settled[*row] != target.codes.get(*row);
        let dropped: u64 = (0..self.table.rows()).filter(lost).map(|row| self.table.weight(row)).sum();
        let stated = &self.model.decision_set.conflicts;
        equal("the number of rows dropped in conflicts".into(), stated.rows_dropped as u64, dropped);
        let (vectors, ties) = self.looks.conflicts(self.table);
        equal("the number of conflicts".into(), stated.vectors as u64, vectors);
        equal("the number of conflicts that were ties".into(), stated.ties as u64, ties);
        let all: u64 = (0..self.table.rows()).map(|row| self.table.weight(row)).sum();
        let accuracy = 1.0 - dropped as f64 / all.max(1) as f64;
        if (stated.training_accuracy - accuracy).abs() > 1e-12 {
            faults.push(ModelFault::WrongNumber {
                what: "the training accuracy".to_string(),
                stated: stated.training_accuracy.to_string(),
                counted: accuracy.to_string(),
            });
        }
        let labels: Vec<&str> = target.values.iter().collect();
        if labels != self.model.labels {
            faults.push(ModelFault::WrongNumber {
                what: "the order of the labels".to_string(),
                stated: self.model.labels.join(", "),
                counted: labels.join(", "),
            });
        }
    }
}
