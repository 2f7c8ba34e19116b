//! Putting facts beside those that are known, inside one transaction.

use std::collections::HashSet;

use super::draft::Draft;
use super::{Fact, FactVector, WrittenBy};
use crate::Result;
use crate::fact_views::reconcile::relink;
use crate::memory::{EntryId, FactId};
use crate::memory_edit::MemoryEdit;
use crate::ports::FactSelection;

/// Keeps what some entries say. What they said before and say again stays as it is; what they no
/// longer say is withdrawn, not deleted: it was believed until now.
pub(crate) fn keep(
    edit: &mut MemoryEdit<'_>,
    entries: &[EntryId],
    drafts: &[(Draft, Option<FactVector>)],
) -> Result<()> {
    let (mut standing, removed) = divided(edit)?;
    let drafts: Vec<&(Draft, Option<FactVector>)> = drafts
        .iter()
        .filter(|(draft, _)| !removed.iter().any(|one| draft.is_removed_as(one)))
        .collect();
    // What the owner wrote stands until the owner says otherwise.
    let resting =
        |fact: &Fact| entries.contains(&fact.evidence.entry) && fact.by != WrittenBy::User;
    let is_said = |fact: &Fact| drafts.iter().any(|(draft, _)| draft.is_kept_as(fact));
    let gone: HashSet<FactId> = standing
        .iter()
        .filter(|fact| resting(fact) && !is_said(fact))
        .map(|fact| fact.id)
        .collect();
    let mut pinned = Vec::new();
    for fact in standing.extract_if(.., |fact| gone.contains(&fact.id)) {
        pinned.extend(fact.pinned_at.map(|at| (fact.statement.clone(), at)));
        let withdrawn = Fact { withdrawn_at: Some(edit.now), link: None, ..fact };
        edit.put_fact(&withdrawn)?;
    }
    let mut fresh = HashSet::new();
    for (draft, vector) in drafts {
        if !standing.iter().any(|fact| draft.is_kept_as(fact)) {
            let mut fact = new_fact(edit, draft.clone(), vector.clone());
            // The same words on corrected evidence keep their pin.
            let kept = pinned.iter().find(|(statement, _)| *statement == fact.statement);
            fact.pinned_at = kept.map(|(_, at)| *at).or(fact.pinned_at);
            fresh.insert(fact.id);
            standing.push(fact);
        }
    }
    save(edit, standing, &fresh)
}

/// Facts that count now.
pub(super) fn standing(edit: &MemoryEdit<'_>) -> Result<Vec<Fact>> {
    Ok(divided(edit)?.0)
}

/// Facts that count now, and those that the owner removed.
fn divided(edit: &MemoryEdit<'_>) -> Result<(Vec<Fact>, Vec<Fact>)> {
    let facts = edit.tx.facts(edit.place(), FactSelection::All)?;
    let (standing, mut gone): (Vec<Fact>, Vec<Fact>) =
        facts.into_iter().partition(|fact| fact.withdrawn_at.is_none());
    gone.retain(|fact| fact.by == WrittenBy::User);
    Ok((standing, gone))
}

/// Links facts and writes those that are fresh or linked otherwise than before.
pub(super) fn save(
    edit: &mut MemoryEdit<'_>,
    mut facts: Vec<Fact>,
    fresh: &HashSet<FactId>,
) -> Result<()> {
    let changed: HashSet<FactId> = relink(&mut facts, fresh, &edit.ruler).into_iter().collect();
    let touched = |fact: &&Fact| fresh.contains(&fact.id) || changed.contains(&fact.id);
    facts.iter().filter(touched).try_for_each(|fact| edit.put_fact(fact))
}

fn new_fact(edit: &MemoryEdit<'_>, draft: Draft, vector: Option<FactVector>) -> Fact {
    let Draft { statement, evidence, mentioned_at, .. } = draft;
    Fact {
        source: draft.source,
        tags: draft.tags,
        matter: draft.matter,
        event: draft.event,
        creation_time: edit.now,
        by: draft.by,
        pinned_at: draft.pinned.then_some(edit.now),
        vector,
        ..Fact::stated(edit.mint(), edit.memory.id, statement, evidence, mentioned_at)
    }
}
