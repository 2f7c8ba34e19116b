//! Which one in order: "our third session", "the last two conversations", "the first time",
//! "most recently", "20 sessions ago".

use super::ambiguity::closes;
use super::classes::{NONE, ORDINAL};
use super::counts::{cardinal, ordinal, quantity};
use super::cursor::{Cursor, Read};
use super::lexer::{Kind, Token};
use super::{Confidence, Ordinal, OrdinalOf, Side};

/// What a rule reads: the ordinal, and how surely.
pub(super) type Ordered = (Ordinal, Confidence);

type OrdinalRule = for<'t> fn(Cursor<'t>) -> Read<'t, Ordered>;

const RULES: [OrdinalRule; 12] = [
    nth_conversation,
    nth_to_nth,
    numbered,
    at_the_end,
    ago,
    before_last,
    the_one_beside,
    since_last,
    time,
    superlative,
    adverb,
    first_of_two,
];

/// Words for a conversation.
const CONVERSATIONS: [&str; 14] = [
    "session",
    "sessions",
    "conversation",
    "conversations",
    "discussion",
    "discussions",
    "chat",
    "chats",
    "talk",
    "talks",
    "dialogue",
    "dialogues",
    "exchange",
    "exchanges",
];

/// Nouns after "my last" that no order in time chooses: names and fixed phrases.
const NOT_IN_ORDER: [&str; 10] =
    ["name", "names", "resort", "straw", "chance", "word", "words", "wish", "legs", "one"];

/// Owners of something that happens again and again, so that "my last trip" is the latest one.
const OWN_LAST: [&str; 6] =
    ["my last", "our last", "your last", "his last", "her last", "their last"];

/// Words before an ordinal that belong to it.
const LEAD_IN: [&str; 8] = ["in", "during", "over", "from", "across", "of", "on", "at"];
const OWNERS: [&str; 10] =
    ["our", "the", "my", "your", "their", "his", "her", "all", "that", "this"];
const OTHERS: [&str; 14] = [
    "not",
    "since",
    "between",
    "most",
    "time",
    "one",
    "first",
    "last",
    "next",
    "penultimate",
    "very",
    "earliest",
    "oldest",
    "latest",
];

const LATEST: [&str; 6] = ["most recent", "latest", "newest", "last", "previous", "past"];

