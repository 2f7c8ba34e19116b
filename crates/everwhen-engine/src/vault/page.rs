//! Pages of lists: bounds, limits, and where the next page begins.

use jiff::Timestamp;

use super::View;
use crate::memory::Entry;
use crate::ports::{Cursor, EntryQuery};
use crate::{Error, Result, limits};

/// One page of a list, and where the next begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, C> {
    /// The rows.
    pub data: Vec<T>,
    /// Where to go on; nothing if this was the last page.
    pub next: Option<C>,
}

/// The limit of a page, checked.
pub(crate) fn page_limit(limit: Option<usize>) -> Result<usize> {
    let limit = limit.unwrap_or(limits::PAGE_ROWS_DEFAULT);
    if (1..=limits::PAGE_ROWS).contains(&limit) {
        return Ok(limit);
    }
    Err(Error::invalid(format!("limit is {limit}; use 1 to {}", limits::PAGE_ROWS)))
}

/// Checks the bounds and the limit of a list; answers the limit.
pub(crate) fn bounded(
    after: Option<Timestamp>,
    before: Option<Timestamp>,
    limit: Option<usize>,
) -> Result<usize> {
    check_bounds(after, before)?;
    page_limit(limit)
}

/// Refuses a period in which nothing can lie.
pub(crate) fn check_bounds(after: Option<Timestamp>, before: Option<Timestamp>) -> Result<()> {
    match (after, before) {
        (Some(after), Some(before)) if after >= before => Err(Error::invalid(format!(
            "the period is empty: after is {after}, before is {before}; before must be later"
        ))),
        _ => Ok(()),
    }
}

/// A page from rows of which one more was asked for than fits.
pub(crate) fn page<T, C>(mut rows: Vec<T>, limit: usize, cursor: impl Fn(&T) -> C) -> Page<T, C> {
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = if more { rows.last().map(cursor) } else { None };
    Page { data: rows, next }
}

/// A page of entries.
pub(crate) fn list_entries(
    view: &View<'_>,
    query: EntryQuery,
    limit: usize,
) -> Result<Page<Entry, Cursor>> {
    let query = EntryQuery { limit: Some(limit + 1), with_periods: true, ..query };
    let rows = view.snapshot.entries(view.place, &query)?;
    Ok(page(rows, limit, |entry: &Entry| query.cursor(entry)))
}
