//! What a sparse set gets wrong and what that costs, by the table at hand.

use crate::judge;
use crate::result::decision_set::DecisionSet;
use crate::result::model::Model;
use crate::show::report::counts::{Counts, Fired};
use crate::show::report::words::{count, in_rows, percent};

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

/// The rows of other classes on which a rule fires, and how often it is right. As HTML.
pub(super) fn errors(fired: Fired) -> String {
    let precision = percent(fired.own, fired.own.saturating_add(fired.others));
    format!("<span>{} wrong</span> <span>precision {precision}</span>", count(fired.others, "row"))
}

/// What the set would be without one of its rules, by its number over all classes; nothing if that was not tried.
pub(super) fn without(model: &Model, counts: &Counts, number: usize, literals: usize) -> Option<String> {
    let wrong = counts.without.as_ref()?[number];
    let wrong = match wrong {
        0 => "no more rows wrong".to_string(),
        n if n > 0 => count(n.unsigned_abs(), "more row") + " wrong",
        n => count(n.unsigned_abs(), "fewer row") + " wrong",
    };
    let set = &model.decision_set;
    // Where classes have an order, what a rule leaves goes on to the next class, which has other rules then.
    let Some([units, parts]) = set.price_fraction.filter(|_| !set.is_ordered()) else {
        return Some(format!("without it: {wrong}"));
    };
    let fired = counts.rules[number];
    let size = judge::cost(set.objective, std::iter::once(literals)).first;
    let paid = i128::from(units) * i128::from(size);
    let errors = i128::from(fired.alone) - i128::from(fired.others);
    let more = (errors * i128::from(parts) - paid) as f64 / parts as f64;
    let way = if more < 0.0 { "less" } else { "more" };
    let rows = if more.abs() == 1.0 { "row" } else { "rows" };
    Some(format!("without it: {wrong}, cost {} {rows} {way}", in_rows(more.abs())))
}
