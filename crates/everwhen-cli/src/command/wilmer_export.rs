//! `everwhen export wilmer`: a memory as the folder of a WilmerAI discussion.
//!
//! What came from WilmerAI goes back as it was. Chapters that were written here become memories of
//! both kinds, in plain words and to be searched for.

use everwhen::ledger::TextHash;
use everwhen::time::read_time;
use everwhen::wilmer::{
    Discussion, FileMemory, MEMORY_ID, SEARCHABLE_ID, SOURCE, SearchableMemory, write,
};
use serde_json::{Map, Value, json};

use super::wilmer_times;
use crate::args::{ExportFolderArgs, ExportTimesArgs};
use crate::client::Request;
use crate::console::{Console, rows, text};
use crate::failure::{Failure, Result};
use crate::output;

/// What separates several memories that one reply of a model held.
const BETWEEN: &str = " • ";

/// Exports the memory.
pub(crate) async fn run(console: &Console, args: &ExportFolderArgs) -> Result<()> {
    let name = console.memory();
    if name.contains(['/', '\\']) || matches!(name, "." | "..") {
        return Err(Failure::usage(format!("{name:?} cannot be the name of a folder")));
    }
    let discussion = discussion(console).await?;
    let folder = args.folder.join(name);
    let mut files: Vec<&str> = write(&discussion, &folder)?;
    let times = ExportTimesArgs { folder: args.folder.clone(), flat: false };
    wilmer_times::write_file(console, &times).await?;
    files.push(everwhen::wilmer::TIMES);
    if console.json {
        let answer = json!({
            "folder": folder.display().to_string(),
            "files": files,
            "memories": discussion.memories.len(),
            "searchable": discussion.searchable.len(),
        });
        return output::json(&answer.to_string());
    }
    output::line(&format!(
        "Wrote {} to {}: {} memories, {} to be searched for",
        files.join(", "),
        folder.display(),
        discussion.memories.len(),
        discussion.searchable.len()
    ))
}

async fn discussion(console: &Console) -> Result<Discussion> {
    let chapters = chapters(console).await?;
    let mut found = Discussion { id: console.memory().to_owned(), ..Discussion::default() };
    let mut hashes: Vec<(String, String)> = Vec::new();
    for chapter in &chapters {
        if chapter["kind"] != "searchable" && chapter["kind"] != "condensed" {
            let hash = hash(console, chapter).await?;
            hashes.push((text(&chapter["id"]).to_owned(), hash));
        }
    }
    let hash_of = |chapter: &Value| {
        let found = hashes.iter().find(|(id, _)| id == text(&chapter["id"]));
        found.map(|(_, hash)| hash.clone()).unwrap_or_default()
    };
    for chapter in chapters.iter().filter(|one| one["kind"] != "searchable") {
        let is_condensed = chapter["kind"] == "condensed";
        if !is_condensed && chapters.iter().any(|other| condenses(other, chapter)) {
            continue;
        }
        let hash = match is_condensed {
            true => chapters.iter().rev().find(|one| condenses(chapter, one)).map(hash_of),
            false => Some(hash_of(chapter)),
        };
        let memory =
            FileMemory { text: text(&chapter["text"]).to_owned(), hash: hash.unwrap_or_default() };
        if is_condensed {
            found.condensed = Some(memory.hash.clone());
        }
        found.memories.push(memory);
    }
    found.searchable = searchable(&chapters, &hash_of);
    found.log = log(&found.searchable);
    found.summary = summary(console, &chapters, &hash_of).await?;
    let context = console.attempt(Request::get(console.in_memory("/context"))).await?.found()?;
    found.state_document = context.map(|context| text(&context["content"]).to_owned());
    Ok(found)
}

/// All chapters, oldest first.
async fn chapters(console: &Console) -> Result<Vec<Value>> {
    let mut found = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let request = Request::get(console.in_memory("/chapters")).with("limit", Some("1000"));
        let page = console.send(request.with("cursor", cursor)).await?.value()?;
        found.extend(rows(&page).iter().cloned());
        cursor = page["next_cursor"].as_str().map(ToOwned::to_owned);
        if cursor.is_none() {
            return Ok(found);
        }
    }
}

