//! WilmerAI's files about a discussion: memories, summary, searchable memories, state document and
//! times, each read and written as WilmerAI has them.
//!
//! `find` reads folders, `dated` says when memories are from, `write` writes a folder.

mod dated;
mod find;
mod write;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value};

pub use dated::{DatedChapter, Dating};
pub use find::find;
pub use write::write;

/// The name of WilmerAI as a source.
pub const SOURCE: &str = "wilmer";
/// What the id of a memory of `memories.json` begins with, before its hash.
pub const MEMORY_ID: &str = "memories:";
/// What the id of a memory of `vector_memory.db` begins with, before its number there.
pub const SEARCHABLE_ID: &str = "vector:";

const MEMORIES: &str = "memories.json";
const SUMMARY: &str = "chat_summary.json";
const DATABASE: &str = "vector_memory.db";
const STATE: &str = "state_document.md";
const TRACKER: &str = "condensation_tracker.json";
/// The file with the times of messages.
pub const TIMES: &str = "timestamps.json";

/// Everything that WilmerAI keeps about one discussion.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Discussion {
    /// Its id, which is the name of the memory here.
    pub id: String,
    /// `memories.json`, oldest first.
    pub memories: Vec<FileMemory>,
    /// `chat_summary.json`; the hash is that of the last memory in it.
    pub summary: Option<FileMemory>,
    /// `vector_memory.db`, in the order of their numbers.
    pub searchable: Vec<SearchableMemory>,
    /// Which messages have been made into searchable memories, oldest first: hash and time.
    pub log: Vec<(String, String)>,
    /// `state_document.md`.
    pub state_document: Option<String>,
    /// `timestamps.json`: hash of a text and when it was said.
    pub times: BTreeMap<String, String>,
    /// The hash of the last memory that is a condensed one.
    pub condensed: Option<String>,
    /// When `memories.json` changed last.
    pub modified: Option<Timestamp>,
    /// What could not be read, with the file.
    pub problems: Vec<String>,
}

/// A memory in plain words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMemory {
    /// The text.
    pub text: String,
    /// SHA-256 of the last message it covers, as 64 hexadecimal digits.
    pub hash: String,
}

/// A memory to be searched for.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchableMemory {
    /// Its number in the database.
    pub id: i64,
    /// The text.
    pub text: String,
    /// When it was stored there, as it is written there.
    pub date_added: String,
    /// Title, summary, entities, key phrases, and whatever else a model said.
    pub metadata: Map<String, Value>,
    /// The hash of the last message of the part of the chat it was made from, if the log says so.
    pub hash: Option<String>,
}

impl SearchableMemory {
    /// A text of the metadata.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.metadata.get(name)?.as_str().map(str::trim).filter(|text| !text.is_empty())
    }

    /// A list of texts of the metadata.
    pub fn list_of(&self, name: &str) -> Vec<String> {
        let list = self.metadata.get(name).and_then(Value::as_array);
        let texts = list.into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests;
