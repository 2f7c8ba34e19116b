//! Decides what becomes of each message of a request: known, edited, back from a branch, or new.

use jiff::{SignedDuration, Timestamp};

use crate::Result;
use crate::conversations::boundary::is_pause;
use crate::memory::Role;
use crate::memory_edit::MemoryEdit;
use crate::ports::{LedgerHead, LedgerLine, LedgerLines};
use crate::tombstones::periods::ForgottenTimes;

use super::begin::Item;
use super::{history_run, marked};

/// A request, and what the ledger knew before it.
pub(super) struct Request<'r> {
    pub(super) items: &'r [Item<'r>],
    /// Whether the client says that it sends this again.
    pub(super) resent: bool,
    /// Whether the client always sends the whole chat.
    pub(super) resends_all: bool,
    /// Whether it refers to what it does not send.
    pub(super) refers_back: bool,
    pub(super) head: LedgerHead,
    /// The newest line.
    pub(super) newest: Option<LedgerLine>,
    /// When it was sent.
    pub(super) now: Timestamp,
    /// What was forgotten since, if it is stored later than it was sent.
    pub(super) forgotten: &'r ForgottenTimes,
}

/// The only exchange of a memory is asked for again within this time; later the same words are
/// said again, as by a user who asks the same every day.
const FIRST_AGAIN: SignedDuration = SignedDuration::from_hours(12);

/// The line of the ledger that a message matches, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageMatch {
    /// The message is this line.
    Known(LedgerLine),
    /// The message replaces a line, which is another version of it.
    Edited {
        /// The line it replaces.
        old: LedgerLine,
        /// The line it had when it was there before.
        back: Option<LedgerLine>,
    },
    /// The message is a line that had been put aside.
    Back(LedgerLine),
    /// The message has no line.
    New,
}

impl MessageMatch {
    /// The line that it is or replaces, if that is along the line.
    fn anchor(&self) -> Option<LedgerLine> {
        match self {
            Self::Known(line) | Self::Edited { old: line, .. } => Some(*line),
            Self::Back(_) | Self::New => None,
        }
    }

    /// The number under which a line that follows it was noted.
    fn number(&self) -> Option<u64> {
        match self {
            Self::Known(line) | Self::Back(line) | Self::Edited { old: line, .. } => {
                Some(line.number)
            }
            Self::New => None,
        }
    }
}

/// What to do with a request.
pub(super) struct Plan {
    /// One for each message.
    pub(super) matches: Vec<MessageMatch>,
    /// Lines the history has left.
    pub(super) aside: Vec<LedgerLine>,
}

/// Decides, given the lines that the messages were found on.
pub(super) fn plan(
    edit: &MemoryEdit<'_>,
    request: &Request<'_>,
    mut found: Vec<Option<LedgerLine>>,
) -> Result<Plan> {
    if let Some(last) = found.len().checked_sub(1) {
        found[last] = sent_again(edit, request, &found)?;
    }
    let matches =
        found.into_iter().map(|line| line.map_or(MessageMatch::New, MessageMatch::Known)).collect();
    let mut plan = Plan { matches, aside: Vec::new() };
    settle_reply(edit, request, &mut plan)?;
    let mut from = 0;
    while let Some(start) =
        (from..plan.matches.len()).find(|at| plan.matches[*at] == MessageMatch::New)
    {
        let rest = &plan.matches[start..];
        from = start
            + rest.iter().position(|matched| *matched != MessageMatch::New).unwrap_or(rest.len());
        decide(edit, request, &mut plan, start..from)?;
    }
    if begins_again(request, &plan) {
        plan.aside = only_chat(edit)?;
    }
    Ok(plan)
}

/// All lines of a memory that holds nothing but one chat.
fn only_chat(edit: &MemoryEdit<'_>) -> Result<Vec<LedgerLine>> {
    let rows = edit.tx.snapshot();
    let all = rows.ledger_lines(edit.place(), LedgerLines::Behind(i64::MIN))?;
    let Some(first) = all.first() else { return Ok(all) };
    let is_one = history_run::following(rows, edit.place(), first)?.len() + 1 == all.len();
    Ok(if is_one { all } else { Vec::new() })
}

/// Whether a client that always sends the whole chat has begun it with other words.
fn begins_again(request: &Request<'_>, plan: &Plan) -> bool {
    let is_alone = matches!(plan.matches.as_slice(), [MessageMatch::New | MessageMatch::Back(_)]);
    let says = |item: &Item<'_>| item.message.role == Role::User;
    request.resends_all && !request.refers_back && is_alone && request.items.iter().all(says)
}

/// The line of the message to be answered, unless it is the same words said again.
fn sent_again(
    edit: &MemoryEdit<'_>,
    request: &Request<'_>,
    found: &[Option<LedgerLine>],
) -> Result<Option<LedgerLine>> {
    let last = found.len() - 1;
    let Some(line) = found[last] else {
        return if request.resent { newest_same(edit, &request.items[last]) } else { Ok(None) };
    };
    if request.resent || request.items[last].message.role == Role::Assistant {
        return Ok(Some(line));
    }
    let earlier = (0..last).rev().find_map(|at| found[at].map(|line| (last - at, line)));
    let again = match earlier {
        Some((steps, earlier)) => {
            let (rows, from) = (edit.tx.snapshot(), Some(earlier.number));
            let between = history_run::between(rows, edit.place(), from, &line, steps)?;
            between.is_some_and(|between| between.len() + 1 == steps)
        }
        None => last == 0 && is_first_again(edit, request, &line)?,
    };
    Ok(again.then_some(line))
}

