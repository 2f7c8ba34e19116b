//! The tables `llm_usage` and `llm_reply`.

use everwhen_engine::Result;
use everwhen_engine::memory::VaultId;
use everwhen_engine::ports::{AskedHash, Reply, Spent};
use everwhen_engine::usage::Usage;
use jiff::Timestamp;
use jiff::civil::Date;

use super::{Database, Row, Sql, Value, columns, table};

table! {
    static USAGE: UsageColumns = "llm_usage", key(vault_id, day, model, purpose);
    fn values(vault: VaultId, usage: &'v Usage) {
        vault_id: vault,
        day: &usage.day,
        model: &usage.model,
        purpose: &usage.purpose,
        calls: usage.calls,
        cached: usage.cached,
        input_tokens: usage.spent.input_tokens,
        output_tokens: usage.spent.output_tokens,
        cost_nanos: usage.spent.cost_nanos,
    }
}

table! {
    static REPLY: ReplyColumns = "llm_reply", key(vault_id, asked);
    fn reply_values(vault: VaultId, asked: &'v AskedHash, reply: &'v Reply, at: Timestamp) {
        vault_id: vault,
        asked: asked,
        reply: reply,
        creation_time: at,
    }
}

columns! { static COST: Cost { nanos = "CAST(coalesce(sum(cost_nanos), 0) AS bigint)" } }

fn read(row: &dyn Row) -> Result<Usage> {
    Ok(Usage {
        day: row.get(USAGE.day)?,
        model: row.get(USAGE.model)?,
        purpose: row.get(USAGE.purpose)?,
        calls: row.get(USAGE.calls)?,
        cached: row.get(USAGE.cached)?,
        spent: Spent {
            input_tokens: row.get(USAGE.input_tokens)?,
            output_tokens: row.get(USAGE.output_tokens)?,
            cost_nanos: row.get(USAGE.cost_nanos)?,
        },
    })
}

/// What a vault used from a day on, by day, model and purpose.
pub(crate) fn list(db: &dyn Database, vault: VaultId, since: Date) -> Result<Vec<Usage>> {
    static SQL: Sql = Sql::new(|_| {
        USAGE.select("WHERE vault_id = ?1 AND day >= ?2 ORDER BY day, model, purpose")
    });
    db.all(&SQL, &[vault.into(), (&since).into()], read)
}

/// What all vaults together cost from a day on, in billionths.
pub(crate) fn cost(db: &dyn Database, since: Date) -> Result<u64> {
    static SQL: Sql = Sql::new(|_| COST.select("FROM llm_usage WHERE day >= ?1"));
    let cost = db.first(&SQL, &[(&since).into()], |row| row.get(COST.nanos))?;
    Ok(cost.unwrap_or(0))
}

/// Adds to what a vault used on a day, with a model, for a purpose.
pub(crate) fn add(db: &dyn Database, vault: VaultId, usage: &Usage) -> Result<()> {
    static SQL: Sql = Sql::new(|dialect| USAGE.add_up(dialect));
    db.write(&SQL, &values(vault, usage))
}

/// What a model answered before.
pub(crate) fn reply(db: &dyn Database, vault: VaultId, asked: &AskedHash) -> Result<Option<Reply>> {
    static SQL: Sql = Sql::new(|_| REPLY.select("WHERE vault_id = ?1 AND asked = ?2"));
    db.first(&SQL, &[vault.into(), asked.into()], |row| row.get(REPLY.reply))
}

/// Stores what a model answered, in place of what it may have answered before.
pub(crate) fn keep_reply(
    db: &dyn Database,
    vault: VaultId,
    asked: &AskedHash,
    reply: &Reply,
    at: Timestamp,
) -> Result<()> {
    static SQL: Sql = Sql::new(|dialect| REPLY.upsert(dialect));
    db.write(&SQL, &reply_values(vault, asked, reply, at))
}

/// Removes what models answered before an instant, or all of it.
pub(crate) fn drop_replies(
    db: &dyn Database,
    vault: VaultId,
    before: Option<Timestamp>,
) -> Result<u64> {
    static SQL: Sql =
        Sql::new(|_| "DELETE FROM llm_reply WHERE vault_id = ?1 AND creation_time < ?2".to_owned());
    let before = before.map_or(Value::Number(i64::MAX), Into::into);
    db.change(&SQL, &[vault.into(), before])
}
