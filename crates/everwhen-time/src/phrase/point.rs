//! One time, with the preposition that carries it: "in March", "on the 3rd", "about two weeks ago".

use super::Origin;
use super::ambiguity::{PREPOSITIONS, Preposition, compounds, stands_alone};
use super::classes::{MONTH, NONE, WEEKDAY};
use super::clock;
use super::context::{Context, Timed};
use super::cursor::{Cursor, Read};
use super::day_phrase::day_phrase;
use super::lexer::{Kind, Token};
use super::named::Named;
use super::relative;
use super::sense::{DayPhrase, DayPhraseKind, Sense};

type PointRule = for<'t> fn(Cursor<'t>, &Context<'_>) -> Read<'t, Timed>;

const RULES: [PointRule; 6] = [
    plain,
    relative::fuzzy,
    relative::counted_moment,
    clock::in_figures,
    clock::on_a_day,
    clock::earlier,
];

/// Words that widen the time after them.
const ABOUT: [&str; 5] = ["around", "roughly", "approximately", "sometime", "some time"];

/// Habits, not times: "on Friday nights".
const HABITS: [&str; 9] = [
    "mornings",
    "afternoons",
    "evenings",
    "nights",
    "weekdays",
    "weekends",
    "mondays",
    "fridays",
    "sundays",
];

/// The time named here.
pub(super) fn point<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    RULES
        .iter()
        .filter_map(|rule| rule(c, context))
        .filter(|(_, after)| !is_habit(c, *after))
        .max_by_key(|(_, after)| after.position())
}

fn plain<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let carried = c
        .pick(&PREPOSITIONS)
        .and_then(|(preposition, start)| timed(Some(preposition), start, context));
    carried.or_else(|| timed(None, c, context))
}

fn timed<'t>(
    preposition: Option<Preposition>,
    start: Cursor<'t>,
    context: &Context<'_>,
) -> Read<'t, Timed> {
    let widened = start.one_of(&ABOUT);
    let (phrase, after) = day_phrase(widened.unwrap_or(start), context)?;
    if phrase.weak && !is_carried(phrase, preposition, start, after) {
        return None;
    }
    let sense = phrase.resolve(context)?;
    let sense = if widened.is_some() { sense.about()? } else { sense };
    Some((context.when(shaped(sense, phrase, preposition)?)?, after))
}

/// What the preposition does to a time: "around" widens it, "over" a holiday takes the days beside
/// it, and "for" one may be its purpose.
fn shaped(sense: Sense, phrase: DayPhrase, preposition: Option<Preposition>) -> Option<Sense> {
    let holiday = matches!(phrase.what, DayPhraseKind::Recurring(Named::Holiday(_), None));
    match preposition {
        Some(Preposition::Around) => sense.about(),
        Some(Preposition::For) if sense.origin == Origin::Named => Some(sense.unsure()),
        Some(Preposition::Over | Preposition::During) if holiday && sense.days.is_day() => {
            Some(Sense { days: sense.reach_or_days(), ..sense })
        }
        _ => Some(sense),
    }
}

/// Whether a name that is no time by itself is made one by the words around it.
fn is_carried(
    phrase: DayPhrase,
    preposition: Option<Preposition>,
    start: Cursor<'_>,
    after: Cursor<'_>,
) -> bool {
    let weekday = matches!(phrase.what, DayPhraseKind::Recurring(Named::Weekday(_), _));
    match preposition {
        Some(preposition) => preposition.carries(phrase) && !compounds(after),
        None => {
            weekday && stands_alone(start, after)
                || is_whole(start, after)
                || goes_on(start) && !compounds(after)
        }
    }
}

/// Whether a list that a preposition began goes on here: "in June, July and August".
fn goes_on(c: Cursor<'_>) -> bool {
    let named = |token: &Token<'_>| {
        token.classes & MONTH != NONE || matches!(token.kind, Kind::Number(1900..=2099))
    };
    let joint =
        |token: &Token<'_>| token.kind == Kind::Mark(',') || matches!(token.text, "and" | "or");
    let before = |steps: usize| c.back(steps).filter(|token| named(token) || joint(token));
    let listed = (1..=LIST).take_while(|steps| before(*steps).is_some()).count();
    let first = c.back(listed + 1).is_some_and(|token| matches!(token.text, "in" | "during"));
    first && listed >= 2 && c.previous().is_some_and(joint) && c.peek().is_some_and(named)
}

/// Whether the words from `c` to `after` are all there is: "March?" alone asks about a time. A month
/// that is a verb or a modal in lower case is not.
fn is_whole(c: Cursor<'_>, after: Cursor<'_>) -> bool {
    let verb = matches!(c.text(), Some("may" | "march" | "fall" | "spring"));
    let fraction = matches!(c.kind(), Some(Kind::Date(_)));
    c.position() == 0
        && !fraction
        && after.is_over()
        && (!verb || c.peek().is_some_and(|token| token.capital))
}

/// Whether the time from `c` to `after` is one of many: "every year in March", "on Friday nights",
/// "every Monday, Wednesday and Friday".
fn is_habit(c: Cursor<'_>, after: Cursor<'_>) -> bool {
    let every = |token: &Token<'_>| matches!(token.text, "every" | "each" | "always");
    let listed = (1..=LIST).find_map(|steps| c.back(steps).filter(|token| !is_listed(token)));
    let near = c.back(2).is_some_and(every) || listed.is_some_and(every);
    let mut ahead = after;
    while ahead.position() < after.position() + LIST && ahead.peek().is_some_and(is_listed) {
        ahead = ahead.step();
    }
    near || ahead.text().is_some_and(|word| HABITS.contains(&word))
}

/// How long a list of days may be.
const LIST: usize = 8;

/// Whether a token goes on with a list of days.
fn is_listed(token: &Token<'_>) -> bool {
    token.kind == Kind::Mark(',')
        || token.classes & WEEKDAY != NONE
        || matches!(token.text, "and" | "or")
}
