//! Erases vectors that are no longer needed: of texts that another process has forgotten, in the files of this
//! model and of those that were used before it.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use super::{VectorFiles, write_over};
use crate::cache::records::{self, HEADER_BYTES, Key};

/// The vectors that are needed, while a sweep is under way. The beginning of a key is enough: two that begin
/// alike keep a vector too many, once in many billions.
pub(super) struct Sweep {
    directory: PathBuf,
    needed: Option<HashSet<u64>>,
}

impl Sweep {
    pub(super) fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), needed: None }
    }

    /// Notes that vectors are needed, if a sweep is under way.
    pub(super) fn note(&mut self, keys: impl Iterator<Item = Key>) {
        if let Some(needed) = &mut self.needed {
            needed.extend(keys.map(|key| beginning(&key)));
        }
    }
}

impl VectorFiles {
    pub(in crate::cache) fn begin_sweep(&mut self) {
        self.sweep.needed = Some(HashSet::new());
    }

    pub(in crate::cache) fn note_needed(&mut self, keys: impl Iterator<Item = Key>) {
        self.sweep.note(keys);
    }

    /// Erases what was not noted since the sweep began, and returns how much that was.
    pub(in crate::cache) fn end_sweep(&mut self) -> usize {
        let Some(needed) = self.sweep.needed.take() else { return 0 };
        let is_needed = |key: &Key| needed.contains(&beginning(key));
        let gone: Vec<Key> = self.places.keys().filter(|key| !is_needed(key)).copied().collect();
        self.forget(&gone);
        let others = sweep_others(&self.sweep.directory, &is_needed).unwrap_or_else(|error| {
            tracing::warn!(%error, "vectors of a model used before cannot be looked through");
            0
        });
        gone.len() + others
    }
}

/// Erases vectors in the directories beside this one.
fn sweep_others(own: &Path, is_needed: &dyn Fn(&Key) -> bool) -> io::Result<usize> {
    let Some(all) = own.parent() else { return Ok(0) };
    let mut gone = 0;
    for folder in fs::read_dir(all)? {
        let folder = folder?.path();
        if folder != own && folder.is_dir() {
            for file in fs::read_dir(folder)? {
                let path = file?.path();
                if path.extension().is_some_and(|extension| extension == "vectors") {
                    let file = OpenOptions::new().read(true).write(true).open(path)?;
                    gone += sweep_file(&file, is_needed)?;
                }
            }
        }
    }
    Ok(gone)
}

/// Erases vectors in a file of any model.
fn sweep_file(file: &File, is_needed: &dyn Fn(&Key) -> bool) -> io::Result<usize> {
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut header = vec![0; HEADER_BYTES];
    if reader.read_exact(&mut header).is_err() {
        return Ok(0);
    }
    let Some(dimensions) = records::dimensions(&header) else { return Ok(0) };
    let mut record = vec![0; records::record_bytes(dimensions)];
    let (mut offset, mut gone) = (HEADER_BYTES as u64, Vec::new());
    while reader.read_exact(&mut record).is_ok() {
        gone.extend(records::key(&record).filter(|key| !is_needed(key)).map(|_| offset));
        offset += record.len() as u64;
    }
    record.fill(0);
    write_over(file, &gone, &record)?;
    Ok(gone.len())
}

fn beginning(key: &Key) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&key[..8]);
    u64::from_le_bytes(bytes)
}
