//! The context prompt: the current conversation, and the last ones, as text for a model.

use jiff::Timestamp;

use super::boundary::is_pause;
use crate::Result;
use crate::memory::{Conversation, Entry, Memory, Role, VaultInfo};
use crate::ports::{
    ConversationOrder, ConversationQuery, EntryQuery, MemoryRef, Order, Snapshot, Which,
};
use crate::when::Zone;

/// So many ended conversations are told before the current one.
const RECENT: usize = 2;

/// The prompt for a memory as it stands at `now`; empty if there is nothing to tell.
pub(crate) fn render(
    snapshot: &dyn Snapshot,
    vault: &VaultInfo,
    memory: &Memory,
    now: Timestamp,
) -> Result<String> {
    let place = MemoryRef { vault: vault.id, memory: memory.id };
    let mut sections = Vec::new();
    sections.extend(recent(snapshot, place, &vault.zone, None)?);
    sections.extend(current(snapshot, place, vault, now)?);
    sections.extend(pending(snapshot, place, vault, memory, now)?);
    Ok(sections.join("\n\n"))
}

/// The last conversations that ended, and had ended before a given time.
pub(super) fn recent(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    zone: &Zone,
    before: Option<Timestamp>,
) -> Result<Option<String>> {
    let newest = ConversationQuery {
        before,
        ended: Some(true),
        by: ConversationOrder::Ended,
        order: Order::Newest,
        limit: Some(RECENT),
        ..ConversationQuery::default()
    };
    let mut ended = snapshot.conversations(place, &newest)?;
    ended.reverse();
    let told: Vec<String> = ended.iter().filter_map(|one| tell(one, zone)).collect();
    Ok((!told.is_empty()).then(|| format!("## Recent Conversations\n\n{}", told.join("\n\n"))))
}

fn tell(conversation: &Conversation, zone: &Zone) -> Option<String> {
    let (summary, ended) = (conversation.summary.as_ref()?, conversation.ended.as_ref()?);
    Some(format!("### {} (ended {})\n{}", summary.title, zone.rfc3339(ended.at), summary.text))
}

fn current(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    vault: &VaultInfo,
    now: Timestamp,
) -> Result<Option<String>> {
    let Some(active) = active(snapshot, place, vault, now)? else { return Ok(None) };
    let query = EntryQuery::of_conversation(active.id, Which::Current);
    let entries = snapshot.entries(place, &query)?;
    let lines: Vec<String> = entries.iter().map(|entry| line(entry, &vault.zone)).collect();
    Ok(Some(format!("## Current Conversation\n{}", lines.join("\n\n"))))
}

/// The conversation that a word said now would continue.
pub(crate) fn active(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    vault: &VaultInfo,
    now: Timestamp,
) -> Result<Option<Conversation>> {
    let query = ConversationQuery { ended: Some(false), ..ConversationQuery::default() };
    let open = snapshot.conversations(place, &query)?;
    let timeout = vault.settings.idle_timeout();
    let alive = open.into_iter().filter(|one| {
        !is_pause(one.last_at, now, timeout) && !is_pause(now, one.started_at, timeout)
    });
    Ok(alive.max_by_key(|one| (one.last_at, one.id)))
}

pub(super) fn line(entry: &Entry, zone: &Zone) -> String {
    let tools: Vec<&str> = entry.tools_used.iter().map(|tool| tool.as_str()).collect();
    let used =
        if tools.is_empty() { String::new() } else { format!(" [used: {}]", tools.join(", ")) };
    let time = zone.rfc3339(entry.conversation_time);
    format!("[{time}]\n{}: {}{used}", speaker(entry), entry.content.as_str())
}

/// The name a line begins with: the speaker's own, else the role's.
pub(crate) fn speaker(entry: &Entry) -> &str {
    match (&entry.speaker, entry.role) {
        (Some(name), _) => name.as_str(),
        (None, Role::User) => "User",
        (None, Role::Assistant) => "Assistant",
        (None, Role::System) => "System",
        (None, Role::Tool) => "Tool",
    }
}

pub(super) fn pending(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    vault: &VaultInfo,
    memory: &Memory,
    now: Timestamp,
) -> Result<Option<String>> {
    let Some((question, asked_at)) = memory.waiting else { return Ok(None) };
    if now.duration_since(asked_at) > vault.settings.state_timeout() {
        return Ok(None);
    }
    let entry = snapshot.entry(place, question)?;
    Ok(entry.map(|entry| {
        let time = vault.zone.rfc3339(asked_at);
        format!(
            "## Pending Context\nYou asked at {time} and wait for the answer: {}",
            entry.content.as_str()
        )
    }))
}
