//! The curve on the page: size against errors, what to expect on new rows, and what the next set would buy.
//!
//! It is drawn here, once, and can be read without scripts: lines in a picture that stretches, dots and numbers
//! as text over it, so that these stay as large on a telephone. A script lets people choose among the sets.

use crate::judge;
use crate::result::outcome::Status;
use crate::show::export::escaped;
use crate::show::report::expected::share;
use crate::show::report::sets::{Sets, Shown};
use crate::show::report::words::{count, file_name, in_rows, number, points};
use crate::solve::objective::Objective;

/// Lines of a grid, about.
const LINES: f64 = 4.0;

/// What is drawn of a set.
struct Dot {
    size: u64,
    errors: u64,
    /// Accuracy on new rows and its standard error, if known.
    expected: Option<(f64, f64)>,
    proven: bool,
}

/// The curve of a page.
pub(super) struct CurveView<'a> {
    sets: &'a Sets<'a>,
    objective: Objective,
    dots: Vec<Dot>,
}

/// A scale of an axis: from the least to the largest number, and the numbers that are named.
struct Scale {
    least: f64,
    most: f64,
    named: Vec<f64>,
}

impl<'a> CurveView<'a> {
    /// None if there is only one set.
    pub(super) fn new(sets: &'a Sets<'a>) -> Option<CurveView<'a>> {
        let point = sets.all.iter().find_map(|shown| shown.point)?;
        let objective = point.model.decision_set.objective;
        let dot = |shown: &Shown| {
            let classes = 0..shown.model.decision_set.classes.len();
            let lengths = shown.model.rules().map(|(_, rule)| rule.conditions.len());
            let lengths: Vec<usize> = lengths.collect();
            Dot {
                size: judge::cost(objective, lengths.into_iter()).first,
                errors: classes.map(|place| shown.counts.errors(shown.model, place)).sum(),
                // All by the same folds; what to expect of a set that was chosen by them is something else.
                expected: match shown.point {
                    Some(point) => point.expected.as_ref(),
                    None => shown.expected,
                }
                .map(|expected| (expected.accuracy, expected.se)),
                proven: shown.point.map_or(shown.model.decision_set.status, |point| point.status)
                    == Status::Optimal,
            }
        };
        Some(CurveView { sets, objective, dots: sets.all.iter().map(dot).collect() })
    }

    /// What size counts.
    fn unit(&self) -> &'static str {
        match self.objective {
            Objective::Rules => "rules",
            Objective::Literals => "conditions",
            Objective::Size | Objective::RulesThenLiterals => "size (rules + conditions)",
        }
    }

    /// The whole section.
    pub(super) fn section(&self) -> String {
        let known = self.dots.iter().any(|dot| dot.expected.is_some());
        let accuracy = match known {
            true => self.accuracy(),
            false => "<p class=\"quiet\">How right each set will be on new rows is not known: \
                      <code>minrule curve --cross-validate 5</code> finds it out.</p>\n"
                .to_string(),
        };
        let last = self.dots.len() - 1;
        format!(
            "  <section id=\"curve\" aria-labelledby=\"curve-title\">\n\
             <h2 id=\"curve-title\">Size against errors</h2>\n\
             <p class=\"lead\">Each dot is a set of rules for which no other is a better trade at some price of size: \
             fewer errors take more rules or conditions. A hollow dot is not proven to be best. The ring is around {}.</p>\n\
             <div class=\"trade\" id=\"trade\">\n{}{accuracy}</div>\n\
             <div class=\"live chooser\"><label>Set of rules, from the smallest to the largest\n\
             <input type=\"range\" id=\"chooser\" min=\"0\" max=\"{last}\" step=\"1\" value=\"{}\"></label>\n\
             <button type=\"button\" id=\"back\" hidden>Back to {}</button></div>\n\
             <div id=\"step\" data-part=\"step\" aria-live=\"polite\">\n{}</div>\n{}  </section>\n\n",
            if self.is_chosen() { "the set that cross-validation chose" } else { "this model" },
            self.errors(),
            self.sets.at,
            if self.is_chosen() { "the chosen set" } else { "this model" },
            self.step(self.sets.at),
            self.table(),
        )
    }

    /// Whether the model at hand is what cross-validation chose.
    fn is_chosen(&self) -> bool {
        self.sets.here().model.expected.as_ref().is_some_and(|expected| expected.is_of_a_choice())
    }

    /// What the model at hand is called.
    fn name(&self) -> &'static str {
        if self.is_chosen() { "chosen" } else { "this model" }
    }

    /// A set in a few words, for those who do not see the picture.
    pub(super) fn words(&self, place: usize) -> String {
        let (shown, dot) = (&self.sets.all[place], &self.dots[place]);
        let here = if place == self.sets.at { format!(", {}", self.name()) } else { String::new() };
        let proven = if dot.proven { "" } else { ", not proven" };
        let expected = dot.expected.map_or(String::new(), |(accuracy, se)| {
            format!(", {} ± {} right on new rows", share(accuracy), points(se))
        });
        format!("{}, {}{expected}{proven}{here}", sizes(shown), count(dot.errors, "error"))
    }

    /// The set at a place, and what the next one would buy.
    pub(super) fn step(&self, place: usize) -> String {
        let (shown, dot) = (&self.sets.all[place], &self.dots[place]);
        let badge = match place == self.sets.at {
            true => format!(" <span class=\"badge\">{}</span>", self.name()),
            false => String::new(),
        };
        let expected = dot.expected.map_or(String::new(), |(accuracy, se)| {
            let chosen = match place == self.sets.at && self.is_chosen() {
                true => " (what to expect of a set that was chosen by it stands at the top)",
                false => "",
            };
            format!("; <b>{}</b> ± {} right in cross-validation{chosen}", share(accuracy), points(se))
        });
        let learned = match shown.point {
            None => "It is not one of the curve: it was asked for in another way, and may have rules for other classes."
                .to_string(),
            Some(point) => {
                let (from, to) = (decimal(point.alpha_from), point.alpha_to.map(decimal));
                let range = match to {
                    Some(to) => format!("every alpha from {from} to {to}"),
                    None => format!("every alpha from {from} on"),
                };
                let best = match point.status {
                    Status::Optimal => format!("Proven best for {range}"),
                    Status::Feasible => format!("The best found, not proven, for {range}"),
                };
                let table = escaped(file_name(&shown.model.provenance.table));
                let alpha = escaped(&point.alpha);
                format!("{best}; <code>minrule learn {table} --alpha {alpha}</code> learns such a set.")
            }
        };
        format!(
            "<p class=\"now\"><b>{}</b> with <b>{}</b>{expected}{badge}</p>\n\
             <p class=\"quiet\">{learned}</p>\n<p id=\"next\">{}</p>\n",
            sizes(shown),
            count(dot.errors, "error"),
            self.next(place),
        )
    }

    /// What the next set has more, and what that buys.
    fn next(&self, place: usize) -> String {
        let is_on_curve = |place: &usize| self.sets.all[*place].point.is_some();
        if !is_on_curve(&place) {
            return "What a next step would buy is known of the sets of the curve.".to_string();
        }
        let Some(next) = (place + 1..self.dots.len()).find(is_on_curve) else {
            return "This is the largest set of the curve: down to its last alpha, nothing more is worth its price."
                .to_string();
        };
        let (shown, dot) = (&self.sets.all[next], &self.dots[next]);
        let (before, now) = (&self.sets.all[place], &self.dots[place]);
        let more = |of: fn(&Shown) -> usize, what: &str| {
            let (a, b) = (of(before) as u64, of(shown) as u64);
            match a.cmp(&b) {
                std::cmp::Ordering::Less => Some(count(b - a, &format!("more {what}"))),
                std::cmp::Ordering::Equal => None,
                std::cmp::Ordering::Greater => {
                    Some(count(a - b, &format!("{what} fewer")).replace("fewers", "fewer"))
                }
            }
        };
        let takes: Vec<String> =
            [more(rules, "rule"), more(literals, "condition")].into_iter().flatten().collect();
        let takes = if takes.is_empty() { "no more of either".to_string() } else { takes.join(" and ") };
        let buys = match now.errors.checked_sub(dot.errors) {
            Some(0) => "no error fewer".to_string(),
            Some(1) => "1 error fewer".to_string(),
            Some(n) => format!("{} errors fewer", number(n)),
            None => count(dot.errors - now.errors, "more error"),
        };
        let each = match (now.errors.checked_sub(dot.errors), dot.size.checked_sub(now.size)) {
            (Some(errors @ 1..), Some(size @ 1..)) => {
                let each = (100.0 * errors as f64 / size as f64).round() / 100.0;
                format!(", {} for each unit of size", in_rows(each))
            }
            _ => String::new(),
        };
        let new = match (now.expected, dot.expected) {
            (Some((before, se)), Some((after, _))) if share(before) != share(after) => {
                let within = match (before - after).abs() <= se {
                    true => ", which is within one standard error",
                    false => "",
                };
                format!(" On new rows: {} right instead of {}{within}.", share(after), share(before))
            }
            (Some(_), Some(_)) => " On new rows: as many right.".to_string(),
            _ => String::new(),
        };
        let left_out = match shown.model.otherwise() == before.model.otherwise() {
            true => "",
            false => " Another class goes without rules then.",
        };
        format!("<b>The next step</b> takes {takes}, and buys {buys}{each}.{new}{left_out}")
    }

    /// The chart of errors.
    fn errors(&self) -> String {
        let size = self.sizes();
        let most = self.dots.iter().map(|dot| dot.errors).max().unwrap_or(0).max(1);
        let errors = Scale::new(0.0, most as f64);
        let on_curve: Vec<&Dot> = self
            .sets
            .all
            .iter()
            .zip(&self.dots)
            .filter(|(shown, _)| shown.point.is_some())
            .map(|(_, dot)| dot)
            .collect();
        let line =
            path(on_curve.iter().map(|dot| (size.at(dot.size as f64), errors.at(dot.errors as f64))));
        let dots: String = (0..self.dots.len())
            .map(|place| self.dot(place, &size, errors.at(self.dots[place].errors as f64)))
            .collect();
        let words = format!(
            "{} of rules, from {} and {} to {} and {}.",
            count(self.dots.len() as u64, "set"),
            sizes(&self.sets.all[0]),
            count(self.dots[0].errors, "error"),
            sizes(&self.sets.all[self.dots.len() - 1]),
            count(self.dots[self.dots.len() - 1].errors, "error"),
        );
        chart(
            "errors on the training rows",
            self.unit(),
            &words,
            (&size, &errors, |n| number(n as u64)),
            &format!("<path class=\"line\" d=\"{line}\"/>"),
            &dots,
        )
    }

    /// The chart of accuracies on new rows, with their standard errors.
    fn accuracy(&self) -> String {
        let size = self.sizes();
        let known: Vec<(f64, f64, f64)> = self
            .dots
            .iter()
            .zip(&self.sets.all)
            .filter_map(|(dot, shown)| {
                let (accuracy, se) = dot.expected?;
                shown.point.map(|_| (dot.size as f64, accuracy, se))
            })
            .collect();
        let ends = || self.dots.iter().filter_map(|dot| dot.expected);
        let least = ends().map(|(mean, se)| mean - se).fold(1.0, f64::min).max(0.0);
        let most = ends().map(|(mean, se)| mean + se).fold(0.0, f64::max).min(1.0);
        let scale = Scale::new(100.0 * least, 100.0 * most);
        let at = |accuracy: f64| scale.at(100.0 * accuracy.clamp(least, most));
        let line = path(known.iter().map(|&(x, mean, _)| (size.at(x), at(mean))));
        let above = known.iter().map(|&(x, mean, se)| (size.at(x), at(mean + se)));
        let below = known.iter().rev().map(|&(x, mean, se)| (size.at(x), at(mean - se)));
        let band = path(above.chain(below));
        let dots: String = (0..self.dots.len())
            .filter_map(|place| Some(self.dot(place, &size, at(self.dots[place].expected?.0))))
            .collect();
        let words = "Accuracy on new rows, by cross-validation, with one standard error on either side.";
        let lines = format!("<path class=\"band\" d=\"{band}Z\"/><path class=\"line\" d=\"{line}\"/>");
        let name = "right on new rows, ± one standard error";
        chart(name, self.unit(), words, (&size, &scale, |n| format!("{n} %")), &lines, &dots)
    }

    fn sizes(&self) -> Scale {
        Scale::new(0.0, self.dots.iter().map(|dot| dot.size).max().unwrap_or(0).max(1) as f64)
    }

    fn dot(&self, place: usize, size: &Scale, y: f64) -> String {
        let dot = &self.dots[place];
        let here = place == self.sets.at;
        let kinds = [
            (true, "point"),
            (!dot.proven, "open"),
            (self.sets.all[place].point.is_none(), "apart"),
            (here, "here now"),
        ];
        let kinds: Vec<&str> = kinds.into_iter().filter(|(is, _)| *is).map(|(_, kind)| kind).collect();
        format!(
            "<span class=\"{}\" data-place=\"{place}\" style=\"left: {:.2}%; bottom: {y:.2}%\" title=\"{}\"></span>\n",
            kinds.join(" "),
            size.at(dot.size as f64),
            escaped(&self.words(place)),
        )
    }

    /// All sets in a table.
    fn table(&self) -> String {
        let known = self.dots.iter().any(|dot| dot.expected.is_some());
        let cell = |text: String| format!("<td class=\"number\">{text}</td>");
        let row = |(place, (shown, dot)): (usize, (&Shown, &Dot))| {
            let set = &shown.model.decision_set;
            let alpha = match shown.point {
                Some(point) => decimal(point.alpha_from),
                None => "–".to_string(),
            };
            let wrong = shown.counts.rows - shown.counts.right;
            let mut cells = vec![alpha];
            cells.extend([set.rules as u64, set.literals as u64, dot.errors, wrong].map(number));
            if known {
                cells.push(dot.expected.map_or("–".to_string(), |(accuracy, se)| {
                    format!("{} ± {}", share(accuracy), points(se))
                }));
            }
            let cells: String = cells.into_iter().map(cell).collect();
            let status = if dot.proven { "proven" } else { "not proven" };
            let here = if place == self.sets.at {
                format!(" <span class=\"badge\">{}</span>", self.name())
            } else {
                String::new()
            };
            let now = if place == self.sets.at { " class=\"now\"" } else { "" };
            format!("<tr data-place=\"{place}\"{now}>{cells}<td>{status}{here}</td></tr>\n")
        };
        let rows: String = self.sets.all.iter().zip(&self.dots).enumerate().map(row).collect();
        let mut head = vec!["Alpha from", "Rules", "Conditions", "Errors", "Rows wrong"];
        if known {
            head.push("Right on new rows");
        }
        let head: String = head.iter().map(|name| format!("<th class=\"number\">{name}</th>")).collect();
        format!(
            "<details><summary>All {} in a table</summary>\n<div class=\"scroll\" tabindex=\"0\"><table id=\"points\">\n\
             <caption class=\"skip\">The sets of the curve</caption>\n\
             <thead><tr>{head}<th>Status</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div></details>\n",
            count(self.dots.len() as u64, "set"),
        )
    }
}

