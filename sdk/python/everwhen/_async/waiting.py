"""How the asynchronous client waits, on asyncio and on trio."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

T = TypeVar("T")


async def sleep(seconds: float) -> None:
    """Waits."""
    await anyio.sleep(seconds)


async def outside(work: Callable[[], T]) -> T:
    """Does work that blocks on another thread."""
    return await anyio.to_thread.run_sync(work)
