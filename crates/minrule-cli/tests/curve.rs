//! The best trades of errors against size, and alpha chosen by cross-validation or by a budget.

mod common;

use common::{file, finish, hard_table, mixed_table, run, run_with_input, text};
use serde_json::Value;

const LOANS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/loans.csv");

fn json(args: &[&str]) -> Value {
    let result = run(&[args, &["--format", "json", "--quiet"]].concat());
    assert_eq!(result.code, 0, "{}", result.stderr);
    result.json()
}

fn points(curve: &Value) -> &[Value] {
    curve["points"].as_array().unwrap()
}

#[test]
fn every_point_is_what_learning_at_its_alpha_finds() {
    let (_folder, table) = file("mixed.csv", mixed_table(120, 5));
    for (path, options) in [
        (LOANS, &["--numeric", "thresholds"][..]),
        (text(&table), &["--otherwise", "none", "--minimize", "rules"]),
        (text(&table), &[]),
    ] {
        let curve = json(&[&["curve", path, "--down-to", "0.5rows"], options].concat());
        let points = points(&curve);
        assert!(points.len() > 2);
        assert!(points[0]["alpha_to"].is_null() && points[0]["rules"] == 0);
        for (point, next) in points.iter().zip(points.iter().skip(1)) {
            assert_eq!(point["alpha_from"], next["alpha_to"]);
        }
        for point in points {
            let alpha = point["alpha"].as_str().unwrap();
            let learned = json(&[&["learn", path, "--alpha", alpha], options].concat());
            // Of equally good sets another may be found, but none that counts for more or less.
            let counted = if options.contains(&"rules") { "rules" } else { "size" };
            for name in [counted, "errors", "otherwise", "status"] {
                assert_eq!(point[name], learned[name], "{name} at {alpha} of {path}");
            }
            let share = learned["alpha"].as_f64().unwrap();
            assert!(point["alpha_from"].as_f64().unwrap() <= share);
            assert!(point["alpha_to"].as_f64().is_none_or(|to| share <= to));
        }
    }
}

#[test]
fn a_curve_is_printed_in_three_ways() {
    let args = ["curve", LOANS, "--cross-validate", "4", "--repeats", "2"];
    let curve = json(&args);
    let lines = run(&[&args[..], &["--format", "csv"]].concat()).stdout;
    let mut lines = lines.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    for point in points(&curve) {
        let cells: Vec<&str> = lines.next().unwrap().split(',').collect();
        for (name, cell) in names.iter().zip(cells) {
            match &point[*name] {
                Value::Null => assert_eq!(cell, "", "{name}"),
                Value::String(text) => assert_eq!(cell, text),
                number => assert_eq!(cell.parse::<f64>().ok(), number.as_f64(), "{name}"),
            }
        }
        let share = |name: &str| point[name].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&share("accuracy")) && share("accuracy_se") < 0.2);
        assert!(share("balanced_accuracy") <= 1.0 && share("log_loss") > 0.0);
    }
    assert!(lines.next().is_none());
    let words = run(&args).stdout;
    assert!(
        words.contains("alpha from") && words.contains("accuracy") && words.contains("Proven"),
        "{words}"
    );
    // Nothing is known of rows not seen unless somebody asks.
    assert!(points(&json(&["curve", LOANS]))[0].get("accuracy").is_none());
}

#[test]
fn auto_learns_at_the_alpha_that_folds_choose() {
    for options in [&[][..], &["--choose", "best"], &["--score", "balanced-accuracy", "--folds", "3"]] {
        let auto = json(&[&["learn", LOANS, "--alpha", "auto"], options].concat());
        let choice = &auto["choice"];
        let fixed = json(&["learn", LOANS, "--alpha", choice["alpha"].as_str().unwrap()]);
        assert_eq!(auto["classes"][0]["rules"], fixed["classes"][0]["rules"]);
        assert_eq!((&auto["alpha"], &auto["status"]), (&fixed["alpha"], &fixed["status"]));
        let expected = &auto["expected"];
        assert!((0.5..=1.0).contains(&expected["accuracy"].as_f64().unwrap()));
        assert!(expected["how"].as_str().unwrap().contains("cross-validation"));
        // With two classes there is no choice of an order.
        assert_eq!(expected["chosen"], serde_json::json!({ "alpha": choice["alpha"] }));

        let tried = choice["tried"].as_array().unwrap();
        let number = |of: &Value, name: &str| of[name].as_f64().unwrap();
        let score = choice["score"].as_str().unwrap().replace('-', "_");
        // Small alphas far below the best one are tried once, and not chosen.
        let every_time = tried.iter().filter(|of| of["repeats"] == choice["repeats"]);
        let every_time: Vec<&Value> = every_time.collect();
        let once = &tried[every_time.len()..];
        assert!(once.iter().all(|of| of["repeats"] == 1 && of["behind"].is_null()), "{once:?}");
        let best = every_time.iter().map(|of| number(of, &score)).fold(0.0, f64::max);
        let is_near = |of: &&&Value| {
            assert!((best - number(of, &score) - number(of, "behind")).abs() < 1e-9);
            let allowed = if choice["choose"] == "best" { 0.0 } else { number(of, "behind_se") };
            number(of, "behind") <= allowed + 1e-9
        };
        let chosen = every_time.iter().find(is_near).unwrap();
        assert_eq!(chosen["alpha"], choice["alpha"]);
    }
}

