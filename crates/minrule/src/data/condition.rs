//! Conditions: literals in the words of the table, and whether they hold for a value.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::data::column::is_missing;

/// A literal in the words of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// The column.
    pub feature: String,
    /// The comparison.
    pub op: Op,
    /// What is compared with.
    pub value: Operand,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Op {
    /// Equal.
    #[serde(rename = "=")]
    Is,
    /// Not equal (a missing value is not equal to any).
    #[serde(rename = "!=")]
    IsNot,
    /// At most.
    #[serde(rename = "<=")]
    AtMost,
    /// More than.
    #[serde(rename = ">")]
    Above,
    /// At least.
    #[serde(rename = ">=")]
    AtLeast,
    /// Missing, or more than.
    #[serde(rename = "not <=")]
    NotAtMost,
    /// Missing, or at most.
    #[serde(rename = "not >")]
    NotAbove,
    /// Missing, or at least.
    #[serde(rename = "not <")]
    NotBelow,
    /// Above the first, at most the second.
    #[serde(rename = "in")]
    In,
    /// Not in the interval (a missing value is in none).
    #[serde(rename = "not in")]
    NotIn,
    /// At least the first, at most the second.
    #[serde(rename = "between")]
    Between,
    /// Not between the two (a missing value is between none).
    #[serde(rename = "not between")]
    NotBetween,
    /// Missing.
    #[serde(rename = "is missing")]
    IsMissing,
    /// Not missing.
    #[serde(rename = "is not missing")]
    IsNotMissing,
}

/// What a [`Condition`] compares with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Operand {
    /// Nothing, for a test on missing values.
    None,
    /// A number, for thresholds and outer intervals.
    Number(f64),
    /// Lower end (included only by `between`) and upper end (included).
    Interval(f64, f64),
    /// A value as it stands in the table.
    Text(String),
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.feature;
        match (self.op, &self.value) {
            (Op::Is, Operand::Text(value)) => write!(f, "{name} = {value}"),
            (Op::IsNot, Operand::Text(value)) => write!(f, "{name} != {value}"),
            (Op::AtMost, Operand::Number(t)) => write!(f, "{name} <= {t}"),
            (Op::Above, Operand::Number(t)) => write!(f, "{name} > {t}"),
            (Op::AtLeast, Operand::Number(t)) => write!(f, "{name} >= {t}"),
            (Op::NotAtMost, Operand::Number(t)) => write!(f, "not ({name} <= {t})"),
            (Op::NotAbove, Operand::Number(t)) => write!(f, "not ({name} > {t})"),
            (Op::NotBelow, Operand::Number(t)) => write!(f, "not ({name} < {t})"),
            (Op::In, Operand::Interval(low, high)) => write!(f, "{low} < {name} <= {high}"),
            (Op::NotIn, Operand::Interval(low, high)) => write!(f, "not ({low} < {name} <= {high})"),
            (Op::Between, Operand::Interval(low, high)) => write!(f, "{low} <= {name} <= {high}"),
            (Op::NotBetween, Operand::Interval(low, high)) => {
                write!(f, "not ({low} <= {name} <= {high})")
            }
            (Op::IsMissing, _) => write!(f, "{name} is missing"),
            (Op::IsNotMissing, _) => write!(f, "{name} is not missing"),
            (op, value) => write!(f, "{name} {op:?} {value:?}"),
        }
    }
}

/// A value of a row, as conditions see it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Field<'r> {
    /// No value.
    Missing,
    /// A number, in a column of numbers.
    Number(f64),
    /// Anything, in any other column.
    Text(&'r [u8]),
}

impl<'r> Field<'r> {
    /// Reads a field. In a column of numbers, what is no number counts as missing.
    pub fn new(text: &'r [u8], numeric: bool) -> Field<'r> {
        if is_missing(text) {
            return Field::Missing;
        }
        if !numeric {
            return Field::Text(text);
        }
        let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        number.filter(|x: &f64| x.is_finite()).map_or(Field::Missing, Field::Number)
    }
}

impl Condition {
    /// Whether it holds for a value of its column.
    pub fn holds(&self, field: Field) -> bool {
        match (self.op, &self.value) {
            (Op::Is, Operand::Text(value)) => equals(value, field),
            (Op::IsNot, Operand::Text(value)) => !equals(value, field),
            (Op::AtMost, Operand::Number(t)) => matches!(field, Field::Number(x) if x <= *t),
            (Op::Above, Operand::Number(t)) => matches!(field, Field::Number(x) if x > *t),
            (Op::AtLeast, Operand::Number(t)) => matches!(field, Field::Number(x) if x >= *t),
            (Op::NotAtMost, Operand::Number(t)) => !matches!(field, Field::Number(x) if x <= *t),
            (Op::NotAbove, Operand::Number(t)) => !matches!(field, Field::Number(x) if x > *t),
            (Op::NotBelow, Operand::Number(t)) => !matches!(field, Field::Number(x) if x < *t),
            (Op::In, Operand::Interval(low, high)) => within(*low, *high, field),
            (Op::NotIn, Operand::Interval(low, high)) => !within(*low, *high, field),
            (Op::Between, Operand::Interval(low, high)) => between(*low, *high, field),
            (Op::NotBetween, Operand::Interval(low, high)) => !between(*low, *high, field),
            (Op::IsMissing, _) => field == Field::Missing,
            (Op::IsNotMissing, _) => field != Field::Missing,
            // No such condition is ever made, and a model that has one is refused when it is read.
            _ => false,
        }
    }

