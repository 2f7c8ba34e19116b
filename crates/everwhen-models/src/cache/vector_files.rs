//! The files of one model. Each process writes to a file of its own and reads all of them. A new record takes
//! the place of one that was overwritten; else it is appended.

mod sweep;

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use everwhen_engine::{Error, Result};

use self::sweep::Sweep;
use super::records::{self, HEADER_BYTES, Key};

/// More processes than this do not write to one cache.
const MAX_FILES: usize = 1000;

/// All vectors of one model.
pub(super) struct VectorFiles {
    header: Vec<u8>,
    record_bytes: usize,
    files: Vec<File>,
    places: HashMap<Key, Place>,
    /// Where else a vector is: two processes may have kept the same.
    doubles: Vec<(Key, Place)>,
    /// How many texts are with the model, and what was forgotten meanwhile: their vectors are not kept.
    under_way: usize,
    forgotten: HashSet<Key>,
    /// Which of the files is ours, and where it ends; nothing once it could not be written.
    own: Option<Place>,
    /// Where records of our file were overwritten.
    free: Vec<u64>,
    sweep: Sweep,
}

#[derive(Clone, Copy)]
struct Place {
    file: usize,
    offset: u64,
}

impl VectorFiles {
    /// Opens all files of a model and takes one to write to.
    pub(super) fn open(directory: &Path, model: &str, dimensions: usize) -> Result<Self> {
        let directory = directory.join(folder(model));
        let header = records::header(model, dimensions);
        let record_bytes = records::record_bytes(dimensions);
        let mut files = Self {
            header,
            record_bytes,
            files: Vec::new(),
            places: HashMap::new(),
            doubles: Vec::new(),
            under_way: 0,
            forgotten: HashSet::new(),
            own: None,
            free: Vec::new(),
            sweep: Sweep::new(&directory),
        };
        files.open_files(&directory).map_err(|error| {
            let directory = directory.display();
            Error::unavailable(format!("the vector cache in {directory} cannot be used: {error}"))
        })?;
        Ok(files)
    }

    /// Vectors in all files.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The vector, if it is here and whole.
    pub(super) fn find(&mut self, key: &Key) -> Option<Vec<f32>> {
        let place = *self.places.get(key)?;
        let mut record = vec![0; self.record_bytes];
        let mut file = &self.files[place.file];
        let read =
            file.seek(SeekFrom::Start(place.offset)).and_then(|_| file.read_exact(&mut record));
        let vector = read.ok().and_then(|()| records::vector(&record, key));
        if vector.is_none() {
            self.places.remove(key);
        }
        vector
    }

    /// Notes that texts are given to the model; [`finish_embedding`](Self::finish_embedding) follows.
    pub(super) fn begin_embedding(&mut self) {
        self.under_way += 1;
    }

    /// Keeps the vectors of texts that were with the model, but for those that were forgotten meanwhile.
    pub(super) fn finish_embedding(&mut self, vectors: &[(Key, Vec<f32>)]) {
        let is_new = |(key, _): &&(Key, Vec<f32>)| {
            !self.forgotten.contains(key) && !self.places.contains_key(key)
        };
        self.sweep.note(vectors.iter().map(|(key, _)| *key));
        let fresh: Vec<(Key, Vec<f32>)> = vectors.iter().filter(is_new).cloned().collect();
        self.under_way -= 1;
        if self.under_way == 0 {
            self.forgotten.clear();
        }
        self.keep(&fresh);
    }

    /// Keeps vectors. If that fails, nothing is kept from then on.
    fn keep(&mut self, vectors: &[(Key, Vec<f32>)]) {
        if vectors
            .iter()
            .any(|(key, vector)| records::write(key, vector).len() != self.record_bytes)
        {
            tracing::warn!("vectors of another size than the model's are not cached");
            return;
        }
        let again = self.free.len().min(vectors.len());
        let (again, behind) = vectors.split_at(again);
        if let Err(error) = self.fill(again).and_then(|()| self.append(behind)) {
            tracing::warn!(%error, "the vector cache cannot be written; vectors are not kept");
            self.own = None;
        }
    }

    /// Writes vectors where others were overwritten.
    fn fill(&mut self, vectors: &[(Key, Vec<f32>)]) -> io::Result<()> {
        let Some(own) = self.own else { return Ok(()) };
        for (key, vector) in vectors {
            let Some(offset) = self.free.pop() else { return Ok(()) };
            let mut file = &self.files[own.file];
            file.seek(SeekFrom::Start(offset))?;
            file.write_all(&records::write(key, vector))?;
            self.places.insert(*key, Place { offset, ..own });
        }
        Ok(())
    }