/// Whether a chapter stands in place of another.
fn condenses(condensed: &Value, chapter: &Value) -> bool {
    let time = |value: &Value| read_time(text(value)).ok();
    condensed["kind"] == "condensed"
        && matches!(text(&chapter["kind"]), "written" | "imported")
        && time(&condensed["started_at"]) <= time(&chapter["started_at"])
        && time(&chapter["last_at"]) <= time(&condensed["last_at"])
}

/// The hash of the last message of a chapter: as WilmerAI had it, else of the message here.
async fn hash(console: &Console, chapter: &Value) -> Result<String> {
    if chapter["provenance"]["source"] == SOURCE {
        let id = text(&chapter["provenance"]["source_id"]).trim_start_matches(MEMORY_ID);
        return Ok(id.split('#').next().unwrap_or_default().to_owned());
    }
    let last = read_time(text(&chapter["last_at"]))?;
    let after = last + jiff::SignedDuration::from_micros(1);
    let request = Request::get(console.in_memory("/entries"))
        .with("after", Some(last.to_string()))
        .with("before", Some(after.to_string()));
    let page = console.send(request).await?.value()?;
    let spoken = |one: &&Value| matches!(text(&one["role"]), "user" | "assistant");
    let message = rows(&page).iter().rfind(spoken);
    Ok(message.map(|one| TextHash::of(text(&one["content"])).to_string()).unwrap_or_default())
}

/// Memories to be searched for: those of WilmerAI with their numbers, then those written here.
fn searchable(chapters: &[Value], hash_of: &dyn Fn(&Value) -> String) -> Vec<SearchableMemory> {
    let mut found: Vec<SearchableMemory> = Vec::new();
    for chapter in chapters.iter().filter(|one| one["kind"] == "searchable") {
        let from = &chapter["provenance"];
        let number = text(&from["source_id"]).trim_start_matches(SEARCHABLE_ID).parse();
        let metadata = chapter["metadata"].as_object().cloned().unwrap_or_default();
        found.push(SearchableMemory {
            id: number.unwrap_or_default(),
            text: text(&chapter["text"]).to_owned(),
            date_added: text(&from["time_text"]).to_owned(),
            metadata,
            hash: chapter["last_message_hash"].as_str().map(str::to_owned),
        });
    }
    found.sort_by_key(|one| one.id);
    let mut number = found.last().map_or(0, |last| last.id);
    for chapter in chapters.iter().filter(|one| one["kind"] == "written") {
        for part in text(&chapter["text"]).split(BETWEEN) {
            number += 1;
            found.push(SearchableMemory {
                id: number,
                text: part.to_owned(),
                date_added: text(&chapter["creation_time"]).to_owned(),
                metadata: metadata(chapter, part),
                hash: Some(hash_of(chapter)),
            });
        }
    }
    found
}

fn metadata(chapter: &Value, part: &str) -> Map<String, Value> {
    let mut metadata = Map::new();
    metadata.insert("title".to_owned(), chapter["title"].clone());
    metadata.insert("summary".to_owned(), part.into());
    metadata.insert("entities".to_owned(), chapter["entities"].clone());
    metadata.insert("key_phrases".to_owned(), chapter["key_phrases"].clone());
    metadata
}

/// Each message that memories were made up to, with the time of the last of them.
fn log(searchable: &[SearchableMemory]) -> Vec<(String, String)> {
    let mut log: Vec<(String, String)> = Vec::new();
    for memory in searchable {
        let Some(hash) = memory.hash.clone().filter(|hash| !hash.is_empty()) else { continue };
        match log.last_mut() {
            Some(last) if last.0 == hash => last.1.clone_from(&memory.date_added),
            _ => log.push((hash, memory.date_added.clone())),
        }
    }
    log
}

/// The summary, with the hash of the last memory in it.
async fn summary(
    console: &Console,
    chapters: &[Value],
    hash_of: &dyn Fn(&Value) -> String,
) -> Result<Option<FileMemory>> {
    let reply = console.attempt(Request::get(console.in_memory("/summary"))).await?;
    let Some(summary) = reply.found()? else { return Ok(None) };
    let through = chapters.iter().find(|one| {
        matches!(text(&one["kind"]), "written" | "imported") && one["last_at"] == summary["through"]
    });
    let hash = through.map(hash_of).unwrap_or_default();
    Ok(Some(FileMemory { text: text(&summary["text"]).to_owned(), hash }))
}
