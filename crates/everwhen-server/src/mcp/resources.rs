//! Resources: conversations, memories and timelines as Markdown.
//!
//! `everwhen://conversations/{id}`, `everwhen://memories/{id}`, `everwhen://timeline/{memory}`. A
//! conversation is one of the client's default memory; the others name their memory.

use everwhen::memory::{Address, ConversationId, MemoryId};
use everwhen::ports::{ContextVersion, ConversationOrder, ConversationQuery, EntryQuery, Order};
use everwhen::{Error, ErrorKind, Result, TimelineLine, Vault, limits};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use super::call::ToolCall;

const SCHEME: &str = "everwhen://";
const MARKDOWN: &str = "text/markdown";
/// Maximum number of memories and of conversations that are listed; the templates reach all others.
const LISTED: usize = 50;
/// Characters that are not percent-encoded in a URI.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// URI templates of all resources.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    [
        ("conversations/{id}", "conversation", "Conversation", "A conversation with all messages"),
        ("memories/{id}", "memory", "Memory", "What a memory is about, and its last conversations"),
        ("timeline/{memory}", "timeline", "Timeline", "Dated lines, with the days in between"),
    ]
    .map(|(path, name, title, about)| {
        ResourceTemplate::new(format!("{SCHEME}{path}"), name)
            .with_title(title)
            .with_description(about)
            .with_mime_type(MARKDOWN)
    })
    .into()
}

/// Lists the memories with their timelines, and the latest conversations.
pub(crate) async fn list(call: &ToolCall) -> Result<Vec<Resource>> {
    let vault = match call.vault(None).await {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        found => found?,
    };
    let mut all = Vec::new();
    for memory in vault.memories(None, Some(LISTED)).await?.data {
        let name = memory.name.to_string();
        let about = memory.description.unwrap_or_else(|| format!("What {name} is about"));
        all.push(resource("memories", &name, &format!("Memory {name}"), &about));
        let about = "What was said, dated, with the days in between";
        all.push(resource("timeline", &name, &format!("Timeline of {name}"), about));
    }
    for conversation in recent(&vault, call.memory(None)?, LISTED).await? {
        let id = conversation.wire_name();
        let (title, about) = conversation.summary.map(|it| (it.title, it.text)).unzip();
        let title = title.unwrap_or_else(|| format!("Conversation of {}", conversation.started_at));
        let about = about.unwrap_or_else(|| "A conversation without a summary yet".into());
        all.push(resource("conversations", &id, &title, &about));
    }
    Ok(all)
}

fn resource(kind: &str, id: &str, title: &str, about: &str) -> Resource {
    let uri = format!("{SCHEME}{kind}/{}", utf8_percent_encode(id, PLAIN));
    Resource::new(uri, id).with_title(title).with_description(about).with_mime_type(MARKDOWN)
}

/// The latest ended conversations of a memory; empty if the memory does not exist.
pub(super) async fn recent(
    vault: &Vault,
    memory: Address<MemoryId>,
    limit: usize,
) -> Result<Vec<everwhen::memory::Conversation>> {
    let query = ConversationQuery {
        ended: Some(true),
        by: ConversationOrder::Ended,
        order: Order::Newest,
        limit: Some(limit),
        ..ConversationQuery::default()
    };
    match vault.conversations(memory, query).await {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        page => Ok(page?.data),
    }
}

/// Reads a resource.
pub(crate) async fn read(call: &ToolCall, uri: &str) -> Result<ResourceContents> {
    let missing = || Error::not_found(format!("resource not found: {uri}"));
    let (kind, id) =
        uri.strip_prefix(SCHEME).and_then(|path| path.split_once('/')).ok_or_else(missing)?;
    let id = percent_decode_str(id).decode_utf8().map_err(|_| missing())?;
    let text = match kind {
        "conversations" => conversation(call, &id).await,
        "memories" => memory(call, &id).await,
        "timeline" => timeline(call, &id).await,
        _ => Err(missing()),
    };
    Ok(ResourceContents::text(text?, uri).with_mime_type(MARKDOWN))
}

async fn conversation(call: &ToolCall, id: &str) -> Result<String> {
    let vault = call.vault(None).await?;
    let zone = vault.info().await?.zone;
    let address = Address::<ConversationId>::read("conversation", id)?;
    let view = vault.conversation(call.memory(None)?, address).await?;
    let summary = view.conversation.summary;
    let title = summary.as_ref().map_or("Conversation", |summary| &summary.title);
    let mut lines = vec![format!("# {title}"), String::new()];
    lines.extend(summary.as_ref().map(|summary| format!("{}\n", summary.text)));
    for entry in view.entries {
        let time = zone.minute(entry.conversation_time);
        lines.push(format!("- {time} {}: {}", entry.role.as_str(), entry.content.as_str()));
    }
    Ok(lines.join("\n"))
}

async fn memory(call: &ToolCall, id: &str) -> Result<String> {
    let vault = call.vault(None).await?;
    let zone = vault.info().await?.zone;
    let address = Address::<MemoryId>::read("memory", id)?;
    let memory = vault.memory(address.clone()).await?;
    let mut lines = vec![format!("# {}", memory.name), String::new()];
    lines.extend(memory.description.map(|about| format!("{about}\n")));
    match vault.context(address.clone(), ContextVersion::Current).await {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        context => lines.push(format!("{}\n", context?.content)),
    }
    lines.push("## Last conversations\n".into());
    for conversation in recent(&vault, address, LISTED).await? {
        let (when, id) = (zone.minute(conversation.started_at), conversation.wire_name());
        let title = conversation.summary.map_or("no title yet".into(), |summary| summary.title);
        lines.push(format!("- {when} {title} ({id})"));
    }
    Ok(lines.join("\n"))
}

async fn timeline(call: &ToolCall, id: &str) -> Result<String> {
    let vault = call.vault(None).await?;
    let address = Address::<MemoryId>::read("memory", id)?;
    let query = EntryQuery { limit: Some(limits::PAGE_ROWS), ..EntryQuery::default() };
    let page = vault.timeline(address, query).await?;
    let lines: Vec<String> = page.data.iter().map(TimelineLine::text).collect();
    Ok(lines.join("\n"))
}
