//! Chapters and versions of the rolling summary, as they are kept.

use jiff::Timestamp;

use super::{ChapterId, Cursor, EntryId, MemoryId, WrittenBy};

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
    /// How many entries it tells of.
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
    /// The last entry it tells of.
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

/// The XOR of the ids of chapters: order-free, and adding an id twice removes it.
pub(crate) fn chapters_mark(ids: impl IntoIterator<Item = ChapterId>) -> u64 {
    // The second half of an id is chance, so two sets hardly ever have the same mark.
    let half = |id: ChapterId| u128::from_be_bytes(id.bytes()) as u64;
    ids.into_iter().fold(0, |mark, id| mark ^ half(id))
}

/// The sequence at which a new memory is first checked for chapters.
pub(crate) const FIRST_CHAPTER_CHECK: u64 = 8;
