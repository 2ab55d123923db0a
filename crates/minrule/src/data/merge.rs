//! Distinct rows: rows as bits, equal ones merged, with a weight for each class that they came with.
//!
//! They stand in an order of their own, so that the same rows in another order give the same rules.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use rayon::prelude::*;

use crate::data::binarise::{Features, TrueFeatures};
use crate::data::column::Codes;
use crate::data::literal::ClassId;
use crate::data::table::Table;
use crate::error::Result;

/// Columns, and rows of each, that are turned into bits at a time.
const ENCODED_COLUMNS: usize = 32;
const ENCODED_ROWS: usize = 1024;
/// Rows that are merged between two looks at the clock.
const MERGED_ROWS: usize = 1 << 16;

/// The distinct feature vectors of a table, each with what it weighs for every class.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedRows {
    /// Labels of the classes, in order of appearance.
    classes: Vec<String>,
    features: usize,
    /// 64-bit words in a row of bits.
    words: usize,
    /// Row after row.
    bits: Vec<u64>,
    votes: Votes,
}

/// How the classes are spread over the distinct rows.
#[derive(Debug, Clone, PartialEq, Default)]
struct Votes {
    /// The class that each came with first, and the rows of it.
    first: Vec<(u32, u64)>,
    /// Rows of other classes: few rows have any.
    more: HashMap<u32, Vec<(u32, u64)>>,
}

impl Votes {
    fn add(&mut self, vector: u32, class: u32, weight: u64) {
        let (first, n) = &mut self.first[vector as usize];
        if *first == class {
            *n += weight;
            return;
        }
        let more = self.more.entry(vector).or_default();
        match more.iter_mut().find(|(other, _)| *other == class) {
            Some((_, n)) => *n += weight,
            None => more.push((class, weight)),
        }
    }

    /// With vector `order[i]` in place `i`.
    fn in_order(mut self, order: &[u32]) -> Votes {
        let mut more = HashMap::with_capacity(self.more.len());
        if !self.more.is_empty() {
            for (place, vector) in order.iter().enumerate() {
                more.extend(self.more.remove(vector).map(|others| (place as u32, others)));
            }
        }
        Votes { first: order.iter().map(|&vector| self.first[vector as usize]).collect(), more }
    }
}

impl MergedRows {
    /// Encodes the rows of a table and merges equal ones. Linear in the rows.
    /// Fails only if the limits of the table leave no time for it.
    pub fn new(table: &Table, features: &Features) -> Result<MergedRows> {
        let in_time = || table.options.limits.check_time(&table.name, "choosing features");
        in_time()?;
        let rows = encode(table, features, features.len().div_ceil(64));
        in_time()?;
        let classes = table.target.values.iter().map(str::to_string).collect();
        let weights = table.weights.as_deref();
        let row_classes: Vec<u32> = table.target.codes.iter().collect();
        MergedRows::within(rows, features.len(), &row_classes, weights, classes, &in_time)
    }

    /// Rows given as bits: feature `i` of a row is bit `i % 64` of its word `i / 64`.
    /// Without weights every row counts once.
    pub fn from_rows(
        rows: Vec<u64>,
        features: usize,
        row_classes: &[u32],
        weights: Option<&[u64]>,
        classes: Vec<String>,
    ) -> MergedRows {
        let merged = MergedRows::within(rows, features, row_classes, weights, classes, &|| Ok(()));
        merged.expect("there is time without end")
    }

    /// Merges rows; `in_time` is asked now and then.
    fn within(
        rows: Vec<u64>,
        features: usize,
        row_classes: &[u32],
        weights: Option<&[u64]>,
        classes: Vec<String>,
        in_time: &dyn Fn() -> Result<()>,
    ) -> Result<MergedRows> {
        let words = features.div_ceil(64);
        let (mut bits, votes) = merge(rows, words, row_classes, weights, in_time)?;
        in_time()?;
        let mut order = in_order(&bits, words, votes.first.len());
        in_time()?;
        let votes = votes.in_order(&order);
        rearrange(&mut bits, words, &mut order);
        Ok(MergedRows { classes, features, words, bits, votes })
    }

