"""LangGraph: a graph that keeps something in one thread and finds it in another, and what a store promises."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict

import pytest
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from everwhen import MemoryClient
from everwhen.integrations.langgraph import EverwhenStore


class State(TypedDict, total=False):
    told: str
    asked: str
    found: list[str]


def remember_or_find(state: State, runtime: Runtime[None]) -> State:
    assert runtime.store is not None
    if "told" in state:
        runtime.store.put(("users", "ana"), "cat", {"text": state["told"]})
        return {}
    found = runtime.store.search(("users",), query=state["asked"], limit=1)
    return {"found": [f"{item.created_at:%Y-%m-%d} {item.value['text']}" for item in found]}


def test_a_second_thread_finds_what_the_first_was_told(memory: MemoryClient, told_at: datetime) -> None:
    builder = StateGraph(State).add_node("node", remember_or_find).add_edge(START, "node")
    builder.compile(store=EverwhenStore(memory, clock=lambda: told_at)).invoke({"told": "My cat is called Tim."})
    answer = builder.compile(store=EverwhenStore(memory)).invoke({"asked": "what is my cat called?"})
    assert answer["found"] == ["2023-01-08 My cat is called Tim."]


def test_it_behaves_as_the_store_in_memory(memory: MemoryClient) -> None:
    ours, theirs = EverwhenStore(memory), InMemoryStore()
    for store in (ours, theirs):
        assert store.search(("users",)) == [] and store.list_namespaces() == []
        assert store.get(("users", "ana"), "cat") is None
        store.put(("users", "ana"), "cat", {"name": "Tim", "age": 3, "home": {"town": "Porto"}})
        store.put(("users", "ana"), "dog", {"name": "Rex", "age": 7}, index=False)
        store.put(("users", "bob", "pets"), "cat", {"name": "Tom", "age": 5})
        store.put(("docs",), "é " * 300, {"text": "long key"})
        store.put(("users", "ana"), "cat", {"name": "Tim", "age": 4, "home": {"town": "Porto"}})
        store.put(("users", "ana"), "fish", {"name": "Nemo"})
        store.delete(("users", "ana"), "fish")
        store.delete(("users", "ana"), "nothing")

    def seen(store: EverwhenStore | InMemoryStore) -> object:
        def names(**arguments: object) -> list[str]:
            return sorted(str(item.value) for item in store.search(("users",), **arguments))  # type: ignore[arg-type]

        cat = store.get(("users", "ana"), "cat")
        return (
            cat and (cat.value, cat.key, cat.namespace),
            store.get(("users", "ana"), "fish"),
            names(),
            names(filter={"age": {"$gte": 5}}),
            names(filter={"age": {"$gt": 3, "$lt": 7}}),
            names(filter={"name": {"$ne": "Rex"}}),
            names(filter={"home": {"town": "Porto"}}),
            len(store.search((), limit=2)),
            len(store.search((), limit=10, offset=3)),
            store.list_namespaces(),
            store.list_namespaces(prefix=("users",)),
            store.list_namespaces(suffix=("pets",)),
            store.list_namespaces(prefix=("users", "*", "pets")),
            store.list_namespaces(max_depth=1),
            store.list_namespaces(limit=1, offset=1),
        )

    assert seen(ours) == seen(theirs)
    assert "Rex" not in str(ours.search(("users",), query="what is the dog called?"))


def test_the_past_of_a_value_can_be_read(memory: MemoryClient) -> None:
    store = EverwhenStore(memory)
    store.put(("users", "ana"), "town", {"town": "Lisbon"})
    first = store.get(("users", "ana"), "town")
    store.put(("users", "ana"), "town", {"town": "Porto"})
    now = store.get(("users", "ana"), "town")
    assert first is not None and now is not None
    assert (now.value, now.created_at) == ({"town": "Porto"}, first.created_at)
    assert now.updated_at > first.updated_at
    past = EverwhenStore(memory, as_of=first.updated_at)
    then = past.get(("users", "ana"), "town")
    assert then is not None and then.value == {"town": "Lisbon"}
    assert [item.value for item in past.search(("users",), query="town")] == [{"town": "Lisbon"}]
    with pytest.raises(ValueError, match="past"):
        past.put(("users", "ana"), "town", {"town": "Faro"})


async def test_asynchronous_methods_work(memory: MemoryClient) -> None:
    store = EverwhenStore(memory)
    await store.aput(("a",), "k", {"v": 1})
    item = await store.aget(("a",), "k")
    assert item is not None and item.value == {"v": 1}
    assert [found.key for found in await store.asearch(("a",))] == ["k"]
