//! Conversations, as tools take and give them. The names are those of the plugin these two tools
//! come from.

use everwhen::conversations::EndOfConversation;
use everwhen::memory::{Address, Conversation, ConversationName, Entry, Name};
use everwhen::ports::{ConversationOrder, ConversationQuery, Order};
use everwhen::{ConversationView, Error, ErrorKind, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read_conversation;

/// Default number of conversations in a list.
const RECENT: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetConversation {
    /// Whole conversation, with all messages
    conversation_id: Option<String>,
    /// How many to list, summaries only; default 10
    #[schemars(with = "Option<f64>")]
    list_recent: Option<Value>,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

/// One conversation, or the last ones.
pub(crate) enum ConversationRequest {
    One(ConversationName),
    Recent(ConversationQuery),
}

impl GetConversation {
    /// Reads what is asked for; an id wins over a list.
    pub(crate) fn read(self) -> Result<ConversationRequest> {
        match self.conversation_id.as_deref() {
            Some(text) if text.trim().is_empty() => {
                Err(Error::invalid("conversation_id must be a non-empty string"))
            }
            Some(text) => Address::read("conversation_id", text).map(ConversationRequest::One),
            None => Ok(ConversationRequest::Recent(recent(self.list_recent.as_ref()))),
        }
    }
}

/// The last ended conversations. What is no number above zero means the usual number of them.
fn recent(count: Option<&Value>) -> ConversationQuery {
    let count = count.and_then(Value::as_f64).map(f64::floor).filter(|count| *count >= 1.0);
    let most = everwhen::limits::PAGE_ROWS;
    ConversationQuery {
        ended: Some(true),
        by: ConversationOrder::Ended,
        order: Order::Newest,
        limit: Some(count.map_or(RECENT, |count| count.min(most as f64) as usize)),
        ..ConversationQuery::default()
    }
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct ConversationOutput {
    #[serde(flatten)]
    conversation: Option<OneOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<MessageOutput>>,
    /// Newest first
    #[serde(skip_serializing_if = "Option::is_none")]
    conversations: Option<Vec<ListedOutput>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OneOutput {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ListedOutput {
    #[serde(flatten)]
    conversation: OneOutput,
    message_count: u64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MessageOutput {
    timestamp: String,
    role: &'static str,
    content: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    tools_used: Vec<String>,
}

impl From<Conversation> for OneOutput {
    fn from(conversation: Conversation) -> Self {
        let id = conversation.wire_name();
        let (title, summary) =
            conversation.summary.map(|summary| (summary.title, summary.text)).unzip();
        Self {
            id,
            title,
            summary,
            started_at: conversation.started_at.to_string(),
            ended_at: conversation.ended.map(|ended| ended.at.to_string()),
        }
    }
}

impl From<Entry> for MessageOutput {
    fn from(entry: Entry) -> Self {
        Self {
            timestamp: entry.conversation_time.to_string(),
            role: entry.role.as_str(),
            content: entry.content.as_str().to_owned(),
            tools_used: entry.tools_used.iter().map(Name::to_string).collect(),
        }
    }
}

impl ConversationOutput {
    /// One conversation with all its messages, once it has ended.
    pub(crate) fn whole(view: ConversationView) -> Result<Self> {
        if view.conversation.ended.is_none() {
            return Err(Error::new(
                ErrorKind::Conflict,
                "Cannot retrieve active conversation. Only completed conversations are accessible.",
            ));
        }
        Ok(Self {
            conversation: Some(view.conversation.into()),
            messages: Some(view.entries.into_iter().map(MessageOutput::from).collect()),
            conversations: None,
        })
    }

    /// The last conversations, without their messages.
    pub(crate) fn list(conversations: Vec<Conversation>) -> Self {
        let row = |conversation: Conversation| ListedOutput {
            message_count: conversation.entries,
            conversation: conversation.into(),
        };
        Self {
            conversations: Some(conversations.into_iter().map(row).collect()),
            ..Self::default()
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndConversationRequest {
    /// Why, e.g. "task completed"
    reason: Option<String>,
    /// Default the active one
    conversation_id: Option<String>,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

impl EndConversationRequest {
    /// Reads which conversation is meant, and why it ends. An agent ends it inside an exchange, and its
    /// program may store that exchange afterwards.
    pub(crate) fn read(self) -> Result<EndOfConversation> {
        let conversation = read_conversation(self.conversation_id.as_deref())?;
        Ok(EndOfConversation { conversation, reason: self.reason, in_exchange: true })
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Ended {
    message: String,
    conversation_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
}

impl Ended {
    /// Says that it has ended, and what comes next.
    pub(crate) fn write(conversation: Conversation, reason: Option<&str>) -> Self {
        let reason = reason.map_or_else(String::new, |reason| format!(" Reason: {reason}."));
        Self {
            message: format!(
                "Conversation ended successfully.{reason} Its title and summary are being \
                 written. The next message will start a new conversation."
            ),
            conversation_id: conversation.wire_name(),
            ended_at: conversation.ended.map(|ended| ended.at.to_string()),
        }
    }
}
