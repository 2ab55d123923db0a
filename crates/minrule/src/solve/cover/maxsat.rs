//! Covers by MaxSAT: one variable a rule, one clause an example, every rule softly left out.

use super::{CoverSolver, Finding, Quest};
use crate::limits::Halt;
use crate::solve::maxsat::{MaxSat, Step};
use crate::solve::sat::SatLit;

/// The core-guided solver of stage 1.
pub(super) struct CoreGuided;

impl CoverSolver for CoreGuided {
    fn solve(&self, quest: &Quest, tell: &mut dyn FnMut(Finding)) -> Result<Option<Vec<usize>>, Halt> {
        let &Quest { problem, cutoff, stop, .. } = quest;
        let mut maxsat = MaxSat::new(stop);
        let chosen: Vec<SatLit> = problem.costs.iter().map(|_| maxsat.fresh()).collect();
        let mut covering = vec![Vec::new(); problem.examples];
        for (rule, coverage) in problem.coverages.iter().enumerate() {
            coverage.ones().for_each(|example| covering[example].push(chosen[rule]));
        }
        for clause in &covering {
            maxsat.hard(clause)?;
        }
        if let Some(most) = problem.max_rules {
            maxsat.hard_at_most(most, chosen.iter().copied())?;
        }
        for (&rule, &cost) in chosen.iter().zip(&problem.costs) {
            maxsat.soft(!rule, cost)?;
        }
        loop {
            match maxsat.step()? {
                Step::Raised if maxsat.cost() >= cutoff => return Ok(None),
                Step::Raised => tell(Finding::Bound(maxsat.cost())),
                Step::Infeasible => return Ok(None),
                Step::Optimum => break,
            }
        }
        let mut cover = Vec::new();
        for (rule, &literal) in chosen.iter().enumerate() {
            if maxsat.is_true(literal)? {
                cover.push(rule);
            }
        }
        if !problem.is_cover(&cover) {
            return Err(Halt::Failed("the MaxSAT cover leaves an example uncovered".to_string()));
        }
        if problem.cost(&cover) != maxsat.cost() {
            return Err(Halt::Failed("the MaxSAT cover has another cost than was proven".to_string()));
        }
        Ok(Some(cover).filter(|cover| problem.cost(cover) < cutoff))
    }
}
