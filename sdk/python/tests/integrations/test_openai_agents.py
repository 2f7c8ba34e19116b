"""OpenAI Agents: a real runner with a scripted model."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from agents.memory import Session, SessionSettings
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from everwhen import Everwhen, MemoryClient
from everwhen.integrations.openai_agents import EverwhenSession, recall_filter


class Scripted(Model):
    """A model that answers by a script and keeps what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[list[Any]] = []

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        self.asked.append(list(input))
        answer = self.answers.pop(0)
        return ModelResponse(output=[message(answer) if isinstance(answer, str) else answer], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


def message(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(id="msg_1", type="message", role="assistant", status="completed", content=[part])


@function_tool
def weather(city: str) -> str:
    """Says how the weather is."""
    return f"Rain in {city}."


async def test_a_second_session_is_told_what_the_first_said(memory: MemoryClient, told_at: datetime) -> None:
    first = EverwhenSession(memory, "monday", clock=lambda: told_at)
    assert isinstance(first, Session)
    await Runner.run(Agent(name="a", model=Scripted("Noted.")), "My cat is called Tim.", session=first)
    going_on = Scripted("Still Tim.")
    await Runner.run(Agent(name="a", model=going_on), "And now?", session=first)
    assert [item.get("role") for item in going_on.asked[0]] == ["user", "assistant", "user"]

    second = EverwhenSession(memory, "tuesday")
    config = RunConfig(call_model_input_filter=recall_filter(memory))
    model = Scripted("Tim.")
    await Runner.run(Agent(name="a", model=model), "What is the name of my cat?", session=second, run_config=config)
    question, block = model.asked[0]
    assert question["content"] == "What is the name of my cat?"
    assert "2023-01-08" in block["content"] and "My cat is called Tim." in block["content"]
    # What was added for the model is not part of the session.
    assert len(await second.get_items()) == 2

    past = RunConfig(call_model_input_filter=recall_filter(memory, as_of=datetime(2022, 1, 1, tzinfo=told_at.tzinfo)))
    model = Scripted("I do not know.")
    await Runner.run(Agent(name="a", model=model), "What is the name of my cat?", run_config=past)
    assert len(model.asked[0]) == 1


async def test_items_come_back_whole(memory: MemoryClient) -> None:
    session = EverwhenSession(memory, "tools")
    call = ResponseFunctionToolCall(type="function_call", name="weather", arguments='{"city": "Porto"}', call_id="c1")
    model = Scripted(call, "It rains.")
    await Runner.run(Agent(name="a", model=model, tools=[weather]), "How is the weather?", session=session)
    items: list[Any] = await session.get_items()
    assert [item.get("type", "message") for item in items] == ["message", "function_call", "function_call_output", "message"]
    assert (items[1]["arguments"], items[2]["output"]) == ('{"city": "Porto"}', "Rain in Porto.")
    assert await session.get_items(limit=2) == items[2:]
    short = EverwhenSession(memory, "tools", session_settings=SessionSettings(limit=1))
    assert await short.get_items() == items[3:]
    assert [entry.role for entry in memory.entries()] == ["user", "assistant", "tool", "assistant"]

    stored = memory.entries().to_list()
    assert await session.pop_item() == items[3]
    assert await session.get_items() == items[:3]
    await session.clear_session()
    assert (await session.get_items(), await session.pop_item()) == ([], None)
    assert len(stored) == 4


async def test_a_session_can_be_read_as_it_stood(memory: MemoryClient) -> None:
    session = EverwhenSession(memory, "monday")
    await session.add_items([{"role": "user", "content": "I live in Lisbon."}])
    entry = memory.entries().first()
    assert entry is not None
    memory.correct(entry.id, "I live in Porto.", reason="moved")
    assert await session.get_items() == [{"role": "user", "content": "I live in Porto."}]
    past = EverwhenSession(memory, "monday", as_of=entry.creation_time)
    assert await past.get_items() == [{"role": "user", "content": "I live in Lisbon."}]


async def test_a_chat_goes_on_when_memory_does_not_answer(caplog: pytest.LogCaptureFixture) -> None:
    with Everwhen("http://127.0.0.1:9", retries=0) as client:
        config = RunConfig(call_model_input_filter=recall_filter(client.memory()))
        answer = await Runner.run(Agent(name="a", model=Scripted("Hello.")), "Hi.", run_config=config)
    assert answer.final_output == "Hello."
    assert "nothing is recalled" in caplog.text


def test_it_works_without_an_event_loop_of_ones_own(memory: MemoryClient) -> None:
    session = EverwhenSession(memory, "sync")
    for _ in range(2):
        Runner.run_sync(Agent(name="a", model=Scripted("Hello.")), "Hi.", session=session)
    assert len(memory.entries().to_list()) == 4
