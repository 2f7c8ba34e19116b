//! Applies the boundary rule again around an entry that shifts an explicit end.
//!
//! A caller ended a conversation; replies followed and stayed in it; now an entry arrives that was
//! said between that end and those replies and opens an exchange. The replies answer *it*, so they
//! move. This reads the few conversations around the end whole, splits them by
//! [`boundary::partition`], and moves what is out of place. A forgotten entry may leave a pause in the
//! middle of a conversation, which is split in the same way.

use std::ops::Range;

use jiff::{SignedDuration, Timestamp};

use super::boundary::{self, Mark};
use super::finish;
use crate::memory::{Conversation, ConversationId, Ended, Entry, EntryId, Role};
use crate::memory_edit::MemoryEdit;
use crate::ports::{EntryChange, EntryQuery, Speakers, Which};
use crate::{Error, Result};

/// Makes room for an entry said at `time` by `role`, and answers where it belongs.
pub(super) fn around(
    edit: &mut MemoryEdit<'_>,
    time: Timestamp,
    role: Role,
) -> Result<ConversationId> {
    let touched = touched_conversations(edit, time)?;
    let mut standing = entries_of(edit, &touched)?;
    let newcomer = Mark { time, role };
    let place = standing.partition_point(|entry| mark(entry).order() < newcomer.order());
    let mut marks: Vec<Mark> = standing.iter().map(mark).collect();
    marks.insert(place, newcomer);
    let endings = endings_around(edit, &touched, &marks)?;
    let words = words_that_ended(&touched, &standing, &endings);

    let was: Vec<ConversationId> = standing.iter().map(|entry| entry.conversation).collect();
    let mut placements: Vec<GroupPlacement> = Vec::new();
    let mut newcomer_conversation = None;
    for group in boundary::partition(&marks, &endings, edit.vault.settings.idle_timeout()) {
        let others = group.clone().filter(|index| *index != place);
        let members: Vec<usize> = others.map(|index| index - usize::from(index > place)).collect();
        let id = choose_conversation(edit, &standing, &members, &placements);
        if group.contains(&place) {
            newcomer_conversation = Some(id);
        }
        move_to(edit, &mut standing, &members, id)?;
        placements.push(GroupPlacement { id, ended: end_within(&words, &marks, group) });
    }
    absorb_empty(edit, &touched, &placements, was.iter().zip(&standing))?;
    settle(edit, placements, time)?;
    newcomer_conversation.ok_or_else(|| Error::damaged("the newcomer fell out of every group"))
}

/// Splits a conversation where entries that were forgotten have left a pause; the first part keeps its id. Says
/// whether it had to. A conversation of the caller's own goes on whatever the pauses are.
pub(crate) fn split(
    edit: &mut MemoryEdit<'_>,
    conversation: &Conversation,
    forgotten: &[Timestamp],
) -> Result<bool> {
    if conversation.name.is_some() {
        return Ok(false);
    }
    let touched = std::slice::from_ref(conversation);
    let mut standing = entries_of(edit, touched)?;
    let marks: Vec<Mark> = standing.iter().map(mark).collect();
    let endings = endings_around(edit, touched, &marks)?;
    let groups = boundary::partition(&marks, &endings, edit.vault.settings.idle_timeout());
    // Other pauses were none when the entries came: the timeout may have been longer then.
    let is_left = |group: &Range<usize>| {
        let before = group.start.checked_sub(1).map(|last| marks[last].time);
        forgotten.iter().any(|at| Some(*at) >= before && *at <= marks[group.start].time)
    };
    let starts: Vec<usize> =
        groups.iter().skip(1).filter(|group| is_left(group)).map(|group| group.start).collect();
    if starts.is_empty() {
        return Ok(false);
    }
    let firsts = std::iter::once(0).chain(starts.iter().copied());
    let groups = firsts.zip(starts.iter().copied().chain([marks.len()])).map(|(a, b)| a..b);
    let words = words_that_ended(touched, &standing, &endings);
    let mut placements: Vec<GroupPlacement> = Vec::new();
    for group in groups {
        let members: Vec<usize> = group.clone().collect();
        let id = choose_conversation(edit, &standing, &members, &placements);
        move_to(edit, &mut standing, &members, id)?;
        placements.push(GroupPlacement { id, ended: end_within(&words, &marks, group) });
    }
    settle(edit, placements, conversation.started_at)?;
    Ok(true)
}

/// The conversation in which a group of entries is placed, and its explicit end.
struct GroupPlacement {
    id: ConversationId,
    ended: Option<Ended>,
}

fn mark(entry: &Entry) -> Mark {
    Mark { time: entry.conversation_time, role: entry.role }
}

/// The conversations an end before `time` stands between: those of the nearest entries on either
/// side, of the last opener before, of the next opener after, and of what was said just before that.
fn touched_conversations(edit: &MemoryEdit<'_>, time: Timestamp) -> Result<Vec<Conversation>> {
    let (place, tx) = (edit.place(), &edit.tx);
    let next = tx.after(place, time, Speakers::Openers)?;
    let before_next = next.map(|next| next.time - SignedDuration::from_micros(1));
    let near = [
        tx.before(place, time, Speakers::Openers)?,
        next,
        tx.before(place, time, Speakers::All)?,
        tx.after(place, time, Speakers::All)?,
        tx.before(place, before_next.unwrap_or(time), Speakers::All)?,
    ];
    let mut touched: Vec<Conversation> = Vec::new();
    for neighbour in near.into_iter().flatten() {
        if touched.iter().all(|known| known.id != neighbour.conversation) {
            touched.extend(tx.conversation(place, neighbour.conversation)?);
        }
    }
    Ok(touched)
}

