//! What only the PostgreSQL store promises: many servers before one database, and that nothing
//! acknowledged is lost or doubled when connections are cut, the database crashes, or a standby takes
//! over. All of it for real.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use everwhen_engine::memory::{
    Address, MemoryId, Name, NewEntry, Role, Said, SeededChance, Settings,
};
use everwhen_engine::ports::{EntryQuery, MemoryRef, Row, Store, Writing};
use everwhen_engine::receipt::Idempotency;
use everwhen_engine::time::{ManualClock, Zone};
use everwhen_engine::{
    Engine, Error, ErrorKind, MemoryChange, Result, Vault, VaultDefaults, World,
};
use everwhen_store::{PostgresOptions, PostgresStore};
use everwhen_testkit::{Cluster, PlainStore, block_on, engine_over, sql};
use jiff::Timestamp;

#[path = "postgres/nodes.rs"]
mod nodes;

#[path = "postgres/schemas.rs"]
#[expect(dead_code, reason = "shared with the conformance cases, which use all of it")]
mod schemas;

#[path = "postgres/versions.rs"]
mod versions;

use schemas::Schema;

const WRITERS: usize = 4;
/// Writes before and after whatever happens.
const SOME: usize = 40;

fn noon() -> Timestamp {
    "2025-06-01T12:00:00Z".parse().unwrap()
}

fn open(url: &str) -> PostgresStore {
    PostgresStore::open(url, PostgresOptions { connections: 4, ..PostgresOptions::default() })
        .unwrap()
}

/// One of several servers; each has its own chance, as real ones have.
fn server(url: &str, seed: u64, now: Timestamp) -> Engine {
    server_over(Arc::new(open(url)), seed, now)
}

