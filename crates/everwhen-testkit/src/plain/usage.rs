//! What the oracle keeps about models: usage, replies, activities.

use everwhen_engine::Result;
use everwhen_engine::activity::Activity;
use everwhen_engine::memory::{ConversationId, VaultId};
use everwhen_engine::ports::{
    ActivityRows, ActivityTx, AskedHash, MemoryRef, Reply, UsageRows, UsageTx,
};
use everwhen_engine::usage::Usage;
use jiff::Timestamp;
use jiff::civil::Date;

use super::shelves::Shelves;

/// A reply, whose it is, and since when.
#[derive(Clone)]
pub(super) struct ReplyRow {
    pub(super) vault: VaultId,
    asked: AskedHash,
    reply: Reply,
    at: Timestamp,
}

impl UsageRows for Shelves {
    fn usage(&self, vault: VaultId, since: Date) -> Result<Vec<Usage>> {
        let meant = self.usage.iter().filter(|(owner, row)| *owner == vault && row.day >= since);
        let mut rows: Vec<Usage> = meant.map(|(_, row)| row.clone()).collect();
        rows.sort_by(|a, b| (a.day, &a.model, &a.purpose).cmp(&(b.day, &b.model, &b.purpose)));
        Ok(rows)
    }

    fn cost_since(&self, since: Date) -> Result<u64> {
        let meant = self.usage.iter().filter(|(_, row)| row.day >= since);
        Ok(meant.map(|(_, row)| row.spent.cost_nanos).sum())
    }

    fn kept_reply(&self, vault: VaultId, asked: &AskedHash) -> Result<Option<Reply>> {
        let found = self.replies.iter().find(|row| row.vault == vault && row.asked == *asked);
        Ok(found.map(|row| row.reply.clone()))
    }
}

impl UsageTx for Shelves {
    fn add_usage(&mut self, vault: VaultId, usage: &Usage) -> Result<()> {
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
        Ok(())
    }

    fn keep_reply(
        &mut self,
        vault: VaultId,
        asked: &AskedHash,
        reply: &Reply,
        at: Timestamp,
    ) -> Result<()> {
        self.replies.retain(|row| row.vault != vault || row.asked != *asked);
        self.replies.push(ReplyRow { vault, asked: *asked, reply: reply.clone(), at });
        Ok(())
    }

    fn drop_replies(&mut self, vault: VaultId, before: Option<Timestamp>) -> Result<()> {
        let doomed = |row: &ReplyRow| row.vault == vault && before.is_none_or(|time| row.at < time);
        self.replies.retain(|row| !doomed(row));
        Ok(())
    }
}

impl ActivityRows for Shelves {
    fn activities(&self, memory: MemoryRef, conversation: ConversationId) -> Result<Vec<Activity>> {
        let meant = self.activities.iter().filter(|row| (row.0, row.1) == (memory, conversation));
        let mut rows: Vec<Activity> = meant.map(|row| row.2.clone()).collect();
        rows.sort_by_key(|one| {
            let name = one.name.as_ref().map(ToString::to_string);
            (one.began_at, one.kind.as_str(), name.unwrap_or_default(), one.lasted)
        });
        Ok(rows)
    }
}

impl ActivityTx for Shelves {
    fn add_activity(
        &mut self,
        memory: MemoryRef,
        conversation: ConversationId,
        activity: &Activity,
    ) -> Result<()> {
        self.activities.push((memory, conversation, activity.clone()));
        Ok(())
    }
}
