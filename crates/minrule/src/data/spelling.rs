//! How values are written: what stands for a missing one, which mark comes before decimals, and which
//! columns hold numbers or names whatever they look like.
//!
//! A table is brought to one spelling when it is read, so that no later step has to ask: a missing value is
//! an empty text, and the decimals of a number follow a point. Rows that a model is applied to are brought
//! to it one by one.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::data::column::{Column, is_missing, number_text};
use crate::data::condition::Field;
use crate::error::{Error, Result, Setting};
use crate::names::choices;

/// How the values of a table are written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spelling {
    /// Texts that stand for a missing value, besides an empty field, `?`, `NA` and `nan`. In a column of
    /// numbers, a number among them stands for every way to write it.
    #[serde(default)]
    pub missing: Vec<String>,
    /// The mark before decimals.
    #[serde(default)]
    pub decimal: Decimal,
    /// Columns whose values are names, even if they look like numbers.
    #[serde(default)]
    pub categorical: Vec<String>,
    /// Columns of numbers: what is no number there is a missing value.
    #[serde(default)]
    pub numeric: Vec<String>,
}

/// The mark before decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Decimal {
    /// As in 2.5.
    #[default]
    #[serde(rename = ".")]
    Point,
    /// As in 2,5.
    #[serde(rename = ",")]
    Comma,
}

choices!(Decimal {
    Point = ".": "As in 2.5",
    Comma = ",": "As in 2,5",
});

impl Spelling {
    /// Whether a table is written as most are.
    pub fn is_plain(&self) -> bool {
        *self == Spelling::default()
    }

    /// Refuses what contradicts itself.
    pub(crate) fn check(&self) -> Result<()> {
        match self.categorical.iter().find(|name| self.numeric.contains(name)) {
            Some(name) => Err(Error::BadOption {
                setting: Setting::Categorical,
                given: format!("\"{name}\""),
                allowed: "about other columns than those said to hold numbers",
            }),
            None => Ok(()),
        }
    }

    /// The columns that it speaks of.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &String> {
        self.categorical.iter().chain(&self.numeric)
    }

    /// Whether a field stands for a missing value wherever it stands.
    pub fn is_missing(&self, field: &[u8]) -> bool {
        is_missing(field) || self.missing.iter().any(|text| text.as_bytes() == field)
    }

    /// Numbers that stand for a missing value in a column of numbers.
    pub(crate) fn missing_numbers(&self) -> impl Iterator<Item = f64> {
        self.missing.iter().filter_map(|text| self.number(text.as_bytes()))
    }

    /// Whether a field stands for a missing value in a column of numbers, or is no number.
    fn is_no_number(&self, field: &[u8]) -> bool {
        let number = self.number(field).filter(|_| !self.is_missing(field));
        number.is_none_or(|x| self.missing_numbers().any(|missing| missing == x))
    }

    /// Whether it does in this column, as far as that can be said of a single field.
    pub(crate) fn is_missing_in(&self, column: &str, field: &[u8]) -> bool {
        self.is_missing(field)
            || (self.is_numeric(column) && self.is_no_number(field))
            || self.number(field).is_some_and(|x| self.missing_numbers().any(|missing| missing == x))
    }

    fn is_numeric(&self, column: &str) -> bool {
        self.numeric.iter().any(|name| name == column)
    }

    /// The number that a field says, if it says one.
    pub(crate) fn number(&self, field: &[u8]) -> Option<f64> {
        let text = std::str::from_utf8(field).ok()?;
        let number: Option<f64> = match self.decimal {
            Decimal::Point => text.parse().ok(),
            Decimal::Comma => plain_number(text)?.parse().ok(),
        };
        number.filter(|x| x.is_finite())
    }

    /// A field as conditions see it.
    pub fn field<'f>(&self, field: &'f [u8], numeric: bool) -> Field<'f> {
        match numeric {
            true if self.is_no_number(field) => Field::Missing,
            true => self.number(field).map_or(Field::Missing, Field::Number),
            false if self.is_missing(field) => Field::Missing,
            false => Field::Text(field),
        }
    }

    /// A field in the one spelling that conditions know.
    pub fn plain<'f>(&self, field: &'f [u8], numeric: bool) -> Cow<'f, [u8]> {
        match self.field(field, numeric) {
            Field::Missing => Cow::Borrowed(b""),
            Field::Number(x) if self.decimal == Decimal::Comma => {
                Cow::Owned(number_text(x).into_bytes())
            }
            Field::Number(_) | Field::Text(_) => Cow::Borrowed(field),
        }
    }

    /// A column in the one spelling that conditions know.
    pub(crate) fn spelled(&self, column: Column) -> Column {
        if self.is_plain() {
            return column;
        }
        // A number that came as one has no decimal mark of its own.
        if self.decimal == Decimal::Comma && column.came_as_numbers() {
            return Spelling { decimal: Decimal::Point, ..self.clone() }.spelled(column);
        }
        let nominal = self.categorical.contains(&column.name);
        let said_numeric = self.is_numeric(&column.name);
        let number =
            |text: &str| self.is_missing(text.as_bytes()) || self.number(text.as_bytes()).is_some();
        let numeric = !nominal && (said_numeric || column.values.iter().all(number));
        let missing = |text: &str| match numeric {
            true => self.is_no_number(text.as_bytes()),
            false => self.is_missing(text.as_bytes()),
        };
        let strays: Vec<String> =
            column.values.iter().filter(|text| !number(text)).map(str::to_string).collect();
        let comma = numeric && self.decimal == Decimal::Comma;
        let in_plain = |text: &str| match comma {
            true => plain_number(text).map_or_else(|| text.to_string(), Cow::into_owned),
            false => text.to_string(),
        };
        let changes = |text: &str| (missing(text) && !text.is_empty()) || (comma && text.contains(','));
        let changes = column.values.iter().any(changes);
        let column = match changes {
            true => column.mapped(|text| (!missing(text)).then(|| in_plain(text))),
            false => column,
        };
        let column = if said_numeric { column.with_strays(strays) } else { column };
        column.with_names(nominal)
    }
}

