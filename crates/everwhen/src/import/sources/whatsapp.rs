//! WhatsApp: the text of an exported chat.
//!
//! The order of day and month cannot be known from one line. It follows from the whole file or it
//! does not; then the person has to say it.

use std::collections::HashMap;

use everwhen_engine::memory::{Role, TimePrecision};
use jiff::civil::DateTime;

use super::Source;
use crate::import::gaps::GapSplitter;
use crate::import::input::Document;
use crate::import::moment::Local;
use crate::import::options::DateOrder;
use crate::import::reading::{Reading, short_hash};
use crate::import::sample::{Claim, Sample};
use crate::import::thread::Message;

/// WhatsApp.
pub(super) static SOURCE: Source = Source {
    name: "whatsapp",
    title: "WhatsApp",
    takes: "an exported chat: the zip, or _chat.txt or WhatsApp Chat with NAME.txt of it",
    folders: &[],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    if sample.json.is_some() || !sample.lines.is_empty() {
        return Claim::No;
    }
    let lines: Vec<&str> =
        sample.text.lines().filter(|line| !line.trim().is_empty()).take(50).collect();
    let stamped = lines.iter().filter(|line| Stamp::read(line).is_some()).count();
    let begins = lines.first().is_some_and(|line| Stamp::read(line).is_some());
    Claim::when(begins && stamped * 10 >= lines.len() * 3)
}

/// A line that begins with a time.
struct Stamp<'l> {
    /// Its three numbers, as they stand.
    numbers: [u16; 3],
    is_year_first: bool,
    /// Hour, minute and second.
    time: (u16, u16, Option<u16>),
    written: &'l str,
    rest: &'l str,
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}' | '\u{202c}' | '\u{feff}')
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\u{202f}' | '\u{a0}' | '\u{2009}') || is_mark(c)
}

/// Digits at the beginning of a text, at most four.
fn number(text: &str) -> Option<(u16, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let value = text.get(..length).filter(|_| (1..=4).contains(&length))?.parse().ok()?;
    Some((value, &text[length..]))
}

impl<'l> Stamp<'l> {
    fn read(line: &'l str) -> Option<Self> {
        let line = line.trim_start_matches(is_mark);
        let inner = line.strip_prefix('[').unwrap_or(line);
        let is_year_first = inner.find(|c: char| !c.is_ascii_digit()) == Some(4);
        let mut rest = inner;
        let mut numbers = [0; 3];
        for (place, slot) in numbers.iter_mut().enumerate() {
            if place > 0 {
                rest = rest.strip_prefix(['/', '.', '-'])?.trim_start_matches(is_space);
            }
            (*slot, rest) = number(rest)?;
        }
        rest = rest.trim_start_matches(['.', ',']).trim_start_matches(is_space);
        let (hour, after) = number(rest)?;
        let (minute, after) = number(after.strip_prefix([':', '.'])?)?;
        let (second, after) = match after.strip_prefix([':', '.']).and_then(number) {
            Some((second, after)) => (Some(second), after),
            None => (None, after),
        };
        let (hour, after) = half_of_day(hour, after);
        let written = &inner[..inner.len() - after.len()];
        let rest = match inner.len() < line.len() {
            true => after.trim_start_matches(is_space).strip_prefix(']')?,
            false => after.trim_start_matches(is_space).strip_prefix('-')?,
        };
        let rest = rest.trim_start_matches(is_space);
        Some(Self { numbers, is_year_first, time: (hour, minute, second), written, rest })
    }

    /// Its local time in an order of day and month.
    fn local(&self, order: DateOrder) -> Option<Local> {
        let [first, second, third] = self.numbers;
        let (year, month, day) = match order {
            DateOrder::DayFirst => (third, second, first),
            DateOrder::MonthFirst => (third, first, second),
            DateOrder::YearFirst => (first, second, third),
        };
        let year = if year < 100 { year + 2_000 } else { year };
        let (hour, minute, seconds) = self.time;
        let small = |number: u16| i8::try_from(number).ok();
        let wall = DateTime::new(
            i16::try_from(year).ok()?,
            small(month)?,
            small(day)?,
            small(hour)?,
            small(minute)?,
            small(seconds.unwrap_or(0))?,
            0,
        );
        let precision =
            if seconds.is_some() { TimePrecision::Second } else { TimePrecision::Minute };
        Some(Local { wall: wall.ok()?, precision })
    }
}

