"""The English phrases with their meanings: what is said, and what it means when asked at a moment."""

from datetime import date

from almanac import (HOLIDAYS, MONTHS, SEASONS, WEEKDAYS, after, before, half, joined, month, nth_weekday, one, third,
                     week, weekend, year, add_months, days, latest)

NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
           "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]
ORDINALS = ["", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
            "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
            "nineteenth", "twentieth"]


def suffixed(number):
    if 10 < number % 100 < 14:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def near_days():
    yield "today", lambda q: q.day(0)
    yield "yesterday", lambda q: q.day(-1)
    yield "tomorrow", lambda q: q.day(1)
    yield "the day before yesterday", lambda q: q.day(-2)
    yield "the day after tomorrow", lambda q: q.day(2)
    for count in [1, 2, 3, 4, 6, 9, 11, 17, 25, 30, 45, 60, 75, 100, 250, 400]:
        unit = "day" if count == 1 else "days"
        yield f"{count} {unit} ago", lambda q, n=count: q.ago(n, "day")
    for count in [2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 19]:
        yield f"{NUMBERS[count]} days ago", lambda q, n=count: q.ago(n, "day")
        yield f"{NUMBERS[count]} nights ago", lambda q, n=count: q.ago(n, "day")
    for count in [2, 3, 5, 8]:
        yield f"{NUMBERS[count]} days back", lambda q, n=count: q.ago(n, "day")
        yield f"{count} days from now", lambda q, n=count: q.ahead(n, "day")
        yield f"{NUMBERS[count]} days from today", lambda q, n=count: q.ahead(n, "day")
    yield "twenty-three days ago", lambda q: q.ago(23, "day")
    yield "forty two days ago", lambda q: q.ago(42, "day")
    yield "a hundred and ten days ago", lambda q: q.ago(110, "day")


def counted():
    for unit, counts in {"week": range(2, 13), "month": range(2, 15), "year": range(2, 13)}.items():
        article = f"a {unit} ago"
        yield article, lambda q, u=unit: q.ago(1, u)
        yield f"one {unit} ago", lambda q, u=unit: q.ago(1, u)
        for count in counts:
            yield f"{NUMBERS[count]} {unit}s ago", lambda q, n=count, u=unit: q.ago(n, u)
            yield f"{count} {unit}s ago", lambda q, n=count, u=unit: q.ago(n, u)
        for count in (2, 3, 4):
            yield f"exactly {NUMBERS[count]} {unit}s ago", lambda q, n=count, u=unit: q.exactly_ago(n, u)
            yield f"{NUMBERS[count]} {unit}s ago today", lambda q, n=count, u=unit: q.exactly_ago(n, u)
            yield f"{NUMBERS[count]} {unit}s from now", lambda q, n=count, u=unit: q.ahead(n, u)
            yield f"in {NUMBERS[count]} {unit}s' time", lambda q, n=count, u=unit: q.ahead(n, u)
        yield f"a couple of {unit}s ago", lambda q, u=unit: q.ago_between(2, 3, u)
        yield f"a few {unit}s ago", lambda q, u=unit: q.ago_between(2, 5, u)
        yield f"several {unit}s ago", lambda q, u=unit: q.ago_between(3, 8, u)
        yield f"two or three {unit}s ago", lambda q, u=unit: q.ago_between(2, 3, u)
        yield f"3 to 4 {unit}s ago", lambda q, u=unit: q.ago_between(3, 4, u)
        yield f"four or five {unit}s ago", lambda q, u=unit: q.ago_between(4, 5, u)
    yield "a couple of days ago", lambda q: q.ago_between(2, 3, "day")
    yield "a few days ago", lambda q: q.ago_between(2, 5, "day")
    yield "several days ago", lambda q: q.ago_between(3, 8, "day")
    yield "two or three days ago", lambda q: q.ago_between(2, 3, "day")
    yield "a fortnight ago", lambda q: q.ago(2, "week")
    yield "half a dozen weeks ago", lambda q: q.ago(6, "week")
    yield "a dozen years ago", lambda q: q.ago(12, "year")
    for count in (2, 3, 4, 5, 6, 7, 8, 10, 12):
        yield f"{NUMBERS[count]} hours ago", lambda q, n=count: q.ago(n, "hour")
    for count in (5, 10, 15, 20, 25, 40, 45, 50, 90):
        yield f"{count} minutes ago", lambda q, n=count: q.ago(n, "minute")
    yield "an hour ago", lambda q: q.ago(1, "hour")


