//! What a caller asks: path, query, body and idempotency key, each read by an extractor whose
//! every rejection is a problem document.
//!
//! A handler gets its vault from [`VaultOf`] or [`VaultToWrite`] and from nowhere else, and these
//! hand out only what the caller may hold. So isolation does not depend on any handler.

mod body;
mod once;
mod path;
mod query;

pub(crate) use body::{Sent, SentOrNot};
pub(crate) use once::Once;
pub(crate) use path::{
    ConversationAt, EntryAt, FactAt, JobAt, KeyAt, MemoryAt, VaultAt, VaultOf, VaultToWrite,
};
pub(crate) use query::Asked;
