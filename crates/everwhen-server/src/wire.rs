//! Wire types that several interfaces share.

pub(crate) mod memory_tool;
