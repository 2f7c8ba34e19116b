//! Rows of the ledger: lines in order, a head, proofs of chats, and what was added to messages.

use jiff::Timestamp;

use crate::memory::{EntryId, MemoryId, Role};

/// A message as the ledger knows it: not its text, only what distinguishes it and when it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LedgerLine {
    /// Its number in the order of arrival, from 1.
    pub number: u64,
    /// Its place along the line; nothing once it has been put aside.
    pub place: Option<i64>,
    /// SHA-256 of who spoke and what was said; once that is forgotten, a hash of it that has a key.
    pub mark: [u8; 32],
    /// Its ordinal among the messages of this mark, from 1.
    pub occurrence: u64,
    /// Who spoke.
    pub role: Role,
    /// When it was said.
    pub time: Timestamp,
    /// When the message before it had been said, as far as was known when it was first seen.
    pub since: Option<Timestamp>,
    /// The number of the message before it.
    pub after: Option<u64>,
    /// The entry that holds its text; nothing if it has none or it was forgotten.
    pub entry: Option<EntryId>,
    /// Whether it is a reply that was given here, and not only told by a client.
    pub delivered: bool,
}

/// When a reply began, kept until its text is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placeholder {
    /// When the reply began.
    pub started_at: Timestamp,
    /// The number of the message it answers.
    pub after: Option<u64>,
    /// The number of the reply, if it came to an end here.
    pub reply: Option<u64>,
}

/// What is known of a memory's ledger as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LedgerHead {
    /// The highest number given so far.
    pub last_number: u64,
    /// The reply that is being waited for.
    pub placeholder: Option<Placeholder>,
    /// The last request.
    pub request: Option<LastRequest>,
}

/// The last request of a memory, by which a retry is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastRequest {
    /// SHA-256 of the client and the whole history.
    pub hash: [u8; 32],
    /// Whether its reply was delivered whole.
    pub answered: bool,
}

/// Something that was delivered to one client and will come back only in the same chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    /// SHA-256 of what was delivered, to whom.
    pub hash: [u8; 32],
    /// The line of the reply, or of the message that was answered if the reply has no words.
    pub number: u64,
    /// The program it was delivered to.
    pub app: [u8; 32],
    /// When it was delivered.
    pub at: Timestamp,
}

/// A memory that holds a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProofHolder {
    /// The memory.
    pub memory: MemoryId,
    /// The proof as it was kept there.
    pub proof: Proof,
}

/// Text that was added to a message on its way to a model, to be added again with the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// The text.
    pub text: String,
    /// How it was added and what it holds, in the flags of the interface that adds it.
    pub form: u32,
    /// Whom it was made for; it is shown to no other person.
    pub person: [u8; 32],
    /// When it was made.
    pub at: Timestamp,
}

/// Which memories' ledgers are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedgerSelection {
    /// That of this memory.
    Of(MemoryId),
    /// Those whose last request has this hash, the newest memory first.
    Requested([u8; 32]),
}

/// Which lines of a ledger are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedgerLines<'e> {
    /// This many of the newest along the line, newest first.
    Newest(usize),
    /// The oldest along the line.
    Oldest,
    /// All along the line behind this place, in order.
    Behind(i64),
    /// The last along the line before this place.
    Before(i64),
    /// All with this mark, aside or not, by occurrence.
    Marked([u8; 32]),
    /// The one with this number.
    Numbered(u64),
    /// Those of these entries, aside or not, by number.
    Of(&'e [EntryId]),
    /// All without an entry, aside or not, by number.
    WithoutEntry,
}
