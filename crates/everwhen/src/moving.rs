//! Growing: everything from one store to another, and a database over many nodes.

use std::path::{Path, PathBuf};

use everwhen_store::{End, Moved, PostgresStore, move_all};

use crate::config::Config;
use crate::held::Held;
use crate::open::DATABASE_FILE;
use crate::place::Place;
use crate::{Error, Result};

/// Moves everything from one store to another, which must be empty: `sqlite:DIRECTORY` or the URL of
/// a PostgreSQL database each. Every row is read again on the other side and compared. `say` is told
/// of every table.
pub fn migrate(from: &str, to: &str, say: &(dyn Fn(&Moved) + Sync)) -> Result<Vec<Moved>> {
    let (source, target) = (Whole::read("--from", from)?, Whole::read("--to", to)?);
    // Both directories are held, so that nobody writes meanwhile.
    let (source, _source) = source.hold(true)?;
    let (target, _target) = target.hold(false)?;
    move_all(&source, &target, say)
}

/// Spreads the tables of the configured database over its cluster; says which were not before.
pub async fn distribute(config: &Config) -> Result<Vec<String>> {
    let Place::Postgres(url) = &config.store.value else {
        return Err(Error::invalid(
            "only a PostgreSQL database can be spread over nodes; name it with --store",
        ));
    };
    PostgresStore::open(url, config.postgres_options())?.distribute().await
}

/// A whole store, as it is named on the command line.
enum Whole {
    Directory(PathBuf),
    Postgres(String),
}

impl Whole {
    fn read(flag: &str, text: &str) -> Result<Self> {
        if let Some(path) = text.strip_prefix("sqlite:").filter(|path| !path.is_empty()) {
            return Ok(Self::Directory(path.into()));
        }
        match Place::read(text) {
            Ok(Place::Postgres(url)) => Ok(Self::Postgres(url)),
            _ => Err(Error::invalid(format!(
                "{flag} names no store; write sqlite:DIRECTORY or postgres://user@host/database"
            ))),
        }
    }

    /// The end of the move, and the directory it is in, held.
    fn hold(self, must_exist: bool) -> Result<(End, Option<Held>)> {
        let directory = match self {
            Self::Postgres(url) => return Ok((End::Postgres(url), None)),
            Self::Directory(directory) => directory,
        };
        if must_exist {
            require_database(&directory)?;
        }
        let held = Held::hold(&directory)?;
        let file = held.private_file(DATABASE_FILE)?;
        Ok((End::Sqlite(file), Some(held)))
    }
}

fn require_database(directory: &Path) -> Result<()> {
    if directory.join(DATABASE_FILE).exists() {
        return Ok(());
    }
    Err(Error::not_found(format!("there is no {DATABASE_FILE} in {}", directory.display())))
}
