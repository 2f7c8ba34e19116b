"""Calendar arithmetic for the phrase suites, on Python's `datetime` alone.

Nothing here asks the reader under test. A meaning is a pair of wall-clock times, the second one excluded; `None` is
an open end. The conventions are those stated in crates/everwhen-time/phrases/README.md.
"""

from datetime import date, datetime, time, timedelta

WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December"]
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
PARTS = {"morning": (0, 12), "early morning": (0, 8), "lunchtime": (11, 14), "afternoon": (12, 18),
         "early afternoon": (12, 15), "late afternoon": (15, 18), "evening": (17, 24), "night": (18, 30),
         "late night": (22, 28), "dawn": (4, 8)}
DAY = timedelta(days=1)


def days(count):
    return timedelta(days=count)


def add_months(day, count):
    """The same day of another month, or the last one of a shorter month."""
    index = day.year * 12 + day.month - 1 + count
    year, month = divmod(index, 12)
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month + 1, min(day.day, last))
        except ValueError:
            continue
    raise ValueError(day)


def month(year, number, length=1):
    first = date(year, number, 1)
    return first, add_months(first, length)


def year(number, length=1):
    return date(number, 1, 1), date(number + length, 1, 1)


def one(day):
    return day, day + DAY


def monday(day):
    return day - days(day.weekday())


def week(day, turn=0, length=1):
    first = monday(day) + days(7 * turn)
    return first, first + days(7 * length)


def weekend(day, turn=0):
    saturday = monday(day) + days(5 + 7 * turn)
    return saturday, saturday + days(2)


