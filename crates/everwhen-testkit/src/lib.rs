//! For tests only: the oracle store, a world moved by hand, faults on demand, a store of which a part is away, a scripted model, an embedder, a
//! database server, stories, and the phrases that no text for users contains.

mod cluster;
mod endpoint;
mod faults;
mod interrupts;
pub mod phrases;
mod plain;
mod scripted;
mod split;
pub mod story;
mod words;
mod world;

pub use cluster::{Cluster, named_database, sql, test_database};
pub use endpoint::{ModelEndpoint, ModelReply};
pub use faults::{Fault, FaultMode, Faults, Faulty, FaultyStore};
pub use interrupts::{Interrupt, Interrupted};
pub use plain::PlainStore;
pub use scripted::ScriptedLlm;
pub use split::SplitStore;
pub use words::WordEmbedder;
pub use world::{block_on, engine_over, manual_world};
