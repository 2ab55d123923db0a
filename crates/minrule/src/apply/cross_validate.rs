//! How well rules learned from some rows predict the others.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::apply::evaluate::Evaluation;
use crate::apply::predict::{Policy, Predictor, Scratch};
use crate::data::binarise::BinariseOptions;
use crate::data::condition::Field;
use crate::data::examples::Examples;
use crate::data::literal::ClassId;
use crate::data::table::Table;
use crate::error::{Error, Result, Setting};
use crate::limits::{Limits, Stop, StopReason};
use crate::problem::Problem;
use crate::result::decision_set::DecisionSet;
use crate::result::model::Model;
use crate::solve::options::{LearnOptions, Otherwise};
use crate::solve::order::Order;
use crate::solve::workers;

/// How to cross-validate.
#[derive(Debug, Clone)]
pub struct CrossValidation {
    /// Into how many parts the rows are cut; each is predicted by rules learned from the others.
    pub folds: usize,
    /// How columns become features, chosen anew for each fold.
    pub binarise: BinariseOptions,
    /// How rules are found. Folds share the threads.
    pub learn: LearnOptions,
    /// How rows are decided that the rules alone do not.
    pub policy: Policy,
    /// The most time for each fold.
    pub time_limit: Option<Duration>,
    /// The most memory, in bytes, that the process may hold.
    pub memory: Option<u64>,
}

/// One fold.
#[derive(Debug, Clone)]
pub struct Fold {
    /// What was learned from the other folds.
    pub decision_set: DecisionSet,
    /// What it says of this one.
    pub evaluation: Evaluation,
}

impl CrossValidation {
    /// Runs all folds side by side.
    pub fn run(&self, table: &Table, stop: &Stop) -> Result<Vec<Fold>> {
        if self.folds < 2 || self.folds > table.rows() {
            return Err(Error::BadOption {
                setting: Setting::Folds,
                given: self.folds.to_string(),
                allowed: "2 or more, and no more than there are rows",
            });
        }
        let fold_of = fold_of_rows(table, self.folds);
        // A thread has nothing to do without a fold.
        let pool = workers::pool(self.learn.threads().min(self.folds));
        let pool = pool.map_err(|cause| Error::Internal(format!("no threads: {cause}")))?;
        let fold = |fold: usize| self.fold(table, &fold_of, fold, stop);
        pool.install(|| (0..self.folds).into_par_iter().map(fold).collect())
    }

    fn fold(&self, table: &Table, fold_of: &[usize], fold: usize, stop: &Stop) -> Result<Fold> {
        let (held_back, others): (Vec<usize>, Vec<usize>) =
            (0..table.rows()).partition(|&row| fold_of[row] == fold);
        let mut training = table.with_rows(&others)?;
        // The limits are those of the fold.
        training.options.limits = Limits::default();
        let problem = Problem::new(training, &self.binarise)?;
        let classes = self.classes(table, problem.examples())?;
        let otherwise = self.otherwise(table, problem.examples())?;
        let options = self.learn.clone().with_classes(classes).with_otherwise(otherwise)?;
        let options = options.with_order(self.order(table, problem.examples()))?.on_one_thread();
        let limits = Limits {
            deadline: self.time_limit.and_then(|limit| Instant::now().checked_add(limit)),
            memory: self.memory,
            stop: Stop::default(),
        };
        let outcome = problem.learn_from(&[], &options, &limits, |_| {
            if stop.requested() {
                limits.stop.request(StopReason::Interrupted);
            }
        })?;
        let model = problem.model(&outcome, self.policy);
        Ok(Fold { evaluation: evaluate(&model, table, &held_back)?, decision_set: model.decision_set })
    }
}

impl CrossValidation {
    /// The classes to describe, among those that a fold has: each table numbers its own.
    fn classes(&self, table: &Table, examples: &Examples) -> Result<Option<Vec<ClassId>>> {
        let Some(wanted) = self.learn.classes() else { return Ok(None) };
        let labels = wanted.iter().map(|&ClassId(class)| table.target.values.get(class));
        labels.map(|label| examples.class_id(label, &table.target.name)).collect::<Result<_>>().map(Some)
    }
}

