//! The linear relaxation of a cover, with HiGHS: it grows by rules and by constraints.
//!
//! HiGHS's own binding does not say that a model may change threads, and has no bases.
#![allow(unsafe_code, reason = "as said above")]

use highs::{Col, ColProblem, HighsModelStatus, Model, Row, Sense};
use highs_sys::{
    Highs_getBasis, Highs_setBasis, HighsInt, STATUS_ERROR, kHighsBasisStatusBasic,
    kHighsBasisStatusLower,
};

use crate::Failed;

/// A covering LP; each solve starts from the last basis.
pub struct CoverLp {
    /// Taken out while it is being solved.
    model: Option<Model>,
    /// One for each example, then one for each constraint added.
    rows: Vec<Row>,
    /// One for each rule.
    columns: Vec<Col>,
}

/// HiGHS's option for the method that suits the basis.
const CHOOSE: i32 = 0;

// SAFETY: a HiGHS model owns all it points to and keeps nothing in thread-local storage between
// calls; it is used by one thread at a time, as `&mut` sees to.
unsafe impl Send for CoverLp {}

/// An optimum of the relaxation.
pub struct Fractional {
    /// How much of each rule is in the cover.
    pub shares: Vec<f64>,
    /// What each row is worth.
    pub prices: Vec<f64>,
    /// What it costs.
    pub cost: f64,
    /// Whether it is one, and not an end that was asked for.
    pub complete: bool,
}

/// Which rules and rows are basic.
#[derive(Clone)]
pub struct Basis {
    /// Rules, by position.
    pub rules: Vec<usize>,
    /// Rows, by position.
    pub rows: Vec<usize>,
}

impl CoverLp {
    /// So many examples, and no rule yet.
    pub fn new(examples: usize) -> CoverLp {
        let mut problem = ColProblem::default();
        let rows = (0..examples).map(|_| problem.add_row(1.0..)).collect();
        let mut model = problem.optimise(Sense::Minimise);
        model.set_option("threads", 1);
        model.set_option("parallel", "off");
        model.set_option("presolve", "off");
        CoverLp { model: Some(model), rows, columns: Vec::new() }
    }

    /// Adds a rule: its cost, and how often it counts in which rows.
    pub fn add_rule(
        &mut self,
        cost: f64,
        entries: impl Iterator<Item = (usize, f64)>,
    ) -> Result<(), Failed> {
        let CoverLp { model, rows, columns } = self;
        let model = model.as_mut().ok_or_else(lost)?;
        let entries = entries.map(|(row, factor)| (rows[row], factor));
        let added = model.try_add_column(cost, 0.0.., entries);
        columns.push(added.map_err(|s| Failed(format!("HiGHS took no column: {s:?}")))?);
        Ok(())
    }

    /// Adds a constraint: the least sum of the rules, each counted so often.
    pub fn add_row(
        &mut self,
        least: f64,
        entries: impl Iterator<Item = (usize, f64)>,
    ) -> Result<(), Failed> {
        let CoverLp { model, rows, columns } = self;
        let model = model.as_mut().ok_or_else(lost)?;
        let entries = entries.map(|(rule, factor)| (columns[rule], factor));
        let added = model.try_add_row(least.., entries);
        rows.push(added.map_err(|s| Failed(format!("HiGHS took no row: {s:?}")))?);
        Ok(())
    }

    /// Bounds the share of a rule: taken, left out or free.
    pub fn bound(&mut self, rule: usize, least: f64, most: f64) -> Result<(), Failed> {
        let column = self.columns[rule];
        self.model.as_mut().ok_or_else(lost)?.change_column_bounds(column, least..=most);
        Ok(())
    }

    /// From now on the primal simplex method is used where the last basis is feasible: where only rules came in.
    pub fn go_on_from_feasible(&mut self) -> Result<(), Failed> {
        self.model.as_mut().ok_or_else(lost)?.set_option("simplex_strategy", CHOOSE);
        Ok(())
    }

    /// Ends a solve as soon as the optimum is known to cost more than this; the prices then say so,
    /// and the shares mean nothing.
    pub fn enough_at(&mut self, cost: f64) -> Result<(), Failed> {
        self.model.as_mut().ok_or_else(lost)?.set_option("objective_bound", cost);
        Ok(())
    }

    /// The basis of the last solve.
    pub fn basis(&mut self) -> Result<Basis, Failed> {
        let mut columns: Vec<HighsInt> = vec![0; self.columns.len()];
        let mut rows: Vec<HighsInt> = vec![0; self.rows.len()];
        let model = self.model.as_mut().ok_or_else(lost)?.as_mut_ptr();
        // SAFETY: the model lives, and has as many columns and rows as there is room for.
        let status = unsafe { Highs_getBasis(model, columns.as_mut_ptr(), rows.as_mut_ptr()) };
        taken(status)?;
        let basic = |statuses: &[HighsInt]| {
            (0..statuses.len()).filter(|&i| statuses[i] == kHighsBasisStatusBasic).collect()
        };
        Ok(Basis { rules: basic(&columns), rows: basic(&rows) })
    }

    /// Starts the next solve from a basis.
    pub fn start_from(&mut self, basis: &Basis) -> Result<(), Failed> {
        let mut columns = vec![kHighsBasisStatusLower; self.columns.len()];
        let mut rows = vec![kHighsBasisStatusLower; self.rows.len()];
        basis.rules.iter().for_each(|&rule| columns[rule] = kHighsBasisStatusBasic);
        basis.rows.iter().for_each(|&row| rows[row] = kHighsBasisStatusBasic);
        let model = self.model.as_mut().ok_or_else(lost)?.as_mut_ptr();
        // SAFETY: the model lives, and has as many columns and rows as these.
        taken(unsafe { Highs_setBasis(model, columns.as_ptr(), rows.as_ptr()) })
    }

    /// The optimum of the relaxation.
    pub fn solve(&mut self) -> Result<Fractional, Failed> {
        let model = self.model.take().ok_or_else(lost)?;
        let solved = model.try_solve().map_err(|s| Failed(format!("HiGHS failed: {s:?}")))?;
        let complete = match solved.status() {
            HighsModelStatus::Optimal => true,
            HighsModelStatus::ObjectiveBound => false,
            status => return Err(Failed(format!("HiGHS ended the LP with {status:?}"))),
        };
        let solution = solved.get_solution();
        let fractional = Fractional {
            shares: solution.columns().to_vec(),
            prices: solution.dual_rows().to_vec(),
            cost: solved.objective_value(),
            complete,
        };
        self.model = Some(solved.into());
        Ok(fractional)
    }
}

fn taken(status: HighsInt) -> Result<(), Failed> {
    match status {
        STATUS_ERROR => Err(Failed("HiGHS took no basis".to_string())),
        _ => Ok(()),
    }
}

fn lost() -> Failed {
    Failed("the LP is lost".to_string())
}
