//! What is remembered, as one text for a model: within a budget, with dates, and nothing twice.
//!
//! Room goes first to the question that waits and to what was said last, then to what answers the
//! message, then to facts, then to summaries of the last conversations. What stands there already
//! is not said again in another section.

use jiff::Timestamp;
use jiff::civil::Date;

use super::shown::ShownTexts;
use crate::conversations::recent_context::RecentContext;
use crate::dated::behind;
use crate::memory::{Conversation, Entry, MemoryId};
use crate::recall::{Recollection, briefing};
use crate::text::{Shortened, quoted};
use crate::time::{Zone, gap};

/// The maximum number of characters of an item.
const ITEM_CHARS: usize = 1200;
/// Letters in a token, on the safe side for English.
pub(super) const LETTERS_PER_TOKEN: usize = 4;
/// The number of dates, beside the first, that are shown of an item that was said several times.
const AGAIN: usize = 3;
/// What a heading with a day and a gap takes.
const DAY_CHARS: usize = "### 2000-01-01 (+1000 days)\n".len();
const ELSEWHERE: &str = " (in another chat)";

/// What there is to tell.
pub(super) struct Remembered<'a> {
    pub(super) zone: &'a Zone,
    /// The memory of the exchange; what comes from others is said to.
    pub(super) own: MemoryId,
    /// Whether that memory is one chat, so that what was said last in it was said in this one.
    pub(super) is_chat: bool,
    pub(super) recent_context: &'a RecentContext,
    /// Conversations of other chats that ended last, oldest first.
    pub(super) elsewhere: &'a [Conversation],
    pub(super) recollection: Option<&'a Recollection>,
    /// The message being answered, which is not repeated.
    pub(super) message: &'a str,
    /// What was added to earlier messages of the request, which the model sees again.
    pub(super) before: Vec<&'a str>,
}

/// The text, of at most this many tokens; empty if nothing is remembered.
pub(super) fn render(remembered: &Remembered<'_>, budget_tokens: usize) -> String {
    let mut block = Block {
        from: remembered,
        left: budget_tokens.saturating_mul(LETTERS_PER_TOKEN),
        shown: ShownTexts::default(),
    };
    block.shown.note(remembered.message);
    for line in remembered.before.iter().flat_map(|text| text.lines()) {
        block.shown.note(line.split_once(": ").map_or(line, |(_, said)| said));
    }
    let pending = block.pending();
    let current = block.current();
    let (opening, items) = block.items();
    let facts = block.facts();
    let recent = block.recent();
    let sections = [recent, facts, opening, items, current, pending];
    let sections: Vec<String> = sections.into_iter().flatten().collect();
    sections.join("\n\n")
}

struct Block<'a> {
    from: &'a Remembered<'a>,
    /// Characters left.
    left: usize,
    shown: ShownTexts,
}

