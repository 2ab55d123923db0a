//! The whole story: examples in, the smallest rules of each class out.
//!
//! Classes are independent problems; each is solved on a thread of its own, in two stages, and
//! posts what it knows on a [`Board`]. The caller's thread keeps the limits. When one is reached
//! it asks the solvers to stop and, whether they answer or not, takes what the boards say.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::board::{Board, Progress, Stage};
use crate::bound::IndependentBound;
use crate::check;
use crate::cover::{self, CoverMethod, CoverProblem, News};
use crate::error::{Error, Result};
use crate::examples::Examples;
use crate::limits::{Halt, Limits, Stop, StopReason};
use crate::objective::{Cost, Objective};
use crate::outcome::{ClassOutcome, Outcome};
use crate::problem::ClassProblem;
use crate::rule::{ClassId, Literal, Rule};
use crate::rules::{self, EnumerateOptions};

/// How often limits are looked at and progress is shown.
const TICK: Duration = Duration::from_millis(10);
/// How long solvers have to answer a request to stop.
const GRACE: Duration = Duration::from_millis(500);
/// Rules after which stage 1 first looks for a better cover, and again whenever they double.
const FIRST_LOOK: usize = 64;

/// What to compute, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnOptions {
    /// What "smallest" means.
    pub objective: Objective,
    /// Stage 1.
    pub enumerate: EnumerateOptions,
    /// Stage 2.
    pub cover: CoverMethod,
    /// The classes to describe; all of them when `None`.
    pub classes: Option<Vec<ClassId>>,
    /// Classes worked on side by side.
    pub threads: usize,
}

