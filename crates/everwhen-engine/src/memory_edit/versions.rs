//! The versions of one thing said: an entry and its corrections.

use super::MemoryEdit;
use crate::Result;
use crate::memory::Entry;

impl MemoryEdit<'_> {
    /// All versions of one thing said: what it corrects and what corrects it.
    pub(crate) fn versions(&self, entry: Entry) -> Result<Vec<Entry>> {
        let mut chain = vec![entry];
        while let Some(older) = &chain[0].corrects {
            let Some(older) = self.tx.entry(self.place(), older.entry)? else { break };
            chain.insert(0, older);
        }
        while let Some(newer) = chain.last().and_then(|entry| entry.corrected) {
            let Some(newer) = self.tx.entry(self.place(), newer.by)? else { break };
            chain.push(newer);
        }
        Ok(chain)
    }
}
