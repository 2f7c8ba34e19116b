//! How much SQLite does for one exchange of a chat, which must not grow with the memory. Steps of its
//! machine are counted, not time, so the answer is the same on every computer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use everwhen_engine::aside::Wishes;
use everwhen_engine::ledger::{Commit, History, Message, Reply};
use everwhen_engine::memory::{Address, MemoryId, Name, NewEntry, Role, Said};
use everwhen_engine::when::HandClock;
use everwhen_engine::{Engine, Vault};
use everwhen_testkit::{block_on, engine_over};
use jiff::SignedDuration;
use rusqlite::{Statement, StatementStatus};

use super::{SqliteOptions, SqliteStore};

/// No other test of this crate runs statements.
static STEPS: AtomicU64 = AtomicU64::new(0);

/// Adds what a statement took.
pub(super) fn count(statement: &Statement<'_>) {
    let steps = statement.reset_status(StatementStatus::VmStep);
    STEPS.fetch_add(steps.unsigned_abs().into(), Ordering::Relaxed);
}

#[test]
fn an_exchange_costs_the_same_in_a_memory_of_any_size() {
    let [small, large] = [400, 2_000].map(steps_of_an_exchange);
    assert!(large <= small * 11 / 10, "{small} steps with 400 entries, {large} with 2,000");
}

/// What one exchange takes, on average, in a memory with so many entries.
fn steps_of_an_exchange(entries: i64) -> u64 {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("everwhen.db");
    let store = SqliteStore::open(&path, SqliteOptions::default()).expect("a store");
    let (engine, clock) = engine_over(Arc::new(store));
    let address = Address::read("vault", "v").expect("a name");
    let vault = block_on(engine.vault_to_write(address)).expect("a vault");
    let chat = Chat { engine, clock, vault };
    chat.fill(entries);
    chat.exchange(0);
    let turns = 12;
    let steps = (1..=turns).map(|turn| chat.exchange(turn)).sum::<u64>();
    steps / turns as u64
}

struct Chat {
    engine: Engine,
    clock: Arc<HandClock>,
    vault: Vault,
}

impl Chat {
    /// Conversations of ten entries, an hour apart, and what follows from them.
    fn fill(&self, entries: i64) {
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
        self.settle();
    }

    /// Asks with the last few messages, and answers; says how much that took. What follows behind it
    /// is not counted: nobody waits for it.
    fn exchange(&self, turn: i64) -> u64 {
        let before = STEPS.load(Ordering::Relaxed);
        let question = format!("And walk {turn} in Rome?");
        let mut messages = vec![Message::new(Role::User, question.clone())];
        for earlier in (0..turn).rev().take(4) {
            messages.insert(0, Message::new(Role::Assistant, format!("Reply {earlier}.")));
            messages.insert(0, Message::new(Role::User, format!("And walk {earlier} in Rome?")));
        }
        let begun = self.vault.begin_exchange_early(
            memory(),
            History::from(messages),
            Commit::NextTurn,
            Some(500),
            |_| {},
        );
        let begun = block_on(begun).expect("begun");
        let wishes = Wishes { briefing: true, budget_tokens: 500 };
        let told = block_on(self.vault.remembered_for(&begun, &question, &wishes));
        assert!(told.expect("a briefing").contains("Rome"));
        let reply = Reply { content: format!("Reply {turn}."), ..Reply::default() };
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
