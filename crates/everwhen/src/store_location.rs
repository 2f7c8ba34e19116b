//! The location of the store: the data directory, or a PostgreSQL database.

use std::fmt;

use crate::{Error, Result};

/// Where the data is stored.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreLocation {
    /// A SQLite file in the data directory.
    Directory,
    /// A PostgreSQL database, by its URL, which may contain a password.
    Postgres(String),
}

impl StoreLocation {
    /// Parses `sqlite` or the URL of a database.
    pub fn read(text: &str) -> Result<Self> {
        let is_postgres = ["postgres://", "postgresql://"].iter().any(|it| text.starts_with(it));
        match text {
            "sqlite" => Ok(Self::Directory),
            _ if is_postgres => Ok(Self::Postgres(text.to_owned())),
            _ => Err(Error::invalid("is neither sqlite nor the URL of a PostgreSQL database")),
        }
    }
}

/// Omits the password.
impl fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Postgres(url) = self else { return f.write_str("sqlite") };
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        // Parameters may contain a password, too; the address of the database is before them.
        let rest = rest.split('?').next().unwrap_or_default();
        match rest.rsplit_once('@') {
            Some((who, host)) => {
                let user = who.split(':').next().unwrap_or_default();
                write!(f, "{scheme}://{user}@{host}")
            }
            None => write!(f, "{scheme}://{rest}"),
        }
    }
}

/// Omits the password: printing a configuration must not reveal it.
impl fmt::Debug for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Place({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        for (url, shown) in [
            ("postgres://ana:s3cr3t@db:5432/x", "postgres://ana@db:5432/x"),
            ("postgresql://ana:a@b@db,db2/x?password=s3cr3t", "postgresql://ana@db,db2/x"),
            ("postgres://db/x", "postgres://db/x"),
            ("sqlite", "sqlite"),
        ] {
            let place = StoreLocation::read(url).unwrap();
            assert_eq!(place.to_string(), shown);
            assert!(!format!("{place:?}").contains("s3cr3t"));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["mysql://db", "sqlite:x", "", "postgres"] {
            assert!(StoreLocation::read(text).is_err(), "{text}");
        }
    }
}
