//! The files to import: single files, folders, and archives with what is in them.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::archive::Archive;
use super::decode::{Decoded, Surrogates};
use crate::{Error, Result};

/// How much of a document is looked at to recognise it.
const LOOK_BYTES: u64 = 256 * 1024;
/// How deep folders are searched.
const DEPTH: usize = 12;

/// One file, in a folder or in an archive.
pub(crate) struct Document {
    /// What messages call it: its path, with the archive before its name there.
    pub(crate) place: String,
    /// Its path inside the folder or archive that was named, with `/` between parts.
    pub(crate) name: String,
    /// Which of the named files, folders or archives it is from.
    pub(crate) container: usize,
    /// Bytes, unpacked.
    pub(crate) size: u64,
    /// When the file changed last, as the file system says.
    pub(crate) modified: Option<Timestamp>,
    content: Content,
}

enum Content {
    File(PathBuf),
    Member(Archive, usize),
    Bytes(Vec<u8>),
}

/// All documents, in the order of their names, and what was refused.
#[derive(Default)]
pub(crate) struct Documents {
    pub(crate) list: Vec<Document>,
    /// Parts of archives that are not read, and why.
    pub(crate) refused: Vec<String>,
}

impl Documents {
    /// Finds all documents under these paths. The order of the paths does not matter.
    pub(crate) fn find(paths: &[PathBuf]) -> Result<Self> {
        let mut found = Self::default();
        let mut paths = paths.to_vec();
        paths.sort();
        paths.dedup();
        for (container, path) in paths.iter().enumerate() {
            let kind = std::fs::metadata(path)
                .map_err(|error| Error::invalid(format!("{}: {error}", path.display())))?;
            if kind.is_dir() {
                found.folder(path, "", container, 0)?;
            } else {
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
                found.file(path, &name, container)?;
            }
        }
        Ok(found)
    }

    /// One document whose bytes are in memory.
    pub(crate) fn of_bytes(name: &str, bytes: Vec<u8>) -> Self {
        let document = Document {
            place: name.to_owned(),
            name: name.to_owned(),
            container: 0,
            size: bytes.len() as u64,
            modified: None,
            content: Content::Bytes(bytes),
        };
        Self { list: vec![document], refused: Vec::new() }
    }

    fn folder(&mut self, path: &Path, name: &str, container: usize, depth: usize) -> Result<()> {
        let unreadable = |error: io::Error| Error::invalid(format!("{}: {error}", path.display()));
        let mut entries: Vec<_> = std::fs::read_dir(path)
            .map_err(unreadable)?
            .collect::<io::Result<_>>()
            .map_err(unreadable)?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let own = entry.file_name().to_string_lossy().into_owned();
            let name = if name.is_empty() { own } else { format!("{name}/{own}") };
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && depth < DEPTH {
                self.folder(&entry.path(), &name, container, depth + 1)?;
            } else if kind.is_file() {
                self.file(&entry.path(), &name, container)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, name: &str, container: usize) -> Result<()> {
        let unreadable = |error: io::Error| Error::invalid(format!("{}: {error}", path.display()));
        let mut file = File::open(path).map_err(unreadable)?;
        let about = file.metadata().map_err(unreadable)?;
        let mut mark = [0; 4];
        let read = file.read(&mut mark).map_err(unreadable)?;
        let place = path.display().to_string();
        if read == 4 && (mark == *b"PK\x03\x04" || mark == *b"PK\x05\x06") {
            return self.archive(path, file, container);
        }
        let modified = about.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
        self.list.push(Document {
            place,
            name: name.to_owned(),
            container,
            size: about.len(),
            modified,
            content: Content::File(path.to_owned()),
        });
        Ok(())
    }

    fn archive(&mut self, path: &Path, file: File, container: usize) -> Result<()> {
        let mut archive = match Archive::open(path, file) {
            Ok(archive) => archive,
            Err(error) => {
                self.refused.push(error.message().to_owned());
                return Ok(());
            }
        };
        let (mut members, refused) = archive.members()?;
        members.sort_by(|one, other| one.name.cmp(&other.name));
        self.refused.extend(refused.iter().map(|why| format!("{}: {why}", path.display())));
        self.list.extend(members.into_iter().map(|member| Document {
            place: format!("{}: {}", path.display(), member.name),
            name: member.name.replace('\\', "/"),
            container,
            size: member.size,
            modified: None,
            content: Content::Member(archive.clone(), member.index),
        }));
        Ok(())
    }
}

impl Document {
    /// Its name without the folders before it.
    pub(crate) fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// Its path in the file system, unless it is in an archive.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.content {
            Content::File(path) => Some(path),
            Content::Member(..) | Content::Bytes(_) => None,
        }
    }

    /// Hands its bytes to `read`.
    pub(crate) fn with_bytes<T>(&self, read: impl FnOnce(&mut dyn Read) -> T) -> io::Result<T> {
        match &self.content {
            Content::File(path) => {
                let file = File::open(path)?;
                match self.name.ends_with(".zst") {
                    true => Ok(read(&mut zstd::Decoder::new(file)?)),
                    false => Ok(read(&mut { file })),
                }
            }
            Content::Member(archive, index) => archive.with(*index, |stream| read(stream)),
            Content::Bytes(bytes) => Ok(read(&mut bytes.as_slice())),
        }
    }

    /// Hands its text to `read`, as UTF-8; answers also what had to be repaired.
    pub(crate) fn with_text<T>(
        &self,
        read: impl FnOnce(&mut dyn Read) -> T,
    ) -> io::Result<(T, Vec<String>)> {
        self.with_bytes(|bytes| {
            let mut decoded = Decoded::new(bytes)?;
            let outcome = read(&mut decoded);
            Ok((outcome, decoded.note().into_iter().collect()))
        })?
    }

    /// Hands its text to `read`, as JSON without halves of surrogate pairs.
    pub(crate) fn with_json<T>(
        &self,
        read: impl FnOnce(&mut dyn Read) -> T,
    ) -> io::Result<(T, Vec<String>)> {
        let ((outcome, replaced), mut notes) = self.with_text(|text| {
            let mut repaired = Surrogates::new(text);
            let outcome = read(&mut repaired);
            (outcome, repaired.replaced)
        })?;
        if replaced > 0 {
            notes.push(format!("{replaced} halves of characters were replaced by \u{fffd}"));
        }
        Ok((outcome, notes))
    }

    /// The beginning of its text.
    pub(crate) fn beginning(&self) -> io::Result<String> {
        let (bytes, _) = self.with_json(|text| {
            let mut bytes = Vec::new();
            text.take(LOOK_BYTES).read_to_end(&mut bytes).map(|_| bytes)
        })?;
        Ok(String::from_utf8_lossy(&bytes?).into_owned())
    }

    /// Its first bytes as they are.
    pub(crate) fn first_bytes(&self) -> io::Result<Vec<u8>> {
        self.with_bytes(|stream| {
            let mut bytes = Vec::new();
            stream.take(64).read_to_end(&mut bytes).map(|_| bytes)
        })?
    }
}
