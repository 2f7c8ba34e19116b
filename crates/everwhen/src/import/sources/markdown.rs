//! Markdown and plain text with dates: in the front matter, in headings, in brackets before a line, or
//! in the name of the file. A heading's date holds until the next. A backslash before such a line makes it a line of the
//! text.

use everwhen_engine::memory::{Role, TimeFrom, TimePrecision};
use everwhen_engine::time::Zone;
use jiff::Timestamp;
use jiff::civil::DateTime;

use super::Source;
use crate::import::input::Document;
use crate::import::moment::{self, Local, Moment};
use crate::import::options::Options;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample};
use crate::import::text;
use crate::import::thread::{Message, Thread};

/// Markdown.
pub(super) static SOURCE: Source = Source {
    name: "markdown",
    title: "Markdown or text with dates",
    takes: "notes (.md, .txt) with dates in headings, front matter, brackets or file names",
    folders: &[],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_text = [".md", ".markdown", ".txt"].iter().any(|end| sample.file.ends_with(end));
    Claim::at_last(
        is_text
            && sample.json.is_none()
            && sample.lines.is_empty()
            && !sample.text.trim().is_empty(),
    )
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let Some(text) = reading.text(document) else { continue };
        let stem = document.name.rsplit_once('.').map_or(document.name.as_str(), |(stem, _)| stem);
        let mut note =
            Note { thread: Thread::new(stem, document.place.as_str()), ..Note::default() };
        note.day = file_day(document).and_then(|local| reading.local(local));
        note.whole(reading, &text);
        reading.take(note.thread);
        if reading.is_stopped() {
            return;
        }
    }
}

/// The day in the name of a daily note.
fn file_day(document: &Document) -> Option<Local> {
    let file = document.file_name();
    let place = file.find(|c: char| c.is_ascii_digit())?;
    moment::date_only(file.get(place..place + 10)?)
}

#[derive(Default)]
struct Note {
    thread: Thread,
    day: Option<Moment>,
    time: Option<Moment>,
    role: Option<Role>,
    speaker: Option<String>,
    lines: Vec<String>,
    number: usize,
}

impl Note {
    fn whole(&mut self, reading: &mut Reading<'_>, text: &str) {
        let mut lines = text.lines().peekable();
        if lines.peek().is_some_and(|line| line.trim() == "---") {
            lines.next();
            for line in lines.by_ref().take_while(|line| line.trim() != "---") {
                self.front_matter(reading, line);
            }
        }
        let mut in_fence = false;
        for line in lines {
            in_fence ^= is_fence(line);
            if !in_fence && self.marks(reading, line) {
                continue;
            }
            self.lines.push(match escaped(reading.options, line) {
                Some((blanks, said)) if !in_fence && said.starts_with('\\') => {
                    format!("{blanks}{}", &said[1..])
                }
                _ => line.to_owned(),
            });
        }
        self.flush();
    }

    fn front_matter(&mut self, reading: &Reading<'_>, line: &str) {
        let Some((key, value)) = line.split_once(':') else { return };
        let value = value.trim().trim_matches(['"', '\'']);
        match key.trim() {
            "date" | "created" | "created_at" | "createdAt" => {
                self.day = find_time(reading.options, value).or(self.day.take());
            }
            "title" => self.thread.title = Some(value.to_owned()),
            "conversation_id" => value.clone_into(&mut self.thread.id),
            _ => {}
        }
    }

    /// Whether a line is a heading or begins with a time, so that something else begins.
    fn marks(&mut self, reading: &Reading<'_>, line: &str) -> bool {
        let trimmed = line.trim();
        if let Some((time, role)) = heading(reading.options, trimmed) {
            self.flush();
            match time {
                Some(time) if role.is_none() && time.precision >= TimePrecision::Day => {
                    (self.day, self.time) = (Some(time), None);
                }
                Some(time) => self.time = Some(time),
                None => {}
            }
            (self.role, self.speaker) = (role, None);
            return true;
        }
        let Some((time, rest)) = stamped(reading.options, trimmed) else { return false };
        self.flush();
        self.time = Some(time);
        let (who, said) = rest
            .split_once(':')
            .filter(|(who, _)| !who.is_empty() && who.len() < 40)
            .unwrap_or(("", rest));
        // In `**name:** words`, the words begin behind the stars; in `**name**: **words**`, they have their own.
        let is_open = who.starts_with("**") && !who.ends_with("**");
        let who = who.trim_matches('*').trim();
        self.role = text::role(who);
        self.speaker = (self.role.is_none() && !who.is_empty()).then(|| who.to_owned());
        let said = said.strip_prefix("**").filter(|_| is_open).unwrap_or(said).trim();
        if !said.is_empty() {
            self.lines.push(said.to_owned());
        }
        true
    }

    /// Takes what was collected since the last mark.
    fn flush(&mut self) {
        let said = std::mem::take(&mut self.lines).join("\n");
        if said.trim().is_empty() {
            return;
        }
        let time = self.time.take().or_else(|| self.day.clone());
        let role = self.role.take().unwrap_or(Role::User);
        let mut message = Message::new(role, said, time);
        message.speaker = self.speaker.take();
        message.id = Some(format!("{}/{}", self.thread.id, self.number));
        self.number += 1;
        self.thread.messages.push(message);
    }
}

