//! Statements that are sent without waiting for their answers.
//!
//! A statement whose answer decides nothing needs no round trip of its own: it travels with the next
//! one that is waited for, at the latest with the commit. Its values are encoded at once, because they
//! are borrowed from the caller.

use std::error::Error as StdError;
use std::future::Future;
use std::pin::Pin;

use bytes::BytesMut;
use tokio_postgres::Statement;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::connection::Values;
use super::failure::Failure;

/// A statement that was sent, with its outcome.
pub(super) type SentStatement = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send>>;

/// A value as it is sent.
#[derive(Debug)]
pub(super) struct EncodedValue(Option<BytesMut>);

/// Encodes the values of a statement.
pub(super) fn encode_all(
    statement: &Statement,
    values: Values<'_>,
) -> Result<Vec<EncodedValue>, Failure> {
    statement.params().iter().zip(values).map(|(kind, value)| encode(kind, *value)).collect()
}

fn encode(kind: &Type, value: &(dyn ToSql + Sync)) -> Result<EncodedValue, Failure> {
    let mut bytes = BytesMut::new();
    match value.to_sql_checked(kind, &mut bytes) {
        Ok(IsNull::Yes) => Ok(EncodedValue(None)),
        Ok(IsNull::No) => Ok(EncodedValue(Some(bytes))),
        Err(error) => Err(Failure::of_value(&*error)),
    }
}

impl ToSql for EncodedValue {
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
