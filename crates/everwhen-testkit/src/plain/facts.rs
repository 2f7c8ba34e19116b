//! Facts in the oracle.

use everwhen_engine::Result;
use everwhen_engine::facts::Fact;
use everwhen_engine::memory::{EntryId, FactId, VaultId};
use everwhen_engine::ports::{FactRows, FactTx, MemoryRef};

use super::changes::{drop_rows, replace};
use super::shelves::Shelves;

fn lies_in((vault, fact): &(VaultId, Fact), memory: MemoryRef) -> bool {
    *vault == memory.vault && fact.memory == memory.memory
}

impl FactRows for Shelves {
    fn fact(&self, memory: MemoryRef, id: FactId) -> Result<Option<Fact>> {
        Ok(self.facts(memory)?.into_iter().find(|fact| fact.id == id))
    }

    fn facts(&self, memory: MemoryRef) -> Result<Vec<Fact>> {
        let inside = self.facts.iter().filter(|row| lies_in(row, memory));
        let mut facts: Vec<Fact> = inside.map(|(_, fact)| fact.clone()).collect();
        facts.sort_by_key(|fact| (fact.mentioned_at, fact.id));
        Ok(facts)
    }

    fn facts_on(&self, memory: MemoryRef, entries: &[EntryId]) -> Result<Vec<Fact>> {
        let mut facts = self.facts(memory)?;
        facts.retain(|fact| entries.contains(&fact.evidence.entry));
        Ok(facts)
    }
}

impl FactTx for Shelves {
    fn put_fact(&mut self, vault: VaultId, fact: &Fact) -> Result<()> {
        replace(&mut self.facts, (vault, fact.clone()), |row| {
            row.0 == vault && (row.1.memory, row.1.id) == (fact.memory, fact.id)
        });
        Ok(())
    }

    fn remove_facts(&mut self, memory: MemoryRef, facts: &[FactId]) -> Result<u64> {
        Ok(drop_rows(&mut self.facts, |row| lies_in(row, memory) && facts.contains(&row.1.id)))
    }
}
