//! Innermost loops, compiled for several instruction sets.
#![allow(unsafe_code, reason = "the instructions are chosen at run time")]

use multiversion::multiversion;

/// Sums that are computed in registers at a time; the length of a row is a multiple of it.
pub const LANES: usize = 32;

/// The sums, place by place, of the rows chosen. Rows stand one after another and are as long as `sums`.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub fn add_rows(sums: &mut [i32], rows: &[i32], chosen: &[u32]) {
    let stride = sums.len();
    for (block, sums) in sums.chunks_exact_mut(LANES).enumerate() {
        let mut sum = [0i32; LANES];
        for &row in chosen {
            let row = &rows[row as usize * stride + block * LANES..][..LANES];
            for (sum, value) in sum.iter_mut().zip(row) {
                *sum += value;
            }
        }
        sums.copy_from_slice(&sum);
    }
}

/// The same, taken off older sums.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub fn subtract_rows(sums: &mut [i32], older: &[i32], rows: &[i32], chosen: &[u32]) {
    let stride = sums.len();
    for (block, sums) in sums.chunks_exact_mut(LANES).enumerate() {
        let mut sum: [i32; LANES] = older[block * LANES..][..LANES].try_into().expect("a block");
        for &row in chosen {
            let row = &rows[row as usize * stride + block * LANES..][..LANES];
            for (sum, value) in sum.iter_mut().zip(row) {
                *sum -= value;
            }
        }
        sums.copy_from_slice(&sum);
    }
}

/// Numbers that are computed side by side; lists of them are as long as a multiple of it.
pub const WIDTH: usize = 8;

/// Takes so many times the values of another list off these, and returns the sum of their squares.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub fn subtract_multiple(values: &mut [f64], times: f64, other: &[f64]) -> f64 {
    let mut squares = [0.0; WIDTH];
    let (values, other) = (values.as_chunks_mut::<WIDTH>().0, other.as_chunks::<WIDTH>().0);
    for (values, other) in values.iter_mut().zip(other) {
        for lane in 0..WIDTH {
            values[lane] -= times * other[lane];
            squares[lane] += values[lane] * values[lane];
        }
    }
    squares.iter().sum()
}

/// The sum of the products of two lists, place by place.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub fn product(values: &[f64], other: &[f64]) -> f64 {
    let mut sums = [0.0; WIDTH];
    let (values, other) = (values.as_chunks::<WIDTH>().0, other.as_chunks::<WIDTH>().0);
    for (values, other) in values.iter().zip(other) {
        for lane in 0..WIDTH {
            sums[lane] += values[lane] * other[lane];
        }
    }
    sums.iter().sum()
}

/// The sum of some of the values.
#[inline]
pub fn sum_of(values: &[f64], chosen: &[u16]) -> f64 {
    // Four sums side by side: each addition would wait for the one before.
    let (fours, rest) = chosen.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        for lane in 0..4 {
            sums[lane] += values[four[lane] as usize];
        }
    }
    let rest: f64 = rest.iter().map(|&at| values[at as usize]).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Of the first so many members of `set`, the one whose row has the fewest bits in common with `mask`, or
/// `usize::MAX` if there is no member. Rows of bits stand one after another, as long as `mask`.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub fn fewest_common(rows: &[u64], mask: &[u64], set: &[u64], sample: usize) -> usize {
    let mut best = (u32::MAX, usize::MAX);
    let mut looked_at = 0;
    for (place, &word) in set.iter().enumerate() {
        let mut rest = word;
        while rest != 0 && looked_at < sample && best.0 > 0 {
            let member = 64 * place + rest.trailing_zeros() as usize;
            rest &= rest - 1;
            looked_at += 1;
            let row = &rows[member * mask.len()..][..mask.len()];
            let common = row.iter().zip(mask).map(|(a, b)| (a & b).count_ones()).sum();
            if common < best.0 {
                best = (common, member);
            }
        }
    }
    best.1
}

/// For each bit, the sum of the weights of the rows that have it. Rows of bits stand one after another; there
/// is a sum for each of their bits.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub fn weigh_bits(sums: &mut [i32], rows: &[u64], weights: &[i32]) {
    let words = sums.len() / 64;
    for (place, sums) in sums.as_chunks_mut::<64>().0.iter_mut().enumerate() {
        let mut low = [0i32; 32];
        let mut high = [0i32; 32];
        for (row, &weight) in rows.chunks_exact(words).zip(weights) {
            let word = row[place];
            let halves = [word as u32, (word >> 32) as u32];
            // All ones where the bit is set, and then the weight.
            for (bit, sum) in low.iter_mut().enumerate() {
                *sum += weight & ((halves[0] << (31 - bit)) as i32 >> 31);
            }
            for (bit, sum) in high.iter_mut().enumerate() {
                *sum += weight & ((halves[1] << (31 - bit)) as i32 >> 31);
            }
        }
        sums[..32].copy_from_slice(&low);
        sums[32..].copy_from_slice(&high);
    }
}

