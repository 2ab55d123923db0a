//! Covers by integer linear programming, with HiGHS.
//!
//! HiGHS computes in floating point. Its covers are rounded and then checked in integers; its
//! bound is rounded up only beyond a tolerance, and a cover counts as smallest only when that
//! bound meets the cover's exact cost. Costs are integers, so a gap below one is no gap.
#![allow(unsafe_code, reason = "HiGHS takes its callback through the C interface only")]

use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use highs::{HighsModelStatus, RowProblem, Sense};
use highs_sys::{HighsCallbackDataIn, HighsCallbackDataOut};

use super::{CoverProblem, CoverSolver, Finding};
use crate::faults::{self, Site};
use crate::limits::{Halt, Stop};

/// How far below an integer a bound may lie and still count as that integer.
const BOUND_TOLERANCE: f64 = 1e-5;
/// Largest gap at which integer costs leave no room between cover and bound.
const INTEGER_GAP: f64 = 0.999;

/// HiGHS, on one thread: classes are solved side by side, and one thread repeats itself exactly.
pub(super) struct Highs;

impl CoverSolver for Highs {
    fn solve(
        &self,
        problem: &CoverProblem,
        start: Option<&[usize]>,
        cutoff: u64,
        stop: &Stop,
        tell: &mut dyn FnMut(Finding),
    ) -> Result<Option<Vec<usize>>, Halt> {
        if stop.requested() {
            return Err(Halt::Stopped);
        }
        let mut model = formulate(problem);
        if let Some(start) = start {
            let mut values = vec![0.0; problem.costs.len()];
            start.iter().for_each(|&rule| values[rule] = 1.0);
            // Only a hint: a solver that cannot use it solves without.
            let _ = model.try_set_solution(Some(&values), None, None, None);
        }
        let mut watcher = Watcher { problem, cutoff, stop, tell, panicked: false };
        let solved = watch(model, &mut watcher)?;
        let panicked = watcher.panicked;

        let bound = solved
            .double_info_value(c"mip_dual_bound")
            .map_err(|status| Halt::Failed(format!("HiGHS gave no bound: {status:?}")))?;
        let nonsense = faults::strike(Site::Ilp)?;
        let bound = if nonsense { 1e9 } else { bound };
        let cover = start.map(|start| problem.cost(start));
        if let (Some(bound), Some(cost)) = (integer_bound(bound), cover)
            && bound > cost
        {
            return Err(Halt::Failed(format!("HiGHS's bound {bound} is above a cover's cost {cost}")));
        }
        if let Some(bound) = integer_bound(bound) {
            tell(Finding::Bound(bound.min(cutoff)));
            if bound >= cutoff {
                return Ok(None);
            }
        }
        match solved.status() {
            HighsModelStatus::Optimal => {}
            HighsModelStatus::Infeasible => return Ok(None),
            _ if stop.requested() => return Err(Halt::Stopped),
            _ if panicked => return Err(Halt::Failed("a callback of HiGHS failed".to_string())),
            status => return Err(Halt::Failed(format!("HiGHS ended with status {status:?}"))),
        }
        let chosen = rounded(solved.get_solution().columns());
        if !problem.is_cover(&chosen) {
            return Err(Halt::Failed("HiGHS's solution, rounded, is no cover".to_string()));
        }
        let cost = problem.cost(&chosen);
        if integer_bound(bound) != Some(cost) {
            tell(Finding::Cover(chosen));
            return Err(Halt::Failed(format!("HiGHS's bound {bound} does not meet the cost {cost}")));
        }
        Ok(Some(chosen))
    }
}

fn formulate(problem: &CoverProblem) -> highs::Model {
    let mut rows = RowProblem::default();
    let columns: Vec<highs::Col> =
        problem.costs.iter().map(|&cost| rows.add_integer_column(cost as f64, 0.0..=1.0)).collect();
    let mut covering = vec![Vec::new(); problem.examples];
    for (coverage, &column) in problem.coverages.iter().zip(&columns) {
        coverage.ones().for_each(|example| covering[example].push((column, 1.0)));
    }
    for row in covering {
        rows.add_row(1.0.., row);
    }
    if let Some(most) = problem.max_rules {
        rows.add_row(..=most as f64, columns.iter().map(|&column| (column, 1.0)));
    }
    let mut model = rows.optimise(Sense::Minimise);
    model.set_option("threads", 1);
    model.set_option("parallel", "off");
    model.set_option("mip_rel_gap", 0.0);
    model.set_option("mip_abs_gap", INTEGER_GAP);
    model
}

