//! How well a model predicts rows whose classes are known.

use serde::Serialize;

use crate::apply::predict::{DecidedBy, Verdict};

/// All classes that no rule describes, as one.
const OTHERS: &str = "(another class)";

/// What was predicted, counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    labels: Vec<String>,
    /// Labels that the model knows; the table may have more.
    known: usize,
    /// Of each label of the model, its place among the labels here.
    places: Vec<(String, usize)>,
    /// The place of all classes that no rule describes, where they count as one.
    others: Option<usize>,
    /// Rows by label and by predicted label; the last column is for no prediction.
    confusion: Vec<Vec<u64>>,
    /// Rows that no rule covers.
    pub uncovered: u64,
    /// Rows that rules of several classes cover.
    pub in_conflict: u64,
}

/// How well one class is predicted. A share of nothing is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassScores {
    /// The label.
    pub class: String,
    /// Rows of this class.
    pub rows: u64,
    /// Of the rows predicted as this class, the share that is.
    pub precision: Option<f64>,
    /// Of the rows of this class, the share predicted as such.
    pub recall: Option<f64>,
    /// The harmonic mean of both.
    pub f1: Option<f64>,
}

impl Evaluation {
    /// An empty evaluation of a model that describes all of these labels.
    pub fn new(labels: &[String]) -> Evaluation {
        Evaluation::partial(labels, labels)
    }

    /// An empty evaluation of a model that describes only some of its labels. If several are not
    /// described, a row that no rule covers belongs to one of them, but nobody can say to which: they
    /// count as one.
    pub fn partial(labels: &[String], described: &[String]) -> Evaluation {
        let others = labels.iter().filter(|label| !described.contains(label)).count();
        let (shown, others): (Vec<String>, Option<usize>) = match others {
            0 | 1 => (labels.to_vec(), None),
            _ => {
                let mut shown: Vec<String> =
                    labels.iter().filter(|label| described.contains(label)).cloned().collect();
                shown.push(OTHERS.to_string());
                let last = shown.len() - 1;
                (shown, Some(last))
            }
        };
        let place = |label: &String| {
            let own = shown.iter().position(|known| known == label);
            (label.clone(), own.or(others).expect("every label has a place"))
        };
        let (places, known) = (labels.iter().map(place).collect(), shown.len());
        Evaluation {
            labels: shown,
            known,
            places,
            others,
            confusion: vec![vec![0; known + 1]; known],
            uncovered: 0,
            in_conflict: 0,
        }
    }

    /// Counts a row in. A label that the model does not know is never predicted.
    pub fn add(&mut self, label: &str, verdict: Verdict) {
        self.add_rows(label, verdict, 1);
    }

    /// Counts so many equal rows in.
    pub(crate) fn add_rows(&mut self, label: &str, verdict: Verdict, rows: u64) {
        let place = self.places.iter().find(|(known, _)| known == label).map(|(_, place)| *place);
        let row = place.or(self.others).unwrap_or_else(|| self.row_of(label));
        let unnamed = self.others.filter(|_| verdict.decided_by == DecidedBy::Uncovered);
        let column = verdict.label.map_or(unnamed, |label| Some(self.places[label].1));
        self.confusion[row][column.unwrap_or(self.known)] += rows;
        match verdict.decided_by {
            DecidedBy::Uncovered => self.uncovered += rows,
            DecidedBy::Conflict => self.in_conflict += rows,
            DecidedBy::Rules => {}
        }
    }

    /// The row of a label; a new one, if the model does not know it.
    fn row_of(&mut self, label: &str) -> usize {
        self.labels.iter().position(|known| known == label).unwrap_or_else(|| {
            self.labels.push(label.to_string());
            self.confusion.push(vec![0; self.known + 1]);
            self.labels.len() - 1
        })
    }

    /// Counts other rows in.
    pub fn merge(&mut self, other: &Evaluation) {
        for (label, counts) in other.labels.iter().zip(&other.confusion) {
            let row = self.row_of(label);
            for (predicted, count) in counts.iter().enumerate() {
                let named = other.labels.get(predicted).filter(|_| predicted < other.known);
                let column = named.map_or(self.known, |name| {
                    self.labels[..self.known].iter().position(|l| l == name).unwrap_or(self.known)
                });
                self.confusion[row][column] += count;
            }
        }
        self.uncovered += other.uncovered;
        self.in_conflict += other.in_conflict;
    }

    /// All labels: those of the model, then those that only the table has.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Labels that the model knows.
    pub fn known_labels(&self) -> &[String] {
        &self.labels[..self.known]
    }

