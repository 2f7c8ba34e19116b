//! WhatsApp: the text of an exported chat.
//!
//! The order of day and month cannot be known from one line. It follows from the whole file or it
//! does not; then the person has to say it.

use std::collections::HashMap;

use everwhen_engine::memory::{Role, TimePrecision};
use jiff::civil::DateTime;

use super::Source;
use crate::import::finish::by_gaps;
use crate::import::input::Document;
use crate::import::moment::Local;
use crate::import::options::DateOrder;
use crate::import::reading::Reading;
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

/// The order of day and month under which a file is possible, or both if it is under either.
fn orders(stamps: &[Stamp<'_>]) -> Vec<DateOrder> {
    if stamps.iter().all(|stamp| stamp.is_year_first) {
        return vec![DateOrder::YearFirst];
    }
    let both = [DateOrder::DayFirst, DateOrder::MonthFirst].into_iter();
    let exists = |order: &DateOrder| stamps.iter().all(|stamp| stamp.local(*order).is_some());
    let possible: Vec<DateOrder> = both.filter(exists).collect();
    let rises = |order: &DateOrder| {
        let times: Vec<DateTime> =
            stamps.iter().filter_map(|stamp| Some(stamp.local(*order)?.wall)).collect();
        // Clocks are set back, and messages arrive late.
        let most_back = jiff::SignedDuration::from_hours(26);
        times.windows(2).all(|pair| pair[0].duration_since(pair[1]) <= most_back)
    };
    let rising: Vec<DateOrder> = possible.iter().copied().filter(rises).collect();
    if rising.is_empty() { possible } else { rising }
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let Some(text) = reading.text(document) else { continue };
        chat(reading, document, &text);
        if reading.is_stopped() {
            return;
        }
    }
}

fn chat(reading: &mut Reading<'_>, document: &Document, text: &str) {
    let stamps: Vec<Stamp<'_>> = text.lines().filter_map(Stamp::read).collect();
    let order = match (reading.options.date_order, orders(&stamps).as_slice()) {
        (Some(order), _) => order,
        (None, [order]) => *order,
        (None, []) => {
            return reading.problem(document, "its dates exist in no order of day and month");
        }
        (None, _) => return reading.problem(document, undecided(&stamps)),
    };
    let name = chat_name(document);
    let mut lines: Vec<(Stamp<'_>, String)> = Vec::new();
    for line in text.lines() {
        // A line of a message may look like a time; one that is no date in this order is none.
        match Stamp::read(line).filter(|stamp| stamp.local(order).is_some()) {
            Some(stamp) => lines.push((stamp, String::new())),
            None => {
                if let Some((_, more)) = lines.last_mut() {
                    more.push('\n');
                    more.push_str(line);
                }
            }
        }
    }
    let mut occurrences: HashMap<String, u32> = HashMap::new();
    let mut messages = Vec::new();
    for (stamp, more) in lines {
        let Some((speaker, said)) = speaker(stamp.rest) else {
            reading.leave_out("notices of the program");
            continue;
        };
        let said = format!("{said}{more}").replace(is_mark, "");
        let time = stamp.local(order).and_then(|local| reading.local(local));
        let hash = blake3::hash(format!("{speaker}\n{said}").as_bytes()).to_hex();
        let key = format!("{name}/{}/{}", stamp.written, &hash.as_str()[..16]);
        let number = occurrences.entry(key.clone()).or_default();
        *number += 1;
        let time = time.map(|time| time.written(stamp.written));
        messages.push(
            Message::new(Role::User, said, time).by(Some(speaker)).id(format!("{key}/{number}")),
        );
    }
    for thread in by_gaps(&name, &document.place, messages) {
        reading.take(thread);
    }
}

/// Who speaks, and what; nothing for a notice.
fn speaker(rest: &str) -> Option<(&str, &str)> {
    let (speaker, said) = rest.split_once(':')?;
    let speaker = speaker.trim_matches(is_space).trim_start_matches('~').trim_matches(is_space);
    let is_name = !speaker.is_empty() && speaker.chars().count() <= 60;
    is_name.then(|| (speaker, said.trim_start_matches(is_space)))
}

fn undecided(stamps: &[Stamp<'_>]) -> String {
    let readings: Vec<String> = [("dmy", DateOrder::DayFirst), ("mdy", DateOrder::MonthFirst)]
        .iter()
        .filter_map(|(flag, order)| {
            let first = stamps.first()?.local(*order)?;
            Some(format!("--date-order {flag} reads {}", first.wall.strftime("%A, %-d %B %Y")))
        })
        .collect();
    let first = stamps.first().map_or("", |stamp| stamp.written);
    format!(
        "it cannot be told whether day or month comes first in {first:?}; say it: {}. Nothing of the \
         file was taken",
        readings.join(", ")
    )
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
            orders(&lines.iter().filter_map(|line| Stamp::read(line)).collect::<Vec<_>>()).len()
        };
        assert_eq!(read(&["03/04/24, 10:00 - A: x", "02/05/24, 10:00 - A: y"]), 1);
        assert_eq!(read(&["03/04/24, 10:00 - A: x"]), 2);
        assert_eq!(read(&["03/25/24, 10:00 - A: x"]), 1);
    }
}
