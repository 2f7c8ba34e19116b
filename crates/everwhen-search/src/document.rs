//! Documents: what a caller adds, and what the index remembers of each besides its words.

/// An instant in microseconds since the Unix epoch.
pub type Micros = i64;

/// A minute in microseconds.
const MINUTE: Micros = 60_000_000;

/// Marks the absence of a document where a document number is stored.
pub(crate) const NO_DOCUMENT: u32 = u32::MAX;

/// The caller's identifier of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentId(pub [u8; 16]);

/// The caller's identifier of a group of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(pub [u8; 16]);

/// Where a document comes from: one of four sources, by which a search can be filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Source(u8);

impl Source {
    /// All four sources.
    pub const ALL: [Self; 4] = [Self(0), Self(1), Self(2), Self(3)];

    /// Returns the source with this number. Only the two lowest bits count.
    pub const fn new(number: u8) -> Self {
        Self(number & 0b11)
    }

    /// Returns the number of the source, 0 to 3.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns a bit set of sources; see [`Placement::is_from`].
    pub(crate) fn bits(sources: &[Self]) -> u8 {
        sources.iter().fold(0, |bits, source| bits | 1 << source.0)
    }
}

/// A document to be added.
#[derive(Debug, Clone, Copy)]
pub struct Document<'d> {
    /// The caller's identifier, returned with what was found.
    pub id: DocumentId,
    /// The group it belongs to. Groups are ranked, too.
    pub group: GroupId,
    /// Its sequence number. Documents are added in rising order.
    pub sequence: u64,
    /// The time the document is about, such as when it was written.
    pub time: Micros,
    /// How many minutes long the period is that begins at `time`, if no instant is known; else 0.
    pub lasts: u32,
    /// When it was stored. Never earlier than that of a document added before.
    pub created: Micros,
    /// When it stopped being current, if it did. It is then found only by a search as of an earlier
    /// time.
    pub removed: Option<Micros>,
    /// Where it comes from.
    pub source: Source,
    /// Whether it replies to another document. Words of a reply count half for its group.
    pub is_reply: bool,
    /// The name of its author, if known.
    pub speaker: Option<&'d str>,
    /// The text.
    pub text: &'d str,
    /// Tags, by which a search can be filtered.
    pub tags: &'d [&'d str],
}

/// What may change about a document after it was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentState {
    /// Which document, by its sequence number.
    pub sequence: u64,
    /// The group it belongs to now.
    pub group: GroupId,
    /// When it stopped being current, if it did.
    pub removed: Option<Micros>,
}

/// What an index knows of a document besides its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentInfo {
    /// The caller's identifier.
    pub id: DocumentId,
    /// Its sequence number.
    pub sequence: u64,
    /// The time it is about.
    pub time: Micros,
    /// When it was stored.
    pub created: Micros,
    /// When it stopped being current: `Micros::MAX` if it is current, `Micros::MIN` if it was erased
    /// and no search may find it.
    pub removed: Micros,
    /// How many minutes long the period is that begins at `time`; 0 if `time` is an instant.
    pub lasts: u32,
    /// The number of its speaker in the index, from 1; 0 if it has none.
    pub(crate) speaker: u16,
    /// Where it comes from.
    pub source: Source,
}

impl DocumentInfo {
    /// Returns the last instant it may be about: `time`, unless only a period is known.
    pub fn last(&self) -> Micros {
        last_of(self.time, self.lasts)
    }
}

/// Returns the last instant of what begins at a time and lasts a number of minutes; the time itself if that is 0.
pub(crate) fn last_of(time: Micros, lasts: u32) -> Micros {
    match lasts {
        0 => time,
        minutes => time.saturating_add(Micros::from(minutes) * MINUTE - 1),
    }
}

/// The group, length and flags of a document in eight bytes, because scoring reads them for every
/// occurrence of a term.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Placement {
    pub(crate) group: u32,
    /// The number of terms above six bits: whether it is a reply, whether it is current, its source, how
    /// many pronouns of the first person it has.
    packed: u32,
}

