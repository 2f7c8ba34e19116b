//! Which words of a message are its speaker's own.

use std::ops::Range;

use everwhen_protocols::{Message, OwnWords, RequestView, Role, json};

use super::{ProgramRule, ProgramRuleKind};

/// Finds the own words of all messages.
pub(super) fn attribute(
    messages: &mut [Message<'_>],
    rules: impl Iterator<Item = &'static ProgramRule> + Clone,
    keeps_tool_output: bool,
) {
    let examples = examples(messages, rules.clone());
    let mut before: Option<&'static str> = None;
    for (place, message) in messages.iter_mut().enumerate() {
        if place < examples || (message.role == Role::Tool && !keeps_tool_output) {
            message.own = OwnWords::Some { words: String::new(), from: None };
        }
        if place < examples {
            continue;
        }
        let mut program = None;
        match message.role {
            Role::User => (message.own, program) = of_user(message, rules.clone()),
            Role::Assistant if is_answer(message, before, rules.clone()) => {
                message.own = OwnWords::Some { words: String::new(), from: None };
                program = before;
            }
            _ => {}
        }
        before = program.filter(|_| message.words().trim().is_empty());
    }
}

/// Whether a request holds any words of a person or a model.
pub(super) fn has_own_words(asked: &RequestView<'_>) -> bool {
    let says = |message: &Message<'_>| match message.role {
        Role::System => false,
        Role::Tool => true,
        Role::User | Role::Assistant => !message.is_instruction(),
    };
    asked.messages.is_empty() || asked.messages.iter().any(says)
}

/// How many messages at the start are a program's examples.
fn examples(
    messages: &[Message<'_>],
    rules: impl Iterator<Item = &'static ProgramRule> + Clone,
) -> usize {
    let ends = |message: &Message<'_>| {
        message.role == Role::User
            && rules.clone().any(|rule| match rule.kind {
                ProgramRuleKind::Examples(begins) => message.text.trim_start().starts_with(begins),
                _ => false,
            })
    };
    match messages.iter().rposition(ends) {
        // The assistant's answer to it belongs to it.
        Some(last) => {
            let answered = messages.get(last + 1).is_some_and(|next| next.role == Role::Assistant);
            last + 1 + usize::from(answered)
        }
        None => 0,
    }
}

fn is_answer(
    message: &Message<'_>,
    before: Option<&'static str>,
    mut rules: impl Iterator<Item = &'static ProgramRule>,
) -> bool {
    let Some(program) = before else { return false };
    rules.any(|rule| match rule.kind {
        ProgramRuleKind::Answer(text) => rule.program == program && message.text.trim() == text,
        _ => false,
    })
}

/// The own words in a user's message, and the program that put something else into it.
fn of_user<'a>(
    message: &Message<'a>,
    rules: impl Iterator<Item = &'static ProgramRule> + Clone,
) -> (OwnWords<'a>, Option<&'static str>) {
    let mut found: Vec<(String, Option<&'a str>)> = Vec::new();
    let mut program = None;
    for literal in &message.literals {
        let Some(text) = json::string(literal) else { continue };
        let cut = cut(&text, rules.clone());
        program = program.or(cut.program);
        let words = match cut.program {
            None => text.to_string(),
            Some(_) => joined(&text, &cut.own),
        };
        let start = cut.own.first().map_or(0, |range| range.start);
        let from = (!words.trim().is_empty()).then(|| &literal[json::offset(literal, start)..]);
        found.push((words, from));
    }
    if program.is_none() {
        return (OwnWords::All, None);
    }
    let from = found.iter().find_map(|(_, from)| *from);
    found.retain(|(words, _)| !words.trim().is_empty());
    let words: Vec<String> = found.into_iter().map(|(words, _)| words).collect();
    (OwnWords::Some { words: words.join("\n"), from }, program)
}

/// Ranges of a text, without the space around them, as one text.
fn joined(text: &str, ranges: &[Range<usize>]) -> String {
    let pieces: Vec<&str> = ranges.iter().map(|range| &text[range.clone()]).collect();
    pieces.join("\n")
}

/// What is left of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Cut {
    /// The user's own words, each range without space around it.
    pub(super) own: Vec<Range<usize>>,
    /// The program that wrote the rest, if there is any.
    pub(super) program: Option<&'static str>,
}

