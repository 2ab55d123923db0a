//! Parquet, Arrow and Feather files: the same table as its CSV, everywhere. `tools/columnar-tables` wrote them.

mod common;

use std::path::{Path, PathBuf};

use common::{run, run_with_input, text};
use serde_json::Value;

/// The same table, packed in all ways, by pandas, polars and pyarrow.
const SAME: [&str; 9] = [
    "snappy.parquet",
    "gzip.pq",
    "lz4.parquet",
    "plain.parquet",
    "zstd.parquet",
    "lz4.feather",
    "zstd.feather",
    "views.arrow",
    "stream.ipc",
];

fn at(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/columnar").join(name)
}

/// A model, but for where its table came from.
fn learned(table: &Path, model: &Path, options: &[&str]) -> Value {
    let args = ["learn", text(table), "--model", text(model), "--alpha", "1row", "--no-negations"];
    let result = run(&[&args[..], options].concat());
    assert_eq!(result.code, 0, "{}: {}", table.display(), result.stderr);
    let mut model: Value = serde_json::from_str(&std::fs::read_to_string(model).unwrap()).unwrap();
    for place in ["table", "sha256"] {
        assert!(model["provenance"][place].take().is_string(), "{}", model["provenance"]);
    }
    model
}

#[test]
fn a_table_means_the_same_in_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let (csv_model, model) = (folder.path().join("csv.json"), folder.path().join("model.json"));
    for options in [&[][..], &["--missing", "drop-rows", "--ignore", "nothing"]] {
        let expected = learned(&at("table.csv"), &csv_model, options);
        for name in SAME {
            assert_eq!(learned(&at(name), &model, options), expected, "{name}");
        }
    }
    let by_rows = |command: &str, name: &str, rest: &[&str]| {
        let table = at(name);
        let done = run(&[&[command, text(&csv_model), text(&table)], rest].concat());
        assert_eq!(done.code, 0, "{command} {name}: {}", done.stderr);
        done.stdout.replace(name, "table.csv")
    };
    learned(&at("table.csv"), &csv_model, &[]);
    for (command, rest) in [
        ("predict", &["--explain"][..]),
        ("explain", &["--row", "all"]),
        ("evaluate", &["--format", "json"]),
    ] {
        for name in SAME {
            let hash = |text: String| {
                text.replace("\"trained_on_these_rows\": true", "\"trained_on_these_rows\": false")
            };
            assert_eq!(
                hash(by_rows(command, name, rest)),
                hash(by_rows(command, "table.csv", rest)),
                "{name}"
            );
        }
    }
    // What was learned from a file is checked against that file.
    for name in ["zstd.parquet", "lz4.feather"] {
        learned(&at(name), &model, &[]);
        let page = folder.path().join("page.html");
        for args in [
            &["check", text(&model), text(&at(name))][..],
            &["evaluate", text(&model), text(&at(name))],
            &["report", text(&model), text(&at(name)), "--output", text(&page)],
            &["curve", text(&at(name)), "--time-limit", "20"],
        ] {
            let done = run(args);
            assert_eq!(done.code, 0, "{args:?}: {}{}", done.stdout, done.stderr);
        }
        let evaluated = run(&["evaluate", text(&model), text(&at(name)), "--format", "json"]);
        assert_eq!(evaluated.json()["trained_on_these_rows"], true);
    }
}

#[test]
fn files_come_through_pipes_and_gzip_too() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.json");
    let expected = learned(&at("table.csv"), &model, &[]);
    let predicted = run(&["predict", text(&model), text(&at("table.csv"))]).stdout;
    for name in ["snappy.parquet", "lz4.feather", "stream.ipc"] {
        let bytes = std::fs::read(at(name)).unwrap();
        let piped = run_with_input(&["predict", text(&model), "-"], &bytes);
        assert_eq!(piped.stdout, predicted, "{name}: {}", piped.stderr);
        let packed = folder.path().join(format!("{name}.gz"));
        let mut gzip = flate2::write::GzEncoder::new(
            std::fs::File::create(&packed).unwrap(),
            flate2::Compression::fast(),
        );
        std::io::Write::write_all(&mut gzip, &bytes).unwrap();
        gzip.finish().unwrap();
        assert_eq!(learned(&packed, &folder.path().join("other.json"), &[]), expected, "{name}");
    }
}

