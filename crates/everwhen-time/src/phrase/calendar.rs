//! The written calendar: dates in words and figures, months, years, seasons, quarters, decades.

use jiff::civil::Weekday;

use super::Date;
use super::ambiguity::{closes, compounds, measures};
use super::classes::{MONTH, SEASON, WEEKDAY};
use super::context::Context;
use super::counts::ordinal;
use super::cursor::{Cursor, Read};
use super::days::Days;
use super::holidays::holiday_at;
use super::lexer::Kind;
use super::named::{Named, Season};
use super::parts::Part;
use super::sense::{DayPhrase, DayPhraseKind, Sense};

/// The months in English, in lower case.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const SHORT_MONTHS: [(&str, i8); 12] = [
    ("jan", 1),
    ("feb", 2),
    ("mar", 3),
    ("apr", 4),
    ("jun", 6),
    ("jul", 7),
    ("aug", 8),
    ("sept", 9),
    ("sep", 9),
    ("oct", 10),
    ("nov", 11),
    ("dec", 12),
];

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

const SHORT_WEEKDAYS: [(&str, Weekday); 11] = [
    ("mon", Weekday::Monday),
    ("tues", Weekday::Tuesday),
    ("tue", Weekday::Tuesday),
    ("weds", Weekday::Wednesday),
    ("wed", Weekday::Wednesday),
    ("thurs", Weekday::Thursday),
    ("thur", Weekday::Thursday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

const SEASONS: [(&str, Season); 5] = [
    ("spring", Season::Spring),
    ("summer", Season::Summer),
    ("autumn", Season::Fall),
    ("fall", Season::Fall),
    ("winter", Season::Winter),
];

const QUARTERS: [(&str, Named); 6] = [
    ("q1", Named::Quarter(1)),
    ("q2", Named::Quarter(2)),
    ("q3", Named::Quarter(3)),
    ("q4", Named::Quarter(4)),
    ("h1", Named::Half(1)),
    ("h2", Named::Half(2)),
];

const DECADES: [(&str, i16); 8] = [
    ("twenties", 20),
    ("thirties", 30),
    ("forties", 40),
    ("fifties", 50),
    ("sixties", 60),
    ("seventies", 70),
    ("eighties", 80),
    ("nineties", 90),
];

const HOLIDAY_PARTS: [(&str, Part); 7] = [
    ("weekend", Part::Weekend),
    ("break", Part::Season),
    ("holidays", Part::Season),
    ("vacation", Part::Season),
    ("season", Part::Season),
    ("time", Part::Season),
    ("week", Part::Season),
];

/// Whether the word names a month in full or short.
pub(super) fn is_month(word: &str) -> bool {
    MONTHS.contains(&word) || SHORT_MONTHS.iter().any(|(short, _)| *short == word)
}

/// A weekday by its full name.
pub(super) fn weekday(c: Cursor<'_>) -> Read<'_, Weekday> {
    c.at_one_of(WEEKDAY)?.pick(&WEEKDAYS)
}

/// A weekday by its full or short name; a dot after the short one belongs to it.
pub(super) fn any_weekday(c: Cursor<'_>) -> Read<'_, Weekday> {
    let c = c.at_one_of(WEEKDAY)?;
    weekday(c).or_else(|| {
        let (weekday, after) = c.pick(&SHORT_WEEKDAYS)?;
        let dotted = after.mark('.').filter(|end| !end.at_break() && !end.is_glued());
        Some((weekday, dotted.unwrap_or(after)))
    })
}

/// A season by name.
pub(super) fn season(c: Cursor<'_>) -> Read<'_, Season> {
    c.at_one_of(SEASON)?.pick(&SEASONS).filter(|(_, after)| !compounds(*after))
}

/// A month by its full name.
pub(super) fn full_month(c: Cursor<'_>) -> Read<'_, i8> {
    let c = c.at_one_of(MONTH)?;
    let at = MONTHS.iter().position(|month| Some(*month) == c.text())?;
    Some((i8::try_from(at).ok()? + 1, c.step())).filter(|(_, after)| !compounds(*after))
}

/// A month by its full or short name; a dot after the short one belongs to it.
fn any_month(c: Cursor<'_>) -> Read<'_, i8> {
    let c = c.at_one_of(MONTH)?;
    full_month(c).or_else(|| {
        let (month, after) = c.pick(&SHORT_MONTHS)?;
        Some((month, after.mark('.').unwrap_or(after)))
    })
}

/// A date in figures.
pub(super) fn figures<'t>(c: Cursor<'t>, _: &Context<'_>) -> Read<'t, DayPhrase> {
    let Some(Kind::Date(written)) = c.kind() else { return None };
    let phrase = match (written.year, written.day) {
        (Some(year), Some(day)) => {
            let sense = Sense::written(Days::one(Date::new(year, written.month, day).ok()?)?);
            DayPhrase::settled(if written.sure { sense } else { sense.unsure() })
        }
        (Some(year), None) => DayPhrase::settled(Sense::written(Days::month(year, written.month)?)),
        (None, day) => DayPhrase::recurring(Named::Date(written.month, day?)),
    };
    Some((phrase, c.step()))
}

/// `Monday, May 8th, 2023`, `May 8`, `the 8th of May 2023`, `May 2023`, `May`.
pub(super) fn date<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    if let Some((_, after)) = any_weekday(c)
        && let Some(read) = month_and_day(after.comma().maybe(&["the"]), context)
    {
        return Some(read);
    }
    month_and_day(c, context).or_else(|| month_alone(c, context)).or_else(|| weekday_and_day(c))
}

fn month_and_day<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let (month, day, after) = month_first(c).or_else(|| day_first(c))?;
    let tied = year_number(after.hyphen());
    let Some((year, end)) = tied.or_else(|| year_after(after, context)) else {
        Date::new(2000, month, day).ok()?;
        return Some((DayPhrase::recurring(Named::Date(month, day)).strong(), after));
    };
    let days = Days::one(Date::new(year, month, day).ok()?)?;
    Some((DayPhrase::settled(Sense::written(days)), end))
}

/// `May 8`, `May the 8th`, `May-8`. A bare number after "may" or "march" must end the phrase.
fn month_first(c: Cursor<'_>) -> Option<(i8, i8, Cursor<'_>)> {
    let (month, after) = any_month(c)?;
    let after = after.hyphen().maybe(&["the"]);
    let (day, end) = day_number(after)?;
    let verb = matches!(c.text(), Some("may" | "march" | "mar"));
    let bare = matches!(after.kind(), Some(Kind::Number(_)));
    let ends = closes(end)
        || matches!(end.kind(), Some(Kind::Number(_) | Kind::ShortYear(_) | Kind::Mark('-')));
    (!(measures(end) || verb && bare && !ends)).then_some((month, day, end))
}

/// `8 May`, `the 8th of May`, `8-May`. After a bare number, "may" and "march" are months with a
/// capital, a year or "on" only: "the 5 may come".
fn day_first(c: Cursor<'_>) -> Option<(i8, i8, Cursor<'_>)> {
    let (day, after) = day_number(c.maybe(&["the"]))?;
    let tied = after.hyphen();
    let named = tied.maybe(&["of"]);
    let (month, end) = any_month(named)?;
    let verb = matches!(named.text(), Some("may" | "march" | "mar"));
    let clear = named.position() > after.position()
        || matches!(after.back(1)?.kind, Kind::Nth(_))
        || named.peek()?.capital && matches!(after.back(1)?.kind, Kind::Number(_))
        || year_number(end.comma()).is_some()
        || c.previous().is_some_and(|before| before.text == "on");
    (!verb || clear).then_some((month, day, end))
}

/// `May 2023`, `May of last year`, `May`.
fn month_alone<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    if let Some((month, after)) = any_month(c)
        && let Some((year, end)) = year_after(after.hyphen(), context)
    {
        return Some((DayPhrase::settled(Sense::written(Days::month(year, month)?)), end));
    }
    let (month, after) = full_month(c)?;
    Some((DayPhrase::recurring(Named::Month(month)), after))
}

/// `Friday the 13th`.
fn weekday_and_day(c: Cursor<'_>) -> Read<'_, DayPhrase> {
    let (weekday, after) = weekday(c)?;
    let (day, end) = day_number(after.comma().word("the")?)?;
    closes(end).then_some((DayPhrase::recurring(Named::WeekdayNth(weekday, day)).strong(), end))
}

/// `the 3rd`: in figures, or in a word above ten; "the second" is more often something else.
pub(super) fn day_of_month<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let after = c.word("the")?;
    let (day, end) = day_number(after)?;
    let clear = matches!(after.kind(), Some(Kind::Nth(_))) || day > 10;
    if !clear || matches!(after.kind(), Some(Kind::Number(_))) {
        return None;
    }
    if let Some((month, end)) =
        end.word("of").and_then(|of| super::last_next::month_by_turn(of, context))
    {
        let first = month.days.first;
        let day = Date::new(first.year(), first.month(), day).ok()?;
        return Some((DayPhrase::settled(Sense::counted(Days::one(day)?)), end));
    }
    closes(end).then_some((DayPhrase::recurring(Named::Monthly(day)), end))
}

/// A day of the month, in figures or words.
pub(super) fn day_number(c: Cursor<'_>) -> Read<'_, i8> {
    let (number, after) = match c.kind()? {
        Kind::Number(number) => (number, c.step()),
        _ => ordinal(c)?,
    };
    let day = i8::try_from(number).ok().filter(|day| (1..=31).contains(day))?;
    Some((day, after))
}

/// The year that a date, month or season is followed by.
pub(super) fn year_after<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, i16> {
    let c = if matches!(c.step().kind(), Some(Kind::Number(_))) { c.comma() } else { c };
    let c = c.maybe(&["of", "in"]);
    if let Some(read) = year_number(c) {
        return Some(read);
    }
    if let Some(Kind::ShortYear(year)) = c.kind() {
        return Some((if year < 70 { 2000 + year } else { 1900 + year }, c.step()));
    }
    let turns =
        [("last year", -1), ("this year", 0), ("next year", 1), ("the year before last", -2)];
    let (turn, after) = c.pick(&turns)?;
    Some((context.today.year() + turn, after))
}

/// A year of four figures, 1900 to 2099.
pub(super) fn year_number(c: Cursor<'_>) -> Read<'_, i16> {
    let Some(Kind::Number(number @ 1900..=2099)) = c.kind() else { return None };
    let four = c.peek()?.text.len() == 4;
    (four && !measures(c.step())).then_some((i16::try_from(number).ok()?, c.step()))
}

/// `2022`, `the year 2022`.
pub(super) fn year<'t>(c: Cursor<'t>, _: &Context<'_>) -> Read<'t, DayPhrase> {
    let said = c.one_of(&["the year of", "the year", "year"]);
    let (year, after) = year_number(said.unwrap_or(c))?;
    let phrase = DayPhrase::settled(Sense::written(Days::year(year)?));
    Some((if said.is_some() { phrase } else { phrase.weak() }, after))
}

/// `summer 2022`, `the summer of last year`, `summer`.
pub(super) fn season_of<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let (season, after) = season(c.maybe(&["the"]))?;
    let Some((year, end)) = year_after(after, context) else {
        return Some((DayPhrase::recurring(Named::Season(season)), after));
    };
    let sense = Sense::written(season.of(year)?);
    let before = if season == Season::Winter { 334 } else { 21 };
    Some((DayPhrase::settled(sense.within(before, 21)), end))
}

/// `Q3`, `Q3 2022`, `2022 Q3`, `the third quarter of 2022`, `H1 2021`.
pub(super) fn quarter<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    if let Some((year, after)) = year_number(c) {
        let (quarter, end) = after.pick(&QUARTERS)?;
        return Some((DayPhrase::settled(Sense::written(quarter.in_year(year)?)), end));
    }
    let spelled = quarter_in_words(c);
    let (quarter, after) = spelled.or_else(|| c.pick(&QUARTERS))?;
    if let Some((year, end)) = year_after(after, context) {
        return Some((DayPhrase::settled(Sense::written(quarter.in_year(year)?)), end));
    }
    let phrase = DayPhrase::recurring(quarter);
    let clear = matches!(quarter, Named::Quarter(_)) && c.peek()?.capital;
    (spelled.is_none() && after.mark(':').is_none() && after.mark('&').is_none())
        .then_some((if clear { phrase.strong() } else { phrase }, after))
}

fn quarter_in_words(c: Cursor<'_>) -> Read<'_, Named> {
    let (nth, after) = ordinal(c.maybe(&["the"])).filter(|(nth, _)| (1..=4).contains(nth))?;
    Some((Named::Quarter(i8::try_from(nth).ok()?), after.word("quarter")?))
}

/// `the 90s`, `the 1990s`, `the nineties`.
pub(super) fn decade<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let after = c.maybe(&["the"]);
    let (number, end) = match after.kind()? {
        Kind::Decade(number) => (number, after.step()),
        _ => after.pick(&DECADES)?,
    };
    let short = number < 100;
    let year = if short { latest_decade(number, context.today.year()) } else { number };
    let days = Days::years(year, 10).filter(|_| (1000..2100).contains(&year))?;
    let sense = Sense::written(days).within(366, 366);
    let spelled = matches!(after.kind(), Some(Kind::Word));
    let phrase = DayPhrase::settled(if short { sense.unsure() } else { sense }).weak();
    (after.position() > c.position() || !spelled).then_some((phrase, end))
}

fn latest_decade(number: i16, this_year: i16) -> i16 {
    let century = this_year - this_year.rem_euclid(100);
    if century + number <= this_year { century + number } else { century - 100 + number }
}

/// `Christmas`, `Christmas 2022`, `Labor Day weekend`, `the Christmas break last year`.
pub(super) fn holiday<'t>(c: Cursor<'t>, context: &Context<'_>) -> Read<'t, DayPhrase> {
    let (holiday, after) = holiday_at(c).or_else(|| holiday_at(c.word("the")?))?;
    let named = Named::Holiday(holiday);
    let (part, after) = match after.pick(&HOLIDAY_PARTS) {
        Some((part, end)) => (Some(part), end),
        None => (None, after),
    };
    if compounds(after) {
        return None;
    }
    let Some((year, end)) = year_after(after, context) else {
        return Some((
            DayPhrase { what: DayPhraseKind::Recurring(named, part), weak: true },
            after,
        ));
    };
    let whole = named.in_year(year)?;
    let days = part.map_or(Some(whole), |part| part.cut(whole))?;
    Some((DayPhrase::settled(Sense::written(days).within(1, 1)), end))
}

/// Words for months.
pub(super) fn month_words() -> Vec<&'static str> {
    MONTHS.into_iter().chain(SHORT_MONTHS.map(|(word, _)| word)).collect()
}

/// Words for weekdays.
pub(super) fn weekday_words() -> Vec<&'static str> {
    WEEKDAYS.map(|(word, _)| word).into_iter().chain(SHORT_WEEKDAYS.map(|(word, _)| word)).collect()
}

/// Words for seasons.
pub(super) fn season_words() -> Vec<&'static str> {
    SEASONS.map(|(word, _)| word).to_vec()
}

/// Words for quarters and halves of a year.
pub(super) fn quarter_words() -> Vec<&'static str> {
    QUARTERS.map(|(word, _)| word).to_vec()
}

/// Words for decades.
pub(super) fn decade_words() -> Vec<&'static str> {
    DECADES.map(|(word, _)| word).to_vec()
}
