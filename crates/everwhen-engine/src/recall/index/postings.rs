//! Where one term occurs: entry numbers with counts, packed into a few bytes each.
//!
//! Entries come in rising order, so the distance to the one before is stored, with a bit that says
//! whether a count above one follows. Most occurrences take one or two bytes.

/// The occurrences of one term.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    bytes: Vec<u8>,
    /// The newest entry plus one; zero if there is none.
    next: u32,
}

impl Postings {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Notes that `entry` contains the term `count` times; answers by how many bytes it grew.
    /// Entries come in rising order.
    pub(crate) fn add(&mut self, entry: u32, count: u32) -> usize {
        let distance = if self.next == 0 { entry } else { entry + 1 - self.next };
        self.next = entry + 1;
        let before = self.bytes.capacity();
        self.make_room();
        put(&mut self.bytes, u64::from(distance) << 1 | u64::from(count > 1));
        if count > 1 {
            put(&mut self.bytes, u64::from(count));
        }
        self.bytes.capacity() - before
    }

    /// Grows by a quarter, not by half: there are many lists, and most of them stay as they are.
    fn make_room(&mut self) {
        let len = self.bytes.len();
        if self.bytes.capacity() < len + MOST_BYTES {
            self.bytes.reserve_exact((len / 4).max(MOST_BYTES));
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
}

impl Postings {
    /// Those from entry `first` up to, but without, `end`.
    pub(crate) fn iter_from(&self, first: u32, end: u32) -> impl Iterator<Item = (u32, u32)> {
        // Most terms are rare and do not occur in the newest entries at all.
        let reaches = self.next > first;
        let all = reaches.then(|| self.iter()).into_iter().flatten();
        all.skip_while(move |(entry, _)| *entry < first).take_while(move |(entry, _)| *entry < end)
    }
}

/// Most bytes that one occurrence takes.
const MOST_BYTES: usize = 10;

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
