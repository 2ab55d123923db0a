//! Arguments at random, on a small table: every run ends with an exit code that is documented, and
//! none with a panic.

mod common;

use common::{file, run_with_input, text};

/// Lists of arguments that are tried.
const RUNS: usize = 250;

const TABLE: &str = "day,heat,date\nweekday,20,no\nweekend,25,yes\nweekend,3,no\n?,24,yes\n";

/// The options of `learn`, each with values of its own; none for a flag.
const OPTIONS: [(&str, &[&str]); 25] = [
    ("--target", &["day", "dat", "", "heat"]),
    ("--ignore", &["day", "heat", "date"]),
    ("--classes", &["yes", "no,yes", ",", "maybe"]),
    ("--separator", &["tab", ";", "\"", "e", "é"]),
    ("--missing", &["value", "drop-rows", "error"]),
    ("--numeric", &["intervals", "thresholds"]),
    ("--intervals", &["2", "1", "18446744073709551615", "18446744073709551616", "-3"]),
    ("--cut", &["width", "frequency"]),
    ("--cuts", &["1", "3", "0", "all", "none", "18446744073709551616", "-3"]),
    ("--no-negations", &[]),
    ("--minimize", &["rules", "literals", "size", "rules-then-literals", "regret"]),
    ("--method", &["lazy", "enumerate", "mds2", "mds2-star", "opt"]),
    ("--rules", &["maxsat", "search"]),
    ("--cover", &["branch", "ilp", "maxsat"]),
    ("--opt-model", &["joint", "separate"]),
    ("--opt-search", &["sat", "maxsat"]),
    ("--no-break-symmetry", &[]),
    ("--seed", &["0", "18446744073709551615", "x"]),
    ("--prefer-disjoint", &[]),
    ("--time-limit", &["1ms", "5", "1e300", "18446744073709551615h", "0"]),
    ("--memory-limit", &["2GB", "1KB", "0.0001KB", "99999999999999999999GiB"]),
    ("--threads", &["1", "2", "18446744073709551615", "0"]),
    ("--cross-validate", &["2", "4", "5", "18446744073709551615"]),
    ("--overlap", &["report"]),
    ("--uncovered", &["nearest", "abstain", "default"]),
];

#[test]
fn every_list_of_arguments_ends_as_documented() {
    let (folder, table) = file("table.csv", TABLE);
    let mut random = fastrand::Rng::with_seed(4);
    let mut seen = [0; 256];
    for _ in 0..RUNS {
        let model = folder.path().join("model.json");
        let mut args = vec!["learn", text(&table), "--quiet", "--model", text(&model)];
        for _ in 0..random.usize(..6) {
            let (option, values) = OPTIONS[random.usize(..OPTIONS.len())];
            args.push(option);
            if !values.is_empty() {
                args.push(values[random.usize(..values.len())]);
            }
        }
        let result = run_with_input(&args, b"");
        assert!(matches!(result.code, 0 | 2 | 4 | 10 | 11), "{args:?}: {}", result.stderr);
        assert!(!result.stderr.contains("panicked"), "{args:?}: {}", result.stderr);
        seen[result.code as usize] += 1;
    }
    assert!(seen[0] > 20 && seen[2] > 20 && seen[4] > 5, "{seen:?}");
}
