//! How well rules learned from some rows predict the others.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::choose::{Scores, evaluated};
use crate::apply::evaluate::Evaluation;
use crate::apply::predict::{Policy, Predictor, Scratch, Verdict};
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
    /// What that comes to.
    pub scores: Scores,
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
        let folds = Folds::new(table, self.folds, 0);
        // A thread has nothing to do without a fold.
        let pool = workers::pool(self.learn.threads().min(self.folds));
        let pool = pool.map_err(|cause| Error::Internal(format!("no threads: {cause}")))?;
        let fold = |fold: usize| self.fold(table, &folds, fold, stop);
        pool.install(|| (0..self.folds).into_par_iter().map(fold).collect())
    }

    fn fold(&self, table: &Table, folds: &Folds, fold: usize, stop: &Stop) -> Result<Fold> {
        let (held_back, others) = folds.split(fold);
        let mut training = table.with_rows(&others)?;
        // The limits are those of the fold.
        training.options.limits = Limits::default();
        let problem = Problem::new(training, &self.binarise)?;
        let translation = Translation { table, examples: problem.examples() };
        let options = translation.options(&self.learn)?.on_one_thread();
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
        let (evaluation, scores) = evaluated(&model, table, &held_back)?;
        Ok(Fold { evaluation, scores, decision_set: model.decision_set })
    }
}

/// Classes by the numbers that a fold gives them: each table numbers its own.
pub(super) struct Translation<'t> {
    /// All rows.
    pub(super) table: &'t Table,
    /// Those of the fold.
    pub(super) examples: &'t Examples,
}

impl Translation<'_> {
    /// Options for the table as options for the fold, which may lack classes.
    pub(super) fn options(&self, options: &LearnOptions) -> Result<LearnOptions> {
        let class = |&class: &ClassId| self.class(class);
        let classes = options.classes().map(|classes| classes.iter().flat_map(class).collect());
        let otherwise = match options.otherwise() {
            Otherwise::Class(class) => self.class(class).map_or(Otherwise::None, Otherwise::Class),
            same => same,
        };
        let order = match options.order() {
            Order::Given(classes) => Order::Given(classes.iter().flat_map(class).collect()),
            same => same.clone(),
        };
        let options = options.clone().with_classes(classes);
        options.with_otherwise(otherwise)?.with_order(order)
    }

    fn class(&self, ClassId(class): ClassId) -> Result<ClassId> {
        self.examples.class_id(self.table.target.values.get(class), &self.table.target.name)
    }
}

/// Tells what a model says of some rows of a table: of each its number, its label, the verdict, and the share of
/// each label that the model knows.
pub(crate) fn predictions(
    model: &Model,
    table: &Table,
    rows: &[usize],
    mut tell: impl FnMut(usize, &str, Verdict, &mut dyn FnMut() -> Vec<f64>),
) -> Result<()> {
    let names: Vec<String> = table.features.iter().map(|column| column.name.clone()).collect();
    let predictor = Predictor::new(model, model.policy, &names, &table.name)?;
    let mut scratch = Scratch::default();
    for &row in rows {
        let field = |column: usize, numeric: bool| {
            let column = &table.features[column];
            Field::new(column.values.get(column.codes.get(row)).as_bytes(), numeric)
        };
        let verdict = predictor.predict(field, &mut scratch);
        let label = table.target.values.get(table.target.codes.get(row));
        tell(row, label, verdict, &mut || predictor.shares(verdict, &mut scratch));
    }
    Ok(())
}

/// The fold of each row: at random, the same in every run, each class spread evenly.
pub(super) struct Folds(Vec<usize>);

impl Folds {
    /// So many folds; other ones in every repeat.
    pub(super) fn new(table: &Table, folds: usize, repeat: usize) -> Folds {
        let mut random = fastrand::Rng::with_seed(repeat as u64);
        let mut rows: Vec<usize> = (0..table.rows()).collect();
        random.shuffle(&mut rows);
        rows.sort_by_key(|&row| table.target.codes.get(row));
        let mut fold_of = vec![0; table.rows()];
        rows.iter().enumerate().for_each(|(i, &row)| fold_of[row] = i % folds);
        Folds(fold_of)
    }

    /// The rows of a fold, and all others.
    pub(super) fn split(&self, fold: usize) -> (Vec<usize>, Vec<usize>) {
        (0..self.0.len()).partition(|&row| self.0[row] == fold)
    }
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
        let folds = Folds::new(&table, 5, 0);
        for fold in 0..5 {
            let (rows, others) = folds.split(fold);
            assert_eq!(others.len(), 32);
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
