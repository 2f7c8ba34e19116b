"""Google ADK: a real runner with a scripted model and ADK's own tool that loads memory."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Any

from google.adk.agents import Agent
from google.adk.events import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from google.genai import types

from everwhen import Everwhen
from everwhen.integrations.adk import EverwhenMemoryService


class Scripted(BaseLlm):
    """A model that always answers the same and keeps what it was asked."""

    asked: list[str] = []

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self.asked.append("\n".join(part.text or "" for content in llm_request.contents for part in content.parts or []))
        yield LlmResponse(content=content("Noted.", "model"))


def content(text: str, role: str = "user") -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def session_of(name: str, told_at: datetime) -> Session:
    events = [
        Event(id="e1", author="user", content=content("My cat is called Tim."), timestamp=told_at.timestamp()),
        Event(id="e2", author="helper", content=content("Noted.", "model"), timestamp=told_at.timestamp() + 5),
    ]
    return Session(id="monday", app_name=name, user_id="ana", events=events)


async def test_a_second_session_is_told_what_the_first_said(client: Everwhen, name: str, told_at: datetime) -> None:
    service = EverwhenMemoryService(client)
    first = session_of(name, told_at)
    await service.add_session_to_memory(first)
    first.events.append(Event(id="e3", author="user", content=content("He is grey."), timestamp=told_at.timestamp() + 9))
    await service.add_session_to_memory(first)
    entries = service.memory(name, "ana").entries().to_list()
    assert [entry.content for entry in entries] == ["My cat is called Tim.", "Noted.", "He is grey."]
    assert (entries[0].conversation_time, entries[1].speaker) == (told_at, "helper")

    model = Scripted(model="scripted", asked=[])
    agent = Agent(name="helper", model=model, tools=[PreloadMemoryTool()])
    sessions = InMemorySessionService()
    runner = Runner(agent=agent, app_name=name, session_service=sessions, memory_service=service)
    session = await sessions.create_session(app_name=name, user_id="ana")
    question = content("What is the name of my cat?")
    async for _ in runner.run_async(user_id="ana", session_id=session.id, new_message=question):
        pass
    assert "Time: 2023-01-08T12:49:00+00:00\nuser: My cat is called Tim." in model.asked[0]


async def test_what_is_deleted_stays_deleted(client: Everwhen, name: str, told_at: datetime) -> None:
    service = EverwhenMemoryService(client)
    await service.add_session_to_memory(session_of(name, told_at))
    found = await service.search_memory(app_name=name, user_id="ana", query="what is the cat called?")
    best = found.memories[0]
    assert (best.timestamp, best.author) == (told_at.isoformat(), "user")
    await service.delete_memory(app_name=name, user_id="ana", memory_id=best.id)
    await service.add_session_to_memory(session_of(name, told_at))
    assert [entry.content for entry in service.memory(name, "ana").entries()] == ["Noted."]


async def test_memories_of_other_users_and_of_the_past(client: Everwhen, name: str, told_at: datetime) -> None:
    service = EverwhenMemoryService(client)
    written = MemoryEntry(content=content("Ana likes tea."), timestamp="2024-02-03T10:00:00Z", author="user")
    await service.add_memory(app_name=name, user_id="ana", memories=[written])

    async def search(service: EverwhenMemoryService, user: str) -> list[Any]:
        return (await service.search_memory(app_name=name, user_id=user, query="tea")).memories

    assert [one.timestamp for one in await search(service, "ana")] == ["2024-02-03T10:00:00+00:00"]
    assert await search(service, "bob") == []
    assert await search(EverwhenMemoryService(client, as_of=told_at), "ana") == []
