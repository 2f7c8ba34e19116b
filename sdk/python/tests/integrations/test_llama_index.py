"""LlamaIndex: a real Memory with the block, whose short-term part overflows."""

from __future__ import annotations

from datetime import datetime

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory

from everwhen import MemoryClient
from everwhen.integrations.llama_index import EverwhenMemoryBlock


def words(text: str) -> list[str]:
    """A tokenizer that needs no download."""
    return text.split()


def memory_with(block: EverwhenMemoryBlock, session_id: str, token_limit: int = 4000) -> Memory:
    return Memory.from_defaults(
        session_id=session_id,
        memory_blocks=[block],
        token_limit=token_limit,
        token_flush_size=5,
        chat_history_token_ratio=0.5,
        tokenizer_fn=words,
    )


async def test_a_second_session_is_told_what_left_the_first(memory: MemoryClient, told_at: datetime) -> None:
    block = EverwhenMemoryBlock(memory=memory)
    first = memory_with(block, "monday", token_limit=40)
    said = ChatMessage(role="user", content="My cat is called Tim.", additional_kwargs={"conversation_time": told_at})
    # The first messages leave the short-term memory as others come.
    await block.aput([said], from_short_term_memory=True, session_id="monday")
    for number in range(12):
        role = "assistant" if number % 2 else "user"
        await first.aput(ChatMessage(role=role, content=f"We talk about the weather again, number {number}."))
    entries = memory.entries(conversation_id="monday").to_list()
    assert (entries[0].content, entries[0].conversation_time) == ("My cat is called Tim.", told_at)
    assert len(entries) > 5

    second = memory_with(EverwhenMemoryBlock(memory=memory), "tuesday")
    shown = await second.aget(input="What is the name of my cat?")
    text = "\n".join(str(message.content) for message in shown)
    assert "2023-01-08" in text and "My cat is called Tim." in text

    past = memory_with(EverwhenMemoryBlock(memory=memory, as_of=told_at), "wednesday")
    assert await past.aget(input="What is the name of my cat?") == []


def test_it_works_without_an_event_loop_of_ones_own(memory: MemoryClient) -> None:
    memory.remember("My cat is called Tim.", at="2023-01-08T12:49:00Z")
    chat = memory_with(EverwhenMemoryBlock(memory=memory), "sync")
    for _ in range(2):
        chat.put(ChatMessage(role="user", content="What is my cat called?"))
        assert "Tim" in str(chat.get()[0].content)


async def test_a_block_that_is_too_long_loses_its_end(memory: MemoryClient) -> None:
    block = EverwhenMemoryBlock(memory=memory)
    text = "\n".join(f"line {number}" for number in range(10))
    assert await block.atruncate(text, 5) == "\n".join(f"line {number}" for number in range(7))
    assert await block.atruncate(text, 1000) is None
