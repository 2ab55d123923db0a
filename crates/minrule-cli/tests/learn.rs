//! `minrule learn` as people use it.

mod common;

use std::io::Write;

use minrule::PlainNames;

use common::{classes, file, hard_table, judge, rules, run, run_with_input, text};
use serde_json::Value;

const DATING: &str = include_str!("../../../data/dating.csv");
const LOANS: &str = include_str!("../../../data/loans.csv");
const LOANS_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/loans.csv");

fn learn(table: &str, options: &[&str]) -> Value {
    let mut args = vec!["learn", "-", "--format", "json"];
    args.extend(options);
    let result = run_with_input(&args, table.as_bytes());
    assert_eq!(result.code, 0, "{}", result.stderr);
    result.json()
}

#[test]
fn the_running_example_in_words() {
    let result = run_with_input(&["learn", "-"], DATING.as_bytes());
    assert_eq!(result.code, 0);
    for words in [
        "4 rows, 4 Boolean features, 2 classes of \"Date?\"",
        "Date? = No: 2 rules, 2 literals, optimal",
        "Date? = Yes: 1 rule, 2 literals, optimal",
        "THEN Date? = Yes   [2 rows, 2 literals]",
        "Total: 3 rules, 4 literals, size 7.",
        "Proven optimal: no decision set over these 8 conditions is smaller.",
        "The conditions are all tests on 4 columns.",
        "rules generated.",
    ] {
        assert!(result.stdout.contains(words), "\"{words}\" is not in:\n{}", result.stdout);
    }
}

#[test]
fn the_running_example_as_json() {
    let json = learn(DATING, &[]);
    judge(&json, DATING);
    for (field, value) in [("rules", 3), ("literals", 4), ("size", 7), ("lower_bound", 7)] {
        assert_eq!(json[field], value, "{field}");
    }
    assert_eq!(json["status"], "optimal");
    assert_eq!(json["objective"], "size");
    assert_eq!(json["conflicts"]["training_accuracy"], 1.0);
    for stage in ["read", "first", "rules", "cover", "total"] {
        assert!(json["seconds"][stage].is_number(), "{stage}");
    }
    let yes = &json["classes"][1];
    assert_eq!(
        (&yes["class"], &yes["cost"], &yes["stopped_by"]),
        (&"Yes".into(), &3.into(), &Value::Null)
    );
    assert_eq!((&yes["rules"][0]["then"], &yes["rules"][0]["covers"]), (&"Yes".into(), &2.into()));
}

#[test]
fn every_configuration_of_the_paper_and_every_objective() {
    for (objective, cost) in [
        ("rules", Value::from(3)),
        ("literals", 4.into()),
        ("size", 7.into()),
        ("rules-then-literals", vec![3, 4].into()),
    ] {
        for cover in ["ilp", "maxsat"] {
            for (symmetry, enumerated) in [("--break-symmetry", 3), ("--no-break-symmetry", 8)] {
                let method = ["--method", "enumerate", "--rules", "maxsat", "--cover", cover];
                let json = learn(DATING, &[&method[..], &["--minimize", objective, symmetry]].concat());
                judge(&json, DATING);
                assert_eq!(json["lower_bound"], cost);
                assert_eq!(json["rules_enumerated"], enumerated);
            }
        }
    }
}

#[test]
fn the_lazy_method_finds_sets_of_the_same_size() {
    for objective in ["rules", "literals", "size", "rules-then-literals"] {
        let bound = |method| {
            let json = learn(LOANS, &["--minimize", objective, "--method", method]);
            judge(&json, LOANS);
            assert_eq!(json["status"], "optimal");
            json["lower_bound"].clone()
        };
        assert_eq!(bound("lazy"), bound("enumerate"), "{objective}");
    }
}

