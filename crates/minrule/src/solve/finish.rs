//! What is done to the rules of a class in the end, before anyone sees them.

use super::class_problem::ClassProblem;
use super::rule::Term;
use super::rules;

/// Words of bits that are looked at to drop redundant literals in the end: a tenth of a second.
const IRREDUNDANT_WORDS: usize = 200_000_000;

/// The rules without redundant literals. What a class begins with has some, and where only
/// rules count, nothing better may come. Sets so large that this would take a while stay as they
/// are: they were given because time was up.
pub(crate) fn irredundant(problem: &ClassProblem, rules: Vec<Term>) -> Vec<Term> {
    let squares: usize = rules.iter().map(|term| term.size() * term.size()).sum();
    if squares * (problem.negatives.len() / 64 + 1) > IRREDUNDANT_WORDS {
        return rules;
    }
    let reduce = |term: &Term| problem.term(&rules::without_redundant(problem, problem.positions(term)));
    rules.iter().map(reduce).collect()
}

/// The rules in order, and the rows that each covers. People read the rules that say most first; the
/// order is part of the result.
pub(crate) fn in_order(problem: &ClassProblem, rules: Vec<Term>) -> (Vec<u64>, Vec<Term>) {
    let mut rules: Vec<(u64, Term)> = problem.rows_covered(&rules).into_iter().zip(rules).collect();
    sort(&mut rules);
    rules.into_iter().unzip()
}

/// Sorts rules, each with the rows that it covers.
pub(crate) fn sort(rules: &mut [(u64, Term)]) {
    rules.sort_by(|(rows, term), (other_rows, other)| {
        other_rows.cmp(rows).then(term.size().cmp(&other.size())).then(term.cmp(other))
    });
}
