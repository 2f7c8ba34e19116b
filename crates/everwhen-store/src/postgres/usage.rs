//! The tables `llm_usage` and `llm_reply`.

use everwhen_engine::Result;
use everwhen_engine::memory::VaultId;
use everwhen_engine::ports::{AskedHash, Reply, Spent};
use everwhen_engine::usage::Usage;
use jiff::Timestamp;
use jiff::civil::Date;
use tokio_postgres::Row;

use super::connection::Connection;
use super::entries::uuid;
use super::statement::{all, first, get, send};
use crate::row::{count, damaged, micros, number, read_reply, write_reply};

pub(super) fn list(connection: &Connection, vault: VaultId, since: Date) -> Result<Vec<Usage>> {
    let sql = "SELECT day, model, purpose, calls, cached, input_tokens, output_tokens, cost_nanos
        FROM llm_usage WHERE vault_id = $1 AND day >= $2 ORDER BY day, model, purpose";
    all(connection, sql, &[&uuid(vault.bytes()), &since.to_string()], read)
}

pub(super) fn cost(connection: &Connection, since: Date) -> Result<u64> {
    let sql = "SELECT coalesce(sum(cost_nanos), 0)::bigint FROM llm_usage WHERE day >= $1";
    let cost = first(connection, sql, &[&since.to_string()], |row| count(get(row, 0)?))?;
    Ok(cost.unwrap_or(0))
}

pub(super) fn add(connection: &Connection, vault: VaultId, usage: &Usage) -> Result<()> {
    let sql = "INSERT INTO llm_usage (vault_id, day, model, purpose, calls, cached, input_tokens,
            output_tokens, cost_nanos)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        ON CONFLICT (vault_id, day, model, purpose) DO UPDATE SET calls = llm_usage.calls + $5,
            cached = llm_usage.cached + $6, input_tokens = llm_usage.input_tokens + $7,
            output_tokens = llm_usage.output_tokens + $8, cost_nanos = llm_usage.cost_nanos + $9";
    let spent = usage.spent;
    let counts = [usage.calls, usage.cached, spent.input_tokens, spent.output_tokens];
    let [calls, cached, input, output] = counts.map(number);
    send(
        connection,
        sql,
        &[
            &uuid(vault.bytes()),
            &usage.day.to_string(),
            &usage.model,
            &usage.purpose,
            &calls,
            &cached,
            &input,
            &output,
            &number(spent.cost_nanos),
        ],
    )
}

pub(super) fn reply(
    connection: &Connection,
    vault: VaultId,
    asked: &AskedHash,
) -> Result<Option<Reply>> {
    let sql = "SELECT reply FROM llm_reply WHERE vault_id = $1 AND asked = $2";
    let read = |row: &Row| read_reply(&get::<String>(row, 0)?);
    first(connection, sql, &[&uuid(vault.bytes()), &asked.as_slice()], read)
}

pub(super) fn keep_reply(
    connection: &Connection,
    vault: VaultId,
    asked: &AskedHash,
    reply: &Reply,
    at: Timestamp,
) -> Result<()> {
    let sql = "INSERT INTO llm_reply (vault_id, asked, reply, creation_time)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (vault_id, asked) DO UPDATE SET reply = $3, creation_time = $4";
    let (vault, reply) = (uuid(vault.bytes()), write_reply(reply));
    send(connection, sql, &[&vault, &asked.as_slice(), &reply, &micros(at)])
}

pub(super) fn drop_replies(
    connection: &Connection,
    vault: VaultId,
    before: Option<Timestamp>,
) -> Result<()> {
    let sql =
        "DELETE FROM llm_reply WHERE vault_id = $1 AND ($2::bigint IS NULL OR creation_time < $2)";
    send(connection, sql, &[&uuid(vault.bytes()), &before.map(micros)])
}

fn read(row: &Row) -> Result<Usage> {
    let day: String = get(row, 0)?;
    Ok(Usage {
        day: day.parse().map_err(|_| damaged("day", &day))?,
        model: get(row, 1)?,
        purpose: get(row, 2)?,
        calls: count(get(row, 3)?)?,
        cached: count(get(row, 4)?)?,
        spent: Spent {
            input_tokens: count(get(row, 5)?)?,
            output_tokens: count(get(row, 6)?)?,
            cost_nanos: count(get(row, 7)?)?,
        },
    })
}
