//! The smallest total size by SAT: `opt` (Yu, Ignatiev, Stuckey and Le Bodic, CP 2020).
//!
//! A decision set of size N is written as N nodes in a row: the literals of a rule, then a leaf with
//! its class, then the next rule. Is there such a row? Node `j` has for each feature `r` the variable
//! `s_jr`, "it tests the feature", `t_j`, "it asks for true", and for each class a variable "it is a leaf
//! of this class"; example `i` has `v_ij`, "it satisfies the rule so far":
//!
//! - a node is exactly one thing, and the last one is a leaf;
//! - every example is valid at the first node and after a leaf; elsewhere if and only if it was valid
//!   at the node before and has the value that was asked for;
//! - an example that is valid at a leaf has its class;
//! - every example is valid at some leaf of its class.
//!
//! With MaxSAT, there are as many nodes as the best known set has, and those at the end may be
//! unused: the fewest used ones are wanted.

use super::{Clauses, Formula, OptSearch};
use crate::data::examples::Examples;
use crate::data::literal::{ClassId, FeatureId, Literal};
use crate::limits::{Halt, Stop};
use crate::solve::board::{Board, Stage};
use crate::solve::class_problem::ClassProblem;
use crate::solve::maxsat::{MaxSat, Step};
use crate::solve::objective::Cost;
use crate::solve::rule::Term;
use crate::solve::sat::{Sat, SatLit};
use crate::solve::start;

/// The smallest set of rules of one class.
pub(crate) fn separate(
    problem: &ClassProblem,
    search: OptSearch,
    stop: &Stop,
    board: &Board,
) -> Result<(), Halt> {
    if problem.positives.is_empty() {
        return Ok(());
    }
    board.enter(Stage::Rules);
    let nodes = Nodes {
        examples: problem.examples(),
        literals: &problem.literals,
        classes: vec![problem.class()],
    };
    let known = board.progress().cost.map_or(u64::MAX, |cost| cost.first);
    let found = nodes.fewest(known, search, stop, &mut |bound| {
        board.raise(Cost { first: bound, second: 0 });
    })?;
    if let Some(rules) = found {
        start::offer(problem, rules.into_iter().map(|(_, term)| term).collect(), board);
    }
    Ok(())
}

/// The smallest set of rules of all classes at once. `raise` hears what all of them cost at least.
/// The rules, each with its class; `None` if the known set of this cost is smallest.
pub(crate) fn joint(
    examples: &Examples,
    literals: &[Literal],
    classes: Vec<ClassId>,
    known: u64,
    search: OptSearch,
    stop: &Stop,
    raise: &mut dyn FnMut(u64),
) -> Result<Option<Vec<(ClassId, Term)>>, Halt> {
    Nodes { examples, literals, classes }.fewest(known, search, stop, raise)
}

/// What rows of nodes are about: the examples, and the classes that have leaves.
struct Nodes<'a> {
    examples: &'a Examples,
    literals: &'a [Literal],
    classes: Vec<ClassId>,
}

/// The variables of one node.
struct Node {
    /// `s_jr`.
    tests: Vec<SatLit>,
    /// `t_j`.
    asks_for_true: SatLit,
    /// One for each class.
    leaf: Vec<SatLit>,
    /// Nothing: only with MaxSAT.
    unused: Option<SatLit>,
    /// `v_ij`.
    valid: Vec<SatLit>,
    /// For each example: "it is valid here, and this is a leaf of its class".
    explained: Vec<SatLit>,
}