def easter(number):
    """Easter Sunday by Gauss's rule with its two exceptions (another rule than the reader's)."""
    a, b, c = number % 19, number % 4, number % 7
    k = number // 100
    p = (13 + 8 * k) // 25
    m, n = (15 - p + k - k // 4) % 30, (4 + k - k // 4) % 7
    d = (19 * a + m) % 30
    e = (2 * b + 4 * c + 6 * d + n) % 7
    day = 22 + d + e
    if d == 29 and e == 6:
        return date(number, 4, 19)
    if d == 28 and e == 6 and (11 * m + 11) % 30 < 19:
        return date(number, 4, 18)
    return date(number, 3, 1) + days(day - 1)


def nth_weekday(number, month_number, nth, weekday):
    if nth < 0:
        last = month(number, month_number)[1] - DAY
        return last - days((last.weekday() - weekday) % 7)
    first = date(number, month_number, 1)
    return first + days((weekday - first.weekday()) % 7 + 7 * (nth - 1))


HOLIDAYS = {
    "Christmas": lambda y: date(y, 12, 25), "Christmas Eve": lambda y: date(y, 12, 24),
    "Boxing Day": lambda y: date(y, 12, 26), "New Year's Eve": lambda y: date(y, 12, 31),
    "New Year's Day": lambda y: date(y, 1, 1), "Valentine's Day": lambda y: date(y, 2, 14),
    "Halloween": lambda y: date(y, 10, 31), "Easter": easter, "Good Friday": lambda y: easter(y) - days(2),
    "Easter Monday": lambda y: easter(y) + DAY, "Thanksgiving": lambda y: nth_weekday(y, 11, 4, 3),
    "Labor Day": lambda y: nth_weekday(y, 9, 1, 0), "Memorial Day": lambda y: nth_weekday(y, 5, -1, 0),
    "Mother's Day": lambda y: nth_weekday(y, 5, 2, 6), "Father's Day": lambda y: nth_weekday(y, 6, 3, 6),
    "Black Friday": lambda y: nth_weekday(y, 11, 4, 3) + DAY, "Independence Day": lambda y: date(y, 7, 4),
    "St Patrick's Day": lambda y: date(y, 3, 17), "Ash Wednesday": lambda y: easter(y) - days(46),
}


def latest(candidates, today):
    """Of periods, the latest that has begun by today."""
    return max(period for period in candidates if period[0] <= today)


def at(day, hour, minute=0):
    return datetime.combine(day, time()) + timedelta(hours=hour, minutes=minute)


class Asked:
    """The moment of a question; every method is one meaning of a phrase."""

    def __init__(self, wall):
        self.now = wall
        self.today = wall.date()

    def day(self, turn):
        return one(self.today + days(turn))

    def ago(self, count, unit):
        today = self.today
        if unit == "day":
            return one(today - days(count))
        if unit == "week":
            return today - days(7 * count + 3), today - days(7 * count - 4)
        if unit == "month":
            past = add_months(today, -count)
            return month(past.year, past.month)
        if unit == "year":
            return year(today.year - count)
        length = timedelta(hours=count) if unit == "hour" else timedelta(minutes=count)
        slack = timedelta(minutes=30 if unit == "hour" else max(count // 10, 1))
        return self.now - length - slack, self.now - length + slack

    def ahead(self, count, unit):
        return self.ago(-count, unit)

    def ago_between(self, low, high, unit):
        return self.ago(high, unit)[0], self.ago(low, unit)[1]

    def exactly_ago(self, count, unit):
        return one({"day": self.today - days(count), "week": self.today - days(7 * count),
                    "month": add_months(self.today, -count), "year": add_months(self.today, -12 * count)}[unit])

    def turn(self, turn, unit):
        today = self.today
        if unit == "week":
            return week(today, turn)
        if unit == "weekend":
            begun = {-1: [w for w in (weekend(today, t) for t in (-2, -1, 0)) if w[1] <= today],
                     1: [w for w in (weekend(today, t) for t in (2, 1, 0)) if w[0] > today]}
            return begun[turn][-1] if turn else weekend(today)
        if unit == "month":
            other = add_months(today.replace(day=1), turn)
            return month(other.year, other.month)
        if unit == "quarter":
            first = add_months(date(today.year, (today.month - 1) // 3 * 3 + 1, 1), 3 * turn)
            return month(first.year, first.month, 3)
        if unit == "decade":
            return year(today.year // 10 * 10 + 10 * turn, 10)
        return year(today.year + turn)

    def weekday(self, name, which="bare"):
        number = WEEKDAYS.index(name)
        today = self.today
        back = (today.weekday() - number) % 7
        if which == "bare":
            return one(today - days(back))
        if which == "last":
            return one(today - days(back or 7))
        if which == "next":
            return one(today + days((number - today.weekday() - 1) % 7 + 1))
        if which == "this":
            return one(monday(today) + days(number))
        return one(monday(today) + days(number + 7 * which))

    def month_named(self, name):
        number = MONTHS.index(name) + 1
        return latest([month(self.today.year - back, number) for back in (0, 1)], self.today)

    def month_turn(self, name, turn):
        number = MONTHS.index(name) + 1
        all_of_them = [month(self.today.year + t, number) for t in (-2, -1, 0, 1, 2)]
        if turn < 0:
            return [m for m in all_of_them if m[1] <= self.today][-1]
        return [m for m in all_of_them if m[0] > self.today][0]

    def date(self, number, day_number):
        known = []
        for back in range(0, 9):
            try:
                known.append(one(date(self.today.year - back, number, day_number)))
            except ValueError:
                continue
        return latest(known, self.today)

    def season(self, name, year_number=None):
        first = SEASONS[name]
        if year_number is not None:
            return month(year_number, first, 3)
        return latest([month(self.today.year - back, first, 3) for back in (0, 1)], self.today)

    def season_turn(self, name, turn):
        all_of_them = [month(self.today.year + t, SEASONS[name], 3) for t in (-2, -1, 0, 1)]
        if turn < 0:
            return [s for s in all_of_them if s[1] <= self.today][-1]
        return [s for s in all_of_them if s[0] > self.today][0]

    def holiday(self, name, year_number=None):
        rule = HOLIDAYS[name]
        if year_number is not None:
            return one(rule(year_number))
        return latest([one(rule(self.today.year - back)) for back in (0, 1)], self.today)

    def holiday_turn(self, name, turn):
        all_of_them = [one(HOLIDAYS[name](self.today.year + t)) for t in (-2, -1, 0, 1, 2)]
        if turn < 0:
            return [h for h in all_of_them if h[1] <= self.today][-1]
        return [h for h in all_of_them if h[0] > self.today][0]

    def past(self, count, unit):
        """The period of this many units that ends with today."""
        start = {"day": self.today - days(count), "week": self.today - days(7 * count),
                 "month": add_months(self.today, -count), "year": add_months(self.today, -12 * count)}
        return start[unit], self.today + DAY

    def coming(self, count, unit):
        end = {"day": self.today + days(count), "week": self.today + days(7 * count),
               "month": add_months(self.today, count), "year": add_months(self.today, 12 * count)}
        return self.today, end[unit] + DAY

    def part(self, period, name):
        first, last = PARTS[name]
        return at(period[0], first), at(period[0], last)

    def clock(self, period, hour, minute=None):
        start = at(period[0], hour, minute or 0)
        return start, start + (timedelta(hours=1) if minute is None else timedelta(minutes=1))

    def since(self, period):
        return period[0], self.today + DAY

    def until(self, period):
        is_day = period[1] - period[0] == DAY
        return None, period[1] if is_day else period[0]


def before(period):
    return None, period[0]


def after(period):
    return period[1], None


def joined(first, last):
    return first[0], last[1]


def third(period, name):
    """Early, mid and late: a month is cut after its 10th and 20th day, a year after April and August."""
    first, end = period
    if (end - first).days >= 365:
        marks = [first, add_months(first, 4), add_months(first, 8), end]
    else:
        marks = [first, first + days(10), first + days(20), end]
    place = ["early", "mid", "late"].index(name)
    return marks[place], marks[place + 1]


def half(period, second):
    first, end = period
    middle = add_months(first, 6) if (end - first).days >= 365 else first + days(15)
    return (middle, end) if second else (first, middle)


def show(end):
    if end is None:
        return ".."
    if isinstance(end, datetime):
        return end.strftime("%Y-%m-%d") if end.time() == time() else end.strftime("%Y-%m-%dT%H:%M")
    return end.isoformat()
