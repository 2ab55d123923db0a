//! What the numbers of a column are: how they are cut and compared, and how people read them.

use serde::{Deserialize, Serialize};

use crate::data::calendar::{date_text, time_text};

/// What the numbers of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Any numbers: a cut falls between two of them.
    #[default]
    Real,
    /// Whole numbers: a cut falls on one of them, and the next one is on its other side.
    Whole,
    /// Days since 1970, which are whole.
    Date,
    /// Microseconds since 1970, which are whole.
    Time,
    /// The same in UTC.
    Instant,
}

impl Kind {
    /// The largest number whose successor is exact.
    const EXACT: f64 = 9_007_199_254_740_991.0;

    /// The kind of these numbers; those that are none do not count.
    pub(crate) fn of(numbers: &[f64]) -> Kind {
        let is_whole = |x: &f64| x.fract() == 0.0 && x.abs() < Kind::EXACT;
        match numbers.iter().filter(|x| !x.is_nan()).all(is_whole) {
            true => Kind::Whole,
            false => Kind::Real,
        }
    }

    /// Whether these are numbers of this kind, as cuts must be.
    pub(crate) fn suits(self, cuts: &[f64]) -> bool {
        !self.is_whole() || Kind::of(cuts) == Kind::Whole
    }

    /// Whether all numbers are whole.
    pub fn is_whole(self) -> bool {
        self != Kind::Real
    }

    /// Whether they are dates or times.
    pub fn is_temporal(self) -> bool {
        matches!(self, Kind::Date | Kind::Time | Kind::Instant)
    }

    /// Whether its numbers are no dates.
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_temporal()
    }

    /// Whether it goes without saying.
    pub(crate) fn is_default(&self) -> bool {
        *self == Kind::default()
    }

    /// A number of this kind as people read it. It says exactly this number and no other.
    pub fn shown(self, x: f64) -> String {
        let moment = match self {
            Kind::Real | Kind::Whole => None,
            Kind::Date => date_text(x),
            Kind::Time => time_text(x),
            Kind::Instant => time_text(x).map(|text| text + "Z"),
        };
        if let Some(moment) = moment {
            return moment;
        }
        match self {
            // What is no date is a number.
            Kind::Date | Kind::Time | Kind::Instant => x.to_string(),
            Kind::Real | Kind::Whole if x == 0.0 => "0".to_string(),
            // Nobody counts zeros.
            Kind::Real | Kind::Whole if !(1e-6..1e16).contains(&x.abs()) => format!("{x:e}"),
            Kind::Real | Kind::Whole => x.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_only_if_all_are_and_their_successors_too() {
        assert_eq!(Kind::of(&[1.0, -3.0, f64::NAN, 1e15]), Kind::Whole);
        for not in [0.5, 1e300, 9_007_199_254_740_992.0, f64::INFINITY] {
            assert_eq!(Kind::of(&[1.0, not]), Kind::Real, "{not}");
        }
    }

    #[test]
    fn numbers_are_shown_exactly_and_without_rows_of_zeros() {
        for x in [0.1, 0.30000000000000004, 1e300, -5e-324, 61.5, 123_456.0, 1e-7, f64::MAX] {
            let shown = Kind::Real.shown(x);
            assert!(shown.len() < 25, "{shown}");
            assert_eq!(shown.parse::<f64>().map(f64::to_bits), Ok(x.to_bits()), "{shown}");
        }
        assert_eq!(Kind::Date.shown(18687.0), "2021-03-01");
        assert_eq!(Kind::Instant.shown(1.5e6), "1970-01-01T00:00:01.5Z");
        assert_eq!(Kind::Date.shown(0.5), "0.5");
        assert_eq!([-0.0, 2.0, 61.5, 1e20].map(|x| Kind::Whole.shown(x)), ["0", "2", "61.5", "1e20"]);
    }
}
