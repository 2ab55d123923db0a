//! Time, memory and interruption: how a run is told to stop, and how it hears.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, Setting};

/// How long after its deadline a run may still read.
const READING: Duration = Duration::from_millis(400);

/// What bounds a run.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// When the run must be over.
    pub deadline: Option<Instant>,
    /// The most memory, in bytes, that the process may hold.
    pub memory: Option<u64>,
    /// Stops the run when asked to; keep a clone of it to interrupt from outside.
    pub stop: Stop,
}

/// Why a run stopped before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The deadline came.
    TimeLimit,
    /// The process grew to its memory limit.
    MemoryLimit,
    /// Somebody asked.
    Interrupted,
    /// A solver failed or gave an answer that did not hold.
    SolverFailure,
}

impl StopReason {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::TimeLimit => "time-limit",
            StopReason::MemoryLimit => "memory-limit",
            StopReason::Interrupted => "interrupted",
            StopReason::SolverFailure => "solver-failure",
        }
    }
}

/// A request to stop, shared by everyone who must hear it. The first reason given stays.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    /// Zero, or one more than the position of a reason.
    reason: Arc<AtomicU8>,
    /// When whoever has this clone must make way for others, though nobody has asked to stop.
    turn_ends: Option<Instant>,
    /// Requests of those that this is a part of, which are heard here, too.
    others: Vec<Arc<AtomicU8>>,
    /// The work that whoever has this clone may still do, if that is limited.
    effort: Option<Arc<AtomicI64>>,
}

impl Stop {
    const REASONS: [StopReason; 4] = [
        StopReason::TimeLimit,
        StopReason::MemoryLimit,
        StopReason::Interrupted,
        StopReason::SolverFailure,
    ];

    /// Asks everyone to stop.
    pub fn request(&self, reason: StopReason) {
        let index = Self::REASONS.iter().position(|r| *r == reason).expect("lists every reason");
        let reason = index as u8 + 1;
        let _ = self.reason.compare_exchange(0, reason, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether anyone has asked.
    pub fn requested(&self) -> bool {
        self.reason().is_some()
            || self.effort.as_ref().is_some_and(|left| left.load(Ordering::Relaxed) < 0)
            || self.turn_ends.is_some_and(|end| Instant::now() >= end)
    }

    /// A clone that asks its holder to stop after so much work, too: the same on every machine, unlike time.
    pub(crate) fn with_effort(&self, effort: u64) -> Stop {
        let left = AtomicI64::new(i64::try_from(effort).unwrap_or(i64::MAX));
        Stop { effort: Some(Arc::new(left)), ..self.clone() }
    }

    /// Notes that so much work was done.
    pub(crate) fn spend(&self, effort: u64) {
        if let Some(left) = &self.effort {
            left.fetch_sub(i64::try_from(effort).unwrap_or(i64::MAX), Ordering::Relaxed);
        }
    }

    /// A request of its own that also hears this one, and whatever this one hears.
    pub fn part(&self) -> Stop {
        let others = self.others.iter().chain([&self.reason]).map(Arc::clone).collect();
        Stop { others, ..Stop::default() }
    }

    /// A clone that also asks its holder to stop at this time.
    pub(crate) fn for_a_turn(&self, end: Option<Instant>) -> Stop {
        Stop { turn_ends: end, ..self.clone() }
    }

    /// Why, if anyone has asked.
    pub fn reason(&self) -> Option<StopReason> {
        let given = |reason: &AtomicU8| {
            let number = reason.load(Ordering::Relaxed) as usize;
            number.checked_sub(1).and_then(|i| Self::REASONS.get(i).copied())
        };
        given(&self.reason).or_else(|| self.others.iter().find_map(|other| given(other)))
    }
}

/// Why a solver gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Halt {
    /// It was asked to stop.
    Stopped,
    /// It would need more memory than it may use.
    Full,
    /// It failed; the text says how.
    Failed(String),
}

impl From<minrule_native::Failed> for Halt {
    fn from(minrule_native::Failed(how): minrule_native::Failed) -> Halt {
        Halt::Failed(how)
    }
}

impl Limits {
    /// Sets a deadline this far from now.
    pub fn with_time(mut self, time: Duration) -> Limits {
        self.deadline = Instant::now().checked_add(time);
        self
    }

    /// These limits, with so much work at most: the same on every machine, unlike time.
    pub fn with_effort(&self, effort: u64) -> Limits {
        Limits { stop: self.stop.with_effort(effort), ..self.clone() }
    }

