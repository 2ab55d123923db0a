//! Covers by integer linear programming, with HiGHS.
//!
//! HiGHS computes in floating point. Its covers are rounded and then checked in integers; its
//! bound is rounded up only beyond a tolerance, and a cover counts as smallest only when that
//! bound meets the cover's exact cost. Costs are integers, so a gap below one is no gap.

use highs::{HighsModelStatus, RowProblem, Sense};
use minrule_native::ilp::{self, News};

use super::{CoverProblem, CoverSolver, Finding};
use crate::limits::{Halt, Stop};
use crate::solve::faults::{self, Site};

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
        let listen = &mut |news: News| {
            let mut enough = false;
            match news {
                News::Solution(values) => {
                    let chosen = rounded(values);
                    if problem.is_cover(&chosen) {
                        tell(Finding::Cover(chosen));
                    }
                }
                News::Bound(bound) => {
                    if let Some(bound) = integer_bound(bound) {
                        tell(Finding::Bound(bound.min(cutoff)));
                        enough = bound >= cutoff;
                    }
                }
                News::Nothing => {}
            }
            enough || stop.requested()
        };
        let (solved, panicked) = ilp::solve(model, problem.costs.len(), listen);
        let solved = match solved {
            Ok(solved) => solved,
            Err(_) if stop.requested() => return Err(Halt::Stopped),
            Err(status) => return Err(Halt::Failed(format!("HiGHS failed: {status:?}"))),
        };

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
