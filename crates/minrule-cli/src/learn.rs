//! `minrule learn`: from a file to a printed result.

use std::time::Instant;

use minrule::apply::{CrossValidation, Expected, Fold};
use minrule::file::{try_output, try_output_folder};
use minrule::result::{History, overlaps, write_history};
use minrule::solve::{Alpha, Request, Running};
use minrule::{Error, LearnOptions, Limits, Policy, Problem, Result, Stop, StopReason};

use crate::alpha::Asked;
use crate::args::{Format, Learn, Overlap};
use crate::progress::ProgressLines;
use crate::source::{self, Interruption, Opened};
use crate::words::{self, Facts, Seconds};

/// Runs the command; `Some` says why there is no proof.
pub(crate) fn run(args: &Learn) -> Result<Option<StopReason>> {
    let start = Instant::now();
    source::start_log(args.verbose);
    let interruption = Interruption::listen();

    // Refused before the work, though classes are known only once the table is read.
    let asked = Asked::new(args)?;
    request(args, asked.first()).options()?;
    try_outputs(args)?;
    let limits = (args.time_limit, args.memory_limit);
    let opened = source::open(&args.source, limits, &interruption, args.format)?;
    let options = options(args, asked.first(), &opened.problem)?;
    let policy = args.policy.or(Policy::suited_to(&options))?;
    opened.warn(args.quiet);
    let Opened { mut problem, warnings, deadline, read } = opened;
    let limits = Limits { deadline, memory: args.memory_limit, stop: interruption.begin_learning() };
    let settled = asked.settle(args, &problem, options, policy, &limits)?;
    let options = &settled.options;
    // The choice may have been for an order of classes.
    let policy = args.policy.or(Policy::suited_to(options))?;
    // From here on the examples stand for the rows.
    if args.cross_validate.is_none() {
        problem.forget_rows();
    }

    let classes = problem.examples().classes();
    // Errors and size are counted in parts of a row, and shown in rows.
    let parts = options.alpha().map(|alpha| alpha.price(problem.examples().all_rows()).1);
    let mut lines = ProgressLines::new(classes, !args.quiet && args.verbose == 0, start).in_rows(parts);
    let mut history = History::new(classes, options.objective(), start).in_rows(parts);
    let keeper = args.resume.as_ref().map(|path| problem.keeper(path, options));
    let mut keeper = keeper.transpose()?;
    let mut known = settled.known.clone();
    known.extend(keeper.iter().flat_map(|keeper| keeper.known(&limits)));
    let watch = |running: &Running| {
        let news = running.progress();
        lines.show(&news);
        history.note(&news);
        if let Some(keeper) = &mut keeper {
            keeper.note(running);
        }
    };
    let outcome = match &settled.found {
        Some(found) => found.clone(),
        None => problem.learn_from(&known, options, &limits, watch)?,
    };
    lines.clear();
    // Whatever becomes of files, the result is told.
    let mut written = Written::default();
    if let Some(path) = &args.resume {
        written.note(problem.saved(&outcome).write(path));
    }
    let outcome = match args.prefer_disjoint {
        true => problem.prefer_disjoint(outcome, &limits)?,
        false => outcome,
    };
    if let Some(folder) = &args.proof {
        written.note(problem.proof(&outcome).write(folder));
    }
    if let Some(path) = &args.trace {
        written.note(write_history(&history.finish(&outcome), path));
    }
    for failure in outcome.classes.iter().filter_map(|class| class.failure.as_ref()) {
        eprintln!("minrule: warning: {failure}");
    }

    let seconds = Seconds::new(read, outcome.seconds(), start.elapsed());
    let folds = cross_validate(args, &problem, options, policy, &interruption.stop);
    let mut model = problem.model(&outcome, policy);
    // Folds that took part in choosing alpha say the same of it, but less of what to expect.
    let by_folds = || folds.as_ref().ok()?.as_deref().map(Expected::by);
    model.expected = settled.expected().or_else(by_folds);
    if let Some(path) = &args.model {
        written.note(model.write(path));
    }
    let folds = folds?;
    let overlaps = args.overlap.map(|Overlap::Report| overlaps(&model.features, &model.decision_set));
    let facts = Facts {
        problem: &problem,
        warnings: &warnings,
        overlaps: overlaps.as_ref(),
        folds: folds.as_deref(),
        settled: &settled,
    };
    words::print(&match args.format {
        Format::Text => words::text(&model, &facts, &seconds, &outcome, args.style),
        Format::Json => words::json(&model, &facts, &seconds),
    })?;
    written.all()?;
    Ok(outcome.stopped_by())
}

/// Finds out before the work whether its results can be written.
fn try_outputs(args: &Learn) -> Result<()> {
    let files = [&args.model, &args.trace, &args.resume];
    files.into_iter().flatten().try_for_each(|path| try_output(path))?;
    args.proof.as_ref().map_or(Ok(()), |folder| try_output_folder(folder))
}

/// What became of files that were written after the work: the first error is kept for the end.
#[derive(Default)]
struct Written(Option<Error>);

impl Written {
    fn note(&mut self, written: Result<()>) {
        if let Err(error) = written {
            self.0.get_or_insert(error);
        }
    }

    fn all(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

/// Cross-validates if asked to.
fn cross_validate(
    args: &Learn,
    problem: &Problem,
    options: &LearnOptions,
    policy: Policy,
    stop: &Stop,
) -> Result<Option<Vec<Fold>>> {
    let Some(folds) = args.cross_validate else { return Ok(None) };
    let validation = CrossValidation {
        folds,
        binarise: problem.binarise().clone(),
        learn: options.clone(),
        policy,
        time_limit: args.time_limit,
        memory: args.memory_limit,
    };
    validation.run(problem.table(), stop).map(Some)
}

/// How rules are found, for the classes asked for.
pub(crate) fn options(args: &Learn, alpha: Option<Alpha>, problem: &Problem) -> Result<LearnOptions> {
    request(args, alpha).options_for(problem.examples(), &problem.table().target.name)
}

/// What was asked for, in the library's words.
pub(crate) fn request(args: &Learn, alpha: Option<Alpha>) -> Request {
    let symmetry = args.break_symmetry || args.no_break_symmetry;
    Request {
        objective: args.minimize,
        alpha,
        otherwise: args.otherwise.clone(),
        order: args.order.clone(),
        classes: args.classes.clone(),
        method: Some(args.method),
        rules: args.rules,
        break_symmetry: symmetry.then_some(!args.no_break_symmetry),
        cover: args.cover,
        opt_model: args.opt_model,
        opt_search: args.opt_search,
        seed: args.seed,
        threads: args.threads,
        proof: args.proof.is_some(),
        resume: args.resume.is_some(),
        prefer_disjoint: args.prefer_disjoint,
    }
}
