//! Threads that share the work inside a class.
//!
//! Work is cut into the same tasks however many threads there are, and results come back in the
//! order of the tasks: so does everything that depends on them.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// More threads than any machine has cores for only wait for each other, and tens of thousands of
/// them bring it to a stand.
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
