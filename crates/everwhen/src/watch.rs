//! Following folders of other programs: what is new in them is imported within seconds.
//!
//! Folders are looked at in turn rather than by notifications of the system, which network drives and
//! shared folders of containers do not send. A file that has changed is read whole, and dedupe by the ids
//! of the source stores only what is new: so a file may be rotated, truncated or replaced, and a line that is
//! only half written is read with the next change. What a source deletes stays here. Sizes and times of
//! files that were imported are kept in a file, so that a restart reads only what changed meanwhile.

mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use self::wire::FileStamp;
use crate::import::{Options, Plan};
use crate::{Error, Result};

/// The file in the data directory that remembers what was imported.
pub const WATCH_FILE: &str = "watch.json";
/// How deep folders are searched.
const DEPTH: usize = 12;
/// Endings of files that hold conversations.
const ENDINGS: [&str; 5] = ["json", "jsonl", "db", "db-wal", "zst"];
/// The beginning of a file, in which it names those it continues.
const HEAD_BYTES: u64 = 8 * 1024;
/// A file that changes all the time is imported after this number of looks.
const PATIENCE: u32 = 5;

/// Folders that are followed.
pub struct Watcher {
    folders: Vec<PathBuf>,
    file: Option<PathBuf>,
    /// Files as they were when they were imported.
    imported: BTreeMap<PathBuf, FileStamp>,
    /// Files that change: how they were at the last look, and the number of looks since.
    changing: BTreeMap<PathBuf, (FileStamp, u32)>,
}

/// Files of one folder that have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFiles {
    folder: PathBuf,
    files: BTreeSet<PathBuf>,
    stamps: Vec<(PathBuf, FileStamp)>,
}

impl Watcher {
    /// Follows these folders. What was imported before is read from `file`, and kept there.
    pub fn new(folders: Vec<PathBuf>, file: Option<PathBuf>) -> Self {
        // A file that cannot be read is as good as none: everything is read once more.
        let text = file.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
        let known = text.and_then(|text| serde_json::from_str(&text).ok());
        Self { folders, file, imported: known.unwrap_or_default(), changing: BTreeMap::new() }
    }

    /// The files that have changed since they were imported and have stopped changing. Each folder comes once.
    pub fn look(&mut self) -> Vec<ChangedFiles> {
        let mut all = Vec::new();
        for folder in self.folders.clone() {
            let mut found = Vec::new();
            list(&folder, 0, &mut found);
            let settled = self.settled(&found);
            if settled.is_empty() {
                continue;
            }
            let mut files: BTreeSet<PathBuf> =
                settled.iter().map(|(path, _)| database_of(path)).collect();
            files.extend(continued(&files, &found));
            all.push(ChangedFiles { folder, files, stamps: settled });
        }
        all
    }

    fn settled(&mut self, found: &[(PathBuf, FileStamp)]) -> Vec<(PathBuf, FileStamp)> {
        let mut settled = Vec::new();
        for (path, stamp) in found.iter().cloned() {
            if self.imported.get(&path) == Some(&stamp) {
                self.changing.remove(&path);
                continue;
            }
            let looks = match self.changing.get(&path) {
                Some((before, looks)) if *before != stamp => looks + 1,
                Some(_) => PATIENCE,
                None => 0,
            };
            if looks >= PATIENCE {
                self.changing.remove(&path);
                settled.push((path, stamp));
            } else {
                self.changing.insert(path, (stamp, looks));
            }
        }
        settled
    }

    /// Remembers that files were imported.
    pub fn done(&mut self, changed: &ChangedFiles) -> Result<()> {
        self.imported.extend(changed.stamps.iter().cloned());
        let Some(file) = &self.file else { return Ok(()) };
        let text = serde_json::to_string(&self.imported)
            .map_err(|error| Error::damaged(format!("cannot write {WATCH_FILE}: {error}")))?;
        let written = everwhen_platform::replace_file(file, text.as_bytes());
        written.map_err(|error| Error::unavailable(format!("{}: {error}", file.display())))
    }
}

impl ChangedFiles {
    /// What to import; nothing if no file is one of a known program.
    pub fn plan(&self, options: &Options) -> Option<Plan> {
        Plan::of_some(&self.folder, &|path| self.files.contains(path), options).ok()
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

fn list(folder: &Path, depth: usize, found: &mut Vec<(PathBuf, FileStamp)>) {
    // A folder that does not exist yet, or that was just removed, has no files.
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_dir() && depth < DEPTH {
            list(&path, depth + 1, found);
        } else if kind.is_file() && is_conversation(&path) {
            found.extend(stamp(&path).map(|stamp| (path, stamp)));
        }
    }
}

fn is_conversation(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

fn stamp(path: &Path) -> Option<FileStamp> {
    let about = std::fs::metadata(path).ok()?;
    let modified = about.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let modified = u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX);
    Some(FileStamp { size: about.len(), modified })
}

/// The database that a write-ahead log belongs to; any other file is itself.
fn database_of(path: &Path) -> PathBuf {
    let text = path.to_string_lossy();
    text.strip_suffix("-wal").map_or_else(|| path.to_owned(), PathBuf::from)
}

/// Files that the changed ones continue: a session that was forked names the one it was forked from, and
/// the times of what it repeats are there.
fn continued(changed: &BTreeSet<PathBuf>, all: &[(PathBuf, FileStamp)]) -> Vec<PathBuf> {
    let ids: BTreeSet<String> = changed.iter().flat_map(|path| ids_in_head(path)).collect();
    let names_one = |path: &Path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| ids.iter().any(|id| name.contains(id.as_str())))
    };
    all.iter().map(|(path, _)| path).filter(|path| names_one(path)).cloned().collect()
}

/// The UUIDs in the beginning of a file.
fn ids_in_head(path: &Path) -> Vec<String> {
    let mut head = Vec::new();
    let read =
        std::fs::File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    if read.is_err() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&head);
    let is_part = |letter: char| letter.is_ascii_hexdigit() || letter == '-';
    let words = text.split(|letter: char| !is_part(letter));
    words.filter(|word| uuid_shaped(word)).map(ToOwned::to_owned).collect()
}

fn uuid_shaped(word: &str) -> bool {
    word.len() == 36 && [8, 13, 18, 23].iter().all(|place| word.as_bytes()[*place] == b'-')
}
