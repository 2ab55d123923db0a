//! An integer program that is watched while HiGHS solves it: through the C interface only.
#![allow(unsafe_code, reason = "HiGHS takes its callback through the C interface only")]

use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use highs::{HighsStatus, Model, SolvedModel};
use highs_sys::{HighsCallbackDataIn, HighsCallbackDataOut};

/// What HiGHS says now and then.
pub enum News<'n> {
    /// A better solution: the value of each column.
    Solution(&'n [f64]),
    /// No solution costs less than this.
    Bound(f64),
    /// Nothing new.
    Nothing,
}

/// Who listens, and answers whether it is enough.
struct Listener<'l> {
    listen: &'l mut dyn FnMut(News) -> bool,
    columns: usize,
    panicked: bool,
}

/// Solves a model of so many columns. `listen` hears what happens and says whether to stop; the second
/// value says whether it panicked.
pub fn solve(
    mut model: Model,
    columns: usize,
    listen: &mut dyn FnMut(News) -> bool,
) -> (Result<SolvedModel, HighsStatus>, bool) {
    let mut listener = Listener { listen, columns, panicked: false };
    let highs = model.as_mut_ptr();
    let data: *mut Listener = &mut listener;
    // SAFETY: `highs` is the live model behind `model`. HiGHS calls back only within the run below,
    // during which `listener` is alive and untouched by anyone else; the callback is taken away after it.
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
    let solved = model.try_solve().map(|mut solved| {
        // SAFETY: the same live model, and no run is under way.
        unsafe { highs_sys::Highs_setCallback(solved.as_mut_ptr(), None, std::ptr::null_mut()) };
        solved
    });
    (solved, listener.panicked)
}

/// Called by HiGHS now and then on the thread that runs the model.
unsafe extern "C" fn callback(
    kind: c_int,
    _message: *const c_char,
    out: *const HighsCallbackDataOut,
    input: *mut HighsCallbackDataIn,
    data: *mut c_void,
) {
    // SAFETY: `data` is the listener that `solve` handed over and still holds; HiGHS passes valid
    // pointers, or null where it has nothing to say.
    let (listener, out, input) =
        unsafe { (&mut *data.cast::<Listener>(), out.as_ref(), input.as_mut()) };
    // A panic must not unwind into C++.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let news = match out {
            Some(out) if kind == highs_sys::kHighsCallbackMipImprovingSolution => {
                if out.mip_solution.is_null() || (out.mip_solution_size as usize) < listener.columns {
                    News::Nothing
                } else {
                    // SAFETY: HiGHS says that so many values stand there.
                    News::Solution(unsafe {
                        std::slice::from_raw_parts(out.mip_solution, listener.columns)
                    })
                }
            }
            Some(out) if kind == highs_sys::kHighsCallbackMipInterrupt => {
                News::Bound(out.mip_dual_bound)
            }
            _ => News::Nothing,
        };
        (listener.listen)(news)
    }));
    listener.panicked |= outcome.is_err();
    if let Some(input) = input {
        input.user_interrupt = c_int::from(listener.panicked || outcome.unwrap_or(true));
    }
}
