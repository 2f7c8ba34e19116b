//! The state document: a context document that a writer merges new chapters into.

use crate::engine::Engine;
use crate::job::Job;
use crate::memory::{ContextBy, ContextDocument, NewContext};
use crate::memory_edit::MemoryEdit;
use crate::ports::{ChapterWriter, ContextSelection, StateMaterial};
use crate::{Error, Result};

/// Has new chapters merged into the document. What a writer refuses to merge leaves it as it is.
pub(super) async fn merge(
    engine: &Engine,
    writer: &dyn ChapterWriter,
    job: &Job,
    new_chapters: Vec<String>,
) -> Result<()> {
    if new_chapters.is_empty() || !writer.keeps_state_document() {
        return Ok(());
    }
    let place = job.place();
    let newest = engine
        .store
        .look(move |snapshot| snapshot.contexts(place, ContextSelection::All, 1))
        .await?
        .pop();
    let base = newest.as_ref().map_or(0, |newest| newest.version);
    let document = newest.map(|newest| newest.content).unwrap_or_default();
    let merged = writer.merge_state(&StateMaterial { place, new_chapters, document }).await?;
    let Some(merged) = merged.and_then(|text| NewContext::new(text, None).ok()) else {
        return Ok(());
    };
    engine.go_on(job, move |edit, _| keep(edit, &merged, base)).await
}

/// Keeps a version that was merged from the one with this number.
fn keep(edit: &mut MemoryEdit<'_>, merged: &NewContext, base: u64) -> Result<()> {
    let newest = edit.tx.contexts(edit.place(), ContextSelection::All, 1)?.pop();
    if newest.as_ref().map_or(0, |newest| newest.version) != base {
        return Err(Error::conflict("the state document has changed meanwhile"));
    }
    if newest.is_some_and(|newest| newest.content == merged.content()) {
        return Ok(());
    }
    let document = ContextDocument {
        id: edit.mint(),
        memory: edit.memory.id,
        version: base + 1,
        content: merged.content().to_owned(),
        conversation_time: edit.memory.chaptered_until.unwrap_or(edit.clock),
        creation_time: edit.now,
        by: ContextBy::Llm,
    };
    edit.put_context(&document)
}
