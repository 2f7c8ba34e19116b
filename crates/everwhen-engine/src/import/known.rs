//! Tells entries that are new from those that are here already.
//!
//! An entry with an id in its source is known by that id in the whole memory: the same message in a
//! copy of a conversation is not stored again, and one whose text has changed is corrected. An entry
//! without one, or with one that a reader derived from its content, is known by its time, role and text in
//! its conversation; each of several alike counts once.
//!
//! An export gives an entry that has no id in the source of its format the id that it has here. In the memory it came
//! from it is known by that.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use jiff::Timestamp;

use super::ImportedBranch;
use crate::Result;
use crate::memory::{ConversationId, Entry, EntryId, Name, NewEntry, Provenance, Role, Said};
use crate::memory_edit::MemoryEdit;
use crate::ports::{EntryQuery, Snapshot, Which};
use crate::tombstones::imported::ForgottenImports;

/// Ids that are looked up at a time.
const LOOKUP: usize = 500;

/// What is here already, and what of an import is not.
#[derive(Default)]
pub(super) struct Known<'f> {
    by_text: HashMap<(Timestamp, Role), Vec<Entry>>,
    by_id: HashMap<(Name, Name), Vec<Entry>>,
    /// The conversation, if it exists.
    pub(super) conversation: Option<ConversationId>,
    /// Entries to store.
    pub(super) fresh: Vec<NewEntry>,
    /// Entries to correct, and their new texts.
    pub(super) edits: Vec<(EntryId, Said)>,
    /// How many entries were here already.
    pub(super) known: u64,
    in_this_import: HashSet<(Name, Name)>,
    /// What stays forgotten: it counts as known.
    forgotten: Option<(&'f ForgottenImports<'f>, Name)>,
}

/// The entries that an imported branch gets.
pub(super) struct ImportedBranchRows {
    pub(super) at: Timestamp,
    pub(super) known: Vec<Entry>,
    /// Which of the fresh entries.
    pub(super) fresh: Range<usize>,
}

/// The ids of entries in their sources, by source.
pub(super) fn source_ids<'e>(
    entries: impl Iterator<Item = &'e NewEntry>,
) -> HashMap<Name, Vec<Name>> {
    let mut ids: HashMap<Name, Vec<Name>> = HashMap::new();
    for (source, id) in entries.filter_map(key) {
        ids.entry(source).or_default().push(id);
    }
    ids
}

fn key(entry: &NewEntry) -> Option<(Name, Name)> {
    key_of(entry.provenance.as_deref())
}

fn key_of(from: Option<&Provenance>) -> Option<(Name, Name)> {
    let from = from?;
    Some((from.source.clone(), from.source_id.clone()?))
}

impl<'f> Known<'f> {
    /// Finds what is here of a conversation, and of these ids anywhere in the memory.
    pub(super) fn find(
        edit: &MemoryEdit<'_>,
        name: &Name,
        ids: &HashMap<Name, Vec<Name>>,
        forgotten: Option<&'f ForgottenImports<'f>>,
    ) -> Result<Self> {
        let forgotten = forgotten.map(|forgotten| (forgotten, name.clone()));
        let mut known = Self { forgotten, ..Self::default() };
        if edit.memory.last_sequence == 0 {
            return Ok(known);
        }
        if let Some(found) = edit.tx.conversation_named(edit.place(), name)? {
            known.conversation = Some(found.id);
            let query = EntryQuery::of_conversation(found.id, Which::All);
            for entry in edit.tx.entries(edit.place(), &query)? {
                let place = (entry.conversation_time, entry.role);
                known.by_text.entry(place).or_default().push(entry);
            }
        }
        for (source, ids) in ids {
            for some in ids.chunks(LOOKUP) {
                known.look_up(edit, source, some)?;
                known.look_up_own(edit, source, some)?;
            }
        }
        Ok(known)
    }

    /// Entries of this memory, by the ids that an export of it wrote.
    fn look_up_own(&mut self, edit: &MemoryEdit<'_>, source: &Name, ids: &[Name]) -> Result<()> {
        let (ids, own): (Vec<&Name>, Vec<EntryId>) =
            ids.iter().filter_map(|id| Some((id, own_id(id)?))).unzip();
        if own.is_empty() {
            return Ok(());
        }
        let (entries, _) = edit.tx.each_of(edit.place(), &own, &[])?;
        for (id, entry) in ids.into_iter().zip(entries) {
            let alike = self.by_id.entry((source.clone(), id.clone())).or_default();
            alike.extend(entry.filter(|entry| alike.iter().all(|one| one.id != entry.id)));
        }
        Ok(())
    }

