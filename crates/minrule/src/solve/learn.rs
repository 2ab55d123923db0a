//! The whole story: examples in, the smallest rules of each class out.
//!
//! Classes are independent problems. Threads take them one by one through the [two
//! stages](crate::solve::stages) and post what they know on a [`Board`] for each. The caller's thread
//! keeps the limits. When one is reached it asks the solvers to stop and, whether they answer or
//! not, takes what the boards say.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Barrier, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use minrule_proof::Argument;
use serde::{Deserialize, Serialize};

use crate::data::examples::Examples;
use crate::data::literal::{ClassId, Literal};
use crate::error::{Error, Result};
use crate::judge::outcome as check;
use crate::limits::{Halt, Limits, Stop, StopReason, memory_in_use, waiting_for_work};
use crate::result::outcome::{ClassOutcome, Outcome};
use crate::solve::board::{Board, Posted, Progress, Stage};
use crate::solve::class_problem::ClassProblem;
use crate::solve::cover::CoverMethod;
use crate::solve::evidence::Evidence;
use crate::solve::lazy::Relaxed;
use crate::solve::objective::{Cost, Objective};
use crate::solve::rivals::{self, OptModel, OptOptions};
use crate::solve::rule::Term;
use crate::solve::rules::EnumerateOptions;
use crate::solve::stages::{self, Start};
use crate::solve::workers::{MOST_THREADS, Workers};

/// How often limits are looked at and progress is shown.
const TICK: Duration = Duration::from_millis(10);
/// How long solvers have to answer a request to stop.
const GRACE: Duration = Duration::from_millis(300);
/// Of that, what classes have together whose turn had not come when somebody interrupted the run.
const LAST_TURN: Duration = Duration::from_millis(200);
const FIRST_RULES_GRACE: Duration = Duration::from_secs(60);
/// A table of more bits than this has its first rules only after seconds. Whoever stops a run before it has
/// any is told so, and does not wait for them.
const LARGE_TABLE_BITS: usize = 100_000_000;
const LARGE_TABLE_GRACE: Duration = Duration::from_millis(500);
/// What it takes to order, check and write a set of rules, more for each example, and for each rule or
/// literal of it: sets given because time is up can have millions. This time is kept free before the
/// deadline.
const WRITTEN_IN: Duration = Duration::from_millis(5);
const EACH_EXAMPLE_IN: Duration = Duration::from_nanos(1_500);
const EACH_LITERAL_IN: Duration = Duration::from_micros(4);
/// On a machine that has too much to do, all that takes longer. No more than this is kept free for it.
const WAIT_MOST: Duration = Duration::from_secs(1);

/// What the rules of one class may take, if there is no memory limit.
const POOL_BYTES: usize = 1 << 30;

/// How the smallest set of rules is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Generate only the rules that can matter.
    #[default]
    Lazy,
    /// The paper's: enumerate all rules, then choose the smallest cover.
    Enumerate,
    /// A SAT model of N rules, N rising: the fewest rules.
    Mds2,
    /// The same, then MaxSAT: the fewest literals for so many rules.
    Mds2Star,
    /// A SAT model of N nodes, N rising: the smallest size.
    Opt,
}

impl Method {
    /// What it minimises, if it can do only one thing.
    pub fn objective(self) -> Option<Objective> {
        match self {
            Method::Lazy | Method::Enumerate => None,
            Method::Mds2 => Some(Objective::Rules),
            Method::Mds2Star => Some(Objective::RulesThenLiterals),
            Method::Opt => Some(Objective::Size),
        }
    }
}

/// What to compute, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnOptions {
    /// What "smallest" means.
    pub objective: Objective,
    /// How it is found.
    pub method: Method,
    /// Stage 1 of [`Method::Enumerate`].
    pub enumerate: EnumerateOptions,
    /// Stage 2.
    pub cover: CoverMethod,
    /// The variants of [`Method::Opt`].
    pub opt: OptOptions,
    /// Of equally small sets, another may be found with another seed.
    pub seed: Option<u64>,
    /// The classes to describe; all of them when `None`.
    pub classes: Option<Vec<ClassId>>,
    /// Classes worked on side by side.
    pub threads: usize,
    /// Whether to keep [the argument](ClassOutcome::argument) for each bound.
    pub proof: bool,
}

