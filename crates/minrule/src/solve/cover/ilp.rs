//! Covers by integer linear programming, with HiGHS.
//!
//! HiGHS computes in floating point. Its covers are rounded and then checked in integers; its
//! bound is rounded up only beyond a tolerance, and a cover counts as smallest only when that
//! bound meets the cover's exact cost. Costs are integers, so a gap below one is no gap.

use minrule_native::ilp::{self, Covering, Ended, News};

use super::{CoverProblem, CoverSolver, Finding, Quest};
use crate::limits::Halt;
use crate::solve::faults::{self, Site};

/// How far below an integer a bound may lie and still count as that integer.
const BOUND_TOLERANCE: f64 = 1e-5;
/// Largest gap at which integer costs leave no room between cover and bound.
const INTEGER_GAP: f64 = 0.999;

/// HiGHS, on one thread: classes are solved side by side, and one thread repeats itself exactly.
pub(super) struct Highs;

impl CoverSolver for Highs {
    fn solve(&self, quest: &Quest, tell: &mut dyn FnMut(Finding)) -> Result<Option<Vec<usize>>, Halt> {
        let &Quest { problem, start, cutoff, stop, .. } = quest;
        if stop.requested() {
            return Err(Halt::Stopped);
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
        let solved = match ilp::solve(&formulate(problem, start), listen) {
            Err(_) if stop.requested() => return Err(Halt::Stopped),
            solved => solved?,
        };
        let bound = if faults::strike(Site::Ilp)? { 1e9 } else { solved.bound };
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
        let chosen = match solved.ended {
            Ended::Optimal(values) => rounded(&values),
            Ended::Infeasible => return Ok(None),
            Ended::Otherwise(_) if stop.requested() => return Err(Halt::Stopped),
            Ended::Otherwise(how) => return Err(Halt::Failed(format!("HiGHS ended: {how}"))),
        };
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

fn formulate<'c>(problem: &CoverProblem, start: Option<&'c [usize]>) -> Covering<'c> {
    let mut rows = vec![Vec::new(); problem.examples];
    for (rule, coverage) in problem.coverages.iter().enumerate() {
        coverage.ones().for_each(|example| rows[example].push(rule));
    }
    let costs = problem.costs.iter().map(|&cost| cost as f64).collect();
    Covering { costs, rows, most: problem.max_rules, start, gap: INTEGER_GAP }
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
