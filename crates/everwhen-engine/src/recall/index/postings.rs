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
    /// So many entries.
    len: u32,
    /// So many conversations, as far as those of different ones come one after the other.
    conversations: u32,
    /// The conversation of the newest entry.
    newest: u32,
    /// Now and then an entry, to begin behind it.
    marks: Vec<Mark>,
}

/// An entry on the way.
#[derive(Debug, Clone, Copy)]
struct Mark {
    entry: u32,
    /// The place behind it.
    place: u32,
    /// So many conversations up to it.
    conversations: u32,
}

/// So many entries lie between two marks.
const STRIDE: u32 = 16;

impl Postings {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Notes that `entry` contains the term `count` times; answers by how many bytes it grew.
    /// Entries come in rising order.
    pub(crate) fn add(&mut self, entry: u32, count: u32, conversation: u32) -> usize {
        let distance = if self.next == 0 { entry } else { entry + 1 - self.next };
        self.next = entry + 1;
        if self.len == 0 || self.newest != conversation {
            self.newest = conversation;
            self.conversations += 1;
        }
        self.len += 1;
        let before = self.size();
        self.make_room();
        put(&mut self.bytes, u64::from(distance) << 1 | u64::from(count > 1));
        if count > 1 {
            put(&mut self.bytes, u64::from(count));
        }
        if self.len.is_multiple_of(STRIDE) {
            let (place, conversations) = (self.bytes.len() as u32, self.conversations);
            self.marks.push(Mark { entry, place, conversations });
        }
        self.size() - before
    }

    fn size(&self) -> usize {
        self.bytes.capacity() + size_of::<Mark>() * self.marks.capacity()
    }

    /// Grows by a quarter, not by half: there are many lists, and most of them stay as they are.
    fn make_room(&mut self) {
        let len = self.bytes.len();
        if self.bytes.capacity() < len + MOST_BYTES {
            self.bytes.reserve_exact((len / 4).max(MOST_BYTES));
        }
    }

    /// How many entries contain the term.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// How many conversations do; some are counted twice if entries of several come in turns.
    pub(crate) fn conversations(&self) -> u32 {
        self.conversations
    }

    /// How many entries below a number contain the term, and how many conversations.
    pub(crate) fn below(&self, end: u32, conversation: impl Fn(u32) -> u32) -> (u32, u32) {
        if self.next <= end {
            return (self.len, self.conversations);
        }
        let passed = self.marks.partition_point(|mark| mark.entry < end);
        let mark = passed.checked_sub(1).map(|last| self.marks[last]);
        let (mut conversations, mut last) = (0, None);
        let mut occurrences = self.iter();
        if let Some(mark) = mark {
            (conversations, last) = (mark.conversations, Some(conversation(mark.entry)));
            occurrences = self.behind(mark);
        }
        let mut entries = passed as u32 * STRIDE;
        for (entry, _) in occurrences.take_while(|(entry, _)| *entry < end) {
            let own = Some(conversation(entry));
            conversations += u32::from(std::mem::replace(&mut last, own) != own);
            entries += 1;
        }
        (entries, conversations)
    }

    fn behind(&self, mark: Mark) -> Occurrences<'_> {
        Occurrences { rest: &self.bytes[mark.place as usize..], entry: mark.entry }
    }

    /// Looks for it in some entries.
    pub(crate) fn lookup(&self) -> Lookup<'_> {
        Lookup { postings: self, occurrences: self.iter(), found: None, done: None, mark: 0 }
    }

    /// Entries and counts, in rising order.
    pub(crate) fn iter(&self) -> Occurrences<'_> {
        Occurrences { rest: &self.bytes, entry: 0 }
    }
}

/// What is left to read of the occurrences of a term.
#[derive(Debug, Clone)]
pub(crate) struct Occurrences<'p> {
    rest: &'p [u8],
    entry: u32,
}

impl Iterator for Occurrences<'_> {
    type Item = (u32, u32);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let head = take(&mut self.rest)?;
        self.entry += (head >> 1) as u32;
        let count = if head & 1 == 1 { take(&mut self.rest)? as u32 } else { 1 };
        Some((self.entry, count))
    }
}

impl Occurrences<'_> {
    /// Reads as many as fit; answers how many those were. Faster than one by one.
    pub(crate) fn read(&mut self, entries: &mut [u32], counts: &mut [u32]) -> usize {
        let mut own = self.clone();
        let mut read = 0;
        for (entry, count) in entries.iter_mut().zip(counts) {
            let Some(next) = own.next() else { break };
            (*entry, *count) = next;
            read += 1;
        }
        *self = own;
        read
    }
}

/// Looks for a term in some entries at a time; those that come behind others take the least time.
pub(crate) struct Lookup<'p> {
    postings: &'p Postings,
    occurrences: Occurrences<'p>,
    /// What was read last.
    found: Option<(u32, u32)>,
    /// Up to this entry everything was looked at.
    done: Option<u32>,
    /// Marks before this one are before that entry.
    mark: usize,
}

