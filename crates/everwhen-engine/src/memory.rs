//! What memory is made of, in reading order: ids, names, what was said, entries, conversations,
//! context documents, and the vaults and memories that hold them.

mod context;
mod conversation;
mod entry;
mod id;
mod lifecycle;
mod name;
mod person;
mod said;
pub(crate) mod vaults;

pub use context::{ContextBy, ContextDocument, NewContext};
pub use conversation::{
    Branch, Conversation, ConversationName, Ended, EndedBy, Summary, SummaryBy,
};
pub(crate) use entry::check_summary;
pub use entry::{Corrected, Correction, Entry, Metadata, NewEntry, Role};
pub use id::{
    BranchId, Chance, ChapterId, ContextId, ConversationId, EntryId, FactId, JobId, KeyId,
    MemoryId, Mint, SeededChance, VaultId,
};
pub use lifecycle::{ConversationState, Lifecycle};
pub use name::{Address, Name};
pub use person::Person;
pub use said::Said;
pub use vaults::{Memory, Retention, Settings, SettingsChange, VaultInfo};
