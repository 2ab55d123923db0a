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
            screen: visible.then(MultiProgress::new),
            lines: HashMap::new(),
            start,
            last: None,
        }
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
                        describe(label, progress)
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

fn describe(label: &str, progress: &Progress) -> String {
    let stage = match progress.stage {
        Stage::Rules => "rules",
        Stage::Cover => "cover",
        _ => "first rules",
    };
    let bound = progress.lower_bound.first;
    let best = progress.cost.map_or("-".to_string(), |cost| cost.first.to_string());
    let gap = progress.cost.filter(|cost| cost.first > 0);
    let gap = gap.map_or(String::new(), |cost| {
        format!(", gap {:.1} %", 100.0 * (1.0 - bound as f64 / cost.first as f64))
    });
    let (label, rules) = (one_line(label), progress.rules_enumerated);
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
        let line = describe("yes", &progress);
        assert_eq!(line, "yes: rules; 120 rules; best 40, at least 25, gap 37.5 %");
        assert!(describe("\u{1b}[2J\n", &progress).starts_with("\\u{1b}[2J\\n: rules"));
    }
}
