//! Reading within limits: a clock that readers look at, and Python, which they listen to.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use minrule::{Limits, Stop, StopReason};
use pyo3::exceptions::{PyKeyboardInterrupt, PyTimeoutError};
use pyo3::prelude::*;

/// Rows that are read between two looks at the clock.
pub(crate) const ROWS: usize = 1 << 14;

/// How far the reading of columns has come, and when it must be over.
pub(crate) struct Reading {
    limits: Limits,
    columns: usize,
    done: AtomicUsize,
}

impl Reading {
    /// So many columns, within these limits.
    pub(crate) fn new(limits: Limits, columns: usize) -> Reading {
        Reading { limits, columns, done: AtomicUsize::new(0) }
    }

    /// However long it takes.
    pub(crate) fn unlimited() -> Reading {
        Reading::new(Limits::default(), 0)
    }

    /// Whether there is no more time, or somebody has asked to stop. Once it is so, it stays so.
    pub(crate) fn is_over(&self) -> bool {
        let Limits { deadline, stop, .. } = &self.limits;
        stop.requested() || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// These rows; none are left once reading is over.
    pub(crate) fn rows<T>(&self, rows: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        let mut unseen = 0;
        rows.take_while(move |_| {
            unseen += 1;
            unseen % ROWS != 0 || !self.is_over()
        })
    }

    /// One column more was read; nothing if reading was over before it was done.
    pub(crate) fn done<T>(&self, column: T) -> Option<T> {
        if self.is_over() {
            return None;
        }
        self.done.fetch_add(1, Ordering::Relaxed);
        Some(column)
    }

    /// Ends it.
    pub(crate) fn stop(&self) {
        self.limits.stop.request(StopReason::Interrupted);
    }

    /// Listens to Python, and looks at the clock.
    pub(crate) fn check(&self, py: Python) -> PyResult<()> {
        py.check_signals()?;
        if self.is_over() { Err(self.time_is_up()) } else { Ok(()) }
    }

    /// Does something while listening for signals; what they raise is raised.
    pub(crate) fn listen<T: Send>(&self, py: Python, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        let (done, raised) = listen(py, &self.limits.stop, work);
        raised.map_or(Ok(done), Err)
    }

    /// What is raised when there was no time to read everything.
    pub(crate) fn time_is_up(&self) -> PyErr {
        time_is_up(self.done.load(Ordering::Relaxed), self.columns)
    }
}

/// The same, where so many columns of X were read.
#[pyfunction]
pub(crate) fn time_is_up(done: usize, columns: usize) -> PyErr {
    let far = match done < columns {
        true => format!("{done} of {columns} columns of X"),
        false => "X".to_string(),
    };
    PyTimeoutError::new_err(format!(
        "time_limit was reached after reading {far}, before there were any rules; raise it, or give fit \
         fewer rows or columns"
    ))
}

/// Does something else while listening for signals. Ctrl-C asks for the best so far; what other handlers
/// of signals raise is raised.
pub(crate) fn listening<T: Send>(
    py: Python,
    stop: &Stop,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (done, raised) = listen(py, stop, work);
    raised.and_then(|raised| not_ctrl_c(py, raised)).map_or(Ok(done), Err)
}

/// Ctrl-C asks for the best so far; what other handlers of signals raise is to be raised.
pub(crate) fn not_ctrl_c(py: Python, raised: PyErr) -> Option<PyErr> {
    (!raised.is_instance_of::<PyKeyboardInterrupt>(py)).then_some(raised)
}

/// Works without the interpreter, and requests the stop if a signal raises something.
fn listen<T: Send>(py: Python, stop: &Stop, work: impl FnOnce() -> T + Send) -> (T, Option<PyErr>) {
    let mut failure = None;
    let done = py.detach(|| {
        thread::scope(|scope| {
            let worker = scope.spawn(work);
            while !worker.is_finished() {
                thread::sleep(Duration::from_millis(5));
                if !stop.requested()
                    && let Err(raised) = Python::attach(|py| py.check_signals())
                {
                    failure = Some(raised);
                    stop.request(StopReason::Interrupted);
                }
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    });
    (done, failure)
}