fn server_over(store: Arc<PostgresStore>, seed: u64, now: Timestamp) -> Engine {
    let world =
        World { clock: Box::new(ManualClock::new(now)), chance: Box::new(SeededChance::new(seed)) };
    let defaults = VaultDefaults { zone: Zone::utc(), settings: Settings::default() };
    Engine::new(store, world, defaults)
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

/// Everything in the memory, in order of arrival, each with its sequence.
fn said(vault: &Vault) -> Vec<(u64, String)> {
    let mut all = Vec::new();
    let mut from = None;
    loop {
        let query = EntryQuery { from, limit: Some(1000), ..EntryQuery::default() };
        let page = block_on(vault.entries(memory(), None, query)).unwrap();
        all.extend(page.data.iter().map(|e| (e.sequence, e.content.as_str().to_owned())));
        from = page.next;
        if from.is_none() {
            return all;
        }
    }
}

/// Writes until told to stop; what fails is sent again under the same key, as a client would.
fn write_on(vault: &Vault, writer: usize, stop: &AtomicBool, acknowledged: &Mutex<Vec<String>>) {
    for number in 0.. {
        let text = format!("writer {writer} entry {number}");
        let key = Name::new("key", text.clone()).unwrap();
        let once = Idempotency { key, digest: [7; 32] };
        while let Err(error) = block_on(vault.remember(memory(), say(&text), Some(once.clone()))) {
            let may_pass = [ErrorKind::Unavailable, ErrorKind::Busy].contains(&error.kind());
            assert!(may_pass, "{error:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
        acknowledged.lock().unwrap().push(text);
        if stop.load(Ordering::Relaxed) {
            return;
        }
    }
}

/// Two servers are written to while something happens to the database. Whatever was acknowledged
/// must be there once, in one unbroken order.
fn survives(url: &str, happening: impl FnOnce()) {
    let engines = [server(url, 1, noon()), server(url, 2, noon())];
    let (stop, acknowledged) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let vault = vault_of(&engines[writer % 2]);
            let (stop, acknowledged) = (&stop, &acknowledged);
            scope.spawn(move || write_on(&vault, writer, stop, acknowledged));
        }
        wait_for(&acknowledged, SOME);
        happening();
        let so_far = acknowledged.lock().unwrap().len();
        wait_for(&acknowledged, so_far + SOME);
        stop.store(true, Ordering::Relaxed);
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    let found = said(&vault_of(&engines[0]));
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    found.iter().for_each(|(_, text)| *times.entry(text).or_default() += 1);
    for text in &acknowledged {
        assert_eq!(times.get(text.as_str()), Some(&1), "acknowledged: {text}");
    }
    assert_eq!(found.len(), acknowledged.len(), "what was not acknowledged is there");
    let sequences: BTreeSet<u64> = found.iter().map(|(sequence, _)| *sequence).collect();
    assert_eq!(sequences, (1..=found.len() as u64).collect());
}

fn wait_for(acknowledged: &Mutex<Vec<String>>, count: usize) {
    while acknowledged.lock().unwrap().len() < count {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn cut_connections_lose_and_double_nothing() {
    let cluster = Cluster::start();
    survives(&cluster.url(), || {
        for _ in 0..20 {
            let others = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE application_name = 'everwhen'";
            sql(&cluster.url(), others);
            std::thread::sleep(Duration::from_millis(30));
        }
    });
}

#[test]
fn a_restart_of_the_database_is_waited_out() {
    let cluster = Cluster::start();
    survives(&cluster.url(), || {
        cluster.stop();
        std::thread::sleep(Duration::from_millis(500));
        cluster.run();
    });
}

#[test]
fn a_crash_of_the_database_loses_and_doubles_nothing() {
    let cluster = Cluster::start();
    survives(&cluster.url(), || {
        cluster.crash();
        cluster.run();
    });
}

#[test]
fn a_standby_that_takes_over_has_everything() {
    let primary = Cluster::start();
    let standby = primary.standby();
    let hosts = format!("127.0.0.1:{},127.0.0.1:{}", primary.port(), standby.port());
    survives(&format!("postgres://everwhen@{hosts}/postgres"), || {
        primary.crash();
        standby.promote();
    });
}

#[test]
fn a_vault_that_two_servers_make_at_once_is_one() {
    let place = Schema::empty();
    let url = place.to_string();
    let engines = [server(&url, 1, noon()), server(&url, 2, noon())];
    std::thread::scope(|scope| {
        for (number, engine) in engines.iter().enumerate() {
            scope.spawn(move || {
                let text = format!("from {number}");
                block_on(vault_of(engine).remember(memory(), say(&text), None)).unwrap();
            });
        }
    });
    assert_eq!(block_on(engines[0].vaults(None, 9)).unwrap().len(), 1);
    assert_eq!(said(&vault_of(&engines[1])).len(), 2);
}

#[test]
fn servers_that_change_one_memory_at_once_overwrite_nothing_of_each_other() {
    let place = Schema::empty();
    let url = place.to_string();
    let [one, other] = [vault_of(&server(&url, 1, noon())), vault_of(&server(&url, 2, noon()))];
    block_on(one.remember(memory(), say("first"), None)).unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..SOME {
                block_on(one.remember(memory(), say(&format!("entry {number}")), None)).unwrap();
            }
            is_done.store(true, Ordering::Relaxed);
        });
        // Whatever changes a memory without adding to it writes its row, too.
        for number in 0.. {
            let description = Some(format!("description {number}"));
            let change =
                MemoryChange { description: description.clone(), ..MemoryChange::default() };
            block_on(other.change_memory(memory(), change, None)).unwrap();
            assert_eq!(block_on(one.memory(memory())).unwrap().description, description);
            if is_done.load(Ordering::Relaxed) {
                break;
            }
        }
    });
    let sequences: Vec<u64> = said(&one).into_iter().map(|(sequence, _)| sequence).collect();
    assert_eq!(sequences, (1..=SOME as u64).collect::<Vec<_>>());
    assert_eq!(block_on(other.memory(memory())).unwrap().last_sequence, SOME as u64);
}

/// Lets works of one vault gather behind one that waits, then lets all of them go; their outcomes.
fn crowd(store: &Arc<PostgresStore>, works: Vec<Writing>) -> Vec<Result<()>> {
    let vault = Address::read("vault", "v").unwrap();
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let waiting: Writing = Box::new(move |_| gate.lock().unwrap().recv().map_err(|_| closed()));
    std::thread::scope(|scope| {
        let run = |work: Writing| {
            let (store, vault) = (Arc::clone(store), vault.clone());
            scope.spawn(move || block_on(store.write_in(vault, work)))
        };
        let first = run(waiting);
        std::thread::sleep(Duration::from_millis(200));
        let others: Vec<_> = works.into_iter().map(run).collect();
        std::thread::sleep(Duration::from_millis(200));
        open.send(()).unwrap();
        first.join().unwrap().unwrap();
        others.into_iter().map(|other| other.join().unwrap()).collect()
    })
}

fn closed() -> Error {
    Error::unavailable("the gate is gone")
}

