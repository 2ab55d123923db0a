//! Which alpha is right on new rows: chosen by cross-validation.
//!
//! Each fold has a curve of its own, learned from the other folds' rows, and what its sets say of the fold is
//! read off at every alpha. Where there are several classes, sets of classes in order are tried as well. Small
//! alphas cost the most, so that once all folds have been predicted, those far below the best one are not tried
//! again. The work for a curve is limited, not its time, so the choice is the same on every machine and on any
//! number of threads. Parts of it can be done anywhere: a [`Part`] is a number or two.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::cross_validate::{Fold, Folds, Translation, predictions};
use crate::apply::evaluate::Evaluation;
use crate::apply::predict::Policy;
use crate::data::binarise::BinariseOptions;
use crate::data::table::Table;
use crate::error::{Error, Result, Setting};
use crate::limits::{Limits, StopReason};
use crate::names::choices;
use crate::problem::Problem;
use crate::result::model::Model;
use crate::solve::alpha::Alpha;
use crate::solve::curve::UnitPrice;
use crate::solve::options::LearnOptions;
use crate::solve::order::Order;
use crate::solve::workers;

/// Shares of the rows, in tenths of a per mill, that are tried unless somebody asks for others.
const GRID: [u64; 20] =
    [2000, 1500, 1000, 700, 500, 400, 300, 250, 200, 150, 120, 100, 80, 60, 50, 40, 30, 20, 15, 10];
/// Rows that a unit of size must be worth at least, with two classes and with more. Several have few rows each, so
/// that sets that learn single rows can be the best ones; below these, nothing was gained.
const LEAST_ROWS: (f64, f64) = (0.5, 0.2);
/// How many alphas below the best one of the first repeat are tried again in the next. The choice stays the same but
/// for one table in fifty.
const TRIED_AGAIN: usize = 3;
/// Rows that are predicted in all: a table of fewer is cross-validated more than once, since a fold of few rows says
/// little.
const ENOUGH_ROWS: usize = 1000;
/// How often a table is cross-validated, at most, unless somebody asks for more.
const MOST_REPEATS: usize = 3;
/// Nodes of searches for each class at each price.
pub const EFFORT: u64 = 30_000;
/// Probabilities are at least this, or one wrong row would make the loss infinite.
const LEAST_SHARE: f64 = 1e-3;
/// Sums in another order differ in their last digits.
const NEARLY: f64 = 1e-9;
/// What is added to how something was found out, where alpha was chosen, too.
const NESTED: &str = ", with the alpha for each fold chosen by the other folds";

/// What is best on rows not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Score {
    /// The share of rows predicted as what they are.
    #[default]
    Accuracy,
    /// The mean of the recalls of all classes.
    BalancedAccuracy,
    /// The mean of the negated logarithms of the shares given to what rows are.
    LogLoss,
}

choices!(Score {
    Accuracy = "accuracy": "The share of rows predicted as what they are",
    BalancedAccuracy = "balanced-accuracy": "The mean of the shares of each class predicted as such",
    LogLoss = "log-loss": "How much probability the model gives to what rows are; less is better",
});

/// Which of nearly equal alphas is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choose {
    /// The largest, and so the smallest set, whose score is behind the best one by at most one standard error of
    /// their difference, fold by fold. Folds differ in how hard they are, and that says nothing of two alphas.
    #[default]
    OneSe,
    /// The one of the best score, of equals the largest.
    Best,
}

choices!(Choose {
    OneSe = "one-se": "The largest alpha whose score is at most one standard error behind the best, fold by fold",
    Best = "best": "The alpha of the best score",
});

impl Choose {
    /// The place that is chosen by the scores of each fold, of which more is better, at places of falling alpha.
    pub fn place(self, folds: &[Vec<f64>], repeats: usize) -> usize {
        let is_near = |behind: &Mean| match self {
            Choose::Best => behind.mean <= NEARLY,
            Choose::OneSe => behind.mean <= behind.se + NEARLY,
        };
        behind(folds, repeats).iter().position(is_near).unwrap_or(0)
    }
}

