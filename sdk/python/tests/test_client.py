"""What both clients do, against the real server."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime, timedelta, timezone

import httpx
import pytest

from everwhen import AsyncMemoryClient, Everwhen, MemoryClient, NewEntry, errors, types

MOMA = datetime(2023, 1, 8, 12, 49, tzinfo=timezone.utc)


def test_what_is_told_with_a_date_is_recalled_with_it(memory: MemoryClient) -> None:
    receipt = memory.remember("I visited MoMA today.", at=MOMA, tags=["art"], speaker="Ana")
    memory.remember("The Met has a fine armor hall.", at="2023-01-15T10:00:00Z")
    found = memory.recall("when did I visit MoMA?")
    best = next(iter(found))
    assert (best.entry.id, best.entry.conversation_time) == (receipt.id, MOMA)
    assert (best.entry.tags, best.entry.speaker) == (["art"], "Ana")
    assert "2023-01-08" in found.briefing and str(found) == found.briefing
    assert [str(line) for line in memory.timeline()] == [
        "2023-01-08 – I visited MoMA today.",
        "2023-01-15 – The Met has a fine armor hall. (+7 days)",
    ]


def test_as_of_shows_the_memory_as_it_stood(memory: MemoryClient) -> None:
    first = memory.remember("The interview is on the 12th.", at="2026-01-05T09:00:00Z")
    corrected = memory.correct(first.id, "The interview is on the 14th.", reason="they moved it")
    before = corrected.creation_time - timedelta(microseconds=1)
    assert [entry.content for entry in memory.entries()] == ["The interview is on the 14th."]
    assert [entry.content for entry in memory.entries(as_of=before)] == ["The interview is on the 12th."]
    past = memory.recall("when is the interview?", as_of=before)
    assert [found.entry.content for found in past] == ["The interview is on the 12th."]
    assert memory.entry(first.id).corrected_by is not None


def test_lists_are_walked_page_by_page(memory: MemoryClient) -> None:
    start = datetime(2024, 1, 1, tzinfo=timezone.utc)
    lines = [NewEntry(role="user", content=f"line {n}", conversation_time=start + timedelta(minutes=n)) for n in range(1203)]
    receipts = memory.remember_all(lines)
    assert len({receipt.id for receipt in receipts}) == 1203
    assert [entry.content for entry in memory.entries()] == [f"line {n}" for n in range(1203)]
    assert len(memory.entries(limit=1101).to_list()) == 1101
    assert memory.entries(limit=0).to_list() == []
    newest = memory.entries(order="desc").first()
    assert newest is not None and newest.content == "line 1202"
    assert [entry.content for entry in memory.entries(after=start + timedelta(minutes=1200))] == ["line 1200", "line 1201", "line 1202"]


def test_the_same_key_stores_once(memory: MemoryClient) -> None:
    first = memory.remember("Once.", idempotency_key="letter-1")
    assert memory.remember("Once.", idempotency_key="letter-1") == first
    assert len(memory.entries().to_list()) == 1
    with pytest.raises(errors.ConflictError):
        memory.remember("Something else.", idempotency_key="letter-1")


def test_conversations_end_fork_and_come_from_elsewhere(memory: MemoryClient) -> None:
    one = memory.remember("Shall we go?", at=MOMA, conversation_id="trip")
    memory.remember("Yes.", role="assistant", at=MOMA + timedelta(minutes=1), conversation_id="trip")
    assert memory.fork("trip", after=one.id).message_count == 1
    detail = memory.conversation("trip")
    assert [entry.content for entry in detail.entries] == ["Shall we go?"]
    assert detail.source_id == "trip" and len(detail.branches) == 1
    memory.remember("Something new.")
    assert "Something new." in memory.prompt()
    assert memory.end(reason="enough").ended_by == "caller"
    entry = types.ImportedEntry(role="user", content="An old letter.", conversation_time="2020-02-02T10:00:00+01:00")
    letter = types.ImportedConversation(conversation_id="letter", entries=[entry], title="A letter")
    assert memory.import_conversation(letter, dry_run=True).message_count == 1
    memory.import_conversation(letter)
    assert [c.title for c in memory.conversations(before="2021-01-01T00:00:00Z")] == ["A letter"]


def test_facts_context_and_summaries(client: Everwhen, memory: MemoryClient) -> None:
    memory.remember("My cat is called Tim.", at="2024-05-01T10:00:00Z")
    memory.remember("I live in Porto.", at="2024-06-01T10:00:00Z")
    memory.distill()
    # The server works on it in the background.
    while len(facts := memory.facts().to_list()) < 2:
        time.sleep(0.05)
    assert client.settle().done >= 0
    assert all(fact.evidence for fact in facts)
    fact = memory.pin(facts[0].id)
    assert fact.pinned and memory.fact(fact.id) == fact
    assert fact in memory.fact_history(fact.id)
    assert memory.facts(pinned=True).to_list() == [fact]
    assert "2024-05" in memory.facts_text()
    assert {value.fact_id for value in memory.profile()} <= {fact.id for fact in memory.facts(all=True)}
    # The server may write versions of its own before ours, never over ours.
    first = memory.put_context("Ana has a cat.")
    second = memory.put_context("Ana has a cat called Tim.")
    assert memory.context() == second
    assert memory.context(version=first.version) == memory.context(as_of=first.creation_time) == first
    assert memory.context_versions().to_list()[:2] == [second, first]


def test_forgetting_says_what_is_gone(memory: MemoryClient) -> None:
    entry = memory.remember("One.", at=MOMA)
    memory.remember("Two.", at=MOMA + timedelta(days=1), conversation_id="second")
    memory.remember("Three.", at=MOMA + timedelta(days=2))
    assert memory.forget(entry=entry.id).entries == 1
    assert memory.forget(conversation="second").conversations == 1
    assert memory.forget(after=MOMA + timedelta(days=2)).entries == 1
    assert memory.entries().to_list() == []
    assert memory.forget(whole_memory=True).memories == 1
    with pytest.raises(errors.NotFoundError):
        memory.get()
    with pytest.raises(ValueError, match="exactly one"):
        memory.forget(entry=entry.id, whole_memory=True)
    with pytest.raises(ValueError, match="exactly one"):
        memory.forget()


def test_errors_say_what_would_be_right(memory: MemoryClient, client: Everwhen) -> None:
    with pytest.raises(errors.InvalidError, match="has no zone") as caught:
        memory.remember("When?", at="2023-01-08 12:49")
    assert (caught.value.status, caught.value.kind) == (400, "invalid")
    with pytest.raises(ValueError, match="no time zone"):
        memory.remember("When?", at=datetime(2023, 1, 8, 12, 49))
    with pytest.raises(errors.NotFoundError):
        memory.context()
    with pytest.raises(errors.UnauthenticatedError), Everwhen(client.url, key="wrong") as stranger:
        stranger.doctor()


@pytest.mark.parametrize("wrong", ["", ".", ".."])
def test_a_name_that_leads_to_another_address_is_not_sent(wrong: str) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise AssertionError(f"{request.method} {request.url} was sent")

    client = Everwhen("http://server", http_client=httpx.Client(transport=httpx.MockTransport(refuse)))
    ana = client.memory("ana")
    for use in (
        lambda: client.vault(wrong),
        lambda: client.vault("v").memory(wrong),
        lambda: ana.forget(entry=wrong),
        lambda: ana.forget(conversation=wrong),
        lambda: ana.entry(wrong),
        lambda: ana.remove_fact(wrong),
        lambda: client.remove_key(wrong),
    ):
        with pytest.raises(errors.InvalidError, match="no name or id"):
            use()


def test_a_time_that_means_nothing_is_not_sent() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise AssertionError(f"{request.method} {request.url} was sent")

    client = Everwhen("http://server", http_client=httpx.Client(transport=httpx.MockTransport(refuse)))
    ana, nowhere = client.memory("ana"), datetime(2023, 1, 8, 12, 49)
    for use in (
        lambda: ana.forget(after=nowhere, before=MOMA),
        lambda: ana.remember("x", at=nowhere),
        lambda: ana.recall("x", as_of=nowhere),
        lambda: ana.entries(after=nowhere).to_list(),
        lambda: client.vault("v").read_period("last March", asked_at=nowhere),
    ):
        with pytest.raises(ValueError, match="no time zone"):
            use()
    with pytest.raises(ValueError):
        ana.remember("x", metadata={"weight": float("nan")})


def test_vaults_and_keys(client: Everwhen, name: str) -> None:
    vault = client.create_vault(types.NewVault(name=name, zone="Europe/Lisbon"))
    assert vault in client.vaults().to_list()
    there = client.vault(name)
    there.memory("diary").remember("Sunny.", at=MOMA)
    assert [memory.name for memory in there.memories()] == ["diary"]
    assert [found.memory for found in there.recall("sunny")] == ["diary"]
    changed = there.change(types.VaultPatch(description="Ana's"))
    assert (changed.description, changed.zone) == ("Ana's", "Europe/Lisbon")
    assert there.usage().total.calls == 0
    march = there.read_period("last March", asked_at="2025-08-01T12:00:00Z")
    assert (march.since.isoformat(), march.precision) == ("2025-03-01T00:00:00+00:00", "month")
    assert there.forget().memories == 1


async def test_the_asynchronous_client_does_the_same(async_memory: AsyncMemoryClient) -> None:
    await asyncio.gather(*(async_memory.remember(f"line {n}", at=MOMA) for n in range(150)))
    assert len(await async_memory.entries().to_list()) == 150
    seen = 0
    async for line in async_memory.timeline(limit=120):
        seen += line.conversation_time == MOMA
    assert seen == 120
    assert len(await async_memory.recall("line", limit=3)) == 3
    with pytest.raises(errors.NotFoundError):
        await async_memory.conversation("nobody's")
