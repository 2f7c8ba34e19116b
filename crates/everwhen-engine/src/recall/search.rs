//! Searches the indexes of all memories for a question, and merges what was found.

use everwhen_search::{Hit, RankedList, SearchFilter, SearchQuery, SharedRarity, merge_scores};

use super::{Kind, PeriodUse, PreparedMemory, Question};
use crate::engine::Engine;
use crate::index::{MemoryIndex, range, source};
use crate::memory::{Address, ConversationId, Entry, EntryId};
use crate::ports::{MemoryRef, Snapshot};
use crate::{Result, limits};

/// What the search found, best first.
pub(super) struct SearchResults<'m> {
    pub(super) conversations: Vec<MemoryHit<'m, ConversationId>>,
    /// Each with the entry, if it is cached.
    pub(super) entries: Vec<(MemoryHit<'m, EntryId>, Option<Entry>)>,
    pub(super) nothing_in_period: bool,
}

/// A hit, with the memory it is in.
pub(super) struct MemoryHit<'m, Id> {
    pub(super) id: Id,
    pub(super) memory: &'m PreparedMemory,
    pub(super) hit: Hit,
}

/// What was found in one memory.
pub(super) struct MemoryRanking<'m, 'i> {
    memory: &'m PreparedMemory,
    index: &'i MemoryIndex,
    pub(super) conversations: RankedList,
    pub(super) entries: RankedList,
    pub(super) nothing_in_period: bool,
}

/// A hit, with its memory and its index.
type IndexedHit<'m, 'i> = (&'m PreparedMemory, &'i MemoryIndex, Hit);

