//! Classes in an order: each class's rules are about the rows that no rule of an earlier class covers.

mod common;

use std::path::{Path, PathBuf};

use common::{classes, file, fires, mixed_table, rules, run, run_with_input, text};
use serde_json::{Value, json};
use tempfile::TempDir;

const LOANS_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/loans.csv");

/// Learns a model of a table; the folder, the model's file, and the result.
fn learn(table: &str, options: &[&str]) -> (TempDir, PathBuf, Value) {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.json");
    let args = ["learn", "-", "--quiet", "--format", "json", "--model", text(&model)];
    let result = run_with_input(&[&args[..], options].concat(), table.as_bytes());
    assert_eq!(result.code, 0, "{options:?}: {}", result.stderr);
    (folder, model, result.json())
}

fn check(model: &Path, table: &str) -> (i32, String) {
    let result = run_with_input(&["check", text(model), "-"], table.as_bytes());
    (result.code, format!("{}{}", result.stdout, result.stderr))
}

/// The rows of a table as fields by column; the class is the last one.
fn rows(table: &str) -> Vec<Vec<(&str, &str)>> {
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines.map(|line| header.iter().copied().zip(line.split(',')).collect()).collect()
}

fn fires_on(rule: &Value, row: &[(&str, &str)]) -> bool {
    fires(rule, &|name: &str| row.iter().find(|(known, _)| *known == name).unwrap().1)
}

/// The first class of a result with a rule that fires on a row, and the best share of its rules; else the
/// class without rules.
fn by_words<'r>(result: &'r Value, row: &[(&str, &str)]) -> (Option<&'r str>, Option<f64>) {
    for class in classes(result) {
        let fired: Vec<&Value> = rules(class).filter(|rule| fires_on(rule, row)).collect();
        let share = |rule: &&Value| {
            let [covers, wrong] = ["covers", "wrong"].map(|field| rule[field].as_u64().unwrap() as f64);
            (covers + 1.0) / (covers + wrong + 2.0)
        };
        if let Some(best) = fired.iter().map(share).reduce(f64::max) {
            return (class["class"].as_str(), Some(best));
        }
    }
    (result["otherwise"].as_str(), None)
}

/// Counts again what a result says, each class on the rows that reach it.
fn recount(result: &Value, table: &str) {
    let mut left = rows(table);
    let price = result["price"].as_f64().unwrap();
    assert!((result["alpha"].as_f64().unwrap() * left.len() as f64 - price).abs() < 1e-9);
    let (mut cost_of_all, mut errors_of_all) = (0.0, 0);
    for class in classes(result) {
        let own = |row: &[(&str, &str)]| row.last().unwrap().1 == class["class"];
        let (mut size, mut errors) = (0, 0);
        for rule in rules(class) {
            let fired = left.iter().filter(|row| fires_on(rule, row));
            let (right, wrong): (Vec<_>, Vec<_>) = fired.partition(|row| own(row));
            assert_eq!((&rule["covers"], &rule["wrong"]), (&json!(right.len()), &json!(wrong.len())));
            size += 1 + rule["if"].as_array().unwrap().len();
            errors += wrong.len();
        }
        let covered = |row: &[(&str, &str)]| rules(class).any(|rule| fires_on(rule, row));
        errors += left.iter().filter(|row| own(row) && !covered(row)).count();
        assert_eq!(class["errors"], errors, "{}", class["class"]);
        let cost = size as f64 * price + errors as f64;
        assert!((class["cost"].as_f64().unwrap() - cost).abs() < 1e-9, "{}: {cost}", class["class"]);
        assert_eq!((&class["lower_bound"], &class["status"]), (&class["cost"], &json!("optimal")));
        (cost_of_all, errors_of_all) = (cost_of_all + cost, errors_of_all + errors);
        left.retain(|row| !covered(row));
    }
    assert_eq!(result["errors"], errors_of_all);
    assert!((result["cost"].as_f64().unwrap() - cost_of_all).abs() < 1e-9);
}

