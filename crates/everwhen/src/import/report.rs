//! What a reading found, for people and for programs.

use std::collections::BTreeMap;

use everwhen_engine::memory::{TimeFrom, TimePrecision, ZoneFrom};
use jiff::Timestamp;

use super::moment::Moment;

/// Most places that are listed one by one.
const LISTED: usize = 1_000;

/// The most characters that are shown of a date that cannot be read.
const SHOWN: usize = 60;

/// What was found in a source.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Conversations with something said.
    pub conversations: u64,
    /// Messages, those on branches included.
    pub messages: u64,
    /// Branches beside the current lines.
    pub branches: u64,
    /// The first and the last time.
    pub span: Option<(Timestamp, Timestamp)>,
    /// Messages by what their time was taken from.
    pub time_from: BTreeMap<TimeFrom, u64>,
    /// Messages by how precisely their time is known.
    pub precision: BTreeMap<TimePrecision, u64>,
    /// Messages by how their time zone is known.
    pub zone_from: BTreeMap<ZoneFrom, u64>,
    /// Messages per month, such as `2024-05`.
    pub months: BTreeMap<String, u64>,
    /// Messages without any time; they are left out.
    pub undated: u64,
    /// Where they stand.
    pub undated_places: Vec<String>,
    /// Dates that cannot be read; each is among the problems.
    pub unread_dates: u64,
    /// What was left out on purpose, by kind.
    pub left_out: BTreeMap<String, u64>,
    /// What a person should know.
    pub warnings: Vec<String>,
    /// What could not be read: the file, the place in it, and what to do.
    pub problems: Vec<String>,
    /// Problems that are not listed because there are too many.
    pub more_problems: u64,
    /// Entries of the longest conversation.
    pub longest: u64,
    /// Conversations that were split because they are longer than one may be.
    pub split: u64,
}

impl Report {
    pub(super) fn count_time(&mut self, time: &Moment) {
        *self.time_from.entry(time.from).or_default() += 1;
        *self.precision.entry(time.precision).or_default() += 1;
        *self.zone_from.entry(time.zone).or_default() += 1;
        let month = time.at.to_zoned(jiff::tz::TimeZone::UTC).strftime("%Y-%m").to_string();
        *self.months.entry(month).or_default() += 1;
        self.span =
            Some(self.span.map_or((time.at, time.at), |(first, last)| {
                (first.min(time.at), last.max(time.at))
            }));
        self.messages += 1;
    }

    pub(super) fn leave_out(&mut self, kind: &str, count: u64) {
        if count > 0 {
            *self.left_out.entry(kind.to_owned()).or_default() += count;
        }
    }

    pub(super) fn undated(&mut self, place: &str) {
        self.undated += 1;
        if self.undated_places.len() < LISTED {
            self.undated_places.push(place.to_owned());
        }
    }

    /// Notes a date that cannot be read, and what its message has instead.
    pub(super) fn unread_date(&mut self, place: &str, text: &str, instead: Option<&Moment>) {
        self.unread_dates += 1;
        let shown: String = text.chars().take(SHOWN).collect();
        let outcome = match instead.map(|time| time.from) {
            None => "the message was left out",
            Some(TimeFrom::Neighbour) => "the message was placed after the one before it",
            Some(TimeFrom::Asked) => "the message has the day that you stated",
            Some(_) => "the message has the time of its conversation",
        };
        self.problem(format!("{place}: {shown:?} is no date that can be read; {outcome}"));
    }

    pub(super) fn warn(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.warnings.contains(&text) && self.warnings.len() < LISTED {
            self.warnings.push(text);
        }
    }

    pub(super) fn problem(&mut self, text: impl Into<String>) {
        if self.problems.len() < LISTED {
            self.problems.push(text.into());
        } else {
            self.more_problems += 1;
        }
    }

    /// Adds what another reading found.
    pub fn add(&mut self, other: Self) {
        self.conversations += other.conversations;
        self.messages += other.messages;
        self.branches += other.branches;
        self.undated += other.undated;
        self.unread_dates += other.unread_dates;
        self.more_problems += other.more_problems;
        self.split += other.split;
        self.longest = self.longest.max(other.longest);
        let spans = [self.span, other.span].into_iter().flatten();
        self.span = spans.reduce(|one, two| (one.0.min(two.0), one.1.max(two.1)));
        sum(&mut self.time_from, other.time_from);
        sum(&mut self.precision, other.precision);
        sum(&mut self.zone_from, other.zone_from);
        sum(&mut self.months, other.months);
        sum(&mut self.left_out, other.left_out);
        self.undated_places.extend(other.undated_places);
        other.warnings.into_iter().for_each(|warning| self.warn(warning));
        other.problems.into_iter().for_each(|problem| self.problem(problem));
    }
}

fn sum<K: Ord>(all: &mut BTreeMap<K, u64>, more: BTreeMap<K, u64>) {
    for (key, count) in more {
        *all.entry(key).or_default() += count;
    }
}
