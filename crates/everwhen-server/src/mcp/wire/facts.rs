//! Facts, as tools take and give them.

use everwhen::facts::{FactCorrection, FactLines, FactQuery, FactView, ProfileLine, by_month};
use everwhen::memory::{FactId, Name};
use everwhen::time::Zone;
use everwhen::{Error, Page, Result};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::search::read_limit;
use super::{read_time, whole};

/// Default number of facts: a list costs tokens.
const FACTS: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListFacts {
    /// "2025-04", "2025-04-01/2025-05-01" or "last April"
    about: Option<String>,
    /// RFC 3339
    as_of: Option<String>,
    /// Replaced ones too
    all: Option<bool>,
    tag: Option<String>,
    /// 1 to 100, default 50
    #[serde(default, deserialize_with = "whole")]
    limit: Option<u32>,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

impl ListFacts {
    /// Reads what is asked for.
    pub(crate) fn read(self) -> Result<FactQuery> {
        Ok(FactQuery {
            as_of: read_time("as_of", self.as_of.as_deref())?,
            about: self.about,
            all: self.all.unwrap_or_default(),
            tag: self.tag.map(|tag| Name::new("tag", tag)).transpose()?,
            limit: Some(read_limit("limit", self.limit)?.unwrap_or(FACTS)),
            ..FactQuery::default()
        })
    }
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct FactsOutput {
    /// By month, "- statement (mentioned 2025-03-15) (confirmed)"
    text: String,
    facts: Vec<FactOutput>,
    has_more: bool,
}

#[derive(Serialize, JsonSchema)]
struct FactOutput {
    id: String,
    statement: String,
    mentioned_at: String,
    /// Believed now
    current: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<String>,
    /// Entries it rests on
    entry_ids: Vec<String>,
}

impl FactsOutput {
    /// A page of facts, as text and one by one.
    pub(crate) fn write<C>(page: Page<FactView, C>, zone: &Zone) -> Self {
        Self {
            text: by_month(&page.data, zone, FactLines::default()),
            has_more: page.next.is_some(),
            facts: page.data.into_iter().map(FactOutput::from).collect(),
        }
    }
}

impl From<FactView> for FactOutput {
    fn from(view: FactView) -> Self {
        Self {
            id: view.fact.id.to_string(),
            current: view.is_current(),
            mentioned_at: view.fact.mentioned_at.to_string(),
            superseded_by: view.superseded_by.map(|id| id.to_string()),
            entry_ids: view.evidence.iter().map(|one| one.entry.to_string()).collect(),
            statement: view.fact.statement,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetProfile {
    /// RFC 3339
    as_of: Option<String>,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

impl GetProfile {
    /// Reads the time that is asked about.
    pub(crate) fn read(&self) -> Result<Option<Timestamp>> {
        read_time("as_of", self.as_of.as_deref())
    }
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct ProfileOutput {
    values: Vec<ProfileValueOutput>,
}

#[derive(Serialize, JsonSchema)]
struct ProfileValueOutput {
    key: String,
    value: String,
    mentioned_at: String,
    fact_id: String,
}

impl ProfileOutput {
    /// All present values.
    pub(crate) fn write(lines: Vec<ProfileLine>) -> Self {
        let value = |line: ProfileLine| ProfileValueOutput {
            key: line.key,
            value: line.value,
            mentioned_at: line.mentioned_at.to_string(),
            fact_id: line.fact.to_string(),
        };
        Self { values: lines.into_iter().map(value).collect() }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PinFact {
    fact_id: String,
    /// Default true
    pinned: Option<bool>,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

impl PinFact {
    /// Reads which fact is meant, and whether it is to be pinned.
    pub(crate) fn read(&self) -> Result<(FactId, bool)> {
        Ok((read_fact(&self.fact_id)?, self.pinned.unwrap_or(true)))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CorrectFact {
    fact_id: String,
    /// One sentence, without a date
    statement: String,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

impl CorrectFact {
    /// Reads which fact is meant, and how it is to read.
    pub(crate) fn read(self) -> Result<(FactId, FactCorrection)> {
        let correction = FactCorrection { statement: self.statement, ..FactCorrection::default() };
        Ok((read_fact(&self.fact_id)?, correction))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveFact {
    fact_id: String,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

impl RemoveFact {
    /// Reads which fact is meant.
    pub(crate) fn read(&self) -> Result<FactId> {
        read_fact(&self.fact_id)
    }
}

fn read_fact(text: &str) -> Result<FactId> {
    text.parse().map_err(|error: Error| error.at("fact_id"))
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct FactChanged {
    /// The fact as it stands now
    pub(crate) fact_id: String,
}
