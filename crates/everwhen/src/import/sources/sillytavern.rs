//! SillyTavern: `chats/<Character>/*.jsonl` and `group chats/*.jsonl`.
//!
//! Older files have local times without a zone. When a reply was generated stands beside them in UTC,
//! so the file itself tells the offset.
//!
//! A branch is a file of its own that repeats what was said before the fork. One that a person made goes
//! on as a chat of its own. One that our export wrote says when it was put aside, and is a branch again.

use everwhen_engine::memory::{Provenance, Role, TimePrecision, ZoneFrom};
use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::Source;
use crate::import::content_id::{ContentIds, short_hash};
use crate::import::input::Document;
use crate::import::moment::{self, Local, Moment};
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::thread::{Branch, Message, Thread};

/// SillyTavern.
pub(super) static SOURCE: Source = Source {
    name: "sillytavern",
    title: "SillyTavern",
    takes: "chats (.jsonl) from data/<user>/chats or data/<user>/group chats",
    folders: &["SillyTavern/data/default-user/chats", "SillyTavern/data/default-user/group chats"],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_message =
        |one: &Value| has(one, &["mes"]) && (has(one, &["is_user"]) || has(one, &["name"]));
    let is_header = |one: &Value| has(one, &["user_name", "character_name"]);
    Claim::when(sample.any_line(is_message) || sample.any_line(is_header))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let mut lines = Vec::new();
        reading.lines(document, &mut |_, _, line| lines.push(line));
        let header =
            lines.first().is_some_and(|line| !has(line, &["mes"])).then(|| lines.remove(0));
        chat(reading, document, header.unwrap_or(Value::Null), &lines);
        if reading.is_stopped() {
            return;
        }
    }
}

fn chat(reading: &mut Reading<'_>, document: &Document, header: Value, lines: &[Value]) {
    let stem = document.file_name().trim_end_matches(".jsonl");
    let offsets = Offsets::infer(lines);
    if let Some(warning) = offsets.warning() {
        reading.warn(format!("{}: {warning}", document.place));
    }
    let folder = document.name.rsplit('/').nth(1).unwrap_or_default();
    let extra = &header["chat_metadata"]["everwhen"];
    let id = if folder.is_empty() { stem.to_owned() } else { format!("{folder}/{stem}") };
    let id = extra["conversation"].as_str().map_or(id, str::to_owned);
    let mut thread = Thread::new(id, document.place.as_str());
    thread.title = extra["title"].as_str().map(str::to_owned);
    thread.created = header["create_date"]
        .as_str()
        .and_then(parse)
        .or_else(|| file_date(stem))
        .and_then(|time| time.at(reading, offsets.first()));
    let whose = whose(&header, lines);
    let mut chat = Chat { whose, ids: ContentIds::default(), thread, aside: None };
    for (index, line) in lines.iter().enumerate() {
        chat.line(reading, line, offsets.at(index));
    }
    let Chat { mut thread, aside, .. } = chat;
    thread.branches.extend(aside);
    reading.take(thread);
}

/// What keeps messages of this chat apart from those of others: the name of the character who replies, as
/// a copy of the chat has the same; else what the header has of its own. The name of the file may change.
fn whose(header: &Value, lines: &[Value]) -> String {
    let reply = lines.iter().find(|line| line["is_user"].as_bool() != Some(true));
    let named = |name: &Value| {
        name.as_str().filter(|name| !name.is_empty() && *name != "unused").map(str::to_owned)
    };
    let character = match reply {
        Some(reply) => reply["name"].as_str().map(str::to_owned),
        None => named(&header["character_name"]),
    };
    character.unwrap_or_else(|| {
        let own = [&header["create_date"], &header["chat_metadata"]["integrity"]];
        let own = own.map(ToString::to_string).join(" ");
        format!("{}{}", Provenance::CONTENT_ID, short_hash(&own))
    })
}

struct Chat {
    whose: String,
    ids: ContentIds,
    thread: Thread,
    /// What was put aside, if this file is a branch that our export wrote.
    aside: Option<Branch>,
}