/// Applies rules to one text.
pub(super) fn cut(text: &str, rules: impl Iterator<Item = &'static ProgramRule> + Clone) -> Cut {
    let begun = text.trim_start();
    let mut own = std::iter::once(0..text.len()).collect::<Vec<_>>();
    let mut program = None;
    for rule in rules.clone() {
        let Some(kept) = kept_of_part(text, begun, rule.kind) else { continue };
        (own, program) = (kept, Some(rule.program));
        break;
    }
    let mut left = Vec::new();
    for range in own {
        let (ranges, by) = without_blocks(text, range, rules.clone());
        left.extend(ranges);
        program = program.or(by);
    }
    let trimmed = left.into_iter().map(|range| trimmed(text, range));
    Cut { own: trimmed.filter(|range| !range.is_empty()).collect(), program }
}

/// What a rule about a whole part leaves of it; nothing if the rule does not apply.
fn kept_of_part(text: &str, begun: &str, kind: ProgramRuleKind) -> Option<Vec<Range<usize>>> {
    let start = text.len() - begun.len();
    match kind {
        ProgramRuleKind::Part(begins) | ProgramRuleKind::SideRequest(begins)
            if begun.starts_with(begins) =>
        {
            Some(Vec::new())
        }
        ProgramRuleKind::Inside(opens, closes) if begun.starts_with(opens) => {
            let from = start + opens.len();
            let to = text.rfind(closes).filter(|to| *to >= from)?;
            Some(vec![from..to, to + closes.len()..text.len()])
        }
        ProgramRuleKind::Behind(begins, after) if begun.starts_with(begins) => {
            let from = text.rfind(after)? + after.len();
            Some(std::iter::once(from..text.len()).collect())
        }
        ProgramRuleKind::Result(ends, tags) => {
            let line = begun.lines().next().filter(|line| line.starts_with('['))?;
            line.trim_end().ends_with(ends).then(|| between(text, tags))
        }
        _ => None,
    }
}

/// What stands between any of these tags.
fn between(text: &str, tags: &[(&str, &str)]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = tags
        .iter()
        .filter_map(|(opens, closes)| {
            let from = text.find(opens)? + opens.len();
            let to = text.rfind(closes).filter(|to| *to >= from)?;
            Some(from..to)
        })
        .collect();
    found.sort_by_key(|range| range.start);
    found
}

/// A range of a text without the blocks of programs, which begin lines.
fn without_blocks(
    text: &str,
    range: Range<usize>,
    rules: impl Iterator<Item = &'static ProgramRule> + Clone,
) -> (Vec<Range<usize>>, Option<&'static str>) {
    let mut left = Vec::new();
    let (mut from, mut at, mut program) = (range.start, range.start, None);
    while at < range.end {
        let line = &text[at..range.end];
        let space = line.len() - line.trim_start_matches([' ', '\t']).len();
        let found =
            rules.clone().find_map(|rule| Some((rule.program, block(&line[space..], rule.kind)?)));
        if let Some((by, length)) = found {
            program = program.or(Some(by));
            left.push(from..at);
            at += space + length;
            from = at;
            // Another block may follow on the same line.
            if text[at..range.end].starts_with(['<', '[']) {
                continue;
            }
        }
        at += text[at..range.end].find('\n').map_or(range.end - at, |end| end + 1);
    }
    left.push(from..range.end);
    (left, program)
}

/// The length of the block that a text begins with.
fn block(text: &str, kind: ProgramRuleKind) -> Option<usize> {
    match kind {
        ProgramRuleKind::Block(opens, closes) if text.starts_with(opens) => {
            let end = text[opens.len()..].find(closes)?;
            Some(opens.len() + end + closes.len())
        }
        ProgramRuleKind::Speaker(opens, closes) if text.starts_with(opens) => {
            let line = text.lines().next()?;
            line.trim_end().ends_with(closes).then_some(line.len())
        }
        ProgramRuleKind::Continue(begins) if text.starts_with(begins) => {
            text.trim_end().ends_with(']').then_some(text.len())
        }
        ProgramRuleKind::Trailer(begins) | ProgramRuleKind::SideRequest(begins)
            if text.starts_with(begins) =>
        {
            Some(text.len())
        }
        _ => None,
    }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    let start = range.start + (inside.len() - inside.trim_start().len());
    let end = range.start + inside.trim_end().len();
    start..end.max(start)
}
