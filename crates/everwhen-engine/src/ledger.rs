//! The ledger: gives each message of a resent history its time, which never changes.
//!
//! A front end sends its whole history with every request, without times. The ledger knows the
//! messages again and says when each was said.
//!
//! **How an interface uses it.**
//!
//! 1. Turn the request's messages into a [`History`]: all of them, in order, system messages too.
//! 2. [`Vault::begin_exchange`], before forwarding. It is one durable write: what is new is
//!    remembered, edited messages become corrections, and the start of the reply is kept as a
//!    placeholder. [`Begun::messages`] answers for every message, by position, when it was said.
//!    [`History::wanted`] says what is asked for, where the request does.
//! 3. [`Begun::stamps`] gives what to put before each message; nothing where nothing belongs
//!    (system messages, generation prompts, a reply to be continued).
//! 4. Run the reply through an [`EchoStripper`].
//! 5. [`Vault::finish_exchange`] with [`Begun::exchange`] and the reply, also when it was cut off.
//!    A reply without text, such as a bare tool call, may be finished, too.
//!
//! Sending the same request again stores nothing twice. A second reply to the same message takes the
//! place of the first, which goes on a branch. A reply that never came leaves its placeholder, and
//! the assistant's message of the next request gets that time.
//!
//! **How messages are known again.** A message is its mark, SHA-256 of role and content, and
//! its ordinal among those of that mark. Once it was forgotten, its line has a hash with a key instead,
//! and a message that comes again is looked for by both. Along a memory runs one *line* of messages. A history is aligned
//! with it so that as much as possible matches, in order, whole runs before single messages
//! and the newest first; so it may be cut at the front, edited, regenerated or forked. A single short
//! match without neighbours proves nothing and does not count: a second "ok" is a second "ok".
//!
//! **What is new** walks from now into the past: a known message sets the anchor to its time, an
//! unknown one gets the anchor, and after each the anchor moves back one second. Times never run
//! backwards along a history.
//!
//! **Edited or forked?** Where as many messages stand between two known ones as before, with the
//! same roles, they are edits: corrections at the time of what they correct. Where a history leaves
//! the line and goes on elsewhere, what it left goes on a branch, if it was the same
//! conversation and a reply that was given here lies before that point; else it is another
//! conversation in the same memory, and both stay. So examples that a program sends before
//! everything it asks put nothing aside. A program that always sends the whole chat
//! ([`History::resends_all`]) has left whatever it does not send.
//!
//! **Whose chat is it?** [`Vault::memory_of_history`] finds the memory of a request that names
//! none, by proof: replies that were delivered here, with the message they answered; ids of tool
//! calls and responses that were delivered here. What a client merely sent proves nothing. A proof
//! holds for the person it was delivered to, and a weak one only for the same program. Where two
//! memories fit equally well and differ, none is answered: a new memory is better than that of
//! another chat. A retry is the same request, from the same client, whose reply was not delivered whole.
//!
//! **What was added stays added.** An interface that adds text to a message hands it over with the reply
//! ([`ExchangeReply::added`]) and gets it back with every later request ([`Begun::additions`]), so that it
//! can send the same bytes again. Forgetting anything in a vault drops all additions there, because
//! they may quote it.

mod align;
mod begin;
mod echo;
mod finish;
mod history_run;
mod interchange;
mod keep;
mod mark;
mod marked;
mod past;
mod plan;
mod proof;
mod recognise;
mod speaker;
mod times;

use jiff::Timestamp;

use crate::Result;
use crate::activity::Activity;
use crate::conversations::recent_context::{self, RecentContext, Shown};
use crate::memory::{Address, EntryId, MemoryId, Name, Person, Role};
use crate::memory_edit::MemoryEdit;
use crate::ports::{Addition, MemoryRef};
use crate::time::Zone;
use crate::tombstones::periods::ForgottenTimes;
use crate::vault::{Absent, Vault};

pub use crate::memory::TextHash;
pub use crate::stamp::{Stamper, Style, absolute, read_absolute, time_context};
pub use echo::EchoStripper;
pub use interchange::Times;

/// One message of a request, as its interface reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text; parts of one message joined.
    pub content: String,
    /// What else distinguishes it where there is no text: images, tool calls, as they came.
    pub other: Vec<u8>,
    /// The speaker's name, where the dialect has one.
    pub speaker: Option<String>,
    /// Tools an assistant called in it.
    pub tools_used: Vec<Name>,
}

impl Message {
    /// A message of text alone.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            other: Vec::new(),
            speaker: None,
            tools_used: Vec::new(),
        }
    }
}

