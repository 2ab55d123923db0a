//! The rows of a comparison, on file.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use minrule::{Error, Result};

use crate::row::Row;
use crate::run::Job;

/// All rows so far; every new one is on file at once.
pub struct Results {
    path: PathBuf,
    rows: HashMap<[String; 6], Row>,
    file: csv::Writer<File>,
}

impl Results {
    /// Opens a file of rows, or begins one.
    pub fn open(path: &Path) -> Result<Results> {
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

    /// Whether a job is done.
    pub fn has(&self, job: &Job) -> bool {
        self.get(job).is_some()
    }

    /// What came of a job, if it is done.
    pub fn get(&self, job: &Job) -> Option<&Row> {
        self.rows.get(&job.row().key())
    }

    /// Keeps a row.
    pub fn add(&mut self, row: Row) -> Result<()> {
        let written =
            self.file.serialize(&row).map_err(io::Error::other).and_then(|()| self.file.flush());
        written.map_err(|cause| Error::Write { path: self.path.clone(), cause })?;
        self.rows.insert(row.key(), row);
        Ok(())
    }
}
