#!/usr/bin/env python3
"""Writes the suites of time phrases into crates/everwhen-time/phrases, one file per language.

The meanings are computed here, on Python's own calendar; the reader under test is never asked.
Usage: tools/phrases/generate.py
"""

import sys
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import compound  # noqa: E402
import english  # noqa: E402
import others  # noqa: E402
from almanac import Asked, show  # noqa: E402

OUT = Path(__file__).resolve().parents[2] / "crates/everwhen-time/phrases"
HEADER = "asked_at\tzone\ttext\tsince\tuntil\tnote\n"
MOMENTS = [
    ("2024-05-15T14:30", "UTC"),
    ("2023-11-03T09:05", "Europe/Berlin"),
    ("2025-01-20T20:45", "America/New_York"),
    ("2022-02-28T12:00", "Asia/Kolkata"),
    ("2026-08-30T17:10", "Australia/Sydney"),
]


def row(moment, zone, text, since, until, note=""):
    return "\t".join([moment, zone, text, since, until, note]) + "\n"


def english_rows():
    rows, seen = [], set()
    phrases = [item for family in english.FAMILIES for item in family()]
    for index, (phrase, meaning) in enumerate(phrases):
        if phrase in seen:
            continue
        seen.add(phrase)
        moment, zone = MOMENTS[index % len(MOMENTS)]
        text = english.FRAMES[(index * 2 + index // 9) % len(english.FRAMES)].format(phrase)
        since, until = meaning(Asked(datetime.fromisoformat(moment)))
        rows.append(row(moment, zone, text, show(since), show(until)))
    for index, line in enumerate(english.REFUSED):
        text, why = line.split("|")
        rows.append(row(*MOMENTS[index % len(MOMENTS)], text, "refused", "", why))
    return rows


def other_rows(language):
    rows = []
    said = others.PHRASES[language]
    assert len(said) == len(others.MEANINGS), (language, len(said))
    for index, (phrase, (_, meaning)) in enumerate(zip(said, others.MEANINGS)):
        moment, zone = MOMENTS[index % len(MOMENTS)]
        if phrase is not None:
            since, until = meaning(Asked(datetime.fromisoformat(moment)))
            rows.append(row(moment, zone, phrase, show(since), show(until)))
    for index, (text, why) in enumerate(zip(others.REFUSED[language], others.REASONS)):
        rows.append(row(*MOMENTS[index], text, "refused", "", why))
    for index, (meaning, phrases) in enumerate(compound.MEANINGS):
        moment, zone = MOMENTS[index % len(MOMENTS)]
        if language in phrases:
            since, until = meaning(Asked(datetime.fromisoformat(moment)))
            rows.append(row(moment, zone, phrases[language], show(since), show(until)))
    for index, (text, why) in enumerate(compound.REFUSED[language]):
        rows.append(row(*MOMENTS[index % len(MOMENTS)], text, "refused", "", why))
    return rows


def main():
    OUT.mkdir(exist_ok=True)
    for language in others.PHRASES:
        (OUT / f"{language}.tsv").write_text(HEADER + "".join(other_rows(language)), encoding="utf-8")
    (OUT / "en.tsv").write_text(HEADER + "".join(english_rows()), encoding="utf-8")


if __name__ == "__main__":
    main()