def turns():
    words = {-1: ["last", "the previous"], 0: ["this"], 1: ["next"]}
    for turn, ways in words.items():
        for unit in ["week", "month", "year", "quarter", "decade", "weekend"]:
            for way in ways[:1] if unit in ("weekend",) else ways[:1]:
                yield f"{way} {unit}", lambda q, t=turn, u=unit: q.turn(t, u)
    for name in WEEKDAYS:
        for which in ("last", "next", "this"):
            yield f"{which} {name}", lambda q, w=name, k=which: q.weekday(w, k)
        yield f"on {name}", lambda q, w=name: q.weekday(w)
        yield f"this past {name}", lambda q, w=name: q.weekday(w, "last")
        yield f"this coming {name}", lambda q, w=name: q.weekday(w, "next")
        yield f"{name} last week", lambda q, w=name: q.weekday(w, -1)
        yield f"{name} of last week", lambda q, w=name: q.weekday(w, -1)
        yield f"last week on {name}", lambda q, w=name: q.weekday(w, -1)
        yield f"{name} next week", lambda q, w=name: q.weekday(w, 1)
        yield f"{name} of this week", lambda q, w=name: q.weekday(w, 0)
        yield (f"the {name} before last",
               lambda q, w=name: one(q.weekday(w, "last")[0] - days(7)))
        yield f"two {name}s ago", lambda q, w=name: one(q.weekday(w, "last")[0] - days(7))
        yield f"three {name}s ago", lambda q, w=name: one(q.weekday(w, "last")[0] - days(14))
        yield f"a week from {name}", lambda q, w=name: one(q.weekday(w, "next")[0] + days(7))
    yield "the week before last", lambda q: week(q.today, -2)
    yield "the month before last", lambda q: q.turn(-2, "month")
    yield "the year before last", lambda q: q.turn(-2, "year")
    yield "the quarter before last", lambda q: q.turn(-2, "quarter")
    for name in MONTHS:
        yield f"in {name}", lambda q, m=name: q.month_named(m)
        yield f"last {name}", lambda q, m=name: q.month_turn(m, -1)
        yield f"next {name}", lambda q, m=name: q.month_turn(m, 1)
        yield f"in {name} last year", lambda q, m=name: month(q.today.year - 1, MONTHS.index(m) + 1)
        yield f"in {name} of this year", lambda q, m=name: month(q.today.year, MONTHS.index(m) + 1)
        yield f"last year in {name}", lambda q, m=name: month(q.today.year - 1, MONTHS.index(m) + 1)
    for name in SEASONS:
        yield f"last {name}", lambda q, s=name: q.season_turn(s, -1)
        yield f"next {name}", lambda q, s=name: q.season_turn(s, 1)
        yield f"in the {name}", lambda q, s=name: q.season(s)
        yield f"in the {name} of last year", lambda q, s=name: q.season(s, q.today.year - 1)