/// The ordinal named here.
pub(super) fn ordinal_at(c: Cursor<'_>) -> Read<'_, Ordered> {
    let core = owner(c);
    if core.position() > c.position() && !core.begins_with(ORDINAL) {
        return None;
    }
    RULES.iter().filter_map(|rule| rule(c)).max_by_key(|(_, after)| after.position())
}

fn certain(of: OrdinalOf, from: Side, first: u32, last: u32) -> Option<Ordered> {
    let fits = 1 <= first && first <= last;
    fits.then_some((Ordinal { of, from, first, last }, Confidence::Certain))
}

fn likely(of: OrdinalOf, from: Side, first: u32, last: u32) -> Option<Ordered> {
    certain(of, from, first, last).map(|(ordinal, _)| (ordinal, Confidence::Likely))
}

fn conversations(c: Cursor<'_>) -> Option<Cursor<'_>> {
    c.any(&CONVERSATIONS)
}

fn owner(c: Cursor<'_>) -> Cursor<'_> {
    c.maybe(&LEAD_IN).maybe(&OWNERS)
}

/// `our third session`, `the first two conversations`. One "of" something is not ours to count.
fn nth_conversation(c: Cursor<'_>) -> Read<'_, Ordered> {
    let (nth, after) = ordinal(owner(c).maybe(&["very"]))?;
    if let Some((count, after)) = quantity(after).filter(|_| nth == 1) {
        let end = conversations(after)?;
        return Some((certain(OrdinalOf::Conversations, Side::First, 1, count.likely)?, end));
    }
    let end = conversations(after).filter(|end| end.text() != Some("of"))?;
    Some((certain(OrdinalOf::Conversations, Side::First, nth, nth)?, end))
}

/// `the first through third sessions`, `the 1st to the 3rd session`, `sessions 1 through 3`.
fn nth_to_nth(c: Cursor<'_>) -> Read<'_, Ordered> {
    let start = owner(c.maybe(&["between"]));
    if let Some(after) = conversations(start) {
        let (first, after) = cardinal(after)?;
        let (last, end) = cardinal(joint(after)?.maybe(&["session", "conversation"]))?;
        return Some((certain(OrdinalOf::Conversations, Side::First, first, last)?, end));
    }
    let (first, after) = ordinal(start)?;
    let after = conversations(after).unwrap_or(after);
    let (last, after) = ordinal(joint(after)?.maybe(&["the", "our"]))?;
    Some((certain(OrdinalOf::Conversations, Side::First, first, last)?, conversations(after)?))
}

fn joint(c: Cursor<'_>) -> Option<Cursor<'_>> {
    c.any(&["through", "thru", "to", "and", "until"]).or_else(|| c.mark('-'))
}

/// `session 5`, `conversation #3`, `session number 5`.
fn numbered(c: Cursor<'_>) -> Read<'_, Ordered> {
    let after = owner(c).any(&["session", "conversation", "discussion", "chat"])?;
    let after = after.mark('#').unwrap_or(after).maybe(&["number", "no"]);
    let (nth, end) = cardinal(after)?;
    let clear = matches!(after.kind(), Some(Kind::Number(_))) || closes(end);
    clear.then(|| Some((certain(OrdinalOf::Conversations, Side::First, nth, nth)?, end)))?
}

/// `our last conversation`, `the last two chats`, `the second to last session`.
fn at_the_end(c: Cursor<'_>) -> Read<'_, Ordered> {
    let start = owner(c);
    if let Some((nth, after)) = from_the_end(start) {
        let end = conversations(after)?;
        return Some((certain(OrdinalOf::Conversations, Side::Last, nth, nth)?, end));
    }
    let loose = matches!(start.text(), Some("previous" | "past"));
    let after = start.one_of(&LATEST)?;
    if let Some((count, after)) = quantity(after) {
        let end = conversations(after)?;
        return Some((certain(OrdinalOf::Conversations, Side::Last, 1, count.likely)?, end));
    }
    let end = conversations(after).filter(|end| end.text() != Some("of"))?;
    on_a_topic(end, loose)
}

/// A conversation "about" something is the latest of those that match; a merely "previous" one
/// about something is any of them, and says nothing of order.
fn on_a_topic(end: Cursor<'_>, loose: bool) -> Read<'_, Ordered> {
    let topic = end.any(&["about", "on", "regarding", "where", "when", "with"]).is_some();
    let ordered = match (topic, loose) {
        (true, true) => None,
        (true, false) => likely(OrdinalOf::Matches, Side::Last, 1, 1),
        (false, true) => likely(OrdinalOf::Conversations, Side::Last, 1, 1),
        (false, false) => certain(OrdinalOf::Conversations, Side::Last, 1, 1),
    };
    Some((ordered?, end))
}

/// `second to last`, `penultimate`, `last but one`, `third from last`.
fn from_the_end(c: Cursor<'_>) -> Read<'_, u32> {
    let fixed = [("penultimate", 2), ("next to last", 2), ("last but one", 2), ("last but two", 3)];
    if let Some(read) = c.pick(&fixed) {
        return Some(read);
    }
    let (nth, after) = ordinal(c)?;
    let to = after.hyphen().one_of(&["to", "from the", "from"])?;
    Some((nth, to.hyphen().any(&["last", "end"])?)).filter(|(nth, _)| *nth > 1)
}

/// `20 sessions ago`, `one session ago`, `two conversations back`.
fn ago(c: Cursor<'_>) -> Read<'_, Ordered> {
    let (count, after) = quantity(c)?;
    let end = conversations(after)?.any(&["ago", "back"])?;
    let sure = if count.is_exact() { certain } else { likely };
    Some((sure(OrdinalOf::Conversations, Side::Last, count.low, count.high)?, end))
}

/// `the session before last`, `the time before last`.
fn before_last(c: Cursor<'_>) -> Read<'_, Ordered> {
    let start = owner(c);
    let after = conversations(start).or_else(|| start.any(&["time", "one"]))?;
    let end = after.one_of(&["before the last one", "before the last", "before last"])?;
    Some((certain(OrdinalOf::Conversations, Side::Last, 2, 2)?, end))
}

/// `not our last chat but the one before it`, `the first talk, or rather the one after that`: the
/// neighbor of a conversation that is named by its order, on either side.
fn the_one_beside(c: Cursor<'_>) -> Read<'_, Ordered> {
    let start = c.maybe(&["not"]);
    let ((named, _), after) = nth_conversation(start).or_else(|| at_the_end(start))?;
    let after = after.comma().maybe(&["but", "or"]).maybe(&["rather"]);
    let beside = [("before", false), ("prior to", false), ("prior", false), ("after", true)];
    let (later, after) = after.words("the one")?.pick(&beside)?;
    let single = named.of == OrdinalOf::Conversations && named.first == named.last;
    let counts_on = later == (named.from == Side::First);
    let nth = if counts_on { named.first.checked_add(1) } else { named.first.checked_sub(1) };
    let nth = nth.filter(|_| single)?;
    let end = after.maybe(&["that", "it"]);
    Some((certain(OrdinalOf::Conversations, named.from, nth, nth)?, end))
}

/// `since we last talked`, `since our last chat`, `since last time`: what came after the latest
/// conversation begins with it.
fn since_last(c: Cursor<'_>) -> Read<'_, Ordered> {
    let start = c.word("since")?;
    if let Some(end) = start.words("last time") {
        return Some((likely(OrdinalOf::Conversations, Side::Last, 1, 1)?, end));
    }
    let spoke = ["talked", "spoke", "chatted", "met", "talk", "chat"];
    if let Some(end) = start.words("we last").and_then(|after| after.any(&spoke)) {
        return Some((likely(OrdinalOf::Conversations, Side::Last, 1, 1)?, end));
    }
    let (ordered, end) = at_the_end(start)?;
    Some((ordered, end))
}

/// `the first time`, `the last time`, `the third time`, `last time`. "For the first time" chooses
/// nothing, and "next time" has not been.
fn time(c: Cursor<'_>) -> Read<'_, Ordered> {
    if let Some(end) = c.words("last time") {
        let loose = likely(OrdinalOf::Conversations, Side::Last, 1, 1)?;
        return Some((loose, end));
    }
    let start = c.any(&["the", "our", "that"])?.maybe(&["very"]);
    if c.previous().is_some_and(|before| before.text == "for") {
        return None;
    }
    if let Some(after) = start.one_of(&["most recent", "last", "latest"]) {
        let (count, after) = counted_times(after)?;
        return Some((certain(OrdinalOf::Matches, Side::Last, 1, count)?, after));
    }
    let (nth, after) = ordinal(start)?;
    let (count, end) = counted_times(after)?;
    let last = if nth == 1 { count } else { nth };
    Some((certain(OrdinalOf::Matches, Side::First, nth, last)?, end))
}

fn counted_times(c: Cursor<'_>) -> Read<'_, u32> {
    if let Some(end) = c.word("time") {
        return Some((1, end));
    }
    let (count, after) = quantity(c)?;
    Some((count.likely, after.word("times")?))
}

/// `most recently`, `the latest`, `her most recent`, `my last trip`.
fn superlative(c: Cursor<'_>) -> Read<'_, Ordered> {
    if let Some(end) = c.one_of(&["most recently", "most lately"]) {
        return Some((certain(OrdinalOf::Matches, Side::Last, 1, 1)?, end));
    }
    if let Some(after) = c.one_of(&OWN_LAST) {
        let end = plain_noun(after)?;
        return Some((likely(OrdinalOf::Matches, Side::Last, 1, 1)?, end));
    }
    let (side, end) = c.pick(&[
        ("most recent", Side::Last),
        ("latest", Side::Last),
        ("newest", Side::Last),
        ("earliest", Side::First),
        ("oldest", Side::First),
    ])?;
    Some((likely(OrdinalOf::Matches, side, 1, 1)?, end))
}

/// Past one or two nouns that close the phrase and are no words of this grammar: `trip`, `dentist
/// appointment`.
fn plain_noun(c: Cursor<'_>) -> Option<Cursor<'_>> {
    let is_plain = |token: &&Token<'_>| {
        token.kind == Kind::Word
            && token.classes == NONE
            && !NOT_IN_ORDER.contains(&token.text)
            && !token.possessive
    };
    let first = c.peek().filter(is_plain).filter(|_| !closes(c)).map(|_| c.step())?;
    if closes(first) {
        return Some(first).filter(|end| end.text() != Some("of"));
    }
    let second = first.peek().filter(is_plain).map(|_| first.step())?;
    Some(second).filter(|end| closes(*end) && end.text() != Some("of"))
}

/// `did I last see`, `when we first met`: between the one who did it and what was done.
fn adverb(c: Cursor<'_>) -> Read<'_, Ordered> {
    let (side, end) = c.pick(&[("last", Side::Last), ("first", Side::First)])?;
    let doer = c.previous()?;
    let pronoun = matches!(doer.text, "i" | "we" | "you" | "he" | "she" | "they" | "it");
    let asked = c.back(2).is_some_and(|token| matches!(token.text, "did" | "have" | "has" | "had"));
    let verb = end.text().is_some() && !closes(end);
    let named = doer.kind == Kind::Word && doer.capital && asked;
    ((pronoun || named) && verb).then_some((certain(OrdinalOf::Matches, side, 1, 1)?, end))
}

/// `which did I attend first, A or B`: at the end of its clause, after a verb.
fn first_of_two(c: Cursor<'_>) -> Read<'_, Ordered> {
    let (side, end) = c.pick(&[("first", Side::First), ("last", Side::Last)])?;
    let before = c.previous().filter(|token| token.kind == Kind::Word)?;
    let other =
        matches!(before.text, "at" | "the" | "a" | "my" | "our" | "your" | "and" | "to" | "or");
    let asking = end.mark(',').is_some() || end.mark('?').is_some();
    let question = c.sentence().any(&["which", "who", "whom", "what", "where", "did"]).is_some();
    (asking && question && !other).then_some((likely(OrdinalOf::Matches, side, 1, 1)?, end))
}

/// Words that can begin an ordinal, besides numbers.
pub(super) fn words() -> Vec<&'static str> {
    let owned = LEAD_IN.into_iter().chain(OWNERS).chain(LATEST);
    owned.chain(CONVERSATIONS).chain(OTHERS).collect()
}
