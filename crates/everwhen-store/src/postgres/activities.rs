//! The table `activity`.

use everwhen_engine::Result;
use everwhen_engine::activity::{Activity, ActivityKind};
use everwhen_engine::memory::{ConversationId, Name};
use everwhen_engine::ports::MemoryRef;
use jiff::SignedDuration;
use tokio_postgres::Row;

use super::connection::Connection;
use super::entries::{place, uuid};
use super::statement::{all, get, send};
use crate::row::{damaged, instant, micros, name};

pub(super) fn of_conversation(
    connection: &Connection,
    memory: MemoryRef,
    conversation: ConversationId,
) -> Result<Vec<Activity>> {
    let [vault, memory] = place(&memory);
    let sql = "SELECT kind, name, began_at, lasted FROM activity
        WHERE vault_id = $1 AND memory_id = $2 AND conversation_id = $3
        ORDER BY began_at, kind, coalesce(name, ''), lasted";
    all(connection, sql, &[&vault, &memory, &uuid(conversation.bytes())], read)
}

pub(super) fn add(
    connection: &Connection,
    memory: MemoryRef,
    conversation: ConversationId,
    activity: &Activity,
) -> Result<()> {
    let [vault, memory] = place(&memory);
    let sql = "INSERT INTO activity (vault_id, memory_id, conversation_id, kind, name, began_at,
            lasted)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let lasted = i64::try_from(activity.lasted.as_micros()).unwrap_or(i64::MAX);
    send(
        connection,
        sql,
        &[
            &vault,
            &memory,
            &uuid(conversation.bytes()),
            &activity.kind.as_str(),
            &activity.name.as_ref().map(Name::as_str),
            &micros(activity.began_at),
            &lasted,
        ],
    )
}

/// The activities of a conversation belong to another one from now on.
pub(super) fn merge(
    connection: &Connection,
    memory: MemoryRef,
    from: ConversationId,
    into: ConversationId,
) -> Result<()> {
    let [vault, memory] = place(&memory);
    let sql = "UPDATE activity SET conversation_id = $4
        WHERE vault_id = $1 AND memory_id = $2 AND conversation_id = $3";
    let (from, into) = (uuid(from.bytes()), uuid(into.bytes()));
    send(connection, sql, &[&vault, &memory, &from, &into])
}

fn read(row: &Row) -> Result<Activity> {
    let kind: String = get(row, 0)?;
    Ok(Activity {
        kind: ActivityKind::named(&kind).map_err(|_| damaged("kind of activity", &kind))?,
        name: get::<Option<String>>(row, 1)?.map(name).transpose()?,
        began_at: instant(get(row, 2)?)?,
        lasted: SignedDuration::from_micros(get(row, 3)?),
    })
}
