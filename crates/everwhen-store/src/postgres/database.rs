//! Running the tables' statements on PostgreSQL. What several values are compared with is one
//! parameter, an array, so that a statement is one round trip.

use std::error::Error as StdError;

use bytes::BytesMut;
use everwhen_engine::memory::VaultId;
use everwhen_engine::{Error, Result};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use super::connection::Connection;
use crate::row::names_json;
use crate::tables::{Cell, Database, Dialect, More, Query, Row, Take, Value};

impl Database for Connection {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn query(&self, query: Query<'_>) -> Result<()> {
        let Query { sql, values, each, take } = query;
        let list = each.map(Value::List);
        hand_over(&Connection::query(self, sql, &parameters(values, list.as_ref()))?, take)
    }

    fn query_both(&self, one: Query<'_>, other: Query<'_>) -> Result<()> {
        let lists = [one.each.map(Value::List), other.each.map(Value::List)];
        let values = parameters(one.values, lists[0].as_ref());
        let others = parameters(other.values, lists[1].as_ref());
        let (rows, other_rows) =
            Connection::query_both(self, (one.sql, &values), (other.sql, &others))?;
        hand_over(&rows, one.take)?;
        hand_over(&other_rows, other.take)
    }

    fn run(&self, sql: &str, values: &[Value<'_>]) -> Result<u64> {
        self.execute(sql, &parameters(values, None))
    }

    fn run_each(&self, sql: &str, values: &[Value<'_>], each: Vec<Value<'_>>) -> Result<u64> {
        let list = Value::List(each);
        self.execute(sql, &parameters(values, Some(&list)))
    }

    fn send(&self, sql: &str, values: &[Value<'_>]) -> Result<()> {
        Connection::send(self, sql, &parameters(values, None))
    }

    fn update_or_insert(&self, _update: &str, upsert: &str, values: &[Value<'_>]) -> Result<()> {
        Database::send(self, upsert, values)
    }

    fn known_vault(&self, name: &str) -> Option<VaultId> {
        self.names().get(name).map(Into::into)
    }

    fn learn_vault(&self, name: &str, id: VaultId) {
        self.names().put(name, Uuid::from_bytes(id.bytes()));
    }
}

fn parameters<'v>(
    values: &'v [Value<'v>],
    list: Option<&'v Value<'v>>,
) -> Vec<&'v (dyn ToSql + Sync)> {
    values.iter().chain(list).map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn hand_over(rows: &[tokio_postgres::Row], take: Take<'_>) -> Result<()> {
    for row in rows {
        if take(row)? == More::Enough {
            break;
        }
    }
    Ok(())
}

/// A value is written as the type the statement has for it; one that does not fit is refused.
impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match (self, kind) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Bool(flag), &Type::BOOL) => flag.to_sql(kind, out),
            (Value::Number(number), &Type::INT8) => number.to_sql(kind, out),
            (Value::Number(number), &Type::INT4) => i32::try_from(*number)?.to_sql(kind, out),
            (Value::Number(number), &Type::INT2) => i16::try_from(*number)?.to_sql(kind, out),
            (Value::Text(text), &Type::TEXT) => text.as_ref().to_sql(kind, out),
            (Value::Bytes(bytes), &Type::BYTEA) => bytes.as_ref().to_sql(kind, out),
            (Value::Id(bytes), &Type::UUID) => Uuid::from_bytes(*bytes).to_sql(kind, out),
            (Value::NoVault, &Type::UUID) => Uuid::nil().to_sql(kind, out),
            (Value::Names([]), _) => Ok(IsNull::Yes),
            (Value::Names(names), &Type::TEXT) => names_json(names).to_sql(kind, out),
            (Value::Names(names), &Type::TEXT_ARRAY) => {
                names.iter().map(|name| name.as_str()).collect::<Vec<_>>().to_sql(kind, out)
            }
            (Value::List(values), _) => values.as_slice().to_sql(kind, out),
            (_, kind) => Err(format!("a value does not fit a parameter of type {kind}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl Row for tokio_postgres::Row {
    fn cell(&self, index: usize) -> Result<Cell<'_>> {
        let kind = self.columns()[index].type_();
        Ok(match *kind {
            Type::BOOL => get::<Option<bool>>(self, index)?.map_or(Cell::Null, Cell::Bool),
            Type::INT2 => number(get::<Option<i16>>(self, index)?),
            Type::INT4 => number(get::<Option<i32>>(self, index)?),
            Type::INT8 => number(get::<Option<i64>>(self, index)?),
            Type::BYTEA => get::<Option<&[u8]>>(self, index)?.map_or(Cell::Null, Cell::Bytes),
            Type::UUID => {
                get::<Option<Uuid>>(self, index)?.map_or(Cell::Null, |id| Cell::Id(id.into_bytes()))
            }
            Type::TEXT_ARRAY => {
                get::<Option<Vec<&str>>>(self, index)?.map_or(Cell::Null, Cell::Texts)
            }
            _ => get::<Option<&str>>(self, index)?.map_or(Cell::Null, Cell::Text),
        })
    }
}

fn number(number: Option<impl Into<i64>>) -> Cell<'static> {
    number.map_or(Cell::Null, |number| Cell::Number(number.into()))
}

/// A column's value, by its name or its place.
pub(crate) fn get<'r, T: FromSql<'r>>(
    row: &'r tokio_postgres::Row,
    column: impl tokio_postgres::row::RowIndex + std::fmt::Display,
) -> Result<T> {
    row.try_get(column).map_err(|error| Error::damaged(format!("a row could not be read: {error}")))
}
