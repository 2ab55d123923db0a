//! What a literal must be worth: alpha, the price of size in errors.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::objective::Objective;
use super::tariff::Tariff;
use crate::error::{Error, Result, Setting};
use crate::names::Choice;

/// Decimals that are read.
const MOST_DECIMALS: usize = 9;
/// Costs stay below this, so that they are exact in floating point, too.
const MOST_COST: u128 = 1 << 53;
/// How finely prices are told where rows have weights.
const MILLION: f64 = 1e6;
const ALLOWED: &str = "more than zero, with nine decimals at most or as a fraction: a share of the rows such as \
                       `0.005` or `0.5%`, or rows such as `2rows` or `1/3rows`";

/// What a rule pays for each unit of its size, as a fraction: of the rows of the table, or of one row.
///
/// ```
/// use minrule::solve::Alpha;
///
/// let alpha: Alpha = "0.5%".parse()?;
/// assert_eq!(alpha.price(300), (3, 2));
/// assert_eq!("2rows".parse::<Alpha>()?.price(300), (2, 1));
/// # Ok::<(), minrule::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alpha {
    numerator: u64,
    denominator: u64,
    /// Whether it is a fraction of one row, and not of all of them.
    rows: bool,
}

impl Alpha {
    /// This share of the rows.
    pub(crate) fn share(numerator: u64, denominator: u64) -> Alpha {
        let common = gcd(numerator.into(), denominator.into()) as u64;
        Alpha { numerator: numerator / common, denominator: denominator / common, rows: false }
    }

    /// So many rows, divided by so many.
    pub(crate) fn of_rows(numerator: u64, denominator: u64) -> Alpha {
        Alpha { numerator, denominator, rows: true }
    }

    /// A fraction, of so many parts of a hundred or of one; nothing if there is none or it is zero.
    fn fraction(numerator: u64, denominator: u64, percent: u64, rows: bool) -> Option<Alpha> {
        let denominator =
            denominator.checked_mul(percent).filter(|&parts| parts > 0 && numerator > 0)?;
        let common = gcd(numerator.into(), denominator.into()) as u64;
        Some(Alpha { numerator: numerator / common, denominator: denominator / common, rows })
    }

    /// The price of a unit of size where the table has so many rows, in rows: a fraction in lowest terms.
    pub fn price(self, rows: u64) -> (u64, u64) {
        let all = if self.rows { 1 } else { u128::from(rows) };
        let (numerator, denominator) = (u128::from(self.numerator) * all, u128::from(self.denominator));
        let common = gcd(numerator, denominator);
        let numerator = u64::try_from(numerator / common).unwrap_or(u64::MAX);
        (numerator, (denominator / common) as u64)
    }

    /// The same where rows have weights, and one of weight 1 counts as `one` of `rows` in all. Rows are meant by
    /// weight, and the price is rounded to a millionth of one: with weights of many decimals, costs could not
    /// be exact otherwise.
    pub fn weighed(self, rows: u64, one: f64) -> Alpha {
        if one == 1.0 {
            return self;
        }
        let (numerator, denominator) = self.price(rows);
        let price = numerator as f64 / denominator as f64 * if self.rows { one } else { 1.0 };
        // Weights that are no decimals are counted in millionths to begin with.
        let fine = if one > 1.0 && MILLION % one == 0.0 { MILLION / one } else { 1.0 };
        let (numerator, denominator) = ((price * fine).round().max(1.0) as u64, fine as u64);
        let common = gcd(numerator.into(), denominator.into()) as u64;
        Alpha { numerator: numerator / common, denominator: denominator / common, rows: true }
    }

    /// What rules of a table of so many rows pay: for size, and for the rows that they get wrong.
    pub(crate) fn tariff(self, objective: Objective, rows: u64) -> Result<Tariff> {
        let (price, row) = self.price(rows);
        let most = (u128::from(rows) + 1) * u128::from(row);
        if most > MOST_COST {
            return Err(Error::BadOption {
                setting: Setting::Alpha,
                given: self.to_string(),
                allowed: "a number with fewer decimals for a table of so many rows",
            });
        }
        // What is dearer than all rows together is never bought.
        let price = price.min(most as u64);
        let tariff = match objective {
            Objective::Rules => Tariff::new(price, 0),
            Objective::Literals => Tariff::new(0, price),
            Objective::Size => Tariff::new(price, price),
            Objective::RulesThenLiterals => {
                return Err(Error::NotWithAlpha {
                    setting: Setting::Objective,
                    value: objective.name(),
                });
            }
        };
        Ok(tariff.with_negative(row).with_left_out(row))
    }
}

impl FromStr for Alpha {
    type Err = Error;

