//! What the oracle stores about models: usage, replies, activities.

use everwhen_engine::activity::Activity;
use everwhen_engine::memory::{ConversationId, VaultId};
use everwhen_engine::ports::{AskedHash, MemoryRef, Reply};
use everwhen_engine::usage::Usage;
use jiff::Timestamp;
use jiff::civil::Date;

use super::changes::{drop_rows, replace};
use super::state::State;

/// A reply, whose it is, and since when.
#[derive(Clone)]
pub(super) struct ReplyRow {
    pub(super) vault: VaultId,
    asked: AskedHash,
    reply: Reply,
    at: Timestamp,
}

impl State {
    pub(super) fn usage_of(&self, vault: VaultId, since: Date) -> Vec<Usage> {
        let meant = self.usage.iter().filter(|(owner, row)| *owner == vault && row.day >= since);
        let mut rows: Vec<Usage> = meant.map(|(_, row)| row.clone()).collect();
        rows.sort_by(|a, b| (a.day, &a.model, &a.purpose).cmp(&(b.day, &b.model, &b.purpose)));
        rows
    }

    pub(super) fn cost_of_all(&self, since: Date) -> u64 {
        let meant = self.usage.iter().filter(|(_, row)| row.day >= since);
        meant.map(|(_, row)| row.spent.cost_nanos).sum()
    }

    pub(super) fn reply_to(&self, vault: VaultId, asked: &AskedHash) -> Option<Reply> {
        let found = self.replies.iter().find(|row| row.vault == vault && row.asked == *asked);
        found.map(|row| row.reply.clone())
    }

    pub(super) fn add_usage(&mut self, vault: VaultId, usage: &Usage) {
        let same = |(owner, row): &&mut (VaultId, Usage)| {
            *owner == vault
                && (row.day, &row.model, &row.purpose) == (usage.day, &usage.model, &usage.purpose)
        };
        match self.usage.iter_mut().find(same) {
            Some((_, row)) => {
                row.calls += usage.calls;
                row.cached += usage.cached;
                row.spent = row.spent + usage.spent;
            }
            None => self.usage.push((vault, usage.clone())),
        }
    }

    pub(super) fn put_reply(
        &mut self,
        vault: VaultId,
        asked: &AskedHash,
        reply: &Reply,
        at: Timestamp,
    ) {
        let new = ReplyRow { vault, asked: *asked, reply: reply.clone(), at };
        replace(&mut self.replies, new, |row| row.vault == vault && row.asked == *asked);
    }

    pub(super) fn remove_replies(&mut self, vault: VaultId, before: Option<Timestamp>) -> u64 {
        let doomed = |row: &ReplyRow| row.vault == vault && before.is_none_or(|time| row.at < time);
        drop_rows(&mut self.replies, doomed)
    }

    pub(super) fn activities_in(
        &self,
        memory: MemoryRef,
        conversation: ConversationId,
    ) -> Vec<Activity> {
        let meant = self.activities.iter().filter(|row| (row.0, row.1) == (memory, conversation));
        let mut rows: Vec<Activity> = meant.map(|row| row.2.clone()).collect();
        rows.sort_by_key(|one| {
            let name = one.name.as_ref().map(ToString::to_string);
            (one.began_at, one.kind.as_str(), name.unwrap_or_default(), one.lasted)
        });
        rows
    }
}
