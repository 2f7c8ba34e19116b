//! The IANA time zone in which a vault's days begin and end.

use std::fmt;
use std::sync::LazyLock;

use jiff::civil::{Date, DateTime};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, Zoned};

use crate::{Error, Result};

/// The zones that travel inside the program: the same on every machine, whatever it has installed.
static KNOWN: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// A named time zone, known to exist.
#[derive(Clone, PartialEq, Eq)]
pub struct Zone {
    name: String,
    zone: TimeZone,
}

impl Zone {
    /// Coordinated Universal Time.
    pub fn utc() -> Self {
        Self { name: "UTC".into(), zone: TimeZone::UTC }
    }

    /// The zone with this IANA name.
    pub fn named(name: &str) -> Result<Self> {
        if ["UTC", "Etc/UTC"].contains(&name) {
            return Ok(Self::utc());
        }
        let zone = KNOWN.get(name).map_err(|_| {
            Error::new(format!(
                "unknown time zone {name:?}; use an IANA name such as \"Europe/Berlin\" or \"UTC\""
            ))
        })?;
        let name = zone.iana_name().unwrap_or(name).to_owned();
        Ok(Self { name, zone })
    }

    /// The names of all zones, sorted.
    pub fn names() -> Vec<String> {
        let mut names: Vec<String> = KNOWN.available().map(|name| name.to_string()).collect();
        names.sort_unstable();
        names
    }

    /// The IANA name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The zone for arithmetic.
    pub fn time_zone(&self) -> &TimeZone {
        &self.zone
    }

    /// The instant on this zone's wall clock.
    pub fn show(&self, instant: Timestamp) -> Zoned {
        instant.to_zoned(self.zone.clone())
    }

    /// What this zone's calendar and clock on the wall say at the instant.
    pub fn wall(&self, instant: Timestamp) -> DateTime {
        self.zone.to_datetime(instant)
    }

    /// The day on which the instant falls here.
    pub fn day(&self, instant: Timestamp) -> Date {
        self.wall(instant).date()
    }

    /// RFC 3339 with this zone's offset, to the second: `2025-01-15T11:00:00+01:00`.
    pub fn rfc3339(&self, instant: Timestamp) -> String {
        if self.zone == TimeZone::UTC {
            return self.show(instant).strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        }
        self.show(instant).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
    }

    /// Short form for people: `2025-01-15 11:00`.
    pub fn minute(&self, instant: Timestamp) -> String {
        self.show(instant).strftime("%Y-%m-%d %H:%M").to_string()
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Zone({})", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_zone_names_what_would_be_right() {
        let error = Zone::named("Europe/Atlantis").unwrap_err();
        assert!(error.message().contains("Europe/Berlin"), "{error}");
    }

    #[test]
    fn every_name_that_is_listed_is_a_zone() {
        let names = Zone::names();
        assert!(names.len() > 400 && names.iter().any(|name| name == "UTC"), "{}", names.len());
        for name in names {
            assert!(Zone::named(&name).is_ok(), "{name}");
        }
        assert_eq!(Zone::named("Etc/UTC").unwrap(), Zone::utc());
    }

    #[test]
    fn a_day_begins_at_local_midnight() {
        let late = "2025-03-01T04:30:00Z".parse().unwrap();
        assert_eq!(Zone::named("America/New_York").unwrap().day(late).to_string(), "2025-02-28");
        assert_eq!(Zone::utc().day(late).to_string(), "2025-03-01");
    }

    #[test]
    fn shows_the_offset_of_the_season() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        assert_eq!(
            berlin.rfc3339("2025-01-15T10:00:00Z".parse().unwrap()),
            "2025-01-15T11:00:00+01:00"
        );
        assert_eq!(
            berlin.rfc3339("2025-07-15T10:00:00Z".parse().unwrap()),
            "2025-07-15T12:00:00+02:00"
        );
        assert_eq!(
            Zone::utc().rfc3339("2025-07-15T10:00:00.5Z".parse().unwrap()),
            "2025-07-15T10:00:00Z"
        );
    }
}
