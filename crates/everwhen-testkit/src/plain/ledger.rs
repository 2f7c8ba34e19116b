//! The oracle's ledgers: rows in lists, like everything else.

use everwhen_engine::Result;
use everwhen_engine::memory::{EntryId, MemoryId, VaultId};
use everwhen_engine::ports::{LedgerHead, LedgerLine, LedgerRows, LedgerTx, Lines, MemoryRef};
use jiff::Timestamp;

use super::shelves::Shelves;

impl Shelves {
    /// The lines of a memory that are along the line, in order.
    fn along(&self, memory: MemoryRef) -> Vec<LedgerLine> {
        let ours =
            self.ledger.iter().filter(|(place, line)| *place == memory && line.place.is_some());
        let mut lines: Vec<LedgerLine> = ours.map(|(_, line)| *line).collect();
        lines.sort_by_key(|line| line.place);
        lines
    }

    fn lines_where(
        &self,
        memory: MemoryRef,
        meant: impl Fn(&LedgerLine) -> bool,
    ) -> Vec<LedgerLine> {
        let ours = self.ledger.iter().filter(|(place, line)| *place == memory && meant(line));
        let mut lines: Vec<LedgerLine> = ours.map(|(_, line)| *line).collect();
        lines.sort_by_key(|line| line.occurrence);
        lines
    }

    /// Forgotten entries leave their lines, which stay.
    pub(super) fn blank_lines(&mut self, gone: &[EntryId]) {
        let lost = |line: &LedgerLine| line.entry.is_some_and(|entry| gone.contains(&entry));
        for (_, line) in self.ledger.iter_mut().filter(|(_, line)| lost(line)) {
            line.entry = None;
        }
    }

    /// Removes the ledgers of the memories for which `doomed` holds.
    pub(super) fn remove_ledgers_where(&mut self, doomed: impl Fn(MemoryRef) -> bool) {
        self.ledger.retain(|(place, _)| !doomed(*place));
        self.ledger_heads.retain(|(place, _)| !doomed(*place));
        self.promised.retain(|(place, _, _)| !doomed(*place));
    }
}

impl LedgerRows for Shelves {
    fn ledger_head(&self, memory: MemoryRef) -> Result<Option<LedgerHead>> {
        let found = self.ledger_heads.iter().find(|(place, _)| *place == memory);
        Ok(found.map(|(_, head)| *head))
    }

    fn ledger_lines(&self, memory: MemoryRef, which: Lines) -> Result<Vec<LedgerLine>> {
        let along = self.along(memory);
        Ok(match which {
            Lines::Newest(most) => along.into_iter().rev().take(most).collect(),
            Lines::Oldest => along.into_iter().take(1).collect(),
            Lines::Behind(place) => {
                along.into_iter().filter(|line| line.place > Some(place)).collect()
            }
            Lines::Before(place) => {
                along.into_iter().rfind(|line| line.place < Some(place)).into_iter().collect()
            }
            Lines::Marked(mark) => self.lines_where(memory, |line| line.mark == mark),
            Lines::Numbered(number) => self.lines_where(memory, |line| line.number == number),
        })
    }

    fn ledger_kin(&self, vault: VaultId, mark: [u8; 32], limit: usize) -> Result<Vec<MemoryId>> {
        let holds = |(place, line): &&(MemoryRef, LedgerLine)| {
            place.vault == vault && line.mark == mark && line.place.is_some()
        };
        let mut memories: Vec<MemoryId> =
            self.ledger.iter().filter(holds).map(|(place, _)| place.memory).collect();
        memories.sort_unstable();
        memories.dedup();
        memories.truncate(limit);
        Ok(memories)
    }

    fn promised_time(&self, memory: MemoryRef, text: [u8; 32]) -> Result<Option<Timestamp>> {
        let all = self.promised_times(memory)?;
        Ok(all.into_iter().find(|(hash, _)| *hash == text).map(|(_, time)| time))
    }

    fn promised_times(&self, memory: MemoryRef) -> Result<Vec<([u8; 32], Timestamp)>> {
        let ours = self.promised.iter().filter(|(place, _, _)| *place == memory);
        let mut times: Vec<_> = ours.map(|(_, hash, time)| (*hash, *time)).collect();
        times.sort_unstable();
        Ok(times)
    }
}

impl LedgerTx for Shelves {
    fn put_ledger_head(&mut self, memory: MemoryRef, head: &LedgerHead) -> Result<()> {
        self.ledger_heads.retain(|(place, _)| *place != memory);
        self.ledger_heads.push((memory, *head));
        Ok(())
    }

    fn put_ledger_line(&mut self, memory: MemoryRef, line: &LedgerLine) -> Result<()> {
        self.ledger.retain(|(place, one)| *place != memory || one.number != line.number);
        self.ledger.push((memory, *line));
        Ok(())
    }

    fn put_promised_time(
        &mut self,
        memory: MemoryRef,
        text: [u8; 32],
        time: Option<Timestamp>,
    ) -> Result<()> {
        self.promised.retain(|(place, hash, _)| *place != memory || *hash != text);
        self.promised.extend(time.map(|time| (memory, text, time)));
        Ok(())
    }

    fn rejoin_entries(&mut self, memory: MemoryRef, entries: &[EntryId]) -> Result<()> {
        self.change_entries(memory, entries, |entry| entry.branch = None)
    }
}
