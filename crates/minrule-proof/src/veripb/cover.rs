//! The argument about covers.
//!
//! The formula says: some rules of the pool cover every example and cost less than claimed. Variable
//! `x7` is rule 7; after the rules come the groups of examples that may be left out. The derivation shows that there are none:
//!
//! - prices are multipliers. The covering constraints times their prices, and the limit on the cost
//!   times the unit, add up to one constraint that unit propagation refutes, or from which it drops
//!   the rules that are too dear. A cut is half the sum of some covering constraints, rounded up;
//! - a case that is closed becomes the clause that not all rules taken in it are taken;
//! - a rule that another stands in for goes by redundance-based strengthening, with the exchange of
//!   one for the other as its witness.

use std::fmt::Write as _;

use super::Derivation;
use crate::certificate::Cover;
use crate::cover::{self, Event, Problem};
use crate::verdict::Refusal;

pub(super) fn derivation(
    problem: &Problem,
    cover: &Cover,
    name: &'static str,
    tired: &dyn Fn() -> bool,
) -> Result<Derivation, Refusal> {
    let mut writer = Writer::new(problem, cover);
    cover::check(problem, cover, tired, &mut |event| writer.note(event))?;
    Ok(writer.finish(name))
}

struct Writer<'p> {
    problem: &'p Problem,
    cover: &'p Cover,
    /// Of each example, the constraint that it is covered.
    covered: Vec<usize>,
    formula: String,
    proof: String,
    /// The constraints on the cost and on the number of rules.
    cost: usize,
    limit: Option<usize>,
    /// Rules taken, from the outermost case inwards.
    taken: Vec<usize>,
    /// Constraints to forget when a case ends, case by case.
    within: Vec<Vec<usize>>,
    /// Sums of the outermost case.
    root_sums: Vec<usize>,
    /// The last constraint.
    last: usize,
}

