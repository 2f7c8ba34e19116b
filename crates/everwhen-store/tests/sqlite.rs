//! What only the SQLite store promises: files of other programs and versions are left alone, a full
//! disk stores nothing, a failing write does not fail others, and what is forgotten is gone.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use everwhen_engine::job::{Job, JobKind, JobState, Queue, Subject};
use everwhen_engine::memory::{
    Address, EntryId, JobId, MemoryId, MemoryRef, Name, NewEntry, Role, Said, VaultInfo,
};
use everwhen_engine::ports::{EntryQuery, Row, Store, Tx};
use everwhen_engine::recall::Query;
use everwhen_engine::receipt::Receipt;
use everwhen_engine::{Engine, Error, ErrorKind, Forget, Vault, limits};
use everwhen_store::{SqliteOptions, SqliteStore};
use everwhen_testkit::{block_on, engine_over};
use jiff::SignedDuration;
use rusqlite::Connection;

/// How long a read waits for another before it is taken for stuck.
const PATIENCE: Duration = Duration::from_secs(60);

struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    fn file(&self) -> PathBuf {
        self.directory.path().join("everwhen.db")
    }

    fn open(&self) -> Result<SqliteStore, Error> {
        SqliteStore::open(&self.file(), SqliteOptions::default())
    }

    fn vault(&self, options: SqliteOptions) -> Vault {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&self.file(), options).unwrap());
        vault_of(&engine_over(store).0)
    }
}

fn vault_of(engine: &Engine) -> Vault {
    block_on(engine.vault_to_write(Address::read("vault", "v").unwrap())).unwrap()
}

fn memory() -> Address<MemoryId> {
    Address::Name(Name::new("memory", "m").unwrap())
}

fn say(text: &str) -> Vec<NewEntry> {
    vec![NewEntry::new(Role::User, Said::new(text).unwrap())]
}

fn said(vault: &Vault) -> Vec<String> {
    let page = block_on(vault.entries(memory(), None, EntryQuery::default())).unwrap();
    page.data.iter().map(|entry| entry.content.as_str().to_owned()).collect()
}

fn opening_fails(place: &Place, kind: ErrorKind, words: &str) {
    let before = std::fs::read(place.file()).unwrap();
    let error = place.open().err().expect("opening must fail");
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.message().contains(words), "{error}");
    assert!(std::fs::read(place.file()).unwrap() == before, "the file was changed");
}

#[test]
fn a_database_of_a_newer_version_is_left_alone() {
    let place = Place::new();
    drop(place.open().unwrap());
    Connection::open(place.file()).unwrap().pragma_update(None, "user_version", 999).unwrap();
    opening_fails(&place, ErrorKind::Unavailable, "newer Everwhen");
}

#[test]
fn a_key_made_before_there_were_scopes_is_an_admin_key() {
    const BEFORE: [&str; 13] = [
        include_str!("../src/sqlite/schema/0001_init.sql"),
        include_str!("../src/sqlite/schema/0002_recall.sql"),
        include_str!("../src/sqlite/schema/0003_jobs.sql"),
        include_str!("../src/sqlite/schema/0004_ledger.sql"),
        include_str!("../src/sqlite/schema/0005_segments.sql"),
        include_str!("../src/sqlite/schema/0006_models.sql"),
        include_str!("../src/sqlite/schema/0007_facts.sql"),
        include_str!("../src/sqlite/schema/0008_chapters.sql"),
        include_str!("../src/sqlite/schema/0009_distilled.sql"),
        include_str!("../src/sqlite/schema/0010_context.sql"),
        include_str!("../src/sqlite/schema/0011_lifecycle.sql"),
        include_str!("../src/sqlite/schema/0012_followed.sql"),
        include_str!("../src/sqlite/schema/0013_proof.sql"),
    ];
    let place = Place::new();
    let old = Connection::open(place.file()).unwrap();
    BEFORE.iter().for_each(|migration| old.execute_batch(migration).unwrap());
    old.pragma_update(None, "application_id", 0x4576_5768).unwrap();
    old.pragma_update(None, "user_version", BEFORE.len() as i64).unwrap();
    let sql = "INSERT INTO access_key (id, vault_id, trusted, hash, creation_time)
        VALUES (zeroblob(16), zeroblob(16), 0, zeroblob(32), 0)";
    old.execute(sql, []).unwrap();
    drop(old);
    let (engine, _) = everwhen_testkit::engine_over(std::sync::Arc::new(place.open().unwrap()));
    let keys = block_on(engine.keys()).unwrap();
    assert_eq!(keys.len(), 1);
    assert_eq!((keys[0].scope, keys[0].expires_at), (everwhen_engine::key::Scope::Admin, None));
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let place = Place::new();
    Connection::open(place.file()).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    opening_fails(&place, ErrorKind::Damaged, "does not belong to Everwhen");
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let place = Place::new();
    std::fs::write(place.file(), "dear diary, ".repeat(1000)).unwrap();
    opening_fails(&place, ErrorKind::Damaged, "not a healthy SQLite database");
}