/// How far the score of each place is behind the best one, fold by fold.
fn behind(folds: &[Vec<f64>], repeats: usize) -> Vec<Mean> {
    let places = folds.first().map_or(0, Vec::len);
    let mean = |place: usize| Mean::of(folds.iter().map(|scores| scores[place]), repeats).mean;
    // Of equals, the one of the largest alpha.
    let Some(best) = (0..places).rev().max_by(|&a, &b| mean(a).total_cmp(&mean(b))) else {
        return Vec::new();
    };
    let behind =
        |place: usize| Mean::of(folds.iter().map(move |scores| scores[best] - scores[place]), repeats);
    (0..places).map(behind).collect()
}

/// What a set says of rows not seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// The share of rows predicted as what they are.
    pub accuracy: f64,
    /// The mean of the recalls of all classes that have rows.
    pub balanced_accuracy: f64,
    /// The mean of the negated logarithms of the shares given to what rows are, of which none counts as less
    /// than a thousandth.
    pub log_loss: f64,
    /// Literals plus one for each rule.
    pub size: f64,
}

impl Scores {
    /// The score asked for, such that more is better.
    fn of(&self, score: Score) -> f64 {
        match score {
            Score::Accuracy => self.accuracy,
            Score::BalancedAccuracy => self.balanced_accuracy,
            Score::LogLoss => -self.log_loss,
        }
    }
}

/// How to choose.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Validation {
    /// Into how many parts the rows are cut; each is predicted by rules learned from the others.
    pub folds: usize,
    /// How often that is done, each time with other folds.
    pub repeats: usize,
    /// What is tried, the largest first.
    pub alphas: Vec<Alpha>,
    /// Orders of classes, each of which is tried with all alphas.
    pub orders: Vec<Order>,
    /// How columns become features, chosen anew for each fold.
    pub binarise: BinariseOptions,
    /// How rules are found.
    pub learn: LearnOptions,
    /// How rows are decided that the rules alone do not.
    pub policy: Policy,
}

/// One fold of one repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which time.
    pub repeat: usize,
    /// Which fold.
    pub fold: usize,
}

/// What a part came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartScores {
    /// Which part.
    pub part: Part,
    /// For each [candidate](Validation::candidates), if it was tried.
    pub scores: Vec<Option<Scores>>,
}

impl PartScores {
    /// What a candidate that was tried came to.
    fn at(&self, place: usize) -> Scores {
        self.scores[place].expect("only what was tried is chosen")
    }
}

/// A mean over folds, and its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Its standard error, as if folds were independent.
    pub se: f64,
}

impl Mean {
    /// Of values that came in so many repeats, whose folds tell the same rows apart: repeating makes the mean
    /// steadier, but the rows are no more than they were.
    fn of(values: impl Iterator<Item = f64> + Clone, repeats: usize) -> Mean {
        let n = values.clone().count().max(1) as f64;
        let mean = values.clone().sum::<f64>() / n;
        let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
        let folds = n / repeats.max(1) as f64;
        Mean { mean, se: (squares / (n - 1.0).max(1.0) / folds).sqrt() }
    }
}

/// What is tried: an alpha, and an order of classes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate<'v> {
    /// What size costs in errors.
    pub alpha: Alpha,
    /// Which classes come first.
    pub order: &'v Order,
}

/// What a candidate came to, over all folds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "most are described in Scores")]
pub struct CandidateScores {
    /// How often it was tried.
    pub repeats: usize,
    pub accuracy: Mean,
    pub balanced_accuracy: Mean,
    pub log_loss: Mean,
    pub size: Mean,
}

impl CandidateScores {
    /// The means of what folds came to, of which each repeat has so many.
    fn of(scores: impl Iterator<Item = Scores> + Clone, folds: usize) -> CandidateScores {
        let repeats = scores.clone().count() / folds.max(1);
        let mean = |of: fn(Scores) -> f64| Mean::of(scores.clone().map(of), repeats);
        CandidateScores {
            repeats,
            accuracy: mean(|scores| scores.accuracy),
            balanced_accuracy: mean(|scores| scores.balanced_accuracy),
            log_loss: mean(|scores| scores.log_loss),
            size: mean(|scores| scores.size),
        }
    }
}

/// A choice, and what it is based on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Chosen {
    /// The place of the candidate chosen.
    pub place: usize,
    /// What each candidate came to, in the repeats that tried it.
    pub by_candidate: Vec<CandidateScores>,
    /// How far the score of each is behind the best one of its order, fold by fold, if all repeats tried it.
    pub behind: Vec<Option<Mean>>,
    /// What to expect on new rows: each fold by what the other folds of its repeat choose.
    pub expected: CandidateScores,
}

