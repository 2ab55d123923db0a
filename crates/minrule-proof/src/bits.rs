//! Sets of small numbers.

/// A set of numbers below a fixed one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    pub(crate) fn none(size: usize) -> Bits {
        Bits(vec![0; size.div_ceil(64)])
    }

    pub(crate) fn all(size: usize) -> Bits {
        let mut bits = Bits::none(size);
        (0..size).for_each(|i| bits.insert(i));
        bits
    }

    pub(crate) fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    pub(crate) fn remove(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }

    pub(crate) fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn is_subset(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    pub(crate) fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// How many are in both.
    pub(crate) fn count_common(&self, other: &Bits) -> usize {
        self.0.iter().zip(&other.0).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    pub(crate) fn intersect(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }

    pub(crate) fn subtract(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }

    pub(crate) fn and(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    pub(crate) fn without(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(place, &word)| members(place, word))
    }

    /// Those that are not in the other.
    pub(crate) fn iter_without(&self, other: &Bits) -> impl Iterator<Item = usize> {
        let words = self.0.iter().zip(&other.0).enumerate();
        words.flat_map(|(place, (&word, &without))| members(place, word & !without))
    }

    /// How many are not in the other.
    pub(crate) fn count_without(&self, other: &Bits) -> usize {
        self.0.iter().zip(&other.0).map(|(a, b)| (a & !b).count_ones() as usize).sum()
    }
}

/// The members in one word.
fn members(place: usize, word: u64) -> impl Iterator<Item = usize> {
    let rest = |word: &u64| Some(word & (word - 1)).filter(|word| *word != 0);
    let words = std::iter::successors(Some(word).filter(|word| *word != 0), rest);
    words.map(move |word| 64 * place + word.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_gives_back_its_members_in_order() {
        let mut bits = Bits::none(200);
        for i in [3, 64, 63, 199, 3] {
            bits.insert(i);
        }
        assert_eq!(bits.iter().collect::<Vec<_>>(), [3, 63, 64, 199]);
        bits.remove(64);
        assert_eq!(bits.count(), 3);
        assert!(!bits.contains(64) && bits.contains(199));
        assert!(bits.is_subset(&Bits::all(200)));
        assert!(Bits::none(200).is_empty());
        let mut others = Bits::all(200);
        others.remove(63);
        assert_eq!(bits.iter_without(&others).collect::<Vec<_>>(), [63]);
        assert_eq!(bits.count_without(&others), 1);
    }
}
