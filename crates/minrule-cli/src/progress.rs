//! Progress on standard error: a line for each class under work.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use minrule::ClassId;
use minrule::solve::{Progress, Stage};
use minrule::text::one_line;

/// How often the lines are written anew.
const REFRESH: Duration = Duration::from_millis(100);

/// The lines; silent unless standard error is a terminal.
pub(crate) struct ProgressLines {
    labels: Vec<String>,
    /// The parts of a row that costs are counted in, if they are.
    parts: Option<u64>,
    screen: Option<MultiProgress>,
    lines: HashMap<ClassId, ProgressBar>,
    start: Instant,
    last: Option<Instant>,
}

impl ProgressLines {
    pub(crate) fn new(labels: &[String], wanted: bool, start: Instant) -> ProgressLines {
        let visible = wanted && std::io::stderr().is_terminal();
        ProgressLines {
            labels: labels.to_vec(),
            parts: None,
            screen: visible.then(MultiProgress::new),
            lines: HashMap::new(),
            start,
            last: None,
        }
    }

    /// Costs are counted in so many parts of a row.
    pub(crate) fn in_rows(mut self, parts: Option<u64>) -> ProgressLines {
        self.parts = parts;
        self
    }

    pub(crate) fn show(&mut self, news: &[(ClassId, Progress)]) {
        let Some(screen) = &self.screen else { return };
        if self.last.is_some_and(|last| last.elapsed() < REFRESH) {
            return;
        }
        self.last = Some(Instant::now());
        let done = news.iter().filter(|(_, progress)| progress.stage == Stage::Done).count();
        for (class, progress) in news {
            match progress.stage {
                Stage::Waiting => {}
                Stage::Done => {
                    if let Some(line) = self.lines.remove(class) {
                        line.finish_and_clear();
                    }
                }
                _ => {
                    let line = self.lines.entry(*class).or_insert_with(|| {
                        let style = ProgressStyle::with_template("{spinner} {wide_msg}");
                        let bar = ProgressBar::new_spinner();
                        screen.add(bar.with_style(style.expect("the template is well-formed")))
                    });
                    let label = &self.labels[class.0 as usize];
                    let seconds = self.start.elapsed().as_secs();
                    line.set_message(format!(
                        "{seconds:>4} s  {done}/{} classes  {}",
                        news.len(),
                        describe(label, progress, self.parts.unwrap_or(1))
                    ));
                    line.tick();
                }
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        for (_, line) in self.lines.drain() {
            line.finish_and_clear();
        }
    }
}

/// One line that counts; silent unless standard error is a terminal.
pub(crate) struct CountLine {
    bar: ProgressBar,
    last: Option<usize>,
}

impl CountLine {
    /// What is done, what is counted, and how many there are; zero, if nobody knows.
    pub(crate) fn new(doing: &'static str, what: &'static str, all: usize, wanted: bool) -> CountLine {
        let bar = match wanted && std::io::stderr().is_terminal() {
            true => ProgressBar::new(all as u64),
            false => ProgressBar::hidden(),
        };
        let template = match all {
            0 => "{spinner} {elapsed}  {prefix}: {pos} {msg}",
            _ => "{spinner} {elapsed}  {prefix}: {pos} of {len} {msg}, {eta} left",
        };
        let style = ProgressStyle::with_template(template).expect("the template is well-formed");
        let bar = bar.with_style(style).with_prefix(doing).with_message(what);
        bar.enable_steady_tick(REFRESH);
        CountLine { bar, last: None }
    }

    /// So many are done.
    pub(crate) fn show(&mut self, done: usize) {
        if self.last != Some(done) {
            self.last = Some(done);
            self.bar.set_position(done as u64);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn describe(label: &str, progress: &Progress, parts: u64) -> String {
    let stage = match progress.stage {
        Stage::Rules => "rules",
        Stage::Cover => "cover",
        _ => "first rules",
    };
    let bound = progress.lower_bound.first;
    let in_rows = |cost: u64| (cost as f64 / parts as f64).to_string();
    let best = progress.cost.map_or("-".to_string(), |cost| in_rows(cost.first));
    let gap = progress.cost.filter(|cost| cost.first > 0);
    let gap = gap.map_or(String::new(), |cost| {
        format!(", gap {:.1} %", 100.0 * (1.0 - bound as f64 / cost.first as f64))
    });
    let (label, rules) = (one_line(label), progress.rules_enumerated);
    let bound = in_rows(bound);
    format!("{label}: {stage}; {rules} rules; best {best}, at least {bound}{gap}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use minrule::Cost;

    #[test]
    fn a_line_says_stage_class_rules_and_bounds() {
        let progress = Progress {
            stage: Stage::Rules,
            rules_enumerated: 120,
            cost: Some(Cost { first: 40, second: 0 }),
            lower_bound: Cost { first: 25, second: 0 },
        };
        let line = describe("yes", &progress, 1);
        assert_eq!(line, "yes: rules; 120 rules; best 40, at least 25, gap 37.5 %");
        let in_halves = describe("yes", &progress, 2);
        assert_eq!(in_halves, "yes: rules; 120 rules; best 20, at least 12.5, gap 37.5 %");
        assert!(describe("\u{1b}[2J\n", &progress, 1).starts_with("\\u{1b}[2J\\n: rules"));
    }
}
