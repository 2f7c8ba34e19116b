"""How the blocking client waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def sleep(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


def outside(work: Callable[[], T]) -> T:
    """Does work that blocks."""
    return work()
