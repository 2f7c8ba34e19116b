//! What a SQLite store says when its disk fails: a damaged page, a damaged log, a full disk. The faults are
//! real: bytes are changed in the files, and the disk is a small file system of its own where the tests
//! may mount one.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use everwhen_engine::memory::{Address, EntryId, MemoryId, Name, NewEntry, Role, Said};
use everwhen_engine::ports::{EntryQuery, Store};
use everwhen_engine::receipt::Receipt;
use everwhen_engine::{Engine, ErrorKind, Forget, Result, Vault};
use everwhen_store::{SqliteOptions, SqliteStore};
use everwhen_testkit::{block_on, engine_over};

const PAGE: usize = 4096;

fn open(path: &Path) -> Engine {
    let store: Arc<dyn Store> =
        Arc::new(SqliteStore::open(path, SqliteOptions::default()).unwrap());
    engine_over(store).0
}

fn vault_of(engine: &Engine) -> Vault {
    block_on(engine.vault_to_write(Address::read("vault", "v").unwrap())).unwrap()
}

fn memory() -> Address<MemoryId> {
    Address::Name(Name::new("memory", "m").unwrap())
}

fn say(vault: &Vault, text: &str) -> Result<EntryId> {
    let new = vec![NewEntry::new(Role::User, Said::new(text).unwrap())];
    match block_on(vault.remember(memory(), new, None))?.receipt {
        Receipt::Entries(stored) => Ok(stored.entries[0].id),
        other => panic!("{other:?}"),
    }
}

fn said(vault: &Vault) -> Result<usize> {
    let query = EntryQuery { limit: Some(1000), ..EntryQuery::default() };
    block_on(vault.entries(memory(), None, query)).map(|page| page.data.len())
}

fn log_of(path: &Path) -> PathBuf {
    path.with_extension("db-wal")
}

#[test]
fn a_store_that_works_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(&directory.path().join("everwhen.db"));
    assert_eq!(block_on(engine.ready()).unwrap(), [""; 0], "before the first write");
    say(&vault_of(&engine), "hello").unwrap();
    assert_eq!(block_on(engine.ready()).unwrap(), [""; 0]);
    assert_eq!(block_on(engine.check()).unwrap(), [""; 0]);
}

#[test]
fn a_damaged_page_is_told_once_it_was_met() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("everwhen.db");
    let vault = vault_of(&open(&path));
    let marker = "quinoa ".repeat(600);
    say(&vault, &marker).unwrap();
    for number in 0..200 {
        say(&vault, &format!("line {number}")).unwrap();
    }
    drop(vault);
    let mut bytes = std::fs::read(&path).unwrap();
    // All but the first pages, which hold the schema: whatever is read next meets one of them.
    for page in
        bytes.chunks_exact_mut(PAGE).skip(1).filter(|page| [2, 5, 10, 13].contains(&page[0]))
    {
        page[..100].fill(0xEE);
    }
    let sound = bytes.len();
    std::fs::write(&path, bytes).unwrap();
    assert!(sound > 20 * PAGE);
    let opened = SqliteStore::open(&path, SqliteOptions::default());
    // A page that opening needs may be among them; then the reason is reported at once.
    let Ok(store) = opened else {
        assert_eq!(opened.err().unwrap().kind(), ErrorKind::Damaged);
        return;
    };
    let engine = engine_over(Arc::new(store)).0;
    assert!(block_on(engine.vaults(None, 10)).is_err());
    let error = block_on(engine.ready()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged, "{error}");
    assert!(!block_on(engine.check()).map_or(vec![String::new()], |it| it).is_empty());
}

/// What is found in a store whose log was damaged at a place, as a crash leaves it: neither closed nor
/// emptied.
fn found_in_log(damage: impl Fn(&mut [u8])) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let [path, copy] = ["everwhen.db", "copy.db"].map(|name| directory.path().join(name));
    let vault = vault_of(&open(&path));
    for number in 0..60 {
        say(&vault, &format!("line {number}")).unwrap();
    }
    let mut log = std::fs::read(log_of(&path)).unwrap();
    std::fs::write(&copy, std::fs::read(&path).unwrap()).unwrap();
    drop(vault);
    damage(&mut log);
    std::fs::write(log_of(&copy), log).unwrap();
    block_on(open(&copy).check()).unwrap()
}

