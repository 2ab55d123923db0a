//! `minrule curve`: the best trades of errors against size.

use std::time::Instant;

use minrule::apply::{AlphaScores, Validation};
use minrule::solve::{Alpha, Curve as Trades, Point, Request};
use minrule::text::{count, percent};
use minrule::{LearnOptions, Limits, Model, Policy, Problem, Result, Status, StopReason};
use serde_json::{Value, json};

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
    let format = if args.format == CurveFormat::Json { Format::Json } else { Format::Text };
    let limits = (args.time_limit, args.memory_limit);
    let opened = source::open(&args.source, limits, &interruption, (format, args.quiet))?;
    let Opened { problem, deadline, .. } = opened;
    let options = request.options_for(problem.examples(), &problem.table().target.name)?;
    let policy = args.policy.or(Policy::suited_to(&options))?;
    let limits = Limits { deadline, memory: args.memory_limit, stop: interruption.begin_learning() };
    let visible = !args.quiet && args.verbose == 0;
    let mut line = CountLine::new("following the curve", "prices solved", 0, visible);
    let curve = problem.curve(&options, alpha, (&limits, None), |done| line.show(done));
    line.clear();
    let curve = curve?;
    let points: Vec<Shown> = curve
        .all_points()
        .iter()
        .map(|point| {
            let alpha = curve.alpha(point);
            let model = problem.model(&curve.outcome(point, alpha), policy);
            Shown { point, alpha, model, scores: None }
        })
        .collect();
    let points = match args.cross_validate {
        None => points,
        Some(folds) => cross_validate(args, folds, &problem, &options, policy, points, &interruption)?,
    };
    let seconds = start.elapsed().as_secs_f64();
    words::print(&match args.format {
        CurveFormat::Text => text(&curve, &problem, &points, seconds),
        CurveFormat::Json => json(&curve, &problem, &points, seconds),
        CurveFormat::Csv => csv(&curve, &points),
    })?;
    Ok(curve.stopped_by())
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
struct Shown<'c> {
    point: &'c Point,
    alpha: Alpha,
    model: Model,
    scores: Option<AlphaScores>,
}

/// Adds how right the sets of each point's alpha are on rows not seen.
fn cross_validate<'c>(
    args: &Curve,
    folds: usize,
    problem: &Problem,
    options: &LearnOptions,
    policy: Policy,
    mut points: Vec<Shown<'c>>,
    interruption: &Interruption,
) -> Result<Vec<Shown<'c>>> {
    let validation = Validation {
        folds,
        repeats: args.repeats.unwrap_or(1),
        alphas: points.iter().map(|shown| shown.alpha).collect(),
        binarise: problem.binarise().clone(),
        learn: options.clone(),
        policy,
    };
    let visible = !args.quiet && args.verbose == 0;
    let mut line = CountLine::new("cross-validating", "folds", validation.parts().len(), visible);
    // The limit is that of the curve; folds have as much time again.
    let deadline = args.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let limits = Limits { deadline, memory: args.memory_limit, stop: interruption.stop.part() };
    let parts = validation.run(problem.table(), &limits, |done| line.show(done));
    line.clear();
    let chosen = validation.choose(&parts?, Default::default(), Default::default());
    for (shown, scores) in points.iter_mut().zip(chosen.by_alpha) {
        shown.scores = Some(scores);
    }
    Ok(points)
}

fn status(point: &Point) -> &'static str {
    if point.status == Status::Optimal { "optimal" } else { "feasible" }
}

/// The ends of a point's range, as shares of the rows.
fn range(curve: &Trades, point: &Point) -> (f64, Option<f64>) {
    let share = |rows: f64| rows / curve.rows() as f64;
    (share(point.from.in_rows()), point.to.map(|to| share(to.in_rows())))
}

/// The label without rules.
fn otherwise(model: &Model) -> Option<&str> {
    model.decision_set.otherwise.as_ref().and_then(|label| label.as_deref())
}

fn text(curve: &Trades, problem: &Problem, points: &[Shown], seconds: f64) -> String {
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
    let changes = points.windows(2).any(|pair| pair[0].point.otherwise != pair[1].point.otherwise);
    let mut head =
        vec!["alpha from", "to", "rules", "literals", "size", "errors", "rows wrong", "status"];
    if changes {
        head.push("otherwise");
    }
    if validated {
        head.extend(["accuracy", "se", "balanced", "log loss"]);
    }
    let rows = points.iter().map(|shown| {
        let (from, to) = range(curve, shown.point);
        let mut row = vec![
            share(from),
            to.map_or("any".to_string(), share),
            shown.point.rules.to_string(),
            shown.point.literals.to_string(),
            shown.point.size().to_string(),
            shown.point.errors.to_string(),
            shown.model.decision_set.rows_wrong.unwrap_or(0).to_string(),
            status(shown.point).to_string(),
        ];
        if changes {
            row.push(otherwise(&shown.model).unwrap_or("-").to_string());
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
    let proven = points.iter().all(|shown| shown.point.status == Status::Optimal);
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

fn json(curve: &Trades, problem: &Problem, points: &[Shown], seconds: f64) -> String {
    let points = points.iter().map(|shown| {
        let (from, to) = range(curve, shown.point);
        let set = &shown.model.decision_set;
        let mut object = json!({
            "alpha": shown.alpha.to_string(),
            "alpha_from": from,
            "alpha_to": to,
            "rules": shown.point.rules,
            "literals": shown.point.literals,
            "size": shown.point.size(),
            "errors": shown.point.errors,
            "rows_wrong": set.rows_wrong,
            "status": status(shown.point),
            "otherwise": otherwise(&shown.model),
            "classes": set.classes,
        });
        if let (Some(scores), Value::Object(object)) = (&shown.scores, &mut object) {
            for (name, mean) in [
                ("accuracy", scores.accuracy),
                ("balanced_accuracy", scores.balanced_accuracy),
                ("log_loss", scores.log_loss),
            ] {
                object.insert(name.to_string(), json!(mean.mean));
                object.insert(format!("{name}_se"), json!(mean.se));
            }
        }
        object
    });
    let points: Vec<Value> = points.collect();
    words::pretty(&json!({
        "format": "minrule-curve",
        "version": 1,
        "objective": curve.options().objective(),
        "target": problem.table().target.name,
        "table": { "name": problem.table().name, "rows": problem.table().rows() },
        "points": points,
        "seconds": (seconds * 1e6).round() / 1e6,
    }))
}

fn csv(curve: &Trades, points: &[Shown]) -> String {
    let mut out = String::from(
        "alpha,alpha_from,alpha_to,rules,literals,size,errors,rows_wrong,status,accuracy,accuracy_se,\
         balanced_accuracy,balanced_accuracy_se,log_loss,log_loss_se\n",
    );
    for shown in points {
        let (from, to) = range(curve, shown.point);
        let scores = shown.scores.map_or(vec![String::new(); 6], |scores| {
            let means = [scores.accuracy, scores.balanced_accuracy, scores.log_loss];
            means.iter().flat_map(|mean| [mean.mean.to_string(), mean.se.to_string()]).collect()
        });
        let point = shown.point;
        let cells = [
            shown.alpha.to_string(),
            from.to_string(),
            to.map_or(String::new(), |to| to.to_string()),
            point.rules.to_string(),
            point.literals.to_string(),
            point.size().to_string(),
            point.errors.to_string(),
            shown.model.decision_set.rows_wrong.unwrap_or(0).to_string(),
            status(point).to_string(),
        ];
        out.push_str(&cells.into_iter().chain(scores).collect::<Vec<_>>().join(","));
        out.push('\n');
    }
    out
}
