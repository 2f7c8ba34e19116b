//! The language of the demo's story; the first lines of the story describe it.

use everwhen::time::{Zone, read_time_in};
use jiff::{SignedDuration, Timestamp};

/// Something that happens.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Words, said now or at another time.
    Say { role: &'static str, words: String, tags: Vec<String>, at: Option<String> },
    /// The conversation is ended.
    End { reason: String },
    /// The entry that starts so is corrected.
    Correct { start: String, words: String, reason: String },
    /// What followed the entry that starts so is left.
    Fork { start: String },
    /// The fact that starts so is pinned.
    Pin { start: String },
    /// A version of the context document.
    Context { text: String },
}

/// An act, where and when.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) at: Timestamp,
    pub(super) memory: String,
    pub(super) act: Act,
}

/// A story, in the order of time.
pub(super) struct Story {
    pub(super) zone: String,
    /// Names and descriptions.
    pub(super) memories: Vec<(String, String)>,
    pub(super) events: Vec<Event>,
}

/// How long each line takes.
const STEP: SignedDuration = SignedDuration::from_mins(1);

impl Story {
    /// Reads it; the error names the line.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut story = Self { zone: "UTC".into(), memories: Vec::new(), events: Vec::new() };
        let mut clock = None;
        for (index, line) in text.lines().enumerate() {
            let read = story.line(line.trim(), &mut clock);
            read.map_err(|error| format!("line {} of the story: {error}", index + 1))?;
        }
        // The story has one memory after the other, although they overlap in time.
        story.events.sort_by_key(|event| event.at);
        if story.events.is_empty() { Err("the story is empty".into()) } else { Ok(story) }
    }

    fn line(&mut self, line: &str, clock: &mut Option<Timestamp>) -> Result<(), String> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let (kind, rest) = line.split_once(' ').ok_or("nothing follows the first word")?;
        match kind {
            "zone" => self.zone = rest.into(),
            "==" => {
                let (name, description) = rest.split_once(": ").ok_or("no description")?;
                self.memories.push((name.into(), description.into()));
                *clock = None;
            }
            "@" => {
                let zone = Zone::named(&self.zone).map_err(|error| error.to_string())?;
                *clock = Some(read_time_in(rest, &zone).map_err(|error| error.to_string())?);
            }
            ">" | "<" | "!" => {
                let at = clock.ok_or("no time yet; write @ TIME before it")?;
                let (memory, _) = self.memories.last().ok_or("no memory yet")?;
                let act = act(kind, rest)?;
                self.events.push(Event { at, memory: memory.clone(), act });
                *clock = Some(at + STEP);
            }
            other => return Err(format!("{other} means nothing")),
        }
        Ok(())
    }
}

fn act(kind: &str, rest: &str) -> Result<Act, String> {
    match kind {
        ">" => Ok(said("user", rest)),
        "<" => Ok(said("assistant", rest)),
        _ => command(rest),
    }
}

fn said(role: &'static str, rest: &str) -> Act {
    let (tag, rest) = bracketed(rest, '[', ']');
    let (at, words) = bracketed(rest, '(', ')');
    Act::Say { role, words: words.into(), tags: tag.into_iter().collect(), at }
}

/// What stands in brackets at the start, and the rest.
fn bracketed(text: &str, open: char, close: char) -> (Option<String>, &str) {
    let found = text.strip_prefix(open).and_then(|text| text.split_once(close));
    found.map_or((None, text), |(inside, rest)| (Some(inside.into()), rest.trim_start()))
}

fn command(rest: &str) -> Result<Act, String> {
    let (name, rest) = rest.split_once(' ').ok_or("the command has nothing behind it")?;
    match name {
        "end" => Ok(Act::End { reason: rest.into() }),
        "fork" => Ok(Act::Fork { start: rest.into() }),
        "pin" => Ok(Act::Pin { start: rest.into() }),
        "context" => Ok(Act::Context { text: rest.replace(" / ", "\n") }),
        "correct" => {
            let (start, rest) = rest.split_once(" = ").ok_or("no \" = \" in a correction")?;
            let (words, reason) = rest.split_once(" | ").ok_or("no \" | \" before the reason")?;
            Ok(Act::Correct { start: start.into(), words: words.into(), reason: reason.into() })
        }
        other => Err(format!("there is no command {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_year_can_be_read_and_shows_everything() {
        let story = Story::read(super::super::YEAR).unwrap();
        assert_eq!(story.memories.len(), 3);
        let has = |wanted: fn(&Act) -> bool| story.events.iter().any(|event| wanted(&event.act));
        assert!(has(|act| matches!(act, Act::Say { at: Some(_), .. })));
        assert!(has(|act| matches!(act, Act::End { .. })));
        assert!(has(|act| matches!(act, Act::Correct { .. })));
        assert!(has(|act| matches!(act, Act::Fork { .. })));
        assert!(has(|act| matches!(act, Act::Pin { .. })));
        assert!(has(|act| matches!(act, Act::Context { .. })));
        assert!(story.events.is_sorted_by_key(|event| event.at));
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        for (text, error) in [
            ("== a: b\n> hi", "line 2 of the story: no time yet"),
            (
                "== a: b\n@ 2025-01-01 10:00\n! jump high",
                "line 3 of the story: there is no command",
            ),
            ("", "the story is empty"),
        ] {
            let found = Story::read(text).err().unwrap();
            assert!(found.starts_with(error), "{found}");
        }
    }
}