/// The messages of one request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    /// All of them, in order.
    pub messages: Vec<Message>,
    /// Whether the client says that it sends this again.
    pub resent: bool,
    /// When it was sent, if that was not now but earlier.
    pub sent_at: Option<Timestamp>,
    /// Who sent it.
    pub client: Client,
    /// Ids of tool calls and replies that it refers to, each with the number of messages before it.
    pub ids: Vec<(usize, String)>,
    /// Whether the client always sends the whole chat.
    pub resends_all: bool,
    /// What is asked for.
    pub wanted: Wanted,
    /// Tools that were called since the last words, in messages without any.
    pub tools_used: Vec<Name>,
    /// Whose chat a memory is that it makes; nothing if the caller named the memory.
    pub chat_of: Option<Person>,
}

/// Who sends a request, as hashes: enough to tell clients apart, and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Client {
    /// The credential and the user. What was delivered to one person proves nothing for another.
    pub person: [u8; 32],
    /// The program and where it runs.
    pub app: [u8; 32],
}

/// What a request asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Wanted {
    /// The next message; the rest of the last one if the request ends with the beginning of a reply.
    #[default]
    Reply,
    /// The rest of the assistant's last message.
    Continuation,
    /// The next message, by the speaker with this name.
    By(String),
    /// Something that is no part of the chat, such as a summary, or a draft for the user: it is not
    /// remembered.
    Unrecorded,
}

impl From<Vec<Message>> for History {
    fn from(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }
}

/// When the time of a reply is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Commit {
    /// With the next request: the reply's text is what the client then says it was.
    #[default]
    NextTurn,
    /// As soon as the reply is complete, with its speaker's name before it if a generation prompt
    /// asked for one. This is `useGroupChatTimestampLogic`.
    AtOnce,
}

/// What the ledger knows of one message of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KnownMessage {
    /// When it was said; nothing for what is not content.
    pub time: Option<Timestamp>,
    /// When the message before it had been said.
    pub since: Option<Timestamp>,
    /// The entry that holds it; nothing if it has no text that can be kept, or was forgotten.
    pub entry: Option<EntryId>,
    /// Whether this request brought it.
    pub is_new: bool,
    /// The number of its line; nothing for what is not content.
    pub line: Option<u64>,
}

/// An exchange that has begun. Hand it to [`Vault::finish_exchange`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The memory.
    pub memory: MemoryRef,
    /// When the reply began.
    pub started_at: Timestamp,
    /// How its time is settled.
    commit: Commit,
    /// The number of the message it answers.
    after: Option<u64>,
    /// The entry of that message.
    asked: Option<EntryId>,
    /// The highest number when it began.
    seen: u64,
    /// The number of the reply it goes on with, if it is to continue one.
    continues: Option<u64>,
    /// The beginning of the reply, if the request gave one.
    prefill: Option<String>,
    /// Who is to speak, if the request says so.
    next_speaker: Option<speaker::NextSpeaker>,
    /// Tools that were called on the way to the reply.
    tools_used: Vec<Name>,
    /// Whether the reply is part of the chat.
    is_recorded: bool,
    /// What its delivery will prove.
    proof: proof::PendingProof,
    /// Whether the client always sends the whole chat.
    resends_all: bool,
    /// The epoch of the vault's additions when it began.
    epoch: u64,
    /// What was forgotten since it was sent, if it is stored later.
    forgotten: ForgottenTimes,
}

impl Exchange {
    /// Returns the vault's epoch of forgetting when it began.
    pub fn forget_epoch(&self) -> u64 {
        self.epoch
    }
}

/// A history with its times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// One for each message of the request, in order.
    pub messages: Vec<KnownMessage>,
    /// To finish with.
    pub exchange: Exchange,
    /// When the first message of the memory was said.
    pub started_at: Option<Timestamp>,
    /// When the last message before the one being answered was said.
    pub last_at: Option<Timestamp>,
    /// Now, as the ledger took it.
    pub now: Timestamp,
    /// The vault's zone.
    pub zone: Zone,
    /// The pause that ends a conversation in this vault.
    pub pause: jiff::SignedDuration,
    /// Whose chat the memory is; nothing if the caller named it.
    pub chat_of: Option<Person>,
    /// What was talked about before the history begins, if that was asked for.
    pub recent_context: RecentContext,
    /// Whether it changed what had been said before: edits, branches.
    pub changed_past: bool,
    /// For each message what was added to it before.
    pub additions: Vec<Option<Addition>>,
}

impl Begun {
    /// What to put before each message.
    pub fn stamps(&self, style: Style) -> Vec<Option<String>> {
        let stamper = Stamper { style, zone: self.zone.clone(), now: self.now, pause: self.pause };
        let stamp = |message: &KnownMessage| {
            message.time.and_then(|time| stamper.stamp(time, message.since))
        };
        self.messages.iter().map(stamp).collect()
    }

    /// `{time_context_summary}`.
    pub fn time_context_summary(&self) -> String {
        time_context(self.started_at, self.last_at, self.now)
    }
}

