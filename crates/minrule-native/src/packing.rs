//! The linear relaxation of a cover seen from its other side: prices of examples that no rule exceeds.
//!
//! Where examples may be left out, a price has an upper bound, and most prices are at it. With a constraint
//! for each rule and a bounded variable for each price, a basis is as small as the number of rules.
#![allow(unsafe_code, reason = "HiGHS takes a whole program at a time through the C interface only")]

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

use highs_sys::{
    Highs_clearSolver, Highs_create, Highs_destroy, Highs_getBasis, Highs_getModelStatus,
    Highs_getSolution, Highs_passLp, Highs_run, Highs_setBasis, Highs_setBoolOptionValue,
    Highs_setIntOptionValue, Highs_setStringOptionValue, HighsInt, STATUS_ERROR, kHighsBasisStatusBasic,
    kHighsBasisStatusLower, kHighsBasisStatusUpper, kHighsModelStatusOptimal,
};

use crate::Failed;

/// Maximise the sum of prices, each between zero and its bound, so that no rule's exceed its cost.
pub struct Packing<'p> {
    /// Of each price.
    pub bounds: &'p [f64],
    /// Of each price, the rules that it counts for.
    pub rules_of: &'p [Vec<u32>],
    /// Of each rule.
    pub costs: &'p [f64],
}

/// Where a variable or a constraint is at an optimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At zero.
    Lower,
    /// Anywhere.
    Basic,
    /// At its bound.
    Upper,
}

/// An optimum, and a start for the next one.
pub struct Packed {
    /// The prices.
    pub prices: Vec<f64>,
    /// Of each rule, what the sum would gain if it cost more: its share in the cover.
    pub shares: Vec<f64>,
    /// Of each price.
    pub price_places: Vec<Place>,
    /// Of each rule.
    pub rule_places: Vec<Place>,
}

/// A solver of such programs, one after another.
pub struct PackingLp(*mut c_void);

// SAFETY: a HiGHS model owns all it points to and keeps nothing in thread-local storage between
// calls; it is used by one thread at a time, as `&mut` sees to.
unsafe impl Send for PackingLp {}

impl Drop for PackingLp {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and nobody else has it.
        unsafe { Highs_destroy(self.0) };
    }
}

impl Default for PackingLp {
    fn default() -> PackingLp {
        PackingLp::new()
    }
}

impl PackingLp {
    /// On one thread.
    pub fn new() -> PackingLp {
        // SAFETY: the names are those of options, and the strings end with a zero.
        unsafe {
            let highs = Highs_create();
            Highs_setBoolOptionValue(highs, c"output_flag".as_ptr(), 0);
            Highs_setIntOptionValue(highs, c"threads".as_ptr(), 1);
            for (option, value) in
                [(c"presolve", c"off"), (c"parallel", c"off"), (c"solver", c"simplex")]
            {
                let (option, value): (&CStr, &CStr) = (option, value);
                Highs_setStringOptionValue(highs, option.as_ptr(), value.as_ptr());
            }
            PackingLp(highs)
        }
    }

