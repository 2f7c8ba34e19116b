//! Which tables belong to a memory, in the order of their lines, and what their columns hold.
//!
//! A new table or column that belongs to a memory is a line here; the tests at the end compare this
//! list with the tables as they are. What is not exported is in `registry` with its reason.

use everwhen_engine::facts::Source;
use everwhen_engine::job::Queue;
use everwhen_engine::memory::{
    BranchId, ChapterId, ContextId, ConversationId, EntryId, FactId, JobId, Role, TimeFrom,
    TimePrecision, ZoneFrom,
};
use everwhen_engine::time::Precision;
use uuid::Uuid;

use super::field::{IdText, Kind};
use super::{Field, Record};
use crate::tables::columns::Numbered;
use crate::tables::{place, tombstones};

/// How ids of one kind are written.
macro_rules! id_texts {
    ($($name:ident: $id:ident),* $(,)?) => {$(
        static $name: IdText = IdText {
            write: |id: Uuid| $id::from(id).to_string(),
            read: |text| text.parse::<$id>().ok().map(|id| Uuid::from_bytes(id.bytes())),
        };
    )*};
}

id_texts! {
    BRANCH: BranchId, CHAPTER: ChapterId, CONTEXT: ContextId, CONVERSATION: ConversationId,
    ENTRY: EntryId, FACT: FactId, JOB: JobId,
}

const ROLES: Kind = Kind::Word(Role::WORDS);

/// How well a time is known, as provenance has it.
const PRECISIONS: Kind = Kind::Word(TimePrecision::WORDS);
const TIMES_FROM: Kind = Kind::Word(TimeFrom::WORDS);
const ZONES_FROM: Kind = Kind::Word(ZoneFrom::WORDS);

/// Who ended a conversation, numbered as `conversations` stores it.
const ENDED_BY: Kind = Kind::Word(&[(0, "idle"), (1, "caller")]);

/// The fields that a record has in common with another.
macro_rules! shared {
    () => {
        &[]
    };
    ($shared:ident) => {
        $shared
    };
}

macro_rules! fields {
    ($($name:literal: $kind:expr,)*) => {
        &[$(Field { name: $name, kind: $kind }),*]
    };
}

macro_rules! record {
    (
        $name:literal = $table:literal by ($($key:literal),*)
        $(where $only:literal)? $(with ($($constant:literal = $number:literal),*))?;
        $($field:literal: $kind:expr,)* $(..$shared:ident)?
    ) => {
        Record {
            name: $name,
            table: $table,
            memory: "memory_id",
            place,
            key: &[$($key),*],
            only: concat!("" $(, " AND ", $only)?),
            fields: [fields! { $($field: $kind,)* }, shared!($($shared)?)],
            constants: &[$($(($constant, $number)),*)?],
        }
    };
}

/// What a conversation is at a time, now or in the past.
static CONVERSATION_STATE: &[Field] = fields! {
    "name": Kind::Text,
    "started_at": Kind::Time,
    "last_at": Kind::Time,
    "entries": Kind::Count,
    "ended_at": Kind::Time,
    "ended_by": ENDED_BY,
    "end_reason": Kind::Text,
    "title": Kind::Text,
    "summary": Kind::Text,
    "summary_by": Kind::Text,
    "archived_at": Kind::Time,
    "restored_at": Kind::Time,
    "shelved_at": Kind::Time,
    "distilled_at": Kind::Time,
    "facts_dropped": Kind::Count,
    "retrospection": Kind::Text,
    "retrospected_at": Kind::Time,
};

/// What a chapter is, now or in the past.
static CHAPTER_TEXT: &[Field] = fields! {
    "first_at": Kind::Time,
    "first_sequence": Kind::Count,
    "last_at": Kind::Time,
    "last_sequence": Kind::Count,
    "entries": Kind::Count,
    "digest": Kind::Bytes,
    "title": Kind::Text,
    "text": Kind::Text,
    "entities": Kind::Texts,
    "key_phrases": Kind::Texts,
    "written_by": Kind::Text,
    "creation_time": Kind::Time,
    "kind": Kind::Text,
    "source": Kind::Text,
    "source_id": Kind::Text,
    "source_time": Kind::Text,
    "time_precision": PRECISIONS,
    "time_from": TIMES_FROM,
    "zone_from": ZONES_FROM,
    "metadata": Kind::Json,
};