    fn look_up(&mut self, edit: &MemoryEdit<'_>, source: &Name, ids: &[Name]) -> Result<()> {
        let query = EntryQuery {
            source: Some(source.clone()),
            source_ids: Some(ids.to_vec()),
            which: Which::All,
            ..EntryQuery::default()
        };
        for entry in edit.tx.entries(edit.place(), &query)? {
            let id = entry.provenance.as_ref().and_then(|from| from.source_id.clone());
            if let Some(id) = id {
                self.by_id.entry((source.clone(), id)).or_default().push(entry);
            }
        }
        Ok(())
    }

    /// Takes what was said in the conversation.
    pub(super) fn main_line(
        &mut self,
        snapshot: &dyn Snapshot,
        entries: Vec<NewEntry>,
    ) -> Result<()> {
        entries.into_iter().try_for_each(|entry| self.sift(snapshot, entry).map(drop))
    }

    /// Takes a branch of it.
    pub(super) fn branch(
        &mut self,
        snapshot: &dyn Snapshot,
        branch: ImportedBranch,
    ) -> Result<ImportedBranchRows> {
        let first = self.fresh.len();
        let mut known = Vec::new();
        for entry in branch.entries {
            known.extend(self.sift(snapshot, entry)?);
        }
        known.retain(|old| old.branch.is_none() && Some(old.conversation) == self.conversation);
        Ok(ImportedBranchRows { at: branch.archived_at, known, fresh: first..self.fresh.len() })
    }

    /// The entry if it is here already; else it is fresh, or corrects one that is here.
    fn sift(&mut self, snapshot: &dyn Snapshot, new: NewEntry) -> Result<Option<Entry>> {
        let key = key(&new);
        if let Some(key) = &key {
            if !self.in_this_import.insert(key.clone()) {
                self.known += 1;
                return Ok(None);
            }
            if let Some(old) = self.by_id(key, &new) {
                self.known += 1;
                return Ok(Some(old));
            }
        }
        let found = self.by_text(&new, key.as_ref());
        if found.is_some() || self.is_forgotten(snapshot, &new)? {
            self.known += 1;
        } else {
            self.fresh.push(new);
        }
        Ok(found)
    }

    fn is_forgotten(&self, snapshot: &dyn Snapshot, new: &NewEntry) -> Result<bool> {
        match &self.forgotten {
            Some((forgotten, name)) => forgotten.has(snapshot, name, new),
            None => Ok(false),
        }
    }

    /// The entry with this id. If its text has changed in its conversation, it is corrected.
    fn by_id(&mut self, key: &(Name, Name), new: &NewEntry) -> Option<Entry> {
        let alike = self.by_id.get(key)?;
        let own = own_id(&key.1);
        let is_same = |old: &&Entry| {
            // Reading an export again takes blanks off both ends.
            let (old_text, new_text) = (old.content.as_str(), new.content.as_str());
            old_text == new_text || own == Some(old.id) && old_text.trim() == new_text.trim()
        };
        if let Some(same) = alike.iter().find(is_same) {
            return Some(same.clone());
        }
        let is_here =
            |old: &&Entry| Some(old.conversation) == self.conversation && old.role == new.role;
        let current = alike.iter().find(|old| is_here(old) && old.corrected.is_none())?.clone();
        if current.branch.is_none() {
            self.edits.push((current.id, new.content.clone()));
        }
        Some(current)
    }

    /// An entry of the same time, role and text, if their ids do not tell them apart.
    fn by_text(&mut self, new: &NewEntry, key: Option<&(Name, Name)>) -> Option<Entry> {
        let time = new.conversation_time.unwrap_or_default();
        let alike = self.by_text.get_mut(&(time, new.role))?;
        let by_id = &self.by_id;
        let place = alike.iter().position(|old| {
            old.content == new.content && !are_distinct(by_id, key, old.provenance.as_deref())
        })?;
        Some(alike.swap_remove(place))
    }
}

/// The id that an entry of Everwhen has in an export, alone or behind its conversation.
fn own_id(id: &Name) -> Option<EntryId> {
    id.as_str().rsplit('/').next()?.parse().ok()
}

/// Whether ids say that two messages of the same time, role and text are two: both have one of the same
/// kind, or the old one is in this import as well.
fn are_distinct(
    in_import: &HashMap<(Name, Name), Vec<Entry>>,
    new: Option<&(Name, Name)>,
    old: Option<&Provenance>,
) -> bool {
    let (Some(new), Some(old)) = (new, key_of(old)) else { return false };
    let is_derived = |id: &Name| id.as_str().starts_with(Provenance::CONTENT_ID);
    let is_either = is_derived(&new.1) || is_derived(&old.1);
    !is_either || new.0 != old.0 || in_import.contains_key(&old)
}
