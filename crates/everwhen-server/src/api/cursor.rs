//! Cursors of paged lists, as opaque text.
//!
//! A cursor is a letter for the kind of list, and a position in it as base64url. Every text of that
//! format is a position, although perhaps one beyond the ends of the list; any other text is
//! rejected. The formats are part of the OpenAPI document.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use everwhen::memory::{ConversationId, FactId, Name};
use everwhen::ports::Cursor;
use everwhen::{Error, Result, limits};
use jiff::Timestamp;

/// Format of a position among entries.
pub(crate) const ENTRIES: &str = "^e[A-Za-z0-9_-]{21}[AQgw]$";
/// Format of a position among conversations.
pub(crate) const CONVERSATIONS: &str = "^c[A-Za-z0-9_-]{32}$";
/// Format of a position among facts.
pub(crate) const FACTS: &str = "^f[A-Za-z0-9_-]{32}$";
/// Format of a position among versions of a context document.
pub(crate) const VERSIONS: &str = "^v[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]$";
/// Format of a position among names.
pub(crate) const NAMES: &str = "^n([A-Za-z0-9_-]{4}){1,267}$";

/// Length of the longest name in bytes, padded.
const LONGEST_NAME: usize = (4 * limits::NAME_CHARS).next_multiple_of(3);

/// Writes a position among entries.
pub(crate) fn write_entry(place: &Cursor) -> String {
    let mut bytes = place.time.as_microsecond().to_be_bytes().to_vec();
    bytes.extend(place.sequence.to_be_bytes());
    write('e', &bytes)
}

/// Reads a position among entries.
pub(crate) fn read_entry(text: &str) -> Result<Cursor> {
    let [time, sequence] = words(&read::<16>('e', text)?);
    Ok(Cursor { time: instant(time), sequence: number(sequence) })
}

/// Writes a position among conversations.
pub(crate) fn write_conversation((time, id): &(Timestamp, ConversationId)) -> String {
    write_timed('c', *time, id.bytes())
}

/// Reads a position among conversations.
pub(crate) fn read_conversation(text: &str) -> Result<(Timestamp, ConversationId)> {
    read_timed('c', text)
}

/// Writes a position among facts.
pub(crate) fn write_fact((time, id): &(Timestamp, FactId)) -> String {
    write_timed('f', *time, id.bytes())
}

/// Reads a position among facts.
pub(crate) fn read_fact(text: &str) -> Result<(Timestamp, FactId)> {
    read_timed('f', text)
}

fn write_timed(list: char, time: Timestamp, id: [u8; 16]) -> String {
    let mut bytes = time.as_microsecond().to_be_bytes().to_vec();
    bytes.extend(id);
    write(list, &bytes)
}

fn read_timed<Id: From<uuid::Uuid>>(list: char, text: &str) -> Result<(Timestamp, Id)> {
    let [time, high, low] = words(&read::<24>(list, text)?);
    let id = u128::from(high) << 64 | u128::from(low);
    Ok((instant(time), Id::from(uuid::Uuid::from_u128(id))))
}

/// Writes a position among versions.
pub(crate) fn write_version(version: &u64) -> String {
    write('v', &version.to_be_bytes())
}

/// Reads a position among versions.
pub(crate) fn read_version(text: &str) -> Result<u64> {
    let [version] = words(&read::<8>('v', text)?);
    Ok(number(version))
}

/// Writes a position among names, padded with spaces, which no name ends in.
pub(crate) fn write_name(name: &Name) -> String {
    let mut bytes = name.as_str().as_bytes().to_vec();
    bytes.resize(bytes.len().next_multiple_of(3), b' ');
    write('n', &bytes)
}

/// Reads a position among names; `None` if it is before all of them.
pub(crate) fn read_name(text: &str) -> Result<Option<Name>> {
    let bytes = decode('n', text)?;
    if bytes.len() > LONGEST_NAME || bytes.len() % 3 != 0 {
        return Err(refused());
    }
    let text: String = String::from_utf8_lossy(&bytes)
        .chars()
        .filter(|letter| !letter.is_control())
        .take(limits::NAME_CHARS)
        .collect();
    Ok(Name::new("cursor", text.trim()).ok())
}

fn write(list: char, bytes: &[u8]) -> String {
    format!("{list}{}", BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

fn read<const LENGTH: usize>(list: char, text: &str) -> Result<[u8; LENGTH]> {
    decode(list, text)?.try_into().map_err(|_| refused())
}

fn decode(list: char, text: &str) -> Result<Vec<u8>> {
    let rest = text.strip_prefix(list).filter(|rest| !rest.is_empty()).ok_or_else(refused)?;
    BASE64_URL_SAFE_NO_PAD.decode(rest).map_err(|_| refused())
}

fn refused() -> Error {
    Error::invalid("this is no cursor of this list; take next_cursor of the page before, unchanged")
}

/// Splits the bytes into numbers.
fn words<const COUNT: usize>(bytes: &[u8]) -> [u64; COUNT] {
    let mut words = [0; COUNT];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    words
}

/// The instant, clamped to the range of a timestamp.
fn instant(word: u64) -> Timestamp {
    let microsecond = word.cast_signed();
    let end = if microsecond < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_microsecond(microsecond).unwrap_or(end)
}

/// Clamps to the largest number that a store can count.
fn number(word: u64) -> u64 {
    word.min(i64::MAX.cast_unsigned())
}
