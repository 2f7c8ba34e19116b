//! How much SQLite does for one exchange of a chat, which must not grow with the memory. Steps of its
//! machine are counted, not time, so the answer is the same on every computer. The store traces them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use everwhen_engine::ledger::{Begun, Commit, ExchangeReply, History, Message};
use everwhen_engine::memory::{
    Address, MemoryId, Name, NewEntry, Person, Provenance, Role, Said, TimePrecision,
};
use everwhen_engine::memory_block::BlockOptions;
use everwhen_engine::ports::{ConversationQuery, EntryQuery, TimeAxis};
use everwhen_engine::recall::Query;
use everwhen_engine::time::ManualClock;
use everwhen_engine::{DensityQuery, Engine, ImportMode, ImportedConversation, Vault};
use everwhen_store::{SqliteOptions, SqliteStore};
use everwhen_testkit::{block_on, engine_over};
use jiff::SignedDuration;
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// Counted for all threads of this process, so its tests take turns.
static STEPS: AtomicU64 = AtomicU64::new(0);
static TURNS: Mutex<()> = Mutex::new(());

/// Waits until no other test runs statements, and counts from then on.
fn alone() -> MutexGuard<'static, ()> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing_subscriber::registry().with(Counter).init());
    TURNS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds up what the store traces.
struct Counter;

impl<S: tracing::Subscriber> Layer<S> for Counter {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        event.record(&mut Steps);
    }
}

struct Steps;