impl Chat {
    /// Takes a message and its swipes.
    fn line(&mut self, reading: &mut Reading<'_>, line: &Value, offset: Option<SignedDuration>) {
        let extra = &line["extra"]["everwhen"];
        let time = sent(&line["send_date"]).and_then(|time| time.at(reading, offset));
        let text = line["mes"].as_str().unwrap_or_default();
        let message = self.message(reading, line, text, (&line["send_date"], time.clone()));
        let Some(message) = message.map(|message| message.beside(extra)) else { return };
        let put_aside = extra["branch"].as_str().and_then(moment::stated);
        if let Some(at) = put_aside.filter(|_| self.aside.is_none()) {
            self.aside = Some(Branch { at: Some(at.at), ..Branch::default() });
        }
        match &mut self.aside {
            Some(aside) => aside.messages.push(message),
            None => self.thread.messages.push(message),
        }
        self.swipes(reading, line, (offset, time));
    }

    /// Takes the replies that were not chosen.
    fn swipes(
        &mut self,
        reading: &mut Reading<'_>,
        line: &Value,
        (offset, time): (Option<SignedDuration>, Option<Moment>),
    ) {
        let swipes = line["swipes"].as_array().map_or(&[][..], Vec::as_slice);
        let current = line["swipe_id"].as_u64().unwrap_or(0);
        for (number, swipe) in
            swipes.iter().enumerate().filter(|(number, _)| *number as u64 != current)
        {
            let date = &line["swipe_info"][number]["send_date"];
            let date = if date.is_null() { &line["send_date"] } else { date };
            let own = sent(date).and_then(|time| time.at(reading, offset));
            let swiped = swipe.as_str().unwrap_or_default();
            let extra = &line["swipe_info"][number]["extra"]["everwhen"];
            let message = self.message(reading, line, swiped, (date, own));
            if let Some(message) = message.map(|message| message.beside(extra)) {
                let (at, after) = (time.as_ref().map(|time| time.at), time.clone());
                self.thread.branches.push(Branch { at, after, messages: vec![message] });
            }
        }
    }

    /// A message. There are no ids: it is known by its character, time and text, so that a backup or
    /// bookmark of a chat has the same.
    fn message(
        &mut self,
        reading: &mut Reading<'_>,
        line: &Value,
        text: &str,
        (date, time): (&Value, Option<Moment>),
    ) -> Option<Message> {
        let name = line["name"].as_str().filter(|name| *name != "unused");
        if name == Some("SillyTavern System") && !reading.options.hidden {
            reading.leave_out("notices of the program");
            return None;
        }
        let role =
            if line["is_user"].as_bool() == Some(true) { Role::User } else { Role::Assistant };
        let id = self.ids.next(&self.whose, date, role, text);
        let mut message = Message::new(role, text, time).by(name).id(id);
        message.model = line["extra"]["model"].as_str().map(str::to_owned);
        if line["is_system"].as_bool() == Some(true) {
            message.tags.push("hidden".to_owned());
        }
        Some(message)
    }
}

/// A time as SillyTavern writes it.
#[derive(Debug, Clone, PartialEq)]
enum Sent {
    Known(Moment),
    Local(Local, String),
}

impl Sent {
    fn at(self, reading: &Reading<'_>, offset: Option<SignedDuration>) -> Option<Moment> {
        match self {
            Self::Known(moment) => Some(moment),
            Self::Local(local, text) => match offset {
                Some(offset) if reading.options.zone.is_none() => {
                    local.at_offset(offset, ZoneFrom::Inferred)
                }
                _ => reading.local(local),
            }
            .map(|moment| moment.written(&text)),
        }
    }
}

fn sent(value: &Value) -> Option<Sent> {
    match value {
        Value::Number(_) => moment::of_value(value).map(Sent::Known),
        Value::String(text) => parse(text),
        _ => None,
    }
}

fn parse(text: &str) -> Option<Sent> {
    let text = text.trim();
    if let Some(moment) = moment::stated(text) {
        return Some(Sent::Known(moment.written(text)));
    }
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return moment::of_text(text).map(Sent::Known);
    }
    let local = humanized(text).or_else(|| meridiem(text)).or_else(|| moment::iso_local(text))?;
    Some(Sent::Local(local, text.to_owned()))
}

/// `June 19, 2023 2:20pm`.
fn meridiem(text: &str) -> Option<Local> {
    let tidy = text.to_lowercase().replace("am", " am").replace("pm", " pm").replace("  ", " ");
    let wall = DateTime::strptime("%B %d, %Y %I:%M %p", &tidy).ok()?;
    Some(Local { wall, precision: TimePrecision::Minute })
}