/// A work that notes an end, this many minutes after noon.
fn end(minutes: i64) -> Writing {
    Box::new(move |tx| {
        let vault = tx.vault_named(&Name::new("vault", "v")?)?.unwrap().id;
        let memory = tx.memory_named(vault, &Name::new("memory", "m")?)?.unwrap().id;
        let at = noon() + jiff::SignedDuration::from_mins(minutes);
        tx.put(Row::Ending(MemoryRef { vault, memory }, at))
    })
}

#[test]
fn works_that_wait_for_one_vault_share_a_commit() {
    let cluster = Cluster::start();
    let store = Arc::new(open(&cluster.url()));
    let engine = server_over(Arc::clone(&store), 1, noon());
    block_on(vault_of(&engine).remember(memory(), say("first"), None)).unwrap();
    let done = crowd(&store, (1..=9).map(end).collect());
    assert!(done.iter().all(Result::is_ok), "{done:?}");
    let transactions = "SELECT count(DISTINCT xmin::text) FROM ending HAVING count(*) = 9";
    let transactions: usize = sql(&cluster.url(), transactions).parse().unwrap();
    // One, unless the machine is so busy that they take longer than a shared transaction may.
    assert!(transactions < 9, "{transactions}");
}

#[test]
fn one_that_fails_does_not_take_along_those_that_wait_with_it() {
    let place = Schema::empty();
    let store = Arc::new(open(&place.to_string()));
    let engine = server_over(Arc::clone(&store), 1, noon());
    block_on(vault_of(&engine).remember(memory(), say("first"), None)).unwrap();
    let half: Writing = Box::new(|tx| end(7)(tx).and(Err(Error::conflict("not so"))));
    let panics: Writing = Box::new(|_| panic!("a bug"));
    let done = crowd(&store, vec![end(1), half, end(2), panics, end(3)]);
    let kinds: Vec<_> = done.iter().map(|one| one.as_ref().err().map(Error::kind)).collect();
    let (conflict, damaged) = (Some(ErrorKind::Conflict), Some(ErrorKind::Damaged));
    assert_eq!(kinds, [None, conflict, None, damaged, None]);
    assert_eq!(sql(&place.to_string(), "SELECT count(*) FROM ending"), "3");
}

/// Says good morning in this many memories; five hours later there is work to do.
fn good_mornings(engine: &Engine) {
    for number in 0..24 {
        let place = Address::Name(Name::new("memory", format!("m{number}")).unwrap());
        block_on(vault_of(engine).remember(place, say("Good morning"), None)).unwrap();
    }
}

fn later() -> Timestamp {
    noon() + jiff::SignedDuration::from_hours(5)
}

#[test]
fn work_is_done_once_however_many_servers_look_for_it() {
    let (alone, clock) = engine_over(Arc::new(PlainStore::new()));
    good_mornings(&alone);
    clock.set(later());
    let due = block_on(alone.settle()).unwrap();
    assert!(due >= 48, "each is closed and summarized");

    let place = Schema::empty();
    let url = place.to_string();
    good_mornings(&server(&url, 1, noon()));
    let workers = [2, 3, 4].map(|seed| server(&url, seed, later()));
    let done: u64 = std::thread::scope(|scope| {
        let hands = workers.each_ref().map(|it| scope.spawn(|| block_on(it.settle()).unwrap()));
        hands.into_iter().map(|hand| hand.join().unwrap()).sum()
    });
    assert_eq!(done, due, "as often as one server alone");
    let mut left = block_on(workers[0].jobs(100)).unwrap();
    left.retain(|job| job.due_at <= later());
    assert_eq!(left, [], "what is due is done");
}

#[test]
fn what_is_written_through_one_server_is_recalled_through_another() {
    let place = Schema::empty();
    let url = place.to_string();
    let (here, there) = (server(&url, 1, noon()), server(&url, 2, noon()));
    for word in ["museum", "dentist", "harbour"] {
        block_on(vault_of(&here).remember(memory(), say(&format!("to the {word}")), None)).unwrap();
        let asked = everwhen_engine::recall::Query::new(word);
        let found = block_on(vault_of(&there).recall(memory(), asked)).unwrap();
        assert!(found.items[0].entry.content.as_str().ends_with(word), "{word}");
    }
}

#[test]
fn a_database_of_a_newer_version_is_left_alone() {
    let cluster = Cluster::start();
    let url = cluster.url();
    drop(open(&url));
    sql(&url, "UPDATE everwhen_schema SET version = 999");
    let error = PostgresStore::open(&url, PostgresOptions::default()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.message().contains("newer Everwhen"), "{error}");
}

