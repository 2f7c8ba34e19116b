# Generated from everwhen/_async/entries.py by tools/sdk/generate; do not edit.
"""Entries: what was said. Remember, list, recall, correct, forget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from everwhen import _request, types
from everwhen._sync.pages import Pages
from everwhen._sync.transport import Transport
from everwhen._json import decode, encode
from everwhen.types import Time

LARGEST_BATCH = 1000


class Entries:
    """The part of a memory that is about entries."""

    def __init__(self, transport: Transport, vault: str, name: str) -> None:
        self.name = name
        """The memory's name, or its id."""
        self.vault = vault
        """The vault's name, or its id."""
        self._transport = transport
        self._vault_path = f"/v1/vaults/{_request.part(vault)}"
        self._path = f"{self._vault_path}/memories/{_request.part(name)}"

    def remember(
        self,
        content: str,
        *,
        role: types.Role = "user",
        at: Time | None = None,
        speaker: str | None = None,
        tags: Sequence[str] | None = None,
        tools_used: Sequence[str] | None = None,
        summary: str | None = None,
        conversation_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        is_question: bool | None = None,
        allow_future: bool | None = None,
        idempotency_key: str | None = None,
    ) -> types.EntryReceipt:
        """Keeps something said, `at` its time or now. The memory is made if there is none of this name.

        The receipt means that it is on disk. With the same `idempotency_key`, the same is stored once.
        """
        body = {
            "content": content,
            "role": role,
            "conversation_time": at,
            "speaker": speaker,
            "tags": tags,
            "tools_used": tools_used,
            "summary": summary,
            "conversation_id": conversation_id,
            "metadata": metadata,
            "is_question": is_question,
            "allow_future": allow_future,
        }
        request = _request.write("POST", f"{self._path}/entries", body, key=idempotency_key)
        return self._transport.send(types.EntryReceipt, request)

    def remember_all(
        self,
        entries: Iterable[types.NewEntry | Mapping[str, Any]],
        *,
        idempotency_key: str | None = None,
    ) -> list[types.EntryReceipt]:
        """Keeps many entries, a thousand in each request. Each thousand is stored whole or not at all."""
        waiting = [encode(entry) for entry in entries]
        receipts: list[types.EntryReceipt] = []
        for start in range(0, len(waiting), LARGEST_BATCH):
            body = {"entries": waiting[start : start + LARGEST_BATCH]}
            key = f"{idempotency_key}-{start}" if idempotency_key and start else idempotency_key
            request = _request.write("POST", f"{self._path}/entries/batch", body, key=key)
            receipts += (self._transport.send(types.BatchReceipt, request)).entries
        return receipts

    def entries(
        self,
        *,
        after: Time | None = None,
        before: Time | None = None,
        created_after: Time | None = None,
        created_before: Time | None = None,
        as_of: Time | None = None,
        role: types.Role | None = None,
        tag: str | None = None,
        conversation_id: str | None = None,
        branch: str | None = None,
        include: Literal["current", "all"] | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
    ) -> Pages[types.Entry]:
        """Entries by when they were said, oldest first unless `order` is "desc"; `as_of` shows them as they stood then."""
        request = _request.get(
            f"{self._path}/entries",
            after=after,
            before=before,
            created_after=created_after,
            created_before=created_before,
            as_of=as_of,
            role=role,
            tag=tag,
            conversation_id=conversation_id,
            branch=branch,
            include=include,
            order=order,
        )
        return Pages(self._transport, types.Entry, request, limit)

    def entry(self, id: str) -> types.Entry:
        """One entry."""
        return self._transport.send(types.Entry, _request.get(self._entry(id)))

    def correct(
        self, id: str, content: str, *, reason: str, idempotency_key: str | None = None
    ) -> types.EntryReceipt:
        """A new entry takes the place of an old one, which stays in the past."""
        body = {"content": content, "reason": reason}
        request = _request.write("POST", f"{self._entry(id)}/correction", body, key=idempotency_key)
        return self._transport.send(types.EntryReceipt, request)

    def set_tags(
        self, id: str, tags: list[str], *, idempotency_key: str | None = None
    ) -> types.Entry:
        """Replaces the tags of an entry; its id, text and times stay."""
        request = _request.write("PATCH", self._entry(id), types.EntryPatch(tags=tags), key=idempotency_key)
        return self._transport.send(types.Entry, request)

    def tags(self) -> list[types.TagCount]:
        """All tags of the current entries with the number of entries that have them, by name."""
        page = self._transport.json(_request.get(f"{self._path}/tags"))
        return decode(list[types.TagCount], page["data"])

    def timeline(
        self,
        *,
        after: Time | None = None,
        before: Time | None = None,
        role: types.Role | None = None,
        as_of: Time | None = None,
        limit: int | None = None,
    ) -> Pages[types.TimelineLine]:
        """One dated line for everything said, with the days that lie between."""
        path = f"{self._path}/timeline"
        request = _request.get(path, after=after, before=before, role=role, as_of=as_of)
        return Pages(self._transport, types.TimelineLine, request, limit)

    def density(
        self,
        *,
        by: Literal["conversation_time", "creation_time"] | None = None,
        after: Time | None = None,
        before: Time | None = None,
        as_of: Time | None = None,
        buckets: int | None = None,
    ) -> types.Density:
        """How many entries there are over time, by when they were said or stored."""
        path = f"{self._path}/density"
        request = _request.get(path, by=by, after=after, before=before, as_of=as_of, buckets=buckets)
        return self._transport.send(types.Density, request)

    def recall(
        self,
        query: str,
        *,
        asked_at: Time | None = None,
        after: Time | None = None,
        before: Time | None = None,
        as_of: Time | None = None,
        period: Literal["boost", "filter", "ignore"] | None = None,
        roles: Sequence[types.Role] | None = None,
        tags: Sequence[str] | None = None,
        kinds: Sequence[Literal["entry", "conversation", "fact", "chapter", "summary", "context"]] | None = None,
        limit: int | None = None,
        explain: bool | None = None,
        budget_tokens: int | None = None,
        except_conversations: Sequence[str] | None = None,
        min_score: float | None = None,
        diversity: float | None = None,
        missed: int | None = None,
    ) -> types.Recollection:
        """What was said about a question: iterate over it, or give its `briefing` to a model."""
        question = types.Question(
            query=query,
            asked_at=asked_at,
            after=after,
            before=before,
            as_of=as_of,
            period=period,
            roles=list(roles) if roles is not None else None,
            tags=list(tags) if tags is not None else None,
            kinds=list(kinds) if kinds is not None else None,
            limit=limit,
            explain=explain,
            budget_tokens=budget_tokens,
            except_conversations=list(except_conversations) if except_conversations is not None else None,
            min_score=min_score,
            diversity=diversity,
            missed=missed,
        )
        return self._transport.send(types.Recollection, _request.ask(f"{self._path}/recall", question))

    def forget(
        self,
        *,
        entry: str | None = None,
        conversation: str | None = None,
        after: Time | None = None,
        before: Time | None = None,
        whole_memory: bool = False,
        idempotency_key: str | None = None,
    ) -> types.Removed:
        """Forgets permanently: an entry, a conversation, a period, or the whole memory. Nothing brings it back."""
        period = (after, before) if after is not None or before is not None else None
        if sum(1 for one in (entry, conversation, period, whole_memory or None) if one is not None) != 1:
            raise ValueError("say exactly one of entry, conversation, after and before, whole_memory")
        if entry is not None:
            method, path, body = "DELETE", self._entry(entry), None
        elif conversation is not None:
            method, path, body = "DELETE", f"{self._path}/conversations/{_request.part(conversation)}", None
        elif whole_memory:
            method, path, body = "DELETE", self._path, None
        else:
            method, path = "POST", f"{self._vault_path}/forget"
            body = types.Forget(memory=self.name, after=after, before=before)
        request = _request.write(method, path, body, key=idempotency_key)
        return self._transport.send(types.Removed, request)

    def _entry(self, id: str) -> str:
        return f"{self._path}/entries/{_request.part(id)}"
