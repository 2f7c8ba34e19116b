//! Keeps and finds. A store knows rows and transactions; what they mean is the engine's affair.
//!
//! [`SqliteStore`] is the embedded default: one file, one writer thread that commits in groups,
//! readers beside it. [`PostgresStore`] is for more than one machine: one database, many servers.

mod deferred;
pub mod foreign;
pub mod outbox;
mod postgres;
mod row;
mod schema;
mod snapshot;
mod sqlite;
mod tables;
mod transaction;
mod transfer;
mod write_cache;

pub use postgres::{PostgresOptions, PostgresStore};
pub use snapshot::{examine, snapshot};
pub use sqlite::{SqliteOptions, SqliteStore, Synchronous};
pub use transfer::{TransferEnd, TransferredTable, transfer_all};
