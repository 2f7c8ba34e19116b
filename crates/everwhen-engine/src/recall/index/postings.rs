//! Where one term occurs: entry numbers with counts, packed into units of two bytes.
//!
//! Entries come in rising order, so the distance to the one before is stored, with a bit that says
//! whether a count above one follows. Nearly all occurrences take one unit. Fewer bytes would do for
//! many, but where the next one begins would then be known late, and reading wait for it.

use super::dot::expect;

/// The occurrences of one term.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    units: Vec<u16>,
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
        self.units.push(head(distance, count > 1));
        if distance >= FAR {
            self.units.extend([distance as u16, (distance >> 16) as u16]);
        }
        if count > 1 {
            // Beyond this a word more or less says nothing.
            self.units.push(count.min(u16::MAX.into()) as u16);
        }
        if self.len.is_multiple_of(STRIDE) {
            let (place, conversations) = (self.units.len() as u32, self.conversations);
            self.marks.push(Mark { entry, place, conversations });
        }
        self.size() - before
    }

    fn size(&self) -> usize {
        size_of::<u16>() * self.units.capacity() + size_of::<Mark>() * self.marks.capacity()
    }

    /// Grows by a quarter, not by half: there are many lists, and most of them stay as they are.
    fn make_room(&mut self) {
        let len = self.units.len();
        if self.units.capacity() < len + MOST_UNITS {
            self.units.reserve_exact((len / 4).max(MOST_UNITS));
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
        if let Some(mark) = mark {
            (conversations, last) = (mark.conversations, Some(conversation(mark.entry)));
        }
        let mut entries = passed as u32 * STRIDE;
        for (entry, _) in self.behind(passed).take_while(|(entry, _)| *entry < end) {
            let own = Some(conversation(entry));
            conversations += u32::from(std::mem::replace(&mut last, own) != own);
            entries += 1;
        }
        (entries, conversations)
    }

    /// What comes behind so many marks.
    fn behind(&self, passed: usize) -> Occurrences<'_> {
        let Some(last) = passed.checked_sub(1) else { return self.iter() };
        let mark = self.marks[last];
        Occurrences { rest: &self.units[mark.place as usize..], entry: mark.entry }
    }

    /// For each of some entries, how many marks come before it. What is behind the last of them will
    /// be read soon. Entries that come behind others take the least time.
    pub(crate) fn marks_before(&self, entries: impl Iterator<Item = u32>) -> Vec<usize> {
        let mut near = (0, 0);
        let passed = |entry: u32| {
            let (last, passed) = near;
            let passed = self.marks_passed(entry, if last <= entry { passed } else { 0 });
            near = (entry, passed);
            expect(self.behind(passed).rest.get(..1).unwrap_or_default());
            passed
        };
        entries.map(passed).collect()
    }

    /// How many marks come before an entry, if so many do for sure.
    fn marks_passed(&self, entry: u32, mut passed: usize) -> usize {
        // The next one is seldom far.
        let mut step = 1;
        while self.marks.get(passed + step).is_some_and(|mark| mark.entry < entry) {
            passed += step;
            step *= 2;
        }
        let near = &self.marks[passed..self.marks.len().min(passed + step)];
        passed + near.partition_point(|mark| mark.entry < entry)
    }

    /// Calls `each` with those of some entries that contain the term, and how often. Entries rise;
    /// `passed` marks come before the first one.
    pub(crate) fn among(&self, entries: &[u32], passed: usize, mut each: impl FnMut(u32, u32)) {
        let Some(last) = entries.last() else { return };
        let mut place = 0;
        for (found, count) in self.behind(passed).take_while(|(found, _)| found <= last) {
            while entries[place] < found {
                place += 1;
            }
            if entries[place] == found {
                each(found, count);
            }
        }
    }

    /// Entries and counts, in rising order.
    pub(crate) fn iter(&self) -> Occurrences<'_> {
        Occurrences { rest: &self.units, entry: 0 }
    }
}

/// What is left to read of the occurrences of a term.
#[derive(Debug, Clone)]
pub(crate) struct Occurrences<'p> {
    rest: &'p [u16],
    entry: u32,
}

impl Iterator for Occurrences<'_> {
    type Item = (u32, u32);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let head = take(&mut self.rest)?;
        let near = u32::from(head >> 1);
        self.entry += if near < FAR { near } else { take_far(&mut self.rest)? };
        let count = if head & 1 == 1 { take(&mut self.rest)?.into() } else { 1 };
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

impl Postings {
    /// Those from entry `first` up to, but without, `end`.
    pub(crate) fn iter_from(&self, first: u32, end: u32) -> impl Iterator<Item = (u32, u32)> {
        // Most terms are rare and do not occur in the newest entries at all.
        let reaches = self.next > first;
        let all = reaches.then(|| self.iter()).into_iter().flatten();
        all.skip_while(move |(entry, _)| *entry < first).take_while(move |(entry, _)| *entry < end)
    }
}

/// Units that one occurrence takes at most.
const MOST_UNITS: usize = 4;
/// A distance of at least this does not fit beside the bit and takes two units of its own.
const FAR: u32 = 0x7fff;

/// The unit that an occurrence begins with: how far it is from the one before, and whether it has a
/// count.
fn head(distance: u32, has_count: bool) -> u16 {
    (distance.min(FAR) as u16) << 1 | u16::from(has_count)
}

/// Takes the next unit off.
#[inline(always)]
fn take(units: &mut &[u16]) -> Option<u16> {
    let (first, rest) = units.split_first()?;
    *units = rest;
    Some(*first)
}

/// Takes two units off.
#[cold]
fn take_far(units: &mut &[u16]) -> Option<u32> {
    Some(u32::from(take(units)?) | u32::from(take(units)?) << 16)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_goes_in_comes_out(steps in proptest::collection::vec((1u32..30_000_000, 1u32..65_536), 0..120)) {
            let mut postings = Postings::new();
            let mut expected = Vec::new();
            let mut entry = 0;
            for (step, count) in steps {
                // Near and far in turn.
                entry += if count % 2 == 0 { step % 50 + 1 } else { step };
                let count = if count % 3 == 0 { 1 } else { count };
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
        let wanted = |first: u32| (first..first + 12).filter(|entry| entry % 7 != 1).collect();
        let wanted: Vec<Vec<u32>> = (0..900).map(|one| wanted(one * 77 % 3_100)).collect();
        let marks = postings.marks_before(wanted.iter().map(|entries| entries[0]));
        for (entries, passed) in wanted.iter().zip(marks) {
            let mut found = Vec::new();
            postings.among(entries, passed, |entry, count| found.push((entry, count)));
            let is_there = |entry: &u32| *entry < end && count(*entry) > 0;
            let expected = entries.iter().copied().filter(is_there);
            assert_eq!(found, expected.map(|entry| (entry, count(entry))).collect::<Vec<_>>());
        }
    }
}
