//! Every method on every table, and the folder that holds what came of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use minrule::file::write_text;
use minrule::{Error, Result};

use crate::configurations::Configuration;
use crate::figures::figures;
use crate::page::{Sheet, page, sheets};
use crate::results::Results;
use crate::row::Row;
use crate::run::Job;
use crate::tables::NamedTable;

/// What is to be run, and what has been.
pub struct Comparison {
    folder: PathBuf,
    names: Vec<String>,
    jobs: Vec<Job>,
    results: Results,
}

impl Comparison {
    /// Opens a folder, or makes one. Rows that are there from an earlier time count as done.
    pub fn open(
        folder: &Path,
        tables: &[NamedTable],
        configurations: &[Configuration],
        time_limit: Duration,
        memory_limit: u64,
    ) -> Result<Comparison> {
        let job = |table: &NamedTable, configuration: &Configuration| Job {
            file: table.name.clone(),
            path: table.path.clone(),
            configuration: configuration.clone(),
            time_limit,
            memory_limit,
        };
        let jobs = tables.iter().flat_map(|table| configurations.iter().map(move |c| job(table, c)));
        fs::create_dir_all(folder)
            .map_err(|cause| Error::Write { path: folder.to_path_buf(), cause })?;
        Ok(Comparison {
            folder: folder.to_path_buf(),
            names: configurations.iter().map(|configuration| configuration.name.clone()).collect(),
            jobs: jobs.collect(),
            results: Results::open(&folder.join("results.csv"))?,
        })
    }

    /// All jobs, done or not.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// The jobs that have no row yet.
    pub fn jobs_left(&self) -> Vec<Job> {
        self.jobs.iter().filter(|job| !self.results.has(job)).cloned().collect()
    }

    /// Keeps a row; it is on file at once.
    pub fn add(&mut self, row: Row) -> Result<()> {
        self.results.add(row)
    }

    /// The rows of the jobs that are done, in the order of the jobs.
    pub fn rows(&self) -> Vec<&Row> {
        self.jobs.iter().filter_map(|job| self.results.get(job)).collect()
    }

    /// What the rows show, as tables to read.
    pub fn sheets(&self) -> Vec<Sheet> {
        sheets(&self.rows(), &self.names())
    }

    /// Writes the page and its figures.
    pub fn write_page(&self) -> Result<()> {
        let (rows, names) = (self.rows(), self.names());
        for (name, figure) in figures(&rows, &names) {
            write_text(&self.folder.join(name), &figure)?;
        }
        write_text(&self.folder.join("index.html"), page(&rows, &names)?)
    }

    fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }
}
