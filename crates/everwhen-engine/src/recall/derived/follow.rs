//! Following a memory's facts and chapters as they change, without reading all of them anew.
//!
//! Chapters mostly come behind the last one, and a late reply changes a few at the end. So the end
//! is read again, and the memory's mark says whether that was all; if not, all of them are read.

use super::{Distilled, words_of_chapter, words_of_fact};
use crate::Result;
use crate::chapters::{self, Chapter};
use crate::facts::{Fact, views};
use crate::memory::Memory;
use crate::ports::{MemoryRef, Snapshot};
use crate::recall::derived::worded::Worded;
use crate::time::Zone;

/// So many chapters at the end are read again; if more have changed, so many, and then all.
const ENDS: [usize; 2] = [32, 512];

/// What is not at hand yet.
pub(crate) struct Changes {
    version: u64,
    zone: Zone,
    facts: Option<Vec<Fact>>,
    /// So many chapters stay, and these come behind them.
    chapters: Option<(usize, Vec<Chapter>)>,
}

impl Distilled {
    /// Whether a memory has others by now.
    pub(in crate::recall) fn is_outdated(&self, memory: &Memory, zone: &Zone) -> bool {
        self.version < memory.distilled || (memory.distilled > 0 && !self.is_told_in(zone))
    }

    fn is_told_in(&self, zone: &Zone) -> bool {
        self.zone.as_ref() == Some(zone)
    }

    /// Reads what has changed since; nothing if nothing has.
    pub(in crate::recall) fn changes(
        &self,
        snapshot: &dyn Snapshot,
        place: MemoryRef,
        zone: &Zone,
    ) -> Result<Option<Changes>> {
        let memory = snapshot.memory(place)?.filter(|memory| self.is_outdated(memory, zone));
        let Some(memory) = memory else { return Ok(None) };
        let same_facts = self.is_told_in(zone) && memory.facts_changed <= self.version;
        Ok(Some(Changes {
            version: memory.distilled,
            zone: zone.clone(),
            facts: if same_facts { None } else { Some(snapshot.facts(place)?) },
            chapters: self.other_chapters(snapshot, place, memory.chapters_mark)?,
        }))
    }

    fn other_chapters(
        &self,
        snapshot: &dyn Snapshot,
        place: MemoryRef,
        mark: u64,
    ) -> Result<Option<(usize, Vec<Chapter>)>> {
        let known = self.chapters.all();
        if self.zone.is_some() && self.chapters_mark == mark {
            return Ok(None);
        }
        for end in ENDS {
            let (stay, again) = known.split_at(known.len().saturating_sub(end));
            let Some(last) = stay.last() else { break };
            let end = snapshot.chapters(place, Some(last.last), None)?;
            let stay = self.chapters_mark ^ mark_of(again);
            if stay ^ mark_of(&end) == mark {
                let same = again.iter().zip(&end).take_while(|(a, b)| a.id == b.id).count();
                let new = end.into_iter().skip(same).collect();
                return Ok(Some((known.len() - again.len() + same, new)));
            }
        }
        Ok(Some((0, snapshot.chapters(place, None, None)?)))
    }

    /// Takes changes in.
    pub(in crate::recall) fn take_in(&mut self, changes: Changes) {
        (self.version, self.zone) = (changes.version, Some(changes.zone.clone()));
        if let Some(facts) = changes.facts {
            self.views = Worded::new(views(facts.clone(), &changes.zone), words_of_fact);
            self.facts = facts;
        }
        if let Some((stay, new)) = changes.chapters {
            self.chapters_mark ^= mark_of(&self.chapters.all()[stay..]) ^ mark_of(&new);
            self.chapters.truncate(stay, words_of_chapter);
            for chapter in new {
                let words = words_of_chapter(&chapter);
                self.chapters.push(chapter, words);
            }
        }
    }
}

fn mark_of(chapters: &[Chapter]) -> u64 {
    chapters::mark(chapters.iter().map(|chapter| chapter.id))
}
