//! Exports: what was exported and restored elsewhere is the same, and is exported as the same lines.

use std::sync::{Arc, Mutex};

use everwhen_engine::ledger::{Commit, ExchangeReply, History, Message};
use everwhen_engine::memory::{
    Address, Forget, Memory, MemoryId, Name, NewEntry, Provenance, Role, Said, TimeFrom,
    TimePrecision, VaultInfo, ZoneFrom,
};
use everwhen_engine::ports::EntryQuery;
use everwhen_engine::{
    ErrorKind, ExportSink, ExportedMemory, ExportedVault, NewCorrection, NewVault, Restored,
    Result, Vault,
};
use everwhen_testkit::{block_on, engine_over};
use jiff::SignedDuration;

use crate::bed::{Bed, Open, for_all, postgres, sqlite};
use crate::rows::{at, name};
use crate::script::{Known, Run, any_script};
use crate::talk::{Talk, memory};
use crate::tombstones::{contents_of, named, send};

/// An export in memory.
#[derive(Default, Clone, PartialEq, Debug)]
struct Export {
    about: Option<(Option<String>, String)>,
    memories: Vec<(MemoryId, Name, Vec<String>)>,
    complete: bool,
}

#[derive(Default)]
struct Sink(Mutex<Export>);

impl ExportSink for Sink {
    fn begin(&self, vault: &VaultInfo) -> Result<()> {
        let about = (vault.description.clone(), vault.zone.name().to_owned());
        *self.0.lock().unwrap() = Export { about: Some(about), ..Export::default() };
        Ok(())
    }

    fn memory(&self, memory: &Memory) -> Result<()> {
        self.0.lock().unwrap().memories.push((memory.id, memory.name.clone(), Vec::new()));
        Ok(())
    }

    fn line(&self, line: &str) -> Result<()> {
        self.0.lock().unwrap().memories.last_mut().unwrap().2.push(line.to_owned());
        Ok(())
    }

    fn end(&self) -> Result<()> {
        self.0.lock().unwrap().complete = true;
        Ok(())
    }
}

fn export(vault: &Vault) -> Result<Export> {
    let sink = Arc::new(Sink::default());
    block_on(vault.export(None, Arc::clone(&sink) as Arc<dyn ExportSink>))?;
    let export = sink.0.lock().unwrap().clone();
    assert!(export.complete);
    Ok(export)
}

fn exported((id, name, lines): &(MemoryId, Name, Vec<String>)) -> ExportedMemory {
    let lines = lines.clone();
    let lines = Arc::new(move || {
        let all: Box<dyn Iterator<Item = Result<String>>> =
            Box::new(lines.clone().into_iter().map(Ok));
        Ok(all)
    });
    ExportedMemory { id: *id, name: name.clone(), lines }
}

/// The vault of another store, with what was exported in it.
fn restored(bed: &Bed, from: &Vault, export: &Export) -> Vault {
    let (engine, _) = engine_over(Arc::clone(&bed.store));
    let new = NewVault { name: name("other"), description: None, zone: None, settings: None };
    block_on(engine.create_vault(new, None)).unwrap();
    let vault = block_on(engine.vault(Address::Name(name("other")))).unwrap();
    let VaultInfo { description, zone, settings, creation_time, .. } =
        block_on(from.info()).unwrap();
    let about = ExportedVault { description, zone, settings, creation_time };
    block_on(vault.restore_about(about)).unwrap();
    for memory in &export.memories {
        let stored = block_on(vault.restore_memory(exported(memory))).unwrap();
        assert_eq!(stored, Restored::Stored(memory.2.len() as u64));
    }
    vault
}

/// Restores elsewhere, exports again and compares; then once more from there.
fn comes_back(vault: &Vault) {
    let first = export(vault).unwrap();
    for open in [sqlite as Open, postgres] {
        let bed = open();
        let other = restored(&bed, vault, &first);
        assert_eq!(export(&other).unwrap(), first);
        for memory in &first.memories {
            assert_eq!(block_on(other.restore_memory(exported(memory))), Ok(Restored::Known));
        }
        assert_eq!(export(&other).unwrap(), first, "restoring twice is restoring once");
    }
}

