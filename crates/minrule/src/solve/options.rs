//! What is computed and how: only what makes sense can be said.
//!
//! People ask for options one by one, and not all go together. A [`Request`] is what they asked for;
//! [`Request::options`] is the one door from there to [`LearnOptions`], which need no further check.

use std::num::NonZeroUsize;
use std::thread;

use serde::{Deserialize, Serialize};

use super::alpha::Alpha;
use super::cover::CoverMethod;
use super::objective::Objective;
use super::order::{Blocks, FREQUENT, NO_ORDER, Order, RAREST};
use super::rivals::{OptModel, OptOptions, OptSearch};
use super::rules::{EnumerateOptions, RuleSource};
use super::tariff::Tariffs;
use crate::data::examples::Examples;
use crate::data::literal::ClassId;
use crate::error::{Error, Result, Setting};
use crate::names::{Choice, choices};

/// What people write for [`Otherwise::Auto`] and for [`Otherwise::None`].
const AUTO: &str = "auto";
const NO_CLASS: &str = "none";

/// How the smallest set of rules is found, and what "smallest" means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Method {
    /// Generates only the rules that can matter.
    Lazy {
        /// What to minimise.
        objective: Objective,
        /// What chooses among the rules generated.
        cover: CoverMethod,
        /// What size costs in errors, if rules may be wrong where it pays.
        alpha: Option<Alpha>,
    },
    /// The paper's: enumerates all rules, then chooses the smallest cover.
    Enumerate {
        /// What to minimise.
        objective: Objective,
        /// Stage 1.
        rules: EnumerateOptions,
        /// Stage 2.
        cover: CoverMethod,
    },
    /// A SAT model of N rules, N rising: the fewest rules.
    Mds2,
    /// A SAT model of N rules, N rising, then MaxSAT: the fewest literals for so many rules.
    Mds2Star,
    /// A SAT model of N nodes, N rising: the smallest size.
    Opt(OptOptions),
}

/// The name of a [`Method`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "they are described as methods")]
pub enum MethodName {
    #[default]
    Lazy,
    Enumerate,
    Mds2,
    Mds2Star,
    Opt,
}

choices!(MethodName {
    Lazy = "lazy": "Generate only the rules that can matter",
    Enumerate = "enumerate": "The paper's method: enumerate the rules, then choose the smallest cover",
    Mds2 = "mds2": "An earlier SAT model that minimises rules",
    Mds2Star = "mds2-star": "mds2, then the fewest literals for that number of rules",
    Opt = "opt": "A later SAT model that minimises size",
});

impl Default for Method {
    fn default() -> Method {
        LearnOptions::minimising(Objective::default()).method
    }
}

impl Method {
    /// What it minimises.
    pub fn objective(self) -> Objective {
        match self {
            Method::Lazy { objective, .. } | Method::Enumerate { objective, .. } => objective,
            Method::Mds2 => Objective::Rules,
            Method::Mds2Star => Objective::RulesThenLiterals,
            Method::Opt(_) => Objective::Size,
        }
    }

    /// Its name.
    pub fn name(self) -> MethodName {
        match self {
            Method::Lazy { .. } => MethodName::Lazy,
            Method::Enumerate { .. } => MethodName::Enumerate,
            Method::Mds2 => MethodName::Mds2,
            Method::Mds2Star => MethodName::Mds2Star,
            Method::Opt(_) => MethodName::Opt,
        }
    }

    /// What chooses the cover, if anything does.
    pub fn cover(self) -> Option<CoverMethod> {
        match self {
            Method::Lazy { cover, .. } | Method::Enumerate { cover, .. } => Some(cover),
            Method::Mds2 | Method::Mds2Star | Method::Opt(_) => None,
        }
    }

    /// What size costs in errors, if rules may be wrong where it pays.
    pub fn alpha(self) -> Option<Alpha> {
        match self {
            Method::Lazy { alpha, .. } => alpha,
            _ => None,
        }
    }

    /// Whether it can say why its bounds hold, for others to check.
    pub fn proves(self) -> bool {
        matches!(self, Method::Lazy { cover: CoverMethod::Branch, .. })
    }
}

/// Which class gets no rules: rows that no rule covers are of that class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Otherwise {
    /// The class that costs most to describe. Where only some classes are to be described, it is the class
    /// left out, if there is just one.
    Auto,
    /// This class.
    Class(ClassId),
    /// None: every class asked for gets rules.
    #[default]
    None,
}