#[test]
fn what_is_said_is_what_can_be_counted_and_what_is_predicted() {
    for (table, seed) in [(mixed_table(90, 7), 1), (mixed_table(150, 8), 2)] {
        for order in ["rarest", "frequent", "unsure,melon,apple", "melon,unsure"] {
            for otherwise in ["auto", "none"] {
                if order == "melon,unsure" && otherwise == "none" {
                    continue;
                }
                let alpha = ["1row", "0.3rows", "1%"][seed % 3];
                let options = ["--alpha", alpha, "--order", order, "--otherwise", otherwise];
                let (_folder, model, result) = learn(&table, &options);
                recount(&result, &table);
                let last = result["otherwise"].as_str();
                assert_eq!(last.is_none(), otherwise == "none");
                let stands: Vec<&str> =
                    classes(&result).map(|class| class["class"].as_str().unwrap()).chain(last).collect();
                assert_eq!(result["order"], json!(stands), "{options:?}");
                if order.contains(',') {
                    assert!(stands.join(",").starts_with(order), "{stands:?}");
                }
                assert!(
                    result["proof"]
                        .as_str()
                        .unwrap()
                        .contains("each class's rules are proven best given those before it"),
                    "{}",
                    result["proof"]
                );
                let said = run_with_input(
                    &["predict", text(&model), "-", "--quiet", "--proba"],
                    table.as_bytes(),
                );
                let file: Value = serde_json::from_slice(&std::fs::read(&model).unwrap()).unwrap();
                assert_eq!(file["policy"]["conflict"], "order");
                let labels = file["labels"].as_array().unwrap();
                let most = (0..3).rev().max_by_key(|&i| file["class_rows"][i].as_u64()).unwrap();
                let mut wrong = 0;
                for (line, row) in said.stdout.lines().skip(1).zip(rows(&table)) {
                    let fields: Vec<&str> = line.split(',').collect();
                    let (class, share) = by_words(&result, &row);
                    assert_eq!(fields[0], class.unwrap_or(labels[most].as_str().unwrap()), "{line}");
                    let shares: Vec<f64> = fields[1..].iter().map(|x| x.parse().unwrap()).collect();
                    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{line}");
                    if let (Some(class), Some(share)) = (class, share) {
                        let place = labels.iter().position(|label| label == class).unwrap();
                        assert!((shares[place] - share).abs() < 1e-12, "{line}");
                    }
                    wrong += usize::from(fields[0] != row.last().unwrap().1);
                }
                assert_eq!(result["rows_wrong"], wrong, "{options:?}");
                let (code, said) = check(&model, &table);
                assert_eq!(code, 0, "{options:?}: {said}");
                let unchecked = "and so that each class's rules are best given those before it";
                assert!(said.contains(unchecked), "{said}");
                let args = ["evaluate", text(&model), "-", "--format", "json"];
                let evaluated = run_with_input(&args, table.as_bytes()).json();
                assert_eq!(evaluated["correct"], rows(&table).len() - wrong);
                assert_eq!(evaluated["in_conflict"], 0);
            }
        }
    }
}

#[test]
fn classes_come_by_their_rows() {
    // Rows of each class: a 2, b 5, c 2, d 3; the table meets c before a.
    let mut table = String::from("x,y,class\n");
    for (i, class) in "c b b a d b c d b a d b".split(' ').enumerate() {
        table.push_str(&format!("{},{},{class}\n", i % 3, i / 4));
    }
    let order = |options: &[&str]| -> Vec<String> {
        let (_folder, _model, result) = learn(&table, &[&["--alpha", "0.4rows"], options].concat());
        result["order"].as_array().unwrap().iter().map(|c| c.as_str().unwrap().to_string()).collect()
    };
    assert_eq!(order(&["--order", "rarest"]), ["c", "a", "d", "b"]);
    assert_eq!(order(&["--order", "frequent"]), ["b", "d", "c", "a"]);
    assert_eq!(order(&["--order", "rarest", "--otherwise", "none"]), ["c", "a", "d", "b"]);
    assert_eq!(order(&["--order", "rarest", "--otherwise", "c"]), ["a", "d", "b", "c"]);
    assert_eq!(order(&["--order", "d,a,c"]), ["d", "a", "c", "b"]);
    assert_eq!(order(&["--order", "d,a,c,b", "--otherwise", "b"]), ["d", "a", "c", "b"]);
    let (_folder, _model, none) = learn(&table, &["--alpha", "0.4rows", "--order", "none"]);
    assert!(none.get("order").is_none());
}

