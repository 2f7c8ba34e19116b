//! The context document that a memory gets by itself: what is known, in sections, bounded.
//!
//! Walk of the job: gather facts, chapters and conversations (`material`) → sections by rules
//! (`sections`), or by a model whose every word is checked (`model`) → a new version, if it says anything
//! new. What an agent wrote is never replaced: while the newest version is an agent's, the job leaves
//! it alone, until a caller asks for one that is written here ([`Vault::rebuild_context`]).

mod material;
mod model;
mod sections;

use jiff::Timestamp;

use self::material::ContextMaterial;
use self::sections::Sections;
use crate::engine::Engine;
use crate::job::Job;
use crate::memory::{Address, ContextBy, ContextDocument, MemoryId};
use crate::memory_edit::MemoryEdit;
use crate::ports::{ContextSelection, Removal, Row};
use crate::receipt::{Done, Idempotency, Receipt};
use crate::vault::{Absent, Vault};
use crate::{Error, Result};

/// Removes what was written here, since it may contain what is forgotten; says how many versions
/// that were. What an agent wrote is the agent's.
pub(crate) fn forget_written(edit: &mut MemoryEdit<'_>) -> Result<u64> {
    let written = [ContextBy::Extractive, ContextBy::Llm];
    edit.memory.last_context = edit.next_context()? - 1;
    let removed = edit.tx.remove(Removal::Contexts(edit.place(), &written))?;
    if removed > 0 {
        edit.put_context_job()?;
    }
    Ok(removed)
}

/// Runs a context job.
pub(crate) async fn run(engine: &Engine, job: &Job) -> Result<()> {
    if engine.chapter_writer().is_some_and(|writer| writer.keeps_state_document()) {
        return engine.drop_job(job).await;
    }
    let place = job.place();
    let read = engine.store.look(move |rows| ContextMaterial::look(rows, place)).await?;
    let Some(material) = read.filter(|material| material.is_ours() && material.has_content())
    else {
        return engine.drop_job(job).await;
    };
    let mut sections = Sections::by_rules(&material);
    let mut by = ContextBy::Extractive;
    let mut stands_in_for = None;
    if let Some(asker) = engine.asker(&material.vault, job) {
        match model::improve(&asker, &material, &mut sections).await {
            Ok(()) => by = ContextBy::Llm,
            Err(failure) if engine.falls_back(&failure) => stands_in_for = Some(failure),
            Err(failure) => return Err(failure),
        }
    }
    let written = Written { content: sections.text(), until: material.until(), by };
    engine
        .commit(job, move |edit, job| {
            if let Some(failure) = &stands_in_for {
                edit.tx.put(Row::Job(&job.clone().failed(failure, edit.clock)))?;
            }
            keep(edit, &written)
        })
        .await
}

/// A document about to be kept.
struct Written {
    content: String,
    until: Option<Timestamp>,
    by: ContextBy,
}

/// Keeps a document, unless an agent was faster or it says nothing new.
fn keep(edit: &mut MemoryEdit<'_>, written: &Written) -> Result<()> {
    let newest = edit.tx.contexts(edit.place(), ContextSelection::All, 1)?.pop();
    let settled = newest
        .is_some_and(|newest| newest.by == ContextBy::Agent || newest.content == written.content);
    if settled { Ok(()) } else { add(edit, written).map(drop) }
}

fn add(edit: &mut MemoryEdit<'_>, written: &Written) -> Result<Receipt> {
    let document = ContextDocument {
        id: edit.mint(),
        memory: edit.memory.id,
        version: edit.next_context()?,
        content: written.content.clone(),
        conversation_time: written.until.unwrap_or(edit.clock),
        creation_time: edit.now,
        by: written.by,
    };
    edit.put_context(&document)?;
    Ok(Receipt::Context { id: document.id, version: document.version })
}

impl Vault {
    /// Writes the context document from what is known, by rules, also where an agent wrote the last
    /// one, which stays among the versions. From then on it is kept up to date again.
    pub async fn rebuild_context(
        &self,
        memory: Address<MemoryId>,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        self.edit_memory(memory, Absent::Refuse, idempotency, |edit| {
            let material = ContextMaterial::look(edit.tx.snapshot(), edit.place())?
                .ok_or_else(|| Error::damaged("a memory that is open for change exists"))?;
            let content = Sections::by_rules(&material).text();
            let by = ContextBy::Extractive;
            let receipt = add(edit, &Written { content, until: material.until(), by })?;
            edit.put_context_job()?;
            edit.save_memory()?;
            Ok(receipt)
        })
        .await
    }
}
