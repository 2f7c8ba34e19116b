//! Times counted from the anchor: today and its neighbors, "two weeks ago", "an hour ago",
//! "in two weeks' time", "the other day".

use jiff::civil::Weekday;
use jiff::{SignedDuration, Timestamp};

use super::ambiguity::closes;
use super::amounts::{Amount, Modifier, amounts, finest, modifier};
use super::calendar::{any_weekday, weekday};
use super::classes::{COUNT, IN, UNIT};
use super::context::{Context, Timed};
use super::counts::Count;
use super::cursor::{Cursor, Read};
use super::days::{Days, plus};
use super::lexer::{Kind, Token};
use super::named::Named;
use super::sense::{DayPhrase, Sense, counted_from};
use super::units::{Span, many_spans};
use super::{Confidence, Date, Origin, Precision, Prefer};

/// Fuzzy words: from how many days ago up to, but without, how many; and how far they reach back.
const FUZZY: [(&str, (i64, i64, i64)); 6] = [
    ("the other day", (7, 0, 14)),
    ("the other night", (7, 0, 14)),
    ("the other week", (28, 5, 42)),
    ("in recent days", (7, -1, 14)),
    ("recently", (30, -1, 92)),
    ("lately", (30, -1, 92)),
];

/// `today`, `yesterday`, `tomorrow`.
pub(super) fn day_word<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let (turn, after) = c.pick(&[("today", 0), ("yesterday", -1), ("tomorrow", 1)])?;
    Some((DayPhrase::settled(Sense::counted(Days::one(plus(context.today, turn)?)?)), after))
}

/// `the other day`, `recently`.
pub(super) fn fuzzy<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    let ((from, to, reach), after) = c.pick(&FUZZY)?;
    let bounded = |before: &Token<'_>| {
        matches!(before.text, "until" | "till" | "since" | "by" | "before" | "after")
    };
    if c.previous().is_some_and(bounded) {
        return None;
    }
    let (first, end) = (plus(context.today, -from)?, plus(context.today, -to)?);
    let sense = Sense::counted(Days::run(first, end, Precision::Day)?);
    Some((context.when(sense.within(reach - from, 0).unsure())?, after))
}

/// `two weeks ago`, `a year and two months ago`, `a week ago Friday`, `three days from now`, in
/// whole days.
pub(super) fn counted<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    if let Some((weekday, after)) = weekday(c)
        && let Some(((amounts, _, sign), end)) = counted_amounts(after, context)
    {
        return Some((in_its_week(&amounts, sign, weekday, context)?, end));
    }
    let ((amounts, modifier, sign), after) = counted_amounts(c, context)?;
    if let Some(end) = after.word("today") {
        let sense = sense_of(&amounts, Modifier::Exact, sign, context)?;
        return Some((DayPhrase::settled(sense), end));
    }
    if let Some((weekday, end)) = after.word("on").and_then(any_weekday)
        && let Some(phrase) = in_its_week(&amounts, sign, weekday, context)
    {
        return Some((phrase, end));
    }
    if let Some((weekday, end)) = any_weekday(after).filter(|_| sign < 0)
        && let Some(phrase) = weeks_before(&amounts, weekday, context)
    {
        return Some((phrase, end));
    }
    Some((DayPhrase::settled(sense_of(&amounts, modifier, sign, context)?), after))
}

/// `an hour ago`, `20 minutes ago`: finer than days.
pub(super) fn counted_moment<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Timed> {
    if let Some(after) = c.words("just now") {
        let since = context.now.timestamp().checked_sub(SignedDuration::from_mins(15)).ok()?;
        let slack = SignedDuration::from_mins(45);
        let when = context.moment(since, context.now.timestamp(), slack, Origin::Counted)?;
        return Some(((when, Confidence::Likely), after));
    }
    let ((amounts, modifier, sign), after) = counted_amounts(c, context)?;
    Some((moment_of(&amounts, modifier, sign, context)?, after))
}

type CountedAmounts = (Vec<Amount>, Modifier, i64);

fn counted_amounts<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, CountedAmounts> {
    let (modifier, start) = modifier(c);
    if !start.begins_with(COUNT | UNIT | IN) {
        return None;
    }
    if let Some((amounts, after)) = unsaid(start) {
        return Some(((amounts, modifier, -1), after));
    }
    if let Some(after) = c.word("in") {
        let (modifier, after) = super::amounts::modifier(after);
        let (amounts, after) = amounts(after)?;
        let said = after.previous().is_some_and(|unit| unit.possessive);
        let end = after.word("time").filter(|_| said);
        let ahead = matches!(context.prefer, Prefer::Future | Prefer::Nearest)
            && closes(after)
            && finest(&amounts) > Span::MINUTE;
        return Some(((amounts, modifier, 1), end.or(ahead.then_some(after))?));
    }
    let (amounts, after) = amounts(start)?;
    if let Some(end) = after.word("ago").or_else(|| back(after)) {
        return Some(((amounts, modifier, -1), end));
    }
    Some(((amounts, modifier, 1), after.one_of(&["from now", "from today", "hence"])?))
}