impl Default for LearnOptions {
    fn default() -> Self {
        LearnOptions {
            objective: Objective::default(),
            method: Method::default(),
            enumerate: EnumerateOptions::default(),
            cover: CoverMethod::default(),
            opt: OptOptions::default(),
            seed: None,
            classes: None,
            threads: thread::available_parallelism().map_or(1, usize::from),
            proof: false,
        }
    }
}

/// What is known about a class: valid rules, and what every valid set costs at least.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// The class.
    pub class: ClassId,
    /// Rules that cover every example of the class and none of another.
    pub rules: Vec<Term>,
    /// What every valid set of rules costs at least.
    pub lower_bound: Cost,
    /// Why the lower bound holds.
    pub argument: Option<Argument>,
}

/// A run that is under way.
pub struct Running<'j> {
    jobs: &'j Jobs,
}

impl Running<'_> {
    /// How far each class has come.
    pub fn progress(&self) -> Vec<(ClassId, Progress)> {
        self.jobs.classes.iter().map(|job| (job.class, job.board.progress())).collect()
    }

    /// What is known about each class that has been begun.
    pub fn known(&self) -> Vec<Known> {
        self.jobs.classes.iter().filter_map(|job| self.jobs.known(job)).collect()
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
    learn_from(&[], examples, literals, options, limits, |running| watch(&running.progress()))
}

/// The same, from what is known already and is believed.
pub fn learn_from(
    known: &[Known],
    examples: &Arc<Examples>,
    literals: &[Literal],
    options: &LearnOptions,
    limits: &Limits,
    mut watch: impl FnMut(&Running),
) -> Result<Outcome> {
    if options.threads == 0 {
        let (option, given) = ("the number of threads", "0".to_string());
        return Err(Error::BadOption { option, given, allowed: "1 or more" });
    }
    if let Some(only) = options.method.objective()
        && only != options.objective
    {
        return Err(Error::BadOption {
            option: "what is minimised",
            given: options.objective.name().to_string(),
            allowed: match only {
                Objective::Rules => "rules with this method",
                Objective::RulesThenLiterals => "rules-then-literals with this method",
                _ => "size with this method",
            },
        });
    }
    if options.proof && (options.method != Method::Lazy || options.cover != CoverMethod::Branch) {
        return Err(Error::BadOption {
            option: "a proof",
            given: "asked for".to_string(),
            allowed: "only with the lazy method and its own branch and bound",
        });
    }
    let classes = match &options.classes {
        Some(classes) => classes.clone(),
        None => (0..examples.classes.len() as u32).map(ClassId).collect(),
    };
    let shuffled = options.seed.map(|seed| Arc::new(examples.shuffled(seed)));
    let examples = shuffled.as_ref().unwrap_or(examples);
    if let Some(ClassId(unknown)) =
        classes.iter().find(|class| class.0 as usize >= examples.classes.len())
    {
        let (option, given) = ("a class", format!("number {unknown}"));
        return Err(Error::BadOption { option, given, allowed: "one of the table's" });
    }
    let threads = options.threads.min(classes.len()).min(MOST_THREADS);
    let jobs = Arc::new(Jobs {
        classes: classes.iter().map(|&class| Job::new(class, options)).collect(),
        begun: AtomicUsize::new(0),
        all_begun: Barrier::new(threads),
        easiest_first: OnceLock::new(),
        solved: AtomicUsize::new(0),
        joint_bound: AtomicU64::new(0),
        examples: Arc::clone(examples),
        literals: literals.to_vec(),
        options: options.clone(),
        pool_bytes: pool_bytes(limits, threads),
        deadline: limits.deadline,
        threads,
        workers: Workers::new(options.threads),
        stop: limits.stop.clone(),
    });
    for job in &jobs.classes {
        known.iter().filter(|known| known.class == job.class).for_each(|known| job.begin_with(known));
    }
    let (finished, all_finished) = mpsc::channel::<()>();
    for _ in 0..threads {
        let (jobs, finished) = (Arc::clone(&jobs), finished.clone());
        thread::spawn(move || {
            jobs.work();
            drop(finished);
        });
    }
    drop(finished);

    // Nothing is ever sent: the channel closes when the last thread is done.
    let mut asked_to_stop: Option<Instant> = None;
    // Asked before the ticks: reading the table was work, and they are mostly waiting.
    let waiting = waiting_for_work();
    while all_finished.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        limits.enforce_early(jobs.time_to_write(waiting));
        if limits.stop.requested() {
            let since = *asked_to_stop.get_or_insert_with(Instant::now);
            // First rules are worth the wait, unless it is a long one: nobody has them sooner.
            let grace = match (jobs.all_have_rules(), jobs.is_large()) {
                (true, _) => GRACE,
                (false, true) => LARGE_TABLE_GRACE,
                (false, false) => FIRST_RULES_GRACE,
            };
            if since.elapsed() >= grace {
                break;
            }
        }
        watch(&Running { jobs: &jobs });
    }
    watch(&Running { jobs: &jobs });
    if let Some(limit) = limits.stop.reason().filter(|_| jobs.is_large() && !jobs.all_have_rules()) {
        let (place, progress) = ("the table".to_string(), "making examples of its rows".to_string());
        return Err(Error::LimitReached { place, limit, progress });
    }

    let classes = jobs.classes.iter().map(|job| jobs.outcome(job)).collect();
    let joint_bound = Cost { first: jobs.joint_bound.load(Ordering::Relaxed), second: 0 };
    let outcome = Outcome { objective: options.objective, classes, joint_bound };
    check::verify(examples, &outcome).map_err(|fault| Error::Internal(fault.to_string()))?;
    Ok(outcome)
}

