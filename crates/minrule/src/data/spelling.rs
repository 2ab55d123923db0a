//! How values are written: what stands for a missing one, which mark comes before decimals, which columns
//! hold numbers or names whatever they look like, and which hold numbers that are not written plainly.
//!
//! A table is brought to one spelling when it is read, so that no later step has to ask: a missing value is
//! an empty text, and the decimals of a number follow a point. Rows that a model is applied to are brought
//! to it one by one.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::data::calendar::Moment;
use crate::data::column::{Column, is_missing, number_text};
use crate::data::condition::Field;
use crate::data::notation::{Notation, Notations, Recognised, Signed};
use crate::error::{Error, Result, Setting};
use crate::names::choices;

/// How the values of a table are written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spelling {
    /// Texts that stand for a missing value, besides an empty field, `?`, `NA` and `nan`. In a column of
    /// numbers, a number among them stands for every way to write it; so does a date in a column of dates.
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
    /// Columns whose numbers are not written plainly; they are recognised when a table is read.
    #[serde(default)]
    pub notations: Notations,
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

    /// Whether a field stands for a missing value in this column, as far as that can be said of a single field.
    pub(crate) fn is_missing_in(&self, column: &str, field: &[u8]) -> bool {
        if self.is_missing(field) {
            return true;
        }
        let text = std::str::from_utf8(field).unwrap_or_default();
        let signed = || Signed::new(text, self.decimal).and_then(|number| number.plain.parse().ok());
        match self.number(field).or_else(signed) {
            Some(x) => self.missing_numbers().any(|missing| missing == x),
            None => self.is_numeric(column),
        }
    }

    fn is_numeric(&self, column: &str) -> bool {
        self.numeric.iter().any(|name| name == column)
    }

    /// The number that a field says, if it says one plainly.
    pub(crate) fn number(&self, field: &[u8]) -> Option<f64> {
        let text = std::str::from_utf8(field).ok()?;
        let number: Option<f64> = match self.decimal {
            Decimal::Point => text.parse().ok(),
            Decimal::Comma => plain_number(text)?.parse().ok(),
        };
        number.filter(|x| x.is_finite())
    }

    /// How the fields of a column are read.
    pub fn reader(&self, column: &str, numeric: bool) -> Reader<'_> {
        let notation = self.notations.get(column).filter(|_| numeric);
        self.reader_in(notation, numeric)
    }

    fn reader_in<'s>(&'s self, notation: Option<&'s Notation>, numeric: bool) -> Reader<'s> {
        let plain = self.missing.is_empty() && self.decimal == Decimal::Point && notation.is_none();
        Reader { spelling: self, notation, numeric, plain }
    }

    /// A column in the one spelling that conditions know. Unless `recognise`, only columns known to be
    /// written otherwise are read so.
    pub(crate) fn spelled(&self, column: Column, recognise: bool) -> Column {
        // A number that came as one has no decimal mark of its own.
        if self.decimal == Decimal::Comma && column.came_as_numbers() {
            return Spelling { decimal: Decimal::Point, ..self.clone() }.spelled(column, recognise);
        }
        let nominal = self.categorical.contains(&column.name);
        let said_numeric = self.is_numeric(&column.name);
        let plainly_numbers = || {
            let plain =
                |text: &str| self.is_missing(text.as_bytes()) || self.number(text.as_bytes()).is_some();
            column.numbers().is_some() || column.values.iter().all(plain)
        };
        let (notation, doubtful) = match self.notations.get(&column.name) {
            Some(notation) => (Some(notation.clone()), None),
            None if !recognise || nominal || column.is_nominal() || plainly_numbers() => (None, None),
            None => self.recognised(&column, said_numeric),
        };
        if notation.is_none() && self.says_nothing_of_values() {
            return column;
        }
        let reader = self.reader_in(notation.as_ref(), true);
        let number =
            |text: &str| self.is_missing(text.as_bytes()) || reader.number(text.as_bytes()).is_some();
        let numeric =
            !nominal && (said_numeric || notation.is_some() || column.values.iter().all(number));
        let missing = |text: &str| match numeric {
            true => reader.is_no_number(text.as_bytes()),
            false => self.is_missing(text.as_bytes()),
        };
        let strays: Vec<String> =
            column.values.iter().filter(|text| !number(text)).map(str::to_string).collect();
        let rewritten = numeric && (self.decimal == Decimal::Comma || notation.is_some());
        let in_plain = |text: &str| match rewritten {
            true => reader.plain_text(text).map_or_else(|| text.to_string(), Cow::into_owned),
            false => text.to_string(),
        };
        let changes = |text: &str| missing(text) && !text.is_empty();
        let column = match rewritten || column.values.iter().any(changes) {
            true => column.mapped(|text| (!missing(text)).then(|| in_plain(text))),
            false => column,
        };
        let column = if said_numeric { column.with_strays(strays) } else { column };
        let column = column.with_names(nominal);
        match notation {
            Some(notation) => column.with_notation(notation, doubtful),
            None => column,
        }
    }

    /// Whether it leaves all values as they are, but for those of columns with a notation of their own.
    fn says_nothing_of_values(&self) -> bool {
        Spelling { notations: Notations::new(), ..self.clone() }.is_plain()
    }

    /// The notation of a column, and a text of it that may be read in two ways. Where a column is said to
    /// hold numbers, the first that has a sign decides.
    fn recognised(&self, column: &Column, said_numeric: bool) -> (Option<Notation>, Option<String>) {
        let texts = || column.values.iter().filter(|text| !self.is_missing(text.as_bytes()));
        let is_number = |text: &&str| self.number(text.as_bytes()).is_some();
        let is_signed =
            |text: &&str| Signed::new(text, self.decimal).is_some() || Moment::new(text).is_some();
        let recognised = match said_numeric {
            false => Recognised::of(texts(), self.decimal),
            true => {
                let first = texts().find(|text| !is_number(text) && is_signed(text));
                Recognised::of(first.into_iter(), self.decimal)
            }
        };
        match recognised {
            Recognised::Alike { notation, doubtful } => (Some(notation), doubtful),
            Recognised::No | Recognised::Unlike(..) => (None, None),
        }
    }
}

