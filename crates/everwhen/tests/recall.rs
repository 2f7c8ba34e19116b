//! Recall through the library, on SQLite: what is written is found, what changes is followed.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use everwhen::memory::{Address, MemoryId, Name, NewEntry, Role, Said};
use everwhen::recall::{Kind, PeriodUse, Query, Recollection, Signal};
use everwhen::receipt::Receipt;
use everwhen::{Config, Environment, Everwhen, Flags, Forget, NewCorrection, Vault};

struct StoreLocation {
    _directory: tempfile::TempDir,
    _everwhen: Everwhen,
    vault: Vault,
    memory: Address<MemoryId>,
}

impl StoreLocation {
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
    let place = StoreLocation::new().await;
    assert!(place.first("when did I last see the dentist?").await.contains("dentist"));
    place.say("2023-04-01", "Adopted a kitten called Miso").await;
    assert!(place.first("Miso").await.contains("kitten"));
    assert!(place.first("do I have a cat?").await.contains("kitten"));
    assert!(place.first("which musical instrument do I play?").await.contains("violin"));
}

#[tokio::test]
async fn words_that_are_together_in_the_question_lead_together() {
    let place = StoreLocation::new().await;
    place.say("2023-04-01", "The lamp is blue").await;
    place.say("2023-04-02", "The blue lamp fell").await;
    let pairs = |found: &Recollection| -> Vec<f32> {
        let reasons = found.items.iter().flat_map(|one| &one.reasons);
        reasons.filter(|one| one.signal == Signal::WordPairs).map(|one| one.value).collect()
    };
    let found = place.ask(Query::new("where is the blue lamp?")).await;
    let [first, second] = &found.items[..2] else { panic!("two entries have the words") };
    assert_eq!(first.entry.content.as_str(), "The blue lamp fell");
    assert_eq!(pairs(&found), [1.0]);
    let pair = first.reasons.last().unwrap();
    assert!(first.score - pair.share < second.score, "the pair decides: {:?}", found.items);
    assert_eq!(found.conversations[0].conversation.id, found.items[0].entry.conversation);
    let found = place.ask(Query::new("where was the blue lamp in April 2023?")).await;
    assert_eq!(pairs(&found), [0.0; 0], "about a time, the time decides");
}