/// The hour of the day, with a mark such as `PM` or `p. m.` taken in.
fn half_of_day(hour: u16, rest: &str) -> (u16, &str) {
    let trimmed = rest.trim_start_matches(is_space);
    let mut letters = String::new();
    let mut end = 0;
    for (place, character) in trimmed.char_indices() {
        match character {
            'a' | 'A' | 'p' | 'P' | 'm' | 'M' => letters.push(character.to_ascii_lowercase()),
            '.' => {}
            other if is_space(other) && letters.len() < 2 => continue,
            _ => break,
        }
        end = place + character.len_utf8();
        if letters.len() == 2 && !trimmed[end..].starts_with('.') {
            break;
        }
    }
    match letters.as_str() {
        "am" => (if hour == 12 { 0 } else { hour }, &trimmed[end..]),
        "pm" => (if hour < 12 { hour + 12 } else { hour }, &trimmed[end..]),
        _ => (hour, rest),
    }
}

/// What the lines of a file say about the order of day and month in its dates.
#[derive(Default)]
struct DateOrders {
    /// The first date as it is written, and its reading in each order.
    first: Option<(String, [Option<Local>; 2])>,
    has_day_or_month_first: bool,
    /// Whether a date does not exist in this order.
    impossible: [bool; 2],
    /// Whether a date is long before the one above it in this order.
    falls: [bool; 2],
    last: [Option<DateTime>; 2],
}

/// The orders that cannot be told from one line.
const ORDERS: [DateOrder; 2] = [DateOrder::DayFirst, DateOrder::MonthFirst];

impl DateOrders {
    fn see(&mut self, stamp: &Stamp<'_>) {
        // Clocks are set back, and messages arrive late.
        let most_back = jiff::SignedDuration::from_hours(26);
        let read = ORDERS.map(|order| stamp.local(order));
        for (place, local) in read.iter().enumerate() {
            let Some(local) = local else {
                self.impossible[place] = true;
                continue;
            };
            let before = self.last[place].replace(local.wall);
            let is_back = before.is_some_and(|b| b.duration_since(local.wall) > most_back);
            self.falls[place] |= is_back;
        }
        self.has_day_or_month_first |= !stamp.is_year_first;
        self.first.get_or_insert_with(|| (stamp.written.to_owned(), read));
    }

    /// The orders under which the whole file is possible: one, or both if it is under either.
    fn possible(&self) -> Vec<DateOrder> {
        if !self.has_day_or_month_first {
            return vec![DateOrder::YearFirst];
        }
        let possible = |place: &usize| !self.impossible[*place];
        let rising: Vec<usize> =
            [0, 1].into_iter().filter(possible).filter(|place| !self.falls[*place]).collect();
        let best =
            if rising.is_empty() { [0, 1].into_iter().filter(possible).collect() } else { rising };
        best.into_iter().map(|place: usize| ORDERS[place]).collect()
    }

    /// The question that only the person can answer.
    fn undecided(&self) -> String {
        let Some((written, readings)) = &self.first else { return String::new() };
        let readings: Vec<String> = ["dmy", "mdy"]
            .iter()
            .zip(readings)
            .filter_map(|(flag, local)| {
                let day = local.as_ref()?.wall.strftime("%A, %-d %B %Y");
                Some(format!("--date-order {flag} reads {day}"))
            })
            .collect();
        format!(
            "it cannot be told whether day or month comes first in {written:?}; say it: {}. Nothing of the \
             file was taken",
            readings.join(", ")
        )
    }
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        // The order of day and month follows from the whole file, so it is read twice.
        let mut dates = DateOrders::default();
        reading.text_lines(document, true, &mut |_, line| {
            if let Some(stamp) = Stamp::read(line) {
                dates.see(&stamp);
            }
        });
        let order = match (reading.options.date_order, dates.possible().as_slice()) {
            (Some(order), _) => order,
            (None, [order]) => *order,
            (None, []) => {
                reading.problem(document, "its dates exist in no order of day and month");
                continue;
            }
            (None, _) => {
                reading.problem(document, dates.undecided());
                continue;
            }
        };
        let mut chat = WhatsAppChat::new(document, order);
        reading.text_lines(document, false, &mut |reading, line| chat.line(reading, line));
        chat.finish(reading);
        if reading.is_stopped() {
            return;
        }
    }
}

/// The chat whose lines are being read.
struct WhatsAppChat {
    name: String,
    order: DateOrder,
    /// The last line that began with a time: the time, and all that was said since.
    open: Option<(String, Local, String)>,
    /// How often a message of this time, speaker and text occurred.
    occurrences: HashMap<u128, u32>,
    messages: GapSplitter,
}

impl WhatsAppChat {
    fn new(document: &Document, order: DateOrder) -> Self {
        let name = chat_name(document);
        let messages = GapSplitter::new(name.as_str(), document.place.as_str());
        Self { name, order, open: None, occurrences: HashMap::new(), messages }
    }

