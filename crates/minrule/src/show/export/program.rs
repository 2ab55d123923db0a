//! A model as programs see it: columns of numbers or texts, and rules as tests on their values.

use std::cmp::Reverse;

use hashbrown::HashMap;
use serde::Serialize;

use crate::apply::predict::{Conflict, Policy, Precision, Uncovered};
use crate::data::column::is_missing;
use crate::data::condition::{Condition, Op, Operand};
use crate::data::kind::Kind;
use crate::data::spelling::Decimal;
use crate::data::wording::{Style, Wording};
use crate::error::{Error, Result};
use crate::result::decision_set::DecisionRule;
use crate::result::model::{Model, UsedColumn};

/// A model with the meaning of its conditions settled.
pub(crate) struct Program<'m> {
    pub(crate) model: &'m Model,
    pub(crate) policy: Policy,
    /// The columns that rules test.
    pub(crate) columns: Vec<Column<'m>>,
    pub(crate) rules: Vec<Rule<'m>>,
    /// How rules are said, to whom reads them.
    pub(crate) wording: Wording<'m>,
}

/// A column that rules test.
#[derive(Serialize)]
pub(crate) struct Column<'m> {
    pub(crate) name: &'m str,
    /// Whether its values are numbers; else they are texts.
    pub(crate) numeric: bool,
    /// What its numbers are.
    #[serde(skip_serializing_if = "Kind::is_plain")]
    pub(crate) kind: Kind,
    /// Numbers that stand for a missing value.
    #[serde(skip)]
    pub(crate) missing: Vec<f64>,
}

/// How a program counts dates or times.
pub(crate) struct Count {
    /// The function that reads them.
    pub(crate) function: &'static str,
    /// What they are counted in.
    pub(crate) unit: &'static str,
    /// What it reads.
    pub(crate) reads: &'static str,
    /// Whether that is whole days.
    pub(crate) days: bool,
    /// Whether it has an offset from UTC.
    pub(crate) offset: bool,
}

impl Column<'_> {
    /// How its values are counted where they are numbers to a program, but not to people.
    pub(crate) fn count(&self) -> Option<Count> {
        let (function, unit, reads) = match self.kind {
            Kind::Real | Kind::Whole => return None,
            Kind::Date => ("days_of", "days since 1970-01-01", "a date such as 2021-03-01"),
            Kind::Time => (
                "micros_of",
                "microseconds since 1970-01-01T00:00",
                "a date or time without an offset, such as 2021-03-01T12:30",
            ),
            Kind::Instant => (
                "utc_micros_of",
                "microseconds since 1970-01-01T00:00Z",
                "a time with an offset from UTC, such as 2021-03-01T12:30+01:00",
            ),
        };
        let (days, offset) = (self.kind == Kind::Date, self.kind == Kind::Instant);
        Some(Count { function, unit, reads, days, offset })
    }
}

/// One rule.
pub(crate) struct Rule<'m> {
    /// By position in the labels of the model.
    pub(crate) label: usize,
    /// Rows of the table.
    pub(crate) covers: u64,
    /// What decides conflicts, where the strongest rule does: its literals, or its place by precision or in order.
    pub(crate) strength: usize,
    /// All of these must hold; no two are the same.
    pub(crate) tests: Vec<Test<'m>>,
    pub(crate) rule: &'m DecisionRule,
}

/// A condition on the value of a column.
pub(crate) struct Test<'m> {
    /// By position in the columns of the program.
    pub(crate) column: usize,
    pub(crate) what: What<'m>,
    /// Whether it must not hold.
    pub(crate) negated: bool,
}

