//! The report, opened in a real browser.

#[path = "common/browser.rs"]
mod browser;
mod common;

use std::path::{Path, PathBuf};

use browser::Browser;
use common::{file, mixed_table, run, run_with_input, text};
use serde_json::{Value, json};
use tempfile::TempDir;

const LOANS: &str = include_str!("../../../data/loans.csv");

/// A table, its model and the page about them.
struct Case {
    folder: TempDir,
    table: PathBuf,
    model: PathBuf,
    page: PathBuf,
}

impl Case {
    fn new(table: &str, options: &[&str]) -> Case {
        let (folder, table) = file("table.csv", table);
        let [model, page, trace] =
            ["model.json", "page.html", "trace.json"].map(|name| folder.path().join(name));
        let mut args = vec!["learn", text(&table), "--model", text(&model), "--trace", text(&trace)];
        args.extend(options);
        let learned = run(&args);
        assert_eq!(learned.code, 0, "{}", learned.stderr);
        let args = ["report", text(&model), text(&table), "-o", text(&page), "--trace", text(&trace)];
        let reported = run(&args);
        assert_eq!(reported.code, 0, "{}", reported.stderr);
        assert_eq!((reported.stdout.as_str(), reported.stderr.as_str()), ("", ""));
        Case { folder, table, model, page }
    }
}

/// What the model says was proven.
fn proof(model: &Path) -> String {
    minrule::Model::read(model).unwrap().decision_set.proof()
}

/// Opens a page with scripts turned off.
fn open_still(browser: &mut Browser, page: &Path) {
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    browser.call("Page.navigate", json!({"url": format!("file://{}", page.display())}));
    let there = format!("location.pathname === '{}'", page.display());
    browser.wait_for(&format!("{there} && document.readyState === 'complete'"));
    assert_eq!(browser.evaluate("typeof minrule"), "undefined");
}

/// Opens a page, with or without scripts.
fn open(browser: &mut Browser, page: &Path, scripts: bool) {
    match scripts {
        false => open_still(browser, page),
        true => {
            browser.call("Emulation.setScriptExecutionDisabled", json!({"value": false}));
            browser.open(page);
        }
    }
}

/// The text that a reader sees.
fn seen(browser: &mut Browser) -> String {
    browser.evaluate("document.body.innerText").as_str().unwrap().to_string()
}

/// "1 of 160", of the rows that the program predicts.
fn right(model: &Path, table: &Path) -> String {
    let evaluated = run(&["evaluate", text(model), text(table), "--format", "json"]).json();
    format!("({} of {})", evaluated["correct"], evaluated["rows"])
}

/// The table with yes for no and no for yes.
fn flipped() -> String {
    LOANS.replace(",yes\n", ",?\n").replace(",no\n", ",yes\n").replace(",?\n", ",no\n")
}

