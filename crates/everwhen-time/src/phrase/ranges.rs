//! Stretches with two ends or one: "between May and July", "since Monday", "before 9 June", "the
//! past few months".

use super::ambiguity::closes;
use super::calendar::{day_number, year_after};
use super::context::{Context, Timed};
use super::counts::{Count, FEW, quantity};
use super::cursor::{Cursor, Read};
use super::day_phrase::day_phrase;
use super::days::{Days, plus};
use super::named::Named;
use super::sense::{DayPhrase, DayPhraseKind, Sense};
use super::units::{Span, many_spans, span};
use super::{Confidence, Date, Origin, Precision};

type RangeRule = for<'t> fn(Cursor<'t>, &Context<'_>) -> Read<'t, Timed>;

const RULES: [RangeRule; 8] = [two_ends, paired, since, until, before, after, trailing, leading];

/// Words that join the ends of a stretch.
const JOINTS: [&str; 8] =
    ["all the way to", "up to", "up until", "through to", "through", "until", "till", "to"];

/// Words before a stretch that ends now.
const TRAILING: [(&str, bool); 14] = [
    ("these last", true),
    ("these past", true),
    ("this last", true),
    ("this past", true),
    ("this previous", true),
    ("the last", true),
    ("the past", true),
    ("the previous", true),
    ("my last", true),
    ("our last", true),
    ("recent", true),
    ("past", true),
    ("previous", false),
    ("last", false),
];

/// Words before a stretch that begins now.
const LEADING: [&str; 6] =
    ["the next", "the coming", "these next", "the upcoming", "coming", "next"];

/// Words that may lead in a counted stretch.
const OVER: [&str; 9] =
    ["all over", "over", "in", "during", "for", "within", "throughout", "across", "from"];

const UNTIL: [&str; 8] =
    ["on or before", "no later than", "up until", "until", "till", "up to", "up through", "by"];
const BEFORE: [&str; 4] = ["any time before", "sometime before", "before", "prior to"];
const AFTER: [&str; 3] = ["any time after", "sometime after", "after"];
const OTHERS: [&str; 6] = ["between", "during", "ever since", "since", "pre", "post"];

/// The stretch named here.
pub(super) fn range<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    RULES.iter().filter_map(|rule| rule(c, context)).max_by_key(|(_, after)| after.position())
}

/// One end of a stretch: some days, or the number of a day whose month the other end has.
#[derive(Debug, Clone, Copy)]
enum End {
    DayPhrase(DayPhrase),
    Day(i8),
}

fn end<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, End> {
    if let Some(after) = c.one_of(&["right now", "now", "the present"]) {
        let today = Sense::counted(Days::one(context.today)?);
        return Some((End::DayPhrase(DayPhrase::settled(today)), after));
    }
    if let Some((phrase, after)) = day_phrase(c, context) {
        return Some((End::DayPhrase(phrase), after));
    }
    let (day, after) = day_number(c.maybe(&["the"]))?;
    Some((End::Day(day), after))
}

/// `between May and July`, `from May 8th to June 9th`, `May 8 - 12`, `2019-2021`.
fn two_ends<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let (joint, start): (fn(Cursor<'t>, End) -> Option<Cursor<'t>>, _) =
        match (c.word("between"), c.one_of(&["from", "over", "during", "in", "across"])) {
            (Some(start), _) => (|c, _| c.word("and").or_else(|| c.mark('-')), start),
            (None, Some(start)) => (|c, _| c.one_of(&JOINTS).or_else(|| c.mark('-')), start),
            (None, None) => (bare_joint, c),
        };
    let (first, after) = end(start, context)?;
    let (last, after) = end(joint(after, first)?, context)?;
    let (first, last, after) =
        with_year(first, last, after, context).unwrap_or((first, last, after));
    let (first, last) = settle(first, last, context)?;
    let days =
        Days::run(first.days.first, last.days.end, first.days.precision.max(last.days.precision))?;
    let sure = if first.sure == Confidence::Certain { last.sure } else { first.sure };
    let origin = first.origin.max(last.origin);
    Some((context.when(Sense { sure, origin, ..Sense::counted(days) })?, after))
}

/// `May and June 2022`, `spring/summer 2022`: two names before one year.
fn paired<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let start = c.maybe(&["in", "during", "over"]);
    let (first, after) = day_phrase(start, context)?;
    let joint =
        after.any(&["and", "or"]).or_else(|| after.mark('/')).or_else(|| after.mark('&'))?;
    let (last, end) = day_phrase(joint, context)?;
    let DayPhraseKind::Recurring(Named::Month(_) | Named::Season(_), None) = first.what else {
        return None;
    };
    let DayPhraseKind::Settled(last) = last.what else { return None };
    let days = first.latest(last.days.first)?.days.hull(last.days);
    let fits = last.origin == Origin::Written && (28..=92).contains(&last.days.length());
    fits.then(|| Some((context.when(Sense { days, reach: None, ..last })?, end)))?
}

