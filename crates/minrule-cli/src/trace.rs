//! What was known when: the trace of a run.

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use minrule::{
    ClassId, Cost, CostValue, Error, Moment, Objective, Outcome, Progress, Result, write_file,
};

/// Improvements of costs and bounds, as they come.
pub(crate) struct Trace<'a> {
    labels: &'a [String],
    objective: Objective,
    start: Instant,
    last: HashMap<ClassId, (Cost, Cost)>,
    moments: Vec<Moment>,
}

impl<'a> Trace<'a> {
    pub(crate) fn new(labels: &'a [String], objective: Objective, start: Instant) -> Trace<'a> {
        Trace { labels, objective, start, last: HashMap::new(), moments: Vec::new() }
    }

    pub(crate) fn note(&mut self, news: &[(ClassId, Progress)]) {
        for (class, progress) in news {
            if let Some(cost) = progress.cost {
                self.add(*class, cost, progress.lower_bound);
            }
        }
    }

    /// Writes everything, with what came of it in the end.
    pub(crate) fn write(mut self, outcome: &Outcome, path: &Path) -> Result<()> {
        for class in &outcome.classes {
            self.add(class.class, class.cost, class.lower_bound);
        }
        let text = serde_json::to_string_pretty(&self.moments).expect("plain data");
        write_file(path, |file| {
            let path = path.to_path_buf();
            file.write_all(text.as_bytes()).map_err(|cause| Error::Write { path, cause })
        })
    }

    fn add(&mut self, class: ClassId, cost: Cost, bound: Cost) {
        if self.last.insert(class, (cost, bound)) == Some((cost, bound)) {
            return;
        }
        self.moments.push(Moment {
            seconds: self.start.elapsed().as_secs_f64(),
            class: self.labels[class.0 as usize].clone(),
            cost: CostValue::new(self.objective, cost),
            lower_bound: CostValue::new(self.objective, bound),
        });
    }
}