const REPLY: u32 = 1;
const CURRENT: u32 = 2;
/// Number of bits below the source.
const SOURCE_SHIFT: u32 = 2;
/// Number of bits below the pronouns of the first person.
const FIRST_PERSON_SHIFT: u32 = 4;
/// The most pronouns of the first person that are counted.
pub(crate) const FIRST_PERSON_MOST: u32 = 3;
/// Number of bits below the length.
const LENGTH_SHIFT: u32 = 6;

impl Placement {
    /// Packs a placement; `length` is the number of terms.
    pub(crate) fn new(group: u32, length: u32, source: Source, is_reply: bool) -> Self {
        let reply = if is_reply { REPLY } else { 0 };
        let source = u32::from(source.0) << SOURCE_SHIFT;
        Self { group, packed: length << LENGTH_SHIFT | source | reply }
    }

    /// Sets the number of pronouns of the first person; more than three are three.
    pub(crate) fn with_first_person(self, count: u32) -> Self {
        let cleared = self.packed & !(FIRST_PERSON_MOST << FIRST_PERSON_SHIFT);
        Self { packed: cleared | count.min(FIRST_PERSON_MOST) << FIRST_PERSON_SHIFT, ..self }
    }

    /// Returns the number of pronouns of the first person, up to three.
    pub(crate) fn first_person(self) -> u32 {
        self.packed >> FIRST_PERSON_SHIFT & FIRST_PERSON_MOST
    }

    /// Returns what was counted in the text and whether it is a reply, as one number to be stored.
    pub(crate) fn counts(self) -> u64 {
        let reply = u64::from(self.is_reply());
        u64::from(self.length()) << 3 | u64::from(self.first_person()) << 1 | reply
    }

    /// Packs a placement from [`Placement::counts`].
    pub(crate) fn of_counts(group: u32, source: Source, counts: u32) -> Self {
        Self::new(group, counts >> 3, source, counts & 1 == 1).with_first_person(counts >> 1 & 3)
    }

    /// Returns the number of terms, without stop words.
    pub(crate) fn length(self) -> u32 {
        self.packed >> LENGTH_SHIFT
    }

    /// Returns whether the document replies to another one.
    pub(crate) fn is_reply(self) -> bool {
        self.packed & REPLY != 0
    }

    /// Returns whether the document comes from one of these sources; see [`Source::bits`].
    pub(crate) fn is_from(self, sources: u8) -> bool {
        let source = self.packed >> SOURCE_SHIFT & 0b11;
        sources >> source & 1 != 0
    }

    /// Returns whether the document is current.
    pub(crate) fn is_current(self) -> bool {
        self.packed & CURRENT != 0
    }

    /// Sets whether the document is current.
    pub(crate) fn set_current(&mut self, current: bool) {
        self.packed = self.packed & !CURRENT | if current { CURRENT } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pronouns_are_counted_up_to_three_and_stored_with_the_length() {
        let placement = Placement::new(7, 123_456, Source::new(2), true);
        for (count, kept) in [(0, 0), (2, 2), (3, 3), (9, 3)] {
            let mut one = placement.with_first_person(3).with_first_person(count);
            one.set_current(true);
            assert_eq!((one.first_person(), one.length(), one.is_reply()), (kept, 123_456, true));
            let stored = Placement::of_counts(7, Source::new(2), one.counts() as u32);
            assert_eq!((stored.first_person(), stored.length()), (kept, 123_456));
            assert!(stored.is_reply() && stored.is_from(Source::bits(&[Source::new(2)])));
            assert!(one.is_current() && !stored.is_current());
        }
    }

    #[test]
    fn a_placement_keeps_its_parts_apart() {
        for (source, is_reply) in
            Source::ALL.into_iter().flat_map(|one| [(one, true), (one, false)])
        {
            let mut placement = Placement::new(7, 123_456, source, is_reply);
            for current in [true, false] {
                placement.set_current(current);
                assert_eq!((placement.length(), placement.is_current()), (123_456, current));
                assert_eq!((placement.group, placement.is_reply()), (7, is_reply));
                let is_from = |one: &Source| placement.is_from(Source::bits(&[*one]));
                let from: Vec<Source> = Source::ALL.into_iter().filter(is_from).collect();
                assert_eq!(from, [source]);
                assert!(placement.is_from(Source::bits(&Source::ALL)) && !placement.is_from(0));
            }
        }
    }
}
