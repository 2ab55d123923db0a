//! Tables as people have them: numbers with signs and marks, columns of very many names.

mod common;

use std::path::{Path, PathBuf};

use common::{run, run_with_input, text};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Learns a model of a table; the folder, the model's file, the result and the warnings.
fn learn(table: &str, options: &[&str]) -> (TempDir, PathBuf, Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let (model, path) = (folder.path().join("model.json"), folder.path().join("table.csv"));
    std::fs::write(&path, table).unwrap();
    let mut args = vec!["learn", text(&path), "--format", "json", "--model", text(&model)];
    args.extend(options);
    let result = run(&args);
    assert_eq!(result.code, 0, "{}", result.stderr);
    let json = result.json();
    (folder, model, json, result.stderr)
}

fn predict(model: &Path, table: &str) -> Vec<String> {
    let result = run_with_input(&["predict", text(model), "-"], table.as_bytes());
    assert_eq!(result.code, 0, "{}", result.stderr);
    result.stdout.lines().skip(1).map(str::to_string).collect()
}

fn premises(result: &Value) -> Vec<Value> {
    let classes = result["classes"].as_array().unwrap().iter();
    let rules = classes.flat_map(|class| class["rules"].as_array().unwrap());
    rules.flat_map(|rule| rule["if"].as_array().unwrap().clone()).collect()
}

/// Dear things are bought at high rates, in the spelling that `write` gives.
fn prices(write: impl Fn(f64) -> [String; 2]) -> String {
    let mut table = "price;rate;bought\n".to_string();
    for i in 0..40 {
        let x = f64::from(i * i) * 37.25;
        let [price, rate] = write(x);
        table += &format!("{price};{rate};{}\n", if i < 20 { "no" } else { "yes" });
    }
    table
}

fn grouped(x: f64, mark: &str, decimal: &str) -> String {
    let (whole, decimals) = (x.trunc() as u64, (x.fract() * 100.0) as u64);
    let digits = whole.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text += mark;
        }
        text.push(digit);
    }
    format!("{text}{decimal}{decimals:02}")
}

#[test]
fn numbers_with_signs_give_the_rules_of_plain_numbers() {
    let plain = prices(|x| [x.to_string(), (x / 4.0).to_string()]);
    let (_folder, plain_model, expected, _) = learn(&plain, &["--separator", ";"]);
    let separated = ["--separator", ";"];
    let comma = ["--separator", ";", "--decimal", ","];
    let ways = [
        (prices(|x| [format!("${}", grouped(x, ",", ".")), format!("{} %", x / 4.0)]), &separated[..]),
        (prices(|x| [format!("CHF {}", grouped(x, "'", ".")), format!("{}%", x / 4.0)]), &separated[..]),
        (
            prices(|x| [format!("{} €", grouped(x, ".", ",")), (x / 4.0).to_string().replace('.', ",")]),
            &comma[..],
        ),
        (
            prices(|x| [grouped(x, "\u{a0}", ","), (x / 4.0).to_string().replace('.', ",") + " %"]),
            &comma[..],
        ),
    ];
    for (table, options) in ways {
        let (folder, model, result, warnings) = learn(&table, options);
        assert_eq!(warnings, "", "{table}");
        assert_eq!(premises(&result).len(), premises(&expected).len());
        assert_eq!(result["scope"], expected["scope"], "{table}");
        let predicted = predict_separated(&model, &table);
        let classes: Vec<&str> =
            table.lines().skip(1).map(|row| row.rsplit(';').next().unwrap()).collect();
        assert_eq!(predicted, classes);
        // Numbers without signs mean the same.
        if options == separated {
            assert_eq!(predict_separated(&model, &plain), classes);
        }
        let table = folder.path().join("table.csv");
        let check = run(&["check", text(&model), text(&table), "--separator", ";"]);
        assert_eq!(check.code, 0, "{}{}", check.stdout, check.stderr);
        let evaluated =
            run(&["evaluate", text(&model), text(&table), "--separator", ";", "--format", "json"]);
        assert_eq!(evaluated.json()["correct"], 40);
        let explained =
            run(&["explain", text(&model), text(&table), "--separator", ";", "--row", "all"]);
        assert_eq!(explained.code, 0, "{}", explained.stderr);
        let page = folder.path().join("page.html");
        let report =
            run(&["report", text(&model), text(&table), "--separator", ";", "--output", text(&page)]);
        assert_eq!(report.code, 0, "{}", report.stderr);
        // Exported programs take plain numbers, and say so.
        let python = run(&["export", text(&model), "--to", "python"]);
        let used = premises(&result)[0]["feature"].as_str().unwrap().to_string();
        let written = &saved(&model)["provenance"]["spelling"]["notations"][&used];
        let says = python.stdout.contains(&format!("Numbers in \"{used}\" must be plain here: without"));
        assert_eq!(says, !written.is_null(), "{}", python.stdout);
    }
    assert_eq!(saved(&plain_model)["provenance"]["spelling"], Value::Null);
    assert_eq!(saved(&plain_model)["version"], 2);
    // Only models of numbers with signs have a higher version.
    let signed = prices(|x| [format!("${x}"), x.to_string()]);
    for (options, version) in [(&[][..], [2, 4]), (&["--alpha", "1row"], [3, 4])] {
        for (table, version) in [&plain, &signed].into_iter().zip(version) {
            let (_folder, model, ..) = learn(table, &[&separated[..], options].concat());
            assert_eq!(saved(&model)["version"], version);
        }
    }
}

