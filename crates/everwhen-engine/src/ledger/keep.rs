//! Writes what was decided about a request: lines, entries, corrections, branches.

use jiff::Timestamp;

use crate::conversations::finish;
use crate::memory::{BranchId, ConversationId, EntryId, Name, NewEntry, Said};
use crate::memory_edit::MemoryEdit;
use crate::ports::{EntryChange, LedgerLine, LedgerLines, Row};
use crate::receipt::Receipt;
use crate::remember::{self, NewCorrection};
use crate::{Result, chapters, tombstones};

use super::begin::Item;
use super::plan::{MessageMatch, Plan, Request, awaited_reply};
use super::times::{TimeClue, backfill};
use super::{Message, interchange, marked};

/// The distance between two places along the line, so that others fit between them.
const STEP: i64 = 1 << 20;
/// Why an edited message was corrected.
const EDITED: &str = "edited in the client";

/// What a request has become.
pub(super) struct StoredRequest {
    /// The line of each message.
    pub(super) lines: Vec<LedgerLine>,
    /// Whether the request brought it.
    pub(super) is_new: Vec<bool>,
    /// The highest number now.
    pub(super) last_number: u64,
}

/// Keeps the messages of a request.
pub(super) fn keep(
    edit: &mut MemoryEdit<'_>,
    request: &Request<'_>,
    plan: Plan,
) -> Result<StoredRequest> {
    put_aside(edit, &plan.aside)?;
    let clues = clues(edit, request, &plan.matches)?;
    let times = backfill(&clues, request.now);
    let mut last_number = request.head.last_number;
    let mut lines: Vec<LedgerLine> = Vec::new();
    let awaited = awaited_reply(request, &plan.matches);
    for (item, (matched, time)) in request.items.iter().zip(plan.matches.iter().zip(times)) {
        let before = lines.last().copied();
        // A reply that began here and whose text only the client has was given here, too.
        let delivered = awaited == Some(lines.len());
        let fresh = |number| LedgerLine { delivered, ..fresh_line(item, number, time, before) };
        lines.push(match matched {
            MessageMatch::Known(line) | MessageMatch::Back(line) => *line,
            MessageMatch::Edited { old, back } => {
                last_number += u64::from(back.is_none());
                in_place_of(old, back.unwrap_or(fresh(last_number)))
            }
            MessageMatch::New => {
                last_number += 1;
                fresh(last_number)
            }
        });
    }
    find_places(edit, &plan.matches, &mut lines)?;
    keep_entries(edit, request, &plan.matches, &mut lines)?;
    write_lines(edit, request.items, &plan.matches, &mut lines)?;
    let is_new =
        plan.matches.iter().map(|matched| !matches!(matched, MessageMatch::Known(_))).collect();
    Ok(StoredRequest { lines, is_new, last_number })
}

/// A line for a message that has none. Its place and entry are found later.
fn fresh_line(
    item: &Item<'_>,
    number: u64,
    time: Timestamp,
    before: Option<LedgerLine>,
) -> LedgerLine {
    LedgerLine {
        number,
        place: None,
        mark: item.mark,
        occurrence: 0,
        role: item.message.role,
        time,
        since: before.map(|line| line.time),
        after: before.map(|line| line.number),
        entry: None,
        delivered: false,
    }
}

fn in_place_of(old: &LedgerLine, new: LedgerLine) -> LedgerLine {
    let after = new.after.or(old.after);
    let delivered = old.delivered;
    LedgerLine { place: old.place, time: old.time, since: old.since, after, delivered, ..new }
}

/// What is known of the times of messages.
fn clues(
    edit: &mut MemoryEdit<'_>,
    request: &Request<'_>,
    matches: &[MessageMatch],
) -> Result<Vec<TimeClue>> {
    let mut clues = Vec::new();
    for (item, matched) in request.items.iter().zip(matches) {
        clues.push(match matched {
            MessageMatch::Known(line)
            | MessageMatch::Back(line)
            | MessageMatch::Edited { old: line, .. } => TimeClue::Known(line.time),
            MessageMatch::New => interchange::take_promised(edit, item.message)?
                .map_or(TimeClue::Unknown, TimeClue::Claimed),
        });
    }
    if let Some(waiting) = request.head.placeholder
        && let Some(at) = awaited_reply(request, matches)
    {
        clues[at] = TimeClue::Claimed(waiting.started_at);
    }
    Ok(clues)
}

/// Gives every run of lines without a place places along the line: before the known line that
/// follows, else at the end.
fn find_places(
    edit: &mut MemoryEdit<'_>,
    matches: &[MessageMatch],
    lines: &mut [LedgerLine],
) -> Result<()> {
    let mut from = 0;
    while let Some(start) = (from..lines.len()).find(|at| lines[*at].place.is_none()) {
        let rest = &lines[start..];
        let length = rest.iter().position(|line| line.place.is_some()).unwrap_or(rest.len());
        from = start + length;
        let behind = matches.get(from).map(|_| lines[from]);
        let (first, step) = room(edit, behind, length)?;
        if let Some(behind) = behind.and_then(|line| line.place)
            && step == 0
        {
            make_room(edit, behind, length, &mut lines[from..])?;
            from = start;
            continue;
        }
        for (line, number) in lines[start..start + length].iter_mut().zip(1..) {
            line.place = Some(first + step * number);
        }
        if start == 0 {
            lines[0].after = behind.and_then(|line| line.after);
        }
    }
    Ok(())
}

