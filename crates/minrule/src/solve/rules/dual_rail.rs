//! The paper's partial MaxSAT formula for one rule: a consistent term, in dual-rail encoding.
//!
//! Each literal that a rule may use has a variable, true if the literal is in the term: `p_r` for
//! feature `r`, `n_r` for its negation. Each positive example has a variable `t_i`, true if the
//! term covers it. Hard clauses:
//!
//! - at most one of `p_r` and `n_r`;
//! - *discrimination*: for each negative, some literal that it does not satisfy is in the term;
//! - *coverage*: `t_i` if and only if no literal that example `i` does not satisfy is in the term,
//!   and some `t_i`.
//!
//! Every literal is softly out of the term.

use crate::limits::Halt;
use crate::solve::class_problem::ClassProblem;
use crate::solve::sat::SatLit;

/// The variables of the formula.
pub(super) struct DualRail {
    /// In the order of the problem's literals: "is in the term".
    pub(super) in_term: Vec<SatLit>,
    /// In the order of the problem's positives: "is covered".
    pub(super) covered: Vec<SatLit>,
}

impl DualRail {
    pub(super) fn new(problem: &ClassProblem, mut fresh: impl FnMut() -> SatLit) -> DualRail {
        DualRail {
            in_term: problem.literals.iter().map(|_| fresh()).collect(),
            covered: problem.positives.iter().map(|_| fresh()).collect(),
        }
    }

    /// Hands over the hard clauses one by one.
    pub(super) fn hard_clauses(
        &self,
        problem: &ClassProblem,
        mut clause: impl FnMut(&[SatLit]) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        for (i, pair) in problem.literals.windows(2).enumerate() {
            if pair[0].feature == pair[1].feature {
                clause(&[!self.in_term[i], !self.in_term[i + 1]])?;
            }
        }
        for &negative in &problem.negatives {
            clause(&self.discriminating(problem, negative))?;
        }
        for (&covered, &positive) in self.covered.iter().zip(&problem.positives) {
            let mut some = self.discriminating(problem, positive);
            for &literal in &some {
                clause(&[!covered, !literal])?;
            }
            some.push(covered);
            clause(&some)?;
        }
        clause(&self.covered)
    }

    /// The variables of the literals that discriminate an example, the paper's `delta`.
    fn discriminating(&self, problem: &ClassProblem, example: usize) -> Vec<SatLit> {
        let literals = problem.literals.iter().zip(&self.in_term);
        literals
            .filter(|(literal, _)| !problem.examples().satisfies(example, **literal))
            .map(|(_, &variable)| variable)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Stop;
    use crate::solve::sat::Sat;
    use crate::testing::dating;

    /// Example 5 of the paper, clause by clause.
    #[test]
    fn the_formula_of_the_running_example_is_the_papers() {
        let (examples, features) = dating();
        let yes = crate::data::literal::ClassId(1);
        let problem = ClassProblem::new(
            &examples,
            &features.literals(),
            yes,
            crate::solve::objective::Objective::Size.tariffs(),
        );
        let mut sat = Sat::new(&Stop::default());
        let formula = DualRail::new(&problem, || sat.fresh());

        let name = |literal: SatLit| {
            let index = |list: &[SatLit]| list.iter().position(|l| l.var() == literal.var());
            let text = match index(&formula.in_term) {
                Some(i) => {
                    let rail = if problem.literals[i].positive { 'p' } else { 'n' };
                    format!("{rail}{}", problem.literals[i].feature.0 + 1)
                }
                None => format!("t{}", index(&formula.covered).unwrap() + 2),
            };
            if literal.is_neg() { format!("-{text}") } else { text }
        };
        let mut clauses = Vec::new();
        formula
            .hard_clauses(&problem, |clause| {
                let mut words: Vec<String> = clause.iter().map(|&l| name(l)).collect();
                words.sort();
                clauses.push(words.join(" "));
                Ok(())
            })
            .unwrap();

        // The paper's e2 and e3 are equal rows, which are one example here: t2 stands for both.
        let expected = [
            "-n1 -p1",
            "-n2 -p2",
            "-n3 -p3",
            "-n4 -p4",
            "n2 n3 p1 p4",
            "n1 n4 p2 p3",
            "-n1 -t2",
            "-p2 -t2",
            "-n3 -t2",
            "-p4 -t2",
            "n1 n3 p2 p4 t2",
            "t2",
        ];
        assert_eq!(clauses, expected);
    }
}
