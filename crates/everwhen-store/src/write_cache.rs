//! What a transaction that writes knows of a memory, so that it asks the database once.
//!
//! An exchange looks at the head of the ledger, at its newest lines, at lines with the words of a message
//! and at its conversation again and again. A transaction that writes is the only one that changes them, so
//! what it has read stays true but for its own writes, which are noted here. Lines far back are always
//! asked for.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use everwhen_engine::Result;
use everwhen_engine::memory::{Conversation, ConversationId, Entry, EntryId, VaultId};
use everwhen_engine::ports::{
    EachOf, LedgerHead, LedgerLine, LedgerLines, MemoryRef, Neighbour, Speakers, TimeSide,
};
use jiff::Timestamp;

use crate::tables::{Database, conversations, entries, ledger, proofs};

/// Lines that are read at once, where fewer are asked for.
const READ_AHEAD: usize = 8;

/// The cache of one transaction.
#[derive(Default)]
pub(crate) struct WriteCache(RefCell<Option<KnownMemory>>);

/// What is known of one memory.
struct KnownMemory {
    memory: MemoryRef,
    head: Option<Option<LedgerHead>>,
    newest: Option<Newest>,
    oldest: Option<LedgerLine>,
    /// Lines by their marks, by occurrence.
    marked: HashMap<[u8; 32], Vec<LedgerLine>>,
    /// The marks of those lines, by number.
    marks: HashMap<u64, [u8; 32]>,
    /// Whether times were promised for texts that have not come.
    has_promises: Option<bool>,
    /// The epoch of additions.
    epoch: Option<u64>,
    conversations: HashMap<ConversationId, Conversation>,
    /// Entries that an exchange stored.
    entries: HashMap<EntryId, Entry>,
    /// The newest entry placed by time.
    last: Option<Option<Neighbour>>,
}

impl KnownMemory {
    fn new(memory: MemoryRef) -> Self {
        Self {
            memory,
            head: None,
            newest: None,
            oldest: None,
            marked: HashMap::new(),
            marks: HashMap::new(),
            has_promises: None,
            epoch: None,
            conversations: HashMap::new(),
            entries: HashMap::new(),
            last: None,
        }
    }
}

/// The newest lines of a ledger, without a gap.
struct Newest {
    lines: BTreeMap<i64, LedgerLine>,
    places: HashMap<u64, i64>,
    /// Every line from this place on is here.
    from: i64,
}

impl WriteCache {
    /// The head of a memory's ledger.
    pub(crate) fn head(&self, db: &dyn Database, memory: MemoryRef) -> Result<Option<LedgerHead>> {
        if let Some(head) = self.with(memory, |known| known.head) {
            return Ok(head);
        }
        let head = ledger::head(db, memory)?;
        self.with(memory, |known| known.head = Some(head));
        Ok(head)
    }

    /// Lines of a memory's ledger.
    pub(crate) fn lines(
        &self,
        db: &dyn Database,
        memory: MemoryRef,
        which: LedgerLines<'_>,
    ) -> Result<Vec<LedgerLine>> {
        if let Some(found) = self.with(memory, |known| known.find(&which)) {
            return Ok(found);
        }
        match which {
            LedgerLines::Newest(most) => {
                let asked = most.max(READ_AHEAD);
                let mut lines = ledger::lines(db, memory, LedgerLines::Newest(asked))?;
                let newest = Newest::new(&lines, lines.len() < asked);
                self.with(memory, |known| known.newest = Some(newest));
                lines.truncate(most);
                Ok(lines)
            }
            LedgerLines::Oldest => {
                let found = ledger::lines(db, memory, LedgerLines::Oldest)?;
                self.with(memory, |known| known.oldest = found.last().copied());
                Ok(found)
            }
            LedgerLines::Marked(mark) => {
                let found = ledger::lines(db, memory, which)?;
                self.with(memory, |known| known.take_marked(mark, &found));
                Ok(found)
            }
            which => ledger::lines(db, memory, which),
        }
    }