impl Lookup<'_> {
    /// Calls `each` with those of some entries that contain the term, and how often. Entries rise.
    pub(crate) fn among(&mut self, entries: &[u32], mut each: impl FnMut(u32, u32)) {
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return };
        self.go_near(*first);
        let (mut occurrences, mut place) = (self.occurrences.clone(), 0);
        loop {
            if let Some((found, count)) = self.found {
                if found > *last {
                    break;
                }
                while entries[place] < found {
                    place += 1;
                }
                if entries[place] == found {
                    each(found, count);
                }
            }
            match occurrences.next() {
                None => break,
                next => self.found = next,
            }
        }
        (self.occurrences, self.done) = (occurrences, Some(*last));
    }

    /// Goes to the last mark before an entry, unless it is nearer already.
    fn go_near(&mut self, entry: u32) {
        let marks = &self.postings.marks;
        let is_behind = self.done.is_some_and(|done| entry <= done);
        if is_behind {
            self.mark = 0;
        }
        // The next one is seldom far.
        let mut step = 1;
        while marks.get(self.mark + step).is_some_and(|mark| mark.entry < entry) {
            self.mark += step;
            step *= 2;
        }
        let near = &marks[self.mark..marks.len().min(self.mark + step)];
        self.mark += near.partition_point(|mark| mark.entry < entry);
        let mark = self.mark.checked_sub(1).map(|last| marks[last]);
        if is_behind || mark.is_some_and(|mark| mark.entry > self.occurrences.entry) {
            let start = mark.map(|mark| self.postings.behind(mark));
            self.occurrences = start.unwrap_or_else(|| self.postings.iter());
            self.found = None;
        }
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

/// Takes the next number off. How many bytes it has cannot be foreseen, so where there are eight,
/// they are looked at together instead of one after the other.
#[inline(always)]
fn take(bytes: &mut &[u8]) -> Option<u64> {
    let Some((eight, _)) = bytes.split_first_chunk() else { return take_slowly(bytes) };
    let eight = u64::from_le_bytes(*eight);
    let ends = !eight & 0x8080_8080_8080_8080;
    if ends == 0 {
        return take_slowly(bytes);
    }
    // Up to the first byte without its highest bit.
    let own = eight & (ends ^ (ends - 1));
    *bytes = &bytes[ends.trailing_zeros() as usize / 8 + 1..];
    Some(packed(own))
}

/// Puts the lower seven bits of each byte next to each other.
#[inline]
fn packed(bytes: u64) -> u64 {
    let join = |value: u64, low: u64, by: u32| value & low | (value & !low) >> by;
    let pairs = join(bytes & 0x7f7f_7f7f_7f7f_7f7f, 0x007f_007f_007f_007f, 1);
    let fours = join(pairs, 0x0000_3fff_0000_3fff, 2);
    join(fours, 0x0000_0000_0fff_ffff, 4)
}

#[cold]
fn take_slowly(bytes: &mut &[u8]) -> Option<u64> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
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
        fn what_goes_in_comes_out(steps in proptest::collection::vec((1u32..30_000_000, 1u32..70_000), 0..120)) {
            let mut postings = Postings::new();
            let mut expected = Vec::new();
            let mut entry = 0;
            for (step, count) in steps {
                entry += step;
                postings.add(entry, count, entry / 100_000);
                expected.push((entry, count));
            }
            prop_assert_eq!(postings.len() as usize, expected.len());
            let (mut entries, mut counts, mut read) = ([0; 7], [0; 7], Vec::new());
            let mut occurrences = postings.iter();
            loop {
                let len = occurrences.read(&mut entries, &mut counts);
                read.extend(entries.into_iter().zip(counts).take(len));
                if len < entries.len() { break }
            }
            prop_assert_eq!(&read, &expected);
            for end in [0, 1, entry / 3, entry, entry.saturating_add(1)] {
                let below: Vec<u32> = expected.iter().map(|one| one.0).filter(|one| *one < end).collect();
                let runs = below.chunk_by(|a, b| a / 100_000 == b / 100_000).count();
                let found = postings.below(end, |entry| entry / 100_000);
                prop_assert_eq!(found, (below.len() as u32, runs as u32));
            }
            prop_assert_eq!(postings.iter().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn the_first_entry_may_be_number_zero() {
        let mut postings = Postings::new();
        postings.add(0, 2, 7);
        postings.add(1, 1, 7);
        assert_eq!(postings.iter().collect::<Vec<_>>(), [(0, 2), (1, 1)]);
        assert_eq!(postings.conversations(), 1);
    }

    #[test]
    fn entries_are_looked_up_in_any_order() {
        look_up_below(3_000);
        // The last mark is behind everything.
        look_up_below(3 * 16 * STRIDE);
    }

    fn look_up_below(end: u32) {
        let mut postings = Postings::new();
        let count = |entry: u32| if entry.is_multiple_of(3) { entry % 5 + 1 } else { 0 };
        for entry in (0..end).filter(|entry| count(*entry) > 0) {
            postings.add(entry, count(entry), entry / 10);
        }
        assert_eq!(postings.conversations(), end.div_ceil(10));
        let mut lookup = postings.lookup();
        for first in (0..900).map(|one| one * 77 % 3_100) {
            let entries: Vec<u32> = (first..first + 12).filter(|entry| entry % 7 != 1).collect();
            let mut found = Vec::new();
            lookup.among(&entries, |entry, count| found.push((entry, count)));
            let is_there = |entry: &u32| *entry < end && count(*entry) > 0;
            let expected = entries.iter().copied().filter(is_there);
            assert_eq!(found, expected.map(|entry| (entry, count(entry))).collect::<Vec<_>>());
        }
    }
}
