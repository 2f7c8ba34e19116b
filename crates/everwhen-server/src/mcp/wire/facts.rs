//! Facts, as tools take and give them.

use everwhen::facts::{FactQuery, FactView, by_month};
use everwhen::memory::Name;
use everwhen::time::Zone;
use everwhen::{Page, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::search::read_top_k;
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
    pub(crate) memory: Option<String>,
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
            limit: Some(self.limit.map(read_top_k).transpose()?.unwrap_or(FACTS)),
            ..FactQuery::default()
        })
    }
}

#[derive(Serialize, JsonSchema)]
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
            text: by_month(&page.data, zone),
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
