//! What was forgotten does not come back: neither with a history that a client sends again, nor with a write
//! that is retried. The same words said again are stored.

use std::sync::Arc;

use everwhen_engine::ledger::{Commit, ExchangeReply, Finished, History, Message, PastExchange};
use everwhen_engine::memory::{Address, MemoryId, NewEntry, Provenance, Role};
use everwhen_engine::ports::{
    EntryQuery, Erasure, ForgottenPeriod, Removal, Row, Tombstone, TombstoneKind, TombstoneOwner,
};
use everwhen_engine::receipt::Idempotency;
use everwhen_engine::time::ManualClock;
use everwhen_engine::{ErrorKind, Forget, ImportMode, ImportedConversation, MemoryChange, Vault};
use everwhen_testkit::{block_on, engine_over};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};

use crate::bed::Open;
use crate::forgotten_lines;
use crate::rows::{at, home, id, name, place};
use crate::talk::{Talk, memory, said, texts};

const SECRET: [&str; 4] = ["My PIN is 4711", "I will keep it", "And my dog is Rex", "Nice dog"];

pub(crate) fn hashes_are_kept_by_owner(open: Open) {
    let bed = open();
    let row =
        |kind, byte| Tombstone { kind, hash: [byte; 32], at: at(i64::from(byte)), period: None };
    let (salt, first, second) =
        (row(TombstoneKind::Salt, 1), row(TombstoneKind::Hash, 2), row(TombstoneKind::Hash, 3));
    let (ours, theirs) = (TombstoneOwner::Vault(id(1)), TombstoneOwner::Vault(id(2)));
    let gone = TombstoneOwner::Name([9; 32]);
    for (owner, one) in [(ours, second), (ours, first), (ours, salt), (theirs, first), (gone, salt)]
    {
        bed.write(move |tx| tx.put(Row::Tombstone(owner, &one)));
        bed.write(move |tx| tx.put(Row::Tombstone(owner, &one)));
    }
    let list = |owner, which| bed.look(move |rows| rows.tombstones(owner, which));
    assert_eq!(list(ours, None), [salt, first, second]);
    assert_eq!(list(ours, Some((TombstoneKind::Salt, None))), [salt]);
    assert_eq!(list(ours, Some((TombstoneKind::Hash, Some([3; 32])))), [second]);
    assert_eq!(list(theirs, Some((TombstoneKind::Hash, Some([3; 32])))), []);
    assert_eq!(list(TombstoneOwner::Name([8; 32]), None), []);
    bed.write(move |tx| tx.erase(Erasure::Vault(id(1))));
    assert_eq!(
        (list(ours, None), list(theirs, None), list(gone, None)),
        (vec![], vec![first], vec![salt])
    );
    bed.write(move |tx| tx.remove(Removal::Tombstones(gone)));
    assert_eq!(list(gone, None), []);
}

/// What a program reads from a file: messages with an id in their source, and one that has none.
fn file() -> ImportedConversation {
    let entry = |minute: i64, text: &str, id: Option<&str>| {
        let from = Provenance { source_id: id.map(name), ..Provenance::stated(name("an-agent")) };
        NewEntry { provenance: Some(Box::new(from)), ..said(Role::User, text).said_at(at(minute)) }
    };
    ImportedConversation {
        name: name("session"),
        entries: vec![
            entry(-300, SECRET[0], Some("1")),
            entry(-299, SECRET[1], Some("2")),
            entry(-298, SECRET[2], None),
        ],
        branches: Vec::new(),
        ended_at: None,
        title: None,
        summary: None,
        extract: None,
    }
}

/// Reads the file into a memory; how many entries are new and how many known.
fn read_file(vault: &Vault, memory: &str, skips_forgotten: bool) -> (u64, u64) {
    read_into(vault, named(memory), skips_forgotten)
}