#[test]
fn of_two_classes_the_first_is_described_as_it_would_be_alone() {
    let loans = std::fs::read_to_string(LOANS_PATH).unwrap();
    let (_folder, _model, alone) = learn(&loans, &["--alpha", "1%", "--otherwise", "no"]);
    let (_folder, model, ordered) = learn(&loans, &["--alpha", "1%", "--order", "yes"]);
    for field in ["cost", "lower_bound", "rules", "size", "errors", "rows_wrong", "otherwise"] {
        assert_eq!(alone[field], ordered[field], "{field}");
    }
    assert_eq!(check(&model, &loans).0, 0);
}

#[test]
fn what_does_not_go_together_is_refused_with_a_remedy() {
    let (_folder, table) = file("mixed.csv", mixed_table(60, 7));
    let refused = |options: &[&str], code: i32, words: &str, remedy: &str| {
        let result = run(&[&["learn", text(&table), "--quiet"], options].concat());
        assert_eq!(result.code, code, "{options:?}: {}{}", result.stdout, result.stderr);
        assert!(result.stderr.contains(words), "{options:?}: {}", result.stderr);
        assert!(result.stderr.contains(remedy), "{options:?}: {}", result.stderr);
    };
    refused(&["--order", "rarest"], 2, "`--order rarest` goes only with `--alpha`", "`--alpha 0.5%`");
    refused(&["--order", "melon,apple"], 2, "`--order melon,apple` goes only with", "`--alpha 0.5%`");
    let sparse = |options: &[&str], code: i32, words: &str, remedy: &str| {
        refused(&[&["--alpha", "1%"], options].concat(), code, words, remedy);
    };
    let rarest = ["--order", "rarest"];
    let with = |options: &[&'static str]| [&rarest[..], options].concat();
    sparse(&with(&["--classes", "melon"]), 2, "`--classes` does not go with an order", "--order none");
    sparse(&with(&["--conflict", "size"]), 2, "the earlier class always wins", "`--conflict`");
    sparse(
        &["--order", "none", "--conflict", "order"],
        2,
        "goes only with an order of classes",
        "`--order rarest`",
    );
    sparse(
        &["--order", "melon"],
        2,
        "leaves out class \"apple\" and class \"unsure\"",
        "every class once",
    );
    sparse(&["--order", "melon,apple,melon"], 2, "names class \"melon\" twice", "\"unsure\"");
    sparse(&["--order", "melon,aple"], 4, "no class \"aple\"", "Did you mean \"apple\"?");
    sparse(
        &["--order", "melon,apple", "--otherwise", "none"],
        2,
        "leaves out class \"unsure\"",
        "every class once",
    );
    sparse(
        &["--order", "melon,apple,unsure", "--otherwise", "melon"],
        2,
        "has class \"melon\", which gets no rules, before others",
        "every class once",
    );
    // No order is always right.
    for options in [&[][..], &["--alpha", "1%"], &["--alpha", "1%", "--classes", "melon"]] {
        let args = [&["learn", text(&table), "--quiet", "--order", "none"], options].concat();
        assert_eq!(run(&args).code, 0, "{options:?}");
    }
    // A model keeps to its order, too.
    let (_folder, model, _) = learn(&mixed_table(60, 7), &["--alpha", "1%", "--order", "rarest"]);
    for command in ["predict", "evaluate"] {
        let result = run(&[command, text(&model), text(&table), "--conflict", "majority"]);
        assert_eq!(result.code, 2, "{command}: {}", result.stderr);
        assert!(result.stderr.contains("the earlier class always wins"), "{}", result.stderr);
        assert_eq!(run(&[command, text(&model), text(&table), "--conflict", "order"]).code, 0);
    }
}

#[test]
fn the_text_says_what_the_order_means_and_what_is_proven() {
    let table = mixed_table(90, 7);
    let args = ["learn", "-", "--quiet", "--alpha", "0.3rows", "--order", "melon,unsure"];
    let said = run_with_input(&[&args[..], &["--overlap", "report"]].concat(), table.as_bytes());
    assert_eq!(said.code, 0, "{}", said.stderr);
    for words in [
        "Order: \"melon\", then \"unsure\", otherwise \"apple\". A rule holds unless a rule of an earlier \
         class fires;",
        "optimal given those before it",
        "\notherwise: apple\n",
        "Proven in order: each class's rules are proven best given those before it, over these",
        "then the rule that stands first holds.",
    ] {
        assert!(said.stdout.contains(words), "{words}\n{}", said.stdout);
    }
    assert!(!said.stdout.contains("no set of rules"), "{}", said.stdout);
    let (_folder, model, _) = learn(&table, &args[3..]);
    for to in ["text", "markdown", "html", "latex", "python", "sql", "rust", "c", "pmml"] {
        let exported = run(&["export", text(&model), "--to", to]);
        assert_eq!(exported.code, 0, "{to}: {}", exported.stderr);
        let flat = exported.stdout.replace(['\n', '*', '#', '-', '/'], " ");
        let flat = flat.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("A rule holds unless a rule of an earlier class fires"), "{to}: {flat}");
        assert!(flat.contains("best given those before it"), "{to}: {flat}");
    }
    let exported = run(&["export", text(&model), "--to", "json"]).json();
    assert_eq!(exported["decision_set"]["order"], json!(["melon", "unsure", "apple"]));
    assert_eq!(exported["policy"]["conflict"], "order");
}