fn rules(shown: &Shown) -> usize {
    shown.model.rules().count()
}

fn literals(shown: &Shown) -> usize {
    shown.model.rules().map(|(_, rule)| rule.conditions.len()).sum()
}

fn sizes(shown: &Shown) -> String {
    format!("{}, {}", count(rules(shown) as u64, "rule"), count(literals(shown) as u64, "condition"))
}

/// A share of the rows, to three digits.
fn decimal(share: f64) -> String {
    let digits = (2 - share.max(1e-9).log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{share:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

/// One chart: a picture of lines, and text over it.
fn chart(
    name: &str,
    unit: &str,
    words: &str,
    (x, y, shown): (&Scale, &Scale, fn(f64) -> String),
    lines: &str,
    dots: &str,
) -> String {
    let ticks = |scale: &Scale, side: &str, kind: &str, shown: fn(f64) -> String| -> String {
        let tick = |&n: &f64| {
            format!(
                "<span class=\"tick {kind}\" style=\"{side}: {:.2}%\">{}</span>",
                scale.at(n),
                shown(n)
            )
        };
        scale.named.iter().map(tick).collect()
    };
    let grid: String = y.named.iter().map(|&n| format!("M0 {0:.2}H100", 100.0 - y.at(n))).collect();
    format!(
        "<figure class=\"chart\"><figcaption>{name}</figcaption>\n\
         <div class=\"canvas\" role=\"img\" aria-label=\"{}\">\n\
         <svg viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <path class=\"grid\" d=\"{grid}\"/>{lines}</svg>\n{}{}\n{dots}</div>\n\
         <div class=\"unit\">{unit}</div></figure>\n",
        escaped(words),
        ticks(y, "bottom", "y", shown),
        ticks(x, "left", "x", |n| number(n as u64)),
    )
}

/// A line through points, whose places are in per cent from the lower left.
fn path(places: impl Iterator<Item = (f64, f64)>) -> String {
    let step = |(i, (x, y)): (usize, (f64, f64))| {
        format!("{}{x:.2} {:.2}", if i == 0 { "M" } else { "L" }, 100.0 - y)
    };
    places.enumerate().map(step).collect()
}

impl Scale {
    /// A scale that has both numbers on it, with round numbers named.
    fn new(least: f64, most: f64) -> Scale {
        let rough = ((most - least) / LINES).max(1e-9);
        let unit = 10f64.powf(rough.log10().floor());
        // Everything that is counted here is whole, or in hundredths.
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * unit).find(|step| *step >= rough);
        let step = step.unwrap_or(10.0 * unit).max(1.0);
        let (first, last) = ((least / step).floor(), (most / step).ceil());
        let named = (0..=(last - first) as usize).map(|i| (first + i as f64) * step).collect();
        Scale { least: first * step, most: last * step, named }
    }

    /// Where a number stands, in per cent.
    fn at(&self, n: f64) -> f64 {
        100.0 * (n - self.least) / (self.most - self.least).max(1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_name_round_numbers() {
        let named = |least, most| Scale::new(least, most).named;
        assert_eq!(named(0.0, 78.0), [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!(named(0.0, 1.0), [0.0, 1.0]);
        assert_eq!(named(51.2, 96.0), [40.0, 60.0, 80.0, 100.0]);
        assert_eq!(Scale::new(0.0, 78.0).at(20.0), 25.0);
    }

    #[test]
    fn shares_are_short() {
        assert_eq!([0.1, 0.0125, 0.00625, 0.25].map(decimal), ["0.1", "0.0125", "0.00625", "0.25"]);
    }
}
