//! Chapters and versions of the rolling summary, as they are kept.

use jiff::Timestamp;

use super::{ChapterId, Cursor, EntryId, MemoryId, Metadata, Provenance, TimePrecision, WrittenBy};
use crate::time::Zone;
use crate::{Error, Result};

/// What a run of entries was about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chapter {
    /// Its id.
    pub id: ChapterId,
    /// The memory it belongs to.
    pub memory: MemoryId,
    /// Where its first entry stands.
    pub first: Cursor,
    /// Where its last entry stands.
    pub last: Cursor,
    /// How many entries it covers.
    pub entries: u64,
    /// Which entries those are, as a digest.
    pub digest: [u8; 32],
    /// A title.
    pub title: String,
    /// What it was about.
    pub text: String,
    /// Names that occur in it.
    pub entities: Vec<String>,
    /// Words that stand for it.
    pub key_phrases: Vec<String>,
    /// Who wrote it.
    pub by: WrittenBy,
    /// When it was stored.
    pub creation_time: Timestamp,
    /// What it was written from.
    pub kind: ChapterKind,
    /// Where it was imported from, and how well the time of its end is known.
    pub provenance: Option<Box<Provenance>>,
    /// What else its source says about it: a JSON object.
    pub metadata: Option<Metadata>,
}

/// What a chapter was written from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChapterKind {
    /// Entries that are stored here.
    Written,
    /// Another system wrote it. Its digest is the SHA-256 of the last message that it covers.
    Imported,
    /// Another system wrote it to be searched for. It is not one of the chapters that tell the memory
    /// in order.
    Searchable,
    /// Several chapters, which stay beside it.
    Condensed,
}

impl ChapterKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Written, Self::Imported, Self::Searchable, Self::Condensed];

    /// As written on every wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Imported => "imported",
            Self::Searchable => "searchable",
            Self::Condensed => "condensed",
        }
    }

    /// The kind with this name.
    pub fn named(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str).join(", ");
            Error::invalid(format!("unknown kind of chapter {text:?}; use one of {known}"))
        })
    }

    /// Whether it is one of the chapters that tell a memory in order.
    pub fn is_story(self) -> bool {
        matches!(self, Self::Written | Self::Imported)
    }

    /// Whether another system wrote it, so that it cannot be written again.
    pub fn is_foreign(self) -> bool {
        matches!(self, Self::Imported | Self::Searchable)
    }
}

impl Chapter {
    /// The days it covers: `2026-03-01 to 2026-03-04`. Nothing if they are not known.
    pub fn days(&self, zone: &Zone) -> Option<String> {
        let precision = self.provenance.as_ref().map(|from| from.precision);
        if precision == Some(TimePrecision::Unknown) {
            return None;
        }
        let (first, last) = (zone.day(self.first.time), zone.day(self.last.time));
        Some(if first == last { first.to_string() } else { format!("{first} to {last}") })
    }

    /// A text of it with its days before it, if they are known.
    pub fn dated(&self, text: &str, zone: &Zone) -> String {
        self.days(zone).map_or_else(|| text.to_owned(), |days| format!("{days}: {text}"))
    }
}

/// One version of the summary of a whole memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RollingSummary {
    /// The memory.
    pub memory: MemoryId,
    /// Its number, from 1; the highest is current.
    pub version: u64,
    /// The text.
    pub text: String,
    /// The last entry it covers.
    pub through: Cursor,
    /// How many chapters are in it.
    pub chapters: u64,
    /// Who wrote it.
    pub by: WrittenBy,
    /// When it was stored.
    pub creation_time: Timestamp,
}

/// The digest of the entries of a chapter.
pub(crate) fn chapter_digest(entries: impl IntoIterator<Item = EntryId>) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for id in entries {
        hasher.update(&id.bytes());
    }
    *hasher.finalize().as_bytes()
}

/// The digest of what several chapters cover.
pub(crate) fn chapter_digest_of(chapters: &[Chapter]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for chapter in chapters {
        hasher.update(&chapter.digest);
    }
    *hasher.finalize().as_bytes()
}

/// The XOR of the ids of chapters: order-free, and adding an id twice removes it.
pub(crate) fn chapters_mark(ids: impl IntoIterator<Item = ChapterId>) -> u64 {
    // The second half of an id is chance, so two sets hardly ever have the same mark.
    let half = |id: ChapterId| u128::from_be_bytes(id.bytes()) as u64;
    ids.into_iter().fold(0, |mark, id| mark ^ half(id))
}

/// The sequence at which a new memory is first checked for chapters.
pub(crate) const FIRST_CHAPTER_CHECK: u64 = 8;
