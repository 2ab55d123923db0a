//! Random tables, and the least cost of describing them by brute force.
//!
//! The judge shares nothing with the solvers: it works on the raw rows, tries every term there is
//! (each feature true, false or not tested) and finds the cheapest cover by dynamic programming
//! over sets of examples.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use minrule::{Choice, Cost, Objective};

/// A random table of raw rows: feature bits and class.
pub struct Raw {
    pub features: u32,
    pub rows: Vec<(u32, u32)>,
}

impl Raw {
    /// The table of a seed, with so many features and rows at most.
    pub fn random(seed: u64, (most_features, most_rows): (u32, usize)) -> Raw {
        let mut random = fastrand::Rng::with_seed(seed);
        let features = random.u32(1..=most_features);
        let classes = random.u32(2..=3);
        let rows = random.usize(2..=most_rows);
        // Few distinct vectors make duplicates and conflicts; a hidden rule makes structure.
        let hidden = (random.u32(0..1 << features), random.u32(0..1 << features));
        let structured = random.bool();
        let rows = (0..rows)
            .map(|_| {
                let bits = random.u32(0..1 << features);
                let ruled = u32::from(bits & hidden.0 == hidden.1 & hidden.0);
                let class =
                    if structured && random.u8(0..5) > 0 { ruled } else { random.u32(0..classes) };
                (bits, class)
            })
            .collect();
        Raw { features, rows }
    }

    /// The table as text, if it is one to learn from: two classes and a feature that varies.
    pub fn csv(&self) -> Option<String> {
        let varies = |i: u32| self.rows.iter().any(|r| r.0 >> i & 1 != self.rows[0].0 >> i & 1);
        let classes = self.rows.iter().any(|r| r.1 != self.rows[0].1);
        if !classes || !(0..self.features).any(varies) {
            return None;
        }
        let mut text: String = (0..self.features).fold(String::new(), |mut text, i| {
            write!(text, "f{i},").unwrap();
            text
        });
        text.push_str("class\n");
        for (bits, class) in &self.rows {
            for i in 0..self.features {
                write!(text, "{},", bits >> i & 1).unwrap();
            }
            writeln!(text, "c{class}").unwrap();
        }
        Some(text)
    }

    /// Majority vote by hand: a tie goes to the class that appears first.
    pub fn settled(&self) -> BTreeMap<u32, u32> {
        let mut order: Vec<u32> = Vec::new();
        for (_, class) in &self.rows {
            if !order.contains(class) {
                order.push(*class);
            }
        }
        let mut settled = BTreeMap::new();
        for (bits, _) in &self.rows {
            let votes = |class: u32| self.rows.iter().filter(|r| **r == (*bits, class)).count();
            let most = order.iter().map(|&class| votes(class)).max().unwrap();
            settled.insert(*bits, *order.iter().find(|&&class| votes(class) == most).unwrap());
        }
        settled
    }

    /// The least cost of describing all classes.
    pub fn optimum(&self, objective: Objective) -> Cost {
        let settled = self.settled();
        let classes: std::collections::BTreeSet<u32> = self.rows.iter().map(|r| r.1).collect();
        classes.into_iter().map(|class| self.class_optimum(&settled, class, objective)).sum()
    }

    /// The least cost of describing a class if rules may be wrong: a unit of size costs `price`, a wrong row
    /// costs `row`.
    pub fn sparse_optimum(&self, class: u32, objective: Objective, price: (u64, u64)) -> u64 {
        let mut rows: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for (bits, of) in &self.rows {
            let (own, others) = rows.entry(*bits).or_default();
            *if *of == class { own } else { others } += 1;
        }
        let fires = |(tested, wanted): (u32, u32)| {
            let covered = rows.keys().enumerate().filter(|(_, bits)| *bits & tested == wanted);
            covered.fold(0u32, |set, (i, _)| set | 1 << i)
        };
        let rules = (0..3u32.pow(self.features)).map(|code| {
            let term = self.term(code);
            (fires(term), term.0.count_ones() as usize)
        });
        let (own, others): (Vec<u64>, Vec<u64>) = rows.values().copied().unzip();
        sparse_cover(rules, &own, &others, objective, price)
    }

    /// The features that a term tests, and those that it wants.
    fn term(&self, code: u32) -> (u32, u32) {
        let (mut tested, mut wanted, mut rest) = (0u32, 0u32, code);
        for i in 0..self.features {
            tested |= u32::from(rest % 3 > 0) << i;
            wanted |= u32::from(rest % 3 == 2) << i;
            rest /= 3;
        }
        (tested, wanted)
    }

