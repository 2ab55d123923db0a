//! Keeping what is known on file while a run is under way.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::limits::Limits;
use crate::problem::Problem;
use crate::result::resume::Saved;
use crate::solve::learn::{Known, Running};
use crate::solve::objective::Cost;
use crate::solve::options::LearnOptions;
use crate::text::one_line;

/// Pause between two writes, at least; and how much longer than a write it is.
const PAUSE: Duration = Duration::from_secs(1);
const PAUSES_PER_WRITE: u32 = 20;

/// Keeps on file what is known, so that a later run can go on from there.
#[derive(Debug)]
pub struct Keeper<'a> {
    path: &'a Path,
    problem: &'a Problem,
    options: &'a LearnOptions,
    /// What an earlier run left.
    saved: Option<Saved>,
    /// Costs and bounds when it was last written.
    written: Vec<(Option<Cost>, Cost)>,
    next: Instant,
}

impl<'a> Keeper<'a> {
    /// Reads what an earlier run left. A file of another question is refused.
    pub(crate) fn new(
        path: &'a Path,
        problem: &'a Problem,
        options: &'a LearnOptions,
    ) -> Result<Keeper<'a>> {
        let saved = Saved::read(path, &problem.question(options))?;
        Ok(Keeper { path, problem, options, saved, written: Vec::new(), next: Instant::now() })
    }

    /// What an earlier run left and still holds.
    pub fn known(&self, limits: &Limits) -> Vec<Known> {
        let Some(saved) = &self.saved else { return Vec::new() };
        let examples = self.problem.examples();
        let known = saved.known(examples, self.problem.features(), limits);
        for known in &known {
            let label = one_line(&examples.classes()[known.class.0 as usize]);
            let (rules, bound) = (known.rules.len(), known.lower_bound);
            log::info!("class {label}: goes on from {rules} rules, bound {bound:?}");
        }
        known
    }

    /// Writes what is new, not too often: a small part of the time goes into it.
    pub fn note(&mut self, running: &Running) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        let progress = running.progress();
        let known: Vec<(Option<Cost>, Cost)> =
            progress.iter().map(|(_, p)| (p.cost, p.lower_bound)).collect();
        if known == self.written {
            return;
        }
        let (question, problem) = (self.problem.question(self.options), self.problem);
        let saved = Saved::new(&running.known(), question, problem.table(), problem.examples());
        // A disk that is full now may not be so later; what counts is the last time.
        if let Err(error) = saved.write(self.path) {
            log::warn!("{error}");
        }
        self.written = known;
        self.next = Instant::now() + PAUSE.max(PAUSES_PER_WRITE * now.elapsed());
    }
}
