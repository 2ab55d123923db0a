//! Judges a model whose rules may be wrong: what they cost and what they get wrong, counted again by the words
//! of the conditions.

use fixedbitset::FixedBitSet;

use crate::apply::predict::{Conflict, Uncovered};
use crate::judge::cost;
use crate::judge::model::{ModelFault, Rows, RuleName, enumerated, reason, sizes};
use crate::result::decision_set::{ClassRules, CostValue, DecisionRule};
use crate::result::model::Model;
use crate::result::outcome::Status;

/// Whether costs, bounds and status fit the rules, their errors and each other.
pub(super) fn claims(model: &Model, faults: &mut Vec<ModelFault>) {
    let set = &model.decision_set;
    let [units, parts] = set.price_fraction.unwrap_or([0, 1]);
    sizes(set, faults);
    enumerated(set, faults);
    let all: u64 = model.class_rows.iter().sum();
    let price = units as f64 / parts as f64;
    equal(faults, "the price", set.price, price);
    equal(faults, "alpha", set.alpha, units as f64 / (parts as f64 * all.max(1) as f64));
    let errors = |class: &ClassRules| class.errors.unwrap_or_default();
    let sum = set.classes.iter().map(errors).fold(0, u64::saturating_add);
    equal(faults, "the number of errors", set.errors, sum);

    let in_rows = |units: u64| units as f64 / parts as f64;
    let (mut cost_of_all, mut bound_of_all) = (0u64, 0u64);
    for class in &set.classes {
        let what = format!("class \"{}\"", class.class);
        let size = cost(set.objective, class.rules.iter().map(|rule| rule.conditions.len())).first;
        let counted = units.saturating_mul(size).saturating_add(errors(class).saturating_mul(parts));
        equal(faults, &format!("the cost of {what}"), class.cost.rows(), in_rows(counted));
        let bound = in_parts(&what, class.lower_bound, parts, faults);
        let open = in_rows(counted.saturating_sub(bound));
        equal(faults, &format!("the gap of {what}"), class.gap, open);
        claim(&what, class.status, in_rows(counted), in_rows(bound), faults);
        reason(class, faults);
        cost_of_all = cost_of_all.saturating_add(counted);
        bound_of_all = bound_of_all.saturating_add(bound);
        for (number, rule) in class.rules.iter().enumerate() {
            let name = RuleName { class: class.class.clone(), number: number + 1 };
            let wrong = rule.wrong.unwrap_or_default();
            let precision = rule.covers as f64 / rule.covers.saturating_add(wrong).max(1) as f64;
            equal(faults, &format!("the precision of {name}"), rule.precision, precision);
        }
    }
    equal(faults, "the cost", set.cost.and_then(CostValue::rows), in_rows(cost_of_all));
    equal(faults, "the lower bound", set.lower_bound.rows(), in_rows(bound_of_all));
    let open = in_rows(cost_of_all.saturating_sub(bound_of_all));
    equal(faults, "the gap", Some(set.gap), open);
    claim("the decision set", set.status, in_rows(cost_of_all), in_rows(bound_of_all), faults);
}

/// Whether a claim of optimality and a bound go together.
fn claim(what: &str, claimed: Status, cost: f64, bound: f64, faults: &mut Vec<ModelFault>) {
    let (what, cost_text, bound_text) = (what.to_string(), cost.to_string(), bound.to_string());
    if bound > cost {
        faults.push(ModelFault::BoundAboveCost { what, bound: bound_text, cost: cost_text });
    } else if (claimed == Status::Optimal) != (bound == cost) {
        let status = if claimed == Status::Optimal { "optimal" } else { "feasible" };
        faults.push(ModelFault::WrongStatus { what, status, cost: cost_text, bound: bound_text });
    }
}

/// A bound in whole parts of a row, in which it was found.
fn in_parts(what: &str, bound: CostValue, parts: u64, faults: &mut Vec<ModelFault>) -> u64 {
    let stated = bound.rows().unwrap_or_default();
    let whole = (stated * parts as f64).round() as u64;
    if whole as f64 / parts as f64 != stated {
        faults.push(ModelFault::WrongNumber {
            what: format!("the lower bound of {what}"),
            stated: stated.to_string(),
            counted: format!("a whole number of {parts} parts of a row"),
        });
    }
    whole
}

fn equal<T: PartialEq + ToString>(
    faults: &mut Vec<ModelFault>,
    what: &str,
    stated: Option<T>,
    counted: T,
) {
    if stated.as_ref() != Some(&counted) {
        faults.push(ModelFault::WrongNumber {
            what: what.to_string(),
            stated: stated.map_or("nothing".to_string(), |stated| stated.to_string()),
            counted: counted.to_string(),
        });
    }
}

/// The rows of a table as the rules of a model find them.
pub(super) struct Fired<'m> {
    model: &'m Model,
    /// Of each rule, its label by position, the rule, and the rows that it covers.
    rules: Vec<(usize, &'m DecisionRule, FixedBitSet)>,
    /// Of each rule, the rows that meet each of its conditions; only where the nearest rules decide.
    conditions: Vec<Vec<FixedBitSet>>,
}

