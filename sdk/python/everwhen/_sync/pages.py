# Generated from everwhen/_async/pages.py by tools/sdk/generate; do not edit.
"""Lists that come in pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Generic, TypeVar

from everwhen._sync.transport import Transport
from everwhen._json import decode
from everwhen._request import Request

T = TypeVar("T")
LARGEST_PAGE = 1000
USUAL_PAGE = 100


class Pages(Generic[T]):
    """A list. Iterating over it asks for page after page, as far as it is needed; each iteration begins at the start."""

    def __init__(
        self, transport: Transport, kind: type[T], request: Request, limit: int | None = None
    ) -> None:
        if limit is not None and limit < 0:
            raise ValueError("limit is negative")
        self._transport = transport
        self._kind = kind
        self._request = request
        self._limit = limit

    def __iter__(self) -> Iterator[T]:
        left, cursor = self._limit, None
        while left is None or left > 0:
            size = USUAL_PAGE if left is None else min(left, LARGEST_PAGE)
            query = {**self._request.query, "limit": size, "cursor": cursor}
            page = self._transport.json(replace(self._request, query=query))
            for item in page["data"][:left]:
                yield decode(self._kind, item)
            left = None if left is None else left - len(page["data"])
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def to_list(self) -> list[T]:
        """All of it."""
        return [item for item in self]

    def first(self) -> T | None:
        """The first of it, if there is any."""
        for item in Pages(self._transport, self._kind, self._request, 1):
            return item
        return None
