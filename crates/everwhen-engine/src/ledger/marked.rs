//! Lines found by the mark of their message, also those of which the message was forgotten: their mark has a key.

use crate::Result;
use crate::memory_edit::MemoryEdit;
use crate::ports::{LedgerLine, LedgerLines, Row};

/// All lines of a message, aside or not, by occurrence.
pub(super) fn lines(edit: &MemoryEdit<'_>, mark: [u8; 32]) -> Result<Vec<LedgerLine>> {
    let mut found = edit.tx.ledger_lines(edit.place(), LedgerLines::Marked(mark))?;
    if let Some(salt) = edit.line_salt()? {
        found.extend(edit.tx.ledger_lines(edit.place(), LedgerLines::Marked(salt.keyed(mark)))?);
        found.sort_by_key(|line| line.occurrence);
    }
    Ok(found)
}

/// Whether a line is one of a message with this mark.
pub(super) fn is_of(edit: &MemoryEdit<'_>, line: &LedgerLine, mark: [u8; 32]) -> Result<bool> {
    let is_keyed =
        || edit.line_salt().map(|salt| salt.is_some_and(|it| it.keyed(mark) == line.mark));
    if line.mark == mark { Ok(true) } else { is_keyed() }
}

/// Writes one line of a message with this mark; one without an occurrence gets the next.
pub(super) fn write(
    edit: &mut MemoryEdit<'_>,
    line: &mut LedgerLine,
    mark: [u8; 32],
) -> Result<()> {
    if line.occurrence == 0 {
        line.occurrence = lines(edit, mark)?.last().map_or(0, |last| last.occurrence) + 1;
    }
    edit.tx.put(Row::LedgerLine(edit.place(), line))
}

/// Gives a line the mark that a forgotten message with this mark has.
pub(super) fn hide(edit: &mut MemoryEdit<'_>, line: &mut LedgerLine, mark: [u8; 32]) -> Result<()> {
    line.mark = edit.make_line_salt()?.keyed(mark);
    Ok(())
}
