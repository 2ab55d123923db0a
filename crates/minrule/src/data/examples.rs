//! Distinct examples: rows as bits, equal rows merged, conflicts settled.
//!
//! They stand in an order of their own, so that the same rows in another order give the same rules.
//!
//! After this step the data are *perfectly classifiable* in the paper's sense: no two examples
//! agree on every feature, so every class can be described without error.

use std::hash::BuildHasher;

use fixedbitset::FixedBitSet;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::binarise::{Features, TrueFeatures};
use crate::data::column::Codes;
use crate::data::literal::{ClassId, FeatureId, Literal};
use crate::data::table::Table;
use crate::error::{Error, Result, nearest};

/// Columns, and rows of each, that are turned into bits at a time.
const ENCODED_COLUMNS: usize = 32;
const ENCODED_ROWS: usize = 1024;
/// Rows that are merged between two looks at the clock.
const MERGED_ROWS: usize = 1 << 16;

/// The distinct feature vectors of a table, each with its one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Examples {
    /// Labels of the classes, in order of appearance.
    pub classes: Vec<String>,
    /// What settling conflicts cost.
    pub conflicts: Conflicts,
    /// The number of Boolean features.
    features: usize,
    /// 64-bit words in a row of bits.
    words: usize,
    /// Row after row.
    bits: Vec<u64>,
    class: Vec<ClassId>,
    /// How many rows of the table each example stands for.
    rows: Vec<u64>,
}

/// Rows that agree on every feature but not on the class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conflicts {
    /// Feature vectors with more than one class.
    pub vectors: usize,
    /// Of these, vectors whose majority was a tie.
    pub ties: usize,
    /// Rows that lost the vote.
    pub rows_dropped: usize,
    /// Share of the rows that kept their class.
    pub training_accuracy: f64,
}

impl Examples {
    /// Encodes the rows, merges equal ones and settles conflicts by majority vote; a tie goes to
    /// the class whose label appears first in the table. Linear in the rows.
    /// Fails only if the limits of the table leave no time for it.
    pub fn new(table: &Table, features: &Features) -> Result<Examples> {
        let words = features.len().div_ceil(64);
        let in_time = || table.options.limits.check_time(&table.name, "choosing features");
        in_time()?;
        let rows = encode(table, features, words);
        in_time()?;
        let classes = table.target.values.iter().map(str::to_string).collect();
        let weights = table.weights.as_deref();
        let row_classes: Vec<u32> = table.target.codes.iter().collect();
        Examples::within(rows, features.len(), &row_classes, weights, classes, &in_time)
    }

    /// Examples of rows given as bits: feature `i` of a row is bit `i % 64` of its word `i / 64`.
    /// Without weights every row counts once.
    pub fn from_rows(
        rows: Vec<u64>,
        features: usize,
        row_classes: &[u32],
        weights: Option<&[u64]>,
        classes: Vec<String>,
    ) -> Examples {
        let examples = Examples::within(rows, features, row_classes, weights, classes, &|| Ok(()));
        examples.expect("there is time without end")
    }

    /// The same; `in_time` is asked now and then.
    fn within(
        rows: Vec<u64>,
        features: usize,
        row_classes: &[u32],
        weights: Option<&[u64]>,
        classes: Vec<String>,
        in_time: &dyn Fn() -> Result<()>,
    ) -> Result<Examples> {
        let words = features.div_ceil(64);
        let (mut bits, votes) = merge(rows, words, row_classes, weights, in_time)?;
        in_time()?;
        let mut order = in_order(&bits, words, votes.first.len());
        in_time()?;

        let mut all_rows = 0;
        let mut class = Vec::with_capacity(order.len());
        let mut kept_rows = Vec::with_capacity(order.len());
        let mut conflicts = Conflicts { vectors: 0, ties: 0, rows_dropped: 0, training_accuracy: 1.0 };
        let more = votes.more_by_vector();
        let mut ballot: Vec<(u32, u64)> = Vec::new();
        for &vector in &order {
            ballot.clear();
            ballot.push(votes.first[vector as usize]);
            ballot.extend(more.get(&vector).into_iter().flatten());
            let most = ballot.iter().map(|(_, n)| *n).max().expect("each vector has a row");
            let total: u64 = ballot.iter().map(|(_, n)| *n).sum();
            let mut winners = ballot.iter().filter(|(_, n)| *n == most).map(|(class, _)| *class);
            let winner = winners.clone().min().expect("some class has the most rows");
            conflicts.vectors += usize::from(ballot.len() > 1);
            conflicts.ties += usize::from(winners.nth(1).is_some());
            conflicts.rows_dropped += (total - most) as usize;
            all_rows += total;
            class.push(ClassId(winner));
            kept_rows.push(most);
        }
        rearrange(&mut bits, words, &mut order);
        conflicts.training_accuracy = 1.0 - conflicts.rows_dropped as f64 / all_rows.max(1) as f64;
        Ok(Examples { classes, conflicts, features, words, bits, class, rows: kept_rows })
    }

