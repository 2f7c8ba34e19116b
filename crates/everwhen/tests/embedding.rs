//! A slow embedder never keeps a question waiting: the table stands in until everything is embedded.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use everwhen::memory::{Address, Name, NewEntry, Role, Said};
use everwhen::models::{Cached, StaticTable};
use everwhen::ports::{Embedder, Wait};
use everwhen::recall::{Query, Recollection, Signal};
use everwhen::{Config, Engine, Environment, Error, Everwhen, Flags, Forget};

/// An embedder to whom only one word means anything, and who counts.
#[derive(Default)]
struct Slow {
    texts: AtomicUsize,
    questions: AtomicUsize,
    forgotten: AtomicUsize,
    is_down: AtomicBool,
}

impl Slow {
    fn vector(text: &str) -> Vec<f32> {
        let is_about_pets = ["kitten", "animal"].iter().any(|word| text.contains(word));
        if is_about_pets { vec![1.0, 0.0] } else { vec![0.0, 1.0] }
    }
}

impl Embedder for Slow {
    fn name(&self) -> &str {
        "slow/1"
    }

    fn dimensions(&self) -> usize {
        2
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> Wait<'a, Vec<Vec<f32>>> {
        self.texts.fetch_add(texts.len(), Ordering::SeqCst);
        Box::pin(async { Ok(texts.iter().map(|text| Self::vector(text)).collect()) })
    }

    fn embed_question<'a>(&'a self, question: &'a str) -> Wait<'a, Vec<f32>> {
        self.questions.fetch_add(1, Ordering::SeqCst);
        let down = self.is_down.load(Ordering::SeqCst);
        Box::pin(async move {
            if down { Err(Error::unavailable("down")) } else { Ok(Self::vector(question)) }
        })
    }

    fn keeps(&self) -> bool {
        true
    }

    fn forget(&self, texts: &[&str]) {
        self.forgotten.fetch_add(texts.len(), Ordering::SeqCst);
    }
}

/// The same under another name.
#[derive(Default)]
struct Other(Slow);

impl Embedder for Other {
    fn name(&self) -> &str {
        "slow/2"
    }

    fn dimensions(&self) -> usize {
        2
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> Wait<'a, Vec<Vec<f32>>> {
        self.0.embed(texts)
    }

    fn embed_question<'a>(&'a self, question: &'a str) -> Wait<'a, Vec<f32>> {
        self.0.embed_question(question)
    }

    fn keeps(&self) -> bool {
        true
    }

    fn forget(&self, texts: &[&str]) {
        self.0.forget(texts);
    }
}

struct StoreLocation {
    directory: tempfile::TempDir,
    everwhen: Everwhen,
    engine: Engine,
    slow: Arc<Slow>,
}

impl StoreLocation {
    async fn new() -> Self {
        let place = Self::open(tempfile::tempdir().unwrap());
        for text in ["Adopted a kitten", "Planted tomatoes", "Started the violin"] {
            place.say(text).await;
        }
        place
    }

    /// The same place after everything in memory is gone.
    fn restarted(self) -> Self {
        let Self { directory, everwhen, engine, .. } = self;
        drop((engine, everwhen));
        Self::open(directory)
    }

    fn open(directory: tempfile::TempDir) -> Self {
        let data = Some(directory.path().display().to_string());
        let flags = Flags { data, zone: Some("UTC".into()), ..Flags::default() };
        let config = Config::load(&Environment::default(), &flags).unwrap();
        let everwhen = Everwhen::open(&config).unwrap();
        let engine = everwhen.engine().clone().with_stand_in(Arc::new(StaticTable));
        Self { directory, everwhen, engine, slow: Arc::default() }
    }

    async fn say(&self, text: &str) {
        let vault = self.engine.vault_to_write(name("ana")).await.unwrap();
        let entry = NewEntry::new(Role::User, Said::new(text).unwrap());
        vault.remember(name("diary"), vec![entry], None).await.unwrap();
    }

