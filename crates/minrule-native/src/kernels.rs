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
    fn the_row_with_the_fewest_common_bits_is_found() {
        let rows = [0b111, 0b101, 0b010, 0b001];
        assert_eq!(fewest_common(&rows, &[0b101], &[0b1111], 4), 2);
        assert_eq!(fewest_common(&rows, &[0b101], &[0b1011], 4), 3);
        assert_eq!(fewest_common(&rows, &[0b101], &[0b1011], 2), 0);
        assert_eq!(fewest_common(&rows, &[0b101], &[0], 2), usize::MAX);
    }
}