/// What to compute, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnOptions {
    method: Method,
    otherwise: Otherwise,
    order: Order,
    seed: Option<u64>,
    classes: Option<Vec<ClassId>>,
    threads: NonZeroUsize,
    proof: bool,
    #[serde(default)]
    disjoint: bool,
}

impl Default for LearnOptions {
    fn default() -> LearnOptions {
        LearnOptions::new(Method::default())
    }
}

impl LearnOptions {
    /// By this method, for all classes, on all cores.
    pub fn new(method: Method) -> LearnOptions {
        let threads = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let (otherwise, order) = (Otherwise::None, Order::None);
        let (seed, classes, proof, disjoint) = (None, None, false, false);
        LearnOptions { method, otherwise, order, seed, classes, threads, proof, disjoint }
    }

    /// The smallest set by the default method, where "smallest" means this.
    pub fn minimising(objective: Objective) -> LearnOptions {
        LearnOptions::new(Method::Lazy { objective, cover: CoverMethod::default(), alpha: None })
    }

    /// Rules are chosen to overlap less, and stay so.
    pub(crate) fn with_disjoint(mut self) -> LearnOptions {
        self.disjoint = true;
        self
    }

    /// Whether rules were chosen to overlap less.
    pub(crate) fn is_disjoint(&self) -> bool {
        self.disjoint
    }

    /// Looks at the examples in an order drawn at random: of equally small sets, another may be found.
    pub fn with_seed(mut self, seed: Option<u64>) -> LearnOptions {
        self.seed = seed;
        self
    }

    /// Describes only these classes; all of them if `None`.
    pub fn with_classes(mut self, classes: Option<Vec<ClassId>>) -> LearnOptions {
        self.classes = classes.map(|mut classes| {
            classes.sort_unstable();
            classes.dedup();
            classes
        });
        self
    }

    /// Gives a class no rules. Only sparse sets can do without: [`Method::alpha`] is what tells them.
    pub fn with_otherwise(mut self, otherwise: Otherwise) -> Result<LearnOptions> {
        let value = match otherwise {
            Otherwise::Auto => AUTO.to_string(),
            Otherwise::Class(ClassId(class)) => format!("class {class}"),
            Otherwise::None => NO_CLASS.to_string(),
        };
        if self.alpha().is_none() && otherwise != Otherwise::None {
            return Err(Error::OnlyWithAlpha { setting: Setting::Otherwise, value });
        }
        self.otherwise = otherwise;
        Ok(self)
    }

    /// Learns classes one after another, each on the rows that no rule of an earlier one covers. That is for
    /// sparse sets, and for all classes.
    pub fn with_order(mut self, order: Order) -> Result<LearnOptions> {
        let value = match &order {
            Order::None => NO_ORDER.to_string(),
            Order::Rarest => RAREST.to_string(),
            Order::Frequent => FREQUENT.to_string(),
            Order::Given(classes) => {
                let numbers: Vec<String> = classes.iter().map(|class| class.0.to_string()).collect();
                numbers.join(",")
            }
        };
        if self.alpha().is_none() && order != Order::None {
            return Err(Error::OnlyWithAlpha { setting: Setting::Order, value });
        }
        self.order = order;
        Ok(self)
    }

    /// The same at another price of size, where rules may be wrong.
    pub fn with_alpha(mut self, price: Alpha) -> LearnOptions {
        if let Method::Lazy { alpha, .. } = &mut self.method {
            *alpha = Some(price);
        }
        self
    }

    /// The same for one class against the rest.
    pub(super) fn for_class(&self, class: ClassId) -> LearnOptions {
        let (otherwise, order) = (Otherwise::None, Order::None);
        LearnOptions { otherwise, order, classes: Some(vec![class]), ..self.clone() }
    }

    /// Works on so many threads. The result is the same on any number of them.
    pub fn with_threads(mut self, threads: NonZeroUsize) -> LearnOptions {
        self.threads = threads;
        self
    }

    /// Works on the caller's thread and one more.
    pub fn on_one_thread(self) -> LearnOptions {
        self.with_threads(NonZeroUsize::MIN)
    }

    /// Keeps [the argument](crate::result::ClassOutcome::argument) for each bound. Not every method
    /// [has one](Method::proves).
    pub fn with_proof(mut self) -> Result<LearnOptions> {
        match self.method.proves() {
            true => {
                self.proof = true;
                Ok(self)
            }
            false => Err(Error::Unprovable { method: self.method.name(), cover: self.method.cover() }),
        }
    }

    /// How the rules are found.
    pub fn method(&self) -> Method {
        self.method
    }

