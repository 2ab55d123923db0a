//! The argument about prices and the pool.
//!
//! The formula says: there is a consistent term that is worth the threshold beyond its cost, and for
//! which no rule of the pool stands in. Variable `p3` is "the term has literal 3", `n3` "it has -3", and
//! `c5` "it covers example 5". The derivation is the search: some negative is still let through, so one
//! of the literals that discriminate it is in the term; each of them is refuted by propagation, or by
//! the same argument again. (Terms with literals they do not need are not left out here: that they are
//! no better than others is not a matter of propagation.)

use std::fmt::Write as _;

use super::Derivation;
use crate::bits::Bits;
use crate::search::{Market, PoolRule};
use crate::verdict::Refusal;

/// The derivation, if it does not take more lines than this.
pub(super) fn derivation(
    market: &Market,
    pool: &[PoolRule],
    threshold: i64,
    name: &'static str,
    most_lines: usize,
    tired: &dyn Fn() -> bool,
) -> Result<Option<Derivation>, Refusal> {
    let mut writer = Writer::new(market, pool, threshold, most_lines);
    let grid = market.grid;
    let root = Node {
        covered: Bits::all(grid.positives),
        left: Bits::all(grid.negatives),
        allowed: Bits::all(grid.literals()),
    };
    if writer.refute(&root, tired)?.is_none() {
        return Ok(None);
    }
    let contradiction = writer.last + 1;
    let _ = writeln!(
        writer.proof,
        "rup >= 1;\noutput NONE;\nconclusion UNSAT : {contradiction};\nend pseudo-Boolean proof;"
    );
    Ok(Some(Derivation { name, formula: writer.formula, proof: writer.proof }))
}

struct Node {
    covered: Bits,
    /// Negatives that the term lets through.
    left: Bits,
    /// Literals that are not refuted yet.
    allowed: Bits,
}

struct Writer<'m> {
    market: &'m Market<'m>,
    pool: &'m [PoolRule],
    threshold: i64,
    /// Lines that may still be written.
    lines: usize,
    /// Of each negative, the literals that discriminate it.
    discriminating: Vec<Bits>,
    term: Vec<usize>,
    formula: String,
    proof: String,
    /// The last constraint.
    last: usize,
}

