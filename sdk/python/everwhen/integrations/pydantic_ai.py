"""pydantic-ai: a capability that shows the model what was said before, and keeps what is said now, at its time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult

from everwhen import MemoryClient
from everwhen._async.waiting import outside
from everwhen.integrations._items import Clock, memory_block, times
from everwhen.types import NewEntry, Time


@dataclass
class EverwhenMemory(AbstractCapability[Any]):
    """A memory for `Agent(capabilities=[…])`. A run's `conversation_id` is the conversation it is kept in."""

    memory: MemoryClient
    as_of: Time | None = None
    """Show the memory as it stood at this time."""
    budget_tokens: int | None = None
    store: bool = True
    """Whether what is said is kept."""
    clock: Clock | None = None
    """Says when messages were said, instead of their own timestamps."""
    _block: str | None = field(default=None, repr=False)

    async def for_run(self, ctx: RunContext[Any]) -> EverwhenMemory:
        """A copy for each run, which recalls once."""
        return replace(self, _block=None)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Adds the block of memory behind the question, for this request only."""
        messages = request_context.messages
        places = [place for place, message in enumerate(messages) if _question(message)]
        if not places:
            return request_context
        if self._block is None:
            question = _question(messages[places[-1]])
            self._block = await outside(
                lambda: memory_block(self.memory, question, as_of=self.as_of, budget_tokens=self.budget_tokens)
            )
        asked = messages[places[-1]]
        if self._block and isinstance(asked, ModelRequest):
            with_block = replace(asked, parts=[*asked.parts, UserPromptPart(content=self._block)])
            changed = [*messages[: places[-1]], with_block, *messages[places[-1] + 1 :]]
            return replace(request_context, messages=changed)
        return request_context

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Keeps what the run said, all of it or nothing."""
        if self.store:
            said = [entry for message in result.new_messages() for entry in _entries(message, ctx.conversation_id)]
            if self.clock:
                dated = zip(said, times(self.clock, len(said)))
                said = [replace(entry, conversation_time=at) for entry, at in dated]
            if said:
                key = f"pydantic-ai-{ctx.run_id}" if ctx.run_id else None
                await outside(lambda: self.memory.remember_all(said, idempotency_key=key))
        return result


def _question(message: ModelMessage) -> str:
    """What the user says in a message, if anything."""
    if not isinstance(message, ModelRequest):
        return ""
    return "\n".join(_words(part) for part in message.parts if isinstance(part, UserPromptPart)).strip()


def _words(part: UserPromptPart) -> str:
    if isinstance(part.content, str):
        return part.content
    return "\n".join(one for one in part.content if isinstance(one, str))


def _entries(message: ModelMessage, conversation_id: str | None) -> list[NewEntry]:
    if isinstance(message, ModelResponse):
        text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
        tools = [part.tool_name for part in message.parts if isinstance(part, ToolCallPart)]
        if not text.strip():
            return []
        return [
            NewEntry(
                role="assistant",
                content=text,
                tools_used=tools or None,
                conversation_id=conversation_id,
                conversation_time=message.timestamp,
            )
        ]
    return [
        NewEntry(
            role="user", content=_words(part), conversation_id=conversation_id, conversation_time=part.timestamp
        )
        for part in message.parts
        if isinstance(part, UserPromptPart) and _words(part).strip()
    ]
