//! Files that are not quite CSV: each is refused at its place, read with a question, or read as it must
//! have been meant. None is read as something else without a word.

mod common;

use common::run_with_input;

/// What is right for a file.
enum Outcome {
    /// Refused with this exit code; the message has these words.
    Refused(i32, &'static str),
    /// Read, with a warning that has these words.
    Questioned(&'static str),
    /// Read as so many rows with these columns and values: the conditions of all rules, sorted.
    Read(u64, &'static [&'static str]),
}

use Outcome::{Questioned, Read, Refused};

struct File {
    name: &'static str,
    bytes: Vec<u8>,
    options: &'static [&'static str],
    outcome: Outcome,
}

fn file(name: &'static str, bytes: impl AsRef<[u8]>, outcome: Outcome) -> File {
    File { name, bytes: bytes.as_ref().to_vec(), options: &[], outcome }
}

fn with(options: &'static [&'static str], file: File) -> File {
    File { options, ..file }
}

/// Ten rows of two numbers and a class, after this.
fn numbers(head: &str) -> String {
    let rows: String = (0..10).map(|i| format!("{i}.5,{},{}\n", 20 - i, i % 2)).collect();
    format!("{head}{rows}")
}

fn utf16(text: &str, big: bool, mark: bool) -> Vec<u8> {
    let mark = if mark { "\u{feff}" } else { "" };
    let units = mark.encode_utf16().chain(text.encode_utf16()).collect::<Vec<u16>>();
    units.iter().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

const PLAIN: &str = "day,venue,date\nweekday,club,no\nweekend,club,yes\nweekday,dinner,no\n";
/// What is learned from it.
const DAYS: &[&str] = &["day = weekday", "day = weekend"];

fn loans(line: usize, change: impl Fn(&str) -> String) -> String {
    let text = include_str!("../../../data/loans.csv");
    let lines = text.lines().enumerate();
    let changed = lines.map(|(i, text)| if i + 1 == line { change(text) } else { text.to_string() });
    changed.collect::<Vec<String>>().join("\n") + "\n"
}

fn files() -> Vec<File> {
    fn gzip(text: impl AsRef<[u8]>, keep: usize) -> Vec<u8> {
        use std::io::Write;
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(text.as_ref()).unwrap();
        let mut packed = packed.finish().unwrap();
        packed.truncate(packed.len().min(keep));
        packed
    }
    let opened_at = |line: usize| loans(line, |text| text.replacen(',', ",\"", 1));
    let mut closed_later = opened_at(50).lines().map(String::from).collect::<Vec<String>>();
    closed_later[79] = closed_later[79].replacen(',', "\",", 1);
    vec![
        // Quotes.
        file("a stray quote opens a field", opened_at(50), Refused(4, "line 50: a quote opens here")),
        file(
            "and is closed thirty lines later",
            closed_later.join("\n"),
            Refused(4, "line 50: a quote opens here and goes on for 30 more lines"),
        ),
        file(
            "a quote in the last line",
            "a,b,c\n1,2,x\n2,\"3,y\n",
            Refused(4, "line 3: a quote opens here and is never closed"),
        ),
        file(
            "a quote at the very end",
            "a,b,c\n1,2,x\n2,3,\"",
            Refused(4, "line 3: a quote opens here and is never closed"),
        ),
        file(
            "a quote in the names",
            "a,\"b,c\n1,2,x\n2,3,y\n",
            Refused(4, "line 1: a quote opens here"),
        ),
        file(
            "two quotes on adjacent lines",
            "a,b,c\n1,\"2,x\n2,3\",y\n3,4,x\n",
            Refused(4, "line 2: a quote opens here and goes on for 1 more line"),
        ),
        file(
            "the same at the end of a file without a last line end",
            "a,b,c\n3,4,x\n1,\"2,x\n2,3\",y",
            Refused(4, "line 3: a quote opens here and goes on for 1 more line"),
        ),
        file(
            "two quotes below quoted names and a byte order mark",
            "\u{feff}\"a, or so\",b,c\n1,\"2,x\n2,3\",y\n3,4,x\n",
            Refused(4, "line 2: a quote opens here and goes on for 1 more line"),
        ),
        file(
            "a quote between a byte order mark and the names",
            "\u{feff}\"a,b,c\n1,2,x\n2,3,y\n",
            Refused(4, "line 1: a quote opens here and is never closed"),
        ),
        file(
            "text after a closing quote",
            "a,b,c\n1,\"2\"3,x\n2,3,y\n",
            Refused(4, "line 2: more text follows the closing quote"),
        ),
        file(
            "a column name that goes on after its closing quote",
            "\"width\"_(0..5],class\n1,x\n0,y\n",
            Questioned("only partly in quotes"),
        ),
        file(
            "column names where a closing quote comes too late",
            "\"a,b\"c,class\n1,2,x\n0,1,y\n",
            Refused(4, "line 1: more text follows the closing quote"),
        ),
        file(
            "quotes escaped with backslashes",
            "a,b\n\"say \\\"hi\\\"\",x\nz,y\n",
            Refused(4, "line 2: more text follows the closing quote"),
        ),
        file(
            "a quote within a field",
            "size,class\n5\" disk,x\n3\" disk,y\n",
            Read(2, &["size = 3\" disk", "size = 5\" disk"]),
        ),
        file(
            "doubled quotes",
            "size,class\n\"5\"\" disk\",x\n\"3\"\" disk\",y\n",
            Read(2, &["size = 3\" disk", "size = 5\" disk"]),
        ),
        file(
            "blanks before a quoted field",
            "day, \"venue, or so\",date\nweekday, \"club, bar\",no\nweekend, \"club, bar\",yes\n",
            Read(2, DAYS),
        ),
        file("blanks after a quoted field", PLAIN.replace("weekday", "\"weekday\" "), Read(3, DAYS)),
        file(
            "a field of two lines",
            "name,address,class\nann,\"12 High Street\nOldtown\",x\nbob,\"3 Low Road\nNewtown\",y\n",
            Read(2, &["name = ann", "name = bob"]),
        ),
        file(
            "a long text in a field",
            "day,note,date\nweekday,\"Dear all, I was\nthere twice, but\nno, nobody\ncame\",no\nweekend,\"\",yes\n",
            Read(2, DAYS),
        ),
        file(
            "single quotes are letters",
            PLAIN.replace("weekday", "'weekday'"),
            Read(3, &["day = 'weekday'", "day = weekend"]),
        ),
        file(
            "empty quotes are missing values",
            "a,b,class\n\"\",1,x\nu,1,y\n",
            Read(2, &["a = u", "a is missing"]),
        ),
        file(
            "a quote without end in a packed file",
            gzip(opened_at(7), usize::MAX),
            Refused(4, "line 7: a quote opens here"),
        ),
        // Encodings.
        file("a byte order mark", format!("\u{feff}{PLAIN}"), Read(3, DAYS)),
        file(
            "Latin-1",
            PLAIN
                .replace("club", "caf\u{1}")
                .replace('\u{1}', "%")
                .into_bytes()
                .into_iter()
                .map(|b| if b == b'%' { 0xe9 } else { b })
                .collect::<Vec<u8>>(),
            Refused(3, "line 2, column venue: the text is not UTF-8"),
        ),
        file(
            "Latin-1 in the names",
            b"a\xe9,b\n1,x\n2,y\n",
            Refused(3, "line 1, column 1: the text is not UTF-8"),
        ),
        file("UTF-16, little end first", utf16(PLAIN, false, true), Refused(3, "it is UTF-16 text")),
        file("UTF-16, big end first", utf16(PLAIN, true, true), Refused(3, "it is UTF-16 text")),
        file("UTF-16 without a mark", utf16(PLAIN, false, false), Refused(3, "it is UTF-16 text")),
        file(
            "UTF-16 without a mark, big end first",
            utf16(PLAIN, true, false),
            Refused(3, "it is UTF-16 text"),
        ),
        file(
            "half a character",
            [PLAIN.as_bytes(), b"weekday,cl\xc3,no\n"].concat(),
            Refused(3, "line 5, column venue: the text is not UTF-8"),
        ),
        file(
            "a spreadsheet",
            b"PK\x03\x04\x14\x00\x06\x00rest",
            Refused(3, "it is a ZIP archive, or a spreadsheet"),
        ),
        file("an old spreadsheet", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Refused(3, "older Office")),
        file("packed with zstd", b"\x28\xb5\x2f\xfd\x24", Refused(3, "packed with zstd")),
        file("packed with xz", b"\xfd7zXZ\0\0", Refused(3, "packed with xz")),
        file("packed with bzip2", b"BZh91AY&SYxx", Refused(3, "packed with bzip2")),
        file("a database", b"SQLite format 3\0\x10", Refused(3, "an SQLite database")),
        file("a document", b"%PDF-1.7\n", Refused(3, "a PDF document")),
        file("packed data cut short", gzip(PLAIN, 40), Refused(3, "cut short or damaged")),
        file(
            "UTF-16 in a packed file",
            gzip(utf16(PLAIN, false, false), usize::MAX),
            Refused(3, "it is UTF-16 text"),
        ),
        file("packed whole", gzip(PLAIN, usize::MAX), Read(3, DAYS)),
        // Ends of lines.
        file("carriage returns only", PLAIN.replace('\n', "\r"), Read(3, DAYS)),
        file("both, as on Windows", PLAIN.replace('\n', "\r\n"), Read(3, DAYS)),
        file(
            "all kinds mixed",
            PLAIN.replacen('\n', "\r\n", 1).replacen(",no\n", ",no\r", 1),
            Read(3, DAYS),
        ),
        file("no end of the last line", PLAIN.trim_end(), Read(3, DAYS)),
        file("empty lines", PLAIN.replace('\n', "\n\n"), Read(3, DAYS)),
        file("empty lines before the names", format!("\n\n{PLAIN}"), Read(3, DAYS)),
        file("lines of blanks", PLAIN.replace('\n', "\n   \n"), Read(3, DAYS)),
        file(
            "a row too short",
            PLAIN.replace("weekend,club,", "weekend,"),
            Refused(4, "line 3: 2 fields where the header has 3"),
        ),
        file(
            "a row too long",
            PLAIN.replace("weekend,club,", "weekend,club,bar,"),
            Refused(4, "line 3: 4 fields where the header has 3"),
        ),
        file(
            "a row too short after carriage returns",
            PLAIN.replace("weekend,club,", "weekend,").replace('\n', "\r"),
            Refused(4, "2 fields where the header has 3"),
        ),
        // Column names.
        file("nothing", "", Refused(4, "is empty")),
        file("nothing but blanks", "  \n \n", Refused(4, "is empty")),
        file("only names", "a,b,c\n", Refused(4, "has column names but no rows")),
        file(
            "a name twice",
            "a,a,c\n1,2,x\n2,3,y\n",
            Refused(4, "columns 1 and 2 are both called \"a\""),
        ),
        file(
            "the names again in the middle",
            format!("{PLAIN}{PLAIN}"),
            Refused(4, "line 5: the column names stand here again"),
        ),
        file(
            "the names twice",
            PLAIN.replacen("date\n", "date\nday,venue,date\n", 1),
            Refused(4, "line 2: the column names stand here again"),
        ),
        file(
            "the names twice, once in capitals",
            PLAIN.replacen("date\n", "date\nDAY,Venue,DATE\n", 1),
            Refused(4, "line 2: the column names stand here again"),
        ),
        file(
            "two files with byte order marks put together",
            format!("\u{feff}{PLAIN}\u{feff}{PLAIN}"),
            Refused(4, "line 5: the column names stand here again"),
        ),
        file(
            "units below the names",
            numbers("length,width,class\ncm,mm,\u{2013}\n"),
            Refused(
                4,
                "line 2: columns \"length\" and \"width\" have a text here and numbers in all rows below",
            ),
        ),
        file("no names", numbers(""), Questioned("most column names are numbers, such as \"0.5\"")),
        file("columns that are just counted", numbers("0,1,class\n"), Read(10, &[])),
        file(
            "a remark above the names",
            format!("# made on Monday\n{PLAIN}"),
            Refused(4, "has a single column, \"# made on Monday\""),
        ),
        file(
            "a separator at the end of each line",
            PLAIN.replace('\n', ",\n"),
            Refused(4, "the last column has no name, and no value in line 2"),
        ),
        with(
            &["--target", "date"],
            file("the same with the class named", PLAIN.replace('\n', ",\n"), Read(3, DAYS)),
        ),
        file("a column without a name", PLAIN.replace("venue", ""), Read(3, DAYS)),
        // Separators.
        file("semicolons", PLAIN.replace(',', ";"), Refused(4, "try `--separator ';'`")),
        file("tabs", PLAIN.replace(',', "\t"), Refused(4, "try `--separator 'tab'`")),
        file("bars", PLAIN.replace(',', "|"), Refused(4, "try `--separator '|'`")),
        file("blanks", PLAIN.replace(',', " "), Refused(4, "try `--separator ' '`")),
        file(
            "a line that names the separator",
            format!("sep=;\n{}", PLAIN.replace(',', ";")),
            Refused(4, "That line only names the separator"),
        ),
        file(
            "semicolons, and a comma in a name",
            "a (x, y);b;c\n1,5;2\n2,5;3\n",
            Questioned("holds ';' more often than there are columns"),
        ),
        with(
            &["--separator", ";"],
            file("the wrong separator", PLAIN, Refused(4, "has a single column")),
        ),
        with(
            &["--separator", "tab"],
            file("tabs and blanks", PLAIN.replace(',', " \t "), Read(3, DAYS)),
        ),
        // Values.
        file(
            "one n/a among numbers",
            numbers("x,y,class\n").replacen("3.5", "n/a", 1),
            Questioned("holds numbers except \"n/a\" in 1 row"),
        ),
        with(
            &["--missing-values", "n/a"],
            file("said to be missing", numbers("x,y,class\n").replacen("3.5", "n/a", 1), Read(10, &[])),
        ),
        with(
            &["--separator", ";"],
            file(
                "decimal commas",
                numbers("x,y,class\n").replace(',', ";").replace('.', ","),
                Questioned("a decimal comma"),
            ),
        ),
    ]
}

/// The conditions of all rules, sorted.
fn conditions(result: &serde_json::Value) -> Vec<String> {
    let classes = result["classes"].as_array().unwrap().iter();
    let rules = classes.flat_map(|class| class["rules"].as_array().unwrap());
    let all = rules.flat_map(|rule| rule["if"].as_array().unwrap());
    let mut words: Vec<String> = all
        .map(|condition| {
            let [name, op] = ["feature", "op"].map(|field| condition[field].as_str().unwrap());
            match condition["value"].as_str() {
                Some(value) => format!("{name} {op} {value}"),
                None => format!("{name} {op}"),
            }
        })
        .collect();
    words.sort();
    words.dedup();
    words
}

#[test]
fn none_is_read_as_something_else_without_a_word() {
    let files = files();
    assert!(files.len() >= 60, "{}", files.len());
    for File { name, bytes, options, outcome } in files {
        let result = run_with_input(&[&["learn", "-", "--format", "json"], options].concat(), &bytes);
        let all = format!("{name}: exit {}\n{}{}", result.code, result.stderr, result.stdout);
        match outcome {
            Refused(code, words) => {
                assert!(result.code == code && result.stderr.contains(words), "{words:?} of {all}");
            }
            Questioned(words) => {
                assert!(result.code == 0 && result.stderr.contains(words), "{words:?} of {all}");
            }
            Read(rows, expected) => {
                assert!(result.code == 0 && !result.stderr.contains("column name"), "{all}");
                assert_eq!(result.json()["table"]["rows"], rows, "{all}");
                if !expected.is_empty() {
                    assert_eq!(conditions(&result.json()), expected, "{name}");
                }
            }
        }
        // What predicts reads row by row and must refuse the same.
        let shared =
            ["quote opens", "closing quote", "names stand", "fields where", "it is ", "cut short"];
        if let Refused(_, words) = outcome
            && shared.iter().any(|part| words.contains(part))
        {
            let refused = stream(bytes).expect_err(name);
            assert!(refused.contains(words), "{name}, row by row: {refused}");
        }
    }
}

/// Reads all rows as `minrule predict` does.
fn stream(bytes: Vec<u8>) -> Result<(), String> {
    let words = |error: minrule::Error| error.to_string();
    let mut rows =
        minrule::data::Rows::from_reader(std::io::Cursor::new(bytes), "rows", b',', Default::default())
            .map_err(words)?;
    let mut batch = minrule::data::Batch::default();
    loop {
        rows.read(&mut batch).map_err(words)?;
        if batch.rows().is_empty() {
            return Ok(());
        }
    }
}