impl<'a> Block<'a> {
    /// Takes room for a line of a section, if that leaves at least `reserve`.
    fn take(&mut self, chars: usize, reserve: usize) -> bool {
        match self.left.checked_sub(chars + 1).filter(|left| *left >= reserve) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    /// Takes room for a heading and the blank line before it.
    fn head(&mut self, heading: &str) -> bool {
        self.take(heading.len() + 2, 0)
    }

    fn pending(&mut self) -> Option<String> {
        let (asked_at, entry) = self.from.recent_context.pending.as_ref()?;
        let time = self.from.zone.rfc3339(*asked_at);
        let question = Shortened::new(entry.content.as_str(), ITEM_CHARS).quoted();
        let text = format!("## Waiting For An Answer\nThe assistant asked at {time}: {question}");
        let fits = self.take(text.chars().count() + 1, 0);
        self.shown.note(entry.content.as_str());
        fits.then_some(text)
    }

    /// What was said last, in at most half of the room; of a long conversation the end.
    fn current(&mut self) -> Option<String> {
        let heading = if self.from.is_chat { "## Current Conversation" } else { "## Said Last" };
        let reserve = self.left / 2;
        let mut lines: Vec<QuotedLine<'_>> = Vec::new();
        for entry in self.from.recent_context.current.iter().rev() {
            let waits = self
                .from
                .recent_context
                .pending
                .as_ref()
                .is_some_and(|(_, one)| one.id == entry.id);
            let line = QuotedLine::of(entry, self.from);
            if waits {
                continue;
            }
            if !self.take(line.chars(), reserve) {
                break;
            }
            lines.push(line);
        }
        lines.reverse();
        lines.iter().for_each(|line| self.shown.note(line.entry.content.as_str()));
        (!lines.is_empty() && self.head(heading)).then(|| days(heading, &lines))
    }

    /// What answers the message, the best first as long as it fits; told in the order it was said.
    fn items(&mut self) -> (Option<String>, Option<String>) {
        let heading = "## Said Before";
        let Some(found) = self.from.recollection.filter(|found| !found.items.is_empty()) else {
            return (None, None);
        };
        let opening = briefing::opening(found, self.from.zone);
        let opening = (!opening.is_empty() && self.take(opening.len() + 1, 0)).then_some(opening);
        let (reserve, mut lines) = (self.left / 3, Vec::<QuotedLine<'_>>::new());
        for found in &found.items {
            let line = QuotedLine::of(&found.entry, self.from);
            if let Some(same) = lines.iter_mut().find(|known| known.says_the_same(&line)) {
                same.said_again(line);
            } else if !self.shown.has_whole(line.entry.content.as_str())
                && self.take(line.chars() + DAY_CHARS, reserve)
            {
                lines.push(line);
            }
        }
        lines.sort_by_key(QuotedLine::order);
        for line in &lines {
            self.shown.note(&line.said.to_string());
        }
        let text = (!lines.is_empty() && self.head(heading)).then(|| days(heading, &lines));
        (opening.filter(|_| text.is_some()), text)
    }

    /// The best facts that fit and say something that does not stand there yet, in the order they
    /// were mentioned.
    fn facts(&mut self) -> Option<String> {
        let (heading, reserve) = ("## Facts", self.left / 3);
        let mut chosen: Vec<(Timestamp, String)> = Vec::new();
        for found in &self.from.recollection?.facts {
            let fact = &found.fact.fact;
            let elsewhere = if fact.memory == self.from.own { "" } else { ELSEWHERE };
            let text = Shortened::new(&found.fact.text, ITEM_CHARS).quoted();
            let line = format!("- {text}{elsewhere}");
            if !self.shown.has(without_date(&found.fact.text))
                && self.take(line.chars().count(), reserve)
            {
                self.shown.note(without_date(&found.fact.text));
                chosen.push((fact.mentioned_at, line));
            }
        }
        chosen.sort();
        let lines: Vec<String> = chosen.into_iter().map(|(_, line)| line).collect();
        (!lines.is_empty() && self.head(heading))
            .then(|| format!("{heading}\n{}", lines.join("\n")))
    }

    /// What the last conversations were about, as far as it does not stand there yet.
    fn recent(&mut self) -> Option<String> {
        let heading = "## Recent Conversations";
        let mut all: Vec<&Conversation> =
            self.from.recent_context.recent.iter().chain(self.from.elsewhere).collect();
        all.sort_by_key(|one| one.ended.as_ref().map(|ended| ended.at));
        let mut lines: Vec<String> = Vec::new();
        for one in all.into_iter().rev() {
            if let Some(line) = self.summary(one)
                && self.take(line.chars().count(), heading.len() + 2)
            {
                lines.push(line);
            }
        }
        lines.reverse();
        (!lines.is_empty() && self.head(heading))
            .then(|| format!("{heading}\n{}", lines.join("\n")))
    }

    /// A conversation in a line, without sentences that stand there already.
    fn summary(&mut self, one: &Conversation) -> Option<String> {
        let (summary, ended) = (one.summary.as_ref()?, one.ended.as_ref()?);
        let new = self.shown.rest_of(&summary.text)?;
        self.shown.note(&new);
        let (day, elsewhere) = (self.from.zone.day(ended.at), one.memory != self.from.own);
        let elsewhere = if elsewhere { ELSEWHERE } else { "" };
        let text = Shortened::new(&new, ITEM_CHARS).quoted();
        if self.shown.has(&summary.title) {
            return Some(format!("- {day}{elsewhere}: {text}"));
        }
        let title = Shortened::new(&summary.title, ITEM_CHARS).quoted();
        Some(format!("- {day} {title}{elsewhere}: {text}"))
    }
}

/// A fact without the date at its end.
fn without_date(fact: &str) -> &str {
    fact.rsplit_once(" (mentioned ").map_or(fact, |(text, _)| text)
}

/// One thing said.
struct QuotedLine<'a> {
    entry: &'a Entry,
    zone: &'a Zone,
    speaker: String,
    said: Shortened<'a>,
    /// When it was said again.
    again: Vec<Timestamp>,
}

impl<'a> QuotedLine<'a> {
    fn of(entry: &'a Entry, from: &Remembered<'a>) -> Self {
        let elsewhere = if entry.memory == from.own { "" } else { ELSEWHERE };
        Self {
            entry,
            zone: from.zone,
            speaker: format!("{}{elsewhere}", quoted(entry.speaker_label())),
            said: Shortened::new(entry.content.as_str(), ITEM_CHARS).quoted(),
            again: Vec::new(),
        }
    }

    fn chars(&self) -> usize {
        let time = self.entry.about(self.zone).map_or("00:00".len(), |about| about.len() + 2);
        "-  : ".len() + time + self.speaker.chars().count() + self.said.chars()
    }

    fn order(&self) -> (Timestamp, u64) {
        (self.entry.conversation_time, self.entry.place)
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self.entry.speaker_label() == other.entry.speaker_label()
            && self.said.to_string() == other.said.to_string()
    }

    /// Notes that it was said at another time; the line stands at the first.
    fn said_again(&mut self, other: Self) {
        if other.order() < self.order() {
            let again = std::mem::take(&mut self.again);
            let later = std::mem::replace(self, other);
            self.again = again;
            self.again.push(later.entry.conversation_time);
        } else {
            self.again.push(other.entry.conversation_time);
        }
        self.again.sort_unstable();
    }

    fn text(&self) -> String {
        let time = self.zone.wall(self.entry.conversation_time);
        let said_at = match self.entry.about(self.zone) {
            Some(about) => format!("({about})"),
            None => format!("{:02}:{:02}", time.hour(), time.minute()),
        };
        let mut days: Vec<Date> = self.again.iter().map(|time| self.zone.day(*time)).collect();
        days.dedup();
        days.retain(|day| *day != time.date());
        let days: Vec<String> = days.iter().rev().take(AGAIN).rev().map(Date::to_string).collect();
        let again = if days.is_empty() {
            String::new()
        } else {
            format!(" (said again on {})", days.join(", "))
        };
        format!("- {said_at} {}: {}{again}", self.speaker, self.said)
    }
}

/// Lines under the days they were said on, with the days in between.
fn days(heading: &str, lines: &[QuotedLine<'_>]) -> String {
    let mut text = heading.to_owned();
    let mut today: Option<Date> = None;
    for line in lines {
        let day = line.zone.day(line.entry.conversation_time);
        if today != Some(day) {
            let gap = today.replace(day).and_then(|before| gap(before, day));
            text.push_str(&format!("\n### {day}{}", behind(gap.as_deref())));
        }
        text.push('\n');
        text.push_str(&line.text());
    }
    text
}
