//! What a store is asked for: places, orders and conditions.

use jiff::Timestamp;

use crate::job::{JobKind, Queue};
use crate::memory::{
    BranchId, ChapterId, Conversation, ConversationId, Cursor, Entry, EntryId, FactId, JobId,
    MemoryId, MemoryRef, Name, Person, Role, VaultId,
};

/// Which end of time comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Oldest first.
    #[default]
    Oldest,
    /// Newest first.
    Newest,
}

/// Which entries of a memory are meant, apart from their times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Which {
    /// Current ones: neither corrected nor on a branch.
    #[default]
    Current,
    /// Those that were current at this creation_time, with the conversation and the tags that they had then.
    AsOf(Timestamp),
    /// Those on one branch, without what was corrected.
    Branch(BranchId),
    /// All, whatever became of them.
    All,
}

impl Which {
    /// Whether entries said at the same time are listed by their place. All versions of one thing said
    /// share a place, so where all are listed, the order is by sequence.
    pub fn is_by_place(self) -> bool {
        self != Self::All
    }
}

/// One of the two times of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeAxis {
    /// When it was said.
    #[default]
    ConversationTime,
    /// When it was stored.
    CreationTime,
}

/// A stretch of time in parts of equal length. What is left after dividing belongs to the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buckets {
    /// Where the first part begins.
    pub since: Timestamp,
    /// Where the last one ends.
    pub until: Timestamp,
    /// How many there are, at least one.
    pub count: usize,
}

impl Buckets {
    /// The length of one part, at least a microsecond.
    pub fn width_micros(&self) -> i64 {
        let whole = self.until.as_microsecond() - self.since.as_microsecond();
        (whole / i64::try_from(self.count).unwrap_or(i64::MAX)).max(1)
    }

    /// How many of these times, in microseconds, each part contains.
    pub fn counts(&self, times: &[i64]) -> Vec<u64> {
        let (since, until) = (self.since.as_microsecond(), self.until.as_microsecond());
        let width = self.width_micros();
        let mut counts = vec![0; self.count];
        for time in times.iter().filter(|time| (since..until).contains(time)) {
            let place = usize::try_from((time - since) / width).unwrap_or(usize::MAX);
            counts[place.min(self.count - 1)] += 1;
        }
        counts
    }

    /// The part that contains a time; nothing outside of all.
    pub fn of(&self, time: Timestamp) -> Option<usize> {
        if !(self.since..self.until).contains(&time) {
            return None;
        }
        let behind = time.as_microsecond() - self.since.as_microsecond();
        let place = usize::try_from(behind / self.width_micros()).ok()?;
        Some(place.min(self.count - 1))
    }
}

/// Which entries to list, in order of conversation_time, or in the order they arrived.
#[derive(Debug, Clone, Default)]
pub struct EntryQuery {
    /// Said at or after this.
    pub after: Option<Timestamp>,
    /// Said before this.
    pub before: Option<Timestamp>,
    /// Also what began before `after`, if only a day, a month or the like is known and reaches into the
    /// time asked for.
    pub with_periods: bool,
    /// Stored at or after this.
    pub created_after: Option<Timestamp>,
    /// Stored before this.
    pub created_before: Option<Timestamp>,
    /// Current ones, or others.
    pub which: Which,
    /// Only this role.
    pub role: Option<Role>,
    /// Only with this tag.
    pub tag: Option<Name>,
    /// Only those whose tags were changed after they were stored.
    pub retagged: bool,
    /// Only of this conversation.
    pub conversation: Option<ConversationId>,
    /// Only imported from this source.
    pub source: Option<Name>,
    /// Only with one of these ids in their source.
    pub source_ids: Option<Vec<Name>>,
    /// Which comes first.
    pub order: Order,
    /// Go on behind this place.
    pub from: Option<Cursor>,
    /// In the order they arrived, behind this sequence; then nothing else but `limit` counts.
    pub arrived_after: Option<u64>,
    /// The maximum number; all if absent.
    pub limit: Option<usize>,
}