def written():
    for index, name in enumerate(MONTHS):
        number, day, other = index + 1, (index * 7) % 27 + 1, (index * 5) % 26 + 3
        year_number = 2016 + index % 9
        yield f"on {name} {day}", lambda q, m=number, d=day: q.date(m, d)
        yield f"on {name} {suffixed(other)}", lambda q, m=number, d=other: q.date(m, d)
        yield f"on the {suffixed(day)} of {name}", lambda q, m=number, d=day: q.date(m, d)
        yield f"on {name} {day}, {year_number}", lambda q, y=year_number, m=number, d=day: one(date(y, m, d))
        yield f"on {other} {name} {year_number}", lambda q, y=year_number, m=number, d=other: one(date(y, m, d))
        yield (f"on the {suffixed(other)} of {name}, {year_number}",
               lambda q, y=year_number, m=number, d=other: one(date(y, m, d)))
        yield f"on {name[:3]} {other}, {year_number}", lambda q, y=year_number, m=number, d=other: one(date(y, m, d))
        yield f"on {year_number}-{number:02}-{other:02}", lambda q, y=year_number, m=number, d=other: one(date(y, m, d))
        yield f"on {other}.{number}.{year_number}", lambda q, y=year_number, m=number, d=other: one(date(y, m, d))
        yield f"on {number}/{day + 13 if day < 14 else day}/{year_number}", (
            lambda q, y=year_number, m=number, d=(day + 13 if day < 14 else day): one(date(y, m, d)))
        yield f"in {name} {year_number}", lambda q, y=year_number, m=number: month(y, m)
        yield f"in {name} of {year_number + 1}", lambda q, y=year_number + 1, m=number: month(y, m)
        yield f"in early {name}", lambda q, m=name: third(q.month_named(m), "early")
        yield f"in mid-{name}", lambda q, m=number: latest(
            [third(month(q.today.year - back, m), "mid") for back in (0, 1)], q.today)
        yield f"in late {name} {year_number}", lambda q, y=year_number, m=number: third(month(y, m), "late")
        yield (f"on the {ORDINALS[index + 1]} of {name}", lambda q, m=number, d=number: q.date(m, d))
    for number in range(2011, 2027):
        yield f"in the year {number}", lambda q, y=number: year(y)
    for number in (2013, 2017, 2019, 2021):
        yield f"in early {number}", lambda q, y=number: third(year(y), "early")
        yield f"in mid-{number}", lambda q, y=number: third(year(y), "mid")
        yield f"in late {number}", lambda q, y=number: third(year(y), "late")
        yield f"in the first half of {number}", lambda q, y=number: half(year(y), False)
        yield f"in the second half of {number}", lambda q, y=number: half(year(y), True)
        yield f"throughout {number}", lambda q, y=number: year(y)
        for quarter in (1, 2, 3, 4):
            yield f"in Q{quarter} {number}", lambda q, y=number, k=quarter: month(y, 3 * k - 2, 3)
            yield (f"in the {ORDINALS[quarter]} quarter of {number}",
                   lambda q, y=number, k=quarter: month(y, 3 * k - 2, 3))
        for name in SEASONS:
            yield f"in the {name} of {number}", lambda q, y=number, s=name: q.season(s, y)
    for decade in (1950, 1970, 1980, 1990, 2000, 2010):
        yield f"in the {decade}s", lambda q, y=decade: year(y, 10)


def holidays():
    for index, name in enumerate(HOLIDAYS):
        carrier = "at" if name in ("Christmas", "Easter", "Thanksgiving") else "on"
        yield f"{carrier} {name}", lambda q, h=name: q.holiday(h)
        yield f"last {name}", lambda q, h=name: q.holiday_turn(h, -1)
        yield f"next {name}", lambda q, h=name: q.holiday_turn(h, 1)
        yield f"{carrier} {name} {2014 + index % 9}", lambda q, h=name, y=2014 + index % 9: q.holiday(h, y)
        yield f"{carrier} {name} last year", lambda q, h=name: q.holiday(h, q.today.year - 1)
        yield f"the day after {name}", lambda q, h=name: one(q.holiday(h)[1])
        yield f"the day before {name}", lambda q, h=name: one(q.holiday(h)[0] - days(1))
        yield f"since {name}", lambda q, h=name: q.since(q.holiday(h))


