//! Time as people speak of it: zones, periods, gaps in words, and time phrases.
//!
//! Nothing here reads the clock. Now is an argument, so every result can be tested and repeated.
//!
//! * An instant is a [`jiff::Timestamp`], kept to the microsecond; see [`to_microsecond`].
//! * A [`Zone`] is an IANA time zone that is known to exist. It says on which day an instant falls.
//! * A [`Period`] is a half-open stretch of time with the [`Precision`] in which it was given.
//! * [`gap()`], [`length`] and [`ago`] say how far apart two instants are.
//! * [`read_time`] and [`read_time_in`] read a time that a program or a person typed, [`read_period`]
//!   a period.
//! * [`phrase::read`] finds the time phrases in a text, in English or one of eleven other languages. The
//!   README has a table of them.
//! * [`Clock`] is where a program gets now from, and [`ManualClock`] its counterpart for tests.
//!
//! # Examples
//!
//! What a question asks about, counted from when it was asked:
//!
//! ```
//! use everwhen_time::phrase::{Prefer, read};
//! use everwhen_time::Zone;
//!
//! let zone = Zone::named("Europe/Berlin")?;
//! let asked_at = "2023-06-14T10:00:00Z".parse()?;
//! let reading = read("What did I say about the garden last week?", asked_at, &zone, Prefer::Past);
//!
//! assert_eq!(reading.phrases[0].text, "last week");
//! let about = reading.about().expect("the question names a period");
//! assert_eq!(zone.minute(about.since().expect("it has a beginning")), "2023-06-05 00:00");
//! assert_eq!(zone.minute(about.until().expect("it has an end")), "2023-06-12 00:00");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Words that only look like a time are not read:
//!
//! ```
//! # use everwhen_time::{Zone, phrase::{Prefer, read}};
//! let text = "May I march to the second floor?";
//! let reading = read(text, jiff::Timestamp::UNIX_EPOCH, &Zone::utc(), Prefer::Past);
//! assert!(reading.phrases.is_empty());
//! ```
//!
//! How long ago something was:
//!
//! ```
//! let then = "2023-06-14T07:45:00Z".parse()?;
//! let now = "2023-06-14T10:00:00Z".parse()?;
//! assert_eq!(everwhen_time::ago(then, now), "2 hours, 15 minutes ago");
//! # Ok::<(), jiff::Error>(())
//! ```

#![forbid(unsafe_code)]

mod clock;
mod error;
mod gap;
mod parse;
mod period;
pub mod phrase;
mod written;
mod zone;

pub use clock::{Clock, ManualClock};
pub use error::{Error, Result};
pub use gap::{ago, gap, length};
pub use parse::{read_time, read_time_in};
pub use period::{Period, Precision};
pub use written::read_period;
pub use zone::Zone;

use jiff::Timestamp;

/// The last instant that can be counted in microseconds.
const LAST: Timestamp = Timestamp::constant(253_402_207_200, 0);

/// The instant without its nanoseconds, as every store keeps it.
pub fn to_microsecond(instant: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(instant.as_microsecond()).unwrap_or(LAST)
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
