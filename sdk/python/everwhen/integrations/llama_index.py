"""LlamaIndex: a memory block that keeps what leaves the short-term memory, and shows what was said about the question."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import ConfigDict, Field
from llama_index.core.memory import BaseMemoryBlock

from everwhen import MemoryClient, NotFoundError
from everwhen._async.waiting import outside
from everwhen.integrations._items import LONGEST_QUESTION
from everwhen.types import NewEntry, Role, Time

ROLES: dict[MessageRole, Role] = {
    MessageRole.USER: "user",
    MessageRole.ASSISTANT: "assistant",
    MessageRole.CHATBOT: "assistant",
    MessageRole.MODEL: "assistant",
    MessageRole.TOOL: "tool",
    MessageRole.FUNCTION: "tool",
}


class EverwhenMemoryBlock(BaseMemoryBlock[str]):
    """A block for `Memory.from_defaults(memory_blocks=[…])`. It takes the blocking client, which belongs to no event loop.

    A message that says when it was said, in `additional_kwargs["conversation_time"]`, keeps that time.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str = Field(default="Everwhen", description="The name of the memory block.")
    memory: MemoryClient = Field(description="The memory.", exclude=True)
    as_of: Time | None = Field(default=None, description="Show the memory as it stood at this time.")
    budget_tokens: int = Field(default=1000, description="Tokens the block may have.")

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """What was said about the last question, with dates."""
        asked = [message for message in messages or [] if message.role == MessageRole.USER and message.content]
        if not asked:
            return ""
        question = str(asked[-1].content)[:LONGEST_QUESTION]
        return await outside(lambda: self._briefing(question, self.budget_tokens))

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Keeps messages, all of them or none."""
        entries = [entry for message in messages if (entry := _entry(message))]
        if entries:
            await outside(lambda: self.memory.remember_all(entries))

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """The block without its last lines, which matter least; a token has about four characters."""
        kept = content[: max(0, len(content) - 4 * tokens_to_truncate)]
        return kept.rpartition("\n")[0] or None

    def _briefing(self, question: str, budget_tokens: int) -> str:
        try:
            found = self.memory.recall(question, as_of=self.as_of, budget_tokens=budget_tokens)
        except NotFoundError:
            return ""
        return found.briefing


def _entry(message: ChatMessage) -> NewEntry | None:
    if not message.content or not message.content.strip():
        return None
    extra = message.additional_kwargs
    return NewEntry(
        role=ROLES.get(message.role, "system"),
        content=message.content,
        conversation_id=extra.get("session_id"),
        conversation_time=extra.get("conversation_time"),
    )