#[test]
fn a_directory_that_does_not_exist_is_named() {
    let missing = Path::new("no/such/directory/everwhen.db");
    let error = SqliteStore::open(missing, SqliteOptions::default()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.message().contains("no/such/directory"), "{error}");
}

#[test]
fn a_full_disk_stores_nothing_and_is_survived() {
    let place = Place::new();
    let small = SqliteOptions { max_bytes: Some(400 * 1024), ..SqliteOptions::default() };
    let vault = place.vault(small);
    block_on(vault.remember(memory(), say("fits"), None)).unwrap();
    let big = "x".repeat(900 * 1024);
    let error = block_on(vault.remember(memory(), say(&big), None)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.message().contains("full"), "{error}");
    block_on(vault.remember(memory(), say("fits too"), None)).unwrap();
    assert_eq!(said(&vault), ["fits", "fits too"]);
}

#[test]
fn everything_is_there_after_reopening() {
    let place = Place::new();
    let vault = place.vault(SqliteOptions::default());
    for number in 0..50 {
        block_on(vault.remember(memory(), say(&format!("entry {number}")), None)).unwrap();
    }
    drop(vault);
    let again = place.vault(SqliteOptions::default());
    assert_eq!(said(&again).len(), 50);
    let store = place.open().unwrap();
    assert_eq!(block_on(Store::check(&store)).unwrap(), Vec::<String>::new());
}

#[test]
fn a_failing_or_panicking_work_takes_nobody_along() {
    let place = Place::new();
    let store: Arc<dyn Store> = Arc::new(place.open().unwrap());
    let vault = vault_of(&engine_over(Arc::clone(&store)).0);
    block_on(vault.remember(memory(), say("kept"), None)).unwrap();
    let refused = block_on(store.write(Box::new(|_| Err(Error::invalid("no")))));
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Invalid);
    let panicked = block_on(store.write(Box::new(|_| panic!("a bug"))));
    assert_eq!(panicked.unwrap_err().kind(), ErrorKind::Damaged);
    let panicked = block_on(store.read(Box::new(|_| panic!("a bug"))));
    assert_eq!(panicked.unwrap_err().kind(), ErrorKind::Damaged);
    block_on(vault.remember(memory(), say("kept too"), None)).unwrap();
    assert_eq!(said(&vault), ["kept", "kept too"]);
}

#[test]
fn one_that_fails_midway_takes_nobody_of_its_group_along() {
    let place = Place::new();
    let store: Arc<dyn Store> = Arc::new(place.open().unwrap());
    let vault = vault_of(&engine_over(Arc::clone(&store)).0);
    block_on(vault.remember(memory(), say("first"), None)).unwrap();
    let like = block_on(vault.info()).unwrap();
    let add = |number: u128| {
        let (id, name) = (uuid::Uuid::from_u128(number).into(), format!("vault-{number}"));
        let added = VaultInfo { id, name: Name::new("vault", &name).unwrap(), ..like.clone() };
        block_on(store.write(Box::new(move |tx| {
            tx.put(Row::Vault(&added))?;
            if number.is_multiple_of(3) { Err(Error::conflict("no")) } else { Ok(()) }
        })))
    };
    let pause = |millis| std::thread::sleep(std::time::Duration::from_millis(millis));
    std::thread::scope(|scope| {
        // While the writer is busy with this one, the others gather behind it.
        scope.spawn(|| {
            block_on(store.write(Box::new(move |_| {
                pause(200);
                Ok(())
            })))
        });
        pause(20);
        for number in 1..=9 {
            let add = &add;
            scope.spawn(move || assert_eq!(add(number).is_err(), number % 3 == 0, "{number}"));
        }
    });
    let kept = block_on(store.look(|snapshot| snapshot.vaults(None, 100))).unwrap();
    let kept: Vec<&str> = kept.iter().map(|vault| vault.name.as_str()).collect();
    assert_eq!(kept, ["v", "vault-1", "vault-2", "vault-4", "vault-5", "vault-7", "vault-8"]);
}