def stretches():
    for unit, counts in {"day": (2, 3, 5, 10), "week": (2, 3, 6), "month": (2, 4, 9), "year": (2, 5, 8)}.items():
        for count in counts:
            yield f"in the last {NUMBERS[count]} {unit}s", lambda q, n=count, u=unit: q.past(n, u)
            yield f"over the past {count} {unit}s", lambda q, n=count, u=unit: q.past(n, u)
            yield f"during the previous {NUMBERS[count]} {unit}s", lambda q, n=count, u=unit: q.past(n, u)
            yield f"over the next {NUMBERS[count]} {unit}s", lambda q, n=count, u=unit: q.coming(n, u)
        if unit != "day":
            yield f"over the past {unit}", lambda q, u=unit: q.past(1, u)
            yield f"in the last {unit}", lambda q, u=unit: q.past(1, u)
    for name in WEEKDAYS:
        yield f"since {name}", lambda q, w=name: q.since(q.weekday(w))
        yield f"since last {name}", lambda q, w=name: q.since(q.weekday(w, "last"))
    for index, name in enumerate(MONTHS):
        other = MONTHS[(index + 2) % 12]
        number = index % 8 + 2015
        yield f"since {name}", lambda q, m=name: q.since(q.month_named(m))
        yield f"since {name} {number}", lambda q, m=index + 1, y=number: q.since(month(y, m))
        yield f"until {name} {number}", lambda q, m=index + 1, y=number: q.until(month(y, m))
        yield f"before {name} {number}", lambda q, m=index + 1, y=number: before(month(y, m))
        yield f"after {name} {number}", lambda q, m=index + 1, y=number: after(month(y, m))
        yield f"before {name} {index + 3}, {number}", lambda q, m=index + 1, y=number, d=index + 3: before(
            one(date(y, m, d)))
        yield f"after {index + 5} {name} {number}", lambda q, m=index + 1, y=number, d=index + 5: after(
            one(date(y, m, d)))
        yield f"until {index + 7} {name} {number}", lambda q, m=index + 1, y=number, d=index + 7: q.until(
            one(date(y, m, d)))
        if index < 10:
            yield f"between {name} and {other} {number}", lambda q, m=index + 1, y=number: joined(
                month(y, m), month(y, m + 2))
            yield f"from {name} to {other} {number}", lambda q, m=index + 1, y=number: joined(
                month(y, m), month(y, m + 2))
        yield f"from {name} {index + 2} to {name} {index + 9}, {number}", lambda q, m=index + 1, y=number, d=index: (
            date(y, m, d + 2), date(y, m, d + 10))
        yield f"from {index + 3} to {index + 8} {name} {number}", lambda q, m=index + 1, y=number, d=index: (
            date(y, m, d + 3), date(y, m, d + 9))
    for number in (2009, 2014, 2018, 2020):
        yield f"since {number}", lambda q, y=number: q.since(year(y))
        yield f"before {number}", lambda q, y=number: before(year(y))
        yield f"after {number}", lambda q, y=number: after(year(y))
        yield f"until {number}", lambda q, y=number: q.until(year(y))
        yield f"between {number} and {number + 3}", lambda q, y=number: joined(year(y), year(y + 3))
        yield f"from {number} to {number + 2}", lambda q, y=number: joined(year(y), year(y + 2))
    yield "since yesterday", lambda q: q.since(q.day(-1))
    yield "since last week", lambda q: q.since(q.turn(-1, "week"))
    yield "since last month", lambda q: q.since(q.turn(-1, "month"))
    yield "since last year", lambda q: q.since(q.turn(-1, "year"))
    yield "until yesterday", lambda q: q.until(q.day(-1))
    yield "before last week", lambda q: before(q.turn(-1, "week"))
    yield "before last year", lambda q: before(q.turn(-1, "year"))


