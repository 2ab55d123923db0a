//! Sets whose rules may be wrong where it pays: learned, applied and checked, and everything that is said of
//! them counted again by the words of the rules.

mod common;

use std::path::{Path, PathBuf};

use common::{classes, file, fires, mixed_table, rules, run, run_with_input, text};
use serde_json::{Value, json};
use tempfile::TempDir;

const LOANS: &str = include_str!("../../../data/loans.csv");
const LOANS_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/loans.csv");

/// Equal rows of different classes, and rules that are worth more than their errors.
const NOISY: &str = "x,y,class\n\
    1,0,a\n1,0,a\n1,0,a\n1,0,b\n1,1,a\n1,1,a\n0,1,b\n0,1,b\n0,1,a\n0,0,b\n0,0,b\n0,0,c\n";

/// Learns a model of a table; the folder, the model's file, and the result.
fn learn(table: &str, options: &[&str]) -> (TempDir, PathBuf, Value) {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.json");
    let args = ["learn", "-", "--quiet", "--format", "json", "--model", text(&model)];
    let result = run_with_input(&[&args[..], options].concat(), table.as_bytes());
    assert_eq!(result.code, 0, "{}", result.stderr);
    (folder, model, result.json())
}

/// The predictions of a model, as lines.
fn predicted(model: &Path, table: &str, options: &[&str]) -> Vec<String> {
    let args = ["predict", text(model), "-", "--quiet"];
    let result = run_with_input(&[&args[..], options].concat(), table.as_bytes());
    assert_eq!(result.code, 0, "{}", result.stderr);
    result.stdout.lines().skip(1).map(str::to_string).collect()
}

/// A table as text: the fields of each row, by the names of the columns.
struct Rows<'t> {
    header: Vec<&'t str>,
    rows: Vec<Vec<&'t str>>,
}

impl<'t> Rows<'t> {
    fn new(table: &'t str) -> Rows<'t> {
        let mut lines = table.lines();
        let header = lines.next().unwrap().split(',').collect();
        Rows { header, rows: lines.map(|line| line.split(',').collect()).collect() }
    }

    fn field(&self, row: usize, name: &str) -> &'t str {
        self.rows[row][self.header.iter().position(|known| *known == name).unwrap()]
    }

    fn class(&self, row: usize) -> &'t str {
        self.rows[row].last().unwrap()
    }

    fn fires(&self, row: usize, rule: &Value) -> bool {
        fires(rule, &|name: &str| self.field(row, name))
    }
}

/// What the objective says of a rule of so many literals, or of none.
fn units(result: &Value, literals: usize) -> usize {
    match result["objective"].as_str().unwrap() {
        "rules" => 1,
        "literals" => literals,
        _ => literals + 1,
    }
}

/// Counts again what a result says of its rules, row by row.
fn recount(result: &Value, table: &str) {
    let rows = Rows::new(table);
    let price = result["price"].as_f64().unwrap();
    let [a, b] = [0, 1].map(|i| result["price_fraction"][i].as_u64().unwrap() as f64);
    assert_eq!(price, a / b);
    let alpha = result["alpha"].as_f64().unwrap();
    assert!((alpha * rows.rows.len() as f64 - price).abs() < 1e-9);
    let (mut cost_of_all, mut errors_of_all) = (0.0, 0);
    for class in classes(result) {
        let label = class["class"].as_str().unwrap();
        let (mut size, mut errors) = (0, 0);
        for rule in rules(class) {
            let covered = (0..rows.rows.len()).filter(|&row| rows.fires(row, rule));
            let (own, wrong): (Vec<usize>, Vec<usize>) =
                covered.partition(|&row| rows.class(row) == label);
            assert_eq!(rule["covers"], own.len());
            assert_eq!(rule["wrong"], wrong.len());
            let precision = own.len() as f64 / (own.len() + wrong.len()) as f64;
            assert_eq!(rule["precision"], precision);
            size += units(result, rule["if"].as_array().unwrap().len());
            errors += wrong.len();
        }
        let covered = |row: &usize| rules(class).any(|rule| rows.fires(*row, rule));
        let own = (0..rows.rows.len()).filter(|&row| rows.class(row) == label);
        errors += own.filter(|row| !covered(row)).count();
        assert_eq!(class["errors"], errors, "{label}");
        let cost = size as f64 * price + errors as f64;
        assert!((class["cost"].as_f64().unwrap() - cost).abs() < 1e-9, "{label}: {cost}");
        assert_eq!(class["status"], "optimal");
        assert_eq!(class["lower_bound"], class["cost"]);
        assert_eq!(class["gap"], 0.0);
        cost_of_all += cost;
        errors_of_all += errors;
    }
    assert_eq!(result["errors"], errors_of_all);
    assert!((result["cost"].as_f64().unwrap() - cost_of_all).abs() < 1e-9);
    assert_eq!(result["lower_bound"], result["cost"]);
    assert_eq!(result["gap"], 0.0);
}

