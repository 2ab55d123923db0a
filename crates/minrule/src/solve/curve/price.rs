//! The price of a unit of size, along which the curve goes: an exact fraction of a row.

use std::cmp::Ordering;

use crate::solve::alpha::Alpha;

/// Digits of a short number, at most.
const MOST_DIGITS: usize = 9;

/// Rows that a unit of size must save: a fraction in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UnitPrice {
    pub(super) rows: u64,
    pub(super) parts: u64,
}

impl UnitPrice {
    /// So many rows, divided by so many.
    pub(super) fn new(rows: u64, parts: u64) -> UnitPrice {
        // Alphas know how to make a fraction as small as it gets.
        let (rows, parts) = Alpha::of_rows(rows, parts).price(1);
        UnitPrice { rows, parts }
    }

    /// The price of an alpha for a table of so many rows.
    pub fn of(alpha: Alpha, rows: u64) -> UnitPrice {
        let (rows, parts) = alpha.price(rows);
        UnitPrice { rows, parts }
    }

    /// The alpha that is just this price.
    pub fn alpha(self) -> Alpha {
        Alpha::of_rows(self.rows, self.parts)
    }

    /// In rows.
    pub fn in_rows(self) -> f64 {
        self.rows as f64 / self.parts as f64
    }

    /// What a set of this size and with these errors costs, in the parts of a row that this price is told in.
    pub(super) fn cost(self, size: u64, errors: u64) -> u64 {
        self.rows.saturating_mul(size).saturating_add(self.parts.saturating_mul(errors))
    }
}

impl Ord for UnitPrice {
    fn cmp(&self, other: &UnitPrice) -> Ordering {
        let product = |rows: u64, parts: u64| u128::from(rows) * u128::from(parts);
        product(self.rows, other.parts).cmp(&product(other.rows, self.parts))
    }
}

impl PartialOrd for UnitPrice {
    fn partial_cmp(&self, other: &UnitPrice) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A short number that is an alpha within a range of prices, for a table of so many rows.
pub(super) fn short_alpha(from: UnitPrice, to: Option<UnitPrice>, rows: u64) -> Alpha {
    let share = |price: UnitPrice| price.in_rows() / rows as f64;
    let middle = to.map_or(share(from) * 1.5, |to| (share(from) * share(to)).sqrt());
    let digits = (0..MOST_DIGITS).map(|digits| {
        // Rounded to so many digits, and written without an exponent.
        let rounded: f64 = format!("{middle:.digits$e}").parse().unwrap_or(middle);
        rounded.to_string().parse::<Alpha>()
    });
    let inside = |alpha: &Alpha| {
        let price = UnitPrice::of(*alpha, rows);
        from < price && to.is_none_or(|to| price < to)
    };
    digits.flatten().find(inside).unwrap_or_else(|| from.alpha())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_compared_as_fractions() {
        assert_eq!(UnitPrice::new(6, 4), UnitPrice::new(3, 2));
        assert!(UnitPrice::new(2, 3) < UnitPrice::new(3, 4));
        assert!(UnitPrice::new(u64::MAX, 2) < UnitPrice::new(u64::MAX, 1));
        assert_eq!(UnitPrice::new(3, 2).cost(4, 5), 22);
        assert_eq!(UnitPrice::of("0.5%".parse().unwrap(), 300).in_rows(), 1.5);
    }

    #[test]
    fn a_range_has_a_short_number() {
        let short = |from: (u64, u64), to: Option<(u64, u64)>| {
            let price = |(rows, parts)| UnitPrice::new(rows, parts);
            short_alpha(price(from), to.map(price), 300).to_string()
        };
        assert_eq!(short((1, 1), Some((7, 1))), "0.009");
        assert_eq!(short((30, 1), None), "0.2");
        assert_eq!(short((10, 3), Some((7, 2))), "0.0114");
        // Nothing is between them.
        assert_eq!(short((3, 2), Some((3, 2))), "1.5rows");
    }
}
