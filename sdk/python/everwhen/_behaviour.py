"""What some of the generated types can do besides holding values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everwhen.types import FoundEntry


class TextBehaviour:
    """Something that is shown as its own text."""

    text: str

    def __str__(self) -> str:
        return self.text


class RecollectionBehaviour:
    """An answer: iterating over it gives the entries that were found, best first, and its text is the briefing."""

    if TYPE_CHECKING:
        briefing: str
        items: list[FoundEntry]

    def __iter__(self) -> Iterator[FoundEntry]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return self.briefing