#[test]
fn databases_of_every_version_are_migrated_once_and_are_then_like_new_ones() {
    let cluster = Cluster::start();
    let place = |name: &str| {
        sql(&cluster.url(), &format!("CREATE SCHEMA {name}"));
        let url = cluster.url();
        let sign = if url.contains('?') { '&' } else { '?' };
        format!("{url}{sign}options=-csearch_path%3D{name}")
    };
    let new = place("new");
    drop(open(&new));
    let (all, shape) = (versions::all(), versions::shape(&new));
    for version in 1..=all.len() {
        let old = place(&format!("version_{version}"));
        versions::make(&old, &all[..version]);
        for _ in 0..2 {
            let vault = vault_of(&server(&old, 1, noon()));
            assert_eq!(said(&vault)[0].1, "an old entry", "version {version}");
            block_on(vault.remember(memory(), say("a new one"), None)).unwrap();
            assert_eq!(versions::shape(&old), shape, "version {version}");
        }
        let seen = sql(&old, "SELECT version FROM everwhen_schema");
        assert_eq!(seen.trim(), all.len().to_string());
    }
}

#[test]
fn a_memory_that_earlier_versions_left_behind_its_entries_takes_new_ones_again() {
    let cluster = Cluster::start();
    let url = cluster.url();
    let all = versions::all();
    let repair = all.iter().position(|one| one.contains("last_sequence = newest.sequence"));
    versions::make(&url, &all[..repair.unwrap()]);
    sql(&url, "UPDATE memory SET last_sequence = 0");
    let vault = vault_of(&server(&url, 1, noon()));
    block_on(vault.remember(memory(), say("a new one"), None)).unwrap();
    let expected = [(1, "an old entry".to_owned()), (2, "a new one".to_owned())];
    assert_eq!(said(&vault), expected);
}

#[test]
fn wrong_addresses_are_told_apart() {
    let open = |url: &str| PostgresStore::open(url, PostgresOptions::default()).err().unwrap();
    let error = open("postgres://db:notaport/x");
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    let elsewhere = Cluster::start();
    let error = open(&elsewhere.url().replace("/postgres", "/no_such_database"));
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.message().contains("no_such_database"), "{error}");
}

#[test]
fn encryption_is_as_the_address_says() {
    let open = |url: &str| PostgresStore::open(url, PostgresOptions::default());
    let refused = |url: &str| open(url).err().unwrap();
    let plain = Cluster::start();
    let error = refused(&format!("{}?sslmode=require", plain.url()));
    assert!(error.message().contains("server does not support TLS"), "{error}");
    let error = refused(&format!("{}?sslmode=maybe", plain.url()));
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");

    let cluster = Cluster::start();
    let authority = cluster.encrypt();
    let url = |more: &str| format!("{}?{more}", cluster.url());
    let trusted = format!("sslmode=verify-full&sslrootcert={}", authority.display());
    let store = open(&url(&trusted)).unwrap();
    let dynamic: &dyn Store = &store;
    assert_eq!(block_on(dynamic.look(|rows| rows.vaults(None, 9))).unwrap(), []);
    let encrypted = "SELECT count(*) > 0 AND bool_and(s.ssl) FROM pg_stat_ssl s
        JOIN pg_stat_activity a USING (pid) WHERE a.application_name = 'everwhen'";
    assert_eq!(sql(&url("sslmode=require"), encrypted), "t");

    let error = refused(&url("sslmode=require"));
    assert!(error.message().contains("sslrootcert"), "the system does not know them: {error}");
    let error = refused(&url(&trusted).replace("127.0.0.1", "localhost"));
    assert!(error.message().contains("certificate must name the host"), "{error}");
    let error = refused(&url("sslmode=require&sslrootcert=/dev/null"));
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    let error = refused(&cluster.url());
    assert!(error.message().contains("no encryption"), "{error}");
}

