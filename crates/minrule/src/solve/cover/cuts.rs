//! Cuts: what whole rules need beyond what fractions of rules do.
//!
//! Take an odd number of examples, and let each rule count for half of those that it covers, rounded up.
//! The rules of a cover then count for half of these examples, rounded up: three examples, of which no rule
//! covers all, need two rules, where the relaxation may do with three halves (Chvátal 1973; with
//! halves, Caprara and Fischetti 1996).
//!
//! Violated cuts are looked for modulo two. An odd number of examples is a violated cut if the
//! rules that cover an odd number of them have shares that add up to less than one, together with what is
//! covered more than once. So the rows of the relaxation are added up modulo two, such that the rules with the
//! largest shares go out one after another (Koster, Zymolka and Kutschka 2009).

use hashbrown::HashSet;

use crate::solve::rule::Coverage;

/// Shares that are less than this from none or from one are whole.
const WHOLE: f64 = 1e-6;
/// What a cut must be violated by.
const LEAST: f64 = 0.02;
/// Examples of a cut, at most: in a cut of many, too many rules count.
const MOST: usize = 9;
/// Orders in which rules go out.
const ORDERS: usize = 20;
/// Cuts are alike if so much of the larger one is in both.
const ALIKE: f64 = 0.75;

/// Examples, of which each rule counts for half of those that it covers, rounded up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) examples: Coverage,
}

impl Cut {
    /// How often a rule counts.
    pub(super) fn count(&self, coverage: &Coverage) -> u32 {
        (self.examples.intersection_count(coverage) as u32).div_ceil(2)
    }

    /// How often the rules of a cover count together, at least.
    pub(super) fn least(&self) -> u32 {
        (self.examples.count_ones(..) as u32).div_ceil(2)
    }

    fn is_like(&self, other: &Cut) -> bool {
        let size = |cut: &Cut| cut.examples.count_ones(..);
        let common = self.examples.intersection_count(&other.examples);
        common as f64 > ALIKE * size(self).max(size(other)) as f64
    }
}

/// A sum of rows modulo two.
#[derive(Clone)]
struct Row {
    examples: Coverage,
    /// The rules that cover an odd number of these.
    odd: Coverage,
    /// How much more than once these examples are covered.
    surplus: f64,
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.examples.symmetric_difference_with(&other.examples);
        self.odd.symmetric_difference_with(&other.odd);
        self.surplus += other.surplus;
    }

    /// By how much it is violated as a cut.
    fn violation(&self, rules: &[(&Coverage, f64)]) -> f64 {
        let odd: f64 = self.odd.ones().map(|rule| rules[rule].1).sum();
        (1.0 - odd - self.surplus) / 2.0
    }

    fn is_cut(&self) -> bool {
        let size = self.examples.count_ones(..);
        size % 2 == 1 && size <= MOST
    }
}

/// Some cuts that these shares of rules violate, the best ones.
pub(super) fn violated<'c>(
    examples: usize,
    shares: impl Iterator<Item = (&'c Coverage, f64)>,
    most: usize,
) -> Vec<Cut> {
    let rules: Vec<(&Coverage, f64)> =
        shares.filter(|(_, share)| *share > WHOLE && *share < 1.0 - WHOLE).collect();
    let rows = rows(examples, &rules);
    let mut random = fastrand::Rng::with_seed(0);
    let mut found: Vec<(f64, Cut)> = Vec::new();
    let mut known = HashSet::new();
    for _ in 0..ORDERS {
        let mut order: Vec<(f64, usize)> =
            rules.iter().zip(0..).map(|(rule, place)| (rule.1 * (0.5 + random.f64()), place)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut rows = rows.clone();
        for (_, rule) in order {
            // The row that adds least to the others takes the rule out of them.
            let with = rows.iter().enumerate().filter(|(_, row)| row.odd.contains(rule));
            let weight = |row: &Row| (row.surplus, row.odd.count_ones(..));
            let lightest = with.min_by(|(_, a), (_, b)| {
                let (a, b) = (weight(a), weight(b));
                a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
            });
            let Some((lightest, _)) = lightest else { continue };
            let lightest = rows.swap_remove(lightest);
            for row in rows.iter_mut().filter(|row| row.odd.contains(rule)) {
                row.add(&lightest);
                let violation = row.violation(&rules);
                if violation > LEAST && row.is_cut() && known.insert(row.examples.clone()) {
                    let cut = Cut { examples: row.examples.clone() };
                    let squares =
                        rules.iter().map(|(coverage, _)| f64::from(cut.count(coverage)).powi(2));
                    found.push((violation / squares.sum::<f64>().sqrt(), cut));
                }
            }
            rows.retain(|row| row.surplus < 1.0 - LEAST);
        }
    }
    // The deepest first.
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.examples.cmp(&b.1.examples)));
    let mut best: Vec<Cut> = Vec::new();
    for (_, cut) in found {
        if best.len() < most && !best.iter().any(|other| other.is_like(&cut)) {
            best.push(cut);
        }
    }
    best
}

/// The rows of the relaxation that may be part of a violated cut.
fn rows(examples: usize, rules: &[(&Coverage, f64)]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut known = HashSet::new();
    for example in 0..examples {
        let mut odd = Coverage::with_capacity(rules.len());
        let mut covered = 0.0;
        for (place, (_, share)) in rules.iter().enumerate().filter(|(_, rule)| rule.0.contains(example))
        {
            odd.insert(place);
            covered += share;
        }
        let surplus = (covered - 1.0).max(0.0);
        // Where no share is a fraction, a whole rule covers the example.
        if !odd.is_clear() && surplus < 1.0 - LEAST && known.insert(odd.clone()) {
            let mut single = Coverage::with_capacity(examples);
            single.insert(example);
            rows.push(Row { examples: single, odd, surplus });
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage(examples: &[usize]) -> Coverage {
        let mut coverage = Coverage::with_capacity(5);
        examples.iter().for_each(|&example| coverage.insert(example));
        coverage
    }

    #[test]
    fn halves_of_rules_around_an_odd_circle_violate_a_cut() {
        let rules: Vec<Coverage> = (0..5).map(|i| coverage(&[i, (i + 1) % 5])).collect();
        let found = violated(5, rules.iter().map(|rule| (rule, 0.5)), 10);
        assert_eq!(found, [Cut { examples: coverage(&[0, 1, 2, 3, 4]) }]);
        assert_eq!(found[0].least(), 3);
        assert_eq!(found[0].count(&coverage(&[1, 2, 3])), 2);
    }

    #[test]
    fn whole_rules_violate_nothing() {
        let rules: Vec<Coverage> = (0..5).map(|i| coverage(&[i])).collect();
        assert_eq!(violated(5, rules.iter().map(|rule| (rule, 1.0)), 10), []);
    }
}
