//! `minrule learn`: from a file to a printed result.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use minrule::apply::{CrossValidation, Fold};
use minrule::file::{try_output, try_output_folder, write_text};
use minrule::limits::leaves_room;
use minrule::result::{History, Moment, Saved, overlaps};
use minrule::solve::{Known, Progress, Request, Running};
use minrule::{
    BinariseOptions, ClassId, Cost, CoverMethod, Error, LearnOptions, Limits, MethodName, Outcome,
    Policy, Problem, Result, Spelling, Stop, StopReason, Table, TableOptions,
};

use crate::args::{Format, Learn, Overlap};
use crate::names::OptionNames;
use crate::progress::ProgressLines;
use crate::words::{self, Facts, Seconds};

/// Runs the command; `Some` says why there is no proof.
pub(crate) fn run(args: &Learn) -> Result<Option<StopReason>> {
    let start = Instant::now();
    start_log(args.verbose);
    let interruption = Interruption::listen();

    let binarise = binarise_options(args)?;
    // Refused before the work, though classes are known only once the table is read.
    request(args)?.options()?;
    try_outputs(args)?;
    let deadline = args.time_limit.and_then(|limit| start.checked_add(limit));
    if let Some(deadline) = deadline {
        interruption.end_reading_at(deadline, args);
    }
    let table = read_table(args, deadline)?;
    log::debug!("table read after {:.2} s", start.elapsed().as_secs_f64());
    let mut problem = Problem::new(table, &binarise)?;
    let options = options(args, &problem)?;
    let policy = args.policy.or(Policy::suited_to(&options))?;
    let warnings: Vec<String> =
        problem.warnings().iter().map(|warning| warning.words(&OptionNames)).collect();
    if !args.quiet {
        warnings.iter().for_each(|warning| eprintln!("minrule: warning: {warning}"));
    }
    args.memory_limit.map_or(Ok(()), leaves_room)?;
    // From here on the examples stand for the rows.
    if args.cross_validate.is_none() {
        problem.forget_rows();
    }
    let limits = Limits { deadline, memory: args.memory_limit, stop: interruption.begin_learning() };
    let read = start.elapsed();
    log::info!(
        "{}: {} rows, {} distinct examples, {} Boolean features, {} classes, read in {:.2} s",
        words::one_line(&problem.table().name),
        problem.table().rows(),
        problem.examples().len(),
        problem.features().len(),
        problem.examples().classes().len(),
        read.as_secs_f64()
    );

    let classes = problem.examples().classes();
    // Errors and size are counted in parts of a row, and shown in rows.
    let parts = options.alpha().map(|alpha| alpha.price(problem.examples().all_rows()).1);
    let mut lines = ProgressLines::new(classes, !args.quiet && args.verbose == 0, start).in_rows(parts);
    let mut history = History::new(classes, options.objective(), start).in_rows(parts);
    let mut keeper = Keeper::new(args, &problem, &options)?;
    let known = keeper.as_ref().map_or(Vec::new(), |keeper| keeper.known(&limits));
    let outcome = problem.learn_from(&known, &options, &limits, |running| {
        let news = running.progress();
        lines.show(&news);
        history.note(&news);
        if let Some(keeper) = &mut keeper {
            keeper.note(running, &news);
        }
    })?;
    lines.clear();
    // Whatever becomes of files, the result is told.
    let mut written = Written::default();
    if let Some(keeper) = keeper {
        written.note(keeper.finish(&outcome));
    }
    let outcome = match args.prefer_disjoint {
        true => problem.prefer_disjoint(outcome, &limits)?,
        false => outcome,
    };
    if let Some(folder) = &args.proof {
        written.note(problem.proof(&outcome).write(folder));
    }
    if let Some(path) = &args.trace {
        written.note(write_trace(&history.finish(&outcome), path));
    }
    for failure in outcome.classes.iter().filter_map(|class| class.failure.as_ref()) {
        eprintln!("minrule: warning: {failure}");
    }

    let model = problem.model(&outcome, policy);
    if let Some(path) = &args.model {
        written.note(model.write(path));
    }
    let seconds = Seconds::new(read, outcome.seconds(), start.elapsed());
    let folds = cross_validate(args, &problem, &options, policy, &interruption.stop)?;
    let overlaps = args.overlap.map(|Overlap::Report| overlaps(&model.features, &model.decision_set));
    let facts = Facts {
        problem: &problem,
        warnings: &warnings,
        overlaps: overlaps.as_ref(),
        folds: folds.as_deref(),
    };
    words::print(&match args.format {
        Format::Text => words::text(&model, &facts, &seconds, &outcome),
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

/// How long reading may take to notice that its time is up.
const READING_ENDS: Duration = Duration::from_millis(800);

/// Pause between two writes of what is known, at least; and how much longer than a write it is.
const PAUSE: Duration = Duration::from_secs(1);
const PAUSES_PER_WRITE: u32 = 20;

/// Keeps on file what is known, so that a later run can go on from there.
struct Keeper<'a> {
    path: &'a Path,
    problem: &'a Problem,
    options: &'a LearnOptions,
    /// What an earlier run left.
    saved: Option<Saved>,
    /// Costs and bounds when it was last written.
    written: Vec<(Option<Cost>, Cost)>,
    next: Instant,
}

impl<'a> Keeper<'a> {
    fn new(
        args: &'a Learn,
        problem: &'a Problem,
        options: &'a LearnOptions,
    ) -> Result<Option<Keeper<'a>>> {
        let Some(path) = &args.resume else { return Ok(None) };
        let saved = problem.saved(path, options)?;
        let (written, next) = (Vec::new(), Instant::now());
        Ok(Some(Keeper { path, problem, options, saved, written, next }))
    }

    /// What an earlier run left and still holds.
    fn known(&self, limits: &Limits) -> Vec<Known> {
        let (examples, features) = (self.problem.examples(), self.problem.features());
        let known =
            self.saved.as_ref().map_or(Vec::new(), |saved| saved.known(examples, features, limits));
        for known in &known {
            let label = words::one_line(&examples.classes()[known.class.0 as usize]);
            log::info!(
                "class {label}: goes on from {} rules, bound {:?}",
                known.rules.len(),
                known.lower_bound
            );
        }
        known
    }

    /// Writes what is new, not too often: a small part of the time goes into it.
    fn note(&mut self, running: &Running, news: &[(ClassId, Progress)]) {
        let known: Vec<(Option<Cost>, Cost)> =
            news.iter().map(|(_, p)| (p.cost, p.lower_bound)).collect();
        let now = Instant::now();
        if now < self.next || known == self.written {
            return;
        }
        // A disk that is full now may not be so later; what counts is the last time.
        if let Err(error) = self.write(&running.known()) {
            log::warn!("{error}");
        }
        self.written = known;
        self.next = Instant::now() + PAUSE.max(PAUSES_PER_WRITE * now.elapsed());
    }

    fn write(&self, known: &[Known]) -> Result<()> {
        self.problem.save(known, self.options).write(self.path)
    }

    /// Writes what came of it in the end.
    fn finish(self, outcome: &Outcome) -> Result<()> {
        let known = outcome.solved().map(|class| Known {
            class: class.class,
            rules: class.rules.clone(),
            lower_bound: class.lower_bound,
            argument: class.argument.clone(),
        });
        self.write(&known.collect::<Vec<_>>())
    }
}

/// Writes what was known when.
fn write_trace(moments: &[Moment], path: &Path) -> Result<()> {
    write_text(path, serde_json::to_string_pretty(moments).expect("plain data"))
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

fn start_log(verbosity: u8) {
    let level = match verbosity {
        0 => log::LevelFilter::Off,
        1 => log::LevelFilter::Info,
        _ => log::LevelFilter::Debug,
    };
    env_logger::Builder::new().filter_level(level).format_target(false).init();
}

/// The texts of a list.
fn listed(texts: &str) -> impl Iterator<Item = String> {
    let separator = if texts.contains(';') { ';' } else { ',' };
    texts.split(separator).map(|text| text.trim().to_string())
}

/// How the table is read, but for limits.
pub(crate) fn table_options(args: &Learn) -> TableOptions {
    TableOptions {
        separator: args.separator,
        target: args.target.clone(),
        ignore: args.ignore.clone(),
        missing: args.missing,
        spelling: Spelling {
            missing: args.missing_values.iter().flat_map(|texts| listed(texts)).collect(),
            decimal: args.decimal,
            categorical: args.categorical.clone(),
            numeric: args.numeric_columns.clone(),
        },
        limits: Limits::default(),
    }
}

fn read_table(args: &Learn, deadline: Option<Instant>) -> Result<Table> {
    let limits = Limits { deadline, memory: args.memory_limit, ..Limits::default() };
    let options = TableOptions { limits: limits.for_reading(), ..table_options(args) };
    if args.table == Path::new("-") {
        Table::from_reader(io::stdin().lock(), "standard input", &options)
    } else {
        Table::read(&args.table, &options)
    }
}

/// How columns become features.
pub(crate) fn binarise_options(args: &Learn) -> Result<BinariseOptions> {
    let negations = !args.no_negations;
    BinariseOptions::requested(args.numeric, args.intervals, args.cut, negations, args.memory_limit)
}

/// How rules are found, for the classes asked for.
pub(crate) fn options(args: &Learn, problem: &Problem) -> Result<LearnOptions> {
    request(args)?.options_for(problem.examples(), &problem.table().target.name)
}

/// What was asked for, in the library's words.
fn request(args: &Learn) -> Result<Request> {
    let branches = args.cover.is_none_or(|cover| cover == CoverMethod::Branch);
    let proves = args.method == MethodName::Lazy && branches;
    let symmetry = args.break_symmetry || args.no_break_symmetry;
    Ok(Request {
        objective: args.minimize,
        alpha: args.alpha.as_deref().map(str::parse).transpose()?,
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
        // A later run believes a bound only with its proof; where there is none, rules alone are kept.
        proof: args.proof.is_some() || (proves && args.resume.is_some()),
        resume: args.resume.is_some(),
        prefer_disjoint: args.prefer_disjoint,
    })
}

/// Ctrl-C and the termination signal.
pub(crate) struct Interruption {
    pub(crate) stop: Stop,
    /// Whether there is anything to give back yet.
    learning: Arc<AtomicBool>,
}

impl Interruption {
    /// The first signal asks for the best set so far; a second one, or one while the table is
    /// still being read, ends the program at once.
    pub(crate) fn listen() -> Interruption {
        let this = Interruption { stop: Stop::default(), learning: Arc::default() };
        let (stop, learning) = (this.stop.clone(), Arc::clone(&this.learning));
        let handler = move || {
            if stop.requested() || !learning.load(Ordering::Relaxed) {
                std::process::exit(130);
            }
            stop.request(StopReason::Interrupted);
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            log::warn!("Ctrl-C will end the program without a result: {error}");
        }
        this
    }

    /// Ends the program soon after this time if nothing has been read until then: whoever should write
    /// to us may not, and nothing wakes a thread that waits for it.
    pub(crate) fn end_reading_at(&self, deadline: Instant, args: &Learn) {
        let learning = Arc::clone(&self.learning);
        let (place, format) = (args.table.display().to_string(), args.format);
        std::thread::spawn(move || {
            std::thread::sleep((deadline + READING_ENDS).saturating_duration_since(Instant::now()));
            if !learning.load(Ordering::Relaxed) {
                let (limit, progress) = (StopReason::TimeLimit, "waiting for it".to_string());
                let error = Error::LimitReached { place, limit, progress };
                std::process::exit(crate::report_error(&error, format).into());
            }
        });
    }

    pub(crate) fn begin_learning(&self) -> Stop {
        self.learning.store(true, Ordering::Relaxed);
        self.stop.clone()
    }
}
