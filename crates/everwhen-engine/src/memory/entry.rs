//! One thing said: immutable, with the time it was said beside the time it was stored.

use jiff::{SignedDuration, Timestamp};

use super::{Address, BranchId, ConversationId, EntryId, MemoryId, Name, Provenance, Said};
use crate::time::{Period, Zone};
use crate::{ConflictReason, Error, Result, limits};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// Instructions.
    System,
    /// What a tool answered.
    Tool,
}

impl Role {
    /// All roles, in the order they are named to people.
    pub const ALL: [Self; 4] = [Self::User, Self::Assistant, Self::System, Self::Tool];

    /// The role as written on every wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Tool => "tool",
        }
    }

    /// The role with this name.
    pub fn named(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or_else(|| {
            Error::invalid(format!("unknown role {text:?}; use user, assistant, system or tool"))
        })
    }

    /// Whether entries of this role answer an earlier one and so belong to its exchange.
    pub fn is_reply(self) -> bool {
        matches!(self, Self::Assistant | Self::Tool)
    }
}

/// A JSON object the caller attached, kept as its text; the engine does not look inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata(String);

impl Metadata {
    /// Takes the text of a JSON object that an interface has parsed.
    pub fn new(json: impl Into<String>) -> Result<Self> {
        let json = json.into();
        if json.len() > limits::METADATA_BYTES {
            return Err(Error::too_large(format!(
                "metadata has {} bytes as JSON; at most {} fit",
                json.len(),
                limits::METADATA_BYTES
            )));
        }
        if json.contains('\0') {
            return Err(Error::invalid("metadata contains a NUL character; remove it"));
        }
        Ok(Self(json))
    }

    /// The JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One thing said, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: EntryId,
    /// The memory it belongs to.
    pub memory: MemoryId,
    /// Its place in the memory's order of arrival, from 1, without gaps until something is forgotten.
    pub sequence: u64,
    /// Its position among entries with the same conversation_time: its sequence, or for a correction
    /// the position of the entry that it corrects.
    pub place: u64,
    /// Who spoke.
    pub role: Role,
    /// The speaker's name, where there are several.
    pub speaker: Option<Name>,
    /// What was said.
    pub content: Said,
    /// The caller's own short version.
    pub summary: Option<String>,
    /// Labels.
    pub tags: Vec<Name>,
    /// What the caller attached.
    pub metadata: Option<Metadata>,
    /// Tools the assistant used while saying it.
    pub tools_used: Vec<Name>,
    /// Whether it asks something and waits for the answer.
    pub is_question: bool,
    /// When it was said.
    pub conversation_time: Timestamp,
    /// When it was stored.
    pub creation_time: Timestamp,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// That conversation's name in the caller's source, where it has one.
    pub conversation_name: Option<Name>,
    /// Whether the engine chose the conversation by time (and may move it when older entries come in).
    pub placed_by_time: bool,
    /// The entry this one corrects, and why.
    pub corrects: Option<Correction>,
    /// The entry that corrects this one, and since when.
    pub corrected: Option<Corrected>,
    /// The branch a fork put this entry on, and when.
    pub branch: Option<(BranchId, Timestamp)>,
    /// Where it was imported from, and how well its time is known.
    pub provenance: Option<Box<Provenance>>,
}

impl Entry {
    /// The last instant at which it may have been said: `conversation_time`, unless only a day, a month
    /// or the like is known.
    pub fn said_by(&self) -> Timestamp {
        let time = self.conversation_time;
        match self.provenance.as_ref().map(|from| from.precision.end_of(time)) {
            Some(end) if end > time => end - SignedDuration::from_micros(1),
            _ => time,
        }
    }

    /// Whether only a period is known, which began before an instant and contains it.
    pub fn spans(&self, instant: Timestamp) -> bool {
        let time = self.conversation_time;
        let from = self.provenance.as_ref();
        time < instant && from.is_some_and(|from| time > from.precision.over_by(instant))
    }

    /// Whether it may have been said within a period.
    pub fn may_be_within(&self, period: &Period) -> bool {
        period.since().is_none_or(|since| since <= self.said_by())
            && period.until().is_none_or(|until| self.conversation_time < until)
    }

    /// When it was said, as people should read it, if that is only approximately known:
    /// `about 3 March 2023`.
    pub fn about(&self, zone: &Zone) -> Option<String> {
        self.provenance.as_ref()?.precision.about(self.conversation_time, zone)
    }
}

/// Which entry is corrected, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The corrected entry.
    pub entry: EntryId,
    /// Why.
    pub reason: String,
}

/// That an entry has been corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corrected {
    /// The entry to read instead.
    pub by: EntryId,
    /// The creation_time of the correction.
    pub at: Timestamp,
}