/// The newest line along the line with the words of a message.
fn newest_same(edit: &MemoryEdit<'_>, item: &Item<'_>) -> Result<Option<LedgerLine>> {
    let same = marked::lines(edit, item.mark)?;
    Ok(same.into_iter().filter(|line| line.place.is_some()).max_by_key(|line| line.place))
}

/// Whether the only message of a request is sent again: if no reply came, or if it began the
/// conversation that is going on. Clients that always send one message have said more before.
fn is_first_again(edit: &MemoryEdit<'_>, request: &Request<'_>, line: &LedgerLine) -> Result<bool> {
    let rows = edit.tx.snapshot();
    if request.resends_all && line.after.is_none() {
        return Ok(true);
    }
    let following = history_run::following(rows, edit.place(), line)?;
    let newest = following.last().unwrap_or(line);
    if request.newest.is_none_or(|tail| tail.number != newest.number) {
        return Ok(false);
    }
    if following.is_empty() {
        return Ok(true);
    }
    let is_all = rows.ledger_lines(edit.place(), LedgerLines::Newest(3))?.len() == 2;
    if is_all && request.now.duration_since(newest.time) <= FIRST_AGAIN {
        return Ok(true);
    }
    let before =
        line.place.map(|place| rows.ledger_lines(edit.place(), LedgerLines::Before(place)));
    let before = before.transpose()?.unwrap_or_default().pop();
    let timeout = edit.vault.settings.idle_timeout();
    let opens = before.is_none_or(|before| is_pause(before.time, line.time, timeout));
    let goes_on = !is_pause(newest.time, request.now, timeout);
    Ok(line.after.is_none() && opens && goes_on)
}

/// The reply of the last exchange, if the client has another text for it: front ends trim and edit.
fn settle_reply(edit: &MemoryEdit<'_>, request: &Request<'_>, plan: &mut Plan) -> Result<()> {
    let Some(reply) = request.head.placeholder.and_then(|waiting| waiting.reply) else {
        return Ok(());
    };
    // Behind it stands what the user says next; or nothing, where another speaker is next.
    let is_settled = |at: &usize| {
        matches!(plan.matches[*at..], [MessageMatch::New] | [MessageMatch::New, MessageMatch::New])
    };
    let Some(at) = newest_reply(request).filter(is_settled) else {
        return Ok(());
    };
    let Some(old) = history_run::along(edit.tx.snapshot(), edit.place(), reply)? else {
        return Ok(());
    };
    let is_newest = request.newest.is_some_and(|newest| newest.number == old.number);
    let before = at.checked_sub(1).and_then(|before| plan.matches[before].number());
    let follows = before.is_some() && before == old.after;
    let nothing_known = plan.matches[..at].iter().all(|matched| *matched == MessageMatch::New);
    if is_newest && (follows || nothing_known) {
        let back = put_aside_after(edit, &request.items[at], old.after)?;
        if back.is_none() {
            plan.matches[at] = MessageMatch::Edited { old, back };
        }
    }
    Ok(())
}

/// The place of the newest assistant's message.
pub(super) fn newest_reply(request: &Request<'_>) -> Option<usize> {
    request.items.iter().rposition(|item| item.message.role == Role::Assistant)
}

/// The message that is the reply which began with the last request and whose text did not come to
/// an end here.
pub(super) fn awaited_reply(request: &Request<'_>, matches: &[MessageMatch]) -> Option<usize> {
    request.head.placeholder.filter(|waiting| waiting.reply.is_none())?;
    newest_reply(request).filter(|at| matches[*at] == MessageMatch::New)
}

/// Decides about a run of messages that are not along the line.
fn decide(
    edit: &MemoryEdit<'_>,
    request: &Request<'_>,
    plan: &mut Plan,
    run: std::ops::Range<usize>,
) -> Result<()> {
    bring_back(edit, request, plan, run.clone())?;
    let before = run.start.checked_sub(1).and_then(|at| plan.matches[at].anchor());
    let behind = plan.matches.get(run.end).and_then(MessageMatch::anchor);
    match (before, behind) {
        (before, Some(behind)) => {
            let from = before.map(|line| line.number);
            let rows = edit.tx.snapshot();
            let old = history_run::between(rows, edit.place(), from, &behind, run.len())?;
            if let Some(old) = old.filter(|old| old.len() == run.len()) {
                swipe(plan, run.start, &old, behind.time);
                take_as_edited(request, plan, run.start, &old);
            }
        }
        (Some(before), None) => leave_line(edit, request, plan, run, &before)?,
        (None, None) => {}
    }
    Ok(())
}

