"""Google ADK: a memory service that keeps when each event was.

Everything of one user of one app is one memory, `APP/USER`; a session is a conversation of it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types as genai

from everwhen import ConflictError, Everwhen, MemoryClient, NotFoundError
from everwhen._async.waiting import outside
from everwhen.integrations._items import history, name_of
from everwhen.types import FoundEntry, Role, Time

if TYPE_CHECKING:
    from google.adk.events.event import Event
    from google.adk.sessions.session import Session

FRAMEWORK = "adk"


class EverwhenMemoryService(BaseMemoryService):
    """Remembers sessions, and finds what was said in them."""

    def __init__(self, client: Everwhen, *, limit: int = 10, as_of: Time | None = None) -> None:
        self.client = client
        self.limit = limit
        """How many memories a search gives."""
        self.as_of = as_of
        """Search the memory as it stood at this time."""

    def memory(self, app_name: str, user_id: str) -> MemoryClient:
        """The memory of one user of one app."""
        return self.client.memory(f"{app_name}/{user_id}")

    async def add_session_to_memory(self, session: Session) -> None:
        """Keeps what is new in a session."""
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keeps those of the events that are not kept yet, each at its time."""
        memory = self.memory(app_name, user_id)
        said = [event for event in events if not event.partial and _text(event.content)]
        await outside(lambda: _keep(memory, said, session_id, dict(custom_metadata or {})))

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keeps memories that are written directly, each at its time."""
        memory = self.memory(app_name, user_id)
        for one in memories:
            metadata = {**one.custom_metadata, **(custom_metadata or {})}
            if text := _text(one.content):
                role: Role = "user" if (one.content.role or "user") == "user" else "assistant"
                await outside(
                    lambda: memory.remember(
                        text, role=role, at=one.timestamp, speaker=one.author, metadata=metadata or None
                    )
                )

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """What was said about something, with when it was said."""
        memory = self.memory(app_name, user_id)
        try:
            found = await outside(lambda: memory.recall(query, limit=self.limit, as_of=self.as_of, kinds=["entry"]))
        except NotFoundError:
            return SearchMemoryResponse()
        return SearchMemoryResponse(memories=[_memory(item) for item in found])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forgets one memory permanently. A session that is added again does not bring it back."""
        if memory_id:
            memory = self.memory(app_name, user_id)
            await outside(lambda: memory.forget(entry=memory_id))


def _keep(memory: MemoryClient, events: list[Event], session_id: str | None, metadata: dict[str, object]) -> None:
    known = {(entry.metadata or {}).get(FRAMEWORK) for entry in history(memory, session_id)} if session_id else set()
    for event in events:
        if event.id in known:
            continue
        # What was forgotten stays forgotten: its key was used, which is a conflict.
        with contextlib.suppress(ConflictError):
            memory.remember(
                _text(event.content),
                role="user" if event.author == "user" else "assistant",
                speaker=event.author or None,
                at=datetime.fromtimestamp(event.timestamp, timezone.utc),
                conversation_id=session_id,
                metadata={**metadata, FRAMEWORK: event.id},
                idempotency_key=name_of(FRAMEWORK, memory.name, session_id, event.id),
            )


def _text(content: genai.Content | None) -> str:
    parts = (content.parts if content else None) or []
    return "\n".join(part.text for part in parts if part.text and not part.thought).strip()


def _memory(found: FoundEntry) -> MemoryEntry:
    entry = found.entry
    role = "user" if entry.role == "user" else "model"
    return MemoryEntry(
        id=entry.id,
        content=genai.Content(role=role, parts=[genai.Part(text=entry.content)]),
        author=entry.speaker or role,
        timestamp=entry.conversation_time.isoformat(),
        custom_metadata={"conversation_id": entry.conversation_id, "score": found.score},
    )
