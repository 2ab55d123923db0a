//! Every bad input gets one message with place and remedy, its exit code, and leaves nothing.

mod common;

use std::io::Write;

use common::{Run, file, run, run_with_input, text};

const GOOD: &str = "day,weather,date\nweekday,warm,no\nweekend,warm,yes\nweekend,cold,no\n";

/// Runs `learn` on a file with this content, asking for a model beside it, and makes sure that
/// a failure leaves no model and prints nothing to standard output.
fn learn(content: impl AsRef<[u8]>, options: &[&str]) -> Run {
    let (folder, path) = file("table.csv", content);
    let model = folder.path().join("model.json");
    let mut args = vec!["learn", text(&path), "--model", text(&model)];
    args.extend(options);
    let result = run(&args);
    if result.code != 0 {
        assert_eq!(result.stdout, "", "a failure prints to standard error only");
        let left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
        assert_eq!(left, ["table.csv"], "a failure leaves nothing behind");
    }
    result
}

#[track_caller]
fn refused(result: &Run, code: i32, words: &[&str]) {
    assert_eq!(result.code, code, "{}", result.stderr);
    for word in words {
        assert!(result.stderr.contains(word), "\"{word}\" is not in: {}", result.stderr);
    }
    assert!(!result.stderr.contains("panicked"), "{}", result.stderr);
}

#[test]
fn a_good_table_is_accepted() {
    assert_eq!(learn(GOOD, &[]).code, 0);
}

#[test]
fn an_empty_file() {
    refused(&learn("", &[]), 4, &["is empty", "column names"]);
}

#[test]
fn a_header_and_nothing_else() {
    refused(&learn("a,b,class\n", &[]), 4, &["no rows", "two classes"]);
}

#[test]
fn one_class_only() {
    refused(&learn("a,class\n1,yes\n2,yes\n", &[]), 4, &["\"yes\"", "\"class\"", "--target"]);
}

#[test]
fn a_ragged_row_is_named_by_its_line() {
    let table = "a,b,class\n1,2,no\n1,2\n3,4,yes\n";
    refused(&learn(table, &[]), 4, &["line 3", "2 fields", "has 3", "--separator"]);
}

#[test]
fn an_unknown_column_gets_a_suggestion() {
    refused(&learn(GOOD, &["--target", "dat"]), 4, &["no column \"dat\"", "Did you mean \"date\"?"]);
    refused(&learn(GOOD, &["--ignore", "wether"]), 4, &["Did you mean \"weather\"?"]);
    refused(&learn(GOOD, &["--target", "xyzzy"]), 4, &["The columns are: day, weather, date"]);
}

#[test]
fn an_unknown_class_gets_a_suggestion() {
    refused(&learn(GOOD, &["--classes", "yess"]), 4, &["no class \"yess\"", "Did you mean \"yes\"?"]);
}

#[test]
fn the_class_cannot_be_ignored() {
    refused(&learn(GOOD, &["--ignore", "date"]), 4, &["\"date\"", "--target"]);
}

#[test]
fn duplicate_column_names() {
    let table = "a,b,a,class\n1,2,3,no\n1,2,4,yes\n";
    refused(&learn(table, &[]), 4, &["columns 1 and 3", "\"a\"", "Rename"]);
}

#[test]
fn invalid_utf8_is_named_by_line_and_column() {
    let table = b"a,city,class\n1,Paris,no\n2,Orl\xe9ans,yes\n";
    refused(&learn(table, &[]), 3, &["line 3", "column city", "UTF-8", "iconv"]);
    refused(&learn(b"a,\xff,class\n1,2,no\n", &[]), 3, &["line 1", "UTF-8"]);
}

#[test]
fn nothing_that_varies() {
    refused(&learn("a,class\n1,no\n1,yes\n", &[]), 4, &["two different values"]);
}

#[test]
fn a_single_column_is_often_another_separator() {
    refused(&learn(GOOD.replace(',', ";"), &[]), 4, &["single column", "--separator ';'"]);
    refused(&learn(GOOD.replace(',', "\t"), &[]), 4, &["--separator 'tab'"]);
    refused(&learn("class\nyes\nno\n", &[]), 4, &["besides the class"]);
}

#[test]
fn a_folder() {
    let folder = tempfile::tempdir().unwrap();
    refused(&run(&["learn", text(folder.path())]), 3, &["is a folder", "Name one CSV file"]);
}

#[test]
fn no_such_file() {
    refused(&run(&["learn", "nowhere/table.csv"]), 3, &["nowhere/table.csv", "Check the name"]);
}