/// Something to remember.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry {
    /// Who spoke.
    pub role: Role,
    /// What was said.
    pub content: Said,
    /// When it was said; now if absent.
    pub conversation_time: Option<Timestamp>,
    /// Accept a conversation_time in the future.
    pub allow_future: bool,
    /// The speaker's name.
    pub speaker: Option<Name>,
    /// A short version.
    pub summary: Option<String>,
    /// Labels.
    pub tags: Vec<Name>,
    /// A JSON object.
    pub metadata: Option<Metadata>,
    /// Tools used while saying it.
    pub tools_used: Vec<Name>,
    /// Whether it waits for an answer.
    pub is_question: bool,
    /// The conversation it belongs to, where the caller knows.
    pub conversation: Option<Address<ConversationId>>,
    /// Where it was imported from, and how well its time is known.
    pub provenance: Option<Box<Provenance>>,
}

impl NewEntry {
    /// Something said now by `role`.
    pub fn new(role: Role, content: Said) -> Self {
        Self {
            role,
            content,
            conversation_time: None,
            allow_future: false,
            speaker: None,
            summary: None,
            tags: Vec::new(),
            metadata: None,
            tools_used: Vec::new(),
            is_question: false,
            conversation: None,
            provenance: None,
        }
    }

    /// Sets when it was said.
    #[must_use]
    pub fn said_at(mut self, conversation_time: Timestamp) -> Self {
        self.conversation_time = Some(conversation_time);
        self
    }

    /// Checks what the types of the parts do not.
    pub fn check(&self, now: Timestamp) -> Result<()> {
        if let Some(time) = self.conversation_time
            && !self.allow_future
            && time > now + limits::FUTURE_SLACK
        {
            return Err(Error::conflict(format!(
                "conversation_time {time} is more than a minute in the future (now is {now}); \
                 correct it, or set allow_future"
            ))
            .because(ConflictReason::FutureTime));
        }
        if self.is_question && self.role != Role::Assistant {
            return Err(Error::invalid(
                "is_question marks an assistant's entry; this one has another role",
            ));
        }
        if let Some(Address::Name(name)) = &self.conversation
            && RESERVED.contains(&name.as_str())
        {
            return Err(Error::invalid(format!(
                "conversation_id {name:?} has a meaning of its own in URLs; choose another"
            )));
        }
        check_summary(self.summary.as_deref())?;
        check_tags(&self.tags)?;
        check_count("tools_used", self.tools_used.len())
    }
}

/// Refuses more tags than an entry can have.
pub(crate) fn check_tags(tags: &[Name]) -> Result<()> {
    check_count("tags", tags.len())
}

/// Words that stand where a conversation's name would in URLs.
const RESERVED: [&str; 3] = ["end", "import", "prompt"];

pub(crate) fn check_summary(summary: Option<&str>) -> Result<()> {
    let Some(summary) = summary else { return Ok(()) };
    if summary.len() > limits::SUMMARY_BYTES {
        return Err(Error::too_large(format!(
            "summary has {} bytes; at most {} fit",
            summary.len(),
            limits::SUMMARY_BYTES
        )));
    }
    if summary.contains('\0') {
        return Err(Error::invalid("summary contains a NUL character; remove it"));
    }
    Ok(())
}

fn check_count(what: &str, count: usize) -> Result<()> {
    if count > limits::LABELS {
        return Err(Error::too_large(format!(
            "{count} {what}; at most {} fit on one entry",
            limits::LABELS
        )));
    }
    Ok(())
}

impl Entry {
    /// The name a line begins with: the speaker's own, else the role's.
    pub(crate) fn speaker_label(&self) -> &str {
        match (&self.speaker, self.role) {
            (Some(name), _) => name.as_str(),
            (None, Role::User) => "User",
            (None, Role::Assistant) => "Assistant",
            (None, Role::System) => "System",
            (None, Role::Tool) => "Tool",
        }
    }
}

#[cfg(test)]
impl Entry {
    /// Something said on a day in March, for tests.
    pub(crate) fn said(role: Role, text: &str) -> Self {
        let nil = uuid::Uuid::nil();
        Self {
            id: EntryId::from(nil),
            memory: MemoryId::from(nil),
            sequence: 1,
            place: 1,
            role,
            speaker: None,
            content: Said::new(text).expect("words of a test are right"),
            summary: None,
            tags: vec![],
            metadata: None,
            tools_used: vec![],
            is_question: false,
            conversation_time: Timestamp::constant(1_742_068_800, 0),
            creation_time: Timestamp::UNIX_EPOCH,
            conversation: ConversationId::from(nil),
            conversation_name: None,
            placed_by_time: true,
            corrects: None,
            corrected: None,
            branch: None,
            provenance: None,
        }
    }
}