impl Visit for Steps {
    fn record_i64(&mut self, field: &Field, steps: i64) {
        if field.name() == "steps" {
            STEPS.fetch_add(steps.unsigned_abs(), Ordering::Relaxed);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

#[test]
fn an_exchange_costs_the_same_in_a_memory_of_any_size() {
    let _turn = alone();
    let [small, large] = [400, 2_000].map(steps_of_an_exchange);
    assert!(small > 0, "nothing was counted");
    assert!(large <= small * 11 / 10, "{small} steps with 400 entries, {large} with 2,000");
}

#[test]
fn a_chat_among_many_looks_into_the_last_active_ones() {
    let _turn = alone();
    let [few, many] = [400, 2_000].map(steps_of_a_new_chat);
    assert!(many <= few * 11 / 10, "{few} steps with 400 chats, {many} with 2,000");
}

#[test]
fn reading_one_conversation_costs_the_same_in_a_memory_of_any_size() {
    let _turn = alone();
    let [small, large] = [400, 2_000].map(steps_of_reading_a_conversation);
    assert!(small > 0, "nothing was counted");
    assert!(large <= small * 11 / 10, "{small} steps with 400 entries, {large} with 2,000");
}

#[test]
fn importing_one_conversation_costs_the_same_in_a_memory_of_any_size() {
    let _turn = alone();
    let [small, large] = [400, 2_000].map(steps_of_an_import);
    assert!(small > 0, "nothing was counted");
    // The conversations that are retained are counted, up to their number.
    assert!(large <= small * 5 / 4, "{small} steps with 400 entries, {large} with 2,000");
}

#[test]
fn reading_what_was_said_lately_costs_the_same_in_a_memory_of_any_size() {
    let _turn = alone();
    let [small, large] = [400, 2_000].map(steps_of_reading_the_last_hours);
    assert!(small > 0, "nothing was counted");
    assert!(large <= small * 11 / 10, "{small} steps with 400 entries, {large} with 2,000");
}

#[test]
fn finding_entries_whose_tags_changed_costs_the_same_in_a_memory_of_any_size() {
    let _turn = alone();
    let [small, large] = [400, 2_000].map(steps_of_reading_retagged);
    assert!(small > 0, "nothing was counted");
    assert!(large <= small * 11 / 10, "{small} steps with 400 entries, {large} with 2,000");
}

#[test]
fn recall_as_of_an_earlier_moment_costs_the_same_in_a_memory_of_any_size() {
    let _turn = alone();
    let [small, large] = [400, 2_000].map(steps_of_recall_as_of);
    assert!(small.0 > 0, "nothing was counted");
    assert!(
        large.0 <= small.0 * 11 / 10,
        "{} steps with 400 entries, {} with 2,000",
        small.0,
        large.0
    );
    assert!(
        large.1 <= small.1 * 11 / 10,
        "then {} with 400 entries, {} with 2,000",
        small.1,
        large.1
    );
    assert!(large.0 <= 30 * large.2, "{} steps as of a moment, {} now", large.0, large.2);
}

#[test]
fn reading_a_conversation_as_of_a_moment_costs_the_same_in_a_memory_of_any_size() {
    let _turn = alone();
    let [small, large] = [400, 2_000].map(steps_of_reading_as_of);
    assert!(small > 0, "nothing was counted");
    assert!(large <= small * 11 / 10, "{small} steps with 400 entries, {large} with 2,000");
}

/// What a question takes as of a moment before all conversations were summarized, what the next one takes, and
/// what one takes that asks as of now.
fn steps_of_recall_as_of(entries: i64) -> (u64, u64, u64) {
    let chat = Chat::new();
    chat.say(entries);
    let then = chat.engine.now();
    chat.settle();
    let ask = |text: &str, as_of| {
        let before = STEPS.load(Ordering::Relaxed);
        let query = Query { as_of, ..Query::new(text) };
        let recollection = block_on(chat.vault.recall(memory(), query)).expect("a recollection");
        assert_eq!((recollection.items.len(), recollection.conversations.len()), (10, 10));
        let is_summarized =
            recollection.conversations.iter().any(|one| one.conversation.summary.is_some());
        assert_eq!(is_summarized, as_of.is_none(), "as it stood");
        STEPS.load(Ordering::Relaxed) - before
    };
    ask("Where did we have lunch?", None);
    let now = ask("Which walk was in Rome?", None);
    (ask("Which walk was in Rome?", Some(then)), ask("Which lunch was in Rome?", Some(then)), now)
}

/// What reading one conversation as of a moment takes in a memory with a number of entries.
fn steps_of_reading_as_of(entries: i64) -> u64 {
    let chat = Chat::new();
    chat.fill(entries);
    let listed = block_on(chat.vault.conversations(memory(), ConversationQuery::default()));
    let one = Address::Id(listed.expect("conversations").data.remove(0).id);
    let before = STEPS.load(Ordering::Relaxed);
    let read = chat.vault.conversation_as_of(memory(), one, chat.engine.now());
    assert_eq!(block_on(read).expect("a conversation").entries.len(), 10);
    STEPS.load(Ordering::Relaxed) - before
}

#[test]
fn counting_entries_over_time_costs_the_same_in_a_memory_of_any_size() {
    let _turn = alone();
    let [small, large] = [400, 2_000].map(steps_of_density);
    assert!(small > 0, "nothing was counted");
    assert!(large <= small * 11 / 10, "{small} steps with 400 entries, {large} with 2,000");
}

#[test]
fn counting_in_the_store_reads_the_index_by_time_and_no_rows() {
    let _turn = alone();
    let entries = 500;
    let [said, stored] = [TimeAxis::ConversationTime, TimeAxis::CreationTime]
        .map(|axis| steps_of_first_density(axis, entries));
    assert!(said <= entries * 10, "{said} steps for {entries} entries by when they were said");
    assert!(
        stored <= entries * 40,
        "{stored} steps for {entries} entries by when they were stored"
    );
}

/// What counting the entries over time takes before the index of the memory is loaded.
fn steps_of_first_density(axis: TimeAxis, entries: u64) -> u64 {
    let chat = Chat::new();
    chat.fill(entries.cast_signed());
    let before = STEPS.load(Ordering::Relaxed);
    let query = DensityQuery { axis, buckets: Some(10), ..DensityQuery::default() };
    let density = block_on(chat.vault.density(memory(), query)).expect("counts");
    assert_eq!(density.counts.iter().sum::<u64>(), entries);
    STEPS.load(Ordering::Relaxed) - before
}

/// What counting the entries over time takes, on either clock, after the index was used.
fn steps_of_density(entries: i64) -> u64 {
    let chat = Chat::new();
    chat.fill(entries);
    block_on(chat.vault.recall(memory(), Query::new("garden"))).expect("an answer");
    let before = STEPS.load(Ordering::Relaxed);
    for axis in [TimeAxis::ConversationTime, TimeAxis::CreationTime] {
        let query = DensityQuery { axis, ..DensityQuery::default() };
        let density = block_on(chat.vault.density(memory(), query)).expect("counts");
        assert_eq!(density.counts.iter().sum::<u64>(), entries.unsigned_abs());
    }
    STEPS.load(Ordering::Relaxed) - before
}

/// What reading the entries of the last hours takes in a memory with a number of entries, all of the last
/// months; one more is only known to be of this year.
fn steps_of_reading_the_last_hours(entries: i64) -> u64 {
    let chat = Chat::new();
    chat.fill(entries);
    let source = Provenance::stated(Name::new("name", "notes").expect("a name"));
    let from = Provenance { precision: TimePrecision::Year, ..source };
    let text = Said::new("a good year").expect("text");
    let time = chat.engine.now() - SignedDuration::from_hours(24 * 364);
    let year = NewEntry::new(Role::User, text).said_at(time);
    let year = NewEntry { provenance: Some(Box::new(from)), ..year };
    block_on(chat.vault.remember(memory(), vec![year], None)).expect("an entry");
    let before = STEPS.load(Ordering::Relaxed);
    let after = Some(chat.engine.now() - SignedDuration::from_hours(entries - entries / 10 + 6));
    let read = chat.vault.entries(memory(), None, EntryQuery { after, ..EntryQuery::default() });
    let read = block_on(read).expect("entries").data;
    assert!((30..=70).contains(&read.len()), "{}", read.len());
    assert_eq!(read[0].content.as_str(), "a good year");
    STEPS.load(Ordering::Relaxed) - before
}

/// What it takes to learn that no tags were changed, which every index asks for when it is loaded.
fn steps_of_reading_retagged(entries: i64) -> u64 {
    let chat = Chat::new();
    chat.fill(entries);
    let before = STEPS.load(Ordering::Relaxed);
    let read = block_on(chat.vault.entries(memory(), None, EntryQuery::retagged()));
    assert!(read.expect("entries").data.is_empty());
    STEPS.load(Ordering::Relaxed) - before
}

/// What importing a conversation takes beside a number of entries that were imported before.
fn steps_of_an_import(entries: usize) -> u64 {
    let chat = Chat::new();
    (0..entries / 10).for_each(|number| chat.import(number));
    let before = STEPS.load(Ordering::Relaxed);
    chat.import(entries);
    STEPS.load(Ordering::Relaxed) - before
}

/// What reading the entries of one conversation takes in a memory with a number of entries.
fn steps_of_reading_a_conversation(entries: i64) -> u64 {
    let chat = Chat::new();
    chat.fill(entries);
    let listed = block_on(chat.vault.conversations(memory(), ConversationQuery::default()));
    let one = listed.expect("conversations").data.remove(0).id;
    let before = STEPS.load(Ordering::Relaxed);
    let read = chat.vault.entries(memory(), Some(Address::Id(one)), EntryQuery::default());
    assert_eq!(block_on(read).expect("entries").data.len(), 10);
    STEPS.load(Ordering::Relaxed) - before
}

/// What the first message of a new chat takes beside a number of others of the same person.
fn steps_of_a_new_chat(chats: usize) -> u64 {
    let chat = Chat::new();
    for number in 0..chats {
        chat.clock.advance(SignedDuration::from_secs(60));
        let text = format!("My {} is called Tim.", ["cat", "dog", "fish"][number % 3]);
        chat.begin(&format!("chat {number}"), &text);
    }
    chat.ask("new chat", "What is my cat called?");
    chat.ask("newer chat", "What is my dog called?")
}

/// What one exchange takes, on average, in a memory with a number of entries.
fn steps_of_an_exchange(entries: i64) -> u64 {
    let chat = Chat::new();
    chat.fill(entries);
    chat.exchange(0);
    let turns = 12;
    let steps = (1..=turns).map(|turn| chat.exchange(turn)).sum::<u64>();
    steps / turns as u64
}

struct Chat {
    engine: Engine,
    clock: Arc<ManualClock>,
    vault: Vault,
    /// Where it is all kept.
    _directory: tempfile::TempDir,
}

impl Chat {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("everwhen.db");
        let store = SqliteStore::open(&path, SqliteOptions::default()).expect("a store");
        let (engine, clock) = engine_over(Arc::new(store));
        let address = Address::read("vault", "v").expect("a name");
        let vault = block_on(engine.vault_to_write(address)).expect("a vault");
        Self { engine, clock, vault, _directory: directory }
    }

    /// Begins a chat of no person in particular.
    fn begin(&self, name: &str, text: &str) -> Begun {
        let memory = Address::Name(Name::new("memory", name).expect("a name"));
        let history = History {
            messages: vec![Message::new(Role::User, text)],
            chat_of: Some(Person::Unnamed),
            ..History::default()
        };
        let commit = Commit::NextTurn;
        let begun = self.vault.begin_exchange_early(memory, history, commit, true, |_| {});
        block_on(begun).expect("begun")
    }

    /// Asks in a new chat what was said in others; says how much that took.
    fn ask(&self, name: &str, question: &str) -> u64 {
        let before = STEPS.load(Ordering::Relaxed);
        let begun = self.begin(name, question);
        let options = BlockOptions {
            briefing: true,
            budget_tokens: 500,
            chats_of: Some(Person::Unnamed),
            tool_entries: false,
        };
        let briefing = block_on(self.vault.remembered_for(&begun, question, &options));
        let briefing = briefing.expect("a briefing");
        assert!(briefing.contains("(in another chat): My"), "{briefing}");
        STEPS.load(Ordering::Relaxed) - before
    }

    /// Conversations of ten entries, an hour apart, and what follows from them.
    fn fill(&self, entries: i64) {
        self.say(entries);
        self.settle();
    }

    /// Conversations of ten entries, an hour apart.
    fn say(&self, entries: i64) {
        let first = self.engine.now() - SignedDuration::from_hours(entries);
        let said = |number: i64| {
            let role = if number % 2 == 0 { Role::User } else { Role::Assistant };
            let time = SignedDuration::from_mins(number / 10 * 60 + number % 10);
            let text = format!("Walk {number} in Rome, then lunch number {}", number % 7);
            NewEntry::new(role, Said::new(text).expect("text")).said_at(first + time)
        };
        for batch in (0..entries).collect::<Vec<_>>().chunks(1_000) {
            let batch = batch.iter().copied().map(said).collect();
            block_on(self.vault.remember(memory(), batch, None)).expect("entries");
        }
    }

    /// Imports a conversation of ten entries with ids of their own.
    fn import(&self, number: usize) {
        let name = |text: String| Name::new("name", text).expect("a name");
        let source = Provenance::stated(name("source".into()));
        let first = self.engine.now() - SignedDuration::from_hours(100_000);
        let said = |at: usize| {
            let time = first + SignedDuration::from_mins((number * 60 + at) as i64);
            let source_id = Some(name(format!("{number}-{at}")));
            let provenance = Some(Box::new(Provenance { source_id, ..source.clone() }));
            let text = Said::new(format!("Walk {at} of day {number}")).expect("text");
            NewEntry { provenance, ..NewEntry::new(Role::User, text).said_at(time) }
        };
        let imported = ImportedConversation {
            name: name(format!("day {number}")),
            entries: (0..10).map(said).collect(),
            branches: Vec::new(),
            ended_at: None,
            title: None,
            summary: None,
            extract: None,
        };
        let outcome = block_on(self.vault.import_conversations(
            memory(),
            vec![imported],
            ImportMode::default(),
        ));
        outcome.expect("an import").remove(0).expect("a conversation");
    }

    /// Asks with the last few messages, and answers; says how much that took. What follows behind it
    /// is not counted: no caller waits for it.
    fn exchange(&self, turn: i64) -> u64 {
        let before = STEPS.load(Ordering::Relaxed);
        let question = format!("And walk {turn} in Rome?");
        let mut messages = vec![Message::new(Role::User, question.clone())];
        for earlier in (0..turn).rev().take(4) {
            messages.insert(0, Message::new(Role::Assistant, format!("ExchangeReply {earlier}.")));
            messages.insert(0, Message::new(Role::User, format!("And walk {earlier} in Rome?")));
        }
        let begun = self.vault.begin_exchange_early(
            memory(),
            History::from(messages),
            Commit::NextTurn,
            true,
            |_| {},
        );
        let begun = block_on(begun).expect("begun");
        let options = BlockOptions {
            briefing: true,
            budget_tokens: 500,
            chats_of: None,
            tool_entries: false,
        };
        let briefing = block_on(self.vault.remembered_for(&begun, &question, &options));
        assert!(briefing.expect("a briefing").contains("Rome"));
        let reply =
            ExchangeReply { content: format!("ExchangeReply {turn}."), ..ExchangeReply::default() };
        block_on(self.vault.finish_exchange(begun.exchange, reply)).expect("finished");
        let steps = STEPS.load(Ordering::Relaxed) - before;
        self.settle();
        steps
    }

    /// Summaries, chapters and facts come, so the next question has something to catch up with.
    fn settle(&self) {
        for _ in 0..4 {
            self.clock.advance(SignedDuration::from_secs(5));
            block_on(self.engine.settle()).expect("jobs");
        }
    }
}

fn memory() -> Address<MemoryId> {
    Address::Name(Name::new("memory", "m").expect("a name"))
}
