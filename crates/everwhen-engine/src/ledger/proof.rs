//! What proves that a chat is known: hashes of what was delivered, to whom.
//!
//! A reply proves a chat together with the message it answered: the pair is made of a mark that the
//! client knew and one that it got here. Ids count if they look random; servers that number their
//! tool calls give the same ids in every chat.

use sha2::{Digest, Sha256};

use crate::Result;
use crate::memory::{Name, Role};
use crate::memory_edit::MemoryEdit;
use crate::ports::{LastRequest, LedgerHead, Proof, Row};

use super::begin::Item;
use super::mark::mark;
use super::{Client, Exchange, ExchangeReply, History};

/// A reply of this length is hardly given twice by chance.
const LONG_BYTES: usize = 160;
/// The shortest run of letters and digits that can be random.
const RANDOM_CHARS: usize = 8;
/// The shortest number that can be one of its kind, such as a time in milliseconds.
const NUMBER_CHARS: usize = 9;
/// Thoughts that front ends cut off before they send a reply again.
const THOUGHTS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// What the delivery of a reply will prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PendingProof {
    client: Client,
    request: [u8; 32],
    /// The mark of the last words before the reply.
    asked: Option<[u8; 32]>,
}

impl PendingProof {
    /// For the reply to a request. With `continues` the last message is the beginning of the reply.
    pub(super) fn new(history: &History, items: &[Item<'_>], continues: bool) -> Self {
        let before = &items[..items.len() - usize::from(continues && !items.is_empty())];
        let asked = before.iter().rfind(|item| has_words(item)).map(|item| item.mark);
        Self { client: history.client, request: of_request(history), asked }
    }

    /// The request, as long as its reply is not delivered.
    pub(super) fn request(&self) -> LastRequest {
        LastRequest { hash: self.request, answered: false }
    }
}

/// One proof in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RequestProof {
    pub(super) hash: [u8; 32],
    /// The place among the messages that are content.
    pub(super) at: usize,
    pub(super) is_id: bool,
    /// Whether it is a reply so long that no other client got the same by chance.
    pub(super) is_long: bool,
}

/// The proofs in a request, newest first.
pub(super) fn clues(history: &History, items: &[Item<'_>]) -> Vec<RequestProof> {
    let person = &history.client.person;
    let mut clues: Vec<RequestProof> = Vec::new();
    for (id, before) in history.ids.iter().map(|(before, id)| (id, before)) {
        let at = items.iter().rposition(|item| item.index < *before).unwrap_or(0);
        let clue = RequestProof { hash: of_id(person, id), at, is_id: true, is_long: false };
        clues.extend(is_random(id).then_some(clue));
    }
    let mut asked = None;
    for (at, item) in items.iter().enumerate() {
        let given = (item.message.role == Role::Assistant).then(|| reply_mark(item)).flatten();
        if let Some((asked, given)) = asked.zip(given) {
            let is_long = item.message.content.trim().len() >= LONG_BYTES;
            let hash = of_pair(person, &asked, &given);
            clues.push(RequestProof { hash, at, is_id: false, is_long });
        }
        asked = if has_words(item) { Some(item.mark) } else { asked };
    }
    clues.sort_by_key(|clue| std::cmp::Reverse((clue.at, clue.is_id)));
    clues.dedup();
    clues
}

/// Whether a message says something itself: tool calls and their results do not.
pub(super) fn has_words(item: &Item<'_>) -> bool {
    matches!(item.message.role, Role::User | Role::Assistant)
        && !item.message.content.trim().is_empty()
}

/// The mark of a reply: of its words, else of the tools it calls.
fn reply_mark(item: &Item<'_>) -> Option<[u8; 32]> {
    let message = item.message;
    match message.content.trim().is_empty() {
        false => Some(item.mark),
        true => tools_mark(&message.tools_used),
    }
}

fn tools_mark(tools: &[Name]) -> Option<[u8; 32]> {
    let mut hasher = Sha256::new();
    for tool in tools {
        add(&mut hasher, tool.as_str().as_bytes());
    }
    (!tools.is_empty()).then(|| hasher.finalize().into())
}

/// Notes what the delivery of a reply proves, what was added to its request, and that the request
/// is answered.
pub(super) fn deliver(
    edit: &mut MemoryEdit<'_>,
    exchange: &Exchange,
    (reply, said, line): (&ExchangeReply, &str, Option<u64>),
) -> Result<()> {
    let (place, pending) = (edit.place(), &exchange.proof);
    let person = &pending.client.person;
    let given = replies(exchange, said).into_iter().map(|text| mark(Role::Assistant, &text, b""));
    let given: Vec<[u8; 32]> = match said.trim().is_empty() {
        true => tools_mark(&reply.tools_used).into_iter().collect(),
        false => given.collect(),
    };
    let pairs = pending.asked.into_iter().flat_map(|asked| {
        given.iter().map(move |given| of_pair(person, &asked, given)).collect::<Vec<_>>()
    });
    let ids = reply.ids.iter().filter(|id| is_random(id)).map(|id| of_id(person, id));
    let number = line.or(exchange.after).unwrap_or(0);
    for hash in pairs.chain(ids) {
        let proof = Proof { hash, number, app: pending.client.app, at: edit.clock };
        edit.tx.put(Row::Proof(place, &proof))?;
    }
    if !reply.added.is_empty() && edit.tx.forget_epoch(edit.vault.id)? == exchange.epoch {
        for (number, addition) in &reply.added {
            edit.tx.put(Row::Addition(place, *number, addition))?;
        }
    }
    answer(edit, exchange, reply)
}

fn answer(edit: &mut MemoryEdit<'_>, exchange: &Exchange, reply: &ExchangeReply) -> Result<()> {
    let head = edit.tx.ledger_head(edit.place())?.unwrap_or_default();
    let Some(request) = head.request.filter(|last| last.hash == exchange.proof.request) else {
        return Ok(());
    };
    if reply.truncated || request.answered {
        return Ok(());
    }
    let request = Some(LastRequest { answered: true, ..request });
    edit.tx.put(Row::LedgerHead(edit.place(), &LedgerHead { request, ..head }))
}

/// The texts by which a front end may send a reply again.
fn replies(exchange: &Exchange, said: &str) -> Vec<String> {
    let mut texts = vec![said.to_owned()];
    texts.extend(without_thoughts(said));
    if let Some(next) = &exchange.next_speaker {
        let forms = texts.iter().flat_map(|text| {
            let bare = next.without_name(text);
            [next.with_name(bare), bare.to_owned()]
        });
        let forms: Vec<String> = forms.collect();
        texts.extend(forms);
    }
    texts.sort();
    texts.dedup();
    texts
}

fn without_thoughts(said: &str) -> Option<String> {
    let begun = said.trim_start();
    let ends = |(opens, closes): (&str, &str)| {
        Some(begun.strip_prefix(opens)?.split_once(closes)?.1.trim().to_owned())
    };
    THOUGHTS.into_iter().find_map(ends).filter(|rest| !rest.is_empty())
}

fn of_pair(person: &[u8; 32], asked: &[u8; 32], given: &[u8; 32]) -> [u8; 32] {
    hash(&[b"reply", person, asked, given])
}

fn of_id(person: &[u8; 32], id: &str) -> [u8; 32] {
    hash(&[b"id", person, id.as_bytes()])
}

/// The hash of a whole request.
pub(super) fn of_request(history: &History) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in [&b"request"[..], &history.client.person, &history.client.app] {
        add(&mut hasher, part);
    }
    for message in &history.messages {
        for part in [message.role.as_str().as_bytes(), message.content.as_bytes(), &message.other] {
            add(&mut hasher, part);
        }
    }
    for (_, id) in &history.ids {
        add(&mut hasher, id.as_bytes());
    }
    hasher.finalize().into()
}

