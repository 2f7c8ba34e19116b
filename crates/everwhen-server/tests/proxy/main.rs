//! The proxy from outside: clients talk to it, and a recording upstream behind it, a real HTTP
//! server, says exactly what arrived. The clock stands at noon on 2025-06-01 until it is moved.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod access;
mod block;
mod bytes;
mod cached;
mod cut;
mod dialects;
mod egress;
mod fail_open;
mod gemini;
mod injection;
mod isolation;
mod kept;
mod memory_tool;
mod outbox;
mod phrased;
mod prefix;
mod reach;
mod recognised;
mod recorder;
mod seeing;
mod stage;
mod strangers;
mod streams;
mod too_long;
mod tool_calls;
mod translation;
mod whose;
mod workflows;