/// Everything that belongs to a memory.
pub(super) static RECORDS: &[Record] = &[
    Record {
        name: "memory",
        table: "memory",
        memory: "id",
        place,
        key: &["name"],
        only: "",
        fields: [
            fields! {
                "name": Kind::Text,
                "description": Kind::Text,
                "creation_time": Kind::Time,
                "last_sequence": Kind::Count,
                "last_creation": Kind::Time,
                "last_ending": Kind::Time,
                "waiting_entry": Kind::Id(&ENTRY),
                "waiting_since": Kind::Time,
                "generation": Kind::Count,
                "forgotten": Kind::Count,
                "chaptered_until": Kind::Time,
                "chapters_at": Kind::Count,
                "distilled": Kind::Count,
                "lifecycle": Kind::Text,
                "facts_changed": Kind::Count,
                "chapters_mark": Kind::Count,
                "chapters_from": Kind::Time,
                "chat_of": Kind::Text,
                "unfinished_end": Kind::Time,
                "last_context": Kind::Count,
            },
            &[],
        ],
        constants: &[],
    },
    record! { "conversation" = "conversation" by ("id");
        "id": Kind::Id(&CONVERSATION),
        ..CONVERSATION_STATE
    },
    record! { "conversation_alias" = "conversation_alias" by ("id");
        "id": Kind::Id(&CONVERSATION),
        "target_id": Kind::Id(&CONVERSATION),
    },
    record! { "ending" = "ending" by ("at"); "at": Kind::Time, },
    record! { "entry" = "entry" by ("sequence");
        "id": Kind::Id(&ENTRY),
        "sequence": Kind::Count,
        "conversation_id": Kind::Id(&CONVERSATION),
        "role": ROLES,
        "conversation_time": Kind::Time,
        "creation_time": Kind::Time,
        "placed_by_time": Kind::Flag,
        "is_question": Kind::Flag,
        "speaker": Kind::Text,
        "content": Kind::Text,
        "summary": Kind::Text,
        "tags": Kind::Names,
        "tools_used": Kind::Names,
        "metadata": Kind::Json,
        "corrects": Kind::Id(&ENTRY),
        "correction_reason": Kind::Text,
        "corrected_by": Kind::Id(&ENTRY),
        "corrected_at": Kind::Time,
        "branch_id": Kind::Id(&BRANCH),
        "branched_at": Kind::Time,
        "source": Kind::Text,
        "source_id": Kind::Text,
        "source_time": Kind::Text,
        "time_precision": PRECISIONS,
        "time_from": TIMES_FROM,
        "zone_from": ZONES_FROM,
        "place": Kind::Number,
        "retagged_at": Kind::Time,
    },
    record! { "activity" = "activity" by ();
        "conversation_id": Kind::Id(&CONVERSATION),
        "began_at": Kind::Time,
        "kind": Kind::Text,
        "name": Kind::Text,
        "lasted": Kind::Count,
    },
    record! { "context" = "context" by ("version");
        "version": Kind::Count,
        "id": Kind::Id(&CONTEXT),
        "content": Kind::Text,
        "conversation_time": Kind::Time,
        "creation_time": Kind::Time,
        "written_by": Kind::Text,
    },
    record! { "fact" = "fact" by ("id");
        "id": Kind::Id(&FACT),
        "statement": Kind::Text,
        "source": Kind::Word(Source::WORDS),
        "tags": Kind::Names,
        "matter_key": Kind::Text,
        "matter_value": Kind::Text,
        "event_since": Kind::Time,
        "event_until": Kind::Time,
        "event_precision": Kind::Word(Precision::WORDS),
        "entry_id": Kind::Id(&ENTRY),
        "range_start": Kind::Count,
        "range_end": Kind::Count,
        "mentioned_at": Kind::Time,
        "creation_time": Kind::Time,
        "written_by": Kind::Text,
        "pinned_at": Kind::Time,
        "withdrawn_at": Kind::Time,
        "link_to": Kind::Id(&FACT),
        "link_relation": Kind::Text,
        "vector_by": Kind::Text,
        "vector": Kind::Bytes,
        "retrievals": Kind::Count,
        "retrieved_at": Kind::Time,
    },
    record! { "chapter" = "chapter" by ("id");
        "id": Kind::Id(&CHAPTER),
        ..CHAPTER_TEXT
    },
    record! { "entry_past" = "entry_past" by ("entry_id", "known_until");
        "entry_id": Kind::Id(&ENTRY),
        "sequence": Kind::Count,
        "known_from": Kind::Time,
        "known_until": Kind::Time,
        "conversation_id": Kind::Id(&CONVERSATION),
        "branch_id": Kind::Id(&BRANCH),
        "branched_at": Kind::Time,
        "tags": Kind::Names,
    },
    record! { "conversation_past" = "conversation_past" by ("id", "known_until");
        "id": Kind::Id(&CONVERSATION),
        "known_from": Kind::Time,
        "known_until": Kind::Time,
        ..CONVERSATION_STATE
    },
    record! { "fact_past" = "fact_past" by ("fact_id", "known_until");
        "fact_id": Kind::Id(&FACT),
        "known_from": Kind::Time,
        "known_until": Kind::Time,
        "pinned_at": Kind::Time,
        "written_by": Kind::Text,
    },
    record! { "chapter_past" = "chapter_past" by ("id");
        "id": Kind::Id(&CHAPTER),
        "known_until": Kind::Time,
        ..CHAPTER_TEXT
    },
    record! { "rolling_summary" = "rolling_summary" by ("version");
        "version": Kind::Count,
        "text": Kind::Text,
        "through_at": Kind::Time,
        "through_sequence": Kind::Count,
        "chapters": Kind::Count,
        "written_by": Kind::Text,
        "creation_time": Kind::Time,
    },
    record! { "ledger_head" = "ledger_head" by ("last_number");
        "last_number": Kind::Count,
        "started_at": Kind::Time,
        "after": Kind::Number,
        "reply": Kind::Number,
        "request": Kind::Bytes,
        "answered": Kind::Flag,
    },
    record! { "ledger" = "ledger" by ("number");
        "number": Kind::Count,
        "place": Kind::Number,
        "mark": Kind::Bytes,
        "occurrence": Kind::Count,
        "role": ROLES,
        "time": Kind::Time,
        "since": Kind::Time,
        "after": Kind::Number,
        "entry_id": Kind::Id(&ENTRY),
        "delivered": Kind::Flag,
    },
    Record {
        name: "ledger_salt",
        table: "tombstone",
        memory: "owner",
        place: tombstones::of_memory,
        key: &["hash"],
        only: " AND kind = 3",
        fields: [
            fields! {
                "hash": Kind::Bytes,
                "forgotten_at": Kind::Time,
            },
            &[],
        ],
        constants: &[("kind", 3)],
    },
    record! { "promised_time" = "promised_time" by ("text_hash");
        "text_hash": Kind::Bytes,
        "time": Kind::Time,
    },
    record! { "proof" = "proof" by ("hash");
        "hash": Kind::Bytes,
        "number": Kind::Count,
        "app": Kind::Bytes,
        "at": Kind::Time,
    },
    record! { "addition" = "addition" by ("number");
        "number": Kind::Count,
        "text": Kind::Text,
        "form": Kind::Count,
        "person": Kind::Bytes,
        "at": Kind::Time,
    },
    record! { "job" = "job" by ("subject_id", "kind") where "subject < 2"
        with ("tries" = 0, "waits" = 0, "crashes" = 0, "state" = 0);
        "id": Kind::Id(&JOB),
        "subject": Kind::Word(&[(0, "conversation"), (1, "memory")]),
        "subject_id": Kind::AnyId,
        "kind": Kind::Text,
        "queue": Kind::Word(Queue::WORDS),
        "payload": Kind::Text,
        "due_at": Kind::Time,
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::sqlite::{SqliteOptions, SqliteStore};
    use crate::tables::registry::{Exported, TABLES};

    /// Columns that a restored row does not have: what retries are recognised by, and who works on a job.
    const OTHER_COLUMNS: [&str; 4] = ["receipt_key", "leased_until", "last_error", "row"];

    fn names(connection: &rusqlite::Connection, sql: &str) -> BTreeSet<String> {
        let mut statement = connection.prepare(sql).unwrap();
        let names = statement.query_map([], |row| row.get(0)).unwrap();
        names.map(Result::unwrap).collect()
    }

    #[test]
    fn every_column_of_every_table_is_exported_or_has_a_reason_not_to_be() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("everwhen.db");
        drop(SqliteStore::open(&path, SqliteOptions::default()).unwrap());
        let connection = rusqlite::Connection::open(&path).unwrap();
        let exported = TABLES.iter().filter(|table| table.exported == Exported::Yes);
        for table in exported.map(|table| table.name) {
            let record = RECORDS.iter().find(|record| record.table == table);
            let record = record.unwrap_or_else(|| panic!("{table} is not exported"));
            let columns =
                names(&connection, &format!("SELECT name FROM pragma_table_info('{table}')"));
            let known = ["vault_id", record.memory].into_iter();
            let known = known.chain(record.fields().map(|field| field.name));
            let known = known.chain(record.constants.iter().map(|(name, _)| *name));
            let known: BTreeSet<String> = known.map(ToOwned::to_owned).collect();
            let is_number = |name: &String| record.key.is_empty() && name == "number";
            let columns = columns.iter().filter(|name| !is_number(name));
            for column in columns.filter(|name| !OTHER_COLUMNS.contains(&name.as_str())) {
                assert!(known.contains(column), "{table}.{column} is not exported");
            }
        }
    }
}
