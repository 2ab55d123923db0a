//! Threads that share the work inside a class.
//!
//! Work is cut into the same tasks whatever the number of threads, and results come back in the order of
//! the tasks. So nothing that depends on them varies with the number of threads.

use std::panic::resume_unwind;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Threads beyond the number of cores only wait for each other, and tens of thousands of them bring a
/// machine to a halt.
pub(crate) const MOST_THREADS: usize = 1024;

/// As many threads as were asked for, within reason.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads.min(MOST_THREADS)).build()
}

/// How often limits are looked at and progress is shown.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// Works on another thread, while this one is free to look at the clock, to listen and to tell.
pub(crate) fn attended<T: Send>(work: impl FnOnce() -> T + Send, mut tick: impl FnMut()) -> T {
    thread::scope(|scope| {
        // Nothing is ever sent: the channel closes when the work is done.
        let (working, done) = mpsc::channel::<()>();
        let worker = scope.spawn(move || {
            let result = work();
            drop(working);
            result
        });
        while done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            tick();
        }
        worker.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// The threads, if there is more than one. Tasks must not wait for each other.
#[derive(Debug)]
pub(crate) struct Workers(Option<ThreadPool>);

impl Workers {
    /// Where no threads can be had, the caller's does all the work.
    pub(crate) fn new(threads: usize) -> Workers {
        Workers((threads > 1).then(|| pool(threads).ok()).flatten())
    }

    /// Does all tasks.
    pub(crate) fn map<T: Send, R: Send>(
        &self,
        tasks: Vec<T>,
        work: impl Fn(T) -> R + Sync + Send,
    ) -> Vec<R> {
        match &self.0 {
            Some(pool) if tasks.len() > 1 => pool.install(|| tasks.into_par_iter().map(work).collect()),
            _ => tasks.into_iter().map(work).collect(),
        }
    }
}
