//! How the engine's own types are stored in columns: ids, times, names, closed lists.

use std::borrow::Cow;

use everwhen_engine::activity::ActivityKind;
use everwhen_engine::facts::{Relation, Source, WrittenBy};
use everwhen_engine::job::{JobKind, Queue};
use everwhen_engine::key::{KeyHash, Scope};
use everwhen_engine::memory::{
    BranchId, ChapterId, ChapterKind, ContextBy, ContextId, ConversationId, EntryId, FactId, JobId,
    KeyId, Lifecycle, MemoryId, Metadata, Name, Person, Role, Said, Settings, SummaryBy, TimeFrom,
    TimePrecision, VaultId, ZoneFrom,
};
use everwhen_engine::ports::Reply;
use everwhen_engine::receipt::Receipt;
use everwhen_engine::time::{Precision, Zone};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::{Cell, Column, Value};
use crate::row;

/// An id is its 16 bytes.
macro_rules! ids {
    ($($id:ident),*) => {$(
        impl From<$id> for Value<'_> {
            fn from(id: $id) -> Self {
                Value::Id(id.bytes())
            }
        }

        impl Column for $id {
            fn read(cell: Cell<'_>) -> Option<Self> {
                id(cell).map($id::from)
            }
        }
    )*};
}

ids! {
    BranchId, ChapterId, ContextId, ConversationId, EntryId, FactId, JobId, KeyId, MemoryId, VaultId
}

/// An id of any kind.
pub(super) fn id(cell: Cell<'_>) -> Option<Uuid> {
    match cell {
        Cell::Id(bytes) => Some(Uuid::from_bytes(bytes)),
        Cell::Bytes(bytes) => Uuid::from_slice(bytes).ok(),
        _ => None,
    }
}

/// The variants of a closed list as an export of a memory writes them: the number of each, and its word.
pub(super) type Words = &'static [(i64, &'static str)];

/// A closed list whose variants are stored as numbers.
pub(super) trait Numbered {
    /// Every variant.
    const WORDS: Words;
}

/// A variant of a closed list is stored as a number and exported as a word. A new variant does not compile
/// until it has both here.
macro_rules! numbered {
    ($($kind:ident { $($variant:ident = $number:literal $word:literal),* })*) => {$(
        impl Numbered for $kind {
            const WORDS: Words = &[$(($number, $word)),*];
        }

        impl From<$kind> for Value<'_> {
            fn from(one: $kind) -> Self {
                match one {
                    $($kind::$variant => Value::Number($number)),*
                }
            }
        }

        impl Column for $kind {
            fn read(cell: Cell<'_>) -> Option<Self> {
                match cell {
                    $(Cell::Number($number) => Some($kind::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}

numbered! {
    Role { User = 0 "user", Assistant = 1 "assistant", System = 2 "system", Tool = 3 "tool" }
    Source { Confirmed = 0 "confirmed", Inferred = 1 "inferred" }
    Precision { Minute = 0 "minute", Day = 1 "day", Month = 2 "month", Year = 3 "year" }
    TimePrecision {
        Microsecond = 0 "us", Millisecond = 1 "ms", Second = 2 "s", Minute = 3 "minute",
        Hour = 4 "hour", Day = 5 "day", Week = 6 "week", Month = 7 "month", Year = 8 "year",
        Unknown = 9 "unknown"
    }
    TimeFrom {
        Stated = 0 "stated", Generation = 1 "generation", Id = 2 "id", Neighbour = 3 "neighbour",
        Conversation = 4 "conversation", File = 5 "file", Export = 6 "export", Asked = 7 "asked",
        Moved = 8 "moved"
    }
    ZoneFrom {
        Stated = 0 "stated", UtcByFormat = 1 "utc-by-format", Inferred = 2 "inferred",
        Asked = 3 "asked", Assumed = 4 "assumed"
    }
    Queue { Quick = 0 "quick", Patient = 1 "patient", Outside = 2 "outside", Nowhere = 3 "nowhere" }
}

/// A variant of a closed list is stored as its name.
macro_rules! named {
    ($($kind:ident: $find:expr),* $(,)?) => {$(
        impl From<$kind> for Value<'_> {
            fn from(one: $kind) -> Self {
                Value::Text(Cow::Borrowed(one.as_str()))
            }
        }

        impl Column for $kind {
            fn read(cell: Cell<'_>) -> Option<Self> {
                let find: fn(&str) -> Option<$kind> = $find;
                match cell {
                    Cell::Text(text) => find(text),
                    _ => None,
                }
            }
        }
    )*};
}

named! {
    ActivityKind: |text| ActivityKind::named(text).ok(),
    ChapterKind: |text| ChapterKind::named(text).ok(),
    ContextBy: |text| ContextBy::ALL.into_iter().find(|by| by.as_str() == text),
    JobKind: |text| JobKind::ALL.into_iter().find(|kind| kind.as_str() == text),
    Lifecycle: |text| Lifecycle::named(text).ok(),
    Relation: |text| Relation::ALL.into_iter().find(|one| one.as_str() == text),
    Scope: Scope::named,
    SummaryBy: |text| {
        let all = [SummaryBy::Extractive, SummaryBy::Source, SummaryBy::Llm];
        all.into_iter().find(|by| by.as_str() == text)
    },
    WrittenBy: WrittenBy::named,
}

/// A type that checks its own text is stored as that text.
macro_rules! checked {
    ($($kind:ident, $text:ident, $read:expr);* $(;)?) => {$(
        impl<'v> From<&'v $kind> for Value<'v> {
            fn from(one: &'v $kind) -> Self {
                Value::Text(Cow::Borrowed(one.$text()))
            }
        }

        impl Column for $kind {
            fn read(cell: Cell<'_>) -> Option<Self> {
                let read: fn(&str) -> Option<$kind> = $read;
                match cell {
                    Cell::Text(text) => read(text),
                    _ => None,
                }
            }
        }
    )*};
}

checked! {
    Metadata, as_str, |text| Metadata::new(text).ok();
    Name, as_str, |text| Name::new("stored name", text).ok();
    Said, as_str, |text| Said::new(text).ok();
    Zone, name, |text| Zone::named(text).ok();
}

/// A type that is stored as text it makes and reads itself.
macro_rules! written {
    ($($kind:ident: $write:expr, $read:expr);* $(;)?) => {$(
        impl From<&$kind> for Value<'_> {
            fn from(one: &$kind) -> Self {
                let write: fn(&$kind) -> String = $write;
                Value::Text(Cow::Owned(write(one)))
            }
        }

        impl Column for $kind {
            fn read(cell: Cell<'_>) -> Option<Self> {
                let read: fn(&str) -> Option<$kind> = $read;
                match cell {
                    Cell::Text(text) => read(text),
                    _ => None,
                }
            }
        }
    )*};
}

written! {
    Date: |day| day.to_string(), |text| text.parse().ok();
    Person: |person| person.to_string(), |text| Person::read(text).ok();
    Receipt: row::write_receipt, |text| row::read_receipt(text).ok();
    Reply: row::write_reply, |text| row::read_reply(text).ok();
    Settings: row::settings_json, |text| row::settings(text).ok();
}

/// A time is stored as microseconds since 1970.
impl From<Timestamp> for Value<'_> {
    fn from(instant: Timestamp) -> Self {
        Value::Number(instant.as_microsecond())
    }
}

impl Column for Timestamp {
    fn read(cell: Cell<'_>) -> Option<Self> {
        Timestamp::from_microsecond(i64::read(cell)?).ok()
    }
}

/// A duration is stored as microseconds.
impl From<SignedDuration> for Value<'_> {
    fn from(lasted: SignedDuration) -> Self {
        Value::Number(i64::try_from(lasted.as_micros()).unwrap_or(i64::MAX))
    }
}

impl Column for SignedDuration {
    fn read(cell: Cell<'_>) -> Option<Self> {
        i64::read(cell).map(SignedDuration::from_micros)
    }
}

impl<'v> From<&'v KeyHash> for Value<'v> {
    fn from(hash: &'v KeyHash) -> Self {
        Value::from(hash.as_bytes())
    }
}

