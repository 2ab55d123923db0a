//! A core-guided MaxSAT solver of the RC2/OLL family, for both stages.
//!
//! Idea (Morgado, Dodaro and Marques-Silva 2014; Ignatiev, Morgado and Marques-Silva 2019): assume
//! every soft literal. While that is unsatisfiable, the solver names a core, soft literals that
//! cannot all be true; their cheapest weight is a cost that every solution pays. The core gives
//! way to one new soft literal, "at most one of them is false", whose bound rises when it turns up
//! in a later core. The first satisfiable call is an optimum.
//!
//! Hard clauses may be added at any time: a cost once paid stays paid, so enumerating solutions in
//! order of cost only takes blocking them one by one.
//!
//! As in RC2, cores are trimmed, minimised and exhausted, and at-most-one constraints in the hard
//! clauses are found first. (RC2 finds them by unit propagation. In the formulas of both stages
//! what one soft literal implies about another is written in the two-literal clauses, so those
//! are looked at instead.) Stratification is left out: the weights here differ little.

use std::collections::{BTreeMap, BTreeSet};

use crate::limits::{Halt, Stop};
use crate::solve::sat::{Sat, SatLit, Sum};

/// Rounds of asking the SAT solver for a smaller core.
const TRIM_ROUNDS: usize = 5;
/// Conflicts for each attempt to drop a literal from a core.
const MINIMISE_CONFLICTS: u32 = 1_000;
/// Attempts to drop a literal from one core: cores of very wide tables are left large.
const MINIMISE_ATTEMPTS: usize = 1_000;
/// Conflicts for each attempt to raise the bound of a new sum.
const EXHAUST_CONFLICTS: u32 = 10_000;
/// Hard clauses, weighted soft literals, and the cost known so far.
pub(crate) struct MaxSat {
    sat: Sat,
    /// Ordered, so that runs repeat themselves exactly.
    soft: BTreeMap<SatLit, Soft>,
    sums: Vec<Sum>,
    cost: u64,
    /// Two-literal clauses, until at-most-one constraints have been looked for.
    pairs: Option<Vec<[SatLit; 2]>>,
}

#[derive(Clone, Copy)]
struct Soft {
    weight: u64,
    /// Set if this literal says "at most `bound` of sum `sum`".
    sum: Option<(usize, usize)>,
}

/// What one step of the search came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The solution at hand is optimal; its cost is [`MaxSat::cost`].
    Optimum,
    /// The cost rose.
    Raised,
    /// The hard clauses have no solution.
    Infeasible,
}

impl MaxSat {
    pub(crate) fn new(stop: &Stop) -> MaxSat {
        MaxSat {
            sat: Sat::new(stop),
            soft: BTreeMap::new(),
            sums: Vec::new(),
            cost: 0,
            pairs: Some(Vec::new()),
        }
    }

    /// A variable of its own, as its positive literal.
    pub(crate) fn fresh(&mut self) -> SatLit {
        self.sat.fresh()
    }

    /// Adds a hard clause.
    pub(crate) fn hard(&mut self, clause: &[SatLit]) -> Result<(), Halt> {
        if let (Some(pairs), &[a, b]) = (&mut self.pairs, clause) {
            pairs.push([a, b]);
        }
        self.sat.clause(clause)
    }

    /// Requires that at most `bound` of the literals are true.
    pub(crate) fn hard_at_most(
        &mut self,
        bound: usize,
        literals: impl IntoIterator<Item = SatLit>,
    ) -> Result<(), Halt> {
        match Sum::new(literals).at_most(bound, &mut self.sat)? {
            Some(literal) => self.sat.clause(&[literal]),
            None => Ok(()),
        }
    }

    /// Prefers this literal to be true: it costs `weight` otherwise.
    pub(crate) fn soft(&mut self, literal: SatLit, weight: u64) -> Result<(), Halt> {
        self.sat.prefer(literal)?;
        self.add_soft(literal, weight, None);
        Ok(())
    }

    /// What every solution costs at least; after [`Step::Optimum`], what this one costs.
    pub(crate) fn cost(&self) -> u64 {
        self.cost
    }

    /// In the solution at hand, whether the literal is true.
    pub(crate) fn is_true(&self, literal: SatLit) -> Result<bool, Halt> {
        self.sat.is_true(literal)
    }

    /// One SAT call, and what follows from its core if it fails.
    pub(crate) fn step(&mut self) -> Result<Step, Halt> {
        if let Some(pairs) = self.pairs.take() {
            self.find_at_most_ones(&pairs)?;
        }
        let assumptions: Vec<SatLit> = self.soft.keys().copied().collect();
        if self.sat.solve(&assumptions)? {
            return Ok(Step::Optimum);
        }
        let core = self.sat.core()?;
        if core.is_empty() {
            return Ok(Step::Infeasible);
        }
        let core = self.trim(core)?;
        let core = self.minimise(core)?;
        self.relax(&core)?;
        Ok(Step::Raised)
    }

