//! Sparse sets of runs that were stopped: the next run goes on from them, and believes nothing.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{classes, file, hard_table, mixed_table, run, text};
use serde_json::{Value, json};

/// A table, and beside it the file that runs go on from.
struct Task {
    folder: tempfile::TempDir,
    table: PathBuf,
    progress: PathBuf,
}

impl Task {
    fn new(table: &str) -> Task {
        let (folder, table) = file("table.csv", table);
        let progress = folder.path().join("progress.json");
        Task { folder, table, progress }
    }

    /// Learns with these options, whether it is stopped or not.
    #[track_caller]
    fn learn(&self, options: &[&str]) -> Value {
        let always = ["learn", text(&self.table), "--quiet", "--format", "json"];
        let result = run(&[&always[..], options].concat());
        assert!([0, 10].contains(&result.code), "{options:?}: {}", result.stderr);
        result.json()
    }

    /// Goes on from the file, and writes it.
    #[track_caller]
    fn resume(&self, options: &[&str]) -> Value {
        self.learn(&[&["--resume", text(&self.progress)], options].concat())
    }

    fn saved(&self) -> Value {
        serde_json::from_slice(&fs::read(&self.progress).unwrap()).unwrap()
    }

    fn save(&self, saved: &Value) {
        fs::write(&self.progress, saved.to_string()).unwrap();
    }
}

fn number(result: &Value, name: &str) -> f64 {
    result[name].as_f64().unwrap()
}

/// No time for anything but reading.
const AT_ONCE: [&str; 2] = ["--time-limit", "1ms"];

#[test]
fn a_stopped_run_goes_on_and_finds_the_optimum() {
    let task = Task::new(&hard_table(150, 14));
    for otherwise in ["auto", "none", "yes"] {
        let options = ["--alpha", "1.5rows", "--otherwise", otherwise];
        let optimum = task.learn(&options);
        assert_eq!(optimum["status"], "optimal");
        assert!(number(&optimum, "rules") > 0.0, "the table is too easy");

        let _ = fs::remove_file(&task.progress);
        // How far these come depends on the machine; that they never go back does not.
        let mut best = f64::INFINITY;
        for limit in ["1ms", "50ms", "100ms"] {
            let stopped = task.resume(&[&options[..], &["--time-limit", limit]].concat());
            let cost = number(&stopped, "cost");
            // Which class gets no rules may change.
            assert!(otherwise == "auto" || cost <= best, "{otherwise}, {limit}: {cost} after {best}");
            best = cost;
        }
        let finished = task.resume(&options);
        assert_eq!(finished["status"], "optimal", "{otherwise}");
        assert_eq!(finished["cost"], optimum["cost"], "{otherwise}");
        assert_eq!(finished["otherwise"], optimum["otherwise"], "{otherwise}");
    }
}

#[test]
fn what_is_on_file_is_there_at_once_for_all_classes() {
    for (options, of) in [
        (["--alpha", "2rows", "--otherwise", "none"], 3),
        (["--alpha", "1.5%", "--otherwise", "auto"], 3),
        (["--alpha", "0.01", "--otherwise", "melon"], 2),
    ] {
        let task = Task::new(&mixed_table(120, 3));
        let optimum = task.resume(&options);
        // The class that was solved in vain is there, too: a later run would have to solve it again.
        assert_eq!(task.saved()["classes"].as_array().unwrap().len(), of, "{options:?}");
        let again = task.resume(&[&options[..], &AT_ONCE].concat());
        assert_eq!(again["cost"], optimum["cost"], "{options:?}");
        assert_eq!(again["otherwise"], optimum["otherwise"], "{options:?}");
        assert!(classes(&again).all(|class| number(class, "lower_bound") <= number(class, "cost")));
        // A bound counts if there is time to check its certificate.
        let proven = |class: &Value| class["certificate"].as_str().unwrap().contains("minrule-proof 2");
        assert!(task.saved()["classes"].as_array().unwrap().iter().all(proven), "{options:?}");
        assert_eq!(task.resume(&options)["status"], "optimal", "{options:?}");

        let always = ["learn", text(&task.table), "--resume", text(&task.progress), "-v"];
        let told = run(&[&always[..], &options].concat());
        assert_eq!(told.stderr.matches("goes on from").count(), of, "{}", told.stderr);
    }
}

