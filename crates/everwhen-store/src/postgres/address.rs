//! Where a database is, read from its URL, and how to get in.
//!
//! With `sslmode=require` (or `verify-ca` and `verify-full`, which are the same here) the connection is
//! encrypted, and the certificate must name the host and be signed by someone the system trusts, or by
//! someone in the file that `sslrootcert` names. Without it the connection is plain.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use everwhen_engine::{Error, Result};
use percent_encoding::percent_decode_str;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::{Client, Config, NoTls};

use super::PostgresOptions;
use super::tls::Tls;
use super::vault_names::VaultNames;

/// A database to connect to.
#[derive(Clone)]
pub(super) struct Address {
    config: Config,
    tls: Option<Tls>,
    statement_timeout: Duration,
    /// Connections to one database share what they learn of names.
    names: Arc<VaultNames>,
}

impl Address {
    /// Reads a URL such as `postgres://everwhen@db1,db2/everwhen`. Of several hosts, the one that can
    /// be written to is used, so that a standby takes over when it is promoted.
    pub(super) fn read(url: &str, options: PostgresOptions) -> Result<Self> {
        let (url, encryption) = Encryption::take_from(url)?;
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
        config.ssl_mode(if encryption.is_wanted { SslMode::Require } else { SslMode::Disable });
        let tls =
            encryption.is_wanted.then(|| Tls::new(encryption.trusted.as_deref())).transpose()?;
        Ok(Self {
            config,
            tls,
            statement_timeout: options.statement_timeout,
            names: Arc::default(),
        })
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

    /// What its connections know of names.
    pub(super) fn names(&self) -> Arc<VaultNames> {
        Arc::clone(&self.names)
    }

    /// How long a statement may take.
    pub(super) fn statement_timeout(&self) -> Duration {
        self.statement_timeout
    }

    /// The settings of every connection: no statement may run, and no lock be waited for, without a limit.
    pub(super) fn settings(&self) -> String {
        let millis = self.statement_timeout.as_millis();
        format!(
            "SET statement_timeout = {millis}; SET lock_timeout = {millis};
             SET idle_in_transaction_session_timeout = {}",
            2 * millis
        )
    }
}

/// What a URL says about encryption.
#[derive(Default)]
struct Encryption {
    is_wanted: bool,
    /// A file with the certificates of trusted authorities, instead of those of the system.
    trusted: Option<PathBuf>,
}

impl Encryption {
    /// Reads what concerns encryption, and takes it out of the URL.
    fn take_from(url: &str) -> Result<(String, Self)> {
        let mut encryption = Self::default();
        let Some((place, options)) = url.split_once('?') else {
            return Ok((url.into(), encryption));
        };
        let mut rest = Vec::new();
        for option in options.split('&') {
            match option.split_once('=') {
                Some(("sslmode", mode)) => encryption.is_wanted = is_wanted(mode)?,
                Some(("sslrootcert", file)) => {
                    let file = percent_decode_str(file).decode_utf8_lossy().into_owned();
                    encryption.trusted = Some(file.into());
                }
                _ => rest.push(option),
            }
        }
        let sign = if rest.is_empty() { "" } else { "?" };
        Ok((format!("{place}{sign}{}", rest.join("&")), encryption))
    }
}

fn is_wanted(mode: &str) -> Result<bool> {
    match mode {
        "require" | "verify-ca" | "verify-full" => Ok(true),
        "disable" | "allow" | "prefer" => Ok(false),
        other => Err(Error::invalid(format!(
            "there is no sslmode {other:?}; write require for an encrypted connection to a server \
             whose certificate is trusted, or disable"
        ))),
    }
}
