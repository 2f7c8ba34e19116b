//! What memory is made of, in reading order: ids, names, what was said, entries, conversations,
//! context documents, and the vaults and memories that hold them.

mod activity;
mod chapter;
mod chapter_rules;
mod context;
mod conversation;
mod entry;
mod fact;
mod forget_mark;
mod id;
mod lifecycle;
mod name;
mod person;
mod provenance;
mod reference;
mod removed;
mod said;
mod statement;
mod text_hash;
mod unicode_names;
pub(crate) mod vaults;

pub use activity::{Activity, ActivityKind, ConversationTime};
pub use chapter::{Chapter, ChapterKind, RollingSummary};
pub(crate) use chapter::{FIRST_CHAPTER_CHECK, chapter_digest, chapter_digest_of, chapters_mark};
pub use chapter_rules::{ChapterRules, Folding};
pub use context::{ContextBy, ContextDocument, NewContext};
pub use conversation::{
    Branch, Conversation, ConversationName, Ended, EndedBy, Retrospection, Summary, SummaryBy,
};
pub use entry::{Corrected, Correction, Entry, Metadata, NewEntry, Role};
pub(crate) use entry::{check_summary, check_tags};
pub(crate) use fact::Retrieved;
pub use fact::{
    EmbedderThresholds, Evidence, Fact, FactRules, FactVector, Fading, HALF_LIFE, Link, Matter,
    Priority, Relation, Source, WrittenBy,
};
pub use forget_mark::{ForgetMark, NoForgetMark};
pub use id::{
    BranchId, Chance, ChapterId, ContextId, ConversationId, EntryId, FactId, JobId, KeyId,
    MemoryId, Mint, SeededChance, VaultId,
};
pub use lifecycle::{ConversationState, Lifecycle};
pub use name::{Address, Name};
pub use person::Person;
pub use provenance::{Provenance, TimeFrom, TimePrecision, ZoneFrom};
pub use reference::{Cursor, MemoryRef};
pub use removed::{Forget, Removed};
pub use said::Said;
pub use statement::GraphRelation;
pub(crate) use statement::{STATEMENT_LABEL, Statement, is_statement};
pub use text_hash::TextHash;
pub use vaults::{Memory, Retention, Settings, SettingsChange, VaultInfo};
