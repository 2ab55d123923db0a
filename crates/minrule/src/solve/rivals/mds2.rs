//! The fewest rules by SAT, and the fewest literals for so many rules by MaxSAT: `MinDS_2` and
//! `MinDS_2*` (Ignatiev, Pereira, Narodytska and Marques-Silva, IJCAR 2018).
//!
//! Is there a set of N rules for the class? Rule `j` has for each feature `r` the variables `s_jr`, "the
//! feature is skipped", and `l_jr`, "it must be true". From them follow `d0_jr` and `d1_jr`, "the rule
//! discriminates every example where the feature is 0, or 1", and for each example `i` of the class
//! `cr_ji`, "the rule covers it":
//!
//! - no rule is empty: some `s_jr` is false;
//! - `d0_jr` if and only if not `s_jr` and `l_jr`; `d1_jr` if and only if not `s_jr` and not `l_jr`;
//! - every rule discriminates every example of another class;
//! - `cr_ji` if and only if the rule does not discriminate the example, and some rule covers it;
//! - symmetry breaking: the rules are in lexicographic order of what they discriminate.

use super::{Clauses, Formula};
use crate::data::literal::{FeatureId, Literal};
use crate::limits::{Halt, Stop};
use crate::solve::board::{Board, Stage};
use crate::solve::class_problem::ClassProblem;
use crate::solve::maxsat::{MaxSat, Step};
use crate::solve::objective::Cost;
use crate::solve::rule::Term;
use crate::solve::sat::{Sat, SatLit};
use crate::solve::start;

/// Finds the fewest rules of a class; with `then_literals`, of these sets one with the fewest literals.
pub(crate) fn mds2(
    problem: &ClassProblem,
    then_literals: bool,
    stop: &Stop,
    board: &Board,
) -> Result<(), Halt> {
    if problem.positives.is_empty() {
        return Ok(());
    }
    board.enter(Stage::Rules);
    let mut rules = 1;
    loop {
        let known = board.progress().cost.map_or(u64::MAX, |cost| cost.first);
        if rules >= known && !then_literals {
            // What is known has so many rules, and fewer have been refused.
            break;
        }
        let mut sat = Sat::new(stop);
        let model = Model::new(problem, rules as usize, &mut sat);
        model.clauses(problem, Clauses { formula: &mut sat, stop })?;
        if sat.solve(&[])? {
            start::offer(problem, model.terms(problem, |literal| sat.is_true(literal))?, board);
            break;
        }
        rules += 1;
        board.raise(Cost { first: rules, second: 0 });
    }
    board.raise(Cost { first: rules, second: 0 });
    if !then_literals {
        return Ok(());
    }
    board.enter(Stage::Cover);
    let mut maxsat = MaxSat::new(stop);
    let model = Model::new(problem, rules as usize, &mut maxsat);
    model.clauses(problem, Clauses { formula: &mut maxsat, stop })?;
    for &skipped in model.skipped.iter().flatten() {
        maxsat.soft(skipped, 1)?;
    }
    loop {
        let step = maxsat.step()?;
        board.raise(Cost { first: rules, second: maxsat.cost() });
        match step {
            Step::Raised => {}
            Step::Optimum => {
                start::offer(problem, model.terms(problem, |literal| maxsat.is_true(literal))?, board);
                return Ok(());
            }
            Step::Infeasible => {
                return Err(Halt::Failed("MaxSAT refused what SAT had found".to_string()));
            }
        }
    }
}

/// The variables of N rules.
struct Model {
    /// `s_jr`.
    skipped: Vec<Vec<SatLit>>,
    /// `l_jr`.
    positive: Vec<Vec<SatLit>>,
    /// `d0_jr` and `d1_jr`.
    discriminates: Vec<Vec<[SatLit; 2]>>,
    /// `cr_ji`.
    covers: Vec<Vec<SatLit>>,
    /// For the lexicographic order: "the rules are equal before this feature".
    equal: Vec<Vec<[SatLit; 2]>>,
}