    /// Rows by label and by predicted label; the last column is for no prediction.
    pub fn confusion(&self) -> &[Vec<u64>] {
        &self.confusion
    }

    /// Rows counted.
    pub fn rows(&self) -> u64 {
        self.confusion.iter().flatten().sum()
    }

    /// Rows without a prediction.
    pub fn abstained(&self) -> u64 {
        self.confusion.iter().map(|row| row[self.known]).sum()
    }

    /// Rows predicted as what they are.
    pub fn correct(&self) -> u64 {
        (0..self.known).map(|label| self.confusion[label][label]).sum()
    }

    /// The share of rows predicted as what they are.
    pub fn accuracy(&self) -> Option<f64> {
        share(self.correct(), self.rows())
    }

    /// The label that most rows have, and its share of them: what always saying it would reach.
    pub fn majority(&self) -> Option<(&str, f64)> {
        let rows = self.confusion.iter().map(|counts| counts.iter().sum::<u64>());
        let (label, most) = rows.enumerate().max_by_key(|&(label, n)| (n, std::cmp::Reverse(label)))?;
        share(most, self.rows()).map(|share| (self.labels[label].as_str(), share))
    }

    /// The mean of the recalls of all classes that have rows.
    pub fn balanced_accuracy(&self) -> Option<f64> {
        let recalls: Vec<f64> = self.classes().iter().filter_map(|class| class.recall).collect();
        (!recalls.is_empty()).then(|| recalls.iter().sum::<f64>() / recalls.len() as f64)
    }

    /// Each class by itself.
    pub fn classes(&self) -> Vec<ClassScores> {
        let scores = |label: usize| {
            let rows: u64 = self.confusion[label].iter().sum();
            let correct = if label < self.known { self.confusion[label][label] } else { 0 };
            let predicted = match label < self.known {
                true => self.confusion.iter().map(|row| row[label]).sum(),
                false => 0,
            };
            ClassScores {
                class: self.labels[label].clone(),
                rows,
                precision: share(correct, predicted),
                recall: share(correct, rows),
                f1: share(2 * correct, rows + predicted),
            }
        };
        (0..self.labels.len()).map(scores).collect()
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluation(rows: &[(&str, Option<usize>)]) -> Evaluation {
        let mut evaluation = Evaluation::new(&["a".to_string(), "b".to_string()]);
        for &(label, predicted) in rows {
            evaluation.add(label, Verdict { label: predicted, decided_by: DecidedBy::Rules });
        }
        evaluation
    }

    #[test]
    fn scores_are_counted_by_hand() {
        let rows = [("a", Some(0)), ("a", Some(1)), ("b", Some(1)), ("b", None), ("c", Some(1))];
        let e = evaluation(&rows);
        assert_eq!((e.rows(), e.correct(), e.abstained()), (5, 2, 1));
        assert_eq!(e.accuracy(), Some(0.4));
        // Recalls 1/2, 1/2 and 0.
        assert_eq!(e.balanced_accuracy(), Some(1.0 / 3.0));
        let b = &e.classes()[1];
        assert_eq!((b.precision, b.recall, b.f1), (Some(1.0 / 3.0), Some(0.5), Some(0.4)));
        assert_eq!(e.classes()[2].precision, None);
    }

    #[test]
    fn classes_that_no_rule_describes_count_as_one_where_none_can_be_named() {
        let labels = ["a", "b", "c"].map(String::from);
        let uncovered = Verdict { label: None, decided_by: DecidedBy::Uncovered };
        let a = Verdict { label: Some(0), decided_by: DecidedBy::Rules };
        let mut e = Evaluation::partial(&labels, &labels[..1]);
        for (label, verdict) in [("a", a), ("b", uncovered), ("c", a), ("new", uncovered)] {
            e.add(label, verdict);
        }
        assert_eq!(e.labels(), ["a", "(another class)"]);
        assert_eq!((e.rows(), e.correct(), e.abstained()), (4, 3, 0));
        // The only other class has a name.
        let mut e = Evaluation::partial(&labels[..2], &labels[..1]);
        e.add("b", Verdict { label: Some(1), decided_by: DecidedBy::Uncovered });
        assert_eq!((e.labels().len(), e.correct()), (2, 1));
    }

    #[test]
    fn parts_add_up() {
        let rows = [("a", Some(0)), ("b", Some(0)), ("c", None), ("b", Some(1))];
        let mut sum = evaluation(&rows[..2]);
        sum.merge(&evaluation(&rows[2..]));
        assert_eq!(sum, evaluation(&rows));
    }
}
