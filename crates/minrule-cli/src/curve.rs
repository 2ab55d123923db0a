//! `minrule curve`: the best trades of errors against size.

use std::path::Path;
use std::time::Instant;

use minrule::apply::{CandidateScores, Validation};
use minrule::file::{try_output, write_text};
use minrule::result::{CurveFile, CurvePoint, FoldsOnFile, PointOnFile};
use minrule::solve::Order;
use minrule::solve::{Alpha, Curve as Trades, Point, Request};
use minrule::text::{count, percent};
use minrule::{
    DecisionSet, Error, LearnOptions, Limits, Policy, Problem, Result, Status, StopReason, Style, report,
};

use crate::alpha::half_of;
use crate::args::{Curve, CurveFormat, Format};
use crate::progress::CountLine;
use crate::source::{self, Interruption, Opened};
use crate::words;

/// Runs the command; `Some` says why not all is proven.
pub(crate) fn run(args: &Curve) -> Result<Option<StopReason>> {
    let start = Instant::now();
    source::start_log(args.verbose);
    let interruption = Interruption::listen();
    let alpha: Alpha = args.down_to.parse()?;
    let request = request(args, alpha);
    request.options()?;
    args.page.as_ref().map_or(Ok(()), |path| try_output(path))?;
    let format = if args.format == CurveFormat::Json { Format::Json } else { Format::Text };
    let limits = (args.time_limit, args.memory_limit);
    let opened = source::open(&args.source, limits, &interruption, format)?;
    let read = &opened.problem;
    let options = request.options_for(read.examples(), &read.table().target.name)?;
    let policy = args.policy.or(Policy::suited_to(&options))?;
    opened.warn(args.quiet);
    let Opened { problem, deadline, .. } = opened;
    let limits = Limits { deadline, memory: args.memory_limit, stop: interruption.begin_learning() };
    let visible = !args.quiet && args.verbose == 0;
    let mut line = CountLine::new("following the curve", "prices solved", 0, visible);
    // Where there are folds, they have the other half of the time.
    let of_curve = if args.cross_validate.is_some() { half_of(&limits) } else { limits.clone() };
    let curve = problem.curve(&options, alpha, (&of_curve, None), |done| line.show(done));
    line.clear();
    let curve = curve?;
    let mut points: Vec<Shown> = curve
        .all_points()
        .iter()
        .map(|point| {
            let alpha = curve.alpha(point);
            let model = problem.model(&curve.outcome(point, alpha), policy);
            let (alpha_from, alpha_to) = range(&curve, point);
            let of = CurvePoint {
                model,
                expected: None,
                alpha: alpha.to_string(),
                alpha_from,
                alpha_to,
                status: point.status,
            };
            Shown { alpha, of, scores: None }
        })
        .collect();
    let folds = match args.cross_validate {
        // Whoever interrupts the curve or the folds wants what there is of the curve.
        Some(_) if limits.stop.requested() => None,
        Some(folds) => {
            match cross_validate(args, folds, &problem, &options, policy, &mut points, &limits) {
                Err(Error::LimitReached { limit: StopReason::Interrupted, .. }) => None,
                folds => Some(folds?),
            }
        }
        None => None,
    };
    let seconds = start.elapsed().as_secs_f64();
    // Whatever becomes of the page, the curve is told.
    let written = args.page.as_ref().map(|path| write_page(path, &problem, &points, folds.as_ref()));
    words::print(&match args.format {
        CurveFormat::Text => text(&problem, &points, seconds),
        CurveFormat::Json => json(&curve, &problem, &points, (folds, policy), seconds),
        CurveFormat::Csv => csv(&points),
    })?;
    written.transpose()?;
    let interrupted = limits.stop.reason().filter(|reason| *reason == StopReason::Interrupted);
    Ok(curve.stopped_by().or(interrupted))
}

/// Writes the page, which begins with the set that folds choose, or else with that of the fewest errors.
fn write_page(
    path: &Path,
    problem: &Problem,
    points: &[Shown],
    folds: Option<&FoldsOnFile>,
) -> Result<()> {
    let first = folds.map_or(points.len() - 1, |folds| folds.chosen);
    let points: Vec<CurvePoint> = points.iter().map(|shown| shown.of.clone()).collect();
    let made = report(&points[first].model, problem.table(), &[], &points, Style::Words)?;
    write_text(path, &made.page)
}

/// What was asked for, in the library's words.
fn request(args: &Curve, alpha: Alpha) -> Request {
    Request {
        objective: args.minimize,
        alpha: Some(alpha),
        otherwise: args.otherwise.clone(),
        classes: args.classes.clone(),
        seed: args.seed,
        threads: args.threads,
        ..Request::default()
    }
}

/// A point of the curve, with all that is shown of it.
struct Shown {
    alpha: Alpha,
    of: CurvePoint,
    scores: Option<CandidateScores>,
}

impl Shown {
    fn set(&self) -> &DecisionSet {
        &self.of.model.decision_set
    }

    fn status(&self) -> &'static str {
        if self.of.status == Status::Optimal { "optimal" } else { "feasible" }
    }

    /// The label without rules.
    fn otherwise(&self) -> Option<&str> {
        self.set().otherwise.as_ref().and_then(|label| label.as_deref())
    }
}

