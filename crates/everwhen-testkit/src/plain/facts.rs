//! Facts in the oracle.

use everwhen_engine::facts::Fact;
use everwhen_engine::memory::{FactId, VaultId};
use everwhen_engine::ports::{FactSelection, MemoryRef};

use super::changes::{drop_rows, replace};
use super::state::State;

fn lies_in((vault, fact): &(VaultId, Fact), memory: MemoryRef) -> bool {
    *vault == memory.vault && fact.memory == memory.memory
}

impl State {
    pub(super) fn facts_in(&self, memory: MemoryRef, query: FactSelection<'_>) -> Vec<Fact> {
        let meant = |fact: &Fact| match query {
            FactSelection::All | FactSelection::WithoutVectors => true,
            FactSelection::Id(id) => fact.id == id,
            FactSelection::On(entries) => entries.contains(&fact.evidence.entry),
        };
        let inside = self.facts.iter().filter(|row| lies_in(row, memory) && meant(&row.1));
        let has_vectors = query != FactSelection::WithoutVectors;
        let read = |fact: &Fact| Fact {
            vector: fact.vector.clone().filter(|_| has_vectors),
            ..fact.clone()
        };
        let mut facts: Vec<Fact> = inside.map(|(_, fact)| read(fact)).collect();
        facts.sort_by_key(|fact| (fact.mentioned_at, fact.id));
        facts
    }

    pub(super) fn put_fact(&mut self, vault: VaultId, fact: &Fact) {
        replace(&mut self.facts, (vault, fact.clone()), |row| {
            row.0 == vault && (row.1.memory, row.1.id) == (fact.memory, fact.id)
        });
    }

    pub(super) fn remove_facts(&mut self, memory: MemoryRef, facts: &[FactId]) -> u64 {
        self.forget_past_facts(memory, facts);
        drop_rows(&mut self.facts, |row| lies_in(row, memory) && facts.contains(&row.1.id))
    }
}
