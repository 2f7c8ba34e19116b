"""pydantic-ai: a real agent with a function as its model."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from everwhen import MemoryClient
from everwhen.integrations.pydantic_ai import EverwhenMemory


def scripted(asked: list[list[ModelMessage]], *answers: Any) -> FunctionModel:
    """A model that answers by a script and keeps what it was asked."""
    left = list(answers)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append(messages)
        return ModelResponse(parts=[left.pop(0)])

    return FunctionModel(answer)


async def test_a_second_run_is_told_what_the_first_said(memory: MemoryClient, told_at: datetime) -> None:
    asked: list[list[ModelMessage]] = []
    first = Agent(scripted(asked, TextPart("Noted.")), capabilities=[EverwhenMemory(memory, clock=lambda: told_at)])
    await first.run("My cat is called Tim.", conversation_id="monday")
    stored = memory.entries(conversation_id="monday").to_list()
    assert [(entry.role, entry.content, entry.conversation_time) for entry in stored] == [
        ("user", "My cat is called Tim.", told_at),
        ("assistant", "Noted.", told_at + timedelta(microseconds=1)),
    ]
    assert len(asked[0][0].parts) == 1

    call = ToolCallPart(tool_name="look", args={})
    second = Agent(scripted(asked, call, TextPart("Tim.")), capabilities=[EverwhenMemory(memory)])

    @second.tool_plain
    def look() -> str:
        return "nothing"

    result = await second.run("What is the name of my cat?", conversation_id="tuesday")
    for request in asked[1:]:
        question, block = request[0].parts
        assert getattr(question, "content", "") == "What is the name of my cat?"
        assert "2023-01-08" in str(getattr(block, "content", "")) and "My cat is called Tim." in str(block)
    # What was added for the model is neither in the history nor in the memory.
    assert "2023-01-08" not in str(result.all_messages_json())
    assert [entry.content for entry in memory.entries(conversation_id="tuesday")] == ["What is the name of my cat?", "Tim."]


async def test_the_past_is_shown_as_it_stood(memory: MemoryClient, told_at: datetime) -> None:
    memory.remember("My cat is called Tim.", at=told_at)
    asked: list[list[ModelMessage]] = []
    capability = EverwhenMemory(memory, as_of=told_at, store=False)
    agent = Agent(scripted(asked, TextPart("I do not know.")), capabilities=[capability])
    await agent.run("What is the name of my cat?")
    assert len(asked[0][0].parts) == 1
    assert len(memory.entries().to_list()) == 1


def test_it_works_without_an_event_loop_of_ones_own(memory: MemoryClient) -> None:
    for _ in range(2):
        agent = Agent(scripted([], TextPart("Hello.")), capabilities=[EverwhenMemory(memory)])
        agent.run_sync("Hi.")
    times = [entry.conversation_time for entry in memory.entries()]
    assert len(times) == 4 and times == sorted(times)
