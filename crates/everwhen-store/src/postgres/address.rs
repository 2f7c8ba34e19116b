//! Where a database is, read from its URL, and how to get in.
//!
//! With `sslmode=require` (or `verify-full`, which is the same here) the connection is encrypted and
//! the certificate must be one the system trusts; without it the connection is plain.

use std::str::FromStr;
use std::time::Duration;

use everwhen_engine::{Error, Result};
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::{Client, Config, NoTls};

use super::PostgresOptions;
use super::tls::Tls;

/// A database to connect to.
#[derive(Clone)]
pub(super) struct Address {
    config: Config,
    tls: Option<Tls>,
    statement_timeout: Duration,
}

impl Address {
    /// Reads a URL such as `postgres://everwhen@db1,db2/everwhen`. Of several hosts, the one that can
    /// be written to is used, so that a standby takes over when it is promoted.
    pub(super) fn read(url: &str, options: PostgresOptions) -> Result<Self> {
        let url = url
            .replace("sslmode=verify-full", "sslmode=require")
            .replace("sslmode=verify-ca", "sslmode=require");
        let mut config = Config::from_str(&url).map_err(|error| {
            Error::invalid(format!(
                "the address of the database cannot be read ({error}); \
                 write postgres://user:password@host:5432/database"
            ))
        })?;
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        config.connect_timeout(Duration::from_secs(3));
        config.keepalives_idle(Duration::from_secs(15));
        if config.get_application_name().is_none() {
            config.application_name("everwhen");
        }
        let tls = (config.get_ssl_mode() == SslMode::Require).then(Tls::new).transpose()?;
        Ok(Self { config, tls, statement_timeout: options.statement_timeout })
    }

    /// A connection, driven by the runtime of the caller.
    pub(super) async fn connect(&self) -> Result<Client, tokio_postgres::Error> {
        if let Some(tls) = &self.tls {
            let (client, connection) = self.config.connect(tls.clone()).await?;
            tokio::spawn(connection);
            return Ok(client);
        }
        let (client, connection) = self.config.connect(NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// How long a statement may take.
    pub(super) fn statement_timeout(&self) -> Duration {
        self.statement_timeout
    }

    /// What every connection is told first: nothing may take or wait for ever.
    pub(super) fn settings(&self) -> String {
        let millis = self.statement_timeout.as_millis();
        format!(
            "SET statement_timeout = {millis}; SET lock_timeout = {millis};
             SET idle_in_transaction_session_timeout = {}",
            2 * millis
        )
    }
}