fn read_into(vault: &Vault, memory: Address<MemoryId>, skips_forgotten: bool) -> (u64, u64) {
    let mode = ImportMode { skips_forgotten, ..ImportMode::default() };
    let outcomes = block_on(vault.import_conversations(memory, vec![file()], mode)).unwrap();
    let outcome = outcomes.into_iter().next().unwrap().unwrap();
    (outcome.stored, outcome.known)
}

/// A program that reads the same file again by itself brings back nothing of what was forgotten; who imports it on
/// purpose gets all of it.
pub(crate) fn a_file_that_is_read_again_brings_back_nothing(open: Open) {
    let ways: [(&[&str], u64); 4] =
        [(&["entry"], 2), (&["last entry"], 2), (&["conversation"], 0), (&["entry", "memory"], 0)];
    for (steps, left) in ways {
        let talk = Talk::new(open);
        talk.minute(10);
        assert_eq!(read_file(&talk.vault, "work", true), (3, 0));
        for step in steps {
            let all = block_on(talk.vault.entries(named("work"), None, EntryQuery::default()));
            let all = all.unwrap().data;
            let what = match *step {
                "entry" => Forget::Entry(all[0].id),
                "last entry" => Forget::Entry(all[2].id),
                "conversation" => Forget::Conversation(Address::Id(all[0].conversation)),
                _ => Forget::Memory,
            };
            block_on(talk.vault.forget(named("work"), what, None)).unwrap();
        }
        assert_eq!(read_file(&talk.vault, "work", true), (0, 3), "{steps:?}");
        let found = block_on(talk.vault.entries(named("work"), None, EntryQuery::default()));
        // Nothing makes the memory again that was forgotten whole.
        let found = found.map_or(0, |page| page.data.len() as u64);
        assert_eq!(found, left, "{steps:?}");
        assert_eq!(read_file(&talk.vault, "elsewhere", true), (3, 0));
        assert_eq!(read_file(&talk.vault, "work", false), (3 - left, left), "{steps:?}");
        assert_eq!(read_file(&talk.vault, "work", true), (0, 3), "it is here again");
    }
}

/// The same when the memory has another name by then: the file is read into it by its id or by that name.
pub(crate) fn a_file_that_is_read_again_brings_back_nothing_of_a_renamed_memory(open: Open) {
    for numbers in [&[0][..], &[2], &[0, 2]] {
        let talk = Talk::new(open);
        talk.minute(10);
        assert_eq!(read_file(&talk.vault, "work", true), (3, 0));
        let all = block_on(talk.vault.entries(named("work"), None, EntryQuery::default())).unwrap();
        for number in numbers {
            let what = Forget::Entry(all.data[*number].id);
            block_on(talk.vault.forget(named("work"), what, None)).unwrap();
        }
        for (old, new) in [("work", "job"), ("job", "post")] {
            let change = MemoryChange { name: Some(name(new)), ..MemoryChange::default() };
            block_on(talk.vault.change_memory(named(old), change, None)).unwrap();
            assert_eq!(read_file(&talk.vault, new, true), (0, 3), "{numbers:?}");
            let id = block_on(talk.vault.memory(named(new))).unwrap().id;
            assert_eq!(read_into(&talk.vault, Address::Id(id), true), (0, 3), "{numbers:?}");
        }
        block_on(talk.vault.forget(named("post"), Forget::Memory, None)).unwrap();
        assert_eq!(read_file(&talk.vault, "post", true), (0, 3), "{numbers:?}");
        assert_eq!(read_file(&talk.vault, "elsewhere", true), (3, 0));
    }
}

/// What earlier versions kept of imports, with the name of the memory in it, is recognised.
pub(crate) fn what_earlier_versions_kept_of_imports_is_recognised(open: Open) {
    let talk = Talk::new(open);
    talk.minute(10);
    let vault = talk.vault.id();
    let salt = [7; 32];
    let hash = |parts: &[&[u8]]| {
        let mut hasher = blake3::Hasher::new_keyed(&salt);
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        *hasher.finalize().as_bytes()
    };
    let kept = [
        (TombstoneKind::Salt, salt),
        (TombstoneKind::Hash, hash(&[b"imports of", b"work"])),
        (TombstoneKind::Hash, hash(&[b"import id", b"work", b"an-agent", b"2"])),
    ];
    talk.bed.write(move |tx| {
        kept.into_iter().try_for_each(|(kind, hash)| {
            let row = Tombstone { kind, hash, at: at(0), period: None };
            tx.put(Row::Tombstone(TombstoneOwner::Vault(vault), &row))
        })
    });
    assert_eq!(read_file(&talk.vault, "elsewhere", true), (3, 0));
    assert_eq!(read_file(&talk.vault, "work", true), (2, 1));
}

