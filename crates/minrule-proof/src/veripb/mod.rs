//! Arguments as pseudo-Boolean proofs, for VeriPB and other checkers of that format.

mod cover;
mod prices;

use crate::certificate::{Argument, Certificate};
use crate::grid::Grid;
use crate::verdict::{self, Claim, Refusal};

/// A formula and the derivation of a contradiction from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derivation {
    /// What it is about: `prices` or `cover`, and the same with a `-2` for the second part of a bound.
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
    let names = [("prices", &["cover", "cover-2"][..]), ("prices-2", &["cover-2"][..])];
    let mut all = Vec::new();
    for ((claim, argument), (name, cover_names)) in Claim::all(certificate)?.iter().zip(names) {
        let (pricing, rules, covers) = match argument {
            Argument::Prices(pricing) => (pricing, &[][..], &[][..]),
            Argument::Pool(pricing, rules, covers) => (pricing, &rules[..], &covers[..]),
            Argument::Nothing | Argument::Apart(_) | Argument::InTurn(..) => continue,
        };
        let pool = verdict::pool(grid, rules)?;
        let (market, threshold) = verdict::market(grid, claim, pricing)?;
        // What a search for rules that may be wrong rules out is more than propagation sees.
        if claim.price.is_none() {
            all.extend(prices::derivation(&market, &pool, threshold, name, most_lines, tired)?);
        }
        for (cover, name) in covers.iter().filter(|cover| cover.least > 0).zip(cover_names) {
            let problem = verdict::cover_problem(grid, claim.price, &pool, cover);
            all.push(cover::derivation(&problem, cover, name, tired)?);
        }
    }
    Ok(all)
}
