//! Statements that are sent without waiting for their answers.
//!
//! A statement whose answer decides nothing need not cost a journey of its own: it travels with the
//! next one that is waited for, at the latest with the commit. Its values are put into the form they
//! travel in at once, because those who gave them will not wait.

use std::error::Error as StdError;
use std::future::Future;
use std::pin::Pin;

use bytes::BytesMut;
use tokio_postgres::Statement;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::connection::Values;
use super::failure::Failure;

/// A statement on its way, and what became of it.
pub(super) type Sent = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send>>;

/// A value in the form it travels in.
#[derive(Debug)]
pub(super) struct Packed(Option<BytesMut>);

/// The values of a statement in the form they travel in.
pub(super) fn packed(statement: &Statement, values: Values<'_>) -> Result<Vec<Packed>, Failure> {
    statement.params().iter().zip(values).map(|(kind, value)| pack(kind, *value)).collect()
}

fn pack(kind: &Type, value: &(dyn ToSql + Sync)) -> Result<Packed, Failure> {
    let mut bytes = BytesMut::new();
    match value.to_sql_checked(kind, &mut bytes) {
        Ok(IsNull::Yes) => Ok(Packed(None)),
        Ok(IsNull::No) => Ok(Packed(Some(bytes))),
        Err(error) => Err(Failure::of_value(&*error)),
    }
}

impl ToSql for Packed {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        let Some(bytes) = &self.0 else { return Ok(IsNull::Yes) };
        out.extend_from_slice(bytes);
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
