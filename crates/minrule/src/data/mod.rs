//! From a table to examples: what is read, how its columns become features, and its distinct rows.
//!
//! ```text
//! read -> Column -> Table -> Features -> MergedRows -> Examples
//! ```

pub(crate) mod binarise;
pub(crate) mod calendar;
pub(crate) mod column;
#[cfg(feature = "columnar")]
mod columnar;
pub(crate) mod condition;
mod cuts;
pub(crate) mod examples;
mod json_lines;
pub(crate) mod kind;
pub(crate) mod literal;
mod merge;
pub(crate) mod notation;
pub(crate) mod quotes;
pub(crate) mod read;
pub(crate) mod rows;
pub(crate) mod spelling;
pub(crate) mod table;
mod trees;
mod warnings;
pub(crate) mod wording;

pub use binarise::{
    BinariseOptions, Cell, Cut, Cuts, EncodedColumn, Encoding, Features, Numeric, WideColumn,
};
pub use column::{Codes, Column, ColumnBuilder, Values, is_missing};
pub use condition::{Condition, Field, Op, Operand};
pub use examples::{Conflicts, Examples};
pub use kind::Kind;
pub use literal::{ClassId, FeatureId, Literal};
pub use merge::MergedRows;
pub use notation::{Notation, Notations};
pub use quotes::QuoteFault;
pub use rows::{Batch, Row, Rows, RowsHash};
pub use spelling::{Decimal, Reader, Spelling};
pub use table::{Missing, Table, TableOptions};
pub use warnings::{Warning, warnings};
pub use wording::{Phrase, Style, Token, Wording, quoted};
