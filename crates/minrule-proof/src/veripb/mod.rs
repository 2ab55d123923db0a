//! Arguments as pseudo-Boolean proofs, for VeriPB and other checkers of that format.

mod cover;
mod prices;

use crate::certificate::{Argument, Certificate};
use crate::grid::Grid;
use crate::verdict::{self, Refusal};

/// A formula and the derivation of a contradiction from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derivation {
    /// What it is about: `prices`, `cover` or `cover-2`.
    pub name: &'static str,
    /// In the format OPB.
    pub formula: String,
    /// In VeriPB's format, version 3.
    pub proof: String,
}

/// The argument of a certificate in parts. The part about prices has a line for each step of the search,
/// and is left out if there are more than `most_lines`, or if rules may be wrong; so is an argument that needs
/// none.
pub fn derivations(
    grid: &Grid,
    certificate: &Certificate,
    most_lines: usize,
    tired: &dyn Fn() -> bool,
) -> Result<Vec<Derivation>, Refusal> {
    let (pricing, rules, covers) = match &certificate.argument {
        Argument::Nothing | Argument::Apart(_) => return Ok(Vec::new()),
        Argument::Prices(pricing) => (pricing, &[][..], &[][..]),
        Argument::Pool(pricing, rules, covers) => (pricing, &rules[..], &covers[..]),
    };
    let pool = verdict::pool(grid, rules)?;
    let (market, threshold) = verdict::market(grid, certificate, pricing)?;
    // What a search for rules that may be wrong rules out is more than propagation sees.
    let prices = match certificate.price {
        None => prices::derivation(&market, &pool, threshold, most_lines, tired)?,
        Some(_) => None,
    };
    let mut all: Vec<Derivation> = prices.into_iter().collect();
    for (cover, name) in covers.iter().filter(|cover| cover.least > 0).zip(["cover", "cover-2"]) {
        let problem = verdict::cover_problem(grid, certificate.price, &pool, cover);
        all.push(cover::derivation(&problem, cover, name, tired)?);
    }
    Ok(all)
}
