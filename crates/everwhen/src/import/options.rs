//! What the person who imports decides.

use everwhen_engine::time::Zone;
use jiff::Timestamp;

use crate::{Error, Result};

/// The order of day, month and year in written dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// Day, month, year.
    DayFirst,
    /// Month, day, year.
    MonthFirst,
    /// Year, month, day.
    YearFirst,
}

impl DateOrder {
    /// The order with this name: `dmy`, `mdy` or `ymd`.
    pub fn named(text: &str) -> Result<Self> {
        match text {
            "dmy" => Ok(Self::DayFirst),
            "mdy" => Ok(Self::MonthFirst),
            "ymd" => Ok(Self::YearFirst),
            _ => Err(Error::invalid(format!("unknown date order {text:?}; use dmy, mdy or ymd"))),
        }
    }
}

/// Names of fields in a file of no known program; each may be a path such as `metadata.date`.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    /// The field with the time.
    pub time: Option<String>,
    /// The field with the role.
    pub role: Option<String>,
    /// The field with the text.
    pub text: Option<String>,
    /// The field with the id of the conversation.
    pub conversation: Option<String>,
}

/// How files are read.
#[derive(Debug, Clone)]
pub struct Options {
    /// The source, if it should not be recognised.
    pub from: Option<String>,
    /// The time zone of local times, as the person stated it.
    pub zone: Option<Zone>,
    /// The time zone that is assumed if nothing states one.
    pub vault_zone: Zone,
    /// The order of day and month, as the person stated it.
    pub date_order: Option<DateOrder>,
    /// The time of what has none.
    pub at: Option<Timestamp>,
    /// Whether what tools answered is taken, too.
    pub tools: bool,
    /// Whether instructions are taken, too.
    pub system: bool,
    /// Whether messages that the program did not show are taken, too.
    pub hidden: bool,
    /// Whether branches are left out.
    pub drop_branches: bool,
    /// Only what was said at or after this.
    pub since: Option<Timestamp>,
    /// Only what was said before this.
    pub until: Option<Timestamp>,
    /// The name of the person in chats between people.
    pub me: Option<String>,
    /// Names of fields in files of no known program.
    pub fields: Fields,
    /// The time of the import: nothing can have been said later.
    pub now: Timestamp,
}

impl Options {
    /// The usual ones.
    pub fn new(vault_zone: Zone, now: Timestamp) -> Self {
        Self {
            from: None,
            zone: None,
            vault_zone,
            date_order: None,
            at: None,
            tools: false,
            system: false,
            hidden: false,
            drop_branches: false,
            since: None,
            until: None,
            me: None,
            fields: Fields::default(),
            now,
        }
    }

    /// The zone of local times, and how it is known.
    pub(super) fn local_zone(&self) -> (&Zone, everwhen_engine::memory::ZoneFrom) {
        use everwhen_engine::memory::ZoneFrom;
        match &self.zone {
            Some(zone) => (zone, ZoneFrom::Asked),
            None => (&self.vault_zone, ZoneFrom::Assumed),
        }
    }
}