/// The class that a set gives to a row by precision, with its share; nothing where no rule fires.
fn by_precision<'r>(result: &'r Value, rows: &Rows, row: usize) -> Option<(&'r str, f64)> {
    let mut best: Option<(&str, u64, u64)> = None;
    for class in classes(result) {
        for rule in rules(class).filter(|rule| rows.fires(row, rule)) {
            let right = rule["covers"].as_u64().unwrap() + 1;
            let all = right + rule["wrong"].as_u64().unwrap() + 1;
            // Classes are in the order of their labels: of equals the first stays.
            if best.is_none_or(|(_, r, n)| right * n > r * all) {
                best = Some((class["class"].as_str().unwrap(), right, all));
            }
        }
    }
    best.map(|(label, right, all)| (label, right as f64 / all as f64))
}

/// What is printed can be asked for, and leads to the same set.
#[test]
fn a_printed_alpha_is_an_alpha() {
    let (folder, table) =
        common::file("loans.csv", LOANS.lines().take(98).collect::<Vec<_>>().join("\n"));
    let learned = |alpha: &str| {
        let model = folder.path().join("model.json");
        let run = run(&["learn", text(&table), "--alpha", alpha, "--model", text(&model)]);
        assert_eq!(run.code, 0, "{alpha}: {}", run.stderr);
        let (_, printed) = run.stdout.split_once("(alpha ").expect("a price");
        (printed.split_once(')').unwrap().0.to_string(), std::fs::read_to_string(model).unwrap())
    };
    // A share of 97 rows that is no short number is told in rows.
    for (alpha, shown) in
        [("1%", "0.01"), ("2rows", "2rows"), ("1/7", "97/7rows"), ("5/3 rows", "5/3rows")]
    {
        let (printed, model) = learned(alpha);
        assert_eq!(printed, shown, "{alpha}");
        assert_eq!(learned(&printed), (printed.clone(), model), "{alpha}");
    }
}

#[test]
fn what_is_said_is_what_can_be_counted_and_what_is_predicted() {
    let tables = [LOANS.to_string(), NOISY.to_string(), mixed_table(90, 7), mixed_table(150, 8)];
    for table in &tables {
        for options in [
            &["--alpha", "0.5%"][..],
            &["--alpha", "2rows", "--otherwise", "none"],
            &["--alpha", "0.3%", "--minimize", "rules"],
            &["--alpha", "0.75rows", "--minimize", "literals", "--otherwise", "none"],
            &["--alpha", "0.02", "--numeric", "thresholds", "--no-negations"],
        ] {
            let (_folder, model, result) = learn(table, options);
            recount(&result, table);
            let rows = Rows::new(table);
            let lines = predicted(&model, table, &["--proba"]);
            assert_eq!(lines.len(), rows.rows.len());
            let file: Value = serde_json::from_slice(&std::fs::read(&model).unwrap()).unwrap();
            let labels: Vec<&str> =
                file["labels"].as_array().unwrap().iter().map(|label| label.as_str().unwrap()).collect();
            let class_rows =
                |label: &str| (0..rows.rows.len()).filter(|&r| rows.class(r) == label).count();
            let most = labels.iter().rev().max_by_key(|label| class_rows(label)).unwrap();
            let otherwise = result["otherwise"].as_str().unwrap_or(most);
            let (mut wrong, mut uncovered) = (0, vec![0u64; labels.len()]);
            for (row, line) in lines.iter().enumerate() {
                let fields: Vec<&str> = line.split(',').collect();
                let shares: Vec<f64> = fields[1..].iter().map(|share| share.parse().unwrap()).collect();
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{line}");
                let place = |label: &str| labels.iter().position(|known| *known == label).unwrap();
                match by_precision(&result, &rows, row) {
                    Some((label, share)) => {
                        assert_eq!(fields[0], label, "{line}");
                        assert_eq!(shares[place(label)], share);
                    }
                    None => {
                        assert_eq!(fields[0], otherwise);
                        uncovered[place(rows.class(row))] += 1;
                    }
                }
                wrong += usize::from(fields[0] != rows.class(row));
            }
            assert_eq!(result["rows_wrong"], wrong, "{options:?}");
            assert_eq!(file["uncovered_rows"], json!(uncovered));
            let evaluated =
                run_with_input(&["evaluate", text(&model), "-", "--format", "json"], table.as_bytes());
            assert_eq!(evaluated.json()["correct"], rows.rows.len() - wrong);
            let checked = run_with_input(&["check", text(&model), "-"], table.as_bytes());
            assert_eq!(checked.code, 0, "{options:?}: {}{}", checked.stdout, checked.stderr);
            assert!(checked.stdout.contains("Not checked: the lower bounds"), "{}", checked.stdout);
        }
    }
}

