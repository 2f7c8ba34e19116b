//! Models, local and remote, behind the ports of the engine.

mod cache;
mod remote;
mod static_table;
mod tls;
mod transformer;
mod vector;
mod word_pieces;

pub use cache::Cached;
pub use remote::{Dialect, Patience, Remote, RemoteSetting, Secret};
pub use static_table::StaticTable;
pub use tls::client_builder;
pub use transformer::{Manners, Pooling, Transformer};