#[test]
fn a_damaged_log_is_told() {
    let in_the_middle = |log: &mut [u8]| log[log.len() * 3 / 10] ^= 1;
    let problems = found_in_log(in_the_middle);
    assert!(problems.iter().any(|problem| problem.contains("could not be read")), "{problems:?}");
    // The magic number, the size of a page, a salt.
    for place in [0, 10, 20] {
        let problems = found_in_log(|log| log[place] ^= 1);
        let is_told = problems.iter().any(|problem| problem.contains("could not be read"));
        assert!(is_told, "byte {place}: {problems:?}");
    }
    assert_eq!(found_in_log(|_| ()), [""; 0], "a whole one is not reported");
}

/// A disk of its own; nothing where the tests may not mount one.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount(size: &str) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", size, "tmpfs"]).arg(directory.path());
        let is_mounted = mount.output().is_ok_and(|done| done.status.success());
        is_mounted.then_some(Self(directory))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_loses_nothing_and_is_usable_once_there_is_room() {
    let Some(disk) = SmallDisk::mount("size=8m") else { return };
    let ballast = disk.0.path().join("ballast");
    std::fs::write(&ballast, vec![0; 3 << 20]).unwrap();
    let engine = open(&disk.0.path().join("everwhen.db"));
    let vault = vault_of(&engine);
    let first = say(&vault, "the first").unwrap();
    let mut stored = 1;
    let full = loop {
        match say(&vault, &"more and more ".repeat(2_000)) {
            Ok(_) => stored += 1,
            Err(error) => break error,
        }
        assert!(stored < 10_000, "the disk is never full");
    };
    assert_eq!(full.kind(), ErrorKind::Unavailable, "{full}");
    assert!(full.message().contains("full"), "{full}");
    // The log may have room for a page that was written to it and taken back.
    if let Err(error) = block_on(engine.ready()) {
        assert!(error.message().contains("full"), "{error}");
    }
    assert_eq!(said(&vault).unwrap(), stored, "what was acknowledged is there, and nothing else");
    std::fs::remove_file(&ballast).unwrap();
    assert_eq!(block_on(engine.ready()).unwrap(), [""; 0]);
    block_on(vault.forget(memory(), Forget::Entry(first), None)).unwrap();
    say(&vault, "there is room again").unwrap();
    assert_eq!(said(&vault).unwrap(), stored);
}

#[test]
fn a_database_that_is_moved_away_takes_nothing_until_it_is_back() {
    let directory = tempfile::tempdir().unwrap();
    let [path, moved] = ["everwhen.db", "moved.db"].map(|name| directory.path().join(name));
    let engine = open(&path);
    let vault = vault_of(&engine);
    say(&vault, "stored").unwrap();
    std::fs::rename(&path, &moved).unwrap();
    let is_refused = |reason: &str| {
        let errors = [block_on(engine.ready()).unwrap_err(), say(&vault, "lost").unwrap_err()];
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            assert!(error.message().contains(reason), "{error}");
        }
        assert_eq!(said(&vault).unwrap(), 1, "what was stored can be read");
    };
    is_refused("was removed");
    std::fs::copy(&moved, &path).unwrap();
    is_refused("was replaced");
    std::fs::rename(&moved, &path).unwrap();
    assert_eq!(block_on(engine.ready()).unwrap(), [""; 0]);
    say(&vault, "stored again").unwrap();
    assert_eq!(said(&vault).unwrap(), 2);
}

#[test]
fn a_database_that_reached_its_size_is_not_ready() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("everwhen.db");
    let small = SqliteOptions { max_bytes: Some(700 * 1024), ..SqliteOptions::default() };
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&path, small).unwrap());
    let engine = engine_over(store).0;
    let vault = vault_of(&engine);
    let mut entries = Vec::new();
    while let Ok(entry) = say(&vault, &"more and more ".repeat(100)) {
        entries.push(entry);
    }
    while say(&vault, "x").is_ok() {}
    let error = block_on(engine.ready()).unwrap_err();
    assert!(error.message().contains("size allowed"), "{error}");
    for entry in entries.into_iter().take(60) {
        block_on(vault.forget(memory(), Forget::Entry(entry), None)).unwrap();
    }
    say(&vault, "there is room again").unwrap();
    assert_eq!(block_on(engine.ready()).unwrap(), [""; 0]);
}