/// Where a run of this many lines may begin, and how far apart they stand; no distance if they do not fit.
fn room(edit: &MemoryEdit<'_>, behind: Option<LedgerLine>, length: usize) -> Result<(i64, i64)> {
    let most = STEP * (length as i64 + 1);
    let which =
        behind.and_then(|line| line.place).map_or(LedgerLines::Newest(1), LedgerLines::Before);
    let before = edit.tx.ledger_lines(edit.place(), which)?.pop().and_then(|line| line.place);
    Ok(match (before, behind.and_then(|line| line.place)) {
        (before, None) => (before.unwrap_or(0), STEP),
        (None, Some(behind)) => (behind - most, STEP),
        (Some(before), Some(behind)) => {
            (before, ((behind - before) / (length as i64 + 1)).min(STEP))
        }
    })
}

/// Moves all from `behind` on back to make room for this many lines.
fn make_room(
    edit: &mut MemoryEdit<'_>,
    behind: i64,
    length: usize,
    held: &mut [LedgerLine],
) -> Result<()> {
    let by = STEP * (length as i64 + 1);
    for line in edit.tx.ledger_lines(edit.place(), LedgerLines::Behind(behind - 1))? {
        let moved = LedgerLine { place: line.place.map(|place| place + by), ..line };
        edit.tx.put(Row::LedgerLine(edit.place(), &moved))?;
    }
    for line in held {
        line.place = line.place.map(|place| if place >= behind { place + by } else { place });
    }
    Ok(())
}

/// Stores entries: new ones in one go, edited ones as corrections.
fn keep_entries(
    edit: &mut MemoryEdit<'_>,
    request: &Request<'_>,
    matches: &[MessageMatch],
    lines: &mut [LedgerLine],
) -> Result<()> {
    let mut new = Vec::new();
    let mut owners = Vec::new();
    let forgotten = forgotten(edit, request, matches)?;
    for (at, matched) in matches.iter().enumerate() {
        let Item { message, mark, .. } = request.items[at];
        match matched {
            MessageMatch::Known(_) => {}
            MessageMatch::Back(line) => rejoin(edit, line)?,
            // It was here before and was forgotten: it is no correction of what the client had instead of it.
            MessageMatch::Edited { old, back: Some(back) } if is_forgotten(back, message) => {
                put_aside(edit, &[*old])?;
            }
            MessageMatch::Edited { old, .. } if old.entry.is_some() => {
                lines[at].entry = correct(edit, old.entry, message)?;
                lines[at].mark = mark;
            }
            // Its line is kept, so that it is recognised when the client sends it again.
            MessageMatch::New if forgotten[at] => marked::hide(edit, &mut lines[at], mark)?,
            MessageMatch::Edited { .. } | MessageMatch::New
                if request.forgotten.has(lines[at].time) =>
            {
                marked::hide(edit, &mut lines[at], mark)?;
            }
            MessageMatch::Edited { .. } | MessageMatch::New => {
                if let Some(entry) = new_entry(message) {
                    new.push(entry.said_at(lines[at].time));
                    owners.push(at);
                }
            }
        }
    }
    if new.is_empty() {
        return Ok(());
    }
    let stored = remember::store(edit, new, None)?;
    for (owner, entry) in owners.into_iter().zip(stored.entries) {
        lines[owner].entry = Some(entry.id);
    }
    Ok(())
}

/// Which messages were forgotten with the memory they were in, and come again with a history. What has just been
/// said is none of them, nor the reply that was given here to what was said before.
fn forgotten(
    edit: &MemoryEdit<'_>,
    request: &Request<'_>,
    matches: &[MessageMatch],
) -> Result<Vec<bool>> {
    let (last, awaited) = (matches.len().saturating_sub(1), awaited_reply(request, matches));
    let may_be = |at: usize| matches[at] == MessageMatch::New && at != last && awaited != Some(at);
    if !(0..matches.len()).any(may_be) {
        return Ok(vec![false; matches.len()]);
    }
    let marks: Vec<[u8; 32]> = request.items.iter().map(|item| item.mark).collect();
    let found = tombstones::forgotten_messages(edit.tx.snapshot(), edit.vault.id, &marks)?;
    Ok(found.into_iter().enumerate().map(|(at, found)| found && may_be(at)).collect())
}

/// Whether a message that had a line before has no entry, though it has text.
fn is_forgotten(line: &LedgerLine, message: &Message) -> bool {
    line.entry.is_none() && new_entry(message).is_some()
}

/// The text of an entry; nothing if there is none, or more than fits. NUL characters, which no store can hold, go:
/// as for those that import a file, what is said around them counts.
pub(super) fn said(content: &str) -> Option<Said> {
    Said::new(content.replace('\0', "")).ok()
}

