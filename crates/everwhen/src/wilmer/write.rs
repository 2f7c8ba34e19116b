//! Writes the folder of a discussion.

use std::fmt::Write as _;
use std::path::Path;

use everwhen_platform::replace_file;
use everwhen_store::foreign::{self, ForeignValue};
use serde_json::{Map, Value, json};

use super::{
    DATABASE, Discussion, FileMemory, MEMORIES, STATE, SUMMARY, SearchableMemory, TRACKER,
};
use crate::{Error, Result};

/// The tables of WilmerAI's database; it makes those that are missing.
const TABLES: &str = "
CREATE TABLE memories (id INTEGER PRIMARY KEY, discussion_id TEXT NOT NULL, memory_text TEXT NOT NULL,
    date_added TEXT NOT NULL, metadata_json TEXT);
CREATE VIRTUAL TABLE memories_fts USING fts5(title, summary, entities, key_phrases, memory_text_unweighted,
    tokenize = 'porter');
CREATE TABLE vector_memory_hash_log (id INTEGER PRIMARY KEY AUTOINCREMENT, discussion_id TEXT NOT NULL,
    message_hash TEXT NOT NULL, timestamp TEXT NOT NULL);";

/// Writes all files of a discussion but its times into a folder, which is made. Files that are there
/// are replaced; one whose content is empty is not written.
pub fn write(discussion: &Discussion, folder: &Path) -> Result<Vec<&'static str>> {
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let mut written = Vec::new();
    if !discussion.memories.is_empty() {
        replace(&folder.join(MEMORIES), &list(&discussion.memories))?;
        written.push(MEMORIES);
    }
    if let Some(summary) = &discussion.summary {
        replace(&folder.join(SUMMARY), &list(std::slice::from_ref(summary)))?;
        written.push(SUMMARY);
    }
    if let Some(state) = &discussion.state_document {
        replace(&folder.join(STATE), state)?;
        written.push(STATE);
    }
    if let Some(hash) = &discussion.condensed {
        let tracker = format!("{{\n    \"lastCondensationHash\": {}\n}}", quoted(hash));
        replace(&folder.join(TRACKER), &tracker)?;
        written.push(TRACKER);
    }
    if !discussion.searchable.is_empty() {
        database(discussion, &folder.join(DATABASE))?;
        written.push(DATABASE);
    }
    Ok(written)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::invalid(format!("{}: {error}", path.display()))
}

fn replace(path: &Path, content: &str) -> Result<()> {
    replace_file(path, content.as_bytes()).map_err(|error| unwritable(path, &error))
}

/// Memories as WilmerAI writes them: four spaces, and ASCII alone.
fn list(memories: &[FileMemory]) -> String {
    let one = |memory: &FileMemory| {
        let (text, hash) = (quoted(&memory.text), quoted(&memory.hash));
        format!("    {{\n        \"text_block\": {text},\n        \"hash\": {hash}\n    }}")
    };
    let all: Vec<String> = memories.iter().map(one).collect();
    format!("[\n{}\n]", all.join(",\n"))
}

/// A text as JSON in ASCII.
fn quoted(text: &str) -> String {
    let mut ascii = String::new();
    for letter in json!(text).to_string().chars() {
        if letter.is_ascii() {
            ascii.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            // Writing to a text does not fail.
            let _ = write!(ascii, "\\u{unit:04x}");
        }
    }
    ascii
}

fn database(discussion: &Discussion, path: &Path) -> Result<()> {
    let text = |text: &str| ForeignValue::Text(text.to_owned());
    let mut rows: Vec<(&str, Vec<ForeignValue>)> = Vec::new();
    for memory in &discussion.searchable {
        let metadata = Value::Object(memory.metadata.clone()).to_string();
        rows.push((
            "INSERT INTO memories VALUES (?1, ?2, ?3, ?4, ?5)",
            vec![
                ForeignValue::Integer(memory.id),
                text(&discussion.id),
                text(&memory.text),
                text(&memory.date_added),
                text(&metadata),
            ],
        ));
        let words = |name: &str| text(&words(memory, &memory.metadata, name));
        rows.push((
            "INSERT INTO memories_fts (rowid, title, summary, entities, key_phrases, \
             memory_text_unweighted) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            vec![
                ForeignValue::Integer(memory.id),
                words("title"),
                words("summary"),
                words("entities"),
                words("key_phrases"),
                text(&memory.text),
            ],
        ));
    }
    for (hash, time) in &discussion.log {
        rows.push((
            "INSERT INTO vector_memory_hash_log (discussion_id, message_hash, timestamp) \
             VALUES (?1, ?2, ?3)",
            vec![text(&discussion.id), text(hash), text(time)],
        ));
    }
    let beside = path.with_extension("part");
    foreign::create(&beside, TABLES, &rows)?;
    std::fs::rename(&beside, path).map_err(|error| unwritable(path, &error))
}

/// What is searched in one column: a text, or the texts of a list, without quotes.
fn words(memory: &SearchableMemory, metadata: &Map<String, Value>, name: &str) -> String {
    let found = match metadata.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(_)) => memory.list_of(name).join(" "),
        _ => String::new(),
    };
    found.replace('"', "")
}