impl Model {
    fn new(problem: &ClassProblem, rules: usize, formula: &mut dyn Formula) -> Model {
        let features = problem.examples().features();
        let mut each = |n: usize| -> Vec<Vec<SatLit>> { (0..rules).map(|_| formula.many(n)).collect() };
        let skipped = each(features);
        let positive = each(features);
        let covers = each(problem.positives.len());
        let pairs = |flat: Vec<Vec<SatLit>>| -> Vec<Vec<[SatLit; 2]>> {
            flat.iter().map(|row| row.chunks(2).map(|pair| [pair[0], pair[1]]).collect()).collect()
        };
        let discriminates = pairs(each(2 * features));
        let equal = pairs(each(2 * features));
        Model { skipped, positive, discriminates, covers, equal }
    }

    fn clauses(&self, problem: &ClassProblem, mut clauses: Clauses) -> Result<(), Halt> {
        let examples = problem.examples();
        let features = examples.features();
        let allowed = |feature: usize, positive: bool| {
            let literal = Literal { feature: FeatureId(feature as u32), positive };
            problem.literals.binary_search(&literal).is_ok()
        };
        for (j, discriminates) in self.discriminates.iter().enumerate() {
            // The paper has two classes at least; a class that won every vote needs no condition.
            if !problem.negatives.is_empty() {
                let some: Vec<SatLit> = self.skipped[j].iter().map(|&skipped| !skipped).collect();
                clauses.add(&some)?;
            }
            for (r, &[d0, d1]) in discriminates.iter().enumerate() {
                clauses.defines_and(d0, &[!self.skipped[j][r], self.positive[j][r]])?;
                clauses.defines_and(d1, &[!self.skipped[j][r], !self.positive[j][r]])?;
                // Literals that the features do not offer.
                for (literal, positive) in [(d0, true), (d1, false)] {
                    if !allowed(r, positive) {
                        clauses.add(&[!literal])?;
                    }
                }
            }
            // What discriminates an example, by its own values.
            let against = |example: usize| -> Vec<SatLit> {
                let value = |r: usize| usize::from(examples.value(example, FeatureId(r as u32)));
                (0..features).map(|r| discriminates[r][value(r)]).collect()
            };
            for &negative in &problem.negatives {
                clauses.add(&against(negative))?;
            }
            for (i, &positive) in problem.positives.iter().enumerate() {
                let spared: Vec<SatLit> = against(positive).iter().map(|&d| !d).collect();
                clauses.defines_and(self.covers[j][i], &spared)?;
            }
        }
        for i in 0..problem.positives.len() {
            let some: Vec<SatLit> = self.covers.iter().map(|covers| covers[i]).collect();
            clauses.add(&some)?;
        }
        for j in 1..self.discriminates.len() {
            self.in_order(j, &mut clauses)?;
        }
        Ok(())
    }

    /// Rule `j` is not before the one that precedes it.
    fn in_order(&self, j: usize, clauses: &mut Clauses) -> Result<(), Halt> {
        let before = self.discriminates[j - 1].iter().flatten();
        let after = self.discriminates[j].iter().flatten();
        let mut so_far: Option<SatLit> = None;
        for ((&a, &b), &equal) in before.zip(after).zip(self.equal[j].iter().flatten()) {
            let given: Vec<SatLit> = so_far.iter().map(|&equal| !equal).collect();
            // If equal so far, a <= b; and equal still if a = b.
            clauses.add(&[&given[..], &[!a, b]].concat())?;
            clauses.add(&[&given[..], &[a, b, equal]].concat())?;
            clauses.add(&[&given[..], &[!a, !b, equal]].concat())?;
            so_far = Some(equal);
        }
        Ok(())
    }

    /// The rules of a solution.
    fn terms(
        &self,
        problem: &ClassProblem,
        is_true: impl Fn(SatLit) -> Result<bool, Halt>,
    ) -> Result<Vec<Term>, Halt> {
        let mut terms = Vec::new();
        for discriminates in &self.discriminates {
            let mut literals = Vec::new();
            for (i, literal) in problem.literals.iter().enumerate() {
                let [d0, d1] = discriminates[literal.feature.0 as usize];
                if is_true(if literal.positive { d0 } else { d1 })? {
                    literals.push(i);
                }
            }
            terms.push(problem.term(&literals));
        }
        Ok(terms)
    }
}
