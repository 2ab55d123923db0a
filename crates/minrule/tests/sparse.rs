//! Sparse sets against brute force, on thousands of small random tables.

mod common;

use common::random::{for_random_tables, for_seeds};
use common::words::Words;
use common::{COVERS, learn, load};
use minrule::solve::Alpha;
use minrule::{Cost, Method, Objective, Status};

const TABLES: u64 = 10_000;
/// Tables of bits, with more rules to choose from, and the most features and rows of them.
const TABLES_OF_BITS: u64 = 500;
const LARGEST: (u32, usize) = (5, 26);
const OBJECTIVES: [Objective; 3] = [Objective::Size, Objective::Rules, Objective::Literals];

/// From next to nothing to a price at which no rule pays.
const ALPHAS: [&str; 10] =
    ["0.001rows", "0.1rows", "0.5rows", "0.7rows", "1row", "1.3rows", "2rows", "3%", "11%", "60%"];

#[test]
fn sparse_sets_equal_brute_force() {
    for_seeds(TABLES, |seed| {
        let words = Words::random(seed);
        let problem = words.problem()?;
        let features = problem.features();
        let conditions: Vec<_> = features.literals().iter().map(|&l| features.condition(l)).collect();
        let objective = OBJECTIVES[seed as usize % OBJECTIVES.len()];
        let alpha: Alpha = ALPHAS[seed as usize / 3 % ALPHAS.len()].parse().unwrap();
        let cover = COVERS[seed as usize / 30 % COVERS.len()];
        let method = Method::Lazy { objective, cover, alpha: Some(alpha) };
        let outcome = learn(&problem, method, 1 + seed as usize % 2);
        let price = alpha.price(problem.examples().all_rows());
        for class in &outcome.classes {
            let label = &problem.examples().classes()[class.class.0 as usize];
            let first = words.sparse_optimum(&conditions, label, objective, price);
            let least = Cost { first, second: 0 };
            assert_eq!((class.cost, class.lower_bound), (least, least), "class {label}, {method:?}");
            assert_eq!(class.status(), Status::Optimal);
        }
        Some(())
    });
}

#[test]
fn every_solver_of_covers_agrees_with_brute_force() {
    for_random_tables(TABLES_OF_BITS, LARGEST, |raw, text| {
        let problem = load(text);
        let rows = problem.examples().all_rows();
        for (alpha, objective) in [("0.3rows", Objective::Size), ("2%", Objective::Literals)] {
            let alpha: Alpha = alpha.parse().unwrap();
            for (class, label) in problem.examples().classes().iter().enumerate() {
                let number = label.trim_start_matches('c').parse().unwrap();
                let expected = raw.sparse_optimum(number, objective, alpha.price(rows));
                for &cover in COVERS {
                    let outcome =
                        learn(&problem, Method::Lazy { objective, cover, alpha: Some(alpha) }, 1);
                    let found = &outcome.classes[class];
                    let both = (found.cost.first, found.lower_bound.first);
                    assert_eq!(both, (expected, expected), "class {label}, {cover:?}, {alpha}");
                }
            }
        }
    });
}

#[test]
fn a_table_may_have_more_features_than_two_bytes_can_count() {
    let columns = 66_000;
    let mut random = fastrand::Rng::with_seed(3);
    let mut text: String = (0..columns).map(|i| format!("c{i},")).collect();
    text.push_str("class\n");
    for row in 0..12 {
        // The last column is the class.
        let bits = (1..columns).map(|_| random.u8(0..2)).chain([row % 2]);
        text.extend(bits.map(|bit| format!("{bit},")));
        text.push_str(["no\n", "yes\n"][row as usize % 2]);
    }
    let problem = load(&text);
    let alpha = Some("1row".parse().unwrap());
    let method = Method::Lazy { objective: Objective::Size, cover: COVERS[0], alpha };
    let outcome = learn(&problem, method, 1);
    for class in &outcome.classes {
        // A rule of one literal.
        assert_eq!((class.cost.first, class.status()), (2, Status::Optimal));
    }
}