#[test]
fn a_truncated_gzip() {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let rows: String = (0..500).map(|i| format!("{},{}\n", i * 7919 % 1009, i % 2)).collect();
    gz.write_all(format!("a,class\n{rows}").as_bytes()).unwrap();
    let whole = gz.finish().unwrap();
    assert_eq!(learn(&whole, &["--time-limit", "20"]).code, 0);
    refused(&learn(&whole[..whole.len() / 2], &[]), 3, &["gzip", "cut short", "gzip -t"]);
    refused(&run_with_input(&["learn", "-"], &whole[..20]), 3, &["standard input", "gzip"]);
}

#[test]
fn a_missing_class_or_value() {
    refused(&learn("a,class\n1,no\n2,?\n3,yes\n", &[]), 4, &["line 3", "class", "--missing drop-rows"]);
    let strict = ["--missing", "error"];
    refused(&learn("a,class\n1,no\n,yes\n", &strict), 4, &["line 3", "\"a\"", "--missing value"]);
    let drop = ["--missing", "drop-rows"];
    refused(&learn("a,class\n?,no\n,yes\n", &drop), 4, &["every row", "drop-rows"]);
}

#[test]
fn an_id_like_feature_is_questioned_but_used() {
    let rows: String = (0..10).map(|i| format!("patient-{i},{},{}\n", i % 3, i % 2)).collect();
    let result = learn(format!("name,dose,sick\n{rows}"), &[]);
    assert_eq!(result.code, 0);
    assert!(
        result.stderr.contains("\"name\"") && result.stderr.contains("--ignore"),
        "{}",
        result.stderr
    );
    let quiet = learn(format!("name,dose,sick\n{rows}"), &["--quiet"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
}

#[test]
fn limits_of_zero_or_less() {
    for (option, values) in [
        ("--time-limit", ["0", "-5", "0s"]),
        ("--memory-limit", ["0MB", "-1GB", "12"]),
        ("--threads", ["0", "-1", "two"]),
        ("--intervals", ["0", "1", "-4"]),
    ] {
        for value in values {
            let result = learn(GOOD, &[&format!("{option}={value}")]);
            refused(&result, 2, &[option, value]);
        }
    }
}

#[test]
fn a_memory_limit_below_what_the_table_takes() {
    refused(&learn(GOOD, &["--memory-limit", "1KB"]), 2, &["--memory-limit", "more than"]);
}

#[test]
fn options_that_do_not_exist() {
    refused(&learn(GOOD, &["--minimise", "size"]), 2, &["--minimize"]);
    refused(&learn(GOOD, &["--minimize", "time"]), 2, &["rules", "literals", "size"]);
    refused(&learn(GOOD, &["--separator", "::"]), 2, &["one character"]);
    let without_effect = ["--numeric", "thresholds", "--cut", "width"];
    refused(&learn(GOOD, &without_effect), 2, &["--cut", "means nothing", "--cuts"]);
    let without_effect = ["--method", "lazy", "--no-break-symmetry"];
    refused(&learn(GOOD, &without_effect), 2, &["--break-symmetry", "Leave it out"]);
}

#[test]
fn a_model_that_cannot_be_written() {
    let (_folder, path) = file("table.csv", GOOD);
    let result = run(&["learn", text(&path), "--model", "nowhere/at/all.json"]);
    refused(&result, 5, &["nowhere/at/all.json", "Check that the folder exists"]);
    assert_eq!(result.stdout, "");
}

#[test]
fn too_many_features_for_the_memory_allowed_names_the_column() {
    let rows: String = (0..20_000).map(|i| format!("id{i},{},{}\n", i % 7, i % 2)).collect();
    let table = format!("code,x,class\n{rows}");
    let options = ["--memory-limit", "100MB", "--max-values", "20000"];
    refused(&learn(table, &options), 4, &["\"code\"", "20000 values", "--ignore", "--max-values"]);
}

#[test]
fn a_hundred_thousand_columns_end_in_an_answer() {
    let names: Vec<String> = (0..100_000).map(|i| format!("c{i}")).collect();
    let row = |k: usize| {
        (0..100_000).map(|i| if (i * (k + 3)) % 7 < 3 { "1," } else { "0," }).collect::<String>()
    };
    let table = format!("{},class\n{}a\n{}b\n{}a\n", names.join(","), row(0), row(1), row(2));
    let result = learn(table, &["--time-limit", "60"]);
    assert_eq!(result.code, 0, "{}", result.stderr);
}
