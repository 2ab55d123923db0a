//! A result in the words of the table: what people read and programs exchange.

use serde::{Deserialize, Deserializer, Serialize};

use crate::apply::predict::Precision;
use crate::data::binarise::Features;
use crate::data::condition::Condition;
use crate::data::examples::{Conflicts, Examples};
use crate::data::table::Table;
use crate::limits::StopReason;
use crate::result::outcome::{Outcome, Status};
use crate::result::sparse::ClassErrors;
use crate::solve::objective::{Cost, Objective};
use crate::solve::order::left_by;

/// An unordered set of rules, every class described explicitly, and what was proven about it; or, if it is
/// sparse, perhaps one whose classes have an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionSet {
    /// What was proven.
    pub status: Status,
    /// What was minimised.
    pub objective: Objective,
    /// What a unit of size must be worth, as a share of the rows, if rules may be wrong where it pays. A set
    /// that has it is sparse; what is there only then is said of sparse sets only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// The same in rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// The same exactly: a numerator and a denominator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_fraction: Option<[u64; 2]>,
    /// The number of rules.
    pub rules: usize,
    /// The number of literals.
    pub literals: usize,
    /// Literals plus one for each rule.
    pub size: usize,
    /// What the rules and the errors of a sparse set cost, in rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostValue>,
    /// What every valid decision set costs at least, in the unit of the objective; in rows, if it is sparse.
    pub lower_bound: CostValue,
    /// How much of the cost the lower bound leaves open, from 0 (proven) to 1; of a sparse set, in rows.
    pub gap: f64,
    /// Rows that a sparse set gets wrong by its objective, all classes added up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<u64>,
    /// Rows that a sparse set gets wrong when it is applied to its table with the policy of its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_wrong: Option<u64>,
    /// The class that a sparse set gives no rules, if there is one: rows that no rule covers are of this class.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<Option<String>>,
    /// All classes in order, where a rule of a sparse set holds unless a rule of an earlier class fires: those
    /// described, then the one without rules. Costs, bounds and rows of a class are then about the rows that no
    /// rule of an earlier class covers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
    /// What the claim covers: the sets of rules that were searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Rules enumerated or generated.
    pub rules_enumerated: usize,
    /// What settling conflicts cost.
    pub conflicts: Conflicts,
    /// The class column.
    pub target: String,
    /// One entry for each class described, in order.
    pub classes: Vec<ClassRules>,
}

/// The sets of rules that a claim is about: all that these conditions can make. Other cuts (unless there is one
/// wherever it can matter), other columns or more conditions may allow a smaller one.
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
    /// Whether they are cut wherever the class changes, so that the claim holds for any other thresholds, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_thresholds: bool,
    /// Whether "is not" is among the conditions.
    pub negations: bool,
    /// Columns left out on request.
    pub ignored: Vec<String>,
    /// Columns of so many names that no condition tests some of these, or any.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wide_columns: usize,
    /// The names that none tests, together.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rare_values: usize,
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
            all_thresholds: features.all_thresholds,
            negations: features.negations,
            ignored: ignored.to_vec(),
            wide_columns: features.wide.len(),
            rare_values: features.wide.iter().map(|wide| wide.values.saturating_sub(wide.kept)).sum(),
            classes,
        }
    }
}

fn is_zero(n: &usize) -> bool {
    *n == 0
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
    /// What the lower bound leaves open of the cost of a sparse set, in rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// Rows that the rules of a sparse set get wrong: each row of the class that none covers, and each row of
    /// another class for every rule that covers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<u64>,
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
    /// Rows of the table that the rule covers: of its class, whatever else it covers.
    pub covers: u64,
    /// Rows of other classes that a rule of a sparse set covers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<u64>,
    /// Of all rows that a rule of a sparse set covers, the share that is of its class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
}

impl DecisionRule {
    /// How often it is right, by which conflicts are decided.
    pub(crate) fn smoothed_precision(&self) -> Precision {
        Precision::new(self.covers, self.wrong.unwrap_or_default())
    }
}

/// Of all rows that a rule covers, the share that is of its class.
pub(crate) fn precision(covers: u64, wrong: u64) -> f64 {
    covers as f64 / (covers.saturating_add(wrong)).max(1) as f64
}

/// A value that is there, even if it is `null`.
fn given<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(value).map(Some)
}

/// A [`Cost`] as it is written: a number, or the pair of a lexicographic objective.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CostValue {
    /// Rules, literals or size.
    One(u64),
    /// Rules, then literals.
    Two([u64; 2]),
    /// Rows, where size and errors are added up.
    Rows(f64),
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

    /// A cost that was counted in so many parts of a row, in rows.
    pub fn in_rows(cost: Cost, parts: u64) -> CostValue {
        CostValue::Rows(cost.first as f64 / parts as f64)
    }

    /// A cost in rows as a number, if it is one. Programs may write 3 for 3.0.
    pub fn rows(self) -> Option<f64> {
        match self {
            CostValue::One(rows) => Some(rows as f64),
            CostValue::Rows(rows) => Some(rows),
            CostValue::Two(_) => None,
        }
    }
}

impl DecisionSet {
    /// Whether its rules may be wrong where it pays.
    pub fn is_sparse(&self) -> bool {
        self.price_fraction.is_some()
    }

