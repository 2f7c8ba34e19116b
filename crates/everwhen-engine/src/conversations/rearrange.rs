//! Applies the boundary rule anew around an entry that shifts an explicit end.
//!
//! Somebody ended a conversation; replies followed and stayed in it; now an entry arrives that was
//! said between that end and those replies and opens an exchange. The replies answer *it*, so they
//! move. This reads the few conversations around the end whole, splits them by
//! [`boundary::partition`], and moves what is out of place.

use jiff::Timestamp;

use super::boundary::{self, Mark};
use super::finish;
use crate::desk::Desk;
use crate::memory::{Conversation, ConversationId, Entry, EntryId, Role};
use crate::ports::{EntryQuery, Speakers, Which};
use crate::{Error, Result};

/// Makes room for an entry said at `time` by `role`, and answers where it belongs.
pub(super) fn around(desk: &mut Desk<'_>, time: Timestamp, role: Role) -> Result<ConversationId> {
    let touched = touched_conversations(desk, time)?;
    let mut standing = entries_of(desk, &touched)?;
    let newcomer = Mark { time, role };
    let place = standing.partition_point(|entry| mark(entry).order() < newcomer.order());
    let mut marks: Vec<Mark> = standing.iter().map(mark).collect();
    marks.insert(place, newcomer);
    let last = marks.last().map_or(time, |mark| mark.time);
    let endings = desk.tx.endings(desk.place(), Timestamp::MIN, last)?;
    let groups = boundary::partition(&marks, &endings, desk.vault.settings.idle_timeout());

    let mut homes = Vec::new();
    let mut home_of_newcomer = None;
    for group in groups {
        let members: Vec<usize> = group.clone().filter(|index| *index != place).collect();
        let members: Vec<usize> =
            members.into_iter().map(|index| index - usize::from(index > place)).collect();
        let home = choose_home(desk, &standing, &members, &homes);
        if group.contains(&place) {
            home_of_newcomer = Some(home);
        }
        move_to(desk, &mut standing, &members, home)?;
        homes.push(home);
    }
    settle(desk, &touched, &homes, &standing, time)?;
    home_of_newcomer.ok_or_else(|| Error::damaged("the newcomer fell out of every group"))
}

fn mark(entry: &Entry) -> Mark {
    Mark { time: entry.conversation_time, role: entry.role }
}

/// The conversations an end before `time` stands between: those of the nearest entries on either
/// side, of the last opener before and of the next opener after.
fn touched_conversations(desk: &Desk<'_>, time: Timestamp) -> Result<Vec<ConversationId>> {
    let mut touched: Vec<ConversationId> = Vec::new();
    for speakers in [Speakers::Openers, Speakers::All] {
        let around = [
            desk.tx.before(desk.place(), time, speakers)?,
            desk.tx.after(desk.place(), time, speakers)?,
        ];
        for neighbour in around.into_iter().flatten() {
            if !touched.contains(&neighbour.conversation) {
                touched.push(neighbour.conversation);
            }
        }
    }
    Ok(touched)
}

/// Their entries that were placed by time, in the rule's order.
fn entries_of(desk: &Desk<'_>, conversations: &[ConversationId]) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for id in conversations {
        let query = EntryQuery::of_conversation(*id, Which::All);
        entries.extend(desk.tx.entries(desk.place(), &query)?);
    }
    entries.retain(|entry| entry.placed_by_time && entry.branch.is_none());
    entries.sort_by_key(|entry| (mark(entry).order(), entry.sequence));
    Ok(entries)
}

/// A group keeps the conversation of its earliest member that no earlier group has taken.
fn choose_home(
    desk: &Desk<'_>,
    standing: &[Entry],
    members: &[usize],
    taken: &[ConversationId],
) -> ConversationId {
    let own = members.iter().map(|index| standing[*index].conversation);
    own.into_iter().find(|id| !taken.contains(id)).unwrap_or_else(|| desk.mint())
}

/// Moves the members, and the corrections that speak for them, into one conversation.
fn move_to(
    desk: &mut Desk<'_>,
    standing: &mut [Entry],
    members: &[usize],
    home: ConversationId,
) -> Result<()> {
    let mut strays: Vec<EntryId> = Vec::new();
    for index in members {
        let entry = &mut standing[*index];
        if entry.conversation != home {
            entry.conversation = home;
            strays.push(entry.id);
            strays.extend(corrections_of(desk, entry)?);
        }
    }
    desk.tx.move_entries(desk.place(), &strays, home)
}

fn corrections_of(desk: &Desk<'_>, entry: &Entry) -> Result<Vec<EntryId>> {
    let mut chain = Vec::new();
    let mut next = entry.corrected;
    while let Some(corrected) = next {
        chain.push(corrected.by);
        let correction = desk.tx.entry(desk.place(), corrected.by)?;
        next = correction.and_then(|correction| correction.corrected);
    }
    Ok(chain)
}

/// A conversation that lost all its entries goes on as the one that took the last of them; the
/// others are counted anew.
fn settle(
    desk: &mut Desk<'_>,
    touched: &[ConversationId],
    homes: &[ConversationId],
    standing: &[Entry],
    time: Timestamp,
) -> Result<()> {
    let heir = standing.last().map(|entry| entry.conversation).or(homes.last().copied());
    for id in touched.iter().filter(|id| !homes.contains(id)) {
        if let Some(heir) = heir {
            finish::absorb(desk, *id, heir)?;
        }
    }
    for home in homes {
        let known = desk.tx.conversation(desk.place(), *home)?;
        let conversation =
            known.unwrap_or_else(|| Conversation::open(*home, desk.memory.id, None, time));
        finish::recount(desk, conversation)?;
    }
    Ok(())
}
