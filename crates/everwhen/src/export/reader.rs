//! Reading an export: what is in it, and its memories, one at a time.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use everwhen_engine::memory::{Address, MemoryId, Name};
use everwhen_engine::{ErrorKind, ExportedMemory, Restored, Vault};

use super::wire::{About, Mark};
use super::{KIND, VERSION};
use crate::{Error, Result};

/// The longest line that is read. An entry has at most 1 MiB of text, six times that in escapes.
const LINE_BYTES: u64 = 64 * 1024 * 1024;

/// An export whose lines were counted.
pub struct ExportFile {
    path: PathBuf,
    about: About,
    /// The memories that are complete.
    pub memories: Vec<ExportFileMemory>,
    /// Why the rest of the file cannot be read.
    pub problem: Option<String>,
}

/// A memory in an export.
#[derive(Debug, Clone)]
pub struct ExportFileMemory {
    id: MemoryId,
    /// Its name.
    pub name: Name,
    /// Everything said in it.
    pub entries: u64,
    lines: u64,
    begins_at: u64,
}

impl ExportFile {
    /// Whether a file begins as an export does.
    pub fn is_one(path: &Path) -> bool {
        let start = format!("{{\"type\":\"{KIND}\",");
        let mut found = vec![0; start.len()];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut found));
        read.is_ok() && found == start.as_bytes()
    }

    /// Reads through an export and counts what is in it.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| failed(path, &error))?;
        let mut lines = ExportFileLines::new(BufReader::new(file), path);
        let Some(Mark::Everwhen(about)) = lines.next_line()?.as_deref().and_then(Mark::read) else {
            return Err(Error::invalid(format!("{}: no export of Everwhen", path.display())));
        };
        if about.version > VERSION {
            return Err(Error::invalid(format!(
                "{}: made by a newer version; its format is {}, this version reads {VERSION}",
                path.display(),
                about.version
            )));
        }
        let mut archive =
            Self { path: path.to_owned(), about, memories: Vec::new(), problem: None };
        if let Err(error) = archive.scan(&mut lines) {
            archive.problem = Some(error.to_string());
        }
        Ok(archive)
    }

    /// The name of the vault that was exported.
    pub fn vault(&self) -> &str {
        &self.about.vault
    }

    fn scan(&mut self, lines: &mut ExportFileLines) -> Result<()> {
        while let Some(line) = lines.next_line()? {
            match Mark::read(&line) {
                Some(Mark::Begin { id, memory }) => {
                    let memory = scan_memory(lines, id.parse()?, Name::new("memory", memory)?)?;
                    self.memories.push(memory);
                }
                Some(Mark::Done { memories }) if memories == self.memories.len() as u64 => {
                    return Ok(());
                }
                _ => return Err(lines.wrong("a memory should begin here")),
            }
        }
        Err(lines.wrong("the file breaks off; memories before this place are complete"))
    }

    /// Stores its memories in a vault. Those that are here already stay as they are. `report` gets every
    /// memory and what became of it, and says whether to go on.
    pub async fn restore(
        &self,
        vault: &Vault,
        report: &mut (dyn FnMut(&ExportFileMemory, &Result<Restored>) -> bool + Send),
    ) -> Result<()> {
        let about = self.about.read().map_err(|error| error.at(self.path.display()))?;
        vault.restore_about(about).await?;
        for memory in &self.memories {
            let restored = vault.restore_memory(self.exported(memory)).await;
            if let Err(error) = &restored
                && error.is_retryable()
            {
                return Err(error.clone());
            }
            if !report(memory, &restored) {
                break;
            }
        }
        Ok(())
    }

    /// What [`ExportFile::restore`] would do with a memory.
    pub async fn rehearse(&self, vault: &Vault, memory: &ExportFileMemory) -> Result<Restored> {
        match vault.memory(Address::Name(memory.name.clone())).await {
            Ok(found) if found.id == memory.id => Ok(Restored::Known),
            Ok(_) => Err(Error::conflict(format!(
                "a memory named {:?} exists already and is another one; rename it, or import into another vault",
                memory.name
            ))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Restored::Stored(memory.lines)),
            Err(error) => Err(error),
        }
    }

    fn exported(&self, memory: &ExportFileMemory) -> ExportedMemory {
        let (path, place) = (self.path.clone(), memory.clone());
        ExportedMemory {
            id: memory.id,
            name: memory.name.clone(),
            lines: Arc::new(move || {
                let mut file = File::open(&path).map_err(|error| failed(&path, &error))?;
                let sought = file.seek(SeekFrom::Start(place.begins_at));
                sought.map_err(|error| failed(&path, &error))?;
                let mut lines =
                    ExportFileLines::new(BufReader::with_capacity(256 * 1024, file), &path);
                let each = move |_| {
                    let line = lines.next_line()?;
                    line.ok_or_else(|| Error::damaged("the export has become shorter"))
                };
                Ok(Box::new((0..place.lines).map(each)))
            }),
        }
    }
}

fn scan_memory(lines: &mut ExportFileLines, id: MemoryId, name: Name) -> Result<ExportFileMemory> {
    let mut memory = ExportFileMemory { id, name, entries: 0, lines: 0, begins_at: lines.offset };
    while let Some(line) = lines.next_line()? {
        match Mark::read(&line) {
            Some(Mark::End { id, lines: count })
                if count == memory.lines && id == memory.id.to_string() =>
            {
                return Ok(memory);
            }
            Some(_) => return Err(lines.wrong("lines of the memory before are missing")),
            None => memory.lines += 1,
        }
        memory.entries += u64::from(line.starts_with("{\"type\":\"entry\","));
    }
    Err(lines.wrong(&format!(
        "the file breaks off in the memory {:?}; export it again, memories before it are complete",
        memory.name
    )))
}

/// The lines of a file, with the place of the next one.
struct ExportFileLines {
    file: BufReader<File>,
    path: PathBuf,
    offset: u64,
    number: u64,
}

impl ExportFileLines {
    fn new(file: BufReader<File>, path: &Path) -> Self {
        Self { file, path: path.to_owned(), offset: 0, number: 0 }
    }

    /// The next complete line.
    fn next_line(&mut self) -> Result<Option<String>> {
        let mut line = Vec::new();
        let read = (&mut self.file).take(LINE_BYTES).read_until(b'\n', &mut line);
        let read = read.map_err(|error| failed(&self.path, &error))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.offset += read as u64;
        if line.pop() != Some(b'\n') {
            return Err(self.wrong("the line breaks off, or is longer than any that is exported"));
        }
        String::from_utf8(line).map(Some).map_err(|_| self.wrong("the line is not UTF-8"))
    }

    fn wrong(&self, what: &str) -> Error {
        Error::invalid(format!("{}, line {}: {what}", self.path.display(), self.number))
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::invalid(format!("{}: {error}", path.display()))
}