    async fn ask(&self, text: &str) -> Recollection {
        let vault = self.engine.vault(name("ana")).await.unwrap();
        vault.recall(name("diary"), Query::new(text)).await.unwrap()
    }

    async fn best(&self, text: &str) -> String {
        self.ask(text).await.items[0].entry.content.as_str().to_owned()
    }

    async fn settle(&self) {
        self.engine.settle().await.unwrap();
    }

    fn counts(&self) -> (usize, usize) {
        (self.slow.texts.load(Ordering::SeqCst), self.slow.questions.load(Ordering::SeqCst))
    }
}

fn name<Id>(text: &str) -> Address<Id> {
    Address::Name(Name::new("name", text).unwrap())
}

#[tokio::test]
async fn old_vectors_serve_until_everything_is_embedded_anew() {
    let place = StoreLocation::new().await;
    assert!(place.best("which musical instrument?").await.contains("violin"));
    place.engine.choose_embedder(place.slow.clone());
    assert!(place.best("which musical instrument?").await.contains("violin"), "the table's");
    assert_eq!(place.counts(), (0, 0), "nobody waits for a slow embedder");
    place.settle().await;
    assert_eq!(place.counts(), (3, 0));
    assert!(place.best("is there an animal?").await.contains("kitten"), "its own");
    assert_eq!(place.counts(), (3, 1));
}

#[tokio::test]
async fn one_slow_embedder_serves_until_another_has_embedded_everything() {
    let place = StoreLocation::new().await;
    place.engine.choose_embedder(place.slow.clone());
    place.ask("anything").await;
    place.settle().await;
    let other = Arc::new(Other::default());
    place.engine.choose_embedder(other.clone());
    place.say("Painted the fence").await;
    assert!(place.best("is there an animal?").await.contains("kitten"), "the old one's");
    assert_eq!((place.counts(), other.0.questions.load(Ordering::SeqCst)), ((3, 1), 0));
    place.settle().await;
    assert_eq!((place.counts().0, other.0.texts.load(Ordering::SeqCst)), (3, 4));
    assert!(place.best("is there an animal?").await.contains("kitten"), "the new one's");
    assert_eq!((place.counts().1, other.0.questions.load(Ordering::SeqCst)), (1, 1));
    let vault = place.engine.vault(name("ana")).await.unwrap();
    vault.forget(name("diary"), Forget::Memory, None).await.unwrap();
    let forgotten = [&place.slow.forgotten, &other.0.forgotten];
    // Each text may have been embedded as a question, too.
    assert_eq!(forgotten.map(|count| count.load(Ordering::SeqCst)), [8, 8], "both forget");
}

#[tokio::test]
async fn vectors_serve_across_a_restart_while_another_embedder_makes_its_own() {
    let place = StoreLocation::new().await;
    place.engine.choose_embedder(place.slow.clone());
    place.ask("anything").await;
    place.settle().await;
    place.engine.keep_indexes(1).await.unwrap();
    let place = place.restarted();
    let other = Arc::new(Other::default());
    place.engine.choose_embedder(place.slow.clone());
    place.engine.choose_embedder(other.clone());
    assert!(place.best("is there an animal?").await.contains("kitten"), "the old one's");
    assert_eq!(place.counts(), (0, 1), "its vectors were kept");
    let counts = || [&other.0.texts, &other.0.questions].map(|one| one.load(Ordering::SeqCst));
    assert_eq!(counts(), [0, 0], "nobody waits for the new one");
    place.settle().await;
    assert!(place.best("is there an animal?").await.contains("kitten"), "the new one's");
    assert_eq!((place.counts(), counts()), ((0, 1), [3, 1]));
}

