//! Recall through the front door, on SQLite: what is written is found, what changes is followed.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use everwhen::memory::{Address, MemoryId, Name, NewEntry, Role, Said};
use everwhen::recall::{PeriodUse, Query, Recollection};
use everwhen::receipt::Receipt;
use everwhen::{Config, Environment, Everwhen, Flags, Forget, NewCorrection, Vault};

struct Place {
    _directory: tempfile::TempDir,
    _everwhen: Everwhen,
    vault: Vault,
    memory: Address<MemoryId>,
}

impl Place {
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let data = Some(directory.path().display().to_string());
        let flags = Flags { data, zone: Some("UTC".into()), ..Flags::default() };
        let everwhen =
            Everwhen::open(&Config::load(&Environment::default(), &flags).unwrap()).unwrap();
        let name = Address::Name(Name::new("vault", "ana").unwrap());
        let draft = everwhen.engine().vault_to_write(name.clone()).await.unwrap();
        let memory = Address::Name(Name::new("memory", "diary").unwrap());
        draft.remember(memory.clone(), diary(), None).await.unwrap();
        let vault = everwhen.engine().vault(name).await.unwrap();
        Self { _directory: directory, _everwhen: everwhen, vault, memory }
    }

    async fn ask(&self, query: Query) -> Recollection {
        self.vault.recall(self.memory.clone(), query).await.unwrap()
    }

    async fn first(&self, text: &str) -> String {
        let found = self.ask(Query::new(text)).await;
        found.items[0].entry.content.as_str().to_owned()
    }

    async fn say(&self, day: &str, text: &str) {
        self.vault.remember(self.memory.clone(), vec![said(day, text)], None).await.unwrap();
    }
}

fn said(day: &str, text: &str) -> NewEntry {
    let time = format!("{day}T10:00:00Z").parse().unwrap();
    NewEntry::new(Role::User, Said::new(text).unwrap()).said_at(time)
}

fn diary() -> Vec<NewEntry> {
    vec![
        said("2023-01-08", "I went to the Met museum and saw the armor"),
        said("2023-01-15", "My dentist appointment went well, no cavities"),
        said("2023-02-03", "We planted tomatoes and basil in the garden"),
        said("2023-03-20", "Started learning the violin with a new teacher"),
    ]
}

#[tokio::test]
async fn what_was_just_written_is_found_by_its_words_and_by_its_meaning() {
    let place = Place::new().await;
    assert!(place.first("when did I last see the dentist?").await.contains("dentist"));
    place.say("2023-04-01", "Adopted a kitten called Miso").await;
    assert!(place.first("Miso").await.contains("kitten"));
    assert!(place.first("do I have a cat?").await.contains("kitten"));
    assert!(place.first("which musical instrument do I play?").await.contains("violin"));
}

#[tokio::test]
async fn a_period_in_words_filters_and_is_said_back() {
    let place = Place::new().await;
    let asked_at = Some("2023-03-25T12:00:00Z".parse().unwrap());
    let filter = |text: &str| Query { asked_at, period: PeriodUse::Filter, ..Query::new(text) };
    let found = place.ask(filter("what did I do in February?")).await;
    assert_eq!(found.items.len(), 1);
    assert!(found.items[0].entry.content.as_str().contains("tomatoes"));
    assert_eq!(found.about.unwrap().words, ["in February"]);
    let found = place.ask(filter("what did I do in October 2021?")).await;
    assert!(found.nothing_in_period && !found.items.is_empty());
}

#[tokio::test]
async fn bounds_always_filter() {
    let place = Place::new().await;
    let february: jiff::Timestamp = "2023-02-01T00:00:00Z".parse().unwrap();
    let after = Some(february);
    let found = place.ask(Query { after, ..Query::new("dentist") }).await;
    assert!(found.items.iter().all(|one| one.entry.conversation_time >= february));
    assert_eq!(found.items.len(), 2);
    let empty = Query { after, before: after, ..Query::new("dentist") };
    assert!(place.vault.recall(place.memory.clone(), empty).await.is_err());
    assert!(place.vault.recall(place.memory.clone(), Query::new(" ")).await.is_err());
}

#[tokio::test]
async fn corrections_and_forgetting_are_followed_and_as_of_keeps_what_was_known() {
    let place = Place::new().await;
    let entry = place.ask(Query::new("violin")).await.items[0].entry.clone();
    let correction = NewCorrection {
        content: Said::new("Started learning the cello with a new teacher").unwrap(),
        reason: "wrong instrument".into(),
    };
    let done = place.vault.correct(place.memory.clone(), entry.id, correction, None).await.unwrap();
    let Receipt::Entries(receipt) = done.receipt else { panic!("not entries") };
    let found = place.ask(Query::new("violin teacher")).await;
    assert!(found.items.iter().all(|one| one.entry.id != entry.id));
    assert_eq!(found.items[0].entry.id, receipt.entries[0].id);
    let before = Query { as_of: Some(entry.creation_time), ..Query::new("violin teacher") };
    let then = place.ask(before.clone()).await;
    assert_eq!(then.items[0].entry.id, entry.id);
    assert!(then.items.iter().all(|one| one.entry.id != receipt.entries[0].id));
    place.vault.forget(place.memory.clone(), Forget::Entry(entry.id), None).await.unwrap();
    let found = place.ask(Query::new("violin cello teacher")).await;
    assert!(found.items.iter().all(|one| !one.entry.content.as_str().contains("teacher")));
    assert!(place.ask(before).await.items.iter().all(|one| one.entry.id != entry.id));
}

#[tokio::test]
async fn every_item_says_what_spoke_for_it() {
    let place = Place::new().await;
    let found = place.ask(Query::new("dentist cavities")).await;
    let item = &found.items[0];
    let sum: f32 = item.reasons.iter().map(|reason| reason.share).sum();
    assert!((sum - item.score).abs() < 1e-3, "{sum} {}", item.score);
    let words = item.reasons.iter().find(|reason| reason.signal.as_str() == "words");
    assert!(words.is_some_and(|reason| reason.share > 0.0));
}
