//! What the integration tests share: tables in, outcomes out, through the public interface only.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod broken;
pub mod random;
pub mod words;

use minrule::{
    BinariseOptions, Choice, CoverMethod, EnumerateOptions, LearnOptions, Limits, Method, Objective,
    Outcome, Problem, RuleSource, Table, TableOptions,
};

/// A table read and binarised with default options.
pub fn load(text: &str) -> Problem {
    let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
    Problem::new(table, &BinariseOptions::default()).unwrap()
}

/// Every solver of covers.
pub const COVERS: &[CoverMethod] = CoverMethod::ALL;

/// The lazy method with every solver.
pub fn lazy(objective: Objective) -> Vec<Method> {
    COVERS.iter().map(|&cover| Method::Lazy { objective, cover, alpha: None }).collect()
}

/// The two-stage method: every combination of rule source, solver and symmetry breaking.
pub fn two_stage(objective: Objective) -> Vec<Method> {
    let mut all = Vec::new();
    for rules in [RuleSource::Maxsat, RuleSource::Search] {
        for break_symmetry in [true, false] {
            let rules = EnumerateOptions { rules, break_symmetry };
            all.extend(COVERS.iter().map(|&cover| Method::Enumerate { objective, rules, cover }));
        }
    }
    all
}

/// Runs to the end on so many threads.
pub fn learn(problem: &Problem, method: Method, threads: usize) -> Outcome {
    let options = LearnOptions::new(method).with_threads(threads.try_into().unwrap());
    problem.learn(&options, &Limits::default()).unwrap()
}
