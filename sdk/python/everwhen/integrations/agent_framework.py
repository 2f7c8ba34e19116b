"""Microsoft Agent Framework: a provider of history that keeps its dates, and one of what was said in other sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent_framework import AgentSession, ContextProvider, HistoryProvider, Message, SessionContext, SupportsAgentRun

from everwhen import MemoryClient
from everwhen._async.waiting import outside
from everwhen.integrations._items import Clock, entry_of, history, item_of, memory_block, times
from everwhen.types import Entry, NewEntry, Role, Time

FRAMEWORK = "agent_framework"
ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool"}


class EverwhenHistoryProvider(HistoryProvider):
    """The messages of each session, a conversation of the memory."""

    def __init__(
        self,
        memory: MemoryClient,
        source_id: str = "everwhen-history",
        *,
        as_of: Time | None = None,
        clock: Clock | None = None,
        **flags: Any,
    ) -> None:
        super().__init__(source_id, **flags)
        self.memory = memory
        self.as_of = as_of
        """Load the messages as they stood at this time."""
        self.clock = clock

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        """The messages of a session, oldest first."""
        if not session_id:
            return []
        entries = await outside(lambda: history(self.memory, session_id, as_of=self.as_of))
        return [_message(entry) for entry in entries]

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Keeps messages, all of them or none."""
        said = zip(messages, times(self.clock, len(messages)))
        entries = [_entry(message, session_id, at) for message, at in said]
        await outside(lambda: self.memory.remember_all(entries))


class EverwhenContextProvider(ContextProvider):
    """What was said about the question in any session. Beside a history provider of ours, `store` is False."""

    def __init__(
        self,
        memory: MemoryClient,
        source_id: str = "everwhen",
        *,
        store: bool = True,
        as_of: Time | None = None,
        budget_tokens: int | None = None,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(source_id)
        self.memory = memory
        self.store = store
        self.as_of = as_of
        self.budget_tokens = budget_tokens
        self.clock = clock

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Adds the block of memory before the new messages."""
        question = "\n".join(message.text for message in context.input_messages if message.role == "user")
        block = await outside(
            lambda: memory_block(self.memory, question, as_of=self.as_of, budget_tokens=self.budget_tokens)
        )
        if block:
            context.extend_messages(self, [Message("user", [block])])

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Keeps what was asked and answered."""
        answered = list(context.response.messages) if context.response else []
        said = [message for message in [*context.input_messages, *answered] if message.text.strip()]
        if self.store and said:
            dated = zip(said, times(self.clock, len(said)))
            entries = [_entry(message, context.session_id, at) for message, at in dated]
            await outside(lambda: self.memory.remember_all(entries))


def _entry(message: Message, session_id: str | None, at: Time | None) -> NewEntry:
    item = message.to_dict()
    role = ROLES.get(str(message.role), "system")
    return entry_of(FRAMEWORK, item, role=role, text=message.text, conversation_id=session_id, at=at)


def _message(entry: Entry) -> Message:
    item = item_of(FRAMEWORK, entry)
    if item is not None:
        return Message.from_dict(item)
    return Message("assistant" if entry.role == "tool" else entry.role, [entry.content])