/// A number with decimals behind a comma, as it would be written with a point; nothing if it has a point.
fn plain_number(text: &str) -> Option<Cow<'_, str>> {
    match (text.contains('.'), text.contains(',')) {
        (true, _) => None,
        (false, false) => Some(Cow::Borrowed(text)),
        (false, true) => {
            let text = text.replacen(',', ".", 1);
            (!text.contains(',')).then_some(Cow::Owned(text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::column::ColumnBuilder;

    fn column(texts: &[&str]) -> Column {
        let mut column = ColumnBuilder::new("x");
        texts.iter().for_each(|text| column.push_text(text));
        column.finish()
    }

    fn values(column: &Column) -> Vec<String> {
        column.codes.iter().map(|code| column.values.get(code).to_string()).collect()
    }

    #[test]
    fn texts_that_stand_for_a_missing_value_are_one() {
        let spelling = Spelling { missing: vec!["n/a".into(), "999".into()], ..Spelling::default() };
        let spelled = spelling.spelled(column(&["1", "n/a", "2", "?", "999.0", "1"]));
        assert_eq!(values(&spelled), ["1", "", "2", "", "", "1"]);
        assert_eq!(spelled.missing, Some(1));
        assert_eq!(spelled.numbers().unwrap().len(), 3);
        assert_eq!(&*spelling.plain(b"9.99e2", true), b"");
        assert_eq!(&*spelling.plain(b"998", true), b"998");
        // Among names it is just a name.
        let names = spelling.spelled(column(&["a", "999", "999.0"]));
        assert_eq!(values(&names), ["a", "", "999.0"]);
        assert_eq!(&*spelling.plain(b"999.0", false), b"999.0");
    }

    #[test]
    fn decimals_may_follow_a_comma() {
        let spelling = Spelling { decimal: Decimal::Comma, ..Spelling::default() };
        let spelled = spelling.spelled(column(&["1,5", "2", "-0,25", "?"]));
        assert_eq!(values(&spelled), ["1.5", "2", "-0.25", ""]);
        assert_eq!(spelled.numbers().unwrap()[..3], [1.5, 2.0, -0.25]);
        // A point may separate thousands there, so it makes no number; nor do two commas.
        for text in ["1.5", "1,2,3", "1.000,5"] {
            assert!(spelling.spelled(column(&["1,5", text])).numbers().is_none(), "{text}");
            assert_eq!(&*spelling.plain(text.as_bytes(), true), b"");
        }
        assert_eq!(&*spelling.plain(b"1,5", true), b"1.5");
        assert_eq!(&*spelling.plain(b"1,5", false), b"1,5");
    }

    #[test]
    fn columns_are_numbers_or_names_as_they_are_said_to_be() {
        let names = Spelling { categorical: vec!["x".into()], ..Spelling::default() };
        assert!(names.spelled(column(&["1", "2", "3"])).numbers().is_none());
        let numbers = Spelling { numeric: vec!["x".into()], ..Spelling::default() };
        let spelled = numbers.spelled(column(&["1", "high", "2", "low", "high"]));
        assert_eq!(values(&spelled), ["1", "", "2", "", ""]);
        assert_eq!(spelled.strays(), ["high", "low"]);
    }
}
