//! How many rows of the table `entry` there are over time, from its index by time alone.

use everwhen_engine::Result;
use everwhen_engine::ports::{Buckets, MemoryRef, TimeAxis, Which};
use jiff::Timestamp;

use super::entries::which;
use super::filter::Filter;
use super::{Database, Dialect, Row, columns};

columns! { static SAID: SaidTime { time = "conversation_time" } }
columns! {
    static STORED: StoredEnds { first = "min(creation_time)", last = "max(creation_time)" }
}
columns! { static BY_SAID: BySaid { bucket = "(conversation_time - ?3) / ?4", entries = "count(*)" } }
columns! { static BY_STORED: ByStored { bucket = "(creation_time - ?3) / ?4", entries = "count(*)" } }
columns! { static BY_PART: ByPart { bucket = "bucket", entries = "entries" } }

/// The first and the last time of the entries that are meant.
pub(crate) fn span(
    db: &dyn Database,
    memory: MemoryRef,
    axis: TimeAxis,
    meant: Which,
) -> Result<Option<(Timestamp, Timestamp)>> {
    let mut filter = Filter::in_index(db.dialect(), memory);
    which(&mut filter, meant);
    match axis {
        TimeAxis::ConversationTime => {
            let end = |order: &str| -> Result<Option<Timestamp>> {
                let rest = format!("ORDER BY conversation_time {order} LIMIT 1");
                let sql = filter.sql(db.dialect(), &SAID.select("FROM entry"), &rest);
                Ok(db.all_of(&sql, &filter.values, |row| row.get(SAID.time))?.pop())
            };
            Ok(end("ASC")?.zip(end("DESC")?))
        }
        // No index is in this order, so both are found in one pass.
        TimeAxis::CreationTime => {
            let sql = filter.sql(db.dialect(), &STORED.select("FROM entry"), "");
            let ends = |row: &dyn Row| row.pair(STORED.first, STORED.last);
            Ok(db.all_of(&sql, &filter.values, ends)?.pop().flatten())
        }
    }
}

/// How many of the entries that are meant are in each part of a stretch of time.
pub(crate) fn counts(
    db: &dyn Database,
    memory: MemoryRef,
    axis: TimeAxis,
    meant: Which,
    buckets: Buckets,
) -> Result<Vec<u64>> {
    let rows = match (axis, db.dialect()) {
        (TimeAxis::ConversationTime, Dialect::Sqlite) => by_part(db, memory, meant, buckets),
        _ => grouped(db, memory, axis, meant, buckets),
    }?;
    let mut counts = vec![0; buckets.count];
    for (bucket, entries) in rows {
        let bucket = usize::try_from(bucket).unwrap_or(usize::MAX);
        counts[bucket.min(buckets.count - 1)] += entries;
    }
    Ok(counts)
}

/// Parts of time that have entries, each with their number. SQLite would sort the entries to group them by when they were said,
/// though the index has them in this order: one range of it is counted for each part.
fn by_part(
    db: &dyn Database,
    memory: MemoryRef,
    meant: Which,
    buckets: Buckets,
) -> Result<Vec<(u64, u64)>> {
    let mut filter = Filter::in_index(db.dialect(), memory);
    let (since, width) = (filter.value(buckets.since), filter.value(buckets.width_micros()));
    let until = filter.value(buckets.until);
    let last = filter.value(buckets.count as u64 - 1);
    filter.condition(&format!("conversation_time >= {since} + part.bucket * {width}"));
    filter.condition(&format!(
        "conversation_time < CASE part.bucket WHEN {last} THEN {until}
            ELSE min({since} + (part.bucket + 1) * {width}, {until}) END"
    ));
    which(&mut filter, meant);
    let select = BY_PART.select(&format!(
        "FROM (WITH RECURSIVE part (bucket) AS
            (SELECT 0 UNION ALL SELECT bucket + 1 FROM part WHERE bucket < {last})
            SELECT part.bucket AS bucket, (SELECT count(*) FROM entry"
    ));
    let sql = filter.sql(db.dialect(), &select, ") AS entries FROM part)");
    db.all_of(&sql, &filter.values, |row| Ok((row.get(BY_PART.bucket)?, row.get(BY_PART.entries)?)))
}

/// Counts the entries of each part by grouping.
fn grouped(
    db: &dyn Database,
    memory: MemoryRef,
    axis: TimeAxis,
    meant: Which,
    buckets: Buckets,
) -> Result<Vec<(u64, u64)>> {
    let (select, column, at) = match axis {
        TimeAxis::ConversationTime => {
            (BY_SAID.select("FROM entry"), "conversation_time", (BY_SAID.bucket, BY_SAID.entries))
        }
        TimeAxis::CreationTime => {
            (BY_STORED.select("FROM entry"), "creation_time", (BY_STORED.bucket, BY_STORED.entries))
        }
    };
    let mut filter = Filter::in_index(db.dialect(), memory);
    let since = filter.value(buckets.since);
    filter.value(buckets.width_micros());
    filter.condition(&format!("{column} >= {since}"));
    filter.add(&format!("{column} <"), buckets.until);
    which(&mut filter, meant);
    let sql = filter.sql(db.dialect(), &select, "GROUP BY 1");
    db.all_of(&sql, &filter.values, |row| Ok((row.get(at.0)?, row.get(at.1)?)))
}
