//! Rules by MaxSAT enumeration, the paper's first stage.
//!
//! Each optimum of the dual-rail formula is a smallest rule not found before. Blocking a term
//! forbids all its superterms with it, so just the irredundant terms come up. With symmetry
//! breaking, a rule found also asks every later one to cover an example that it does not; a rule
//! this rejects covers no more and is no smaller, so no cover needs it.

use super::discriminates_all;
use super::dual_rail::DualRail;
use crate::limits::{Halt, Stop};
use crate::solve::class_problem::ClassProblem;
use crate::solve::maxsat::MaxSat;
use crate::solve::rule::Rule;
use crate::solve::sat::SatLit;

pub(super) fn enumerate(
    problem: &ClassProblem,
    break_symmetry: bool,
    stop: &Stop,
    found: &mut dyn FnMut(Rule),
) -> Result<(), Halt> {
    let mut maxsat = MaxSat::new(stop);
    let formula = DualRail::new(problem, || maxsat.fresh());
    formula.hard_clauses(problem, |clause| {
        if stop.requested() { Err(Halt::Stopped) } else { maxsat.hard(clause) }
    })?;
    for &literal in &formula.in_term {
        maxsat.soft(!literal, 1)?;
    }

    while let Some(size) = maxsat.optimum()? {
        let mut literals = Vec::new();
        for (i, &in_term) in formula.in_term.iter().enumerate() {
            if maxsat.is_true(in_term)? {
                literals.push(i);
            }
        }
        if literals.len() as u64 != size {
            let found = literals.len();
            return Err(Halt::Failed(format!("MaxSAT said {size} literals, its term has {found}")));
        }
        if !discriminates_all(problem, &literals) {
            return Err(Halt::Failed("MaxSAT's term does not discriminate every negative".to_string()));
        }
        let rule = problem.rule(&literals);
        let mut blocking: Vec<Vec<SatLit>> =
            vec![literals.iter().map(|&i| !formula.in_term[i]).collect()];
        if break_symmetry {
            blocking.push(rule.coverage.zeroes().map(|i| formula.covered[i]).collect());
        }
        found(rule);
        for clause in blocking {
            // Nothing is left to find: the term was empty, or it covers every example.
            if clause.is_empty() {
                return Ok(());
            }
            maxsat.hard(&clause)?;
        }
    }
    Ok(())
}
