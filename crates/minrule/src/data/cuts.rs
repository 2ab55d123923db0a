//! Where a column of numbers can be cut: equal frequency, equal width, or class boundaries. Where thresholds are
//! put, all columns decide together: see [`trees`](crate::data::trees).

use crate::data::calendar::{round_day, round_time};
use crate::data::column::Column;
use crate::data::kind::Kind;
use crate::data::table::Table;

/// The distinct numbers of a column in rising order, each with its rows per class.
pub(crate) struct Profile {
    numbers: Vec<f64>,
    kind: Kind,
    /// A code whose text stands for the number.
    codes: Vec<u32>,
    /// `counts[number * classes + class]`: rows.
    counts: Vec<u64>,
    classes: usize,
    /// The place of each code among the numbers.
    ranks: Vec<u32>,
}

const NO_NUMBER: u32 = u32::MAX;

impl Profile {
    /// One pass over the rows; the rest of the work is in the distinct values.
    pub(crate) fn new(column: &Column, numbers: &[f64], kind: Kind, table: &Table) -> Profile {
        // Side by side, so that sorting them stays in the cache.
        let mut order: Vec<(f64, u32)> = numbers.iter().copied().zip(0..).collect();
        order.retain(|(number, _)| !number.is_nan());
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));

        let classes = table.target.values.len();
        let ranks = vec![NO_NUMBER; numbers.len()];
        let mut profile =
            Profile { numbers: vec![], kind, codes: vec![], counts: vec![], classes, ranks };
        for (number, code) in order {
            // Compared as numbers: "1" and "1.0" are one value, and so are 0 and -0.
            if profile.numbers.last() != Some(&number) {
                profile.numbers.push(number);
                profile.codes.push(code);
            }
            profile.ranks[code as usize] = profile.numbers.len() as u32 - 1;
        }
        profile.counts = vec![0; profile.numbers.len() * classes];
        for (row, (code, class)) in column.codes.iter().zip(table.target.codes.iter()).enumerate() {
            let rank = profile.ranks[code as usize];
            if rank != NO_NUMBER {
                profile.counts[rank as usize * classes + class as usize] += table.weight(row);
            }
        }
        profile
    }

    /// What the numbers are.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// How many distinct numbers there are.
    pub(crate) fn values(&self) -> usize {
        self.numbers.len()
    }

    /// A code for each distinct number, in rising order.
    pub(crate) fn codes(&self) -> impl Iterator<Item = u32> {
        self.codes.iter().copied()
    }

    /// The place of a code that is no missing value among the numbers.
    pub(crate) fn rank(&self, code: u32) -> u32 {
        self.ranks[code as usize]
    }

    /// Of two places, the last one from the first on whose number is no more than the middle between theirs.
    pub(crate) fn halfway(&self, low: u32, high: u32) -> u32 {
        let (a, b) = (self.numbers[low as usize], self.numbers[high as usize]);
        let middle = a / 2.0 + b / 2.0;
        (self.numbers.partition_point(|&x| x <= middle) as u32).clamp(low + 1, high) - 1
    }

    /// Cuts after these places, which come in any order.
    pub(crate) fn cuts_after(&self, mut places: Vec<usize>) -> Vec<f64> {
        places.sort_unstable();
        places.into_iter().map(|i| self.cut_after(i)).collect()
    }

    fn classes_of(&self, i: usize) -> &[u64] {
        &self.counts[i * self.classes..(i + 1) * self.classes]
    }

    /// The place that has about as many rows, by weight, on either side; none if all numbers are one.
    pub(crate) fn middle(&self) -> Option<usize> {
        let rows = |i: usize| self.classes_of(i).iter().sum::<u64>();
        let all: u64 = (0..self.values()).map(rows).sum();
        let below = (0..self.values()).scan(0, |below, place| {
            *below += rows(place);
            Some(*below)
        });
        let away = |(_, below): &(usize, u64)| (u128::from(*below) * 2).abs_diff(all.into());
        let places = below.enumerate().take(self.values().saturating_sub(1));
        places.min_by_key(away).map(|(place, _)| place)
    }

    /// Cuts for `n` intervals with about as many rows each: for each quota, the nearest place
    /// between two values. Heavy values can leave fewer intervals.
    pub(crate) fn equal_frequency(&self, n: usize) -> Vec<f64> {
        let mut below = 0u64;
        let cumulated: Vec<u64> = (0..self.values())
            .map(|i| {
                below += self.classes_of(i).iter().sum::<u64>();
                below
            })
            .collect();
        let last = self.values() - 1;
        let mut after: Vec<usize> = (1..n as u64)
            .map(|k| {
                let quota = below as u128 * k as u128;
                let distance = |i: usize| (cumulated[i] as u128 * n as u128).abs_diff(quota);
                let at = cumulated.partition_point(|&c| (c as u128 * n as u128) < quota).min(last - 1);
                if at > 0 && distance(at - 1) <= distance(at) { at - 1 } else { at }
            })
            .collect();
        after.dedup();
        after.into_iter().map(|i| self.cut_after(i)).collect()
    }

    /// Cuts for `n` intervals of equal width, without those that would hold no row.
    pub(crate) fn equal_width(&self, n: usize) -> Vec<f64> {
        let (low, high) = (self.numbers[0], self.numbers[self.values() - 1]);
        // A thousandth of an interval is what a readable cut may be off.
        let tolerance = (high / n as f64 - low / n as f64) / 1000.0;
        let mut cuts: Vec<(usize, f64)> = (1..n)
            .filter_map(|k| {
                let share = k as f64 / n as f64;
                // Not `low + share * (high - low)`: the difference of huge numbers overflows.
                let ideal = low * (1.0 - share) + high * share;
                let below = self.numbers.partition_point(|&x| x <= ideal);
                (0 < below && below < self.values()).then(|| (below - 1, ideal))
            })
            .collect();
        cuts.dedup_by_key(|(after, _)| *after);
        let readable = |(after, ideal): (usize, f64)| {
            let above = self.numbers[after].max(ideal - tolerance);
            let below = self.numbers[after + 1].min(ideal + tolerance);
            self.cut_between(after, (above, below), ideal)
        };
        cuts.into_iter().map(readable).collect()
    }

    /// Whether there is one of these cuts, which rise, wherever the class changes.
    pub(crate) fn are_all_boundaries(&self, cuts: &[f64]) -> bool {
        let side = |i: usize| cuts.partition_point(|&cut| cut < self.numbers[i]);
        self.boundaries().all(|i| side(i) != side(i + 1))
    }

    /// All places after which the class changes. No other threshold can do more for a rule: within a run of values
    /// of one class, it can be moved to the end where the rule covers more of its class, or less of another.
    pub(crate) fn boundaries(&self) -> impl Iterator<Item = usize> {
        (0..self.values().saturating_sub(1)).filter(|&i| self.is_boundary(i))
    }

    /// At most `most` places, all where the class changes, chosen greedily for the greatest drop in
    /// entropy (Fayyad and Irani 1992 show that no other place can be better). Models of earlier versions were
    /// cut so.
    pub(crate) fn strongest_boundaries(&self, most: usize) -> Vec<usize> {
        let mut candidates: Vec<usize> = self.boundaries().collect();
        let mut chosen: Vec<usize> = Vec::new();
        if candidates.len() <= most {
            chosen.append(&mut candidates);
        }
        while chosen.len() < most && !candidates.is_empty() {
            let Some(best) = self.best_split(&candidates, &chosen) else { break };
            candidates.retain(|&i| i != best);
            let at = chosen.partition_point(|&i| i < best);
            chosen.insert(at, best);
        }
        chosen
    }

    /// Not a boundary: the values on both sides belong to one and the same class only.
    fn is_boundary(&self, i: usize) -> bool {
        let only = |counts: &[u64]| {
            let mut present = counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(c, _)| c);
            match (present.next(), present.next()) {
                (Some(class), None) => Some(class),
                _ => None,
            }
        };
        let (here, next) = (only(self.classes_of(i)), only(self.classes_of(i + 1)));
        here.is_none() || here != next
    }

    /// The candidate that lowers the total entropy the most, given the cuts chosen so far.
    /// One sweep over the values.
    fn best_split(&self, candidates: &[usize], chosen: &[usize]) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        let mut start = 0;
        for end in chosen.iter().map(|i| i + 1).chain([self.values()]) {
            let mut right = vec![0u64; self.classes];
            for i in start..end {
                add(&mut right, self.classes_of(i));
            }
            let whole = entropy(&right);
            let mut left = vec![0u64; self.classes];
            for i in start..end {
                add(&mut left, self.classes_of(i));
                for (r, n) in right.iter_mut().zip(self.classes_of(i)) {
                    *r -= n;
                }
                if candidates.binary_search(&i).is_ok() {
                    let gain = whole - entropy(&left) - entropy(&right);
                    if best.is_none_or(|(most, _)| gain > most + 1e-9) {
                        best = Some((gain, i));
                    }
                }
            }
            start = end;
        }
        best.map(|(_, i)| i)
    }

    /// A cut in the middle between two neighbours.
    fn cut_after(&self, i: usize) -> f64 {
        let (a, b) = (self.numbers[i], self.numbers[i + 1]);
        self.cut_between(i, (a, b), a / 2.0 + b / 2.0)
    }

    /// A readable cut between a value and its neighbour, and between these ends. Of whole numbers it is one of
    /// them, from the value on: what is above is at least the next.
    fn cut_between(&self, i: usize, (above, below): (f64, f64), ideal: f64) -> f64 {
        let readable = readable_between(above, below, ideal);
        let neighbours = (self.numbers[i], self.numbers[i + 1]);
        match self.kind {
            Kind::Real => readable,
            // What is on or after a round day or time is above the one before it.
            Kind::Date => round_day(neighbours.0, neighbours.1) - 1.0,
            Kind::Time | Kind::Instant => round_time(neighbours.0, neighbours.1) - 1.0,
            Kind::Whole if readable.fract() == 0.0 => readable + 0.0,
            Kind::Whole => ideal.floor().clamp(self.numbers[i], self.numbers[i + 1] - 1.0) + 0.0,
        }
    }
}