/// A reader of PMML as its standard has it: the firing rule of the largest weight wins. Other exports are run in
/// `export.rs`.
#[test]
fn pmml_says_the_same() {
    let script = r#"
import csv, sys
import xml.etree.ElementTree as ElementTree
space = "{http://www.dmg.org/PMML-4_4}"
root = ElementTree.parse(sys.argv[1]).getroot()
numbers = {f.get("name") for f in root.iter(space + "DataField") if f.get("dataType") == "double"}

def value(row, name):
    text = row[name]
    if text.lower() in ("", "?", "na", "nan"):
        return None
    return float(text) if name in numbers else text

def holds(test, row):
    tag = test.tag.removeprefix(space)
    if tag == "True":
        return True
    if tag == "CompoundPredicate":
        return {"and": all, "or": any}[test.get("booleanOperator")](holds(t, row) for t in test)
    name, operator = test.get("field"), test.get("operator")
    x = value(row, name)
    if operator in ("isMissing", "isNotMissing"):
        return (x is None) == (operator == "isMissing")
    if x is None:
        return False
    y = float(test.get("value")) if name in numbers else test.get("value")
    if operator == "equal":
        return x == y
    if operator == "notEqual":
        return x != y
    return {"lessOrEqual": x <= y, "greaterThan": x > y, "greaterOrEqual": x >= y}[operator]

rules = root.find(f".//{space}RuleSet")
assert rules.find(space + "RuleSelectionMethod").get("criterion") == "weightedMax"
for row in csv.DictReader(sys.stdin):
    fired = [rule for rule in rules.iter(space + "SimpleRule") if holds(rule[0], row)]
    best = max(fired, key=lambda rule: float(rule.get("weight")), default=None)
    print(rules.get("defaultScore") if best is None else best.get("score"))
"#;
    let table = mixed_table(150, 8);
    for order in ["rarest", "frequent", "unsure,apple,melon"] {
        let (folder, model, _) = learn(&table, &["--alpha", "0.3rows", "--order", order]);
        let page = folder.path().join("model.pmml");
        assert_eq!(run(&["export", text(&model), "--to", "pmml", "-o", text(&page)]).code, 0);
        let mut python = std::process::Command::new("python3");
        let said = common::output(python.args(["-c", script, text(&page)]), table.as_bytes(), "PMML");
        let args = ["predict", text(&model), "-", "--quiet"];
        let predicted = run_with_input(&args, table.as_bytes()).stdout;
        assert_eq!(predicted.split_once('\n').unwrap().1, said, "{order}");
    }
}

