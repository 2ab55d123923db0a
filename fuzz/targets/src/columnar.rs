//! A file of columns that a stranger wrote.

use std::io::Cursor;
use std::time::Duration;

use minrule::data::{Batch, Decimal, Rows};
use minrule::{Limits, Table, TableOptions};

use crate::refused;

/// A file that says to have rows without end is read no longer.
const TIME: Duration = Duration::from_millis(200);
/// Nor are more batches of it.
const MOST_BATCHES: usize = 4;

/// A Parquet or an Arrow file.
///
/// It is read or refused in words, and both ways to read it agree on the rows.
pub fn columnar(bytes: &[u8]) {
    let limits = Limits::default().with_time(TIME);
    let options = TableOptions { limits, ..TableOptions::default() };
    let streamed = stream(bytes);
    match Table::from_reader(bytes, "table", &options) {
        Ok(table) => assert_eq!(streamed, Some(table.rows()), "both ways to read agree on the rows"),
        Err(error) => refused(&error),
    }
}

/// How many rows there are for those who see each row once; none if the file is refused, or too long.
fn stream(bytes: &[u8]) -> Option<usize> {
    let rows = Rows::from_reader(Cursor::new(bytes.to_vec()), "table", b',', Decimal::Point);
    let mut rows = rows.map_err(|error| refused(&error)).ok()?;
    let (mut batch, mut count) = (Batch::default(), 0);
    for _ in 0..MOST_BATCHES {
        rows.read(&mut batch).map_err(|error| refused(&error)).ok()?;
        if batch.rows().is_empty() {
            return Some(count);
        }
        count += batch.rows().len();
    }
    None
}
