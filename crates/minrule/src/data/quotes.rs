//! Quotes in a table's text: passed on if they can be intended, refused otherwise.
//!
//! A CSV reader takes a quote at the start of a field for the beginning of a quoted field, and
//! everything up to the next quote for its text: commas, line ends, a hundred rows. So one stray quote
//! silently changes the table. This module inspects the text before the reader sees it and refuses three
//! kinds of quotes: those that are never closed, those that close only after what look like whole rows,
//! and those followed by more text.
//!
//! Blanks before a field are dropped: they do not count, and a quote after them still opens a field.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter};

/// The number of lines within a field after which it is judged even if it has not ended.
const MANY_LINES: u64 = 1000;

/// What may stand before the text to say that it is UTF-8. It is no part of the first field.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// What is wrong with a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuoteFault {
    /// It is never closed.
    Unclosed,
    /// It is closed only after this many line ends, and the lines between look like rows.
    SwallowsRows(u64),
    /// More text follows the closing quote.
    TextBehind,
}

/// A fault and the line where its quote opens, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault:?}")]
pub(crate) struct BadQuote {
    pub(crate) line: u64,
    pub(crate) fault: QuoteFault,
}

/// Where in a record we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first character of a field that is no blank.
    FieldStart,
    Unquoted,
    Quoted,
    /// After a quote within a quoted field: it closes the field, or is the first of two that stand for
    /// one.
    QuoteInQuoted,
    /// Behind the blanks after a closing quote.
    Closed,
}

/// Passes CSV text on.
pub(crate) struct Quotes<R> {
    inner: R,
    separator: u8,
    /// Whether nothing was read yet.
    at_start: bool,
    state: State,
    /// From 1.
    line: u64,
    /// Whether the last byte was a carriage return: a line feed after it ends the same line.
    after_return: bool,
    /// Whether this is still the first record, the column names.
    in_header: bool,
    /// Separators in a row, as far as the first record tells.
    expected: u64,
    /// Separators outside quotes in the record so far, and all in the line so far.
    in_record: u64,
    in_line: u64,
    field: Field,
    /// The first column name that goes on after its closing quote.
    half_quoted: Option<usize>,
}

/// A quoted field under suspicion.
#[derive(Default)]
struct Field {
    /// Where its quote opens.
    opens: u64,
    /// Lines that lie within it from end to end.
    lines: u64,
    /// Of these, the ones that have as many separators as a row.
    like_rows: u64,
    /// Whether the line where it opens has as many, whatever is quoted.
    first_like_row: bool,
    /// Whether a line ends in it.
    has_line_end: bool,
    /// Whether it holds a separator.
    has_separator: bool,
}

impl Field {
    /// Whether it would read the same without its quotes.
    fn is_harmless(&self) -> bool {
        !self.has_line_end && !self.has_separator
    }
}

impl<R: Read> Quotes<R> {
    pub(crate) fn new(inner: R, separator: u8) -> Quotes<R> {
        Quotes {
            inner,
            separator,
            at_start: true,
            state: State::FieldStart,
            line: 1,
            after_return: false,
            in_header: true,
            expected: 0,
            in_record: 0,
            in_line: 0,
            field: Field::default(),
            half_quoted: None,
        }
    }

    /// The position of the first column name that goes on after its closing quote, if there is one. As long
    /// as the quotes swallow nothing, such a name can only be meant as one.
    pub(crate) fn half_quoted(&self) -> Option<usize> {
        self.half_quoted
    }

    fn is_blank(&self, byte: u8) -> bool {
        (byte == b' ' || byte == b'\t') && byte != self.separator
    }

    /// Looks at some bytes and keeps, at their front, those that are passed on; says how many.
    fn pass(&mut self, bytes: &mut [u8]) -> Result<usize, BadQuote> {
        let outside = matches!(self.state, State::FieldStart | State::Unquoted);
        // Most of a table has no quotes: there is little to be known of it.
        let judged = !self.in_header && !self.field.has_line_end;
        if outside && judged && memchr(b'"', bytes).is_none() {
            return Ok(self.pass_unquoted(bytes));
        }
        let mut kept = 0;
        for i in 0..bytes.len() {
            let byte = bytes[i];
            if self.step(byte)? {
                bytes[kept] = byte;
                kept += 1;
            }
        }
        Ok(kept)
    }

    /// A shortcut for `pass`, for bytes without quotes.
    fn pass_unquoted(&mut self, bytes: &[u8]) -> usize {
        let ends = |byte| memchr_iter(byte, bytes).count() as u64;
        if self.after_return && bytes.first() == Some(&b'\n') {
            self.line -= 1;
        }
        self.line += ends(b'\n');
        if memchr(b'\r', bytes).is_some() {
            let pairs = memchr::memmem::find_iter(bytes, b"\r\n").count() as u64;
            self.line += ends(b'\r') - pairs;
        }
        self.after_return = bytes.last() == Some(&b'\r');
        // The line that goes on in the next bytes.
        let line_start = memchr::memrchr2(b'\n', b'\r', bytes).map(|at| at + 1);
        let in_line = memchr_iter(self.separator, &bytes[line_start.unwrap_or(0)..]).count() as u64;
        self.in_line = if line_start.is_some() { in_line } else { self.in_line + in_line };
        let kept = bytes.iter().rposition(|&byte| !self.is_blank(byte)).map_or(0, |at| at + 1);
        let at_start = match kept.checked_sub(1).map(|last| bytes[last]) {
            Some(last) => last == self.separator || last == b'\n' || last == b'\r',
            None => self.state == State::FieldStart,
        };
        self.state = if at_start { State::FieldStart } else { State::Unquoted };
        if at_start { kept } else { bytes.len() }
    }

