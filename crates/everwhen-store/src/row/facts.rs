//! What facts and chapters have in columns.

use everwhen_engine::Result;
use everwhen_engine::facts::{Relation, Source, WrittenBy};
use everwhen_engine::time::Precision;

use super::damaged;

pub(crate) fn source_number(source: Source) -> i64 {
    match source {
        Source::Confirmed => 0,
        Source::Inferred => 1,
    }
}

pub(crate) fn source(number: i64) -> Result<Source> {
    match number {
        0 => Ok(Source::Confirmed),
        1 => Ok(Source::Inferred),
        other => Err(damaged("source of a fact", other)),
    }
}

pub(crate) fn precision_number(precision: Precision) -> i64 {
    match precision {
        Precision::Minute => 0,
        Precision::Day => 1,
        Precision::Month => 2,
        Precision::Year => 3,
    }
}

pub(crate) fn precision(number: i64) -> Result<Precision> {
    match number {
        0 => Ok(Precision::Minute),
        1 => Ok(Precision::Day),
        2 => Ok(Precision::Month),
        3 => Ok(Precision::Year),
        other => Err(damaged("precision", other)),
    }
}

/// Who wrote a fact, a chapter or a summary.
pub(crate) fn written_by(text: &str) -> Result<WrittenBy> {
    WrittenBy::named(text).ok_or_else(|| damaged("written_by", text))
}

/// How a fact follows another.
pub(crate) fn relation(text: &str) -> Result<Relation> {
    let found = Relation::ALL.into_iter().find(|one| one.as_str() == text);
    found.ok_or_else(|| damaged("relation of facts", text))
}
