//! Conversation time: how much of a conversation was working and how much was waiting.
//!
//! An activity is a stretch in which a model or a tool was at work. Stretches may overlap; a
//! moment counts once. A pause between two tries of the same call is waiting: a program that retries
//! records one activity for each try. Instants are wall-clock, lengths come from a clock that only
//! goes forward.

use std::sync::PoisonError;

use jiff::{SignedDuration, Timestamp};

use crate::Result;
use crate::engine::Engine;
pub use crate::memory::{Activity, ActivityKind, ConversationTime};
use crate::memory::{
    Address, Conversation, ConversationId, ConversationName, Entry, MemoryId, Role,
};
use crate::memory_edit::{MemoryEdit, find_conversation};
use crate::ports::{EntryQuery, MemoryRef, Row, Snapshot, Which};
use crate::receipt::{Done, Idempotency, Receipt};
use crate::vault::{Absent, Vault};

/// The maximum number of measures of ended conversations that wait to be counted.
const FINISHED_KEPT: usize = 1000;

/// How a conversation is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Terminal {
    /// It came to its end.
    Done,
    /// Something went wrong.
    Fail,
    /// It was cancelled.
    Cancel,
}

impl Terminal {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Done, Self::Fail, Self::Cancel];

    /// As written in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "DONE",
            Self::Fail => "FAIL",
            Self::Cancel => "CANCEL",
        }
    }
}

/// What is known of a conversation, to measure it.
#[derive(Debug, Clone, Default)]
pub struct Observed<'a> {
    /// When its entries were said, those of user and assistant, in any order.
    pub entries: &'a [Timestamp],
    /// When models and tools were at work, in any order.
    pub activities: &'a [(Timestamp, SignedDuration)],
    /// When it was over, if it is.
    pub terminal: Option<Timestamp>,
    /// Whether it broke off, so that no message led to its end: the terminal event is the end.
    pub broke_off: bool,
}

/// What is known of the time of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// Its measures; nothing if it holds neither entries nor activities.
    pub time: Option<ConversationTime>,
    /// When models and tools were at work.
    pub activities: Vec<Activity>,
}

/// Measures a conversation; nothing if nothing is known of it. Every activity lies in the window,
/// so that the active time is never longer than the elapsed time.
pub fn measure(observed: &Observed<'_>) -> Option<ConversationTime> {
    let Observed { entries, activities, terminal, broke_off } = observed;
    let counted = entries.iter().filter(|time| terminal.is_none_or(|over| **time <= over));
    let (turns, last) =
        counted.fold((0, None), |(turns, last), time| (turns + 1, last.max(Some(*time))));
    let first_activity = activities.iter().map(|(began, _)| *began).min();
    let last_activity = activities.iter().map(|stretch| end_of(*stretch)).max();
    let first_entry = entries.iter().min().copied();
    let start_at = [first_entry, first_activity].into_iter().flatten().min().or(*terminal)?;
    let led_to = if *broke_off { *terminal } else { last.or(*terminal) };
    let end_at = led_to.max(last_activity)?.max(start_at);
    let elapsed = end_at.duration_since(start_at);
    let active = union(activities.iter().copied());
    debug_assert!(active <= elapsed, "{active:?} active of {elapsed:?}");
    let idle = elapsed - active;
    let active_unknown = activities.is_empty();
    Some(ConversationTime { start_at, end_at, elapsed, active, idle, turns, active_unknown })
}

/// The length of all stretches together; a moment in several of them counts once.
pub fn union(stretches: impl IntoIterator<Item = (Timestamp, SignedDuration)>) -> SignedDuration {
    let mut stretches: Vec<_> = stretches.into_iter().collect();
    stretches.sort_unstable();
    let mut covered = SignedDuration::ZERO;
    let mut until = Timestamp::MIN;
    for (began, lasted) in stretches {
        let ended = end_of((began, lasted));
        let from = began.max(until);
        if ended > from {
            covered += ended.duration_since(from);
            until = ended;
        }
    }
    covered
}

fn end_of((began, lasted): (Timestamp, SignedDuration)) -> Timestamp {
    began.saturating_add(lasted).unwrap_or(Timestamp::MAX)
}

impl Vault {
    /// Notes that a model or tool was at work in a conversation.
    pub async fn record_activities(
        &self,
        memory: Address<MemoryId>,
        conversation: ConversationName,
        activities: Vec<Activity>,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        activities.iter().try_for_each(Activity::check)?;
        let record = move |edit: &mut MemoryEdit<'_>| {
            let conversation = edit.conversation(&conversation)?;
            let place = edit.place();
            for activity in &activities {
                edit.tx.put(Row::Activity(place, conversation.id, activity))?;
            }
            Ok(Receipt::Conversation(conversation.id))
        };
        self.edit_memory(memory, Absent::Refuse, idempotency, record).await
    }

    /// Notes how long the conversation of a receipt took.
    pub(crate) async fn note_end(&self, memory: Address<MemoryId>, done: &Done) {
        let place = self.read(memory, |view, _| Ok(view.place)).await;
        if let (Ok(place), Receipt::Conversation(id), false) = (place, &done.receipt, done.replayed)
        {
            self.engine.note_end(place, *id).await;
        }
    }

    /// The measures of a conversation, and what they rest on.
    pub async fn conversation_time(
        &self,
        memory: Address<MemoryId>,
        conversation: ConversationName,
    ) -> Result<Measured> {
        self.read(memory, move |view, _| {
            let conversation = find_conversation(view.snapshot, view.place, &conversation)?;
            measured(view.snapshot, view.place, &conversation)
        })
        .await
    }
}

fn measured(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    conversation: &Conversation,
) -> Result<Measured> {
    let query = EntryQuery::of_conversation(conversation.id, Which::Current);
    let said = snapshot.entries(place, &query)?;
    let entries: Vec<Timestamp> =
        said.iter().filter(|entry| is_turn(entry)).map(|entry| entry.conversation_time).collect();
    let activities = snapshot.activities(place, conversation.id)?;
    let stretches: Vec<_> =
        activities.iter().map(|activity| (activity.began_at, activity.lasted)).collect();
    let terminal = conversation.ended.as_ref().map(|ended| ended.at);
    let (entries, activities_seen) = (&entries[..], &stretches[..]);
    let time =
        measure(&Observed { entries, activities: activities_seen, terminal, broke_off: false });
    Ok(Measured { time, activities })
}

impl Engine {
    /// Conversations that ended in this process since the last call, measured; the last thousand
    /// of them if they were not read for long.
    pub fn take_finished(&self) -> Vec<ConversationTime> {
        std::mem::take(&mut *self.finished.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes how long a conversation took, if it is over.
    pub(crate) async fn note_end(&self, place: MemoryRef, id: ConversationId) {
        let look = move |snapshot: &dyn Snapshot| match snapshot.conversation(place, id)? {
            Some(one) if one.ended.is_some() => Ok(measured(snapshot, place, &one)?.time),
            _ => Ok(None),
        };
        // What is only counted must not undo what was done: without an answer it is not counted.
        let time = self.store.look(look).await.ok().flatten();
        let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        finished.extend(time);
        let surplus = finished.len().saturating_sub(FINISHED_KEPT);
        finished.drain(..surplus);
    }
}

fn is_turn(entry: &Entry) -> bool {
    matches!(entry.role, Role::User | Role::Assistant)
}

#[cfg(test)]
mod tests;
