"""Between JSON and the types: `decode` gives a type from what the server sent, `encode` what is sent for a value."""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timezone
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|z|[+-]\d\d:\d\d)")


def decode(kind: type[T], value: Any) -> T:
    """The value as the type. Fields that the type does not know are left out, so that newer servers can be read."""
    read: Callable[[Any], T] = _decoder(cast(Hashable, kind))
    return read(value)


def encode(value: Any) -> Any:
    """The value as JSON has it: times as text, dataclasses as objects, without what is None."""
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        return encode({_key(field.name): getattr(value, field.name) for field in fields(value)})
    if isinstance(value, Mapping):
        # What a caller keeps in `metadata` is the caller's own: a null in there stays.
        return {
            key: item if key == "metadata" else encode(item)
            for key, item in value.items()
            if item is not None
        }
    if isinstance(value, (list, tuple, set, frozenset)):
        return [encode(item) for item in value]
    return value


def time_text(value: datetime | str) -> str:
    """A time as RFC 3339. Raises ValueError for a time without a zone, which could be meant anywhere."""
    if isinstance(value, str):
        return value
    if value.tzinfo is None:
        raise ValueError(
            f"{value!r} has no time zone; write datetime(…, tzinfo=timezone.utc) or value.astimezone()"
        )
    return value.isoformat()


def read_time(text: str) -> datetime:
    """A time from RFC 3339. Python 3.10 reads neither `Z` nor fractions of every length."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(f"not an RFC 3339 time: {text!r}")
    day, clock, fraction, zone = match.groups()
    offset = "+00:00" if zone in "Zz" else zone
    whole = datetime.fromisoformat(f"{day}T{clock}.{(fraction or '0')[:6].ljust(6, '0')}{offset}")
    return whole.astimezone(timezone.utc) if zone in "Zz" else whole


@functools.cache
def _decoder(kind: Any) -> Callable[[Any], Any]:
    """A function that reads one type."""
    if isinstance(kind, type) and is_dataclass(kind):
        return _object_decoder(kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        others = {one for one in arguments if one is not type(None)}
        read = read_time if others == {datetime, str} else _decoder(*others)
        return lambda value: None if value is None else read(value)
    if origin is list:
        item = _decoder(arguments[0])
        return lambda value: [item(one) for one in value]
    if kind is datetime:
        return read_time
    if kind is date:
        return date.fromisoformat
    if origin in (dict, Literal) or kind in (str, int, float, bool, Any):
        return lambda value: value
    raise TypeError(f"no way to read {kind!r}")


def _object_decoder(kind: type[Any]) -> Callable[[Any], Any]:
    hints: dict[str, Callable[[Any], Any]] | None = None

    def read(value: Any) -> Any:
        nonlocal hints
        if hints is None:
            hints = {name: _decoder(hint) for name, hint in get_type_hints(kind).items() if name in names}
        return kind(**{name: one(value[_key(name)]) for name, one in hints.items() if _key(name) in value})

    names = {field.name for field in fields(kind)}
    return read


def _key(name: str) -> str:
    """The JSON key of an attribute: a key that is a word of Python's has an underscore behind it there."""
    return name.rstrip("_")
