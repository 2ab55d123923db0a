//! What Arrow files say of themselves: tables of fields by number, in the layout of FlatBuffers, bytes that may be anything.

/// A table somewhere in a piece of memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'b> {
    bytes: &'b [u8],
    at: usize,
}

/// Some bytes from here on, if there are as many.
fn take<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

impl<'b> Record<'b> {
    /// The table that a piece of memory is about.
    pub(super) fn root(bytes: &'b [u8]) -> Option<Record<'b>> {
        Record { bytes, at: 0 }.pointed(0)
    }

    /// The table that the number at this place points to.
    fn pointed(self, at: usize) -> Option<Record<'b>> {
        Some(Record { at: self.target(at)?, ..self })
    }

    fn target(self, at: usize) -> Option<usize> {
        at.checked_add(u32::from_le_bytes(take(self.bytes, at)?) as usize)
    }

    /// Where a field is, if there is one.
    fn field(self, number: usize) -> Option<usize> {
        let back = i32::from_le_bytes(take(self.bytes, self.at)?);
        let list = usize::try_from(i64::try_from(self.at).ok()? - i64::from(back)).ok()?;
        let length = usize::from(u16::from_le_bytes(take(self.bytes, list)?));
        let slot = 4 + 2 * number;
        if slot + 2 > length {
            return None;
        }
        let offset = u16::from_le_bytes(take(self.bytes, list.checked_add(slot)?)?);
        (offset != 0).then(|| self.at + usize::from(offset))
    }

    pub(super) fn byte(self, number: usize) -> Option<u8> {
        self.field(number).and_then(|at| self.bytes.get(at)).copied()
    }

    pub(super) fn short(self, number: usize) -> Option<i16> {
        Some(i16::from_le_bytes(take(self.bytes, self.field(number)?)?))
    }

    pub(super) fn int(self, number: usize) -> Option<i32> {
        Some(i32::from_le_bytes(take(self.bytes, self.field(number)?)?))
    }

    pub(super) fn long(self, number: usize) -> Option<i64> {
        Some(i64::from_le_bytes(take(self.bytes, self.field(number)?)?))
    }

    pub(super) fn record(self, number: usize) -> Option<Record<'b>> {
        self.pointed(self.field(number)?)
    }

    pub(super) fn text(self, number: usize) -> Option<&'b str> {
        let (start, length) = self.list(number)?;
        std::str::from_utf8(self.bytes.get(start..start.checked_add(length)?)?).ok()
    }

    /// Where a list begins, and its length.
    fn list(self, number: usize) -> Option<(usize, usize)> {
        let at = self.target(self.field(number)?)?;
        Some((at.checked_add(4)?, u32::from_le_bytes(take(self.bytes, at)?) as usize))
    }

    /// A list of tables; empty if there is none, nothing if it is longer than the memory.
    pub(super) fn records(self, number: usize) -> Option<Vec<Record<'b>>> {
        let Some((start, length)) = self.list(number) else { return Some(Vec::new()) };
        if length > self.bytes.len() {
            return None;
        }
        (0..length).map(|i| self.pointed(start.checked_add(4 * i)?)).collect()
    }

    /// A list of so many numbers each; empty if there is none, nothing if it is longer than the memory.
    pub(super) fn longs<const N: usize>(self, number: usize) -> Option<Vec<[i64; N]>> {
        let Some((start, length)) = self.list(number) else { return Some(Vec::new()) };
        let bytes = self.bytes.get(start..start.checked_add(length.checked_mul(8 * N)?)?)?;
        let long = |bytes: &[u8]| i64::from_le_bytes(*bytes.first_chunk().expect("eight of them"));
        let each = |item: &[u8]| std::array::from_fn(|i| long(&item[8 * i..]));
        Some(bytes.chunks_exact(8 * N).map(each).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table with a byte, a text and a list of pairs, and no second field.
    const TABLE: [u8; 62] = [
        16, 0, 0, 0, // The table.
        12, 0, 16, 0, 4, 0, 0, 0, 8, 0, 12, 0, // The fields' places.
        12, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0, 10, 0, 0, 0, // Where that stands, and the fields.
        2, 0, 0, 0, b'h', b'i', // The text.
        1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, // A pair.
        0, 0, 0, 0,
    ];

    #[test]
    fn fields_are_found_or_not_there() {
        let table = Record::root(&TABLE).unwrap();
        assert_eq!(
            (table.byte(0), table.byte(1), table.int(1), table.long(9)),
            (Some(7), None, None, None)
        );
        assert_eq!(table.text(2), Some("hi"));
        assert_eq!(table.longs::<2>(3), Some(vec![[1, 2]]));
        assert_eq!(table.longs::<2>(1), Some(vec![]));
    }

    #[test]
    fn nothing_is_read_beyond_the_end() {
        for length in 0..TABLE.len() {
            for (place, value) in (0..length).flat_map(|place| [0, 1, 127, 255].map(|v| (place, v))) {
                let mut bytes = TABLE[..length].to_vec();
                bytes[place] = value;
                let Some(table) = Record::root(&bytes) else { continue };
                for number in 0..5 {
                    let _ = (table.byte(number), table.short(number), table.long(number));
                    let _ = (table.text(number), table.records(number), table.longs::<2>(number));
                    let _ = table.record(number).and_then(|inner| inner.int(0));
                }
            }
        }
    }
}