impl<'m> Writer<'m> {
    fn new(market: &'m Market<'m>, pool: &'m [PoolRule], threshold: i64, lines: usize) -> Writer<'m> {
        let grid = market.grid;
        let everyone = Bits::all(grid.literals());
        let discriminating = (0..grid.negatives).map(|negative| {
            let mut literals = everyone.clone();
            let satisfied = |literal: &usize| grid.negatives_with[*literal].contains(negative);
            everyone.iter().filter(satisfied).for_each(|literal| literals.remove(literal));
            literals
        });
        let mut writer = Writer {
            market,
            pool,
            threshold,
            lines,
            discriminating: discriminating.collect(),
            term: Vec::new(),
            formula: String::new(),
            proof: String::new(),
            last: 0,
        };
        writer.write_formula();
        writer
    }

    fn write_formula(&mut self) {
        let Market { grid, ref prices, tariff, .. } = *self.market;
        let (per_rule, per_literal) = (tariff.per_rule as i64, tariff.per_literal as i64);
        let mut constraints: Vec<String> = Vec::new();
        // The term discriminates every negative.
        for literals in &self.discriminating {
            constraints.push(sum(literals.iter().map(|literal| (1, self.literal(literal)))) + ">= 1");
        }
        // An example is covered only if no literal is in the term that it does not satisfy.
        let counts = |example: &usize| !self.pool.is_empty() || prices[*example] > 0;
        let examples: Vec<usize> = (0..grid.positives).filter(counts).collect();
        for &example in &examples {
            let unmet = (0..grid.literals()).filter(|&l| !grid.positives_with[l].contains(example));
            let unmet: Vec<(i64, String)> =
                unmet.map(|l| (1, format!("~{}", self.literal(l)))).collect();
            let many = unmet.len() as i64;
            if many > 0 {
                let either = unmet.into_iter().chain([(many, format!("~c{}", example + 1))]);
                constraints.push(format!("{}>= {many}", sum(either)));
            }
        }
        // It is worth enough.
        let worth =
            examples.iter().filter(|&&e| prices[e] > 0).map(|&e| (prices[e], format!("c{}", e + 1)));
        let paid =
            (0..grid.literals()).filter(|_| per_literal > 0).map(|l| (-per_literal, self.literal(l)));
        constraints.push(format!("{}>= {}", sum(worth.chain(paid)), self.threshold + per_rule));
        if !self.pool.is_empty() {
            // It covers something, and more than each rule of the pool unless it is shorter.
            let one = sum(examples.iter().map(|e| (1, format!("c{}", e + 1))));
            constraints.push(one + ">= 1");
            let longest = grid.literals() as i64 + 1;
            for rule in self.pool {
                let more = examples.iter().filter(|&&example| !rule.covered.contains(example));
                let more = more.map(|example| (longest, format!("c{}", example + 1)));
                let shorter = (0..grid.literals()).map(|literal| (-1, self.literal(literal)));
                constraints.push(format!("{}>= {}", sum(more.chain(shorter)), 1 - rule.size as i64));
            }
        }
        let variables = grid.literals() + examples.len();
        self.formula = format!("* #variable= {variables} #constraint= {}\n", constraints.len());
        constraints.iter().for_each(|constraint| _ = writeln!(self.formula, "{constraint} ;"));
        self.last = constraints.len();
        self.proof = format!("pseudo-Boolean proof version 3.0\nf {};\n", self.last);
    }

    fn literal(&self, place: usize) -> String {
        let literal = self.market.grid.literal(place);
        format!("{}{}", if literal > 0 { 'p' } else { 'n' }, literal.unsigned_abs())
    }

    /// Writes down what propagation needs to refute the term, and returns these clauses; nothing, if
    /// there was no room for them. Terms are no longer than is affordable, so it does not go deep.
    fn refute(&mut self, node: &Node, tired: &dyn Fn() -> bool) -> Result<Option<Vec<usize>>, Refusal> {
        let mut clauses = Vec::new();
        if tired() {
            return Err(Refusal::Unfinished);
        }
        if self.is_refuted(&node.covered, self.term.len()) {
            return Ok(Some(clauses));
        }
        let grid = self.market.grid;
        let mut promising = node.allowed.clone();
        for literal in node.allowed.iter() {
            let covered = node.covered.and(&grid.positives_with[literal]);
            if self.is_refuted(&covered, self.term.len() + 1) {
                promising.remove(literal);
            }
        }
        let choices = |negative: &usize| self.discriminating[*negative].count_common(&promising);
        // A consistent term that is worth enough: no such claim holds.
        let Some(negative) = node.left.iter().min_by_key(choices) else { return Err(Refusal::Open) };
        let mut allowed = node.allowed.clone();
        for literal in self.discriminating[negative].and(&node.allowed).iter() {
            let within = Node {
                covered: node.covered.and(&grid.positives_with[literal]),
                left: node.left.and(&grid.negatives_with[literal]),
                allowed: allowed.clone(),
            };
            self.term.push(literal);
            let Some(used) = self.refute(&within, tired)? else { return Ok(None) };
            if self.lines == 0 {
                return Ok(None);
            }
            self.lines -= 1;
            clauses.push(self.clause());
            self.forget(&used);
            self.term.pop();
            allowed.remove(literal);
        }
        Ok(Some(clauses))
    }

    /// The clause that the term is none of those looked for.
    fn clause(&mut self) -> usize {
        let clause = sum(self.term.iter().map(|&literal| (1, format!("~{}", self.literal(literal)))));
        let _ = writeln!(self.proof, "rup {clause}>= 1;");
        self.last += 1;
        self.last
    }

    fn forget(&mut self, clauses: &[usize]) {
        if !clauses.is_empty() {
            let ids: Vec<String> = clauses.iter().map(usize::to_string).collect();
            let _ = writeln!(self.proof, "del id {};", ids.join(" "));
        }
    }

    /// Whether propagation alone refutes a term.
    fn is_refuted(&self, covered: &Bits, size: usize) -> bool {
        let stands_in = |rule: &PoolRule| rule.size <= size && covered.is_subset(&rule.covered);
        self.market.value(covered) - self.market.cost(size) < self.threshold
            || !self.pool.is_empty() && (covered.is_empty() || self.pool.iter().any(stands_in))
    }
}

fn sum(terms: impl Iterator<Item = (i64, String)>) -> String {
    terms.fold(String::new(), |mut sum, (factor, variable)| {
        let _ = write!(sum, "{factor} {variable} ");
        sum
    })
}