    /// Steps until the optimum; `None` if the hard clauses have no solution.
    pub(crate) fn optimum(&mut self) -> Result<Option<u64>, Halt> {
        loop {
            match self.step()? {
                Step::Optimum => return Ok(Some(self.cost)),
                Step::Raised => {}
                Step::Infeasible => return Ok(None),
            }
        }
    }

    fn add_soft(&mut self, literal: SatLit, weight: u64, sum: Option<(usize, usize)>) {
        self.soft.entry(literal).or_insert(Soft { weight: 0, sum }).weight += weight;
    }

    /// Takes `weight` from a soft literal, and the literal away with its last weight.
    fn take_weight(&mut self, literal: SatLit, weight: u64) -> Soft {
        let soft = self.soft.get_mut(&literal).expect("cores name soft literals only");
        soft.weight -= weight;
        let soft = *soft;
        if soft.weight == 0 {
            self.soft.remove(&literal);
        }
        soft
    }

    /// Asks again with only the core assumed: the second core is often smaller.
    fn trim(&mut self, mut core: Vec<SatLit>) -> Result<Vec<SatLit>, Halt> {
        for _ in 0..TRIM_ROUNDS {
            if core.len() <= 1 || self.sat.solve_within(MINIMISE_CONFLICTS, &core)? != Some(false) {
                break;
            }
            let smaller = self.sat.core()?;
            // An empty core here means that the hard clauses alone are unsatisfiable; the next
            // step will find that out by itself.
            if smaller.is_empty() || smaller.len() >= core.len() {
                break;
            }
            core = smaller;
        }
        Ok(core)
    }

    /// Drops literals one by one as long as the rest is still a core.
    fn minimise(&mut self, mut core: Vec<SatLit>) -> Result<Vec<SatLit>, Halt> {
        // Heavy literals stay longest in doubt: a core without its lightest literal costs more.
        core.sort_by_key(|literal| (self.soft[literal].weight, *literal));
        let mut kept = 0;
        for _ in 0..MINIMISE_ATTEMPTS {
            if kept == core.len() || core.len() == 1 {
                break;
            }
            let candidate = core.remove(kept);
            if self.sat.solve_within(MINIMISE_CONFLICTS, &core)? != Some(false) {
                core.insert(kept, candidate);
                kept += 1;
            }
        }
        Ok(core)
    }

    /// Pays for a core and replaces it by the sum of its failures.
    fn relax(&mut self, core: &[SatLit]) -> Result<(), Halt> {
        let weight = core.iter().map(|l| self.soft[l].weight).min().expect("a core is not empty");
        self.cost += weight;
        for &literal in core {
            if let Some((sum, bound)) = self.take_weight(literal, weight).sum {
                self.assume_at_most(sum, bound + 1, weight)?;
            }
        }
        let failures: Vec<SatLit> = core.iter().map(|&literal| !literal).collect();
        self.sat.clause(&failures)?;
        if failures.len() > 1 {
            let sum = self.sums.len();
            self.sums.push(Sum::new(failures));
            let bound = self.exhaust(sum, weight)?;
            self.assume_at_most(sum, bound, weight)?;
        }
        Ok(())
    }

    /// Raises the bound of a new sum, and the cost with it, as long as the bound alone is refuted.
    fn exhaust(&mut self, sum: usize, weight: u64) -> Result<usize, Halt> {
        let mut bound = 1;
        while let Some(literal) = self.sums[sum].at_most(bound, &mut self.sat)? {
            if self.sat.solve_within(EXHAUST_CONFLICTS, &[literal])? != Some(false) {
                break;
            }
            self.sat.clause(&[!literal])?;
            self.cost += weight;
            bound += 1;
        }
        Ok(bound)
    }

    fn assume_at_most(&mut self, sum: usize, bound: usize, weight: u64) -> Result<(), Halt> {
        if let Some(literal) = self.sums[sum].at_most(bound, &mut self.sat)? {
            self.add_soft(literal, weight, Some((sum, bound)));
        }
        Ok(())
    }

