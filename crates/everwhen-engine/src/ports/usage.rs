//! Rows about asking a language model: what it took, and what it answered.

use jiff::Timestamp;
use jiff::civil::Date;

use super::Reply;
use crate::Result;
use crate::memory::VaultId;
use crate::usage::Usage;

/// The hash of a model and what it was asked.
pub type AskedHash = [u8; 32];

/// What can be looked up; part of every [`Snapshot`](super::Snapshot).
pub trait UsageRows {
    /// What a vault used from `since` on, by day, model and purpose.
    fn usage(&self, vault: VaultId, since: Date) -> Result<Vec<Usage>>;
    /// What all vaults together cost from `since` on, in billionths.
    fn cost_since(&self, since: Date) -> Result<u64>;
    /// What a model answered before.
    fn kept_reply(&self, vault: VaultId, asked: &AskedHash) -> Result<Option<Reply>>;
}

/// What can be written; part of every [`Tx`](super::Tx).
pub trait UsageTx: UsageRows {
    /// Adds to what a vault used on a day, with a model, for a purpose.
    fn add_usage(&mut self, vault: VaultId, usage: &Usage) -> Result<()>;
    /// Keeps what a model answered, in the place of what it may have answered before.
    fn keep_reply(
        &mut self,
        vault: VaultId,
        asked: &AskedHash,
        reply: &Reply,
        at: Timestamp,
    ) -> Result<()>;
    /// Drops what models answered before an instant, or all of it.
    fn drop_replies(&mut self, vault: VaultId, before: Option<Timestamp>) -> Result<()>;
}
