//! Databases of every earlier schema version: they open, are migrated once, answer, and are then like new ones, with the
//! same tables and indexes, so that every statement has the same plan.
//!
//! `samples/` has one of each version; `samples/make.py` adds that of a new one.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use everwhen_engine::facts::FactQuery;
use everwhen_engine::memory::{Address, Entry, MemoryId, Name, NewEntry, Role, Said};
use everwhen_engine::ports::EntryQuery;
use everwhen_engine::recall::Query;
use everwhen_engine::{Engine, Forget, Vault};
use everwhen_store::{SqliteOptions, SqliteStore};
use everwhen_testkit::{block_on, engine_over};
use rusqlite::Connection;

/// The facts of a database have been kept since this version.
const FACTS_SINCE: usize = 7;

fn samples() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let files = std::fs::read_dir(directory).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension() == Some("sql".as_ref())).collect();
    files.sort_unstable();
    files
}

/// Everything but rows: tables and indexes as they were made, and how often that has changed.
fn shape(file: &Path) -> (Vec<(String, Option<String>)>, i64, i64) {
    let database = Connection::open(file).unwrap();
    let mut statement =
        database.prepare("SELECT type || ' ' || name, sql FROM sqlite_schema ORDER BY 1").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let number = |name: &str| -> i64 {
        database.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).unwrap()
    };
    (rows.map(Result::unwrap).collect(), number("user_version"), number("schema_version"))
}

fn open(file: &Path) -> Engine {
    let store = SqliteStore::open(file, SqliteOptions::default()).unwrap();
    engine_over(Arc::new(store)).0
}

fn named(name: &str) -> Address<MemoryId> {
    Address::Name(Name::new("memory", name).unwrap())
}

fn entries(vault: &Vault, memory: &str) -> Vec<Entry> {
    block_on(vault.entries(named(memory), None, EntryQuery::default())).unwrap().data
}

fn texts(vault: &Vault, memory: &str) -> Vec<String> {
    entries(vault, memory).iter().map(|entry| entry.content.as_str().to_owned()).collect()
}

/// What there was is there, is found, and can be added to and forgotten.
fn use_it(engine: &Engine, version: usize) {
    let vault =
        block_on(engine.vault(Address::Name(Name::new("vault", "default").unwrap()))).unwrap();
    let ana = [
        "I live in Berlin",
        "Good to know",
        "I have a dog named Rex",
        "I moved to Oslo",
        "My favourite tea is green tea",
        "We walked to the lake",
    ];
    assert_eq!(texts(&vault, "ana"), ana, "version {version}");
    let found = block_on(vault.recall(named("ana"), Query::new("which tea?"))).unwrap();
    assert_eq!(found.items[0].entry.content.as_str(), ana[4], "version {version}");
    let facts = block_on(vault.facts(named("ana"), FactQuery::default())).unwrap().data;
    assert_eq!(facts.is_empty(), version < FACTS_SINCE, "version {version}: {facts:?}");
    let said = NewEntry::new(Role::User, Said::new("I moved to Rome").unwrap());
    block_on(vault.remember(named("ana"), vec![said], None)).unwrap();
    let rex = entries(&vault, "ana")[2].id;
    block_on(vault.forget(named("ana"), Forget::Entry(rex), None)).unwrap();
    block_on(engine.settle()).unwrap();
    assert_eq!(texts(&vault, "ana").len(), 6, "version {version}");
    assert!(texts(&vault, "bo").contains(&"Hello from a chat".to_owned()), "version {version}");
}

#[test]
fn databases_of_every_version_are_migrated_once_and_are_then_like_new_ones() {
    let directory = tempfile::tempdir().unwrap();
    let new = directory.path().join("new.db");
    drop(open(&new));
    let (tables, latest, _) = shape(&new);
    let samples = samples();
    assert_eq!(samples.len() as i64, latest, "samples/make.py writes that of a new version");
    for (version, sample) in (1..).zip(samples) {
        let file = directory.path().join(format!("{version}.db"));
        let old = Connection::open(&file).unwrap();
        old.execute_batch(&std::fs::read_to_string(&sample).unwrap()).unwrap();
        drop(old);
        assert_eq!(shape(&file).1, version as i64, "{}", sample.display());
        drop(open(&file));
        let migrated = shape(&file);
        assert_eq!((&migrated.0, migrated.1), (&tables, latest), "version {version}");
        use_it(&open(&file), version);
        assert_eq!(shape(&file), migrated, "version {version} was migrated twice");
    }
}
