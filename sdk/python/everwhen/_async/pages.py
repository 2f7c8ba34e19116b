"""Lists that come in pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Generic, TypeVar

from everwhen._async.transport import AsyncTransport
from everwhen._json import decode
from everwhen._request import Request

T = TypeVar("T")
LARGEST_PAGE = 1000
USUAL_PAGE = 100


class AsyncPages(Generic[T]):
    """A list. Iterating over it asks for page after page, as far as it is needed; each iteration begins at the start."""

    def __init__(
        self, transport: AsyncTransport, kind: type[T], request: Request, limit: int | None = None
    ) -> None:
        if limit is not None and limit < 0:
            raise ValueError("limit is negative")
        self._transport = transport
        self._kind = kind
        self._request = request
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[T]:
        left, cursor = self._limit, None
        while left is None or left > 0:
            size = USUAL_PAGE if left is None else min(left, LARGEST_PAGE)
            query = {**self._request.query, "limit": size, "cursor": cursor}
            page = await self._transport.json(replace(self._request, query=query))
            for item in page["data"][:left]:
                yield decode(self._kind, item)
            left = None if left is None else left - len(page["data"])
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def to_list(self) -> list[T]:
        """All of it."""
        return [item async for item in self]

    async def first(self) -> T | None:
        """The first of it, if there is any."""
        async for item in AsyncPages(self._transport, self._kind, self._request, 1):
            return item
        return None