/// Random classes leave a wide gap between the relaxation and the optimum: dives, the rules within
/// the gap and branch and bound all have something to do.
#[test]
fn a_noisy_table_by_every_method_and_on_any_number_of_threads() {
    let table = hard_table(90, 20);
    for objective in ["rules", "literals", "size", "rules-then-literals"] {
        let result = |how: &[&str]| {
            let json = learn(&table, &[&["--minimize", objective], how].concat());
            judge(&json, &table);
            assert_eq!(json["status"], "optimal", "{objective} {how:?}");
            json
        };
        let lazy = result(&["--threads", "1"]);
        for threads in ["2", "3"] {
            let classes = &result(&["--threads", threads])["classes"];
            assert_eq!(*classes, lazy["classes"], "{objective}, {threads} threads");
        }
        for how in [
            &["--cover", "ilp"][..],
            &["--method", "enumerate", "--rules", "search", "--cover", "ilp"],
            &["--method", "enumerate", "--rules", "search", "--cover", "branch"],
        ] {
            let bound = &result(how)["lower_bound"];
            assert_eq!(*bound, lazy["lower_bound"], "{objective} {how:?}");
        }
    }
}

#[test]
fn the_bundled_table_with_every_way_to_use_numbers() {
    for options in [
        &["--numeric", "intervals"][..],
        &["--numeric", "intervals", "--cut", "width", "--intervals", "3"],
        &["--numeric", "thresholds"],
        &["--cuts", "2", "--no-negations"],
        &["--cuts", "all"],
        &["--no-negations"],
    ] {
        let json = learn(LOANS, options);
        judge(&json, LOANS);
        assert_eq!(json["status"], "optimal", "{options:?}");
        let negated =
            classes(&json).flat_map(rules).flat_map(|rule| rule["if"].as_array().unwrap()).any(|c| {
                ["!=", "not in", "not between", "not <=", "not >", "not <", "is not missing"]
                    .contains(&c["op"].as_str().unwrap())
            });
        assert!(!(negated && options.contains(&"--no-negations")), "{options:?}");
    }
}

#[test]
fn missing_values_are_a_value_or_leave_their_rows_out() {
    let table = "x,y,class\n1,?,a\n2,NA,a\n3,u,b\n4,v,b\n5,,a\n6,w,b\n7,nan,b\n";
    let json = learn(table, &[]);
    judge(&json, table);
    assert_eq!(json["table"]["rows"], 7);
    let dropped = learn(table, &["--missing", "drop-rows", "--target", "x"]);
    assert_eq!(dropped["table"]["rows_left_out"], 4);
}

#[test]
fn files_gzip_standard_input_and_separators_give_the_same_rules() {
    let from_input = learn(LOANS, &[]);
    let rules_of = |json: &Value| json["classes"].clone();

    let from_file = run(&["learn", LOANS_PATH, "--format", "json"]).json();
    assert_eq!(rules_of(&from_file), rules_of(&from_input));

    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(LOANS.as_bytes()).unwrap();
    let from_gzip = run_with_input(&["learn", "-", "--format", "json"], &gz.finish().unwrap()).json();
    assert_eq!(rules_of(&from_gzip), rules_of(&from_input));

    for (separator, name) in [(";", ";"), ("\t", "tab")] {
        let json = learn(&LOANS.replace(',', separator), &["--separator", name]);
        assert_eq!(rules_of(&json), rules_of(&from_input));
    }
}

#[test]
fn line_ends_quotes_and_blank_lines_are_no_part_of_the_values() {
    let dressed =
        DATING.replace('\n', "\r\n\r\n").replace("Weekend", "\"Weekend\"").replace(",Bad", ", Bad ");
    assert_eq!(learn(&dressed, &[])["classes"], learn(DATING, &[])["classes"]);
    let quoted = "\"a, or b\",class\n\"x,\ny\",no\nz,yes\n";
    assert_eq!(learn(quoted, &[])["classes"][0]["rules"][0]["if"][0]["value"], "x,\ny");
}

#[test]
fn target_ignore_and_classes_choose_what_is_described() {
    let json = learn(DATING, &["--target", "Venue", "--ignore", "Date?", "--classes", "Club"]);
    assert_eq!(json["target"], "Venue");
    assert_eq!(classes(&json).count(), 1);
    assert_eq!(json["classes"][0]["class"], "Club");
    assert_eq!(json["table"]["features"], 3);
}

#[test]
fn conflicts_are_settled_by_majority_and_ties_by_first_appearance() {
    let table = "a,class\n1,no\n1,yes\n1,yes\n2,late\n2,no\n3,no\n";
    let json = learn(table, &[]);
    judge(&json, table);
    assert_eq!(json["conflicts"]["rows_dropped"], 2);
    assert_eq!(json["conflicts"]["ties"], 1);
    // "no" appears before "late", which keeps no example and needs no rule.
    let late = classes(&json).find(|class| class["class"] == "late").unwrap();
    assert_eq!((rules(late).count(), &late["status"]), (0, &"optimal".into()));
}

