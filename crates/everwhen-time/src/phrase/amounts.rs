//! Amounts of time, "2 days, 5 hours", and the words that modify them: "about", "more than".

use super::ambiguity::List;
use super::counts::{Count, quantity};
use super::cursor::{Cursor, Read};
use super::lexer::Token;
use super::units::{Span, span};

/// What the words before an amount make of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Modifier {
    Plain,
    Exact,
    About,
    Over,
    Under,
}

const MODIFIERS: [(&str, Modifier); 21] = [
    ("just over", Modifier::Over),
    ("a little over", Modifier::Over),
    ("more than", Modifier::Over),
    ("at least", Modifier::Over),
    ("well over", Modifier::Over),
    ("over", Modifier::Over),
    ("less than", Modifier::Under),
    ("no more than", Modifier::Under),
    ("within", Modifier::Under),
    ("just under", Modifier::About),
    ("under", Modifier::Under),
    ("almost", Modifier::About),
    ("nearly", Modifier::About),
    ("about", Modifier::About),
    ("around", Modifier::About),
    ("approximately", Modifier::About),
    ("roughly", Modifier::About),
    ("maybe", Modifier::About),
    ("some", Modifier::About),
    ("exactly", Modifier::Exact),
    ("precisely", Modifier::Exact),
];

/// Words that have a topic: an "about" after them does not widen the time that follows.
static TOPICAL: List = List::of(
    "\
    talk talked talking talks chat chatted chatting speak spoke spoken speaking tell told \
    telling say said saying ask asked asking know knew think thought thinking hear heard read \
    write wrote written learn learned learnt forget forgot complain complained worried excited \
    happy dream dreamed mention mentioned what how discussion",
);

/// A number of one span: "three weeks".
#[derive(Debug, Clone, Copy)]
pub(super) struct Amount {
    pub(super) count: Count,
    pub(super) span: Span,
}

/// What stands before a counted time: `about`, `more than`.
pub(super) fn modifier(c: Cursor<'_>) -> (Modifier, Cursor<'_>) {
    if c.text() == Some("about") && c.previous().is_some_and(is_about_something) {
        return (Modifier::Plain, c);
    }
    if let Some(after) = c.mark('~').filter(|after| after.is_glued()) {
        return (Modifier::About, after);
    }
    c.pick(&MODIFIERS).unwrap_or((Modifier::Plain, c))
}

/// Whether an "about" after this word belongs to it: "what did we talk about two weeks ago".
fn is_about_something(token: &Token<'_>) -> bool {
    TOPICAL.has(token.text)
}

/// Up to three counts with units: `2 days, 5 hours and 10 minutes`.
pub(super) fn amounts(c: Cursor<'_>) -> Read<'_, Vec<Amount>> {
    let (mut amounts, mut c) = one_amount(c)?;
    for _ in 0..2 {
        let joined = c.comma().maybe(&["and"]);
        match one_amount(joined).filter(|_| joined.position() > c.position()) {
            Some((more, after)) if more[0].span < finest(&amounts) => {
                amounts.extend(more);
                c = after;
            }
            _ => break,
        }
    }
    Some((amounts, c))
}

fn one_amount(c: Cursor<'_>) -> Read<'_, Vec<Amount>> {
    let (mut count, after) = quantity(c)?;
    let (span, mut after) = span(after.hyphen())?;
    if let Some(end) = after.words("and a half") {
        (count.half, after) = (true, end);
    } else if let Some(end) = after.one_of(&["or so", "or two"]).filter(|_| count.is_exact()) {
        (count.high, after) = (count.high + 1, end);
    }
    let mut amounts = vec![Amount { count, span }];
    if count.half {
        let (half, shorter) = span.half()?;
        amounts.push(Amount { count: Count::exactly(half), span: shorter });
    }
    Some((amounts, after))
}

/// The shortest span counted in.
pub(super) fn finest(amounts: &[Amount]) -> Span {
    amounts.iter().map(|amount| amount.span).min().unwrap_or(Span::DAY)
}

/// Words that can begin a modified amount.
pub(super) fn modifier_words() -> Vec<&'static str> {
    MODIFIERS.map(|(words, _)| words).to_vec()
}
