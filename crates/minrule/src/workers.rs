//! Threads that share the work inside a class.
//!
//! Work is cut into the same tasks however many threads there are, and results come back in the
//! order of the tasks: so does everything that depends on them.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads, if there is more than one. Tasks must not wait for each other.
#[derive(Debug)]
pub(crate) struct Workers(Option<ThreadPool>);

impl Workers {
    /// Where no threads can be had, the caller's does all the work.
    pub(crate) fn new(threads: usize) -> Workers {
        let pool = || ThreadPoolBuilder::new().num_threads(threads).build().ok();
        Workers((threads > 1).then(pool).flatten())
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