/// What to expect on rows not seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The share of rows predicted as what they are.
    pub accuracy: f64,
    /// Its standard error.
    pub se: f64,
    /// The mean of the recalls of all classes.
    pub balanced_accuracy: f64,
    /// The mean of the negated logarithms of the shares given to what rows are.
    pub log_loss: f64,
    /// How that was found out.
    pub how: String,
    /// What the folds chose, if they did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Picked>,
}

/// What folds chose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Picked {
    /// The alpha, as it is asked for.
    pub alpha: String,
    /// The order of classes, if there was a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
}

impl Expected {
    fn new(of: &CandidateScores, how: String) -> Expected {
        Expected {
            accuracy: of.accuracy.mean,
            se: of.accuracy.se,
            balanced_accuracy: of.balanced_accuracy.mean,
            log_loss: of.log_loss.mean,
            how,
            chosen: None,
        }
    }

    /// By folds of which each was predicted by rules that were learned from the others in the same way.
    pub fn by(folds: &[Fold]) -> Expected {
        let scores = CandidateScores::of(folds.iter().map(|fold| fold.scores), folds.len());
        Expected::new(&scores, by_folds(folds.len()))
    }

    /// Whether the alpha of the rules was chosen by folds, too.
    pub fn is_of_a_choice(&self) -> bool {
        // Models of earlier programs say it in words only.
        self.chosen.is_some() || self.how.ends_with(NESTED)
    }
}

fn by_folds(folds: usize) -> String {
    format!("{folds}-fold cross-validation")
}

/// What a model says of some rows of a table, and what that comes to.
pub(super) fn evaluated(model: &Model, table: &Table, rows: &[usize]) -> Result<(Evaluation, Scores)> {
    let mut evaluation = model.evaluation(model.policy);
    let (mut loss, mut weights) = (0.0, 0.0);
    predictions(model, table, rows, |row, label, verdict, shares| {
        let weight = table.weight(row);
        evaluation.add_rows(label, verdict, weight);
        let known = model.labels.iter().position(|known| known == label);
        let share = known.map_or(0.0, |place| shares()[place]);
        loss -= weight as f64 * share.max(LEAST_SHARE).ln();
        weights += weight as f64;
    })?;
    let scores = Scores {
        accuracy: evaluation.accuracy().unwrap_or(0.0),
        balanced_accuracy: evaluation.balanced_accuracy().unwrap_or(0.0),
        log_loss: if weights > 0.0 { loss / weights } else { 0.0 },
        size: model.decision_set.size as f64,
    };
    Ok((evaluation, scores))
}

/// The scores of some candidates in each part, such that more is better.
fn scores_of(parts: &[&PartScores], candidates: Range<usize>, score: Score) -> Vec<Vec<f64>> {
    let of_part =
        |part: &&PartScores| candidates.clone().map(|place| part.at(place).of(score)).collect();
    parts.iter().map(of_part).collect()
}

/// What always saying the most frequent label of some rows comes to on others.
fn one_answer(table: &Table, training: &[usize], rows: &[usize]) -> Scores {
    let weights = |rows: &[usize]| {
        let mut weights = vec![0; table.target.values.len()];
        rows.iter().for_each(|&row| weights[table.target.codes.get(row) as usize] += table.weight(row));
        weights
    };
    let (known, new) = (weights(training), weights(rows));
    let answer = (0..known.len()).rev().max_by_key(|&label| known[label]).unwrap_or(0);
    let (all, known_rows) = (new.iter().sum::<u64>().max(1) as f64, known.iter().sum::<u64>().max(1));
    let accuracy = new[answer] as f64 / all;
    let classes = new.iter().filter(|&&rows| rows > 0).count().max(1);
    let loss = |(label, &rows): (usize, &u64)| {
        let share = known[label] as f64 / known_rows as f64;
        -(rows as f64) * share.max(LEAST_SHARE).ln()
    };
    Scores {
        accuracy,
        balanced_accuracy: f64::from(u8::from(new[answer] > 0)) / classes as f64,
        log_loss: new.iter().enumerate().map(loss).sum::<f64>() / all,
        size: 0.0,
    }
}

