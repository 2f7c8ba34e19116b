//! Backups: the database at one moment, compressed, with a manifest and a checksum, in one file.
//!
//! A backup is a zip archive with two members: `manifest.json`, and the database compressed with
//! Zstandard. It is made while a server runs, and contains everything that was acknowledged before it
//! began. A backup is written beside its place and renamed, so that a file of its name is complete.

mod schedule;
mod status;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use everwhen_platform::{private_file, restrict_to_owner};
use everwhen_store::{TransferEnd, examine, snapshot, transfer_all};
use jiff::Timestamp;
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

pub use schedule::run_schedule;
pub use status::{ScheduleStatus, ScheduledBackup};

use crate::database_file::DATABASE_FILE;
use crate::{Error, Result, StoreLocation};

/// The version of the layout.
const FORMAT: u64 = 1;
const MANIFEST: &str = "manifest.json";
const MEMBER: &str = "everwhen.db.zst";
/// Where a backup is unpacked on its way into another database.
const RESTORING_FOLDER: &str = "restoring";
/// How hard it is compressed: fast, and small enough.
const LEVEL: i32 = 3;

/// What a backup says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// When it was begun.
    pub created_at: Timestamp,
    /// Bytes of the database.
    pub bytes: u64,
    /// The BLAKE3 hash of the database, in hexadecimal digits.
    pub checksum: String,
    /// Rows of each table.
    pub rows: Vec<(String, u64)>,
}

/// Makes a backup of the database in a data directory, which may be in use.
pub fn back_up(data: &Path, file: &Path, now: Timestamp) -> Result<Manifest> {
    let database = data.join(DATABASE_FILE);
    if !database.exists() {
        return Err(Error::not_found(format!("{} has no database", data.display())));
    }
    made(file, now, &|copy| snapshot(&database, copy))
}

/// Makes a backup of a store, which may be in use. A PostgreSQL database is read in one transaction, row by
/// row, so the backup restores into either kind of store.
pub fn back_up_store(
    store: &StoreLocation,
    data: &Path,
    file: &Path,
    now: Timestamp,
) -> Result<Manifest> {
    let StoreLocation::Postgres(url) = store else { return back_up(data, file, now) };
    let from = TransferEnd::Postgres(url.clone());
    made(file, now, &|copy| {
        let to = TransferEnd::Sqlite(copy.to_owned());
        transfer_all(&from, &to, &|_| {}).map(drop)
    })
}

fn made(file: &Path, now: Timestamp, copy_to: &dyn Fn(&Path) -> Result<()>) -> Result<Manifest> {
    if file.exists() {
        return Err(Error::conflict(format!(
            "{} exists; name another file, a backup replaces nothing",
            file.display()
        )));
    }
    let (copy, part) = (beside(file, "snapshot"), beside(file, "part"));
    let outcome = written(copy_to, &copy, &part, now);
    // Whatever happened, only the finished file stays.
    for end in ["snapshot", "snapshot-wal", "snapshot-shm"] {
        let _ = std::fs::remove_file(beside(file, end));
    }
    let manifest = outcome.inspect_err(|_| drop(std::fs::remove_file(&part)))?;
    std::fs::rename(&part, file).map_err(|error| failed(file, &error))?;
    Ok(manifest)
}

fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{end}"));
    file.with_file_name(name)
}

fn written(
    copy_to: &dyn Fn(&Path) -> Result<()>,
    copy: &Path,
    part: &Path,
    now: Timestamp,
) -> Result<Manifest> {
    let _ = std::fs::remove_file(copy);
    copy_to(copy)?;
    let rows = examine(copy)?;
    let (bytes, checksum) = hash(File::open(copy).map_err(|error| failed(copy, &error))?)
        .map_err(|error| failed(copy, &error))?;
    let manifest = Manifest { created_at: now, bytes, checksum, rows };
    pack(copy, part, &manifest).map_err(|error| failed(part, &error))?;
    Ok(manifest)
}

fn pack(copy: &Path, part: &Path, manifest: &Manifest) -> io::Result<()> {
    let mut zip = ZipWriter::new(private_file().truncate(true).open(part)?);
    let stored = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .large_file(true)
        .unix_permissions(0o600);
    zip.start_file(MANIFEST, stored).map_err(io::Error::other)?;
    zip.write_all(manifest.write().to_string().as_bytes())?;
    zip.start_file(MEMBER, stored).map_err(io::Error::other)?;
    let mut packed = zstd::Encoder::new(&mut zip, LEVEL)?;
    io::copy(&mut File::open(copy)?, &mut packed)?;
    packed.finish()?;
    zip.finish().map_err(io::Error::other)?.sync_all()
}

