//! Conversations as they stood at an earlier creation_time.
//!
//! What a conversation was then follows from the entries that were in it then, and from what the store keeps of its
//! former states. Every conversation within the bounds is read, because its place in the list is that of the moment.

use std::collections::HashSet;

use jiff::Timestamp;

use super::page::{Page, bounded, page};
use super::{ConversationView, MemoryName, Vault, View};
use crate::memory::{Address, Conversation, ConversationId, ConversationName};
use crate::memory_edit::find_conversation;
use crate::past::{branches_at, moved_conversations, restore_conversations};
use crate::ports::{ArchiveFilter, ConversationOrder, ConversationQuery, EntryQuery, Order, Which};
use crate::{Error, Result};

impl Vault {
    /// Lists conversations as they stood at a creation_time.
    pub async fn conversations_as_of(
        &self,
        memory: MemoryName,
        query: ConversationQuery,
        as_of: Timestamp,
    ) -> Result<Page<Conversation, (Timestamp, ConversationId)>> {
        let limit = bounded(query.after, query.before, query.limit)?;
        self.read(memory, move |view, _| {
            let mut all = standing(view, &query, as_of)?;
            let key = |one: &Conversation| (query.by.time_of(one), one.id);
            all.sort_by_key(key);
            if query.order == Order::Newest {
                all.reverse();
            }
            let is_behind = |one: &Conversation| match (query.from, query.order) {
                (None, _) => true,
                (Some(from), Order::Oldest) => key(one) > from,
                (Some(from), Order::Newest) => key(one) < from,
            };
            all.retain(is_behind);
            Ok(page(all, limit, key))
        })
        .await
    }

    /// Returns a conversation as it stood at a creation_time, with its entries and branches.
    pub async fn conversation_as_of(
        &self,
        memory: MemoryName,
        address: ConversationName,
        as_of: Timestamp,
    ) -> Result<ConversationView> {
        self.read(memory, move |view, _| {
            let (id, conversation) = single(view, &address, as_of)?;
            let branches = branches_at(view.snapshot, view.place, id, as_of)?;
            let query = EntryQuery::of_conversation(id, Which::AsOf(as_of));
            let entries = view.snapshot.entries(view.place, &query)?;
            Ok(ConversationView { conversation, branches, entries })
        })
        .await
    }
}

/// Returns a conversation as it stood at a moment. One that has become part of another since is shown as itself, if
/// it had entries of its own then.
fn single(
    view: &View<'_>,
    address: &ConversationName,
    as_of: Timestamp,
) -> Result<(ConversationId, Conversation)> {
    let now = find_conversation(view.snapshot, view.place, address)?;
    let mut rows = vec![now.clone()];
    if let Address::Id(id) = address
        && *id != now.id
    {
        rows.insert(0, Conversation { id: *id, ..now.clone() });
    }
    let stood = restore_conversations(view.snapshot, view.place, as_of, rows)?;
    let found = stood.into_iter().flatten().next().map(|one| (one.id, one));
    found.ok_or_else(|| {
        Error::not_found(format!("nothing of conversation {} was stored by {as_of}", now.id))
    })
}

/// Returns the conversations that stood at a moment and match the query, in no order.
fn standing(
    view: &View<'_>,
    query: &ConversationQuery,
    as_of: Timestamp,
) -> Result<Vec<Conversation>> {
    // Where a conversation lies now, it lay then, unless entries were moved; whether it was over or archived is
    // known only after it was restored.
    let candidates = ConversationQuery {
        archive: ArchiveFilter::Both,
        after: query.after,
        before: query.before,
        ..ConversationQuery::default()
    };
    let mut rows = view.snapshot.conversations(view.place, &candidates)?;
    let known: HashSet<ConversationId> = rows.iter().map(|one| one.id).collect();
    rows.extend(moved_conversations(view.snapshot, view.place, as_of, &known)?);
    let stood = restore_conversations(view.snapshot, view.place, as_of, rows)?;
    Ok(stood.into_iter().flatten().filter(|one| matches(query, one)).collect())
}

fn matches(query: &ConversationQuery, then: &Conversation) -> bool {
    query.ended.is_none_or(|ended| ended == then.ended.is_some())
        && (query.by == ConversationOrder::Started || then.ended.is_some())
        && match query.archive {
            ArchiveFilter::Listed => then.archived_at.is_none(),
            ArchiveFilter::Archived => then.archived_at.is_some(),
            ArchiveFilter::Both => true,
        }
        && query.after.is_none_or(|after| then.last_at >= after)
        && query.before.is_none_or(|before| then.started_at < before)
}