    fn from_str(text: &str) -> Result<Alpha> {
        let bad = || Error::BadOption {
            setting: Setting::Alpha,
            given: format!("\"{text}\""),
            allowed: ALLOWED,
        };
        let given = text.trim();
        let ending = |end: &str| given.strip_suffix(end).map(str::trim_end);
        let (number, rows, percent) = match (ending("rows").or_else(|| ending("row")), ending("%")) {
            (Some(number), _) => (number, true, 1),
            (_, Some(number)) => (number, false, 100),
            _ => (given, false, 1),
        };
        if let Some((numerator, denominator)) = number.split_once('/') {
            let whole = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok());
            let parts =
                [numerator.trim_end(), denominator.trim_start()].map(|part| whole(part).flatten());
            let [Some(numerator), Some(denominator)] = parts else { return Err(bad()) };
            return Alpha::fraction(numerator, denominator, percent, rows).ok_or_else(bad);
        }
        let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{decimals}");
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(bad());
        }
        let decimals = decimals.trim_end_matches('0').len();
        let digits = &digits[..whole.len() + decimals];
        if decimals > MOST_DECIMALS {
            return Err(bad());
        }
        let numerator: u64 = if digits.is_empty() { 0 } else { digits.parse().map_err(|_| bad())? };
        Alpha::fraction(numerator, 10u64.pow(decimals as u32), percent, rows).ok_or_else(bad)
    }
}

impl fmt::Display for Alpha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.rows { "rows" } else { "" };
        let decimals = format!("{}{unit}", self.numerator as f64 / self.denominator as f64);
        // What is shown can be asked for.
        match decimals.parse::<Alpha>().is_ok_and(|alpha| alpha == *self) {
            true => f.write_str(&decimals),
            false => write!(f, "{}/{}{unit}", self.numerator, self.denominator),
        }
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_percents_and_rows_are_read_exactly() {
        for (text, rows, price) in [
            ("0.005", 1000, (5, 1)),
            ("0.5%", 1000, (5, 1)),
            (".3%", 303, (909, 1000)),
            ("1", 7, (7, 1)),
            ("2rows", 7, (2, 1)),
            ("1 row", 7, (1, 1)),
            ("0.50 rows", 7, (1, 2)),
            ("0.000000001", 7, (7, 1_000_000_000)),
            ("1/3rows", 7, (1, 3)),
            ("2 / 7 %", 350, (1, 1)),
            ("4/6", 7, (14, 3)),
        ] {
            assert_eq!(text.parse::<Alpha>().unwrap().price(rows), price, "{text}");
        }
        for text in ["", "0", "0rows", "-1", "1e-3", "a", "0.0000000001", "rows", "%", "1,5", "nan"] {
            assert!(text.parse::<Alpha>().is_err(), "{text}");
        }
        for text in ["1/", "/3", "0/3", "1/0", "1/2/3", "1.5/3", "-1/3", "/", "1/99999999999999999999"] {
            assert!(text.parse::<Alpha>().is_err(), "{text}");
        }
    }

    #[test]
    fn rows_are_meant_by_weight() {
        for (text, rows, one, price) in [
            ("2rows", 160, 1.0, (2, 1)),
            ("2rows", 1_600, 10.0, (20, 1)),
            ("0.25rows", 1_600, 10.0, (5, 2)),
            ("0.0000001rows", 1_600, 10.0, (1, 100_000)),
            ("0.5%", 1_600, 10.0, (8, 1)),
            ("0.003162278", 1_000_000_000, 1e6, (3_162_278, 1)),
            ("1row", 1_000_000_000, 740_740.74, (740_741, 1)),
            ("0.003162278", 999_999_987, 740_740.74, (3_162_278, 1)),
        ] {
            let alpha = text.parse::<Alpha>().unwrap().weighed(rows, one);
            assert_eq!(alpha.price(rows), price, "{text} {one}");
            assert!(alpha.tariff(Objective::Size, rows).is_ok());
        }
    }

    #[test]
    fn it_is_shown_as_it_is_read() {
        for text in ["0.005", "2rows", "0.25rows", "0.001"] {
            let alpha: Alpha = text.parse().unwrap();
            assert_eq!(alpha.to_string(), text);
            assert_eq!("0.5%".parse::<Alpha>().unwrap().to_string(), "0.005");
        }
        for alpha in [(1, 3), (20, 7), (1, 1 << 40), (123_456_789, 1_000_000_007), (5, 8)] {
            for alpha in [Alpha::share(alpha.0, alpha.1), Alpha::of_rows(alpha.0, alpha.1)] {
                assert_eq!(alpha.to_string().parse::<Alpha>().unwrap(), alpha, "{alpha}");
            }
        }
        assert_eq!(Alpha::of_rows(1, 3).to_string(), "1/3rows");
    }

    #[test]
    fn costs_that_would_not_be_exact_are_refused() {
        let alpha: Alpha = "0.000000001rows".parse().unwrap();
        assert!(alpha.tariff(Objective::Size, 1000).is_ok());
        assert!(alpha.tariff(Objective::Size, 1 << 40).is_err());
        assert!(alpha.tariff(Objective::RulesThenLiterals, 10).is_err());
    }
}