/// `two years back`; "for 4 days back in February" is something else.
fn back(c: Cursor<'_>) -> Option<Cursor<'_>> {
    let other = ["in", "at", "to", "on", "from", "home", "and", "with", "then"];
    c.word("back").filter(|after| after.any(&other).is_none())
}

/// `weeks ago`, without a number anywhere before it.
fn unsaid(c: Cursor<'_>) -> Read<'_, Vec<Amount>> {
    let (span, after) = many_spans(c)?;
    let (count, after) = (span.unsaid()?, after.word("ago")?);
    let figures = c.previous().is_some_and(|t| !matches!(t.kind, Kind::Word | Kind::Mark(_)));
    (!figures).then(|| (vec![Amount { count, span }], after))
}

/// What amounts before or after today mean.
pub(super) fn sense_of(
    amounts: &[Amount],
    modifier: Modifier,
    sign: i64,
    context: &Context<'_>,
) -> Option<Sense> {
    let sense = sense_from(context.today, amounts, sign)?;
    match modifier {
        Modifier::Plain => Some(sense),
        Modifier::Exact => {
            Some(Sense { days: sense.likely.unwrap_or(sense.days), reach: None, ..sense })
        }
        Modifier::About => sense.about(),
        Modifier::Over => {
            let days = sense.days.widened(sense.days.length().max(1), 0)?;
            Some(Sense { days, ..sense }.within(days.length(), 0).unsure())
        }
        Modifier::Under => {
            let first = sense.likely.unwrap_or(sense.days).first;
            let days = Days::run(
                first.min(context.today),
                first.max(context.tomorrow()?),
                Precision::Day,
            )?;
            Some(Sense::counted(days).unsure())
        }
    }
}

/// What amounts before or after a day mean.
pub(super) fn sense_from(day: Date, amounts: &[Amount], sign: i64) -> Option<Sense> {
    let (last, before) = amounts.split_last()?;
    let start = before.iter().try_fold(day, |day, amount| {
        amount.span.moved(day, sign * i64::from(amount.count.likely))
    })?;
    let at = |count: u32| counted_from(start, sign * i64::from(count), last.span);
    let likely = at(last.count.likely)?;
    let halved = before.last().is_some_and(|amount| amount.count.half);
    if halved {
        return likely.about();
    }
    if last.count.is_exact() {
        return Some(likely);
    }
    let (low, high) = (at(last.count.low)?, at(last.count.high)?);
    Some(Sense {
        days: low.days.hull(high.days),
        likely: Some(likely.days),
        reach: Some(low.reach_or_days().hull(high.reach_or_days())),
        ..likely.unsure()
    })
}

fn in_its_week(
    amounts: &[Amount],
    sign: i64,
    weekday: Weekday,
    context: &Context<'_>,
) -> Option<DayPhrase> {
    let sense = sense_of(amounts, Modifier::Plain, sign, context)?;
    let day = sense.days.weekday(weekday).filter(|_| finest(amounts).is_weeks())?;
    Some(DayPhrase::settled(Sense::counted(Days::one(day)?)))
}

/// `a week ago Friday`: a week before the latest Friday; some mean the Friday of that week.
fn weeks_before(amounts: &[Amount], weekday: Weekday, context: &Context<'_>) -> Option<DayPhrase> {
    let [Amount { count, span }] = amounts else { return None };
    let latest = Named::Weekday(weekday).before(context.today, 1)?;
    let day = span.moved(latest.first, -i64::from(count.likely)).filter(|_| span.is_weeks())?;
    Some(DayPhrase::settled(Sense::counted(Days::one(day)?).within(0, 7).unsure()))
}

fn moment_of(
    amounts: &[Amount],
    modifier: Modifier,
    sign: i64,
    context: &Context<'_>,
) -> Option<Timed> {
    let finest = finest(amounts);
    let last = amounts.last()?.count;
    if !finest.is_clock() {
        return None;
    }
    let (near, far) =
        (shifted(amounts, sign, context, |c| c.low)?, shifted(amounts, sign, context, |c| c.high)?);
    let tenth = i64::from(last.likely / 10).max(1);
    let halved = amounts.iter().any(|amount| amount.count.half);
    let minutes = if finest == Span::HOUR {
        30
    } else if halved {
        10
    } else {
        tenth
    };
    let half =
        SignedDuration::from_mins(if modifier == Modifier::About { 2 * minutes } else { minutes });
    let since = near.min(far).checked_sub(half).ok()?;
    let until = near.max(far).checked_add(half).ok()?;
    let sure = if last.is_exact() { Confidence::Certain } else { Confidence::Likely };
    Some((context.moment(since, until, half, Origin::Counted)?, sure))
}

fn shifted(
    amounts: &[Amount],
    sign: i64,
    context: &Context<'_>,
    number: fn(Count) -> u32,
) -> Option<Timestamp> {
    let moved = amounts.iter().try_fold(context.now.clone(), |at, amount| {
        amount.span.moved_clock(&at, sign * i64::from(number(amount.count)))
    })?;
    Some(moved.timestamp())
}

/// Words that can begin a fuzzy time.
pub(super) fn fuzzy_words() -> Vec<&'static str> {
    FUZZY.map(|(words, _)| words).to_vec()
}
