//! Certificates on thousands of random tables: what the solver claims, its certificate bears out and
//! brute force confirms; and what a broken certificate claims and gets away with is true all the same.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::broken::break_somewhere;
use common::random::{OBJECTIVES, for_random_tables};
use minrule::judge::proof::judge;
use minrule::result::{CostValue, Proof};
use minrule::{
    BinariseOptions, LearnOptions, Limits, Model, Objective, Outcome, Policy, Problem, Status, Table,
    TableOptions,
};

const TABLES: u64 = 10_000;
/// The most features and rows of them.
const LARGEST: (u32, usize) = (7, 28);
/// Tables on which certificates are broken, and how often each.
const BROKEN_TABLES: u64 = 500;
const WAYS: u64 = 20;
/// Lines of a certificate that are no part of the argument, before the bound.
const HEADING: usize = 4;
/// Where covers are not as cheap as their relaxation, so that certificates have a pool.
const HARDER: (u32, usize) = (14, 80);

/// A table learned with a proof.
struct Learned {
    problem: Problem,
    outcome: Outcome,
    model: Model,
    proof: Proof,
}

fn learned(text: &str, objective: Objective, seed: Option<u64>) -> Learned {
    let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
    let problem = Problem::new(table, &BinariseOptions::default()).unwrap();
    let options = LearnOptions::minimising(objective).with_seed(seed).on_one_thread();
    let outcome = problem.learn(&options.with_proof().unwrap(), &Limits::default()).unwrap();
    let model = problem.model(&outcome, Policy::default());
    let proof = problem.proof(&outcome);
    Learned { problem, outcome, model, proof }
}

#[test]
fn solver_brute_force_and_checker_agree() {
    let with_a_pool = AtomicUsize::new(0);
    for_random_tables(TABLES, LARGEST, |raw, text| {
        let objective = OBJECTIVES[raw.rows.len() % OBJECTIVES.len()];
        let seed = (raw.features % 3 == 0).then_some(u64::from(raw.features));
        let it = learned(text, objective, seed);
        assert_eq!(it.outcome.status(), Status::Optimal);
        assert_eq!(it.outcome.cost(), raw.optimum(objective));
        assert_eq!(judge(&it.model, it.problem.table(), &it.proof, &Limits::default()).unwrap(), []);
        with_a_pool.fetch_add(pools(&it.proof), Ordering::Relaxed);
    });
    assert!(with_a_pool.into_inner() > 0, "no table needed a pool");
}

fn pools(proof: &Proof) -> usize {
    let has_a_pool = |text: &&Vec<u8>| {
        let text = String::from_utf8_lossy(text);
        ["\nbecause pool\n", "\nthen pool\n"].iter().any(|argument| text.contains(argument))
    };
    proof.certificates.iter().flatten().filter(has_a_pool).count()
}