impl Column for KeyHash {
    fn read(cell: Cell<'_>) -> Option<Self> {
        <[u8; 32]>::read(cell).map(KeyHash::from)
    }
}

/// A list of names: an array, or JSON; nothing if it is empty.
impl Column for Vec<Name> {
    fn read(cell: Cell<'_>) -> Option<Self> {
        let name = |text: &str| Name::new("stored name", text).ok();
        match cell {
            Cell::Null => Some(Vec::new()),
            Cell::Texts(texts) => texts.into_iter().map(name).collect(),
            Cell::Text(json) => row::texts(json).ok()?.iter().map(|text| name(text)).collect(),
            _ => None,
        }
    }
}

/// A list of texts is stored as JSON.
impl From<&Vec<String>> for Value<'_> {
    fn from(texts: &Vec<String>) -> Self {
        Value::Text(Cow::Owned(row::texts_json(texts)))
    }
}

impl Column for Vec<String> {
    fn read(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Text(json) => row::texts(json).ok(),
            _ => None,
        }
    }
}

/// A vector of small numbers is stored as bytes.
impl From<&Vec<i8>> for Value<'_> {
    fn from(numbers: &Vec<i8>) -> Self {
        Value::Bytes(Cow::Owned(numbers.iter().map(|number| number.cast_unsigned()).collect()))
    }
}

impl Column for Vec<i8> {
    fn read(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Bytes(bytes) => Some(bytes.iter().map(|byte| byte.cast_signed()).collect()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_exports_are_those_of_the_api() {
        fn same<T: Numbered>(words: &[&str]) {
            assert_eq!(T::WORDS.iter().map(|(_, word)| *word).collect::<Vec<_>>(), words);
        }
        same::<Role>(&Role::ALL.map(Role::as_str));
        same::<TimePrecision>(
            &TimePrecision::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>(),
        );
        same::<TimeFrom>(&TimeFrom::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>());
        same::<ZoneFrom>(&ZoneFrom::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>());
        same::<Source>(&[Source::Confirmed, Source::Inferred].map(Source::as_str));
    }
}