impl EntryQuery {
    /// Entries in the order they arrived, behind a sequence, whatever became of them.
    pub fn arrived(after: u64, limit: usize) -> Self {
        Self {
            arrived_after: Some(after),
            which: Which::All,
            limit: Some(limit),
            ..Self::default()
        }
    }

    /// Whether an entry was said in the time asked for.
    pub fn has_time_of(&self, entry: &Entry) -> bool {
        let time = entry.conversation_time;
        let reaches = |after: Timestamp| self.with_periods && entry.spans(after);
        self.after.is_none_or(|after| after <= time || reaches(after))
            && self.before.is_none_or(|before| time < before)
    }

    /// Where a list goes on behind an entry.
    pub fn cursor(&self, entry: &Entry) -> Cursor {
        let sequence = if self.which.is_by_place() { entry.place } else { entry.sequence };
        Cursor { time: entry.conversation_time, sequence }
    }

    /// Entries whose tags were changed after they were stored, whatever became of them.
    pub fn retagged() -> Self {
        Self { retagged: true, which: Which::All, ..Self::default() }
    }

    /// The entries of one conversation, oldest first.
    pub fn of_conversation(id: ConversationId, which: Which) -> Self {
        Self { conversation: Some(id), which, ..Self::default() }
    }
}

/// What a list of conversations is ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConversationOrder {
    /// By when they started.
    #[default]
    Started,
    /// By when they ended, or were brought back from the archive; only ended ones.
    Ended,
}

impl ConversationOrder {
    /// The time a conversation stands at in this order.
    pub fn time_of(self, conversation: &Conversation) -> Timestamp {
        match self {
            Self::Started => conversation.started_at,
            Self::Ended => {
                let ended = conversation.ended.as_ref().map(|ended| ended.at);
                conversation.restored_at.or(ended).unwrap_or(conversation.last_at)
            }
        }
    }
}

/// Which conversations are meant by where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ArchiveFilter {
    /// Those not archived.
    #[default]
    Listed,
    /// Those archived.
    Archived,
    /// Both.
    Both,
}

/// Which conversations to list.
#[derive(Debug, Clone, Default)]
pub struct ConversationQuery {
    /// Only ended (`true`) or only open (`false`) ones.
    pub ended: Option<bool>,
    /// Archived or not.
    pub archive: ArchiveFilter,
    /// With an entry at or after this.
    pub after: Option<Timestamp>,
    /// Started before this.
    pub before: Option<Timestamp>,
    /// What decides the order.
    pub by: ConversationOrder,
    /// Which comes first.
    pub order: Order,
    /// Go on behind this place: the time it is ordered by, and the id.
    pub from: Option<(Timestamp, ConversationId)>,
    /// The maximum number; all if absent.
    pub limit: Option<usize>,
}

/// Which conversations of a memory are meant.
#[derive(Debug, Clone, Copy)]
pub enum ConversationSelection<'q> {
    /// Those that a query describes, in its order.
    Matching(&'q ConversationQuery),
    /// The one that has this name in the caller's source.
    Name(&'q Name),
    /// Ended ones that are not archived, without this many that come last in
    /// [`ConversationOrder::Ended`]; oldest first.
    Surplus(u64),
}

/// The side of a time on which a neighbour is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeSide {
    /// At the time or before it.
    UpTo(Timestamp),
    /// After it.
    After(Timestamp),
}

/// Whose entries count when looking for a neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speakers {
    /// Entries of all speakers.
    All,
    /// Those that begin an exchange: not a reply.
    Openers,
}

/// The nearest entry that was placed by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbour {
    /// When it was said.
    pub time: Timestamp,
    /// Who said it.
    pub role: Role,
    /// The conversation it is in.
    pub conversation: ConversationId,
}

/// Where an entry stands now: what can change about it after it was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryState {
    /// Its sequence.
    pub sequence: u64,
    /// The conversation it is in.
    pub conversation: ConversationId,
    /// Since when it has been corrected or on a branch.
    pub gone_since: Option<Timestamp>,
}

