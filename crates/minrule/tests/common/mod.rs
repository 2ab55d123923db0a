//! What the integration tests share: tables in, outcomes out, through the public interface only.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod random;

use std::sync::Arc;

use minrule::{
    BinariseOptions, CoverMethod, EnumerateOptions, Examples, Features, LearnOptions, Limits, Method,
    Objective, OptOptions, Outcome, RuleSource, Table, TableOptions, learn,
};

/// A table read and binarised with default options.
pub fn load(text: &str) -> (Arc<Examples>, Features) {
    let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
    let features = Features::choose(&table, &BinariseOptions::default()).unwrap();
    (Arc::new(Examples::new(&table, &features).unwrap()), features)
}

/// A way to find the smallest set.
#[derive(Debug, Clone, Copy)]
pub struct Configuration {
    pub objective: Objective,
    pub method: Method,
    pub rules: RuleSource,
    pub cover: CoverMethod,
    pub break_symmetry: bool,
}

impl Configuration {
    /// The lazy method with every solver.
    pub fn lazy(objective: Objective) -> Vec<Configuration> {
        let (method, rules, break_symmetry) = (Method::Lazy, RuleSource::Maxsat, true);
        [CoverMethod::Branch, CoverMethod::Ilp, CoverMethod::Maxsat]
            .map(|cover| Configuration { objective, method, rules, cover, break_symmetry })
            .to_vec()
    }

    /// The two-stage method: every combination of rule source, solver, symmetry breaking and the
    /// given objectives.
    pub fn all(objectives: &[Objective]) -> Vec<Configuration> {
        let mut all = Vec::new();
        for &objective in objectives {
            for rules in [RuleSource::Maxsat, RuleSource::Search] {
                for cover in [CoverMethod::Ilp, CoverMethod::Maxsat] {
                    for break_symmetry in [true, false] {
                        let method = Method::Enumerate;
                        all.push(Configuration { objective, method, rules, cover, break_symmetry });
                    }
                }
            }
        }
        all
    }

    fn options(self, threads: usize) -> LearnOptions {
        LearnOptions {
            objective: self.objective,
            method: self.method,
            enumerate: EnumerateOptions { rules: self.rules, break_symmetry: self.break_symmetry },
            cover: self.cover,
            opt: OptOptions::default(),
            seed: None,
            classes: None,
            threads,
            proof: false,
        }
    }

    /// Runs to the end on one thread.
    pub fn learn(self, examples: &Arc<Examples>, features: &Features) -> Outcome {
        self.learn_with(1, examples, features)
    }

    /// Runs to the end.
    pub fn learn_with(self, threads: usize, examples: &Arc<Examples>, features: &Features) -> Outcome {
        let options = self.options(threads);
        learn(examples, &features.literals(), &options, &Limits::default(), |_| {}).unwrap()
    }
}