#[test]
fn every_policy_is_applied_as_it_is_counted() {
    for uncovered in ["default", "abstain", "nearest"] {
        for conflict in ["precision", "majority", "size", "abstain"] {
            for otherwise in ["auto", "none"] {
                let policy = ["--uncovered", uncovered, "--conflict", conflict];
                let options = ["--alpha", "0.6rows", "--otherwise", otherwise];
                let table = mixed_table(110, 9);
                let (_folder, model, result) = learn(&table, &[policy, options].concat());
                let rows = Rows::new(&table);
                let lines = predicted(&model, &table, &[]);
                let wrong = lines.iter().enumerate().filter(|(row, label)| *label != rows.class(*row));
                assert_eq!(result["rows_wrong"], wrong.count(), "{policy:?} {otherwise}");
                let checked = run_with_input(&["check", text(&model), "-"], table.as_bytes());
                assert_eq!(checked.code, 0, "{policy:?}: {}{}", checked.stdout, checked.stderr);
            }
        }
    }
}

#[test]
fn the_text_says_what_is_paid_and_what_is_proven() {
    let result = run(&["learn", LOANS_PATH, "--numeric", "intervals", "--alpha", "2rows", "--quiet"]);
    assert_eq!(result.code, 0, "{}", result.stderr);
    for words in [
        "Price: each rule and each literal costs 2 rows (alpha 0.0125), each error 1 row.",
        "8 errors, cost 26 rows, optimal",
        "[31 rows, 1 wrong, 5 literals]",
        "\notherwise: no\n\nTotal: 2 rules, 7 literals, size 9.\n",
        "Cost: 26 rows = 18 rows for size and 8 errors.\nPredicted wrongly: 8 rows of the table.\n",
        "Proven optimal: no set of rules for \"yes\" over these 42 conditions is a better trade of errors",
        "Other cuts may allow a better set.",
        "whatever the rules, 2 rows or more are wrong",
    ] {
        assert!(result.stdout.contains(words), "{words}\n{}", result.stdout);
    }
    assert!(!result.stdout.contains("lost the vote"), "{}", result.stdout);
    let (_folder, table) = file("hard.csv", common::hard_table(150, 40));
    let stopped = run(&["learn", text(&table), "--alpha", "0.1rows", "--time-limit", "1", "--quiet"]);
    if stopped.code == 10 {
        assert!(stopped.stdout.contains("feasible (time limit): "), "{}", stopped.stdout);
        assert!(stopped.stdout.contains("Not proven optimal: every set of rules"), "{}", stopped.stdout);
        assert!(stopped.stdout.contains("(gap "), "{}", stopped.stdout);
    }
}

/// The classes that have rules, and the one that rows are of that no rule covers.
fn described(table: &str, options: &[&str]) -> (Vec<String>, Option<String>) {
    let (_folder, model, result) = learn(table, options);
    let labels = classes(&result).map(|class| class["class"].as_str().unwrap().to_string());
    let checked = run_with_input(&["check", text(&model), "-"], table.as_bytes());
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    (labels.collect(), result["otherwise"].as_str().map(String::from))
}