/// Which version of a context document is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextVersion {
    /// The newest.
    Current,
    /// The newest at this creation_time.
    AsOf(Timestamp),
    /// This one.
    Number(u64),
}

/// Which versions of a context document are meant; the newest of them comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextSelection {
    /// All of them.
    All,
    /// Those that were there at this creation_time.
    AsOf(Timestamp),
    /// This one.
    Number(u64),
    /// Those below this one.
    Below(u64),
}

/// The versions of which the newest is meant.
impl From<ContextVersion> for ContextSelection {
    fn from(version: ContextVersion) -> Self {
        match version {
            ContextVersion::Current => Self::All,
            ContextVersion::AsOf(time) => Self::AsOf(time),
            ContextVersion::Number(number) => Self::Number(number),
        }
    }
}

/// Which vaults are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VaultSelection<'q> {
    /// This one.
    Id(VaultId),
    /// The one with this name.
    Name(&'q Name),
    /// All, by name, behind one; at most this many.
    Named(Option<&'q Name>, usize),
    /// Those with a memory that was last written after this time, by name; at most this many.
    WrittenAfter(Timestamp, usize),
}

/// Which memories of a vault are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemorySelection<'q> {
    /// This one.
    Id(MemoryId),
    /// The one with this name.
    Name(&'q Name),
    /// All, by name, behind one; at most this many.
    Named(Option<&'q Name>, usize),
    /// The chats of exactly this person, the last active first; at most this many.
    ChatsOf(&'q Person, usize),
    /// Those last written after this time, by name; at most this many.
    WrittenAfter(Timestamp, usize),
}

/// Which idempotency keys of a vault are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiptSelection<'q> {
    /// This one.
    Key(&'q Name),
    /// All, by name, behind one; at most this many.
    Named(Option<&'q Name>, usize),
}

/// Which facts of a memory are meant. They come by when they were mentioned, then by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactSelection<'q> {
    /// All of them.
    All,
    /// All of them without their vectors, which only comparing needs.
    WithoutVectors,
    /// This one, whatever became of it.
    Id(FactId),
    /// Those that rest on any of these entries.
    On(&'q [EntryId]),
}

/// Which chapters of a memory are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChapterSelection {
    /// Those that end behind a place, oldest first; at most this many.
    Behind(Option<Cursor>, Option<usize>),
    /// Of those, the ones that tell the memory in order ([`ChapterKind::is_story`]).
    ///
    /// [`ChapterKind::is_story`]: crate::memory::ChapterKind::is_story
    Story(Option<Cursor>, Option<usize>),
    /// The one written here that ends last, or last before a time.
    Last(Option<Timestamp>),
    /// Those that another system wrote, oldest first.
    Foreign,
    /// This one.
    Id(ChapterId),
}

/// Which jobs are meant. A transaction that finds one by its id or as the next holds it until the
/// end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobSelection {
    /// This one. A store that lies on several nodes asks all of them, unless the vault is said.
    Id(Option<VaultId>, JobId),
    /// The one of a queue that is due first among those waiting or with a lease that ran out by
    /// this time, of one vault or of all.
    Next(Option<VaultId>, Queue, Timestamp),
    /// Those due first, of one vault or of all; at most this many.
    Due(Option<VaultId>, usize),
    /// All of a kind in a memory.
    Of(MemoryRef, JobKind),
    /// Those that were set aside, of one vault or of all, by id behind this one; at most this many.
    SetAside(Option<VaultId>, Option<JobId>, usize),
    /// Those that [wait or are held beyond](crate::job::Job::is_beyond) a time, of one vault or of all, by id behind
    /// this one; at most this many.
    Beyond(Option<VaultId>, Option<JobId>, Timestamp, usize),
    /// The one of a kind that is tried again first among those that wait because they failed, of one vault or
    /// of all; none that may have ended the process.
    Failed(Option<VaultId>, JobKind),
}

/// Entries and conversations, each at the position of its id.
pub type EachOf = (Vec<Option<Entry>>, Vec<Option<Conversation>>);
