//! Workflows over a real vault and a model behind real HTTP, which gives scripted answers. The
//! clock stands at noon on 2025-06-01 until it is moved.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod bad_input;
mod examples;
mod kept_memories;
mod memory_models;
mod model;
mod seeds;
mod stage;
mod traces;
