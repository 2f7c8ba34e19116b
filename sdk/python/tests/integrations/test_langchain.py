"""LangChain: its own kit for retrievers, the chat history under RunnableWithMessageHistory, an agent with middleware."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_tests.integration_tests import RetrieversIntegrationTests

from everwhen import MemoryClient
from everwhen.integrations.langchain import EverwhenChatMessageHistory, EverwhenRetriever
from everwhen.integrations.langchain_agents import EverwhenMiddleware


class TestRetrieverKit(RetrieversIntegrationTests):
    """LangChain's own tests for retrievers."""

    memory: MemoryClient

    @pytest.fixture(autouse=True)
    def told(self, memory: MemoryClient) -> None:
        for city in ("Porto", "Lisbon", "Faro", "Braga"):
            memory.remember(f"I went to {city} by train.")
        type(self).memory = memory

    @property
    def retriever_constructor(self) -> type[EverwhenRetriever]:
        return EverwhenRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": type(self).memory}

    @property
    def retriever_query_example(self) -> str:
        return "where did I go by train?"


def test_a_second_session_finds_what_the_first_was_told(memory: MemoryClient, told_at: datetime) -> None:
    def chain(clock: Any) -> RunnableWithMessageHistory:
        echo = RunnableLambda(lambda messages: AIMessage(content=f"{len(messages)} messages so far."))
        return RunnableWithMessageHistory(
            echo, lambda session_id: EverwhenChatMessageHistory(memory, session_id, clock=clock)
        )

    first = {"configurable": {"session_id": "monday"}}
    chain(lambda: told_at).invoke([HumanMessage("My cat is called Tim.")], first)
    answer = chain(lambda: told_at).invoke([HumanMessage("He is grey.")], first)
    assert answer.content == "3 messages so far."
    fresh = chain(None).invoke([HumanMessage("Hello.")], {"configurable": {"session_id": "tuesday"}})
    assert fresh.content == "1 messages so far."

    documents = EverwhenRetriever(memory=memory, k=1).invoke("what is the name of my cat?")
    assert documents[0].page_content == "[2023-01-08 12:49 UTC] My cat is called Tim."
    assert documents[0].metadata["conversation_id"] == "monday"
    assert datetime.fromisoformat(documents[0].metadata["conversation_time"]) == told_at


def test_messages_come_back_whole_and_as_they_stood(memory: MemoryClient, told_at: datetime) -> None:
    history = EverwhenChatMessageHistory(memory, "tools", clock=lambda: told_at)
    call = {"name": "weather", "args": {"city": "Porto"}, "id": "call_1", "type": "tool_call"}
    messages: list[BaseMessage] = [
        HumanMessage(content="How is the weather?", id="m1"),
        AIMessage(content="", tool_calls=[call], id="m2"),
        ToolMessage(content="rain " * 20_000, tool_call_id="call_1", id="m3"),
        HumanMessage(content=[{"type": "text", "text": "And"}, {"type": "text", "text": "here?"}], id="m4"),
    ]
    history.add_messages(messages)
    assert history.messages == messages
    assert EverwhenChatMessageHistory(memory, "tools", limit=2).messages == messages[2:]

    first = memory.entries().first()
    assert first is not None
    corrected = memory.correct(first.id, "How is the weather in Porto?", reason="said which town")
    assert history.messages[0] == HumanMessage(content="How is the weather in Porto?", id="m1")
    past = EverwhenChatMessageHistory(memory, "tools", as_of=first.creation_time)
    assert past.messages == messages
    assert corrected.creation_time > first.creation_time

    history.clear()
    assert history.messages == []
    history.clear()


async def test_asynchronous_methods_work(memory: MemoryClient) -> None:
    history = EverwhenChatMessageHistory(memory, "async")
    await history.aadd_messages([HumanMessage("Hello.")])
    assert [message.content for message in await history.aget_messages()] == ["Hello."]


class Recording(GenericFakeChatModel):
    """A model that answers by a script and keeps what it was asked."""

    asked: list[list[BaseMessage]] = []

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.asked.append(messages)
        return super()._generate(messages, *args, **kwargs)


@pytest.mark.parametrize("is_async", [False, True])
async def test_an_agent_remembers_over_threads(memory: MemoryClient, told_at: datetime, is_async: bool) -> None:
    async def run(text: str, thread: str | None = None, clock: Any = None, as_of: Any = None) -> list[BaseMessage]:
        model = Recording(messages=iter([AIMessage("Noted.")]), asked=[])
        agent = create_agent(model, middleware=[EverwhenMiddleware(memory, clock=clock, as_of=as_of)])
        question: Any = {"messages": [HumanMessage(text)]}
        config: Any = {"configurable": {"thread_id": thread}} if thread else {}
        await agent.ainvoke(question, config) if is_async else agent.invoke(question, config)
        return model.asked[0]

    assert len(await run("My cat is called Tim.", thread="monday", clock=lambda: told_at)) == 1
    stored = memory.entries(conversation_id="monday").to_list()
    assert [(entry.role, entry.content, entry.conversation_time) for entry in stored] == [
        ("user", "My cat is called Tim.", told_at),
        ("assistant", "Noted.", told_at + timedelta(microseconds=1)),
    ]
    asked = await run("What is the name of my cat?")
    assert asked[0].content == "What is the name of my cat?"
    assert "2023-01-08" in str(asked[1].content) and "My cat is called Tim." in str(asked[1].content)
    before = await run("What is the name of my cat?", as_of=datetime(2022, 1, 1, tzinfo=told_at.tzinfo))
    assert len(before) == 1