#[test]
fn flipped_labels_are_refused_at_the_top_of_the_page() {
    let case = Case::new(LOANS, &["--numeric", "thresholds"]);
    let table = case.folder.path().join("flipped.csv");
    std::fs::write(&table, flipped()).unwrap();
    let result = run(&["report", text(&case.model), text(&table), "-o", text(&case.page)]);
    assert_eq!((result.code, result.stdout.as_str()), (6, ""));
    assert!(result.stderr.contains("the model is refused"), "{}", result.stderr);

    let checked = run(&["check", text(&case.model), text(&table)]);
    assert_eq!(checked.code, 6);
    let faults: Vec<&str> = checked.stdout.lines().filter(|line| !line.ends_with('.')).collect();
    assert!(faults.len() > 5, "{faults:?}");
    let (proof, right) = (proof(&case.model), right(&case.model, &table));
    let mut browser = Browser::start();
    for scripts in [false, true] {
        open(&mut browser, &case.page, scripts);
        let words = seen(&mut browser);
        for fault in &faults {
            assert!(words.contains(fault), "{fault}\n{words}");
        }
        assert!(words.contains("The model is refused by flipped.csv"), "{words}");
        assert!(words.contains("is not the table that the model was learned from"), "{words}");
        assert!(words.contains(&right), "{right}\n{words}");
        // What the model claims comes later, once, and as its claim.
        let places: Vec<_> = words.match_indices(&proof).collect();
        assert_eq!(places.len(), 1, "{words}");
        let before = &words[..places[0].0];
        assert!(
            before.contains("is refused") && before.ends_with("does not confirm: \u{201c}"),
            "{before}"
        );
        assert!(!words.contains('\u{2713}') && !words.contains("training"), "{words}");
        assert_eq!(browser.evaluate("document.querySelectorAll('.optimal').length"), 0);
        let first = "document.querySelector('#summary > p + *').id";
        assert_eq!(browser.evaluate(first), "check");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn of_many_faults_the_first_are_named_and_the_rest_counted() {
    let case = Case::new(LOANS, &["--numeric", "thresholds"]);
    std::fs::write(&case.table, flipped()).unwrap();
    let mut model: Value = serde_json::from_slice(&std::fs::read(&case.model).unwrap()).unwrap();
    for class in model["decision_set"]["classes"].as_array_mut().unwrap() {
        class["rules"].as_array_mut().unwrap().iter_mut().for_each(|rule| rule["then"] = json!("maybe"));
    }
    std::fs::write(&case.model, serde_json::to_vec(&model).unwrap()).unwrap();
    let checked = run(&["check", text(&case.model), text(&case.table)]);
    let faults: Vec<&str> = checked.stdout.lines().take_while(|line| !line.ends_with('.')).collect();
    assert!(faults.len() == 21 && faults[20].starts_with("and "), "{}", checked.stdout);
    let result = run(&["report", text(&case.model), text(&case.table), "-o", text(&case.page)]);
    assert_eq!(result.code, 6, "{}", result.stderr);
    let mut browser = Browser::start();
    open_still(&mut browser, &case.page);
    let items = "[...document.querySelectorAll('#check li')].map(item => item.innerText)";
    assert_eq!(browser.evaluate(items), json!(faults));
}

#[test]
fn another_table_is_called_another_and_its_own_rows_are_counted() {
    let case = Case::new(LOANS, &["--numeric", "thresholds"]);
    let mut lines: Vec<&str> = LOANS.lines().collect();
    // The same rows the other way round, with the last one twice; then only half of them.
    lines[1..].reverse();
    lines.push(lines[1]);
    let turned = lines.join("\n");
    let half = lines[..80].join("\n");
    let proof = proof(&case.model);
    let mut browser = Browser::start();
    for (rows, codes) in [(turned, &[0][..]), (half, &[0, 6][..])] {
        let table = case.folder.path().join("other.csv");
        std::fs::write(&table, rows).unwrap();
        let result = run(&["report", text(&case.model), text(&table), "-o", text(&case.page)]);
        assert_eq!(result.code, run(&["check", text(&case.model), text(&table)]).code);
        assert!(codes.contains(&result.code), "{}", result.code);
        assert!(result.stderr.contains("not the table that the model was learned from"));
        let right = right(&case.model, &table);
        for scripts in [false, true] {
            open(&mut browser, &case.page, scripts);
            let words = seen(&mut browser);
            assert!(
                words.contains("other.csv is not the table that the model was learned from (table.csv)"),
                "{words}"
            );
            assert!(words.contains(&right), "{right}\n{words}");
            let places: Vec<_> = words.match_indices(&proof).collect();
            assert_eq!(places.len(), 1, "{words}");
            assert!(words[..places[0].0].ends_with(": \u{201c}"), "{words}");
            assert!(!words.contains('\u{2713}') && !words.contains("training"), "{words}");
        }
    }
}

#[test]
fn the_page_can_be_read_with_scripts_turned_off() {
    let case = Case::new(LOANS, &["--numeric", "intervals", "--conflict", "size"]);
    let model = minrule::Model::read(&case.model).unwrap();
    let mut browser = Browser::start();
    open_still(&mut browser, &case.page);
    let words = seen(&mut browser);
    let expected = [
        "Rules for approved",
        "table.csv, the table it was learned from: the model holds.",
        "minrule check --proof",
        &proof(&case.model),
        "98.7 %",
        "of the training rows right (158 of 160);",
        "always saying no: 51.2 %",
        "2 rows (1.2 %) lost the vote",
        "the class of the firing rule with the most conditions wins",
        "Learned by minrule 0.1.0 from table.csv (160 rows, SHA-256",
        &model.provenance.sha256,
    ];
    for text in expected {
        assert!(words.contains(text), "{text}\n{words}");
    }
    for column in model.used_columns() {
        let code = format!(
            "[...document.querySelectorAll('#columns tbody tr')].some(row =>
               row.cells[0].innerText === {} && row.offsetParent)",
            json!(column.name)
        );
        assert_eq!(browser.evaluate(&code), true, "{}", column.name);
    }
    // Every rule in words with the rows that it covers.
    let shown = browser.evaluate(
        "[...document.querySelectorAll('.rule')].filter(rule => rule.offsetParent).map(rule =>
           [[...rule.querySelectorAll('.chip')].map(chip => chip.title),
            rule.querySelector('.part:last-child b').innerText,
            rule.querySelector('.covers b').innerText])",
    );
    let wording = model.wording(minrule::Style::Words);
    let rules: Vec<Value> = model
        .rules()
        .map(|(_, rule)| {
            let conditions: Vec<String> =
                wording.parts(&rule.conditions).iter().map(ToString::to_string).collect();
            json!([conditions, rule.then, format!("{} rows", rule.covers)])
        })
        .collect();
    assert_eq!(shown, json!(rules));
    // Nothing is on the page that would take a script.
    let dead = "[...document.querySelectorAll('button, input, select, canvas')]
        .filter(control => control.offsetParent).length";
    assert_eq!(browser.evaluate(dead), 0);
    let links = "[...document.querySelectorAll('nav a')].filter(link => link.offsetParent)
        .every(link => document.querySelector(link.hash).offsetParent)";
    assert_eq!(browser.evaluate(links), true);

    // It is light or dark as the system is, and nothing sticks out on a small screen.
    let paper = "getComputedStyle(document.body).backgroundColor";
    let phone = json!({"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": false});
    browser.call("Emulation.setDeviceMetricsOverride", phone);
    let mut papers = Vec::new();
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        papers.push(browser.evaluate(paper));
        assert_eq!(browser.evaluate("document.documentElement.scrollWidth <= 400"), json!(true));
    }
    assert_ne!(papers[0], papers[1]);

    // With scripts it says the same, once.
    let list = "[...document.querySelectorAll('.rule .sentence, .rule .covers')]
        .map(part => part.innerText.replace(/\\s+/g, ' '))";
    let still = browser.evaluate(list);
    open(&mut browser, &case.page, true);
    assert_eq!(browser.evaluate(list), still);
    let words = seen(&mut browser);
    for text in expected.iter().filter(|text| text.len() > 10) {
        assert_eq!(words.matches(text).count(), 1, "{text}\n{words}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_output_is_tried_before_the_work() {
    let (folder, nothing) = file("model.json", "no model");
    let page = folder.path().join("nowhere/page.html");
    let result = run(&["report", text(&nothing), text(&nothing), "-o", text(&page)]);
    assert_eq!(result.code, 5, "{}", result.stderr);
}

#[test]
fn the_page_shows_the_rules_and_answers_what_if() {
    let case = Case::new(LOANS, &["--numeric", "thresholds"]);
    let model: Value = serde_json::from_slice(&std::fs::read(&case.model).unwrap()).unwrap();
    let mut browser = Browser::start();
    browser.open(&case.page);
    let cards = browser.evaluate("document.querySelectorAll('.rule').length");
    assert_eq!(cards, model["decision_set"]["rules"]);
    let words = browser.evaluate("document.body.innerText");
    assert!(words.as_str().unwrap().contains(&proof(&case.model)), "{words}");

    // Setting values in the form changes the rules that fire.
    let set = |browser: &mut Browser, column: &str, value: &str| {
        browser.evaluate(&format!(
            "(() => {{ const input = document.querySelector('[data-column={column}]');
               input.value = '{value}';
               input.dispatchEvent(new Event('input', {{bubbles: true}}));
               input.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"
        ));
    };
    let fired = |browser: &mut Browser| {
        let code = "[...document.querySelectorAll('#what-if-result .fired')].map(rule => rule.innerText).join()";
        browser.evaluate(code).as_str().unwrap().to_string()
    };
    set(&mut browser, "history", "defaulted");
    let before = fired(&mut browser);
    assert!(before.contains("defaulted"), "{before}");
    for (column, value) in [("history", "good"), ("guarantor", "yes")] {
        set(&mut browser, column, value);
    }
    let after = fired(&mut browser);
    assert!(after.contains("good") && !after.contains("defaulted"), "{after}");

    // Searching leaves the cards that match.
    let shown = "[...document.querySelectorAll('.rule')].filter(card => card.offsetParent).length";
    let all = browser.evaluate(shown).as_u64().unwrap();
    browser.evaluate(
        "(() => { const search = document.querySelector('input[type=search]');
           search.value = 'guarantor';
           search.dispatchEvent(new Event('input', {bubbles: true})); })()",
    );
    browser.wait_for(&format!("{shown} > 0 && {shown} < {all}"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_page_predicts_what_the_program_predicts() {
    let table = mixed_table(90, 11);
    let odd = "colour,weight,count,ripe\npurple,?,1,yes\n,1e9,2.0,maybe\nred,many,0,no\nNA,50,7,NA\n";
    let mut browser = Browser::start();
    for policy in [["default", "majority"], ["nearest", "size"], ["abstain", "abstain"]] {
        let options = ["--numeric", "thresholds", "--uncovered", policy[0], "--conflict", policy[1]];
        let case = Case::new(&table, &options);
        browser.open(&case.page);
        for rows in [table.as_str(), odd] {
            let args = ["predict", text(&case.model), "-", "--quiet"];
            let predicted = run_with_input(&args, rows.as_bytes()).stdout;
            let mut lines = rows.lines();
            let header: Vec<&str> = lines.next().unwrap().split(',').collect();
            for (row, expected) in lines.zip(predicted.lines().skip(1)) {
                let fields = header.iter().zip(row.split(','));
                let values: serde_json::Map<String, Value> =
                    fields.map(|(name, value)| (name.to_string(), json!(value))).collect();
                let code = format!("minrule.predict({}).class ?? ''", json!(values));
                assert_eq!(browser.evaluate(&code), expected, "{row} {policy:?}");
            }
        }
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Rows as objects of column and text, in JSON.
fn objects(rows: &str) -> Vec<Value> {
    let mut lines = rows.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let object = |row: &str| {
        let fields = header.iter().zip(row.split(','));
        Value::Object(fields.map(|(name, value)| (name.to_string(), json!(value))).collect())
    };
    lines.map(object).collect()
}

#[test]
fn the_page_gives_the_shares_that_the_program_gives() {
    let table = mixed_table(110, 9);
    // Rules of several classes meet on rows that they were not learned from.
    let unseen = mixed_table(150, 10);
    let odd = "colour,weight,count,ripe\npurple,?,1,yes\n,1e9,2.0,maybe\nred,many,0,no\nNA,50,7,NA\n";
    let mut browser = Browser::start();
    let mut ways: Vec<String> = Vec::new();
    for sparse in [
        &["--alpha", "0.6rows"][..],
        &["--alpha", "2rows", "--otherwise", "none", "--numeric", "intervals"],
        &["--alpha", "1%", "--numeric", "thresholds", "--otherwise", "unsure"],
        &["--alpha", "1row", "--classes", "melon"],
        &["--alpha", "30rows"],
        &["--numeric", "intervals"],
    ] {
        for policy in [
            ["default", "precision"],
            ["default", "majority"],
            ["nearest", "precision"],
            ["nearest", "size"],
            ["abstain", "abstain"],
        ] {
            let policy = ["--uncovered", policy[0], "--conflict", policy[1]];
            let case = Case::new(&table, &[sparse, &policy[..]].concat());
            browser.open(&case.page);
            let labels = minrule::Model::read(&case.model).unwrap().labels;
            for rows in [table.as_str(), unseen.as_str(), odd] {
                let args = ["predict", text(&case.model), "-", "--quiet", "--proba"];
                let predicted = run_with_input(&args, rows.as_bytes()).stdout;
                let rows = objects(rows);
                let code = format!("{}.map(row => minrule.predict(row))", json!(rows));
                let said = browser.evaluate(&code);
                for (row, expected) in predicted.lines().skip(1).enumerate() {
                    let mut fields = expected.split(',');
                    let said = &said[row];
                    let what = format!("{} {policy:?} {sparse:?}: {said}", rows[row]);
                    let class = said["class"].as_str().unwrap_or_default();
                    assert_eq!(class, fields.next().unwrap(), "{what}");
                    let expected: Vec<f64> = fields.map(|share| share.parse().unwrap()).collect();
                    let shares =
                        said["shares"].as_array().unwrap().iter().map(|share| share.as_f64().unwrap());
                    assert_eq!(shares.collect::<Vec<f64>>(), expected, "{what}");
                    assert_eq!(expected.len(), labels.len());
                    ways.push(said["decidedBy"].as_str().unwrap().to_string());
                }
            }
        }
    }
    for way in ["rules", "conflict", "uncovered"] {
        assert!(ways.iter().filter(|said| *said == way).count() > 20, "{way}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_sparse_set_is_shown_with_what_it_gets_wrong() {
    let case = Case::new(LOANS, &["--alpha", "2rows", "--numeric", "intervals"]);
    let model = minrule::Model::read(&case.model).unwrap();
    let mut browser = Browser::start();
    let mut lists = Vec::new();
    for scripts in [false, true] {
        open(&mut browser, &case.page, scripts);
        let words = seen(&mut browser).replace('\u{a0}', " ");
        for expected in [
            "when is approved yes? Otherwise it is no.",
            "table.csv, the table it was learned from: the model holds.",
            "their errors and what both cost was counted again, and fits. That no other trade is better was not",
            &proof(&case.model),
            "of the training rows right (152 of 160);",
            "rows predicted wrongly\n8",
            "cost in rows: 18 for size,\nand 8 errors\n26",
            "whatever the rules, 2 rows (1.2 %) or more are wrong",
            "2 rules for 78 rows, 8 errors",
            "1 row wrong\nprecision 96.8 %",
            "0 rows wrong\nprecision 100 %",
            "the answer is no, the class without rules.",
            "best precision wins",
        ] {
            assert_eq!(words.matches(expected).count(), 1, "{expected}\n{words}");
        }
        // What is paid stands with the rules and with the proof.
        let price = "Price: each rule and each condition costs 2 rows (alpha 0.0125), each error 1 row.";
        assert_eq!(words.matches(price).count(), 2, "{words}");
        assert!(!words.contains("lost the vote") && !words.contains("smallest"), "{words}");
        let row = "[...document.querySelectorAll('#proof tbody tr')].map(row => [...row.cells].map(cell => cell.innerText))";
        assert_eq!(browser.evaluate(row), json!([["yes", "2", "7", "8", "26", "26", "✓ proven best"]]));
        let otherwise = "document.querySelector('#rules > :last-child').innerText.replace(/\\s+/g, ' ')";
        let uncovered = model.uncovered_rows.iter().sum::<u64>();
        let line = format!("OTHERWISE approved = no {uncovered} rows on which no rule fires, 7 wrong");
        assert_eq!(browser.evaluate(otherwise), line);
        lists.push(browser.evaluate(
            "[...document.querySelectorAll('.rule .sentence, .rule .covers, .class header, .otherwise')]
             .map(part => part.innerText.replace(/\\s+/g, ' '))",
        ));
        // Nothing sticks out on a small screen, light or dark.
        let phone = json!({"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        browser.call("Emulation.setDeviceMetricsOverride", phone);
        for scheme in ["light", "dark"] {
            browser.prefer(scheme);
            assert_eq!(browser.evaluate("document.documentElement.scrollWidth <= 400"), json!(true));
        }
        browser.call("Emulation.clearDeviceMetricsOverride", json!({}));
    }
    assert_eq!(lists[0], lists[1]);

    // The form says how sure it is, and what becomes of rows that no rule covers.
    browser.evaluate("document.getElementById('clear').click()");
    let said = "document.getElementById('what-if-result').innerText.replace(/\\s+/g, ' ')";
    let words = browser.evaluate(said);
    let words = words.as_str().unwrap();
    assert!(
        words.starts_with("approved = no No rule fires: this is the class without rules."),
        "{words}"
    );
    assert!(words.contains("Share of each class no 92 % yes 7.9 %"), "{words}");
    browser.evaluate("document.querySelector('#rule-2 button').click()");
    let words = browser.evaluate(said);
    let words = words.as_str().unwrap();
    // What the rule does not test is drawn at random, so the other rule may fire as well, which is more precise.
    let shares = if words.contains("#1 IF") { "yes 98.1 % no 1.8 %" } else { "yes 94.1 % no 5.8 %" };
    assert!(words.contains(shares), "{words}");
    // The map tells errors from the rest, and so does its legend.
    let legend = browser.evaluate("document.getElementById('legend').innerText");
    assert!(
        legend.as_str().unwrap().contains("a rule fires on an example of another class, 1 time"),
        "{legend}"
    );
    let sorted = browser.evaluate(
        "(() => { const sort = document.getElementById('sort');
           sort.value = 'wrong';
           sort.dispatchEvent(new Event('input', {bubbles: true}));
           return document.querySelector('.rule').id; })()",
    );
    assert_eq!(sorted, "rule-2");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Where classes have an order, nothing but the order decides between them.
#[test]
fn the_page_gives_the_shares_of_classes_in_order() {
    let table = mixed_table(110, 9);
    let unseen = mixed_table(150, 10);
    let odd = "colour,weight,count,ripe\npurple,?,1,yes\n,1e9,2.0,maybe\nred,many,0,no\nNA,50,7,NA\n";
    let mut browser = Browser::start();
    let (mut ways, mut several): (Vec<String>, usize) = (Vec::new(), 0);
    for ordered in [
        &["--order", "rarest"][..],
        &["--order", "rarest", "--otherwise", "none"],
        &["--order", "unsure,apple,melon"],
        &["--order", "melon,unsure,apple", "--otherwise", "none"],
    ] {
        for uncovered in ["default", "nearest", "abstain"] {
            let options = ["--alpha", "0.4rows", "--uncovered", uncovered];
            let case = Case::new(&table, &[&options[..], ordered].concat());
            browser.open(&case.page);
            for rows in [table.as_str(), unseen.as_str(), odd] {
                let args = ["predict", text(&case.model), "-", "--quiet", "--proba"];
                let predicted = run_with_input(&args, rows.as_bytes()).stdout;
                let rows = objects(rows);
                let said =
                    browser.evaluate(&format!("{}.map(row => minrule.predict(row))", json!(rows)));
                assert_eq!(predicted.lines().count(), rows.len() + 1);
                for (row, expected) in predicted.lines().skip(1).enumerate() {
                    let mut fields = expected.split(',');
                    let said = &said[row];
                    let what = format!("{} {options:?} {ordered:?}: {said}", rows[row]);
                    let class = said["class"].as_str().unwrap_or_default();
                    assert_eq!(class, fields.next().unwrap(), "{what}");
                    let expected: Vec<f64> = fields.map(|share| share.parse().unwrap()).collect();
                    let shares =
                        said["shares"].as_array().unwrap().iter().map(|share| share.as_f64().unwrap());
                    assert_eq!(shares.collect::<Vec<f64>>(), expected, "{what}");
                    let rules = |of: &str| said[of].as_array().unwrap().len();
                    several += usize::from(rules("fired") > rules("counted"));
                    ways.push(said["decidedBy"].as_str().unwrap().to_string());
                }
            }
        }
    }
    for way in ["rules", "uncovered"] {
        assert!(ways.iter().filter(|said| *said == way).count() > 20, "{way}");
    }
    assert!(several > 20 && !ways.contains(&"conflict".to_string()), "{several}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn classes_in_order_are_shown_in_it_with_the_rows_that_reach_them() {
    let table = mixed_table(110, 9);
    let mut browser = Browser::start();
    let mut tried = 0;
    for (options, order) in [
        (&["--order", "unsure,apple,melon"][..], "\"unsure\", then \"apple\", otherwise \"melon\"."),
        (&["--order", "rarest", "--otherwise", "none"], ", then "),
    ] {
        let case = Case::new(&table, &[&["--alpha", "0.4rows"], options].concat());
        let set = minrule::Model::read(&case.model).unwrap().decision_set;
        let mut lists = Vec::new();
        for scripts in [false, true] {
            open(&mut browser, &case.page, scripts);
            let words = seen(&mut browser).replace('\u{a0}', " ");
            for expected in [
                "table.csv, the table it was learned from: the model holds.",
                "That each class's rules are best given those before it was not proven again",
                "Proven in order: each class's rules are proven best given those before it, over these",
                "A rule holds unless a rule of an earlier class fires;",
                "those of the class that comes first in the order hold, and no others.",
                "costs at least given those before it;",
            ] {
                assert_eq!(words.matches(expected).count(), 1, "{expected}\n{words}");
            }
            assert!(words.contains(order), "{words}");
            for never in ["Rules have no order", "rules of several classes on", "no other trade"] {
                assert!(!words.contains(never), "{never}\n{words}");
            }
            // Every count is the model's own: of the rows that reach the class.
            let cells = "[...document.querySelectorAll('#proof tbody tr')].map(row => [...row.cells].map(cell => cell.innerText))";
            for (place, (class, row)) in
                set.classes.iter().zip(browser.evaluate(cells).as_array().unwrap()).enumerate()
            {
                let given = if place == 0 { "" } else { " given those before it" };
                assert_eq!(row[0], json!(class.class));
                assert_eq!(row[3], json!(class.errors.unwrap().to_string()));
                assert_eq!(row[6], json!(format!("\u{2713} proven best{given}")));
            }
            let counted = "[...document.querySelectorAll('.rule .covers')].map(part => part.innerText.replace(/\\s+/g, ' '))";
            let counted = browser.evaluate(counted);
            let rules: Vec<_> = set.classes.iter().flat_map(|class| &class.rules).collect();
            assert_eq!(counted.as_array().unwrap().len(), rules.len());
            for (rule, said) in rules.into_iter().zip(counted.as_array().unwrap()) {
                let said = said.as_str().unwrap();
                let rows = |n: u64| format!("{n} row{}", if n == 1 { "" } else { "s" });
                assert!(said.starts_with(&format!("{} ", rows(rule.covers))), "{said} {rule:?}");
                assert!(said.contains(&format!(" {} wrong ", rows(rule.wrong.unwrap()))), "{said}");
            }
            lists.push(browser.evaluate(
                "[...document.querySelectorAll('.rule .sentence, .rule .covers, .class header, .otherwise')]
                 .map(part => part.innerText.replace(/\\s+/g, ' '))",
            ));
        }
        assert_eq!(lists[0], lists[1]);
        assert!(lists[0].to_string().contains(" reach it, "), "{}", lists[0]);

        // A row on which rules of several classes fire: the form names those that hold, and the others.
        let rows = objects(&mixed_table(150, 10));
        let both = browser.evaluate(&format!(
            "{}.find(row => minrule.predict(row).fired.length > minrule.predict(row).counted.length)",
            json!(rows)
        ));
        if both.is_null() {
            continue;
        }
        tried += 1;
        let words = browser.evaluate(&format!(
            "(() => {{ const row = {both};
               for (const input of document.querySelectorAll('[data-column]')) input.value = row[input.dataset.column];
               document.getElementById('form').dispatchEvent(new Event('input'));
               return document.getElementById('what-if-result').innerText.replace(/\\s+/g, ' '); }})()"
        ));
        let words = words.as_str().unwrap();
        let why = "Rules of several classes fire: those of the class that comes first hold.";
        assert!(words.contains(why) && words.contains("Fire too, but do not hold"), "{words}");
        let caption = browser.evaluate("document.getElementById('map-caption').textContent");
        assert!(caption.as_str().unwrap().contains("where no rule of an earlier class fires"));
    }
    assert!(tried > 0);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_sparse_set_is_refused_by_its_own_table_and_judged_by_no_other() {
    let case = Case::new(LOANS, &["--alpha", "2rows", "--otherwise", "none"]);
    let other = case.folder.path().join("flipped.csv");
    std::fs::write(&other, flipped()).unwrap();
    let result = run(&["report", text(&case.model), text(&other), "-o", text(&case.page)]);
    assert_eq!(result.code, 0, "{}", result.stderr);
    let mut browser = Browser::start();
    for scripts in [false, true] {
        open(&mut browser, &case.page, scripts);
        let words = seen(&mut browser);
        assert!(
            words.contains("flipped.csv is not the table that the model was learned from"),
            "{words}"
        );
        assert!(words.contains("no row of flipped.csv speaks against them"), "{words}");
        assert!(words.contains(&right(&case.model, &other)), "{words}");
        assert!(!words.contains('\u{2713}') && words.contains("best for its own table"), "{words}");
        assert_eq!(words.matches(&proof(&case.model)).count(), 1, "{words}");
    }
    let mut forged: Value = serde_json::from_slice(&std::fs::read(&case.model).unwrap()).unwrap();
    let wrong = forged["decision_set"]["rows_wrong"].as_u64().unwrap();
    forged["decision_set"]["rows_wrong"] = json!(wrong + 1);
    std::fs::write(&case.model, forged.to_string()).unwrap();
    let result = run(&["report", text(&case.model), text(&case.table), "-o", text(&case.page)]);
    assert_eq!(result.code, 6, "{}", result.stderr);
    open(&mut browser, &case.page, true);
    let words = seen(&mut browser);
    let said = format!("the number of rows predicted wrongly is said to be {}", wrong + 1);
    assert!(words.contains(&said), "{words}");
    assert!(words.contains("claimed best") && !words.contains('\u{2713}'), "{words}");
    assert!(words.contains(&right(&case.model, &case.table)), "{words}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_price_that_no_rule_is_worth_makes_a_page_all_the_same() {
    let mut browser = Browser::start();
    for (options, remark) in [
        (&["--alpha", "90rows"][..], "No rule is worth its price for yes."),
        (&["--alpha", "90rows", "--otherwise", "none"], "No rule is worth its price for yes, no."),
    ] {
        let case = Case::new(LOANS, options);
        for scripts in [false, true] {
            open(&mut browser, &case.page, scripts);
            let words = seen(&mut browser);
            assert!(words.contains(remark), "{words}");
            assert!(words.contains("always saying no: 51.2 %"), "{words}");
            assert_eq!(words.contains("OTHERWISE"), options.len() == 2, "{words}");
        }
        assert_eq!(browser.evaluate("minrule.predict({}).class"), "no");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_class_without_rules_is_text_whatever_it_is_called() {
    let hostile = "<img src=x onerror=window.pwned=1>{{DATA}}";
    let table = LOANS.replace(",no\n", &format!(",{hostile}\n"));
    let case = Case::new(&table, &["--alpha", "2rows"]);
    let mut browser = Browser::start();
    for scripts in [false, true] {
        open(&mut browser, &case.page, scripts);
        let line = browser.evaluate("document.getElementById('otherwise').textContent");
        assert!(line.as_str().unwrap().contains(&format!("approved = {hostile}")), "{line}");
        assert!(seen(&mut browser).contains(&format!("Otherwise it is {hostile}.")));
        assert_eq!(browser.evaluate("document.querySelectorAll('img').length"), 0);
    }
    browser.evaluate("document.getElementById('clear').click()");
    let words = browser.evaluate("document.getElementById('what-if-result').textContent");
    assert!(words.as_str().unwrap().contains(&format!("approved = {hostile}No rule fires")), "{words}");
    assert_eq!(browser.evaluate("typeof window.pwned"), "undefined");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_sparse_set_is_tried_by_keyboard() {
    let case = Case::new(LOANS, &["--alpha", "2rows"]);
    let mut browser = Browser::start();
    browser.open(&case.page);
    let press = |browser: &mut Browser, key: &str, text: &str| {
        let code = if key == "Tab" { 9 } else { 0 };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({"type": kind, "key": key, "windowsVirtualKeyCode": code});
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            browser.call("Input.dispatchKeyEvent", event);
        }
    };
    browser.evaluate("document.getElementById('clear').click()");
    browser.evaluate("document.querySelector('[data-column=income]').focus()");
    press(&mut browser, "9", "9");
    press(&mut browser, "Tab", "");
    assert_eq!(browser.evaluate("document.activeElement.dataset.column"), "debt");
    press(&mut browser, "5", "5");
    press(&mut browser, "Tab", "");
    // In a list of choices a letter chooses.
    press(&mut browser, "g", "g");
    assert_eq!(browser.evaluate("document.activeElement.value"), "good");
    let row = json!({"income": "9", "debt": "5", "history": "good", "guarantor": ""});
    let said = browser.evaluate(&format!("minrule.predict({row})"));
    let shown = browser.evaluate("document.querySelector('#what-if-result .verdict').innerText");
    assert_eq!(shown, format!("approved = {}", said["class"].as_str().unwrap()));
    let shares = "[...document.querySelectorAll('#what-if-result .shares li')].length";
    assert_eq!(browser.evaluate(shares), 2);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn what_is_not_proven_of_a_sparse_set_is_said_in_rows() {
    let (folder, table) = file("hard.csv", common::hard_table(150, 40));
    let [model, page] = ["model.json", "page.html"].map(|name| folder.path().join(name));
    let args = ["learn", text(&table), "--alpha", "0.1rows", "--time-limit", "1", "--quiet", "--model"];
    let code = run(&[&args[..], &[text(&model)]].concat()).code;
    let reported = run(&["report", text(&model), text(&table), "-o", text(&page)]);
    assert_eq!(reported.code, 0, "{}", reported.stderr);
    let mut browser = Browser::start();
    open_still(&mut browser, &page);
    let words = seen(&mut browser);
    assert!(words.contains(&proof(&model)), "{words}");
    // A fast machine may prove it.
    if code == 10 {
        assert!(
            words.contains("Not proven optimal: every set of rules") && words.contains(" rows (gap "),
            "{words}"
        );
        assert!(
            words.contains("The lower bound was not proven again: ")
                && words.contains("not proven: time limit")
        );
        assert_eq!(browser.evaluate("document.querySelectorAll('.optimal').length"), 0);
    }
    // Programs that write 26 for 26.0 change nothing of what it means.
    let mut said: Value = serde_json::from_slice(&std::fs::read(&model).unwrap()).unwrap();
    said["decision_set"]["status"] = json!("feasible");
    for bound in [json!(26), json!(26.0)] {
        said["decision_set"]["lower_bound"] = bound;
        std::fs::write(&model, said.to_string()).unwrap();
        assert!(proof(&model).contains(" costs at least 26 rows (gap "), "{}", proof(&model));
    }
}

#[test]
fn light_and_dark_differ_and_both_can_be_read() {
    let case = Case::new(LOANS, &[]);
    let mut browser = Browser::start();
    let mut backgrounds = Vec::new();
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        browser.open(&case.page);
        let lightness = |browser: &mut Browser, what: &str| {
            let code = format!(
                "getComputedStyle(document.body).{what}.match(/[\\d.]+/g).slice(0, 3)
                 .map(Number).reduce((a, b) => a + b) / 3"
            );
            browser.evaluate(&code).as_f64().unwrap()
        };
        let (ink, paper) =
            (lightness(&mut browser, "color"), lightness(&mut browser, "backgroundColor"));
        assert!((ink - paper).abs() > 120.0, "{scheme}: {ink} on {paper}");
        backgrounds.push(paper);
        // Nothing sticks out on a small screen.
        let phone = json!({"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        browser.call("Emulation.setDeviceMetricsOverride", phone);
        assert_eq!(browser.evaluate("document.documentElement.scrollWidth <= 400"), json!(true));
        browser.call("Emulation.clearDeviceMetricsOverride", json!({}));
    }
    assert!(backgrounds[0] > 200.0 && backgrounds[1] < 60.0, "{backgrounds:?}");
}

/// A model with very many rules for a table with very many rows, made up.
fn huge() -> Case {
    let case = Case::new("a,b,c,d,e,class\n0,0,0,0,0,x\n1,1,1,1,1,y\n", &[]);
    let mut state = 1u64;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut rows = String::from("a,b,c,d,e,class\n");
    for i in 0..50_000u64 {
        let class = if below(2) == 0 { "x" } else { "y" };
        let [a, b, c] = [0; 3].map(|_| below(40));
        // The last two tell all rows apart.
        rows += &format!("{a},{b},{c},{},{},{class}\n", i / 250, i % 250);
    }
    std::fs::write(&case.table, rows).unwrap();
    let mut model: Value = serde_json::from_slice(&std::fs::read(&case.model).unwrap()).unwrap();
    let mut columns: Vec<Value> = Vec::new();
    for (i, name) in ["a", "b", "c"].iter().enumerate() {
        let cells: Vec<Value> = (0..40).map(|v| json!({"value": v.to_string()})).collect();
        columns.push(json!({"name": name, "encoding": {"cells": cells}, "first": 40 * i}));
    }
    for (name, first) in [("d", 120), ("e", 370)] {
        let cuts: Vec<f64> = (0..250).map(f64::from).collect();
        let encoding = json!({"thresholds": {"cuts": cuts, "missing": false}});
        columns.push(json!({"name": name, "encoding": encoding, "first": first}));
    }
    model["features"]["columns"] = json!(columns);
    for class in 0..2 {
        let label = model["labels"][class].clone();
        let rules: Vec<Value> = (0..1000)
            .map(|_| {
                let mut is =
                    |name: &str| json!({"feature": name, "op": "=", "value": below(40).to_string()});
                json!({"if": [is("a"), is("b")], "then": label, "covers": 30})
            })
            .collect();
        model["decision_set"]["classes"][class]["rules"] = json!(rules);
    }
    model["decision_set"]["rules"] = json!(2000);
    std::fs::write(&case.model, serde_json::to_vec(&model).unwrap()).unwrap();
    // Made up as it is, it does not hold.
    let page = run(&["report", text(&case.model), text(&case.table), "-o", text(&case.page)]);
    assert_eq!(page.code, 6, "{}", page.stderr);
    case
}

#[test]
fn two_thousand_rules_and_fifty_thousand_examples_do_not_freeze_it() {
    let case = huge();
    let mut browser = Browser::start();
    browser.open(&case.page);
    // Seen with `--nocapture`; how long it takes is no matter of right or wrong.
    let at = |name: &str| format!("performance.getEntriesByName('{name}')[0]?.startTime");
    let [paint, ready] = ["first-contentful-paint", "minrule-ready"].map(|n| browser.evaluate(&at(n)));
    println!("2,000 rules, 50,000 examples: first paint after {paint} ms, ready after {ready} ms");
    let words = browser.evaluate("document.body.innerText");
    assert!(words.as_str().unwrap().contains("2,000"), "{words}");
    assert_eq!(browser.evaluate("data.coverage.examples"), 50_000);
    // The map is drawn, and the page still answers.
    let painted = "(() => { const canvas = document.querySelector('canvas');
        const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return new Set(new Uint32Array(pixels.buffer)).size; })()";
    assert!(browser.evaluate(painted).as_u64().unwrap() > 3);
    let cards = browser.evaluate("document.querySelectorAll('.rule').length").as_u64().unwrap();
    assert!(0 < cards && cards < 2000, "{cards} cards at once");
    // Without scripts there are more of them at once, and the rest is counted.
    open_still(&mut browser, &case.page);
    assert_eq!(browser.evaluate("document.querySelectorAll('.rule').length"), 1000);
    assert!(seen(&mut browser).contains("And 500 more rules of this class"));
    open(&mut browser, &case.page, true);
    browser.evaluate("location.hash = '#rule-1500'");
    browser.wait_for("document.getElementById('rule-1500')?.offsetParent != null");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    drop(case.folder);
}

#[test]
fn a_table_of_other_classes_is_refused_and_nothing_is_written() {
    let case = Case::new(LOANS, &[]);
    let page = case.folder.path().join("other.html");
    let (_folder, other) = file("other.csv", LOANS.replace(",yes\n", ",perhaps\n"));
    let result = run(&["report", text(&case.model), text(&other), "-o", text(&page)]);
    assert_eq!(result.code, 4, "{}", result.stderr);
    assert!(result.stderr.contains("the model does not know"), "{}", result.stderr);
    assert!(!page.exists());
    let args = ["report", text(&case.model), text(&case.table), "-o", text(&page), "--trace"];
    let result = run(&[&args[..], &[text(&case.table)]].concat());
    assert_eq!(result.code, 3);
    assert!(result.stderr.contains("is not a trace"), "{}", result.stderr);
}
