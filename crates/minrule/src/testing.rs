//! Tables for unit tests.

use std::sync::Arc;

use crate::apply::predict::Policy;
use crate::data::binarise::{BinariseOptions, Features};
use crate::data::examples::Examples;
use crate::data::literal::{ClassId, FeatureId, Literal};
use crate::data::table::{Table, TableOptions};
use crate::limits::Limits;
use crate::problem::Problem;
use crate::result::model::Model;
use crate::solve::class_problem::ClassProblem;
use crate::solve::objective::Objective;
use crate::solve::options::LearnOptions;

/// The paper's running example, "to date or not to date".
pub(crate) fn dating() -> (Arc<Examples>, Features) {
    let text = "Day,Venue,Weather,TV Show,Date?\n\
                Weekday,Dinner,Warm,Bad,No\n\
                Weekend,Club,Warm,Bad,Yes\n\
                Weekend,Club,Warm,Bad,Yes\n\
                Weekend,Club,Cold,Good,No\n";
    let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
    let features = Features::choose(&table, &BinariseOptions::default()).unwrap();
    (Arc::new(Examples::new(&table, &features).unwrap()), features)
}

/// One class of a small random table.
pub(crate) fn random_problem(random: &mut fastrand::Rng, class: ClassId) -> ClassProblem {
    let features = random.usize(1..8);
    let rows: Vec<u64> = (0..random.usize(2..30)).map(|_| random.u64(0..1 << features)).collect();
    let classes: Vec<u32> = rows.iter().map(|_| random.u32(0..3)).collect();
    let labels = ["a", "b", "c"].map(str::to_string).to_vec();
    let examples = Arc::new(Examples::from_rows(rows, features, &classes, None, labels));
    let literal = |i: u32| Literal { feature: FeatureId(i / 2), positive: i.is_multiple_of(2) };
    let literals: Vec<Literal> = (0..2 * features as u32).map(literal).collect();
    ClassProblem::new(&examples, &literals, class, Objective::Size.tariffs())
}

/// The model learned from a table.
pub(crate) fn model_of(text: &str, binarise: &BinariseOptions) -> Model {
    let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
    let problem = Problem::new(table, binarise).unwrap();
    let options = LearnOptions::default().on_one_thread();
    let outcome = problem.learn(&options, &Limits::default()).unwrap();
    problem.model(&outcome, Policy::default())
}
