//! Where everything is kept: in the data directory, or in a database elsewhere.

use std::fmt;

use crate::{Error, Result};

/// Where everything is kept.
#[derive(Clone, PartialEq, Eq)]
pub enum Place {
    /// A SQLite file in the data directory.
    Directory,
    /// A PostgreSQL database, by its URL, which may hold a password.
    Postgres(String),
}

impl Place {
    /// Reads `sqlite` or the URL of a database.
    pub fn read(text: &str) -> Result<Self> {
        let is_postgres = ["postgres://", "postgresql://"].iter().any(|it| text.starts_with(it));
        match text {
            "sqlite" => Ok(Self::Directory),
            _ if is_postgres => Ok(Self::Postgres(text.to_owned())),
            _ => Err(Error::invalid("is neither sqlite nor the URL of a PostgreSQL database")),
        }
    }
}

/// Without the password.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Postgres(url) = self else { return f.write_str("sqlite") };
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        // Parameters may hold a password, too; where the database is stands before them.
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

/// The same: whatever prints a configuration must not print a password.
impl fmt::Debug for Place {
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
            let place = Place::read(url).unwrap();
            assert_eq!(place.to_string(), shown);
            assert!(!format!("{place:?}").contains("s3cr3t"));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["mysql://db", "sqlite:x", "", "postgres"] {
            assert!(Place::read(text).is_err(), "{text}");
        }
    }
}
