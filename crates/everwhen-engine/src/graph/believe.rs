//! The statements of a graph are facts: dated by their entries, repeated and replaced as facts are, and
//! withdrawn when they are said to be gone. Distilling leaves them alone.

use crate::Result;
use crate::facts::{self, Draft, WrittenBy};
use crate::memory::Entry;
use crate::memory::Statement;
use crate::memory_edit::MemoryEdit;
use crate::receipt::EntriesReceipt;

/// Keeps what statements that were just stored say, in the transaction that stored them.
pub(super) fn believe(edit: &mut MemoryEdit<'_>, stored: &EntriesReceipt) -> Result<()> {
    let (mut touched, mut drafts) = (Vec::new(), Vec::new());
    for stored in &stored.entries {
        let Some(entry) = edit.tx.entry(edit.place(), stored.id)? else { continue };
        match Statement::read(&entry) {
            Some(Statement::Gone { entry, .. }) => touched.push(entry),
            Some(statement) => {
                touched.push(entry.id);
                drafts.push((draft(&entry, &statement), None));
            }
            None => {}
        }
    }
    facts::keep(edit, &touched, &drafts)
}

/// The fact a statement makes. What sort of thing something is, it is one at a time.
fn draft(entry: &Entry, statement: &Statement) -> Draft {
    let sentence = match statement {
        Statement::Observation { of, text } => format!("{of}: {text}"),
        other => other.sentence(),
    };
    let whole = 0..entry.content.as_str().len();
    let draft = Draft::on(entry, whole, &sentence, WrittenBy::Extractive);
    let draft = draft.with_tags([crate::memory::STATEMENT_LABEL]);
    match statement {
        Statement::Entity { name, kind } => draft.with_matter(name, kind),
        _ => draft,
    }
}
