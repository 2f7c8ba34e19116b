//! What the ledger needs from a store: lines in order, a head, promised times, proofs of chats, and
//! what was added to messages.

use jiff::Timestamp;

use super::MemoryRef;
use crate::Result;
use crate::memory::{EntryId, MemoryId, Role, VaultId};

/// A message as the ledger knows it: not its text, only what tells it apart and when it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LedgerLine {
    /// Its number in the order of arrival, from 1.
    pub number: u64,
    /// Its place along the line; nothing once it has been put aside.
    pub place: Option<i64>,
    /// SHA-256 of who spoke and what was said.
    pub mark: [u8; 32],
    /// The how-manieth message of this mark it is, from 1.
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

/// A memory whose last request has a given hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requested {
    /// The memory.
    pub memory: MemoryId,
    /// Whether the reply was delivered whole.
    pub answered: bool,
    /// When the request came, as long as its reply is not settled.
    pub at: Option<Timestamp>,
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
    /// How it was added and what it holds, in the flags of those who add it.
    pub form: u32,
    /// Whom it was made for; it is shown to nobody else.
    pub person: [u8; 32],
    /// When it was made.
    pub at: Timestamp,
}

/// Which lines of a ledger are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// The newest so many along the line, newest first.
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
}

/// Ledgers, to read.
pub trait LedgerRows {
    /// The head of a memory's ledger.
    fn ledger_head(&self, memory: MemoryRef) -> Result<Option<LedgerHead>>;
    /// Lines of a memory's ledger.
    fn ledger_lines(&self, memory: MemoryRef, which: Lines) -> Result<Vec<LedgerLine>>;
    /// Memories of a vault that hold this proof: first those where nothing has been said since it
    /// was delivered, then the newest.
    fn proof_holders(
        &self,
        vault: VaultId,
        proof: [u8; 32],
        limit: usize,
    ) -> Result<Vec<ProofHolder>>;
    /// Memories of a vault whose last request has this hash, newest first.
    fn requested(&self, vault: VaultId, request: [u8; 32]) -> Result<Vec<Requested>>;
    /// What was added to the messages with these numbers, by number.
    fn additions(&self, memory: MemoryRef, numbers: &[u64]) -> Result<Vec<(u64, Addition)>>;
    /// How often all additions of a vault were dropped.
    fn additions_epoch(&self, vault: VaultId) -> Result<u64>;
    /// When the text with this SHA-256 was said, as another system had it.
    fn promised_time(&self, memory: MemoryRef, text: [u8; 32]) -> Result<Option<Timestamp>>;
    /// All such times that wait for their text, by hash.
    fn promised_times(&self, memory: MemoryRef) -> Result<Vec<([u8; 32], Timestamp)>>;
}

/// Ledgers, to change.
pub trait LedgerTx {
    /// Adds the head of a ledger or replaces it.
    fn put_ledger_head(&mut self, memory: MemoryRef, head: &LedgerHead) -> Result<()>;
    /// Adds a line or replaces the one with its number.
    fn put_ledger_line(&mut self, memory: MemoryRef, line: &LedgerLine) -> Result<()>;
    /// Keeps the time of a text that has not been seen yet, or lets go of it.
    fn put_promised_time(
        &mut self,
        memory: MemoryRef,
        text: [u8; 32],
        time: Option<Timestamp>,
    ) -> Result<()>;
    /// Adds a proof or replaces the one with its hash in this memory.
    fn put_proof(&mut self, memory: MemoryRef, proof: &Proof) -> Result<()>;
    /// Keeps what was added to the message with this number, in place of what was kept before.
    fn put_addition(&mut self, memory: MemoryRef, number: u64, addition: &Addition) -> Result<()>;
    /// Drops all additions of a vault and counts that.
    fn drop_additions(&mut self, vault: VaultId) -> Result<()>;
    /// Takes entries off the branch they were put on.
    fn rejoin_entries(&mut self, memory: MemoryRef, entries: &[EntryId]) -> Result<()>;
}
