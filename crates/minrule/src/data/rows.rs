//! A table row by row, for what needs to see each row only once: memory does not grow with it, if it is CSV or a stream of Arrow.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::data::read::Source;
use crate::data::spelling::Decimal;
use crate::error::{Error, Result};
use crate::limits::Limits;

/// Rows read at a time, and the most bytes of them.
const BATCH_ROWS: usize = 1 << 14;
const BATCH_BYTES: usize = 16 << 20;
/// Bytes that are split into fields at a time.
const BUFFER: usize = 1 << 18;

/// The rows of a CSV file, or of JSON lines, which are held until the last was read; either may be gzipped. With the
/// feature `columnar` also those of Parquet and Arrow files, which are held as they are, and of streams of Arrow.
pub struct Rows {
    source: Source<BufReader<Box<dyn Read + Send>>>,
}

/// The hash of what was read of a file.
#[derive(Debug, Clone, Default)]
pub struct RowsHash(Arc<Mutex<Sha256>>);

impl RowsHash {
    /// SHA-256 of the bytes so far, as [`Table::sha256`](crate::Table::sha256) has it.
    pub fn get(&self) -> String {
        let hash = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

struct Hashing<R> {
    inner: R,
    hash: RowsHash,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.hash.0.lock().unwrap_or_else(PoisonError::into_inner).update(&buffer[..n]);
        Ok(n)
    }
}

/// One row.
#[derive(Debug, Default)]
pub struct Row(csv::ByteRecord);

impl Row {
    /// The field of a column, without the blanks around it.
    pub fn field(&self, column: usize) -> &[u8] {
        self.0.get(column).unwrap_or_default()
    }

    /// All fields.
    pub fn fields(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter()
    }

    /// Its line in the file, from 1.
    pub fn line(&self) -> u64 {
        self.0.position().map_or(0, csv::Position::line)
    }
}

/// Some rows, in a piece of memory that is used again.
#[derive(Debug, Default)]
pub struct Batch {
    rows: Vec<Row>,
    filled: usize,
}

impl Batch {
    /// The rows; none after the last.
    pub fn rows(&self) -> &[Row] {
        &self.rows[..self.filled]
    }
}

impl Rows {
    /// Opens a file; numbers that are no texts get this decimal mark.
    pub fn open(path: &Path, separator: u8, decimal: Decimal) -> Result<Rows> {
        let place = path.display().to_string();
        if path.is_dir() {
            return Err(Error::IsFolder { place });
        }
        let file = File::open(path).map_err(|cause| Error::Read { place: place.clone(), cause })?;
        Rows::from_reader(file, &place, separator, decimal)
    }

    /// Reads from anywhere; `place` names it in messages.
    pub fn from_reader(
        reader: impl Read + Send + 'static,
        place: &str,
        separator: u8,
        decimal: Decimal,
    ) -> Result<Rows> {
        let reader: Box<dyn Read + Send> = Box::new(reader);
        let buffered = BufReader::with_capacity(BUFFER, reader);
        let written = (separator, decimal);
        Ok(Rows { source: Source::open(buffered, place, written, &Limits::default(), BUFFER)? })
    }

    /// Like `from_reader`, and also gives the hash of the bytes, once all of them have been read.
    pub fn hashed(
        reader: impl Read + Send + 'static,
        place: &str,
        separator: u8,
        decimal: Decimal,
    ) -> Result<(Rows, RowsHash)> {
        let hash = RowsHash::default();
        let reader = Hashing { inner: reader, hash: hash.clone() };
        Ok((Rows::from_reader(reader, place, separator, decimal)?, hash))
    }

    /// The columns.
    pub fn names(&self) -> &[String] {
        self.source.names()
    }

    /// Where the rows come from, for messages.
    pub fn place(&self) -> &str {
        self.source.place()
    }

    /// Refuses columns whose values cannot be read, such as lists in a Parquet file, if they are among these. The fields
    /// of others that cannot are empty.
    pub fn check_columns<'c>(&self, needed: impl IntoIterator<Item = &'c str> + Clone) -> Result<()> {
        self.source.check_columns(|_, name| needed.clone().into_iter().any(|needed| needed == name))
    }

    /// Fills a batch with the next rows.
    pub fn read(&mut self, batch: &mut Batch) -> Result<()> {
        batch.filled = 0;
        let mut bytes = 0;
        while batch.filled < BATCH_ROWS && bytes < BATCH_BYTES {
            if batch.filled == batch.rows.len() {
                batch.rows.push(Row::default());
            }
            let row = &mut batch.rows[batch.filled].0;
            if !self.source.read(row)? {
                break;
            }
            bytes += row.as_slice().len();
            batch.filled += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_in_order_with_their_lines() {
        let text = "a,b\n1, x \n2,\n";
        let mut rows = Rows::from_reader(text.as_bytes(), "test", b',', Decimal::Point).unwrap();
        assert_eq!(rows.names(), ["a", "b"]);
        let mut batch = Batch::default();
        rows.read(&mut batch).unwrap();
        let read: Vec<_> = batch.rows().iter().map(|row| (row.line(), row.field(1))).collect();
        assert_eq!(read, [(2, &b"x"[..]), (3, &b""[..])]);
        rows.read(&mut batch).unwrap();
        assert!(batch.rows().is_empty());
    }

    #[test]
    fn a_ragged_row_is_named() {
        let text = "a,b\n1,2\n3\n";
        let mut rows = Rows::from_reader(text.as_bytes(), "test", b',', Decimal::Point).unwrap();
        let error = rows.read(&mut Batch::default()).unwrap_err();
        assert!(matches!(error, Error::Ragged { line: 3, expected: 2, found: 1, .. }), "{error}");
    }
}
