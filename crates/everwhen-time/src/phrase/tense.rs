//! Which way a sentence looks, for `Prefer::Tense`: back after a verb in the past, ahead after a word
//! for what is to come and after the present tense of something that has a date ("my exam is on
//! Tuesday", "the lease ends on the 31st"). The verb nearest before the time decides; without one,
//! the first behind it. Where no verb decides, a bare name could be either and is not read.

use super::Prefer;
use super::cursor::{Cursor, LONGEST};
use super::lexer::{Kind, Token};

/// Words and beginnings of what is to come.
const AHEAD: [&str; 35] = [
    "will",
    "won't",
    "won’t",
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
    "needs to",
    "want to",
    "wants to",
    "have to",
    "has to",
    "must",
    "hoping to",
    "hope to",
    "scheduled for",
    "scheduled on",
    "booked for",
    "planned for",
    "coming up",
    "about to",
    "should i",
    "takes place",
    "get married",
    "gets married",
    "runs out",
];

/// What begins or ends by a calendar, in the present.
const DATED: &str = "\
    starts begins ends finishes expires leaves departs arrives lands opens closes flies \
    graduates retires returns due moves";

/// The same of one who speaks, and of several: only behind who does it.
const DATED_BY_ME: &str =
    "start begin end finish expire leave depart arrive land open close fly graduate return move";

/// What has a date in the calendar.
const EVENTS: &str = "\
    appointment appointments exam exams test flight flights meeting meetings wedding deadline \
    interview interviews party trip vacation surgery operation concert game match race marathon \
    class lecture course ceremony graduation conference call date dinner lunch reservation \
    booking checkup presentation performance show festival funeral train bus ferry tour hearing \
    audition rehearsal recital shift delivery inspection workshop webinar lesson scan event \
    competition tournament visit";

/// Verbs of the past that do not end in "ed".
const PAST: &str = "\
    was were wasn't wasn’t weren't weren’t did didn't didn’t had hadn't hadn’t been went gone \
    came got gotten took taken made saw seen said told gave given found left thought knew known \
    felt became began begun bought brought built caught chose chosen drove driven drank ate \
    eaten fell fallen fought flew flown forgot forgotten grew grown heard held kept led learnt \
    lost meant met paid ran rode ridden rang rose sang sat sold sent shook slept spoke spoken \
    spent stood stole stolen swam taught threw thrown understood woke won wore wrote written \
    broke broken drew drawn hid hidden lent shot shown swore tore torn fed froze frozen dealt";

/// The same as in the present: past behind who did it.
const UNCHANGED: &str = "quit read hurt put set let cut hit shut";

/// Words that only look like a verb of the past.
const NOT_PAST: &str = "\
    need seed feed speed weed deed indeed breed bleed proceed succeed exceed hundred naked \
    sacred wicked shed";

/// Verbs of the past about what may still be to come: "I booked a flight for Tuesday".
const ARRANGED: &str = "\
    booked reserved registered enrolled signed scheduled rescheduled postponed delayed planned \
    arranged agreed promised decided invited offered asked hoped wanted intended expected hired \
    ordered committed confirmed";

/// What happens again and again has no date of its own.
const HABITS: [&str; 8] =
    ["usually", "always", "often", "normally", "typically", "regularly", "every", "each"];

/// How many words may stand between a verb and what it is about.
const NEAR: usize = 6;

/// The verbs of a sentence that tell which way it looks.
#[derive(Default)]
pub(super) struct Verbs {
    /// Where each stands, in order.
    told: Vec<(usize, Prefer)>,
    /// The sentence is about what happens again and again.
    habit: bool,
}

impl Verbs {
    /// The verbs of the sentence that begins here.
    pub(super) fn of(mut c: Cursor<'_>) -> Self {
        let (mut verbs, mut event) = (Self::default(), false);
        while let Some(token) = c.peek().filter(|token| !ends(token)) {
            event |= is_event(token);
            verbs.habit |= c.any(&HABITS).is_some();
            verbs.told.extend(verb_at(c, token, event).map(|way| (c.position(), way)));
            c = c.step();
        }
        if verbs.habit {
            verbs.told.retain(|(_, way)| *way != Prefer::Future);
        }
        verbs
    }

    /// The prefer of a bare name in the phrase that begins here; `Prefer::Tense` if nothing tells.
    pub(super) fn preference_at(&self, phrase: Cursor<'_>) -> Prefer {
        if is_present(phrase.previous()) && !self.habit {
            return Prefer::Future;
        }
        let behind = self.told.partition_point(|(at, _)| *at < phrase.position());
        let near = |(at, _): &&(usize, Prefer)| at.abs_diff(phrase.position()) < LONGEST;
        let before = behind.checked_sub(1).and_then(|last| self.told.get(last)).filter(near);
        let after = || self.told.get(behind).filter(near);
        before.or_else(after).map_or(Prefer::Tense, |(_, way)| *way)
    }
}

