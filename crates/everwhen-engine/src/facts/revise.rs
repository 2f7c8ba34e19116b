//! What the owner may do to one fact: remove it, or say it right. Both outlive regenerating.
//!
//! A removed fact stays as one that the owner withdrew, so that the same words do not make it again.
//! A correction removes a fact and puts the owner's own in its place, on the same evidence.

use std::collections::HashSet;

use super::extract::stated_matter;
use super::keep::{save, standing};
use super::query::no_fact;
use super::{Fact, FactVector, Matter, Source, WrittenBy};
use crate::memory::{Address, FactId, MemoryId, Name};
use crate::memory_edit::MemoryEdit;
use crate::receipt::{Done, Idempotency, Receipt};
use crate::vault::{Absent, Vault};
use crate::{Error, Result, limits};

/// How a fact is to read.
#[derive(Debug, Clone, Default)]
pub struct FactCorrection {
    /// The statement, without a date.
    pub statement: String,
    /// The value it states, as key and value; else what the built-in rules read from the statement.
    pub matter: Option<(String, String)>,
    /// Its tags; those it had if absent.
    pub tags: Option<Vec<Name>>,
}

impl FactCorrection {
    fn check(&self) -> Result<()> {
        let length = self.statement.trim().chars().count();
        if length == 0 || length > limits::STATEMENT_CHARS {
            return Err(Error::invalid(format!(
                "statement has {length} characters; use 1 to {}",
                limits::STATEMENT_CHARS
            )));
        }
        match &self.matter {
            Some((key, value)) if key.trim().is_empty() || value.trim().is_empty() => {
                Err(Error::invalid("matter needs a key and a value"))
            }
            _ => Ok(()),
        }
    }

    fn matter(&self) -> Option<Matter> {
        let stated = || stated_matter(&self.statement);
        let (key, value) = self.matter.clone().or_else(stated)?;
        Some(Matter { key: key.trim().to_lowercase(), value: value.trim().to_owned() })
    }
}

impl Vault {
    /// Removes a fact, with every time it was said again. It is believed no longer, and does not come
    /// back when facts are made again.
    pub async fn remove_fact(
        &self,
        memory: Address<MemoryId>,
        id: FactId,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        let said = self.said_again(memory.clone(), id).await?;
        self.edit_memory(memory, Absent::Refuse, idempotency, move |edit| {
            withdraw(edit, id, &said)?;
            let left = standing(edit)?;
            save(edit, left, &HashSet::new())?;
            Ok(Receipt::Fact(id))
        })
        .await
    }

    /// Puts the owner's own words in place of a fact, dated as it was. Answers the id of the new
    /// one.
    pub async fn correct_fact(
        &self,
        memory: Address<MemoryId>,
        id: FactId,
        correction: FactCorrection,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        correction.check()?;
        let said = self.said_again(memory.clone(), id).await?;
        let vector = self.vector_of(&correction.statement).await?;
        self.edit_memory(memory, Absent::Refuse, idempotency, move |edit| {
            let was = withdraw(edit, id, &said)?;
            let fact = Fact {
                id: edit.mint(),
                statement: correction.statement.trim().to_owned(),
                source: Source::Confirmed,
                matter: correction.matter(),
                tags: correction.tags.clone().unwrap_or(was.tags),
                by: WrittenBy::User,
                creation_time: edit.now,
                withdrawn_at: None,
                link: None,
                vector: vector.clone(),
                ..was
            };
            let mut facts = standing(edit)?;
            let fresh = HashSet::from([fact.id]);
            let receipt = Receipt::Fact(fact.id);
            facts.push(fact);
            save(edit, facts, &fresh)?;
            Ok(receipt)
        })
        .await
    }

    /// The facts that a fact is shown with: itself and those that say it again.
    async fn said_again(&self, memory: Address<MemoryId>, id: FactId) -> Result<HashSet<FactId>> {
        let view = self.fact(memory, id).await?;
        Ok(view.repeated_by.into_iter().chain([view.fact.id]).collect())
    }

    async fn vector_of(&self, statement: &str) -> Result<Option<FactVector>> {
        let Some(embedder) = self.engine().embedders.present() else { return Ok(None) };
        let vectors = embedder.embed(&[statement]).await?;
        Ok(vectors.first().map(|vector| FactVector::new(embedder.name(), vector)))
    }
}

/// Withdraws facts in the owner's name; answers the one that was meant, as it was.
fn withdraw(edit: &mut MemoryEdit<'_>, id: FactId, said: &HashSet<FactId>) -> Result<Fact> {
    let mut facts = standing(edit)?;
    facts.retain(|fact| said.contains(&fact.id) || fact.id == id);
    let was = facts.iter().find(|fact| fact.id == id).or(facts.first()).cloned();
    for fact in facts {
        let withdrawn =
            Fact { withdrawn_at: Some(edit.now), by: WrittenBy::User, link: None, ..fact };
        edit.keep_fact(withdrawn.id)?;
        edit.put_fact(&withdrawn)?;
    }
    was.ok_or_else(|| no_fact(id))
}
