//! What the integration tests share: tables in, outcomes out, through the public interface only.

use std::sync::Arc;

use minrule::{
    BinariseOptions, CoverMethod, EnumerateOptions, Examples, Features, LearnOptions, Limits, Objective,
    Outcome, RuleSource, Table, TableOptions, learn,
};

/// A table read and binarised with default options.
pub fn load(text: &str) -> (Arc<Examples>, Features) {
    let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
    let features = Features::choose(&table, &BinariseOptions::default()).unwrap();
    (Arc::new(Examples::new(&table, &features)), features)
}

/// One of the configurations of the two-stage method.
#[derive(Debug, Clone, Copy)]
pub struct Configuration {
    pub objective: Objective,
    pub rules: RuleSource,
    pub cover: CoverMethod,
    pub break_symmetry: bool,
}

impl Configuration {
    /// Every combination of rule source, solver, symmetry breaking and the given objectives.
    pub fn all(objectives: &[Objective]) -> Vec<Configuration> {
        let mut all = Vec::new();
        for &objective in objectives {
            for rules in [RuleSource::Maxsat, RuleSource::Search] {
                for cover in [CoverMethod::Ilp, CoverMethod::Maxsat] {
                    for break_symmetry in [true, false] {
                        all.push(Configuration { objective, rules, cover, break_symmetry });
                    }
                }
            }
        }
        all
    }

    /// The same on one thread or more.
    pub fn options(self, threads: usize) -> LearnOptions {
        LearnOptions {
            objective: self.objective,
            enumerate: EnumerateOptions { rules: self.rules, break_symmetry: self.break_symmetry },
            cover: self.cover,
            classes: None,
            threads,
        }
    }

    /// Runs to the end.
    pub fn learn(self, examples: &Arc<Examples>, features: &Features) -> Outcome {
        learn(examples, &features.literals(), &self.options(1), &Limits::default(), |_| {}).unwrap()
    }
}
