//! What the engine needs from the world. It names no technology.

mod activity;
mod chapters;
mod contexts;
mod embedder;
mod facts;
mod ledger;
mod llm;
mod segments;
mod store;
mod usage;
mod writer;

pub use activity::{ActivityRows, ActivityTx};
pub use chapters::{ChapterRows, ChapterTx};
pub use contexts::ContextTx;
pub use embedder::{Bands, Embedder};
pub use facts::{FactRows, FactTx};
pub use ledger::{
    Addition, LastRequest, LedgerHead, LedgerLine, LedgerRows, LedgerTx, Lines, Placeholder, Proof,
    ProofHolder, Requested,
};
pub use llm::{Finish, Llm, Prompt, PromptMessage, Reply, ReplySchema, Spent};
pub use segments::{SegmentRows, SegmentTx};
pub use store::{
    ContextVersion, ConversationOrder, ConversationQuery, Cursor, EachOf, EntryQuery, MemoryRef,
    Neighbour, Order, Reading, Removed, Shelf, Snapshot, Speakers, Standing, Store, Tx, Wait,
    Which, Writing,
};
pub use usage::{AskedHash, UsageRows, UsageTx};
pub use writer::{ChapterMaterial, ChapterWords, ChapterWriter};