impl CrossValidation {
    /// The class that gets no rules, by the number that a fold gives it.
    fn otherwise(&self, table: &Table, examples: &Examples) -> Result<Otherwise> {
        match self.learn.otherwise() {
            Otherwise::Class(ClassId(class)) => {
                let label = table.target.values.get(class);
                examples.class_id(label, &table.target.name).map(Otherwise::Class)
            }
            same => Ok(same),
        }
    }
}

impl CrossValidation {
    /// The order of the classes that a fold has, by the numbers that it gives them.
    fn order(&self, table: &Table, examples: &Examples) -> Order {
        match self.learn.order() {
            Order::Given(classes) => {
                let labels = classes.iter().map(|&ClassId(class)| table.target.values.get(class));
                let known = labels.filter_map(|label| examples.class_id(label, &table.target.name).ok());
                Order::Given(known.collect())
            }
            same => same.clone(),
        }
    }
}

/// What a model says of some rows of a table.
fn evaluate(model: &Model, table: &Table, rows: &[usize]) -> Result<Evaluation> {
    let names: Vec<String> = table.features.iter().map(|column| column.name.clone()).collect();
    let predictor = Predictor::new(model, model.policy, &names, &table.name)?;
    let mut evaluation = model.evaluation(model.policy);
    let mut scratch = Scratch::default();
    for &row in rows {
        let field = |column: usize, numeric: bool| {
            let column = &table.features[column];
            Field::new(column.values.get(column.codes.get(row)).as_bytes(), numeric)
        };
        let verdict = predictor.predict(field, &mut scratch);
        evaluation.add(table.target.values.get(table.target.codes.get(row)), verdict);
    }
    Ok(evaluation)
}

/// The fold of each row: at random, the same in every run, each class spread evenly.
fn fold_of_rows(table: &Table, folds: usize) -> Vec<usize> {
    let mut random = fastrand::Rng::with_seed(0);
    let mut rows: Vec<usize> = (0..table.rows()).collect();
    random.shuffle(&mut rows);
    rows.sort_by_key(|&row| table.target.codes.get(row));
    let mut fold_of = vec![0; table.rows()];
    rows.iter().enumerate().for_each(|(i, &row)| fold_of[row] = i % folds);
    fold_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::TableOptions;

    fn table() -> Table {
        let rows: String = (0..40)
            .map(|i| format!("{},{},{}\n", i % 4, i % 3, if i % 4 < 2 { "a" } else { "b" }))
            .collect();
        let text = format!("x,y,class\n{rows}");
        Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap()
    }

    #[test]
    fn folds_are_even_in_each_class_and_cover_all_rows() {
        let table = table();
        let fold_of = fold_of_rows(&table, 5);
        for fold in 0..5 {
            let rows: Vec<usize> = (0..40).filter(|&row| fold_of[row] == fold).collect();
            assert_eq!(rows.len(), 8);
            assert_eq!(rows.iter().filter(|&&row| table.target.codes.get(row) == 0).count(), 4);
        }
    }

    #[test]
    fn what_holds_for_all_rows_is_found_in_every_fold() {
        let validation = CrossValidation {
            folds: 4,
            binarise: BinariseOptions::default(),
            learn: LearnOptions::default().with_threads(2.try_into().unwrap()),
            policy: Policy::default(),
            time_limit: None,
            memory: None,
        };
        let folds = validation.run(&table(), &Stop::default()).unwrap();
        assert_eq!(folds.len(), 4);
        let rows: u64 = folds.iter().map(|fold| fold.evaluation.rows()).sum();
        assert_eq!(rows, 40);
        assert!(folds.iter().all(|fold| fold.evaluation.accuracy() == Some(1.0)));
        let wrong = CrossValidation { folds: 41, ..validation };
        assert!(wrong.run(&table(), &Stop::default()).is_err());
    }
}
