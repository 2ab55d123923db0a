//! Where the solver of a class posts what it knows, and everyone else reads it.
//!
//! The best rules and the lower bound are here at every moment, so that a run can end at any
//! moment: whoever waits takes what is posted, even if a solver does not answer any more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::result::outcome::StageSeconds;
use crate::solve::evidence::Evidence;
use crate::solve::objective::Cost;
use crate::solve::rule::{Rule, Term};

/// What is being done for a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Not begun.
    Waiting,
    /// A first valid set of rules and a first bound.
    First,
    /// Rules are enumerated or generated.
    Rules,
    /// The smallest cover is chosen.
    Cover,
    /// Finished, one way or the other.
    Done,
}

/// How far a class has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Rules enumerated or generated.
    pub rules_enumerated: usize,
    /// Cost of the best rules known.
    pub cost: Option<Cost>,
    /// What every valid set of rules costs at least.
    pub lower_bound: Cost,
}

impl Progress {
    /// Nothing is known yet.
    pub(super) const WAITING: Progress = Progress {
        stage: Stage::Waiting,
        rules_enumerated: 0,
        cost: None,
        lower_bound: Cost { first: 0, second: 0 },
    };
}

/// More than any cost.
const NOTHING_IS_ENOUGH: u64 = u64::MAX;

/// The notice board of one class.
#[derive(Debug)]
pub(crate) struct Board {
    /// Whether bounds come with evidence.
    pub(crate) proof: bool,
    posted: Mutex<Posted>,
    /// A lower bound above this settles that the class gets no rules, since all others cost less.
    enough: AtomicU64,
}

/// Everything posted.
#[derive(Debug, Clone)]
pub(crate) struct Posted {
    pub(crate) progress: Progress,
    pub(crate) best: Option<Vec<Term>>,
    /// Rules and literals of the best.
    size: u64,
    /// Why the bound holds, if anyone wants to know.
    pub(crate) evidence: Option<Arc<Evidence>>,
    pub(crate) seconds: StageSeconds,
    pub(crate) failure: Option<String>,
    /// Whether memory kept the solver from its proof.
    pub(crate) full: bool,
    since: Instant,
}

impl Board {
    pub(crate) fn new(proof: bool) -> Board {
        let posted = Posted {
            progress: Progress::WAITING,
            best: None,
            size: 0,
            evidence: None,
            seconds: StageSeconds::default(),
            failure: None,
            full: false,
            since: Instant::now(),
        };
        Board { proof, posted: Mutex::new(posted), enough: AtomicU64::new(NOTHING_IS_ENOUGH) }
    }

    /// A solver that panicked has posted only whole facts, so they stand.
    fn lock(&self) -> MutexGuard<'_, Posted> {
        self.posted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything posted so far.
    pub(crate) fn read(&self) -> Posted {
        let mut posted = self.lock().clone();
        posted.clock(posted.progress.stage);
        posted
    }

    /// Rules and literals of the best rules.
    pub(crate) fn size(&self) -> u64 {
        self.lock().size
    }

    /// How far it has come.
    pub(crate) fn progress(&self) -> Progress {
        self.lock().progress
    }

    /// A new stage begins.
    pub(crate) fn enter(&self, stage: Stage) {
        self.lock().clock(stage);
    }

    /// A valid set of rules and what it costs; kept if it is the best so far.
    pub(crate) fn offer(&self, rules: Vec<Term>, cost: Cost) {
        let mut posted = self.lock();
        if posted.progress.cost.is_none_or(|best| cost < best) {
            posted.progress.cost = Some(cost);
            posted.size = rules.iter().map(|term| 1 + term.size() as u64).sum();
            posted.best = Some(rules);
        }
    }

    /// A valid set of rules that carry their costs.
    pub(crate) fn offer_rules<'r>(&self, rules: impl Iterator<Item = &'r Rule> + Clone) {
        let cost = rules.clone().map(|rule| rule.cost).sum();
        self.offer(rules.map(|rule| rule.term.clone()).collect(), cost);
    }

    /// No valid set of rules costs less than this.
    pub(crate) fn raise(&self, bound: Cost) {
        let mut posted = self.lock();
        posted.progress.lower_bound = posted.progress.lower_bound.max(bound);
    }

    /// Raises the lower bound, with evidence. The evidence is computed only if proofs are wanted and the
    /// bound is new.
    pub(crate) fn raise_because(&self, bound: Cost, evidence: impl FnOnce() -> Arc<Evidence>) {
        let mut posted = self.lock();
        if bound > posted.progress.lower_bound {
            posted.progress.lower_bound = bound;
            posted.evidence = self.proof.then(evidence);
        }
    }

    /// What every other class costs at most, if the dearest class is to get no rules.
    pub(crate) fn others_cost(&self, most: u64) {
        self.enough.store(most, Ordering::Relaxed);
    }

    /// A lower bound above this is enough, if there is such a thing: the class will get no rules.
    pub(crate) fn enough(&self) -> Option<u64> {
        Some(self.enough.load(Ordering::Relaxed)).filter(|enough| *enough != NOTHING_IS_ENOUGH)
    }

    /// Whether it is certain that the class gets no rules.
    pub(crate) fn is_dearest(&self) -> bool {
        self.enough().is_some_and(|enough| self.lock().progress.lower_bound.first > enough)
    }

    /// There are so many rules.
    pub(crate) fn count(&self, rules: usize) {
        self.lock().progress.rules_enumerated = rules;
    }

    /// The solver would need more memory than it may use.
    pub(crate) fn fill(&self) {
        self.lock().full = true;
    }

    /// The solver gave up, and this is what went wrong.
    pub(crate) fn fail(&self, what: String) {
        self.lock().failure = Some(what);
    }
}

impl Posted {
    /// Books the time since the last change of stage on the stage that ends.
    fn clock(&mut self, next: Stage) {
        let now = Instant::now();
        let spent = now.duration_since(self.since).as_secs_f64();
        match self.progress.stage {
            Stage::First => self.seconds.first += spent,
            Stage::Rules => self.seconds.rules += spent,
            Stage::Cover => self.seconds.cover += spent,
            Stage::Waiting | Stage::Done => {}
        }
        self.since = now;
        self.progress.stage = next;
    }
}