    fn line(&mut self, reading: &mut Reading<'_>, line: &str) {
        // A line of a message may look like a time; one that is no date in this order is none.
        let stamp = Stamp::read(line).and_then(|stamp| Some((stamp.local(self.order)?, stamp)));
        match (stamp, &mut self.open) {
            (Some((local, stamp)), _) => {
                self.close(reading);
                self.open = Some((stamp.written.to_owned(), local, stamp.rest.to_owned()));
            }
            (None, Some((_, _, said))) => {
                said.push('\n');
                said.push_str(line);
            }
            (None, None) => {}
        }
    }

    /// Takes the message whose last line was read.
    fn close(&mut self, reading: &mut Reading<'_>) {
        let Some((written, local, rest)) = self.open.take() else { return };
        let Some((speaker, said)) = speaker(&rest) else {
            reading.leave_out("notices of the program");
            return;
        };
        let said = said.replace(is_mark, "");
        let time = reading.local(local).map(|time| time.written(&written));
        let hash = blake3::hash(format!("{speaker}\n{said}").as_bytes()).to_hex();
        let key = format!("{}/{written}/{}", self.name, &hash.as_str()[..16]);
        let number = self.occurrences.entry(short_hash(&key)).or_default();
        *number += 1;
        let id = format!("{key}/{number}");
        let message = Message::new(Role::User, said, time).by(Some(speaker)).id(id);
        self.messages.push(reading, message);
    }

    fn finish(mut self, reading: &mut Reading<'_>) {
        self.close(reading);
        self.messages.finish(reading);
    }
}

/// Who speaks, and what; nothing for a notice.
fn speaker(rest: &str) -> Option<(&str, &str)> {
    let (speaker, said) = rest.split_once(':')?;
    let speaker = speaker.trim_matches(is_space).trim_start_matches('~').trim_matches(is_space);
    let is_name = !speaker.is_empty() && speaker.chars().count() <= 60;
    is_name.then(|| (speaker, said.trim_start_matches(is_space)))
}

/// The name of a chat, by its file or, if all have the same name, by its archive.
fn chat_name(document: &Document) -> String {
    let file = match document.file_name() {
        "_chat.txt" => document.place.rsplit_once(": ").map_or("_chat.txt", |(archive, _)| archive),
        other => other,
    };
    let file = file.rsplit('/').next().unwrap_or(file);
    let stem = file.trim_end_matches(".txt").trim_end_matches(".zip");
    let stem =
        stem.strip_prefix("WhatsApp Chat with ").or_else(|| stem.strip_prefix("WhatsApp Chat - "));
    stem.unwrap_or_else(|| file.trim_end_matches(".txt").trim_end_matches(".zip")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall(line: &str, order: DateOrder) -> String {
        let stamp = Stamp::read(line).unwrap_or_else(|| panic!("{line}"));
        stamp.local(order).unwrap().wall.to_string()
    }

    #[test]
    fn all_shapes_of_lines_are_read() {
        use DateOrder::{DayFirst, MonthFirst, YearFirst};
        for (line, order, expected) in [
            ("\u{200e}[07.03.26, 21:22:39] Ana: hi", DayFirst, "2026-03-07T21:22:39"),
            ("[12/31/19, 2:14:40\u{202f}a.m.] Ana: hi", MonthFirst, "2019-12-31T02:14:40"),
            ("28/3/2025, 9:29 p. m. - Ana: hi", DayFirst, "2025-03-28T21:29:00"),
            ("2023-12-20, 5:46 p.m. - Ana: hi", YearFirst, "2023-12-20T17:46:00"),
            ("2019/01/20, 11:23 - Ana: hi", YearFirst, "2019-01-20T11:23:00"),
            ("03/04/24, 12:05 AM - Ana: hi", DayFirst, "2024-04-03T00:05:00"),
        ] {
            assert_eq!(wall(line, order), expected, "{line}");
        }
        assert!(Stamp::read("not a stamp").is_none());
        assert!(Stamp::read("10.5 is a number").is_none());
    }

    #[test]
    fn the_whole_file_decides_the_order() {
        let read = |lines: &[&str]| {
            let mut dates = DateOrders::default();
            lines.iter().filter_map(|line| Stamp::read(line)).for_each(|stamp| dates.see(&stamp));
            dates.possible().len()
        };
        assert_eq!(read(&["03/04/24, 10:00 - A: x", "02/05/24, 10:00 - A: y"]), 1);
        assert_eq!(read(&["03/04/24, 10:00 - A: x"]), 2);
        assert_eq!(read(&["03/25/24, 10:00 - A: x"]), 1);
    }
}