/// Checks that a backup is complete and that its database is what its manifest says.
pub fn verify(file: &Path) -> Result<Manifest> {
    let mut archive = open(file)?;
    let manifest = manifest(&mut archive, file)?;
    let member = archive.by_name(MEMBER).map_err(|error| failed(file, &error))?;
    let unpacked = zstd::Decoder::new(member).map_err(|error| failed(file, &error))?;
    let found = hash(unpacked).map_err(|error| failed(file, &error))?;
    if found != (manifest.bytes, manifest.checksum.clone()) {
        return Err(Error::damaged(format!(
            "{}: the database in it is not the one that was backed up; the checksums differ",
            file.display()
        )));
    }
    Ok(manifest)
}

/// Unpacks a backup into a data directory that has no database yet, and checks the result.
pub fn restore(file: &Path, data: &Path) -> Result<Manifest> {
    let manifest = verify(file)?;
    let target = data.join(DATABASE_FILE);
    if target.exists() {
        return Err(Error::conflict(format!(
            "{} has a database; restore into an empty directory with --data",
            data.display()
        )));
    }
    std::fs::create_dir_all(data).map_err(|error| failed(data, &error))?;
    let part = beside(&target, "part");
    let mut archive = open(file)?;
    let member = archive.by_name(MEMBER).map_err(|error| failed(file, &error))?;
    let unpacked = zstd::Decoder::new(member).map_err(|error| failed(file, &error))?;
    unpack(unpacked, &part).map_err(|error| failed(&part, &error))?;
    if examine(&part)? != manifest.rows {
        return Err(Error::damaged(format!("{}: rows are missing", file.display())));
    }
    std::fs::rename(&part, &target).map_err(|error| failed(&target, &error))?;
    Ok(manifest)
}

/// Unpacks a backup into a store that is empty, and checks the result.
pub fn restore_store(file: &Path, store: &StoreLocation, data: &Path) -> Result<Manifest> {
    let StoreLocation::Postgres(url) = store else { return restore(file, data) };
    let place = data.join(RESTORING_FOLDER);
    let outcome = restore(file, &place).and_then(|manifest| {
        let from = TransferEnd::Sqlite(place.join(DATABASE_FILE));
        transfer_all(&from, &TransferEnd::Postgres(url.clone()), &|_| {})?;
        Ok(manifest)
    });
    // It was only on its way.
    let _ = std::fs::remove_dir_all(&place);
    outcome
}

fn unpack(mut from: impl Read, to: &Path) -> io::Result<()> {
    let mut file = private_file().truncate(true).open(to)?;
    restrict_to_owner(&file)?;
    io::copy(&mut from, &mut file)?;
    file.sync_all()
}

fn open(file: &Path) -> Result<ZipArchive<File>> {
    let opened = File::open(file).map_err(|error| failed(file, &error))?;
    ZipArchive::new(opened).map_err(|error| {
        Error::damaged(format!("{}: no backup, or one that is cut off ({error})", file.display()))
    })
}

fn manifest(archive: &mut ZipArchive<File>, file: &Path) -> Result<Manifest> {
    let mut text = String::new();
    let mut member = archive.by_name(MANIFEST).map_err(|error| failed(file, &error))?;
    member.read_to_string(&mut text).map_err(|error| failed(file, &error))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| failed(file, &error))?;
    if value["format"].as_u64() != Some(FORMAT) {
        return Err(Error::invalid(format!(
            "{}: made by a newer version; its format is {}, this version reads {FORMAT}",
            file.display(),
            value["format"]
        )));
    }
    Manifest::read(&value).ok_or_else(|| Error::damaged(format!("{}: no manifest", file.display())))
}

fn hash(mut from: impl Read) -> io::Result<(u64, String)> {
    let mut hasher = blake3::Hasher::new();
    let bytes = io::copy(&mut from, &mut hasher)?;
    Ok((bytes, hasher.finalize().to_hex().to_string()))
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::damaged(format!("{}: {error}", path.display()))
}

impl Manifest {
    fn write(&self) -> Value {
        let rows: serde_json::Map<String, Value> =
            self.rows.iter().map(|(table, rows)| (table.clone(), (*rows).into())).collect();
        json!({
            "format": FORMAT,
            "created_at": self.created_at.to_string(),
            "bytes": self.bytes,
            "blake3": self.checksum,
            "rows": rows,
        })
    }

    fn read(value: &Value) -> Option<Self> {
        let rows = value["rows"].as_object()?.iter();
        Some(Self {
            created_at: value["created_at"].as_str()?.parse().ok()?,
            bytes: value["bytes"].as_u64()?,
            checksum: value["blake3"].as_str()?.to_owned(),
            rows: rows
                .map(|(table, rows)| Some((table.clone(), rows.as_u64()?)))
                .collect::<Option<_>>()?,
        })
    }

    /// How many entries it has.
    pub fn entries(&self) -> u64 {
        self.rows.iter().find(|(table, _)| table == "entry").map_or(0, |(_, rows)| *rows)
    }
}