#[test]
fn the_file_says_what_was_asked() {
    let task = Task::new(&mixed_table(60, 5));
    task.resume(&["--alpha", "1.5%", "--minimize", "rules"]);
    let saved = task.saved();
    let alpha = json!({"numerator": 3, "denominator": 200, "rows": false});
    assert_eq!(saved["sparse"], json!({"alpha": alpha, "rows": 60}));
    assert_eq!((&saved["version"], &saved["objective"]), (&json!(2), &json!("rules")));

    // Everything else is written as before.
    fs::remove_file(&task.progress).unwrap();
    task.resume(&["--time-limit", "30"]);
    assert_eq!(task.saved()["version"], 1);
    assert!(task.saved().get("sparse").is_none());
}

#[test]
fn a_file_of_another_question_is_refused_and_stays() {
    let task = Task::new(&mixed_table(60, 5));
    let perfect = task.folder.path().join("perfect.json");
    task.learn(&["--resume", text(&perfect)]);
    task.resume(&["--alpha", "2%"]);
    let refused = |path: &Path, options: &[&str], why: &str| {
        let before = fs::read(path).unwrap();
        let always = ["learn", text(&task.table), "--quiet", "--resume", text(path)];
        let result = run(&[&always[..], options].concat());
        assert_eq!(result.code, 3, "{why}: {}", result.stderr);
        assert!(result.stderr.contains(why), "{why}: {}", result.stderr);
        assert!(result.stderr.contains("remove the file to begin anew"), "{}", result.stderr);
        assert_eq!(fs::read(path).unwrap(), before, "{why}");
    };
    refused(&task.progress, &["--alpha", "1%"], "its alpha is 0.02, and not 0.01");
    refused(&task.progress, &["--alpha", "0.02rows"], "its alpha is 0.02, and not 0.02rows");
    refused(&task.progress, &["--alpha", "2%", "--minimize", "rules"], "something else was minimised");
    refused(&task.progress, &["--alpha", "2%", "--missing", "drop-rows"], "it is of 60 rows");
    refused(&task.progress, &[], "its rules may be wrong about some rows");
    refused(&perfect, &["--alpha", "2%"], "its rules are to agree with every row");

    // Versions that do not say what their files hold.
    let whole = task.saved();
    let (mut old, mut new) = (whole.clone(), whole);
    old["version"] = json!(1);
    new["version"] = json!(3);
    for broken in [old, new] {
        task.save(&broken);
        refused(&task.progress, &["--alpha", "2%"], "not a progress file of this version");
    }
}

#[test]
fn nothing_false_is_taken_over() {
    let options = ["--alpha", "2rows", "--otherwise", "none"];
    let table = mixed_table(60, 5);
    let task = Task::new(&table);
    let optimum = task.resume(&options);
    let whole = task.saved();
    // A true certificate of something else.
    let other = Task::new(&table);
    other.resume(&[]);
    let certificates = other.saved()["classes"].clone();

    let forged = |change: &dyn Fn(usize, &mut Value)| {
        let mut saved = whole.clone();
        let all = saved["classes"].as_array_mut().unwrap();
        all.iter_mut().enumerate().for_each(|(place, class)| change(place, class));
        saved
    };
    for (what, broken) in [
        ("a cost too low", forged(&|_, class| class["cost"] = json!(1))),
        ("a bound too high", forged(&|_, class| class["lower_bound"] = json!(1_000_000))),
        ("rules that are none", forged(&|_, class| class["rules"] = json!([[1_000_000]]))),
        ("rules too many", forged(&|_, class| class["rules"] = json!(vec![Vec::<i32>::new(); 5_000]))),
        ("no rules", forged(&|_, class| class["rules"] = json!([]))),
        ("another class", forged(&|_, class| class["class"] = json!("nobody"))),
        (
            "another certificate",
            forged(&|place, class| class["certificate"] = certificates[place]["certificate"].clone()),
        ),
    ] {
        assert_ne!(broken, whole, "{what}");
        task.save(&broken);
        let at_once = task.resume(&[&options[..], &AT_ONCE].concat());
        // No rules at all leave out every row.
        assert!(number(&at_once, "cost") <= 60.0, "{what}");
        assert!(number(&at_once, "cost") >= number(&optimum, "cost"), "{what}");
        assert!(number(&at_once, "lower_bound") <= number(&optimum, "cost"), "{what}");
        task.save(&broken);
        let finished = task.resume(&options);
        for name in ["status", "cost", "lower_bound"] {
            assert_eq!(finished[name], optimum[name], "{what}");
        }
    }
}

#[test]
fn a_run_within_limits_goes_on_within_others() {
    let task = Task::new(&mixed_table(60, 5));
    for alpha in [&["--alpha", "2%"][..], &[]] {
        let _ = fs::remove_file(&task.progress);
        task.resume(&[alpha, &["--memory-limit", "2GB"]].concat());
        task.resume(&[alpha, &["--memory-limit", "3GB"]].concat());
        task.resume(alpha);
    }
}
