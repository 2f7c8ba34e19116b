//! Migration: moves all data from one store to another, and distributes a database over many nodes.

use std::path::{Path, PathBuf};

use everwhen_store::{PostgresStore, TransferEnd, TransferredTable, transfer_all};

use crate::config::Config;
use crate::database_file::DATABASE_FILE;
use crate::directory_lock::DirectoryLock;
use crate::store_location::StoreLocation;
use crate::{Error, Result};

/// Moves all data from one store to another, which must be empty. Each is `sqlite:DIRECTORY` or the
/// URL of a PostgreSQL database. Every row is read back from the destination and compared. `say` is
/// called after every table.
pub fn migrate(
    from: &str,
    to: &str,
    say: &(dyn Fn(&TransferredTable) + Sync),
) -> Result<Vec<TransferredTable>> {
    let (source, target) = (NamedStore::read("--from", from)?, NamedStore::read("--to", to)?);
    // Both directories are locked, so that no other process writes meanwhile.
    let (source, _source) = source.hold(true)?;
    let (target, _target) = target.hold(false)?;
    transfer_all(&source, &target, say)
}

/// Distributes the tables of the configured database over its cluster. Returns the names of those
/// that were not distributed before.
pub async fn distribute(config: &Config) -> Result<Vec<String>> {
    let StoreLocation::Postgres(url) = &config.store.value else {
        return Err(Error::invalid(
            "only a PostgreSQL database can be spread over nodes; name it with --store",
        ));
    };
    PostgresStore::open(url, config.postgres_options())?.distribute().await
}

/// A store, as it is named on the command line.
enum NamedStore {
    Directory(PathBuf),
    Postgres(String),
}

impl NamedStore {
    fn read(flag: &str, text: &str) -> Result<Self> {
        if let Some(path) = text.strip_prefix("sqlite:").filter(|path| !path.is_empty()) {
            return Ok(Self::Directory(path.into()));
        }
        match StoreLocation::read(text) {
            Ok(StoreLocation::Postgres(url)) => Ok(Self::Postgres(url)),
            _ => Err(Error::invalid(format!(
                "{flag} names no store; write sqlite:DIRECTORY or postgres://user@host/database"
            ))),
        }
    }

    /// Opens the store for the migration, and locks its directory.
    fn hold(self, must_exist: bool) -> Result<(TransferEnd, Option<DirectoryLock>)> {
        let directory = match self {
            Self::Postgres(url) => return Ok((TransferEnd::Postgres(url), None)),
            Self::Directory(directory) => directory,
        };
        if must_exist {
            require_database(&directory)?;
        }
        let held = DirectoryLock::hold(&directory)?;
        let file = held.private_file(DATABASE_FILE)?;
        Ok((TransferEnd::Sqlite(file), Some(held)))
    }
}

fn require_database(directory: &Path) -> Result<()> {
    if directory.join(DATABASE_FILE).exists() {
        return Ok(());
    }
    Err(Error::not_found(format!("there is no {DATABASE_FILE} in {}", directory.display())))
}
