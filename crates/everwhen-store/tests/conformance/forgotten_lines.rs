//! A part of a chat was forgotten, and its lines stay in the ledger: they hold no plain hash of it, and by them it is
//! recognised when the client sends it again.

use everwhen_engine::memory::{Address, Entry, Forget};
use everwhen_engine::ports::{
    EntryQuery, LedgerLine, LedgerLines, MemoryRef, Removal, Row, TombstoneKind, TombstoneOwner,
};
use everwhen_testkit::block_on;
use sha2::{Digest, Sha256};

use crate::bed::Open;
use crate::rows::{at, name};
use crate::talk::Talk;
use crate::tombstones::{contents_of, named, send};

const CHAT: [&str; 6] =
    ["Hello", "Hi", "My PIN is 4711", "I keep 4711", "And my dog is Rex", "Nice"];

/// The plain mark of a message of a chat.
pub(crate) fn mark(chat: &[&str], message: usize) -> [u8; 32] {
    let role = if message.is_multiple_of(2) { "user" } else { "assistant" };
    Sha256::digest(format!("{role}\0{}", chat[message])).into()
}

fn place(talk: &Talk) -> MemoryRef {
    let found = block_on(talk.vault.memory(named("chat"))).unwrap();
    MemoryRef { vault: block_on(talk.vault.info()).unwrap().id, memory: found.id }
}

/// All lines of the chat, aside or not.
fn lines(talk: &Talk) -> Vec<LedgerLine> {
    let place = place(talk);
    talk.bed.look(move |rows| {
        let mut all = rows.ledger_lines(place, LedgerLines::WithoutEntry)?;
        all.extend(rows.ledger_lines(place, LedgerLines::Behind(i64::MIN))?);
        Ok(all)
    })
}

/// Whether the plain mark of a message is in a line, or anywhere the store has written.
fn is_plain(talk: &Talk, chat: &[&str], message: usize) -> bool {
    let mark = mark(chat, message);
    lines(talk).iter().any(|line| line.mark == mark) || talk.bed.holds_bytes(&mark)
}

fn entries(talk: &Talk) -> Vec<Entry> {
    block_on(talk.vault.entries(named("chat"), None, EntryQuery::default())).unwrap().data
}

/// A chat of three turns, each in a conversation of its own.
fn chat(open: Open) -> Talk {
    let talk = Talk::new(open);
    for turn in 0..3 {
        talk.minute(60 * turn as i64);
        send(&talk.vault, "chat", &CHAT[..2 * turn + 1], CHAT[2 * turn + 1]);
    }
    assert_eq!(contents_of(&talk.vault, "chat"), CHAT);
    talk.minute(180);
    talk
}

fn forget(talk: &Talk, what: Forget) {
    block_on(talk.vault.forget(named("chat"), what, None)).unwrap();
}

/// Forgets the second turn, or only what the user said in it; the places of what is forgotten.
fn forget_second(talk: &Talk, what: &str) -> std::ops::Range<usize> {
    let asked = entries(talk).remove(2);
    match what {
        "entry" => {
            forget(talk, Forget::Entry(asked.id));
            return 2..3;
        }
        "conversation" => forget(talk, Forget::Conversation(Address::Id(asked.conversation))),
        _ => forget(talk, Forget::Period { after: Some(at(59)), before: Some(at(61)) }),
    }
    2..4
}

const WAYS: [&str; 3] = ["entry", "conversation", "period"];

pub(crate) fn a_forgotten_message_leaves_no_plain_hash(open: Open) {
    for what in WAYS {
        let talk = chat(open);
        assert!((0..6).all(|message| is_plain(&talk, &CHAT, message)));
        let gone = forget_second(&talk, what);
        for message in 0..6 {
            assert_eq!(
                is_plain(&talk, &CHAT, message),
                !gone.contains(&message),
                "{what} {message}"
            );
        }
        // Nor when it is sent again.
        send(&talk.vault, "chat", &[&CHAT[..], &["Bye"]].concat(), "Bye");
        assert!(gone.clone().all(|message| !is_plain(&talk, &CHAT, message)), "{what}");
    }
}

