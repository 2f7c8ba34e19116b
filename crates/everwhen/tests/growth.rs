//! A large memory is indexed before the first question, kept for the next start, and made once however many
//! ask.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use everwhen::memory::{Address, EntryId, Name, NewEntry, Role, Said};
use everwhen::ports::{Embedder, Wait};
use everwhen::recall::Query;
use everwhen::receipt::Receipt;
use everwhen::{Config, Engine, Environment, Everwhen, Flags, Forget, Vault, limits};

/// Entries of a memory that is worth it.
const ENTRIES: usize = 33_000;

/// Entries in a full segment of an index.
const SEGMENT: usize = 32_768;

/// An embedder that counts the texts it was given.
#[derive(Default)]
struct Counting {
    texts: AtomicUsize,
}

impl Counting {
    /// Texts since the last time.
    fn texts(&self) -> usize {
        self.texts.swap(0, Ordering::SeqCst)
    }
}

impl Embedder for Counting {
    fn name(&self) -> &str {
        "counting"
    }

    fn dimensions(&self) -> usize {
        2
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> Wait<'a, Vec<Vec<f32>>> {
        Box::pin(async { Ok(vec![vec![1.0, 0.0]; texts.len()]) })
    }

    fn at_hand(&self, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        self.texts.fetch_add(texts.len(), Ordering::SeqCst);
        vec![Some(vec![1.0, 0.0]); texts.len()]
    }
}

fn name<Id>(text: &str) -> Address<Id> {
    Address::Name(Name::new("name", text).unwrap())
}

struct StoreLocation {
    // In the order they are let go.
    vault: Vault,
    engine: Engine,
    everwhen: Everwhen,
    directory: tempfile::TempDir,
    counting: Arc<Counting>,
}

impl StoreLocation {
    async fn open(directory: tempfile::TempDir) -> Self {
        let data = Some(directory.path().display().to_string());
        let flags = Flags { data, zone: Some("UTC".into()), ..Flags::default() };
        let config = Config::load(&Environment::default(), &flags).unwrap();
        let (everwhen, counting) = (Everwhen::open(&config).unwrap(), Arc::<Counting>::default());
        let engine = everwhen.engine().clone().with_embedder(Arc::clone(&counting) as _);
        let vault = engine.vault_to_write(name("ana")).await.unwrap();
        Self { vault, engine, everwhen, directory, counting }
    }

    /// The same place after everything in memory is gone.
    async fn restarted(self) -> Self {
        let Self { vault, engine, everwhen, directory, .. } = self;
        drop((vault, engine, everwhen));
        Self::open(directory).await
    }

    /// Fills a memory; returns the ids of its entries.
    async fn fill(&self) -> Vec<EntryId> {
        let entry = NewEntry::new(Role::User, Said::new("a cat").unwrap());
        let mut ids = Vec::new();
        for batch in vec![entry; ENTRIES].chunks(limits::BATCH_ENTRIES) {
            let done = self.vault.remember(name("diary"), batch.to_vec(), None).await.unwrap();
            let Receipt::Entries(stored) = done.receipt else { panic!("{:?}", done.receipt) };
            ids.extend(stored.entries.iter().map(|entry| entry.id));
        }
        ids
    }

    /// Forgets an entry; returns how many texts are embedded for the first answer after a restart.
    async fn embedded_after_forgetting(self, entry: EntryId) -> (Self, usize) {
        self.vault.forget(name("diary"), Forget::Entry(entry), None).await.unwrap();
        let place = self.restarted().await;
        place.ask().await;
        place.engine.keep_indexes(1).await.unwrap();
        let texts = place.counting.texts();
        (place, texts)
    }

    async fn ask(&self) {
        let query = Query::new("any cats?");
        let found = self.vault.recall(name("diary"), query).await.unwrap();
        assert!(!found.items.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_memory_that_grew_is_ready_before_anybody_asks_and_after_a_restart() {
    let place = StoreLocation::open(tempfile::tempdir().unwrap()).await;
    place.fill().await;
    place.engine.index_grown().await.unwrap();
    assert_eq!(place.counting.texts(), 0, "it may still be growing");
    for _ in 0..20 {
        place.engine.index_grown().await.unwrap();
    }
    assert_eq!(place.counting.texts(), ENTRIES);
    place.ask().await;
    assert_eq!(place.counting.texts(), 0);

    let place = place.restarted().await;
    tokio::join!(place.ask(), place.ask(), place.ask(), place.ask());
    assert_eq!(place.counting.texts(), ENTRIES, "four ask, the index is made once");
    place.engine.keep_indexes(1).await.unwrap();

    let place = place.restarted().await;
    place.ask().await;
    assert_eq!(place.counting.texts(), 0, "what was kept is read");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forgetting_an_entry_rebuilds_only_the_part_of_the_index_that_held_it() {
    let place = StoreLocation::open(tempfile::tempdir().unwrap()).await;
    let ids = place.fill().await;
    place.ask().await;
    place.engine.keep_indexes(1).await.unwrap();
    place.counting.texts();
    let (place, texts) = place.embedded_after_forgetting(ids[ENTRIES - 1]).await;
    assert_eq!(texts, ENTRIES - SEGMENT - 1);
    let (place, texts) = place.embedded_after_forgetting(ids[7]).await;
    assert_eq!(texts, SEGMENT - 1);
    let place = place.restarted().await;
    place.ask().await;
    assert_eq!(place.counting.texts(), 0, "what was rebuilt is kept");
}