/// What each class may fill with rules: a share of the memory that is free now.
fn pool_bytes(limits: &Limits, threads: usize) -> usize {
    let free = |limit: u64| limit.saturating_sub(memory_in_use().unwrap_or(0)) as usize;
    limits.memory.map_or(POOL_BYTES, |limit| POOL_BYTES.min(free(limit) / (4 * threads)))
}

/// The classes to do, and what the threads that do them share.
struct Jobs {
    classes: Vec<Job>,
    /// The next class to begin with.
    begun: AtomicUsize,
    all_begun: Barrier,
    /// The classes by the cost of their first rules: a hard class must not keep an easy one from
    /// its proof.
    easiest_first: OnceLock<Vec<usize>>,
    /// The next of them to solve.
    solved: AtomicUsize,
    /// What all classes together cost at least.
    joint_bound: AtomicU64,
    examples: Arc<Examples>,
    literals: Vec<Literal>,
    options: LearnOptions,
    /// What the rules of one class may take.
    pool_bytes: usize,
    deadline: Option<Instant>,
    /// Classes worked on side by side.
    threads: usize,
    /// Who shares the work inside a class.
    workers: Workers,
    stop: Stop,
}

impl Jobs {
    /// First gives every class valid rules, then takes one after another to the proof.
    fn work(&self) {
        let take = |next: &AtomicUsize| next.fetch_add(1, Ordering::Relaxed);
        while let Some(job) = self.classes.get(take(&self.begun)) {
            self.guarded(job, || {
                let start =
                    stages::begin(&self.problem(job.class), &self.options, &self.stop, &job.board);
                *job.start.lock().unwrap_or_else(PoisonError::into_inner) = Some(start);
                Ok(())
            });
        }
        self.all_begun.wait();
        let order = self.easiest_first.get_or_init(|| {
            let mut order: Vec<usize> = (0..self.classes.len()).collect();
            order.sort_by_key(|&i| (self.classes[i].board.progress().cost, i));
            order
        });
        let mut relaxed: Vec<(&Job, Relaxed)> = Vec::new();
        loop {
            let turn = take(&self.solved);
            let Some(&i) = order.get(turn) else { break };
            let job = &self.classes[i];
            let before = relaxed.len();
            self.guarded(job, || {
                let start = job.start.lock().unwrap_or_else(PoisonError::into_inner).take();
                let Some(start) = start else { return Ok(()) };
                let own_turn = match self.stop.reason() {
                    None => None,
                    // Whoever interrupts a run should not get the first rules of a class, found in no
                    // time, just because its turn had not come.
                    Some(StopReason::Interrupted)
                        if self.options.method == Method::Lazy && !self.is_large() =>
                    {
                        let left = order.len().saturating_sub(turn).div_ceil(self.threads);
                        Some(Stop::default().for_a_turn(Some(Instant::now() + LAST_TURN / left as u32)))
                    }
                    Some(_) => return Ok(()),
                };
                let problem = self.problem(job.class);
                let (options, workers) = (&self.options, &self.workers);
                let (own_stop, board) = (&self.stop, &job.board);
                match options.method {
                    Method::Lazy => {}
                    Method::Enumerate => {
                        return stages::solve(&problem, start, options, workers, own_stop, board);
                    }
                    Method::Mds2 => return rivals::mds2(&problem, false, own_stop, board),
                    Method::Mds2Star => return rivals::mds2(&problem, true, own_stop, board),
                    Method::Opt => match options.opt.model {
                        OptModel::Separate => {
                            return rivals::separate(&problem, options.opt.search, own_stop, board);
                        }
                        OptModel::Joint if turn == 0 => return self.joint(),
                        OptModel::Joint => return Ok(()),
                    },
                }
                // The relaxation begins with the first rules, twice.
                if start.terms.len() * problem.positives.len() / 4 > self.pool_bytes {
                    return Err(Halt::Full);
                }
                if let Some(stop) = own_turn {
                    return stages::relax(problem, &start, options, workers, stop, &job.board).map(drop);
                }
                let stop = self.stop.for_a_turn(self.end_of_turn(turn));
                let begun = stages::relax(problem, &start, options, workers, stop, &job.board)?;
                relaxed.extend(begun.map(|begun| (job, begun)));
                Ok(())
            });
            let begun = relaxed.len() > before;
            job.board.enter(if begun { Stage::Waiting } else { Stage::Done });
        }
        // What is almost proven comes first.
        relaxed.sort_by_key(|(_, relaxed)| relaxed.open());
        for (job, relaxed) in relaxed {
            self.guarded(job, || relaxed.prove(self.pool_bytes, &self.stop));
            job.board.enter(Stage::Done);
        }
    }

