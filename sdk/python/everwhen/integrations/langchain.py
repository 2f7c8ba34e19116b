"""LangChain: a chat history that keeps its dates, and a retriever over everything said.

The adapters take the blocking client, which belongs to no event loop: LangChain's asynchronous methods run it on threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, message_to_dict, messages_from_dict
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from everwhen import MemoryClient, NotFoundError
from everwhen.integrations._items import Clock, entry_of, forget_conversation, history, item_of, times
from everwhen.types import Entry, FoundEntry, Role, Time

FRAMEWORK = "langchain"
ROLES: dict[str, Role] = {"human": "user", "ai": "assistant", "tool": "tool", "function": "tool"}
PLAIN: dict[Role, type[BaseMessage]] = {"user": HumanMessage, "assistant": AIMessage}


class EverwhenChatMessageHistory(BaseChatMessageHistory):
    """The messages of one session, a conversation of the memory. What one session says, others can recall."""

    def __init__(
        self,
        memory: MemoryClient,
        session_id: str,
        *,
        as_of: Time | None = None,
        limit: int | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.memory = memory
        self.session_id = session_id
        self.as_of = as_of
        """Show the messages as they stood at this time."""
        self.limit = limit
        """Show the last messages only."""
        self.clock = clock

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """The messages, oldest first."""
        entries = history(self.memory, self.session_id, limit=self.limit, as_of=self.as_of)
        return [_message(entry) for entry in entries]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Keeps messages, all of them or none."""
        self.memory.remember_all(
            entry_of(
                FRAMEWORK,
                message_to_dict(message),
                role=ROLES.get(message.type, "system"),
                text=str(message.text),
                conversation_id=self.session_id,
                at=at,
            )
            for message, at in zip(messages, times(self.clock, len(messages)))
        )

    def clear(self) -> None:
        """Forgets the session permanently."""
        forget_conversation(self.memory, self.session_id)


class EverwhenRetriever(BaseRetriever):
    """Finds what was said about a question, in every session of the memory."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: MemoryClient
    k: int = 5
    """How many documents."""
    as_of: Time | None = None
    """As the memory stood at this time."""
    after: Time | None = None
    before: Time | None = None
    roles: list[Role] | None = None
    tags_of_entries: list[str] | None = None
    """Only what has one of these tags."""
    dated: bool = True
    """Whether each document begins with when it was said."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None, **kwargs: Any
    ) -> list[Document]:
        try:
            found = self.memory.recall(
                query,
                limit=k or self.k,
                as_of=self.as_of,
                after=self.after,
                before=self.before,
                roles=self.roles,
                tags=self.tags_of_entries,
                kinds=["entry"],
            )
        except NotFoundError:
            return []
        return [self._document(item) for item in found]

    def _document(self, found: FoundEntry) -> Document:
        entry = found.entry
        when = f"[{entry.conversation_time:%Y-%m-%d %H:%M} UTC] " if self.dated else ""
        metadata = {
            "conversation_time": entry.conversation_time.isoformat(),
            "creation_time": entry.creation_time.isoformat(),
            "conversation_id": entry.conversation_id,
            "memory": found.memory,
            "role": entry.role,
            "score": found.score,
        }
        return Document(id=entry.id, page_content=when + entry.content, metadata=metadata)


def _message(entry: Entry) -> BaseMessage:
    item = item_of(FRAMEWORK, entry)
    if item is not None:
        return messages_from_dict([item])[0]
    return PLAIN.get(entry.role, SystemMessage)(content=entry.content)
