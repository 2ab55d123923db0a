//! A model in other forms: programs that predict by themselves, exchange formats, and pages to read.
//!
//! Programs and PMML give the same predictions as [`Predictor`](crate::Predictor) on every row,
//! missing and unseen values included. They are written from a [`Program`], which has settled what
//! each condition means for the values of its column; a target only chooses the words for it.

mod c;
mod html;
mod identifiers;
mod json;
mod latex;
mod markdown;
mod pmml;
mod program;
mod python;
mod rust;
mod sql;
mod text;
mod words;

use crate::apply::predict::Policy;
use crate::data::wording::Style;
use crate::error::Result;
use crate::names::choices;
use crate::result::model::Model;
pub use html::escaped;
use program::Program;
pub use words::conflicts;

/// What to make of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Export {
    /// Sentences, as `minrule learn` prints them.
    Text,
    /// One JSON object: the decision set, the labels and the policy.
    Json,
    /// A Python module that is also a program.
    Python,
    /// A SELECT for SQLite and PostgreSQL.
    Sql,
    /// A Rust module that is also a program.
    Rust,
    /// A C99 file that can be compiled as a program.
    C,
    /// A PMML 4.4 rule set.
    Pmml,
    /// A LaTeX article.
    Latex,
    /// A Markdown page.
    Markdown,
    /// A page for a browser.
    Html,
}

choices!(Export {
    Text = "text": "Readable text",
    Json = "json": "One JSON object",
    Python = "python": "A Python module that can be run as a program",
    Sql = "sql": "A SELECT for SQLite and PostgreSQL",
    Rust = "rust": "A Rust module that can be compiled as a program",
    C = "c": "A C99 file; with MINRULE_MAIN defined, a program",
    Pmml = "pmml": "A PMML 4.4 rule set",
    Latex = "latex": "A LaTeX article",
    Markdown = "markdown": "A Markdown page",
    Html = "html": "An HTML page",
});

/// Writes a model in another form. The policy says how rows are decided that the rules alone do
/// not, and the style how rules are said to whom reads them.
pub fn export(model: &Model, policy: Policy, to: Export, style: Style) -> Result<String> {
    policy.goes_with(model.decision_set.is_ordered())?;
    let program = Program::new(model, policy, style);
    match to {
        Export::Text => Ok(text::text(&program)),
        Export::Json => json::json(&program),
        Export::Python => Ok(python::python(&program)),
        Export::Sql => sql::sql(&program),
        Export::Rust => Ok(rust::rust(&program)),
        Export::C => c::c(&program),
        Export::Pmml => pmml::pmml(&program),
        Export::Latex => Ok(latex::latex(&program)),
        Export::Markdown => Ok(markdown::markdown(&program)),
        Export::Html => Ok(html::html(&program)),
    }
}