/// The entry a message makes; nothing if it has no text, or more than fits.
fn new_entry(message: &Message) -> Option<NewEntry> {
    let said = said(&message.content)?;
    let speaker = message.speaker.as_ref().and_then(|name| Name::new("speaker", name).ok());
    let tools_used = message.tools_used.iter().take(crate::limits::LABELS).cloned().collect();
    Some(NewEntry { speaker, tools_used, ..NewEntry::new(message.role, said) })
}

/// Corrects an entry; answers the entry that holds the text then.
pub(super) fn correct(
    edit: &mut MemoryEdit<'_>,
    old: Option<EntryId>,
    message: &Message,
) -> Result<Option<EntryId>> {
    let (Some(id), Some(content)) = (old, said(&message.content)) else {
        return Ok(old);
    };
    let Some(old) = edit.tx.entry(edit.place(), id)? else { return Ok(None) };
    let Some(latest) = edit.versions(old)?.pop().filter(|latest| latest.branch.is_none()) else {
        return Ok(Some(id));
    };
    if latest.content == content {
        return Ok(Some(latest.id));
    }
    let correction = NewCorrection { content, reason: EDITED.into(), tags: None, metadata: None };
    match remember::correction(edit, latest.id, correction, None)? {
        Receipt::Entries(stored) => Ok(stored.entries.first().map(|entry| entry.id)),
        _ => Ok(Some(id)),
    }
}

/// Writes lines that are new or changed, and takes the place from those that lost it.
fn write_lines(
    edit: &mut MemoryEdit<'_>,
    items: &[Item<'_>],
    matches: &[MessageMatch],
    lines: &mut [LedgerLine],
) -> Result<()> {
    for at in 0..lines.len() {
        if let MessageMatch::Edited { old, .. } = &matches[at] {
            edit.tx.put(Row::LedgerLine(edit.place(), &LedgerLine { place: None, ..*old }))?;
        }
        let after = at.checked_sub(1).map(|before| lines[before].number);
        let follows_new = at > 0 && !matches!(matches[at - 1], MessageMatch::Known(_));
        let is_known = matches!(matches[at], MessageMatch::Known(_));
        if is_known && !(follows_new && lines[at].after != after) {
            continue;
        }
        lines[at].after = after.or(lines[at].after);
        marked::write(edit, &mut lines[at], items[at].mark)?;
    }
    Ok(())
}

/// Puts lines aside and their entries on a branch.
pub(super) fn put_aside(edit: &mut MemoryEdit<'_>, lines: &[LedgerLine]) -> Result<()> {
    let mut ids = Vec::new();
    let mut homes = Vec::new();
    for line in lines {
        edit.tx.put(Row::LedgerLine(edit.place(), &LedgerLine { place: None, ..*line }))?;
        let Some(id) = line.entry else { continue };
        let Some(entry) = edit.tx.entry(edit.place(), id)? else { continue };
        homes.push(entry.conversation);
        let all = edit.versions(entry)?;
        ids.extend(all.iter().filter(|entry| entry.branch.is_none()).map(|entry| entry.id));
    }
    if ids.is_empty() {
        return Ok(());
    }
    let branch: BranchId = edit.mint();
    edit.change_entries(&ids, EntryChange::Branch(branch, edit.now))?;
    edit.memory.waiting = edit.memory.waiting.filter(|(question, _)| !ids.contains(question));
    changed(edit, homes, lines.iter().map(|line| line.time).min())
}

/// Takes the entries of a line off their branch.
fn rejoin(edit: &mut MemoryEdit<'_>, line: &LedgerLine) -> Result<()> {
    let Some(id) = line.entry else { return Ok(()) };
    let Some(entry) = edit.tx.entry(edit.place(), id)? else { return Ok(()) };
    let home = entry.conversation;
    let ids: Vec<EntryId> = edit.versions(entry)?.iter().map(|version| version.id).collect();
    edit.change_entries(&ids, EntryChange::Rejoin)?;
    changed(edit, vec![home], Some(line.time))
}

/// Conversations whose entries came or went, the first of them at `since`, are counted again.
fn changed(
    edit: &mut MemoryEdit<'_>,
    mut homes: Vec<ConversationId>,
    since: Option<Timestamp>,
) -> Result<()> {
    chapters::note_change(edit, since.unwrap_or(Timestamp::MIN))?;
    homes.sort_unstable();
    homes.dedup();
    for home in homes {
        if let Some(conversation) = edit.tx.conversation(edit.place(), home)? {
            finish::recount(edit, conversation)?;
        }
    }
    Ok(())
}

/// Stores one message as an entry, if it has text to keep.
pub(super) fn store_one(edit: &mut MemoryEdit<'_>, entry: NewEntry) -> Result<Option<EntryId>> {
    let stored = remember::store(edit, vec![entry], None)?;
    Ok(stored.entries.first().map(|entry| entry.id))
}

/// The place behind all others.
pub(super) fn end_of_line(edit: &MemoryEdit<'_>) -> Result<i64> {
    let newest = edit.tx.ledger_lines(edit.place(), LedgerLines::Newest(1))?.pop();
    Ok(newest.and_then(|line| line.place).unwrap_or(0) + STEP)
}