#[test]
fn forgotten_text_is_gone_from_the_files() {
    let place = Place::new();
    let vault = place.vault(SqliteOptions::default());
    let secret = "xylophone-quartz-4711";
    let done = block_on(vault.remember(memory(), say(secret), None)).unwrap();
    let Receipt::Entries(receipt) = done.receipt else { panic!("{:?}", done.receipt) };
    assert!(found_on_disk(&place, secret), "the test would not notice");
    let what = Forget::Entry(receipt.entries[0].id);
    block_on(vault.forget(memory(), what, None)).unwrap();
    assert!(!found_on_disk(&place, secret));
}

fn found_on_disk(place: &Place, text: &str) -> bool {
    let files = std::fs::read_dir(place.directory.path()).unwrap();
    files
        .map(|file| std::fs::read(file.unwrap().path()).unwrap())
        .any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
}

#[test]
fn a_job_claimed_by_a_process_that_is_gone_is_free_at_once() {
    let place = Place::new();
    let old = "2025-01-01T10:00:00Z".parse().unwrap();
    let open = || engine_over(Arc::new(place.open().unwrap()));
    let (first, clock) = open();
    let entry = NewEntry::new(Role::User, Said::new("old").unwrap()).said_at(old);
    block_on(vault_of(&first).remember(memory(), vec![entry], None)).unwrap();
    clock.advance(SignedDuration::from_mins(1));
    let claimed = block_on(first.claim(Queue::Quick)).unwrap().unwrap();
    assert_eq!(block_on(first.claim(Queue::Quick)).unwrap(), None);
    drop(first);
    let (second, clock) = open();
    clock.advance(SignedDuration::from_mins(1));
    let again = block_on(second.claim(Queue::Quick)).unwrap().unwrap();
    assert_eq!((again.id, again.tries), (claimed.id, claimed.tries + 1));
}

/// Jobs of a large import in another memory are due first.
#[test]
fn jobs_of_a_memory_are_found_however_many_others_wait() {
    let place = Place::new();
    let store: Arc<dyn Store> = Arc::new(place.open().unwrap());
    let (engine, _clock) = engine_over(Arc::clone(&store));
    let vault = vault_of(&engine);
    block_on(vault.remember(memory(), say("mine"), None)).unwrap();
    let other = Address::Name(Name::new("memory", "other").unwrap());
    block_on(vault.remember(other.clone(), say("another's"), None)).unwrap();
    let there = MemoryRef { vault: vault.id(), memory: block_on(vault.memory(other)).unwrap().id };
    let here = MemoryRef { memory: block_on(vault.memory(memory())).unwrap().id, ..there };
    let now = engine.now();
    let put = move |tx: &mut dyn Tx| {
        let put = |tx: &mut dyn Tx, number: usize, place, due, state| {
            let id: JobId = uuid::Uuid::from_u128(number as u128).into();
            let job = Job::new(id, place, JobKind::Retell, Subject::Payload(id), due);
            tx.put(Row::Job(&Job { state, ..job }))
        };
        for number in 0..limits::JOBS_READ {
            put(tx, number, there, now, JobState::Waiting)?;
        }
        let later = now + SignedDuration::from_hours(1);
        put(tx, limits::JOBS_READ, here, later, JobState::SetAside)
    };
    block_on(store.transact(put)).unwrap();
    let found = block_on(vault.jobs(memory())).unwrap();
    assert_eq!(found.iter().filter(|job| job.kind == JobKind::Retell).count(), 1);
    assert_eq!(block_on(engine.retry_jobs(None, Some(here))).unwrap().retried, 1);
}