#[test]
fn rules_show_the_signs_of_the_table() {
    let ways: [(&dyn Fn(i32) -> String, &str); 4] = [
        (&|x| format!("{x} %"), "x >= -3 %"),
        (&|x| format!("{}${}", if x < 0 { "-" } else { "" }, x.abs()), "x >= -$3"),
        (&|x| format!("CHF {x}"), "x >= CHF -3"),
        (&|x| if x == 0 { "0".into() } else { format!("{x},000,000") }, "x >= -3499999"),
    ];
    for (write, said) in ways {
        let rows = (-9..9).map(|x| format!("{};{}\n", write(x), if x < -3 { "low" } else { "high" }));
        let table = format!("x;c\n{}", rows.collect::<String>());
        let (_folder, model, result, _) = learn(&table, &["--separator", ";", "--classes", "high"]);
        for form in ["text", "markdown", "python", "sql"] {
            let shown = run(&["export", text(&model), "--to", form]).stdout.replace("\\$", "$");
            assert!(shown.contains(said), "{form}, {said}: {shown}");
        }
        let symbols = run(&["export", text(&model), "--to", "text", "--style", "symbols"]).stdout;
        // Marks between thousands are not shown, so there is no other way to say it.
        let plain = said.contains("99");
        assert_eq!(symbols.contains(said), plain, "{said}: {symbols}");
        let number = premises(&result)[0]["value"].as_f64().unwrap();
        assert_eq!(number, if plain { -3_499_999.0 } else { -3.0 });
        // A sign that is none of the table's, in a model that somebody changed, is not shown.
        let mut forged = saved(&model);
        forged["provenance"]["spelling"]["notations"]["x"] =
            json!({"signs": {"before": "", "after": " OR 1"}});
        std::fs::write(&model, forged.to_string()).unwrap();
        assert!(!run(&["export", text(&model), "--to", "text"]).stdout.contains("OR 1"));
    }
}

fn saved(model: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(model).unwrap()).unwrap()
}

fn predict_separated(model: &Path, table: &str) -> Vec<String> {
    let result = run_with_input(&["predict", text(model), "-", "--separator", ";"], table.as_bytes());
    assert_eq!(result.code, 0, "{}", result.stderr);
    result.stdout.lines().skip(1).map(str::to_string).collect()
}

#[test]
fn what_may_be_meant_otherwise_is_said() {
    let table = |value: &dyn Fn(usize) -> String| {
        let rows: String = (0..12).map(|i| format!("{};{}\n", value(i), i % 2)).collect();
        format!("x;c\n{rows}")
    };
    let warned = |value: &dyn Fn(usize) -> String| learn(&table(value), &["--separator", ";"]).3;
    let doubtful = warned(&|i| format!("{},500", i + 1));
    assert!(
        doubtful.contains("marks between thousands") && doubtful.contains("--decimal ,"),
        "{doubtful}"
    );
    let mixed = warned(&|i| if i == 3 { "$5".into() } else { format!("{i} €") });
    assert!(mixed.contains("not written alike") && mixed.contains("--numeric-columns \"x\""), "{mixed}");
    let slip = warned(&|i| if i == 3 { "free".into() } else { format!("{i} €") });
    assert!(slip.contains("except \"free\" in 1 row"), "{slip}");
    // The remedy works.
    let slip = table(&|i| if i == 3 { "free".into() } else { format!("{i} €") });
    let (_folder, model, _, warnings) = learn(&slip, &["--separator", ";", "--missing-values", "free"]);
    assert_eq!(warnings, "");
    assert_eq!(
        saved(&model)["provenance"]["spelling"]["notations"],
        json!({"x": {"signs": {"before": "", "after": " €"}}})
    );
}