/// For each row, the least of the values that its bits choose: of bit `i`, `set[i]` or `clear[i]`.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub fn least_values(least: &mut Vec<i32>, rows: &[u64], set: &[i32], clear: &[i32]) {
    let words = set.len() / 64;
    least.clear();
    let (set, clear) = (set.as_chunks::<32>().0, clear.as_chunks::<32>().0);
    for row in rows.chunks_exact(words) {
        let mut lanes = [i32::MAX; 32];
        for (place, &word) in row.iter().enumerate() {
            for (half, bits) in [word as u32, (word >> 32) as u32].into_iter().enumerate() {
                let (set, clear) = (&set[2 * place + half], &clear[2 * place + half]);
                for lane in 0..32 {
                    let on = (bits << (31 - lane)) as i32 >> 31;
                    let value = (set[lane] & on) | (clear[lane] & !on);
                    lanes[lane] = lanes[lane].min(value);
                }
            }
        }
        least.push(lanes.into_iter().min().unwrap_or(i32::MAX));
    }
}

/// The sums of two lists of values over the rows, of so many words each, whose bit at a place is this.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub fn sums_of_those(
    rows: &[u64],
    words: usize,
    (place, set): (usize, bool),
    (values, others): (&[i64], &[i64]),
) -> (i64, i64) {
    let (bit, other) = (place % 64, i64::from(set) - 1);
    let mut sums = (0, 0);
    let mut add = |row: u64, value: i64, too: i64| {
        // All ones, if the bit is the one asked for.
        let mask = (row << (63 - bit)) as i64 >> 63 ^ other;
        sums.0 += value & mask;
        sums.1 += too & mask;
    };
    let lists = values.iter().zip(others);
    match words {
        1 => rows.iter().zip(lists).for_each(|(&row, (&value, &too))| add(row, value, too)),
        _ => {
            let rows = rows[place / 64..].iter().step_by(words);
            rows.zip(lists).for_each(|(&row, (&value, &too))| add(row, value, too));
        }
    }
    sums
}

/// Lowers two lists of values to so many times the weights, for the rows whose bit at a place is not this.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt+lzcnt"))]
pub fn lower_others(
    rows: &[u64],
    words: usize,
    (place, set): (usize, bool),
    (values, others): (&mut [i64], &mut [i64]),
    weights: &[i32],
    (times, times_too): (i32, i32),
) {
    let (bit, other) = (place % 64, i64::from(set) - 1);
    let lower = |row: u64, value: &mut i64, too: &mut i64, weight: i32| {
        let mask = (row << (63 - bit)) as i64 >> 63 ^ other;
        // The largest number there is, if the row keeps its values.
        let keep = mask & i64::MAX;
        *value = (*value).min((i64::from(weight) * i64::from(times)) | keep);
        *too = (*too).min((i64::from(weight) * i64::from(times_too)) | keep);
    };
    let lists = values.iter_mut().zip(others).zip(weights);
    match words {
        1 => {
            rows.iter().zip(lists).for_each(|(&row, ((value, too), &w))| lower(row, value, too, w));
        }
        _ => {
            let rows = rows[place / 64..].iter().step_by(words);
            rows.zip(lists).for_each(|(&row, ((value, too), &w))| lower(row, value, too, w));
        }
    }
}

/// The bits of a row that a mask has, moved together into as many words as they take, after `packed`.
#[inline]
pub fn pack_bits(packed: &mut Vec<u64>, row: &[u64], mask: &[u64], words: usize) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor has the instruction.
        return unsafe { pack_by_instruction(packed, row, mask, words) };
    }
    pack_by(packed, row, mask, words, |bits, mask| {
        let (mut out, mut rest, mut place) = (0, mask, 0);
        while rest != 0 {
            out |= (bits >> rest.trailing_zeros() & 1) << place;
            rest &= rest - 1;
            place += 1;
        }
        out
    });
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2,popcnt")]
fn pack_by_instruction(packed: &mut Vec<u64>, row: &[u64], mask: &[u64], words: usize) {
    pack_by(packed, row, mask, words, |bits, mask| std::arch::x86_64::_pext_u64(bits, mask));
}

