//! Facts.

use everwhen::Result;
use everwhen::facts::{self, FactCorrection, FactLines, FactQuery, FactView, ProfileLine};
use everwhen::memory::Name;
use everwhen::time::{Period, Precision};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{read_query_time, shape};
use crate::api::cursor;

/// One dated statement with its evidence.
#[derive(Serialize, ToSchema)]
pub(crate) struct Fact {
    /// The id.
    #[schema(examples("fct_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    id: String,
    /// The statement with the day it was first mentioned, in the vault's zone.
    #[schema(examples("My A1C was 7.4% (mentioned 2025-01-10)"))]
    text: String,
    /// The statement without a date.
    statement: String,
    /// `confirmed` if the user said it literally, else `inferred`.
    #[schema(examples("confirmed"))]
    source: String,
    /// Its tags.
    tags: Vec<String>,
    /// The property and value that it states, if it states one.
    #[schema(required = true)]
    matter: Option<FactMatter>,
    /// When it happened, if the statement says so.
    #[schema(required = true)]
    event: Option<FactPeriod>,
    /// When it is true in the world.
    holds: FactPeriod,
    /// When the vault believed it.
    known: KnownPeriod,
    /// Whether the vault believes it now.
    current: bool,
    /// Whether it is pinned.
    pinned: bool,
    /// `critical` if it is pinned and confirmed, `important` if it is confirmed, else `info`.
    #[schema(examples("important"))]
    priority: String,
    /// When it was first mentioned.
    #[schema(value_type = shape::TimeOut)]
    mentioned_at: String,
    /// When it was last mentioned.
    #[schema(value_type = shape::TimeOut)]
    last_mentioned_at: String,
    /// The entries that are its evidence.
    evidence: Vec<FactEvidence>,
    /// The fact that it supersedes.
    #[schema(required = true)]
    supersedes: Option<String>,
    /// The fact that supersedes it.
    #[schema(required = true)]
    superseded_by: Option<String>,
    /// Who wrote it: `llm`, `extractive` for the built-in rules, or `user` for the owner's correction.
    #[schema(examples("extractive"))]
    written_by: String,
}

/// A property that has one value at a time.
#[derive(Serialize, ToSchema)]
pub(crate) struct FactMatter {
    /// The name of the property.
    #[schema(examples("a1c"))]
    key: String,
    /// Its value.
    #[schema(examples("7.4%"))]
    value: String,
}

/// A half-open period; an end that is null is open.
#[derive(Serialize, ToSchema)]
pub(crate) struct FactPeriod {
    /// First instant of the period.
    #[schema(required = true, value_type = Option<shape::TimeOut>)]
    since: Option<String>,
    /// First instant after the period.
    #[schema(required = true, value_type = Option<shape::TimeOut>)]
    until: Option<String>,
    /// How exactly the ends are known: `minute`, `day`, `month` or `year`.
    #[schema(examples("day"))]
    precision: String,
}

/// When the vault believed something.
#[derive(Serialize, ToSchema)]
pub(crate) struct KnownPeriod {
    /// When it was stored.
    #[schema(value_type = shape::TimeOut)]
    since: String,
    /// When it was superseded or retracted; null if it was not. Equal to `since` for an old statement
    /// that was stored late.
    #[schema(required = true, value_type = Option<shape::TimeOut>)]
    until: Option<String>,
}

/// A part of an entry.
#[derive(Serialize, ToSchema)]
pub(crate) struct FactEvidence {
    /// The entry.
    #[schema(value_type = shape::EntryRef)]
    entry_id: String,
    /// Start of the part, in bytes of the content.
    start: u64,
    /// End of the part.
    end: u64,
}

impl From<Period> for FactPeriod {
    fn from(period: Period) -> Self {
        let precision = match period.precision() {
            Precision::Minute => "minute",
            Precision::Day => "day",
            Precision::Month => "month",
            Precision::Year => "year",
        };
        Self {
            since: period.since().map(|time| time.to_string()),
            until: period.until().map(|time| time.to_string()),
            precision: precision.to_owned(),
        }
    }
}

impl From<&facts::Evidence> for FactEvidence {
    fn from(evidence: &facts::Evidence) -> Self {
        Self {
            entry_id: evidence.entry.to_string(),
            start: evidence.range.start as u64,
            end: evidence.range.end as u64,
        }
    }
}

impl From<FactView> for Fact {
    fn from(view: FactView) -> Self {
        let current = view.is_current();
        let priority = view.fact.priority().as_str().to_owned();
        let FactView { fact, text, evidence, holds, .. } = view;
        Self {
            id: fact.id.to_string(),
            text,
            statement: fact.statement,
            source: fact.source.as_str().to_owned(),
            tags: fact.tags.iter().map(Name::to_string).collect(),
            matter: fact.matter.map(|one| FactMatter { key: one.key, value: one.value }),
            event: fact.event.map(FactPeriod::from),
            holds: holds.into(),
            known: KnownPeriod {
                since: view.known_since.to_string(),
                until: view.known_until.map(|time| time.to_string()),
            },
            current,
            pinned: fact.pinned_at.is_some(),
            priority,
            mentioned_at: fact.mentioned_at.to_string(),
            last_mentioned_at: view.last_mentioned_at.to_string(),
            evidence: evidence.iter().map(FactEvidence::from).collect(),
            supersedes: view.supersedes.map(|id| id.to_string()),
            superseded_by: view.superseded_by.map(|id| id.to_string()),
            written_by: fact.by.as_str().to_owned(),
        }
    }
}

