//! One program for all targets: libFuzzer calls the one that `MINRULE_FUZZ_TARGET` names.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use minrule_fuzz::{TARGETS, Target, mutate};

fn target() -> (&'static str, Target) {
    static CHOSEN: OnceLock<(&str, Target)> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        let name = std::env::var("MINRULE_FUZZ_TARGET").expect("MINRULE_FUZZ_TARGET names a target");
        let named = TARGETS.into_iter().find(|(known, _)| *known == name);
        named.unwrap_or_else(|| panic!("there is no target {name}"))
    })
}

fuzz_target!(|bytes: &[u8]| target().1(bytes));

// A change of bytes seldom leaves a model whole, so half of the changes are changes of values.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut random = fastrand::Rng::with_seed(u64::from(seed));
    let meant = if random.bool() { mutate::json(&data[..size], &mut random) } else { None };
    match meant {
        Some(made) if made.len() <= max_size => {
            data[..made.len()].copy_from_slice(&made);
            made.len()
        }
        _ => fuzzer_mutate(data, size, max_size),
    }
});
