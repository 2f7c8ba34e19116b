//! Waiting at start for what others are still starting: the database, and the first key. Where
//! containers start in any order, a server that waits is better than one that fails and is started
//! again.

use std::time::{Duration, Instant};

use everwhen::{Config, ErrorKind, Everwhen, StoreLocation};

use crate::failure::Result;

/// The pause between two tries.
const PAUSE: Duration = Duration::from_secs(1);

/// How long a command still waits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StartupWait {
    until: Instant,
    report: fn(&str),
}

impl StartupWait {
    /// Waits up to this number of seconds from now on, and reports why.
    pub(crate) fn new(seconds: u64, report: fn(&str)) -> Self {
        Self { until: Instant::now() + Duration::from_secs(seconds), report }
    }

    /// Tells why it has to wait and pauses; says no once the time is over.
    pub(crate) async fn goes_on(&self, why: &str) -> bool {
        if Instant::now() + PAUSE > self.until {
            return false;
        }
        (self.report)(&format!("waiting: {why}"));
        tokio::time::sleep(PAUSE).await;
        true
    }

    /// Waits until the database can be opened. A data directory needs no waiting, and an error that
    /// time does not cure ends it.
    pub(crate) async fn for_store(&self, config: &Config) -> Result<()> {
        if !matches!(config.store.value, StoreLocation::Postgres(_)) {
            return Ok(());
        }
        loop {
            match Everwhen::open(config) {
                Ok(_) => return Ok(()),
                Err(error) if error.kind() != ErrorKind::Unavailable => return Err(error.into()),
                Err(error) if !self.goes_on(&error.to_string()).await => return Err(error.into()),
                Err(_) => {}
            }
        }
    }
}