#[test]
fn a_model_without_signs_takes_texts_with_signs_for_what_they_were() {
    // As models of earlier versions have it: names that look like numbers now.
    let table = "rate,c\n5%,a\n6%,b\n7%,a\n";
    let (_folder, model, _, _) = learn(table, &["--categorical", "rate"]);
    let mut json = saved(&model);
    json["provenance"]["spelling"] =
        json!({"missing": [], "decimal": ".", "categorical": [], "numeric": []});
    std::fs::write(&model, json.to_string()).unwrap();
    assert_eq!(predict(&model, table), ["a", "b", "a"]);
    let check = run_with_input(&["check", text(&model), "-"], table.as_bytes());
    assert_eq!(check.code, 0, "{}{}", check.stdout, check.stderr);
}

/// Cities, of which two decide, and an identifier.
fn cities(rows: usize) -> String {
    let mut table = "id,city,rain,sold\n".to_string();
    for i in 0..rows {
        let city = if i % 4 == 0 { format!("town {}", i % 8) } else { format!("village {}", i % 97) };
        let sold = i % 8 == 0 || (i % 8 != 4 && i % 3 == 0);
        table += &format!("p{i},{city},{},{sold}\n", if i % 3 == 0 { "yes" } else { "no" });
    }
    table
}

#[test]
fn of_many_names_the_most_frequent_are_tested_and_identifiers_are_left_out() {
    let table = cities(600);
    let (folder, model, result, warnings) = learn(&table, &["--max-values", "20"]);
    assert!(
        warnings.contains("\"id\" has 600 values, none of them in two rows, and is left out"),
        "{warnings}"
    );
    assert!(
        warnings.contains("\"city\" has 99 values, of which rules test only the 20 most frequent"),
        "{warnings}"
    );
    assert!(warnings.contains("--max-values"), "{warnings}");
    let scope = &result["scope"];
    // Each of 20 names is tested with "=" and "!=", and "rain" has two values.
    assert_eq!((&scope["conditions"], &scope["columns"]), (&json!(42), &json!(2)));
    assert_eq!((&scope["wide_columns"], &scope["rare_values"]), (&json!(2), &json!(679)));
    assert!(premises(&result).iter().all(|condition| condition["feature"] != "id"));
    let classes: Vec<&str> = table.lines().skip(1).map(|row| row.rsplit(',').next().unwrap()).collect();
    assert_eq!(predict(&model, &table), classes);
    let path = folder.path().join("table.csv");
    let check = run(&["check", text(&model), text(&path)]);
    assert_eq!(check.code, 0, "{}{}", check.stdout, check.stderr);
    assert!(check.stdout.contains("none tests 679 rare values of 2 columns"), "{}", check.stdout);
    // A claim about more than was searched is not believed.
    let mut forged = saved(&model);
    forged["decision_set"]["scope"]["rare_values"] = json!(1);
    std::fs::write(&model, forged.to_string()).unwrap();
    let check = run(&["check", text(&model), text(&path)]);
    assert_eq!(check.code, 6, "{}", check.stdout);
    // With room for all names nothing is left out.
    let (_folder, _, result, warnings) = learn(&table, &["--max-values", "600", "--ignore", "id"]);
    assert_eq!((warnings.as_str(), &result["scope"]["wide_columns"]), ("", &Value::Null));
    let refused = run_with_input(&["learn", "-", "--max-values", "0"], table.as_bytes());
    assert!(refused.code == 2 && refused.stderr.contains("--max-values"), "{}", refused.stderr);
}