#[test]
fn a_failing_or_panicking_work_takes_nobody_along() {
    let place = Schema::empty();
    let url = place.to_string();
    let store: Arc<dyn Store> = Arc::new(open(&url));
    let refused = block_on(store.write(Box::new(|_| Err(Error::invalid("no")))));
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Invalid);
    let panicked = block_on(store.write(Box::new(|_| panic!("a bug"))));
    assert_eq!(panicked.unwrap_err().kind(), ErrorKind::Damaged);
    let panicked = block_on(store.read(Box::new(|_| panic!("a bug"))));
    assert_eq!(panicked.unwrap_err().kind(), ErrorKind::Damaged);
    assert_eq!(block_on(store.look(|rows| rows.vaults(None, 9))).unwrap(), []);
    assert_eq!(block_on(store.check()).unwrap(), [""; 0]);
}

#[test]
fn statements_that_a_cluster_refuses_are_noticed() {
    let refused = [
        "SELECT content FROM entry WHERE id = $1",
        "SELECT 1 FROM entry e JOIN conversation c ON c.id = e.conversation_id WHERE e.vault_id = $1",
        "SELECT id FROM job WHERE id = $1 FOR UPDATE",
        "UPDATE entry SET vault_id = $2 WHERE vault_id = $1",
        "DELETE FROM receipt WHERE key IN (SELECT receipt_key FROM entry WHERE vault_id = $1)",
        "INSERT INTO entry (id) VALUES ($1)",
        "INSERT INTO job (vault_id, id) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING",
        "INSERT INTO entry (vault_id, id) SELECT vault_id, id FROM branch",
        "UPDATE entry SET corrected_at = now() WHERE vault_id = $1",
    ];
    for sql in refused {
        assert!(schemas::spread::judge(sql).is_some(), "{sql}");
    }
    let may = [
        "SELECT id FROM job WHERE id = $1",
        "SELECT 1 FROM entry e WHERE e.vault_id = $1 AND e.id = ANY($2) FOR UPDATE SKIP LOCKED",
        "INSERT INTO job (vault_id, id) VALUES ($1, $2) ON CONFLICT (vault_id, id) DO UPDATE SET id = $2",
        "SELECT version FROM everwhen_schema",
    ];
    for sql in may {
        assert_eq!(schemas::spread::judge(sql), None, "{sql}");
    }
}

#[test]
fn a_new_database_soon_knows_what_lies_in_its_tables() {
    let cluster = Cluster::start();
    let url = cluster.url();
    let vault = vault_of(&server(&url, 1, noon()));
    let looked = || {
        let at = "SELECT count(*) FROM pg_stat_user_tables
            WHERE relname IN ('entry', 'conversation', 'job') AND last_analyze IS NOT NULL";
        sql(&url, at) == "3"
    };
    for write in 0..100 {
        block_on(vault.remember(memory(), say(&format!("line {write}")), None)).unwrap();
    }
    while !looked() {
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// What a cluster demands of tables that it spreads by vault: see `postgres/spread.rs` for statements.
#[test]
fn every_table_can_be_spread_by_vault() {
    let place = Schema::empty();
    let none =
        |question: &str, what: &str| assert_eq!(sql(&place.to_string(), question), "", "{what}");
    none(
        "SELECT c.relname FROM pg_class c
         WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
           AND c.relname NOT IN ('vault_name', 'everwhen_schema') AND c.relname !~ '_[0-9]{5,}$'
           AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'vault_id'
                           AND a.attnotnull AND a.atttypid = 'uuid'::regtype)",
        "tables without a vault",
    );
    none(
        "SELECT i.relname FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
         JOIN pg_class t ON t.oid = x.indrelid
         WHERE t.relnamespace = current_schema()::regnamespace AND x.indisunique
           AND t.relname NOT IN ('vault_name', 'everwhen_schema')
           AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.oid
                           AND a.attnum = ANY(x.indkey) AND a.attname = 'vault_id')",
        "unique indexes without the vault in them",
    );
    none(
        "SELECT c.relname FROM pg_class c
         WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
           AND c.relname NOT IN ('vault_name', 'everwhen_schema') AND c.relname !~ '_[0-9]{5,}$'
           AND NOT EXISTS (SELECT FROM pg_index x JOIN pg_attribute a ON a.attrelid = c.oid
                           AND a.attnum = ANY(x.indkey) AND a.attname = 'vault_id'
                           WHERE x.indrelid = c.oid AND x.indisprimary)",
        "tables without a primary key that names the vault, which no cluster moves while they are used",
    );
    none(
        "SELECT conname FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
           AND contype NOT IN ('p', 'n')",
        "constraints that would reach across nodes, or numbers made by the database",
    );
    none(
        "SELECT relname FROM pg_class
         WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('S', 'v', 'm')",
        "sequences and views",
    );
}
