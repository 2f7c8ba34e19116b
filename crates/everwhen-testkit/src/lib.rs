//! For tests only: the oracle store, a world moved by hand, faults on demand, stories.

mod faults;
mod plain;
pub mod story;
mod world;

pub use faults::{Fault, FaultMode, FaultyStore};
pub use plain::PlainStore;
pub use world::{block_on, engine_over, hand_world};
