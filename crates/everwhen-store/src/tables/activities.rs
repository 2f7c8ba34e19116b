//! The table `activity`.

use everwhen_engine::Result;
use everwhen_engine::activity::Activity;
use everwhen_engine::memory::ConversationId;
use everwhen_engine::ports::MemoryRef;

use super::{Database, IN_MEMORY, Row, Sql, place, table};

table! {
    static ACTIVITY: ActivityColumns = "activity", key();
    fn values(memory: MemoryRef, conversation: ConversationId, activity: &'v Activity) {
        vault_id: memory.vault,
        memory_id: memory.memory,
        conversation_id: conversation,
        kind: activity.kind,
        name: activity.name.as_ref(),
        began_at: activity.began_at,
        lasted: activity.lasted,
    }
}

fn read(row: &dyn Row) -> Result<Activity> {
    Ok(Activity {
        kind: row.get(ACTIVITY.kind)?,
        name: row.get(ACTIVITY.name)?,
        began_at: row.get(ACTIVITY.began_at)?,
        lasted: row.get(ACTIVITY.lasted)?,
    })
}

/// The activities of a conversation, in the order they began.
pub(crate) fn of_conversation(
    db: &dyn Database,
    memory: MemoryRef,
    conversation: ConversationId,
) -> Result<Vec<Activity>> {
    static SQL: Sql = Sql::new(|_| {
        let order = "ORDER BY began_at, kind, coalesce(name, ''), lasted";
        ACTIVITY.select(&format!("{IN_MEMORY} AND conversation_id = ?3 {order}"))
    });
    let [vault, memory] = place(memory);
    db.all(&SQL, &[vault, memory, conversation.into()], read)
}

/// Adds an activity.
pub(crate) fn add(
    db: &dyn Database,
    memory: MemoryRef,
    conversation: ConversationId,
    activity: &Activity,
) -> Result<()> {
    static SQL: Sql = Sql::new(|_| ACTIVITY.insert_numbered());
    db.write(&SQL, &values(memory, conversation, activity))
}

/// Moves the activities of a conversation to another one.
pub(super) fn merge(
    db: &dyn Database,
    memory: MemoryRef,
    from: ConversationId,
    into: ConversationId,
) -> Result<()> {
    static SQL: Sql = Sql::new(|_| {
        format!("UPDATE activity SET conversation_id = ?4 {IN_MEMORY} AND conversation_id = ?3")
    });
    let [vault, memory] = place(memory);
    db.write(&SQL, &[vault, memory, from.into(), into.into()])
}
