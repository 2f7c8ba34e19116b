//! The map files of another system: SHA-256 of a text → `(Weekday, YYYY-MM-DD HH:MM:SS)`.
//!
//! Such a file has no texts. Its times are promises, kept until a message with that text turns up.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

use crate::conversations::finish;
use crate::memory::{Address, MemoryId, Role};
use crate::memory_edit::MemoryEdit;
use crate::ports::{LedgerHead, LedgerLines, MemoryRef, Placeholder, Removal, Row, Snapshot};
use crate::receipt::{Done, Idempotency, Receipt};
use crate::vault::{Absent, Vault};
use crate::{Error, Result, limits};

use super::Message;
use super::mark::text_hash;

/// What stands for braces in texts before they are hashed there.
const BRACES: [(&str, &str); 2] = [("{", "__WILMER_L_CURLY__"), ("}", "__WILMER_R_CURLY__")];

/// SHA-256 of a text alone, written as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextHash([u8; 32]);

/// When texts were said, without the texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Times {
    /// Each text once.
    pub texts: Vec<(TextHash, Timestamp)>,
    /// When a reply began whose text is not settled.
    pub reply_began: Option<Timestamp>,
}

impl Vault {
    /// Takes in times of another system. They hold for messages that are not known yet.
    pub async fn import_times(
        &self,
        memory: Address<MemoryId>,
        times: Times,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        let work = move |edit: &mut MemoryEdit<'_>| import(edit, &times);
        self.edit_memory(memory, Absent::Make, idempotency, work).await
    }

    /// The times of a memory for another system: where texts repeat, when it was said first.
    pub async fn export_times(&self, memory: Address<MemoryId>) -> Result<Times> {
        self.read(memory, |view, _| export(view.snapshot, view.place)).await
    }
}

fn import(edit: &mut MemoryEdit<'_>, times: &Times) -> Result<Receipt> {
    if times.texts.len() > limits::IMPORT_ENTRIES {
        let (given, most) = (times.texts.len(), limits::IMPORT_ENTRIES);
        return Err(Error::too_large(format!("{given} times in one call; send at most {most}")));
    }
    for (hash, time) in &times.texts {
        edit.tx.put(Row::PromisedTime(edit.place(), hash.0, *time))?;
    }
    if let Some(started_at) = times.reply_began {
        let head = edit.tx.ledger_head(edit.place())?.unwrap_or_default();
        let placeholder = Some(Placeholder { started_at, after: None, reply: None });
        edit.tx.put(Row::LedgerHead(edit.place(), &LedgerHead { placeholder, ..head }))?;
    }
    finish::save_memory(edit)?;
    Ok(Receipt::Memory(edit.memory.id))
}

fn export(rows: &dyn Snapshot, place: MemoryRef) -> Result<Times> {
    let mut seen = std::collections::HashSet::new();
    let mut texts = Vec::new();
    for line in rows.ledger_lines(place, LedgerLines::Behind(i64::MIN))? {
        let entry = line.entry.map(|id| rows.entry(place, id)).transpose()?.flatten();
        let hash = entry.map(|entry| text_hash(&without_braces(entry.content.as_str())));
        texts
            .extend(hash.filter(|hash| seen.insert(*hash)).map(|hash| (TextHash(hash), line.time)));
    }
    let promised =
        rows.promised_times(place, None)?.into_iter().filter(|(hash, _)| seen.insert(*hash));
    texts.extend(promised.map(|(hash, time)| (TextHash(hash), time)));
    let waiting = rows.ledger_head(place)?.and_then(|head| head.placeholder);
    Ok(Times { texts, reply_began: waiting.map(|waiting| waiting.started_at) })
}

/// Takes the time another system had for this message, if it told one; it is told once.
pub(super) fn take_promised(
    edit: &mut MemoryEdit<'_>,
    message: &Message,
) -> Result<Option<Timestamp>> {
    for hash in forms(message).iter().map(|form| text_hash(form)) {
        let found = edit.tx.promised_times(edit.place(), Some(hash))?.pop().map(|(_, time)| time);
        if found.is_some() {
            edit.tx.remove(Removal::PromisedTime(edit.place(), hash))?;
            return Ok(found);
        }
    }
    Ok(None)
}

/// The texts under which a message may stand there: braces replaced, the role before it, or not.
fn forms(message: &Message) -> Vec<String> {
    let plain = message.content.as_str();
    let braceless = without_braces(plain);
    let role = if message.role == Role::User { "User" } else { "Assistant" };
    let mut forms = vec![plain.to_owned(), format!("{role}: {braceless}")];
    if braceless != plain {
        forms.push(braceless);
    }
    forms
}

fn without_braces(text: &str) -> String {
    BRACES.iter().fold(text.to_owned(), |text, (brace, word)| text.replace(brace, word))
}

impl fmt::Display for TextHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for TextHash {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let shown: String = text.chars().take(80).collect();
        let bad = || Error::invalid(format!("{shown:?} is not a SHA-256: 64 hexadecimal digits"));
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(bad());
        }
        let mut hash = [0; 32];
        for (place, byte) in hash.iter_mut().enumerate() {
            let digits = &text[2 * place..2 * place + 2];
            *byte = u8::from_str_radix(digits, 16).map_err(|_| bad())?;
        }
        Ok(Self(hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_sixty_four_digits() {
        let hello = "a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e";
        let hash: TextHash = hello.parse().unwrap();
        assert_eq!((hash.0, hash.to_string()), (text_hash("Hello World"), hello.to_owned()));
        for bad in ["", "abc", &hello[1..], &hello.replace('a', "g"), &"é".repeat(32)] {
            assert!(bad.parse::<TextHash>().is_err(), "{bad}");
        }
    }
}