    /// Takes one byte in; whether it is passed on.
    fn step(&mut self, byte: u8) -> Result<bool, BadQuote> {
        let ends_line = byte == b'\n' || byte == b'\r';
        if ends_line {
            return self.end_line(byte).map(|()| true);
        }
        self.after_return = false;
        self.in_line += u64::from(byte == self.separator);
        let separates = byte == self.separator && self.state != State::Quoted;
        if separates {
            self.in_record += 1;
            self.state = State::FieldStart;
            return Ok(true);
        }
        match self.state {
            State::FieldStart if self.is_blank(byte) => return Ok(false),
            State::FieldStart if byte == b'"' => {
                self.state = State::Quoted;
                self.field = Field { opens: self.line, ..Field::default() };
            }
            State::FieldStart | State::Unquoted => self.state = State::Unquoted,
            State::Quoted if byte == b'"' => self.state = State::QuoteInQuoted,
            State::Quoted => self.field.has_separator |= byte == self.separator,
            State::QuoteInQuoted if byte == b'"' => self.state = State::Quoted,
            State::QuoteInQuoted | State::Closed if self.is_blank(byte) => self.state = State::Closed,
            State::QuoteInQuoted if self.in_header && self.field.is_harmless() => {
                self.half_quoted.get_or_insert(self.in_record as usize);
                self.state = State::Unquoted;
            }
            State::QuoteInQuoted | State::Closed => return Err(self.bad(QuoteFault::TextBehind)),
        }
        Ok(true)
    }

    fn end_line(&mut self, byte: u8) -> Result<(), BadQuote> {
        if byte == b'\n' && self.after_return {
            self.after_return = false;
            return Ok(());
        }
        self.after_return = byte == b'\r';
        let in_line = std::mem::take(&mut self.in_line);
        if self.in_header && self.state != State::Quoted {
            self.expected = self.in_record;
            // Empty lines before the names are skipped.
            self.in_header = self.state == State::FieldStart && self.in_record == 0;
        } else if self.in_header && !self.field.has_line_end {
            // What its first line has, quoted or not, is all there is to go by.
            self.expected = in_line;
        }
        let like_row = self.like_row(in_line);
        if self.state == State::Quoted {
            let field = &mut self.field;
            match field.has_line_end {
                false => field.first_like_row = like_row,
                true => {
                    field.lines += 1;
                    field.like_rows += u64::from(like_row);
                }
            }
            field.has_line_end = true;
            self.line += 1;
            return match self.field.lines >= MANY_LINES {
                true => self.judge(false),
                false => Ok(()),
            };
        }
        self.judge(like_row)?;
        self.line += 1;
        self.field = Field::default();
        self.in_record = 0;
        self.state = State::FieldStart;
        Ok(())
    }

    /// Whether a line with so many separators looks like a row.
    fn like_row(&self, separators: u64) -> bool {
        separators == self.expected && self.expected > 0
    }

    /// Refuses a field that seems to have swallowed rows: most of the lines within it look like one, or,
    /// if it begins in one line and ends in the next, both do.
    fn judge(&self, last_like_row: bool) -> Result<(), BadQuote> {
        let Field { lines, like_rows, first_like_row, has_line_end, .. } = self.field;
        let swallows = match lines {
            // In a table of two columns a single comma makes a row of any line.
            0 => has_line_end && first_like_row && last_like_row && self.expected > 1,
            _ => 2 * like_rows > lines,
        };
        if swallows { Err(self.bad(QuoteFault::SwallowsRows(lines + 1))) } else { Ok(()) }
    }

    fn bad(&self, fault: QuoteFault) -> BadQuote {
        BadQuote { line: self.field.opens, fault }
    }
}

impl<R: Read> Quotes<R> {
    /// The next bytes, without the mark before the first.
    fn next(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut n = 0;
        if std::mem::take(&mut self.at_start) {
            while n < MARK.len().min(buffer.len()) {
                match self.inner.read(&mut buffer[n..])? {
                    0 => break,
                    more => n += more,
                }
            }
            if buffer[..n].starts_with(MARK) {
                buffer.copy_within(MARK.len()..n, 0);
                n -= MARK.len();
            }
        }
        if n == 0 { self.inner.read(buffer) } else { Ok(n) }
    }

