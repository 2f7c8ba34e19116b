//! When the memories of a discussion are from.
//!
//! WilmerAI dates no memory by what it covers. A memory has the hash of its last message, whose time
//! may be in `timestamps.json`; else only the order of memories is known, and that is said.

use everwhen_engine::ledger::read_absolute;
use everwhen_engine::memory::{Name, Provenance, TimeFrom, TimePrecision, ZoneFrom};
use everwhen_engine::time::Zone;
use jiff::{SignedDuration, Timestamp};

use super::{Discussion, MEMORY_ID, SEARCHABLE_ID, SOURCE};
use crate::import::moment;
use crate::{Result, limits};

/// What is known about times when a discussion is read.
#[derive(Debug, Clone)]
pub struct Dating {
    /// The time zone of the times, which have none.
    pub zone: Zone,
    /// Whether the person who imports named it.
    pub is_zone_stated: bool,
    /// The time of memories without any, as that person states it.
    pub at: Option<Timestamp>,
    /// The time of the import: nothing is later.
    pub now: Timestamp,
}

/// When a memory ends, and where it is from.
#[derive(Debug, Clone, PartialEq)]
pub struct DatedChapter {
    /// When the last message it covers was said.
    pub until: Timestamp,
    /// Its id, and how well that time is known.
    pub provenance: Provenance,
}

impl Discussion {
    /// The time of a message, by the hash of its text.
    fn said_at(&self, hash: &str, dating: &Dating) -> Option<(Timestamp, &str)> {
        let text = self.times.get(hash)?;
        Some((read_absolute(text, &dating.zone).ok()?, text))
    }

    /// The memories of `memories.json`, each with its time.
    pub fn dated_memories(&self, dating: &Dating) -> Result<Vec<DatedChapter>> {
        let said: Vec<Option<(Timestamp, &str)>> =
            self.memories.iter().map(|one| self.said_at(&one.hash, dating)).collect();
        let mut list: Vec<DatedChapter> = Vec::with_capacity(said.len());
        for (place, memory) in self.memories.iter().enumerate() {
            let alike = self.memories[..place].iter().filter(|one| one.hash == memory.hash).count();
            let id = match alike {
                0 => format!("{MEMORY_ID}{}", memory.hash),
                some => format!("{MEMORY_ID}{}#{}", memory.hash, some + 1),
            };
            let mut provenance = provenance(&id)?;
            provenance.zone_from =
                if dating.is_zone_stated { ZoneFrom::Asked } else { ZoneFrom::Assumed };
            let until = match said[place] {
                Some((at, text)) => {
                    provenance.time_text = Name::new("time", text).ok();
                    provenance.precision = TimePrecision::Second;
                    at
                }
                None => {
                    let before = list.last().map(|one| one.until);
                    let (at, from) = self.assumed(before, &said[place..], dating);
                    provenance.time_from = from;
                    provenance.precision = TimePrecision::Unknown;
                    at
                }
            };
            list.push(DatedChapter { until: until.min(dating.now), provenance });
        }
        Ok(list)
    }

    /// A time that keeps the order, for a memory whose own is not known.
    fn assumed(
        &self,
        before: Option<Timestamp>,
        rest: &[Option<(Timestamp, &str)>],
        dating: &Dating,
    ) -> (Timestamp, TimeFrom) {
        let micros = |count: usize| SignedDuration::from_micros(i64::try_from(count).unwrap_or(1));
        if let Some(before) = before {
            return (before + micros(1), TimeFrom::Neighbour);
        }
        let next =
            rest.iter().enumerate().find_map(|(ahead, said)| Some((ahead, said.as_ref()?.0)));
        if let Some((ahead, at)) = next {
            return (at - micros(ahead), TimeFrom::Neighbour);
        }
        match dating.at {
            Some(at) => (at, TimeFrom::Asked),
            None => {
                let file = self.modified.unwrap_or(dating.now);
                (file - micros(rest.len()), TimeFrom::File)
            }
        }
    }

    /// The memories of `vector_memory.db`, each with its time.
    pub fn dated_searchable(&self, dating: &Dating) -> Result<Vec<DatedChapter>> {
        let dated = |memory: &super::SearchableMemory| {
            let mut provenance = provenance(&format!("{SEARCHABLE_ID}{}", memory.id))?;
            provenance.time_text = Name::new("time", memory.date_added.clone()).ok();
            let said = memory.hash.as_ref().and_then(|hash| self.said_at(hash, dating));
            let stored = moment::of_text(&memory.date_added);
            let until = match (said, stored) {
                (Some((at, _)), _) => {
                    provenance.precision = TimePrecision::Second;
                    provenance.zone_from =
                        if dating.is_zone_stated { ZoneFrom::Asked } else { ZoneFrom::Assumed };
                    at
                }
                (None, Some(stored)) => {
                    // It was written then; what it covers was said at most a little earlier.
                    provenance.precision = TimePrecision::Day;
                    provenance.time_from = TimeFrom::Generation;
                    stored.at
                }
                (None, None) => {
                    provenance.precision = TimePrecision::Unknown;
                    provenance.time_from = TimeFrom::File;
                    dating.at.or(self.modified).unwrap_or(dating.now)
                }
            };
            Ok(DatedChapter { until: until.min(dating.now), provenance })
        };
        self.searchable.iter().map(dated).collect()
    }
}

fn provenance(id: &str) -> Result<Provenance> {
    let id: String = id.chars().take(limits::NAME_CHARS).collect();
    Ok(Provenance {
        source_id: Some(Name::new("id", id)?),
        ..Provenance::stated(Name::new("source", SOURCE)?)
    })
}
