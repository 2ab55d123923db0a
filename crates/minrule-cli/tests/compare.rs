//! `minrule compare`: runs, resumes, and a page in a real browser.

#[path = "common/browser.rs"]
mod browser;
mod common;

use std::fs;
use std::path::Path;

use browser::Browser;
use common::{command, finish, hard_table, mixed_table, run, text};

fn tables(folder: &Path) {
    for seed in 0..3 {
        fs::write(folder.join(format!("t{seed}.csv")), mixed_table(20, seed)).unwrap();
    }
}

/// The rows of the results, each as its fields.
fn rows(folder: &Path) -> Vec<Vec<String>> {
    let read = fs::read_to_string(folder.join("results.csv")).unwrap();
    read.lines().skip(1).map(|line| line.split(',').map(str::to_string).collect()).collect()
}

#[test]
fn all_methods_agree_and_the_page_says_so() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    let out = folder.path().join("out");
    let args = ["compare", text(folder.path()), "-o", text(&out), "--time-limit", "30", "--jobs", "2"];
    let result = run(&args);
    assert_eq!(result.code, 0, "{}", result.stderr);
    let rows = rows(&out);
    assert_eq!(rows.len(), 3 * 15);
    for row in &rows {
        assert_eq!((row[7].as_str(), row.last().unwrap().as_str()), ("optimal", "yes"), "{row:?}");
    }
    assert!(!result.stdout.contains("DISAGREEMENTS"), "{}", result.stdout);
    assert!(out.join("cactus.svg").exists() && out.join("seconds-ilp-literals-opt.svg").exists());

    let mut browser = Browser::start();
    browser.open(&out.join("index.html"));
    browser.wait_for("document.querySelectorAll('#scatter circle').length === 3");
    assert_eq!(browser.evaluate("document.querySelectorAll('#cactus polyline').length"), 15);
    // The pointer over a point names the table.
    let hover = "(() => { const c = document.querySelector('#scatter circle'); \
                 c.dispatchEvent(new MouseEvent('mousemove', { bubbles: true, clientX: 5, clientY: 5 })); \
                 const tip = document.getElementById('tip'); return tip.style.display + tip.textContent; })()";
    let tip = browser.evaluate(hover);
    assert!(tip.as_str().unwrap().starts_with("blockt0.csv\nilp-literals: "), "{tip}");
    browser.evaluate(
        "document.getElementById('measure').value = 'literals'; \
         document.getElementById('measure').dispatchEvent(new Event('change'))",
    );
    browser
        .wait_for("document.querySelector('#scatter').textContent.includes('ilp-literals, literals')");
    assert!(browser.complaints().is_empty(), "{:?}", browser.complaints());
}

#[test]
fn what_is_there_is_not_run_again() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    let list = folder.path().join("list.txt");
    fs::write(&list, "# two of them\nt0.csv\n\nt1.csv\n").unwrap();
    let out = folder.path().join("out");
    let base = ["compare", text(&list), "-o", text(&out), "--quiet", "--methods"];
    assert_eq!(run(&[&base[..], &["lazy-size"]].concat()).code, 0);
    let first = fs::read_to_string(out.join("results.csv")).unwrap();
    let result = run(&[&base[..], &["lazy-size,mds2"]].concat());
    assert_eq!((result.code, result.stdout.as_str()), (0, ""), "{}", result.stderr);
    let second = fs::read_to_string(out.join("results.csv")).unwrap();
    assert!(second.starts_with(&first), "{second}");
    assert_eq!(rows(&out).len(), 4);
}

#[test]
fn a_table_that_cannot_be_read_fails_alone() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    fs::write(folder.path().join("bad.csv"), "a,b\n1\n").unwrap();
    let out = folder.path().join("out");
    let args =
        ["compare", text(folder.path()), "-o", text(&out), "--configuration", "mine: --minimize rules"];
    let result = run(&args);
    assert_eq!(result.code, 0, "{}", result.stderr);
    let rows = rows(&out);
    assert_eq!(rows.len(), 4);
    let bad = rows.iter().find(|row| row[0] == "bad.csv").unwrap();
    assert!(bad.iter().any(|field| field.contains("failed: ")), "{bad:?}");
    assert_eq!(rows.iter().filter(|row| row[7] == "optimal").count(), 3);
}

#[test]
fn an_interrupted_comparison_keeps_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    fs::write(folder.path().join("z.csv"), hard_table(400, 40)).unwrap();
    let out = folder.path().join("out");
    let args =
        ["compare", text(folder.path()), "-o", text(&out), "--methods", "lazy-size", "--time-limit"];
    let child = command(&[&args[..], &["60"]].concat()).spawn().unwrap();
    while !out.join("results.csv").exists() || rows(&out).len() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let interrupt = ["-INT".to_string(), child.id().to_string()];
    std::process::Command::new("kill").args(interrupt).status().unwrap();
    let result = finish(child);
    assert_eq!(result.code, 12, "{}", result.stderr);
    assert_eq!(rows(&out).len(), 3);
    assert!(out.join("index.html").exists());
}

#[test]
fn options_of_learn_hold_or_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("t.csv");
    fs::write(&table, mixed_table(30, 1).replace(',', ";")).unwrap();
    let learned = |options: &[&str]| {
        let base = ["learn", text(&table), "--format", "json", "--quiet", "--separator", ";"];
        run(&[&base[..], options].concat()).json()["size"].to_string()
    };
    let out = folder.path().join("out");
    let mut args = vec!["compare", text(&table), "-o", text(&out), "--quiet"];
    for configuration in [
        "plain: --separator ; --threads 2 --seed 7 --prefer-disjoint",
        "thresholds: --separator ; --cuts 2",
        "nothing:",
        "resume: --separator ; --resume kept",
        "policy: --separator ; --uncovered abstain",
        "limit: --separator ; --time-limit 5",
        "unknown: --quickly",
    ] {
        args.extend(["--configuration", configuration]);
    }
    let result = run(&args);
    assert_eq!(result.code, 0, "{}", result.stderr);
    let rows = rows(&out);
    let found: Vec<[&str; 4]> =
        rows.iter().map(|row| [1, 6, 11, 18].map(|i| row.get(i).map_or("", String::as_str))).collect();
    let sizes = [learned(&[]), learned(&["--cuts", "2"])];
    assert_ne!(sizes[0], sizes[1]);
    assert_eq!(found[0], ["plain", "0", &sizes[0], "yes"]);
    assert_eq!(found[1], ["thresholds", "0", &sizes[1], "yes"]);
    // One column only, if nobody says what is between two fields.
    assert_eq!(found[2][..2], ["nothing", "4"]);
    for refused in &rows[3..] {
        assert!(refused[6] == "2" && refused[7].contains("failed: "), "{refused:?}");
    }
}

#[test]
fn wrong_names_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let none = run(&["compare", text(folder.path()), "-o", text(&out)]);
    assert_eq!(none.code, 4, "{}", none.stderr);
    tables(folder.path());
    let wrong = run(&["compare", text(folder.path()), "-o", text(&out), "--methods", "best"]);
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
    assert!(wrong.stderr.contains("\"best\""), "{}", wrong.stderr);
}
