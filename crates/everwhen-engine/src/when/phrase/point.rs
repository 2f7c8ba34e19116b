//! One time, with the preposition that carries it: "in March", "on the 3rd", "about two weeks ago".

use super::clock;
use super::cursor::{Cursor, Read};
use super::lexer::Kind;
use super::named::Named;
use super::place::place;
use super::relative;
use super::scene::{Scene, Timed};
use super::sense::{Place, What};
use super::vocabulary::{PREPOSITIONS, Preposition, compounds, stands_alone};

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
pub(super) fn point<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Timed> {
    let rules =
        [plain, clock::in_figures, clock::on_a_day, clock::earlier, relative::counted_moment];
    rules
        .iter()
        .filter_map(|rule| rule(c, scene))
        .filter(|(_, after)| !is_habit(c, *after))
        .max_by_key(|(_, after)| after.position())
}

fn plain<'t>(c: Cursor<'t>, scene: &Scene<'_>) -> Read<'t, Timed> {
    let carried = c
        .pick(&PREPOSITIONS)
        .and_then(|(preposition, start)| timed(Some(preposition), start, scene));
    carried.or_else(|| timed(None, c, scene))
}

fn timed<'t>(
    preposition: Option<Preposition>,
    start: Cursor<'t>,
    scene: &Scene<'_>,
) -> Read<'t, Timed> {
    let widened = start.one_of(&ABOUT);
    let (place, after) = place(widened.unwrap_or(start), scene)?;
    if place.weak && !is_carried(place, preposition, start, after) {
        return None;
    }
    let sense = place.resolve(scene)?;
    let about = widened.is_some() || preposition == Some(Preposition::Around);
    let sense = if about { sense.about()? } else { sense };
    Some((scene.when(sense)?, after))
}

/// Whether a name that is no time by itself is made one by the words around it.
fn is_carried(
    place: Place,
    preposition: Option<Preposition>,
    start: Cursor<'_>,
    after: Cursor<'_>,
) -> bool {
    let weekday = matches!(place.what, What::Recurring(Named::Weekday(_), _));
    match preposition {
        Some(preposition) => preposition.carries(place) && !compounds(after),
        None => weekday && stands_alone(start, after) || is_whole(start, after),
    }
}

/// Whether the words from `c` to `after` are all there is: "March?" alone asks about a time. A month
/// that is a verb or a modal in lower case is not.
fn is_whole(c: Cursor<'_>, after: Cursor<'_>) -> bool {
    let verb = matches!(c.text(), Some("may" | "march" | "fall" | "spring" | "now" | "right"));
    c.position() == 0 && after.is_over() && (!verb || c.peek().is_some_and(|token| token.capital))
}

/// Whether the time from `c` to `after` is one of many: "every year in March", "on Friday nights".
fn is_habit(c: Cursor<'_>, after: Cursor<'_>) -> bool {
    let every = |token: &super::lexer::Token<'_>| {
        token.kind == Kind::Word && matches!(token.text, "every" | "each" | "always")
    };
    let before = (1..=2).filter_map(|steps| c.back(steps)).any(every);
    before || after.text().is_some_and(|word| HABITS.contains(&word))
}