fn hash(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        add(&mut hasher, part);
    }
    hasher.finalize().into()
}

/// Adds a part with its length, so that no two lists of parts are alike.
fn add(hasher: &mut Sha256, part: &[u8]) {
    hasher.update((part.len() as u64).to_le_bytes());
    hasher.update(part);
}

/// Whether an id is random enough that no other chat has it. Numbered ids and names are not.
fn is_random(id: &str) -> bool {
    let runs = id.split(|letter: char| !letter.is_ascii_alphanumeric());
    let Some(run) = runs.max_by_key(|run| run.len()) else { return false };
    let class = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let changes = run.as_bytes().windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    let is_number = run.bytes().all(|byte| byte.is_ascii_digit());
    (run.len() >= RANDOM_CHARS && changes * 4 >= run.len())
        || (run.len() >= NUMBER_CHARS && is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_servers_repeat_prove_nothing() {
        for id in [
            "call_0",
            "call_2_0",
            "",
            "1",
            "tool_use",
            "get_weather",
            "functions.get_weather:0",
            "functions.getWeatherInformation:12",
            "call_get_current_temperature_1",
        ] {
            assert!(!is_random(id), "{id}");
        }
        for id in [
            "call_qKzXbWvRtYpLmNcDfGhJsTuE",
            "call_9dbJ3xWmP0qRsTuVwXyZaBcD",
            "toolu_01A09q90qw90lq917835lq9",
            "resp_68a1b2c3d4e5f60718293a4b5c6d7e8f",
            "chatcmpl-tool-3f2b8c1d9e7a4f60b5c2d1e0f9a8b7c6",
            "550e8400-e29b-41d4-a716-446655440000",
            "D681PevKs",
            "call_8k2m9x4q",
            "function-call-1763254800123",
        ] {
            assert!(is_random(id), "{id}");
        }
    }

    #[test]
    fn a_reply_is_known_without_its_thoughts() {
        assert_eq!(without_thoughts("<think>hm</think>\n\nYes.").as_deref(), Some("Yes."));
        assert_eq!(without_thoughts("<think>hm</think>"), None);
        assert_eq!(without_thoughts("Yes. <think>hm</think>"), None);
    }

    #[test]
    fn requests_of_two_clients_or_with_other_words_differ() {
        let history = |person: u8, app: u8, text: &str| History {
            client: Client { person: [person; 32], app: [app; 32] },
            ..History::from(vec![super::super::Message::new(Role::User, text)])
        };
        let one = of_request(&history(1, 1, "hi"));
        assert_eq!(one, of_request(&history(1, 1, "hi")));
        for other in [history(2, 1, "hi"), history(1, 2, "hi"), history(1, 1, "ho")] {
            assert_ne!(one, of_request(&other));
        }
    }
}
