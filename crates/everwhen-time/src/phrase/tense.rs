//! Which way a sentence looks, for `Prefer::Tense`: ahead if it has a word for what is to come, else
//! back.

use super::Prefer;
use super::cursor::{Cursor, LONGEST};
use super::lexer::{Kind, Token};

/// Words and beginnings of what is to come.
const AHEAD: [&str; 22] = [
    "will",
    "won't",
    "shall",
    "gonna",
    "upcoming",
    "tomorrow",
    "plan to",
    "plans to",
    "planning",
    "plans for",
    "going to",
    "looking forward",
    "can't wait",
    "can’t wait",
    "need to",
    "want to",
    "hoping to",
    "hope to",
    "scheduled for",
    "coming up",
    "about to",
    "should i",
];

/// The prefer of a bare name in the sentence that begins here.
pub(super) fn preference_at(c: Cursor<'_>, prefer: Prefer) -> Prefer {
    match prefer {
        Prefer::Tense if looks_ahead(c) => Prefer::Future,
        Prefer::Tense => Prefer::Past,
        given => given,
    }
}

fn looks_ahead(mut c: Cursor<'_>) -> bool {
    let far = c.position() + 2 * LONGEST;
    while let Some(token) = c.peek().filter(|_| c.position() < far) {
        if matches!(token.kind, Kind::Mark('.' | '!' | '?')) {
            return false;
        }
        let past = c.previous().is_some_and(|before| matches!(before.text, "was" | "were"));
        if !past && (c.one_of(&AHEAD).is_some() || is_short_will(token) || is_going_on(c)) {
            return true;
        }
        c = c.step();
    }
    false
}

/// `I'll`.
fn is_short_will(token: &Token<'_>) -> bool {
    token.kind == Kind::Word && (token.text.ends_with("'ll") || token.text.ends_with("’ll"))
}

/// `we're meeting`, `I am flying`: the present for a plan.
fn is_going_on(c: Cursor<'_>) -> bool {
    let Some(word) = c.text() else { return false };
    let am = matches!(word, "am" | "are") || word.ends_with("'m") || word.ends_with("'re");
    let doing = c.step().text().is_some_and(|next| next.len() > 4 && next.ends_with("ing"));
    am && doing
}
