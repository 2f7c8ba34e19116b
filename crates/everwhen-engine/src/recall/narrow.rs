//! Questions to more memories than fit into memory at once: each is searched by itself, and its index is dropped
//! again. The answer is the same as if all were searched together, because the words of all memories count for how
//! rare a word is, and the candidates of all for how good a score is.

use std::cell::LazyCell;
use std::sync::Arc;

use everwhen_search::{RankedList, RarityCounts, SharedRarity, merge_scores};

use super::derived::DerivedQuery;
use super::search::{MemoryHit, SearchResults};
use super::{PeriodUse, PreparedMemory, Question, QuestionVector};
use crate::Result;
use crate::engine::Engine;
use crate::index::{OpenedMemory, SharedIndex};
use crate::memory::{ConversationId, EntryId, Memory};
use crate::ports::MemoryRef;

/// A memory as a question found it.
type FoundMemory = (MemoryRef, Memory);

/// What the search found in one memory, without its index.
pub(super) struct MemoryAnswers {
    conversations: (RankedList, Vec<ConversationId>),
    entries: (RankedList, Vec<EntryId>),
    nothing_in_period: bool,
}

impl Question {
    /// Prepares memories for the search. If their indexes do not fit into the budget together, each is searched
    /// and its index dropped, and what was found comes with them.
    pub(super) async fn prepare_all(
        &self,
        engine: &Engine,
        memories: Vec<OpenedMemory>,
    ) -> Result<(Vec<PreparedMemory>, Option<Vec<MemoryAnswers>>)> {
        let (mut prepared, mut embedded) = (Vec::with_capacity(memories.len()), Vec::new());
        let (several, mut bytes) = (memories.len() > 1, 0);
        let mut memories = memories.into_iter();
        while let Some(opened) = memories.next() {
            let one = self.prepare(engine, opened, &mut embedded).await?;
            if several {
                // Facts count, too; those of a single memory are read together with what was found.
                self.follow(engine, &one).await?;
            }
            bytes += one.index.as_ref().map_or(0, |index| index.bytes());
            prepared.push(one);
            if bytes > engine.index_cache.budget() && several {
                let found = prepared.into_iter().map(|one| (one.place, one.memory));
                let rest = memories.map(|opened| (opened.place, opened.memory));
                let all: Vec<FoundMemory> = found.chain(rest).collect();
                let (prepared, answers) = self.search_apart(engine, &all, &mut embedded).await?;
                return Ok((prepared, Some(answers)));
            }
        }
        Ok((prepared, None))
    }

    /// Searches memories one by one.
    async fn search_apart(
        &self,
        engine: &Engine,
        memories: &[FoundMemory],
        embedded: &mut Vec<(String, QuestionVector)>,
    ) -> Result<(Vec<PreparedMemory>, Vec<MemoryAnswers>)> {
        let again = |(place, memory): &FoundMemory| OpenedMemory::found(*place, memory.clone());
        let mut counts = RarityCounts::new(&self.query.text, self.as_of());
        for memory in memories {
            let one = self.prepare(engine, again(memory), embedded).await?;
            counts.add(&one.read().search);
        }
        let rarity = counts.rarity();
        let (mut prepared, mut answers) = (Vec::new(), Vec::new());
        for memory in memories {
            let mut one = self.prepare(engine, again(memory), embedded).await?;
            self.follow(engine, &one).await?;
            answers.push(self.answers(&one, &rarity));
            let (about, ruler) = (self.time.about(), LazyCell::new(|| engine.ruler()));
            let asked = DerivedQuery::new(&self.query, about.as_ref(), self.query.pool());
            one.derived = Some(self.derived(&asked, &one, &ruler));
            (one.index, one.moment) = (None, None);
            prepared.push(one);
        }
        Ok((prepared, answers))
    }

    /// Brings facts and chapters of a memory up to date, if they are asked for.
    async fn follow(&self, engine: &Engine, memory: &PreparedMemory) -> Result<()> {
        let (zone, index) = (self.vault.zone.clone(), memory.index.clone());
        let is_outdated = |index: &Arc<SharedIndex>| self.is_outdated(index, &memory.memory);
        match index.filter(|index| self.wants_distilled() && is_outdated(index)) {
            Some(index) => {
                engine.store.look(move |rows| index.follow(rows, &zone)).await?;
                engine.index_cache.evict();
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn answers(&self, memory: &PreparedMemory, rarity: &SharedRarity) -> MemoryAnswers {
        let index = memory.read();
        let mut ranking = self.search_memory(memory, &index, Some(rarity));
        let is_meant = |number: u32| !self.query.except.contains(&index.entry_id(number));
        ranking.entries.hits.retain(|hit| is_meant(hit.number));
        let conversations = ranking.conversations.hits.iter();
        let conversations = conversations.map(|hit| index.conversation(hit.number)).collect();
        let entries = ranking.entries.hits.iter().map(|hit| index.entry_id(hit.number)).collect();
        MemoryAnswers {
            nothing_in_period: ranking.nothing_in_period,
            conversations: (ranking.conversations, conversations),
            entries: (ranking.entries, entries),
        }
    }

    /// Merges what was found in memories one by one.
    pub(super) fn gather<'m>(
        &self,
        memories: &'m [PreparedMemory],
        mut answers: Vec<MemoryAnswers>,
    ) -> SearchResults<'m> {
        let nothing_in_period = answers.iter().all(|one| one.nothing_in_period);
        if !nothing_in_period && self.query.period == PeriodUse::Filter {
            for answer in answers.iter_mut().filter(|one| one.nothing_in_period) {
                (answer.conversations, answer.entries) = Default::default();
            }
        }
        merge_scores(
            &mut answers.iter_mut().map(|one| &mut one.conversations.0).collect::<Vec<_>>(),
        );
        merge_scores(&mut answers.iter_mut().map(|one| &mut one.entries.0).collect::<Vec<_>>());
        let (mut conversations, mut entries) = (Vec::new(), Vec::new());
        for (memory, answer) in memories.iter().zip(answers) {
            conversations.extend(hits(memory, answer.conversations));
            entries.extend(hits(memory, answer.entries));
        }
        let conversations = best(conversations, self.conversations_to_read());
        let entries = best(entries, self.entries_to_read());
        let entries = entries.into_iter().map(|hit| (hit, None)).collect();
        SearchResults { conversations, entries, nothing_in_period }
    }
}

fn hits<Id>(
    memory: &PreparedMemory,
    (list, ids): (RankedList, Vec<Id>),
) -> impl Iterator<Item = MemoryHit<'_, Id>> {
    list.hits.into_iter().zip(ids).map(move |(hit, id)| MemoryHit { id, memory, hit })
}

fn best<Id>(mut hits: Vec<MemoryHit<'_, Id>>, most: usize) -> Vec<MemoryHit<'_, Id>> {
    hits.sort_by(|a, b| b.hit.score.total_cmp(&a.hit.score));
    hits.truncate(most);
    hits
}
