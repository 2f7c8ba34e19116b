"""LangChain agents: middleware that shows the model what was said before, and keeps what is said now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.config import get_config
from langgraph.runtime import Runtime

from everwhen import MemoryClient
from everwhen._async.waiting import outside
from everwhen.integrations._items import Clock, memory_block, times
from everwhen.types import NewEntry, Role, Time


class EverwhenMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Gives an agent of `create_agent` a memory over all its threads; a thread is a conversation of it."""

    def __init__(
        self,
        memory: MemoryClient,
        *,
        as_of: Time | None = None,
        budget_tokens: int | None = None,
        clock: Clock | None = None,
    ) -> None:
        super().__init__()
        self.memory = memory
        self.as_of = as_of
        self.budget_tokens = budget_tokens
        self.clock = clock

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(self._with_block(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        return await handler(await outside(lambda: self._with_block(request)))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        self._keep(state["messages"], _thread())

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        thread = _thread()
        await outside(lambda: self._keep(state["messages"], thread))

    def _with_block(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        place = _last_question(request.messages)
        if place is None:
            return request
        question = str(request.messages[place].text)
        block = memory_block(self.memory, question, as_of=self.as_of, budget_tokens=self.budget_tokens)
        if not block:
            return request
        # Behind the question, so that everything before it stays the same from call to call.
        messages = [*request.messages]
        messages.insert(place + 1, HumanMessage(content=block))
        return request.override(messages=messages)

    def _keep(self, messages: list[Any], thread: str | None) -> None:
        """Keeps the last question and what was answered; the messages before them were kept in their own runs."""
        place = _last_question(messages)
        turn = messages[place:] if place is not None else []
        dated = zip(turn, times(self.clock, len(turn)))
        entries = [entry for message, at in dated if (entry := _entry(message, thread, at))]
        if entries:
            key = f"langchain-{turn[0].id}-{turn[-1].id}" if turn[0].id and turn[-1].id else None
            self.memory.remember_all(entries, idempotency_key=key)


def _last_question(messages: list[Any]) -> int | None:
    places = [place for place, message in enumerate(messages) if isinstance(message, HumanMessage)]
    return places[-1] if places else None


def _thread() -> str | None:
    """The id of the thread that runs, if it has one."""
    named = get_config().get("configurable", {}).get("thread_id")
    return str(named) if named else None


def _entry(message: BaseMessage, thread: str | None, at: Time | None) -> NewEntry | None:
    text = str(message.text)
    if not text.strip() or not isinstance(message, (HumanMessage, AIMessage)):
        return None
    tools = [call["name"] for call in message.tool_calls] if isinstance(message, AIMessage) else []
    role: Role = "user" if isinstance(message, HumanMessage) else "assistant"
    return NewEntry(
        role=role, content=text, tools_used=tools or None, conversation_id=thread, conversation_time=at
    )
