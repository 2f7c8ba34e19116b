//! Members of a zip archive, read as streams.
//!
//! An archive may have been made to harm: names that point outside of it,
//! links, and members that unpack to far more than they say are refused, each with its name.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use zip::ZipArchive;

use crate::{Error, Result};

/// A member larger than this may not unpack to more than [`MAX_RATIO`] times its packed size.
const RATIO_FROM: u64 = 64 * 1024 * 1024;
/// How much larger than its packed size a large member may be. Text rarely exceeds 50.
const MAX_RATIO: u64 = 200;
/// Most members of one archive.
const MAX_MEMBERS: usize = 1_000_000;

/// An open archive whose members can be read one after the other.
#[derive(Clone)]
pub(super) struct Archive {
    zip: ZipArchive<SharedFile>,
}

/// A member of an archive.
pub(super) struct Member {
    pub(super) index: usize,
    pub(super) name: String,
    pub(super) size: u64,
}

/// Bytes that are read from the file at a time.
const BUFFER: usize = 64 * 1024;

/// A file read at its own position, with its own buffer, by each clone.
#[derive(Clone)]
struct SharedFile {
    file: Arc<Mutex<File>>,
    position: u64,
    buffer: Vec<u8>,
    /// How much of the buffer has been read.
    taken: usize,
}

impl Read for SharedFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.buffer.len() {
            self.buffer.resize(BUFFER, 0);
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(self.position))?;
            let read = file.read(&mut self.buffer)?;
            self.buffer.truncate(read);
            self.taken = 0;
        }
        let rest = &self.buffer[self.taken..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for SharedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (buffer_start, old) = (self.position - self.taken as u64, self.position);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let SeekFrom::Current(_) = to {
            file.seek(SeekFrom::Start(old))?;
        }
        self.position = file.seek(to)?;
        drop(file);
        let inside = self.position.checked_sub(buffer_start);
        match inside
            .and_then(|place| usize::try_from(place).ok())
            .filter(|place| *place <= self.buffer.len())
        {
            Some(place) => self.taken = place,
            None => {
                self.buffer.clear();
                self.taken = 0;
            }
        }
        Ok(self.position)
    }
}

impl Archive {
    /// Opens an archive and reads its table of contents.
    pub(super) fn open(path: &Path, file: File) -> Result<Self> {
        let file = Arc::new(Mutex::new(file));
        let file = SharedFile { file, position: 0, buffer: Vec::new(), taken: 0 };
        let zip = ZipArchive::new(file).map_err(|error| {
            Error::invalid(format!(
                "{}: the archive cannot be read ({error}); it may be cut off or still downloading, \
                 fetch it again",
                path.display()
            ))
        })?;
        Ok(Self { zip })
    }

    /// All files in it, and why others are refused.
    pub(super) fn members(&mut self) -> Result<(Vec<Member>, Vec<String>)> {
        if self.zip.len() > MAX_MEMBERS {
            return Err(Error::too_large(format!(
                "the archive has {} members; at most {MAX_MEMBERS} are read",
                self.zip.len()
            )));
        }
        let (mut members, mut refused) = (Vec::new(), Vec::new());
        for index in 0..self.zip.len() {
            let member = match self.zip.by_index_raw(index) {
                Ok(member) => member,
                Err(error) => {
                    refused.push(format!("member {index}: {error}"));
                    continue;
                }
            };
            let name = String::from_utf8_lossy(member.name_raw()).into_owned();
            if member.is_dir() {
                continue;
            }
            let problem = if is_outside(&name) {
                Some("its name points outside of the archive")
            } else if member.is_symlink() {
                Some("it is a link")
            } else if member.encrypted() {
                Some("it is encrypted; unpack the archive with its password first")
            } else if is_bomb(member.size(), member.compressed_size()) {
                Some("it would unpack to far more than its packed size allows")
            } else {
                None
            };
            match problem {
                Some(problem) => refused.push(format!("{name}: {problem}")),
                None => members.push(Member { index, name, size: member.size() }),
            }
        }
        Ok((members, refused))
    }

    /// Hands a member to `read`, as a stream that ends where the archive says it ends.
    pub(super) fn with<T>(
        &self,
        index: usize,
        read: impl FnOnce(&mut dyn Read) -> T,
    ) -> io::Result<T> {
        let mut zip = self.zip.clone();
        let member = zip.by_index(index).map_err(io::Error::other)?;
        let size = member.size();
        Ok(read(&mut Bounded { inner: member, left: size }))
    }
}

fn is_outside(name: &str) -> bool {
    let name = name.replace('\\', "/");
    let drive = name.as_bytes().get(1) == Some(&b':');
    name.starts_with('/')
        || drive
        || name.contains('\0')
        || name.split('/').any(|part| part == "..")
}

fn is_bomb(size: u64, packed: u64) -> bool {
    size > RATIO_FROM && size / packed.max(1) > MAX_RATIO
}

/// A stream that fails where it is longer than it said.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "the member is longer than the archive says")
        })?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_leave_the_archive_are_seen() {
        for name in ["../a", "/etc/x", "a/../../b", "C:\\x", "a\\..\\b"] {
            assert!(is_outside(name), "{name}");
        }
        for name in ["a/b.json", "a..b", "prod//x"] {
            assert!(!is_outside(name), "{name}");
        }
    }
}