/// A reply, whole or cut off.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExchangeReply {
    /// What was said, without echoed stamps.
    pub content: String,
    /// Whether it was cut off before its end.
    pub truncated: bool,
    /// Tools called in it.
    pub tools_used: Vec<Name>,
    /// How long the model was at work on it, if that is known: it counts as conversation time.
    pub work: Option<Activity>,
    /// Ids in it that the client may refer to: of tool calls, of the reply and its parts.
    pub ids: Vec<String>,
    /// What was added to messages of the request, by the number of the line.
    pub added: Vec<(u64, Addition)>,
}

/// What became of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Finished {
    /// The entry that holds it; nothing if there was no text to keep.
    pub entry: Option<EntryId>,
    /// Whether it was known already, from a request that came before the end of the reply.
    pub known: bool,
    /// The number of its line.
    line: Option<u64>,
}

/// An exchange that is over and was not stored when it took place.
#[derive(Debug, Clone)]
pub struct PastExchange {
    /// What was sent; [`History::sent_at`] says when.
    pub history: History,
    /// When the reply gets its time.
    pub commit: Commit,
    /// The reply, if one came.
    pub reply: Option<ExchangeReply>,
}

/// A memory that a history belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognised {
    /// Its id.
    pub memory: MemoryId,
    /// Its name.
    pub name: Name,
}

impl Begun {
    /// What the history of the request shows already.
    pub(crate) fn shown(&self) -> Shown {
        Shown {
            entries: self.messages.iter().filter_map(|message| message.entry).collect(),
            since: self.messages.iter().filter_map(|message| message.time).min(),
        }
    }

    /// What was talked about before the history begins, as the exchange leaves it.
    fn recent_context_of(&self, edit: &MemoryEdit<'_>) -> Result<RecentContext> {
        let (rows, shown) = (edit.tx.snapshot(), self.shown());
        recent_context::read(rows, &edit.vault, &edit.memory, self.now, &shown)
    }
}

impl Vault {
    /// Aligns a history with the ledger, remembers what is new and notes that a reply begins. One
    /// durable write. Makes the memory if it does not exist.
    pub async fn begin_exchange(
        &self,
        memory: Address<MemoryId>,
        history: History,
        commit: Commit,
    ) -> Result<Begun> {
        self.begin_exchange_early(memory, history, commit, false, |_| {}).await
    }

    /// Begins an exchange as [`Self::begin_exchange`] does. `early` gets what was decided before it is durable,
    /// so that an interface can ask an upstream meanwhile. A store that restarts the transaction calls it again,
    /// and only the returned value counts. `with_context`: what was talked about before is read, too.
    pub async fn begin_exchange_early(
        &self,
        memory: Address<MemoryId>,
        history: History,
        commit: Commit,
        with_context: bool,
        early: impl Fn(&Begun) + Send + 'static,
    ) -> Result<Begun> {
        let work = move |edit: &mut MemoryEdit<'_>| {
            let mut begun = begin::begin(edit, &history, commit)?;
            if with_context {
                begun.recent_context = begun.recent_context_of(edit)?;
            }
            early(&begun);
            Ok(begun)
        };
        self.edit_memory_for(memory, Absent::Make, work).await
    }

    /// Remembers the reply of an exchange, at the time it began.
    pub async fn finish_exchange(
        &self,
        exchange: Exchange,
        reply: ExchangeReply,
    ) -> Result<Finished> {
        let memory = Address::Id(exchange.memory.memory);
        let work = move |edit: &mut MemoryEdit<'_>| finish::finish(edit, &exchange, &reply);
        self.edit_memory_for(memory, Absent::Refuse, work).await
    }

    /// Remembers exchanges that are over, in their order, each at the time it was sent: for what could
    /// not be stored then. One durable write. If one was stored then after all, whole or in part, only
    /// the rest is: a history is known again by the time at which it was sent, so no two in one memory
    /// may have the same [`History::sent_at`]. Makes the memory if it does not exist.
    pub async fn keep_exchanges(
        &self,
        memory: Address<MemoryId>,
        exchanges: Vec<PastExchange>,
    ) -> Result<Vec<Finished>> {
        let work = move |edit: &mut MemoryEdit<'_>| past::keep_all(edit, &exchanges);
        self.edit_memory_for(memory, Absent::Make, work).await
    }

    /// The memory that a history belongs to, for requests that name none: by what was delivered
    /// to the same client before. Nothing if that cannot be told for certain.
    pub async fn memory_of_history(&self, history: &History) -> Result<Option<Recognised>> {
        let (history, now) = (history.clone(), self.engine.now());
        self.look(move |snapshot, vault| recognise::recognise(snapshot, vault, &history, now)).await
    }
}

impl History {
    /// SHA-256 of the client and everything it sends: the same for a retry.
    pub fn request_hash(&self) -> [u8; 32] {
        proof::of_request(self)
    }
}
