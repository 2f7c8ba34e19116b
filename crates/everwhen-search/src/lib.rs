//! A search index in memory: documents with text, vectors and times in, a ranking with reasons out.
//!
//! [`Index`] is the data structure, [`Index::search`] the ranking, [`Signal`] the list of reasons.
//! [`merge_scores`] combines the rankings of several indexes. Documents and groups are referred to by
//! numbers, which count from zero in the order they were added to the index.
//!
#![doc = include_str!("../README.md")]

mod document;
mod fuse;
mod index;
mod lanes;
mod merge;
mod query_text;
mod rank;
mod scope;
mod shared_rarity;
mod signal;
#[cfg(test)]
mod testing;
mod text;
mod time_range;
mod vectors;
mod weights;
mod word_pairs;

pub use document::{Document, DocumentId, DocumentInfo, DocumentState, GroupId, Micros, Source};
pub use index::{DecodedSegment, Index, InvalidSegment, SEGMENT_DOCUMENTS, Segment};
pub use merge::merge_scores;
pub use query_text::{AskedSpeakers, QueryTerms};
pub use rank::{Hit, OrderedMatches, RankedList, Ranking, SearchQuery};
pub use scope::{Scope, SearchFilter};
pub use shared_rarity::{RarityCounts, SharedRarity};
pub use signal::{Lane, Reason, Signal};
pub use text::{lowercase, passages};
pub use time_range::TimeRange;
pub use vectors::{nearest_row, prefetch, sum_rows};
pub use word_pairs::WordPairs;