    /// How many distinct examples there are.
    pub fn len(&self) -> usize {
        self.class.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.class.is_empty()
    }

    /// The number of Boolean features.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The class of an example.
    pub fn class(&self, example: usize) -> ClassId {
        self.class[example]
    }

    /// How many rows of the table an example stands for.
    pub fn rows(&self, example: usize) -> u64 {
        self.rows[example]
    }

    /// The features of an example: feature `i` is bit `i % 64` of word `i / 64`.
    pub(crate) fn bits(&self, example: usize) -> &[u64] {
        &self.bits[example * self.words..(example + 1) * self.words]
    }

    /// The value of a feature.
    pub fn value(&self, example: usize, FeatureId(feature): FeatureId) -> bool {
        let word = self.bits[example * self.words + feature as usize / 64];
        word >> (feature % 64) & 1 == 1
    }

    /// Whether an example satisfies a literal.
    pub fn satisfies(&self, example: usize, literal: Literal) -> bool {
        self.value(example, literal.feature) == literal.positive
    }

    /// For each of these features, which come in order, which of these examples have it. The bits are
    /// turned around in blocks of 64 examples by 64 features: a table of a million rows takes a
    /// fraction of a second.
    pub(crate) fn columns(&self, examples: &[usize], features: &[FeatureId]) -> Vec<FixedBitSet> {
        let mut columns = vec![vec![0usize; examples.len().div_ceil(64)]; features.len()];
        for (block, group) in examples.chunks(64).enumerate() {
            let mut rest = columns.as_mut_slice();
            for features in features.chunk_by(|a, b| a.0 / 64 == b.0 / 64) {
                let word = features[0].0 as usize / 64;
                let mut square = [0u64; 64];
                for (row, &example) in square.iter_mut().zip(group) {
                    *row = self.bits[example * self.words + word];
                }
                transpose(&mut square);
                let (here, after) = rest.split_at_mut(features.len());
                for (column, feature) in here.iter_mut().zip(features) {
                    column[block] = square[feature.0 as usize % 64] as usize;
                }
                rest = after;
            }
        }
        let to_set = |blocks| FixedBitSet::with_capacity_and_blocks(examples.len(), blocks);
        columns.into_iter().map(to_set).collect()
    }

    /// For each feature, which of these examples, at most 64, have it. For a few examples of many,
    /// which a look at columns would miss in the cache.
    pub(crate) fn having(&self, examples: &[usize]) -> Vec<u64> {
        let mut having = vec![0; self.words * 64];
        let (squares, _) = having.as_chunks_mut();
        for (word, square) in squares.iter_mut().enumerate() {
            for (row, &example) in square.iter_mut().zip(examples) {
                *row = self.bits[example * self.words + word];
            }
            transpose(square);
        }
        having
    }

    /// The same in an order drawn at random: of equally small sets of rules, another may be found.
    pub(crate) fn shuffled(&self, seed: u64) -> Examples {
        let mut order: Vec<usize> = (0..self.len()).collect();
        fastrand::Rng::with_seed(seed).shuffle(&mut order);
        let bits = |&i: &usize| &self.bits[i * self.words..(i + 1) * self.words];
        Examples {
            bits: order.iter().flat_map(bits).copied().collect(),
            class: order.iter().map(|&i| self.class[i]).collect(),
            rows: order.iter().map(|&i| self.rows[i]).collect(),
            classes: self.classes.clone(),
            conflicts: self.conflicts.clone(),
            features: self.features,
            words: self.words,
        }
    }

    /// The class with this label; `target` names the column in the message if there is none.
    pub fn class_id(&self, label: &str, target: &str) -> Result<ClassId> {
        let position = self.classes.iter().position(|class| class == label);
        position.map(|i| ClassId(i as u32)).ok_or_else(|| Error::NoSuchClass {
            target: target.to_string(),
            name: label.to_string(),
            nearest: nearest(label, &self.classes),
            known: self.classes.clone(),
        })
    }

