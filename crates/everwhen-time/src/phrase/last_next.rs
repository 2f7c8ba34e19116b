//! Last, this and next: "last week", "this past Friday", "next summer", "this time last year".

use super::Precision;
use super::ambiguity::compounds;
use super::calendar::{any_weekday, full_month, season, weekday};
use super::context::Context;
use super::cursor::{Cursor, Read};
use super::day_phrase::day_phrase;
use super::days::Days;
use super::holidays::holiday_at;
use super::lexer::Kind;
use super::named::Named;
use super::sense::{DayPhrase, DayPhraseKind, Sense};
use super::units::{Span, one_span};

/// Which one is meant, seen from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Last,
    This,
    Next,
}

/// Words for a turn, longer ones first.
const WHICH: [(&str, Which); 14] = [
    ("this past", Which::Last),
    ("this last", Which::Last),
    ("this previous", Which::Last),
    ("this coming", Which::Next),
    ("this current", Which::This),
    ("this", Which::This),
    ("the current", Which::This),
    ("current", Which::This),
    ("last", Which::Last),
    ("past", Which::Last),
    ("previous", Which::Last),
    ("next", Which::Next),
    ("coming", Which::Next),
    ("upcoming", Which::Next),
];

impl Which {
    fn offset(self) -> i64 {
        match self {
            Self::Last => -1,
            Self::This => 0,
            Self::Next => 1,
        }
    }
}

/// `last week`, `this Friday`, `next March`, `last Christmas`.
pub(super) fn turned<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let (turn, after) = c.pick(&WHICH)?;
    if let Some((sense, end)) = turned_unit(turn, after, context) {
        let inside = weekday_of(sense, end).or_else(|| name_of(sense, end, context));
        return Some(inside.unwrap_or((DayPhrase::settled(sense), end)));
    }
    let (named, end) = named_at(after)?;
    let sense = turned_name(turn, named, context)?;
    Some((DayPhrase::settled(sense), end))
}

fn turned_unit<'t>(turn: Which, c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Sense> {
    let (span, after) = one_span(c)?;
    if span.is_weekend() {
        return Some((turned_name(turn, Named::Weekend, context)?, after));
    }
    // "Last minute" and "this day" are other things.
    let days = span.on_calendar(context.today, turn.offset()).filter(|_| span.is_long())?;
    let sense = Sense::counted(days);
    let slack = if turn == Which::This { 0 } else { span.calendar_slack() };
    Some((sense.within(slack, slack), after))
}

/// `last week on Friday`: a weekday of the week just read.
fn weekday_of(week: Sense, c: Cursor<'_>) -> Read<'_, DayPhrase> {
    let (weekday, after) = weekday(c.comma().maybe(&["on"]))?;
    let day = week.days.weekday(weekday).filter(|_| week.days.length() == 7)?;
    Some((DayPhrase::settled(Sense::counted(Days::one(day)?)), after))
}

/// `last year in March`, `last year's Christmas`: a yearly name of the year just read.
fn name_of<'t>(year: Sense, c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let whole = (365..=366).contains(&year.days.length()).then_some(year.days.first.year())?;
    let start = c.comma().maybe(&["in", "on", "at"]);
    let (phrase, after) = day_phrase(start.deeper()?, context)?;
    let DayPhraseKind::Recurring(named, part) = phrase.what else { return None };
    let days = named.in_year(whole)?;
    let days = part.map_or(Some(days), |part| part.cut(days))?;
    Some((DayPhrase::settled(Sense::counted(days)), after.level_with(c)))
}

/// A name that a turn can stand before.
pub(super) fn named_at(c: Cursor<'_>) -> Read<'_, Named> {
    any_weekday(c)
        .map(|(weekday, after)| (Named::Weekday(weekday), after))
        .or_else(|| full_month(c).map(|(month, after)| (Named::Month(month), after)))
        .or_else(|| season(c).map(|(season, after)| (Named::Season(season), after)))
        .or_else(|| holiday_at(c).map(|(holiday, after)| (Named::Holiday(holiday), after)))
        .filter(|(_, after)| !compounds(*after))
}

fn turned_name(turn: Which, named: Named, context: &Context<'_>) -> Option<Sense> {
    let days = match turn {
        Which::Last => named.before(context.today, 1)?,
        Which::This => named.present(context.today)?,
        Which::Next => named.after(context.tomorrow()?, 1)?,
    };
    let sense = Sense::counted(days);
    Some(match (named, turn) {
        (Named::Weekday(_), Which::Last) => sense.within(7, 0),
        (Named::Weekday(_), Which::Next) => sense.within(0, 7),
        (Named::Weekend, Which::This) => sense.within(7, 1),
        (Named::Weekend | Named::Holiday(_), _) => sense.within(1, 1),
        (Named::Season(_), _) => sense.within(21, 21),
        _ => sense,
    })
}

/// `Friday last week`, `Friday of next week`, `the Monday of this week`.
pub(super) fn weekday_in_turn<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let (weekday, after) = weekday(c.maybe(&["the"]))?;
    let after = after.comma().maybe(&["of", "in"]);
    let (week, end) = match after.words("the week before last") {
        Some(end) => (Span::WEEK.on_calendar(context.today, -2)?, end),
        None => {
            let (turn, after) = after.pick(&WHICH)?;
            (Span::WEEK.on_calendar(context.today, turn.offset())?, after.word("week")?)
        }
    };
    Some((DayPhrase::settled(Sense::counted(Days::one(week.weekday(weekday)?)?)), end))
}

/// `last month`, `this month`: the month of "the 3rd of last month".
pub(super) fn month_by_turn<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Sense> {
    if let Some(end) = c.words("the month") {
        return Some((Sense::counted(Span::MONTH.around(context.today)?), end));
    }
    let (turn, after) = c.pick(&WHICH)?;
    let month = Span::MONTH.on_calendar(context.today, turn.offset())?;
    Some((Sense::counted(month), after.word("month")?))
}

/// `the week`, `the month`, `the year`: the present one, where "of" stands before it.
pub(super) fn present_span<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let (span, after) = one_span(c.word("the")?)?;
    let followed = matches!(after.kind(), Some(Kind::Number(_)));
    let days = span.around(context.today).filter(|_| span.is_long() && !followed)?;
    Some((DayPhrase::settled(Sense::counted(days)), after))
}

/// `the weekend`: the one that a preposition and the prefer choose.
pub(super) fn the_weekend<'t>(c: Cursor<'t>, _: &Context<'_>) -> Read<'t, DayPhrase> {
    Some((DayPhrase::recurring(Named::Weekend), c.words("the weekend")?))
}

/// `this time last year`: the day itself and a few around it.
pub(super) fn this_time<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let after = c.one_of(&["this time", "about this time", "around this time"])?;
    let (turn, after) = after.pick(&WHICH)?;
    let (span, end) = one_span(after).filter(|(span, _)| span.is_long())?;
    let around = span.same_time_slack();
    let day = span.moved(context.today, turn.offset())?;
    let days = Days::one(day)?.widened(around, around)?.known_to(Precision::Day);
    Some((DayPhrase::settled(Sense::counted(days).likely_on(day).within(around, around)), end))
}

/// Words that can begin a turn.
pub(super) fn words() -> Vec<&'static str> {
    WHICH.map(|(words, _)| words).to_vec()
}