#[test]
fn many_classes() {
    let rows: String = (0..300).map(|i| format!("{},{},{}\n", i % 20, i / 20, i / 2)).collect();
    let table = format!("x,y,class\n{rows}");
    let json = learn(&table, &["--numeric", "intervals", "--intervals", "20"]);
    judge(&json, &table);
    assert_eq!((classes(&json).count(), &json["status"]), (150, &"optimal".into()));
}

#[test]
fn the_same_bytes_whatever_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let model = |threads: &str| {
        let path = folder.path().join(format!("model-{threads}.json"));
        let result = run(&["learn", LOANS_PATH, "--threads", threads, "--model", text(&path)]);
        assert_eq!(result.code, 0);
        std::fs::read(path).unwrap()
    };
    let one = model("1");
    assert_eq!(one, model("2"));
    assert_eq!(one, model("1"));
}

#[test]
fn a_model_holds_its_encodings_and_where_it_came_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    std::fs::write(&path, "an older file").unwrap();
    let result = run(&["learn", LOANS_PATH, "--model", text(&path), "--ignore", "age"]);
    assert_eq!(result.code, 0, "{}", result.stderr);
    let json: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!((&json["format"], &json["version"]), (&"minrule-model".into(), &2.into()));
    assert_eq!(json["provenance"]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(json["provenance"]["ignored"][0], "age");
    assert!(json["features"]["columns"].as_array().unwrap().len() > 3);
    let model = minrule::Model::read(&path).unwrap();
    assert_eq!(serde_json::to_value(&model).unwrap(), json);
}

#[test]
fn what_is_no_model_is_refused() {
    for (content, word) in [
        ("{}", "format"),
        ("not json", "expected"),
        (r#"{"format":"other","version":1}"#, "other"),
        (r#"{"format":"minrule-model","version":99}"#, "version is 99"),
    ] {
        let (_folder, path) = file("model.json", content);
        let error = minrule::Model::read(&path).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
        assert!(error.remedy(&PlainNames).unwrap().contains("minrule learn"));
    }
}

#[test]
fn logs_say_what_is_done() {
    let result = run(&["learn", LOANS_PATH, "-vv"]);
    assert!(result.stderr.contains("distinct examples"), "{}", result.stderr);
    assert!(result.stderr.contains("rules added"), "{}", result.stderr);
}

#[test]
fn help_documents_options_and_exit_codes() {
    let help = run(&["learn", "--help"]).stdout;
    for words in [
        "--minimize",
        "rules-then-literals",
        "--break-symmetry",
        "--time-limit",
        "Exit codes:",
        "10  time limit",
    ] {
        assert!(help.contains(words), "{words}");
    }
}

#[test]
fn symbols_show_conditions_one_by_one() {
    let (folder, table) = file("x.csv", "x,c\n1,no\n2,yes\n3,yes\n4,no\n5,no\n");
    let model = folder.path().join("model.json");
    for (style, rule) in [
        (&[][..], "IF x between 2 and 3 THEN c = yes"),
        (&["--style", "words"], "IF x between 2 and 3 THEN c = yes"),
        (&["--style", "symbols"], "IF x >= 2 AND x <= 3 THEN c = yes"),
    ] {
        let said = |args: &[&str]| {
            let result = run(&[args, style].concat());
            assert_eq!(result.code, 0, "{}", result.stderr);
            result.stdout
        };
        let (table, model) = (text(&table), text(&model));
        for shown in [
            said(&["learn", table, "--classes", "yes", "--model", model]),
            said(&["explain", model, table, "--row", "2"]),
            said(&["export", model, "--to", "text"]),
            said(&["export", model, "--to", "sql"]),
        ] {
            assert!(shown.contains(rule), "{style:?}: {shown}");
        }
    }
    let refused = run(&["learn", text(&table), "--style", "poem"]);
    assert!(refused.code == 2 && refused.stderr.contains("symbols"), "{}", refused.stderr);
}
