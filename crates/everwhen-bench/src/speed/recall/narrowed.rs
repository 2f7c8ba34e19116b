//! Ways to narrow a question: a time it names, bounds, who spoke, a tag, what was stored by then.

use anyhow::Result;
use everwhen::memory::{Name, Role};
use everwhen::recall::{PeriodUse, Query};
use jiff::Timestamp;

use crate::harness::filler;

/// A filter on a question.
pub(super) enum Narrowing {
    /// The question names a time, with this use of the period; it is asked at the last entry.
    Named(&'static str, PeriodUse, Timestamp),
    /// The caller sets bounds.
    Between(Timestamp, Timestamp),
    /// Only this role.
    Role(Role),
    /// Only this tag.
    Tag(Name),
    /// The state at this time.
    AsOf(Timestamp),
}

impl Narrowing {
    /// All filters, for a memory of this number of entries; half of them were stored at `half`.
    pub(super) fn all(entries: usize, half: Timestamp) -> Result<Vec<Self>> {
        let end = filler::time(entries)?;
        Ok(vec![
            Self::Named("last month", PeriodUse::Boost, end),
            Self::Named("last month", PeriodUse::Filter, end),
            Self::Named("yesterday", PeriodUse::Filter, end),
            Self::Named("our last conversation", PeriodUse::Boost, end),
            Self::Between(filler::time(entries / 4)?, filler::time(entries * 3 / 4)?),
            Self::Role(Role::User),
            Self::Tag(filler::tag()?),
            Self::AsOf(half),
        ])
    }

    /// What it is called in the report.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Named(when, PeriodUse::Filter, _) => format!("{when}, filter"),
            Self::Named(when, ..) => (*when).to_owned(),
            Self::Between(..) => "after, before".to_owned(),
            Self::Role(role) => format!("role {}", role.as_str()),
            Self::Tag(tag) => format!("tag {tag}"),
            Self::AsOf(_) => "as_of half".to_owned(),
        }
    }

    /// The question, narrowed.
    pub(super) fn narrow(&self, query: Query) -> Query {
        match self {
            Self::Named(when, period, asked_at) => Query {
                text: format!("{} {when}?", query.text),
                period: *period,
                asked_at: Some(*asked_at),
                ..query
            },
            Self::Between(after, before) => {
                Query { after: Some(*after), before: Some(*before), ..query }
            }
            Self::Role(role) => Query { roles: vec![*role], ..query },
            Self::Tag(tag) => Query { tags: vec![tag.clone()], ..query },
            Self::AsOf(as_of) => Query { as_of: Some(*as_of), ..query },
        }
    }
}
