"""One request to the API, before it is sent, and the rules for sending it again."""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import quote

import httpx

from everwhen._json import encode, time_text
from everwhen._version import VERSION
from everwhen.errors import InvalidError

RETRIED_STATUSES = frozenset({408, 429, 502, 503, 504})
LONGEST_DELAY = 30.0
USER_AGENT = f"everwhen-python/{VERSION}"


@dataclass(frozen=True)
class Request:
    """A method, a path, and what goes with them."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_repeatable: bool = True
    """Whether the server does nothing twice if it gets this twice."""


def get(path: str, **query: Any) -> Request:
    """A request that reads."""
    return Request("GET", path, query=query)


def ask(path: str, body: Any) -> Request:
    """A request that reads and has a body."""
    return Request("POST", path, body=body)


def write(method: str, path: str, body: Any = None, *, key: str | None = None, **query: Any) -> Request:
    """A request that writes. Its idempotency key is the same however often it is sent."""
    return Request(method, path, query, body, {"idempotency-key": key or str(uuid.uuid4())})


def once(method: str, path: str, body: Any = None) -> Request:
    """A request that writes and takes no idempotency key, so it is sent again only if it never arrived."""
    return Request(method, path, body=body, is_repeatable=False)


def part(text: str) -> str:
    """A name or an id as one part of a path. Raises InvalidError for one that would lead to another address."""
    # URLs have no way to write these two as a name: `..` and `%2E%2E` alike mean the address above.
    if not isinstance(text, str) or text in ("", ".", ".."):
        detail = f"{text!r} is no name or id; write at least one character, and neither '.' nor '..'"
        raise InvalidError(400, "invalid", "Invalid request", detail)
    return quote(text, safe="")


def query_text(query: Mapping[str, Any]) -> dict[str, str]:
    """Parameters as text, without those that are not said."""
    texts = {}
    for name, value in query.items():
        if isinstance(value, bool):
            texts[name] = "true" if value else "false"
        elif value is not None:
            texts[name] = time_text(value) if isinstance(value, datetime) else str(value)
    return texts


def body_text(request: Request) -> Any:
    """The body as JSON has it, or None."""
    return None if request.body is None else encode(request.body)


def may_repeat(request: Request, failure: httpx.TransportError) -> bool:
    """Whether a request that failed on the way is sent again."""
    never_arrived = isinstance(failure, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
    return never_arrived or request.is_repeatable


def delay(attempt: int, first: float, response: httpx.Response | None) -> float:
    """How many seconds to wait before the next attempt: growing, never in step with others, and as long as the server asks."""
    asked: str = response.headers.get("retry-after", "") if response is not None else ""
    if asked.isdigit():
        return min(float(asked), LONGEST_DELAY)
    growing: float = first * 2**attempt
    return min(growing, LONGEST_DELAY) * random.uniform(0.5, 1.0)


def parse(response: httpx.Response) -> Any:
    """The body as JSON, or None if it is something else."""
    try:
        return response.json()
    except ValueError:
        return None
