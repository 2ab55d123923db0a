//! One run of one method on one table, in this process.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use minrule::judge::model::judge;
use minrule::limits::{leaves_room, peak_memory};
use minrule::result::CostValue;
use minrule::text::one_line;
use minrule::{
    BinariseOptions, Error, LearnOptions, Limits, Model, Policy, Problem, Result, Status, Stop,
    StopReason, Table, TableOptions,
};

use crate::configurations::Configuration;
use crate::row::Row;

/// What the options of a configuration mean.
pub trait Settings {
    /// How the table is read.
    fn table(&self) -> TableOptions {
        TableOptions::default()
    }

    /// How its columns become features.
    fn binarise(&self) -> Result<BinariseOptions> {
        Ok(BinariseOptions::default())
    }

    /// How rules are found. Asked once the table is read.
    fn learn(&self, problem: &Problem) -> Result<LearnOptions>;

    /// Whether equally small rules are exchanged for others that overlap less.
    fn prefers_disjoint(&self) -> bool {
        false
    }

    /// The folder that the proof is written to.
    fn proof(&self) -> Option<&Path> {
        None
    }
}

/// Options of the method only, on one thread.
impl Settings for Configuration {
    fn learn(&self, _: &Problem) -> Result<LearnOptions> {
        self.learn_options()
    }
}

/// What to run.
#[derive(Debug, Clone)]
pub struct Job {
    /// The table's name, as it is shown.
    pub file: String,
    /// Where the table is.
    pub path: PathBuf,
    /// The method.
    pub configuration: Configuration,
    /// From the start of reading.
    pub time_limit: Duration,
    /// In bytes, for the whole process.
    pub memory_limit: u64,
}

impl Job {
    /// What is known before it is run.
    pub fn row(&self) -> Row {
        Row::new(&self.file, &self.configuration, self.time_limit, self.memory_limit)
    }

    /// Runs it. The row says what happened, whatever it was.
    pub fn run(&self, settings: &dyn Settings, stop: &Stop) -> Row {
        match self.answer(settings, stop) {
            Ok(answer) => answer.judged(),
            Err(error) => self.failed(&error),
        }
    }

    /// The row of a run that came to nothing.
    pub fn failed(&self, error: &Error) -> Row {
        // The remedy is for somebody who can try again at once.
        Row { status: format!("failed: {}", one_line(&error.to_string())), ..self.row() }
    }

    /// The first half of a run, which is timed; its judge is the other.
    pub fn answer(&self, settings: &dyn Settings, stop: &Stop) -> Result<Answer> {
        let start = Instant::now();
        let deadline = start.checked_add(self.time_limit);
        let limits = Limits { deadline, memory: Some(self.memory_limit), stop: stop.clone() };
        // The bits are the smaller part of what a run holds.
        let max_bytes = Some(self.memory_limit / 4);
        let binarise = BinariseOptions { max_bytes, ..settings.binarise()? };
        let options = TableOptions { limits: limits.for_reading(), ..settings.table() };
        let separator = options.separator;
        let mut problem = Problem::new(Table::read(&self.path, &options)?, &binarise)?;
        let options = settings.learn(&problem)?;
        leaves_room(self.memory_limit)?;
        problem.forget_rows();
        let mut outcome = problem.learn(&options, &limits)?;
        if settings.prefers_disjoint() {
            outcome = problem.prefer_disjoint(outcome, &limits)?;
        }
        if let Some(folder) = settings.proof() {
            problem.proof(&outcome).write(folder)?;
        }
        let model = problem.model(&outcome, Policy::suited_to(&options));
        let set = &model.decision_set;
        let row = Row {
            seconds: format!("{:.3}", start.elapsed().as_secs_f64()),
            peak_mb: peak_memory().map_or(String::new(), |bytes| (bytes / 1_000_000).to_string()),
            status: if set.status == Status::Optimal { "optimal" } else { "feasible" }.to_string(),
            stopped_by: outcome.stopped_by().map_or("", StopReason::name).to_string(),
            rules: set.rules.to_string(),
            literals: set.literals.to_string(),
            size: set.size.to_string(),
            lower_bound: match set.lower_bound {
                CostValue::One(bound) => bound.to_string(),
                CostValue::Two([first, second]) => format!("[{first},{second}]"),
                CostValue::Rows(rows) => rows.to_string(),
            },
            rules_enumerated: set.rules_enumerated.to_string(),
            seconds_rules: format!("{:.6}", outcome.seconds().rules),
            seconds_cover: format!("{:.6}", outcome.seconds().cover),
            ..self.row()
        };
        let (path, stopped_by) = (self.path.clone(), outcome.stopped_by());
        Ok(Answer { row, stopped_by, model, path, separator })
    }
}

/// What a method said of a table, before anybody has judged it.
pub struct Answer {
    row: Row,
    /// Why there is no proof, if there is none.
    pub stopped_by: Option<StopReason>,
    model: Model,
    path: PathBuf,
    separator: u8,
}

impl Answer {
    /// The row, with what a judge says that shares nothing with the solvers. The run is over; its judge
    /// reads the table again, and has the time that it takes.
    pub fn judged(self) -> Row {
        let options = TableOptions { separator: self.separator, ..self.model.table_options() };
        let faults = Table::read(&self.path, &options).and_then(|table| judge(&self.model, &table));
        let valid = faults.map_or("", |faults| if faults.is_empty() { "yes" } else { "no" });
        Row { valid: valid.to_string(), ..self.row }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn job(path: PathBuf) -> Job {
        let configuration = Configuration { name: "mine".into(), options: "--minimize rules".into() };
        let (time_limit, memory_limit) = (Duration::from_secs(60), 8_000_000_000);
        Job { file: "t".into(), path, configuration, time_limit, memory_limit }
    }

    #[test]
    fn a_run_is_timed_judged_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        fs::write(&path, "a,b,class\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n").unwrap();
        let job = job(path.clone());
        let row = job.run(&job.configuration, &Stop::default());
        let found = [&row.status, &row.rules, &row.literals, &row.lower_bound, &row.valid];
        assert_eq!(found, ["optimal", "3", "4", "3", "yes"]);
        assert_eq!(row.key(), job.row().key());

        let answer = job.answer(&job.configuration, &Stop::default()).unwrap();
        fs::write(&path, "a,b,class\n0,0,yes\n0,1,no\n1,0,no\n1,1,yes\n").unwrap();
        assert_eq!(answer.judged().valid, "no");
    }

    #[test]
    fn what_cannot_be_run_is_a_row_too() {
        let job = job(PathBuf::from("no such\ntable.csv"));
        let row = job.run(&job.configuration, &Stop::default());
        assert!(row.status.starts_with("failed: cannot read no such\\ntable.csv: "), "{}", row.status);
        assert!(!row.status.contains("permissions") && row.valid.is_empty());
    }
}