#[test]
fn a_class_gets_no_rules_if_that_is_wanted() {
    let costs = |table: &str| -> Vec<(f64, String)> {
        let (_folder, _model, result) = learn(table, &["--alpha", "1row", "--otherwise", "none"]);
        let cost = |class: &Value| (class["cost"].as_f64().unwrap(), class["class"].to_string());
        classes(&result).map(cost).collect()
    };
    for table in [LOANS.to_string(), mixed_table(90, 7)] {
        let costs = costs(&table);
        let dearest = costs.iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        assert!(costs.iter().filter(|cost| cost.0 == dearest.0).count() == 1, "no tie here");
        let (labels, otherwise) = described(&table, &["--alpha", "1row"]);
        assert_eq!(labels.len(), costs.len() - 1);
        assert_eq!(format!("{:?}", otherwise.unwrap()), dearest.1);
    }
    let table = mixed_table(90, 7);
    let strings = |labels: &[&str]| -> Vec<String> { labels.iter().map(|l| l.to_string()).collect() };
    let alpha = ["--alpha", "1row"];
    let with = |options: &[&str]| described(&table, &[&alpha[..], options].concat());
    let (all, none) = with(&["--otherwise", "none"]);
    assert_eq!((all.len(), none), (3, None));
    let (labels, otherwise) = with(&["--otherwise", "unsure"]);
    assert!(!labels.contains(&"unsure".to_string()) && labels.len() == 2);
    assert_eq!(otherwise.as_deref(), Some("unsure"));
    // Of some classes only: the class left out, if there is one, and nobody can say which of more.
    assert_eq!(with(&["--classes", "melon"]), (strings(&["melon"]), None));
    let (labels, otherwise) = with(&["--classes", "melon,unsure"]);
    assert_eq!((labels.len(), otherwise.as_deref()), (2, Some("apple")));
    let (_, otherwise) = with(&["--classes", "melon", "--otherwise", "apple"]);
    assert_eq!(otherwise.as_deref(), Some("apple"));
    let (_, otherwise) = with(&["--classes", "melon,unsure", "--otherwise", "none"]);
    assert_eq!(otherwise, None);
}

#[test]
fn one_class_costs_the_same_whatever_becomes_of_the_others() {
    let table = mixed_table(90, 7);
    let cost = |options: &[&str]| -> Value {
        let (_folder, _model, result) = learn(&table, &[&["--alpha", "1.5rows"], options].concat());
        classes(&result).find(|class| class["class"] == "melon").unwrap()["cost"].clone()
    };
    let alone = cost(&["--classes", "melon", "--otherwise", "none"]);
    assert_eq!(alone, cost(&["--otherwise", "none"]));
    assert_eq!(alone, cost(&["--otherwise", "unsure"]));
}

#[test]
fn what_does_not_go_together_is_refused_with_a_remedy() {
    for (options, words, remedy) in [
        (&["--otherwise", "auto"][..], "`--otherwise auto` goes only with `--alpha`", "`--alpha 0.5%`"),
        (&["--otherwise", "yes"], "`--otherwise yes` goes only with `--alpha`", "`--alpha 0.5%`"),
        (&["--alpha", "0"], "`--alpha` must be more than zero", ""),
        (&["--alpha", "-1"], "`--alpha` must be more than zero", ""),
        (&["--alpha", "two"], "`--alpha` must be more than zero", ""),
        (&["--alpha", "1%", "--prefer-disjoint"], "`--prefer-disjoint` does not go", "Leave out"),
        (&["--alpha", "1%", "--minimize", "rules-then-literals"], "does not go with `--alpha`", "size"),
        (&["--alpha", "1%", "--method", "enumerate"], "`--alpha` means nothing with", "lazy"),
        (
            &["--alpha", "1%", "--classes", "yes", "--otherwise", "yes"],
            "must be a class of the table that is not among those to describe",
            "",
        ),
    ] {
        let result = run(&[&["learn", LOANS_PATH, "--quiet"], options].concat());
        assert_eq!(result.code, 2, "{options:?}: {}{}", result.stdout, result.stderr);
        assert!(result.stderr.contains(words), "{options:?}: {}", result.stderr);
        assert!(result.stderr.contains(remedy), "{options:?}: {}", result.stderr);
    }
    let unknown = run(&["learn", LOANS_PATH, "--alpha", "1%", "--otherwise", "yess"]);
    assert_eq!(unknown.code, 4, "{}", unknown.stderr);
    assert!(unknown.stderr.contains("Did you mean \"yes\"?"), "{}", unknown.stderr);
    assert_eq!(run(&["learn", LOANS_PATH, "--otherwise", "none", "--quiet"]).code, 0);
}