    /// What is minimised.
    pub fn objective(&self) -> Objective {
        self.method.objective()
    }

    /// What size costs in errors, if rules may be wrong where it pays.
    pub fn alpha(&self) -> Option<Alpha> {
        self.method.alpha()
    }

    /// What rules cost that are learned from so many rows.
    pub(crate) fn tariffs(&self, rows: u64) -> Result<Tariffs> {
        match self.alpha() {
            None => Ok(self.objective().tariffs()),
            Some(alpha) => Ok(alpha.tariff(self.objective(), rows)?.into()),
        }
    }

    /// The seed of the order in which examples are looked at, if it is drawn at random.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// The classes to describe, if these are not all.
    pub fn classes(&self) -> Option<&[ClassId]> {
        self.classes.as_deref()
    }

    /// The class that gets no rules.
    pub fn otherwise(&self) -> Otherwise {
        self.otherwise
    }

    /// Which classes come first.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// Whether rules hold only where no rule of an earlier class fires.
    pub fn is_ordered(&self) -> bool {
        self.order != Order::None
    }

    /// The classes to solve, of so many.
    pub(crate) fn classes_to_solve(&self, all: u32) -> Vec<ClassId> {
        let mut classes: Vec<ClassId> = match self.classes() {
            Some(classes) => classes.to_vec(),
            None => (0..all).map(ClassId).collect(),
        };
        classes.retain(|&class| self.otherwise != Otherwise::Class(class));
        classes
    }

    /// Threads to work on.
    pub fn threads(&self) -> usize {
        self.threads.get()
    }

    /// Whether the argument for each bound is kept.
    pub fn proof(&self) -> bool {
        self.proof
    }
}

/// Options as somebody asked for them; what was not asked for is `None`.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// What to minimise.
    pub objective: Option<Objective>,
    /// What size costs in errors, if rules may be wrong where it pays.
    pub alpha: Option<Alpha>,
    /// The class that gets no rules, by its label; or `auto` or `none`, as [`Otherwise`] has them.
    pub otherwise: Option<String>,
    /// Which classes come first, by their labels; or just `none`, `rarest` or `frequent`, as [`Order`] has them.
    pub order: Option<Vec<String>>,
    /// The classes to describe, by their labels, if these are not all.
    pub classes: Option<Vec<String>>,
    /// How the rules are found.
    pub method: Option<MethodName>,
    /// Where the rules of [`Method::Enumerate`] come from.
    pub rules: Option<RuleSource>,
    /// Whether [`Method::Enumerate`] leaves out rules that cover no more than others.
    pub break_symmetry: Option<bool>,
    /// What chooses the cover.
    pub cover: Option<CoverMethod>,
    /// The model of [`Method::Opt`].
    pub opt_model: Option<OptModel>,
    /// The search of [`Method::Opt`].
    pub opt_search: Option<OptSearch>,
    /// Of equally small sets, another may be found with another seed.
    pub seed: Option<u64>,
    /// Threads to work on.
    pub threads: Option<usize>,
    /// Whether to keep the argument for each bound.
    pub proof: bool,
    /// Whether what is known is kept for a later run.
    pub resume: bool,
    /// Whether rules will be exchanged for others that overlap less.
    pub prefer_disjoint: bool,
}

impl Request {
    /// The options for a table whose classes are known, if all that was asked for goes together.
    pub fn options_for(&self, examples: &Examples, target: &str) -> Result<LearnOptions> {
        let mut options = self.options()?;
        let class = |label: &String| examples.class_id(label, target);
        let classes = |labels: &Vec<String>| labels.iter().map(class).collect::<Result<Vec<_>>>();
        match &self.otherwise {
            Some(label) if label != AUTO && label != NO_CLASS => {
                options = options.with_otherwise(Otherwise::Class(class(label)?))?;
            }
            _ => {}
        }
        if let (Some(labels), Order::Given(_)) = (&self.order, options.order()) {
            options = options.with_order(Order::Given(classes(labels)?))?;
        }
        options = options.with_classes(self.classes.as_ref().map(classes).transpose()?);
        // Whoever asks for an order that is none hears it before the work.
        Blocks::new(&options, examples)?;
        Ok(options)
    }

    /// Whether whoever chooses alpha may choose an order of classes, too: nobody asked for one, or for what does not go
    /// with one.
    pub fn leaves_order_open(&self) -> bool {
        self.order.is_none() && self.classes.is_none() && !self.resume && !self.prefer_disjoint
    }

