"""LangGraph: a store for long-term memory in which every value keeps its history.

A value is an entry of the memory, as JSON. Putting it again corrects the entry, so `as_of` still shows what it was;
deleting it forgets it permanently. Give the store a memory of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, MatchCondition, Op, PutOp, Result, SearchItem, SearchOp

from everwhen import MemoryClient, NotFoundError
from everwhen._async.waiting import outside
from everwhen.integrations._items import Clock, name_of
from everwhen.types import Entry, Time

FRAMEWORK = "langgraph"
NOT_SEARCHED = "langgraph-not-searched"
MOST_FOUND = 1000
OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, other: bool(value == other),
    "$ne": lambda value, other: bool(value != other),
    "$gt": lambda value, other: value is not None and float(value) > float(other),
    "$gte": lambda value, other: value is not None and float(value) >= float(other),
    "$lt": lambda value, other: value is not None and float(value) < float(other),
    "$lte": lambda value, other: value is not None and float(value) <= float(other),
}


class EverwhenStore(BaseStore):
    """Values by namespace and key. Searching with a query recalls, so that it may name a time."""

    def __init__(self, memory: MemoryClient, *, as_of: Time | None = None, clock: Clock | None = None) -> None:
        self.memory = memory
        self.as_of = as_of
        """Read the values as they stood at this time."""
        self.clock = clock

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads first, then writes; of several writes to one key the last counts."""
        asked = list(ops)
        writes = {(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)}
        results = [self._read(op) for op in asked]
        for write in writes.values():
            self._put(write)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same on another thread."""
        asked = list(ops)
        return await outside(lambda: self.batch(asked))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            entry = self._entry(op.namespace, op.key)
            return Item(**_parts(entry)) if entry else None
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        return None

    def _entry(self, namespace: tuple[str, ...], key: str) -> Entry | None:
        return next(self._entries(_tag("item", [*namespace, key])), None)

    def _entries(self, tag: str) -> Iterator[Entry]:
        try:
            yield from self.memory.entries(tag=tag, order="desc", as_of=self.as_of)
        except NotFoundError:
            return

    def _put(self, op: PutOp) -> None:
        if self.as_of is not None:
            raise ValueError("a store that shows the past cannot be changed")
        there = self._entry(op.namespace, op.key)
        if op.value is None:
            if there:
                self.memory.forget(entry=there.id)
            return
        content = json.dumps(op.value, ensure_ascii=False)
        if there:
            self.memory.correct(there.id, content, reason="put again")
            return
        prefixes = [_tag("in", list(op.namespace[:depth])) for depth in range(len(op.namespace) + 1)]
        tags = [*prefixes, _tag("item", [*op.namespace, op.key]), *([NOT_SEARCHED] if op.index is False else [])]
        metadata = {FRAMEWORK: {"namespace": list(op.namespace), "key": op.key}}
        at = self.clock() if self.clock else None
        self.memory.remember(content, role="system", at=at, tags=tags, metadata=metadata)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        found = self._recall(op) if op.query else ((entry, None) for entry in self._entries(_tag("in", list(op.namespace_prefix))))
        items = (SearchItem(**_parts(entry), score=score) for entry, score in found)
        fitting = [item for item in items if _fits(item.value, op.filter or {})]
        return fitting[op.offset : op.offset + op.limit]

    def _recall(self, op: SearchOp) -> Iterator[tuple[Entry, float | None]]:
        tags = [_tag("in", list(op.namespace_prefix))]
        limit = MOST_FOUND if op.filter else min(op.offset + op.limit, MOST_FOUND)
        try:
            answer = self.memory.recall(str(op.query), tags=tags, limit=limit, kinds=["entry"], as_of=self.as_of)
        except NotFoundError:
            return
        yield from ((found.entry, found.score) for found in answer if NOT_SEARCHED not in found.entry.tags)

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        names = {_parts(entry)["namespace"] for entry in self._entries(_tag("in", []))}
        fitting = [name for name in names if all(_matches(one, name) for one in op.match_conditions or ())]
        return sorted({name[: op.max_depth] for name in fitting})[op.offset : op.offset + op.limit]


def _tag(kind: str, path: list[str]) -> str:
    """A label for a path of any length."""
    return name_of(f"{FRAMEWORK}-{kind}", *path)


def _parts(entry: Entry) -> dict[str, Any]:
    kept = (entry.metadata or {})[FRAMEWORK]
    times = {"created_at": entry.conversation_time, "updated_at": entry.creation_time}
    return {"value": json.loads(entry.content), "key": kept["key"], "namespace": tuple(kept["namespace"]), **times}


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = condition.path
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[max(0, len(namespace) - len(path)) :]
    return len(part) == len(path) and all(want in ("*", have) for want, have in zip(path, part))


def _fits(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    if any(key.startswith("$") for key in wanted):
        return all(OPERATORS[key](value, other) for key, other in wanted.items())
    return isinstance(value, dict) and all(_fits(value.get(key), other) for key, other in wanted.items())
