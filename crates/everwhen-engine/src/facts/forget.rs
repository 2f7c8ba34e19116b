//! Forgetting facts with the entries they were made of.

use std::collections::HashSet;

use super::keep::{save, standing};
use super::{Fact, WrittenBy};
use crate::Result;
use crate::memory::{ConversationId, Entry, EntryId, FactId};
use crate::memory_edit::MemoryEdit;
use crate::ports::FactSelection;
use crate::text::content_words;

/// The facts that go with entries, which are still there: those that rest on them, and those of a model that may
/// repeat them. A model is shown a whole conversation, so what it wrote on one entry can have words of another;
/// what is left of the conversation is read again afterwards.
pub(crate) fn made_of(edit: &MemoryEdit<'_>, doomed: &[Entry]) -> Result<Vec<Fact>> {
    let ids: HashSet<EntryId> = doomed.iter().map(|entry| entry.id).collect();
    let facts = edit.tx.facts(edit.place(), FactSelection::WithoutVectors)?;
    let (mut made, others): (Vec<Fact>, Vec<Fact>) =
        facts.into_iter().partition(|fact| ids.contains(&fact.evidence.entry));
    let others: Vec<Fact> = others.into_iter().filter(is_of_model).collect();
    let evidence: Vec<EntryId> = others.iter().map(|fact| fact.evidence.entry).collect();
    let (own, _) = edit.tx.each_of(edit.place(), &evidence, &[])?;
    let touched: HashSet<ConversationId> = doomed.iter().map(|entry| entry.conversation).collect();
    let forgotten: HashSet<String> =
        doomed.iter().flat_map(|entry| content_words(entry.content.as_str())).collect();
    made.extend(others.into_iter().zip(own).filter_map(|(fact, own)| {
        let own = own.filter(|entry| touched.contains(&entry.conversation))?;
        (is_made_again(&fact) || repeats(&fact, &own, &forgotten)).then_some(fact)
    }));
    Ok(made)
}

/// Forgets facts, and links what is left; says how many facts that were.
pub(crate) fn forget(edit: &mut MemoryEdit<'_>, doomed: &[Fact]) -> Result<u64> {
    if doomed.is_empty() {
        return Ok(0);
    }
    let ids: Vec<FactId> = doomed.iter().map(|fact| fact.id).collect();
    let removed = edit.remove_facts(&ids)?;
    let left = standing(edit)?;
    save(edit, left, &HashSet::new())?;
    Ok(removed)
}

/// Whether a model wrote it, or may have: what the owner removed can be of either.
fn is_of_model(fact: &Fact) -> bool {
    match fact.by {
        WrittenBy::Extractive => false,
        WrittenBy::Llm => true,
        WrittenBy::User => fact.withdrawn_at.is_some(),
    }
}

/// Whether nothing of the owner is lost with it: it has no pin, and is none that the owner removed.
fn is_made_again(fact: &Fact) -> bool {
    fact.by == WrittenBy::Llm && fact.pinned_at.is_none()
}

/// Whether a fact has a word of what is forgotten that its own entry does not have.
fn repeats(fact: &Fact, own: &Entry, forgotten: &HashSet<String>) -> bool {
    let said: HashSet<String> = content_words(own.content.as_str()).collect();
    let matter = fact.matter.iter().flat_map(|matter| [matter.key.as_str(), matter.value.as_str()]);
    let tags = fact.tags.iter().map(|tag| tag.as_str());
    let written = matter.chain(tags).chain([fact.statement.as_str()]);
    written.flat_map(content_words).any(|word| forgotten.contains(&word) && !said.contains(&word))
}