#[test]
fn with_several_classes_the_folds_choose_an_order_too() {
    let (_folder, table) = file("several.csv", several_classes());
    let table = text(&table);
    let auto = json(&["learn", table, "--alpha", "auto", "--repeats", "1"]);
    let choice = &auto["choice"];
    let (alpha, order) = (choice["alpha"].as_str().unwrap(), choice["order"].as_str().unwrap());
    let fixed = json(&["learn", table, "--alpha", alpha, "--order", order]);
    assert_eq!((&auto["classes"], &auto["order"]), (&fixed["classes"], &fixed["order"]));
    let number = |of: &Value, name: &str| of[name].as_f64().unwrap();
    let tried = choice["tried"].as_array().unwrap();
    let of_order = |order: &str| {
        let near =
            |of: &&Value| of["order"] == order && number(of, "behind") <= number(of, "behind_se") + 1e-9;
        tried.iter().find(near).unwrap_or_else(|| panic!("{order}: {tried:?}"))
    };
    let (none, rarest) = (of_order("none"), of_order("rarest"));
    let better = number(rarest, "accuracy") > number(none, "accuracy") + 1e-9;
    let chosen = if better { rarest } else { none };
    assert_eq!((&chosen["alpha"], &chosen["order"]), (&choice["alpha"], &choice["order"]));
    // Whoever asks for an order, or for what does not go with one, is not given another.
    for asked in [&["--order", "none"][..], &["--conflict", "majority"], &["--order", "frequent"]] {
        let said = json(&[&["learn", table, "--alpha", "auto", "--repeats", "1"], asked].concat());
        let tried = said["choice"]["tried"].as_array().unwrap();
        assert!(tried.iter().all(|of| of["order"] == said["choice"]["order"]), "{asked:?}");
    }
}

/// A table of three classes: the rare ones stand out, up to some noise.
fn several_classes() -> String {
    let mut rows = "a,b,c,d,class\n".to_string();
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..150 {
        let [a, b, c, d] = [(); 4].map(|()| random.bool());
        let class = match (a && b, c) {
            _ if random.u8(..) < 12 => "z",
            (true, _) => "x",
            (_, true) => "y",
            _ => "z",
        };
        rows += &format!("{},{},{},{},{class}\n", u8::from(a), u8::from(b), u8::from(c), u8::from(d));
    }
    rows
}

#[test]
fn the_choice_is_the_same_on_any_number_of_threads() {
    let said = |threads: &str| {
        let mut said = json(&["learn", LOANS, "--alpha", "auto", "--threads", threads]);
        for time in ["seconds", "peak_mb"] {
            said.as_object_mut().unwrap().remove(time);
        }
        for class in said["classes"].as_array_mut().unwrap() {
            class.as_object_mut().unwrap().remove("seconds");
        }
        said
    };
    assert_eq!(said("1"), said("2"));
}

#[test]
fn a_model_says_what_to_expect_and_the_check_that_it_did_not_look() {
    let folder = tempfile::tempdir().unwrap();
    let (model, proof) = (folder.path().join("model.json"), folder.path().join("proof"));
    let said =
        json(&["learn", LOANS, "--alpha", "auto", "--model", text(&model), "--proof", text(&proof)]);
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(&model).unwrap()).unwrap();
    assert_eq!(kept["expected"], said["expected"]);
    let check = run(&["check", text(&model), LOANS, "--proof", text(&proof)]);
    assert_eq!(check.code, 0, "{}", check.stderr);
    assert!(check.stdout.contains("Not checked: what to expect on rows not seen"), "{}", check.stdout);
}