    /// All classes at once. What is smallest for all is smallest for each.
    fn joint(&self) -> std::result::Result<(), Halt> {
        let known = self.classes.iter().map(|job| job.board.progress().cost.map(|cost| cost.first));
        let Some(known) = known.sum() else { return Ok(()) };
        let classes = self.classes.iter().map(|job| job.class).collect();
        let search = self.options.opt.search;
        let (mut literals, stop) = (self.literals.clone(), &self.stop);
        literals.sort_unstable();
        let mut raise = |bound| {
            self.joint_bound.fetch_max(bound, Ordering::Relaxed);
        };
        let found = rivals::joint(&self.examples, &literals, classes, known, search, stop, &mut raise)?;
        for job in &self.classes {
            if let Some(rules) = &found {
                let own = rules.iter().filter(|(class, _)| *class == job.class);
                job.board.offer(own.map(|(_, term)| term.clone()).collect());
            }
            job.board.raise(job.board.progress().cost.unwrap_or_default());
        }
        Ok(())
    }

    /// When a class must make way for the next one, so that all get their turn before the time is
    /// up: it keeps half of its share of the time that is left, the other half is for proofs.
    fn end_of_turn(&self, turn: usize) -> Option<Instant> {
        let classes_left = self.classes.len().saturating_sub(turn);
        let rounds = classes_left.div_ceil(self.threads);
        let now = Instant::now();
        let left = self.deadline?.saturating_duration_since(now);
        (rounds > 1).then(|| now + left / (2 * rounds as u32))
    }

