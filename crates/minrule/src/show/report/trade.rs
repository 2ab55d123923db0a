//! What a sparse set gets wrong and what that costs, by the table at hand.

use crate::judge;
use crate::result::decision_set::DecisionSet;
use crate::result::model::Model;
use crate::show::report::counts::{Counts, Fired};
use crate::show::report::words::{count, percent};

/// What rules get wrong and cost, in rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Trade {
    /// Rows wrong, as the objective counts them.
    pub(super) errors: u64,
    /// What is paid for size.
    pub(super) for_size: f64,
    /// What is paid for both.
    pub(super) cost: f64,
}

impl Trade {
    /// That of all classes; nothing if the set is not sparse.
    pub(super) fn new(model: &Model, counts: &Counts) -> Option<Trade> {
        let classes = 0..model.decision_set.classes.len();
        let all = classes.filter_map(|place| Trade::of_class(model, counts, place));
        model.decision_set.is_sparse().then(|| all.fold(Trade::default(), Trade::and))
    }

    /// That of a class, by its place.
    pub(super) fn of_class(model: &Model, counts: &Counts, place: usize) -> Option<Trade> {
        let set = &model.decision_set;
        let [units, parts] = set.price_fraction?;
        let rules = set.classes[place].rules.iter();
        let size = judge::cost(set.objective, rules.map(|rule| rule.conditions.len())).first;
        let errors = counts.errors(model, place);
        let paid = u128::from(units) * u128::from(size);
        let rows = |paid: u128| paid as f64 / parts as f64;
        let cost = rows(paid + u128::from(errors) * u128::from(parts));
        Some(Trade { errors, for_size: rows(paid), cost })
    }

    fn and(self, other: Trade) -> Trade {
        Trade {
            errors: self.errors + other.errors,
            for_size: self.for_size + other.for_size,
            cost: self.cost + other.cost,
        }
    }
}

/// What is paid for size, in a sentence. The page calls literals conditions.
pub(super) fn price(set: &DecisionSet) -> Option<String> {
    Some(set.price_in_words()?.replace("literal", "condition"))
}

/// The rows of other classes on which a rule fires; where rules may be wrong, even if there are none. As HTML.
pub(super) fn errors(fired: Fired, sparse: bool) -> String {
    match (sparse, fired.others) {
        (false, 0) => String::new(),
        (false, n) => format!("and {} of other classes", count(n, "row")),
        (true, n) => {
            let precision = percent(fired.own, fired.own.saturating_add(n));
            format!("<span>{} wrong</span> <span>precision {precision}</span>", count(n, "row"))
        }
    }
}
