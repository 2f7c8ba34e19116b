//! What the engine needs from the world. It names no technology.

mod embedder;
mod ledger;
mod llm;
mod past;
mod query;
mod snapshot;
mod store;
mod tombstone;
mod tx;
mod writer;

pub use crate::memory::{Cursor, MemoryRef, Removed};
pub use embedder::Embedder;
pub use ledger::{
    Addition, LastRequest, LedgerHead, LedgerLine, LedgerLines, LedgerSelection, Placeholder,
    Proof, ProofHolder,
};
pub use llm::{AskedHash, Finish, Llm, Prompt, PromptMessage, Reply, ReplySchema, Spent, Usage};
pub use past::{ConversationExtent, PastEntry, PastFact, PastKind, PastRows, Replaced};
pub use query::{
    ArchiveFilter, Buckets, ChapterSelection, ContextSelection, ContextVersion, ConversationOrder,
    ConversationQuery, ConversationSelection, EachOf, EntryQuery, EntryState, FactSelection,
    JobSelection, MemorySelection, Neighbour, Order, ReceiptSelection, Speakers, TimeAxis,
    TimeSide, VaultSelection, Which,
};
pub use snapshot::Snapshot;
pub use store::{Reading, Store, Wait, Writing};
pub use tombstone::{ForgottenPeriod, Tombstone, TombstoneKind, TombstoneOwner};
pub use tx::{EntryChange, Erasure, Removal, Row, Tx};
pub use writer::{
    ChapterMaterial, ChapterWords, ChapterWriter, CondenseMaterial, CondenseRule, StateMaterial,
    SummaryMaterial,
};