/// Messages that had been put aside and followed then what they follow now.
fn bring_back(
    edit: &MemoryEdit<'_>,
    request: &Request<'_>,
    plan: &mut Plan,
    run: std::ops::Range<usize>,
) -> Result<()> {
    for at in run {
        let before = match at.checked_sub(1) {
            None => None,
            Some(before) => match plan.matches[before].number() {
                None => return Ok(()),
                number => number,
            },
        };
        match put_aside_after(edit, &request.items[at], before)? {
            Some(line) => plan.matches[at] = MessageMatch::Back(line),
            None => return Ok(()),
        }
    }
    Ok(())
}

fn put_aside_after(
    edit: &MemoryEdit<'_>,
    item: &Item<'_>,
    before: Option<u64>,
) -> Result<Option<LedgerLine>> {
    let same = marked::lines(edit, item.mark)?;
    Ok(same.into_iter().rfind(|line| line.place.is_none() && line.after == before))
}

/// Replies that come back in place of others, which were given at another time, are no edits of
/// those: the others go aside, and each keeps its time.
fn swipe(plan: &mut Plan, start: usize, old: &[LedgerLine], latest: Timestamp) {
    for (matched, old) in plan.matches[start..].iter().zip(old) {
        let is_other = |line: &LedgerLine| line.time != old.time && line.time <= latest;
        if matches!(matched, MessageMatch::Back(line) if is_other(line)) {
            plan.aside.push(*old);
        }
    }
}

/// Lets messages take the places of as many lines, if the same roles speak.
fn take_as_edited(
    request: &Request<'_>,
    plan: &mut Plan,
    start: usize,
    old: &[LedgerLine],
) -> bool {
    let roles = request.items[start..].iter().map(|item| item.message.role);
    let fits = old.iter().map(|line| line.role).eq(roles.take(old.len()));
    if fits {
        let aside: Vec<u64> = plan.aside.iter().map(|line| line.number).collect();
        let pairs = plan.matches[start..].iter_mut().zip(old);
        for (matched, old) in pairs.filter(|(_, old)| !aside.contains(&old.number)) {
            let back = if let MessageMatch::Back(line) = matched { Some(*line) } else { None };
            *matched = MessageMatch::Edited { old: *old, back };
        }
    }
    fits
}

/// The history goes on where the line went on otherwise: edits if all of that is replaced and more
/// is said, else a fork.
fn leave_line(
    edit: &MemoryEdit<'_>,
    request: &Request<'_>,
    plan: &mut Plan,
    run: std::ops::Range<usize>,
    before: &LedgerLine,
) -> Result<()> {
    let mut left = history_run::following(edit.tx.snapshot(), edit.place(), before)?;
    if before.role == Role::User && request.items[run.start].message.role == Role::User {
        // Replies that are not sent again have not been left: agents drop them when they compact a
        // chat, and others only refer to them by their ids.
        let replies = left.iter().take_while(|line| line.role == Role::Assistant).count();
        left.drain(..replies);
    }
    let user_spoke = request.items[..run.start].iter().any(|item| item.message.role == Role::User);
    // A reply of the run that comes back counts, too: what is left has taken its place.
    let was_here = request.resends_all
        || is_swiped_back(&plan.matches[run.start], &left)
        || (was_answered(&plan.matches[..run.end]) && is_one_conversation(edit, before, &left)?);
    if left.is_empty() || !user_spoke || !was_here {
        return Ok(());
    }
    let all_new = plan.matches[run.clone()].iter().all(|matched| *matched == MessageMatch::New);
    if all_new && left.len() < run.len() && take_as_edited(request, plan, run.start, &left) {
        return Ok(());
    }
    plan.aside.extend(left);
    Ok(())
}

/// Whether a reply that was given here is among these messages. Examples that a program sends with
/// every request are not.
fn was_answered(matches: &[MessageMatch]) -> bool {
    let line = |matched: &MessageMatch| match matched {
        MessageMatch::Known(line)
        | MessageMatch::Back(line)
        | MessageMatch::Edited { old: line, .. } => Some(*line),
        MessageMatch::New => None,
    };
    matches.iter().filter_map(line).any(|line| is_given_reply(&line))
}

/// Whether one of two replies to the same message comes back in place of the other, however long after it that was
/// given.
fn is_swiped_back(matched: &MessageMatch, left: &[LedgerLine]) -> bool {
    matches!((matched, left), (MessageMatch::Back(one), [other]) if is_given_reply(one) && is_given_reply(other))
}

/// Whether a line is a reply that was given here.
fn is_given_reply(line: &LedgerLine) -> bool {
    line.role == Role::Assistant && line.delivered
}

/// Whether what is left belongs to the conversation it is left from.
pub(super) fn is_one_conversation(
    edit: &MemoryEdit<'_>,
    before: &LedgerLine,
    left: &[LedgerLine],
) -> Result<bool> {
    let mut homes = Vec::new();
    for line in left.first().into_iter().chain(left.last()).chain([before]) {
        homes.extend(history_run::conversation(edit.tx.snapshot(), edit.place(), line)?);
    }
    homes.dedup();
    Ok(homes.len() < 2)
}
