//! Parts of a longer stretch: early, mid and late, the halves, the weekend of a holiday.

use super::days::{Days, between};
use super::units::Span;
use super::{Date, Precision};

/// A part of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Early,
    Mid,
    Late,
    FirstHalf,
    SecondHalf,
    /// The holiday and the weekend nearest to it.
    Weekend,
    /// The days off around a holiday.
    Season,
}

impl Part {
    /// The part of these days. A year is cut at months (early is January to April), a month after
    /// the 10th and the 20th, a decade after its fourth and seventh year, anything else in equal
    /// parts.
    pub(super) fn cut(self, days: Days) -> Option<Days> {
        match self {
            Self::Weekend => long_weekend(days),
            Self::Season => days.widened(1, 7),
            _ => {
                let (from, to) = self.marks(days)?;
                Days::run(from, to, finer(days))
            }
        }
    }

    fn marks(self, days: Days) -> Option<(Date, Date)> {
        let [third, two_thirds, half] = cuts(days)?;
        Some(match self {
            Self::Early => (days.first, third),
            Self::Mid => (third, two_thirds),
            Self::Late => (two_thirds, days.end),
            Self::FirstHalf => (days.first, half),
            _ => (half, days.end),
        })
    }
}

/// Where early, mid and the first half end.
fn cuts(days: Days) -> Option<[Date; 3]> {
    let (span, marks) = match days.length() {
        3650.. => (Span::YEAR, [4, 7, 5]),
        365.. => (Span::MONTH, [4, 8, 6]),
        28..=31 => (Span::DAY, [10, 20, 15]),
        length => (Span::DAY, [length / 3, length - length / 3, length / 2]),
    };
    let [a, b, c] = marks.map(|mark| span.moved(days.first, mark));
    Some([a?, b?, c?])
}

fn finer(days: Days) -> Precision {
    match days.length() {
        3650.. => Precision::Year,
        365.. => Precision::Month,
        _ => Precision::Day,
    }
}

/// The holiday together with the Saturday and Sunday nearest to it.
fn long_weekend(days: Days) -> Option<Days> {
    let this = Days::weekend(days.first)?;
    let before = this.widened(7, -7)?;
    let gap = between(days.first, this.first).max(0);
    let nearest = if between(before.last(), days.first).abs() < gap { before } else { this };
    Some(nearest.hull(days))
}
