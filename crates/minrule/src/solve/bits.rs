//! Sets of small numbers as words of 64 bits, and many such sets side by side in one block of
//! memory. The searches spend their time here: plain slices, no bounds kept, nothing allocated.

/// Sets over the same numbers, one a row.
#[derive(Debug, Clone, Default)]
pub(crate) struct BitMatrix {
    /// Words a row.
    words: usize,
    bits: Vec<u64>,
}

impl BitMatrix {
    /// So many empty sets of numbers below `columns`.
    pub(crate) fn new(rows: usize, columns: usize) -> BitMatrix {
        let words = words(columns);
        BitMatrix { words, bits: vec![0; rows * words] }
    }

    pub(crate) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..][..self.words]
    }

    /// All rows, one after another.
    pub(crate) fn rows(&self) -> &[u64] {
        &self.bits
    }

    pub(crate) fn insert(&mut self, row: usize, column: usize) {
        self.bits[row * self.words + column / 64] |= 1 << (column % 64);
    }
}

/// Words for a set of numbers below `n`.
pub(crate) fn words(n: usize) -> usize {
    n.div_ceil(64)
}

/// All numbers below `n`.
pub(crate) fn full(n: usize) -> Vec<u64> {
    let mut set = vec![u64::MAX; words(n)];
    if let Some(last) = set.last_mut()
        && !n.is_multiple_of(64)
    {
        *last = (1 << (n % 64)) - 1;
    }
    set
}

/// The members, in order.
pub(crate) fn ones(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(i, &word)| ones_of_word(i, word))
}

/// The members of both, in order.
pub(crate) fn ones_of_both<'s>(a: &'s [u64], b: &'s [u64]) -> impl Iterator<Item = usize> + 's {
    a.iter().zip(b).enumerate().flat_map(|(i, (&a, &b))| ones_of_word(i, a & b))
}

/// The members of the first that are not in the second, in order.
pub(crate) fn ones_without<'s>(a: &'s [u64], b: &'s [u64]) -> impl Iterator<Item = usize> + 's {
    a.iter().zip(b).enumerate().flat_map(|(i, (&a, &b))| ones_of_word(i, a & !b))
}

/// The members that one word, at this place of a set, stands for.
pub(crate) fn ones_of_word(i: usize, mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        (word != 0).then(|| {
            word &= word - 1;
            64 * i + bit
        })
    })
}

pub(crate) fn contains(set: &[u64], member: usize) -> bool {
    set[member / 64] >> (member % 64) & 1 == 1
}

pub(crate) fn remove(set: &mut [u64], member: usize) {
    set[member / 64] &= !(1 << (member % 64));
}

/// Removes all members below this one.
pub(crate) fn clear_below(set: &mut [u64], member: usize) {
    set[..member / 64].fill(0);
    set[member / 64] &= !0 << (member % 64);
}

pub(crate) fn count(set: &[u64]) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

pub(crate) fn is_clear(set: &[u64]) -> bool {
    set.iter().all(|&word| word == 0)
}

pub(crate) fn is_disjoint(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a & b == 0)
}

pub(crate) fn is_subset(a: &[u64], of: &[u64]) -> bool {
    a.iter().zip(of).all(|(a, b)| a & !b == 0)
}

/// The members of both into a third set; whether there are any.
pub(crate) fn intersect_into(into: &mut Vec<u64>, a: &[u64], b: &[u64]) -> bool {
    into.clear();
    into.extend(a.iter().zip(b).map(|(a, b)| a & b));
    !is_clear(into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_put_in() {
        let mut matrix = BitMatrix::new(2, 130);
        for member in [0, 63, 64, 129] {
            matrix.insert(1, member);
        }
        assert!(is_clear(matrix.row(0)));
        assert_eq!(ones(matrix.row(1)).collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert_eq!(ones(&full(3)).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(count(&full(128)), 128);
        assert_eq!(count(&full(0)), 0);
        let mut both = Vec::new();
        assert!(intersect_into(&mut both, matrix.row(1), &full(64)));
        assert_eq!(ones(&both).collect::<Vec<_>>(), [0, 63]);
        assert_eq!(ones_of_both(matrix.row(1), &full(64)).collect::<Vec<_>>(), [0, 63]);
        assert!(contains(&both, 63) && !contains(&both, 1));
        assert_eq!(ones_without(&full(64), &both).count(), 62);
        assert!(is_subset(&both, matrix.row(1)) && !is_disjoint(&both, matrix.row(1)));
        remove(&mut both, 63);
        assert_eq!(ones(&both).collect::<Vec<_>>(), [0]);
    }
}