#[test]
fn a_budget_has_the_best_set_of_the_curve_within_it() {
    let curve = json(&["curve", LOANS]);
    let of = |point: &Value, name: &str| point[name].as_u64().unwrap();
    for size in [0, 2, 4, 8, 9, 50] {
        let learned = json(&["learn", LOANS, "--max-size", &size.to_string()]);
        let within = points(&curve).iter().filter(|point| of(point, "size") <= size);
        let fewest = within.map(|point| of(point, "errors")).min().unwrap();
        assert_eq!(of(&learned, "errors"), fewest);
        assert!(of(&learned, "size") <= size);
        assert!(of(&learned["budget"], "least_errors") <= fewest);
    }
    let learned = json(&["learn", LOANS, "--max-errors", "20%"]);
    assert!(of(&learned, "errors") <= 32);
    let smaller = points(&curve).iter().filter(|point| of(point, "errors") <= 32);
    assert_eq!(of(&learned, "size"), smaller.map(|point| of(point, "size")).min().unwrap());
    assert!(of(&learned["budget"], "least_size") <= of(&learned, "size"));
    assert_eq!(json(&["learn", LOANS, "--max-rules", "1"])["rules"], 1);
    let none = run(&["learn", LOANS, "--max-errors", "0"]);
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("the fewest errors are"), "{}", none.stderr);
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (args, words) in [
        (&["learn", LOANS, "--folds", "3"][..], "--folds"),
        (&["learn", LOANS, "--alpha", "1%", "--choose", "best"], "--choose"),
        (&["learn", LOANS, "--alpha", "auto", "--max-size", "3"], "--alpha"),
        (&["learn", LOANS, "--alpha", "auto", "--method", "enumerate"], "--alpha"),
        (&["learn", LOANS, "--alpha", "auto", "--folds", "1000"], "no more than there are rows"),
        (&["learn", LOANS, "--down-to", "1%"], "--down-to"),
        (&["learn", LOANS, "--max-errors", "many"], "`--max-errors`"),
        (&["curve", LOANS, "--down-to", "0"], "`--alpha`"),
        (&["curve", LOANS, "--minimize", "rules-then-literals"], "`--minimize"),
        (&["curve", LOANS, "--repeats", "2"], "--cross-validate"),
        (&["curve", LOANS, "--otherwise", "perhaps"], "perhaps"),
    ] {
        let result = run(args);
        assert!(result.code == 2 || result.code == 4, "{args:?}: {}", result.stderr);
        assert!(result.stderr.contains(words), "{args:?}: {}", result.stderr);
        assert!(result.stdout.is_empty());
    }
}

#[test]
fn a_curve_that_is_not_proven_says_so_by_its_exit_code() {
    for (content, always_open) in [(common::mixed_table(300, 5), false), (hard_table(200, 30), true)] {
        let (_folder, table) = file("table.csv", content);
        for limit in ["1ms", "20ms", "100ms"] {
            let curve = run(&["curve", text(&table), "--time-limit", limit, "--format", "json"]);
            let is_open = points(&curve.json()).iter().any(|point| point["status"] == "feasible");
            assert_eq!(curve.code, if is_open { 10 } else { 0 }, "{limit}: {}", curve.stderr);
            assert!(is_open || !always_open, "{limit}");
        }
    }
}

#[test]
fn limits_leave_valid_answers() {
    let (_folder, table) = file("hard.csv", hard_table(400, 40));
    let table = text(&table);
    let curve = run(&["curve", table, "--time-limit", "1", "--format", "json"]);
    assert_eq!(curve.code, 10, "{}", curve.stderr);
    let curve = curve.json();
    assert!(points(&curve).iter().any(|point| point["status"] == "feasible"));
    let learned = run(&["learn", table, "--alpha", "auto", "--time-limit", "1", "--format", "json"]);
    assert!([0, 10].contains(&learned.code), "{}", learned.stderr);
    assert!(learned.json()["expected"]["accuracy"].as_f64().is_some());
    let budget = run(&["learn", table, "--max-size", "20", "--time-limit", "1", "--format", "json"]);
    assert!([0, 10].contains(&budget.code), "{}", budget.stderr);
    assert!(budget.json()["size"].as_u64().unwrap() <= 20);
}

/// Runs a command and interrupts it after a while.
#[cfg(unix)]
fn interrupted(args: &[&str]) -> common::Run {
    let child = common::command(args).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let pid = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap();
    finish(child)
}

#[cfg(unix)]
#[test]
fn ctrl_c_while_alpha_is_chosen_ends_the_program() {
    let (_folder, table) = file("hard.csv", hard_table(3000, 60));
    let result = interrupted(&["learn", text(&table), "--alpha", "auto"]);
    assert_eq!(result.code, 130, "{}", result.stderr);
    assert!(result.stdout.is_empty());
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_what_there_is_of_a_curve() {
    let (_folder, table) = file("hard.csv", hard_table(3000, 60));
    let result = interrupted(&["curve", text(&table), "--down-to", "0.1rows", "--cross-validate", "5"]);
    assert_eq!(result.code, 12, "{}", result.stderr);
    assert!(result.stdout.contains("alpha from"), "{}", result.stdout);
}

#[test]
fn many_thin_rules_come_with_a_hint() {
    let (_folder, table) = file("noise.csv", hard_table(300, 10));
    let hint = "cover less than a tenth of their class";
    let perfect = run(&["learn", text(&table), "--time-limit", "2"]).stdout;
    assert!(perfect.contains(hint) && perfect.contains("`--alpha auto`"), "{perfect}");
    assert!(
        !run(&["learn", text(&table), "--alpha", "auto", "--time-limit", "4"]).stdout.contains(hint)
    );
    assert!(!run(&["learn", LOANS]).stdout.contains(hint));
}

#[test]
fn a_table_from_standard_input_has_a_curve_too() {
    let table = "x,y,class\n1,0,a\n1,0,a\n1,1,a\n0,1,b\n0,1,b\n0,0,b\n0,0,a\n";
    let result = run_with_input(&["curve", "-", "--down-to", "0.2rows"], table.as_bytes());
    assert_eq!(result.code, 0, "{}", result.stderr);
    assert!(result.stdout.starts_with("standard input: 7 rows"), "{}", result.stdout);
}
