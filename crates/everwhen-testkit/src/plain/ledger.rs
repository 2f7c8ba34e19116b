//! The oracle's ledgers: rows in lists, like everything else.

use everwhen_engine::Result;
use everwhen_engine::memory::{EntryId, MemoryId, VaultId};
use everwhen_engine::ports::{
    Addition, LedgerHead, LedgerLine, LedgerLines, LedgerSelection, MemoryRef, Proof, ProofHolder,
    Snapshot,
};
use jiff::Timestamp;

use super::changes::drop_rows;
use super::state::State;

fn by_number(mut lines: Vec<LedgerLine>) -> Vec<LedgerLine> {
    lines.sort_by_key(|line| line.number);
    lines
}

impl State {
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
        self.proofs.retain(|(place, _)| !doomed(*place));
        self.additions.retain(|(place, _, _)| !doomed(*place));
    }
}

impl State {
    pub(super) fn lines_of(
        &self,
        memory: MemoryRef,
        which: LedgerLines<'_>,
    ) -> Result<Vec<LedgerLine>> {
        let along = self.along(memory);
        Ok(match which {
            LedgerLines::Newest(most) => along.into_iter().rev().take(most).collect(),
            LedgerLines::Oldest => along.into_iter().take(1).collect(),
            LedgerLines::Behind(place) => {
                along.into_iter().filter(|line| line.place > Some(place)).collect()
            }
            LedgerLines::Before(place) => {
                along.into_iter().rfind(|line| line.place < Some(place)).into_iter().collect()
            }
            LedgerLines::Marked(mark) => self.lines_where(memory, |line| line.mark == mark),
            LedgerLines::Numbered(number) => self.lines_where(memory, |line| line.number == number),
            LedgerLines::Of(entries) => {
                let is_of = |line: &LedgerLine| line.entry.is_some_and(|id| entries.contains(&id));
                by_number(self.lines_where(memory, is_of))
            }
            LedgerLines::WithoutEntry => {
                by_number(self.lines_where(memory, |line| line.entry.is_none()))
            }
        })
    }

    pub(super) fn holders_of(
        &self,
        vault: VaultId,
        proof: [u8; 32],
        limit: usize,
    ) -> Result<Vec<ProofHolder>> {
        let ours =
            self.proofs.iter().filter(|(place, one)| place.vault == vault && one.hash == proof);
        let mut holders = Vec::new();
        for (place, proof) in ours {
            let head = self.ledger_head(*place)?;
            let reply = head.and_then(|head| head.placeholder).and_then(|waiting| waiting.reply);
            let holder = ProofHolder { memory: place.memory, proof: *proof };
            holders.push(((reply == Some(proof.number), proof.at, place.memory), holder));
        }
        holders.sort_by_key(|(order, _)| std::cmp::Reverse(*order));
        Ok(holders.into_iter().map(|(_, holder)| holder).take(limit).collect())
    }

    pub(super) fn heads_of(
        &self,
        vault: VaultId,
        which: LedgerSelection,
    ) -> Vec<(MemoryId, LedgerHead)> {
        let is_meant = |memory: MemoryId, head: &LedgerHead| match which {
            LedgerSelection::Of(meant) => memory == meant,
            LedgerSelection::Requested(hash) => head.request.is_some_and(|last| last.hash == hash),
        };
        let ours = self.ledger_heads.iter().filter(|(place, _)| place.vault == vault);
        let ours = ours.map(|(place, head)| (place.memory, *head));
        let mut found: Vec<_> = ours.filter(|(memory, head)| is_meant(*memory, head)).collect();
        found.sort_by_key(|(memory, _)| std::cmp::Reverse(*memory));
        found
    }

    pub(super) fn additions_in(
        &self,
        memory: MemoryRef,
        numbers: &[u64],
    ) -> Result<Vec<(u64, Addition)>> {
        let ours = self
            .additions
            .iter()
            .filter(|(place, number, _)| *place == memory && numbers.contains(number));
        let mut found: Vec<(u64, Addition)> =
            ours.map(|(_, number, addition)| (*number, addition.clone())).collect();
        found.sort_by_key(|(number, _)| *number);
        Ok(found)
    }

    pub(super) fn epoch_of(&self, vault: VaultId) -> Result<u64> {
        let found = self.addition_epochs.iter().find(|(place, _)| *place == vault);
        Ok(found.map_or(0, |(_, epoch)| *epoch))
    }

    pub(super) fn promises_in(
        &self,
        memory: MemoryRef,
        text: Option<[u8; 32]>,
    ) -> Vec<([u8; 32], Timestamp)> {
        let is_meant = |hash: &[u8; 32]| text.is_none_or(|text| text == *hash);
        let ours =
            self.promised.iter().filter(|(place, hash, _)| *place == memory && is_meant(hash));
        let mut times: Vec<_> = ours.map(|(_, hash, time)| (*hash, *time)).collect();
        times.sort_unstable();
        times
    }

    pub(super) fn put_head(&mut self, memory: MemoryRef, head: &LedgerHead) {
        self.ledger_heads.retain(|(place, _)| *place != memory);
        self.ledger_heads.push((memory, *head));
    }

    pub(super) fn put_line(&mut self, memory: MemoryRef, line: &LedgerLine) {
        self.ledger.retain(|(place, one)| *place != memory || one.number != line.number);
        self.ledger.push((memory, *line));
    }

    pub(super) fn promise(&mut self, memory: MemoryRef, text: [u8; 32], time: Timestamp) {
        self.remove_promise(memory, text);
        self.promised.push((memory, text, time));
    }

    pub(super) fn remove_promise(&mut self, memory: MemoryRef, text: [u8; 32]) -> u64 {
        drop_rows(&mut self.promised, |(place, hash, _)| *place == memory && *hash == text)
    }

    pub(super) fn put_proof(&mut self, memory: MemoryRef, proof: &Proof) {
        self.proofs.retain(|(place, one)| *place != memory || one.hash != proof.hash);
        self.proofs.push((memory, *proof));
    }

    pub(super) fn put_addition(&mut self, memory: MemoryRef, number: u64, addition: &Addition) {
        self.additions.retain(|(place, line, _)| *place != memory || *line != number);
        self.additions.push((memory, number, addition.clone()));
    }

    pub(super) fn remove_additions(&mut self, vault: VaultId) -> Result<u64> {
        let removed = drop_rows(&mut self.additions, |(place, _, _)| place.vault == vault);
        let epoch = self.epoch_of(vault)? + 1;
        self.addition_epochs.retain(|(place, _)| *place != vault);
        self.addition_epochs.push((vault, epoch));
        Ok(removed)
    }
}
