//! Random sequences of what can be done with a vault, and how each is done.

use std::sync::Arc;

use everwhen_engine::memory::{
    Address, ConversationId, ConversationName, EntryId, MemoryId, NewContext, NewEntry, Retention,
    Role, Said, SettingsChange,
};
use everwhen_engine::receipt::{Done, Idempotency};
use everwhen_engine::time::ManualClock;
use everwhen_engine::{
    Engine, Forget, ImportedBranch, ImportedConversation, MemoryChange, NewCorrection, NewVault,
    Result, Vault, VaultChange,
};
use everwhen_testkit::{block_on, engine_over};
use jiff::{SignedDuration, Timestamp};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::select;

use crate::bed::Bed;
use crate::rows::{at, name};

/// One thing done. Numbers pick from what is known by then.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Remember(Vec<ModelReply>),
    /// Imports a conversation of some entries, some of them put aside, ended tens of minutes ago.
    Import(Vec<ModelReply>, Vec<ModelReply>, Option<i64>),
    Correct(usize),
    End(Option<usize>),
    Fork(usize),
    Restore(usize),
    ForgetEntry(usize),
    ForgetConversation(usize),
    ForgetPeriod(i64, i64),
    ForgetMemory,
    PutContext,
    Describe,
    /// Changes the idle timeout to this many minutes.
    Timeout(u32),
    Work,
    Settle,
    /// Moves the clock by this many minutes.
    Wait(i64),
}

/// A step, in one of two memories, maybe with an idempotency key.
#[derive(Debug, Clone)]
pub(crate) struct Move {
    pub(crate) step: Step,
    pub(crate) memory: usize,
    pub(crate) key: Option<usize>,
}

/// An entry to remember.
#[derive(Debug, Clone)]
pub(crate) struct ModelReply {
    /// Tens of minutes before now, or after it, and some nanoseconds.
    before: Option<(i64, i64)>,
    role: Role,
    question: bool,
    home: Home,
    tag: bool,
}

/// Which conversation an entry asks for.
#[derive(Debug, Clone)]
enum Home {
    ByTime,
    Named(&'static str),
    Known(usize),
}

/// A vault's rules and what happens in it.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    settings: SettingsChange,
    pub(crate) moves: Vec<Move>,
}

pub(crate) fn any_script() -> impl Strategy<Value = Script> {
    let settings = (1..4u32, select(vec![Retention::Archive, Retention::Delete])).prop_map(
        |(retained, retention)| SettingsChange {
            conversations_retained: Some(retained),
            retention: Some(retention),
            ..SettingsChange::default()
        },
    );
    (settings, vec(any_move(), 1..40)).prop_map(|(settings, moves)| Script { settings, moves })
}

fn any_move() -> impl Strategy<Value = Move> {
    let key = prop_oneof![3 => Just(None), 1 => (0..3usize).prop_map(Some)];
    let memory = prop_oneof![4 => Just(0usize), 1 => Just(1)];
    (any_step(), memory, key).prop_map(|(step, memory, key)| Move { step, memory, key })
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => vec(any_spoken(), 1..5).prop_map(Step::Remember),
        4 => any_import(),
        4 => any::<usize>().prop_map(Step::Correct),
        6 => option::of(any::<usize>()).prop_map(Step::End),
        3 => any::<usize>().prop_map(Step::Fork),
        3 => any::<usize>().prop_map(Step::Restore),
        3 => any::<usize>().prop_map(Step::ForgetEntry),
        2 => any::<usize>().prop_map(Step::ForgetConversation),
        2 => (1..12i64, 1..6i64).prop_map(|(start, length)| Step::ForgetPeriod(start, length)),
        1 => Just(Step::ForgetMemory),
        2 => Just(Step::PutContext),
        1 => Just(Step::Describe),
        1 => select(vec![10, 30, 60]).prop_map(Step::Timeout),
        4 => Just(Step::Work),
        2 => Just(Step::Settle),
        10 => select(vec![-10, 1, 10, 20, 30, 31, 100]).prop_map(Step::Wait),
    ]
}

fn any_import() -> impl Strategy<Value = Step> {
    let (line, aside) = (vec(any_spoken(), 0..4), vec(any_spoken(), 0..2));
    (line, aside, option::of(0..15i64))
        .prop_map(|(line, aside, ended)| Step::Import(line, aside, ended))
}

fn any_spoken() -> impl Strategy<Value = ModelReply> {
    let before = option::of((-4..15i64, select(vec![0, 0, 0, 1, 999, 1_000])));
    let home = prop_oneof![
        8 => Just(Home::ByTime),
        1 => select(vec!["a", "b"]).prop_map(Home::Named),
        1 => any::<usize>().prop_map(Home::Known),
    ];
    (before, select(Role::ALL.to_vec()), any::<bool>(), home, any::<bool>()).prop_map(
        |(before, role, question, home, tag)| {
            let question = question && role == Role::Assistant;
            ModelReply { before, role, question, home, tag }
        },
    )
}

/// Ids that have come up, in the order they did. Some may be gone.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) entries: Vec<EntryId>,
    pub(crate) conversations: Vec<ConversationId>,
}

impl Known {
    fn entry(&self, pick: usize) -> EntryId {
        let count = self.entries.len().max(1);
        self.entries.get(pick % count).copied().unwrap_or_else(|| crate::rows::id(404))
    }

    fn conversation(&self, pick: usize) -> ConversationName {
        let count = self.conversations.len().max(1);
        let known = self.conversations.get(pick % count).copied();
        known.unwrap_or_else(|| crate::rows::id(404)).into()
    }
}

/// A script being run on one store.
pub(crate) struct Run {
    pub(crate) engine: Engine,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) vault: Vault,
    pub(crate) bed: Bed,
}

