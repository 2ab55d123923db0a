//! A table, ready to be learned from.

use std::path::Path;
use std::sync::Arc;

use crate::apply::predict::Policy;
use crate::data::binarise::{BinariseOptions, Features};
use crate::data::examples::Examples;
use crate::data::table::Table;
use crate::data::{Warning, warnings};
use crate::error::Result;
use crate::limits::Limits;
use crate::result::decision_set::DecisionSet;
use crate::result::model::{Model, Provenance};
use crate::result::occurring::Observed;
use crate::result::outcome::Outcome;
use crate::result::proof::Proof;
use crate::result::readable::readable;
use crate::result::{Keeper, Question, Saved, prefer_disjoint};
use crate::solve::alpha::Alpha;
use crate::solve::curve::Curve;
use crate::solve::learn::{Known, Running, learn_from};
use crate::solve::options::LearnOptions;

/// A table, the features of its columns and its examples: all it takes to learn rules, and to say them in the
/// words of the table.
#[derive(Debug, Clone)]
pub struct Problem {
    table: Table,
    binarise: BinariseOptions,
    features: Features,
    examples: Arc<Examples>,
    observed: Observed,
}

impl Problem {
    /// Chooses features and makes examples of the rows.
    pub fn new(mut table: Table, binarise: &BinariseOptions) -> Result<Problem> {
        let features = Features::choose(&table, binarise)?;
        let examples = Arc::new(Examples::new(&table, &features)?);
        if table.sha256.is_empty() {
            table.sha256 = examples.identity(&features);
        }
        let observed = Observed::new(&features, &table);
        Ok(Problem { table, binarise: binarise.as_used(), features, examples, observed })
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// How its columns became features.
    pub fn binarise(&self) -> &BinariseOptions {
        &self.binarise
    }

    /// The features.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The distinct examples.
    pub fn examples(&self) -> &Arc<Examples> {
        &self.examples
    }

    /// What a careful reader would ask about the table.
    pub fn warnings(&self) -> Vec<Warning> {
        warnings(&self.table, &self.features)
    }

    /// Gives back the memory of the rows: from here on the examples stand for them. What looks at rows, such
    /// as a report or cross-validation, needs them.
    pub fn forget_rows(&mut self) {
        self.table.features = Vec::new();
    }

    /// Lifts the limits under which the table was read.
    pub fn lift_limits(&mut self) {
        self.table.options.limits = Limits::default();
    }

    /// Finds the smallest set of rules for each class.
    ///
    /// A limit that is reached is no error: [`Outcome::status`] says what was proven until then.
    pub fn learn(&self, options: &LearnOptions, limits: &Limits) -> Result<Outcome> {
        self.learn_from(&[], options, limits, |_| {})
    }

    /// Finds it from what is known already and is believed. `watch` is called every few milliseconds.
    pub fn learn_from(
        &self,
        known: &[Known],
        options: &LearnOptions,
        limits: &Limits,
        watch: impl FnMut(&Running),
    ) -> Result<Outcome> {
        learn_from(known, &self.examples, &self.features.literals(), options, limits, watch)
    }

    /// Finds the best sets at every price of size down to `alpha`; see [`Curve::new`].
    pub fn curve(
        &self,
        options: &LearnOptions,
        alpha: Alpha,
        limits: (&Limits, Option<u64>),
        watch: impl FnMut(usize),
    ) -> Result<Curve> {
        Curve::new(&self.examples, &self.features.literals(), options, alpha, limits, watch)
    }

    /// Exchanges rules for others that overlap less with those of other classes; costs and bounds stay.
    pub fn prefer_disjoint(&self, outcome: Outcome, limits: &Limits) -> Result<Outcome> {
        prefer_disjoint(outcome, &self.examples, &self.features, limits)
    }

    /// An outcome in the words of the table.
    pub fn decision_set(&self, outcome: &Outcome) -> DecisionSet {
        self.model(outcome, Policy::suited_to(&outcome.options)).decision_set
    }

    /// An outcome as a model, to apply and to keep. Of rules that the examples do not tell apart, it has those that
    /// read best.
    pub fn model(&self, outcome: &Outcome, policy: Policy) -> Model {
        let outcome = &readable(outcome.clone(), &self.examples, &self.features);
        let provenance = Provenance::new(&self.table, &self.binarise, &outcome.options);
        let set = DecisionSet::new(outcome, &self.examples, &self.features, &self.table);
        let mut model = Model::new(provenance, &self.table, policy, self.features.clone(), set);
        if model.decision_set.is_sparse() {
            let applied = model.apply_to(outcome, &self.examples.with_outvoted());
            applied.expect("a model has the columns that its rules test");
        }
        model.occurring = Some(self.observed.told_apart(&model.used_columns()));
        model
    }

    /// The certificates of an outcome that was asked for [a proof](LearnOptions::with_proof).
    pub fn proof(&self, outcome: &Outcome) -> Proof {
        Proof::new(outcome, &self.examples, &self.table)
    }

    /// Keeps what is known on file during a run with these options, which goes on from what is there.
    pub fn keeper<'a>(&'a self, path: &'a Path, options: &'a LearnOptions) -> Result<Keeper<'a>> {
        Keeper::new(path, self, options)
    }

    /// What came of a run, in a form to keep for another that goes on from there.
    pub fn saved(&self, outcome: &Outcome) -> Saved {
        let known: Vec<Known> = outcome.solved().map(Known::from).collect();
        Saved::new(&known, self.question(&outcome.options), &self.table, &self.examples)
    }

    pub(crate) fn question(&self, options: &LearnOptions) -> Question {
        Question::new(&self.table, &self.examples, &self.binarise, options)
    }
}