#[test]
fn rows_are_explained_by_the_first_class_that_fires() {
    let table = mixed_table(110, 9);
    let (_folder, model, result) = learn(&table, &["--alpha", "0.5rows", "--order", "frequent"]);
    let (_folder, path) = file("mixed.csv", table.clone());
    let explained =
        run(&["explain", text(&model), text(&path), "--row", "all", "--format", "json"]).json();
    let texts = run(&["explain", text(&model), text(&path), "--row", "all"]).stdout;
    let first = classes(&result).next().unwrap()["class"].clone();
    for (said, row) in explained.as_array().unwrap().iter().zip(rows(&table)) {
        let (class, share) = by_words(&result, &row);
        assert_eq!(said["class"].as_str(), class);
        for rule in said["rules"].as_array().unwrap() {
            assert_eq!(rule["then"].as_str(), class, "rules of later classes do not hold");
        }
        let why = match share {
            None => "otherwise: no rule fires",
            Some(_) if said["class"] == first => "a rule fires of the class that comes first",
            Some(_) => "a rule fires, and none of an earlier class",
        };
        assert!(texts.contains(&format!("= {} ({why})", class.unwrap())), "{why}");
        assert_eq!(said["decided_by"], if share.is_some() { "rules" } else { "uncovered" });
        // Rows support a rule where it holds, as many as the model says.
        let all: Vec<&Value> = classes(&result).flat_map(rules).collect();
        for rule in said["rules"].as_array().unwrap() {
            let stated = &all[rule["rule"].as_u64().unwrap() as usize - 1]["covers"];
            assert_eq!(rule["supported_by"], *stated);
        }
    }
}

#[test]
fn folds_are_learned_and_predicted_in_the_same_way() {
    let table = mixed_table(90, 7);
    for options in [
        &["--order", "rarest"][..],
        &["--order", "frequent", "--otherwise", "none"],
        &["--order", "melon,unsure,apple"],
        &["--order", "melon,unsure", "--otherwise", "apple"],
    ] {
        let options = [&["--alpha", "1row", "--cross-validate", "3"], options].concat();
        let (_folder, _model, result) = learn(&table, &options);
        let all = &result["cross_validation"]["all"];
        assert_eq!((&all["rows"], &all["abstained"]), (&json!(90), &json!(0)), "{options:?}");
        assert_eq!(all["in_conflict"], 0, "{options:?}");
        let folds = result["cross_validation"]["folds"].as_array().unwrap();
        let correct: u64 = folds.iter().map(|f| f["evaluation"]["correct"].as_u64().unwrap()).sum();
        assert_eq!(all["correct"], correct, "{options:?}");
    }
}

#[test]
fn the_same_on_any_number_of_threads() {
    let table = mixed_table(150, 8);
    let read = |threads: &str| {
        let options = ["--alpha", "0.5rows", "--order", "rarest", "--threads", threads];
        let (_folder, model, _) = learn(&table, &options);
        std::fs::read(model).unwrap()
    };
    assert_eq!(read("1"), read("3"));
}

#[test]
fn a_limit_gives_every_block_an_answer() {
    let hard = common::hard_table(150, 40);
    let mut lines = hard.lines();
    let mut table = format!("{}\n", lines.next().unwrap());
    // A third class, so that two blocks are learned.
    for (i, line) in lines.enumerate() {
        let (fields, class) = line.rsplit_once(',').unwrap();
        table.push_str(&format!("{fields},{}\n", if i % 5 == 0 { "third" } else { class }));
    }
    let (folder, path) = file("hard.csv", table.clone());
    let model = folder.path().join("model.json");
    let args = ["learn", text(&path), "--alpha", "0.1rows", "--order", "rarest", "--time-limit", "1"];
    let output = ["--quiet", "--format", "json", "--model", text(&model)];
    let result = run(&[&args[..], &output].concat());
    assert!([0, 10].contains(&result.code), "{}", result.stderr);
    let said = result.json();
    assert_eq!(classes(&said).count(), 2);
    if result.code == 10 {
        let proof = said["proof"].as_str().unwrap();
        assert!(proof.starts_with("Not proven in order: each class's rules given those before it"));
    }
    let (code, said) = check(&model, &table);
    assert_eq!(code, 0, "{said}");
}