impl Run {
    /// An empty vault with the script's rules.
    pub(crate) fn new(bed: Bed, script: &Script) -> Self {
        let (engine, clock) = engine_over(Arc::clone(&bed.store));
        clock.set(at(0));
        let settings = Some(script.settings);
        let new = NewVault { name: name("v"), description: None, zone: None, settings };
        block_on(engine.create_vault(new, None)).unwrap();
        let vault = block_on(engine.vault(Address::Name(name("v")))).unwrap();
        Self { engine, clock, vault, bed }
    }

    /// Does one thing and says what came of it.
    pub(crate) fn apply(&self, one: &Move, known: &Known) -> String {
        match &one.step {
            Step::Work => format!("{:?}", block_on(self.engine.step())),
            Step::Settle => format!("{:?}", block_on(self.engine.settle())),
            Step::Wait(minutes) => {
                self.clock.advance(SignedDuration::from_mins(*minutes));
                String::new()
            }
            _ => format!("{:?}", self.write(one, known)),
        }
    }

    fn write(&self, one: &Move, known: &Known) -> Result<Done> {
        let (vault, memory) = (&self.vault, memory(one.memory));
        let key = one.key.map(|key| {
            let text = format!("{:?} in {}", one.step, one.memory);
            Idempotency::new(name(&format!("key {key}")), &[text.as_bytes()])
        });
        match &one.step {
            Step::Remember(spoken) => {
                let entries = spoken.iter().map(|one| self.new_entry(one, known)).collect();
                block_on(vault.remember(memory, entries, key))
            }
            Step::Import(line, aside, ended) => {
                let imported = self.imported(line, aside, *ended, known);
                block_on(vault.import_conversation(memory, imported, key))
            }
            Step::Correct(pick) => {
                let content = Said::new("corrected").expect("not blank");
                let correction =
                    NewCorrection { content, reason: "typo".into(), tags: None, metadata: None };
                block_on(vault.correct(memory, known.entry(*pick), correction, key))
            }
            Step::End(pick) => {
                let named = pick.map(|pick| known.conversation(pick));
                block_on(vault.end_conversation(memory, named, Some("done".into()), key))
            }
            Step::Fork(pick) => self.fork(memory, known.entry(*pick), key),
            Step::Restore(pick) => block_on(vault.restore(memory, known.conversation(*pick), key)),
            Step::PutContext => {
                let context = NewContext::new("notes", Some(self.engine.now()));
                block_on(vault.put_context(memory, context.expect("not blank"), key))
            }
            Step::Timeout(minutes) => block_on(vault.change(timeout(*minutes), key)),
            Step::Describe => {
                let change =
                    MemoryChange { description: Some("new".into()), ..MemoryChange::default() };
                block_on(vault.change_memory(memory, change, key))
            }
            other => block_on(vault.forget(memory, self.what(other, known), key)),
        }
    }

    /// A conversation `a` of another system.
    fn imported(
        &self,
        line: &[ModelReply],
        aside: &[ModelReply],
        ended: Option<i64>,
        known: &Known,
    ) -> ImportedConversation {
        let entries =
            |all: &[ModelReply]| all.iter().map(|one| self.new_entry(one, known)).collect();
        let branch = ImportedBranch { archived_at: self.engine.now(), entries: entries(aside) };
        ImportedConversation {
            name: name("a"),
            entries: entries(line),
            branches: vec![branch],
            ended_at: ended.map(|tens| self.engine.now() - SignedDuration::from_mins(tens * 10)),
            title: ended.map(|_| "From elsewhere".into()),
            summary: None,
            extract: None,
        }
    }

    /// Forks the conversation of an entry after it.
    fn fork(
        &self,
        memory: Address<MemoryId>,
        after: EntryId,
        key: Option<Idempotency>,
    ) -> Result<Done> {
        let entry = block_on(self.vault.entry(memory.clone(), after))?;
        block_on(self.vault.fork(memory, entry.conversation.into(), after, key))
    }

    fn what(&self, step: &Step, known: &Known) -> Forget {
        let before = |tens: i64| Some(self.engine.now() - SignedDuration::from_mins(tens * 10));
        match step {
            Step::ForgetEntry(pick) => Forget::Entry(known.entry(*pick)),
            Step::ForgetConversation(pick) => Forget::Conversation(known.conversation(*pick)),
            Step::ForgetPeriod(start, length) => {
                Forget::Period { after: before(*start), before: before(*start - *length) }
            }
            _ => Forget::Memory,
        }
    }

    fn new_entry(&self, one: &ModelReply, known: &Known) -> NewEntry {
        let said_at = |(tens, nanos): (i64, i64)| -> Timestamp {
            let ago = SignedDuration::from_mins(tens * 10) - SignedDuration::from_nanos(nanos);
            self.engine.now() - ago
        };
        NewEntry {
            conversation_time: one.before.map(said_at),
            allow_future: true,
            is_question: one.question,
            conversation: match one.home {
                Home::ByTime => None,
                Home::Named(own) => Some(Address::Name(name(own))),
                Home::Known(pick) => Some(known.conversation(pick)),
            },
            tags: if one.tag { vec![name("tag")] } else { Vec::new() },
            ..NewEntry::new(one.role, Said::new("Something was said. More too.").expect("text"))
        }
    }
}

fn timeout(minutes: u32) -> VaultChange {
    let settings =
        SettingsChange { idle_timeout_minutes: Some(minutes), ..SettingsChange::default() };
    VaultChange { settings: Some(settings), ..VaultChange::default() }
}

/// One of the two memories.
pub(crate) fn memory(number: usize) -> Address<MemoryId> {
    Address::Name(name(["m", "n"][number]))
}
