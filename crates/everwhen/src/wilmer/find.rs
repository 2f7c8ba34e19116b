//! Finds and reads the folders of discussions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use everwhen_store::foreign::{self, ForeignValue};
use jiff::Timestamp;
use serde_json::Value;

use super::{
    DATABASE, Discussion, FileMemory, MEMORIES, STATE, SUMMARY, SearchableMemory, TIMES, TRACKER,
};
use crate::import::moment;
use crate::{Error, Result};

/// How deep folders are searched.
const DEPTH: usize = 6;

/// Names under which a file may lie: in the folder of its discussion, and beside others after the id.
const NAMES: [(DiscussionFile, &str); 9] = [
    (DiscussionFile::Memories, MEMORIES),
    (DiscussionFile::Memories, "memories.jsonl"),
    (DiscussionFile::Summary, SUMMARY),
    (DiscussionFile::Summary, "chat_summary.jsonl"),
    (DiscussionFile::Summary, "summary.jsonl"),
    (DiscussionFile::Database, DATABASE),
    (DiscussionFile::State, STATE),
    (DiscussionFile::Tracker, TRACKER),
    (DiscussionFile::Times, TIMES),
];

/// A file of a discussion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiscussionFile {
    Memories,
    Summary,
    Database,
    State,
    Tracker,
    Times,
}

/// Files of one discussion in one folder.
struct Group {
    folder: PathBuf,
    id: String,
    /// Whether they lie beside those of other discussions.
    is_flat: bool,
    parts: Vec<(DiscussionFile, PathBuf)>,
}

/// All discussions below these folders, or of these files. A folder may be that of one discussion, of
/// all, or the whole `Public`. What cannot be read is in the problems of its discussion.
pub fn find(paths: &[PathBuf]) -> Result<Vec<Discussion>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.exists() {
            return Err(Error::invalid(format!("{}: there is no such file", path.display())));
        }
        look(path, DEPTH, &mut files)?;
    }
    let mut groups: Vec<Group> = Vec::new();
    for group in files {
        match groups.iter_mut().find(|one| one.takes(&group)) {
            Some(same) => same.parts.extend(group.parts),
            None => groups.push(group),
        }
    }
    let mut found: Vec<Discussion> = Vec::new();
    for Group { folder, id, parts, .. } in groups {
        // Discussions of several keys lie in a folder for each.
        let is_taken = found.iter().any(|one| one.id == id);
        let owner = folder.parent().and_then(Path::file_name).map(|name| name.to_string_lossy());
        let id = match owner {
            Some(owner) if is_taken => format!("{owner} {id}"),
            _ => id,
        };
        found.push(read(id, &parts));
    }
    Ok(found)
}

impl Group {
    /// Whether a group is of the same discussion: from the same folder, or an older file that lies
    /// beside others, such as `Public/x_vector_memory.db`, and is not here twice.
    fn takes(&self, other: &Self) -> bool {
        let is_twice = |part: DiscussionFile| self.parts.iter().any(|(own, _)| *own == part);
        self.id == other.id
            && (self.folder == other.folder || self.is_flat || other.is_flat)
            && !other.parts.iter().any(|(part, _)| is_twice(*part))
    }
}

fn look(path: &Path, depth: usize, files: &mut Vec<Group>) -> Result<()> {
    if !path.is_dir() {
        if let Some((part, id, is_flat)) = part_of(path) {
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            files.push(Group { folder, id, is_flat, parts: vec![(part, path.to_owned())] });
        }
        return Ok(());
    }
    if depth == 0 {
        return Ok(());
    }
    let unreadable = |error: std::io::Error| Error::invalid(format!("{}: {error}", path.display()));
    let inside = std::fs::read_dir(path).map_err(unreadable)?;
    let mut inside: Vec<PathBuf> =
        inside.map(|entry| Ok(entry.map_err(unreadable)?.path())).collect::<Result<_>>()?;
    inside.sort();
    inside.iter().try_for_each(|path| look(path, depth - 1, files))
}

/// Which file of which discussion a path is, and whether it lies beside those of others.
fn part_of(path: &Path) -> Option<(DiscussionFile, String, bool)> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = path.file_name()?.to_str()?;
    if let Some((part, _)) = NAMES.iter().find(|(_, one)| *one == name) {
        let folder = path.parent()?.file_name()?.to_str()?.to_owned();
        return Some((*part, folder, false));
    }
    let of_end = |(part, end): &(DiscussionFile, &str)| {
        let id = name.strip_suffix(end)?.strip_suffix('_')?;
        (!id.is_empty()).then(|| (*part, id.to_owned(), true))
    };
    // The longest name first: `x_chat_summary.jsonl` is not the summary of `x_chat`.
    NAMES.iter().filter_map(of_end).min_by_key(|(_, id, _)| id.len())
}