/// Adds how right the sets of each point's alpha are on rows not seen.
fn cross_validate(
    args: &Curve,
    folds: usize,
    problem: &Problem,
    options: &LearnOptions,
    policy: Policy,
    points: &mut [Shown],
    limits: &Limits,
) -> Result<FoldsOnFile> {
    let validation = Validation {
        folds,
        repeats: args.repeats.unwrap_or(1),
        alphas: points.iter().map(|shown| shown.alpha).collect(),
        orders: vec![Order::None],
        binarise: problem.binarise().clone(),
        learn: options.clone(),
        policy,
    };
    let visible = !args.quiet && args.verbose == 0;
    let mut line = CountLine::new("cross-validating", "folds", validation.parts().len(), visible);
    let parts = validation.run(problem.table(), None, limits, |done| line.show(done));
    line.clear();
    let chosen = validation.choose(&parts?, Default::default(), Default::default());
    let (expected, how) = (validation.expected(&chosen), validation.expected_at(&chosen, 0).how);
    for (place, shown) in points.iter_mut().enumerate() {
        shown.scores = Some(chosen.by_candidate[place]);
        let at = validation.expected_at(&chosen, place);
        shown.of.model.expected =
            Some(if place == chosen.place { expected.clone() } else { at.clone() });
        shown.of.expected = Some(at);
    }
    let repeats = validation.repeats;
    Ok(FoldsOnFile { folds, repeats, chosen: chosen.place, expected, how })
}

/// The ends of a point's range, as shares of the rows.
fn range(curve: &Trades, point: &Point) -> (f64, Option<f64>) {
    let share = |rows: f64| rows / curve.rows() as f64;
    (share(point.from.in_rows()), point.to.map(|to| share(to.in_rows())))
}

fn text(problem: &Problem, points: &[Shown], seconds: f64) -> String {
    let mut out = String::new();
    let (table, classes) = (problem.table(), problem.examples().classes());
    words::line(
        &mut out,
        &format!(
            "{}: {}, {}, {} of \"{}\"",
            table.name,
            count(table.rows(), "row"),
            count(problem.features().len(), "Boolean feature"),
            count(classes.len(), "class"),
            table.target.name,
        ),
    );
    words::line(&mut out, "");
    let validated = points.iter().any(|shown| shown.scores.is_some());
    let changes = points.windows(2).any(|pair| pair[0].otherwise() != pair[1].otherwise());
    let mut head =
        vec!["alpha from", "to", "rules", "literals", "size", "errors", "rows wrong", "status"];
    if changes {
        head.push("otherwise");
    }
    if validated {
        head.extend(["accuracy", "se", "balanced", "log loss"]);
    }
    let rows = points.iter().map(|shown| {
        let set = shown.set();
        let mut row = vec![
            share(shown.of.alpha_from),
            shown.of.alpha_to.map_or("any".to_string(), share),
            set.rules.to_string(),
            set.literals.to_string(),
            set.size.to_string(),
            set.errors.unwrap_or_default().to_string(),
            set.rows_wrong.unwrap_or_default().to_string(),
            shown.status().to_string(),
        ];
        if changes {
            row.push(shown.otherwise().unwrap_or("-").to_string());
        }
        if let Some(scores) = &shown.scores {
            row.push(percent(scores.accuracy.mean));
            row.push(percent(scores.accuracy.se));
            row.push(percent(scores.balanced_accuracy.mean));
            row.push(format!("{:.3}", scores.log_loss.mean));
        }
        row
    });
    out.push_str(&words::columns(head.into_iter().map(String::from).collect(), rows));
    words::line(&mut out, "");
    let proven = points.iter().all(|shown| shown.of.status == Status::Optimal);
    words::line(
        &mut out,
        match proven {
            true => {
                "Proven: at no alpha from the smallest one up is another set a better trade of errors against size."
            }
            false => {
                "Sets called feasible may not be the best: the curve was stopped before that was proven."
            }
        },
    );
    if changes {
        words::line(
            &mut out,
            "The class without rules is the one that costs most to describe, which changes along the curve: sets \
             before and after a change are compared with others that leave out the same class.",
        );
    }
    words::line(&mut out, "Each set comes from `minrule learn` with an alpha in its range.");
    words::line(&mut out, &format!("{seconds:.2} s."));
    out
}

/// A share of the rows, to four digits.
fn share(share: f64) -> String {
    let digits = (3 - share.max(1e-9).log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{share:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn json(
    curve: &Trades,
    problem: &Problem,
    points: &[Shown],
    (folds, policy): (Option<FoldsOnFile>, Policy),
    seconds: f64,
) -> String {
    let point = |shown: &Shown| PointOnFile::new(&shown.of, shown.scores.as_ref());
    let points = points.iter().map(point).collect();
    let seconds = (seconds * 1e6).round() / 1e6;
    let objective = curve.options().objective();
    let file = CurveFile::new(problem.table(), objective, policy, points, folds, seconds);
    words::pretty(&serde_json::to_value(file).expect("plain data"))
}

fn csv(points: &[Shown]) -> String {
    let mut out = String::from(
        "alpha,alpha_from,alpha_to,rules,literals,size,errors,rows_wrong,status,accuracy,accuracy_se,\
         balanced_accuracy,balanced_accuracy_se,log_loss,log_loss_se\n",
    );
    for shown in points {
        let scores = shown.scores.map_or(vec![String::new(); 6], |scores| {
            let means = [scores.accuracy, scores.balanced_accuracy, scores.log_loss];
            means.iter().flat_map(|mean| [mean.mean.to_string(), mean.se.to_string()]).collect()
        });
        let set = shown.set();
        let cells = [
            shown.of.alpha.clone(),
            shown.of.alpha_from.to_string(),
            shown.of.alpha_to.map_or(String::new(), |to| to.to_string()),
            set.rules.to_string(),
            set.literals.to_string(),
            set.size.to_string(),
            set.errors.unwrap_or_default().to_string(),
            set.rows_wrong.unwrap_or_default().to_string(),
            shown.status().to_string(),
        ];
        out.push_str(&cells.into_iter().chain(scores).collect::<Vec<_>>().join(","));
        out.push('\n');
    }
    out
}