/// How the fields of a column are read.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'s> {
    spelling: &'s Spelling,
    notation: Option<&'s Notation>,
    numeric: bool,
    /// Whether they are written as conditions see them.
    plain: bool,
}

impl Reader<'_> {
    /// Whether fields are written as conditions see them.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// A field as conditions see it.
    pub fn read<'f>(&self, field: &'f [u8]) -> Field<'f> {
        match self.numeric {
            _ if self.plain => Field::new(field, self.numeric),
            true if self.is_no_number(field) => Field::Missing,
            true => self.number(field).map_or(Field::Missing, Field::Number),
            false if self.spelling.is_missing(field) => Field::Missing,
            false => Field::Text(field),
        }
    }

    /// A field in the one spelling that conditions know.
    pub fn plain<'f>(&self, field: &'f [u8]) -> Cow<'f, [u8]> {
        match self.read(field) {
            _ if self.plain => Cow::Borrowed(field),
            Field::Missing => Cow::Borrowed(b""),
            Field::Number(x) => Cow::Owned(number_text(x).into_bytes()),
            Field::Text(text) => Cow::Borrowed(text),
        }
    }

    /// The number that a field says, if it says one.
    fn number(&self, field: &[u8]) -> Option<f64> {
        let signed = || {
            let text = std::str::from_utf8(field).ok()?;
            self.notation?.plain(text, self.spelling.decimal)?.parse().ok()
        };
        self.plain_number(field).or_else(signed)
    }

    fn plain_number(&self, field: &[u8]) -> Option<f64> {
        let taken = self.notation.is_none_or(Notation::takes_plain_numbers);
        self.spelling.number(field).filter(|_| taken)
    }

    /// The same as a program writes it.
    fn plain_text<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        match self.plain_number(text.as_bytes()) {
            Some(_) if self.spelling.decimal == Decimal::Comma => plain_number(text),
            Some(_) => Some(Cow::Borrowed(text)),
            None => self.notation?.plain(text, self.spelling.decimal),
        }
    }

    /// Whether a field stands for a missing value in a column of numbers, or is no number.
    fn is_no_number(&self, field: &[u8]) -> bool {
        let number = self.number(field).filter(|_| !self.spelling.is_missing(field));
        number.is_none_or(|x| self.missing_numbers().any(|missing| missing == x))
    }

    /// Numbers that stand for a missing value.
    pub(crate) fn missing_numbers(&self) -> impl Iterator<Item = f64> {
        self.spelling.missing.iter().filter_map(|text| self.number(text.as_bytes()))
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
        let spelled = spelling.spelled(column(&["1", "n/a", "2", "?", "999.0", "1"]), true);
        assert_eq!(values(&spelled), ["1", "", "2", "", "", "1"]);
        assert_eq!(spelled.missing, Some(1));
        assert_eq!(spelled.numbers().unwrap().len(), 3);
        assert_eq!(&*spelling.reader("x", true).plain(b"9.99e2"), b"");
        assert_eq!(&*spelling.reader("x", true).plain(b"998"), b"998");
        // Among names it is just a name.
        let names = spelling.spelled(column(&["a", "999", "999.0"]), true);
        assert_eq!(values(&names), ["a", "", "999.0"]);
        assert_eq!(&*spelling.reader("x", false).plain(b"999.0"), b"999.0");
    }

    #[test]
    fn decimals_may_follow_a_comma() {
        let spelling = Spelling { decimal: Decimal::Comma, ..Spelling::default() };
        let spelled = spelling.spelled(column(&["1,5", "2", "-0,25", "?"]), true);
        assert_eq!(values(&spelled), ["1.5", "2", "-0.25", ""]);
        assert_eq!(spelled.numbers().unwrap()[..3], [1.5, 2.0, -0.25]);
        // A point separates thousands there, if anything; two commas separate nothing.
        for text in ["1.5", "1,2,3", "1.00,5"] {
            assert!(spelling.spelled(column(&["1,5", text]), true).numbers().is_none(), "{text}");
            assert_eq!(&*spelling.reader("x", true).plain(text.as_bytes()), b"");
        }
        assert_eq!(&*spelling.reader("x", true).plain(b"1,5"), b"1.5");
        assert_eq!(&*spelling.reader("x", false).plain(b"1,5"), b"1,5");
    }

    #[test]
    fn signs_and_marks_are_read_where_all_numbers_have_them() {
        let spelling = Spelling { missing: vec!["-99".into()], ..Spelling::default() };
        let spelled = spelling.spelled(column(&["$1,200.50", "-$99", "?", "$7"]), true);
        assert_eq!(values(&spelled), ["1200.50", "", "", "7"]);
        let notation = Notation::Signs { before: "$".into(), after: String::new() };
        assert_eq!(spelled.notation(), Some(&notation));
        assert!(spelling.is_missing_in("x", b"$-99") && !spelling.is_missing_in("x", b"$99"));
        // A model says which columns are written so, and nothing else is guessed.
        assert_eq!(spelling.spelled(column(&["$1", "$2"]), false).notation(), None);
        let notations = Notations::from([("x".to_string(), notation)]);
        let known = Spelling { notations, ..Spelling::default() };
        let spelled = known.spelled(column(&["$1,200", "3", "a lot"]), false);
        assert_eq!(values(&spelled), ["1200", "3", ""]);
        let reader = known.reader("x", true);
        assert_eq!(reader.read(b"$1,200"), Field::Number(1200.0));
        assert_eq!(reader.read(b"1 200"), Field::Number(1200.0));
        assert_eq!(reader.read(b"1,200 %"), Field::Missing);
        assert_eq!(known.reader("y", true).read(b"$1,200"), Field::Missing);
        // Names stay names, and so does what is written in several ways, unless it is said to be numbers.
        let names = Spelling { categorical: vec!["x".into()], ..Spelling::default() };
        assert_eq!(values(&names.spelled(column(&["5%", "6%"]), true)), ["5%", "6%"]);
        let mixed = ["6", "5%", "-", "$7"];
        assert!(Spelling::default().spelled(column(&mixed[..2]), true).numbers().is_none());
        let numbers = Spelling { numeric: vec!["x".into()], ..Spelling::default() };
        let spelled = numbers.spelled(column(&mixed), true);
        assert_eq!(values(&spelled), ["6", "5", "", ""]);
        assert_eq!(spelled.strays(), ["-", "$7"]);
    }

    #[test]
    fn dates_are_numbers_of_days() {
        let spelling =
            Spelling { missing: vec!["0".into(), "9999-12-31".into()], ..Spelling::default() };
        let spelled = spelling.spelled(column(&["1970-01-01", "?", "2021-03-01", "9999-12-31"]), true);
        assert_eq!(values(&spelled), ["0", "", "18687", ""]);
        let known = Spelling { notations: Notations::from([("x".into(), Notation::Date)]), ..spelling };
        let reader = known.reader("x", true);
        assert_eq!(reader.read(b"2021-03-01"), Field::Number(18687.0));
        assert_eq!(&*reader.plain(b"2021-03-01"), b"18687");
        for other in ["18687", "2021-02-30", "yesterday", "9999-12-31T00:00"] {
            assert_eq!(reader.read(other.as_bytes()), Field::Missing, "{other}");
        }
    }

    #[test]
    fn columns_are_numbers_or_names_as_they_are_said_to_be() {
        let names = Spelling { categorical: vec!["x".into()], ..Spelling::default() };
        assert!(names.spelled(column(&["1", "2", "3"]), true).numbers().is_none());
        let numbers = Spelling { numeric: vec!["x".into()], ..Spelling::default() };
        let spelled = numbers.spelled(column(&["1", "high", "2", "low", "high"]), true);
        assert_eq!(values(&spelled), ["1", "", "2", "", ""]);
        assert_eq!(spelled.strays(), ["high", "low"]);
    }
}