pub(crate) fn every_history_comes_back_the_same(open: Open) {
    for_all(8, any_script(), |script| {
        let run = Run::new(open(), &script);
        let known = Known::default();
        for one in &script.moves {
            run.apply(one, &known);
        }
        if run.bed.is_plain() {
            assert_eq!(export(&run.vault).map(drop).is_err(), has_memories(&run.vault));
            return;
        }
        comes_back(&run.vault);
    });
}

fn has_memories(vault: &Vault) -> bool {
    !block_on(vault.memories(None, None)).unwrap().data.is_empty()
}

/// Words, times, origins, facts, corrections, chats: everything an entry or a memory can have.
fn live(talk: &Talk) {
    let provenance = Provenance {
        source: name("chatgpt"),
        source_id: Some(name("m-1")),
        time_text: Some(name("2024-05-01")),
        precision: TimePrecision::Day,
        time_from: TimeFrom::Asked,
        zone_from: ZoneFrom::Assumed,
    };
    let mut entry = NewEntry::new(Role::User, Said::new("line\none \"two\" ☃ \u{1}").unwrap());
    entry.provenance = Some(Box::new(provenance));
    entry.tags = vec![name("art, {braces}"), name("a \"b\"")];
    entry.metadata =
        Some(everwhen_engine::memory::Metadata::new("{\"z\": 1.50,\n \"a\": [1e3]}").unwrap());
    let entry = entry.said_at(at(-600));
    let stored = talk.remember(vec![entry]).entries;
    talk.say(Role::User, "My A1C was 7.4% and I live in Lisbon");
    talk.minute(60);
    let content = Said::new("another line").unwrap();
    let correction = NewCorrection { content, reason: "typo".into(), tags: None, metadata: None };
    block_on(talk.vault.correct(memory(), stored[0].id, correction, None)).unwrap();
    talk.minute(3 * 24 * 60);
    talk.settle();
    let history = History::from(vec![Message::new(Role::User, "hi")]);
    let chat = Address::Name(name("chat"));
    let begun = block_on(talk.vault.begin_exchange(chat, history, Commit::NextTurn)).unwrap();
    let reply = ExchangeReply { content: "hello".into(), ..ExchangeReply::default() };
    block_on(talk.vault.finish_exchange(begun.exchange, reply)).unwrap();
}

pub(crate) fn everything_an_entry_has_comes_back(open: Open) {
    let talk = Talk::new(open);
    live(&talk);
    if talk.bed.is_plain() {
        assert_eq!(export(&talk.vault).unwrap_err().kind(), ErrorKind::Conflict);
        return;
    }
    let found = export(&talk.vault).unwrap();
    let lines: Vec<&String> = found.memories.iter().flat_map(|memory| &memory.2).collect();
    for kind in ["memory", "conversation", "entry", "fact", "ledger", "ledger_head", "job"] {
        let start = format!("{{\"type\":\"{kind}\",");
        assert!(lines.iter().any(|line| line.starts_with(&start)), "no line of {kind}");
    }
    let first = lines.iter().find(|line| line.contains("\"source_id\":\"m-1\"")).unwrap();
    for part in [
        "\"role\":\"user\"",
        "\"metadata\":{\"z\": 1.50,  \"a\": [1e3]}",
        "\"time_precision\":\"day\"",
        "\"zone_from\":\"assumed\"",
        "\"corrected_by\":\"ent_",
    ] {
        assert!(first.contains(part), "{part} is not in {first}");
    }
    comes_back(&talk.vault);
}