    /// When texts that have not been seen yet were said: of one text, or of all.
    pub(crate) fn promised(
        &self,
        db: &dyn Database,
        memory: MemoryRef,
        text: Option<[u8; 32]>,
    ) -> Result<Vec<([u8; 32], Timestamp)>> {
        let has = match self.with(memory, |known| known.has_promises) {
            Some(has) => has,
            None => {
                let has = ledger::has_promises(db, memory)?;
                self.with(memory, |known| known.has_promises = Some(has));
                has
            }
        };
        if has { ledger::promised(db, memory, text) } else { Ok(Vec::new()) }
    }

    /// A time was promised.
    pub(crate) fn put_promise(&self, memory: MemoryRef) {
        self.with(memory, |known| known.has_promises = Some(true));
    }

    /// The epoch of additions in the vault of the memory that is known.
    pub(crate) fn epoch(&self, db: &dyn Database, vault: VaultId) -> Result<u64> {
        let of_vault = |known: &&mut KnownMemory| known.memory.vault == vault;
        let mut known = self.0.borrow_mut();
        let Some(known) = known.as_mut().filter(of_vault) else { return proofs::epoch(db, vault) };
        let epoch = known.epoch.map_or_else(|| proofs::epoch(db, vault), Ok)?;
        known.epoch = Some(epoch);
        Ok(epoch)
    }

    /// Entries and conversations, each at the position of its id. What is not known is asked of the database,
    /// once that has everything this transaction wrote.
    pub(crate) fn each_of<'d>(
        &self,
        written: impl FnOnce() -> Result<&'d dyn Database>,
        memory: MemoryRef,
        (entries, conversations): (&[EntryId], &[ConversationId]),
    ) -> Result<EachOf> {
        if let Some(found) = self.with(memory, |known| known.find_one(entries, conversations)) {
            return Ok(found);
        }
        let found = conversations::each_of(written()?, memory, entries, conversations)?;
        let read = found.1.iter().flatten();
        read.for_each(|conversation| self.put_conversation(memory, conversation));
        Ok(found)
    }

    /// The nearest entry placed by time on one side of a time. The last of all is cached.
    pub(crate) fn neighbour(
        &self,
        db: &dyn Database,
        memory: MemoryRef,
        side: TimeSide,
        speakers: Speakers,
    ) -> Result<Option<Neighbour>> {
        if (side, speakers) != (TimeSide::UpTo(Timestamp::MAX), Speakers::All) {
            return entries::neighbour(db, memory, side, speakers);
        }
        if let Some(last) = self.with(memory, |known| known.last) {
            return Ok(last);
        }
        let last = entries::neighbour(db, memory, side, speakers)?;
        self.with(memory, |known| known.last = Some(last));
        Ok(last)
    }

    /// An entry was added.
    pub(crate) fn put_entry(&self, vault: VaultId, entry: &Entry) {
        self.with(MemoryRef { vault, memory: entry.memory }, |known| known.put_entry(entry));
    }

    /// Entries were changed: nothing is known of them any more.
    pub(crate) fn forget_entries(&self) {
        if let Some(known) = self.0.borrow_mut().as_mut() {
            known.entries.clear();
            known.last = None;
        }
    }

    /// A conversation was read or written.
    pub(crate) fn put_conversation(&self, memory: MemoryRef, conversation: &Conversation) {
        let conversation = conversation.clone();
        self.with(memory, |known| known.conversations.insert(conversation.id, conversation));
    }

    /// The head was written.
    pub(crate) fn put_head(&self, memory: MemoryRef, head: &LedgerHead) {
        self.with(memory, |known| known.head = Some(Some(*head)));
    }

    /// A line was written.
    pub(crate) fn put_line(&self, memory: MemoryRef, line: &LedgerLine) {
        self.with(memory, |known| {
            known.oldest = None;
            known.put_marked(line);
            if let Some(newest) = &mut known.newest {
                newest.put(line);
            }
        });
    }

    /// Something else was changed: nothing is known any more.
    pub(crate) fn clear(&self) {
        self.0.replace(None);
    }

    fn with<T>(&self, memory: MemoryRef, work: impl FnOnce(&mut KnownMemory) -> T) -> T {
        let mut known = self.0.borrow_mut();
        if known.as_ref().is_none_or(|known| known.memory != memory) {
            *known = None;
        }
        work(known.get_or_insert_with(|| KnownMemory::new(memory)))
    }
}

