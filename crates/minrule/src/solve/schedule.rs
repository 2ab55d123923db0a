//! Threads, turns and limits: how the classes of a table are taken to their proofs side by side.
//!
//! First every class gets valid rules, so that there is an answer. Then one class after another is relaxed,
//! the easiest first; then what is almost proven is proven first. The caller's thread keeps the limits: when
//! one is reached, it asks the solvers to stop and, whether they answer or not, takes what the boards say.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Barrier, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use minrule_proof::Argument;

use super::board::{Board, Posted, Progress, Stage};
use super::class_problem::ClassProblem;
use super::evidence::Evidence;
use super::lazy::{self, Relaxed};
use super::learn::Known;
use super::objective::Cost;
use super::options::{LearnOptions, Method, Otherwise};
use super::rivals::{self, OptModel};
use super::rule::Term;
use super::sparse;
use super::start::{self, Start};
use super::tariff::Tariffs;
use super::workers::{MOST_THREADS, TICK, Workers};
use super::{finish, two_stage};
use crate::data::examples::Examples;
use crate::data::literal::{ClassId, Literal};
use crate::error::{Error, Result};
use crate::limits::{Halt, Limits, Stop, StopReason, memory_in_use, waiting_for_work};
use crate::result::outcome::ClassOutcome;

/// How long solvers have to answer a request to stop.
const GRACE: Duration = Duration::from_millis(300);
/// Of that, what classes have together whose turn had not come when somebody interrupted the run.
const LAST_TURN: Duration = Duration::from_millis(150);
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

/// The classes to do, and what the threads that do them share.
pub(super) struct Run {
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
    tariffs: Tariffs,
    /// What the rules of one class may take.
    pool_bytes: usize,
    deadline: Option<Instant>,
    /// What is kept free before the deadline to look for better covers.
    last_look: Duration,
    /// Classes worked on side by side.
    threads: usize,
    /// Who shares the work inside a class.
    workers: Workers,
    stop: Stop,
}

impl Run {
    /// Nothing is done before [`Run::to_the_end`].
    pub(super) fn new(
        examples: &Arc<Examples>,
        literals: &[Literal],
        options: &LearnOptions,
        tariffs: Tariffs,
        limits: &Limits,
    ) -> Result<Run> {
        let all = examples.classes().len() as u32;
        let classes = options.classes_to_solve(all);
        if let Some(ClassId(unknown)) = classes.iter().find(|class| class.0 >= all) {
            let (what, given) = ("a class", format!("number {unknown}"));
            return Err(Error::Unsuitable { what, given, allowed: "one of the table's" });
        }
        let threads = options.threads().min(classes.len()).min(MOST_THREADS);
        Ok(Run {
            classes: classes.iter().map(|&class| Job::new(class, options)).collect(),
            begun: AtomicUsize::new(0),
            all_begun: Barrier::new(threads),
            easiest_first: OnceLock::new(),
            solved: AtomicUsize::new(0),
            joint_bound: AtomicU64::new(0),
            examples: Arc::clone(examples),
            literals: literals.to_vec(),
            options: options.clone(),
            tariffs,
            pool_bytes: pool_bytes(limits, threads),
            deadline: limits.deadline,
            last_look: last_look(options.method(), limits.deadline),
            threads,
            workers: Workers::new(options.threads()),
            stop: limits.stop.clone(),
        })
    }

    /// Posts what is known about a class, if it is one of ours.
    pub(super) fn begin_with(&self, known: &Known) {
        for job in self.classes.iter().filter(|job| job.class == known.class) {
            let literals = literals_of(&known.rules);
            let cost = self.problem_with(job.class, &literals).cost(&known.rules);
            job.board.offer(known.rules.clone(), cost);
            match &known.argument {
                Some(argument) => {
                    let evidence = || Arc::new(Evidence::Made(argument.clone()));
                    job.board.raise_because(known.lower_bound, evidence);
                }
                None => job.board.raise(known.lower_bound),
            }
        }
    }

