//! What is written into a request: stamps before messages, an aside behind the last one of the
//! user's, another name for the model, and no tags. Everything else stays as it came.

use axum::body::Bytes;
use everwhen::ledger::Begun;
use everwhen_protocols::json::{Object, escaped};
use everwhen_protocols::{Draft, Message, RequestView, Role};

use super::memory_name::may_name;

const OPENS: &str = "[DiscussionId]";
/// How a tag may end in a string literal: the slash may be escaped.
const CLOSES: [&str; 2] = ["[/DiscussionId]", "[\\/DiscussionId]"];
/// Blanks as they may stand in a string literal.
const BLANKS: [&str; 4] = [" ", "\\n", "\\r", "\\t"];

/// Takes out the tags that name a memory: at the start and the end of what people say.
pub(crate) fn without_tags(draft: &mut Draft<'_>, asked: &RequestView<'_>) {
    for message in asked.messages.iter().filter(|message| may_name(message.role)) {
        let leading = message.literals.first().and_then(|one| Some((*one, leading_tag(one)?)));
        let trailing = message.literals.last().and_then(|one| Some((*one, trailing_tag(one)?)));
        let trailing = trailing.filter(|tag| leading != Some(*tag));
        for (literal, (begin, end)) in leading.into_iter().chain(trailing) {
            if let Some(start) = draft.place(literal).map(|place| place.start) {
                draft.replace(start + begin..start + end, "");
            }
        }
    }
}

/// The tag that a literal begins with.
fn leading_tag(literal: &str) -> Option<(usize, usize)> {
    let mut begin = 1;
    while let Some(blank) = BLANKS.iter().find(|blank| literal[begin..].starts_with(**blank)) {
        begin += blank.len();
    }
    let inside = literal[begin..].strip_prefix(OPENS)?;
    let closes = |close: &&str| Some(inside.find(*close)? + close.len());
    let end = CLOSES.iter().filter_map(closes).min()?;
    Some((begin, begin + OPENS.len() + end))
}

/// The tag that a literal ends with.
fn trailing_tag(literal: &str) -> Option<(usize, usize)> {
    let mut text = literal.strip_suffix('"')?;
    while let Some(blank) = BLANKS.iter().find(|blank| text.ends_with(**blank)) {
        text = &text[..text.len() - blank.len()];
    }
    let inside = CLOSES.iter().find_map(|close| text.strip_suffix(close))?;
    Some((inside.rfind(OPENS)?, text.len()))
}

/// Puts stamps before the first of the speakers' own words; answers how many.
pub(crate) fn stamps(
    draft: &mut Draft<'_>,
    asked: &RequestView<'_>,
    stamps: Vec<Option<String>>,
) -> usize {
    let mut count = 0;
    for (message, stamp) in asked.messages.iter().zip(stamps) {
        let (Some(words), Some(stamp)) = (message.opening(), stamp) else { continue };
        if message.role == Role::Tool || message.words().trim().is_empty() {
            continue;
        }
        if let Some(place) = draft.place(words) {
            draft.insert(place.start, escaped(&stamp));
            count += 1;
        }
    }
    count
}

/// The message an aside is put behind: the last thing the user really said.
pub(crate) fn last_said<'m, 'a>(
    asked: &'m RequestView<'a>,
    begun: &Begun,
) -> Option<(usize, &'m Message<'a>)> {
    let all = asked.messages.iter().enumerate();
    let mut said = all.filter(|(place, message)| {
        let known =
            begun.messages.get(*place).is_some_and(|known_message| known_message.time.is_some());
        known && message.role == Role::User && !message.words().trim().is_empty()
    });
    said.next_back()
}

/// Whether text that is put behind a message for the first time becomes a part of its own: where
/// the message has parts, which may be marked to be cached as they are.
pub(crate) fn has_parts(message: &Message<'_>) -> bool {
    message.content.starts_with('[')
}

/// Puts text behind a message, as a part of its own or within its words. A message that is one text
/// now and had parts when the text was first added gets them again, where it may have parts: `part`
/// is what a part with text looks like up to the text.
pub(crate) fn aside(
    draft: &mut Draft<'_>,
    message: &Message<'_>,
    part: Option<&str>,
    (text, own_part): (&str, bool),
) {
    let Some(last) = message.literals.last() else { return };
    let places = draft.place(last).zip(draft.place(message.content));
    let Some((words, content)) = places else { return };
    let own = part.filter(|_| own_part);
    let added = |part: &str| format!(",{part}\"{}\"}}", escaped(text));
    match own {
        Some(part) if has_parts(message) => {
            draft.insert(content.end - 1, added(part));
        }
        Some(part) if *last == message.content => {
            draft.insert(words.start, format!("[{part}"));
            draft.insert(words.end, format!("}}{}]", added(part)));
        }
        _ => draft.insert(words.end - 1, escaped(&format!("\n\n{text}"))),
    }
}

/// Changes the name of the model.
pub(crate) fn model(draft: &mut Draft<'_>, fields: &Object<'_>, model: &str) {
    if let Some(place) = fields.get("model").and_then(|literal| draft.place(literal)) {
        draft.replace(place, format!("\"{}\"", escaped(model)));
    }
}

/// Returns a whole body with these fields in which the model has another name.
pub(crate) fn renamed(body: &Bytes, fields: &Object<'_>, name: &str) -> Bytes {
    let mut draft = Draft::new(std::str::from_utf8(body).unwrap_or_default());
    model(&mut draft, fields, name);
    draft.finish().map_or_else(|| body.clone(), Bytes::from)
}
