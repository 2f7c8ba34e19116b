//! An exchange as it waits in the outbox: a head, and the messages of its history, each JSON of its
//! own so that what is sent again with every request is kept once. And a line of the spool, the file
//! that came before the outbox.

use everwhen::activity::{Activity, ActivityKind};
use everwhen::ledger::{Commit, ExchangeReply, History, Message, Wanted};
use everwhen::memory::{Name, Person, Role};
use everwhen::{Error, Result};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::super::client;
use super::super::history::names;

/// What the outbox knows of an exchange beside its messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptHead {
    /// When it was sent, in microseconds since 1970; no two are the same.
    pub(crate) at: i64,
    /// Whether the time of its reply is settled at once.
    pub(crate) at_once: bool,
    /// Whether the client said that it sends this again.
    #[serde(default)]
    pub(crate) resent: bool,
    /// The memory that is meant if the client named none and no history is recognised.
    pub(crate) otherwise: Option<String>,
    /// Who sent it, as hashes.
    pub(crate) client: String,
    /// Whose chat the memory is, if it is one.
    pub(crate) chat_of: Option<String>,
    /// Ids that it refers to, each with the number of messages before it.
    #[serde(default)]
    pub(crate) ids: Vec<(usize, String)>,
    /// Whether the client always sends the whole chat.
    pub(crate) resends_all: bool,
    /// What it asks for, unless that is the next message.
    pub(crate) wanted: Option<String>,
    /// Who is to speak, if it says so.
    pub(crate) speaker: Option<String>,
    /// Tools that were called since the last words.
    #[serde(default)]
    pub(crate) tools: Vec<String>,
    /// The reply, once it is over.
    pub(crate) reply: Option<KeptReply>,
}

/// A reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptReply {
    pub(crate) content: String,
    pub(crate) truncated: bool,
    #[serde(default)]
    pub(crate) tools: Vec<String>,
    /// Ids in it that the client may send back.
    #[serde(default)]
    pub(crate) ids: Vec<String>,
    /// The model that gave it, and for how long it was at work, in microseconds.
    pub(crate) model: Option<String>,
    pub(crate) lasted: i64,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptMessage {
    role: String,
    content: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    other: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    speaker: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tools: Vec<String>,
}

const CONTINUATION: &str = "continuation";
const UNRECORDED: &str = "unrecorded";

impl KeptHead {
    /// What is kept of a history that was sent at this time, beside its messages.
    pub(crate) fn of(history: &History, at: i64, at_once: bool) -> Self {
        let wanted = match &history.wanted {
            Wanted::Reply | Wanted::By(_) => None,
            Wanted::Continuation => Some(CONTINUATION.into()),
            Wanted::Unrecorded => Some(UNRECORDED.into()),
        };
        let speaker =
            if let Wanted::By(name) = &history.wanted { Some(name.clone()) } else { None };
        Self {
            at,
            at_once,
            resent: history.resent,
            client: client::written(&history.client),
            chat_of: history.chat_of.as_ref().map(ToString::to_string),
            ids: history.ids.clone(),
            resends_all: history.resends_all,
            wanted,
            speaker,
            tools: history.tools_used.iter().map(ToString::to_string).collect(),
            ..Self::default()
        }
    }

    /// The history with these messages.
    pub(crate) fn history(&self, messages: Vec<Message>) -> Result<History> {
        let wanted = match (self.wanted.as_deref(), &self.speaker) {
            (Some(CONTINUATION), _) => Wanted::Continuation,
            (Some(_), _) => Wanted::Unrecorded,
            (None, Some(name)) => Wanted::By(name.clone()),
            (None, None) => Wanted::Reply,
        };
        Ok(History {
            messages,
            resent: self.resent,
            sent_at: Some(self.time()),
            client: client::read(&self.client),
            chat_of: self.chat_of.as_deref().map(Person::read).transpose()?,
            ids: self.ids.clone(),
            resends_all: self.resends_all,
            wanted,
            tools_used: names(self.tools.iter()),
        })
    }

    pub(crate) fn commit(&self) -> Commit {
        if self.at_once { Commit::AtOnce } else { Commit::NextTurn }
    }

    pub(crate) fn time(&self) -> Timestamp {
        Timestamp::from_microsecond(self.at).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("strings and numbers are always JSON")
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Self> {
        serde_json::from_slice(bytes).map_err(|error| unreadable(&error))
    }
}

impl KeptReply {
    /// The reply, which began at this time.
    pub(crate) fn reply(&self, began_at: Timestamp) -> ExchangeReply {
        let name = self.model.as_ref().and_then(|model| Name::new("model", model).ok());
        let lasted = SignedDuration::from_micros(self.lasted);
        let work = Activity { kind: ActivityKind::Model, name, began_at, lasted };
        ExchangeReply {
            content: self.content.clone(),
            truncated: self.truncated,
            tools_used: names(self.tools.iter()),
            work: Some(work).filter(|_| self.lasted > 0),
            ids: self.ids.clone(),
            added: Vec::new(),
        }
    }
}

/// A message as the outbox keeps it.
pub(crate) fn write_message(message: &Message) -> Vec<u8> {
    let kept = KeptMessage {
        role: message.role.as_str().to_owned(),
        content: message.content.clone(),
        other: String::from_utf8_lossy(&message.other).into_owned(),
        speaker: message.speaker.clone(),
        tools: message.tools_used.iter().map(ToString::to_string).collect(),
    };
    serde_json::to_vec(&kept).expect("strings are always JSON")
}

/// A message that the outbox kept.
pub(crate) fn read_message(bytes: &[u8]) -> Result<Message> {
    let kept: KeptMessage = serde_json::from_slice(bytes).map_err(|error| unreadable(&error))?;
    Ok(Message {
        role: Role::named(&kept.role)?,
        content: kept.content,
        other: kept.other.into_bytes(),
        speaker: kept.speaker,
        tools_used: names(kept.tools.iter()),
    })
}

fn unreadable(error: &serde_json::Error) -> Error {
    Error::invalid(format!("cannot read a row of the outbox: {error}"))
}

/// An exchange on the spool, one line of JSON: what earlier versions kept instead of an outbox.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Spooled {
    pub(crate) vault: String,
    pub(crate) memory: Option<String>,
    pub(crate) route: String,
    pub(crate) at: String,
    pub(crate) at_once: bool,
    pub(crate) request: String,
    pub(crate) reply: String,
    pub(crate) truncated: bool,
    pub(crate) tools: Vec<String>,
    /// Ids in the reply that the client may send back.
    #[serde(default)]
    pub(crate) ids: Vec<String>,
    /// Who sent it, as hashes.
    #[serde(default)]
    pub(crate) client: String,
    #[serde(default)]
    pub(crate) chat_of: Option<String>,
}
