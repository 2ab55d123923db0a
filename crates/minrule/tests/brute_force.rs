//! Every configuration against brute force, on thousands of small random tables.
//!
//! The judges share nothing with the solvers: one works on raw bits and tries every term there is (each
//! feature true, false or not tested), the other on the words of tables with columns of every kind. Both
//! find the cheapest cover by dynamic programming over sets of examples.

mod common;

use common::random::{OBJECTIVES, Raw, for_random_tables, for_seeds};
use common::words::Words;
use common::{lazy, learn, load, two_stage};
use minrule::{Cost, Method, Objective, OptModel, OptOptions, OptSearch, Problem, Status};

const TABLES: u64 = 2_000;
/// The most features and rows of them.
const LARGEST: (u32, usize) = (7, 28);
/// Tables of words, weights, thresholds and "is not" or none.
const TABLES_OF_WORDS: u64 = 2_000;
/// For models whose formulas grow with rows and rules.
const SMALL_TABLES: u64 = 1_000;
const SMALL: (u32, usize) = (4, 12);

fn every_method(objective: Objective) -> impl Iterator<Item = Method> {
    two_stage(objective).into_iter().chain(lazy(objective))
}

fn proves(problem: &Problem, method: Method, expected: Cost) {
    let outcome = learn(problem, method, 1);
    assert_eq!(outcome.cost(), expected, "{method:?}");
    assert_eq!(outcome.lower_bound(), expected, "{method:?}");
    assert_eq!(outcome.status(), Status::Optimal, "{method:?}");
}

#[test]
fn every_configuration_equals_brute_force() {
    for_random_tables(TABLES, LARGEST, |raw, text| {
        let problem = load(text);
        for &objective in OBJECTIVES {
            let expected = raw.optimum(objective);
            every_method(objective).for_each(|method| proves(&problem, method, expected));
        }
    });
}

#[test]
fn columns_of_every_kind_weights_and_no_negations_equal_brute_force() {
    for_seeds(TABLES_OF_WORDS, |seed| {
        let words = Words::random(seed);
        let problem = words.problem()?;
        let features = problem.features();
        let conditions: Vec<_> = features.literals().iter().map(|&l| features.condition(l)).collect();
        // Every objective in turn: each has its share of all kinds of tables.
        let objective = OBJECTIVES[seed as usize % OBJECTIVES.len()];
        let expected = words.optimum(&conditions, objective);
        every_method(objective).for_each(|method| proves(&problem, method, expected));
        Some(())
    });
}

#[test]
fn the_rivals_equal_brute_force() {
    for_random_tables(SMALL_TABLES, SMALL, |raw, text| {
        let problem = load(text);
        for method in rivals() {
            let expected = raw.optimum(method.objective());
            // Refusing one node after another takes too long for all classes of a larger set at once.
            let joint = matches!(method, Method::Opt(OptOptions { model: OptModel::Joint, .. }));
            if !joint || expected.first <= 14 {
                proves(&problem, method, expected);
            }
        }
    });
}

/// Every variant of the SAT models.
fn rivals() -> Vec<Method> {
    let mut all = vec![Method::Mds2, Method::Mds2Star];
    for model in [OptModel::Separate, OptModel::Joint] {
        for search in [OptSearch::Sat, OptSearch::Maxsat] {
            all.push(Method::Opt(OptOptions { model, search }));
        }
    }
    all
}

#[test]
fn the_lazy_method_gives_the_same_rules_on_one_thread_and_on_two() {
    for_random_tables(TABLES, LARGEST, |_, text| {
        let problem = load(text);
        for &objective in OBJECTIVES {
            let rules = |threads| {
                let outcome = learn(&problem, lazy(objective)[0], threads);
                outcome.classes.into_iter().map(|class| class.rules).collect::<Vec<_>>()
            };
            assert_eq!(rules(1), rules(2), "{text}");
        }
    });
}

#[test]
fn the_judge_itself_knows_the_running_example() {
    let raw = Raw { features: 4, rows: vec![(0b0110, 0), (0b0101, 1), (0b0101, 1), (0b1001, 0)] };
    assert_eq!(raw.optimum(Objective::Rules), Cost { first: 3, second: 0 });
    assert_eq!(raw.optimum(Objective::Literals), Cost { first: 4, second: 0 });
    assert_eq!(raw.optimum(Objective::Size), Cost { first: 7, second: 0 });
    assert_eq!(raw.optimum(Objective::RulesThenLiterals), Cost { first: 3, second: 4 });
}
