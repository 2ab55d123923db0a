//! A result in the words of the table: what people read and programs exchange.

use serde::{Deserialize, Serialize};

use crate::data::binarise::Features;
use crate::data::condition::Condition;
use crate::data::examples::{Conflicts, Examples};
use crate::data::table::Table;
use crate::limits::StopReason;
use crate::result::outcome::{Outcome, Status};
use crate::solve::objective::{Cost, Objective};

/// An unordered set of rules, every class described explicitly, and what was proven about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionSet {
    /// What was proven.
    pub status: Status,
    /// What was minimised.
    pub objective: Objective,
    /// The number of rules.
    pub rules: usize,
    /// The number of literals.
    pub literals: usize,
    /// Literals plus one for each rule.
    pub size: usize,
    /// What every valid decision set costs at least, in the unit of the objective.
    pub lower_bound: CostValue,
    /// How much of the cost the lower bound leaves open, from 0 (proven) to 1.
    pub gap: f64,
    /// What the claim covers: the sets of rules that were searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Rules enumerated or generated.
    pub rules_enumerated: usize,
    /// What settling conflicts cost.
    pub conflicts: Conflicts,
    /// The class column.
    pub target: String,
    /// One entry for each class described.
    pub classes: Vec<ClassRules>,
}

/// The sets of rules that a claim is about: all that these conditions can make. Other cuts, other columns
/// or more conditions may allow a smaller one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// Conditions that rules can use.
    pub conditions: usize,
    /// Columns that these test.
    pub columns: usize,
    /// Of them, columns of numbers that are cut into intervals or at thresholds, and the cuts of all.
    pub cut_columns: usize,
    /// How often they are cut, together.
    pub cuts: usize,
    /// Whether "is not" is among the conditions.
    pub negations: bool,
    /// Columns left out on request.
    pub ignored: Vec<String>,
    /// The classes described, if these are not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<String>>,
}

impl Scope {
    /// What rules over these features can say, where some columns were left out; `classes` if not all
    /// are described.
    pub fn new(features: &Features, ignored: &[String], classes: Option<Vec<String>>) -> Scope {
        let cuts: Vec<usize> =
            features.columns.iter().map(|column| column.encoding.cuts()).filter(|&n| n > 0).collect();
        Scope {
            conditions: features.literals().len(),
            columns: features.columns.len(),
            cut_columns: cuts.len(),
            cuts: cuts.iter().sum(),
            negations: features.negations,
            ignored: ignored.to_vec(),
            classes,
        }
    }
}

/// The rules of one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassRules {
    /// The label.
    pub class: String,
    /// What was proven.
    pub status: Status,
    /// Why there is no proof, if there is none.
    pub stopped_by: Option<StopReason>,
    /// What the rules cost, in the unit of the objective.
    pub cost: CostValue,
    /// What every valid set of rules costs at least.
    pub lower_bound: CostValue,
    /// Rules enumerated or generated.
    pub rules_enumerated: usize,
    /// The rules, those that cover most rows first.
    pub rules: Vec<DecisionRule>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionRule {
    /// The conditions, which must all hold. A rule without conditions always fires.
    #[serde(rename = "if")]
    pub conditions: Vec<Condition>,
    /// The class that follows.
    pub then: String,
    /// Rows of the table that the rule covers.
    pub covers: u64,
}

/// A [`Cost`] as it is written: a number, or the pair of a lexicographic objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CostValue {
    /// Rules, literals or size.
    One(u64),
    /// Rules, then literals.
    Two([u64; 2]),
}

impl From<CostValue> for Cost {
    fn from(value: CostValue) -> Cost {
        match value {
            CostValue::One(first) => Cost { first, second: 0 },
            CostValue::Two([first, second]) => Cost { first, second },
        }
    }
}

impl CostValue {
    /// A cost as it is written.
    pub fn new(objective: Objective, cost: Cost) -> CostValue {
        if objective.is_lexicographic() {
            CostValue::Two([cost.first, cost.second])
        } else {
            CostValue::One(cost.first)
        }
    }
}

impl DecisionSet {
    /// Translates an outcome into the words of its table.
    pub fn new(
        outcome: &Outcome,
        examples: &Examples,
        features: &Features,
        table: &Table,
    ) -> DecisionSet {
        let described =
            outcome.classes.iter().map(|class| examples.classes()[class.class.0 as usize].clone());
        let partial = outcome.classes.len() < examples.classes().len();
        let scope = Scope::new(features, &table.options.ignore, partial.then(|| described.collect()));
        let cost = |cost| CostValue::new(outcome.objective(), cost);
        let classes = outcome.classes.iter().map(|class| {
            let label = &examples.classes()[class.class.0 as usize];
            let rules = class.rules.iter().zip(&class.rows_covered).map(|(rule, &covers)| {
                let conditions = rule.literals().iter().map(|&l| features.condition(l)).collect();
                DecisionRule { conditions, then: label.clone(), covers }
            });
            ClassRules {
                class: label.clone(),
                status: class.status(),
                stopped_by: class.stopped_by,
                cost: cost(class.cost),
                lower_bound: cost(class.lower_bound),
                rules_enumerated: class.rules_enumerated,
                rules: rules.collect(),
            }
        });
        DecisionSet {
            status: outcome.status(),
            objective: outcome.objective(),
            rules: outcome.rules(),
            literals: outcome.literals(),
            size: outcome.size(),
            lower_bound: cost(outcome.lower_bound()),
            gap: outcome.gap(),
            scope: Some(scope),
            rules_enumerated: outcome.rules_enumerated(),
            conflicts: examples.conflicts().clone(),
            target: table.target.name.clone(),
            classes: classes.collect(),
        }
    }
}