/// `May 8-12, 2023`: the year follows the second day and is that of both.
fn with_year<'t>(
    first: End,
    last: End,
    c: Cursor<'t>,
    context: &Context<'_>,
) -> Option<(End, End, Cursor<'t>)> {
    let End::DayPhrase(DayPhrase {
        what: DayPhraseKind::Recurring(Named::Date(month, day), _),
        ..
    }) = first
    else {
        return None;
    };
    let (End::Day(_), (year, after)) = (last, year_after(c, context)?) else { return None };
    let days = Days::one(Date::new(year, month, day).ok()?)?;
    Some((End::DayPhrase(DayPhrase::settled(Sense::written(days))), last, after))
}

/// Between bare ends, only what cannot be read otherwise: "Monday to Friday" is a habit, and a
/// number before a dash belongs to it only without a blank.
fn bare_joint(c: Cursor<'_>, first: End) -> Option<Cursor<'_>> {
    let tied = Some(c.hyphen()).filter(|after| after.position() > c.position());
    match first {
        End::Day(_) => tied,
        End::DayPhrase(DayPhrase {
            what: DayPhraseKind::Recurring(Named::Weekday(_), _), ..
        }) => None,
        End::DayPhrase(_) => c.any(&["through", "thru", "to"]).or_else(|| c.mark('-')),
    }
}

/// Both ends, each found from the other: a bare end takes the month or year of the settled one; of
/// two bare ones the last is found by the prefer, and the first is the latest before it.
fn settle(first: End, last: End, context: &Context<'_>) -> Option<(Sense, Sense)> {
    match (first, last) {
        (End::DayPhrase(first), End::DayPhrase(last)) => settle_places(first, last, context),
        (End::Day(day), End::DayPhrase(last)) => {
            let last = last.resolve(context).filter(|sense| sense.days.is_day())?;
            Some((same_month(day, last)?, last))
        }
        (End::DayPhrase(first), End::Day(day)) => {
            let first = first.resolve(context).filter(|sense| sense.days.is_day())?;
            Some((first, same_month(day, first)?))
        }
        (End::Day(_), End::Day(_)) => None,
    }
}

fn settle_places(
    first: DayPhrase,
    last: DayPhrase,
    context: &Context<'_>,
) -> Option<(Sense, Sense)> {
    if is_bare_number(first) && is_bare_number(last) {
        return None;
    }
    match (first.what, last.what) {
        (DayPhraseKind::Settled(first), DayPhraseKind::Recurring(..)) => {
            Some((first, last.next(first.days.first)?))
        }
        _ => {
            let last = last.resolve(context)?;
            Some((first.latest(last.days.last())?, last))
        }
    }
}

/// `4/5` to `6/7` without years are fractions as likely as dates.
fn is_bare_number(phrase: DayPhrase) -> bool {
    phrase.weak && matches!(phrase.what, DayPhraseKind::Recurring(Named::Date(..), _))
}

fn same_month(day: i8, other: Sense) -> Option<Sense> {
    let month = other.days.first;
    Some(Sense { days: Days::one(Date::new(month.year(), month.month(), day).ok()?)?, ..other })
}

/// `since Monday`, `from March on`: up to the end of today.
fn since<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let ever = c.one_of(&["ever since", "since"]);
    let (phrase, after) = match ever {
        Some(start) => day_phrase(start, context)?,
        None => {
            let (phrase, after) = day_phrase(c.word("from")?, context)?;
            (phrase, after.any(&["on", "onwards", "onward", "forward"]).filter(|end| closes(*end))?)
        }
    };
    let sense = phrase.latest(context.today)?;
    let days = Days::run(sense.days.first, context.tomorrow()?, sense.days.precision)?;
    Some((context.when(Sense { days, likely: None, ..sense })?, after))
}

/// `until March`: up to its beginning, and possibly through it; until a day, through the day. `by
/// Friday` is through it; "by May" may be a person.
fn until<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let start = c.one_of(&UNTIL)?;
    let through = matches!(start.back(1)?.text, "through" | "by" | "before" | "than");
    let (phrase, after) = day_phrase(start, context)?;
    let month = matches!(phrase.what, DayPhraseKind::Recurring(Named::Month(_), None));
    if month && c.text() == Some("by") {
        return None;
    }
    let sense = phrase.resolve(context)?;
    let days = sense.days;
    let end = if through || days.is_day() { days.end } else { days.first };
    Some((context.open((None, Some(end)), (None, Some(days.end)), sense)?, after))
}

/// `before 9 June`, `prior to 2020`, `pre-2020`.
fn before<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let start = c.one_of(&BEFORE);
    let (phrase, after) = day_phrase(start.or_else(|| tied(c, "pre"))?, context)?;
    let sense = phrase.resolve(context)?;
    let ends = (None, Some(sense.days.first));
    Some((context.open(ends, ends, sense)?, after))
}