/// The same when the whole vault was forgotten and one of its name is made again.
pub(crate) fn a_file_that_is_read_again_brings_back_nothing_of_a_vault(open: Open) {
    let talk = Talk::new(open);
    talk.minute(10);
    assert_eq!(read_file(&talk.vault, "work", true), (3, 0));
    block_on(talk.vault.forget_vault(None)).unwrap();
    let again = block_on(talk.engine.vault_to_write(Address::Name(name("v")))).unwrap();
    assert_eq!(read_file(&again, "work", true), (0, 3));
    assert_eq!(read_file(&again, "elsewhere", true), (3, 0));
}

pub(crate) fn named(text: &str) -> Address<MemoryId> {
    Address::Name(name(text))
}

/// Sends a chat, the user and the assistant in turn, and gets a reply.
pub(crate) fn send(vault: &Vault, memory: &str, lines: &[&str], reply: &str) {
    let role = |at: usize| if at.is_multiple_of(2) { Role::User } else { Role::Assistant };
    let messages = lines.iter().enumerate().map(|(at, text)| Message::new(role(at), *text));
    let history = History::from(messages.collect::<Vec<_>>());
    let begun = block_on(vault.begin_exchange(named(memory), history, Commit::NextTurn)).unwrap();
    let reply = ExchangeReply { content: reply.into(), ..ExchangeReply::default() };
    block_on(vault.finish_exchange(begun.exchange, reply)).unwrap();
}

pub(crate) fn contents_of(vault: &Vault, memory: &str) -> Vec<String> {
    let entries = vault.entries(named(memory), None, EntryQuery::default());
    texts(&block_on(entries).unwrap().data)
}

/// A chat of two turns.
fn chat(talk: &Talk, vault: &Vault, memory: &str) {
    talk.minute(1);
    send(vault, memory, &SECRET[..1], SECRET[1]);
    talk.minute(2);
    send(vault, memory, &SECRET[..3], SECRET[3]);
    assert_eq!(contents_of(vault, memory), SECRET);
    talk.minute(10);
}

/// The hashes of a message of the user by which a guess could be checked: as the ledger has it, and of the text alone.
fn hashes(text: &str) -> [[u8; 32]; 2] {
    [Sha256::digest(format!("user\0{text}")).into(), Sha256::digest(text).into()]
}

/// Nothing that is forgotten leaves a hash of a message that has no salt.
pub(crate) fn forgetting_leaves_no_plain_hash(open: Open) {
    let [mark, plain] = hashes(SECRET[0]);
    for what in ["entry", "conversation", "period", "memory", "vault"] {
        let talk = Talk::new(open);
        chat(&talk, &talk.vault, "chat");
        talk.minute(60);
        let first = block_on(talk.vault.entries(named("chat"), None, EntryQuery::default()));
        let first = first.unwrap().data.remove(0);
        let is_plain = talk.bed.is_plain();
        let found = |hash: [u8; 32]| talk.bed.holds_bytes(&hash);
        assert!(is_plain || found(mark), "the test would not notice");
        let memory = named("chat");
        let forgotten = match what {
            "entry" => talk.vault.forget(memory, Forget::Entry(first.id), None),
            "conversation" => {
                let address = Address::Id(first.conversation);
                talk.vault.forget(memory, Forget::Conversation(address), None)
            }
            "period" => {
                let period = Forget::Period { after: Some(at(-9)), before: Some(at(9)) };
                talk.vault.forget(memory, period, None)
            }
            "memory" => talk.vault.forget(memory, Forget::Memory, None),
            _ => {
                block_on(talk.vault.forget_vault(None)).unwrap();
                assert_eq!((found(mark), found(plain)), (false, false), "{what}");
                continue;
            }
        };
        block_on(forgotten).unwrap();
        assert_eq!((found(mark), found(plain)), (false, false), "{what}");
    }
}

