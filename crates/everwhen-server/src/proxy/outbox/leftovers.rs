//! What an earlier process left: rows of the outbox, and the spool that came before it.

use std::path::Path;

use axum::http::HeaderMap;
use everwhen::outbox::{Ack, OutboxRow, RowState, Waiting};
use everwhen::{Error, ProxyConfig, Result, Unnamed};
use everwhen_protocols::ChatEndpoint;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::super::new_chats::fresh_name;
use super::super::recording::chat_of;
use super::super::wire::kept::{KeptHead, KeptReply, Spooled, write_message};
use super::super::{history, programs};
use super::Outbox;
use super::lanes::{LaneName, Step};

/// The spool, and what could not be kept from it.
const SPOOLS: [&str; 2] = ["proxy-spool.jsonl", "proxy-spool.refused.jsonl"];

/// Puts a row that was left into its lane again. Its client is gone, so it is over.
pub(super) fn enter(outbox: &Outbox, row: &Waiting) {
    let memory = row.lane.split_once("/memory/").map(|(_, memory)| memory.to_owned());
    let chat = row.lane.rsplit('/').next().and_then(|text| u64::from_str_radix(text, 16).ok());
    let lane = LaneName { vault: row.vault.clone(), memory, chat: chat.unwrap_or_default() };
    outbox.lanes.add_to(row.lane.clone(), &lane, row.id, Step::Over(None));
}

/// Takes the spool of an earlier version in, once.
pub(super) fn take_in_spool(directory: &Path, outbox: &Outbox, config: &ProxyConfig) -> Result<()> {
    for name in SPOOLS {
        let path = directory.join(name);
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let mut acks = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match row(line, outbox, config) {
                Ok(row) => acks.extend(outbox.put(row)),
                Err(error) => tracing::error!(%error, file = name, "a line cannot be read"),
            }
        }
        let rows = acks.len();
        wait(acks)?;
        std::fs::remove_file(&path)
            .map_err(|error| Error::unavailable(format!("cannot remove {name}: {error}")))?;
        tracing::info!(rows, file = name, "the spool of an earlier version was taken in");
    }
    Ok(())
}

/// Waits until rows are durable, on a thread of its own: a runtime's may not be blocked so.
fn wait(acks: Vec<Ack>) -> Result<()> {
    let closed = || Error::unavailable("the outbox is closed");
    let all = move || {
        let heard = |ack: Ack| ack.blocking_recv().unwrap_or_else(|_| Err(closed()));
        acks.into_iter().try_for_each(heard)
    };
    std::thread::spawn(all).join().unwrap_or_else(|_| Err(closed()))
}

fn row(line: &str, outbox: &Outbox, config: &ProxyConfig) -> Result<OutboxRow> {
    let spooled: Spooled = serde_json::from_str(line)
        .map_err(|error| Error::invalid(format!("it is no JSON of a spool: {error}")))?;
    let time: Timestamp =
        spooled.at.parse().map_err(|error| Error::invalid(format!("its time: {error}")))?;
    let chat = ChatEndpoint::named(&spooled.route)
        .ok_or_else(|| Error::invalid(format!("no route is called {:?}", spooled.route)))?;
    let asked = chat.format.request(&spooled.request);
    let mut asked = asked.ok_or_else(|| Error::invalid("its request cannot be read"))?;
    let headers = HeaderMap::new();
    let purpose = programs::attribute(&mut asked, &headers, config.tool_output.value);
    let history = history::history(&asked, &purpose, &headers);
    let mut chance = [0; 16];
    chance.copy_from_slice(&Sha256::digest(line)[..16]);
    let is_new = spooled.memory.is_none() && config.unnamed.value == Unnamed::New;
    let lane = LaneName {
        vault: spooled.vault.clone(),
        memory: spooled.memory.clone(),
        chat: chat_of(&history.messages),
    };
    let reply = KeptReply {
        content: spooled.reply,
        truncated: spooled.truncated,
        tools: spooled.tools,
        ids: spooled.ids,
        ..KeptReply::default()
    };
    let head = KeptHead {
        client: spooled.client,
        chat_of: spooled.chat_of,
        otherwise: is_new.then(|| fresh_name(time, chance)),
        reply: Some(reply),
        ..KeptHead::of(&history, time.as_microsecond(), spooled.at_once)
    };
    Ok(OutboxRow {
        id: outbox.next_id(),
        lane: lane.text(),
        vault: spooled.vault,
        memory: spooled.memory,
        state: RowState::Complete,
        accepted_at: head.time(),
        head: head.write(),
        parts: history.messages.iter().map(|message| write_message(message).into()).collect(),
    })
}
