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

/// A variant of a closed list is stored as a number.
macro_rules! numbered {
    ($($kind:ident { $($variant:ident = $number:literal),* })*) => {$(
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
    Role { User = 0, Assistant = 1, System = 2, Tool = 3 }
    Source { Confirmed = 0, Inferred = 1 }
    Precision { Minute = 0, Day = 1, Month = 2, Year = 3 }
    TimePrecision {
        Microsecond = 0, Millisecond = 1, Second = 2, Minute = 3, Hour = 4, Day = 5, Week = 6,
        Month = 7, Year = 8, Unknown = 9
    }
    TimeFrom {
        Stated = 0, Generation = 1, Id = 2, Neighbour = 3, Conversation = 4, File = 5, Export = 6,
        Asked = 7, Moved = 8
    }
    ZoneFrom { Stated = 0, UtcByFormat = 1, Inferred = 2, Asked = 3, Assumed = 4 }
    Queue { Quick = 0, Patient = 1, Outside = 2, Nowhere = 3 }
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