/// `after 9 June`, `post-2020`: open to the end of time.
fn after<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let start = c.one_of(&AFTER);
    let (phrase, after) = day_phrase(start.or_else(|| tied(c, "post"))?, context)?;
    let sense = phrase.resolve(context)?;
    let ends = (Some(sense.days.end), None);
    Some((context.open(ends, ends, sense)?, after))
}

/// Past a word that is tied to the next by a hyphen.
fn tied<'t>(c: Cursor<'t>, word: &str) -> Option<Cursor<'t>> {
    let after = c.word(word)?;
    Some(after.hyphen()).filter(|end| end.position() > after.position())
}

/// `the past few months`, `over the last two weeks`, `this past week`: whole days, counted back from
/// today and ending with it.
fn trailing<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let start = c.one_of(&OVER).unwrap_or(c);
    let (running, after) = start.pick(&TRAILING)?;
    let (count, span, after) = counted_span(after, running)?;
    if span.is_weekend() {
        return Some((weekends(count, context)?, after));
    }
    if span.is_clock() {
        return Some((last_hours(count, span, context)?, after));
    }
    let back = |number: u32| span.moved(context.today, -i64::from(number));
    let days = Days::run(back(count.likely)?, context.tomorrow()?, Precision::Day)?;
    let reach = Days::run(back(count.high + 1)?, days.end, Precision::Day);
    let sense = Sense { reach, ..Sense::counted(days) };
    Some((context.when(if count.is_exact() { sense } else { sense.unsure() })?, after))
}

/// `two weeks`, `few months`, `week`, `months`. Without a number it needs a running word before it,
/// or it is the calendar's: "last week" is not "the last week". "The last week of May" is neither.
fn counted_span(c: Cursor<'_>, running: bool) -> Option<(Count, Span, Cursor<'_>)> {
    let (count, after) = match quantity(c) {
        Some((count, after)) => (Some(count), after),
        None => (None, c),
    };
    let (span, end) = span(after)?;
    let alone = if many_spans(after).is_some() { FEW } else { Count::exactly(1) };
    let count = match count {
        Some(count) => count,
        None if running && span != Span::MINUTE && !is_last_day(after, span) => alone,
        None => return None,
    };
    let over = matches!(end.text(), Some("ago" | "of" | "back"));
    (count.likely > 0 && !over).then_some((Count { half: false, ..count }, span, end))
}

/// "The last day" is the end of something, and so is "the last night".
fn is_last_day(c: Cursor<'_>, span: Span) -> bool {
    span == Span::DAY && c.previous().is_some_and(|token| token.text != "past")
}

/// `the last two weekends`, `the past weekend`.
fn weekends(count: Count, context: &Context<'_>) -> Option<Timed> {
    let far = Named::Weekend.before(context.today, i64::from(count.likely))?;
    let near = Named::Weekend.before(context.today, 1)?;
    context.when(Sense::counted(far.hull(near)).within(1, 1))
}

/// `the last 24 hours`.
fn last_hours(count: Count, span: Span, context: &Context<'_>) -> Option<Timed> {
    let minutes = i64::from(count.likely) * span.minutes()?;
    let length = jiff::SignedDuration::from_mins(minutes);
    let now = context.now.timestamp();
    let until = now.checked_add(jiff::SignedDuration::from_mins(1)).ok()?;
    let slack = jiff::SignedDuration::from_mins(minutes / 2);
    let when = context.moment(now.checked_sub(length).ok()?, until, slack, Origin::Counted)?;
    Some((when, Confidence::Certain))
}

/// `the next two weeks`, `the coming months`: from today.
fn leading<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let start = c.one_of(&OVER).unwrap_or(c);
    let after = start.one_of(&LEADING)?;
    let running = start.text() == Some("the");
    let (count, span, after) = counted_span(after, running)?;
    if span.is_clock() || span.is_weekend() {
        return None;
    }
    let end = plus(span.moved(context.today, i64::from(count.likely))?, 1)?;
    let sense = Sense::counted(Days::run(context.today, end, Precision::Day)?);
    Some((context.when(if count.is_exact() { sense } else { sense.unsure() })?, after))
}

/// Words that can begin a stretch, besides those for days.
pub(super) fn words() -> Vec<&'static str> {
    let running = TRAILING.map(|(words, _)| words).into_iter().chain(LEADING).chain(OVER);
    running.chain(UNTIL).chain(BEFORE).chain(AFTER).chain(OTHERS).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn joints_are_ordered() {
        let hides = |a: &str, b: &str| b.starts_with(a) && b[a.len()..].starts_with(' ');
        for (at, joint) in super::JOINTS.iter().enumerate() {
            assert!(super::JOINTS[at + 1..].iter().all(|later| !hides(joint, later)), "{joint}");
        }
    }
}
