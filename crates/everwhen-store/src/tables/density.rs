//! How many rows of the table `entry` there are over time, from its index by time alone.

use everwhen_engine::Result;
use everwhen_engine::ports::{Buckets, MemoryRef, TimeAxis, Which};
use jiff::Timestamp;

use super::entries::which;
use super::filter::Filter;
use super::{Database, columns};

columns! { static SAID: SaidTime { time = "conversation_time" } }
columns! { static STORED: StoredTime { time = "creation_time" } }
columns! { static BY_SAID: BySaid { bucket = "(conversation_time - ?3) / ?4", entries = "count(*)" } }
columns! { static BY_STORED: ByStored { bucket = "(creation_time - ?3) / ?4", entries = "count(*)" } }

/// The first and the last time of the entries that are meant.
pub(crate) fn span(
    db: &dyn Database,
    memory: MemoryRef,
    axis: TimeAxis,
    meant: Which,
) -> Result<Option<(Timestamp, Timestamp)>> {
    let (select, column, at) = match axis {
        TimeAxis::ConversationTime => (SAID.select("FROM entry"), "conversation_time", SAID.time),
        TimeAxis::CreationTime => (STORED.select("FROM entry"), "creation_time", STORED.time),
    };
    let end = |order: &str| -> Result<Option<Timestamp>> {
        let mut filter = Filter::new(memory);
        which(&mut filter, meant);
        let rest = format!("ORDER BY {column} {order} LIMIT 1");
        let sql = filter.sql(db.dialect(), &select, &rest);
        Ok(db.all_of(&sql, &filter.values, |row| row.get(at))?.pop())
    };
    Ok(end("ASC")?.zip(end("DESC")?))
}

/// How many of the entries that are meant are in each part of a stretch of time.
pub(crate) fn counts(
    db: &dyn Database,
    memory: MemoryRef,
    axis: TimeAxis,
    meant: Which,
    buckets: Buckets,
) -> Result<Vec<u64>> {
    let (select, column, at) = match axis {
        TimeAxis::ConversationTime => {
            (BY_SAID.select("FROM entry"), "conversation_time", (BY_SAID.bucket, BY_SAID.entries))
        }
        TimeAxis::CreationTime => {
            (BY_STORED.select("FROM entry"), "creation_time", (BY_STORED.bucket, BY_STORED.entries))
        }
    };
    let mut filter = Filter::new(memory);
    let since = filter.value(buckets.since);
    filter.value(buckets.width_micros());
    filter.condition(&format!("{column} >= {since}"));
    filter.add(&format!("{column} <"), buckets.until);
    which(&mut filter, meant);
    let sql = filter.sql(db.dialect(), &select, "GROUP BY 1");
    let rows: Vec<(u64, u64)> =
        db.all_of(&sql, &filter.values, |row| Ok((row.get(at.0)?, row.get(at.1)?)))?;
    let mut counts = vec![0; buckets.count];
    for (bucket, entries) in rows {
        let bucket = usize::try_from(bucket).unwrap_or(usize::MAX);
        counts[bucket.min(buckets.count - 1)] += entries;
    }
    Ok(counts)
}