/// A CSV table as JSON lines: numbers as numbers, empty fields absent or null.
fn as_json_lines(csv: &str) -> String {
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut text = String::new();
    for (number, line) in lines.enumerate() {
        let mut object = serde_json::Map::new();
        for (name, field) in names.iter().zip(line.split(',')) {
            let value = match field.parse::<f64>() {
                Ok(x) if x.fract() == 0.0 => json!(x as i64),
                Ok(x) => json!(x),
                Err(_) if field.is_empty() && number % 2 == 0 && number > 0 => continue,
                Err(_) if field.is_empty() => Value::Null,
                Err(_) => json!(field),
            };
            object.insert(name.to_string(), value);
        }
        text += &(Value::Object(object).to_string() + "\n");
    }
    text
}

#[test]
fn json_lines_are_read_like_the_csv_of_the_same_table() {
    // Objects are sorted by their keys here, so the columns of the CSV are too.
    let csv = mixed(60);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let packed = {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, as_json_lines(&csv).as_bytes()).unwrap();
        packed.finish().unwrap()
    };
    std::fs::write(at("table.csv"), &csv).unwrap();
    std::fs::write(at("table.jsonl"), as_json_lines(&csv)).unwrap();
    std::fs::write(at("table.ndjson.gz"), packed).unwrap();
    let learned = |name: &str| {
        let model = at(&format!("{name}.model.json"));
        let result = run(&[
            "learn",
            text(&at(name)),
            "--format",
            "json",
            "--target",
            "z",
            "--model",
            text(&model),
        ]);
        assert_eq!(result.code, 0, "{}", result.stderr);
        (result.json(), model)
    };
    let (expected, csv_model) = learned("table.csv");
    for name in ["table.jsonl", "table.ndjson.gz"] {
        let (result, model) = learned(name);
        assert_eq!(result["classes"], expected["classes"]);
        assert_eq!(result["scope"], expected["scope"]);
        for command in ["check", "evaluate"] {
            let done = run(&[command, text(&model), text(&at(name))]);
            assert_eq!(done.code, 0, "{command} {}{}", done.stdout, done.stderr);
            // What is said of the one holds of the other; only the bytes are not the same.
            let other = run(&[command, text(&model), text(&at("table.csv"))]);
            assert_eq!(other.code, 0, "{command} {}{}", other.stdout, other.stderr);
        }
        let explained = run(&["explain", text(&model), text(&at(name)), "--row", "all"]);
        let same = run(&["explain", text(&model), text(&at("table.csv")), "--row", "all"]);
        assert_eq!(explained.code, 0, "{}", explained.stderr);
        assert!(explained.stdout.replace(name, "table.csv") == same.stdout);
        let page = at("page.html");
        let report = run(&["report", text(&model), text(&at(name)), "--output", text(&page)]);
        assert_eq!(report.code, 0, "{}", report.stderr);
        let predicted = run(&["predict", text(&csv_model), text(&at(name))]);
        assert_eq!(predicted.stdout, run(&["predict", text(&csv_model), text(&at("table.csv"))]).stdout);
        let hash = saved(&model)["provenance"]["sha256"].clone();
        assert_eq!(hash.as_str().unwrap().len(), 64);
        assert_ne!(hash, saved(&csv_model)["provenance"]["sha256"]);
    }
    // From standard input they are known by their first object.
    let piped = run_with_input(&["predict", text(&csv_model), "-"], as_json_lines(&csv).as_bytes());
    assert_eq!(piped.stdout, run(&["predict", text(&csv_model), text(&at("table.csv"))]).stdout);
}

/// Columns in alphabetical order, with numbers, names and missing values.
fn mixed(rows: usize) -> String {
    let mut table = "age,city,rate,z\n".to_string();
    for i in 0..rows {
        let age = if i % 7 == 3 { String::new() } else { (i * 13 % 50).to_string() };
        let city = ["Bern", "Genf", "Chur"][i * 5 % 3];
        table += &format!(
            "{age},{city},{},{}\n",
            (i * 7 % 40) as f64 / 8.0,
            (i * 13 % 50 > 24) != (city == "Bern")
        );
    }
    table
}