fn read(id: String, parts: &[(DiscussionFile, PathBuf)]) -> Discussion {
    let mut found = Discussion { id, ..Discussion::default() };
    for (part, path) in parts {
        let outcome = match part {
            DiscussionFile::Memories => memories(path).map(|memories| {
                found.memories = memories;
                found.modified = modified(path);
            }),
            DiscussionFile::Summary => {
                memories(path).map(|all| found.summary = all.into_iter().next())
            }
            DiscussionFile::Database => database(path, &mut found),
            DiscussionFile::State => text(path).map(|text| found.state_document = text),
            DiscussionFile::Tracker => json(path).map(|tracker| {
                found.condensed = tracker["lastCondensationHash"].as_str().map(str::to_owned);
            }),
            DiscussionFile::Times => times(path).map(|times| found.times = times),
        };
        if let Err(error) = outcome {
            found.problems.push(format!("{}: {}", path.display(), error.message()));
        }
    }
    found
}

fn modified(path: &Path) -> Option<Timestamp> {
    Timestamp::try_from(path.metadata().ok()?.modified().ok()?).ok()
}

fn text(path: &Path) -> Result<Option<String>> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Error::invalid(format!("this is no text ({error}), or it is encrypted"))
    })?;
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

fn json(path: &Path) -> Result<Value> {
    let text = text(path)?.unwrap_or_else(|| "[]".to_owned());
    serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| Error::invalid(format!("this is not JSON ({error}), or it is encrypted")))
}

/// A list of memories: a JSON array, or a line for each.
fn memories(path: &Path) -> Result<Vec<FileMemory>> {
    let is_lines = path.extension().is_some_and(|end| end == "jsonl");
    let list = match is_lines {
        false => match json(path)? {
            Value::Array(list) => list,
            _ => return Err(Error::invalid("a list of memories is expected")),
        },
        true => {
            let text = text(path)?.unwrap_or_default();
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            let read = |line: &str| {
                serde_json::from_str(line)
                    .map_err(|error| Error::invalid(format!("a line is not JSON ({error})")))
            };
            lines.map(read).collect::<Result<_>>()?
        }
    };
    let memory = |one: &Value| {
        let text = one["text_block"].as_str()?;
        let hash = one["hash"].as_str().unwrap_or_default().to_owned();
        (!text.trim().is_empty()).then(|| FileMemory { text: text.to_owned(), hash })
    };
    let found: Vec<FileMemory> = list.iter().filter_map(memory).collect();
    match found.is_empty() && !list.is_empty() {
        true => Err(Error::invalid("no memory with text_block and hash is in it")),
        false => Ok(found),
    }
}

fn times(path: &Path) -> Result<BTreeMap<String, String>> {
    let json = json(path)?;
    let map = json.as_object().ok_or_else(|| Error::invalid("a map of times is expected"))?;
    let texts = map.iter().filter_map(|(hash, time)| Some((hash, time.as_str()?)));
    Ok(texts.map(|(hash, time)| (hash.clone(), time.to_owned())).collect())
}

fn database(path: &Path, found: &mut Discussion) -> Result<()> {
    let tables = foreign::tables(path)?;
    if !tables.iter().any(|table| table == "memories") {
        return Err(Error::invalid("this is no database of memories"));
    }
    let sql = "SELECT id, memory_text, date_added, metadata_json FROM memories ORDER BY id";
    foreign::rows(path, sql, &mut |row| {
        found.searchable.extend(searchable(&row));
        Ok(true)
    })?;
    if tables.iter().any(|table| table == "vector_memory_hash_log") {
        let sql = "SELECT message_hash, timestamp FROM vector_memory_hash_log ORDER BY id";
        foreign::rows(path, sql, &mut |row| {
            if let [hash, time] = row.as_slice() {
                found.log.push((text_in(hash), text_in(time)));
            }
            Ok(true)
        })?;
    }
    let log = found.log.clone();
    for memory in &mut found.searchable {
        memory.hash = logged(&log, &memory.date_added);
    }
    Ok(())
}

fn searchable(row: &[ForeignValue]) -> Option<SearchableMemory> {
    let [ForeignValue::Integer(id), text, date, metadata] = row else { return None };
    let metadata = match serde_json::from_str(&text_in(metadata)) {
        Ok(Value::Object(map)) => map,
        _ => serde_json::Map::new(),
    };
    let text = text_in(text);
    (!text.trim().is_empty()).then(|| SearchableMemory {
        id: *id,
        text,
        date_added: text_in(date),
        metadata,
        hash: None,
    })
}

fn text_in(value: &ForeignValue) -> String {
    match value {
        ForeignValue::Text(text) => text.clone(),
        ForeignValue::Integer(number) => number.to_string(),
        ForeignValue::Real(number) => number.to_string(),
        ForeignValue::Null | ForeignValue::Bytes(_) => String::new(),
    }
}

/// The message that was logged when a memory had been stored: the first one at that time or later.
fn logged(log: &[(String, String)], date_added: &str) -> Option<String> {
    let second = |text: &str| Some(moment::of_text(text)?.at.as_second());
    let stored = second(date_added)?;
    let (hash, _) = log.iter().find(|(_, time)| second(time).is_some_and(|at| at >= stored))?;
    Some(hash.clone())
}
