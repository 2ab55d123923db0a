//! Forged claims: every number and word of a model file and of a proof's manifest, changed one at a time.
//! Each is refused by `minrule check`, or reported as not checked, or claims nothing, for a reason that is
//! listed here.

mod common;

use common::{run, text};
use serde_json::{Value, json};

const LOANS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/loans.csv");

/// Places that claim nothing, and why.
const NO_CLAIM: &[(&str, &str)] = &[
    ("policy.uncovered", "a choice about rows that the rules do not decide"),
    ("policy.conflict", "a choice about rows that the rules do not decide"),
    ("provenance.binarise.max_values", "a limit that no column reaches changes no feature"),
];

/// A place in a JSON value: keys and positions.
type Place = Vec<String>;

/// All places that hold a number, a word, a truth value or nothing.
fn leaves(value: &Value, place: &Place, found: &mut Vec<Place>) {
    let below = |key: String| {
        let mut below = place.clone();
        below.push(key);
        below
    };
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| leaves(value, &below(key.clone()), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, v)| leaves(v, &below(i.to_string()), found));
        }
        _ => found.push(place.clone()),
    }
}

fn at<'v>(value: &'v mut Value, place: &Place) -> &'v mut Value {
    place.iter().fold(value, |value, key| match key.parse::<usize>() {
        Ok(i) if value.is_array() => &mut value[i],
        _ => &mut value[key],
    })
}

/// Other values that the place could hold.
fn forgeries(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(n) if n.is_f64() => {
            let x = n.as_f64().unwrap();
            vec![json!(x + 0.25), json!(x - 0.001)]
        }
        Value::Number(n) => {
            let n = n.as_i64().unwrap();
            [n + 1, n - 1, 0]
                .into_iter()
                .filter(|&other| other != n && other >= 0)
                .map(|n| json!(n))
                .collect()
        }
        Value::String(text) => {
            let other = match text.as_str() {
                "optimal" => "feasible",
                "feasible" => "optimal",
                "size" => "rules",
                "thresholds" => "intervals",
                "intervals" => "thresholds",
                "frequency" => "width",
                "value" => "error",
                "lazy" => "enumerate",
                "branch" => "ilp",
                "maxsat" => "search",
                "separate" => "joint",
                "sat" => "maxsat",
                "default" => "abstain",
                "majority" => "size",
                "yes" => "no",
                "no" => "yes",
                "<=" => ">",
                ">" => "<=",
                "=" => "!=",
                "!=" => "=",
                "time-limit" => "interrupted",
                _ => "",
            };
            let longer = json!(format!("{text}x"));
            if other.is_empty() { vec![longer] } else { vec![json!(other), longer] }
        }
        Value::Bool(yes) => vec![json!(!yes)],
        Value::Null => vec![json!("time-limit"), json!(1)],
        Value::Array(_) | Value::Object(_) => Vec::new(),
    }
}

/// Whether a place is among some, of which `*` stands for any position and a shorter one for all below it.
fn is_among(place: &Place, some: &[String]) -> bool {
    some.iter().any(|pattern| {
        let pattern: Vec<&str> = pattern.split('.').collect();
        pattern.len() <= place.len()
            && pattern.iter().zip(place).all(|(part, key)| *part == "*" || part == key)
    })
}

/// What becomes of each forgery of a file: refused, reported as not checked, or let pass without a word.
struct Tally {
    refused: usize,
    reported: usize,
    no_claim: usize,
}

fn forge(original: &Value, write: impl Fn(&Value), check: impl Fn() -> (i32, Vec<String>)) -> Tally {
    let mut places = Vec::new();
    leaves(original, &Vec::new(), &mut places);
    let mut tally = Tally { refused: 0, reported: 0, no_claim: 0 };
    let no_claim: Vec<String> = NO_CLAIM.iter().map(|(place, _)| place.to_string()).collect();
    for place in places {
        let mut forged = original.clone();
        let honest = at(&mut forged, &place).clone();
        for forgery in forgeries(&honest) {
            *at(&mut forged, &place) = forgery.clone();
            write(&forged);
            let (code, unchecked) = check();
            let name = place.join(".");
            match code {
                3 | 4 | 6 => tally.refused += 1,
                0 if is_among(&place, &unchecked) => tally.reported += 1,
                0 if is_among(&place, &no_claim) => tally.no_claim += 1,
                _ => panic!("{name}: {honest} became {forgery}, and check says {code}"),
            }
        }
    }
    tally
}

/// A model of loans, with or without a proof of it.
fn tried(options: &[&str], exit: i32, with_proof: bool) -> [Tally; 2] {
    let folder = tempfile::tempdir().unwrap();
    let (model, proof) = (folder.path().join("model.json"), folder.path().join("proof"));
    let args = ["learn", LOANS, "--quiet", "--model", text(&model)];
    let proven = if options.contains(&"--alpha") { vec![] } else { vec!["--proof", text(&proof)] };
    let learned = run(&[&args[..], &proven, options].concat());
    assert_eq!(learned.code, exit, "{}", learned.stderr);
    let check = || {
        let mut args = vec!["check", text(&model), LOANS, "--format", "json"];
        if with_proof {
            args.extend(["--proof", text(&proof)]);
        }
        let result = run(&args);
        let unchecked = match result.code {
            0 => {
                let said = result.json();
                let left = said["not_checked"].as_array().unwrap().iter();
                let fields = left.flat_map(|left| left["fields"].as_array().unwrap());
                fields.map(|field| field.as_str().unwrap().to_string()).collect()
            }
            _ => Vec::new(),
        };
        (result.code, unchecked)
    };
    assert_eq!(check().0, 0, "the honest model holds");
    let read = |path| serde_json::from_slice::<Value>(&std::fs::read(path).unwrap()).unwrap();
    let honest = read(&model);
    let of_model = forge(&honest, |forged| std::fs::write(&model, forged.to_string()).unwrap(), check);
    std::fs::write(&model, honest.to_string()).unwrap();
    let manifest = proof.join("manifest.json");
    let write = |forged: &Value| std::fs::write(&manifest, forged.to_string()).unwrap();
    let of_manifest = match with_proof {
        true => forge(&read(&manifest), write, check),
        false => Tally { refused: 0, reported: 0, no_claim: 0 },
    };
    [of_model, of_manifest]
}

