//! Sparse sets against brute force, on thousands of small random tables.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::broken::break_somewhere;
use common::random::{for_random_tables, for_seeds};
use common::words::Words;
use common::{COVERS, learn, load};
use minrule::apply::{DecidedBy, Scratch};
use minrule::data::Field;
use minrule::judge::{model, proof};
use minrule::result::{ClassRules, CostValue, Proof};
use minrule::solve::{Alpha, Order, Otherwise};
use minrule::{
    ClassId, Cost, CoverMethod, DecisionRule, LearnOptions, Limits, Method, Model, Objective, Outcome,
    Policy, Predictor, Problem, Status, StopReason,
};

const TABLES: u64 = 10_000;
/// Tables of three or four classes, for an order of these.
const ORDERED_TABLES: u64 = 1_500;
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
        assert_eq!(
            proof::judge(&it.model, problem.table(), &it.proof, &Limits::default()).unwrap(),
            [],
            "{alpha}"
        );
        Some(())
    });
}

#[test]
fn the_dearest_class_is_left_out_and_the_others_are_what_they_were() {
    for_seeds(1_000, |seed| {
        let words = Words::random(seed);
        let problem = words.problem()?;
        let alpha: Alpha = ALPHAS[seed as usize % ALPHAS.len()].parse().unwrap();
        let objective = OBJECTIVES[seed as usize % OBJECTIVES.len()];
        let method = Method::Lazy { objective, cover: CoverMethod::Branch, alpha: Some(alpha) };
        let options =
            LearnOptions::new(method).with_threads((1 + seed as usize % 2).try_into().unwrap());
        let all = problem.learn(&options, &Limits::default()).unwrap();
        let options = options.with_otherwise(Otherwise::Auto).unwrap();
        let auto = problem.learn(&options, &Limits::default()).unwrap();
        let left_out = auto.otherwise.unwrap();
        let cost = |class: ClassId| all.classes.iter().find(|known| known.class == class).unwrap().cost;
        assert!(all.classes.iter().all(|class| class.cost <= cost(left_out)), "{alpha}");
        assert_eq!(auto.classes.len() + 1, all.classes.len());
        for class in &auto.classes {
            assert_eq!((class.cost, class.status()), (cost(class.class), Status::Optimal), "{alpha}");
        }
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
        assert_eq!(
            proof::judge(&it.model, problem.table(), &it.proof, &Limits::default()).unwrap(),
            [],
            "{alpha}"
        );
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
            if proof::judge(&model, problem.table(), &proof, &Limits::default()).unwrap().is_empty() {
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

/// An order of the classes for each seed, with a class that gets no rules or without one.
fn an_order(seed: u64, classes: usize) -> (Order, Otherwise) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut given: Vec<ClassId> = (0..classes as u32).map(ClassId).collect();
    random.shuffle(&mut given);
    let last = *given.last().unwrap();
    match seed % 6 {
        0 => (Order::Rarest, Otherwise::Auto),
        1 => (Order::Frequent, Otherwise::Auto),
        2 => (Order::Rarest, Otherwise::None),
        3 => (Order::Frequent, Otherwise::Class(last)),
        4 => (Order::Given(given), Otherwise::None),
        _ => {
            given.pop();
            (Order::Given(given), Otherwise::Auto)
        }
    }
}

/// The classes in the order asked for, spelled out once more.
fn in_order(words: &Words, order: &Order, otherwise: Otherwise, labels: &[String]) -> Vec<String> {
    let rows = |label: &String| -> u64 {
        words.rows().filter(|(_, class, _)| class == label).map(|(.., weight)| weight).sum()
    };
    let mut classes = labels.to_vec();
    match order {
        Order::None => unreachable!(),
        Order::Rarest => classes.sort_by_key(rows),
        Order::Frequent => classes.sort_by_key(|label| std::cmp::Reverse(rows(label))),
        Order::Given(given) => {
            let named: Vec<String> = given.iter().map(|c| labels[c.0 as usize].clone()).collect();
            classes.retain(|label| !named.contains(label));
            classes.splice(0..0, named);
        }
    }
    if let Otherwise::Class(ClassId(last)) = otherwise {
        classes.retain(|label| *label != labels[last as usize]);
        classes.push(labels[last as usize].clone());
    }
    classes
}

#[test]
fn each_block_equals_brute_force_given_those_before_it() {
    for_seeds(ORDERED_TABLES, |seed| {
        let words = Words::random(seed);
        let problem = words.problem()?;
        let labels = problem.examples().classes();
        if labels.len() < 3 {
            return None;
        }
        let features = problem.features();
        let conditions: Vec<_> = features.literals().iter().map(|&l| features.condition(l)).collect();
        let objective = OBJECTIVES[seed as usize % OBJECTIVES.len()];
        let alpha: Alpha = ALPHAS[seed as usize / 3 % ALPHAS.len()].parse().unwrap();
        let method = Method::Lazy { objective, cover: COVERS[0], alpha: Some(alpha) };
        let (order, otherwise) = an_order(seed, labels.len());
        let options = LearnOptions::new(method).with_otherwise(otherwise).unwrap();
        let options = options.with_order(order.clone()).unwrap().with_proof().unwrap();
        let options = options.with_threads((1 + seed as usize % 2).try_into().unwrap());
        let outcome = problem.learn(&options, &Limits::default()).unwrap();
        let model = problem.model(&outcome, Policy::suited_to(&options));
        let set = &model.decision_set;
        assert_eq!(set.order, Some(in_order(&words, &order, otherwise, labels)), "{order:?}");

        let price = alpha.price(problem.examples().all_rows());
        let mut left = words.left_by(&[]);
        for (found, class) in outcome.classes.iter().zip(&set.classes) {
            let least = left.sparse_optimum(&conditions, &class.class, objective, price);
            let both = (found.cost.first, found.lower_bound.first);
            assert_eq!(both, (least, least), "class {}, {order:?}, {method:?}", class.class);
            let rules: Vec<_> = class.rules.iter().map(|rule| &rule.conditions[..]).collect();
            for (rule, stated) in rules.iter().zip(&class.rules) {
                let counted = |own: bool| -> u64 {
                    let rows = left
                        .rows()
                        .filter(|(row, of, _)| left.meets(*row, rule) && (*of == class.class) == own);
                    rows.map(|(.., weight)| weight).sum()
                };
                assert_eq!((stated.covers, stated.wrong), (counted(true), Some(counted(false))));
            }
            left = left.left_by(&rules);
        }
        assert_eq!(outcome.status(), Status::Optimal);
        let certificates = problem.proof(&outcome);
        assert_eq!(
            proof::judge(&model, problem.table(), &certificates, &Limits::default()).unwrap(),
            [],
            "{order:?}"
        );
        predictions_in_order(&words, &model);
        assert_eq!(model::judge(&model, problem.table()).unwrap(), []);
        Some(())
    });
}

/// Compares what a model says of its rows with the first class that has a rule that fires.
fn predictions_in_order(words: &Words, model: &Model) {
    let set = &model.decision_set;
    let names: Vec<String> = model.features.columns.iter().map(|c| c.name.clone()).collect();
    let predictor = Predictor::new(model, model.policy, &names, "test").unwrap();
    let mut scratch = Scratch::default();
    let most = model.class_rows.iter().max();
    let most = model.class_rows.iter().position(|rows| Some(rows) == most).unwrap();
    let mut wrong = 0;
    for (row, label, weight) in words.rows() {
        let fires = |class: &&ClassRules| class.rules.iter().any(|r| words.meets(row, &r.conditions));
        let class = set.classes.iter().find(fires);
        let otherwise = set.otherwise.clone().flatten();
        let expected = class.map(|class| class.class.clone()).or(otherwise);
        let expected = expected.unwrap_or_else(|| model.labels[most].clone());
        let cells = words.cells(row, &names);
        let verdict = predictor
            .predict(|column, numeric| Field::new(cells[column].as_bytes(), numeric), &mut scratch);
        let said = verdict.label.map(|label| model.labels[label].clone());
        assert_eq!(said, Some(expected.clone()), "{cells:?}");
        if let Some(class) = class {
            let fired = class.rules.iter().filter(|rule| words.meets(row, &rule.conditions));
            let share =
                |r: &DecisionRule| (r.covers + 1) as f64 / (r.covers + r.wrong.unwrap() + 2) as f64;
            let best = fired.map(share).fold(0.0, f64::max);
            let shares = predictor.shares(verdict, &mut scratch);
            assert!((shares[verdict.label.unwrap()] - best).abs() < 1e-12);
            assert_eq!(verdict.decided_by, DecidedBy::Rules);
        }
        wrong += if expected == label { 0 } else { weight };
    }
    assert_eq!(set.rows_wrong, Some(wrong));
}

#[test]
fn blocks_that_have_no_time_still_have_answers() {
    let mut text = String::from("x,y,z,class\n");
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..200 {
        let bits: Vec<u8> = (0..3).map(|_| random.u8(0..6)).collect();
        let class = ["a", "b", "c", "d"][random.usize(0..4)];
        text.push_str(&format!("{},{},{},{class}\n", bits[0], bits[1], bits[2]));
    }
    let problem = load(&text);
    let alpha = Some("0.5rows".parse().unwrap());
    let method = Method::Lazy { objective: Objective::Size, cover: COVERS[0], alpha };
    let options = LearnOptions::new(method).with_otherwise(Otherwise::Auto).unwrap();
    let options = options.with_order(Order::Rarest).unwrap();
    let interrupted = Limits::default();
    interrupted.stop.request(StopReason::Interrupted);
    for limits in [Limits::default().with_time(std::time::Duration::ZERO), interrupted] {
        let outcome = problem.learn(&options, &limits).unwrap();
        assert_eq!(outcome.classes.len(), 3);
        let reason = limits.stop.reason().unwrap_or(StopReason::TimeLimit);
        for class in &outcome.classes {
            assert!(class.lower_bound <= class.cost);
            assert_eq!(class.stopped_by.is_none(), class.status() == Status::Optimal);
            assert!(class.stopped_by.is_none_or(|why| why == reason), "{:?}", class.stopped_by);
        }
        let model = problem.model(&outcome, Policy::suited_to(&options));
        assert_eq!(model::judge(&model, problem.table()).unwrap(), []);
    }
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