fn ends(token: &Token<'_>) -> bool {
    matches!(token.kind, Kind::Mark('.' | '!' | '?'))
}

/// Which way the verb here looks, if it is one that tells; `event` if something with a date was named.
fn verb_at(c: Cursor<'_>, token: &Token<'_>, event: bool) -> Option<Prefer> {
    if token.kind != Kind::Word {
        return None;
    }
    let before = c.previous().map_or("", |before| before.text);
    let was = matches!(before, "was" | "were");
    if !was && (c.one_of(&AHEAD).is_some() || is_short_will(token) || is_going_on(c)) {
        return Some(Prefer::Future);
    }
    if is_past(c, token, before) {
        let moved = token.text == "moved" && (was || matches!(before, "been" | "got"));
        let arranged = moved || listed(ARRANGED, token.text);
        return Some(if arranged { Prefer::Tense } else { Prefer::Past });
    }
    let planned = !was && is_dated(c, token) || is_of_event(c, token, event);
    planned.then_some(Prefer::Future)
}

/// `moved`, `went`, `have visited`; not `is booked`, `will have moved`.
fn is_past(c: Cursor<'_>, token: &Token<'_>, before: &str) -> bool {
    let passive = is_present(c.previous()) || matches!(before, "to" | "get" | "gets" | "getting");
    let after_will = before == "have"
        && c.back(2).is_some_and(|t| is_short_will(t) || matches!(t.text, "will" | "should"));
    let regular = token.text.len() > 3
        && token.text.ends_with("ed")
        && !token.capital
        && !listed(NOT_PAST, token.text);
    let same = listed(UNCHANGED, token.text) && is_someone(before);
    let planned_by = token.text == "got" && c.previous().is_some_and(has_have);
    (regular || same || listed(PAST, token.text)) && !passive && !after_will && !planned_by
}

/// `ends`, `due`, `I start`.
fn is_dated(c: Cursor<'_>, token: &Token<'_>) -> bool {
    let reason = token.text == "due" && c.step().word("to").is_some();
    let by_me = c.previous().is_some_and(|who| is_someone(who.text) || is_event(who));
    listed(DATED, token.text) && !reason || listed(DATED_BY_ME, token.text) && by_me
}

/// `the exam is`, `there is a party`, `have an exam`.
fn is_of_event(mut c: Cursor<'_>, token: &Token<'_>, event: bool) -> bool {
    let has = has_have(token) || token.text == "got";
    if !has && !is_present(Some(token)) {
        return false;
    }
    let mut near = event && !has;
    for _ in 0..NEAR {
        c = c.step();
        let Some(token) = c.peek().filter(|token| !ends(token)) else { break };
        near |= is_event(token);
    }
    near
}

fn listed(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

fn is_event(token: &Token<'_>) -> bool {
    listed(EVENTS, token.text)
}

fn is_someone(word: &str) -> bool {
    matches!(word, "i" | "we" | "you" | "they" | "he" | "she" | "it" | "who")
}

/// `have`, `I've`.
fn has_have(token: &Token<'_>) -> bool {
    let short = token.text.ends_with("'ve") || token.text.ends_with("’ve");
    short || matches!(token.text, "have" | "has")
}

/// `is`, `I'm`, `there's`, `the exam's`.
fn is_present(token: Option<&Token<'_>>) -> bool {
    let Some(token) = token else { return false };
    let short = ["'m", "’m", "'re", "’re"].iter().any(|end| token.text.ends_with(end));
    let owned = token.possessive && (is_event(token) || matches!(token.text, "there" | "it"));
    short || owned || matches!(token.text, "is" | "are" | "am" | "be" | "isn't" | "isn’t")
}

/// `I'll`.
fn is_short_will(token: &Token<'_>) -> bool {
    token.kind == Kind::Word && (token.text.ends_with("'ll") || token.text.ends_with("’ll"))
}

/// `we're meeting`, `I am flying`, `she is visiting`: the present for a plan.
fn is_going_on(c: Cursor<'_>) -> bool {
    let Some(word) = c.text() else { return false };
    let am = matches!(word, "am" | "are" | "is") || word.ends_with("'m") || word.ends_with("'re");
    let short = word.ends_with("’m") || word.ends_with("’re");
    let doing = c.step().text().is_some_and(|next| next.len() > 4 && next.ends_with("ing"));
    (am || short) && doing && !c.step().peek().is_some_and(is_event)
}