fn rounded(values: &[f64]) -> Vec<usize> {
    (0..values.len()).filter(|&rule| values[rule] > 0.5).collect()
}

/// The integer that a floating-point lower bound proves.
fn integer_bound(bound: f64) -> Option<u64> {
    let bound = (bound - BOUND_TOLERANCE).ceil();
    (bound.is_finite() && bound >= 0.0 && bound < 2f64.powi(53)).then_some(bound as u64)
}

/// What the callback sees.
struct Watcher<'a> {
    problem: &'a CoverProblem,
    cutoff: u64,
    stop: &'a Stop,
    tell: &'a mut dyn FnMut(Finding),
    panicked: bool,
}

/// Runs the model, hearing of its finds and passing on requests to stop.
fn watch(mut model: highs::Model, watcher: &mut Watcher) -> Result<highs::SolvedModel, Halt> {
    let highs = model.as_mut_ptr();
    let data: *mut Watcher = watcher;
    // SAFETY: `highs` is the live model behind `model`. HiGHS calls back only within the run
    // below, during which `watcher` is borrowed here and untouched by anyone else; the callback
    // is taken away before the borrow ends.
    unsafe {
        highs_sys::Highs_setCallback(highs, Some(callback), data.cast::<c_void>());
        for kind in [
            highs_sys::kHighsCallbackMipInterrupt,
            highs_sys::kHighsCallbackSimplexInterrupt,
            highs_sys::kHighsCallbackIpmInterrupt,
            highs_sys::kHighsCallbackMipImprovingSolution,
        ] {
            highs_sys::Highs_startCallback(highs, kind);
        }
    }
    let solved = model.try_solve();
    match solved {
        Ok(mut solved) => {
            // SAFETY: the same live model, and no run is under way.
            unsafe { highs_sys::Highs_setCallback(solved.as_mut_ptr(), None, std::ptr::null_mut()) };
            Ok(solved)
        }
        Err(_) if watcher.stop.requested() => Err(Halt::Stopped),
        Err(status) => Err(Halt::Failed(format!("HiGHS failed: {status:?}"))),
    }
}

/// Called by HiGHS now and then on the thread that runs the model.
unsafe extern "C" fn callback(
    kind: c_int,
    _message: *const c_char,
    out: *const HighsCallbackDataOut,
    input: *mut HighsCallbackDataIn,
    data: *mut c_void,
) {
    // SAFETY: `data` is the watcher that `watch` handed over and still borrows; HiGHS passes
    // valid pointers, or null where it has nothing to say.
    let (watcher, out, input) = unsafe { (&mut *data.cast::<Watcher>(), out.as_ref(), input.as_mut()) };
    let mut enough = false;
    // A panic must not unwind into C++.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let Some(out) = out else { return };
        if kind == highs_sys::kHighsCallbackMipImprovingSolution {
            let columns = watcher.problem.costs.len();
            if out.mip_solution.is_null() || (out.mip_solution_size as usize) < columns {
                return;
            }
            // SAFETY: HiGHS says that so many values stand there.
            let values = unsafe { std::slice::from_raw_parts(out.mip_solution, columns) };
            let chosen = rounded(values);
            if watcher.problem.is_cover(&chosen) {
                (watcher.tell)(Finding::Cover(chosen));
            }
        } else if kind == highs_sys::kHighsCallbackMipInterrupt
            && let Some(bound) = integer_bound(out.mip_dual_bound)
        {
            (watcher.tell)(Finding::Bound(bound.min(watcher.cutoff)));
            enough = bound >= watcher.cutoff;
        }
    }));
    watcher.panicked |= outcome.is_err();
    if let Some(input) = input {
        input.user_interrupt = c_int::from(enough || watcher.stop.requested() || watcher.panicked);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_rounded_up_only_beyond_the_tolerance() {
        assert_eq!(integer_bound(18.999_999_999_999_95), Some(19));
        assert_eq!(integer_bound(18.2), Some(19));
        assert_eq!(integer_bound(19.000_000_1), Some(19));
        assert_eq!(integer_bound(f64::NEG_INFINITY), None);
        assert_eq!(integer_bound(f64::NAN), None);
    }

    #[test]
    fn values_just_below_one_are_one() {
        assert_eq!(rounded(&[0.999_999_9, 1e-9, 1.0]), [0, 2]);
    }
}
