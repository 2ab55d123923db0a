//! The corpus, every input that once went wrong, and mutations of all of them in a fixed order.

use std::path::{Path, PathBuf};
use std::time::Instant;

use minrule_fuzz::{TARGETS, mutate};

/// Mutations for each target.
const MUTATIONS: usize = 1_500;

/// The files of a folder, in an order of their own.
fn inputs(folder: &str, target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder).join(target);
    let Ok(entries) = std::fs::read_dir(&folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read(path).expect("a file"))).collect()
}

/// Keeps an input that goes wrong, so that it can be looked at and kept.
struct Kept<'i> {
    target: &'static str,
    input: &'i [u8],
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let path = std::env::temp_dir().join(format!("minrule-fuzz-{}", self.target));
            let kept = std::fs::write(&path, self.input);
            eprintln!("the input is in {} ({kept:?})", path.display());
        }
    }
}

fn run(name: &'static str, target: fn(&[u8]), input: &[u8]) {
    let kept = Kept { target: name, input };
    target(input);
    drop(kept);
}

#[test]
fn inputs_and_their_mutations_do_no_harm() {
    for (name, target) in TARGETS {
        let mut known = inputs("corpus", name);
        assert!(!known.is_empty(), "{name} has a corpus");
        known.extend(inputs("regressions", name));
        let start = Instant::now();
        for (path, input) in &known {
            eprintln!("{}", path.display());
            run(name, target, input);
        }
        let mut random = fastrand::Rng::with_seed(1);
        for number in 0..MUTATIONS {
            let mut lend = || known[random.usize(..known.len())].1.as_slice();
            let (input, other) = (lend(), lend());
            let meant = if random.bool() { mutate::json(input, &mut random) } else { None };
            let input = meant.unwrap_or_else(|| mutate::bytes(input, other, &mut random));
            eprintln!("{name}: mutation {number}");
            run(name, target, &input);
        }
        println!("{name}: {} inputs and {MUTATIONS} mutations in {:?}", known.len(), start.elapsed());
    }
}