/// `2024-7-12@01h31m37s`, `2024-6-5 @14h 56m 50s 682ms`.
fn humanized(text: &str) -> Option<Local> {
    let (date, time) = text.split_once('@')?;
    let mut date = date.trim().splitn(3, '-');
    let (year, month, day) =
        (date.next()?.parse().ok()?, date.next()?.parse().ok()?, date.next()?.parse().ok()?);
    let time: String = time.chars().filter(|c| !c.is_whitespace()).collect();
    let (hour, rest) = time.split_once('h')?;
    let (minute, rest) = rest.split_once('m')?;
    let (second, millis) = rest.split_once('s').unwrap_or((rest, ""));
    let millis = millis.trim_end_matches("ms");
    let (millis, precision) = match millis.parse::<i32>() {
        Ok(millis) => (millis, TimePrecision::Millisecond),
        Err(_) => (0, TimePrecision::Second),
    };
    let wall = DateTime::new(
        year,
        month,
        day,
        hour.parse().ok()?,
        minute.parse().ok()?,
        second.parse().ok()?,
        millis * 1_000_000,
    )
    .ok()?;
    Some(Local { wall, precision })
}

/// The time in the name of a chat: `Ana - 2023-6-19 @14h 20m 05s 123ms`.
fn file_date(stem: &str) -> Option<Sent> {
    let start = stem.rfind(" - ").map_or(0, |place| place + 3);
    parse(stem.get(start..)?)
}

/// Offsets of local times from UTC, by the place of the message.
struct Offsets {
    own: Vec<Option<SignedDuration>>,
}

impl Offsets {
    fn infer(lines: &[Value]) -> Self {
        let own: Vec<Option<SignedDuration>> = lines.iter().map(offset).collect();
        // One that hardly occurs is that of a message edited or swiped later.
        let total = own.iter().flatten().count();
        let count =
            |one: &SignedDuration| own.iter().flatten().filter(|other| *other == one).count();
        let usual = own.iter().map(|one| one.filter(|one| count(one) * 5 >= total)).collect();
        Self { own: usual }
    }

    /// The offset at a message: its own, else that of the reply after it, else before it.
    fn at(&self, index: usize) -> Option<SignedDuration> {
        let after = self.own[index..].iter().flatten().next();
        after.or_else(|| self.own[..index].iter().rev().flatten().next()).copied()
    }

    fn first(&self) -> Option<SignedDuration> {
        self.own.iter().flatten().next().copied()
    }

    fn warning(&self) -> Option<String> {
        let mut counts: Vec<(SignedDuration, usize)> = Vec::new();
        for one in self.own.iter().flatten() {
            match counts.iter_mut().find(|(offset, _)| offset == one) {
                Some((_, count)) => *count += 1,
                None => counts.push((*one, 1)),
            }
        }
        let parts = counts.iter().map(|(offset, count)| {
            let minutes = offset.as_mins();
            let sign = if minutes < 0 { '-' } else { '+' };
            format!(
                "UTC{sign}{:02}:{:02} from {count} replies",
                minutes.abs() / 60,
                minutes.abs() % 60
            )
        });
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| format!("zone inferred: {}", parts.join(", ")))
    }
}

/// How far the local time of a reply is from when it was generated, in quarters of an hour.
fn offset(line: &Value) -> Option<SignedDuration> {
    let Sent::Local(local, _) = sent(&line["send_date"])? else { return None };
    let finished = line["gen_finished"].as_str().or_else(|| line["gen_started"].as_str())?;
    let finished: Timestamp = moment::stated(finished)?.at;
    let wall = jiff::tz::Offset::UTC.to_timestamp(local.wall).ok()?;
    let seconds = wall.duration_since(finished).as_secs();
    let quarters = (seconds as f64 / 900.0).round() as i64;
    (quarters.abs() <= 14 * 4).then(|| SignedDuration::from_secs(quarters * 900))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_times_are_read() {
        for (text, expected) in [
            ("June 19, 2023 2:20pm", "2023-06-19T14:20:00"),
            ("2024-7-12@01h31m37s", "2024-07-12T01:31:37"),
            ("2024-07-12@01h31m37s123ms", "2024-07-12T01:31:37.123"),
            ("2024-6-5 @14h 56m 50s 05ms", "2024-06-05T14:56:50.005"),
        ] {
            let Some(Sent::Local(local, _)) = parse(text) else { panic!("{text}") };
            assert_eq!(local.wall.to_string(), expected, "{text}");
        }
        assert!(matches!(parse("2025-11-24T10:11:12.345Z"), Some(Sent::Known(_))));
        assert!(matches!(parse("1718000000000"), Some(Sent::Known(_))));
        assert!(file_date("Ana - 2023-6-19 @14h 20m 05s 123ms").is_some());
    }
}