def beside():
    for index, name in enumerate(MONTHS):
        number, day = 2017 + index % 7, index + 8
        given = date(number, index + 1, day)
        said = f"{day} {name} {number}"
        yield f"the week before {said}", lambda q, d=given: (d - days(7), d)
        yield f"the week after {said}", lambda q, d=given: (d + days(1), d + days(8))
        yield f"the day after {said}", lambda q, d=given: one(d + days(1))
        yield f"three days before {said}", lambda q, d=given: one(d - days(3))
        yield f"ten days after {said}", lambda q, d=given: one(d + days(10))
        yield f"the week of {said}", lambda q, d=given: week(d)
        yield f"the weekend of {said}", lambda q, d=given: weekend(d)
        yield f"the two weeks before {said}", lambda q, d=given: (d - days(14), d)
        yield (f"the {ORDINALS[index % 4 + 1]} {WEEKDAYS[index % 7]} of {name} {number}",
               lambda q, m=index + 1, y=number, n=index % 4 + 1, w=index % 7: one(nth_weekday(y, m, n, w)))
        yield (f"the last {WEEKDAYS[(index + 3) % 7]} of {name} {number}",
               lambda q, m=index + 1, y=number, w=(index + 3) % 7: one(nth_weekday(y, m, -1, w)))
        yield f"the last day of {name} {number}", lambda q, m=index + 1, y=number: one(month(y, m)[1] - days(1))
        yield f"the first week of {name} {number}", lambda q, m=index + 1, y=number: (
            date(y, m, 1), date(y, m, 8))
        yield f"the first ten days of {name} {number}", lambda q, m=index + 1, y=number: (
            date(y, m, 1), date(y, m, 11))
    for day in (3, 9, 14, 22, 27):
        yield f"the {suffixed(day)} of last month", lambda q, d=day: one(add_months(q.today.replace(day=1), -1)
                                                                         .replace(day=d))
        yield f"the {suffixed(day)} of this month", lambda q, d=day: one(q.today.replace(day=d))


def clocks():
    yield "this morning", lambda q: q.part(q.day(0), "morning")
    yield "this afternoon", lambda q: q.part(q.day(0), "afternoon")
    yield "this evening", lambda q: q.part(q.day(0), "evening")
    yield "tonight", lambda q: q.part(q.day(0), "night")
    yield "last night", lambda q: q.part(q.day(-1), "night")
    yield "late last night", lambda q: q.part(q.day(-1), "late night")
    yield "early this morning", lambda q: q.part(q.day(0), "early morning")
    yield "the night before last", lambda q: q.part(q.day(-2), "night")
    for part in ("morning", "afternoon", "evening"):
        yield f"yesterday {part}", lambda q, p=part: q.part(q.day(-1), p)
        yield f"tomorrow {part}", lambda q, p=part: q.part(q.day(1), p)
        for name in WEEKDAYS:
            yield f"on {name} {part}", lambda q, w=name, p=part: q.part(q.weekday(w), p)
            yield f"last {name} {part}", lambda q, w=name, p=part: q.part(q.weekday(w, "last"), p)
    for hour in range(1, 12):
        yield f"yesterday at {hour} pm", lambda q, h=hour: q.clock(q.day(-1), h + 12)
        yield f"at {hour} am yesterday", lambda q, h=hour: q.clock(q.day(-1), h)
        yield f"yesterday at {hour}:{hour * 5:02} am", lambda q, h=hour: q.clock(q.day(-1), h, h * 5)
        yield f"on {MONTHS[hour]} {hour + 3} at {hour}pm", lambda q, h=hour: q.clock(q.date(h + 1, h + 3), h + 12)
        yield f"at {hour + 12}:{hour * 4:02} on {hour + 6} {MONTHS[hour]} 2021", lambda q, h=hour: q.clock(
            one(date(2021, h + 1, h + 6)), h + 12, h * 4)
    yield "yesterday at noon", lambda q: q.clock(q.day(-1), 12)
    yield "at midnight on 4 May 2022", lambda q: q.clock(one(date(2022, 5, 4)), 0)


