//! The map files of another system: SHA-256 of a text → `(Weekday, YYYY-MM-DD HH:MM:SS)`.
//!
//! Such a file has no texts. Its times are promises, kept until a message with that text turns up.

use jiff::Timestamp;
use jiff::civil::DateTime;

use crate::desk::Desk;
use crate::memory::{Address, MemoryId, Role};
use crate::ports::{LedgerHead, Lines, MemoryRef, Placeholder, Snapshot};
use crate::vault::{Absent, Vault};
use crate::when::Zone;
use crate::{Error, Result};

use super::mark::text_hash;
use super::{Message, absolute};

/// Stands for the reply that is being generated.
const PLACEHOLDER: &str = "PLACEHOLDER_TIMESTAMP_HASH_0000";
/// What stands for braces in texts before they are hashed there.
const BRACES: [(&str, &str); 2] = [("{", "__WILMER_L_CURLY__"), ("}", "__WILMER_R_CURLY__")];

impl Vault {
    /// Takes in the times of a map file: keys and values as they stand there, read in the vault's
    /// zone. They hold for messages that are not known yet. Answers how many were taken.
    pub async fn import_times(
        &self,
        memory: Address<MemoryId>,
        map: Vec<(String, String)>,
    ) -> Result<u64> {
        self.on_desk(memory, Absent::Make, move |desk| import(desk, &map)).await
    }

    /// The times of a memory as such a map: what was said first wins where texts repeat.
    pub async fn export_times(&self, memory: Address<MemoryId>) -> Result<Vec<(String, String)>> {
        self.read(memory, |view, _| export(view.snapshot, &view.vault.zone, view.place)).await
    }
}

fn import(desk: &mut Desk<'_>, map: &[(String, String)]) -> Result<u64> {
    let mut taken = 0;
    for (key, value) in map {
        let time = read_absolute(value, &desk.vault.zone).map_err(|error| error.at(key))?;
        if key == PLACEHOLDER {
            let head = desk.tx.ledger_head(desk.place())?.unwrap_or_default();
            let waiting = Placeholder { started_at: time, after: None, reply: None };
            let head = LedgerHead { placeholder: Some(waiting), ..head };
            desk.tx.put_ledger_head(desk.place(), &head)?;
        } else {
            desk.tx.put_promised_time(desk.place(), read_hash(key)?, Some(time))?;
        }
        taken += 1;
    }
    desk.save_memory()?;
    Ok(taken)
}

fn export(rows: &dyn Snapshot, zone: &Zone, place: MemoryRef) -> Result<Vec<(String, String)>> {
    let mut seen = std::collections::HashSet::new();
    let mut map = Vec::new();
    let mut add = |hash: [u8; 32], time: Timestamp| {
        if seen.insert(hash) {
            map.push((hex(&hash), absolute(zone, time)));
        }
    };
    for line in rows.ledger_lines(place, Lines::Behind(i64::MIN))? {
        let entry = line.entry.map(|id| rows.entry(place, id)).transpose()?.flatten();
        if let Some(entry) = entry {
            add(text_hash(&without_braces(entry.content.as_str())), line.time);
        }
    }
    rows.promised_times(place)?.into_iter().for_each(|(hash, time)| add(hash, time));
    let waiting = rows.ledger_head(place)?.and_then(|head| head.placeholder);
    map.extend(waiting.map(|one| (PLACEHOLDER.to_owned(), absolute(zone, one.started_at))));
    Ok(map)
}

/// Takes the time another system had for this message, if it told one; it is told once.
pub(super) fn take_promised(desk: &mut Desk<'_>, message: &Message) -> Result<Option<Timestamp>> {
    for hash in forms(message).iter().map(|form| text_hash(form)) {
        let found = desk.tx.promised_time(desk.place(), hash)?;
        if found.is_some() {
            desk.tx.put_promised_time(desk.place(), hash, None)?;
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

/// Reads `(Saturday, 2025-09-20 18:31:21)` on the zone's wall clock. The weekday is not compared
/// with the date: it is in the language of the machine that wrote it.
fn read_absolute(text: &str, zone: &Zone) -> Result<Timestamp> {
    let bad = || {
        Error::invalid(format!(
            "the time {text:?} cannot be read; write it as (Saturday, 2025-09-20 18:31:21)"
        ))
    };
    let inner = text.trim_matches(['(', ')', ' ']);
    let (_, civil) = inner.split_once(", ").ok_or_else(bad)?;
    let civil = DateTime::strptime("%Y-%m-%d %H:%M:%S", civil).map_err(|_| bad())?;
    let zoned = civil.to_zoned(zone.time_zone().clone()).map_err(|_| bad())?;
    Ok(zoned.timestamp())
}

fn read_hash(text: &str) -> Result<[u8; 32]> {
    let bad =
        || Error::invalid(format!("the key {text:?} is not a SHA-256: 64 hexadecimal digits"));
    if text.len() != 64 || !text.is_ascii() {
        return Err(bad());
    }
    let mut hash = [0; 32];
    for (place, byte) in hash.iter_mut().enumerate() {
        let digits = &text[2 * place..2 * place + 2];
        *byte = u8::from_str_radix(digits, 16).map_err(|_| bad())?;
    }
    Ok(hash)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