#[test]
fn with_a_proof_nothing_but_the_origin_goes_unchecked() {
    let [model, manifest] = tried(&["--numeric", "thresholds"], 0, true);
    println!(
        "model: {} refused, {} reported, {} claim nothing",
        model.refused, model.reported, model.no_claim
    );
    println!("manifest: {} refused", manifest.refused);
    assert!(model.refused > 200 && manifest.refused > 10);
    assert_eq!((manifest.reported, manifest.no_claim), (0, 0));
}

#[test]
fn without_a_proof_it_is_said_that_bounds_were_not_checked() {
    let [model, _] = tried(&["--numeric", "thresholds", "--classes", "yes"], 0, false);
    println!(
        "model: {} refused, {} reported, {} claim nothing",
        model.refused, model.reported, model.no_claim
    );
    assert!(model.refused > 100);
}

/// Of sets whose rules may be wrong: every row that they get wrong is counted again.
#[test]
fn errors_cannot_be_hidden() {
    for (options, least) in [
        (&["--alpha", "0.3%"][..], 150),
        (&["--alpha", "2rows", "--otherwise", "none", "--numeric", "thresholds"], 150),
        (&["--alpha", "1.5rows", "--minimize", "literals", "--conflict", "majority"], 100),
        (&["--alpha", "0.5%", "--order", "yes,no", "--otherwise", "none"], 150),
        (&["--alpha", "0.7rows", "--classes", "no", "--uncovered", "nearest"], 100),
    ] {
        let [model, _] = tried(options, 0, false);
        println!(
            "{options:?}: {} refused, {} reported, {} claim nothing",
            model.refused, model.reported, model.no_claim
        );
        assert!(model.refused > least, "{options:?}: {}", model.refused);
    }
}

/// The forgery that started it: a model that was stopped, made optimal by hand.
#[test]
fn a_stopped_model_cannot_be_made_optimal_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let (table, model) = (folder.path().join("hard.csv"), folder.path().join("model.json"));
    std::fs::write(&table, common::hard_table(120, 30)).unwrap();
    let proof = folder.path().join("proof");
    let args = ["--quiet", "--time-limit", "1", "--proof", text(&proof)];
    let learned = run(&[&["learn", text(&table), "--model", text(&model)], &args[..]].concat());
    assert_eq!(learned.code, 10, "{}", learned.stderr);
    let mut forged: Value = serde_json::from_slice(&std::fs::read(&model).unwrap()).unwrap();
    let set = &mut forged["decision_set"];
    let mut bound = 0;
    for class in set["classes"].as_array_mut().unwrap() {
        bound += class["cost"].as_u64().unwrap();
        class["lower_bound"] = class["cost"].clone();
        class["status"] = json!("optimal");
        class["stopped_by"] = Value::Null;
    }
    set["lower_bound"] = json!(bound);
    set["gap"] = json!(0.0);
    set["status"] = json!("optimal");
    std::fs::write(&model, forged.to_string()).unwrap();
    let alone = run(&["check", text(&model), text(&table)]);
    let all_checked = !alone.stdout.contains("Not checked: the lower bounds");
    assert!(alone.code == 6 || !all_checked, "{}", alone.stdout);
    let proven = run(&["check", text(&model), text(&table), "--proof", text(&proof)]);
    assert_eq!(proven.code, 6, "{}", proven.stdout);
}

#[test]
fn a_class_that_was_deleted_is_missed() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.json");
    assert_eq!(run(&["learn", LOANS, "--quiet", "--model", text(&model)]).code, 0);
    let mut forged: Value = serde_json::from_slice(&std::fs::read(&model).unwrap()).unwrap();
    let set = &mut forged["decision_set"];
    set["classes"].as_array_mut().unwrap().pop();
    let left = set["classes"][0].clone();
    let literals: usize =
        left["rules"].as_array().unwrap().iter().map(|rule| rule["if"].as_array().unwrap().len()).sum();
    let rules = left["rules"].as_array().unwrap().len();
    set["rules"] = json!(rules);
    set["literals"] = json!(literals);
    set["size"] = json!(rules + literals);
    set["lower_bound"] = left["lower_bound"].clone();
    set["rules_enumerated"] = left["rules_enumerated"].clone();
    std::fs::write(&model, forged.to_string()).unwrap();
    let result = run(&["check", text(&model), LOANS]);
    assert_eq!(result.code, 6, "{}", result.stdout);
    assert!(
        result.stdout.contains("the rules describe \"yes\", but the model says \"yes\" and \"no\""),
        "{}",
        result.stdout
    );
}
