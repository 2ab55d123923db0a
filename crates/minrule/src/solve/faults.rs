//! Faults on purpose, to see what becomes of them. Only with the feature `faults`; without it nothing
//! here is left.

/// A solver that can be made to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site {
    /// The LP solver of the lazy method and of its branch and bound.
    Lp,
    /// The ILP solver.
    Ilp,
    /// The SAT solver.
    Sat,
    /// The search for rules that are worth their cost.
    Search,
}

/// What it does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Answers with numbers that mean nothing.
    Nonsense,
    /// Panics.
    Panic,
    /// Takes more and more memory.
    Memory,
    /// Never answers.
    Hang,
    /// Says that it failed.
    Failure,
}

#[cfg(feature = "faults")]
mod planned {
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::{Fault, Site};
    use crate::limits::Halt;

    /// What is to go wrong, and how many calls go well before.
    static PLAN: Mutex<Option<(Site, Fault, u64)>> = Mutex::new(None);
    /// What a fault of memory takes at a time, and has taken.
    const BYTES: usize = 256 << 20;
    static TAKEN: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

    fn lock() -> MutexGuard<'static, Option<(Site, Fault, u64)>> {
        PLAN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, calls of this solver fail, after so many that do not.
    pub fn plan(fault: Option<(Site, Fault, u64)>) {
        *lock() = fault;
        TAKEN.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Goes wrong if that is planned; whether the answer shall be nonsense.
    pub(crate) fn strike(site: Site) -> Result<bool, Halt> {
        let fault = {
            let mut plan = lock();
            match &mut *plan {
                Some((planned, _, wait)) if *planned == site && *wait > 0 => {
                    *wait -= 1;
                    return Ok(false);
                }
                Some((planned, fault, _)) if *planned == site => {
                    let fault = *fault;
                    // A class that panics must not make all others panic.
                    if fault == Fault::Panic {
                        *plan = None;
                    }
                    fault
                }
                _ => return Ok(false),
            }
        };
        match fault {
            Fault::Nonsense => Ok(true),
            Fault::Panic => panic!("a fault on purpose"),
            Fault::Failure => Err(Halt::Failed("a fault on purpose".to_string())),
            Fault::Memory => {
                TAKEN.lock().unwrap_or_else(PoisonError::into_inner).push(vec![1; BYTES]);
                Ok(false)
            }
            Fault::Hang => loop {
                std::thread::sleep(std::time::Duration::from_secs(1));
            },
        }
    }
}

#[cfg(feature = "faults")]
pub use planned::plan;
#[cfg(feature = "faults")]
pub(crate) use planned::strike;

/// Nothing goes wrong on purpose.
#[cfg(not(feature = "faults"))]
#[inline]
pub(crate) fn strike(_: Site) -> Result<bool, crate::limits::Halt> {
    Ok(false)
}
