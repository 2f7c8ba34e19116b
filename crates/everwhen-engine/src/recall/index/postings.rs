//! Where one term occurs: entry numbers with counts, packed into a few bytes each.
//!
//! Entries come in rising order, so the distance to the one before is stored, with a bit that says
//! whether a count above one follows. Most occurrences take one or two bytes.

/// The occurrences of one term.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    bytes: Vec<u8>,
    last: u32,
    empty: bool,
}

impl Postings {
    pub(crate) fn new() -> Self {
        Self { bytes: Vec::new(), last: 0, empty: true }
    }

    /// Notes that `entry` contains the term `count` times. Entries come in rising order.
    pub(crate) fn add(&mut self, entry: u32, count: u32) {
        let distance = if self.empty { entry } else { entry - self.last };
        (self.last, self.empty) = (entry, false);
        put(&mut self.bytes, u64::from(distance) << 1 | u64::from(count > 1));
        if count > 1 {
            put(&mut self.bytes, u64::from(count));
        }
    }

    /// Entries and counts, in rising order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        let (mut place, mut entry) = (0, 0u32);
        std::iter::from_fn(move || {
            let head = take(&self.bytes, &mut place)?;
            entry += (head >> 1) as u32;
            let count = if head & 1 == 1 { take(&self.bytes, &mut place)? as u32 } else { 1 };
            Some((entry, count))
        })
    }

    /// Bytes held.
    pub(crate) fn size(&self) -> usize {
        self.bytes.capacity() + size_of::<Self>()
    }
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take(bytes: &[u8], place: &mut usize) -> Option<u64> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = *bytes.get(*place)?;
        *place += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_goes_in_comes_out(steps in proptest::collection::vec((1u32..100_000, 1u32..300), 0..50)) {
            let mut postings = Postings::new();
            let mut expected = Vec::new();
            let mut entry = 0;
            for (step, count) in steps {
                entry += step;
                postings.add(entry, count);
                expected.push((entry, count));
            }
            prop_assert_eq!(postings.iter().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn the_first_entry_may_be_number_zero() {
        let mut postings = Postings::new();
        postings.add(0, 2);
        postings.add(1, 1);
        assert_eq!(postings.iter().collect::<Vec<_>>(), [(0, 2), (1, 1)]);
    }
}