    /// Whether there is no more time, or someone has asked to stop.
    pub(crate) fn is_reached(&self) -> bool {
        self.stop.requested() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// These limits, with a little more time, for reading a table: without a table there is no result at
    /// all, and most tables are read quickly.
    pub fn for_reading(&self) -> Limits {
        let deadline = self.deadline.and_then(|deadline| deadline.checked_add(READING));
        Limits { deadline, ..self.clone() }
    }

    /// Why there is nothing more to be done, if time is up or someone has asked to stop.
    pub(crate) fn time_is_up(&self) -> Option<StopReason> {
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.stop.reason().or(late.then_some(StopReason::TimeLimit))
    }

    /// The memory limit, if the process has grown to it.
    pub(crate) fn memory_is_full(&self) -> Option<StopReason> {
        let used = self.memory.and_then(|limit| memory_in_use().filter(|used| *used >= limit));
        used.map(|_| StopReason::MemoryLimit)
    }

    /// An error if there is no more time; `progress` says what was done until then.
    pub(crate) fn check_time(&self, place: &str, progress: &str) -> Result<()> {
        self.time_is_up().map_or(Ok(()), |limit| {
            let (place, progress) = (place.to_string(), progress.to_string());
            Err(Error::LimitReached { place, limit, progress })
        })
    }

    /// Requests the stop if a limit is reached. Cheap enough for every few milliseconds.
    pub(crate) fn enforce(&self) {
        self.enforce_early(Duration::ZERO);
    }

    /// Requests the stop if a limit is reached, and the time limit already this long before the
    /// deadline.
    pub(crate) fn enforce_early(&self, early: Duration) {
        if self.deadline.is_some_and(|deadline| Instant::now() + early >= deadline) {
            self.stop.request(StopReason::TimeLimit);
        }
        if let (Some(limit), Some(used)) = (self.memory, memory_in_use())
            && used >= limit
        {
            self.stop.request(StopReason::MemoryLimit);
        }
    }
}

/// Bytes of memory the process holds now, where the system tells.
pub fn memory_in_use() -> Option<u64> {
    memory_stats::memory_stats().map(|stats| stats.physical_mem as u64)
}

/// How long the calling thread has waited for a core, per unit of time that it had one, if the system
/// reports it: 0 on an idle machine, about 100 if two hundred threads share two cores.
pub(crate) fn waiting_for_work() -> f64 {
    waiting_told(&std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default())
}

/// What the system tells: nanoseconds of work and of waiting, and more.
fn waiting_told(told: &str) -> f64 {
    let nanoseconds: Vec<f64> = told.split(' ').map_while(|field| field.parse().ok()).collect();
    match nanoseconds[..] {
        [worked, waited, ..] if worked > 0.0 => waited / worked,
        _ => 0.0,
    }
}

/// Refuses a memory limit that the process already exceeds: no result could be found within it.
pub fn leaves_room(limit: u64) -> Result<()> {
    match memory_in_use() {
        Some(used) if used >= limit => Err(Error::BadOption {
            setting: Setting::MemoryLimit,
            given: format!("{} MB", limit / 1_000_000),
            allowed: "more than the table itself takes",
        }),
        _ => Ok(()),
    }
}

/// The most bytes of memory the process has held, where the system tells.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_part_hears_the_whole_and_keeps_its_own_to_itself() {
        let whole = Stop::default();
        let part = whole.part();
        let smaller = part.part();
        smaller.request(StopReason::TimeLimit);
        assert!(!part.requested() && !whole.requested());
        let other = part.part();
        whole.request(StopReason::Interrupted);
        assert_eq!(other.reason(), Some(StopReason::Interrupted));
        assert_eq!(smaller.reason(), Some(StopReason::TimeLimit));
    }

    #[test]
    fn the_first_reason_stays() {
        let stop = Stop::default();
        assert_eq!(stop.reason(), None);
        stop.clone().request(StopReason::Interrupted);
        stop.request(StopReason::TimeLimit);
        assert!(stop.requested());
        assert_eq!(stop.reason(), Some(StopReason::Interrupted));
    }

    #[test]
    fn a_deadline_in_the_past_stops_at_once() {
        let limits = Limits::default().with_time(Duration::ZERO);
        limits.enforce();
        assert_eq!(limits.stop.reason(), Some(StopReason::TimeLimit));
    }

    #[test]
    fn waiting_is_a_share_of_work_whatever_the_system_tells() {
        assert_eq!(waiting_told("200 300 7"), 1.5);
        for nothing in ["", "0 300 7", "200", "some words"] {
            assert_eq!(waiting_told(nothing), 0.0, "{nothing:?}");
        }
    }

    #[test]
    fn a_deadline_can_be_kept_early() {
        let limits = Limits::default().with_time(Duration::from_secs(3600));
        limits.enforce_early(Duration::from_secs(60));
        assert_eq!(limits.stop.reason(), None);
        limits.enforce_early(Duration::from_secs(7200));
        assert_eq!(limits.stop.reason(), Some(StopReason::TimeLimit));
    }

    #[test]
    fn a_memory_limit_below_what_is_held_stops_at_once() {
        let limits = Limits { memory: Some(1), ..Limits::default() };
        limits.enforce();
        assert_eq!(limits.stop.reason(), Some(StopReason::MemoryLimit));
    }
}
