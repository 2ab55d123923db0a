//! Sparse sets against brute force, on thousands of small random tables.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::broken::break_somewhere;
use common::random::{for_random_tables, for_seeds};
use common::words::Words;
use common::{COVERS, learn, load};
use minrule::judge::proof::judge;
use minrule::result::{CostValue, Proof};
use minrule::solve::Alpha;
use minrule::{
    Cost, CoverMethod, LearnOptions, Limits, Method, Model, Objective, Outcome, Policy, Problem, Status,
};

const TABLES: u64 = 10_000;
/// Tables of bits, with more rules to choose from, and the most features and rows of them.
const TABLES_OF_BITS: u64 = 500;
const LARGEST: (u32, usize) = (5, 26);
/// Tables on which certificates are broken, and how often each.
const BROKEN_TABLES: u64 = 500;
const WAYS: u64 = 20;
/// Where sets are not as cheap as their relaxation, so that certificates have a pool.
const HARDER: (u32, usize) = (12, 80);
/// Lines of a certificate that are no part of the argument, before the bound.
const SPARSE_HEADING: usize = 5;
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
        let price = alpha.price(problem.examples().all_rows());
        let right = |outcome: &Outcome, method: Method| {
            for class in &outcome.classes {
                let label = &problem.examples().classes()[class.class.0 as usize];
                let first = words.sparse_optimum(&conditions, label, objective, price);
                let least = Cost { first, second: 0 };
                assert_eq!((class.cost, class.lower_bound), (least, least), "class {label}, {method:?}");
                assert_eq!(class.status(), Status::Optimal);
            }
        };
        let cover = COVERS[seed as usize / 30 % COVERS.len()];
        let method = Method::Lazy { objective, cover, alpha: Some(alpha) };
        right(&learn(&problem, method, 1 + seed as usize % 2), method);
        let it = proven(&problem, objective, alpha);
        right(&it.outcome, it.outcome.options.method());
        assert_eq!(judge(&it.model, problem.table(), &it.proof, None).unwrap(), [], "{alpha}");
        Some(())
    });
}

/// What was learned with a proof.
struct Proven {
    outcome: Outcome,
    model: Model,
    proof: Proof,
}

fn proven(problem: &Problem, objective: Objective, alpha: Alpha) -> Proven {
    let method = Method::Lazy { objective, cover: CoverMethod::Branch, alpha: Some(alpha) };
    let options = LearnOptions::new(method).on_one_thread().with_proof().unwrap();
    let outcome = problem.learn(&options, &Limits::default()).unwrap();
    let model = problem.model(&outcome, Policy::suited_to(&options));
    let proof = problem.proof(&outcome);
    Proven { outcome, model, proof }
}

#[test]
fn broken_certificates_prove_nothing_false() {
    let (broken, refused, pools) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    for_random_tables(BROKEN_TABLES, HARDER, |raw, text| {
        let problem = load(text);
        let objective = OBJECTIVES[raw.rows.len() % OBJECTIVES.len()];
        let alpha: Alpha = ALPHAS[raw.rows.len() % ALPHAS.len()].parse().unwrap();
        let it = proven(&problem, objective, alpha);
        assert_eq!(judge(&it.model, problem.table(), &it.proof, None).unwrap(), [], "{alpha}");
        let parts = alpha.price(problem.examples().all_rows()).1;
        let mut random = fastrand::Rng::with_seed(raw.rows.len() as u64);
        for _ in 0..WAYS {
            let class = random.usize(0..it.proof.certificates.len());
            let (mut model, mut proof) = (it.model.clone(), it.proof.clone());
            // It would give away a bound that was raised.
            proof.manifest = None;
            let text = String::from_utf8(proof.certificates[class].take().unwrap()).unwrap();
            pools.fetch_add(usize::from(text.contains("\nbecause pool\n")), Ordering::Relaxed);
            let text = break_somewhere(&text, SPARSE_HEADING, &mut random);
            let bound = text.lines().find_map(|line| line.strip_prefix("bound ")?.parse().ok());
            let Some(bound) = bound else { continue };
            // The model claims what the certificate does, so that nothing else gives it away.
            let claimed = Cost { first: bound, second: 0 };
            model.decision_set.classes[class].lower_bound = CostValue::in_rows(claimed, parts);
            proof.certificates[class] = Some(text.clone().into_bytes());
            broken.fetch_add(1, Ordering::Relaxed);
            if judge(&model, problem.table(), &proof, None).unwrap().is_empty() {
                let optimum = it.outcome.classes[class].cost;
                assert!(claimed <= optimum, "accepted above {optimum:?}:\n{text}");
            } else {
                refused.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let (broken, refused) = (broken.into_inner(), refused.into_inner());
    println!("{broken} broken certificates: {refused} refused, {} still valid", broken - refused);
    let pools = pools.into_inner();
    assert!(pools > 100, "only {pools} had a pool");
    assert!(refused > broken / 2, "{refused} of {broken} were refused");
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