#[test]
fn json_lines_that_are_no_table_are_refused_by_their_line() {
    let (folder, _) = common::file("unused", "");
    for (content, expected) in [
        ("{\"a\":1,\"c\":\"x\"}\n{\"a\":[1,2],\"c\":\"y\"}\n", "line 2: the value of \"a\" is a list"),
        (
            "{\"a\":1,\"c\":\"x\"}\n{\"a\":{\"b\":1},\"c\":\"y\"}\n",
            "line 2: the value of \"a\" is an object",
        ),
        ("{\"a\":1,\"c\":\"x\"}\n\n{\"a\":1 \"c\":2}\n", "line 3: expected `,` or `}`"),
        ("[{\"a\":1}]\n", "line 1: invalid type: sequence, expected an object"),
        ("{\"a\":1,\"a\":2}\n", "line 1: the key \"a\" is there twice"),
        ("", "is empty"),
        ("{}\n", "is empty"),
    ] {
        let path = folder.path().join("table.jsonl");
        std::fs::write(&path, content).unwrap();
        let refused = run(&["learn", text(&path)]);
        assert_eq!(refused.code, 4, "{content}: {}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{content}: {}", refused.stderr);
    }
}

/// A row for every ninth day from autumn 2020 on, or for every ninth hour.
fn signed(moment: impl Fn(u32) -> String) -> String {
    let rows = (0..60).map(|i| {
        let text = if i == 11 { String::new() } else { moment(i) };
        format!("{},{text},{}\n", i % 4, if i < 20 || i == 11 { "old" } else { "new" })
    });
    format!("tier,signed,deal\n{}", rows.collect::<String>())
}

fn day(i: u32) -> String {
    // Months of 28 days are dates in any calendar.
    format!("20{}-{:02}-{:02}", 20 + i * 9 / 336, i * 9 / 28 % 12 + 1, i * 9 % 28 + 1)
}

#[test]
fn dates_and_times_are_numbers_that_look_like_dates() {
    let ways: [(&str, &dyn Fn(u32) -> String); 4] = [
        ("date", &day),
        ("date", &|i| day(i) + " 00:00:00"),
        ("time", &|i| format!("{}T{:02}:30", day(i), i % 24)),
        ("instant", &|i| format!("{} {:02}:30:15.25+02:00", day(i), i % 24)),
    ];
    for (notation, moment) in ways {
        let table = signed(moment);
        let (folder, model, result, warnings) = learn(&table, &["--numeric", "thresholds"]);
        assert_eq!(warnings, "", "{notation}");
        assert_eq!(saved(&model)["provenance"]["spelling"]["notations"], json!({"signed": notation}));
        // Earlier programs, which would misread it, refuse it by its version.
        assert_eq!(saved(&model)["version"], 4);
        assert!(premises(&result).iter().all(|condition| condition["feature"] == "signed"), "{result}");
        let classes: Vec<&str> =
            table.lines().skip(1).map(|row| row.rsplit(',').next().unwrap()).collect();
        assert_eq!(predict(&model, &table), classes, "{notation}");
        let path = folder.path().join("table.csv");
        for command in ["check", "evaluate"] {
            let done = run(&[command, text(&model), text(&path)]);
            assert_eq!(done.code, 0, "{command} {}{}", done.stdout, done.stderr);
        }
        let explained = run(&["explain", text(&model), text(&path), "--row", "all"]);
        assert_eq!(explained.code, 0, "{}", explained.stderr);
        let page = folder.path().join("page.html");
        let report = run(&["report", text(&model), text(&path), "--output", text(&page)]);
        assert_eq!(report.code, 0, "{}", report.stderr);
        assert!(std::fs::read_to_string(page).unwrap().contains(&format!("\"moment\":\"{notation}\"")));
        // The exported program reads the table itself.
        let program = folder.path().join("rules.py");
        let exported = run(&["export", text(&model), "--to", "python", "--output", text(&program)]);
        assert_eq!(exported.code, 0, "{}", exported.stderr);
        let ran = std::process::Command::new("python3").args([&program, &path]).output().unwrap();
        let said = String::from_utf8(ran.stdout).unwrap();
        assert_eq!(
            said.lines().collect::<Vec<_>>(),
            classes,
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let sql = run(&["export", text(&model), "--to", "sql"]);
        assert!(sql.code == 0 && sql.stdout.contains("t.\"signed\" >= '202"), "{}", sql.stdout);
    }
    let mixed = signed(|i| format!("{}T12:00{}", day(i), if i % 2 == 0 { "Z" } else { "" }));
    let warnings = learn(&mixed, &[]).3;
    assert!(
        warnings.contains("not written alike") && warnings.contains("an offset from UTC"),
        "{warnings}"
    );
}
