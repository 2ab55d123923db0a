//! The history of a run: which costs and bounds were known at which time.

use std::path::Path;
use std::time::Instant;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use crate::data::literal::ClassId;
use crate::error::Result;
use crate::file::write_text;
use crate::result::decision_set::CostValue;
use crate::result::outcome::Outcome;
use crate::solve::board::Progress;
use crate::solve::objective::{Cost, Objective};

/// What was known of a class at some moment of learning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// Since the start.
    pub seconds: f64,
    /// The label.
    pub class: String,
    /// Cost of the best rules known.
    pub cost: CostValue,
    /// What every valid set of rules costs at least.
    pub lower_bound: CostValue,
}

/// Writes what was known when, as JSON.
pub fn write_history(moments: &[Moment], path: &Path) -> Result<()> {
    write_text(path, serde_json::to_string_pretty(moments).expect("plain data"))
}

/// Improvements of costs and bounds, as they come.
#[derive(Debug)]
pub struct History {
    labels: Vec<String>,
    objective: Objective,
    /// The parts of a row that costs are counted in, if they are.
    parts: Option<u64>,
    start: Instant,
    last: HashMap<ClassId, (Cost, Cost)>,
    moments: Vec<Moment>,
}

impl History {
    /// Begins at `start`; a class is its position in `labels`.
    pub fn new(labels: &[String], objective: Objective, start: Instant) -> History {
        let labels = labels.to_vec();
        History { labels, objective, parts: None, start, last: HashMap::new(), moments: Vec::new() }
    }

    /// Costs are counted in so many parts of a row.
    pub fn in_rows(mut self, parts: Option<u64>) -> History {
        self.parts = parts;
        self
    }

    /// Notes how far each class has come.
    pub fn note(&mut self, news: &[(ClassId, Progress)]) {
        for (class, progress) in news {
            if let Some(cost) = progress.cost {
                self.add(*class, cost, progress.lower_bound);
            }
        }
    }

    /// The complete history, with the final result.
    pub fn finish(mut self, outcome: &Outcome) -> Vec<Moment> {
        for class in &outcome.classes {
            self.add(class.class, class.cost, class.lower_bound);
        }
        self.moments
    }

    fn add(&mut self, class: ClassId, cost: Cost, bound: Cost) {
        if self.last.insert(class, (cost, bound)) == Some((cost, bound)) {
            return;
        }
        let value = |cost| match self.parts {
            None => CostValue::new(self.objective, cost),
            Some(parts) => CostValue::in_rows(cost, parts),
        };
        self.moments.push(Moment {
            seconds: self.start.elapsed().as_secs_f64(),
            class: self.labels[class.0 as usize].clone(),
            cost: value(cost),
            lower_bound: value(bound),
        });
    }
}
