//! Wire types that several interfaces share.

pub(crate) mod memory_tool;
mod time_in;

pub(crate) use time_in::TimeIn;