    /// Whether a rule holds only where no rule of an earlier class fires.
    pub fn is_ordered(&self) -> bool {
        self.order.is_some()
    }

    /// The classes as they stand here, those described and then the one without rules: an order, if it has one.
    pub(crate) fn as_they_stand(&self) -> Vec<String> {
        let described = self.classes.iter().map(|class| &class.class);
        described.chain(self.otherwise.iter().flatten()).cloned().collect()
    }

    /// Whether it says all that a sparse set says; or, if it is none, nothing of it.
    pub(crate) fn is_whole(&self) -> bool {
        let mut said = vec![
            self.alpha.is_some(),
            self.price.is_some(),
            self.cost.is_some_and(|cost| cost.rows().is_some()),
            self.errors.is_some(),
            self.rows_wrong.is_some(),
            self.otherwise.is_some(),
        ];
        for class in &self.classes {
            said.extend([class.gap.is_some(), class.errors.is_some()]);
            let rules = class.rules.iter();
            said.extend(rules.flat_map(|rule| [rule.wrong.is_some(), rule.precision.is_some()]));
        }
        let costs = self.classes.iter().flat_map(|class| [class.cost, class.lower_bound]);
        let in_place = |cost: CostValue| match self.is_sparse() {
            true => cost.rows().is_some(),
            false => !matches!(cost, CostValue::Rows(_)),
        };
        said.iter().all(|&said| said == self.is_sparse())
            && (self.is_sparse() || !self.is_ordered())
            && costs.chain([self.lower_bound]).all(in_place)
    }

    /// Translates an outcome into the words of its table. How many rows a sparse set gets wrong depends on a
    /// policy, and is left to [its model](crate::result::Model).
    pub(crate) fn new(
        outcome: &Outcome,
        examples: &Examples,
        features: &Features,
        table: &Table,
    ) -> DecisionSet {
        let described =
            outcome.classes.iter().map(|class| examples.classes()[class.class.0 as usize].clone());
        let partial = outcome.classes.len() < examples.classes().len();
        let scope = Scope::new(features, &table.options.ignore, partial.then(|| described.collect()));
        let price = outcome.options.alpha().map(|alpha| alpha.price(examples.all_rows()));
        let cost = |cost| match price {
            None => CostValue::new(outcome.objective(), cost),
            Some((_, parts)) => CostValue::in_rows(cost, parts),
        };
        let open = |cost: Cost, bound: Cost| {
            price.map(|(_, parts)| cost.first.saturating_sub(bound.first) as f64 / parts as f64)
        };
        let ordered = outcome.options.is_ordered();
        // The rows that the rules of a class are about.
        let mut reached = price.map(|_| examples.with_outvoted());
        let mut all_errors = price.map(|_| 0);
        let classes: Vec<ClassRules> = outcome
            .classes
            .iter()
            .map(|class| {
                let label = &examples.classes()[class.class.0 as usize];
                let counted = reached.as_ref().map(|examples| ClassErrors::count(class, examples));
                reached = reached.take().map(|all| match ordered {
                    true => left_by(&all, &class.rules),
                    false => all,
                });
                let errors = counted.as_ref().map(ClassErrors::errors);
                all_errors = all_errors.zip(errors).map(|(sum, errors)| sum + errors);
                let rules = class.rules.iter().zip(&class.rows_covered).enumerate();
                let rules = rules.map(|(number, (rule, &covers))| {
                    let conditions = rule.literals().iter().map(|&l| features.condition(l)).collect();
                    let wrong = counted.as_ref().map(|counted| counted.rules[number].1);
                    let precision = wrong.map(|wrong| precision(covers, wrong));
                    DecisionRule { conditions, then: label.clone(), covers, wrong, precision }
                });
                ClassRules {
                    class: label.clone(),
                    status: class.status(),
                    stopped_by: class.stopped_by,
                    cost: cost(class.cost),
                    lower_bound: cost(class.lower_bound),
                    gap: open(class.cost, class.lower_bound),
                    errors,
                    rules_enumerated: class.rules_enumerated,
                    rules: rules.collect(),
                }
            })
            .collect();
        let otherwise = outcome.otherwise.map(|class| examples.classes()[class.0 as usize].clone());
        let mut set = DecisionSet {
            status: outcome.status(),
            objective: outcome.objective(),
            alpha: price
                .map(|(units, parts)| units as f64 / (parts as f64 * examples.all_rows().max(1) as f64)),
            price: price.map(|(units, parts)| units as f64 / parts as f64),
            price_fraction: price.map(|(units, parts)| [units, parts]),
            rules: outcome.rules(),
            literals: outcome.literals(),
            size: outcome.size(),
            cost: price.map(|_| cost(outcome.cost())),
            lower_bound: cost(outcome.lower_bound()),
            gap: open(outcome.cost(), outcome.lower_bound()).unwrap_or_else(|| outcome.gap()),
            errors: all_errors,
            rows_wrong: None,
            otherwise: price.map(|_| otherwise),
            order: None,
            scope: Some(scope),
            rules_enumerated: outcome.rules_enumerated(),
            conflicts: examples.conflicts().clone(),
            target: table.target.name.clone(),
            classes,
        };
        set.order = ordered.then(|| set.as_they_stand());
        set
    }
}
