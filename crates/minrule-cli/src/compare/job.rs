//! One method on one table: a process of its own, so that whatever happens to it happens only to it.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use minrule::compare::{Configuration, Row};
use minrule::judge::model::judge;
use minrule::{Model, Table};
use serde_json::Value;

/// A run that outlives its time limit by this much is killed, and recorded as killed.
const GRACE: Duration = Duration::from_secs(20);
const TICK: Duration = Duration::from_millis(2);

/// What to run.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    /// The table's name, as it is shown.
    pub(crate) file: String,
    pub(crate) path: PathBuf,
    pub(crate) configuration: Configuration,
    pub(crate) time_limit: Duration,
    pub(crate) memory_limit: u64,
}

impl Job {
    /// What is known before it is run.
    pub(crate) fn row(&self) -> Row {
        Row::new(&self.file, &self.configuration, self.time_limit, self.memory_limit)
    }

    /// Runs it. The row says what happened, whatever it was; there is none only if `stopped` was set.
    pub(crate) fn run(&self, stopped: &AtomicBool) -> Option<Row> {
        let mut row = self.row();
        let ran = self.learn(stopped);
        if stopped.load(Ordering::Relaxed) {
            return None;
        }
        match ran {
            Ok(Some(run)) => self.fill(&mut row, run),
            Ok(None) => row.status = "killed".to_string(),
            Err(error) => row.status = format!("failed: {error}"),
        }
        Some(row)
    }

    /// `None` if it had to be killed.
    fn learn(&self, stopped: &AtomicBool) -> std::io::Result<Option<Run>> {
        let folder = tempfile::tempdir()?;
        let model = folder.path().join("model.json");
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("learn").args(["--format", "json", "--quiet"]);
        if !self.configuration.options.contains("--threads") {
            command.args(["--threads", "1"]);
        }
        command.arg("--time-limit").arg(format!("{}ms", self.time_limit.as_millis()));
        command.arg("--memory-limit").arg(format!("{}KB", self.memory_limit / 1000));
        command.arg("--model").arg(&model).args(self.configuration.options.split_whitespace());
        // The name of a table is no option, whatever it begins with.
        command.arg("--").arg(&self.path);
        let start = Instant::now();
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let read = |from: Option<Box<dyn Read + Send>>| {
            thread::spawn(move || {
                let mut text = String::new();
                from.map(|mut from| from.read_to_string(&mut text));
                text
            })
        };
        let output = read(output.map(|o| Box::new(o) as Box<dyn Read + Send>));
        let errors = read(errors.map(|e| Box::new(e) as Box<dyn Read + Send>));
        let exit = loop {
            if let Some(exit) = child.try_wait()? {
                break exit;
            }
            if start.elapsed() > self.time_limit + GRACE || stopped.load(Ordering::Relaxed) {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            thread::sleep(TICK);
        };
        let seconds = start.elapsed().as_secs_f64();
        let output = output.join().unwrap_or_default();
        let errors = errors.join().unwrap_or_default();
        let valid = self.is_valid(&model);
        Ok(Some(Run { exit: exit.code(), seconds, output, errors, valid }))
    }

    /// Whether the rules hold, by a judge that shares nothing with the solvers.
    fn is_valid(&self, model: &std::path::Path) -> Option<bool> {
        let model = Model::read(model).ok()?;
        let table = Table::read(&self.path, &model.table_options()).ok()?;
        judge(&model, &table).ok().map(|faults| faults.is_empty())
    }

    fn fill(&self, row: &mut Row, run: Run) {
        row.exit_code = run.exit.map_or(String::new(), |code| code.to_string());
        row.seconds = format!("{:.3}", run.seconds);
        let Ok(result) = serde_json::from_str::<Value>(&run.output) else {
            let why = run.errors.lines().next().unwrap_or("no answer").to_string();
            row.status = format!("failed: {why}");
            return;
        };
        if let Some(message) = result["error"]["message"].as_str() {
            row.status = format!("failed: {message}");
            return;
        }
        let field = |name: &str| match &result[name] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        row.status = field("status");
        let classes = result["classes"].as_array().cloned().unwrap_or_default();
        let stopped = classes.iter().find_map(|class| class["stopped_by"].as_str().map(str::to_string));
        row.stopped_by = stopped.unwrap_or_default();
        row.rules = field("rules");
        row.literals = field("literals");
        row.size = field("size");
        row.lower_bound = field("lower_bound");
        row.rules_enumerated = field("rules_enumerated");
        row.seconds_rules = result["seconds"]["rules"].to_string();
        row.seconds_cover = result["seconds"]["cover"].to_string();
        row.peak_mb = field("peak_mb");
        row.valid = run.valid.map_or("", |valid| if valid { "yes" } else { "no" }).to_string();
    }
}

/// What a process said.
struct Run {
    exit: Option<i32>,
    seconds: f64,
    output: String,
    errors: String,
    valid: Option<bool>,
}
