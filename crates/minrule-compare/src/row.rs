//! One run of one method on one table.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::configurations::Configuration;

/// One run. Kept as text: what was not found out is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The table's name.
    pub file: String,
    /// The method's name.
    pub configuration: String,
    /// What it stands for: options of `minrule learn`.
    pub options: String,
    /// Seconds.
    pub time_limit: String,
    /// With its unit.
    pub memory_limit: String,
    /// Of minrule.
    pub version: String,
    /// Of the process, if it was one of its own.
    pub exit_code: String,
    /// `optimal`, `feasible`, `killed`, or `failed` and why.
    pub status: String,
    /// Why there is no proof.
    pub stopped_by: String,
    /// The number of rules.
    pub rules: String,
    /// The number of literals.
    pub literals: String,
    /// Literals plus one for each rule.
    pub size: String,
    /// What every decision set costs at least, in the unit of the objective.
    pub lower_bound: String,
    /// Rules enumerated or generated.
    pub rules_enumerated: String,
    /// From the start to the answer.
    pub seconds: String,
    /// Enumerating or generating rules, all classes added up.
    pub seconds_rules: String,
    /// Choosing the cover, all classes added up.
    pub seconds_cover: String,
    /// The most memory that the process held.
    pub peak_mb: String,
    /// Whether the judge accepts the model.
    pub valid: String,
}

impl Row {
    /// What is known before a run.
    pub fn new(file: &str, configuration: &Configuration, time: Duration, memory: u64) -> Row {
        Row {
            file: file.to_string(),
            configuration: configuration.name.clone(),
            options: configuration.options.clone(),
            time_limit: time.as_secs_f64().to_string(),
            memory_limit: format!("{}MB", memory / 1_000_000),
            version: env!("CARGO_PKG_VERSION").to_string(),
            ..Row::default()
        }
    }

    /// What tells one run from another: the same run is not repeated.
    pub fn key(&self) -> [String; 6] {
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

    /// Whether there is a proof.
    pub fn solved(&self) -> bool {
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
