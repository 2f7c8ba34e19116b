//! Models, local and remote, behind the ports of the engine.
//!
//! The one that is always there is [`StaticTable`]: a table of word-piece vectors inside the
//! binary, which needs no download, no key and no waiting.

mod static_table;

pub use static_table::StaticTable;