    /// The optimum; these places say where to begin, if they are as many as there are prices and rules.
    pub fn solve(
        &mut self,
        packing: &Packing,
        price_places: &[Place],
        rule_places: &[Place],
    ) -> Result<Packed, Failed> {
        let (prices, rules) = (packing.bounds.len(), packing.costs.len());
        if prices == 0 {
            // Nothing is to be covered. HiGHS calls that an empty model, not one that it has solved.
            let (shares, rule_places) = (vec![0.0; rules], vec![Place::Basic; rules]);
            return Ok(Packed { prices: Vec::new(), shares, price_places: Vec::new(), rule_places });
        }
        let starts: Vec<HighsInt> = packing
            .rules_of
            .iter()
            .scan(0, |sum, rules| {
                let start = *sum;
                *sum += rules.len() as HighsInt;
                Some(start)
            })
            .collect();
        let index: Vec<HighsInt> =
            packing.rules_of.iter().flatten().map(|&rule| rule as HighsInt).collect();
        let value = vec![1.0; index.len()];
        let scale = scale(packing);
        let scaled = |amounts: &[f64]| amounts.iter().map(|amount| amount / scale).collect::<Vec<f64>>();
        let (bounds, costs) = (scaled(packing.bounds), scaled(packing.costs));
        let (ones, zeros, least) =
            (vec![1.0; prices], vec![0.0; prices], vec![f64::NEG_INFINITY; rules]);
        // SAFETY: the lists are as long as HiGHS is told, and it copies them.
        let passed = unsafe {
            Highs_passLp(
                self.0,
                prices as HighsInt,
                rules as HighsInt,
                index.len() as HighsInt,
                1,
                -1,
                0.0,
                ones.as_ptr(),
                zeros.as_ptr(),
                bounds.as_ptr(),
                least.as_ptr(),
                costs.as_ptr(),
                starts.as_ptr(),
                index.as_ptr(),
                value.as_ptr(),
            )
        };
        ok(passed, "took no program")?;
        if price_places.len() == prices && rule_places.len() == rules {
            let columns: Vec<HighsInt> = price_places.iter().map(|&place| status(place)).collect();
            let rows: Vec<HighsInt> = rule_places.iter().map(|&place| status(place)).collect();
            // SAFETY: as long as the program that HiGHS has. A basis that it does not like is no harm.
            unsafe { Highs_setBasis(self.0, columns.as_ptr(), rows.as_ptr()) };
        }
        let mut ended = self.run()?;
        if ended != kHighsModelStatusOptimal {
            // Rounding can make it lose its way from one basis to the next; from nothing it is another way.
            // SAFETY: it has a program.
            ok(unsafe { Highs_clearSolver(self.0) }, "does not begin again")?;
            ended = self.run()?;
        }
        if ended != kHighsModelStatusOptimal {
            return Err(Failed(format!("HiGHS ended the LP with status {ended}")));
        }
        let mut packed = Packed {
            prices: vec![0.0; prices],
            shares: vec![0.0; rules],
            price_places: Vec::new(),
            rule_places: Vec::new(),
        };
        let (mut columns, mut rows) = (vec![0; prices], vec![0; rules]);
        // SAFETY: the lists are as long as the program that HiGHS has; what may be null is.
        unsafe {
            let solution = Highs_getSolution(
                self.0,
                packed.prices.as_mut_ptr(),
                null_mut(),
                null_mut(),
                packed.shares.as_mut_ptr(),
            );
            ok(solution, "gave no solution")?;
            ok(Highs_getBasis(self.0, columns.as_mut_ptr(), rows.as_mut_ptr()), "gave no basis")?;
        }
        packed.prices.iter_mut().for_each(|price| *price *= scale);
        packed.price_places = columns.into_iter().map(place).collect();
        packed.rule_places = rows.into_iter().map(place).collect();
        Ok(packed)
    }

    /// Solves the program that HiGHS has; says how that ended.
    fn run(&mut self) -> Result<HighsInt, Failed> {
        // SAFETY: it has a program.
        ok(unsafe { Highs_run(self.0) }, "failed")?;
        // SAFETY: as above.
        Ok(unsafe { Highs_getModelStatus(self.0) })
    }
}

/// What HiGHS should call one: its tolerances are absolute, and amounts may be in billionths of a row. A power of
/// two rounds nothing.
fn scale(packing: &Packing) -> f64 {
    const LARGE: f64 = 4096.0;
    let largest = packing.bounds.iter().chain(packing.costs).copied().fold(LARGE, f64::max);
    (largest / LARGE).log2().ceil().exp2()
}

fn status(place: Place) -> HighsInt {
    match place {
        Place::Lower => kHighsBasisStatusLower,
        Place::Basic => kHighsBasisStatusBasic,
        Place::Upper => kHighsBasisStatusUpper,
    }
}

fn place(status: HighsInt) -> Place {
    match status {
        s if s == kHighsBasisStatusBasic => Place::Basic,
        s if s == kHighsBasisStatusUpper => Place::Upper,
        _ => Place::Lower,
    }
}

fn ok(status: HighsInt, what: &str) -> Result<(), Failed> {
    match status {
        STATUS_ERROR => Err(Failed(format!("HiGHS {what}"))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_as_large_as_rules_and_bounds_allow() {
        let packing =
            Packing { bounds: &[2.0, 5.0], rules_of: &[vec![0], vec![0, 1]], costs: &[4.0, 3.0] };
        let packed = PackingLp::new().solve(&packing, &[], &[]).unwrap();
        assert_eq!(packed.prices.iter().sum::<f64>(), 4.0);
    }

    #[test]
    fn amounts_may_be_in_tiny_parts() {
        let packing =
            Packing { bounds: &[2e12, 5e12], rules_of: &[vec![0], vec![0, 1]], costs: &[4e12, 3e12] };
        let packed = PackingLp::new().solve(&packing, &[], &[]).unwrap();
        assert_eq!(packed.prices.iter().sum::<f64>(), 4e12);
        assert_eq!(packed.shares.iter().map(|share| share.abs()).sum::<f64>(), 1.0);
    }

    #[test]
    fn where_nothing_is_to_be_covered_no_rule_has_a_share() {
        for costs in [&[][..], &[1.0, 2.0]] {
            let packing = Packing { bounds: &[], rules_of: &[], costs };
            let packed = PackingLp::new().solve(&packing, &[], &[]).unwrap();
            assert_eq!((packed.prices.len(), packed.shares), (0, vec![0.0; costs.len()]));
        }
    }
}