#[tokio::test]
async fn a_period_in_words_filters_and_is_said_back() {
    let place = StoreLocation::new().await;
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
    let place = StoreLocation::new().await;
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
    let place = StoreLocation::new().await;
    let entry = place.ask(Query::new("violin")).await.items[0].entry.clone();
    let correction = NewCorrection {
        content: Said::new("Started learning the cello with a new teacher").unwrap(),
        reason: "wrong instrument".into(),
        tags: None,
        metadata: None,
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
    let place = StoreLocation::new().await;
    let found = place.ask(Query::new("dentist cavities")).await;
    let item = &found.items[0];
    let sum: f32 = item.reasons.iter().map(|reason| reason.share).sum();
    assert!((sum - item.score).abs() < 1e-3, "{sum} {}", item.score);
    let words = item.reasons.iter().find(|reason| reason.signal.as_str() == "words");
    assert!(words.is_some_and(|reason| reason.share > 0.0));
}

#[tokio::test]
async fn what_is_nearest_to_an_empty_period_is_marked_as_outside() {
    let place = StoreLocation::new().await;
    let asked_at = Some("2023-03-25T12:00:00Z".parse().unwrap());
    for (period, found) in [(PeriodUse::Boost, 4), (PeriodUse::Filter, 2)] {
        let query = Query { asked_at, period, ..Query::new("what did I do on 1 February 2023?") };
        let recollection = place.ask(query).await;
        assert!(
            recollection.nothing_in_period && recollection.items.iter().all(|item| item.outside),
            "{period:?}"
        );
        assert_eq!(recollection.items.len(), found, "{period:?}");
        assert!(
            recollection.briefing.contains("Nothing was said on 2023-02-01"),
            "{}",
            recollection.briefing
        );
        for nearest in ["tomatoes", "dentist"] {
            let is_there =
                recollection.items.iter().any(|item| item.entry.content.as_str().contains(nearest));
            assert!(is_there, "{period:?}: {nearest}");
        }
    }
}

#[tokio::test]
async fn what_was_said_in_a_named_period_comes_first() {
    let place = StoreLocation::new().await;
    place.say("2023-03-18", "Brunch with Lena at the harbour cafe on Sunday morning").await;
    place.say("2023-03-19", "Slept in, then fixed the bike").await;
    let asked_at = Some("2023-03-21T12:00:00Z".parse().unwrap());
    let recollection =
        place.ask(Query { asked_at, ..Query::new("Who had brunch with me last Sunday?") }).await;
    assert!(
        recollection.items[0].entry.content.as_str().contains("bike"),
        "{:?}",
        recollection.items[0]
    );
    assert!(
        !recollection.items[0].outside && recollection.items[1..].iter().all(|item| item.outside)
    );
    assert!(recollection.items[1].entry.content.as_str().contains("Brunch"));
    assert!(recollection.items.is_sorted_by(|a, b| a.score >= b.score));
    let sum: f32 = recollection.items[0].reasons.iter().map(|reason| reason.share).sum();
    assert!((sum - recollection.items[0].score).abs() < 1e-3);
}

#[tokio::test]
async fn of_what_matches_the_first_or_the_last_comes_first_and_it_is_said() {
    let place = StoreLocation::new().await;
    place.say("2022-06-01", "The dentist pulled a wisdom tooth").await;
    place.say("2023-05-02", "Saw the dentist again, a small filling this time").await;
    let when = async |text: &str| {
        let recollection = place.ask(Query::new(text)).await;
        let item = &recollection.items[0];
        assert!(recollection.about.clone().unwrap().order.is_some(), "{text}");
        assert!(item.reasons.iter().any(|one| one.signal == Signal::Order && one.share > 0.0));
        item.entry.conversation_time.to_string()
    };
    assert!(when("when did I last see the dentist?").await.starts_with("2023-05-02"));
    assert!(when("the first time I mentioned the dentist").await.starts_with("2022-06-01"));
    assert!(when("the second time I mentioned the dentist").await.starts_with("2023-01-15"));
}

#[tokio::test]
async fn kinds_roles_and_tags_narrow_what_is_found() {
    let place = StoreLocation::new().await;
    let mut reply = said("2023-01-15", "Your dentist will be glad");
    reply.role = Role::Assistant;
    reply.tags = vec![Name::new("tag", "health").unwrap()];
    place.vault.remember(place.memory.clone(), vec![reply], None).await.unwrap();
    let dentist = || Query::new("dentist");
    let found = place.ask(Query { roles: vec![Role::Assistant], ..dentist() }).await;
    assert_eq!(found.items.len(), 1);
    let found =
        place.ask(Query { tags: vec![Name::new("tag", "health").unwrap()], ..dentist() }).await;
    assert_eq!((found.items.len(), found.conversations.len()), (1, 1));
    let found = place.ask(Query { kinds: vec![Kind::Conversation], ..dentist() }).await;
    assert!(found.items.is_empty() && !found.conversations.is_empty());
    let found = place.ask(Query { kinds: vec![Kind::Entry], ..dentist() }).await;
    assert!(!found.items.is_empty() && found.conversations.is_empty());
}

#[tokio::test]
async fn all_memories_answer_together_and_each_item_names_its_own() {
    let place = StoreLocation::new().await;
    let work: Address<MemoryId> = Address::Name(Name::new("memory", "work").unwrap());
    let entries = vec![
        said("2023-02-10", "The violin project at work got a new budget"),
        said("2023-02-11", "Meeting about the budget moved to Friday"),
    ];
    place.vault.remember(work.clone(), entries, None).await.unwrap();
    let recollection =
        place.vault.recall_all(Query::new("which budget did the violin project get?")).await;
    let recollection = recollection.unwrap();
    assert_eq!(recollection.items[0].memory.as_str(), "work");
    assert!(recollection.items[0].entry.content.as_str().contains("violin project"));
    assert!(recollection.items.iter().any(|item| item.memory.as_str() == "diary"));
    assert!(recollection.items.is_sorted_by(|a, b| a.score >= b.score));
    let recollection = place.vault.recall_all(Query::new("tomatoes and basil")).await.unwrap();
    assert_eq!(recollection.items[0].memory.as_str(), "diary");
    assert_eq!(recollection.conversations[0].memory.as_str(), "diary");
}
