//! What the engine needs from the world. It names no technology.

mod embedder;
mod ledger;
mod llm;
mod segments;
mod store;

pub use embedder::Embedder;
pub use ledger::{LedgerHead, LedgerLine, LedgerRows, LedgerTx, Lines, Placeholder};
pub use llm::{Finish, Llm, Prompt, PromptMessage, Reply, ReplySchema, Spent};
pub use segments::{SegmentRows, SegmentTx};
pub use store::{
    ContextVersion, ConversationOrder, ConversationQuery, Cursor, EntryQuery, MemoryRef, Neighbour,
    Order, Reading, Removed, Shelf, Snapshot, Speakers, Standing, Store, Tx, Wait, Which, Writing,
};
