//! A forget at every step of every kind of job: before the n-th call of the store, or while the model or
//! the embedder has its answer and has not handed it over, for every n: of an entry, a conversation, a period,
//! the memory, the vault. Afterwards nothing the store has written holds a word of it, and everything else is
//! there.

use std::collections::BTreeSet;
use std::sync::Arc;

use everwhen_engine::chapters::ChapterRules;
use everwhen_engine::facts::FactQuery;
use everwhen_engine::job::{JobKind, Queue};
use everwhen_engine::memory::{Address, Conversation, EntryId, Forget, ForgetMark, Role, Settings};
use everwhen_engine::ports::{
    Embedder, EntryQuery, JobSelection, Llm, MemoryRef, PastKind, Prompt, Store,
};
use everwhen_engine::recall::Query;
use everwhen_engine::time::{ManualClock, Zone};
use everwhen_engine::{Engine, ErrorKind, Vault, VaultDefaults};
use everwhen_testkit::{Interrupt, Interrupted, ScriptedLlm, WordEmbedder, block_on, manual_world};
use jiff::SignedDuration;

use crate::bed::{Bed, Open};
use crate::rows::{at, name};
use crate::talk::{memory, said, stored};

/// A word that occurs once, in what the user says.
pub(crate) const MARKER: &str = "zanzibarium";
/// What the user says; the model quotes it.
const SECRET: &str = "I like zanzibarium tea";

/// What the user says two lines later.
const BIRDS: &str = "I saw 2 birds";

/// The variable that has everything forgotten at each call in a longer run.
const FORGETS_VARIABLE: &str = "EVERWHEN_TEST_FORGETS";

/// A model that repeats the word in everything it writes, if the prompt contains it.
pub(crate) fn model() -> ScriptedLlm {
    ScriptedLlm::new(|prompt: &Prompt| {
        let has_marker = prompt.messages.iter().any(|message| message.content.contains(MARKER));
        let word = if has_marker { MARKER } else { "nothing" };
        Ok(match prompt.schema.as_ref().map(|schema| schema.name) {
            // What it writes on a line can have words of another.
            Some("facts") if has_marker => format!(
                r#"{{"facts": [{{"line": 1, "quote": "{SECRET}", "statement": "They like {word} tea",
                    "matter": "tea", "value": "{word}", "tags": ["preference"]}},
                    {{"line": 3, "quote": "{BIRDS}", "statement": "They saw 2 birds over {word} tea"}}]}}"#
            ),
            Some("facts") => {
                r#"{"facts": [{"line": 2, "statement": "They saw 2 birds"}]}"#.to_owned()
            }
            Some(_) => format!(
                r#"{{"title": "What they said about {word}", "summary": "They spoke of {word}.",
                    "entities": ["{word}"], "key_phrases": ["{word}"]}}"#
            ),
            None => format!("It was about {word}."),
        })
    })
}

/// Short chapters, so that a few entries make several, and several summaries.
fn rules() -> ChapterRules {
    let (min_per_summary, most_per_summary) = (1, 2);
    ChapterRules {
        max_messages: 3,
        lookback: 1,
        min_per_summary,
        most_per_summary,
        ..ChapterRules::default()
    }
}

pub(crate) fn engine(store: Arc<dyn Store>, seed: u64) -> (Engine, Arc<ManualClock>) {
    let (world, clock) = manual_world(at(0), seed);
    let defaults = VaultDefaults { zone: Zone::utc(), settings: Settings::default() };
    let looking_back = Some("What did they say about themselves?".to_owned());
    let engine = Engine::new(store, world, defaults).with_chapter_rules(rules());
    (engine.with_retrospection(looking_back), clock)
}

pub(crate) fn vault(engine: &Engine) -> Vault {
    block_on(engine.vault_to_write(Address::Name(name("v")))).unwrap()
}

/// Two conversations, the first of which begins with what will be forgotten, one that has yet to end, and the rest
/// of a workflow.
pub(crate) fn store_secret(vault: &Vault) -> EntryId {
    let line = |number: i64| {
        let role = if number % 2 == 0 { Role::User } else { Role::Assistant };
        let text = if number == 0 { SECRET.to_owned() } else { format!("I saw {number} birds") };
        said(role, &text).said_at(at(-300 + number / 5 * 90 + number % 5))
    };
    let last = said(Role::User, "I see no bird").said_at(at(-1));
    let entries = (0..10).map(line).chain([last]).collect();
    let secret = stored(block_on(vault.remember(memory(), entries, None))).entries[0].id;
    block_on(vault.put_workflow(
        memory(),
        format!("write down: {SECRET}"),
        at(0),
        ForgetMark::default(),
    ))
    .unwrap();
    secret
}