pub(crate) fn a_history_does_not_bring_back_a_part_of_a_memory(open: Open) {
    for what in WAYS {
        let talk = chat(open);
        let gone = forget_second(&talk, what);
        let mut left = CHAT.to_vec();
        left.drain(gone.clone());
        let mut history = CHAT.to_vec();
        for (minute, said) in [(180, "What is new?"), (181, "And now?"), (999, "Good bye")] {
            talk.minute(minute);
            history.push(said);
            send(&talk.vault, "chat", &history, "Nothing");
            history.push("Nothing");
            left.extend([said, "Nothing"]);
            assert_eq!(contents_of(&talk.vault, "chat"), left, "{what}");
            assert_eq!(lines(&talk).iter().filter(|line| line.entry.is_some()).count(), left.len());
        }
        // Cut at the front, so that it begins with what was forgotten.
        history.push("Still there?");
        send(&talk.vault, "chat", &history[2..], "Yes");
        left.extend(["Still there?", "Yes"]);
        assert_eq!(contents_of(&talk.vault, "chat"), left, "{what}");
    }
}

/// What comes again far behind the newest lines is found by its mark alone.
pub(crate) fn a_forgotten_message_far_back_is_recognised(open: Open) {
    let talk = chat(open);
    forget_second(&talk, "conversation");
    let mut said = vec![CHAT[0], CHAT[1], CHAT[4], CHAT[5]];
    let more: Vec<String> = (0..60).map(|number| format!("line {number} of many")).collect();
    for (minute, pair) in (181..).zip(more.chunks(2)) {
        talk.minute(minute);
        send(&talk.vault, "chat", &[&pair[0]], &pair[1]);
        said.extend(pair.iter().map(String::as_str));
    }
    talk.minute(999);
    send(&talk.vault, "chat", &[CHAT[2], CHAT[3], CHAT[4], CHAT[5], "What is new?"], "Nothing");
    said.extend(["What is new?", "Nothing"]);
    assert_eq!(contents_of(&talk.vault, "chat"), said);
}

/// The same words twice, of which one is forgotten: the other stays, and is not taken for it. Said again they are new.
pub(crate) fn of_two_alike_the_one_that_was_not_forgotten_stays(open: Open) {
    for forgotten in [2, 4] {
        let talk = Talk::new(open);
        let said = ["Tea?", "Green", "ok", "Cup?", "ok", "Done"];
        for turn in 0..3 {
            talk.minute(turn as i64);
            send(&talk.vault, "chat", &said[..2 * turn + 1], said[2 * turn + 1]);
        }
        talk.minute(10);
        let kept = entries(&talk)[6 - forgotten].clone();
        forget(&talk, Forget::Entry(entries(&talk)[forgotten].id));
        let (mut history, mut left) = (said.to_vec(), said.to_vec());
        left.remove(forgotten);
        for minute in [11, 12] {
            talk.minute(minute);
            history.push("ok");
            send(&talk.vault, "chat", &history, "Again");
            history.push("Again");
            left.extend(["ok", "Again"]);
            assert_eq!(contents_of(&talk.vault, "chat"), left, "{forgotten}");
        }
        assert!(entries(&talk).contains(&kept), "{forgotten}");
        // The last one said and all others of these words go, one after the other.
        for place in [left.len() - 2, left.len() - 4] {
            forget(&talk, Forget::Entry(entries(&talk)[place].id));
            left.remove(place);
        }
        forget(&talk, Forget::Entry(kept.id));
        left.retain(|text| *text != "ok");
        assert!(!is_plain(&talk, &said, 2));
        send(&talk.vault, "chat", &[&history[..], &["ok"]].concat(), "Yes");
        left.extend(["ok", "Yes"]);
        assert_eq!(contents_of(&talk.vault, "chat"), left, "{forgotten}");
    }
}

/// The same request again, with the same reply, while the reply that was given to it is forgotten.
pub(crate) fn a_forgotten_reply_is_recognised_when_it_is_given_again(open: Open) {
    let talk = Talk::new(open);
    send(&talk.vault, "chat", &CHAT[..1], CHAT[1]);
    talk.minute(1);
    forget(&talk, Forget::Entry(entries(&talk)[1].id));
    send(&talk.vault, "chat", &CHAT[..1], CHAT[1]);
    assert_eq!(contents_of(&talk.vault, "chat"), CHAT[..1]);
    assert!(!is_plain(&talk, &CHAT, 1));
}

