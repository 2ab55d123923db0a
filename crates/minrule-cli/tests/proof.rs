//! Proofs and interrupted runs as people use them: files on disk, and what the program says of them.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn minrule(folder: &Path, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_minrule");
    Command::new(program).args(arguments).current_dir(folder).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A table that takes a little work, deterministic.
fn table(rows: usize) -> String {
    let mut state = 12345u64;
    let mut bit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 60 & 1
    };
    let mut text = "a,b,c,d,e,f,g,h,class\n".to_string();
    for _ in 0..rows {
        let bits: Vec<u64> = (0..8).map(|_| bit()).collect();
        let noise = bit() & bit() & bit();
        let class = (bits[0] & bits[1] | bits[2] & bits[3]) ^ noise;
        bits.iter().for_each(|bit| text += &format!("{bit},"));
        text += &format!("{}\n", if class == 1 { "yes" } else { "no" });
    }
    text
}

fn learned(arguments: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("table.csv"), table(80)).unwrap();
    let always = ["learn", "table.csv", "--model", "model.json", "--quiet"];
    let output = minrule(folder.path(), &[&always[..], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    folder
}

#[test]
fn a_proof_is_written_and_holds() {
    for objective in ["rules", "literals", "size", "rules-then-literals"] {
        let folder = learned(&["--proof", "proof", "--minimize", objective]);
        let output = minrule(folder.path(), &["check", "model.json", "table.csv", "--proof", "proof"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        assert!(
            text(&output)
                .contains("The proof holds for 2 classes. Proven optimal: no decision set over these")
        );
    }
}

#[test]
fn a_proof_of_less_is_refused_and_the_fault_is_named() {
    let folder = learned(&["--proof", "proof"]);
    let path = folder.path().join("proof/class-1.proof");
    let whole = fs::read_to_string(&path).unwrap();
    let check = || minrule(folder.path(), &["check", "model.json", "table.csv", "--proof", "proof"]);

    let bound: u64 =
        whole.lines().find_map(|line| line.strip_prefix("bound ")).unwrap().parse().unwrap();
    let lower = whole.replace(&format!("\nbound {bound}\n"), &format!("\nbound {}\n", bound - 1));
    for (broken, fault) in [
        (lower.as_str(), "the model claims the bound"),
        (&whole[..whole.len() / 2], "is no certificate: line"),
        (&whole.replace("table ", "table 0"), "the certificate is of another table"),
        (&whole.replace("class ", "class not "), "the certificate is of another class"),
        ("", "is no certificate: line 1"),
    ] {
        fs::write(&path, broken).unwrap();
        let output = check();
        assert_eq!(output.status.code(), Some(6), "{}", text(&output));
        assert!(text(&output).contains(fault), "{fault}: {}", text(&output));
        assert!(text(&output).contains("The proof is refused: 1 fault."), "{}", text(&output));
    }
    fs::remove_file(&path).unwrap();
    assert!(text(&check()).contains("there is no certificate class-1.proof"));
}

#[test]
fn a_proof_of_another_model_is_refused() {
    let (one, other) = (learned(&["--proof", "proof"]), learned(&["--minimize", "rules"]));
    fs::copy(other.path().join("model.json"), one.path().join("model.json")).unwrap();
    let output = minrule(one.path(), &["check", "model.json", "table.csv", "--proof", "proof"]);
    assert_eq!(output.status.code(), Some(6));
    assert!(text(&output).contains("another objective: size"), "{}", text(&output));
}

#[test]
fn methods_without_proofs_say_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("table.csv"), table(30)).unwrap();
    for method in [["--method", "enumerate"], ["--cover", "ilp"]] {
        let arguments = ["learn", "table.csv", "--proof", "proof", method[0], method[1]];
        let output = minrule(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output).contains("--proof"), "{}", text(&output));
        assert!(!folder.path().join("proof").exists());
    }
}

#[test]
fn a_run_goes_on_from_what_was_proven() {
    let folder = learned(&["--resume", "progress.json"]);
    let output = minrule(folder.path(), &["learn", "table.csv", "--resume", "progress.json", "-v"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output).matches("goes on from").count(), 2, "{}", text(&output));
    assert!(text(&output).contains("Proven optimal"), "{}", text(&output));
    assert!(text(&output).contains("0 rules generated"), "{}", text(&output));
}

