//! The SAT solver: CaDiCaL through rustsat. Nothing else in the library knows which one it is.

use rustsat::encodings::card::{BoundUpper, BoundUpperIncremental, Encode, Totalizer};
use rustsat::instances::{BasicVarManager, ManageVars};
use rustsat::solvers::{
    ControlSignal, LimitConflicts, PhaseLit, Solve, SolveIncremental, SolverResult, Terminate,
};
use rustsat::types::Clause;
use rustsat_cadical::CaDiCaL;

use crate::limits::{Halt, Stop};
use crate::solve::faults::{self, Site};

/// A literal of the SAT solver: not to be confused with a [`Literal`](crate::Literal) of a rule.
pub(crate) use rustsat::types::Lit as SatLit;

/// An incremental SAT solver that hears requests to stop.
pub(crate) struct Sat {
    solver: CaDiCaL<'static, 'static>,
    variables: BasicVarManager,
    stop: Stop,
    /// Whether its models are no models, on purpose.
    lies: bool,
}

impl Sat {
    pub(crate) fn new(stop: &Stop) -> Sat {
        let mut solver = CaDiCaL::default();
        // Keep what was propagated from one call to the next: thousands of calls differ in a
        // clause or two. Measured on stage 1: one and a half to three times as fast.
        solver.set_option("ilb", 1).expect("CaDiCaL knows this option");
        let heard = stop.clone();
        solver.attach_terminator(move || {
            if heard.requested() { ControlSignal::Terminate } else { ControlSignal::Continue }
        });
        Sat { solver, variables: BasicVarManager::default(), stop: stop.clone(), lies: false }
    }

    /// A variable of its own, as its positive literal.
    pub(crate) fn fresh(&mut self) -> SatLit {
        self.variables.new_var().pos_lit()
    }

    /// Adds a clause.
    pub(crate) fn clause(&mut self, literals: &[SatLit]) -> Result<(), Halt> {
        let clause: Clause = literals.iter().copied().collect();
        self.solver.add_clause_ref(&clause).map_err(failed)
    }

    /// The value to try first for the literal's variable: the one that makes it true.
    pub(crate) fn prefer(&mut self, literal: SatLit) -> Result<(), Halt> {
        self.solver.phase_lit(literal).map_err(failed)
    }

    /// Whether the clauses and assumptions can be satisfied.
    pub(crate) fn solve(&mut self, assumptions: &[SatLit]) -> Result<bool, Halt> {
        if self.stop.requested() {
            return Err(Halt::Stopped);
        }
        let answer = self.solver.solve_assumps(assumptions).map_err(failed)?;
        self.lies = faults::strike(Site::Sat)?;
        match answer {
            SolverResult::Sat => Ok(true),
            SolverResult::Unsat => Ok(false),
            SolverResult::Interrupted => Err(Halt::Stopped),
        }
    }

    /// As [`solve`](Sat::solve), but gives up with `None` after so many conflicts.
    pub(crate) fn solve_within(
        &mut self,
        conflicts: u32,
        assumptions: &[SatLit],
    ) -> Result<Option<bool>, Halt> {
        self.solver.limit_conflicts(Some(conflicts)).map_err(failed)?;
        let answer = self.solve(assumptions);
        self.solver.limit_conflicts(None).map_err(failed)?;
        match answer {
            Err(Halt::Stopped) if !self.stop.requested() => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// After an unsatisfiable call: assumptions that cannot all hold.
    pub(crate) fn core(&mut self) -> Result<Vec<SatLit>, Halt> {
        let clause = self.solver.core().map_err(failed)?;
        Ok(clause.into_iter().map(|literal| !literal).collect())
    }

    /// After a satisfiable call: whether the literal is true.
    pub(crate) fn is_true(&self, literal: SatLit) -> Result<bool, Halt> {
        let value = self.solver.lit_val(literal).map_err(failed)?;
        Ok((value == rustsat::types::TernaryVal::True) != self.lies)
    }
}

fn failed(error: impl std::fmt::Display) -> Halt {
    Halt::Failed(format!("SAT solver: {error}"))
}

/// A sum of literals whose upper bound can be raised step by step (Bailleux and Boufkhad's
/// totalizer, built only as far as it is asked for).
pub(crate) struct Sum {
    totalizer: Totalizer,
}

impl Sum {
    pub(crate) fn new(literals: impl IntoIterator<Item = SatLit>) -> Sum {
        Sum { totalizer: literals.into_iter().collect() }
    }

    /// The literal that says "at most `bound` of them"; `None` if that is always so.
    pub(crate) fn at_most(&mut self, bound: usize, sat: &mut Sat) -> Result<Option<SatLit>, Halt> {
        if bound >= self.totalizer.n_lits() {
            return Ok(None);
        }
        let Sat { solver, variables, .. } = sat;
        self.totalizer.encode_ub_change(bound..=bound, solver, variables).map_err(failed)?;
        let literals = self.totalizer.enforce_ub(bound).map_err(failed)?;
        Ok(literals.first().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::StopReason;

    #[test]
    fn a_core_names_assumptions_that_clash() {
        let mut sat = Sat::new(&Stop::default());
        let (a, b, c) = (sat.fresh(), sat.fresh(), sat.fresh());
        sat.clause(&[!a, !b]).unwrap();
        assert!(sat.solve(&[a, c]).unwrap());
        assert!(!sat.solve(&[c, a, b]).unwrap());
        let mut core = sat.core().unwrap();
        core.sort_unstable();
        assert_eq!(core, [a, b]);
    }

    #[test]
    fn a_sum_bounds_from_above() {
        let mut sat = Sat::new(&Stop::default());
        let literals: Vec<SatLit> = (0..4).map(|_| sat.fresh()).collect();
        let mut sum = Sum::new(literals.clone());
        let at_most_two = sum.at_most(2, &mut sat).unwrap().unwrap();
        assert!(sat.solve(&[at_most_two, literals[0], literals[3]]).unwrap());
        assert!(!sat.solve(&[at_most_two, literals[0], literals[1], literals[3]]).unwrap());
        assert_eq!(sum.at_most(4, &mut sat), Ok(None));
    }

    #[test]
    fn a_request_to_stop_is_heard() {
        let stop = Stop::default();
        let mut sat = Sat::new(&stop);
        let a = sat.fresh();
        sat.clause(&[a]).unwrap();
        stop.request(StopReason::Interrupted);
        assert_eq!(sat.solve(&[]), Err(Halt::Stopped));
    }
}
