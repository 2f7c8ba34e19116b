//! Pages of lists.

use everwhen::memory::Name;
use everwhen::{Error, Result, limits};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::shape;
use crate::api::cursor;

/// One page of a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct Page<T> {
    /// The rows.
    pub(crate) data: Vec<T>,
    /// Where the next page begins; null on the last one.
    #[schema(required = true)]
    pub(crate) next_cursor: Option<String>,
    /// Whether there is another page.
    pub(crate) has_more: bool,
}

impl<T> Page<T> {
    /// Converts a page of the engine.
    pub(crate) fn write<D, C>(
        page: everwhen::Page<D, C>,
        row: impl FnMut(D) -> Result<T>,
        cursor: impl FnOnce(&C) -> String,
    ) -> Result<Self> {
        let data = page.data.into_iter().map(row).collect::<Result<_>>()?;
        Ok(Self {
            data,
            has_more: page.next.is_some(),
            next_cursor: page.next.as_ref().map(cursor),
        })
    }

    /// A list that is never paged.
    pub(crate) fn whole(data: Vec<T>) -> Self {
        Self { data, next_cursor: None, has_more: false }
    }
}

/// Paging of lists by name.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct NamesQuery {
    /// `next_cursor` of the previous page.
    #[param(inline, value_type = Option<shape::NameCursor>)]
    cursor: Option<String>,
    /// Maximum number of rows in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub(crate) limit: Option<usize>,
}

impl NamesQuery {
    /// The name after which the page begins.
    pub(crate) fn after(&self) -> Result<Option<Name>> {
        Ok(self.cursor.as_deref().map(cursor::read_name).transpose()?.flatten())
    }

    /// The checked number of rows, for lists that the engine does not check.
    pub(crate) fn rows(&self) -> Result<usize> {
        match self.limit.unwrap_or(limits::PAGE_ROWS_DEFAULT) {
            rows if (1..=limits::PAGE_ROWS).contains(&rows) => Ok(rows),
            rows => Err(Error::invalid(format!("limit is {rows}; use 1 to {}", limits::PAGE_ROWS))),
        }
    }
}
