//! Outputs: what a path names is what it still names afterwards, and nothing that was found is lost.

mod common;

use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{command, finish, hard_table, run, run_with_input, text};

const LOANS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/loans.csv");

/// The commands that write files, given a model and where to write.
fn writers<'a>(model: &'a str, to: &'a str) -> Vec<Vec<&'a str>> {
    vec![
        vec!["learn", LOANS, "--quiet", "--model", to],
        vec!["learn", LOANS, "--quiet", "--trace", to],
        vec!["predict", model, LOANS, "--quiet", "-o", to],
        vec!["export", model, "--to", "python", "-o", to],
        vec!["report", model, LOANS, "-o", to],
    ]
}

fn with_model(test: impl Fn(&Path, &str)) {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("first.json");
    assert_eq!(run(&["learn", LOANS, "--quiet", "--model", text(&model)]).code, 0);
    test(folder.path(), text(&model));
}

#[test]
fn links_stay_links_and_permissions_stay() {
    with_model(|folder, model| {
        let (file, link) = (folder.join("file"), folder.join("link"));
        for (i, args) in writers(model, text(&link)).into_iter().enumerate() {
            fs::write(&file, "old").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
            let _ = fs::remove_file(&link);
            symlink("file", &link).unwrap();
            let result = run(&args);
            assert_eq!(result.code, 0, "{args:?}: {}", result.stderr);
            assert_eq!(fs::read_link(&link).unwrap(), Path::new("file"), "{args:?}");
            assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600, "{args:?}");
            assert!(fs::read(&file).unwrap().len() > 100, "{args:?}");
            assert_eq!(fs::read_dir(folder).unwrap().count(), 3, "writer {i} leaves nothing else");
        }
    });
}

/// On nodes made for the test, never on the system's.
#[test]
fn devices_stay_devices() {
    with_model(|folder, model| {
        let node = folder.join("node");
        let made = Command::new("mknod").args([text(&node), "c", "1", "3"]).status();
        if !made.is_ok_and(|status| status.success()) {
            eprintln!("not permitted to make device nodes: nothing to try");
            return;
        }
        for args in writers(model, text(&node)) {
            let result = run(&args);
            // Where the system lets nobody write to such a node, it says so, and the node stays too.
            assert!([0, 5].contains(&result.code), "{args:?}: {}", result.stderr);
            assert!(fs::metadata(&node).unwrap().file_type().is_char_device(), "{args:?}");
        }
    });
}

#[test]
fn whoever_reads_a_pipe_gets_what_is_written() {
    with_model(|folder, model| {
        let pipe = folder.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for args in writers(model, text(&pipe)) {
            let path = pipe.clone();
            let reader = std::thread::spawn(move || {
                let mut read = String::new();
                fs::File::open(path).unwrap().read_to_string(&mut read).unwrap();
                read
            });
            let result = run(&args);
            assert_eq!(result.code, 0, "{args:?}: {}", result.stderr);
            assert!(reader.join().unwrap().len() > 100, "{args:?}");
            assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo(), "{args:?}");
        }
    });
}

/// What is known would be read back from it: nobody is kept waiting for that.
#[test]
fn no_run_goes_on_from_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let result = run(&["learn", LOANS, "--quiet", "--resume", text(&pipe)]);
    assert_eq!(result.code, 3, "{}", result.stderr);
    assert!(result.stderr.contains("it is not a regular file"), "{}", result.stderr);
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
}

#[test]
fn standard_output_by_its_path_is_written_on() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    // A link like /dev/stdout, but our own: a program that replaced links would replace the system's.
    let stdout = folder.path().join("stdout");
    std::os::unix::fs::symlink("/proc/self/fd/1", &stdout).unwrap();
    let mut learn = command(&["learn", LOANS, "--quiet", "--model", text(&stdout)]);
    let child = learn.stdout(fs::File::create(&out).unwrap()).spawn().unwrap();
    assert_eq!(finish(child).code, 0);
    let written = fs::read_to_string(&out).unwrap();
    assert!(written.starts_with("{\n  \"format\": \"minrule-model\""), "{written}");
    assert!(written.contains("Proven optimal"), "the result follows the model:\n{written}");
}

#[test]
fn outputs_are_tried_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("hard.csv");
    fs::write(&table, hard_table(300, 30)).unwrap();
    let nowhere = folder.path().join("nowhere/x");
    let below_a_file = table.join("x");
    for (option, path) in [
        ("--model", &nowhere),
        ("--trace", &nowhere),
        ("--resume", &nowhere),
        ("--proof", &below_a_file),
        ("--model", &folder.path().to_path_buf()),
    ] {
        // Without a limit, this table would keep the test waiting for ever.
        let result = run(&["learn", text(&table), "--quiet", option, text(path)]);
        assert_eq!(result.code, 5, "{option}: {}", result.stderr);
        assert!(result.stderr.contains("cannot write"), "{}", result.stderr);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "trying leaves nothing behind");
}

#[test]
fn a_result_that_cannot_be_written_is_printed_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (table, deeper) = (folder.path().join("hard.csv"), folder.path().join("deeper"));
    fs::write(&table, hard_table(200, 30)).unwrap();
    fs::create_dir(&deeper).unwrap();
    let model = deeper.join("model.json");
    let args = ["learn", text(&table), "--format", "json", "--model", text(&model)];
    let child = command(&[&args[..], &["--quiet", "--time-limit", "4"]].concat()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(1));
    fs::remove_dir(&deeper).unwrap();
    let result = finish(child);
    assert_eq!(result.code, 5, "{}", result.stderr);
    assert!(result.stderr.contains("cannot write"), "{}", result.stderr);
    assert_eq!(result.json()["status"], "feasible", "{}", result.stdout);
}

#[test]
fn errors_are_json_where_results_are() {
    let error = |args: &[&str], code: i32, kind: &str, words: &str| {
        let result = run_with_input(args, b"a,class\n1,x\n\"2,y\n");
        assert_eq!(result.code, code, "{}", result.stderr);
        assert_eq!(result.json()["format"], "minrule-error");
        let error = &result.json()["error"];
        assert_eq!(
            (error["kind"].as_str(), error["exit_code"].as_i64()),
            (Some(kind), Some(code.into()))
        );
        assert!(error["message"].as_str().unwrap().contains(words), "{error}");
        assert!(result.stderr.contains(words), "people are told too: {}", result.stderr);
    };
    error(&["learn", "-", "--format", "json"], 4, "table", "a quote opens here and is never closed");
    error(&["learn", "no such file", "--format", "json"], 3, "read", "cannot read no such file");
    error(&["learn", "-", "--format=json", "--intervals", "1"], 2, "option", "--intervals");
    let nowhere = ["--model", "no folder/x"];
    error(&[&["learn", LOANS, "--format", "json"], &nowhere[..]].concat(), 5, "write", "cannot write");
    error(&["evaluate", "no model", "-", "--format", "json"], 3, "read", "cannot read no model");
}
