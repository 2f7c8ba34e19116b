//! Values on their way into a statement, and cells on their way out of a row.
//!
//! Neither says how a database stores it: each driver turns a [`Value`] into what the column has
//! (an id is 16 bytes or a `uuid`, a list of names is JSON or an array), and a row into [`Cell`]s.

use std::borrow::Cow;

use everwhen_engine::memory::Name;

/// A value of a parameter.
#[derive(Debug, Clone)]
pub(crate) enum Value<'v> {
    /// Nothing.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A number of any width.
    Number(i64),
    /// Text.
    Text(Cow<'v, str>),
    /// Bytes.
    Bytes(Cow<'v, [u8]>),
    /// An id.
    Id([u8; 16]),
    /// The id where something belongs to no vault.
    NoVault,
    /// A list of names; stored as nothing if it is empty.
    Names(&'v [Name]),
    /// Several values for one parameter.
    List(Vec<Value<'v>>),
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell<'r> {
    /// Nothing.
    Null,
    /// Yes or no, from a database that has such a type.
    Bool(bool),
    /// A number.
    Number(i64),
    /// Text.
    Text(&'r str),
    /// Bytes.
    Bytes(&'r [u8]),
    /// An id, from a database that has such a type.
    Id([u8; 16]),
    /// A list of texts, from a database that has such a type.
    Texts(Vec<&'r str>),
}

/// Shows what is wrong with a cell without showing the text of entries.
impl std::fmt::Display for Cell<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null => f.write_str("nothing"),
            Self::Bool(flag) => write!(f, "{flag}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "a text of {} bytes", text.len()),
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Id(_) => f.write_str("an id"),
            Self::Texts(texts) => write!(f, "a list of {} texts", texts.len()),
        }
    }
}

/// What can be read from a column.
pub(crate) trait Column: Sized {
    /// The value of a cell; nothing if the column cannot mean it.
    fn read(cell: Cell<'_>) -> Option<Self>;
}

impl<T: Column> Column for Option<T> {
    fn read(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Null => Some(None),
            other => T::read(other).map(Some),
        }
    }
}

impl Column for bool {
    fn read(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Bool(flag) => Some(flag),
            Cell::Number(number) => Some(number != 0),
            _ => None,
        }
    }
}

impl Column for i64 {
    fn read(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl Column for u64 {
    fn read(cell: Cell<'_>) -> Option<Self> {
        i64::read(cell)?.try_into().ok()
    }
}

impl Column for u32 {
    fn read(cell: Cell<'_>) -> Option<Self> {
        i64::read(cell)?.try_into().ok()
    }
}

impl Column for String {
    fn read(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Text(text) => Some(text.to_owned()),
            _ => None,
        }
    }
}

impl Column for Vec<u8> {
    fn read(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Bytes(bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }
}

impl Column for [u8; 32] {
    fn read(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Bytes(bytes) => bytes.try_into().ok(),
            _ => None,
        }
    }
}

impl<'v, T: Into<Value<'v>>> From<Option<T>> for Value<'v> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Value::Bool(flag)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::Number(number)
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Value::Number(number.into())
    }
}

/// Counts of rows never reach the sign bit.
impl From<u64> for Value<'_> {
    fn from(count: u64) -> Self {
        Value::Number(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl<'v> From<&'v str> for Value<'v> {
    fn from(text: &'v str) -> Self {
        Value::Text(Cow::Borrowed(text))
    }
}

impl<'v> From<&'v String> for Value<'v> {
    fn from(text: &'v String) -> Self {
        Value::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Text(Cow::Owned(text))
    }
}

impl<'v> From<&'v [u8]> for Value<'v> {
    fn from(bytes: &'v [u8]) -> Self {
        Value::Bytes(Cow::Borrowed(bytes))
    }
}

impl<'v> From<&'v [u8; 32]> for Value<'v> {
    fn from(bytes: &'v [u8; 32]) -> Self {
        Value::Bytes(Cow::Borrowed(bytes))
    }
}

impl From<Vec<u8>> for Value<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Value::Bytes(Cow::Owned(bytes))
    }
}

impl<'v> From<&'v Vec<Name>> for Value<'v> {
    fn from(names: &'v Vec<Name>) -> Self {
        Value::Names(names)
    }
}