    pub fn class_optimum(&self, settled: &BTreeMap<u32, u32>, class: u32, objective: Objective) -> Cost {
        let of =
            |same: bool| settled.iter().filter(move |(_, c)| (**c == class) == same).map(|(b, _)| *b);
        let positives: Vec<u32> = of(true).collect();
        let negatives: Vec<u32> = of(false).collect();
        // Cheapest term for each set of positives that some consistent term covers.
        let mut cheapest: BTreeMap<u32, usize> = BTreeMap::new();
        for code in 0..3u32.pow(self.features) {
            let (tested, wanted) = self.term(code);
            let fires = |bits: &u32| bits & tested == wanted;
            if negatives.iter().any(fires) {
                continue;
            }
            let covered = positives.iter().enumerate().filter(|(_, bits)| fires(bits));
            let set = covered.fold(0u32, |set, (i, _)| set | 1 << i);
            let size = tested.count_ones() as usize;
            cheapest.entry(set).and_modify(|s| *s = size.min(*s)).or_insert(size);
        }
        // best[set]: least cost to cover at least these positives. Each step covers the lowest
        // positive that is still open.
        let full = (1u32 << positives.len()) - 1;
        let mut best: BTreeMap<u32, Cost> = BTreeMap::from([(0, Cost::default())]);
        let mut open = vec![0u32];
        while let Some(set) = open.pop() {
            if set == full {
                continue;
            }
            let lowest = (!set).trailing_zeros();
            for (&covers, &size) in cheapest.iter().filter(|(covers, _)| *covers >> lowest & 1 == 1) {
                let next = set | covers;
                let cost = best[&set] + cost_of_rule(objective, size);
                if best.get(&next).is_none_or(|known| cost < *known) {
                    best.insert(next, cost);
                    open.push(next);
                }
            }
        }
        best[&full]
    }
}

/// What a rule of so many literals costs, spelled out once more.
pub fn cost_of_rule(objective: Objective, literals: usize) -> Cost {
    let literals = literals as u64;
    match objective {
        Objective::Rules => Cost { first: 1, second: 0 },
        Objective::Literals => Cost { first: literals, second: 0 },
        Objective::Size => Cost { first: literals + 1, second: 0 },
        Objective::RulesThenLiterals => Cost { first: 1, second: literals },
    }
}

/// All that can be minimised.
pub const OBJECTIVES: &[Objective] = Objective::ALL;

/// Runs `check` on random tables, on every core, until so many of them were worth learning from.
pub fn for_random_tables(tables: u64, largest: (u32, usize), check: impl Fn(&Raw, &str) + Sync) {
    for_seeds(tables, |seed| {
        let raw = Raw::random(seed, largest);
        let text = raw.csv()?;
        check(&raw, &text);
        Some(())
    });
}

/// The least cost of rules, each a set of distinct rows and a number of conditions, of which some are chosen:
/// `own` and `others` are the rows of the class and of others that each distinct row stands for.
pub fn sparse_cover(
    rules: impl Iterator<Item = (u32, usize)>,
    own: &[u64],
    others: &[u64],
    objective: Objective,
    (price, row): (u64, u64),
) -> u64 {
    // Rows of the class get numbers of their own.
    let of_class: Vec<usize> = (0..own.len()).filter(|&i| own[i] > 0).collect();
    let covers = |set: u32| {
        let covered = of_class.iter().enumerate().filter(|(_, i)| set >> **i & 1 == 1);
        covered.fold(0usize, |covers, (number, _)| covers | 1 << number)
    };
    let mut cheapest: BTreeMap<usize, u64> = BTreeMap::new();
    for (set, size) in rules {
        let wrong: u64 = (0..others.len()).filter(|i| set >> i & 1 == 1).map(|i| others[i]).sum();
        let cost = price * cost_of_rule(objective, size).first + row * wrong;
        let known = cheapest.entry(covers(set)).or_insert(cost);
        *known = cost.min(*known);
    }
    let mut best = vec![u64::MAX; 1 << of_class.len()];
    best[0] = 0;
    let mut least = u64::MAX;
    for set in 0..best.len() {
        if best[set] == u64::MAX {
            continue;
        }
        let left_out = of_class.iter().enumerate().filter(|(number, _)| set >> number & 1 == 0);
        let left_out: u64 = left_out.map(|(_, &i)| own[i]).sum();
        least = least.min(best[set] + row * left_out);
        for (&covers, &cost) in &cheapest {
            best[set | covers] = best[set | covers].min(best[set] + cost);
        }
    }
    least
}

/// Runs `check` on seeds, on every core, until so many of them were worth it; what is not says so with
/// `None`.
pub fn for_seeds(wanted: u64, check: impl Fn(u64) -> Option<()> + Sync) {
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while done.load(Ordering::Relaxed) < wanted && failure.lock().unwrap().is_none() {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(seed))) {
                        Ok(worth_it) => {
                            done.fetch_add(u64::from(worth_it.is_some()), Ordering::Relaxed);
                        }
                        Err(_) => {
                            *failure.lock().unwrap() = Some(seed);
                            return;
                        }
                    }
                }
            });
        }
    });
    if let Some(seed) = failure.into_inner().unwrap() {
        panic!("random table {seed} failed");
    }
    assert!(done.load(Ordering::Relaxed) >= wanted);
}