impl KnownMemory {
    /// Lines, if all that are asked for are known.
    fn find(&self, which: &LedgerLines<'_>) -> Option<Vec<LedgerLine>> {
        if let (LedgerLines::Oldest, Some(oldest)) = (which, self.oldest) {
            return Some(vec![oldest]);
        }
        if let LedgerLines::Marked(mark) = which {
            return self.marked.get(mark).cloned();
        }
        self.newest.as_ref()?.find(which)
    }
}

impl KnownMemory {
    /// The one entry or the one conversation that is asked for, if it is known.
    fn find_one(&self, entries: &[EntryId], conversations: &[ConversationId]) -> Option<EachOf> {
        match (entries, conversations) {
            ([id], []) => Some((vec![Some(self.entries.get(id)?.clone())], Vec::new())),
            ([], [id]) => Some((Vec::new(), vec![Some(self.conversations.get(id)?.clone())])),
            _ => None,
        }
    }

    /// Notes a new entry. Only an exchange reads what it has just stored.
    fn put_entry(&mut self, entry: &Entry) {
        if self.head.is_some() {
            self.entries.insert(entry.id, entry.clone());
        }
        let is_placed = entry.placed_by_time && entry.branch.is_none();
        let is_last = |last: &Neighbour| last.time <= entry.conversation_time;
        if let Some(last) = &mut self.last
            && is_placed
            && last.as_ref().is_none_or(is_last)
        {
            *last = Some(Neighbour {
                time: entry.conversation_time,
                role: entry.role,
                conversation: entry.conversation,
            });
        }
    }

    /// Notes all lines with a mark.
    fn take_marked(&mut self, mark: [u8; 32], lines: &[LedgerLine]) {
        self.marks.extend(lines.iter().map(|line| (line.number, mark)));
        self.marked.insert(mark, lines.to_vec());
    }

    /// Notes a line among those with its mark, which changes once it is forgotten.
    fn put_marked(&mut self, line: &LedgerLine) {
        let before = self.marks.remove(&line.number);
        if let Some(lines) = before.and_then(|mark| self.marked.get_mut(&mark)) {
            lines.retain(|one| one.number != line.number);
        }
        if let Some(lines) = self.marked.get_mut(&line.mark) {
            self.marks.insert(line.number, line.mark);
            lines.push(*line);
            lines.sort_by_key(|one| one.occurrence);
        }
    }
}

impl Newest {
    /// These lines, newest first; `is_all`: there are no others along the line.
    fn new(lines: &[LedgerLine], is_all: bool) -> Self {
        let along = lines.iter().filter_map(|line| Some((line.place?, *line)));
        let lines: BTreeMap<i64, LedgerLine> = along.collect();
        let first = lines.keys().next().copied();
        let from = if is_all { i64::MIN } else { first.unwrap_or(i64::MAX) };
        let places = lines.iter().map(|(place, line)| (line.number, *place)).collect();
        Self { lines, places, from }
    }

    fn is_all(&self) -> bool {
        self.from == i64::MIN
    }

    fn find(&self, which: &LedgerLines<'_>) -> Option<Vec<LedgerLine>> {
        match *which {
            LedgerLines::Newest(most) if self.is_all() || self.lines.len() >= most => {
                Some(self.lines.values().rev().take(most).copied().collect())
            }
            LedgerLines::Oldest if self.is_all() => {
                Some(self.lines.values().take(1).copied().collect())
            }
            LedgerLines::Behind(place) if place >= self.from => {
                let behind = place.checked_add(1).map(|from| self.lines.range(from..));
                Some(behind.into_iter().flatten().map(|(_, line)| *line).collect())
            }
            LedgerLines::Before(place) => {
                let before = self.lines.range(..place).next_back().map(|(_, line)| *line);
                (before.is_some() || self.is_all()).then(|| before.into_iter().collect())
            }
            LedgerLines::Numbered(number) => {
                let line = self.places.get(&number).and_then(|place| self.lines.get(place));
                line.map(|line| vec![*line])
            }
            _ => None,
        }
    }

    fn put(&mut self, line: &LedgerLine) {
        if let Some(place) = self.places.remove(&line.number) {
            self.lines.remove(&place);
        }
        if let Some(place) = line.place.filter(|place| *place >= self.from) {
            self.lines.insert(place, *line);
            self.places.insert(line.number, place);
        }
    }
}
