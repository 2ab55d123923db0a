//! `minrule learn`: from a file to a printed result.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use minrule::{
    BinariseOptions, ClassId, Cost, CoverMethod, CrossValidation, Cut, DecisionSet, EnumerateOptions,
    Error, Examples, Features, Fold, History, Known, LearnOptions, Limits, Method, Model, Moment,
    Objective, OptModel, OptOptions, OptSearch, Outcome, Policy, Progress, Proof, Provenance, Result,
    RuleSource, Running, Saved, Spelling, Stop, StopReason, Table, TableOptions, leaves_room,
    try_output, try_output_folder, warnings, write_text,
};

use crate::args::{CoverArg, Format, Learn, NumericArg, Overlap};
use crate::progress::ProgressLines;
use crate::words::{self, Facts, Seconds};

/// Runs the command; `Some` says why there is no proof.
pub(crate) fn run(args: &Learn) -> Result<Option<StopReason>> {
    let start = Instant::now();
    start_log(args.verbose);
    let interruption = Interruption::listen();

    let binarise = binarise_options(args)?;
    try_outputs(args)?;
    let deadline = args.time_limit.and_then(|limit| start.checked_add(limit));
    if let Some(deadline) = deadline {
        interruption.end_reading_at(deadline, args);
    }
    let mut table = read_table(args, deadline)?;
    log::debug!("table read after {:.2} s", start.elapsed().as_secs_f64());
    let features = Features::choose(&table, &binarise)?;
    log::debug!("features chosen after {:.2} s", start.elapsed().as_secs_f64());
    let examples = Arc::new(Examples::new(&table, &features)?);
    let options = learn_options(args, &table, &examples)?;
    let warnings: Vec<String> = warnings(&table, &features).iter().map(ToString::to_string).collect();
    if !args.quiet {
        warnings.iter().for_each(|warning| eprintln!("minrule: warning: {warning}"));
    }
    args.memory_limit.map_or(Ok(()), leaves_room)?;
    // From here on the examples stand for the rows.
    if args.cross_validate.is_none() {
        table.features = Vec::new();
    }
    let limits = Limits { deadline, memory: args.memory_limit, stop: interruption.begin_learning() };
    let read = start.elapsed();
    log::info!(
        "{}: {} rows, {} distinct examples, {} Boolean features, {} classes, read in {:.2} s",
        words::one_line(&table.name),
        table.rows(),
        examples.len(),
        features.len(),
        examples.classes.len(),
        read.as_secs_f64()
    );

    let mut lines = ProgressLines::new(&examples.classes, !args.quiet && args.verbose == 0, start);
    let mut history = History::new(&examples.classes, options.objective, start);
    let mut keeper = Keeper::new(args, &table, &examples, &binarise, &options)?;
    let known = keeper.as_ref().map_or(Vec::new(), |keeper| keeper.known(&features, &limits));
    let literals = features.literals();
    let outcome = minrule::learn_from(&known, &examples, &literals, &options, &limits, |running| {
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
        true => minrule::prefer_disjoint(outcome, &examples, &features, &options, &limits)?,
        false => outcome,
    };
    let decision_set = DecisionSet::new(&outcome, &examples, &features, &table);
    if let Some(folder) = &args.proof {
        written.note(Proof::new(&outcome, &examples, &table).write(folder));
    }
    if let Some(path) = &args.trace {
        written.note(write_trace(&history.finish(&outcome), path));
    }
    for failure in outcome.classes.iter().filter_map(|class| class.failure.as_ref()) {
        eprintln!("minrule: warning: {failure}");
    }

    let provenance = Provenance::new(&table, &binarise, &options);
    let policy = args.policy.or(Policy::default());
    let model = Model::new(provenance, &table, policy, features, decision_set);
    if let Some(path) = &args.model {
        written.note(model.write(path));
    }
    let (features, decision_set) = (&model.features, &model.decision_set);
    let seconds = Seconds::new(read, outcome.seconds(), start.elapsed());
    let folds = cross_validate(args, &table, &binarise, &options, &interruption.stop)?;
    let overlaps = args.overlap.map(|Overlap::Report| minrule::overlaps(features, decision_set));
    let facts = Facts {
        table: &table,
        examples: &examples,
        features,
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
    table: &'a Table,
    examples: &'a Arc<Examples>,
    binarise: &'a BinariseOptions,
    objective: Objective,
    /// What an earlier run left.
    saved: Option<Saved>,
    /// Costs and bounds when it was last written.
    written: Vec<(Option<Cost>, Cost)>,
    next: Instant,
}

impl<'a> Keeper<'a> {
    fn new(
        args: &'a Learn,
        table: &'a Table,
        examples: &'a Arc<Examples>,
        binarise: &'a BinariseOptions,
        options: &LearnOptions,
    ) -> Result<Option<Keeper<'a>>> {
        let Some(path) = &args.resume else { return Ok(None) };
        let objective = options.objective;
        let saved = Saved::read(path, table, binarise, objective)?;
        let (written, next) = (Vec::new(), Instant::now());
        Ok(Some(Keeper { path, table, examples, binarise, objective, saved, written, next }))
    }

    /// What an earlier run left and still holds.
    fn known(&self, features: &Features, limits: &Limits) -> Vec<Known> {
        let known =
            self.saved.as_ref().map_or(Vec::new(), |saved| saved.known(self.examples, features, limits));
        for known in &known {
            let label = words::one_line(&self.examples.classes[known.class.0 as usize]);
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
        Saved::new(known, self.table, self.examples, self.binarise, self.objective).write(self.path)
    }

    /// Writes what came of it in the end.
    fn finish(self, outcome: &Outcome) -> Result<()> {
        let known = outcome.classes.iter().map(|class| Known {
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
    table: &Table,
    binarise: &BinariseOptions,
    options: &LearnOptions,
    stop: &Stop,
) -> Result<Option<Vec<Fold>>> {
    let Some(folds) = args.cross_validate else { return Ok(None) };
    let validation = CrossValidation {
        folds,
        binarise: binarise.clone(),
        learn: options.clone(),
        policy: args.policy.or(Policy::default()),
        time_limit: args.time_limit,
        memory: args.memory_limit,
    };
    validation.run(table, stop).map(Some)
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
        missing: args.missing.into(),
        spelling: Spelling {
            missing: args.missing_values.iter().flat_map(|texts| listed(texts)).collect(),
            decimal: args.decimal.into(),
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

pub(crate) fn binarise_options(args: &Learn) -> Result<BinariseOptions> {
    if args.cut.is_some() && args.numeric == NumericArg::Thresholds {
        return Err(Error::BadOption {
            option: "--cut",
            given: "given".to_string(),
            allowed: "left out with --numeric thresholds, which are cut at class boundaries",
        });
    }
    Ok(BinariseOptions {
        numeric: args.numeric.into(),
        intervals: args.intervals,
        cut: args.cut.map_or(Cut::default(), Into::into),
        negations: !args.no_negations,
        // The bits are the smaller part of what a run holds.
        max_bytes: args.memory_limit.map(|limit| limit / 4),
    })
}

pub(crate) fn learn_options(args: &Learn, table: &Table, examples: &Examples) -> Result<LearnOptions> {
    let method: Method = args.method.into();
    let objective = match (method.objective(), args.minimize) {
        (Some(only), Some(asked)) if only != asked.into() => {
            return Err(Error::BadOption {
                option: "--minimize",
                given: Objective::from(asked).name().to_string(),
                allowed: "left out with this --method, which minimises one thing only",
            });
        }
        (only, asked) => asked.map(Into::into).or(only).unwrap_or_default(),
    };
    let enumerates = method == Method::Enumerate;
    let covers = enumerates || method == Method::Lazy;
    refuse("--rules", args.rules.is_some() && !enumerates, "left out without --method enumerate")?;
    let symmetry = args.break_symmetry || args.no_break_symmetry;
    refuse("--break-symmetry", symmetry && !enumerates, "left out without --method enumerate")?;
    refuse(
        "--cover",
        args.cover.is_some() && !covers,
        "left out with this --method, which has no cover",
    )?;
    let opt = args.opt_model.is_some() || args.opt_search.is_some();
    refuse(
        "--opt-model or --opt-search",
        opt && method != Method::Opt,
        "left out without --method opt",
    )?;
    let lazy = method == Method::Lazy && args.cover.is_none_or(|cover| cover == CoverArg::Branch);
    refuse(
        "--proof",
        args.proof.is_some() && !lazy,
        "left out with this --method or --cover: only --method lazy with --cover branch writes proofs",
    )?;
    refuse(
        "--prefer-disjoint",
        args.prefer_disjoint && !covers,
        "left out with this --method, which has no other rules to choose from",
    )?;
    let mut options = LearnOptions {
        objective,
        method,
        enumerate: EnumerateOptions {
            rules: args.rules.map_or(RuleSource::default(), Into::into),
            break_symmetry: !args.no_break_symmetry,
        },
        cover: args.cover.map_or(CoverMethod::default(), Into::into),
        opt: OptOptions {
            model: args.opt_model.map_or(OptModel::default(), Into::into),
            search: args.opt_search.map_or(OptSearch::default(), Into::into),
        },
        seed: args.seed,
        // A later run believes a bound only with its proof.
        proof: lazy && (args.proof.is_some() || args.resume.is_some()),
        ..LearnOptions::default()
    };
    if let Some(threads) = args.threads {
        options.threads = threads;
    }
    if let Some(names) = &args.classes {
        let classes: Result<Vec<ClassId>> =
            names.iter().map(|name| examples.class_id(name, &table.target.name)).collect();
        let mut classes = classes?;
        classes.sort_unstable();
        classes.dedup();
        options.classes = Some(classes);
    }
    Ok(options)
}

/// Refuses an option that would be ignored.
pub(crate) fn refuse(option: &'static str, given: bool, allowed: &'static str) -> Result<()> {
    let error = || Error::BadOption { option, given: "given".to_string(), allowed };
    if given { Err(error()) } else { Ok(()) }
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