/// Works off everything there is to do, with a question in between and the index saved. Returns the kinds of jobs.
fn work(bed: &Bed, engine: &Engine, clock: &ManualClock) -> BTreeSet<&'static str> {
    let mut kinds = BTreeSet::new();
    for _ in 0..7 {
        clock.advance(SignedDuration::from_mins(6));
        loop {
            let jobs = bed.look(|rows| rows.jobs(JobSelection::Due(None, 99)));
            kinds.extend(jobs.iter().map(|job| job.kind.as_str()));
            if !block_on(engine.step()).unwrap() {
                break;
            }
        }
        block_on(engine.settle()).unwrap();
        go_on_with_workflow(engine);
        let found = block_on(vault(engine).recall(memory(), Query::new("tea and birds")));
        if let Err(error) = found {
            assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        }
        block_on(engine.keep_indexes(1)).unwrap();
    }
    kinds
}

/// Does what a worker of workflows does with a job, which may be gone by then.
fn go_on_with_workflow(engine: &Engine) {
    let Some(job) = block_on(engine.claim(Queue::Outside)).unwrap() else { return };
    let more = job.payload.clone().unwrap() + ", and it was";
    match block_on(engine.keep_progress(&job, more)) {
        Ok(()) => block_on(engine.end_workflow(&job)).unwrap(),
        Err(error) => block_on(engine.put_off(&job, error)).unwrap(),
    }
}

/// What is forgotten in [`forget_at`], each of which holds what the user said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Entry,
    Conversation,
    Period,
    Memory,
    Vault,
}

impl Part {
    const ALL: [Self; 5] =
        [Self::Entry, Self::Conversation, Self::Period, Self::Memory, Self::Vault];

    /// Forgets it.
    fn forget(self, vault: &Vault, secret: EntryId) {
        let conversation = block_on(vault.entry(memory(), secret)).unwrap().conversation.into();
        let what = match self {
            Self::Entry => Forget::Entry(secret),
            Self::Conversation => Forget::Conversation(conversation),
            Self::Period => Forget::Period { after: Some(at(-301)), before: Some(at(-299)) },
            Self::Memory => Forget::Memory,
            Self::Vault => return block_on(vault.forget_vault(None)).map(drop).unwrap(),
        };
        block_on(vault.forget(memory(), what, None)).unwrap();
    }

    /// How many of the eleven entries are left; nothing if the memory is not.
    fn left(self) -> Option<usize> {
        match self {
            Self::Entry | Self::Period => Some(10),
            Self::Conversation => Some(6),
            Self::Memory | Self::Vault => None,
        }
    }
}

/// Forgets at one call of a port; returns whether there were that many calls. If not, every kind of job has run.
fn forget_at(bed: &Bed, call: u64, part: Part) -> bool {
    let (owner, _) = engine(Arc::clone(&bed.store), 2 * call);
    let secret = store_secret(&vault(&owner));
    let forget = move || part.forget(&vault(&owner), secret);
    let interrupt = Interrupt::new(call, forget);
    let store = Interrupted::<dyn Store>::new(Arc::clone(&bed.store), &interrupt);
    let (worker, clock) = engine(Arc::new(store), 2 * call + 1);
    let model = Interrupted::<dyn Llm>::new(Arc::new(model()), &interrupt);
    let embedder = Interrupted::<dyn Embedder>::new(Arc::new(WordEmbedder), &interrupt);
    let worker = worker.with_llm(Arc::new(model)).with_embedder(Arc::new(embedder));
    let kinds = work(bed, &worker, &clock);
    let has_happened = interrupt.has_happened();
    if has_happened {
        // What a forget in the last round has left to do.
        for _ in 0..4 {
            clock.advance(SignedDuration::from_mins(5));
            block_on(worker.settle()).unwrap();
        }
        let here = format!("{part:?} at call {call}");
        let left = block_on(vault(&worker).entries(memory(), None, EntryQuery::default()));
        assert_eq!(left.ok().map(|left| left.data.len()), part.left(), "{here}");
        assert_eq!(bed.look(|rows| rows.jobs(JobSelection::Due(None, 9))), [], "{here}");
        assert_eq!(bed.places_of(MARKER), [""; 0], "{here}");
    } else {
        assert!(bed.is_plain() || !bed.places_of(MARKER).is_empty(), "the test would not notice");
        // A lock is held and never run, and has no text.
        let all = JobKind::ALL.into_iter().filter(|kind| *kind != JobKind::Lock);
        assert_eq!(kinds, all.map(JobKind::as_str).collect());
    }
    has_happened
}

