//! Every configuration against brute force, on thousands of small random tables.
//!
//! The judge shares nothing with the solvers: it works on the raw rows, tries every term there is
//! (each feature true, false or not tested) and finds the cheapest cover by dynamic programming
//! over sets of examples.

mod common;

use common::random::{OBJECTIVES, Raw, for_random_tables};
use common::{Configuration, load};
use minrule::{
    Cost, LearnOptions, Limits, Method, Objective, OptModel, OptOptions, OptSearch, Status, learn,
};

const TABLES: u64 = 2_500;
/// The most features and rows of them.
const LARGEST: (u32, usize) = (7, 28);
/// For models whose formulas grow with rows and rules.
const SMALL_TABLES: u64 = 1_000;
const SMALL: (u32, usize) = (4, 12);

#[test]
fn every_configuration_equals_brute_force() {
    for_random_tables(TABLES, LARGEST, |raw, text| {
        let (examples, features) = load(text);
        for objective in OBJECTIVES {
            let expected = raw.optimum(objective);
            let every =
                Configuration::all(&[objective]).into_iter().chain(Configuration::lazy(objective));
            for configuration in every {
                let outcome = configuration.learn(&examples, &features);
                assert_eq!(outcome.status(), Status::Optimal, "{configuration:?}\n{text}");
                assert_eq!(outcome.cost(), expected, "{configuration:?}\n{text}");
                assert_eq!(outcome.lower_bound(), expected, "{configuration:?}\n{text}");
            }
        }
    });
}

#[test]
fn the_rivals_equal_brute_force() {
    for_random_tables(SMALL_TABLES, SMALL, |raw, text| {
        let (examples, features) = load(text);
        for (method, opt) in rivals() {
            let objective = method.objective().expect("a rival minimises one thing");
            let expected = raw.optimum(objective);
            // Refusing one node after another takes too long for all classes of a larger set at once.
            if opt.model == OptModel::Joint && expected.first > 14 {
                continue;
            }
            let options = LearnOptions { objective, method, opt, threads: 1, ..LearnOptions::default() };
            let outcome =
                learn(&examples, &features.literals(), &options, &Limits::default(), |_| {}).unwrap();
            assert_eq!(outcome.status(), Status::Optimal, "{method:?} {opt:?}\n{text}");
            assert_eq!(outcome.cost(), expected, "{method:?} {opt:?}\n{text}");
            assert_eq!(outcome.lower_bound(), expected, "{method:?} {opt:?}\n{text}");
        }
    });
}

/// Every variant of the SAT models.
fn rivals() -> Vec<(Method, OptOptions)> {
    let mut all = vec![(Method::Mds2, OptOptions::default()), (Method::Mds2Star, OptOptions::default())];
    for model in [OptModel::Separate, OptModel::Joint] {
        for search in [OptSearch::Sat, OptSearch::Maxsat] {
            all.push((Method::Opt, OptOptions { model, search }));
        }
    }
    all
}

#[test]
fn the_lazy_method_gives_the_same_rules_on_one_thread_and_on_two() {
    for_random_tables(TABLES, LARGEST, |_, text| {
        let (examples, features) = load(text);
        for objective in OBJECTIVES {
            let configuration = Configuration::lazy(objective)[0];
            let rules = |threads| {
                let outcome = configuration.learn_with(threads, &examples, &features);
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