#[test]
fn broken_certificates_prove_nothing_false() {
    let (broken, refused, with_a_pool) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    for_random_tables(BROKEN_TABLES, HARDER, |raw, text| {
        let objective = OBJECTIVES[raw.rows.len() % OBJECTIVES.len()];
        let it = learned(text, objective, None);
        with_a_pool.fetch_add(pools(&it.proof), Ordering::Relaxed);
        let mut random = fastrand::Rng::with_seed(raw.rows.len() as u64);
        for _ in 0..WAYS {
            let class = random.usize(0..it.proof.certificates.len());
            let (mut model, mut proof) = (it.model.clone(), it.proof.clone());
            let text = proof.certificates[class].take().unwrap();
            // It would give away a bound that was raised.
            proof.manifest = None;
            let text = break_somewhere(&String::from_utf8(text).unwrap(), HEADING, &mut random);
            // The model claims what the certificate does, so that nothing else gives it away.
            let Some(bound) = claimed(&text) else { continue };
            proof.certificates[class] = Some(text.clone().into_bytes());
            model.decision_set.classes[class].lower_bound = bound;
            broken.fetch_add(1, Ordering::Relaxed);
            if judge(&model, it.problem.table(), &proof, &Limits::default()).unwrap().is_empty() {
                let optimum = CostValue::new(objective, it.outcome.classes[class].cost);
                assert!(no_more(bound, optimum), "accepted above {optimum:?}:\n{text}");
            } else {
                refused.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let (broken, refused) = (broken.into_inner(), refused.into_inner());
    println!("{broken} broken certificates: {refused} refused, {} still valid", broken - refused);
    let with_a_pool = with_a_pool.into_inner();
    assert!(with_a_pool > 100, "only {with_a_pool} had a pool");
    assert!(refused > broken / 2, "{refused} of {broken} were refused");
}

/// The corners of six tetrahedra as features, their edges as positives: a rule is a corner. The relaxation
/// takes half of each corner, but each tetrahedron needs three.
fn tetrahedra() -> String {
    let mut text: String = (0..24).map(|corner| format!("c{corner},")).collect::<String>() + "class\n";
    let mut row = |true_ones: &[usize], class| {
        (0..24).for_each(|corner| text += if true_ones.contains(&corner) { "1," } else { "0," });
        text += class;
    };
    for first in [0, 4, 8, 12, 16, 20] {
        for a in first..first + 4 {
            (a + 1..first + 4).for_each(|b| row(&[a, b], "edge\n"));
        }
    }
    row(&[], "none\n");
    text
}

#[test]
fn cuts_prove_what_prices_of_examples_do_not() {
    let it = learned(&tetrahedra(), Objective::Rules, None);
    assert_eq!(it.outcome.status(), Status::Optimal);
    assert_eq!(it.outcome.classes[0].cost.first, 18);
    let accepted = |proof: &Proof| {
        judge(&it.model, it.problem.table(), proof, &Limits::default()).unwrap().is_empty()
    };
    assert!(accepted(&it.proof));
    let text = String::from_utf8(it.proof.certificates[0].clone().unwrap()).unwrap();
    assert!(text.contains('+'), "no cuts in\n{text}");
    // Cuts do not bear any price.
    let mut proof = it.proof.clone();
    let dearer = |word: &str| match word.split_once(':') {
        Some((examples, price)) if word.contains('+') => format!("{examples}:1{price}"),
        _ => word.to_string(),
    };
    let lines =
        text.lines().map(|line| line.split(' ').map(dearer).collect::<Vec<_>>().join(" ") + "\n");
    proof.certificates[0] = Some(lines.collect::<String>().into_bytes());
    assert!(!accepted(&proof));
}

fn no_more(bound: CostValue, optimum: CostValue) -> bool {
    match (bound, optimum) {
        (CostValue::One(a), CostValue::One(b)) => a <= b,
        (CostValue::Two(a), CostValue::Two(b)) => a <= b,
        _ => false,
    }
}

/// The bound that a certificate claims.
fn claimed(text: &str) -> Option<CostValue> {
    let lexicographic = text.contains("\nobjective rules-then-literals\n");
    let line = text.lines().find_map(|line| line.strip_prefix("bound "))?;
    let numbers: Vec<u64> = line.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
    match (&numbers[..], lexicographic) {
        (&[first], false) => Some(CostValue::One(first)),
        (&[first], true) => Some(CostValue::Two([first, 0])),
        (&[first, second], true) => Some(CostValue::Two([first, second])),
        _ => None,
    }
}

#[test]
fn raised_bounds_are_refused() {
    for_random_tables(200, HARDER, |raw, text| {
        let objective = OBJECTIVES[raw.rows.len() % OBJECTIVES.len()];
        let it = learned(text, objective, None);
        for class in 0..it.proof.certificates.len() {
            let (mut model, mut proof) = (it.model.clone(), it.proof.clone());
            let text = String::from_utf8(proof.certificates[class].take().unwrap()).unwrap();
            let bold = text.replacen("\nbound ", "\nbound 1", 1);
            proof.certificates[class] = Some(bold.into_bytes());
            assert_ne!(judge(&it.model, it.problem.table(), &proof, &Limits::default()).unwrap(), []);
            // Nor does a model pass that claims more than its certificate.
            let CostValue::One(bound) = model.decision_set.classes[class].lower_bound else { continue };
            model.decision_set.classes[class].lower_bound = CostValue::One(bound + 1);
            assert_ne!(judge(&model, it.problem.table(), &it.proof, &Limits::default()).unwrap(), []);
        }
    });
}

#[test]
fn a_certificate_is_read_as_it_was_written() {
    for_random_tables(200, HARDER, |_, text| {
        for certificate in learned(text, Objective::Size, None).proof.certificates.iter().flatten() {
            let read = minrule_proof::Certificate::parse(certificate).unwrap();
            assert_eq!(read.to_text().as_bytes(), certificate);
        }
    });
}

#[test]
fn a_lacking_certificate_is_missed() {
    for_random_tables(20, LARGEST, |_, text| {
        let it = learned(text, Objective::Size, None);
        let nothing = Proof { certificates: vec![None; it.proof.certificates.len()], manifest: None };
        let faults = judge(&it.model, it.problem.table(), &nothing, &Limits::default()).unwrap();
        assert_eq!(faults.len(), it.proof.certificates.len());
    });
}