    /// Writes vectors at the end.
    fn append(&mut self, vectors: &[(Key, Vec<f32>)]) -> io::Result<()> {
        let Some(own) = self.own else { return Ok(()) };
        let content: Vec<u8> =
            vectors.iter().flat_map(|(key, vector)| records::write(key, vector)).collect();
        write_at(&self.files[own.file], own.offset, &content)?;
        let offsets = (own.offset..).step_by(self.record_bytes);
        for ((key, _), offset) in vectors.iter().zip(offsets) {
            self.places.insert(*key, Place { offset, ..own });
        }
        self.own = Some(Place { offset: own.offset + content.len() as u64, ..own });
        Ok(())
    }

    /// Overwrites vectors. One that cannot be overwritten is said; it stays a vector without a text.
    pub(super) fn forget(&mut self, keys: &[Key]) {
        let blank = vec![0; self.record_bytes];
        if self.under_way > 0 {
            self.forgotten.extend(keys);
        }
        let meant: HashSet<&Key> = keys.iter().collect();
        let is_meant = |double: &mut (Key, Place)| meant.contains(&double.0);
        let doubles = self.doubles.extract_if(.., is_meant).map(|(_, place)| place);
        let places = keys.iter().filter_map(|key| self.places.remove(key));
        let places: Vec<Place> = doubles.chain(places).collect();
        for (number, file) in self.files.iter().enumerate() {
            let here = || places.iter().filter(|place| place.file == number);
            let offsets: Vec<u64> = here().map(|place| place.offset).collect();
            match write_over(file, &offsets, &blank) {
                Ok(()) if self.own.is_some_and(|own| own.file == number) => {
                    self.free.extend(offsets);
                }
                Ok(()) => {}
                Err(error) => {
                    tracing::warn!(%error, "vectors of something forgotten cannot be overwritten");
                }
            }
        }
    }

    /// Takes all files that are there, and makes one more if others write to each of them.
    fn open_files(&mut self, directory: &Path) -> io::Result<()> {
        fs::create_dir_all(directory)?;
        for path in (0..MAX_FILES).map(|number| directory.join(format!("{number:03}.vectors"))) {
            if self.own.is_some() && !path.exists() {
                break;
            }
            let mut options = OpenOptions::new();
            let file = options.read(true).write(true).create(true).truncate(false).open(path)?;
            let is_free = self.own.is_none() && is_free(&file)?;
            self.take(file, is_free)?;
        }
        Ok(())
    }

    /// Takes a file to read, and to write if it is free. Files of another kind are left alone.
    fn take(&mut self, mut file: File, is_free: bool) -> io::Result<()> {
        if is_free && file.metadata()?.len() < HEADER_BYTES as u64 {
            file.set_len(0)?;
            file.write_all(&self.header)?;
        }
        let Some((end, blank)) = self.read_all(&file)? else { return Ok(()) };
        if is_free {
            file.set_len(end)?;
            self.free = blank;
            self.own = Some(Place { file: self.files.len(), offset: end });
        }
        self.files.push(file);
        Ok(())
    }

    /// Notes where the whole records of a file are, and says where the last of them ends and which were
    /// overwritten.
    fn read_all(&mut self, mut file: &File) -> io::Result<Option<(u64, Vec<u64>)>> {
        file.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let mut header = vec![0; HEADER_BYTES];
        if reader.read_exact(&mut header).is_err() || header != self.header {
            return Ok(None);
        }
        let (number, mut end) = (self.files.len(), HEADER_BYTES as u64);
        let (mut record, mut blank) = (vec![0; self.record_bytes], Vec::new());
        while reader.read_exact(&mut record).is_ok() {
            if let Some(key) = records::key(&record)
                && let Some(before) = self.places.insert(key, Place { file: number, offset: end })
            {
                self.doubles.push((key, before));
            }
            if record.iter().all(|byte| *byte == 0) {
                blank.push(end);
            }
            end += self.record_bytes as u64;
        }
        Ok(Some((end, blank)))
    }
}

/// Locks a file for writing; returns whether no other process had the lock.
fn is_free(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Writes the same content at several places.
fn write_over(mut file: &File, offsets: &[u64], content: &[u8]) -> io::Result<()> {
    for offset in offsets {
        file.seek(SeekFrom::Start(*offset))?;
        file.write_all(content)?;
    }
    if offsets.is_empty() { Ok(()) } else { file.sync_data() }
}

/// Writes all of it, or leaves the file as it was.
fn write_at(mut file: &File, end: u64, content: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(end))?;
    file.write_all(content).inspect_err(|_| {
        // If this fails as well, the torn end is cut when the file is opened again.
        let _ = file.set_len(end);
    })
}

/// A folder that belongs to one model, with a name that people recognize.
fn folder(model: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = model.chars().take(60).map(plain).collect();
    format!("{name}-{}", &blake3::hash(model.as_bytes()).to_hex()[..8])
}
