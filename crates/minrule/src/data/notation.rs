//! How the numbers of a column are written: with signs of currencies or percent, and with marks between
//! thousands; or as dates and times, which are numbers too.
//!
//! A column is taken for one of such numbers only if all its values are, and are written alike: all with the
//! same sign or all without, and with one and the same mark between thousands. A mark stands between groups of
//! exactly three digits, the first of one to three that do not begin with 0: "1,234" is a number of
//! thousands, and "12,34", "0,123" and "1,2345" are none.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::calendar::Moment;
use crate::data::kind::Kind;
use crate::data::spelling::Decimal;

/// How the numbers of a column are written, if not plainly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notation {
    /// With what stands before and after each of them, blanks included, and perhaps with marks between thousands.
    Signs {
        /// Such as "$".
        before: String,
        /// Such as " %".
        after: String,
    },
    /// As dates: days since 1970.
    Date,
    /// As times without an offset: microseconds since 1970, wherever that is.
    Time,
    /// As times with an offset from UTC: microseconds since 1970 in UTC.
    Instant,
}

/// The columns of a table whose numbers are not written plainly.
pub type Notations = BTreeMap<String, Notation>;

/// Signs of currencies.
const CURRENCIES: [char; 10] = ['$', '€', '£', '¥', '₹', '₩', '₽', '₺', '₪', '฿'];

/// Names of currencies.
const CODES: [&str; 22] = [
    "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK", "ISK",
    "PLN", "CZK", "HUF", "BRL", "MXN", "ZAR", "SGD", "HKD",
];

/// What may stand between thousands, besides a point or a comma, and what it counts as.
const GAPS: [(char, char); 6] =
    [(' ', ' '), ('\u{a0}', ' '), ('\u{202f}', ' '), ('\u{2009}', ' '), ('\'', '\''), ('’', '\'')];

/// A number as people write it, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Signed<'t> {
    /// As a program writes it.
    pub(crate) plain: Cow<'t, str>,
    before: &'t str,
    after: &'t str,
    /// What stands between thousands, if anything does.
    mark: Option<char>,
    /// How often it does.
    marks: usize,
}

impl<'t> Signed<'t> {
    /// Takes a text apart; nothing if it is no such number.
    pub(crate) fn new(text: &'t str, decimal: Decimal) -> Option<Signed<'t>> {
        let start = text.find(|c: char| c.is_ascii_digit() || c == decimal.mark())?;
        let end = text.rfind(|c: char| c.is_ascii_digit() || c == decimal.mark())?;
        let (before, body, after) = (&text[..start], &text[start..=end], &text[end + 1..]);
        let (before, negative) = sign(before)?;
        if !is_unit(before, false) || !is_unit(after, true) {
            return None;
        }
        if !before.is_empty() && !after.is_empty() {
            return None;
        }
        let (digits, mark, marks) = ungrouped(body, decimal)?;
        let plain = if negative { Cow::Owned(format!("-{digits}")) } else { digits };
        Some(Signed { plain, before, after, mark, marks })
    }

    /// Its sign, wherever it stands.
    fn unit(&self) -> &'t str {
        [self.before, self.after].map(str::trim).into_iter().find(|unit| !unit.is_empty()).unwrap_or("")
    }

    /// Whether it could also be a number with a decimal comma.
    fn is_doubtful(&self) -> bool {
        self.mark == Some(',') && self.marks == 1 && !self.plain.contains('.')
    }

    /// Whether it can be nothing else than a number with marks between thousands.
    fn is_clear(&self) -> bool {
        self.mark.is_some() && !self.is_doubtful()
    }
}

/// The sign of a number and what else stands before its digits.
fn sign(before: &str) -> Option<(&str, bool)> {
    const MINUS: [char; 2] = ['-', '\u{2212}'];
    let signs = before.matches(|c| c == '+' || MINUS.contains(&c)).count();
    let is_sign = |c: char| c == '+' || MINUS.contains(&c);
    let rest = before.strip_prefix(is_sign).or_else(|| before.strip_suffix(is_sign)).unwrap_or(before);
    match signs {
        0 => Some((before, false)),
        1 if rest.len() < before.len() => Some((rest, before.contains(MINUS))),
        _ => None,
    }
}

