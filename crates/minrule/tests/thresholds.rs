//! With a threshold wherever the class changes, no other threshold makes a better set.
//!
//! The judge is brute force over the conditions of the program and every threshold there is: in the middle of any
//! two neighbours, below all numbers and above, as "at most", "above" and their negations.

mod common;

use common::random::{OBJECTIVES, for_seeds};
use common::words::Words;
use common::{COVERS, learn};
use minrule::data::{Condition, Encoding};
use minrule::judge::model::{self, ModelFault};
use minrule::solve::Alpha;
use minrule::{
    BinariseOptions, Choice, Cuts, Method, Numeric, Objective, Policy, Problem, Table, TableOptions,
};

const TABLES: u64 = 1_500;

/// A table with a threshold wherever the class changes, and all conditions that the judge may use; none where
/// nothing is claimed.
fn claimed(seed: u64) -> Option<(Words, Problem, Vec<Condition>)> {
    let mut words = Words::random(seed);
    words.binarise.numeric = Numeric::Thresholds;
    words.binarise.cuts = Some(Cuts::All);
    let problem = words.problem()?;
    let features = problem.features();
    if !features.all_thresholds {
        return None;
    }
    let mut conditions: Vec<_> = features.literals().iter().map(|&l| features.condition(l)).collect();
    conditions.extend(words.every_threshold());
    Some((words, problem, conditions))
}

#[test]
fn no_other_threshold_makes_a_smaller_set() {
    for_seeds(TABLES, |seed| {
        let (words, problem, conditions) = claimed(seed)?;
        let objective = OBJECTIVES[seed as usize % OBJECTIVES.len()];
        let method = Method::Lazy { objective, cover: COVERS[0], alpha: None };
        let outcome = learn(&problem, method, 1);
        assert_eq!(outcome.cost(), words.optimum(&conditions, objective));
        let model = problem.model(&outcome, Policy::default());
        assert!(model.decision_set.scope.as_ref().unwrap().all_thresholds);
        assert_eq!(model::judge(&model, problem.table()).unwrap(), []);
        Some(())
    });
}

#[test]
fn no_other_threshold_makes_a_better_sparse_set() {
    let objectives: Vec<Objective> =
        Objective::ALL.iter().copied().filter(|objective| !objective.is_lexicographic()).collect();
    for_seeds(TABLES, |seed| {
        let (words, problem, conditions) = claimed(seed)?;
        let objective = objectives[seed as usize % objectives.len()];
        let alpha: Alpha = ["0.3rows", "1row", "2rows", "7%"][seed as usize / 3 % 4].parse().unwrap();
        let price = alpha.price(problem.examples().all_rows());
        let method = Method::Lazy { objective, cover: COVERS[0], alpha: Some(alpha) };
        let outcome = learn(&problem, method, 1);
        for (class, label) in outcome.classes.iter().zip(problem.examples().classes()) {
            let best = words.sparse_optimum(&conditions, label, objective, price);
            assert_eq!(class.cost.first, best, "{label}");
        }
        Some(())
    });
}

#[test]
fn a_threshold_that_is_missing_from_all_is_found() {
    let text = "x,class\n1,a\n2,b\n3,a\n4,b\n";
    let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
    let binarise = BinariseOptions { cuts: Some(Cuts::All), ..BinariseOptions::default() };
    let problem = Problem::new(table, &binarise).unwrap();
    let method = Method::Lazy { objective: Objective::Size, cover: COVERS[0], alpha: None };
    let mut model = problem.model(&learn(&problem, method, 1), Policy::default());
    assert_eq!(model::judge(&model, problem.table()).unwrap(), []);
    let Encoding::Thresholds { cuts, .. } = &mut model.features.columns[0].encoding else { panic!() };
    cuts.pop();
    let faults = model::judge(&model, problem.table()).unwrap();
    let found = ModelFault::NotAllThresholds { column: "x".to_string(), low: 3.0, high: 4.0 };
    assert!(faults.contains(&found), "{faults:?}");
}
