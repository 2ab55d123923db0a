//! Examples: merged rows, each with the one class that won the vote.
//!
//! After this step the data are *perfectly classifiable* in the paper's sense: no two examples
//! agree on every feature, so every class can be described without error.

use fixedbitset::FixedBitSet;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::data::binarise::Features;
use crate::data::literal::{ClassId, FeatureId, Literal};
use crate::data::merge::MergedRows;
use crate::data::table::{Table, hexadecimal};
use crate::error::{Error, Result, nearest};

/// How the [identity](Examples::identity) of a table begins that was never a file.
pub(crate) const OF_EXAMPLES: &str = "examples:";

/// The distinct feature vectors of a table, each with its one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Examples {
    /// Labels of the classes, in order of appearance.
    classes: Vec<String>,
    /// What settling conflicts cost.
    conflicts: Conflicts,
    /// The number of Boolean features.
    features: usize,
    /// 64-bit words in a row of bits.
    words: usize,
    /// Row after row.
    bits: Vec<u64>,
    class: Vec<ClassId>,
    /// How many rows of the table each example stands for.
    rows: Vec<u64>,
    /// Rows that lost the vote: the example that they are equal to, their class, and how many they are.
    outvoted: Vec<(usize, ClassId, u64)>,
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

impl MergedRows {
    /// Settles conflicts by majority vote; a tie goes to the class whose label appears first in the table.
    pub fn settle(self) -> Examples {
        let mut all_rows = 0;
        let mut class = Vec::with_capacity(self.len());
        let mut rows = Vec::with_capacity(self.len());
        let mut outvoted = Vec::new();
        let mut conflicts = Conflicts { vectors: 0, ties: 0, rows_dropped: 0, training_accuracy: 1.0 };
        for vector in 0..self.len() {
            let ballot = || self.weights(vector);
            let most = ballot().map(|(_, n)| n).max().expect("each vector has a row");
            let total: u64 = ballot().map(|(_, n)| n).sum();
            let winners = || ballot().filter(|(_, n)| *n == most).map(|(class, _)| class);
            conflicts.vectors += usize::from(ballot().count() > 1);
            conflicts.ties += usize::from(winners().count() > 1);
            conflicts.rows_dropped += (total - most) as usize;
            all_rows += total;
            let winner = winners().min().expect("some class has the most rows");
            let losers = ballot().filter(|(class, _)| *class != winner);
            outvoted.extend(losers.map(|(class, rows)| (vector, class, rows)));
            class.push(winner);
            rows.push(most);
        }
        conflicts.training_accuracy = 1.0 - conflicts.rows_dropped as f64 / all_rows.max(1) as f64;
        let (features, words) = (self.features(), self.words());
        let (bits, classes) = self.into_parts();
        Examples { classes, conflicts, features, words, bits, class, rows, outvoted }
    }
}

impl Examples {
    /// Merges equal rows of a table and [settles](MergedRows::settle) conflicts. Linear in the rows.
    /// Fails only if the limits of the table leave no time for it.
    pub fn new(table: &Table, features: &Features) -> Result<Examples> {
        Ok(MergedRows::new(table, features)?.settle())
    }

    /// Examples of rows given as bits, as [`MergedRows::from_rows`] takes them.
    pub fn from_rows(
        rows: Vec<u64>,
        features: usize,
        row_classes: &[u32],
        weights: Option<&[u64]>,
        classes: Vec<String>,
    ) -> Examples {
        MergedRows::from_rows(rows, features, row_classes, weights, classes).settle()
    }

    /// Labels of the classes, in order of appearance.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// What settling conflicts cost.
    pub fn conflicts(&self) -> &Conflicts {
        &self.conflicts
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

    /// Rows of the table, those that lost the vote included.
    pub fn all_rows(&self) -> u64 {
        let outvoted = self.outvoted.iter().map(|(.., rows)| rows);
        self.rows.iter().chain(outvoted).sum()
    }

    /// Rows of each class, those that lost the vote included.
    pub(crate) fn class_rows(&self) -> Vec<u64> {
        let mut rows = vec![0; self.classes.len()];
        let settled = self.class.iter().copied().zip(self.rows.iter().copied());
        let outvoted = self.outvoted.iter().map(|&(_, class, rows)| (class, rows));
        settled.chain(outvoted).for_each(|(ClassId(class), n)| rows[class as usize] += n);
        rows
    }

    /// These examples, and one more for each class that lost a vote, with equal features: not perfectly
    /// classifiable any more.
    pub fn with_outvoted(&self) -> Examples {
        let mut all = self.clone();
        for (example, class, rows) in std::mem::take(&mut all.outvoted) {
            all.bits.extend_from_slice(self.bits(example));
            all.class.push(class);
            all.rows.push(rows);
        }
        all
    }

    /// These examples in a random order, with which another of the equally small sets may be found.
    pub(crate) fn shuffled(&self, seed: u64) -> Examples {
        let mut order: Vec<usize> = (0..self.len()).collect();
        fastrand::Rng::with_seed(seed).shuffle(&mut order);
        self.picked(&order)
    }

    /// Some of these examples, each once, in this order; with what they outvoted.
    pub(crate) fn picked(&self, picked: &[usize]) -> Examples {
        let mut place = vec![None; self.len()];
        picked.iter().enumerate().for_each(|(new, &old)| place[old] = Some(new));
        let outvoted = self.outvoted.iter();
        let outvoted = outvoted.filter_map(|&(i, class, rows)| Some((place[i]?, class, rows)));
        Examples {
            bits: picked.iter().flat_map(|&i| self.bits(i)).copied().collect(),
            class: picked.iter().map(|&i| self.class[i]).collect(),
            rows: picked.iter().map(|&i| self.rows[i]).collect(),
            outvoted: outvoted.collect(),
            classes: self.classes.clone(),
            conflicts: self.conflicts.clone(),
            features: self.features,
            words: self.words,
        }
    }

    /// What files call a table that was never a file: "examples:" and the SHA-256 of the conditions, the labels
    /// and the examples. That is all that rules and bounds depend on.
    pub(crate) fn identity(&self, features: &Features) -> String {
        let words = serde_json::to_vec(&(features, &self.classes)).expect("plain data");
        let mut sha256 = Sha256::new_with_prefix(words);
        self.bits.iter().chain(&self.rows).for_each(|word| sha256.update(word.to_le_bytes()));
        self.class.iter().for_each(|class| sha256.update(class.0.to_le_bytes()));
        for &(example, class, rows) in &self.outvoted {
            let numbers = [example as u64, u64::from(class.0), rows];
            numbers.iter().for_each(|number| sha256.update(number.to_le_bytes()));
        }
        OF_EXAMPLES.to_string() + &hexadecimal(sha256)
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
    fn wide_rows_are_told_apart_in_every_word() {
        let wide = vec![0, 1, 0, 2, 0, 1];
        let e = Examples::from_rows(wide, 70, &[0, 1, 0], None, vec!["a".into(), "b".into()]);
        assert_eq!(e.len(), 2);
        assert!(e.value(0, FeatureId(64)) && e.value(1, FeatureId(65)));
    }
}