impl Nodes<'_> {
    /// The fewest nodes there can be, as rules; `None` if there are none with fewer than `known`.
    fn fewest(
        &self,
        known: u64,
        search: OptSearch,
        stop: &Stop,
        raise: &mut dyn FnMut(u64),
    ) -> Result<Option<Vec<(ClassId, Term)>>, Halt> {
        match search {
            OptSearch::Sat => {
                for nodes in 1..known {
                    raise(nodes);
                    let mut sat = Sat::new(stop);
                    let row = self.row(nodes as usize, false, &mut sat);
                    self.clauses(&row, Clauses { formula: &mut sat, stop })?;
                    if sat.solve(&[])? {
                        return self.rules(&row, |literal| sat.is_true(literal)).map(Some);
                    }
                }
                raise(known);
                Ok(None)
            }
            OptSearch::Maxsat => {
                let mut maxsat = MaxSat::new(stop);
                let row = self.row(known as usize, true, &mut maxsat);
                self.clauses(&row, Clauses { formula: &mut maxsat, stop })?;
                for unused in row.iter().filter_map(|node| node.unused) {
                    maxsat.soft(unused, 1)?;
                }
                loop {
                    let step = maxsat.step()?;
                    raise(maxsat.cost());
                    match step {
                        Step::Raised => {}
                        Step::Optimum => {
                            return self.rules(&row, |literal| maxsat.is_true(literal)).map(Some);
                        }
                        Step::Infeasible => {
                            let what = "MaxSAT refused a set that is known".to_string();
                            return Err(Halt::Failed(what));
                        }
                    }
                }
            }
        }
    }

    fn row(&self, nodes: usize, may_be_unused: bool, formula: &mut dyn Formula) -> Vec<Node> {
        (0..nodes)
            .map(|_| Node {
                tests: formula.many(self.examples.features()),
                asks_for_true: formula.fresh(),
                leaf: formula.many(self.classes.len()),
                unused: may_be_unused.then(|| formula.fresh()),
                valid: formula.many(self.examples.len()),
                explained: formula.many(self.examples.len()),
            })
            .collect()
    }

    /// The position of an example's class among those that have leaves.
    fn class(&self, example: usize) -> Option<usize> {
        self.classes.iter().position(|&class| class == self.examples.class(example))
    }

    fn clauses(&self, row: &[Node], mut clauses: Clauses) -> Result<(), Halt> {
        let features = self.examples.features();
        for (j, node) in row.iter().enumerate() {
            let mut things = node.tests.clone();
            things.extend(&node.leaf);
            things.extend(node.unused);
            clauses.add(&things)?;
            clauses.at_most_one(&things)?;
            for r in 0..features {
                for positive in [true, false] {
                    let literal = Literal { feature: FeatureId(r as u32), positive };
                    if self.literals.binary_search(&literal).is_err() {
                        let asked = if positive { !node.asks_for_true } else { node.asks_for_true };
                        clauses.add(&[!node.tests[r], asked])?;
                    }
                }
            }
            let before = j.checked_sub(1).map(|j| &row[j]);
            if let (Some(unused), Some(before)) = (node.unused, before) {
                // Unused nodes stand at the end, after a leaf.
                if let Some(unused_before) = before.unused {
                    clauses.add(&[!unused_before, unused])?;
                    let ends: Vec<SatLit> =
                        before.leaf.iter().copied().chain([unused_before, !unused]).collect();
                    clauses.add(&ends)?;
                }
            }
            for example in 0..self.examples.len() {
                self.validity(example, node, before, &mut clauses)?;
            }
        }
        if let Some(last) = row.last() {
            let ends: Vec<SatLit> = last.leaf.iter().copied().chain(last.unused).collect();
            clauses.add(&ends)?;
        }
        for example in (0..self.examples.len()).filter(|&example| self.class(example).is_some()) {
            let some: Vec<SatLit> = row.iter().map(|node| node.explained[example]).collect();
            clauses.add(&some)?;
        }
        Ok(())
    }

    fn validity(
        &self,
        example: usize,
        node: &Node,
        before: Option<&Node>,
        clauses: &mut Clauses,
    ) -> Result<(), Halt> {
        let valid = node.valid[example];
        match before {
            None => clauses.add(&[valid])?,
            Some(before) => {
                let was_valid = before.valid[example];
                for &leaf in &before.leaf {
                    clauses.add(&[!leaf, valid])?;
                }
                for (r, &tests) in before.tests.iter().enumerate() {
                    let has = self.examples.value(example, FeatureId(r as u32));
                    let agrees = if has { before.asks_for_true } else { !before.asks_for_true };
                    clauses.add(&[!tests, !was_valid, !agrees, valid])?;
                    clauses.add(&[!tests, was_valid, !valid])?;
                    clauses.add(&[!tests, agrees, !valid])?;
                }
            }
        }
        let class = self.class(example);
        for (k, &leaf) in node.leaf.iter().enumerate() {
            if Some(k) != class {
                clauses.add(&[!leaf, !valid])?;
            }
        }
        if let Some(class) = class {
            clauses.defines_and(node.explained[example], &[valid, node.leaf[class]])?;
        }
        Ok(())
    }

    /// The rules of a solution, each with its class.
    fn rules(
        &self,
        row: &[Node],
        is_true: impl Fn(SatLit) -> Result<bool, Halt>,
    ) -> Result<Vec<(ClassId, Term)>, Halt> {
        let mut rules = Vec::new();
        let mut literals: Vec<Literal> = Vec::new();
        for node in row {
            for (r, &tests) in node.tests.iter().enumerate() {
                if is_true(tests)? {
                    let feature = FeatureId(r as u32);
                    literals.push(Literal { feature, positive: is_true(node.asks_for_true)? });
                }
            }
            for (&class, &leaf) in self.classes.iter().zip(&node.leaf) {
                if is_true(leaf)? {
                    rules.push((class, Term::new(std::mem::take(&mut literals))));
                }
            }
        }
        Ok(rules)
    }
}
