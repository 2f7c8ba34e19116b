//! Models, local and remote, behind the ports of the engine.

mod static_table;
mod transformer;
mod vector;
mod word_pieces;

pub use static_table::StaticTable;
pub use transformer::{Manners, Pooling, Transformer};