    /// Finds soft literals of which at most one can be true: all but one of them are paid for at
    /// once, and "one of them is true" takes their place.
    fn find_at_most_ones(&mut self, pairs: &[[SatLit; 2]]) -> Result<(), Halt> {
        let mut excluded: BTreeMap<SatLit, BTreeSet<SatLit>> = BTreeMap::new();
        for &[a, b] in pairs {
            if a != b && self.soft.contains_key(&!a) && self.soft.contains_key(&!b) {
                excluded.entry(!a).or_default().insert(!b);
                excluded.entry(!b).or_default().insert(!a);
            }
        }
        while let Some((seed, others)) = excluded.pop_first() {
            let mut group = vec![seed];
            for other in others {
                let clashes_with = |member: &SatLit| {
                    excluded.get(&other).is_some_and(|clashing| clashing.contains(member))
                };
                if group.iter().all(clashes_with) {
                    group.push(other);
                }
            }
            for member in &group[1..] {
                excluded.remove(member);
            }
            self.relax_at_most_one(&group)?;
        }
        Ok(())
    }

    fn relax_at_most_one(&mut self, group: &[SatLit]) -> Result<(), Halt> {
        if group.len() < 2 || group.iter().any(|literal| !self.soft.contains_key(literal)) {
            return Ok(());
        }
        let weight = group.iter().map(|l| self.soft[l].weight).min().expect("checked above");
        self.cost += weight * (group.len() as u64 - 1);
        for &literal in group {
            self.take_weight(literal, weight);
        }
        let some_true = self.sat.fresh();
        let mut clause = group.to_vec();
        clause.push(!some_true);
        self.sat.clause(&clause)?;
        self.add_soft(some_true, weight, None);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cheapest assignment by trying all of them.
    fn brute_force(n: u32, clauses: &[Vec<(u32, bool)>], weights: &[u64]) -> Option<u64> {
        let satisfied = |a: u32, c: &Vec<(u32, bool)>| c.iter().any(|&(v, s)| (a >> v & 1 == 1) == s);
        (0..1u32 << n)
            .filter(|&a| clauses.iter().all(|c| satisfied(a, c)))
            .map(|a| (0..n).filter(|v| a >> v & 1 == 1).map(|v| weights[v as usize]).sum())
            .min()
    }

    #[test]
    fn finds_the_optimum_of_random_formulas() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..500 {
            let n = random.u32(2..8);
            let weighted = random.bool();
            let weights: Vec<u64> =
                (0..n).map(|_| if weighted { random.u64(1..9) } else { 1 }).collect();
            let clauses: Vec<Vec<(u32, bool)>> = (0..random.usize(1..16))
                .map(|_| {
                    // Mostly positive, so that something must be paid.
                    let literal = |r: &mut fastrand::Rng| (r.u32(0..n), r.u8(0..4) > 0);
                    (0..random.usize(1..4)).map(|_| literal(&mut random)).collect()
                })
                .collect();

            let mut maxsat = MaxSat::new(&Stop::default());
            let variables: Vec<SatLit> = (0..n).map(|_| maxsat.fresh()).collect();
            for clause in &clauses {
                let sat = |&(v, s): &(u32, bool)| {
                    if s { variables[v as usize] } else { !variables[v as usize] }
                };
                maxsat.hard(&clause.iter().map(sat).collect::<Vec<_>>()).unwrap();
            }
            for (variable, &weight) in variables.iter().zip(&weights) {
                maxsat.soft(!*variable, weight).unwrap();
            }
            let expected = brute_force(n, &clauses, &weights);
            assert_eq!(maxsat.optimum().unwrap(), expected);
            if let Some(cost) = expected {
                let paid = variables.iter().zip(&weights);
                let paid: u64 = paid.filter(|(v, _)| maxsat.is_true(**v).unwrap()).map(|(_, w)| w).sum();
                assert_eq!(paid, cost);
            }
        }
    }

    #[test]
    fn blocked_solutions_come_in_order_of_cost() {
        let mut maxsat = MaxSat::new(&Stop::default());
        let variables: Vec<SatLit> = (0..3).map(|_| maxsat.fresh()).collect();
        maxsat.hard(&variables).unwrap();
        for &variable in &variables {
            maxsat.soft(!variable, 1).unwrap();
        }
        let mut costs = Vec::new();
        while let Some(cost) = maxsat.optimum().unwrap() {
            costs.push(cost);
            let differs: Vec<SatLit> =
                variables.iter().map(|&v| if maxsat.is_true(v).unwrap() { !v } else { v }).collect();
            maxsat.hard(&differs).unwrap();
        }
        assert_eq!(costs, [1, 1, 1, 2, 2, 2, 3]);
    }

    #[test]
    fn a_hard_cardinality_constraint_is_kept() {
        let mut maxsat = MaxSat::new(&Stop::default());
        let variables: Vec<SatLit> = (0..4).map(|_| maxsat.fresh()).collect();
        for pair in variables.chunks(2) {
            maxsat.hard(pair).unwrap();
        }
        maxsat.hard_at_most(1, variables.iter().copied()).unwrap();
        assert_eq!(maxsat.optimum().unwrap(), None);
    }
}
