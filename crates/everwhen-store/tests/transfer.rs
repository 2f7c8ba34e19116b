//! Everything moves from SQLite to PostgreSQL and back, and nothing is different afterwards.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::sync::Arc;

use everwhen_engine::key::{NewKey, Scope};
use everwhen_engine::ledger::{Commit, ExchangeReply, History, Message};
use everwhen_engine::memory::{Address, MemoryId, Name, NewContext, NewEntry, Role, Said, VaultId};
use everwhen_engine::ports::{Addition, EntryQuery, Store, Which};
use everwhen_engine::recall::Query;
use everwhen_engine::receipt::Idempotency;
use everwhen_engine::{ErrorKind, NewVault, Vault};
use everwhen_store::{
    PostgresOptions, PostgresStore, SqliteOptions, SqliteStore, TransferEnd, TransferredTable,
    transfer_all,
};
use everwhen_testkit::{block_on, engine_over};
use jiff::SignedDuration;

#[path = "postgres/schemas.rs"]
#[expect(dead_code, reason = "shared with the conformance cases, which use all of it")]
mod schemas;

use schemas::Schema;

fn name(text: &str) -> Name {
    Name::new("name", text).unwrap()
}

fn memory() -> Address<MemoryId> {
    Address::Name(name("diary"))
}

fn sqlite(path: &Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open(path, SqliteOptions::default()).unwrap())
}

fn postgres(url: &str) -> Arc<dyn Store> {
    let options = PostgresOptions { connections: 2, ..PostgresOptions::default() };
    Arc::new(PostgresStore::open(url, options).unwrap())
}

/// A key in which every field is set.
fn laptop(vault: VaultId) -> NewKey {
    let expires_at = Some("2099-01-01T00:00:00Z".parse().unwrap());
    let label = Some(name("laptop"));
    NewKey { label, trusted: true, scope: Scope::Read, expires_at, ..NewKey::of(vault) }
}

/// A little of everything: two vaults, keys, receipts, tags, a correction, an end, a context.
fn live(store: Arc<dyn Store>) {
    let (engine, clock) = engine_over(store);
    let make = |called: &str| {
        let new = NewVault { name: name(called), description: None, zone: None, settings: None };
        let key = Idempotency { key: name(&format!("made {called}")), digest: [1; 32] };
        block_on(engine.create_vault(new, Some(key))).unwrap();
        block_on(engine.vault(Address::Name(name(called)))).unwrap()
    };
    for vault in [make("ana"), make("ümit")] {
        block_on(engine.add_key(laptop(vault.id()))).unwrap();
        for number in 0..50 {
            let text = format!("entry {number} about the museum\nand \"quotes\", \\ and ☃");
            let mut entry = NewEntry::new(Role::User, Said::new(text).unwrap());
            entry.tags = vec![name("art, {braces}"), name("a \"b\"")];
            let key = Idempotency { key: name(&format!("key {number}")), digest: [2; 32] };
            block_on(vault.remember(memory(), vec![entry], Some(key))).unwrap();
            clock.advance(SignedDuration::from_mins(7));
        }
        block_on(vault.end_conversation(memory(), None, None, None)).unwrap();
        let context = NewContext::new("She likes museums.", None).unwrap();
        block_on(vault.put_context(memory(), context, None)).unwrap();
        chat(&vault);
    }
    block_on(engine.settle()).unwrap();
}

/// A chat without a name, to which something was added.
fn chat(vault: &Vault) {
    let begun = vault.begin_exchange(Address::Name(name("chat")), said(&["hi"]), Commit::NextTurn);
    let begun = block_on(begun).unwrap();
    let text = "<memory> ☃".to_owned();
    let addition = Addition { text, form: 6, person: [0; 32], at: begun.now };
    let added = vec![(begun.messages[0].line.unwrap(), addition)];
    let reply = ExchangeReply { content: "hello".into(), added, ..ExchangeReply::default() };
    block_on(vault.finish_exchange(begun.exchange, reply)).unwrap();
}

/// What a user and an assistant said in turn.
fn said(texts: &[&str]) -> History {
    let roles = [Role::User, Role::Assistant].into_iter().cycle();
    let messages = roles.zip(texts).map(|(role, text)| Message::new(role, *text));
    History::from(messages.collect::<Vec<Message>>())
}

/// What can be seen of it all.
fn seen(store: Arc<dyn Store>) -> String {
    let (engine, _) = engine_over(store);
    let vaults = block_on(engine.vaults(None, 9)).unwrap();
    let mut listing = format!("{vaults:?}\n{:?}\n", block_on(engine.keys()).unwrap());
    for info in vaults {
        let vault: Vault = block_on(engine.vault(Address::Id(info.id))).unwrap();
        let all = EntryQuery { which: Which::All, limit: Some(500), ..EntryQuery::default() };
        let entries = block_on(vault.entries(memory(), None, all)).unwrap();
        let found = block_on(vault.recall(memory(), Query::new("museum"))).unwrap();
        let prompt = block_on(vault.prompt(memory())).unwrap();
        listing.push_str(&format!("{entries:?}\n{:?}\n{prompt}\n", found.briefing));
        let known = block_on(vault.memory_of_history(&said(&["hi", "hello", "bye"]))).unwrap();
        listing.push_str(&format!("{:?}\n", known.unwrap().name));
        // A key still has its result.
        let key = Idempotency { key: name("key 3"), digest: [2; 32] };
        let entry = NewEntry::new(Role::User, Said::new("again").unwrap());
        let again = block_on(vault.remember(memory(), vec![entry], Some(key))).unwrap();
        listing.push_str(&format!("{again:?}\n"));
    }
    listing
}

#[test]
fn there_and_back_again_nothing_is_different() {
    let directory = tempfile::tempdir().unwrap();
    let (first, last) = (directory.path().join("first.db"), directory.path().join("last.db"));
    let place = Schema::empty();
    let url = place.to_string();
    live(sqlite(&first));
    let there = transfer_all(
        &TransferEnd::Sqlite(first.clone()),
        &TransferEnd::Postgres(url.clone()),
        &|_| {},
    )
    .unwrap();
    let back = transfer_all(
        &TransferEnd::Postgres(url.clone()),
        &TransferEnd::Sqlite(last.clone()),
        &|_| {},
    )
    .unwrap();
    assert_eq!(there, back);
    let rows = |table: &str| {
        there.iter().find(|it| it.table == table).map(|it: &TransferredTable| it.rows)
    };
    assert_eq!((rows("vault"), rows("entry"), rows("receipt")), (Some(2), Some(104), Some(102)));
    assert_eq!((rows("proof"), rows("addition")), (Some(2), Some(2)));
    let listing = seen(sqlite(&first));
    assert_eq!(seen(postgres(&url)), listing);
    assert_eq!(seen(sqlite(&last)), listing);
}

#[test]
fn a_store_that_holds_something_is_refused_and_stays_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let place = Schema::empty();
    let (from, to) = (directory.path().join("from.db"), place.to_string());
    live(sqlite(&from));
    live(postgres(&to));
    let before = seen(postgres(&to));
    let refused =
        transfer_all(&TransferEnd::Sqlite(from), &TransferEnd::Postgres(to.clone()), &|_| {})
            .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(seen(postgres(&to)), before);
}
