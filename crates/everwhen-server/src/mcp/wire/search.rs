//! Questions and what was found, as tools take and give them.

use everwhen::memory::Name;
use everwhen::recall::{self, ContextFound, EntryFound, PeriodUse, Query, Recollection};
use everwhen::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{read_time, whole};

/// Most items that are answered: more would fill a model's window.
const MOST: u32 = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchMemories {
    /// The question in words, time words included
    query: String,
    /// When it is asked, RFC 3339; default now
    asked_at: Option<String>,
    /// Only said at this time or later, RFC 3339
    after: Option<String>,
    /// Only said before this time
    before: Option<String>,
    /// As memory stood at this time
    as_of: Option<String>,
    /// What a time in words does: put first (default), or leave out all else
    #[schemars(extend("enum" = ["boost", "filter"]))]
    period: Option<String>,
    /// 1 to 100, default 10
    #[serde(default, deserialize_with = "whole", alias = "top_ke")]
    top_k: Option<u32>,
    /// Taken and not used: contexts have no limit of their own
    #[serde(default, rename = "top_kc")]
    #[schemars(skip)]
    _top_kc: Option<u32>,
    /// Whole texts in items
    #[serde(alias = "include_raw_entries")]
    include_raw: Option<bool>,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

impl SearchMemories {
    /// Reads the question, and whether whole texts are wanted.
    pub(crate) fn read(self) -> Result<(Query, bool)> {
        let query = Query {
            asked_at: read_time("asked_at", self.asked_at.as_deref())?,
            after: read_time("after", self.after.as_deref())?,
            before: read_time("before", self.before.as_deref())?,
            as_of: read_time("as_of", self.as_of.as_deref())?,
            period: self.period.as_deref().map(PeriodUse::named).transpose()?.unwrap_or_default(),
            limit: read_limit("top_k", self.top_k)?,
            ..Query::new(self.query)
        };
        Ok((query, self.include_raw.unwrap_or_default()))
    }
}

/// How many are wanted, by the tool's own parameter for it.
pub(super) fn read_limit(parameter: &str, wanted: Option<u32>) -> Result<Option<usize>> {
    match wanted {
        Some(wanted) if !(1..=MOST).contains(&wanted) => {
            Err(Error::invalid(format!("{parameter} is {wanted}; use 1 to {MOST}")))
        }
        wanted => Ok(wanted.map(|wanted| wanted as usize)),
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct SearchOutput {
    /// What was said, dated, oldest first, with a timeline
    briefing: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<AboutOutput>,
    /// Nothing was said then; items lie outside
    nothing_in_period: bool,
    /// Best first
    items: Vec<ItemOutput>,
    /// Context documents that answer the question
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    contexts: Vec<ContextItem>,
}

#[derive(Serialize, JsonSchema)]
struct ContextItem {
    version: u64,
    conversation_time: String,
    content: String,
}

/// How time words were read
#[derive(Serialize, JsonSchema)]
pub(crate) struct AboutOutput {
    words: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ItemOutput {
    entry_id: String,
    conversation_id: String,
    role: &'static str,
    conversation_time: String,
    creation_time: String,
    score: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_entry: Option<String>,
}

impl SearchOutput {
    /// The answer where nothing has been remembered yet.
    pub(crate) fn nothing_yet() -> Self {
        Self {
            briefing: "Nothing has been remembered yet.".to_owned(),
            about: None,
            nothing_in_period: false,
            items: Vec::new(),
            contexts: Vec::new(),
        }
    }

    /// Writes what was found.
    pub(crate) fn write(recollection: Recollection, include_raw: bool) -> Self {
        Self {
            items: recollection
                .items
                .into_iter()
                .map(|found| ItemOutput::write(found, include_raw))
                .collect(),
            contexts: recollection.contexts.into_iter().map(ContextItem::from).collect(),
            about: recollection.about.map(AboutOutput::from),
            nothing_in_period: recollection.nothing_in_period,
            briefing: recollection.briefing,
        }
    }
}

impl From<ContextFound> for ContextItem {
    fn from(found: ContextFound) -> Self {
        let document = found.document;
        Self {
            version: document.version,
            conversation_time: document.conversation_time.to_string(),
            content: document.content,
        }
    }
}

impl ItemOutput {
    fn write(found: EntryFound, include_raw: bool) -> Self {
        let entry = found.entry;
        let name = entry.conversation_name.as_ref().map(Name::to_string);
        Self {
            entry_id: entry.id.to_string(),
            conversation_id: name.unwrap_or_else(|| entry.conversation.to_string()),
            role: entry.role.as_str(),
            conversation_time: entry.conversation_time.to_string(),
            creation_time: entry.creation_time.to_string(),
            score: found.score,
            raw_entry: include_raw.then(|| entry.content.as_str().to_owned()),
            summary: entry.summary,
        }
    }
}

impl From<recall::About> for AboutOutput {
    fn from(about: recall::About) -> Self {
        let end = |end: Option<jiff::Timestamp>| end.map(|end| end.to_string());
        Self {
            since: end(about.period.and_then(|period| period.since())),
            until: end(about.period.and_then(|period| period.until())),
            words: about.words,
        }
    }
}
