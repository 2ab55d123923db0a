//! An integer program that is watched while HiGHS solves it: through the C interface only.
#![allow(unsafe_code, reason = "HiGHS takes its callback through the C interface only")]

use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use highs::{Col, HighsModelStatus, Model, RowProblem, Sense};
use highs_sys::{HighsCallbackDataIn, HighsCallbackDataOut};

use crate::Failed;

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

/// A covering program: choose columns of least total cost so that each row has one of its columns.
pub struct Covering<'c> {
    /// Of each column.
    pub costs: Vec<f64>,
    /// Of each row, the columns that cover it.
    pub rows: Vec<Vec<usize>>,
    /// The most columns that may be chosen.
    pub most: Option<usize>,
    /// A choice to begin with. Only a hint: if HiGHS cannot use it, it solves without.
    pub start: Option<&'c [usize]>,
    /// At what distance between solution and bound there is nothing more to find.
    pub gap: f64,
}

/// How a solve ended.
pub enum Ended {
    /// With a solution of least cost: the value of each column.
    Optimal(Vec<f64>),
    /// There is no solution.
    Infeasible,
    /// Otherwise, as HiGHS calls it.
    Otherwise(String),
}

/// What came of a solve.
pub struct Solved {
    /// How it ended.
    pub ended: Ended,
    /// No solution costs less than this.
    pub bound: f64,
}

/// Solves a program, on one thread, so that it repeats itself exactly. `listen` hears what happens and says
/// whether to stop.
pub fn solve(program: &Covering, listen: &mut dyn FnMut(News) -> bool) -> Result<Solved, Failed> {
    let mut listener = Listener { listen, columns: program.costs.len(), panicked: false };
    let mut model = formulate(program);
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
    let failed = |what: &str, status| Failed(format!("HiGHS {what}: {status:?}"));
    let mut solved = model.try_solve().map_err(|status| failed("failed", status))?;
    // SAFETY: the same live model, and no run is under way.
    unsafe { highs_sys::Highs_setCallback(solved.as_mut_ptr(), None, std::ptr::null_mut()) };
    if listener.panicked {
        return Err(Failed("a callback of HiGHS failed".to_string()));
    }
    let bound = solved.double_info_value(c"mip_dual_bound");
    let bound = bound.map_err(|status| failed("gave no bound", status))?;
    let ended = match solved.status() {
        HighsModelStatus::Optimal => Ended::Optimal(solved.get_solution().columns().to_vec()),
        HighsModelStatus::Infeasible => Ended::Infeasible,
        other => Ended::Otherwise(format!("{other:?}")),
    };
    Ok(Solved { ended, bound })
}

fn formulate(program: &Covering) -> Model {
    let mut rows = RowProblem::default();
    let columns: Vec<Col> =
        program.costs.iter().map(|&cost| rows.add_integer_column(cost, 0.0..=1.0)).collect();
    for row in &program.rows {
        rows.add_row(1.0.., row.iter().map(|&column| (columns[column], 1.0)).collect::<Vec<_>>());
    }
    if let Some(most) = program.most {
        rows.add_row(..=most as f64, columns.iter().map(|&column| (column, 1.0)));
    }
    let mut model = rows.optimise(Sense::Minimise);
    model.set_option("threads", 1);
    model.set_option("parallel", "off");
    model.set_option("mip_rel_gap", 0.0);
    model.set_option("mip_abs_gap", program.gap);
    if let Some(start) = program.start {
        let mut values = vec![0.0; program.costs.len()];
        start.iter().for_each(|&column| values[column] = 1.0);
        let _ = model.try_set_solution(Some(&values), None, None, None);
    }
    model
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
