//! A job in a process of its own, so that whatever happens to it happens only to it.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use minrule_compare::{Job, Row};

/// A run that outlives its time limit by this much is killed, and recorded as killed.
const GRACE: Duration = Duration::from_secs(20);
const TICK: Duration = Duration::from_millis(2);

/// Runs a job. The row says what happened, whatever it was; there is none only if `stopped` was set.
pub(super) fn run(job: &Job, stopped: &AtomicBool) -> Option<Row> {
    let ended = wait(job, stopped);
    if stopped.load(Ordering::Relaxed) {
        return None;
    }
    let without_answer = |status: String| Row { status, ..job.row() };
    Some(match ended {
        Ok(Some(ended)) => ended.row(job),
        Ok(None) => without_answer("killed".to_string()),
        Err(error) => without_answer(format!("failed: {error}")),
    })
}

/// What a process said.
struct Ended {
    exit: Option<i32>,
    seconds: f64,
    output: String,
    errors: String,
}

/// `None` if it had to be killed.
fn wait(job: &Job, stopped: &AtomicBool) -> io::Result<Option<Ended>> {
    let start = Instant::now();
    let mut child = command(job)?.spawn()?;
    let output = child.stdout.take().expect("it is piped");
    let errors = child.stderr.take().expect("it is piped");
    let answered = AtomicBool::new(false);
    thread::scope(|scope| {
        let output = scope.spawn(|| {
            // A line of its own says that there is an answer, before it is judged.
            let (mut output, mut text) = (BufReader::new(output), String::new());
            let _ = output.read_line(&mut text);
            answered.store(true, Ordering::Relaxed);
            let _ = output.read_to_string(&mut text);
            text
        });
        let errors = scope.spawn(|| io::read_to_string(errors).unwrap_or_default());
        let latest = job.time_limit.saturating_add(GRACE);
        let exit = loop {
            if let Some(exit) = child.try_wait()? {
                break exit;
            }
            let late = !answered.load(Ordering::Relaxed) && start.elapsed() > latest;
            if late || stopped.load(Ordering::Relaxed) {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            thread::sleep(TICK);
        };
        let seconds = start.elapsed().as_secs_f64();
        let output = output.join().unwrap_or_default();
        let errors = errors.join().unwrap_or_default();
        Ok(Some(Ended { exit: exit.code(), seconds, output, errors }))
    })
}

/// This program, told to make one run.
fn command(job: &Job) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("compare-run");
    // Names and options may begin like options of ours.
    command.arg(format!("--file={}", job.file));
    command.arg(format!("--name={}", job.configuration.name));
    command.arg(format!("--options={}", job.configuration.options));
    command.arg(format!("--time-limit={}", job.time_limit.as_secs_f64()));
    command.arg(format!("--memory-limit={}", job.memory_limit));
    command.arg("--").arg(&job.path);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

impl Ended {
    fn row(self, job: &Job) -> Row {
        let mut row = serde_json::from_str(&self.output).unwrap_or_else(|_| {
            let why = self.errors.lines().next().unwrap_or("no answer");
            let why = why.strip_prefix("minrule: ").unwrap_or(why);
            Row { status: format!("failed: {why}"), ..job.row() }
        });
        row.exit_code = self.exit.map_or(String::new(), |code| code.to_string());
        if row.seconds.is_empty() {
            row.seconds = format!("{:.3}", self.seconds);
        }
        row
    }
}