    /// The examples of a class, and all others, each in order.
    pub fn split(&self, class: ClassId) -> (Vec<usize>, Vec<usize>) {
        (0..self.len()).partition(|&example| self.class[example] == class)
    }
}

// The bit sets hold machine words, which are filled 64 bits at a time.
const _: () = assert!(usize::BITS == 64, "minrule needs a 64-bit machine");

/// Turns a square of bits around: bit `j` of word `i` becomes bit `i` of word `j`. Quarters are
/// exchanged, then quarters of quarters, and so on (Warren, Hacker's Delight, 7-3).
fn transpose(square: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = 0x0000_0000_ffff_ffffu64;
    while width > 0 {
        let mut i = 0;
        while i < 64 {
            let moved = (square[i] >> width ^ square[i + width]) & mask;
            square[i] ^= moved << width;
            square[i + width] ^= moved;
            i = (i + width + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
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

/// How the classes are spread over the distinct rows.
#[derive(Default)]
struct Votes {
    /// The class that each came with first, and the rows of it.
    first: Vec<(u32, u64)>,
    /// Rows of other classes: few rows have any.
    more: HashMap<(u32, u32), u64>,
}

impl Votes {
    fn more_by_vector(&self) -> HashMap<u32, Vec<(u32, u64)>> {
        let mut by_vector: HashMap<u32, Vec<(u32, u64)>> = HashMap::new();
        for (&(vector, class), &rows) in &self.more {
            by_vector.entry(vector).or_default().push((class, rows));
        }
        by_vector
    }
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
        let (first, n) = &mut votes.first[index as usize];
        match *first == class {
            true => *n += weight,
            false => *votes.more.entry((index, class)).or_insert(0) += weight,
        }
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

    fn examples(rows: &[u64], classes: &[u32]) -> Examples {
        let labels = vec!["a".to_string(), "b".to_string(), "c".to_string()];
        Examples::from_rows(rows.to_vec(), 3, classes, None, labels)
    }

    #[test]
    fn equal_rows_merge_with_a_count() {
        let e = examples(&[1, 2, 1], &[0, 1, 0]);
        assert_eq!(e.len(), 2);
        assert_eq!((e.rows(0), e.rows(1)), (2, 1));
        assert_eq!(e.conflicts.training_accuracy, 1.0);
    }

    #[test]
    fn the_majority_wins_and_the_losers_are_counted() {
        let e = examples(&[1, 1, 1, 2], &[1, 0, 1, 2]);
        assert_eq!(e.class(0), ClassId(1));
        assert_eq!(e.conflicts.rows_dropped, 1);
        assert_eq!(e.conflicts.training_accuracy, 0.75);
    }

    #[test]
    fn a_tie_goes_to_the_label_that_appears_first() {
        let e = examples(&[2, 1, 1], &[0, 1, 0]);
        assert_eq!(e.class(1), ClassId(0));
        assert_eq!((e.conflicts.ties, e.conflicts.vectors), (1, 1));
    }

    #[test]
    fn columns_are_the_rows_turned_around() {
        let mut random = fastrand::Rng::with_seed(1);
        for features in [1usize, 63, 64, 65, 130] {
            let words = features.div_ceil(64);
            let mut rows: Vec<u64> = (0..200 * words).map(|_| random.u64(..)).collect();
            for row in rows.chunks_mut(words) {
                row[words - 1] &= u64::MAX >> (words * 64 - features);
            }
            let e = Examples::from_rows(rows, features, &[0; 200], None, vec!["a".into()]);
            let some: Vec<usize> = (0..e.len()).filter(|_| random.bool()).collect();
            let wanted: Vec<FeatureId> =
                (0..features as u32).map(FeatureId).filter(|_| random.bool()).collect();
            let columns = e.columns(&some, &wanted);
            assert_eq!(columns.len(), wanted.len());
            for (&feature, column) in wanted.iter().zip(&columns) {
                for (position, &example) in some.iter().enumerate() {
                    assert_eq!(column.contains(position), e.value(example, feature));
                }
            }
        }
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
        let ended = Examples::within(rows, 20, &classes, None, vec!["a".into()], &in_time);
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

    #[test]
    fn wide_rows_are_told_apart_in_every_word() {
        let wide = vec![0, 1, 0, 2, 0, 1];
        let e = Examples::from_rows(wide, 70, &[0, 1, 0], None, vec!["a".into(), "b".into()]);
        assert_eq!(e.len(), 2);
        assert!(e.value(0, FeatureId(64)) && e.value(1, FeatureId(65)));
    }
}
