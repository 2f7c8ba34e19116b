//! The search index of each memory, in memory: built from the store in the order in which entries
//! arrived, brought up to date before each use, cached up to a byte budget and saved as segments.
//!
//! [`IndexCache`] is what the engine holds; `memory_index` is the index of one memory with its cached
//! entries; `distilled` are the facts and chapters beside it; `moments` are states as of earlier moments,
//! `fact_lists` the facts as of some; `embedders` compute vectors. The module `recall` answers questions with them.

mod cache;
mod distilled;
mod embedders;
mod entry_cache;
mod fact_lists;
mod memory_index;
mod moments;
mod word_index;

pub(crate) use cache::{IndexCache, IndexNeed, IndexSource, OpenedMemory, SharedIndex};
pub(crate) use distilled::Distilled;
pub(crate) use embedders::{Embedders, embedded_passages};
pub(crate) use fact_lists::FactListKey;
pub(crate) use memory_index::{MemoryIndex, range, source};
pub(crate) use moments::PastMoment;
pub(crate) use word_index::WordIndex;