    /// Judges what is left open when the text ends.
    fn end(&self) -> Result<(), BadQuote> {
        match self.state {
            State::Quoted => Err(self.bad(QuoteFault::Unclosed)),
            _ => self.judge(self.like_row(self.in_line)),
        }
    }
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let n = self.next(buffer)?;
            if n == 0 {
                return self.end().map(|()| 0).map_err(io::Error::other);
            }
            match self.pass(&mut buffer[..n]) {
                // Nothing but blanks is not the end.
                Ok(0) => {}
                passed => return passed.map_err(io::Error::other),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out a few bytes at a time, so that every border between two reads is tried.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(self.1).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    /// What is passed on, the same however the text is cut.
    fn pass(text: &str) -> Result<String, BadQuote> {
        let passed = |size: usize| {
            let mut out = String::new();
            let mut quotes = Quotes::new(Drops(text.as_bytes(), size), b',');
            match quotes.read_to_string(&mut out) {
                Ok(_) => Ok(out),
                Err(cause) => Err(*cause.get_ref().unwrap().downcast_ref::<BadQuote>().unwrap()),
            }
        };
        let first = passed(1);
        // Blanks that stand before no quote may stay: they do not count.
        let counts = |passed: Result<String, BadQuote>| passed.map(|text| text.replace([' ', '\t'], ""));
        for size in 2..text.len() + 2 {
            assert_eq!(counts(passed(size)), counts(first.clone()), "{size} bytes of {text:?}");
        }
        first
    }

    fn bad(text: &str) -> (u64, QuoteFault) {
        let bad = pass(text).unwrap_err();
        (bad.line, bad.fault)
    }

    #[test]
    fn what_can_be_meant_is_passed_on() {
        for text in [
            "",
            "a,b\n1,2\n",
            "a,b\r\n\"x, y\",\"\"\"z\"\"\"\r\n",
            "a,b\n5\" disk,say \"hi\"\n",
            "name,address,class\nx,\"12 High Street\nOldtown\",yes\n",
            "name,note,class\nx,\"Dear Sir, I\nwrote to you\nin vain, twice\",yes\ny,\"\",no\n",
            "\"a\"  ,b\n1,2",
            "note,class\n\"x,\ny\",no\n",
        ] {
            assert_eq!(pass(text).as_deref(), Ok(text));
        }
        assert_eq!(pass("a,  \"b, c\" \n 1 ,\t2").as_deref(), Ok("a,\"b, c\" \n1 ,2"));
    }

    #[test]
    fn a_quote_that_is_never_closed_is_refused_where_it_opens() {
        assert_eq!(bad("a,b\n1,2\n3,\"4\n5"), (3, QuoteFault::Unclosed));
        assert_eq!(bad("a,b\r1,2\r\n\n3,\"4 and\nno more"), (4, QuoteFault::Unclosed));
    }

    #[test]
    fn a_quote_that_swallows_rows_is_refused_where_it_opens() {
        let rows = "5,6,7\n".repeat(3);
        let text = format!("a,b,c\n1,2,3\n4,\"5,6\n{rows}7,8\",9\n1,2,3\n");
        assert_eq!(bad(&text), (3, QuoteFault::SwallowsRows(4)));
        assert_eq!(bad("a,b,c\n1,\"2,3\n4,5\",6\n"), (2, QuoteFault::SwallowsRows(1)));
        assert_eq!(bad("a,b,c\n1,\"2,3\n4,5\",6"), (2, QuoteFault::SwallowsRows(1)));
        assert_eq!(bad("a,b,c\n1,2,\"3\n4,5,6\n7,8,9\""), (2, QuoteFault::SwallowsRows(2)));
        assert_eq!(bad("a,\"b,c\n1,2,3\n4,5,6\n7,8\",9\n"), (1, QuoteFault::SwallowsRows(3)));
        let endless = format!("a,b,c\n\"{}", "1,2,3\n".repeat(5000));
        let mut quotes = Quotes::new(endless.as_bytes(), b',');
        let mut some = [0; 8192];
        while quotes.read(&mut some).is_ok_and(|n| n > 0) {}
        assert!(!quotes.inner.is_empty(), "it was not read to its end");
    }

    #[test]
    fn a_mark_before_the_text_hides_no_quote() {
        assert_eq!(pass("\u{feff}\"a, b\",c\n1,2\n").as_deref(), Ok("\"a, b\",c\n1,2\n"));
        assert_eq!(pass("\u{feff}").as_deref(), Ok(""));
        assert_eq!(bad("\u{feff}\"a,b\n1,2\n"), (1, QuoteFault::Unclosed));
        assert_eq!(bad("\u{feff}\"a, b\",b,c\n1,\"2,3\n4,5\",6\n"), (2, QuoteFault::SwallowsRows(1)));
    }

    #[test]
    fn text_behind_a_closing_quote_is_refused() {
        assert_eq!(bad("\"a,\"b,c\n1,2\n"), (1, QuoteFault::TextBehind));
        assert_eq!(bad("a,b\n1,\"2\"3\n"), (2, QuoteFault::TextBehind));
        assert_eq!(bad("a,b\n1,\"say \\\"hi\\\"\"\n"), (2, QuoteFault::TextBehind));
    }
}
