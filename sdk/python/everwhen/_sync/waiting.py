"""How the blocking client waits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")
CHUNK = 128 * 1024


def chunks(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """A file in parts."""
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def sleep(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


def outside(work: Callable[[], T]) -> T:
    """Does work that blocks."""
    return work()
