//! Times inside another time in the phrase: "the second Tuesday of June", "the first two weeks of
//! May", "the last day of 2022".

use super::calendar::weekday;
use super::context::Context;
use super::counts::{ordinal, quantity};
use super::cursor::{Cursor, Read};
use super::days::Days;
use super::last_next::present_span;
use super::named::Named;
use super::offsets::{Neighbor, found_from, other};
use super::sense::{DayPhrase, Sense};
use super::units::{many_spans, one_span};

/// `the first two weeks of May`, `the last few days of 2022`.
pub(super) fn edge_inside<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let (first, after) =
        c.maybe(&["the"]).pick(&[("first", true), ("last", false), ("final", false)])?;
    let (count, after) = quantity(after).unwrap_or((super::counts::FEW, after));
    let (span, after) = many_spans(after)?;
    let (base, end) = container(after.any(&["of", "in"])?, context)?;
    let length = i64::from(count.likely);
    let days = if first {
        Days::run(base.days.first, span.moved(base.days.first, length)?, base.days.precision)?
    } else {
        Days::run(span.moved(base.days.end, -length)?, base.days.end, base.days.precision)?
    };
    let sense = found_from(base, days.known_to(super::Precision::Day));
    let fits = !span.is_weekend() && days.length() < base.days.length();
    fits.then_some((DayPhrase::settled(if count.is_exact() { sense } else { sense.unsure() }), end))
}

/// `the second Tuesday of June`, `the last week of May`, `the first day of 2023`.
pub(super) fn nth_inside<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let c = c.maybe(&["the"]);
    let (nth, after) = match c.any(&["last", "final"]) {
        Some(after) => (None, after),
        None => ordinal(c).map(|(nth, after)| (Some(nth), after))?,
    };
    let (what, after) = counted_inside(after)?;
    let (base, end) = container(after.any(&["of", "in"])?, context)?;
    let days = nth_of(what, nth, base.days)?;
    let inside =
        base.days.hull(days).length() == base.days.length() && days.length() < base.days.length();
    inside.then_some((DayPhrase::settled(found_from(base, days)), end))
}

fn counted_inside(c: Cursor<'_>) -> Read<'_, Neighbor> {
    if let Some((weekday, after)) = weekday(c) {
        return Some((Neighbor::Name(Named::Weekday(weekday)), after));
    }
    if let Some(after) = c.word("weekend") {
        return Some((Neighbor::Name(Named::Weekend), after));
    }
    let (span, after) = one_span(c).filter(|(span, _)| !span.is_clock())?;
    Some((Neighbor::Span(span), after))
}

fn container<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, Sense> {
    let (sense, after) = match present_span(c, context) {
        Some((phrase, after)) => (phrase.resolve(context)?, after),
        None => other(c, context)?,
    };
    (sense.days.length() >= 7).then_some((sense, after))
}

fn nth_of(what: Neighbor, nth: Option<u32>, base: Days) -> Option<Days> {
    match (what, nth) {
        (Neighbor::Name(named), Some(nth)) => named.after(base.first, i64::from(nth)),
        (Neighbor::Name(named), None) => named.before(base.end, 1),
        (Neighbor::Span(span), nth) => span.nth_within(base, nth),
    }
}