/// Their entries that were placed by time, in the rule's order.
fn entries_of(edit: &MemoryEdit<'_>, conversations: &[Conversation]) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for conversation in conversations {
        let query = EntryQuery::of_conversation(conversation.id, Which::All);
        entries.extend(edit.tx.entries(edit.place(), &query)?);
    }
    entries.retain(|entry| entry.placed_by_time && entry.branch.is_none());
    entries.sort_by_key(|entry| (mark(entry).order(), entry.sequence));
    Ok(entries)
}

/// The endings that can matter to the marks: none before the last opener that stands before them.
fn endings_around(
    edit: &MemoryEdit<'_>,
    touched: &[Conversation],
    marks: &[Mark],
) -> Result<Vec<Timestamp>> {
    let first = marks.first().map_or(Timestamp::MIN, |mark| mark.time);
    let opener = edit.tx.before(edit.place(), first, Speakers::Openers)?;
    let since = opener.map_or(Timestamp::MIN, |opener| opener.time.min(first));
    let ends = touched.iter().filter_map(|one| one.ended.as_ref()).map(|ended| ended.at);
    let last = marks.iter().map(|mark| mark.time).chain(ends).max().unwrap_or(first);
    edit.tx.endings(edit.place(), since, last + SignedDuration::from_micros(1))
}

/// The explicit ends of the conversations, at the instants they were given.
fn words_that_ended(
    touched: &[Conversation],
    standing: &[Entry],
    endings: &[Timestamp],
) -> Vec<Ended> {
    let word = |one: &Conversation| {
        let ended = one.ended.clone().filter(Ended::is_by_caller)?;
        let own: Vec<Mark> =
            standing.iter().filter(|entry| entry.conversation == one.id).map(mark).collect();
        let since = last_opening(&own)?;
        let said = endings.iter().find(|ending| since <= **ending && **ending <= ended.at);
        Some(Ended { at: said.copied().unwrap_or(ended.at), ..ended })
    };
    touched.iter().filter_map(word).collect()
}

/// The word that ends a group: the first after its last opener and before the next group.
fn end_within(words: &[Ended], marks: &[Mark], group: Range<usize>) -> Option<Ended> {
    let since = last_opening(&marks[group.clone()])?;
    let next = marks.get(group.end);
    let within = |word: &&Ended| since <= word.at && next.is_none_or(|next| word.at < next.time);
    words.iter().filter(within).min_by_key(|word| word.at).cloned()
}

/// When the last exchange among these was opened; one without an opener opens with its first reply.
fn last_opening(marks: &[Mark]) -> Option<Timestamp> {
    let opener = marks.iter().rfind(|mark| !mark.role.is_reply()).or(marks.first());
    opener.map(|mark| mark.time)
}

/// A group keeps the conversation of its earliest member that no earlier group has taken.
fn choose_conversation(
    edit: &MemoryEdit<'_>,
    standing: &[Entry],
    members: &[usize],
    taken: &[GroupPlacement],
) -> ConversationId {
    let mut own = members.iter().map(|index| standing[*index].conversation);
    own.find(|id| taken.iter().all(|placed| placed.id != *id)).unwrap_or_else(|| edit.mint())
}

/// Moves the members, and the corrections that speak for them, into one conversation.
fn move_to(
    edit: &mut MemoryEdit<'_>,
    standing: &mut [Entry],
    members: &[usize],
    conversation: ConversationId,
) -> Result<()> {
    let mut strays: Vec<EntryId> = Vec::new();
    for index in members {
        let entry = &mut standing[*index];
        if entry.conversation != conversation {
            entry.conversation = conversation;
            strays.push(entry.id);
            strays.extend(corrections_of(edit, entry)?);
        }
    }
    if strays.is_empty() {
        return Ok(());
    }
    edit.change_entries(&strays, EntryChange::Conversation(conversation))?;
    edit.note_moved()
}

fn corrections_of(edit: &MemoryEdit<'_>, entry: &Entry) -> Result<Vec<EntryId>> {
    let mut chain = Vec::new();
    let mut next = entry.corrected;
    while let Some(corrected) = next {
        chain.push(corrected.by);
        let correction = edit.tx.entry(edit.place(), corrected.by)?;
        next = correction.and_then(|correction| correction.corrected);
    }
    Ok(chain)
}

/// A conversation that lost all its entries goes on as the one that took the last of them.
fn absorb_empty<'e>(
    edit: &mut MemoryEdit<'_>,
    touched: &[Conversation],
    placements: &[GroupPlacement],
    moves: impl DoubleEndedIterator<Item = (&'e ConversationId, &'e Entry)> + Clone,
) -> Result<()> {
    for empty in touched.iter().filter(|one| placements.iter().all(|placed| placed.id != one.id)) {
        let last = moves.clone().rfind(|(was, _)| **was == empty.id);
        if let Some((_, entry)) = last {
            finish::absorb(edit, empty.id, entry.conversation)?;
        }
    }
    Ok(())
}

/// Counts the conversations again and writes them.
fn settle(
    edit: &mut MemoryEdit<'_>,
    placements: Vec<GroupPlacement>,
    time: Timestamp,
) -> Result<()> {
    for GroupPlacement { id, ended } in placements {
        let known = edit.tx.conversation(edit.place(), id)?;
        let conversation =
            known.unwrap_or_else(|| Conversation::open(id, edit.memory.id, None, time));
        finish::recount(edit, Conversation { ended, ..conversation })?;
    }
    Ok(())
}
