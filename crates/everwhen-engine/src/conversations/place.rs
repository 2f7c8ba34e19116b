//! Finds the conversation of one new entry, in whatever order entries arrive.
//!
//! Only the neighbours decide. An entry that falls between two conversations may join either, open
//! its own, or bridge the pause between them, which makes them one. The rare entry that shifts an
//! explicit end goes to [`super::rearrange`].

use jiff::Timestamp;

use super::boundary::is_pause;
use super::finish::Timer;
use super::{finish, rearrange};
use crate::memory::{Address, Conversation, ConversationId, NewEntry, Role};
use crate::memory_edit::MemoryEdit;
use crate::ports::{Neighbour, Speakers};
use crate::{Error, Result};

/// Places entries one by one and writes each touched conversation once.
pub(crate) struct Placer {
    /// The newest entry placed by time; asked for once.
    tail: Option<Option<Neighbour>>,
    /// The conversation of the last placed entry, not yet written.
    current: Option<Conversation>,
    /// Whether that conversation was open before.
    timer: Timer,
}

/// Where an entry goes.
pub(crate) struct Placed {
    pub(crate) conversation: ConversationId,
    pub(crate) wire_name: String,
    pub(crate) by_time: bool,
}

impl Placer {
    /// A placer for one transaction.
    pub(crate) fn new() -> Self {
        Self { tail: None, current: None, timer: Timer::Stopped }
    }

    /// Finds or opens the conversation of an entry said at `time`, and counts the entry in.
    pub(crate) fn place(
        &mut self,
        edit: &mut MemoryEdit<'_>,
        entry: &NewEntry,
        time: Timestamp,
    ) -> Result<Placed> {
        let by_time = entry.conversation.is_none();
        match &entry.conversation {
            Some(address) => self.by_name(edit, address, time, entry.role)?,
            None => self.by_time(edit, time, entry.role)?,
        }
        let conversation = self.current.as_mut().expect("placing leaves a current conversation");
        conversation.count_in(time);
        let placed =
            Placed { conversation: conversation.id, wire_name: conversation.wire_name(), by_time };
        if by_time {
            self.advance_tail(Neighbour {
                time,
                role: entry.role,
                conversation: placed.conversation,
            });
        }
        Ok(placed)
    }

    /// Writes what is not yet written.
    pub(crate) fn finish(mut self, edit: &mut MemoryEdit<'_>) -> Result<()> {
        self.put_down(edit)
    }

    fn by_name(
        &mut self,
        edit: &mut MemoryEdit<'_>,
        address: &Address<ConversationId>,
        time: Timestamp,
        role: Role,
    ) -> Result<()> {
        if !self.current.as_ref().is_some_and(|current| answers_to(current, address)) {
            self.put_down(edit)?;
            match address {
                Address::Id(_) => self.hold(edit.conversation(address)?),
                Address::Name(name) => match edit.tx.conversation_named(edit.place(), name)? {
                    Some(found) => self.hold(found),
                    None => {
                        let (id, name) = (edit.mint(), Some(name.clone()));
                        self.hold_new(Conversation::open(id, edit.memory.id, name, time));
                    }
                },
            }
        }
        let current = self.current.as_mut().expect("just set");
        finish::reopen_for(current, time, role);
        Ok(())
    }

    fn by_time(&mut self, edit: &mut MemoryEdit<'_>, time: Timestamp, role: Role) -> Result<()> {
        let tail = self.tail(edit)?;
        if tail.is_none_or(|tail| tail.time <= time) {
            return self.behind(edit, tail, time, role);
        }
        self.put_down(edit)?;
        let home = self.between(edit, time, role)?;
        self.tail = None;
        self.take_up(edit, home, time)
    }

    /// The usual case: nothing was said later.
    fn behind(
        &mut self,
        edit: &mut MemoryEdit<'_>,
        tail: Option<Neighbour>,
        time: Timestamp,
        role: Role,
    ) -> Result<()> {
        let home = match tail {
            None => None,
            Some(tail) if is_pause(tail.time, time, edit.vault.settings.idle_timeout()) => None,
            Some(tail) if edit.is_ended_before(time, role)? => {
                self.put_down(edit)?;
                if tail.time == time || edit.is_ended_from(tail.conversation, time)? {
                    let home = rearrange::around(edit, time, role)?;
                    self.tail = None;
                    return self.take_up(edit, Some(home), time);
                }
                None
            }
            Some(tail) => Some(tail.conversation),
        };
        match (&self.current, home) {
            (Some(current), Some(home)) if current.id == home => Ok(()),
            _ => {
                self.put_down(edit)?;
                if home.is_none()
                    && let Some(tail) = tail
                {
                    finish::end_by_successor(edit, tail.conversation)?;
                }
                self.take_up(edit, home, time)
            }
        }
    }

