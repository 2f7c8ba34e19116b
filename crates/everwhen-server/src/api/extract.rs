//! Extractors for path, query, body and idempotency key; every rejection is a problem document.
//!
//! A handler gets its vault only from [`OpenVault`] or [`OpenOrCreateVault`], which open only
//! vaults that the caller may use. So isolation does not depend on any handler.

mod body;
mod idempotency;
mod path;

pub(crate) use crate::query_params::QueryParams;
pub(crate) use body::{JsonBody, OptionalJsonBody};
pub(crate) use idempotency::IdempotencyKey;
pub(crate) use path::{
    ConversationInPath, EntryInPath, FactInPath, ImportInPath, JobInPath, KeyInPath, MemoryInPath,
    OpenOrCreateVault, OpenVault, VaultInPath, VersionInPath,
};
