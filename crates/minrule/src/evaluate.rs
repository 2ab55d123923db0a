//! How well a model predicts rows whose classes are known.

use serde::Serialize;

use crate::predict::{DecidedBy, Verdict};

/// What was predicted, counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    labels: Vec<String>,
    /// Labels that the model knows; the table may have more.
    known: usize,
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
    /// Of nothing yet.
    pub fn new(labels: &[String]) -> Evaluation {
        let known = labels.len();
        Evaluation {
            labels: labels.to_vec(),
            known,
            confusion: vec![vec![0; known + 1]; known],
            uncovered: 0,
            in_conflict: 0,
        }
    }

    /// Counts a row in. A label that the model does not know is never predicted.
    pub fn add(&mut self, label: &str, verdict: Verdict) {
        let row = self.labels.iter().position(|known| known == label).unwrap_or_else(|| {
            self.labels.push(label.to_string());
            self.confusion.push(vec![0; self.known + 1]);
            self.labels.len() - 1
        });
        self.confusion[row][verdict.label.unwrap_or(self.known)] += 1;
        self.uncovered += u64::from(verdict.decided_by == DecidedBy::Uncovered);
        self.in_conflict += u64::from(verdict.decided_by == DecidedBy::Conflict);
    }

    /// Counts other rows in.
    pub fn merge(&mut self, other: &Evaluation) {
        for (label, counts) in other.labels.iter().zip(&other.confusion) {
            let row = self.labels.iter().position(|known| known == label).unwrap_or_else(|| {
                self.labels.push(label.clone());
                self.confusion.push(vec![0; self.known + 1]);
                self.labels.len() - 1
            });
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
    fn parts_add_up() {
        let rows = [("a", Some(0)), ("b", Some(0)), ("c", None), ("b", Some(1))];
        let mut sum = evaluation(&rows[..2]);
        sum.merge(&evaluation(&rows[2..]));
        assert_eq!(sum, evaluation(&rows));
    }
}