#[tokio::test]
async fn a_new_entry_is_found_by_words_at_once_and_by_meaning_later() {
    let place = StoreLocation::new().await;
    place.engine.choose_embedder(place.slow.clone());
    place.ask("anything").await;
    place.settle().await;
    place.say("Another kitten called Miso").await;
    let recollection = place.ask("Miso").await;
    let new = recollection
        .items
        .iter()
        .find(|item| item.entry.content.as_str().contains("Miso"))
        .unwrap();
    assert!(new.reasons.iter().any(|one| one.signal == Signal::Words && one.share > 0.0));
    assert_eq!(place.counts().0, 3, "not embedded on the way of a question");
    place.settle().await;
    assert_eq!(place.counts().0, 4);
    assert!(place.best("some animal").await.contains("kitten"));
}

#[tokio::test]
async fn an_embedder_that_does_not_answer_leaves_words_alone() {
    let place = StoreLocation::new().await;
    place.engine.choose_embedder(place.slow.clone());
    place.ask("anything").await;
    place.settle().await;
    assert!(!place.ask("tomatoes").await.words_alone);
    place.slow.is_down.store(true, Ordering::SeqCst);
    let recollection = place.ask("tomatoes").await;
    assert!(recollection.words_alone);
    assert!(recollection.items[0].entry.content.as_str().contains("tomatoes"));
}

#[tokio::test]
async fn what_is_forgotten_leaves_the_embedder_too() {
    let place = StoreLocation::new().await;
    place.engine.choose_embedder(place.slow.clone());
    let vault = place.engine.vault(name("ana")).await.unwrap();
    let kitten = place.ask("kitten").await.items[0].entry.id;
    vault.forget(name("diary"), Forget::Entry(kitten), None).await.unwrap();
    assert_eq!(place.slow.forgotten.load(Ordering::SeqCst), 2, "as a text and as a question");
    place.ask("anything").await;
    place.settle().await;
    assert_eq!(place.counts().0, 2, "what is gone is not embedded");
    vault.forget_vault(None).await.unwrap();
    assert_eq!(place.slow.forgotten.load(Ordering::SeqCst), 6);
}

/// Two servers over one store keep vectors in directories of their own. One forgets; the other is not notified and
/// finds out.
#[tokio::test]
async fn what_another_server_forgets_leaves_the_vectors_of_this_one() {
    let place = StoreLocation::new().await;
    let directory = tempfile::tempdir().unwrap();
    let server = |folder: &str| {
        let cached = Cached::new(place.slow.clone(), &directory.path().join(folder)).unwrap();
        let cached = Arc::new(cached);
        (place.everwhen.engine().clone().with_embedder(cached.clone()), cached)
    };
    let ((here, kept_here), (there, kept_there)) = (server("here"), server("there"));
    for kept in [&kept_here, &kept_there] {
        kept.embed(&["Adopted a kitten", "Planted tomatoes", "Started the violin"]).await.unwrap();
    }
    let state = there.sweep_vectors(None).await.unwrap();
    assert_eq!(kept_there.len(), 3, "all of it is still there");
    let vault = here.vault(name("ana")).await.unwrap();
    let kitten = place.ask("kitten").await.items[0].entry.id;
    vault.forget(name("diary"), Forget::Entry(kitten), None).await.unwrap();
    assert_eq!((kept_here.len(), kept_there.len()), (2, 3));
    let after = there.sweep_vectors(Some(state)).await.unwrap();
    let known = kept_there.at_hand(&["Adopted a kitten", "Planted tomatoes"]);
    assert_eq!(known.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true]);
    assert_ne!(after, state);
    kept_there.embed(&["needed by nothing"]).await.unwrap();
    assert_eq!(there.sweep_vectors(Some(after)).await.unwrap(), after);
    assert_eq!(kept_there.len(), 3, "nothing was forgotten since, so nothing is read");
    vault.forget_vault(None).await.unwrap();
    there.sweep_vectors(Some(after)).await.unwrap();
    assert_eq!(kept_there.len(), 0);
}
