//! Schemas of texts that occur in many places, for the OpenAPI document only: no value has these
//! types. They describe what the engine accepts.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use everwhen::{limits, time::Zone};
use utoipa::openapi::schema::{KnownFormat, Object, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

pub(crate) use crate::wire::TimeIn;

/// One line, no spaces at the ends, no control characters, not a dot or two.
pub(crate) const NAME: &str = concat!(
    r"^(?!\.{1,2}$)[^\s\x00-\x1f\x7f-\x9f]",
    r"([^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f])?$"
);
/// At least one visible character, and no NUL.
const SAID: &str = r"^[^\x00]*[^\s\x00\x85][^\x00]*$";
/// At least one visible character.
const NOT_BLANK: &str = r"[^\s\x85]";
/// Anything but NUL.
const NO_NUL: &str = r"^[^\x00]*$";
/// At least one visible character, and no control characters except tab and line breaks.
const DOCUMENT: &str = concat!(
    r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f]",
    r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$"
);
fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

/// The schema of an id with this prefix.
pub(crate) fn id(prefix: &str, description: &str) -> Object {
    text()
        .pattern(Some(format!("^{prefix}[0-7][0-9a-hjkmnp-tv-z]{{25}}$")))
        .description(Some(description))
        .examples([format!("{prefix}01jh2m8z5qf3v9k7c4x0tnwr6e")])
        .build()
}

/// The schema of a name; `not` is what it must not begin with.
pub(crate) fn name(not: &str, description: &str, example: &str) -> Object {
    text()
        .pattern(Some(format!("^{not}{}", &NAME[1..])))
        .min_length(Some(1))
        .max_length(Some(limits::NAME_CHARS))
        .description(Some(description))
        .examples([example])
        .build()
}

/// The schema of a name that something new may get; `not` is what it must not begin with.
pub(crate) fn new_name(not: &str, description: &str, example: &str) -> Object {
    let invisible: String = everwhen::memory::Name::invisible().iter().map(in_class).collect();
    name(&format!("(?!.*[{invisible}]){not}"), description, example)
}

/// A range of characters in a class of a pattern.
fn in_class(range: &RangeInclusive<char>) -> String {
    let escaped = |letter: &char| match u16::try_from(u32::from(*letter)) {
        Ok(number) => format!("\\u{number:04x}"),
        // There is no way to write it that every reader of patterns knows.
        Err(_) => letter.to_string(),
    };
    format!("{}-{}", escaped(range.start()), escaped(range.end()))
}

/// The schema of a cursor.
pub(crate) fn cursor(pattern: &str) -> Object {
    text()
        .pattern(Some(pattern))
        .description(Some("`next_cursor` of the page before, unchanged; the first page if absent."))
        .build()
}

/// The schema of a longer text. Its maximum length is in its description, because a text that is too
/// long is answered with 413 and not with 400.
fn long(pattern: &str, description: &str, example: &str) -> Object {
    text().pattern(Some(pattern)).description(Some(description)).examples([example]).build()
}

fn time(description: &str, example: &str) -> Object {
    text()
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
        .description(Some(description))
        .examples([example])
        .build()
}

/// The zones that are places, and UTC. The server also accepts others, such as `Etc/GMT+1`; but
/// client generators cannot tell their names apart.
fn zone() -> Object {
    let is_place = |name: &String| name.contains('/') && !name.contains(|c: char| c.is_numeric());
    let names = Zone::names().into_iter().filter(|name| is_place(name) || name == "UTC");
    text()
        .enum_values(Some(names))
        .description(Some("IANA time zone in which the vault's days begin and end."))
        .examples(["Europe/Berlin"])
        .build()
}

macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident => $schema:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) enum $name {}

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                RefOr::T(Schema::Object($schema))
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }
    )*};
}

shapes! {
    /// A name.
    Name => name("", "One line of 1 to 200 characters, without spaces at the ends.", "work-notes");
    /// SHA-256 as hexadecimal digits.
    TextHash => text()
        .pattern(Some("^[0-9a-fA-F]{64}$"))
        .description(Some("SHA-256 of a text in UTF-8, as 64 hexadecimal digits."))
        .examples(["a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e"])
        .build();
    /// A vault's name; what looks like an id is none.
    VaultName => new_name("(?!vlt_)", "Name of a vault, unique on this server.", "ana");
    /// A memory's name; what looks like an id is none.
    MemoryName => new_name("(?!mem_)", "Name of a memory, unique in its vault.", "diary");
    /// A conversation's name in the caller's own source, or its id.
    ConversationRef => name(
        "(?!(end|import|prompt)$)",
        "Id of a conversation, or the name it has in the caller's own source.",
        "chat-2023-01-08"
    );
    /// A conversation's name in the system it comes from; what looks like an id is none.
    SourceName => name(
        "(?!(end|import|prompt)$)(?!cnv_[0-7][0-9a-hjkmnp-tv-z]{25}$)",
        "The name it has in its source, and here from now on.",
        "conv-1704067200000"
    );
    /// An instant told to a caller.
    TimeOut => time("RFC 3339 in UTC.", "2023-01-08T11:49:00Z");
    /// A time zone.
    ZoneName => zone();
    /// What was said.
    Content => long(
        SAID,
        "What was said: not blank, no NUL character, at most 1 MiB of UTF-8.",
        "I went to the museum today."
    );
    /// A context document.
    Document => long(
        DOCUMENT,
        "Not blank; no control characters but tab and line ends; at most 65,536 characters.",
        "Ana is learning to paint."
    );
    /// The caller's short version of an entry.
    ShortVersion => long(
        NO_NUL,
        "The caller's own short version; shown in the timeline. At most 64 KiB of UTF-8.",
        "First visit to the museum"
    );
    /// A question.
    QuestionText => long(
        NOT_BLANK,
        "A question in words; not blank, at most 64 KiB of UTF-8.",
        "When did I last see the dentist?"
    );
    /// The title a conversation had in its source.
    SourceTitle => long(
        SAID, "Its title there: not blank, no NUL character, at most 2,000 characters.", "At MoMA"
    );
    /// The summary a conversation had in its source.
    SourceSummary => long(
        SAID,
        "Its summary there: not blank, no NUL character, at most 64 KiB of UTF-8.",
        "Ana told about her visit. She liked the armor hall best."
    );
    /// Why something is done.
    Reason => long(
        SAID, "Why; not blank, no NUL character, at most 2,000 characters.", "It was the Louvre."
    );
    /// The id of an entry.
    EntryRef => id("ent_", "Id of an entry.");
    /// The id of a branch.
    BranchRef => id("brn_", "Id of a branch, which a fork left.");
    /// A position in a list of entries.
    EntryCursor => cursor(crate::api::cursor::ENTRIES);
    /// A position in a list of conversations.
    ConversationCursor => cursor(crate::api::cursor::CONVERSATIONS);
    /// A position in a list of facts.
    FactCursor => cursor(crate::api::cursor::FACTS);
    /// A period in figures or in words, for which there is no pattern.
    AboutText => text()
        .pattern(Some(NOT_BLANK))
        .examples(["2025-04-30", "last March"])
        .build();
    /// A position in a list of versions.
    VersionCursor => cursor(crate::api::cursor::VERSIONS);
    /// A position in a list of names.
    NameCursor => cursor(crate::api::cursor::NAMES);
}