pub(crate) fn a_history_does_not_bring_back_a_forgotten_memory(open: Open) {
    let talk = Talk::new(open);
    chat(&talk, &talk.vault, "chat");
    block_on(talk.vault.forget(named("chat"), Forget::Memory, None)).unwrap();
    let mut history = SECRET.to_vec();
    history.push("What is new?");
    send(&talk.vault, "chat", &history, "Nothing");
    assert_eq!(contents_of(&talk.vault, "chat"), ["What is new?", "Nothing"]);
    talk.minute(11);
    history.extend(["Nothing", "Bye"]);
    send(&talk.vault, "chat", &history, "Bye");
    assert_eq!(contents_of(&talk.vault, "chat"), ["What is new?", "Nothing", "Bye", "Bye"]);
    // Cut at the front, and under another name.
    send(&talk.vault, "other", &[SECRET[2], SECRET[3], "Are you there?"], "Yes");
    assert_eq!(contents_of(&talk.vault, "other"), ["Are you there?", "Yes"]);
    assert!(talk.bed.is_plain() || talk.bed.places_of("4711").is_empty());
}

pub(crate) fn the_same_words_said_again_are_stored(open: Open) {
    let talk = Talk::new(open);
    chat(&talk, &talk.vault, "chat");
    block_on(talk.vault.forget(named("chat"), Forget::Memory, None)).unwrap();
    // The same chat word by word, in a new memory and in one of the same name.
    chat(&talk, &talk.vault, "new");
    chat(&talk, &talk.vault, "chat");
    // A history that was never here is stored, though single words of it were.
    let other = [SECRET[0], "Which PIN?", SECRET[2], "What breed?", "A poodle"];
    send(&talk.vault, "elsewhere", &other, "How nice");
    assert_eq!(contents_of(&talk.vault, "elsewhere")[..5], other);
    block_on(talk.vault.remember(memory(), vec![said(Role::User, SECRET[0])], None)).unwrap();
    assert_eq!(contents_of(&talk.vault, "m"), [SECRET[0]]);
}