#[inline(always)]
fn pack_by(
    packed: &mut Vec<u64>,
    row: &[u64],
    mask: &[u64],
    words: usize,
    extract: impl Fn(u64, u64) -> u64,
) {
    let end = packed.len();
    let (mut word, mut filled) = (0u64, 0);
    for (&bits, &mask) in row.iter().zip(mask) {
        let (more, n) = (extract(bits, mask), mask.count_ones());
        word |= more << filled;
        if filled + n >= 64 {
            packed.push(word);
            // What did not fit, if anything.
            word = if filled == 0 { 0 } else { more >> (64 - filled) };
            filled = filled + n - 64;
        } else {
            filled += n;
        }
    }
    packed.push(word);
    packed.resize(end + words, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_added_and_taken_off() {
        let rows: Vec<i32> = (0..3 * LANES as i32).collect();
        let mut sums = vec![7; LANES];
        add_rows(&mut sums, &rows, &[0, 2]);
        assert_eq!((sums[0], sums[31]), (64, 31 + 95));
        let mut fewer = vec![0; LANES];
        subtract_rows(&mut fewer, &sums, &rows, &[2]);
        assert_eq!((fewer[0], fewer[31]), (0, 31));
    }

    #[test]
    fn lists_are_multiplied_and_taken_off() {
        let values: Vec<f64> = (0..2 * WIDTH).map(|i| i as f64).collect();
        let mut rest = vec![1.0; 2 * WIDTH];
        assert_eq!(product(&values, &rest), 120.0);
        let squares = subtract_multiple(&mut rest, 2.0, &values);
        assert_eq!((rest[0], rest[15]), (1.0, -29.0));
        assert_eq!(squares, rest.iter().map(|value| value * value).sum::<f64>());
    }

    #[test]
    fn the_row_with_the_fewest_common_bits_is_found() {
        let rows = [0b111, 0b101, 0b010, 0b001];
        assert_eq!(fewest_common(&rows, &[0b101], &[0b1111], 4), 2);
        assert_eq!(fewest_common(&rows, &[0b101], &[0b1011], 4), 3);
        assert_eq!(fewest_common(&rows, &[0b101], &[0b1011], 2), 0);
        assert_eq!(fewest_common(&rows, &[0b101], &[0], 2), usize::MAX);
    }

    #[test]
    fn rows_of_bits_are_weighed() {
        let rows = [0b101, 1 << 63, 0b001, 1 << 40];
        let mut sums = vec![9; 128];
        weigh_bits(&mut sums, &rows, &[3, -4]);
        assert_eq!((sums[0], sums[1], sums[2], sums[127], sums[104], sums[63]), (-1, 0, 3, 3, -4, 0));
        weigh_bits(&mut sums, &[], &[]);
        assert!(sums.iter().all(|&sum| sum == 0));
    }

    #[test]
    fn the_least_value_that_bits_choose_is_found() {
        let rows = [0b01, 0b10, 0b11];
        let mut set = vec![i32::MAX; 64];
        let mut clear = set.clone();
        (set[0], set[1], clear[0], clear[63]) = (5, 7, 3, 100);
        let mut least = Vec::new();
        least_values(&mut least, &rows, &set, &clear);
        assert_eq!(least, [5, 3, 5]);
    }

    #[test]
    fn bits_are_packed() {
        let rows = [[u64::MAX, 0b1010], [1 << 63 | 1, u64::MAX], [0, 0]];
        for mask in [[1 << 63 | 1, 0b110], [u64::MAX, 0b111], [u64::MAX, u64::MAX], [0, 0b1010]] {
            let wanted: Vec<usize> = (0..128).filter(|i| mask[i / 64] >> (i % 64) & 1 == 1).collect();
            let words = wanted.len().div_ceil(64);
            for row in rows {
                let mut packed = vec![7];
                pack_bits(&mut packed, &row, &mask, words);
                assert_eq!((packed[0], packed.len()), (7, 1 + words));
                for (new, &old) in wanted.iter().enumerate() {
                    let bit = packed[1 + new / 64] >> (new % 64) & 1;
                    assert_eq!(bit, row[old / 64] >> (old % 64) & 1, "{mask:?} {row:?} {old}");
                }
            }
        }
    }

    #[test]
    fn values_of_some_rows_are_added_and_of_others_lowered() {
        let rows = [0b01, 0b10, 0b11];
        let (mut values, mut others) = (vec![50, 60, 70], vec![1, 2, 3]);
        assert_eq!(sums_of_those(&rows, 1, (0, true), (&values, &others)), (120, 4));
        assert_eq!(sums_of_those(&rows, 1, (0, false), (&values, &others)), (60, 2));
        let both = (&mut values[..], &mut others[..]);
        lower_others(&rows, 1, (1, false), both, &[1, 5, 6], (11, 0));
        assert_eq!((values, others), (vec![50, 55, 66], vec![1, 0, 0]));
        let rows = [0, 1, 0, 0];
        assert_eq!(sums_of_those(&rows, 2, (64, true), (&[8, 9], &[0, 1])), (8, 0));
    }
}
