//! Threads that share the work inside a class.
//!
//! Work is cut into the same tasks whatever the number of threads, and results come back in the order of
//! the tasks. So nothing that depends on them varies with the number of threads.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Threads beyond the number of cores only wait for each other, and tens of thousands of them bring a
/// machine to a halt.
pub(crate) const MOST_THREADS: usize = 1024;

/// As many threads as were asked for, within reason.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads.min(MOST_THREADS)).build()
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