/// A heading with a date or a role, which begins something else.
fn heading(options: &Options, line: &str) -> Option<(Option<Moment>, Option<Role>)> {
    let heading = line.strip_prefix('#')?.trim_start_matches('#').trim();
    let words = heading.split([' ', '-', '–', '·']).next().unwrap_or_default();
    let time = find_time(options, heading);
    let role = text::role(words.trim_end_matches(':'));
    (time.is_some() || role.is_some()).then_some((time, role))
}

/// The time in brackets before a line, and the rest of it.
fn stamped<'l>(options: &Options, line: &'l str) -> Option<(Moment, &'l str)> {
    let (stamp, rest) = line.strip_prefix('[')?.split_once(']')?;
    Some((find_time(options, stamp)?, rest.trim()))
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// The blanks before a line and the line, if it would begin something else without the backslashes before it, if
/// there are any.
fn escaped<'l>(options: &Options, line: &'l str) -> Option<(&'l str, &'l str)> {
    let said = line.trim_start();
    let bare = said.trim_start_matches('\\').trim_end();
    let begins =
        is_fence(bare) || heading(options, bare).is_some() || stamped(options, bare).is_some();
    begins.then(|| line.split_at(line.len() - said.len()))
}

/// A message as it is written after its speaker in a note. A line that would be read as the beginning of something else
/// gets a backslash, which Markdown does not show; so does the last fence of code if it is never closed.
pub fn message_in_note(content: &str) -> String {
    let options = Options::new(Zone::utc(), Timestamp::MAX);
    let fences = content.lines().filter(|line| is_fence(line)).count();
    let (mut met, mut in_fence) = (0, false);
    let mut note = String::with_capacity(content.len() + 1);
    for (number, line) in content.lines().enumerate() {
        let is_open = is_fence(line) && {
            met += 1;
            fences % 2 == 1 && met == fences
        };
        // A fence only is one at the beginning of a line.
        let is_behind = number == 0 && !is_fence(line);
        note.push(if is_behind { ' ' } else { '\n' });
        let found = escaped(&options, line).filter(|_| !is_behind && !in_fence);
        match found.filter(|_| is_open || !is_fence(line)) {
            Some((blanks, said)) => note.extend([blanks, "\\", said]),
            None => note.push_str(line),
        }
        in_fence ^= is_fence(line) && !is_open;
    }
    note
}

/// A time anywhere in a short text.
fn find_time(options: &Options, said: &str) -> Option<Moment> {
    let said = said.trim();
    if let Some((time, precision)) = precise(said) {
        let time = find_time(options, time)?;
        return Some(time.to(precision).written(said));
    }
    if let Some(time) = moment::stated(said) {
        return Some(time.written(said));
    }
    let starts = said
        .char_indices()
        .filter(|(place, _)| *place == 0 || said[..*place].ends_with([' ', '(', '-', '·', '–']));
    for (start, _) in starts {
        let part = said[start..].trim_end_matches([')', ':', '*']).trim();
        if let Some(time) = moment::stated(part).or_else(|| offset_time(part)) {
            return Some(time.written(part));
        }
        if let Some(local) =
            moment::iso_local(part).or_else(|| moment::iso_local(part.split(' ').next()?))
        {
            let local = moment::iso_local(part.get(..16).unwrap_or(part))
                .filter(|_| part.len() > 16)
                .unwrap_or(local);
            return local_time(options, local).map(|time| time.written(part));
        }
        if let Some(local) = formatted(part) {
            let time = local_time(options, local)?.written(part);
            let is_day = local.precision == TimePrecision::Day;
            return Some(if is_day { time.found(TimeFrom::Stated) } else { time });
        }
    }
    None
}

/// A time or a day in one of the formats that are usual in notes.
fn formatted(part: &str) -> Option<Local> {
    // A format without a clock would be read as midnight, so days have formats of their own.
    let times = ["%b %d, %Y, %I:%M %p", "%B %d, %Y, %I:%M %p"];
    let days = ["%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%A, %B %d, %Y", "%A, %d %B %Y"];
    let wall = times.into_iter().find_map(|format| DateTime::strptime(format, part).ok());
    let time = wall.map(|wall| Local { wall, precision: TimePrecision::Minute });
    time.or_else(|| {
        let mut read = days.into_iter().map(|format| jiff::civil::Date::strptime(format, part));
        let day = read.find_map(Result::ok)?;
        Some(Local { wall: day.at(0, 0, 0, 0), precision: TimePrecision::Day })
    })
}

fn local_time(options: &Options, local: Local) -> Option<Moment> {
    let (zone, how) = options.local_zone();
    local.in_zone(zone, how)
}

/// `2026-01-01 (year)`, as our own Markdown has a time that only looks precise.
fn precise(said: &str) -> Option<(&str, TimePrecision)> {
    let (time, word) = said.strip_suffix(')')?.rsplit_once(" (")?;
    Some((time, TimePrecision::named(word).ok()?))
}

/// `2026-11-14 10:42:05 +01:00`, as our own Markdown has it.
fn offset_time(part: &str) -> Option<Moment> {
    let (wall, offset) = part.rsplit_once(' ')?;
    moment::stated(&format!("{}{offset}", wall.replacen(' ', "T", 1)))
}
