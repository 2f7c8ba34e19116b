//! Entries as files. Tags name the path and say whether the file is blank or deleted.

use std::collections::BTreeMap;

use super::command::FileWrite;
use crate::memory::{Entry, EntryId, Name};
use crate::ports::{EntryQuery, Which};
use crate::{Error, Result};

/// The tag of every version of a file.
const LABEL: &str = "everwhen:file";
/// The beginning of the tag that names the path.
const PATH: &str = "path=";
/// The tag of a file that was deleted; its entry says so.
const GONE: &str = "file=deleted";
/// The tag of a file without any words; an entry cannot be empty, so its content says that the file is.
const EMPTY: &str = "file=empty";

/// The files of a memory.
#[derive(Debug, Default)]
pub(super) struct StoredFiles {
    /// The entry and, unless it is deleted, the text of each path.
    files: BTreeMap<String, (EntryId, Option<String>)>,
}

impl StoredFiles {
    /// Reads entries in the order they arrived; the last of a path counts.
    pub(super) fn fold(entries: &[Entry]) -> Self {
        let mut ordered: Vec<&Entry> = entries.iter().collect();
        ordered.sort_by_key(|entry| entry.sequence);
        let mut files = BTreeMap::new();
        for entry in ordered {
            let has = |wanted: &str| entry.tags.iter().any(|tag| tag.as_str() == wanted);
            let path = entry.tags.iter().find_map(|tag| tag.as_str().strip_prefix(PATH));
            let Some(path) = path.filter(|_| has(LABEL)) else { continue };
            let text = match (has(GONE), has(EMPTY)) {
                (true, _) => None,
                (_, true) => Some(String::new()),
                _ => Some(entry.content.as_str().to_owned()),
            };
            files.insert(path.to_owned(), (entry.id, text));
        }
        Self { files }
    }

    /// The text of a file.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.1.as_deref()
    }

    /// The current version of a path, deleted or not.
    pub(super) fn entry(&self, path: &str) -> Option<EntryId> {
        self.files.get(path).map(|(entry, _)| *entry)
    }

    /// All files below a directory, by path.
    pub(super) fn below<'f>(
        &'f self,
        directory: &'f str,
    ) -> impl Iterator<Item = (&'f str, &'f str)> {
        let files = self.files.iter().filter_map(|(path, (_, text))| Some((path, text.as_ref()?)));
        files.filter_map(move |(path, text)| {
            path.strip_prefix(directory)?.strip_prefix('/')?;
            Some((path.as_str(), text.as_str()))
        })
    }

    /// Files that are not stored.
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let entry = |path: &str, text: &str| {
            let id = EntryId::from(uuid::Uuid::nil());
            (path.to_owned(), (id, Some(text.to_owned())))
        };
        Self { files: files.iter().map(|(path, text)| entry(path, text)).collect() }
    }
}

/// What finds the entries of files.
pub(super) fn query(which: Which) -> Result<EntryQuery> {
    Ok(EntryQuery { which, tag: Some(Name::new("tag", LABEL)?), ..EntryQuery::default() })
}

/// The text and the tags of an entry for a version of a file.
pub(super) fn written(write: &FileWrite) -> Result<(String, Vec<Name>)> {
    let tag = |text: String| Name::new("tag", text);
    let path = tag(format!("{PATH}{}", write.path));
    let path = path.map_err(|_| {
        let text =
            "has more than 190 characters, ends with a space or contains a control character";
        Error::invalid(format!("The path {} {text}", write.path))
    })?;
    let mut tags = vec![tag(LABEL.to_owned())?, path];
    let text = match write.text.as_deref() {
        None => {
            tags.push(tag(GONE.to_owned())?);
            format!("The file {} was deleted.", write.path)
        }
        Some(text) if text.trim().is_empty() => {
            tags.push(tag(EMPTY.to_owned())?);
            format!("The file {} is empty.", write.path)
        }
        Some(text) => text.to_owned(),
    };
    Ok((text, tags))
}