impl<'p> Writer<'p> {
    fn new(problem: &'p Problem, cover: &'p Cover) -> Writer<'p> {
        let mut formula = String::new();
        let (columns, examples) = (&problem.columns, problem.examples.count());
        let constraints = examples + 1 + usize::from(cover.limit.is_some());
        let _ = writeln!(formula, "* #variable= {} #constraint= {constraints}", columns.len());
        let mut covered = vec![0; problem.unlisted.len()];
        for (number, example) in problem.examples.iter().enumerate() {
            covered[example] = number + 1;
            for (rule, _) in columns.iter().enumerate().filter(|(_, c)| c.covered.contains(example)) {
                let _ = write!(formula, "1 {} ", name(rule));
            }
            let _ = writeln!(formula, ">= 1 ;");
        }
        for (number, column) in columns.iter().enumerate() {
            let _ = write!(formula, "-{} {} ", column.cost, name(number));
        }
        let _ = writeln!(formula, ">= -{} ;", cover.least - 1);
        if let Some(limit) = cover.limit {
            (0..columns.len()).for_each(|rule| _ = write!(formula, "-1 {} ", name(rule)));
            let _ = writeln!(formula, ">= -{limit} ;");
        }
        Writer {
            problem,
            cover,
            covered,
            formula,
            proof: format!("pseudo-Boolean proof version 3.0\nf {constraints};\n"),
            cost: examples + 1,
            limit: cover.limit.map(|_| examples + 2),
            taken: Vec::new(),
            within: Vec::new(),
            root_sums: Vec::new(),
            last: constraints,
        }
    }

    /// Writes a rule of the proof that derives one constraint.
    fn derive(&mut self, line: &str) -> usize {
        self.proof.push_str(line);
        self.proof.push_str(";\n");
        self.last += 1;
        self.last
    }

    /// Forgets a constraint when its case ends.
    fn forget_later(&mut self, constraint: usize) {
        if let Some(constraints) = self.within.last_mut() {
            constraints.push(constraint);
        }
    }

    fn forget(&mut self, constraints: &[usize]) {
        if !constraints.is_empty() {
            let ids: Vec<String> = constraints.iter().map(usize::to_string).collect();
            let _ = writeln!(self.proof, "del id {};", ids.join(" "));
        }
    }

    /// The clause that not all of these are taken together with this literal.
    fn clause(&self, last: Option<String>) -> String {
        let mut clause = String::from("rup ");
        self.taken.iter().for_each(|&rule| _ = write!(clause, "1 ~{} ", name(rule)));
        last.iter().for_each(|literal| _ = write!(clause, "1 {literal} "));
        clause + ">= 1"
    }

    fn note(&mut self, event: Event) {
        match event {
            Event::Dropped(rule, other) => self.exchange(rule, other),
            Event::Taken(rule) => {
                let id = self.derive(&self.clause(Some(name(rule))));
                self.forget_later(id);
            }
            Event::Priced(prices, charge, went) => {
                let mut sum = format!("pol {} {} *", self.cost, self.cover.unit);
                for (example, price) in &prices.examples {
                    let _ = write!(sum, " {} {price} * +", self.covered[*example]);
                }
                for (cut, price) in prices.cuts.iter().filter(|(cut, _)| !cut.is_empty()) {
                    for (number, example) in cut.iter().enumerate() {
                        let plus = if number > 0 { " +" } else { "" };
                        let _ = write!(sum, " {}{plus}", self.covered[example]);
                    }
                    let _ = write!(sum, " 2 d {price} * +");
                }
                if let Some(limit) = self.limit.filter(|_| charge > 0) {
                    let _ = write!(sum, " {limit} {charge} * +");
                }
                let sum = self.derive(&sum);
                if self.within.is_empty() {
                    // What stays must bear the exchange of rules; the sum does not.
                    for rule in went {
                        self.derive(&self.clause(Some(format!("~{}", name(rule)))));
                    }
                    self.root_sums.push(sum);
                } else {
                    self.forget_later(sum);
                }
            }
            Event::Tried(rule) => {
                self.taken.push(rule);
                self.within.push(Vec::new());
            }
            Event::Ended => {
                let clause = self.derive(&self.clause(None));
                self.taken.pop();
                let constraints = self.within.pop().unwrap_or_default();
                self.forget(&constraints);
                self.forget_later(clause);
            }
        }
    }

    /// One rule goes: whoever takes it may take the other in its place.
    fn exchange(&mut self, rule: usize, other: usize) {
        let sums = std::mem::take(&mut self.root_sums);
        self.forget(&sums);
        let (x, y) = (name(rule), name(other));
        let cost = |rule: usize| self.problem.columns[rule].cost;
        let mut goals = vec![(self.cost, cost(rule), cost(other))];
        goals.extend(self.limit.map(|limit| (limit, 1, 1)));
        let mut line = format!("red 1 ~{x} >= 1 : {x} -> 0 {y} -> 1 : subproof\n");
        // The exchange keeps the limits: what the one saves pays for the other.
        let mut known = self.last + 1;
        for (constraint, saved, spent) in goals {
            known += 1;
            let _ = writeln!(line, "proofgoal {constraint}");
            let pay = if spent > 0 { format!(" {y} {spent} * +") } else { String::new() };
            let save = if saved > 0 { format!(" {} {saved} * +", self.last + 1) } else { String::new() };
            let _ = writeln!(line, "pol {known} {constraint} +{pay}{save};");
            known += 1;
            let _ = writeln!(line, "qed : {known};");
        }
        line += "qed;\n";
        self.proof.push_str(&line);
        self.last = known + 1;
    }

    fn finish(mut self, name: &'static str) -> Derivation {
        let contradiction = self.derive("rup >= 1");
        let _ = writeln!(
            self.proof,
            "output NONE;\nconclusion UNSAT : {contradiction};\nend pseudo-Boolean proof;"
        );
        Derivation { name, formula: self.formula, proof: self.proof }
    }
}

fn name(rule: usize) -> String {
    format!("x{}", rule + 1)
}
