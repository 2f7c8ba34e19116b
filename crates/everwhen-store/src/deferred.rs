//! Rows of which only the last state in a transaction matters, written once, when they must be.
//!
//! Storing an entry changes its memory, its conversation and the head of the ledger, so a transaction that
//! stores many would write those three rows again and again. They wait here until a statement reads or
//! changes their tables, and at the latest until the transaction ends.

use std::cell::RefCell;

use everwhen_engine::Result;
use everwhen_engine::memory::{Conversation, Memory, VaultId};
use everwhen_engine::ports::{LedgerHead, MemoryRef};

use crate::tables::{Database, conversations, ledger, memories};

/// The most rows that wait; each that is put is compared with them.
const MOST: usize = 32;

/// The rows of one transaction that are not written yet.
#[derive(Default)]
pub(crate) struct DeferredRows(RefCell<Vec<DeferredRow>>);

enum DeferredRow {
    Memory(VaultId, Box<Memory>),
    Conversation(VaultId, Box<Conversation>),
    LedgerHead(MemoryRef, LedgerHead),
}

impl DeferredRow {
    /// Whether both are states of the same row.
    fn is_same_row(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Memory(_, one), Self::Memory(_, other)) => one.id == other.id,
            (Self::Conversation(_, one), Self::Conversation(_, other)) => one.id == other.id,
            (Self::LedgerHead(one, _), Self::LedgerHead(other, _)) => one == other,
            _ => false,
        }
    }

    fn write(&self, db: &dyn Database) -> Result<()> {
        match self {
            Self::Memory(vault, memory) => memories::put(db, *vault, memory),
            Self::Conversation(vault, conversation) => conversations::put(db, *vault, conversation),
            Self::LedgerHead(memory, head) => ledger::put_head(db, *memory, head),
        }
    }
}

impl DeferredRows {
    pub(crate) fn put_memory(
        &self,
        db: &dyn Database,
        vault: VaultId,
        memory: &Memory,
    ) -> Result<()> {
        self.put(db, DeferredRow::Memory(vault, Box::new(memory.clone())))
    }

    pub(crate) fn put_conversation(
        &self,
        db: &dyn Database,
        vault: VaultId,
        conversation: &Conversation,
    ) -> Result<()> {
        self.put(db, DeferredRow::Conversation(vault, Box::new(conversation.clone())))
    }

    pub(crate) fn put_head(
        &self,
        db: &dyn Database,
        memory: MemoryRef,
        head: &LedgerHead,
    ) -> Result<()> {
        self.put(db, DeferredRow::LedgerHead(memory, *head))
    }

    /// Writes what waits, in the order in which the rows were first put.
    pub(crate) fn write(&self, db: &dyn Database) -> Result<()> {
        self.0.take().iter().try_for_each(|row| row.write(db))
    }

    fn put(&self, db: &dyn Database, row: DeferredRow) -> Result<()> {
        if self.0.borrow().len() >= MOST {
            self.write(db)?;
        }
        let mut rows = self.0.borrow_mut();
        match rows.iter_mut().rev().find(|waiting| waiting.is_same_row(&row)) {
            Some(waiting) => *waiting = row,
            None => rows.push(row),
        }
        Ok(())
    }
}