    /// A failure in one class is posted on its board and leaves the others alone.
    fn guarded(&self, job: &Job, work: impl FnOnce() -> std::result::Result<(), Halt>) {
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(()) | Err(Halt::Stopped)) => {}
            Ok(Err(Halt::Full)) => job.board.fill(),
            Ok(Err(Halt::Failed(what))) => job.board.fail(what),
            Err(_) => job.board.fail("a solver panicked".to_string()),
        }
    }

    /// What the end will take for the rules known now, on a machine that makes us wait so long for
    /// each moment of work.
    fn time_to_write(&self, waiting: f64) -> Duration {
        let costs = self.classes.iter().filter_map(|job| job.board.progress().cost);
        let cost: u64 = costs.map(|cost| cost.first + cost.second).sum();
        let times = |each: Duration, n: u64| each * u32::try_from(n).unwrap_or(u32::MAX);
        let examples = self.examples.len() as u64;
        let work = WRITTEN_IN + times(EACH_EXAMPLE_IN, examples) + times(EACH_LITERAL_IN, cost);
        work + work.mul_f64(waiting).min(WAIT_MOST)
    }

    /// Whether first rules take long.
    fn is_large(&self) -> bool {
        self.examples.len().saturating_mul(self.examples.features()) > LARGE_TABLE_BITS
    }

    /// Whether every class has a valid set of rules.
    fn all_have_rules(&self) -> bool {
        self.classes.iter().all(|job| job.board.progress().cost.is_some())
    }

    fn problem(&self, class: ClassId) -> ClassProblem {
        ClassProblem::new(&self.examples, &self.literals, class)
    }

    /// What is known about a class, if it has been begun.
    fn known(&self, job: &Job) -> Option<Known> {
        let class = job.class;
        let mut posted = job.board.read();
        let rules = posted.best.take()?;
        // Only the examples matter to it, so that it takes no time to speak of.
        let problem = ClassProblem::new(&self.examples, &[], class);
        let argument = self.options.proof.then(|| argument(&posted, &problem));
        Some(Known { class, rules, lower_bound: posted.progress.lower_bound, argument })
    }

    /// What a class's board says now.
    fn outcome(&self, job: &Job) -> ClassOutcome {
        let class = job.class;
        let mut posted = job.board.read();
        // What is left to do takes only the literals of the rules.
        let used = posted.best.as_ref().map(|rules| literals_of(rules));
        let literals = used.as_deref().unwrap_or(&self.literals);
        let problem = ClassProblem::new(&self.examples, literals, class);
        let rules = posted.best.take().unwrap_or_else(|| stages::safety_net(&problem));
        let rules = stages::irredundant(&problem, rules);
        let (rows_covered, rules) = stages::in_order(&problem, rules);
        let cost = self.options.objective.cost(&rules);
        let lower_bound = posted.progress.lower_bound;
        let unproven = (lower_bound < cost).then(|| match posted.failure {
            Some(_) => StopReason::SolverFailure,
            None if posted.full => StopReason::MemoryLimit,
            None => self.stop.reason().unwrap_or(StopReason::SolverFailure),
        });
        let argument = self.options.proof.then(|| argument(&posted, &problem));
        ClassOutcome {
            class,
            argument,
            rules,
            rows_covered,
            cost,
            lower_bound,
            rules_enumerated: posted.progress.rules_enumerated,
            stopped_by: unproven,
            failure: posted.failure.filter(|_| unproven.is_some()),
            seconds: posted.seconds,
        }
    }
}

/// Why the bound on a board holds.
fn argument(posted: &Posted, problem: &ClassProblem) -> Argument {
    let bound = posted.progress.lower_bound;
    posted.evidence.as_ref().map_or(Argument::Nothing, |evidence| evidence.argument(problem, bound))
}

/// The literals of some terms, in order.
fn literals_of(terms: &[Term]) -> Vec<Literal> {
    let literals: BTreeSet<Literal> = terms.iter().flat_map(Term::literals).copied().collect();
    literals.into_iter().collect()
}

/// One class to do.
struct Job {
    class: ClassId,
    board: Board,
    /// There once the class has been begun, until it is solved.
    start: Mutex<Option<Start>>,
}

impl Job {
    fn new(class: ClassId, options: &LearnOptions) -> Job {
        let board = Board::new(options.objective, options.proof);
        Job { class, board, start: Mutex::new(None) }
    }

    /// Posts what is known.
    fn begin_with(&self, known: &Known) {
        self.board.offer(known.rules.clone());
        match &known.argument {
            Some(argument) => {
                let evidence = || Arc::new(Evidence::Made(argument.clone()));
                self.board.raise_because(known.lower_bound, evidence);
            }
            None => self.board.raise(known.lower_bound),
        }
    }
}