#[test]
fn documents_say_what_is_wrong() {
    let (_folder, model, _) = learn(LOANS, &["--numeric", "intervals", "--alpha", "2rows"]);
    for (to, words) in [
        ("text", "\notherwise: no\n"),
        ("text", "[31 rows, 1 wrong, 5 literals]"),
        ("text", "A row that no rule covers has the class without rules, \"no\"."),
        ("markdown", "| IF | rows | wrong | literals |"),
        ("markdown", "| 31 | 1 | 5 |"),
        ("html", "<td>31</td><td>1</td><td>5</td>"),
        ("latex", "(31 rows, 1 wrong)"),
        ("pmml", "recordCount=\"32\" nbCorrect=\"31\""),
        ("python", "the one with the best precision on the table"),
    ] {
        let result = run(&["export", text(&model), "--to", to]);
        assert_eq!(result.code, 0, "{to}: {}", result.stderr);
        assert!(result.stdout.contains(words), "{to}, {words}:\n{}", result.stdout);
        let costs = result.stdout.contains("Cost: 26 rows = 18 rows for size and 8 errors.");
        assert!(costs || ["pmml", "python"].contains(&to), "{to}:\n{}", result.stdout);
        assert!(!result.stdout.contains("lost the vote"), "{to}:\n{}", result.stdout);
    }
    // What was counted with one policy is not said of another.
    let known = run(&["export", text(&model), "--to", "text"]).stdout;
    assert!(known.contains("Predicted wrongly: 8 rows"), "{known}");
    let other = run(&["export", text(&model), "--to", "text", "--uncovered", "abstain"]).stdout;
    assert!(!other.contains("Predicted wrongly"), "{other}");
    let json = run(&["export", text(&model), "--to", "json"]).json();
    assert_eq!((&json["default"], &json["policy"]["conflict"]), (&json!("no"), &json!("precision")));
    assert_eq!(json["uncovered_rows"].as_array().unwrap().len(), 2);
}