/// Which profile is asked for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ProfileQuery {
    /// As the vault believed at this time.
    #[param(value_type = Option<shape::TimeIn>)]
    as_of: Option<String>,
}

impl ProfileQuery {
    /// Reads it.
    pub(crate) fn read(self) -> Result<Option<Timestamp>> {
        read_query_time("as_of", self.as_of.as_deref())
    }
}

/// Filters for facts.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FactsQuery {
    /// Facts as they were believed at this time.
    #[param(value_type = Option<shape::TimeIn>)]
    as_of: Option<String>,
    /// Only facts that hold in this period: a year, a month, a day, two of them with a slash, or words
    /// such as `last April`. Includes facts that were superseded since.
    #[param(inline, value_type = Option<shape::AboutText>)]
    about: Option<String>,
    /// Include superseded facts.
    all: Option<bool>,
    /// Only facts with this tag.
    #[param(value_type = Option<shape::Name>)]
    tag: Option<String>,
    /// Only pinned facts.
    pinned: Option<bool>,
    /// `next_cursor` of the previous page.
    #[param(inline, value_type = Option<shape::FactCursor>)]
    cursor: Option<String>,
    /// Maximum number of rows in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<usize>,
}

impl FactsQuery {
    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<FactQuery> {
        Ok(FactQuery {
            as_of: read_query_time("as_of", self.as_of.as_deref())?,
            about: self.about,
            all: self.all.unwrap_or_default(),
            tag: self.tag.map(|tag| Name::new("tag", tag)).transpose()?,
            pinned: self.pinned.unwrap_or_default(),
            from: self.cursor.as_deref().map(cursor::read_fact).transpose()?,
            limit: self.limit,
        })
    }
}

/// How facts are written.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FactsTextQuery {
    /// Include superseded facts.
    all: Option<bool>,
    /// Put `[CRITICAL]`, `[IMPORTANT]` or `[INFO]` before each fact.
    marks: Option<bool>,
}

impl FactsTextQuery {
    /// Converts it to the engine's type.
    pub(crate) fn read(&self) -> FactLines {
        FactLines { all: self.all.unwrap_or_default(), marks: self.marks.unwrap_or_default() }
    }
}

/// How a fact is to read.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewFactText {
    /// The statement, without a date.
    #[schema(min_length = 1, max_length = 300, examples("My A1C was 7.4%"))]
    statement: String,
    /// The property and value it states; else what the built-in rules read from the statement.
    matter: Option<NewFactMatter>,
    /// Its tags; unchanged if absent.
    #[schema(value_type = Option<Vec<shape::Name>>)]
    tags: Option<Vec<String>>,
}

/// A property and its value.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewFactMatter {
    /// The name of the property.
    #[schema(examples("a1c"))]
    key: String,
    /// Its value.
    #[schema(examples("7.4%"))]
    value: String,
}

impl NewFactText {
    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<FactCorrection> {
        let named = |tags: Vec<String>| -> Result<Vec<Name>> {
            tags.into_iter().map(|tag| Name::new("tag", tag)).collect()
        };
        Ok(FactCorrection {
            statement: self.statement,
            matter: self.matter.map(|matter| (matter.key, matter.value)),
            tags: self.tags.map(named).transpose()?,
        })
    }
}

/// A fact that was removed.
#[derive(Serialize, ToSchema)]
pub(crate) struct FactRemoved {
    /// Its id.
    pub(crate) id: String,
}

/// Pins or unpins a fact.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pin {
    /// Whether to pin it; true if absent.
    pinned: Option<bool>,
}

impl Pin {
    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> bool {
        self.pinned.unwrap_or(true)
    }
}

/// The facts that are believed now, as text for a model.
#[derive(Serialize, ToSchema)]
pub(crate) struct FactsText {
    /// Facts grouped by the month they were mentioned in; pinned ones first.
    pub(crate) text: String,
}

/// The current value of one property.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProfileValue {
    /// The name of the property.
    #[schema(examples("a1c"))]
    key: String,
    /// Its current value.
    #[schema(examples("6.8%"))]
    value: String,
    /// When it was last mentioned.
    #[schema(value_type = shape::TimeOut)]
    mentioned_at: String,
    /// The fact that states it.
    fact_id: String,
}

impl From<ProfileLine> for ProfileValue {
    fn from(line: ProfileLine) -> Self {
        Self {
            key: line.key,
            value: line.value,
            mentioned_at: line.mentioned_at.to_string(),
            fact_id: line.fact.to_string(),
        }
    }
}
