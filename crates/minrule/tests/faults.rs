//! Solvers that go wrong: whatever they do, what comes out is valid and claims nothing false.
//!
//! Run with `cargo test --features faults`. One line of a table is printed for each fault.

mod common;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use common::load;
use common::random::Raw;
use minrule::judge::outcome as check;
use minrule::limits::memory_in_use;
use minrule::solve::faults::{Fault, Site, plan};
use minrule::{
    CoverMethod, EnumerateOptions, Examples, LearnOptions, Limits, Method, Objective, Outcome, Problem,
    RuleSource, Status, StopReason,
};

/// Faults are planned for the whole process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
/// After so many calls that go well.
const AFTER: [u64; 4] = [0, 1, 5, 25];
const TABLES: u64 = 12;

/// Tables that take some work, and what their smallest sets cost.
fn tables() -> Vec<(Problem, Outcome)> {
    let raw = (0..).map(|seed| Raw::random(seed, (12, 90))).filter(|raw| raw.rows.len() > 60);
    let tables = raw.filter_map(|raw| raw.csv()).take(TABLES as usize);
    let with_optimum = tables.map(|text| {
        let problem = load(&text);
        let optimum = problem.learn(&lazy(), &Limits::default()).unwrap();
        assert_eq!(optimum.status(), Status::Optimal);
        (problem, optimum)
    });
    with_optimum.collect()
}

fn lazy() -> LearnOptions {
    LearnOptions::default().on_one_thread()
}

fn enumerate(cover: CoverMethod) -> LearnOptions {
    let rules = EnumerateOptions { rules: RuleSource::Maxsat, break_symmetry: true };
    LearnOptions::new(Method::Enumerate { objective: Objective::Size, rules, cover }).on_one_thread()
}

/// What came of a fault on all tables.
#[derive(Default)]
struct Tally {
    runs: usize,
    optimal: usize,
    classes_proven: usize,
    classes: usize,
    reasons: Vec<StopReason>,
    false_claims: usize,
}

impl Tally {
    /// Judges an outcome by the examples, and its claims by the optimum.
    fn add(&mut self, examples: &Examples, outcome: &Outcome, optimum: &Outcome) {
        assert_eq!(check::verify(examples, outcome), Ok(()));
        self.runs += 1;
        self.optimal += usize::from(outcome.status() == Status::Optimal);
        for (class, best) in outcome.classes.iter().zip(&optimum.classes) {
            // A bound above the optimum, or rules that cost less than is possible.
            self.false_claims += usize::from(class.lower_bound > best.cost || class.cost < best.cost);
            self.classes += 1;
            self.classes_proven += usize::from(class.status() == Status::Optimal);
            self.reasons.extend(class.stopped_by.filter(|reason| !self.reasons.contains(reason)));
        }
    }

    fn print(&self, what: &str) {
        let reasons: Vec<&str> = self.reasons.iter().map(|reason| reason.name()).collect();
        println!(
            "| {what} | {} | {} | {} of {} | {} | {} |",
            self.runs,
            self.optimal,
            self.classes_proven,
            self.classes,
            if reasons.is_empty() { "none".to_string() } else { reasons.join(", ") },
            self.false_claims,
        );
    }
}

fn strike(
    what: &str,
    site: Site,
    fault: Fault,
    options: &LearnOptions,
    limits: impl Fn() -> Limits,
) -> Tally {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    plan(None);
    let mut tally = Tally::default();
    for (problem, optimum) in tables() {
        for after in AFTER {
            plan(Some((site, fault, after)));
            let outcome = problem.learn(options, &limits()).unwrap();
            plan(None);
            tally.add(problem.examples(), &outcome, &optimum);
        }
    }
    tally.print(what);
    assert_eq!(tally.false_claims, 0, "{what}");
    tally
}

fn none() -> Limits {
    Limits::default()
}

#[test]
fn an_lp_that_answers_nonsense_proves_nothing_false() {
    let lazy = lazy();
    strike("LP: nonsense", Site::Lp, Fault::Nonsense, &lazy, none);
}

#[test]
fn an_lp_that_fails_costs_the_proof_only() {
    let lazy = lazy();
    let tally = strike("LP: says it failed", Site::Lp, Fault::Failure, &lazy, none);
    assert_eq!(tally.reasons, [StopReason::SolverFailure]);
}

#[test]
fn a_panic_in_one_class_leaves_the_others_alone() {
    let lazy = lazy();
    let tally = strike("LP: panics once", Site::Lp, Fault::Panic, &lazy, none);
    assert_eq!(tally.reasons, [StopReason::SolverFailure]);
    // One class a run lost its proof, at most.
    assert!(tally.classes - tally.classes_proven <= tally.runs);
    let tally = strike("search for rules: panics once", Site::Search, Fault::Panic, &lazy, none);
    assert!(tally.classes - tally.classes_proven <= tally.runs);
}

#[test]
fn a_solver_that_never_answers_costs_its_proof_only() {
    let limit = || Limits::default().with_time(Duration::from_millis(200));
    let lazy = lazy();
    let tally = strike("LP: never answers, 0.2 s limit", Site::Lp, Fault::Hang, &lazy, limit);
    assert_eq!(tally.reasons, [StopReason::TimeLimit]);
    let enumerate = enumerate(CoverMethod::Maxsat);
    let what = "SAT solver: never answers, 0.2 s limit";
    let tally = strike(what, Site::Sat, Fault::Hang, &enumerate, limit);
    assert_eq!(tally.reasons, [StopReason::TimeLimit]);
}

#[test]
fn a_solver_that_takes_all_memory_is_stopped() {
    let lazy = lazy();
    let limit =
        || Limits { memory: memory_in_use().map(|used| used + (512 << 20)), ..Limits::default() };
    let what = "search for rules: takes 256 MiB a call, 512 MiB limit";
    let tally = strike(what, Site::Search, Fault::Memory, &lazy, limit);
    assert!(tally.reasons.contains(&StopReason::MemoryLimit));
}

#[test]
fn a_sat_solver_whose_models_are_none_is_found_out() {
    let enumerate = enumerate(CoverMethod::Maxsat);
    let tally = strike("SAT solver: wrong models", Site::Sat, Fault::Nonsense, &enumerate, none);
    assert_eq!(tally.reasons, [StopReason::SolverFailure]);
    let tally = strike("SAT solver: says it failed", Site::Sat, Fault::Failure, &enumerate, none);
    assert_eq!(tally.reasons, [StopReason::SolverFailure]);
}

#[test]
fn an_ilp_whose_bound_is_impossible_is_found_out() {
    let ilp = enumerate(CoverMethod::Ilp);
    let tally = strike("ILP: impossible bound", Site::Ilp, Fault::Nonsense, &ilp, none);
    assert!(tally.reasons.iter().all(|reason| *reason == StopReason::SolverFailure));
}