#[test]
fn a_proof_is_written_and_holds_for_its_own_price_only() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let proven = |name: &str, options: &[&str]| {
        let (model, proof) = (place(&format!("{name}.json")), place(name));
        let always = ["learn", LOANS_PATH, "--quiet", "--model", &model, "--proof", &proof];
        let result = run(&[&always[..], options].concat());
        assert_eq!(result.code, 0, "{}", result.stderr);
        (model, proof)
    };
    let (model, proof) = proven("sparse", &["--alpha", "2rows", "--otherwise", "none"]);
    let result = run(&["check", &model, LOANS_PATH, "--proof", &proof]);
    assert_eq!(result.code, 0, "{}", result.stdout);
    assert!(result.stdout.contains("The proof holds for 2 classes."), "{}", result.stdout);
    assert!(!result.stdout.contains("Not checked: the lower bounds"), "{}", result.stdout);
    let certificate = std::fs::read_to_string(format!("{proof}/class-1.proof")).unwrap();
    assert!(certificate.starts_with("minrule-proof 2\n"), "{certificate}");
    assert!(certificate.contains("\nobjective size\nprice 2/1\n"), "{certificate}");
    let manifest = std::fs::read_to_string(format!("{proof}/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!((&manifest["version"], &manifest["price"]), (&json!(2), &json!([2, 1])));

    // The proof of a set without errors, and the proof of another price, are no proofs of it.
    for (name, options, words) in [
        ("perfect", &[][..], "the certificate is of another price: none"),
        ("cheap", &["--alpha", "1row", "--otherwise", "none"], "of another price: 1/1"),
    ] {
        let (_, other) = proven(name, options);
        let result = run(&["check", &model, LOANS_PATH, "--proof", &other]);
        assert_eq!(result.code, 6, "{}", result.stdout);
        assert!(result.stdout.contains(words), "{}", result.stdout);
    }
    // Solvers that nobody can check write none.
    let ilp = run(&["learn", LOANS_PATH, "--alpha", "1%", "--cover", "ilp", "--proof", &place("ilp")]);
    assert_eq!(ilp.code, 2, "{}", ilp.stderr);
}

#[test]
fn broken_models_are_refused_and_the_fault_is_named() {
    let options = ["--numeric", "intervals", "--alpha", "0.5%", "--otherwise", "none"];
    let (_folder, path, _) = learn(LOANS, &options);
    let honest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let refused = |code: i32, words: &str, change: &dyn Fn(&mut Value)| {
        let mut model = honest.clone();
        change(&mut model);
        std::fs::write(&path, model.to_string()).unwrap();
        let result = run_with_input(&["check", text(&path), "-"], LOANS.as_bytes());
        let said = format!("{}{}", result.stdout, result.stderr);
        assert_eq!(result.code, code, "{words}: {said}");
        assert!(said.contains(words), "{words}: {said}");
    };
    let class = |model: &mut Value| model["decision_set"]["classes"][0].clone();
    let add = |value: &mut Value, more: f64| *value = json!(value.as_f64().unwrap() + more);
    refused(6, "the number of rows predicted wrongly is said to be 3", &|model| {
        model["decision_set"]["rows_wrong"] = json!(3);
    });
    refused(6, "the number of rows of other classes that rule 1", &|model| {
        model["decision_set"]["classes"][0]["rules"][0]["wrong"] = json!(7);
    });
    refused(6, "the precision of rule 1 of class \"yes\"", &|model| {
        model["decision_set"]["classes"][0]["rules"][0]["precision"] = json!(0.5);
    });
    refused(6, "the number of errors of class \"yes\" is said to be 1,", &|model| {
        model["decision_set"]["classes"][0]["errors"] = json!(1);
    });
    refused(6, "the cost of class \"yes\"", &|model| {
        add(&mut model["decision_set"]["classes"][0]["cost"], -0.2);
    });
    refused(6, "the price is said to be 0.9, but it is 0.8", &|model| {
        model["decision_set"]["price"] = json!(0.9);
    });
    refused(6, "a whole number of 5 parts of a row", &|model| {
        add(&mut model["decision_set"]["classes"][0]["lower_bound"], -0.1);
    });
    refused(6, "above its cost", &|model| {
        add(&mut model["decision_set"]["classes"][0]["lower_bound"], 1.0);
    });
    refused(6, "that no rule covers is said to be 99", &|model| {
        model["uncovered_rows"][0] = json!(99);
    });
    refused(3, "to \"yes\", which has rules", &|model| {
        model["decision_set"]["otherwise"] = json!("yes");
    });
    refused(3, "to \"maybe\", which is no label", &|model| {
        model["decision_set"]["otherwise"] = json!("maybe");
    });
    for field in ["alpha", "price", "price_fraction", "cost", "errors", "rows_wrong", "otherwise"] {
        refused(3, "it must say what its rules get wrong", &|model| {
            model["decision_set"].as_object_mut().unwrap().remove(field);
        });
    }
    refused(3, "it must say what its rules get wrong", &|model| model["version"] = json!(2));
    refused(3, "its price is no number", &|model| {
        model["decision_set"]["price_fraction"] = json!([4, 0]);
    });
    refused(3, "no count of the rows of each label that no rule covers", &|model| {
        model["uncovered_rows"] = json!([1]);
    });
    refused(6, "the rules describe \"yes\", but the model says", &|model| {
        let kept = class(model);
        model["decision_set"]["classes"] = json!([kept]);
    });
    std::fs::write(&path, honest.to_string()).unwrap();
    assert_eq!(
        minrule::Model::read(&path).unwrap().to_json().unwrap().parse::<Value>().unwrap(),
        honest
    );
}

#[test]
fn another_table_refuses_no_errors_and_says_what_was_not_counted() {
    let (_folder, model, _) = learn(&mixed_table(90, 7), &["--alpha", "1%"]);
    let other = mixed_table(50, 70);
    let checked = run_with_input(&["check", text(&model), "-"], other.as_bytes());
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    assert!(checked.stdout.contains("Not checked: how many rows the rules got wrong there"));
    let evaluated =
        run_with_input(&["evaluate", text(&model), "-", "--format", "json"], other.as_bytes());
    let correct = &evaluated.json()["correct"];
    assert!(
        checked.stdout.contains(&format!("are right about {correct} of 50 rows")),
        "{}",
        checked.stdout
    );
}

#[test]
fn rows_are_explained() {
    let (_folder, model, result) = learn(LOANS, &["--alpha", "0.5%"]);
    let explained =
        run(&["explain", text(&model), LOANS_PATH, "--row", "all", "--format", "json"]).json();
    let rows = Rows::new(LOANS);
    let text_of =
        |row: usize| run(&["explain", text(&model), LOANS_PATH, "--row", &row.to_string()]).stdout;
    for (row, said) in explained.as_array().unwrap().iter().enumerate().take(30) {
        match by_precision(&result, &rows, row) {
            Some((label, _)) => assert_eq!(said["class"], label),
            None => {
                assert_eq!(said["class"], result["otherwise"]);
                assert!(text_of(row + 1).contains("(otherwise: no rule fires)"));
            }
        }
        // The class without rules is reached by changes after which no rule fires.
        if said["class"] != result["otherwise"] {
            let others = said["counterfactuals"].as_array().unwrap();
            let other = others.iter().find(|other| other["class"] == result["otherwise"]).unwrap();
            assert_eq!((&other["rule"], &other["fewest"]), (&Value::Null, &json!(true)));
            let words = text_of(row + 1);
            assert!(words.contains("Then no rule fires: otherwise approved = "), "{words}");
        }
    }
}

#[test]
fn folds_are_learned_and_predicted_in_the_same_way() {
    let table = mixed_table(90, 7);
    for options in [
        &["--alpha", "1row"][..],
        &["--alpha", "1row", "--otherwise", "melon"],
        &["--alpha", "1row", "--otherwise", "none"],
        &["--alpha", "1row", "--classes", "melon"],
    ] {
        let (_folder, _model, result) = learn(&table, &[options, &["--cross-validate", "3"]].concat());
        let all = &result["cross_validation"]["all"];
        assert_eq!(all["rows"], 90, "{options:?}");
        assert_eq!(all["abstained"], 0, "{options:?}");
        let folds = result["cross_validation"]["folds"].as_array().unwrap();
        let correct: u64 = folds.iter().map(|f| f["evaluation"]["correct"].as_u64().unwrap()).sum();
        assert_eq!(all["correct"], correct, "{options:?}");
    }
}

#[test]
fn the_history_is_in_rows() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace.json");
    let args = ["learn", LOANS_PATH, "--quiet", "--format", "json", "--alpha", "0.5%"];
    let result = run(&[&args[..], &["--trace", text(&trace)]].concat()).json();
    let moments: Value = serde_json::from_slice(&std::fs::read(&trace).unwrap()).unwrap();
    let of_class = |moment: &&Value| moment["class"] == result["classes"][0]["class"];
    let last = moments.as_array().unwrap().iter().rfind(of_class).unwrap();
    assert_eq!(last["cost"], result["classes"][0]["cost"]);
    assert_eq!(last["lower_bound"], result["classes"][0]["lower_bound"]);
}

#[test]
fn the_same_table_gives_the_same_bytes_and_perfect_sets_are_written_as_they_were() {
    let bytes = |options: &[&str]| {
        let (_folder, model, result) = learn(LOANS, options);
        (std::fs::read(&model).unwrap(), result["version"].clone())
    };
    let sparse = ["--alpha", "1%"];
    assert_eq!(bytes(&sparse), bytes(&[&sparse[..], &["--threads", "1"]].concat()));
    let (model, result) = bytes(&sparse);
    let model: Value = serde_json::from_slice(&model).unwrap();
    assert_eq!((&model["version"], result), (&json!(3), json!(2)));
    let (model, result) = bytes(&[]);
    let model: Value = serde_json::from_slice(&model).unwrap();
    assert_eq!((&model["version"], result), (&json!(2), json!(1)));
    for field in ["alpha", "price", "cost", "errors", "rows_wrong", "otherwise"] {
        assert!(model["decision_set"].get(field).is_none(), "{field}");
    }
}