impl Question {
    /// Searches every memory, and merges what was found.
    pub(super) fn search<'m>(&self, memories: &'m [PreparedMemory]) -> SearchResults<'m> {
        let indexes: Vec<_> = memories.iter().map(PreparedMemory::read).collect();
        let shared = (indexes.len() > 1).then(|| {
            let searched = indexes.iter().map(|index| &index.search);
            SharedRarity::new(searched, &self.query.text, self.as_of())
        });
        let mut rankings: Vec<MemoryRanking<'m, '_>> = (memories.iter().zip(&indexes))
            .map(|(memory, index)| self.search_memory(memory, index, shared.as_ref()))
            .collect();
        let nothing_in_period = rankings.iter().all(|one| one.nothing_in_period);
        if !nothing_in_period && self.query.period == PeriodUse::Filter {
            rankings.retain(|one| !one.nothing_in_period);
        }
        if shared.is_some() {
            let mut lists: Vec<_> = rankings.iter_mut().map(|one| &mut one.conversations).collect();
            merge_scores(&mut lists);
            let mut lists: Vec<_> = rankings.iter_mut().map(|one| &mut one.entries).collect();
            merge_scores(&mut lists);
        }
        self.merge(rankings, nothing_in_period)
    }

    pub(super) fn search_memory<'m, 'i>(
        &self,
        memory: &'m PreparedMemory,
        index: &'i MemoryIndex,
        shared: Option<&SharedRarity>,
    ) -> MemoryRanking<'m, 'i> {
        let search = &index.search;
        // Another embedder may have become active since; then this question goes by words.
        let vector = memory.vector.as_ref().filter(|one| one.embedder == search.active_embedder());
        let plan = self.time.plan(search, self.filter(memory, index), self.query.period);
        let excluded = self.query.pool() - self.query.ordered();
        let period = plan.period.map(range);
        let ranking = search.search(&SearchQuery {
            terms: match shared {
                Some(rarity) => search.shared_query_terms(&memory.rest, rarity),
                None => search.query_terms(&memory.rest),
            },
            speakers: search.asked_speakers_as_of(&self.query.text, self.as_of()),
            vector: vector.map(|vector| vector.values.clone()),
            asked_at: self.asked_at.as_microsecond(),
            period,
            inside_first: period.filter(|_| !plan.nothing_in_period),
            chosen_groups: plan.chosen,
            order: self.time.matches(),
            filter: plan.filter,
            limit: self.query.pool(),
            leading: limits::RECALL_ITEMS_DEFAULT + excluded,
        });
        let (conversations, entries) = (ranking.groups, ranking.documents);
        let nothing_in_period = plan.nothing_in_period;
        MemoryRanking { memory, index, conversations, entries, nothing_in_period }
    }

    /// Returns the conversations of a memory that are left out.
    pub(super) async fn left_out(
        &self,
        engine: &Engine,
        place: MemoryRef,
    ) -> Result<Vec<ConversationId>> {
        let named = self.query.except_conversations.clone();
        if named.is_empty() {
            return Ok(Vec::new());
        }
        let read = move |snapshot: &dyn Snapshot| {
            let mut found = Vec::new();
            for one in &named {
                found.extend(match one {
                    Address::Id(id) => Some(*id),
                    Address::Name(name) => {
                        snapshot.conversation_named(place, name)?.map(|one| one.id)
                    }
                });
            }
            Ok(found)
        };
        engine.store.look(read).await
    }

    /// Returns the caller's own filters.
    fn filter(&self, memory: &PreparedMemory, index: &MemoryIndex) -> SearchFilter {
        let tags: Vec<&str> = self.query.tags.iter().map(|tag| tag.as_str()).collect();
        let tagged = || match &memory.past {
            Some(past) => index.tagged_at(&tags, past),
            None => index.tagged(&tags),
        };
        let left_out = memory.left_out.iter().filter_map(|one| index.conversation_number(*one));
        SearchFilter {
            as_of: self.as_of(),
            period: self.query.bounds().map(range),
            sources: self.query.roles.iter().copied().map(source).collect(),
            documents: (!tags.is_empty()).then(|| tagged().into()),
            without_groups: left_out.collect(),
            ..SearchFilter::default()
        }
    }

    /// Returns how many of the best conversations are read.
    pub(super) fn conversations_to_read(&self) -> usize {
        let is_wanted =
            [Kind::Conversation, Kind::Summary].iter().any(|one| self.query.wants(*one));
        if is_wanted { self.query.pool() } else { 0 }
    }

    /// Returns how many of the best entries are read: no more than are answered, unless their texts may change
    /// the order.
    pub(super) fn entries_to_read(&self) -> usize {
        let query = &self.query;
        match query.wants(Kind::Entry) {
            false => 0,
            true if self.keeps_order() && query.diversity.is_none() => {
                query.pool() - (query.ordered() - query.limit())
            }
            true => query.pool(),
        }
    }

    /// Returns the best hits of all memories, best first.
    fn merge<'m>(
        &self,
        rankings: Vec<MemoryRanking<'m, '_>>,
        nothing_in_period: bool,
    ) -> SearchResults<'m> {
        let (mut conversations, mut entries) = (Vec::new(), Vec::new());
        for MemoryRanking { memory, index, conversations: own, entries: said, .. } in rankings {
            conversations.extend(own.hits.into_iter().map(|hit| (memory, index, hit)));
            entries.extend(said.hits.into_iter().map(|hit| (memory, index, hit)));
        }
        entries.retain(|(_, index, hit)| !self.query.except.contains(&index.entry_id(hit.number)));
        keep_best(&mut conversations, self.conversations_to_read());
        keep_best(&mut entries, self.entries_to_read());
        entries.iter().for_each(|(_, index, hit)| index.prefetch_entry(hit.number));
        let conversations = conversations.into_iter().map(|(memory, index, hit)| {
            let id = index.conversation(hit.number);
            MemoryHit { id, memory, hit }
        });
        let entries = entries.into_iter().map(|(memory, index, hit)| {
            let cached = index.cached_entry(memory.place.memory, hit.number);
            (MemoryHit { id: index.entry_id(hit.number), memory, hit }, cached)
        });
        SearchResults {
            conversations: conversations.collect(),
            entries: entries.collect(),
            nothing_in_period,
        }
    }
}

/// Sorts the hits of several memories, and keeps the best.
fn keep_best(hits: &mut Vec<IndexedHit<'_, '_>>, limit: usize) {
    hits.sort_by(|(.., a), (.., b)| b.score.total_cmp(&a.score));
    hits.truncate(limit);
}