    /// Something was said later: the entry joins what is near, on either side or both.
    fn between(
        &mut self,
        edit: &mut MemoryEdit<'_>,
        time: Timestamp,
        role: Role,
    ) -> Result<Option<ConversationId>> {
        if edit.is_ended_before(time, role)? {
            return rearrange::around(edit, time, role).map(Some);
        }
        let timeout = edit.vault.settings.idle_timeout();
        let earlier = edit.tx.before(edit.place(), time, Speakers::All)?;
        let later = edit.tx.after(edit.place(), time, Speakers::All)?;
        let earlier = earlier.filter(|earlier| !is_pause(earlier.time, time, timeout));
        let later = match later {
            Some(later) if is_pause(time, later.time, timeout) => None,
            Some(later) if edit.begins_after_ending(later, time, role)? => None,
            later => later,
        };
        let homes = (earlier.map(|e| e.conversation), later.map(|l| l.conversation));
        if let (Some(into), Some(from)) = homes
            && into != from
        {
            finish::merge(edit, from, into)?;
        }
        Ok(homes.0.or(homes.1))
    }

    fn take_up(
        &mut self,
        edit: &mut MemoryEdit<'_>,
        home: Option<ConversationId>,
        time: Timestamp,
    ) -> Result<()> {
        let found = home.map(|id| edit.tx.conversation(edit.place(), id)).transpose()?;
        match (found.flatten(), home) {
            (Some(found), _) => self.hold(found),
            (None, None) => {
                self.hold_new(Conversation::open(edit.mint(), edit.memory.id, None, time));
            }
            (None, Some(id)) => {
                return Err(Error::damaged(format!("conversation {id} has entries but no row")));
            }
        }
        Ok(())
    }

    /// Goes on with a conversation that is stored; if it is open, its timer runs.
    fn hold(&mut self, stored: Conversation) {
        self.timer = if stored.ended.is_none() { Timer::Running } else { Timer::Stopped };
        self.current = Some(stored);
    }

    fn hold_new(&mut self, fresh: Conversation) {
        self.timer = Timer::Stopped;
        self.current = Some(fresh);
    }

    fn put_down(&mut self, edit: &mut MemoryEdit<'_>) -> Result<()> {
        match self.current.take() {
            Some(conversation) => finish::save(edit, conversation, self.timer),
            None => Ok(()),
        }
    }

    fn tail(&mut self, edit: &MemoryEdit<'_>) -> Result<Option<Neighbour>> {
        if let Some(tail) = self.tail {
            return Ok(tail);
        }
        let tail = edit.tx.before(edit.place(), Timestamp::MAX, Speakers::All)?;
        self.tail = Some(tail);
        Ok(tail)
    }

    fn advance_tail(&mut self, placed: Neighbour) {
        if let Some(tail) = &mut self.tail
            && tail.is_none_or(|tail| tail.time <= placed.time)
        {
            *tail = Some(placed);
        }
    }
}

fn answers_to(conversation: &Conversation, address: &Address<ConversationId>) -> bool {
    match address {
        Address::Id(id) => conversation.id == *id,
        Address::Name(name) => conversation.name.as_ref() == Some(name),
    }
}

impl MemoryEdit<'_> {
    /// Whether an entry here would be the first opener after an explicit end.
    fn is_ended_before(&self, time: Timestamp, role: Role) -> Result<bool> {
        if role.is_reply() || self.memory.last_ending.is_none() {
            return Ok(false);
        }
        let opener = self.tx.before(self.place(), time, Speakers::Openers)?;
        let since = opener.map_or(Timestamp::MIN, |opener| opener.time);
        Ok(!self.tx.endings(self.place(), since, time)?.is_empty())
    }

    /// Whether a caller ended this conversation at `time` or later.
    fn is_ended_from(&self, id: ConversationId, time: Timestamp) -> Result<bool> {
        let conversation = self.tx.conversation(self.place(), id)?;
        Ok(conversation.and_then(|one| one.ended).is_some_and(|ended| ended.at >= time))
    }

    /// Whether `later` would still begin its own conversation with an entry placed before it.
    fn begins_after_ending(&self, later: Neighbour, time: Timestamp, role: Role) -> Result<bool> {
        if self.memory.last_ending.is_none() {
            return Ok(false);
        }
        let opener = self.tx.after(self.place(), time, Speakers::Openers)?;
        if opener.is_none_or(|opener| opener.time != later.time) {
            return Ok(false);
        }
        let since = if role.is_reply() {
            let opener = self.tx.before(self.place(), time, Speakers::Openers)?;
            opener.map_or(Timestamp::MIN, |opener| opener.time)
        } else {
            time
        };
        Ok(!self.tx.endings(self.place(), since, later.time)?.is_empty())
    }
}