impl<'m> Fired<'m> {
    pub(super) fn new(model: &'m Model, rows: &mut Rows<'m>) -> Fired<'m> {
        let nearest = model.policy.uncovered == Uncovered::Nearest;
        let (mut rules, mut conditions) = (Vec::new(), Vec::new());
        for (label, rule) in model.rules() {
            rules.push((label, rule, rows.fires(rule.conditions.iter())));
            let asked = rule.conditions.iter().filter(|_| nearest);
            conditions.push(asked.map(|condition| rows.meeting(condition).clone()).collect());
        }
        Fired { model, rules, conditions }
    }

    /// What the model says of a row by its own policy: a label by position, if it names one.
    fn label(&self, row: usize) -> Option<usize> {
        let covering = |row: usize| -> Vec<usize> {
            (0..self.rules.len()).filter(|&rule| self.rules[rule].2.contains(row)).collect()
        };
        let mut chosen = covering(row);
        if chosen.is_empty() {
            match self.model.policy.uncovered {
                Uncovered::Default => return self.model.default_label(),
                Uncovered::Abstain => return None,
                Uncovered::Nearest => chosen = self.nearest(row),
            }
        }
        let first = self.rules[*chosen.first()?].0;
        if chosen.iter().all(|&rule| self.rules[rule].0 == first) {
            return Some(first);
        }
        // Of equals the earlier label wins, and labels come in no particular order here.
        let best = |better: &dyn Fn(usize, usize) -> bool| {
            chosen.iter().copied().reduce(|best, rule| {
                let (a, b) = (self.rules[best].0, self.rules[rule].0);
                let equal = !better(rule, best) && !better(best, rule);
                if better(rule, best) || (equal && b < a) { rule } else { best }
            })
        };
        let rule = |number: usize| self.rules[number].1;
        let best = match self.model.policy.conflict {
            Conflict::Abstain => None,
            // Rules stand in the order of their classes.
            Conflict::Order => chosen.first().copied(),
            Conflict::Majority => {
                let votes = |number: usize| -> u64 {
                    let label = self.rules[number].0;
                    let same = chosen.iter().filter(|&&other| self.rules[other].0 == label);
                    same.map(|&other| rule(other).covers).sum()
                };
                best(&|a, b| votes(a) > votes(b))
            }
            Conflict::Size => {
                let size = |number: usize| (rule(number).conditions.len(), rule(number).covers);
                best(&|a, b| size(a) > size(b))
            }
            Conflict::Precision => {
                let right = |number: usize| u128::from(rule(number).covers) + 1;
                let all = |number: usize| {
                    right(number) + u128::from(rule(number).wrong.unwrap_or_default()) + 1
                };
                best(&|a, b| right(a) * all(b) > right(b) * all(a))
            }
        };
        best.map(|rule| self.rules[rule].0)
    }

    /// The rules of which a row misses the fewest conditions.
    fn nearest(&self, row: usize) -> Vec<usize> {
        let unmet =
            |rule: usize| self.conditions[rule].iter().filter(|meeting| !meeting.contains(row)).count();
        let fewest = (0..self.rules.len()).map(unmet).min();
        (0..self.rules.len()).filter(|&rule| Some(unmet(rule)) == fewest).collect()
    }

    fn covers(&self, row: usize) -> bool {
        self.rules.iter().any(|(.., fires)| fires.contains(row))
    }

    /// Rows that the model gets wrong. Where it cannot name the class of a row that no rule covers, it says
    /// that it is one of those that it does not describe.
    pub(super) fn wrong(&self, rows: &Rows) -> u64 {
        let set = &self.model.decision_set;
        let described = |label: &str| set.classes.iter().any(|class| class.class == label);
        let unnamed =
            self.model.policy.uncovered == Uncovered::Default && self.model.default_label().is_none();
        let right = |row: usize| match self.label(row) {
            Some(label) => self.model.labels[label] == rows.own_label(row),
            None => unnamed && !self.covers(row) && !described(rows.own_label(row)),
        };
        (0..rows.table.rows()).filter(|&row| !right(row)).map(|row| rows.table.weight(row)).sum()
    }

    /// Whether the rules cover and miss as many rows as the model says.
    pub(super) fn counts(&self, rows: &Rows, faults: &mut Vec<ModelFault>) {
        let weight = |row: usize| rows.table.weight(row);
        let mut rules = self.rules.iter();
        // Rows that no rule of an earlier class covers, where classes have an order.
        let mut reached = FixedBitSet::with_capacity(rows.table.rows());
        reached.insert_range(..);
        for class in &self.model.decision_set.classes {
            let mut covered = FixedBitSet::with_capacity(rows.table.rows());
            let mut errors = 0;
            for (number, (_, rule, fires)) in rules.by_ref().take(class.rules.len()).enumerate() {
                let name = RuleName { class: class.class.clone(), number: number + 1 };
                let (own, others): (Vec<usize>, Vec<usize>) =
                    fires.intersection(&reached).partition(|&row| rows.own_label(row) == class.class);
                let covers: u64 = own.into_iter().map(weight).sum();
                let wrong: u64 = others.into_iter().map(weight).sum();
                let what = format!("the number of rows of its class that {name} covers");
                equal(faults, &what, Some(rule.covers), covers);
                let what = format!("the number of rows of other classes that {name} covers");
                equal(faults, &what, rule.wrong, wrong);
                errors += wrong;
                covered.union_with(fires);
            }
            let left_out = |&row: &usize| rows.own_label(row) == class.class && !covered.contains(row);
            errors += reached.ones().filter(left_out).map(weight).sum::<u64>();
            if self.model.decision_set.is_ordered() {
                reached.difference_with(&covered);
            }
            let what = format!("the number of errors of class \"{}\"", class.class);
            equal(faults, &what, class.errors, errors);
        }
        let wrong = self.wrong(rows);
        let stated = self.model.decision_set.rows_wrong;
        equal(faults, "the number of rows predicted wrongly", stated, wrong);
        for (label, &stated) in self.model.labels.iter().zip(&self.model.uncovered_rows) {
            let uncovered = |&row: &usize| rows.own_label(row) == label && !self.covers(row);
            let counted: u64 = (0..rows.table.rows()).filter(uncovered).map(weight).sum();
            let what = format!("the number of rows of class \"{label}\" that no rule covers");
            equal(faults, &what, Some(stated), counted);
        }
    }
}