/// What can hold of a value. All but `Missing` are false of a missing one, so that their negations
/// are true of it.
#[derive(Clone, Copy)]
pub(crate) enum What<'m> {
    /// It is this text.
    Is(&'m str),
    /// It is this number.
    Equals(f64),
    /// It is at most this number.
    AtMost(f64),
    /// It is more than this number.
    Above(f64),
    /// It is at least this number.
    AtLeast(f64),
    /// It is less than this number.
    Below(f64),
    /// It is above the first and at most the second.
    Within(f64, f64),
    /// It is at least the first and at most the second.
    Between(f64, f64),
    /// There is none.
    Missing,
    /// Nothing ever is: a number asked of a column of texts.
    Never,
}

/// Gives rules a place, the larger the better: programs need not compare fractions, nor know an order.
fn rank<K: Ord>(rules: &mut [Rule], key: impl Fn(&Rule) -> K) {
    let mut keys: Vec<K> = rules.iter().map(&key).collect();
    keys.sort_unstable();
    keys.dedup();
    for rule in rules {
        rule.strength = keys.partition_point(|other| *other <= key(rule));
    }
}

/// By precision. Of equals the earlier label is better, so that rules of different classes never have the same
/// place.
fn by_precision(rule: &Rule) -> (Precision, Reverse<usize>) {
    (rule.rule.smoothed_precision(), Reverse(rule.label))
}

/// First by the order of classes, and by precision in a class.
fn by_order(model: &Model) -> impl Fn(&Rule) -> (Reverse<Option<usize>>, Precision) {
    let classes: Vec<&str> = model.decision_set.classes.iter().map(|class| &*class.class).collect();
    move |rule| {
        let place = classes.iter().position(|class| *class == rule.rule.then);
        (Reverse(place), rule.rule.smoothed_precision())
    }
}