/// Whether a text is a sign that a number may have there, or nothing.
fn is_unit(text: &str, after: bool) -> bool {
    let unit = text.trim();
    let mut characters = unit.chars();
    match (characters.next(), characters.next()) {
        (None, _) => text.is_empty(),
        (Some('%'), None) => after,
        (Some(sign), None) => CURRENCIES.contains(&sign),
        _ => CODES.contains(&unit),
    }
}

/// Digits without marks between thousands, with a decimal point; the mark that stood there, and how often.
fn ungrouped(body: &str, decimal: Decimal) -> Option<(Cow<'_, str>, Option<char>, usize)> {
    let (whole, decimals) = match body.split_once(decimal.mark()) {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (body, None),
    };
    let only_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_digits = !whole.is_empty() || decimals.is_some_and(|decimals| !decimals.is_empty());
    if !has_digits || !decimals.is_none_or(only_digits) {
        return None;
    }
    let mark = whole.chars().find(|c| !c.is_ascii_digit());
    let Some(mark) = mark else {
        let plain = match decimals {
            Some(decimals) if decimal == Decimal::Comma => Cow::Owned(format!("{whole}.{decimals}")),
            _ => Cow::Borrowed(body),
        };
        return Some((plain, None, 0));
    };
    let known = match mark {
        '.' | ',' => (mark != decimal.mark()).then_some(mark),
        _ => GAPS.iter().find(|(gap, _)| *gap == mark).map(|(_, known)| *known),
    }?;
    let mut groups = whole.split(mark);
    let first = groups.next()?;
    let first_fits = (1..=3).contains(&first.len()) && only_digits(first) && !first.starts_with('0');
    if !first_fits || !groups.all(|group| group.len() == 3 && only_digits(group)) {
        return None;
    }
    let mut plain = whole.replace(mark, "");
    let marks = whole.matches(mark).count();
    if let Some(decimals) = decimals {
        plain.push('.');
        plain.push_str(decimals);
    }
    Some((Cow::Owned(plain), Some(known), marks))
}

impl Decimal {
    /// The mark itself.
    pub(crate) fn mark(self) -> char {
        match self {
            Decimal::Point => '.',
            Decimal::Comma => ',',
        }
    }
}

/// What the texts of a column are, taken together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Recognised {
    /// Something that is no number.
    No,
    /// Numbers, all written alike.
    Alike {
        notation: Notation,
        /// A text that could also be a number with a decimal comma, if all of them could.
        doubtful: Option<String>,
    },
    /// Numbers that are written differently: two of them.
    Unlike(String, String),
}

impl Recognised {
    /// Looks at the values of a column, those that are missing left out, as far as it takes.
    pub(crate) fn of<'t>(texts: impl Iterator<Item = &'t str>, decimal: Decimal) -> Recognised {
        let mut texts = texts.peekable();
        if texts.peek().is_some_and(|text| Moment::new(text).is_some()) {
            return Recognised::moments(texts);
        }
        let mut first: Option<(&str, Signed)> = None;
        let mut marked: Option<(&str, Option<char>)> = None;
        let mut unlike = None;
        let (mut doubtful, mut clear) = (None, false);
        for text in texts {
            let Some(number) = Signed::new(text, decimal) else { return Recognised::No };
            let (first_text, first_number) = first.get_or_insert_with(|| (text, number.clone()));
            if first_number.unit() != number.unit() {
                unlike.get_or_insert_with(|| (first_text.to_string(), text.to_string()));
            }
            if number.mark.is_some() {
                let (other, mark) = marked.get_or_insert((text, number.mark));
                if *mark != number.mark {
                    unlike.get_or_insert_with(|| (other.to_string(), text.to_string()));
                }
            }
            clear |= number.is_clear();
            if number.is_doubtful() {
                doubtful.get_or_insert(text);
            }
        }
        let Some((_, number)) = first else { return Recognised::No };
        if let Some((one, other)) = unlike {
            return Recognised::Unlike(one, other);
        }
        let (before, after) = (number.before.to_string(), number.after.to_string());
        let doubtful = doubtful.filter(|_| !clear).map(str::to_string);
        Recognised::Alike { notation: Notation::Signs { before, after }, doubtful }
    }
}