/// At each call something else is forgotten; in the oracle, which is fast, all of it at each. With
/// [`FORGETS_VARIABLE`] set, in every store.
#[expect(clippy::disallowed_methods, reason = "a longer run is asked for by a variable")]
pub(crate) fn a_forget_at_any_step_of_any_job_leaves_no_trace(open: Open) {
    let tries_all = open().is_plain() || std::env::var_os(FORGETS_VARIABLE).is_some();
    let parts = |call: u64| match tries_all {
        true => Part::ALL.to_vec(),
        false => vec![Part::ALL[usize::try_from(call).unwrap() % Part::ALL.len()]],
    };
    let mut call = 1;
    while parts(call).into_iter().all(|part| forget_at(&open(), call, part)) {
        call += 1;
    }
    // A few more or fewer than on 2026-11-18, when there were 184.
    assert!((160..240).contains(&(call - 1)), "{} calls", call - 1);
}

/// A model is shown a whole conversation, so what it writes on one line may have words of another.
pub(crate) fn facts_that_a_model_made_of_several_lines_go_with_each_of_them(open: Open) {
    let bed = open();
    let (worker, clock) = engine(Arc::clone(&bed.store), 1);
    let worker = worker.with_llm(Arc::new(model()));
    let owner = vault(&worker);
    let secret = store_secret(&owner);
    work(&bed, &worker, &clock);
    let statements = |as_of| {
        let query = FactQuery { all: true, as_of, ..FactQuery::default() };
        let facts = block_on(owner.facts(memory(), query)).unwrap().data;
        facts.into_iter().map(|one| one.fact.statement).collect::<BTreeSet<_>>()
    };
    let then = worker.now();
    assert!(statements(None).contains("They saw 2 birds over zanzibarium tea"));
    clock.advance(SignedDuration::from_mins(5));
    block_on(owner.forget(memory(), Forget::Entry(secret), None)).unwrap();
    let left = |as_of| statements(as_of).into_iter().filter(|one| one.contains(MARKER)).count();
    assert_eq!((left(None), left(Some(then))), (0, 0));
    assert_eq!(bed.places_of(MARKER), [""; 0]);
    work(&bed, &worker, &clock);
    assert!(statements(None).contains("They saw 2 birds"), "what is left is read again");
    assert_eq!(left(Some(then)), 0);
}

/// A conversation gets other words and becomes part of an earlier one, and chapters are written again. What
/// there was before stays for questions as of then, until it is forgotten.
pub(crate) fn what_was_replaced_is_forgotten_with_the_rest(open: Open) {
    let bed = open();
    let (worker, clock) = engine(Arc::clone(&bed.store), 1);
    let worker = worker.with_llm(Arc::new(model())).with_embedder(Arc::new(WordEmbedder));
    let owner = vault(&worker);
    let secret = store_secret(&owner);
    let earlier = said(Role::User, "I was early").said_at(at(-350));
    block_on(owner.remember(memory(), vec![earlier], None)).unwrap();
    work(&bed, &worker, &clock);
    let then = worker.now();
    clock.advance(SignedDuration::from_mins(5));
    let between = said(Role::User, "I came in between").said_at(at(-325));
    block_on(owner.remember(memory(), vec![between], None)).unwrap();
    block_on(owner.regenerate(memory(), None)).unwrap();
    work(&bed, &worker, &clock);
    let past = bed.look(move |rows| {
        let memory = rows.vaults(None, 1)?.pop().unwrap();
        let place = rows.memory_named(memory.id, &name("m"))?.unwrap();
        rows.past(MemoryRef { vault: memory.id, memory: place.id }, then, &PastKind::ALL)
    });
    assert!(past.chapters.iter().any(|one| one.text.contains(MARKER)), "the test would not notice");
    let has_marker = |one: &Conversation| {
        one.summary.as_ref().is_some_and(|summary| summary.title.contains(MARKER))
    };
    assert!(past.conversations.iter().any(has_marker), "the test would not notice");
    block_on(owner.forget(memory(), Forget::Entry(secret), None)).unwrap();
    assert_eq!(bed.places_of(MARKER), [""; 0]);
    work(&bed, &worker, &clock);
    assert_eq!(bed.places_of(MARKER), [""; 0]);
}
