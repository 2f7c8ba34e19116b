//! Rows as a store gets them, made from small numbers.

use everwhen_engine::facts::{Evidence, Fact};
use everwhen_engine::job::{Job, JobKind, Subject};
use everwhen_engine::key::{Key, KeyHash, Scope};
use everwhen_engine::memory::{
    ContextBy, ContextDocument, Conversation, Entry, Memory, Name, Role, Said, Settings, VaultInfo,
};
use everwhen_engine::ports::MemoryRef;
use everwhen_engine::time::Zone;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

/// The id with this number.
pub(crate) fn id<T: From<Uuid>>(number: u128) -> T {
    T::from(Uuid::from_u128(number))
}

/// This many minutes after the tests' noon.
pub(crate) fn at(minutes: i64) -> Timestamp {
    let noon = "2025-06-01T12:00:00Z".parse::<Timestamp>().unwrap();
    noon + SignedDuration::from_mins(minutes)
}

pub(crate) fn name(text: &str) -> Name {
    Name::new("name", text).unwrap()
}

/// The memory with the number `memory` in the vault with the number `vault`.
pub(crate) fn place(vault: u128, memory: u128) -> MemoryRef {
    MemoryRef { vault: id(vault), memory: id(memory) }
}

/// Where most tests work.
pub(crate) fn home() -> MemoryRef {
    place(1, 1)
}

pub(crate) fn vault(number: u128, called: &str) -> VaultInfo {
    VaultInfo {
        id: id(number),
        name: name(called),
        description: None,
        zone: Zone::utc(),
        settings: Settings::default(),
        creation_time: at(0),
    }
}

pub(crate) fn memory(number: u128, called: &str) -> Memory {
    Memory {
        id: id(number),
        name: name(called),
        description: None,
        creation_time: at(0),
        last_sequence: 0,
        last_creation: at(0),
        generation: 0,
        last_ending: None,
        unfinished_end: None,
        last_context: 0,
        waiting: None,
        chaptered_until: None,
        chapters_from: Some(at(1)),
        chapters_at: 5,
        distilled: 3,
        facts_changed: 2,
        chapters_mark: u64::MAX - 7,
        forgotten: 4,
        lifecycle: None,
        chat_of: None,
    }
}

/// The entry with this number: its sequence, said and stored this many minutes after noon, by the
/// user, in conversation 1 of memory 1.
pub(crate) fn entry(number: u64) -> Entry {
    let minutes = i64::try_from(number).unwrap();
    Entry {
        id: id(u128::from(number)),
        memory: id(1),
        sequence: number,
        place: number,
        role: Role::User,
        speaker: None,
        content: Said::new(format!("entry {number}")).unwrap(),
        summary: None,
        tags: Vec::new(),
        metadata: None,
        tools_used: Vec::new(),
        is_question: false,
        conversation_time: at(minutes),
        creation_time: at(minutes),
        conversation: id(1),
        conversation_name: None,
        placed_by_time: true,
        corrects: None,
        corrected: None,
        branch: None,
        provenance: None,
    }
}

/// The conversation with this number, of memory 1, which began this many minutes after noon.
pub(crate) fn conversation(number: u128) -> Conversation {
    let begun = at(i64::try_from(number).unwrap());
    Conversation::open(id(number), id(1), None, begun)
}

pub(crate) fn context(version: u64) -> ContextDocument {
    ContextDocument {
        id: id(u128::from(version)),
        memory: id(1),
        version,
        content: format!("version {version}"),
        conversation_time: at(0),
        creation_time: at(i64::try_from(version).unwrap()),
        by: ContextBy::Agent,
    }
}

/// A job for the conversation with the same number, due at once.
pub(crate) fn job(number: u128) -> Job {
    let about = Subject::Conversation(id(number));
    Job::new(id(number), home(), JobKind::Close, about, at(0))
}

/// The fact with this number, which rests on the entry with the same number.
pub(crate) fn fact(number: u64) -> Fact {
    let said = entry(number);
    let evidence = Evidence { entry: said.id, range: 0..5 };
    let statement = format!("I have {number} apples");
    let mentioned_at = said.conversation_time;
    let stated = Fact::stated(id(number.into()), id(1), statement, evidence, mentioned_at);
    Fact { creation_time: at(0), ..stated }
}

pub(crate) fn key(number: u128, vault: u128) -> Key {
    Key {
        id: id(number),
        vault: id(vault),
        label: None,
        trusted: false,
        scope: Scope::Write,
        expires_at: None,
        last_used_at: None,
        hash: KeyHash::of(&number.to_string()),
        creation_time: at(0),
    }
}