impl<'m> Program<'m> {
    pub(crate) fn new(model: &'m Model, mut policy: Policy, style: Style) -> Program<'m> {
        let used = model.used_columns();
        let kinds: HashMap<&str, Kind> =
            model.features.columns.iter().map(|column| (column.name.as_str(), column.kind)).collect();
        let column = |used: &UsedColumn<'m>| {
            let kind = kinds.get(used.name).copied().filter(|_| used.numeric).unwrap_or_default();
            let reader = model.provenance.spelling.reader(used.name, true);
            let missing = reader.missing_numbers().filter(|_| used.numeric).collect();
            Column { name: used.name, numeric: used.numeric, kind, missing }
        };
        let columns: Vec<Column> = used.iter().map(column).collect();
        let test = |condition: &'m Condition| {
            let column = columns.iter().position(|column| column.name == condition.feature);
            let column = column.expect("the column of a condition is used");
            Test::new(condition, column, columns[column].numeric)
        };
        let rules = model.rules().map(|(label, rule)| {
            let mut conditions: Vec<&Condition> = Vec::new();
            for condition in &rule.conditions {
                if !conditions.contains(&condition) {
                    conditions.push(condition);
                }
            }
            let tests = conditions.into_iter().map(test).collect();
            Rule { label, covers: rule.covers, strength: rule.conditions.len(), tests, rule }
        });
        let mut rules: Vec<Rule> = rules.collect();
        match policy.conflict {
            Conflict::Precision => rank(&mut rules, by_precision),
            Conflict::Order => rank(&mut rules, by_order(model)),
            Conflict::Majority | Conflict::Size | Conflict::Abstain => {}
        }
        if rules.is_empty() && policy.uncovered == Uncovered::Nearest {
            // There is no nearest rule.
            policy.uncovered = Uncovered::Abstain;
        }
        Program { model, policy, columns, rules, wording: model.wording(style) }
    }

    /// What the strength of rules is called.
    pub(crate) fn strength(&self) -> &'static str {
        match self.policy.conflict {
            Conflict::Precision | Conflict::Order => "rank",
            Conflict::Majority | Conflict::Size | Conflict::Abstain => "literals",
        }
    }

    /// The label of a row that no rule covers, if it can be named.
    pub(crate) fn default_label(&self) -> Option<&'m str> {
        self.model.default_label().map(|label| self.model.labels[label].as_str())
    }

    /// The label of a row that no rule covers, if it has one without a look at the rules.
    pub(crate) fn uncovered_label(&self) -> Option<&'m str> {
        self.default_label().filter(|_| self.policy.uncovered == Uncovered::Default)
    }

    /// Whether rows that no rule covers are decided by the nearest.
    pub(crate) fn nearest(&self) -> bool {
        self.policy.uncovered == Uncovered::Nearest
    }

    /// Texts that stand for a missing value, besides those that always do.
    pub(crate) fn missing_texts(&self) -> &'m [String] {
        &self.model.provenance.spelling.missing
    }

    /// Whether decimals follow a comma.
    pub(crate) fn decimal_comma(&self) -> bool {
        self.model.provenance.spelling.decimal == Decimal::Comma
    }

    /// Whether some rule asks whether a text is missing.
    pub(crate) fn asks_for_missing_text(&self) -> bool {
        self.rules.iter().flat_map(|rule| &rule.tests).any(|test| self.is_missing_text(test))
    }

    /// Whether a test asks whether a text is missing.
    pub(crate) fn is_missing_text(&self, test: &Test) -> bool {
        matches!(test.what, What::Missing) && !self.columns[test.column].numeric
    }

    /// How dates and times are counted, each way once.
    pub(crate) fn counts(&self) -> Vec<Count> {
        let mut counts: Vec<Count> = Vec::new();
        for count in self.columns.iter().filter_map(Column::count) {
            if counts.iter().all(|known| known.function != count.function) {
                counts.push(count);
            }
        }
        counts
    }

    /// Refuses names and values with characters that the target cannot hold.
    pub(crate) fn refuse(
        &self,
        what: &'static str,
        bad: impl Fn(char) -> bool,
        allowed: &'static str,
    ) -> Result<()> {
        let names = self.columns.iter().map(|column| column.name);
        let tests = self.rules.iter().flat_map(|rule| &rule.tests);
        let values = tests.filter_map(|test| match test.what {
            What::Is(text) => Some(text),
            _ => None,
        });
        let target = std::iter::once(self.model.decision_set.target.as_str());
        let labels = self.model.labels.iter().chain(self.missing_texts()).map(String::as_str);
        let found = names.chain(values).chain(labels).chain(target).find(|text| text.contains(&bad));
        match found {
            Some(text) => Err(Error::Unsuitable { what, given: format!("{text:?}"), allowed }),
            None => Ok(()),
        }
    }
}

impl<'m> Test<'m> {
    fn new(condition: &'m Condition, column: usize, numeric: bool) -> Test<'m> {
        let what = match (&condition.value, numeric) {
            (Operand::None, _) => What::Missing,
            (Operand::Text(text), false) if !is_missing(text.as_bytes()) => What::Is(text),
            (Operand::Text(text), true) => match text.parse::<f64>() {
                Ok(x) if x.is_finite() => What::Equals(x),
                _ => What::Never,
            },
            (Operand::Number(t), true) => match condition.op {
                Op::Above | Op::NotAbove => What::Above(*t),
                Op::AtLeast => What::AtLeast(*t),
                Op::NotBelow => What::Below(*t),
                _ => What::AtMost(*t),
            },
            (Operand::Interval(low, high), true) => match condition.op {
                Op::Between | Op::NotBetween => What::Between(*low, *high),
                _ => What::Within(*low, *high),
            },
            (Operand::Text(_) | Operand::Number(_) | Operand::Interval(..), false) => What::Never,
        };
        let negated = match condition.op {
            Op::Is | Op::AtMost | Op::Above | Op::AtLeast | Op::In | Op::Between | Op::IsMissing => {
                false
            }
            Op::IsNot | Op::NotAtMost | Op::NotAbove | Op::NotBelow => true,
            Op::NotIn | Op::NotBetween | Op::IsNotMissing => true,
        };
        Test { column, what, negated }
    }
}
