//! Follows the facts and chapters of a memory as they change, without reading all of them again.
//!
//! New chapters mostly follow the last one, and a late reply changes a few at the end. So the end is
//! read again, and the memory's checksum of its chapters shows whether that was all; if not, all of them
//! are read.

use super::{Distilled, words_of_chapter, words_of_fact};
use crate::Result;
use crate::fact_views::views;
use crate::index::word_index::WordIndex;
use crate::memory::{Chapter, ContextDocument, Fact, Memory, chapters_mark};
use crate::ports::{ChapterSelection, ContextSelection, FactSelection, MemoryRef, Snapshot};
use crate::time::Zone;

/// How many chapters at the end are read again; if more have changed, the second number, and then all.
const END_CHAPTERS: [usize; 2] = [32, 512];

/// What has changed in the store.
pub(crate) struct DistilledChanges {
    version: u64,
    zone: Zone,
    facts: Option<Vec<Fact>>,
    /// How many chapters stay, and those that follow them.
    chapters: Option<(usize, Vec<Chapter>)>,
    context: Option<ContextDocument>,
}

impl Distilled {
    /// Returns whether the facts or chapters of a memory have changed since they were read.
    pub(crate) fn is_outdated(&self, memory: &Memory, zone: &Zone) -> bool {
        self.version < memory.distilled || (memory.distilled > 0 && !self.is_in_zone(zone))
    }

    fn is_in_zone(&self, zone: &Zone) -> bool {
        self.zone.as_ref() == Some(zone)
    }

    /// Reads what has changed; `None` if nothing has.
    pub(crate) fn changes(
        &self,
        snapshot: &dyn Snapshot,
        place: MemoryRef,
        zone: &Zone,
    ) -> Result<Option<DistilledChanges>> {
        let memory = snapshot.memory(place)?.filter(|memory| self.is_outdated(memory, zone));
        let Some(memory) = memory else { return Ok(None) };
        let same_facts = self.is_in_zone(zone) && memory.facts_changed <= self.version;
        Ok(Some(DistilledChanges {
            version: memory.distilled,
            zone: zone.clone(),
            facts: if same_facts { None } else { Some(snapshot.facts(place, FactSelection::All)?) },
            chapters: self.other_chapters(snapshot, place, memory.chapters_mark)?,
            context: snapshot.contexts(place, ContextSelection::All, 1)?.pop(),
        }))
    }

    fn other_chapters(
        &self,
        snapshot: &dyn Snapshot,
        place: MemoryRef,
        checksum: u64,
    ) -> Result<Option<(usize, Vec<Chapter>)>> {
        let known = self.chapters.all();
        if self.zone.is_some() && self.chapters_checksum == checksum {
            return Ok(None);
        }
        for end in END_CHAPTERS {
            let (stay, again) = known.split_at(known.len().saturating_sub(end));
            let Some(last) = stay.last() else { break };
            let end = snapshot.chapters(place, ChapterSelection::Behind(Some(last.last), None))?;
            let stay = self.chapters_checksum ^ checksum_of(again);
            if stay ^ checksum_of(&end) == checksum {
                let same = again.iter().zip(&end).take_while(|(a, b)| a.id == b.id).count();
                let new = end.into_iter().skip(same).collect();
                return Ok(Some((known.len() - again.len() + same, new)));
            }
        }
        Ok(Some((0, snapshot.chapters(place, ChapterSelection::Behind(None, None))?)))
    }

    /// Applies changes.
    pub(crate) fn apply(&mut self, changes: DistilledChanges) {
        (self.version, self.zone) = (changes.version, Some(changes.zone.clone()));
        self.context = changes.context;
        if let Some(facts) = changes.facts {
            self.views = WordIndex::new(views(facts.clone(), &changes.zone), words_of_fact);
            self.facts = facts;
        }
        if let Some((stay, new)) = changes.chapters {
            self.chapters_checksum ^= checksum_of(&self.chapters.all()[stay..]) ^ checksum_of(&new);
            self.chapters.truncate(stay, words_of_chapter);
            for chapter in new {
                let words = words_of_chapter(&chapter);
                self.chapters.push(chapter, words);
            }
        }
    }
}

fn checksum_of(chapters: &[Chapter]) -> u64 {
    chapters_mark(chapters.iter().map(|chapter| chapter.id))
}