impl Recognised {
    /// Dates if all are, even if they are written as times; else times, if all have an offset, or none has.
    fn moments<'t>(texts: impl Iterator<Item = &'t str>) -> Recognised {
        let mut first: Option<(&str, Moment)> = None;
        let (mut dates, mut times) = (true, true);
        for text in texts {
            let Some(moment) = Moment::new(text) else { return Recognised::No };
            let (other, before) = first.get_or_insert((text, moment));
            if before.has_offset != moment.has_offset {
                return Recognised::Unlike(other.to_string(), text.to_string());
            }
            dates &= moment.whole_day().is_some();
            times &= moment.is_exact();
        }
        let notation = match first {
            _ if dates => Notation::Date,
            // Too long ago, or too far ahead, for microseconds.
            _ if !times => return Recognised::No,
            Some((_, moment)) if moment.has_offset => Notation::Instant,
            _ => Notation::Time,
        };
        Recognised::Alike { notation, doubtful: None }
    }
}

impl Notation {
    /// The number that a text says in this notation, as a program writes it. A sign may be left out, since those
    /// who have plain numbers have none.
    pub(crate) fn plain<'t>(&self, text: &'t str, decimal: Decimal) -> Option<Cow<'t, str>> {
        let number = match self {
            Notation::Signs { before, after } => {
                let number = Signed::new(text, decimal)?;
                let unit = [before.trim(), after.trim()];
                let known = number.unit().is_empty() || unit.contains(&number.unit());
                return known.then_some(number.plain);
            }
            Notation::Date => Moment::new(text)?.whole_day()?,
            Notation::Time | Notation::Instant => {
                let with_offset = *self == Notation::Instant;
                let moment = Moment::new(text)?;
                (moment.is_exact() && moment.has_offset == with_offset).then_some(moment.micros)?
            }
        };
        Some(Cow::Owned(number.to_string()))
    }

    /// Whether a plain number means the same.
    pub(crate) fn takes_plain_numbers(&self) -> bool {
        matches!(self, Notation::Signs { .. })
    }

    /// What such numbers are, if that does not depend on them.
    pub(crate) fn kind(&self) -> Option<Kind> {
        match self {
            Notation::Signs { .. } => None,
            Notation::Date => Some(Kind::Date),
            Notation::Time => Some(Kind::Time),
            Notation::Instant => Some(Kind::Instant),
        }
    }

    /// What stands before and after each number, if these are signs that numbers have.
    pub(crate) fn signs(&self) -> Option<(&str, &str)> {
        let Notation::Signs { before, after } = self else { return None };
        // A model may have been written by anybody.
        let is_sign = Signed::new(&format!("{before}1{after}"), Decimal::Point).is_some();
        is_sign.then_some((before, after))
    }

    /// What to say of it to those who must give plain numbers.
    pub(crate) fn in_words(&self) -> Option<String> {
        let Notation::Signs { before, after } = self else { return None };
        Some(match [before.trim(), after.trim()] {
            ["", ""] => "without marks between thousands".to_string(),
            [unit, ""] | [_, unit] => format!("without \"{unit}\" and without marks between thousands"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, decimal: Decimal) -> Option<String> {
        Signed::new(text, decimal).map(|number| number.plain.into_owned())
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, expected) in [
            ("1,234,567", "1234567"),
            ("1 234 567", "1234567"),
            ("1\u{a0}234.5", "1234.5"),
            ("1'234.50", "1234.50"),
            ("12 %", "12"),
            ("3.5%", "3.5"),
            ("-0.5%", "-0.5"),
            ("$1,200.50", "1200.50"),
            ("-$5", "-5"),
            ("$-5", "-5"),
            ("\u{2212}5 €", "-5"),
            ("CHF 1'200", "1200"),
            ("12.50 USD", "12.50"),
            ("¥.5", ".5"),
            ("+7 %", "7"),
        ] {
            assert_eq!(plain(text, Decimal::Point).as_deref(), Some(expected), "{text}");
            assert!(expected.parse::<f64>().is_ok());
        }
        for (text, expected) in [
            ("1.234.567", "1234567"),
            ("1.200,50 €", "1200.50"),
            ("12,5 %", "12.5"),
            ("1 234,5", "1234.5"),
        ] {
            assert_eq!(plain(text, Decimal::Comma).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_no_number() {
        for text in [
            "",
            "%",
            "$",
            ".",
            "1,23",
            "12,34,567",
            "0,123",
            "1,2345",
            ",123",
            "1,234,",
            "1,234 567",
            "1.234,5",
            "1..2",
            "1.2.3",
            "$5%",
            "5 $ %",
            "ABC 5",
            "%5",
            "--5",
            "$--5",
            "5-",
            "(5)",
            "1e5%",
            "5 % off",
            "5 km",
            " 5",
            "1  234",
            "1234,567",
            "1. 5",
            "€ € 5",
            "٣ %",
        ] {
            assert_eq!(plain(text, Decimal::Point), None, "{text}");
        }
        for text in ["1.5", "1,2,3", "1,234.5", "1.23,4"] {
            assert_eq!(plain(text, Decimal::Comma), None, "{text}");
        }
    }

    #[test]
    fn a_column_is_recognised_only_if_all_are_written_alike() {
        let of = |texts: &[&str]| Recognised::of(texts.iter().copied(), Decimal::Point);
        let signs =
            |before: &str, after: &str| Notation::Signs { before: before.into(), after: after.into() };
        let alike = |notation| Recognised::Alike { notation, doubtful: None };
        assert_eq!(of(&["12 %", "3.5%"]), alike(signs("", " %")));
        assert_eq!(of(&["$999", "-$1,000.50"]), alike(signs("$", "")));
        assert_eq!(of(&["1 234", "17"]), alike(signs("", "")));
        assert!(matches!(of(&["12 %", "3"]), Recognised::Unlike(..)));
        assert!(matches!(of(&["12 $", "3 €"]), Recognised::Unlike(..)));
        assert!(matches!(of(&["1 234", "1,234.5"]), Recognised::Unlike(..)));
        assert_eq!(of(&["1,234", "high"]), Recognised::No);
        assert_eq!(of(&[]), Recognised::No);
        let doubtful = |texts: &[&str]| match of(texts) {
            Recognised::Alike { doubtful, .. } => doubtful,
            other => panic!("{other:?}"),
        };
        assert_eq!(doubtful(&["12", "1,234", "5,678"]).as_deref(), Some("1,234"));
        assert_eq!(doubtful(&["12", "1,234", "1,234,567"]), None);
        assert_eq!(doubtful(&["1,234", "1,234.5"]), None);
    }

    #[test]
    fn dates_and_times_are_recognised_if_all_are() {
        let of = |texts: &[&str]| Recognised::of(texts.iter().copied(), Decimal::Point);
        let alike = |notation| Recognised::Alike { notation, doubtful: None };
        assert_eq!(of(&["2021-03-01", "2020-02-29"]), alike(Notation::Date));
        assert_eq!(of(&["2021-03-01 00:00:00", "2020-02-29"]), alike(Notation::Date));
        assert_eq!(of(&["2021-03-01 12:30", "2020-02-29"]), alike(Notation::Time));
        assert_eq!(of(&["2021-03-01T00:00Z", "2020-02-29T00:00+01:00"]), alike(Notation::Instant));
        assert!(matches!(of(&["2021-03-01T00:00Z", "2020-02-29T00:00"]), Recognised::Unlike(..)));
        assert_eq!(of(&["2021-03-01", "soon"]), Recognised::No);
        assert_eq!(of(&["2021-03-01T12:00", "9021-03-01"]), Recognised::No);
        assert_eq!(of(&["2021-03-01", "9021-03-01"]), alike(Notation::Date));
        let read = |notation: Notation, text| notation.plain(text, Decimal::Point).map(Cow::into_owned);
        assert_eq!(read(Notation::Date, "1970-01-02T00:00:00").as_deref(), Some("1"));
        assert_eq!(read(Notation::Date, "1970-01-02T00:00:01"), None);
        assert_eq!(read(Notation::Date, "1"), None);
        assert_eq!(read(Notation::Time, "1970-01-02").as_deref(), Some("86400000000"));
        assert_eq!(read(Notation::Time, "1970-01-02T00:00Z"), None);
        assert_eq!(read(Notation::Instant, "1970-01-01T01:00+01:00").as_deref(), Some("0"));
    }

    #[test]
    fn a_sign_may_be_left_out_but_not_exchanged() {
        let percent = Notation::Signs { before: String::new(), after: " %".into() };
        let read = |text| percent.plain(text, Decimal::Point).map(Cow::into_owned);
        assert_eq!(read("12%").as_deref(), Some("12"));
        assert_eq!(read("12").as_deref(), Some("12"));
        assert_eq!(read("$12"), None);
        assert_eq!(percent.signs(), Some(("", " %")));
        let forged = Notation::Signs { before: "1 OR x > ".into(), after: String::new() };
        assert_eq!((forged.signs(), Notation::Date.signs()), (None, None));
    }
}
