//! How things stood before they were changed: what a store keeps so that questions as of an earlier
//! creation_time are answered as they were then.

use jiff::Timestamp;

use crate::memory::{
    BranchId, Chapter, ChapterId, Conversation, ConversationId, Entry, EntryId, Fact, FactId, Name,
    WrittenBy,
};

/// What is about to change, or to be removed without being forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced<'r> {
    /// The conversation, branch and tags of entries.
    Entries(&'r [EntryId]),
    /// The conversation, branch and tags of all entries of a conversation.
    EntriesOf(ConversationId),
    /// A conversation.
    Conversation(ConversationId),
    /// Whether a fact is pinned, and who wrote it.
    Fact(FactId),
    /// A chapter.
    Chapter(ChapterId),
}

/// The kinds of things that can have been different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PastKind<'q> {
    /// Entries.
    Entries,
    /// Conversations.
    Conversations,
    /// Of the conversations, these; in no order.
    ConversationsOf(&'q [ConversationId]),
    /// Facts.
    Facts,
    /// Chapters.
    Chapters,
}

impl PastKind<'_> {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Entries, Self::Conversations, Self::Facts, Self::Chapters];
}

/// What was different at a moment from what it is now, as it was then.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PastRows {
    /// Entries that were in another conversation, on another branch or tagged otherwise, by id.
    pub entries: Vec<PastEntry>,
    /// Conversations, by id where all are meant. Their times and counts of entries are not those of the moment.
    pub conversations: Vec<Conversation>,
    /// Facts, by id.
    pub facts: Vec<PastFact>,
    /// Chapters that have been replaced since, oldest first.
    pub chapters: Vec<Chapter>,
}

/// What can change about an entry, as it stood at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastEntry {
    /// The entry.
    pub id: EntryId,
    /// Its sequence.
    pub sequence: u64,
    /// The conversation it was in.
    pub conversation: ConversationId,
    /// The branch it was on, and since when.
    pub branch: Option<(BranchId, Timestamp)>,
    /// Its tags.
    pub tags: Vec<Name>,
    /// When it was corrected, if it was, before the moment or after it.
    pub corrected_at: Option<Timestamp>,
}

impl PastEntry {
    /// Returns an entry that was current at a moment as it stood then: what had changed about it since
    /// is `past`.
    pub fn restore(entry: Entry, past: Option<Self>) -> Entry {
        let entry = Entry { corrected: None, branch: None, ..entry };
        let Some(Self { conversation, tags, .. }) = past else { return entry };
        // Only entries placed by time move, and their conversations have no names.
        let is_there = conversation == entry.conversation;
        let conversation_name = entry.conversation_name.filter(|_| is_there);
        Entry { conversation, conversation_name, tags, ..entry }
    }
}

/// The entries of a conversation that were current at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConversationExtent {
    /// The conversation.
    pub id: ConversationId,
    /// When the first of them was said.
    pub first: Timestamp,
    /// When the last of them was said.
    pub last: Timestamp,
    /// How many there were.
    pub entries: u64,
}

/// What can change about a fact that was not withdrawn, as it stood at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastFact {
    /// The fact.
    pub id: FactId,
    /// Since when it was pinned.
    pub pinned_at: Option<Timestamp>,
    /// Who was known to have written it.
    pub by: WrittenBy,
}

impl PastFact {
    /// Makes a fact stand as it stood.
    pub fn restore(self, fact: &mut Fact) {
        (fact.pinned_at, fact.by) = (self.pinned_at, self.by);
    }
}