pub(crate) fn a_forgotten_vault_stays_forgotten(open: Open) {
    let talk = Talk::new(open);
    chat(&talk, &talk.vault, "chat");
    chat(&talk, &talk.vault, "second");
    block_on(talk.vault.forget(named("second"), Forget::Memory, None)).unwrap();
    let key = |text: &str| Some(Idempotency::new(name(text), &[b"the same"]));
    let remember = |vault: &Vault, key| {
        block_on(vault.remember(named("chat"), vec![said(Role::User, SECRET[0])], key))
    };
    remember(&talk.vault, key("first")).unwrap();
    block_on(talk.vault.forget_vault(None)).unwrap();
    let again = || block_on(talk.engine.vault_to_write(Address::Name(name("v")))).unwrap();
    let refused = remember(&again(), key("first")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert!(refused.message().contains("forgotten"), "{refused}");
    assert!(
        block_on(talk.engine.vault(Address::Name(name("v")))).is_err(),
        "it is not made by that"
    );
    let mut history = SECRET.to_vec();
    history.push("What is new?");
    send(&again(), "chat", &history, "Nothing");
    assert_eq!(contents_of(&again(), "chat"), ["What is new?", "Nothing"]);
    let refused = remember(&again(), key("first")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    remember(&again(), key("second")).unwrap();
    assert_eq!(contents_of(&again(), "chat").len(), 3);
    let other = block_on(talk.engine.vault_to_write(Address::Name(name("other")))).unwrap();
    remember(&other, key("first")).unwrap();
}

/// An exchange waits in the outbox of one server while another forgets its memory, or the process is killed between
/// a forget and the removal of what waits: it is dropped, whatever it is named by, and makes nothing again.
pub(crate) fn what_waited_while_its_memory_was_forgotten_is_not_stored(open: Open) {
    let talk = Talk::new(open);
    chat(&talk, &talk.vault, "chat");
    let keep = |vault: &Vault, memory: Address<MemoryId>, minute: i64| {
        let messages = vec![Message::new(Role::User, SECRET[0])];
        let history = History { sent_at: Some(at(minute)), messages, ..History::default() };
        let reply = Some(ExchangeReply { content: "Yes".into(), ..ExchangeReply::default() });
        let past = PastExchange { history, commit: Commit::NextTurn, reply };
        block_on(vault.keep_exchanges(memory, vec![past]))
    };
    let is_refused = |kept: everwhen_engine::Result<_>| {
        assert_eq!(kept.map(drop).unwrap_err().kind(), ErrorKind::NotFound);
    };
    let found = block_on(talk.vault.memory(named("chat"))).unwrap();
    block_on(talk.vault.forget(named("chat"), Forget::Memory, None)).unwrap();
    is_refused(keep(&talk.vault, named("chat"), 3));
    is_refused(keep(&talk.vault, Address::Id(found.id), 3));
    assert!(block_on(talk.vault.memory(named("chat"))).is_err(), "it is not made by that");
    keep(&talk.vault, named("other"), 3).unwrap();
    // Said after it, in a memory that has the same name.
    talk.minute(20);
    keep(&talk.vault, named("chat"), 11).unwrap();
    is_refused(keep(&talk.vault, named("chat"), 4));
    assert_eq!(contents_of(&talk.vault, "chat"), [SECRET[0], "Yes"]);

    block_on(talk.vault.forget_vault(None)).unwrap();
    let again = || block_on(talk.engine.vault_to_write(Address::Name(name("v")))).unwrap();
    is_refused(keep(&again(), named("third"), 12));
    assert!(
        block_on(talk.engine.vault(Address::Name(name("v")))).is_err(),
        "it is not made by that"
    );
    talk.minute(30);
    keep(&again(), named("third"), 21).unwrap();
    is_refused(keep(&again(), named("third"), 12));
    assert_eq!(contents_of(&again(), "third"), [SECRET[0], "Yes"]);
}

pub(crate) fn forgotten_periods_are_kept_by_memory(open: Open) {
    let bed = open();
    let row = |byte, from, before| Tombstone {
        kind: TombstoneKind::Period,
        hash: [byte; 32],
        at: at(i64::from(byte)),
        period: Some(ForgottenPeriod { from, before }),
    };
    let (whole, part) = (row(1, Timestamp::MIN, at(5)), row(2, at(1), at(2)));
    let [ours, second, theirs] = [home(), place(1, 2), place(2, 1)].map(TombstoneOwner::Memory);
    for (owner, one) in [(ours, part), (ours, whole), (ours, part), (second, part), (theirs, part)]
    {
        bed.write(move |tx| tx.put(Row::Tombstone(owner, &one)));
    }
    let list = |owner| bed.look(move |rows| rows.tombstones(owner, None));
    assert_eq!(list(ours), [whole, part]);
    assert_eq!(list(TombstoneOwner::Vault(id(1))), []);
    bed.write(move |tx| tx.remove(Removal::Tombstones(ours)));
    assert_eq!((list(ours), list(second)), (vec![], vec![part]));
    bed.write(|tx| tx.erase(Erasure::Vault(id(1))));
    assert_eq!((list(second), list(theirs)), (vec![], vec![part]));
}

/// Another server over the same store. What it accepts waits with it until it is delivered.
struct Elsewhere {
    vault: Vault,
    clock: Arc<ManualClock>,
    waiting: Vec<PastExchange>,
}

impl Elsewhere {
    fn new(talk: &Talk) -> Self {
        let (engine, clock) = engine_over(Arc::clone(&talk.bed.store));
        let vault = block_on(engine.vault(Address::Name(name("v")))).unwrap();
        Self { vault, clock, waiting: Vec::new() }
    }

    /// Accepts an exchange: a whole chat, the user and the assistant in turn, and the reply to it.
    fn accepts(&mut self, minute: i64, lines: &[&str], reply: &str) {
        let role = |at: usize| if at.is_multiple_of(2) { Role::User } else { Role::Assistant };
        let messages = lines.iter().enumerate().map(|(at, text)| Message::new(role(at), *text));
        let history = History {
            sent_at: Some(at(minute)),
            messages: messages.collect(),
            ..History::default()
        };
        let reply = Some(ExchangeReply { content: reply.into(), ..ExchangeReply::default() });
        self.waiting.push(PastExchange { history, commit: Commit::NextTurn, reply });
    }

    /// Stores what waits, all together and then one after the other, as after a lost answer.
    fn delivers(&self, minute: i64) -> Vec<Finished> {
        self.clock.set(at(minute));
        let keep =
            |some: &[PastExchange]| block_on(self.vault.keep_exchanges(named("chat"), some.into()));
        let stored = keep(&self.waiting).unwrap();
        for past in &self.waiting {
            keep(std::slice::from_ref(past)).unwrap();
        }
        stored
    }
}

const OTHER: &str = "My PIN is 0815";

/// Words of a period wait in the outbox of one server while the period is forgotten with another: they are not stored
/// afterwards, neither themselves nor with the history of what was said later, and what was said later is.
pub(crate) fn what_waited_while_its_period_was_forgotten_is_not_stored(open: Open) {
    let talk = Talk::new(open);
    let mut other = Elsewhere::new(&talk);
    chat(&talk, &talk.vault, "chat");
    let mut lines = SECRET.to_vec();
    lines.push(OTHER);
    other.accepts(5, &lines, "I keep 0815");
    lines.extend(["I keep 0815", "What is new?"]);
    other.accepts(8, &lines, "Nothing");
    let forget = |after: i64, before: Option<i64>| {
        let period = Forget::Period { after: Some(at(after)), before: before.map(at) };
        block_on(talk.vault.forget(named("chat"), period, None)).unwrap();
    };
    forget(4, Some(7));
    let stored = other.delivers(12);
    assert_eq!(stored.iter().map(|one| one.entry.is_some()).collect::<Vec<_>>(), [false, true]);
    let mut said = SECRET.to_vec();
    said.extend(["What is new?", "Nothing"]);
    assert_eq!(contents_of(&talk.vault, "chat"), said);

    // The client has those words and sends them again with each request.
    talk.minute(13);
    lines.extend(["Nothing", "Bye"]);
    send(&talk.vault, "chat", &lines, "Good bye");
    said.extend(["Bye", "Good bye"]);
    assert_eq!(contents_of(&talk.vault, "chat"), said);
    assert!(talk.bed.is_plain() || talk.bed.places_of("0815").is_empty());
    let is_plain = |at| talk.bed.holds_bytes(&forgotten_lines::mark(&lines, at));
    assert_eq!((is_plain(4), is_plain(5)), (false, false));

    // Accepted after the forget, or said again for that time: it is stored.
    talk.minute(20);
    let again = vec![said_at(OTHER, 5)];
    block_on(talk.vault.remember(named("chat"), again, None)).unwrap();
    said.insert(4, OTHER);
    assert_eq!(contents_of(&talk.vault, "chat"), said);
    // A period without an end ends, for what waited, with the forget. A write that is retried after it stores nothing.
    talk.minute(30);
    let retried = || {
        let key = Idempotency::new(name("key"), &[b"the same"]);
        block_on(talk.vault.remember(named("chat"), vec![said_at("0815!", 22)], Some(key)))
    };
    retried().unwrap();
    forget(20, None);
    assert_eq!(retried().unwrap_err().kind(), ErrorKind::Conflict);
    other.waiting.clear();
    other.accepts(25, &["Which tea?"], "Green");
    other.accepts(31, &["Which dog?"], "Rex");
    other.delivers(40);
    said.extend(["Which dog?", "Rex"]);
    assert_eq!(contents_of(&talk.vault, "chat"), said);
}

fn said_at(text: &str, minute: i64) -> NewEntry {
    said(Role::User, text).said_at(at(minute))
}

/// The same for a conversation: what would have been in it is not stored, what belongs to its neighbours is.
pub(crate) fn what_waited_while_its_conversation_was_forgotten_is_not_stored(open: Open) {
    let talk = Talk::new(open);
    let mut other = Elsewhere::new(&talk);
    talk.minute(200);
    let entries = vec![said_at("before", 0), said_at(OTHER, 60), said_at("after", 120)];
    block_on(talk.vault.remember(named("chat"), entries, None)).unwrap();
    for (minute, text) in
        [(29, "near the first"), (45, "0815 is"), (90, "what I said"), (91, "near the last")]
    {
        other.accepts(minute, &[text], "Yes");
    }
    let forget = |place: usize| {
        let all = block_on(talk.vault.entries(named("chat"), None, EntryQuery::default()));
        let address = Address::Id(all.unwrap().data[place].conversation);
        block_on(talk.vault.forget(named("chat"), Forget::Conversation(address), None)).unwrap();
    };
    forget(1);
    other.delivers(201);
    let left = ["before", "near the first", "Yes", "near the last", "Yes", "after"];
    assert_eq!(contents_of(&talk.vault, "chat"), left);

    // A conversation with a name holds nothing that is placed by its time.
    let named_one =
        NewEntry { conversation: Some(Address::Name(name("notes"))), ..said_at("note", 300) };
    talk.minute(400);
    block_on(talk.vault.remember(named("chat"), vec![named_one], None)).unwrap();
    forget(left.len());
    other.waiting.clear();
    other.accepts(300, &["not a note"], "No");
    other.delivers(401);
    assert_eq!(contents_of(&talk.vault, "chat")[left.len()..], ["not a note", "No"]);
}

/// The question was stored when it was asked; the reply waits while only the question is forgotten, or its period up
/// to the reply, which may repeat it.
pub(crate) fn a_reply_that_waited_while_its_question_was_forgotten_is_not_stored(open: Open) {
    for what in ["entry", "period", "conversation"] {
        let talk = Talk::new(open);
        let mut other = Elsewhere::new(&talk);
        other.accepts(5, &[OTHER], "I keep 0815");
        other.clock.set(at(5));
        let asked = other.waiting[0].history.clone();
        block_on(other.vault.begin_exchange(named("chat"), asked, Commit::NextTurn)).unwrap();
        talk.minute(10);
        let all = block_on(talk.vault.entries(named("chat"), None, EntryQuery::default()));
        let question = all.unwrap().data.remove(0);
        assert_eq!(question.content.as_str(), OTHER);
        let forget = match what {
            "entry" => Forget::Entry(question.id),
            "period" => {
                let just_behind = question.conversation_time + SignedDuration::from_micros(1);
                Forget::Period { after: None, before: Some(just_behind) }
            }
            _ => Forget::Conversation(Address::Id(question.conversation)),
        };
        block_on(talk.vault.forget(named("chat"), forget, None)).unwrap();
        assert_eq!(other.delivers(11)[0].entry, None, "{what}");
        for message in 0..2 {
            let mark = forgotten_lines::mark(&[OTHER, "I keep 0815"], message);
            assert!(!talk.bed.holds_bytes(&mark), "{what} {message}");
        }
        assert_eq!(contents_of(&talk.vault, "chat"), [""; 0], "{what}");
        // Asked again, it is answered again.
        other.waiting.clear();
        other.accepts(12, &[OTHER, "I keep 0815", OTHER], "I keep 0815 again");
        other.delivers(13);
        assert_eq!(contents_of(&talk.vault, "chat"), [OTHER, "I keep 0815 again"], "{what}");
    }
}