/// The client edits a forgotten message, and takes the edit back.
pub(crate) fn a_forgotten_message_does_not_come_back_in_place_of_its_edit(open: Open) {
    let talk = chat(open);
    forget_second(&talk, "entry");
    let mut history = [&CHAT[..], &["Bye"]].concat();
    history[2] = "My PIN is a secret";
    send(&talk.vault, "chat", &history, "So long");
    let mut left = history.clone();
    left.push("So long");
    assert_eq!(contents_of(&talk.vault, "chat"), left);
    talk.minute(181);
    history[2] = CHAT[2];
    history.extend(["So long", "Still there?"]);
    send(&talk.vault, "chat", &history, "Yes");
    left.remove(2);
    left.extend(["Still there?", "Yes"]);
    assert_eq!(contents_of(&talk.vault, "chat"), left);
    assert!(!is_plain(&talk, &CHAT, 2));
}

/// A part is forgotten, then the whole: the part is recognised among the whole, in a new memory, and leaves no plain hash
/// there either.
pub(crate) fn a_part_is_recognised_after_the_whole_was_forgotten(open: Open) {
    for what in WAYS {
        let talk = chat(open);
        forget_second(&talk, what);
        forget(&talk, Forget::Memory);
        let mut history = [&CHAT[..], &["What is new?"]].concat();
        send(&talk.vault, "chat", &history, "Nothing");
        assert_eq!(contents_of(&talk.vault, "chat"), ["What is new?", "Nothing"], "{what}");
        assert!((0..6).all(|message| !is_plain(&talk, &CHAT, message)), "{what}");
        history.extend(["Nothing", "Bye"]);
        send(&talk.vault, "chat", &history, "So long");
        let left = ["What is new?", "Nothing", "Bye", "So long"];
        assert_eq!(contents_of(&talk.vault, "chat"), left, "{what}");
        assert_eq!(lines(&talk).iter().filter(|line| line.entry.is_none()).count(), 12, "{what}");
        // What was forgotten first, alone or with what was forgotten later.
        send(&talk.vault, "other", &[CHAT[2], CHAT[3], "Who?"], "I");
        assert_eq!(contents_of(&talk.vault, "other"), ["Who?", "I"], "{what}");
    }
}

/// Lines that an earlier version left with plain marks are recognised, and get others with the next forget.
pub(crate) fn what_an_earlier_version_forgot_is_recognised(open: Open) {
    let talk = chat(open);
    forget_second(&talk, "conversation");
    let place = place(&talk);
    talk.bed.write(move |tx| {
        let forgotten = tx.ledger_lines(place, LedgerLines::WithoutEntry)?;
        assert_eq!(forgotten.len(), 2);
        for (message, line) in (2..).zip(forgotten) {
            let plain = LedgerLine { mark: mark(&CHAT, message), ..line };
            tx.put(Row::LedgerLine(place, &plain))?;
        }
        tx.remove(Removal::Tombstones(TombstoneOwner::Memory(place)))
    });
    assert!(is_plain(&talk, &CHAT, 2) && is_plain(&talk, &CHAT, 3));
    let mut history = [&CHAT[..], &["What is new?"]].concat();
    send(&talk.vault, "chat", &history, "Nothing");
    let mut left = vec![CHAT[0], CHAT[1], CHAT[4], CHAT[5], "What is new?", "Nothing"];
    assert_eq!(contents_of(&talk.vault, "chat"), left);
    forget(&talk, Forget::Entry(entries(&talk)[0].id));
    assert!([0, 2, 3].iter().all(|message| !is_plain(&talk, &CHAT, *message)));
    history.extend(["Nothing", "Bye"]);
    send(&talk.vault, "chat", &history, "So long");
    left.remove(0);
    left.extend(["Bye", "So long"]);
    assert_eq!(contents_of(&talk.vault, "chat"), left);
}

/// The key goes with the vault's name when the vault is forgotten, and with its memory in an export.
pub(crate) fn a_part_is_recognised_after_its_vault_was_forgotten(open: Open) {
    let talk = chat(open);
    forget_second(&talk, "entry");
    let place = place(&talk);
    let keys = talk.bed.look(move |rows| {
        rows.tombstones(TombstoneOwner::Memory(place), Some((TombstoneKind::LineSalt, None)))
    });
    assert_eq!(keys.len(), 1);
    block_on(talk.vault.forget_vault(None)).unwrap();
    let again = block_on(talk.engine.vault_to_write(Address::Name(name("v")))).unwrap();
    send(&again, "chat", &[&CHAT[..], &["What is new?"]].concat(), "Nothing");
    assert_eq!(contents_of(&again, "chat"), ["What is new?", "Nothing"]);
    send(&again, "other", &[CHAT[2], CHAT[3], "Who?"], "I");
    assert_eq!(contents_of(&again, "other"), ["Who?", "I"]);
}