    /// Begins with these rules where rules are generated, and keeps those that are. Only sparse sets do so.
    pub(super) fn generate_from(&self, rules: &[Term]) {
        for job in &self.classes {
            *job.pool.lock().unwrap_or_else(PoisonError::into_inner) = Some(rules.to_vec());
        }
    }

    /// The rules generated, if they were kept; else those to begin with.
    pub(super) fn generated(&self) -> Vec<Term> {
        self.classes.iter().flat_map(Job::pool).collect()
    }

    /// All that has to be proven of a class is that it costs more than this, or what it costs.
    pub(super) fn more_is_enough(&self, cost: u64) {
        self.classes.iter().for_each(|job| job.board.others_cost(cost));
    }

    /// Works until everything is proven or a limit is reached.
    pub(super) fn to_the_end(
        run: &Arc<Run>,
        limits: &Limits,
        mut watch: impl FnMut(&Run),
    ) -> Result<()> {
        let (finished, all_finished) = mpsc::channel::<()>();
        for _ in 0..run.threads {
            let (run, finished) = (Arc::clone(run), finished.clone());
            thread::spawn(move || {
                run.work();
                drop(finished);
            });
        }
        drop(finished);

        // Nothing is ever sent: the channel closes when the last thread is done.
        let mut asked_to_stop: Option<Instant> = None;
        // Asked before the ticks: reading the table was work, and they are mostly waiting.
        let waiting = waiting_for_work();
        while all_finished.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            limits.enforce_early(run.last_look + run.time_to_write(waiting));
            run.compare_costs();
            if limits.stop.requested() {
                let since = *asked_to_stop.get_or_insert_with(Instant::now);
                if since.elapsed() >= run.grace() {
                    break;
                }
            }
            watch(run);
        }
        watch(run);
        match limits.stop.reason().filter(|_| run.is_large() && !run.all_have_rules()) {
            Some(limit) => {
                let place = "the table".to_string();
                let progress = "making examples of its rows".to_string();
                Err(Error::LimitReached { place, limit, progress })
            }
            None => Ok(()),
        }
    }

    /// How long solvers may take to answer. First rules are worth the wait, unless it is a long one: nobody
    /// has them sooner.
    fn grace(&self) -> Duration {
        match (self.all_have_rules(), self.is_large()) {
            (true, _) => GRACE,
            (false, true) => LARGE_TABLE_GRACE,
            (false, false) => FIRST_RULES_GRACE,
        }
    }

    /// What each thread does.
    fn work(&self) {
        self.begin();
        let relaxed = self.solve();
        self.prove(relaxed);
    }

    /// Gives every class valid rules. Whoever calls it beforehand can do without the rest of the run.
    pub(super) fn begin(&self) {
        while let Some(job) = self.classes.get(self.begun.fetch_add(1, Ordering::Relaxed)) {
            self.guarded(job, || {
                let start = match self.options.alpha() {
                    None => start::begin(&self.problem(job.class), &self.stop, &job.board),
                    Some(_) => Start::without_rules(&self.examples_only(job.class), &job.board),
                };
                *job.start.lock().unwrap_or_else(PoisonError::into_inner) = Some(start);
                Ok(())
            });
        }
        self.all_begun.wait();
    }

    /// Solves one class after another, or relaxes them, where the method does that first.
    fn solve(&self) -> Vec<(&Job, Open<'_>)> {
        let order = self.easiest_first.get_or_init(|| {
            let mut order: Vec<usize> = (0..self.classes.len()).collect();
            order.sort_by_key(|&i| (self.classes[i].board.progress().cost, i));
            order
        });
        let mut all = Vec::new();
        loop {
            let turn = self.solved.fetch_add(1, Ordering::Relaxed);
            let Some(&i) = order.get(turn) else { return all };
            let job = &self.classes[i];
            let mut relaxed = None;
            self.guarded(job, || {
                let start = job.start.lock().unwrap_or_else(PoisonError::into_inner).take();
                let Some(start) = start else { return Ok(()) };
                relaxed = self.solve_class(job, start, turn)?;
                Ok(())
            });
            job.board.enter(if relaxed.is_some() { Stage::Waiting } else { Stage::Done });
            all.extend(relaxed.map(|relaxed| (job, relaxed)));
        }
    }

    /// One class by the method asked for; what is left to prove, if anything is.
    fn solve_class<'r>(
        &'r self,
        job: &'r Job,
        start: Start,
        turn: usize,
    ) -> std::result::Result<Option<Open<'r>>, Halt> {
        let (method, stop, board) = (self.options.method(), &self.stop, &job.board);
        if let Some(reason) = stop.reason() {
            return match method {
                Method::Lazy { .. } if reason == StopReason::Interrupted && !self.is_large() => {
                    self.last_turn(job, &start, turn)
                }
                _ => Ok(None),
            };
        }
        let problem = self.problem(job.class);
        let solved = match method {
            Method::Lazy { .. } => {
                return self.relax(problem, &start, stop.for_a_turn(self.end_of_turn(turn)), job);
            }
            Method::Enumerate { rules, cover, .. } => {
                two_stage::solve(&problem, start, &rules, cover, &self.workers, stop, board)
            }
            Method::Mds2 => rivals::mds2(&problem, false, stop, board),
            Method::Mds2Star => rivals::mds2(&problem, true, stop, board),
            Method::Opt(opt) => match opt.model {
                OptModel::Separate => rivals::separate(&problem, opt.search, stop, board),
                OptModel::Joint if turn == 0 => self.joint(opt.search),
                OptModel::Joint => Ok(()),
            },
        };
        solved.map(|()| None)
    }

    fn relax<'r>(
        &'r self,
        problem: ClassProblem,
        start: &Start,
        stop: Stop,
        job: &'r Job,
    ) -> std::result::Result<Option<Open<'r>>, Halt> {
        let cover = self.options.method().cover().unwrap_or_default();
        if self.options.alpha().is_some() {
            let pool = job.pool();
            let relaxed = sparse::relax(problem, &pool, cover, &self.workers, stop, &job.board)?;
            return Ok(relaxed.map(|relaxed| Open::Sparse(Box::new(relaxed))));
        }
        // The relaxation begins with the first rules, twice.
        if start.terms.len() * problem.positives.len() / 4 > self.pool_bytes {
            return Err(Halt::Full);
        }
        let relaxed = lazy::relax(problem, &start.terms, cover, &self.workers, stop, &job.board)?;
        Ok(relaxed.map(|relaxed| Open::Perfect(Box::new(relaxed))))
    }

    /// Whoever interrupts a run should not get the first rules of a class, found in no time, just because its
    /// turn had not come.
    fn last_turn<'r>(
        &'r self,
        job: &'r Job,
        start: &Start,
        turn: usize,
    ) -> std::result::Result<Option<Open<'r>>, Halt> {
        let left = self.classes.len().saturating_sub(turn).div_ceil(self.threads);
        let stop = Stop::default().for_a_turn(Some(Instant::now() + LAST_TURN / left as u32));
        self.relax(self.problem(job.class), start, stop, job)?;
        Ok(None)
    }

    /// Takes relaxed classes to the proof, those first of which almost everything is proven.
    fn prove(&self, mut relaxed: Vec<(&Job, Open)>) {
        let dearest = self.dearest();
        relaxed.sort_by_key(|(job, relaxed)| (Some(job.class) == dearest, relaxed.open()));
        for (job, mut relaxed) in relaxed {
            self.guarded(job, || relaxed.prove(self.pool_bytes, &self.stop));
            job.keep(&relaxed);
            job.board.enter(Stage::Done);
        }
    }

    /// Whether the class that costs most is solved only to find out which one it is.
    fn leaves_out_the_dearest(&self) -> bool {
        self.options.otherwise() == Otherwise::Auto && self.options.classes().is_none()
    }

    /// The class that will get no rules, as far as is known.
    fn dearest(&self) -> Option<ClassId> {
        let dearest = self.classes.iter().max_by_key(|job| job.board.progress().cost);
        dearest.filter(|_| self.leaves_out_the_dearest()).map(|job| job.class)
    }

    /// Tells each class what all others cost at most: a lower bound above that is all it has to prove.
    fn compare_costs(&self) {
        if !self.leaves_out_the_dearest() {
            return;
        }
        let costs: Vec<Option<Cost>> =
            self.classes.iter().map(|job| job.board.progress().cost).collect();
        for (job, class) in self.classes.iter().zip(0..) {
            let others = costs.iter().zip(0..).filter(|(_, other)| *other != class);
            let most: Option<Vec<u64>> = others.map(|(cost, _)| cost.map(|cost| cost.first)).collect();
            if let Some(most) = most.and_then(|costs| costs.into_iter().max()) {
                job.board.others_cost(most);
            }
        }
    }

    /// All classes at once. What is smallest for all is smallest for each.
    fn joint(&self, search: rivals::OptSearch) -> std::result::Result<(), Halt> {
        let known = self.classes.iter().map(|job| job.board.progress().cost.map(|cost| cost.first));
        let Some(known) = known.sum() else { return Ok(()) };
        let classes = self.classes.iter().map(|job| job.class).collect();
        let (mut literals, stop) = (self.literals.clone(), &self.stop);
        literals.sort_unstable();
        let mut raise = |bound| {
            self.joint_bound.fetch_max(bound, Ordering::Relaxed);
        };
        let found = rivals::joint(&self.examples, &literals, classes, known, search, stop, &mut raise)?;
        for job in &self.classes {
            if let Some(rules) = &found {
                let own = rules.iter().filter(|(class, _)| *class == job.class);
                let terms = own.map(|(_, term)| term.clone()).collect();
                start::offer(&self.examples_only(job.class), terms, &job.board);
            }
            job.board.raise(job.board.progress().cost.unwrap_or_default());
        }
        Ok(())
    }

    /// When a class must make way for the next one, so that all get their turn before the time is
    /// up: it keeps half of its share of the time that is left, the other half is for proofs. The last one may
    /// take all, unless it is perhaps the one that gets no rules.
    fn end_of_turn(&self, turn: usize) -> Option<Instant> {
        let classes_left = self.classes.len().saturating_sub(turn);
        let rounds = classes_left.div_ceil(self.threads);
        let now = Instant::now();
        let left = self.deadline?.saturating_duration_since(now);
        let must_end = rounds > 1 || (self.classes.len() > 1 && self.leaves_out_the_dearest());
        must_end.then(|| now + left / (2 * rounds as u32))
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
        let size: u64 = self.classes.iter().map(|job| job.board.size()).sum();
        let times = |each: Duration, n: u64| each * u32::try_from(n).unwrap_or(u32::MAX);
        let examples = self.examples.len() as u64;
        let work = WRITTEN_IN + times(EACH_EXAMPLE_IN, examples) + times(EACH_LITERAL_IN, size);
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
        self.problem_with(class, &self.literals)
    }

    /// The problem of a class without its literals, for those who look at its examples only: it takes no time
    /// to speak of.
    fn examples_only(&self, class: ClassId) -> ClassProblem {
        self.problem_with(class, &[])
    }

    fn problem_with(&self, class: ClassId, literals: &[Literal]) -> ClassProblem {
        ClassProblem::new(&self.examples, literals, class, self.tariffs.clone())
    }

    /// How far each class has come.
    pub(super) fn progress(&self) -> Vec<(ClassId, Progress)> {
        self.classes.iter().map(|job| (job.class, job.board.progress())).collect()
    }

    /// What is known about each class that has been begun.
    pub(super) fn known(&self) -> Vec<Known> {
        let known = |job: &Job| {
            let class = job.class;
            let mut posted = job.board.read();
            let rules = posted.best.take()?;
            let argument = self.argument(&posted, class);
            Some(Known { class, rules, lower_bound: posted.progress.lower_bound, argument })
        };
        self.classes.iter().filter_map(known).collect()
    }

    /// What the boards say now: of each class, and of all together.
    pub(super) fn outcomes(&self) -> (Vec<ClassOutcome>, Cost) {
        let joint_bound = Cost { first: self.joint_bound.load(Ordering::Relaxed), second: 0 };
        (self.classes.iter().map(|job| self.outcome(job)).collect(), joint_bound)
    }

    fn outcome(&self, job: &Job) -> ClassOutcome {
        let class = job.class;
        let mut posted = job.board.read();
        // What is left to do takes only the literals of the rules.
        let used = posted.best.as_ref().map(|rules| literals_of(rules));
        let problem = self.problem_with(class, used.as_deref().unwrap_or(&self.literals));
        let best = posted.best.take();
        let rules = match self.options.alpha() {
            None => {
                let rules = best.unwrap_or_else(|| start::safety_net(&problem));
                finish::irredundant(&problem, rules)
            }
            // Each literal pays for itself, or it would not be there.
            Some(_) => best.unwrap_or_default(),
        };
        let (rows_covered, rules) = finish::in_order(&problem, rules);
        let cost = problem.cost(&rules);
        let lower_bound = posted.progress.lower_bound;
        let unproven = (lower_bound < cost).then(|| match posted.failure {
            Some(_) => StopReason::SolverFailure,
            None if posted.full => StopReason::MemoryLimit,
            None => self.stop.reason().unwrap_or(StopReason::SolverFailure),
        });
        ClassOutcome {
            class,
            argument: self.argument(&posted, class),
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

    /// Why the bound on a board holds, if anyone wants to know.
    fn argument(&self, posted: &Posted, class: ClassId) -> Option<Argument> {
        self.options.proof().then(|| {
            let bound = posted.progress.lower_bound;
            let evidence = posted.evidence.as_ref();
            evidence.map_or(Argument::Nothing, |evidence| {
                evidence.argument(&self.examples_only(class), bound)
            })
        })
    }
}

/// A class that was relaxed and is not proven yet.
enum Open<'r> {
    Perfect(Box<Relaxed<'r>>),
    Sparse(Box<sparse::Relaxed<'r>>),
}

impl Open<'_> {
    /// What the best rules may cost too much.
    fn open(&self) -> i64 {
        match self {
            Open::Perfect(relaxed) => relaxed.open(),
            Open::Sparse(relaxed) => relaxed.open(),
        }
    }

    fn prove(&mut self, pool_bytes: usize, stop: &Stop) -> std::result::Result<(), Halt> {
        match self {
            Open::Perfect(relaxed) => relaxed.prove(pool_bytes, stop),
            Open::Sparse(relaxed) => relaxed.prove(pool_bytes, stop),
        }
    }
}

/// One class to do.
struct Job {
    class: ClassId,
    board: Board,
    /// There once the class has been begun, until it is solved.
    start: Mutex<Option<Start>>,
    /// Rules to begin with where rules are generated, and later those that were, if anyone wants them.
    pool: Mutex<Option<Vec<Term>>>,
}

impl Job {
    fn new(class: ClassId, options: &LearnOptions) -> Job {
        let board = Board::new(options.proof());
        Job { class, board, start: Mutex::new(None), pool: Mutex::new(None) }
    }

    fn pool(&self) -> Vec<Term> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
    }

    fn keep(&self, relaxed: &Open) {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(pool), Open::Sparse(relaxed)) = (pool.as_mut(), relaxed) {
            *pool = relaxed.pool();
        }
    }
}

/// A small part of the time that there is.
fn last_look(method: Method, deadline: Option<Instant>) -> Duration {
    match (method, deadline) {
        (Method::Lazy { .. }, Some(deadline)) => {
            lazy::LAST_LOOK.min(deadline.saturating_duration_since(Instant::now()) / 20)
        }
        _ => Duration::ZERO,
    }
}

/// What each class may fill with rules: a share of the memory that is free now.
fn pool_bytes(limits: &Limits, threads: usize) -> usize {
    let free = |limit: u64| limit.saturating_sub(memory_in_use().unwrap_or(0)) as usize;
    limits.memory.map_or(POOL_BYTES, |limit| POOL_BYTES.min(free(limit) / (4 * threads)))
}

/// The literals of some terms, in order.
fn literals_of(terms: &[Term]) -> Vec<Literal> {
    let literals: BTreeSet<Literal> = terms.iter().flat_map(Term::literals).copied().collect();
    literals.into_iter().collect()
}
