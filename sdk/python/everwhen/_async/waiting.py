"""How the asynchronous client waits, on asyncio and on trio."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

import anyio
import anyio.to_thread

T = TypeVar("T")
CHUNK = 128 * 1024


async def chunks(path: str | os.PathLike[str]) -> AsyncIterator[bytes]:
    """A file in parts."""
    async with await anyio.open_file(path, "rb") as file:
        while chunk := await file.read(CHUNK):
            yield chunk


async def sleep(seconds: float) -> None:
    """Waits."""
    await anyio.sleep(seconds)


async def outside(work: Callable[[], T]) -> T:
    """Does work that blocks on another thread."""
    return await anyio.to_thread.run_sync(work)