/// The limits of one of so many parts: its share of the time that is left.
fn share_of(limits: &Limits, parts: usize) -> Limits {
    let now = Instant::now();
    let share = |deadline: Instant| now + deadline.saturating_duration_since(now) / parts.max(1) as u32;
    Limits { deadline: limits.deadline.map(share), memory: limits.memory, stop: limits.stop.part() }
}

impl Validation {
    /// The alphas to try for a table of so many rows and classes, unless somebody asks for others: down to half a row
    /// or a fifth of one in a fold's training rows, the largest first.
    pub fn default_alphas(rows: usize, classes: usize, folds: usize) -> Vec<Alpha> {
        let training = rows as u64 - (rows / folds.max(2)) as u64;
        let least = if classes > 2 { LEAST_ROWS.1 } else { LEAST_ROWS.0 };
        let alpha = |&share: &u64| Alpha::share(share, 10_000);
        let alphas: Vec<Alpha> = GRID.iter().map(alpha).collect();
        let worth_trying = |alpha: &&Alpha| UnitPrice::of(**alpha, training).in_rows() >= least;
        let kept = alphas.iter().filter(worth_trying).count().max(1);
        alphas[..kept].to_vec()
    }

    /// The orders of classes to try, unless somebody asks for one: with several classes, the rarest first may be better
    /// than none. With two, it says no more than which of them gets no rules.
    pub fn default_orders(learn: &LearnOptions, classes: usize) -> Vec<Order> {
        match classes {
            0..=2 => vec![learn.order().clone()],
            _ => vec![Order::None, Order::Rarest],
        }
    }