    /// Whether the comparison and what it compares with belong together.
    pub(crate) fn is_well_formed(&self) -> bool {
        match self.op {
            Op::Is | Op::IsNot => matches!(self.value, Operand::Text(_)),
            Op::AtMost | Op::Above | Op::AtLeast | Op::NotAtMost | Op::NotAbove | Op::NotBelow => {
                matches!(self.value, Operand::Number(_))
            }
            Op::In | Op::NotIn | Op::Between | Op::NotBetween => {
                matches!(self.value, Operand::Interval(..))
            }
            Op::IsMissing | Op::IsNotMissing => matches!(self.value, Operand::None),
        }
    }
}

/// "1" and "1.0" are one value of a column of numbers.
fn equals(value: &str, field: Field) -> bool {
    match field {
        Field::Missing => false,
        Field::Number(x) => value.parse() == Ok(x),
        Field::Text(text) => value.as_bytes() == text,
    }
}

fn within(low: f64, high: f64, field: Field) -> bool {
    matches!(field, Field::Number(x) if low < x && x <= high)
}

fn between(low: f64, high: f64, field: Field) -> bool {
    matches!(field, Field::Number(x) if low <= x && x <= high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(op: Op, value: Operand, field: Field) -> bool {
        Condition { feature: "x".into(), op, value }.holds(field)
    }

    #[test]
    fn a_missing_value_meets_only_what_denies() {
        let text = || Operand::Text("a".into());
        assert!(!holds(Op::Is, text(), Field::Missing) && holds(Op::IsNot, text(), Field::Missing));
        let five = || Operand::Number(5.0);
        for (op, expected) in [
            (Op::AtMost, false),
            (Op::Above, false),
            (Op::AtLeast, false),
            (Op::NotAtMost, true),
            (Op::NotAbove, true),
            (Op::NotBelow, true),
        ] {
            assert_eq!(holds(op, five(), Field::Missing), expected, "{op:?}");
        }
        let interval = || Operand::Interval(1.0, 2.0);
        assert!(!holds(Op::In, interval(), Field::Missing));
        assert!(holds(Op::NotIn, interval(), Field::Missing));
        assert!(!holds(Op::Between, interval(), Field::Missing));
        assert!(holds(Op::NotBetween, interval(), Field::Missing));
        assert!(holds(Op::IsMissing, Operand::None, Field::Missing));
    }

    #[test]
    fn intervals_hold_their_upper_end_and_not_their_lower() {
        let within = |x| holds(Op::In, Operand::Interval(1.0, 2.0), Field::Number(x));
        assert_eq!([1.0, 1.5, 2.0, 2.5].map(within), [false, true, true, false]);
        let between = |x| holds(Op::Between, Operand::Interval(1.0, 2.0), Field::Number(x));
        assert_eq!([0.5, 1.0, 1.5, 2.0, 2.5].map(between), [false, true, true, true, false]);
        let at_least = |op| [0.5, 1.0, 1.5].map(|x| holds(op, Operand::Number(1.0), Field::Number(x)));
        assert_eq!(at_least(Op::AtLeast), [false, true, true]);
        assert_eq!(at_least(Op::NotBelow), [false, true, true]);
    }

    #[test]
    fn numbers_are_compared_as_numbers_and_text_as_text() {
        let one = || Operand::Text("1".into());
        assert!(holds(Op::Is, one(), Field::new(b"1.0", true)));
        assert!(!holds(Op::Is, one(), Field::new(b"1.0", false)));
        assert_eq!(Field::new(b"many", true), Field::Missing);
        assert_eq!(Field::new(b"NA", false), Field::Missing);
        assert_eq!(Field::new(b"inf", true), Field::Missing);
    }

    #[test]
    fn an_interval_is_written_as_a_pair_and_a_missing_value_as_null() {
        let condition =
            Condition { feature: "x".into(), op: Op::In, value: Operand::Interval(1.0, 2.5) };
        let json = serde_json::to_string(&condition).unwrap();
        assert_eq!(json, r#"{"feature":"x","op":"in","value":[1.0,2.5]}"#);
        assert_eq!(serde_json::from_str::<Condition>(&json).unwrap(), condition);
        let missing = Condition { feature: "x".into(), op: Op::IsMissing, value: Operand::None };
        assert_eq!(
            serde_json::to_string(&missing).unwrap(),
            r#"{"feature":"x","op":"is missing","value":null}"#
        );
    }
}