    /// How many distinct rows there are.
    pub fn len(&self) -> usize {
        self.votes.first.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The classes that a distinct row came with, and what it weighs for each.
    pub fn weights(&self, row: usize) -> impl Iterator<Item = (ClassId, u64)> {
        let more = self.votes.more.get(&(row as u32)).into_iter().flatten();
        [&self.votes.first[row]].into_iter().chain(more).map(|&(class, weight)| (ClassId(class), weight))
    }

    /// The number of Boolean features.
    pub fn features(&self) -> usize {
        self.features
    }

    /// 64-bit words in a row of bits.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The bits, row after row, and the labels.
    pub(crate) fn into_parts(self) -> (Vec<u64>, Vec<String>) {
        (self.bits, self.classes)
    }
}

/// Sets the bits: one look-up a cell. Some columns at a time, since the look-up of a column with many
/// values is large; and of these some rows at a time, so that their bits stay in the cache.
fn encode(table: &Table, features: &Features, words: usize) -> Vec<u64> {
    let mut bits = vec![0u64; table.rows() * words];
    for some in features.of_columns(table).chunks(ENCODED_COLUMNS) {
        let look_ups: Vec<(&Codes, TrueFeatures)> =
            some.par_iter().map(|(encoded, column)| (&column.codes, encoded.by_code(column))).collect();
        bits.par_chunks_mut(ENCODED_ROWS * words).enumerate().for_each(|(block, bits)| {
            let first = block * ENCODED_ROWS;
            let last = first + bits.len() / words;
            if table.options.limits.time_is_up().is_some() {
                return;
            }
            for (codes, true_features) in &look_ups {
                let mut row = 0;
                codes.each(first..last, |code| {
                    for &feature in true_features.of(code) {
                        bits[row + feature as usize / 64] |= 1 << (feature % 64);
                    }
                    row += words;
                });
            }
        });
    }
    bits
}

/// The distinct rows in order of appearance, and the classes behind them.
fn merge(
    mut rows: Vec<u64>,
    words: usize,
    row_classes: &[u32],
    weights: Option<&[u64]>,
    in_time: &dyn Fn() -> Result<()>,
) -> Result<(Vec<u64>, Votes)> {
    let hasher = DefaultHashBuilder::default();
    let mut seen: HashTable<u32> = HashTable::new();
    let mut votes = Votes::default();
    let mut distinct = 0;
    for (i, &class) in row_classes.iter().enumerate() {
        if i % MERGED_ROWS == 0 {
            in_time()?;
        }
        // Distinct rows are moved to the front, so the merge needs no second copy.
        let (kept, rest) = rows.split_at_mut(distinct * words);
        let row = &rest[(i - distinct) * words..(i - distinct + 1) * words];
        let at = |index: u32| &kept[index as usize * words..(index as usize + 1) * words];
        let hash = hasher.hash_one(row);
        let weight = weights.map_or(1, |weights| weights[i]);
        let Some(&index) = seen.find(hash, |&index| at(index) == row) else {
            seen.insert_unique(hash, distinct as u32, |&index| hasher.hash_one(at(index)));
            rows.copy_within(i * words..(i + 1) * words, distinct * words);
            votes.first.push((class, weight));
            distinct += 1;
            continue;
        };
        votes.add(index, class, weight);
    }
    rows.truncate(distinct * words);
    rows.shrink_to_fit();
    Ok((rows, votes))
}

/// The examples sorted by their bits. Of equally small sets of rules, which one is found depends on
/// the order of the examples; it should not depend on that of the rows.
fn in_order(bits: &[u64], words: usize, distinct: usize) -> Vec<u32> {
    let row = |&i: &u32| &bits[i as usize * words..][..words];
    let mut order: Vec<u32> = (0..distinct as u32).collect();
    order.par_sort_unstable_by(|a, b| row(a).cmp(row(b)));
    order
}

/// Puts row `order[i]` in place `i`, for all rows, without a second copy of them: each row that moves
/// makes room for the next. The order is used up.
fn rearrange(bits: &mut [u64], words: usize, order: &mut [u32]) {
    let mut spare = vec![0; words];
    for start in 0..order.len() {
        spare.copy_from_slice(&bits[start * words..][..words]);
        let mut to = start;
        loop {
            let from = std::mem::replace(&mut order[to], to as u32) as usize;
            if from == start {
                bits[to * words..][..words].copy_from_slice(&spare);
                break;
            }
            bits.copy_within(from * words..(from + 1) * words, to * words);
            to = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn equal_rows_keep_their_weight_for_each_class() {
        let labels = ["a", "b", "c"].map(str::to_string).to_vec();
        let rows = vec![5, 3, 5, 5, 5];
        let merged = MergedRows::from_rows(rows, 3, &[2, 0, 1, 2, 0], Some(&[1, 1, 4, 2, 8]), labels);
        assert_eq!(merged.len(), 2);
        assert_eq!(merged.weights(0).collect::<Vec<_>>(), [(ClassId(0), 1)]);
        let mut weights: Vec<_> = merged.weights(1).collect();
        weights.sort_unstable();
        assert_eq!(weights, [(ClassId(0), 8), (ClassId(1), 4), (ClassId(2), 3)]);
    }

    #[test]
    fn merging_many_rows_ends_when_time_is_up() {
        let rows: Vec<u64> = (0..3 * MERGED_ROWS as u64).collect();
        let (classes, asked) = (vec![0; rows.len()], std::cell::Cell::new(0));
        let in_time = || {
            asked.set(asked.get() + 1);
            let (place, progress) = (String::new(), String::new());
            let limit = crate::limits::StopReason::TimeLimit;
            if asked.get() > 2 { Err(Error::LimitReached { place, limit, progress }) } else { Ok(()) }
        };
        let ended = MergedRows::within(rows, 20, &classes, None, vec!["a".into()], &in_time);
        assert!(matches!(ended, Err(Error::LimitReached { .. })) && asked.get() == 3);
    }

    #[test]
    fn rows_are_put_in_any_order() {
        let mut random = fastrand::Rng::with_seed(2);
        for n in 0..50u64 {
            let bits: Vec<u64> = (0..2 * n).collect();
            let mut order: Vec<u32> = (0..n as u32).collect();
            random.shuffle(&mut order);
            let expected: Vec<u64> =
                order.iter().flat_map(|&i| [2 * u64::from(i), 2 * u64::from(i) + 1]).collect();
            let mut moved = bits;
            rearrange(&mut moved, 2, &mut order);
            assert_eq!(moved, expected);
        }
    }
}