    /// All that is tried: each order with all alphas.
    pub fn candidates(&self) -> impl Iterator<Item = Candidate<'_>> {
        let with = |order| self.alphas.iter().map(move |&alpha| Candidate { alpha, order });
        self.orders.iter().flat_map(with)
    }

    /// What is tried at a place.
    pub fn candidate(&self, place: usize) -> Candidate<'_> {
        let alphas = self.alphas.len();
        Candidate { alpha: self.alphas[place % alphas], order: &self.orders[place / alphas] }
    }

    /// The places of the candidates of each order, of so many alphas.
    fn by_order(&self, tried: usize) -> impl Iterator<Item = Range<usize>> {
        let alphas = self.alphas.len();
        (0..self.orders.len()).map(move |order| order * alphas..order * alphas + tried)
    }

    /// How many alphas all these parts tried.
    fn tried(&self, parts: &[&PartScores]) -> usize {
        let is_tried = |&place: &usize| parts.iter().all(|part| part.scores[place].is_some());
        (0..self.alphas.len()).take_while(is_tried).count()
    }

    /// How often to cross-validate a table of so many rows, unless somebody says so.
    pub fn default_repeats(rows: usize) -> usize {
        ENOUGH_ROWS.div_ceil(rows.max(1)).min(MOST_REPEATS)
    }

    /// All parts, repeat by repeat.
    pub fn parts(&self) -> Vec<Part> {
        let folds = |repeat| (0..self.folds).map(move |fold| Part { repeat, fold });
        (0..self.repeats).flat_map(folds).collect()
    }

    /// How many alphas are to be tried again, by what the parts of the first repeat came to.
    pub fn worth_repeating(&self, first: &[PartScores], score: Score) -> usize {
        let first: Vec<&PartScores> = first.iter().collect();
        let best = |places| Choose::Best.place(&scores_of(&first, places, score), 1);
        let lowest = self.by_order(self.alphas.len()).map(best).max().unwrap_or(0);
        (lowest + 1 + TRIED_AGAIN).min(self.alphas.len())
    }

    /// Refuses folds that cannot be.
    pub fn check(&self, rows: usize) -> Result<()> {
        let bad = |setting, given: usize, allowed| {
            Err(Error::BadOption { setting, given: given.to_string(), allowed })
        };
        match () {
            () if self.folds < 2 || self.folds > rows => {
                bad(Setting::Folds, self.folds, "2 or more, and no more than there are rows")
            }
            () if self.repeats == 0 => bad(Setting::Repeats, 0, "1 or more"),
            () => Ok(()),
        }
    }

    /// Does all parts side by side. `watch` is told every few milliseconds how many are done. Parts share the time
    /// that there is; one that is out of time has the best sets that it found. To choose by a score, alphas that
    /// are not [worth repeating](Validation::worth_repeating) by it are tried once.
    pub fn run(
        &self,
        table: &Table,
        by: Option<Score>,
        limits: &Limits,
        mut watch: impl FnMut(usize),
    ) -> Result<Vec<PartScores>> {
        self.check(table.rows())?;
        let parts = self.parts();
        let threads = self.learn.threads().min(parts.len());
        let pool = workers::pool(threads);
        let pool = pool.map_err(|cause| Error::Internal(format!("no threads: {cause}")))?;
        let (begun, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let mut side_by_side = |some: &[Part], alphas: usize| -> Result<Vec<PartScores>> {
            let part = |&part: &Part| {
                let left = parts.len() - begun.fetch_add(1, Ordering::Relaxed);
                let limits = share_of(limits, left.div_ceil(threads));
                let scores = self.part(table, part, alphas, &limits);
                done.fetch_add(1, Ordering::Relaxed);
                scores
            };
            let all = || pool.install(|| some.par_iter().map(part).collect());
            workers::attended(all, || watch(done.load(Ordering::Relaxed)))
        };
        let Some(score) = by.filter(|_| self.repeats > 1) else {
            return side_by_side(&parts, self.alphas.len());
        };
        let (first, others) = parts.split_at(self.folds);
        let mut scores = side_by_side(first, self.alphas.len())?;
        scores.extend(side_by_side(others, self.worth_repeating(&scores, score))?);
        Ok(scores)
    }

    /// Does one part, with the largest so many of the alphas.
    pub fn part(&self, table: &Table, part: Part, alphas: usize, limits: &Limits) -> Result<PartScores> {
        let alphas = &self.alphas[..alphas];
        let folds = Folds::new(table, self.folds, part.repeat);
        let (held_back, others) = folds.split(part.fold);
        let training = table.with_rows(&others).map(|mut training| {
            // The limits are those of the part.
            training.options.limits = Limits::default();
            training
        });
        let problem = training.and_then(|training| Problem::new(training, &self.binarise));
        let problem = match problem {
            // There is nothing to learn from these rows, so one answer has to do.
            Err(Error::OneClass { .. } | Error::NoFeatures { .. }) => {
                let candidates = self.candidates().count();
                let scores = vec![Some(one_answer(table, &others, &held_back)); candidates];
                return Ok(PartScores { part, scores });
            }
            problem => problem?,
        };
        let translation = Translation { table, examples: problem.examples() };
        let mut seen: Vec<(Vec<u8>, Scores)> = Vec::new();
        let mut score = |model: &Model| -> Result<Scores> {
            // Neighbours often have the same set.
            let set = &model.decision_set;
            let key = serde_json::to_vec(&(&set.classes, &set.order)).expect("plain data");
            if let Some((_, scores)) = seen.iter().find(|(known, _)| *known == key) {
                return Ok(*scores);
            }
            let (_, scores) = evaluated(model, table, &held_back)?;
            seen.push((key, scores));
            Ok(scores)
        };
        let mut scores = Vec::new();
        for (turn, order) in self.orders.iter().enumerate() {
            let limits = &share_of(limits, self.orders.len() - turn);
            let learn = self.learn.clone().with_order(order.clone())?;
            let options = translation.options(&learn)?.on_one_thread();
            let policy = self.policy.for_rules_of(&options);
            let untried = vec![None; self.alphas.len() - alphas.len()];
            if options.is_ordered() {
                for &alpha in alphas {
                    let limits = limits.with_effort(EFFORT);
                    let outcome = problem.learn(&options.clone().with_alpha(alpha), &limits)?;
                    scores.push(Some(score(&problem.model(&outcome, policy))?));
                }
                scores.extend(untried);
                continue;
            }
            let last = *alphas.last().expect("there are alphas");
            let curve = problem.curve(&options, last, (limits, Some(EFFORT)), |_| {})?;
            for &alpha in alphas {
                let price = UnitPrice::of(alpha, curve.rows());
                let point = &curve.all_points()[curve.at(price).unwrap_or(0)];
                scores.push(Some(score(&problem.model(&curve.outcome(point, alpha), policy))?));
            }
            scores.extend(untried);
        }
        if limits.stop.reason() == Some(StopReason::Interrupted) {
            let (place, progress) = (table.name.clone(), "choosing alpha".to_string());
            return Err(Error::LimitReached { place, limit: StopReason::Interrupted, progress });
        }
        Ok(PartScores { part, scores })
    }

    /// Chooses by what all parts came to, of what all of them tried.
    pub fn choose(&self, parts: &[PartScores], score: Score, choose: Choose) -> Chosen {
        let all: Vec<&PartScores> = parts.iter().collect();
        let tried = self.tried(&all);
        let place = self.best((&all, self.repeats), tried, score, choose);
        let by_candidate = (0..self.candidates().count())
            .map(|place| self.mean(parts.iter().filter_map(move |part| part.scores[place])))
            .collect();
        let of_fold = |part: &PartScores| {
            let others: Vec<&PartScores> = parts
                .iter()
                .filter(|other| {
                    other.part.repeat == part.part.repeat && other.part.fold != part.part.fold
                })
                .collect();
            part.at(self.best((&others, 1), tried, score, choose))
        };
        let expected: Vec<Scores> = parts.iter().map(of_fold).collect();
        let behind = self.by_order(tried).flat_map(|places| {
            let behind = behind(&scores_of(&all, places, score), self.repeats);
            let untried = self.alphas.len() - tried;
            behind.into_iter().map(Some).chain(vec![None; untried])
        });
        let behind = behind.collect();
        Chosen { place, by_candidate, behind, expected: self.mean(expected.into_iter()) }
    }

    /// What to expect on new rows, and how that was found out.
    pub fn expected(&self, chosen: &Chosen) -> Expected {
        let Candidate { alpha, order } = self.candidate(chosen.place);
        let order = (self.orders.len() > 1).then(|| order.name().to_string());
        let picked = Picked { alpha: alpha.to_string(), order };
        let expected = Expected::new(&chosen.expected, format!("{}{NESTED}", self.how()));
        Expected { chosen: Some(picked), ..expected }
    }

    /// What to expect on new rows at the alpha of a place, if it is not taken because these folds like it.
    pub fn expected_at(&self, chosen: &Chosen, place: usize) -> Expected {
        Expected::new(&chosen.by_candidate[place], self.how())
    }

    /// What is done with the rows, in words.
    pub fn how(&self) -> String {
        match self.repeats {
            1 => by_folds(self.folds),
            2 => format!("{}, twice", by_folds(self.folds)),
            n => format!("{}, {n} times", by_folds(self.folds)),
        }
    }

    /// The place of the candidate that these parts, of so many repeats, choose: for each order an alpha, and then the
    /// better order; of equals, the earlier. If small sets of one order could stand in for better ones of another, the
    /// choice between orders would be one of size.
    fn best(
        &self,
        (parts, repeats): (&[&PartScores], usize),
        tried: usize,
        score: Score,
        choose: Choose,
    ) -> usize {
        let of_order = |places: Range<usize>| {
            let first = places.start;
            let place = first + choose.place(&scores_of(parts, places, score), repeats);
            let mean = Mean::of(parts.iter().map(|part| part.at(place).of(score)), 1);
            (place, mean.mean)
        };
        let chosen = self.by_order(tried).map(of_order);
        let better = |best: (usize, f64), next: (usize, f64)| match next.1 > best.1 + NEARLY {
            true => next,
            false => best,
        };
        chosen.reduce(better).map_or(0, |(place, _)| place)
    }

    fn mean(&self, scores: impl Iterator<Item = Scores> + Clone) -> CandidateScores {
        CandidateScores::of(scores, self.folds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::cross_validate::CrossValidation;
    use crate::data::binarise::Features;
    use crate::data::table::TableOptions;
    use crate::limits::Stop;

    /// A noisy rule over three columns of numbers; in these rows, the numbers are others, and the class is the same.
    fn noisy(others: &[usize]) -> Table {
        let (mut random, mut other) = (fastrand::Rng::with_seed(3), fastrand::Rng::with_seed(4));
        let mut text = String::from("x,y,z,class\n");
        for row in 0..60 {
            let [x, y, z] = [0; 3].map(|_| random.u32(0..1000));
            let class = ["no", "yes"][usize::from((x > 400 && y < 700) != (random.u8(0..8) == 0))];
            let [x, y, z] =
                if others.contains(&row) { [0; 3].map(|_| other.u32(0..1000)) } else { [x, y, z] };
            text.push_str(&format!("{x},{y},{z},{class}\n"));
        }
        Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap()
    }

    /// Without an order of classes.
    fn validation(folds: usize, repeats: usize, alphas: Vec<Alpha>) -> Validation {
        let learn = LearnOptions::default().with_alpha(alphas[0]);
        let (orders, binarise) = (vec![Order::None], BinariseOptions::default());
        Validation { folds, repeats, alphas, orders, binarise, policy: Policy::suited_to(&learn), learn }
    }

    fn scores_with(accuracy: f64) -> Scores {
        Scores { accuracy, balanced_accuracy: 0.0, log_loss: 0.0, size: 1.0 }
    }

    #[test]
    fn alphas_far_below_the_best_are_tried_once() {
        let table = noisy(&[]);
        // Alphas for far more rows than there are: the last ones describe every row.
        let alphas = Validation::default_alphas(20 * table.rows(), 2, 3);
        let validation = validation(3, 2, alphas);
        let limits = Limits::default();
        let parts = validation.run(&table, Some(Score::Accuracy), &limits, |_| ()).unwrap();
        let again = validation.worth_repeating(&parts[..3], Score::Accuracy);
        assert!(again < validation.alphas.len(), "the table is too kind to small alphas");
        for part in &parts {
            let tried = if part.part.repeat == 0 { validation.alphas.len() } else { again };
            assert_eq!(*part, validation.part(&table, part.part, tried, &limits).unwrap());
            assert!(part.scores[..tried].iter().all(Option::is_some));
            assert!(part.scores[tried..].iter().all(Option::is_none));
        }
        let chosen = validation.choose(&parts, Score::Accuracy, Choose::OneSe);
        assert!(chosen.place < again);
        assert_eq!(chosen.behind.iter().flatten().count(), again);
        // What was tried once has scores, too: those of three folds.
        let last = validation.alphas.len() - 1;
        let of_first = parts[..3].iter().map(|part| part.at(last).accuracy);
        assert_eq!(chosen.by_candidate[last].accuracy, Mean::of(of_first, 1));
        let repeats: Vec<usize> = chosen.by_candidate.iter().map(|of| of.repeats).collect();
        assert_eq!(repeats, [vec![2; again], vec![1; last + 1 - again]].concat());
    }

    #[test]
    fn the_best_of_any_order_is_tried_again_and_a_few_alphas_below_it() {
        let alphas: Vec<Alpha> = (0..12).map(|place| Alpha::share(100 - place, 1000)).collect();
        let mut validation = validation(2, 3, alphas);
        // The score is best at a place, and the same for the next alphas.
        let part = |fold: usize, best: &[usize]| {
            let score = |place: usize, best: usize| if place < best { 0.5 } else { 0.7 };
            let scores = best
                .iter()
                .flat_map(|&best| (0..12).map(move |place| Some(scores_with(score(place, best)))));
            PartScores { part: Part { repeat: 0, fold }, scores: scores.collect() }
        };
        let parts = |best: &[usize]| [part(0, best), part(1, best)];
        assert_eq!(validation.worth_repeating(&parts(&[2]), Score::Accuracy), 6);
        assert_eq!(validation.worth_repeating(&parts(&[10]), Score::Accuracy), 12);
        validation.orders.push(Order::Rarest);
        assert_eq!(validation.worth_repeating(&parts(&[2, 5]), Score::Accuracy), 9);
    }

    #[test]
    fn other_folds_of_a_repeat_choose_as_if_there_were_no_other_repeats() {
        let alphas = ["2%", "1%"].map(|alpha| alpha.parse().unwrap()).to_vec();
        // The smaller alpha is better by three points, two and one in some folds, and worse by one in others: the four
        // others of a fold are within one standard error only if they are taken for fewer than four.
        let better = [0.03, 0.02, 0.01, -0.01, 0.03];
        let expected = |repeats: usize| {
            let validation = validation(5, repeats, alphas.clone());
            let of = |part: Part| {
                [0.7, 0.7 + better[part.fold]].map(|accuracy| Some(scores_with(accuracy))).to_vec()
            };
            let parts = validation.parts().into_iter();
            let parts: Vec<_> = parts.map(|part| PartScores { part, scores: of(part) }).collect();
            validation.choose(&parts, Score::Accuracy, Choose::OneSe).expected.accuracy.mean
        };
        assert!((expected(1) - expected(3)).abs() < NEARLY);
        assert!((expected(1) - 0.716).abs() < NEARLY, "each fold is at the smaller alpha");
    }

    #[test]
    fn what_is_held_back_has_no_say_in_where_numbers_are_cut() {
        let table = noisy(&[]);
        let learn = LearnOptions::default();
        let (binarise, policy) = (BinariseOptions::default(), Policy::default());
        let alphas: Vec<Alpha> = ["3%", "1%", "0.3%"].map(|alpha| alpha.parse().unwrap()).to_vec();
        let of_alphas = validation(5, 1, alphas.clone());
        let of_sets = CrossValidation {
            folds: 5,
            binarise: binarise.clone(),
            learn,
            policy,
            time_limit: None,
            memory: None,
        };
        let sets = |table: &Table| of_sets.run(table, &Stop::default()).unwrap();
        let features = |table: &Table| Features::choose(table, &binarise).unwrap();
        for fold in 0..5 {
            let (held_back, _) = Folds::new(&table, 5, 0).split(fold);
            let other = noisy(&held_back);
            assert_ne!(features(&table), features(&other), "all rows together would be cut elsewhere");
            assert_eq!(sets(&table)[fold].decision_set, sets(&other)[fold].decision_set);
            let sizes = |table: &Table| -> Vec<f64> {
                let part = Part { repeat: 0, fold };
                let part = of_alphas.part(table, part, alphas.len(), &Limits::default()).unwrap();
                part.scores.iter().flatten().map(|scores| scores.size).collect()
            };
            assert_eq!(sizes(&table), sizes(&other));
        }
    }

    #[test]
    fn folds_that_are_hard_for_all_do_not_blur_a_difference() {
        // The second place is better by two points in every fold, whatever folds are like.
        let folds = [vec![0.58, 0.60, 0.61], vec![0.88, 0.90, 0.89], vec![0.73, 0.75, 0.75]];
        assert_eq!(Choose::OneSe.place(&folds, 1), 1);
        assert_eq!(Choose::Best.place(&folds, 1), 1);
        // Here it is better in one fold and worse in another.
        let folds = [vec![0.58, 0.60], vec![0.90, 0.89], vec![0.75, 0.75]];
        assert_eq!(Choose::OneSe.place(&folds, 1), 0);
        assert_eq!(Choose::Best.place(&folds, 1), 1);
        assert_eq!(Choose::Best.place(&[vec![0.5, 0.7, 0.7]], 1), 1);
        assert_eq!(Choose::OneSe.place(&[], 1), 0);
    }

    #[test]
    fn an_order_is_chosen_where_it_is_better_at_its_own_alpha() {
        let alphas: Vec<Alpha> = ["2%", "1%"].map(|alpha| alpha.parse().unwrap()).to_vec();
        let mut validation = validation(3, 1, alphas);
        validation.orders.push(Order::Rarest);
        let chosen = |candidates: [[f64; 3]; 4]| {
            let scores = |fold: usize| candidates.map(|of| Some(scores_with(of[fold])));
            let part =
                |fold| PartScores { part: Part { repeat: 0, fold }, scores: scores(fold).to_vec() };
            let parts: Vec<PartScores> = (0..3).map(part).collect();
            let place = validation.choose(&parts, Score::Accuracy, Choose::OneSe).place;
            (validation.candidate(place).alpha.to_string(), validation.candidate(place).order.name())
        };
        let (low, high) = ([0.7, 0.7, 0.7], [0.9, 0.9, 0.9]);
        assert_eq!(chosen([low, high, low, low]), ("0.01".to_string(), "none"));
        assert_eq!(chosen([low, low, low, high]), ("0.01".to_string(), "rarest"));
        // Of equals, no order; and each order has the alpha that is chosen for it.
        assert_eq!(chosen([low, high, high, high]), ("0.01".to_string(), "none"));
        assert_eq!(chosen([low, low, high, high]), ("0.02".to_string(), "rarest"));
    }
}