/// A table in which the rule of the second class covers rows of the first.
fn overlapping_table() -> String {
    let mut table = String::from("x,y,class\n");
    for (row, times) in [("1,1,first", 3), ("0,1,second", 6), ("0,0,last", 9), ("1,0,last", 9)] {
        (0..times).for_each(|_| table.push_str(&format!("{row}\n")));
    }
    table
}

#[test]
fn a_forged_order_is_refused() {
    let table = overlapping_table();
    let (_folder, path, result) = learn(&table, &["--alpha", "0.5rows", "--order", "rarest"]);
    // Where the first class is told, one condition tells the second.
    assert_eq!(classes(&result).map(|class| rules(class).count()).collect::<Vec<_>>(), [1, 1]);
    assert_eq!((&result["literals"], &result["rows_wrong"]), (&json!(3), &json!(0)));
    let honest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let refused = |code: i32, words: &str, change: &dyn Fn(&mut Value)| {
        let mut model = honest.clone();
        change(&mut model);
        std::fs::write(&path, model.to_string()).unwrap();
        let (found, said) = check(&path, &table);
        assert_eq!(found, code, "{words}: {said}");
        assert!(said.contains(words), "{words}: {said}");
    };
    refused(3, "do not stand in the order that it states", &|model| {
        model["decision_set"]["order"].as_array_mut().unwrap().swap(0, 1);
    });
    refused(3, "do not stand in the order that it states", &|model| {
        model["decision_set"]["classes"].as_array_mut().unwrap().swap(0, 1);
    });
    refused(3, "do not stand in the order that it states", &|model| {
        model["decision_set"]["order"].as_array_mut().unwrap().pop();
    });
    refused(3, "where classes have an order, and only there", &|model| {
        model["decision_set"].as_object_mut().unwrap().remove("order");
    });
    refused(3, "where classes have an order, and only there", &|model| {
        model["policy"]["conflict"] = json!("precision");
    });
    // Without an order, or in another one, the rows are others.
    refused(6, "covers is said to be", &|model| {
        model["decision_set"].as_object_mut().unwrap().remove("order");
        model["policy"]["conflict"] = json!("precision");
    });
    refused(6, "covers is said to be", &|model| {
        model["decision_set"]["order"].as_array_mut().unwrap().swap(0, 1);
        model["decision_set"]["classes"].as_array_mut().unwrap().swap(0, 1);
        model["decision_set"]["scope"]["classes"].as_array_mut().unwrap().swap(0, 1);
    });
    refused(6, "the number of errors of class", &|model| {
        model["decision_set"]["classes"][1]["errors"] = json!(3);
    });
}

#[test]
fn each_block_has_a_certificate_and_only_for_its_place() {
    let (folder, table) = file("table.csv", mixed_table(120, 3));
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let proven = |name: &str, order: &str| {
        let (model, proof) = (place(&format!("{name}.json")), place(name));
        let always = ["learn", text(&table), "--quiet", "--alpha", "1row", "--otherwise", "none"];
        let result =
            run(&[&always[..], &["--order", order, "--model", &model, "--proof", &proof]].concat());
        assert_eq!(result.code, 0, "{}", result.stderr);
        (model, proof)
    };
    let (model, proof) = proven("given", "unsure,melon,apple");
    let result = run(&["check", &model, text(&table), "--proof", &proof]);
    assert_eq!(result.code, 0, "{}", result.stdout);
    assert!(result.stdout.contains("The proof holds for 3 classes."), "{}", result.stdout);
    assert!(!result.stdout.contains("Not checked: the lower bounds"), "{}", result.stdout);
    let last = std::fs::read_to_string(format!("{proof}/class-3.proof")).unwrap();
    assert!(last.contains("\nclass apple\nafter unsure\nafter melon\nobjective size\n"), "{last}");

    // What is proven without an order, or in another one, is proven of other rows.
    for (name, order) in [("none", "none"), ("other", "melon,unsure,apple")] {
        let (_, other) = proven(name, order);
        let result = run(&["check", &model, text(&table), "--proof", &other]);
        assert_eq!(result.code, 6, "{}", result.stdout);
        assert!(result.stdout.contains("The proof is refused"), "{}", result.stdout);
    }
}