/// The part of a chat that was forgotten does not come back with the history of its client where the memory is restored,
/// though the vault there has forgotten something of its own.
pub(crate) fn what_was_forgotten_of_a_chat_is_recognised_where_it_is_restored(open: Open) {
    let talk = Talk::new(open);
    let said = ["My PIN is 4711", "I will keep it", "And my dog is Rex", "Nice dog"];
    send(&talk.vault, "chat", &said[..1], said[1]);
    send(&talk.vault, "chat", &said[..3], said[3]);
    if talk.bed.is_plain() {
        return;
    }
    let forget = |vault: &Vault, memory: &str| {
        let all = block_on(vault.entries(named(memory), None, EntryQuery::default())).unwrap();
        let first = Forget::Entry(all.data[0].id);
        block_on(vault.forget(named(memory), first, None)).unwrap();
    };
    forget(&talk.vault, "chat");
    comes_back(&talk.vault);
    let elsewhere = Talk::new(open);
    elsewhere.minute(10);
    send(&elsewhere.vault, "own", &["Hello"], "Hi");
    send(&elsewhere.vault, "own", &["Hello", "Hi", "Bye"], "Bye");
    forget(&elsewhere.vault, "own");
    let first = export(&talk.vault).unwrap();
    let restored = block_on(elsewhere.vault.restore_memory(exported(&first.memories[0])));
    assert!(matches!(restored, Ok(Restored::Stored(_))));
    let mut history = said.to_vec();
    history.push("What is new?");
    send(&elsewhere.vault, "chat", &history, "Nothing");
    let mut left = vec![said[1], said[2], said[3], "What is new?", "Nothing"];
    assert_eq!(contents_of(&elsewhere.vault, "chat"), left);
    forget(&elsewhere.vault, "chat");
    left.remove(0);
    history.extend(["Nothing", "Bye"]);
    send(&elsewhere.vault, "chat", &history, "So long");
    left.extend(["Bye", "So long"]);
    assert_eq!(contents_of(&elsewhere.vault, "chat"), left);
    block_on(elsewhere.vault.forget(named("chat"), Forget::Memory, None)).unwrap();
    send(&elsewhere.vault, "new", &[said[0], said[1], "Who?"], "I");
    assert_eq!(contents_of(&elsewhere.vault, "new"), ["Who?", "I"]);
}

/// Every role, and every way in which a time or its zone may be known.
pub(crate) fn every_kind_of_time_comes_back(open: Open) {
    let talk = Talk::new(open);
    let times = TimeFrom::ALL.iter().map(|from| (TimePrecision::Hour, *from, ZoneFrom::Stated));
    let known = TimePrecision::ALL.iter().map(|one| (*one, TimeFrom::Stated, ZoneFrom::Stated));
    let zones = ZoneFrom::ALL.iter().map(|zone| (TimePrecision::Hour, TimeFrom::Stated, *zone));
    let all = times.chain(known).chain(zones);
    let entries = all.zip(Role::ALL.into_iter().cycle()).enumerate();
    let entries = entries.map(|(place, ((precision, time_from, zone_from), role))| {
        let from = Provenance::stated(name("chatgpt"));
        let from = Provenance { precision, time_from, zone_from, ..from };
        let mut entry = NewEntry::new(role, Said::new(format!("line {place}")).unwrap());
        entry.provenance = Some(Box::new(from));
        entry.said_at(at(place as i64 - 600))
    });
    talk.remember(entries.collect());
    if !talk.bed.is_plain() {
        comes_back(&talk.vault);
    }
}

pub(crate) fn what_is_no_export_is_refused_and_leaves_nothing(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "hello");
    if talk.bed.is_plain() {
        assert!(export(&talk.vault).is_err());
        return;
    }
    let (id, memory_name, lines) = export(&talk.vault).unwrap().memories.remove(0);
    let taken = block_on(talk.vault.restore_memory(ExportedMemory {
        id: everwhen_engine::memory::MemoryId::from(uuid::Uuid::from_u128(7)),
        ..exported(&(id, memory_name.clone(), lines.clone()))
    }));
    assert_eq!(taken.unwrap_err().kind(), ErrorKind::Conflict);
    let bed = open();
    let (engine, clock) = engine_over(Arc::clone(&bed.store));
    clock.advance(SignedDuration::from_mins(1));
    let vault = block_on(engine.vault_to_write(Address::Name(name("other")))).unwrap();
    let broken = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines = lines.clone();
        change(&mut lines);
        block_on(vault.restore_memory(exported(&(id, memory_name.clone(), lines))))
            .unwrap_err()
            .to_string()
    };
    let unknown = broken(&|lines| lines.push("{\"type\":\"dream\"}".into()));
    assert!(unknown.contains("dream"), "{unknown}");
    let newer = broken(&|lines| lines[0] = lines[0].replace("\"name\"", "\"mood\":1,\"name\""));
    assert!(newer.contains("mood") && newer.contains("line 1 "), "{newer}");
    let half = broken(&|lines| lines[1].truncate(20));
    assert!(half.contains("line 2 "), "{half}");
    assert!(broken(&|lines| drop(lines.remove(0))).contains("no line about"));
    assert!(block_on(engine.vault(Address::Name(name("other")))).is_err());
}