impl Default for LearnOptions {
    fn default() -> Self {
        LearnOptions {
            objective: Objective::default(),
            enumerate: EnumerateOptions::default(),
            cover: CoverMethod::default(),
            classes: None,
            threads: thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// Finds the smallest set of rules for each class.
///
/// `watch` is called every few milliseconds with how far each class has come. The result is valid
/// whatever cut the run short; [`ClassOutcome::status`] says what was proven.
pub fn learn(
    examples: &Arc<Examples>,
    literals: &[Literal],
    options: &LearnOptions,
    limits: &Limits,
    mut watch: impl FnMut(&[(ClassId, Progress)]),
) -> Result<Outcome> {
    if options.threads == 0 {
        let (option, given) = ("the number of threads", "0".to_string());
        return Err(Error::BadOption { option, given, allowed: "1 or more" });
    }
    let classes = match &options.classes {
        Some(classes) => classes.clone(),
        None => (0..examples.classes.len() as u32).map(ClassId).collect(),
    };
    let jobs = Arc::new(Jobs {
        boards: classes.iter().map(|&class| (class, Board::new(options.objective))).collect(),
        next: AtomicUsize::new(0),
        examples: Arc::clone(examples),
        literals: literals.to_vec(),
        options: options.clone(),
        stop: limits.stop.clone(),
    });
    let (finished, all_finished) = mpsc::channel::<()>();
    for _ in 0..options.threads.min(classes.len()) {
        let (jobs, finished) = (Arc::clone(&jobs), finished.clone());
        thread::spawn(move || {
            jobs.work();
            drop(finished);
        });
    }
    drop(finished);

    // Nothing is ever sent: the channel closes when the last thread is done.
    let mut asked_to_stop: Option<Instant> = None;
    while all_finished.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        limits.enforce();
        if limits.stop.requested() {
            let since = *asked_to_stop.get_or_insert_with(Instant::now);
            if since.elapsed() >= GRACE {
                break;
            }
        }
        let progress: Vec<_> = jobs.boards.iter().map(|(c, board)| (*c, board.progress())).collect();
        watch(&progress);
    }

    let classes = jobs.boards.iter().map(|(class, board)| jobs.outcome(*class, board)).collect();
    let outcome = Outcome { objective: options.objective, classes };
    check::verify(examples, &outcome).map_err(|fault| Error::Internal(fault.to_string()))?;
    Ok(outcome)
}

/// The classes to do, and what the threads that do them share.
struct Jobs {
    boards: Vec<(ClassId, Board)>,
    /// The next class that nobody has taken.
    next: AtomicUsize,
    examples: Arc<Examples>,
    literals: Vec<Literal>,
    options: LearnOptions,
    stop: Stop,
}

impl Jobs {
    /// Takes one class after another. A failure in one leaves the others alone.
    fn work(&self) {
        while let Some((class, board)) = self.boards.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let result = catch_unwind(AssertUnwindSafe(|| {
                let problem = ClassProblem::new(&self.examples, &self.literals, *class);
                learn_class(&problem, &self.options, &self.stop, board)
            }));
            match result {
                Ok(Ok(())) | Ok(Err(Halt::Stopped)) => {}
                Ok(Err(Halt::Failed(what))) => board.fail(what),
                Err(_) => board.fail("a solver panicked".to_string()),
            }
            board.enter(Stage::Done);
        }
    }

    /// What a class's board says now.
    fn outcome(&self, class: ClassId, board: &Board) -> ClassOutcome {
        let posted = board.read();
        // A class that was never begun has no rules yet: its examples are spelled out.
        let problem = ClassProblem::new(&self.examples, &self.literals, class);
        let mut rules = posted.best.unwrap_or_else(|| {
            let at_once = Stop::default();
            at_once.request(StopReason::TimeLimit);
            rules::first_rules(&problem, &at_once)
        });
        // People read the rules that say most first; the order is part of the result.
        rules.sort_by_cached_key(|rule| {
            (std::cmp::Reverse(problem.rows_covered(rule)), rule.size(), rule.term.clone())
        });
        let cost = self.options.objective.cost(&rules);
        let lower_bound = posted.progress.lower_bound.min(cost);
        let unproven = (lower_bound < cost).then(|| match posted.failure {
            Some(_) => StopReason::SolverFailure,
            None => self.stop.reason().unwrap_or(StopReason::SolverFailure),
        });
        ClassOutcome {
            class,
            rows_covered: rules.iter().map(|rule| problem.rows_covered(rule)).collect(),
            rules,
            cost,
            lower_bound,
            rules_enumerated: posted.progress.rules_enumerated,
            stopped_by: unproven,
            failure: posted.failure.filter(|_| unproven.is_some()),
            seconds: posted.seconds,
        }
    }
}

/// One class: a valid set of rules at once, then the paper's two stages.
fn learn_class(
    problem: &ClassProblem,
    options: &LearnOptions,
    stop: &Stop,
    board: &Board,
) -> std::result::Result<(), Halt> {
    board.enter(Stage::First);
    let objective = options.objective;
    let first = rules::first_rules(problem, stop);
    let mut pool = Pool { problem, objective, first, rules: Vec::new() };
    board.offer(pool.best_cover());
    // A class that lost all its examples in conflicts needs no rules.
    if problem.positives.is_empty() {
        return Ok(());
    }
    let mut bound = IndependentBound::new(problem, &pool.first, objective, stop);
    board.raise(bound.value());

    board.enter(Stage::Rules);
    let mut next_look = FIRST_LOOK;
    let enumerated = rules::enumerate(problem, &options.enumerate, stop, &mut |rule| {
        if bound.note(&rule) {
            board.raise(bound.value());
        }
        pool.rules.push(rule);
        board.count(pool.rules.len());
        if pool.rules.len() >= next_look {
            next_look *= 2;
            board.offer(pool.best_cover());
        }
    });
    if enumerated.is_err() {
        board.offer(pool.best_cover());
    }
    enumerated?;

    board.enter(Stage::Cover);
    let examples = problem.positives.len();
    let pool = pool.rules;
    let pick = |cover: &[usize]| cover.iter().map(|&rule| pool[rule].clone()).collect();
    let tell = &mut |news| match news {
        News::Cover(cover) => board.offer(pick(&cover)),
        News::Bound(bound) => board.raise(bound),
    };
    let cover = cover::minimum_cover(&pool, examples, objective, options.cover, stop, tell)?;
    board.offer(pick(&cover));
    Ok(())
}

/// The rules known while stage 1 is under way.
struct Pool<'p> {
    problem: &'p ClassProblem,
    objective: Objective,
    /// Cover every example from the start.
    first: Vec<Rule>,
    rules: Vec<Rule>,
}

impl Pool<'_> {
    /// A good cover by the rules known so far.
    fn best_cover(&self) -> Vec<Rule> {
        let rules: Vec<&Rule> = self.rules.iter().chain(&self.first).collect();
        // A lexicographic cost as one number: no set needs more literals than this weight.
        let most: u64 = self.first.iter().map(|rule| rule.size() as u64 + 1).sum();
        let weigh = |Cost { first, second }: Cost| match self.objective.is_lexicographic() {
            true => first * most.max(1) + second,
            false => first,
        };
        let problem = CoverProblem {
            examples: self.problem.positives.len(),
            coverages: rules.iter().map(|rule| rule.coverage.clone()).collect(),
            costs: rules.iter().map(|r| weigh(self.objective.cost_of_rule(r.size()))).collect(),
            max_rules: None,
        };
        cover::greedy(&problem).into_iter().map(|rule| rules[rule].clone()).collect()
    }
}
