//! What a caller asks: path, query, body and idempotency key, each read by an extractor whose
//! every rejection is a problem document.
//!
//! A handler gets its vault from [`OpenVault`] or [`OpenOrCreateVault`] and from nowhere else, and these
//! hand out only what the caller may hold. So isolation does not depend on any handler.

mod body;
mod idempotency;
mod path;
mod query;

pub(crate) use body::{JsonBody, OptionalJsonBody};
pub(crate) use idempotency::IdempotencyKey;
pub(crate) use path::{
    ConversationInPath, EntryInPath, FactInPath, JobInPath, KeyInPath, MemoryInPath,
    OpenOrCreateVault, OpenVault, VaultInPath,
};
pub(crate) use query::QueryParams;