# What only looks like a time, or leaves the time open: text, and why nothing is read.
REFUSED = """
May I borrow your ladder?|"may" is a verb
You may keep three of them.|"may" is a verb
They march along the canal.|"march" is a verb
He will march ten miles.|"march" is a verb
We live on the second floor.|"second" counts floors
Give me a second hand watch.|"second" is no unit of the calendar
Her last name is Okafor.|"last" counts nothing in time
That was the last straw for him.|an idiom
We left at the last minute.|an idiom
At last the parcel arrived.|an idiom
The rent is $2019 now.|a price
It costs €2020 or so.|a price
Install python 3.12 first.|a version
Upgrade to v2.4.1 please.|a version
Add 1/2 cup of sugar.|a fraction
The shop is open 24/7.|an idiom in figures
The screen is 16:9.|a ratio
She rated it 4/5 stars.|a fraction
Write it in 2000 words.|an amount
We meet every Tuesday.|a habit
I swim on Thursdays.|a habit
The band plays on Friday nights.|a habit
It rains every year in April.|a habit
I run three times a week.|how often, not when
We fried spring rolls.|a dish
He slipped and took a fall.|"fall" is an accident
Their son is at summer camp.|a name
I never liked it in the past.|no bounds
That is all for now.|no bounds
Talk to April about the keys.|a name
June and I painted the shed.|a name
The letter was written by May.|a name or a month
The roof took two weeks.|a length
They stayed for ten days.|a length
He slept for two hours.|a length
It was long ago.|no bounds
Some day I will learn it.|no bounds
One day the pump broke.|no bounds
Once upon a time there was a fox.|no bounds
Three days later the pump broke.|counted from an unknown day
Later that day it snowed.|counted from an unknown day
Two weeks earlier we had moved.|counted from an unknown day
Call me after the meeting.|beside an unknown time
Tell me before you leave.|beside an unknown time
I have known her since we were kids.|beside an unknown time
Wait until then.|beside an unknown time
It was on my birthday.|a day nobody has said
It opened on February 30.|no such day
The file says 2023-02-31.|no such day
The file says 2023-14-02.|no such day
Meet me on May 32nd.|no such day
My number is 555-2019.|a telephone number
See https://example.com/2021/07/04/notes for more.|an address
Room 2018 is on the left.|a number of a room
She is in her early thirties.|an age
When I was in my 20s I sailed.|an age
A 5-year-old could do it.|an age
We took a two-week course.|a length
The night shift is hard.|a kind of work
Good morning to all of you.|a greeting
Take it day by day.|an idiom
At the end of the day it is a job.|an idiom
Between you and me, it leaks.|no time
From here to there is far.|no time
Q&A starts soon.|no quarter
Q1: why is it red?|a numbered question
It is Monday to Friday work.|a habit
What a busy Monday.|a kind of day
We call it Taco Tuesday.|a name
Is it Tuesday or Thursday?|asks for the day
The sun sat high over the bay.|"sun" and "sat" are words
Bring water to the fair.|no time
We played 40000 years of chess.|an amount
It happened 40000 years ago.|outside the calendar
99999999999 days ago|outside the calendar
Chapter 12 was the best.|a number of a chapter
The 1960s camera still works.|a kind of camera
It is a week.|a length
Each month has a theme.|a habit
The paper comes out daily.|a habit
""".strip().splitlines()

FAMILIES = [near_days, counted, turns, written, holidays, stretches, beside, clocks]

# Sentences around the phrases; none is from a data set. `{}` is the phrase.
FRAMES = [
    "{}",
    "What did I note on the boiler {}?",
    "Who rang because of the fence {}?",
    "Did we decide on the tiles {}?",
    "Which paint was delivered {}?",
    "Show me the ferry plans we made {}.",
    "Was the greenhouse mentioned {}?",
    "Where was the tent {}?",
    "How warm was the workshop {}?",
]
