//! A certificate that a stranger wrote.

use std::cell::Cell;
use std::sync::OnceLock;

use minrule::{
    BinariseOptions, FeatureId, LearnOptions, Limits, Numeric, Objective, Problem, Status, Table,
    TableOptions,
};
use minrule_proof::{Bound, Certificate, Example, Grid, Objective as Minimised};

const TABLES: [&str; 3] = [
    include_str!("../../../data/dating.csv"),
    include_str!("../../../data/loans.csv"),
    include_str!("noisy.csv"),
];
const OBJECTIVES: [(Minimised, Objective); 4] = [
    (Minimised::Rules, Objective::Rules),
    (Minimised::Literals, Objective::Literals),
    (Minimised::Size, Objective::Size),
    (Minimised::RulesThenLiterals, Objective::RulesThenLiterals),
];
/// Questions whether to give up, until the answer is yes.
const PATIENCE: u32 = 2_000;

/// A class, and what its smallest sets cost.
struct Class {
    grid: Grid,
    /// Rows of the class.
    rows: u64,
    optimum: Vec<(Minimised, Bound)>,
}

impl Class {
    /// What some set of rules costs that the certificate speaks of.
    fn cost(&self, certificate: &Certificate) -> Bound {
        let smallest = self.optimum.iter().find(|(of, _)| *of == certificate.objective);
        let smallest = smallest.expect("all are known").1;
        match certificate.price {
            None => smallest,
            // No rules at all, or rules that are never wrong.
            Some(price) => {
                let rows = self.rows.saturating_mul(price.denominator);
                let first = smallest.first.saturating_mul(price.numerator).min(rows);
                Bound { first, second: 0 }
            }
        }
    }
}

/// A certificate is refused in words, or what it says is true of every class that it is held against.
pub fn certificate(bytes: &[u8]) {
    let certificate = match Certificate::parse(bytes) {
        Ok(certificate) => certificate,
        Err(garbled) => {
            assert!(!garbled.to_string().is_empty());
            return;
        }
    };
    let again = Certificate::parse(certificate.to_text().as_bytes());
    assert_eq!(again.as_ref(), Ok(&certificate), "what was read can be written and read again");
    static CLASSES: OnceLock<Vec<Class>> = OnceLock::new();
    for class in CLASSES.get_or_init(classes) {
        let patience = Cell::new(PATIENCE);
        let tired = || {
            patience.set(patience.get().saturating_sub(1));
            patience.get() == 0
        };
        match minrule_proof::check(&class.grid, &certificate, &tired) {
            Err(refusal) => assert!(!refusal.to_string().is_empty()),
            Ok(()) => {
                assert!(certificate.bound <= class.cost(&certificate), "a false bound");
                let derived = minrule_proof::derivations(&class.grid, &certificate, 1_000, &tired);
                // Other steps than ours may be more than that format takes; it must only not panic.
                let _ = derived;
            }
        }
    }
}

fn classes() -> Vec<Class> {
    TABLES.iter().flat_map(|text| classes_of(text)).collect()
}

fn classes_of(text: &str) -> Vec<Class> {
    let table = Table::from_reader(text.as_bytes(), "table", &TableOptions::default());
    let table = table.expect("our own tables can be read");
    let options = BinariseOptions { numeric: Numeric::Thresholds, ..BinariseOptions::default() };
    let problem = Problem::new(table, &options).expect("and binarised");
    let (examples, literals) = (problem.examples(), problem.features().literals());
    let signed: Vec<i32> = literals
        .iter()
        .map(|literal| (literal.feature.0 as i32 + 1) * if literal.positive { 1 } else { -1 })
        .collect();
    let outcomes = OBJECTIVES.map(|(minimised, objective)| {
        let options = LearnOptions::minimising(objective).on_one_thread();
        (minimised, problem.learn(&options, &Limits::default()).expect("and learned"))
    });
    let all = outcomes[0].1.classes.iter().enumerate().map(|(number, class)| {
        let row = |&example: &usize| {
            let features =
                (0..examples.features() as u32).map(|f| examples.value(example, FeatureId(f)));
            Example { features: features.collect(), rows: examples.rows(example) }
        };
        let (positives, negatives) = examples.split(class.class);
        let negatives: Vec<Example> = negatives.iter().map(row).collect();
        let optimum = outcomes.iter().map(|(minimised, outcome)| {
            let class = &outcome.classes[number];
            assert_eq!(class.status(), Status::Optimal);
            (*minimised, Bound { first: class.cost.first, second: class.cost.second })
        });
        Class {
            grid: Grid::new(&signed, positives.iter().map(row).collect(), &negatives),
            rows: positives.iter().map(|&example| examples.rows(example)).sum(),
            optimum: optimum.collect(),
        }
    });
    all.collect()
}