#[test]
fn an_index_of_pandas_is_no_class() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.json");
    let expected = learned(&at("index.csv"), &model, &[]);
    assert_eq!(learned(&at("index.parquet"), &model, &[]), expected);
}

#[test]
fn what_rules_cannot_test_is_refused_by_its_column_unless_it_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.json");
    for name in ["nested.parquet", "nested.feather"] {
        let table = at(name);
        let ignore = ["--ignore", "tags", "--ignore", "pair", "--ignore", "raw"];
        for (left_out, column) in ["tags", "pair", "raw"].into_iter().enumerate() {
            let refused = run(&[&["learn", text(&table)], &ignore[..2 * left_out]].concat());
            assert_eq!(refused.code, 4, "{}", refused.stderr);
            let said = format!("column {column}: it holds ");
            assert!(refused.stderr.contains(&said), "{}", refused.stderr);
            assert!(refused.stderr.contains("--ignore"), "{}", refused.stderr);
        }
        let args = ["learn", text(&table), "--alpha", "1row", "--model", text(&model)];
        let done = run(&[&args[..], &ignore].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        let predicted = run(&["predict", text(&model), text(&table)]);
        assert_eq!((predicted.code, predicted.stdout.lines().count()), (0, 49), "{}", predicted.stderr);
    }
    // A model of texts in these columns cannot be applied to them.
    let csv = folder.path().join("texts.csv");
    std::fs::write(&csv, "tags,deal\na,yes\nb,no\na,yes\nb,no\n").unwrap();
    assert_eq!(run(&["learn", text(&csv), "--model", text(&model)]).code, 0);
    let refused = run(&["predict", text(&model), text(&at("nested.parquet"))]);
    assert!(refused.code == 4 && refused.stderr.contains("column tags"), "{}", refused.stderr);
}

#[test]
fn files_that_are_broken_or_no_table_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, bytes: &[u8], code: i32, expected: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let refused = run(&["learn", text(&path)]);
        assert_eq!(refused.code, code, "{name}: {}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{name}: {}", refused.stderr);
        assert!(!refused.stderr.contains("panicked"), "{name}: {}", refused.stderr);
    };
    let bytes = |name: &str| std::fs::read(at(name)).unwrap();
    for name in SAME.into_iter().filter(|name| *name != "stream.ipc") {
        let whole = bytes(name);
        for length in [9, whole.len() / 3, whole.len() - 5, whole.len() - 1] {
            refused(name, &whole[..length], 3, "cut short or damaged");
        }
    }
    // The crate that reads Parquet panics on these.
    for name in ["panic-1.parquet", "panic-2.parquet"] {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions/columnar").join(name);
        refused(name, &std::fs::read(path).unwrap(), 3, "cut short or damaged");
    }
    refused("short.parquet", b"PAR1", 3, "cut short or damaged");
    refused("short.arrow", b"ARROW1", 3, "cut short or damaged");
    refused("text.parquet", b"a,b\n1,2\n", 3, "neither Parquet nor Arrow");
    refused("text.feather", b"a,b\n1,2\n", 3, "neither Parquet nor Arrow");
    refused("old.feather", b"FEA1\0\0\0\0", 3, "a Feather file of the first version");
    refused("empty.parquet", b"", 4, "is empty");
    refused("brotli.parquet", &bytes("brotli.parquet"), 3, "packed with Brotli");
    refused("rowless.parquet", &bytes("rowless.parquet"), 4, "no rows");
    refused("rowless.arrow", &bytes("rowless.arrow"), 4, "no rows");
    refused("columnless.parquet", &bytes("columnless.parquet"), 4, "has no columns");
    refused("columnless.arrow", &bytes("columnless.arrow"), 4, "has no columns");
}
