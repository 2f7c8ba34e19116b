//! What the ledger needs from a store: lines in order, a head, promised times.

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
    /// Memories of a vault whose line holds this mark, by id.
    fn ledger_kin(&self, vault: VaultId, mark: [u8; 32], limit: usize) -> Result<Vec<MemoryId>>;
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
    /// Takes entries off the branch they were put on.
    fn rejoin_entries(&mut self, memory: MemoryRef, entries: &[EntryId]) -> Result<()>;
}
