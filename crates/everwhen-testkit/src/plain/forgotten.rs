//! What the oracle keeps of what was forgotten, and the branches of conversations.

use everwhen_engine::memory::{Branch, ConversationId, Name, VaultId};
use everwhen_engine::ports::{
    MemoryRef, ReceiptSelection, Tombstone, TombstoneKind, TombstoneOwner,
};
use everwhen_engine::receipt::KeptReceipt;

use super::state::State;

impl State {
    pub(super) fn receipts_of(
        &self,
        vault: Option<VaultId>,
        which: ReceiptSelection<'_>,
    ) -> Vec<(Name, KeptReceipt)> {
        let is_meant = |key: &Name| match which {
            ReceiptSelection::Key(one) => key == one,
            ReceiptSelection::Named(after, _) => after.is_none_or(|after| key > after),
        };
        let own = self.receipts.iter().filter(|row| row.vault == vault && is_meant(&row.key));
        let mut found: Vec<_> = own.map(|row| (row.key.clone(), row.kept.clone())).collect();
        found.sort_by(|one, other| one.0.cmp(&other.0));
        if let ReceiptSelection::Named(_, limit) = which {
            found.truncate(limit);
        }
        found
    }

    pub(super) fn tombstones_of(
        &self,
        owner: TombstoneOwner,
        which: Option<(TombstoneKind, Option<[u8; 32]>)>,
    ) -> Vec<Tombstone> {
        let is_meant = |row: &Tombstone| match which {
            None => true,
            Some((kind, hash)) => row.kind == kind && hash.is_none_or(|hash| row.hash == hash),
        };
        let own = self.tombstones.iter().filter(|(of, row)| *of == owner && is_meant(row));
        let mut found: Vec<Tombstone> = own.map(|(_, row)| *row).collect();
        found.sort_by_key(|row| (row.kind, row.hash));
        found
    }

    pub(super) fn branches_of(&self, memory: MemoryRef, id: ConversationId) -> Vec<Branch> {
        let mut branches: Vec<Branch> = Vec::new();
        for row in self.entries_in(memory).filter(|row| row.entry.conversation == id) {
            let Some((branch, archived_at)) = row.entry.branch else { continue };
            if row.entry.corrected.is_some() {
                continue;
            }
            match branches.iter_mut().find(|known| known.id == branch) {
                Some(known) => known.entries += 1,
                None => branches.push(Branch { id: branch, archived_at, entries: 1 }),
            }
        }
        branches.sort_by_key(|branch| (branch.archived_at, branch.id));
        branches
    }
}