fn add(total: &mut [u64], counts: &[u64]) {
    for (t, n) in total.iter_mut().zip(counts) {
        *t += n;
    }
}

/// Entropy of a set, times its size.
fn entropy(counts: &[u64]) -> f64 {
    let total: u64 = counts.iter().sum();
    let parts = counts.iter().filter(|n| **n > 0);
    parts.map(|&n| n as f64 * (total as f64 / n as f64).log2()).sum()
}

/// The number nearest `ideal` with the fewest decimals that lies strictly between `a` and `b`, so
/// that people read "42.5" and not "42.49999999".
fn readable_between(a: f64, b: f64, ideal: f64) -> f64 {
    // Powers of ten above the gap first, then ever finer.
    // The difference of huge numbers is infinite, and no power of ten is.
    let gap = (b - a).abs().clamp(f64::MIN_POSITIVE, f64::MAX);
    let coarsest = -gap.log10().ceil() as i32;
    for decimals in coarsest..coarsest + 18 {
        let rounded = if decimals >= 0 {
            format!("{ideal:.*}", decimals as usize).parse().unwrap_or(ideal)
        } else {
            let unit = 10f64.powi(-decimals);
            (ideal / unit).round() * unit
        };
        if a < rounded && rounded < b {
            return rounded;
        }
    }
    // Neighbouring floats: nothing is strictly between, and `x <= a` splits them as well.
    if a < ideal && ideal < b { ideal } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::{Table, TableOptions};

    fn profile(rows: &[(f64, &str)]) -> Profile {
        let body: String = rows.iter().map(|(x, c)| format!("{x},{c}\n")).collect();
        let text = format!("x,c\n{body}");
        let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
        let column = &table.features[0];
        let numbers = column.numbers().unwrap();
        Profile::new(column, numbers, Kind::of(numbers), &table)
    }

    #[test]
    fn equal_frequency_balances_rows() {
        let rows: Vec<(f64, &str)> =
            (0..12).map(|i| (f64::from(i * i), if i % 2 == 0 { "a" } else { "b" })).collect();
        let cuts = profile(&rows).equal_frequency(4);
        let share = |low: f64, high: f64| rows.iter().filter(|r| low < r.0 && r.0 <= high).count();
        assert_eq!(cuts.len(), 3);
        assert_eq!(share(f64::MIN, cuts[0]), 3);
        assert_eq!(share(cuts[1], cuts[2]), 3);
    }

    #[test]
    fn a_heavy_value_leaves_fewer_intervals() {
        let mut rows = vec![(1.0, "a"); 100];
        rows.extend([(2.0, "b"), (3.0, "a")]);
        let cuts = profile(&rows).equal_frequency(4);
        assert_eq!(cuts, [1.0]);
    }

    #[test]
    fn equal_width_skips_empty_intervals() {
        let cuts = profile(&[(0.0, "a"), (1.0, "b"), (100.0, "a")]).equal_width(4);
        assert_eq!(cuts, [25.0]);
    }

    #[test]
    fn boundaries_stand_only_where_the_class_changes() {
        let rows = [(1.0, "a"), (2.0, "a"), (3.0, "b"), (4.0, "b"), (5.0, "a")];
        let of_rows = profile(&rows);
        let cuts = of_rows.cuts_after(of_rows.boundaries().collect());
        assert_eq!(cuts, [2.0, 4.0]);
        assert!(of_rows.are_all_boundaries(&cuts) && of_rows.are_all_boundaries(&[2.1, 4.0]));
        assert!(!of_rows.are_all_boundaries(&[2.5]) && !of_rows.are_all_boundaries(&[2.0, 3.5, 5.0]));
        let of_rows = profile(&rows.map(|(x, class)| (x + 0.5, class)));
        assert_eq!(of_rows.cuts_after(of_rows.boundaries().collect()), [3.0, 5.0]);
    }

    #[test]
    fn whole_numbers_are_cut_at_whole_numbers() {
        let cut = |a: f64, b: f64| profile(&[(a, "a"), (b, "b")]).cuts_after(vec![0]);
        for (a, b) in [(0.0, 1.0), (-1.0, 0.0), (-3.0, 4.0), (17.0, 23.0), (1e15, 1e15 + 1.0)] {
            let t = cut(a, b)[0];
            assert!(t.fract() == 0.0 && a <= t && t < b, "{a} {t} {b}");
        }
        assert_eq!(cut(1200.0, 98_000.0), [50_000.0]);
        assert!(cut(-1.0, 1.0)[0].is_sign_positive());
        let wide = profile(&[(0.0, "a"), (1.0, "b"), (10.0, "a"), (11.0, "b")]);
        assert_eq!(wide.equal_width(4), [2.0]);
    }

    #[test]
    fn the_strongest_boundary_comes_first() {
        let mut rows: Vec<(f64, &str)> = (0..20).map(|i| (f64::from(i), "a")).collect();
        rows.extend((20..40).map(|i| (f64::from(i), "b")));
        rows.push((50.0, "a"));
        assert_eq!(profile(&rows).strongest_boundaries(1), [19]);
    }

    #[test]
    fn cuts_are_readable() {
        assert_eq!(readable_between(42.0, 43.0, 42.5), 42.5);
        assert_eq!(readable_between(0.1, 0.2, 0.15), 0.15);
        assert_eq!(readable_between(1.234, 5.678, 3.456), 3.0);
        assert_eq!(readable_between(1200.0, 98000.0, 49600.0), 50000.0);
        let next = f64::from_bits(1.0f64.to_bits() + 1);
        assert_eq!(readable_between(1.0, next, 1.0), 1.0);
        assert_eq!(readable_between(-1e308, 1e308, 0.0), 0.0);
    }
}
