//! The context prompt: the current conversation, and the last ones, as text for a model.

use jiff::Timestamp;

use super::boundary::active;
use crate::Result;
use crate::memory::{Conversation, Entry, Memory, VaultInfo};
use crate::ports::{
    ConversationOrder, ConversationQuery, EntryQuery, MemoryRef, Order, Snapshot, Which,
};
use crate::text::quoted;
use crate::time::Zone;

/// The number of ended conversations that stand before the current one.
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
    sections.extend(recent(snapshot, place, &vault.zone)?);
    sections.extend(current(snapshot, place, vault, now)?);
    sections.extend(pending(snapshot, place, vault, memory, now)?);
    Ok(sections.join("\n\n"))
}

fn recent(snapshot: &dyn Snapshot, place: MemoryRef, zone: &Zone) -> Result<Option<String>> {
    let sections: Vec<String> =
        ended(snapshot, place, None)?.iter().filter_map(|one| section(one, zone)).collect();
    Ok((!sections.is_empty())
        .then(|| format!("## Recent Conversations\n\n{}", sections.join("\n\n"))))
}

/// The last conversations that ended, and had ended before a given time, oldest first.
pub(crate) fn ended(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    before: Option<Timestamp>,
) -> Result<Vec<Conversation>> {
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
    Ok(ended)
}

fn section(conversation: &Conversation, zone: &Zone) -> Option<String> {
    let (summary, ended) = (conversation.summary.as_ref()?, conversation.ended.as_ref()?);
    let (title, text) = (quoted(&summary.title), quoted(&summary.text));
    Some(format!("### {title} (ended {})\n{text}", zone.rfc3339(ended.at)))
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

fn line(entry: &Entry, zone: &Zone) -> String {
    let tools: Vec<&str> = entry.tools_used.iter().map(|tool| tool.as_str()).collect();
    let used =
        if tools.is_empty() { String::new() } else { format!(" [used: {}]", tools.join(", ")) };
    let time = zone.rfc3339(entry.conversation_time);
    let (speaker, said) = (quoted(entry.speaker_label()), quoted(entry.content.as_str()));
    format!("[{time}]\n{speaker}: {said}{used}")
}

fn pending(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    vault: &VaultInfo,
    memory: &Memory,
    now: Timestamp,
) -> Result<Option<String>> {
    let waiting = waiting(snapshot, place, vault, memory, now)?;
    Ok(waiting.map(|(asked_at, entry)| {
        let (time, question) = (vault.zone.rfc3339(asked_at), quoted(entry.content.as_str()));
        format!("## Pending Context\nYou asked at {time} and wait for the answer: {question}")
    }))
}

/// The question that waits for an answer, and since when.
pub(super) fn waiting(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    vault: &VaultInfo,
    memory: &Memory,
    now: Timestamp,
) -> Result<Option<(Timestamp, Entry)>> {
    let Some((question, asked_at)) = memory.waiting else { return Ok(None) };
    if now.duration_since(asked_at) > vault.settings.state_timeout() {
        return Ok(None);
    }
    Ok(snapshot.entry(place, question)?.map(|entry| (asked_at, entry)))
}