#[test]
fn nothing_false_is_taken_over_from_an_earlier_run() {
    let folder = learned(&["--resume", "progress.json", "--proof", "proof"]);
    let path = folder.path().join("progress.json");
    let whole = fs::read_to_string(&path).unwrap();
    let model = fs::read_to_string(folder.path().join("model.json")).unwrap();
    // A bound that is too high, and rules that do not cover.
    let bold = whole.replace("\\nbound ", "\\nbound 1");
    let mut progress: serde_json::Value = serde_json::from_str(&whole).unwrap();
    progress["classes"][0]["rules"].as_array_mut().unwrap().remove(0);
    for broken in [bold, progress.to_string()] {
        assert_ne!(broken, whole);
        fs::write(&path, broken).unwrap();
        let arguments = ["learn", "table.csv", "--resume", "progress.json", "--model", "model.json"];
        let output = minrule(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        let again: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.path().join("model.json")).unwrap()).unwrap();
        let before: serde_json::Value = serde_json::from_str(&model).unwrap();
        assert_eq!(again["decision_set"]["size"], before["decision_set"]["size"]);
        assert_eq!(again["decision_set"]["lower_bound"], before["decision_set"]["lower_bound"]);
    }
}

#[test]
fn a_progress_file_of_something_else_is_refused_and_stays() {
    let folder = learned(&["--resume", "progress.json"]);
    let path = folder.path().join("progress.json");
    let whole = fs::read(&path).unwrap();
    fs::write(folder.path().join("other.csv"), table(70)).unwrap();
    for (arguments, why) in [
        (vec!["learn", "other.csv", "--resume", "progress.json"], "another table"),
        (
            vec!["learn", "table.csv", "--minimize", "rules", "--resume", "progress.json"],
            "else was minimised",
        ),
        (vec!["learn", "table.csv", "--no-negations", "--resume", "progress.json"], "in another way"),
        (vec!["learn", "table.csv", "--resume", "model.json"], "no run can go on from model.json"),
    ] {
        let output = minrule(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output));
        assert!(text(&output).contains(why), "{}", text(&output));
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
}

/// Where VeriPB is; it is installed if it is not there.
fn veripb() -> String {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/veripb");
    let found = Command::new(tool).output().unwrap();
    assert!(found.status.success(), "{}", text(&found));
    String::from_utf8(found.stdout).unwrap().trim_end().to_string()
}

#[test]
fn another_checker_accepts_the_same_proofs() {
    let veripb = veripb();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (mut prices, mut covers, mut sparse_covers) = (0, 0, 0);
    for rows in [60, 90, 130] {
        fs::write(folder.join("table.csv"), table(rows)).unwrap();
        for options in [
            &["--minimize", "rules"][..],
            &["--minimize", "literals"],
            &["--minimize", "size"],
            &["--minimize", "rules-then-literals"],
            &["--alpha", "0.3rows", "--otherwise", "none"],
            &["--alpha", "0.4rows", "--otherwise", "none", "--minimize", "literals"],
        ] {
            let learn = ["learn", "table.csv", "--model", "model.json", "--proof", "proof", "--quiet"];
            minrule(folder, &[&learn[..], options].concat());
            let check = ["check", "model.json", "table.csv", "--proof", "proof", "--veripb", "out"];
            let output = minrule(folder, &check);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output));
            for formula in fs::read_dir(folder.join("out")).unwrap() {
                let formula = formula.unwrap().path();
                if formula.extension().is_some_and(|ending| ending == "opb") {
                    let derivation = formula.with_extension("pbp");
                    let verdict = Command::new(&veripb).args([&formula, &derivation]).output().unwrap();
                    assert!(text(&verdict).contains("s VERIFIED UNSATISFIABLE"), "{}", text(&verdict));
                    let about_prices = formula.to_string_lossy().ends_with("-prices.opb");
                    let counted = match (about_prices, options[0]) {
                        (true, _) => &mut prices,
                        (false, "--alpha") => &mut sparse_covers,
                        (false, _) => &mut covers,
                    };
                    *counted += 1;
                }
            }
            fs::remove_dir_all(folder.join("out")).unwrap();
        }
    }
    let all = [prices, covers, sparse_covers];
    assert!(all.iter().all(|parts| *parts > 0), "parts about prices, covers, sparse covers: {all:?}");
}