#[test]
fn rows_are_read_while_long_reads_run() {
    let place = Place::new();
    let store = place.open().unwrap();
    let (ended, may_end): (Vec<_>, Vec<_>) = (0..3).map(|_| mpsc::channel::<()>()).unzip();
    std::thread::scope(|threads| {
        for wait in may_end {
            let long = store.read(Box::new(move |_| {
                wait.recv_timeout(PATIENCE).map_err(|_| Error::unavailable("nothing else was read"))
            }));
            threads.spawn(|| block_on(long).unwrap());
        }
        block_on(store.read(Box::new(|_| Ok(())))).unwrap();
        ended.iter().for_each(|one| one.send(()).unwrap());
    });
}

/// How many entries recall finds.
fn ask(vault: &Vault) -> usize {
    block_on(vault.recall(memory(), Query::new("the zebrafish?"))).unwrap().items.len()
}

/// A database with a saved index of which a page is damaged, and the id of the one entry.
fn with_damaged_index() -> (Place, EntryId) {
    let place = Place::new();
    let store: Arc<dyn Store> = Arc::new(place.open().unwrap());
    let (engine, _) = engine_over(store);
    let vault = vault_of(&engine);
    let done = block_on(vault.remember(memory(), say("my zebrafish sleeps"), None)).unwrap();
    let Receipt::Entries(stored) = done.receipt else { panic!("{:?}", done.receipt) };
    assert_eq!(ask(&vault), 1);
    block_on(engine.keep_indexes(1)).unwrap();
    drop((vault, engine));
    damage_saved_index(&place);
    (place, stored.entries[0].id)
}

fn damage_saved_index(place: &Place) {
    let database = Connection::open(place.file()).unwrap();
    let root: u32 = database
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'segment'", [], |row| {
            row.get(0)
        })
        .unwrap();
    let size: u32 = database.query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap();
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(database);
    let mut bytes = std::fs::read(place.file()).unwrap();
    let page = ((root - 1) * size) as usize;
    bytes[page..page + 8].fill(0xff);
    std::fs::write(place.file(), bytes).unwrap();
    let damaged = Connection::open(place.file()).unwrap();
    assert!(damaged.query_row("SELECT bytes FROM segment", [], |_| Ok(())).is_err());
}

#[test]
fn a_damaged_page_of_a_saved_index_does_not_stop_recall() {
    let (place, _) = with_damaged_index();
    let store: Arc<dyn Store> = Arc::new(place.open().unwrap());
    let (engine, _) = engine_over(store);
    let vault = vault_of(&engine);
    assert_eq!(ask(&vault), 1);
    assert_eq!(block_on(engine.ready()).unwrap(), [""; 0], "the damage is repaired");
    let found = block_on(engine.check()).unwrap();
    assert!(found.len() == 1 && found[0].contains("saved search indexes"), "{found:?}");
    block_on(engine.keep_indexes(1)).unwrap();
    assert_eq!(ask(&vault), 1);
}

#[test]
fn a_damaged_page_of_a_saved_index_does_not_stop_forgetting() {
    for what in ["entry", "memory", "vault"] {
        let (place, entry) = with_damaged_index();
        let holds_words = || {
            let bytes = std::fs::read(place.file()).unwrap();
            bytes.windows(9).any(|part| part == b"zebrafish")
        };
        assert!(holds_words());
        let store: Arc<dyn Store> = Arc::new(place.open().unwrap());
        let (engine, _) = engine_over(store);
        let vault = vault_of(&engine);
        let forgotten = match what {
            "entry" => block_on(vault.forget(memory(), Forget::Entry(entry), None)).map(drop),
            "memory" => block_on(vault.forget(memory(), Forget::Memory, None)).map(drop),
            _ => block_on(vault.forget_vault(None)).map(drop),
        };
        forgotten.unwrap();
        assert_eq!(block_on(engine.ready()).unwrap(), [""; 0], "{what}");
        block_on(vault_of(&engine).remember(memory(), say("anything"), None)).unwrap();
        drop((vault, engine));
        assert!(!holds_words(), "{what}");
    }
}
