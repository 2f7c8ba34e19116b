//! For tests only: the oracle store, a world moved by hand, faults on demand, a scripted model, stories.

mod faults;
mod plain;
mod scripted;
pub mod story;
mod world;

pub use faults::{Fault, FaultMode, FaultyStore};
pub use plain::PlainStore;
pub use scripted::ScriptedLlm;
pub use world::{block_on, engine_over, hand_world};