    /// The order asked for. Which class has a label is not known here: labels are an order that names none.
    fn order(&self) -> Order {
        match self.order.as_deref() {
            None => Order::None,
            Some([only]) if only == NO_ORDER => Order::None,
            Some([only]) if only == RAREST => Order::Rarest,
            Some([only]) if only == FREQUENT => Order::Frequent,
            Some(_) => Order::Given(Vec::new()),
        }
    }

    /// The options, if all that was asked for goes together. Which class has a label is known only
    /// [with a table](Request::options_for).
    pub fn options(&self) -> Result<LearnOptions> {
        let name = self.method.unwrap_or_default();
        let enumerates = name == MethodName::Enumerate;
        let covers = enumerates || name == MethodName::Lazy;
        let rules_only = &[MethodName::Enumerate][..];
        let with_cover = &[MethodName::Lazy, MethodName::Enumerate][..];
        let opt_only = &[MethodName::Opt][..];
        let lazy_only = &[MethodName::Lazy][..];
        for (setting, asked, methods) in [
            (Setting::Rules, self.rules.is_some(), rules_only),
            (Setting::BreakSymmetry, self.break_symmetry.is_some(), rules_only),
            (Setting::Alpha, self.alpha.is_some(), lazy_only),
            (Setting::Cover, self.cover.is_some(), with_cover),
            (Setting::OptModel, self.opt_model.is_some(), opt_only),
            (Setting::OptSearch, self.opt_search.is_some(), opt_only),
            (Setting::PreferDisjoint, self.prefer_disjoint, with_cover),
        ] {
            if asked && !methods.contains(&name) {
                return Err(Error::NotWithMethod { setting, method: name, methods });
            }
        }
        let (objective, cover) = (self.objective.unwrap_or_default(), self.cover.unwrap_or_default());
        if self.alpha.is_some() {
            if objective.is_lexicographic() {
                let (setting, value) = (Setting::Objective, objective.name());
                return Err(Error::NotWithAlpha { setting, value });
            }
            if self.prefer_disjoint {
                return Err(Error::NotWithAlpha { setting: Setting::PreferDisjoint, value: "" });
            }
        }
        let order = self.order();
        if order != Order::None {
            if self.alpha.is_none() {
                let value = self.order.as_ref().map_or(String::new(), |labels| labels.join(","));
                return Err(Error::OnlyWithAlpha { setting: Setting::Order, value });
            }
            for (setting, asked) in [
                (Setting::Classes, self.classes.is_some()),
                (Setting::PreferDisjoint, self.prefer_disjoint),
                (Setting::Resume, self.resume),
            ] {
                if asked {
                    return Err(Error::NotWithOrder { setting, value: "" });
                }
            }
        }
        let method = match name {
            MethodName::Lazy => Method::Lazy { objective, cover, alpha: self.alpha },
            MethodName::Enumerate => {
                let rules = self.rules.unwrap_or_default();
                let break_symmetry = self.break_symmetry.unwrap_or(true);
                let rules = EnumerateOptions { rules, break_symmetry };
                Method::Enumerate { objective, rules, cover }
            }
            MethodName::Mds2 => Method::Mds2,
            MethodName::Mds2Star => Method::Mds2Star,
            MethodName::Opt => Method::Opt(OptOptions {
                model: self.opt_model.unwrap_or_default(),
                search: self.opt_search.unwrap_or_default(),
            }),
        };
        if let Some(asked) = self.objective
            && !covers
            && asked != method.objective()
        {
            return Err(Error::OtherObjective { method: name, asked, only: method.objective() });
        }
        let mut options = LearnOptions::new(method).with_seed(self.seed);
        match (self.otherwise.as_deref(), self.alpha) {
            (None, None) | (Some(NO_CLASS), _) => {}
            (None | Some(_), Some(_)) => options = options.with_otherwise(Otherwise::Auto)?,
            (Some(value), None) => {
                let (setting, value) = (Setting::Otherwise, value.to_string());
                return Err(Error::OnlyWithAlpha { setting, value });
            }
        }
        options = options.with_order(order)?;
        if let Some(threads) = self.threads {
            let threads = NonZeroUsize::new(threads).ok_or_else(|| Error::BadOption {
                setting: Setting::Threads,
                given: threads.to_string(),
                allowed: "1 or more",
            })?;
            options = options.with_threads(threads);
        }
        // A later run believes a bound only with its proof; where there is none, rules alone are kept.
        let proof = self.proof || (self.resume && options.method.proves());
        if proof { options.with_proof() } else { Ok(options) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_can_be_asked_for_and_keeps_its_name() {
        use MethodName::{Enumerate, Lazy, Mds2, Mds2Star, Opt};
        for name in [Lazy, Enumerate, Mds2, Mds2Star, Opt] {
            let request = Request { method: Some(name), ..Request::default() };
            assert_eq!(request.options().unwrap().method().name(), name);
        }
    }

    #[test]
    fn what_a_method_has_no_use_for_is_refused() {
        let asked = |name| Request { method: Some(name), ..Request::default() };
        let refused = |request: Request| request.options().unwrap_err();
        let rules = Request { rules: Some(RuleSource::Search), ..Request::default() };
        assert!(matches!(refused(rules), Error::NotWithMethod { setting: Setting::Rules, .. }));
        let cover = Request { cover: Some(CoverMethod::Ilp), ..asked(MethodName::Mds2) };
        assert!(matches!(refused(cover), Error::NotWithMethod { setting: Setting::Cover, .. }));
        let objective = Request { objective: Some(Objective::Size), ..asked(MethodName::Mds2) };
        assert!(matches!(refused(objective), Error::OtherObjective { only: Objective::Rules, .. }));
        let proof = Request { proof: true, cover: Some(CoverMethod::Ilp), ..Request::default() };
        assert!(matches!(refused(proof), Error::Unprovable { method: MethodName::Lazy, .. }));
        let threads = Request { threads: Some(0), ..Request::default() };
        assert!(matches!(refused(threads), Error::BadOption { setting: Setting::Threads, .. }));
    }

    #[test]
    fn what_does_not_go_with_sparse_sets_is_refused() {
        let alpha: Option<Alpha> = Some("2rows".parse().unwrap());
        let sparse = || Request { alpha, ..Request::default() };
        let refused = |request: Request| match request.options().unwrap_err() {
            Error::NotWithAlpha { setting, .. } => setting,
            other => panic!("{other}"),
        };
        assert_eq!(refused(Request { prefer_disjoint: true, ..sparse() }), Setting::PreferDisjoint);
        let both = Some(Objective::RulesThenLiterals);
        assert_eq!(refused(Request { objective: both, ..sparse() }), Setting::Objective);
        let method = Request { method: Some(MethodName::Enumerate), ..sparse() };
        assert!(matches!(method.options(), Err(Error::NotWithMethod { setting: Setting::Alpha, .. })));
    }

    #[test]
    fn only_sparse_sets_can_do_without_rules_for_a_class() {
        let alpha: Option<Alpha> = Some("2rows".parse().unwrap());
        let asked = |alpha, otherwise: Option<&str>| {
            Request { alpha, otherwise: otherwise.map(String::from), ..Request::default() }.options()
        };
        assert_eq!(asked(None, None).unwrap().otherwise(), Otherwise::None);
        assert_eq!(asked(None, Some("none")).unwrap().otherwise(), Otherwise::None);
        assert!(matches!(asked(None, Some("auto")), Err(Error::OnlyWithAlpha { .. })));
        assert!(matches!(asked(None, Some("yes")), Err(Error::OnlyWithAlpha { .. })));
        assert_eq!(asked(alpha, None).unwrap().otherwise(), Otherwise::Auto);
        assert_eq!(asked(alpha, Some("none")).unwrap().otherwise(), Otherwise::None);
    }

    #[test]
    fn an_order_is_for_sparse_sets_of_all_classes() {
        let alpha: Option<Alpha> = Some("2rows".parse().unwrap());
        let asked = |alpha, order: &[&str]| {
            let order = Some(order.iter().map(|label| label.to_string()).collect());
            Request { alpha, order, ..Request::default() }
        };
        for order in [&["rarest"][..], &["frequent"], &["a", "b"]] {
            assert!(matches!(asked(None, order).options(), Err(Error::OnlyWithAlpha { .. })));
            assert!(asked(alpha, order).options().unwrap().is_ordered());
            let some = Request { classes: Some(vec!["a".to_string()]), ..asked(alpha, order) };
            let refused = Error::NotWithOrder { setting: Setting::Classes, value: "" }.to_string();
            assert_eq!(some.options().unwrap_err().to_string(), refused);
        }
        for alpha in [None, alpha] {
            assert!(!asked(alpha, &["none"]).options().unwrap().is_ordered());
        }
    }

    #[test]
    fn the_objective_of_a_rival_may_be_said() {
        let objective = Some(Objective::RulesThenLiterals);
        let request = Request { objective, method: Some(MethodName::Mds2Star), ..Request::default() };
        assert_eq!(request.options().unwrap().objective(), Objective::RulesThenLiterals);
    }
}
