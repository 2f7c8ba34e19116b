"""Microsoft Agent Framework: a real agent with a scripted chat client."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from datetime import datetime
from typing import Any

from agent_framework import Agent, AgentSession, BaseChatClient, ChatResponse, Content, Message

from everwhen import MemoryClient
from everwhen.integrations.agent_framework import EverwhenContextProvider, EverwhenHistoryProvider


class Scripted(BaseChatClient[Any]):
    """A model that always answers the same and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Awaitable[ChatResponse]:
        self.asked.append([message.text for message in messages])

        async def answer() -> ChatResponse:
            return ChatResponse(messages=[Message("assistant", ["Noted."])], response_id="r1")

        return answer()


async def test_a_second_session_is_told_what_the_first_said(memory: MemoryClient, told_at: datetime) -> None:
    model = Scripted()
    first = Agent(client=model, context_providers=[EverwhenContextProvider(memory, clock=lambda: told_at)])
    await first.run("My cat is called Tim.", session=AgentSession(session_id="monday"))
    stored = memory.entries(conversation_id="monday").to_list()
    assert [entry.role for entry in stored] == ["user", "assistant"]
    assert stored[0].conversation_time == told_at
    assert model.asked == [["My cat is called Tim."]]

    second = Agent(client=model, context_providers=[EverwhenContextProvider(memory)])
    await second.run("What is the name of my cat?", session=AgentSession(session_id="tuesday"))
    block, question = model.asked[1]
    assert question == "What is the name of my cat?"
    assert "2023-01-08" in block and "My cat is called Tim." in block
    assert len(memory.entries(conversation_id="tuesday").to_list()) == 2

    past = Agent(client=model, context_providers=[EverwhenContextProvider(memory, as_of=told_at, store=False)])
    await past.run("What is the name of my cat?", session=AgentSession(session_id="wednesday"))
    assert model.asked[2] == ["What is the name of my cat?"]


async def test_a_session_goes_on_where_it_was(memory: MemoryClient, told_at: datetime) -> None:
    model = Scripted()
    provider = EverwhenHistoryProvider(memory, clock=lambda: told_at)
    await Agent(client=model, context_providers=[provider]).run("One.", session=AgentSession(session_id="s"))
    later = EverwhenHistoryProvider(memory)
    await Agent(client=model, context_providers=[later]).run("Two.", session=AgentSession(session_id="s"))
    assert model.asked[1] == ["One.", "Noted.", "Two."]
    assert [entry.conversation_time.year == 2023 for entry in memory.entries()] == [True, True, False, False]
    stored = memory.entries(conversation_id="s", limit=2).to_list()
    then = EverwhenHistoryProvider(memory, as_of=stored[1].creation_time)
    assert [message.text for message in await then.get_messages("s")] == ["One.", "Noted."]
    assert await later.get_messages("nobody") == []


async def test_messages_come_back_whole(memory: MemoryClient) -> None:
    call = Content.from_function_call(call_id="c1", name="weather", arguments='{"city": "Porto"}')
    answer = Content.from_function_result(call_id="c1", result="Rain.")
    messages = [Message("user", ["How is it?"]), Message("assistant", [call]), Message("tool", [answer])]
    provider = EverwhenHistoryProvider(memory)
    await provider.save_messages("tools", messages)
    restored = await provider.get_messages("tools")
    assert [message.to_dict() for message in restored] == [message.to_dict() for message in messages]
