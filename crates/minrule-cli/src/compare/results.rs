//! The rows of a comparison, on file.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use minrule::{Error, Result};
use serde::{Deserialize, Serialize};

use super::job::Job;

/// One run. Kept as text: what was not found out is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) file: String,
    pub(crate) configuration: String,
    pub(crate) options: String,
    /// Seconds.
    pub(crate) time_limit: String,
    pub(crate) memory_limit: String,
    pub(crate) version: String,
    pub(crate) exit_code: String,
    /// `optimal`, `feasible`, `killed`, or `failed` and why.
    pub(crate) status: String,
    pub(crate) stopped_by: String,
    pub(crate) rules: String,
    pub(crate) literals: String,
    pub(crate) size: String,
    pub(crate) lower_bound: String,
    pub(crate) rules_enumerated: String,
    pub(crate) seconds: String,
    pub(crate) seconds_rules: String,
    pub(crate) seconds_cover: String,
    pub(crate) peak_mb: String,
    /// Whether the judge accepts the model.
    pub(crate) valid: String,
}

impl Row {
    /// What is known before a job is run.
    pub(crate) fn new(job: &Job) -> Row {
        Row {
            file: job.file.clone(),
            configuration: job.configuration.clone(),
            options: job.options.join(" "),
            time_limit: job.time_limit.as_secs_f64().to_string(),
            memory_limit: format!("{}MB", job.memory_limit / 1_000_000),
            version: env!("CARGO_PKG_VERSION").to_string(),
            ..Row::default()
        }
    }

    /// What tells one run from another: the same run is not repeated.
    fn key(&self) -> [String; 6] {
        [
            &self.file,
            &self.configuration,
            &self.options,
            &self.time_limit,
            &self.memory_limit,
            &self.version,
        ]
        .map(String::clone)
    }

    pub(crate) fn solved(&self) -> bool {
        self.status == "optimal"
    }

    pub(crate) fn number(text: &str) -> Option<f64> {
        text.parse().ok()
    }

    pub(crate) fn time(&self) -> f64 {
        Row::number(&self.seconds).unwrap_or(f64::INFINITY)
    }

    pub(crate) fn limit(&self) -> f64 {
        Row::number(&self.time_limit).unwrap_or(f64::INFINITY)
    }
}

/// All rows so far; every new one is on file at once.
pub(crate) struct Results {
    path: PathBuf,
    rows: HashMap<[String; 6], Row>,
    file: csv::Writer<File>,
}

impl Results {
    /// Opens a file of rows, or begins one.
    pub(crate) fn open(path: &Path) -> Result<Results> {
        let mut rows = HashMap::new();
        let exists = path.exists();
        if exists {
            let place = path.display().to_string();
            let bad =
                |error: csv::Error| Error::Read { place: place.clone(), cause: io::Error::other(error) };
            for row in csv::Reader::from_path(path).map_err(bad)?.deserialize::<Row>() {
                let row = row.map_err(bad)?;
                rows.insert(row.key(), row);
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|cause| Error::Write { path: path.to_path_buf(), cause })?;
        let file = csv::WriterBuilder::new().has_headers(!exists).from_writer(file);
        Ok(Results { path: path.to_path_buf(), rows, file })
    }

    pub(crate) fn has(&self, job: &Job) -> bool {
        self.get(job).is_some()
    }

    pub(crate) fn get(&self, job: &Job) -> Option<&Row> {
        self.rows.get(&Row::new(job).key())
    }

    pub(crate) fn add(&mut self, row: Row) -> Result<()> {
        let written =
            self.file.serialize(&row).map_err(io::Error::other).and_then(|()| self.file.flush());
        written.map_err(|cause| Error::Write { path: self.path.clone(), cause })?;
        self.rows.insert(row.key(), row);
        Ok(())
    }
}
