//! How far apart two moments are, so that no model has to subtract dates.

use jiff::{Timestamp, Unit};

use crate::memory::{Address, EntryId, MemoryId};
use crate::time::{Zone, length, read_time_in};
use crate::vault::Vault;
use crate::{Error, Result};

/// The distance between two moments, as the vault's calendar has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeBetween {
    /// The first moment, in the vault's zone.
    pub from: String,
    /// The second.
    pub to: String,
    /// Midnights between them; negative if the second comes first.
    pub days: i64,
    /// Seconds between them; negative if the second comes first.
    pub seconds: i64,
    /// Years, months and days on the calendar: `1 month, 3 days`.
    pub calendar: String,
    /// Days, hours and minutes: `34 days, 2 hours`.
    pub length: String,
}

impl Vault {
    /// How far `to` is from `from`. Each is the id of an entry, or a time as people type it.
    pub async fn time_between(
        &self,
        memory: Address<MemoryId>,
        from: &str,
        to: &str,
    ) -> Result<TimeBetween> {
        let zone = self.info().await?.zone;
        let first = self.moment(&memory, from, &zone).await.map_err(|error| error.at("from"))?;
        let second = self.moment(&memory, to, &zone).await.map_err(|error| error.at("to"))?;
        between(first, second, &zone)
    }

    async fn moment(
        &self,
        memory: &Address<MemoryId>,
        text: &str,
        zone: &Zone,
    ) -> Result<Timestamp> {
        if text.starts_with(EntryId::PREFIX) {
            return Ok(self.entry(memory.clone(), text.parse()?).await?.conversation_time);
        }
        Ok(read_time_in(text, zone)?)
    }
}

fn between(from: Timestamp, to: Timestamp, zone: &Zone) -> Result<TimeBetween> {
    let far = |error: jiff::Error| Error::invalid(format!("too far apart: {error}"));
    let (earlier, later) = (from.min(to), from.max(to));
    let dates = (zone.day(earlier), zone.day(later));
    let calendar = dates.0.until((Unit::Year, dates.1)).map_err(far)?;
    let days = i64::from(dates.1.since((Unit::Day, dates.0)).map_err(far)?.get_days());
    Ok(TimeBetween {
        from: zone.rfc3339(from),
        to: zone.rfc3339(to),
        days: if to < from { -days } else { days },
        seconds: to.duration_since(from).as_secs(),
        calendar: in_words(&[
            (i64::from(calendar.get_years()), "year"),
            (i64::from(calendar.get_months()), "month"),
            (i64::from(calendar.get_days()), "day"),
        ]),
        length: length(earlier, later),
    })
}

fn in_words(units: &[(i64, &str)]) -> String {
    let some = units.iter().filter(|(count, _)| *count != 0);
    let parts: Vec<String> = some
        .map(|(count, unit)| format!("{count} {unit}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    if parts.is_empty() { "the same day".into() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(from: &str, to: &str, zone: &str) -> TimeBetween {
        between(from.parse().unwrap(), to.parse().unwrap(), &Zone::named(zone).unwrap()).unwrap()
    }

    #[test]
    fn the_museum_visits_are_seven_days_apart() {
        let apart = apart("2023-01-08T12:49:00Z", "2023-01-15T10:00:00Z", "UTC");
        assert_eq!((apart.days, apart.calendar.as_str()), (7, "7 days"));
        assert_eq!(apart.length, "6 days, 21 hours, 11 minutes");
    }

    #[test]
    fn days_begin_in_the_zone_and_may_be_short() {
        // The night of 26 March 2023 has 23 hours in Berlin.
        let apart = apart("2023-03-25T23:30:00Z", "2023-03-26T22:30:00Z", "Europe/Berlin");
        assert_eq!((apart.days, apart.seconds), (1, 82_800));
        assert_eq!(apart.from, "2023-03-26T00:30:00+01:00");
    }

    #[test]
    fn backwards_is_negative_and_the_calendar_counts_months() {
        let apart = apart("2024-03-31T12:00:00Z", "2022-02-28T12:00:00Z", "UTC");
        assert_eq!((apart.days, apart.calendar.as_str()), (-762, "2 years, 1 month, 3 days"));
        let same = self::apart("2024-03-31T12:00:00Z", "2024-03-31T13:00:00Z", "UTC");
        assert_eq!((same.days, same.calendar.as_str()), (0, "the same day"));
    }
}
