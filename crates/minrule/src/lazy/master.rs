//! The linear relaxation of the cover, over the rules known so far: what each example is worth.

use highs::{ColProblem, HighsModelStatus, Model, Row, Sense};

use crate::limits::Halt;
use crate::rule::Coverage;

/// A covering LP that grows by columns; each solve starts from the last basis.
pub(super) struct Master {
    /// Taken out while it is being solved.
    model: Option<Model>,
    /// One for each example.
    rows: Vec<Row>,
}

impl Master {
    pub(super) fn new(examples: usize) -> Master {
        let mut problem = ColProblem::default();
        let rows = (0..examples).map(|_| problem.add_row(1.0..)).collect();
        let mut model = problem.optimise(Sense::Minimise);
        model.set_option("threads", 1);
        model.set_option("parallel", "off");
        model.set_option("presolve", "off");
        Master { model: Some(model), rows }
    }

    /// Adds a rule.
    pub(super) fn add(&mut self, cost: i64, coverage: &Coverage) -> Result<(), Halt> {
        let model = self.model.as_mut().ok_or_else(|| Halt::Failed("the LP is lost".to_string()))?;
        let factors = coverage.ones().map(|example| (self.rows[example], 1.0));
        let added = model.try_add_column(cost as f64, 0.0.., factors);
        added.map(drop).map_err(|status| Halt::Failed(format!("HiGHS took no column: {status:?}")))
    }

    /// The prices of the examples at the optimum of the relaxation.
    pub(super) fn prices(&mut self) -> Result<Vec<f64>, Halt> {
        let model = self.model.take().ok_or_else(|| Halt::Failed("the LP is lost".to_string()))?;
        let solved = model.try_solve().map_err(|s| Halt::Failed(format!("HiGHS failed: {s:?}")))?;
        if solved.status() != HighsModelStatus::Optimal {
            return Err(Halt::Failed(format!("HiGHS ended the LP with {:?}", solved.status())));
        }
        let prices = solved.get_solution().dual_rows().to_vec();
        self.model = Some(solved.into());
        Ok(prices)
    }
}
