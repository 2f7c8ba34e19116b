"""OpenAI Agents: a session that keeps its dates, and what was said in other sessions for the model."""

from __future__ import annotations

from typing import Any

from agents import TResponseInputItem
from agents.memory import SessionSettings
from agents.run_config import CallModelData, CallModelInputFilter, ModelInputData

from everwhen import MemoryClient
from everwhen._async.waiting import outside
from everwhen.integrations._items import Clock, entry_of, forget_conversation, history, item_of, memory_block, times
from everwhen.types import Entry, NewEntry, Role, Time

FRAMEWORK = "openai"
ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


class EverwhenSession:
    """A session, a conversation of the memory. It implements the protocol `Session`."""

    def __init__(
        self,
        memory: MemoryClient,
        session_id: str,
        *,
        session_settings: SessionSettings | None = None,
        as_of: Time | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.memory = memory
        self.session_id = session_id
        self.session_settings = session_settings
        self.as_of = as_of
        """Show the items as they stood at this time."""
        self.clock = clock

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The last items, oldest first."""
        most = limit if limit is not None else self.session_settings.limit if self.session_settings else None
        entries = await outside(lambda: history(self.memory, self.session_id, limit=most, as_of=self.as_of))
        return [_item(entry) for entry in entries]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Keeps items, all of them or none."""
        said = zip(items, times(self.clock, len(items)))
        entries = [_entry(dict(item), self.session_id, at) for item, at in said]
        await outside(lambda: self.memory.remember_all(entries))

    async def pop_item(self) -> TResponseInputItem | None:
        """Forgets the last item and gives it back."""
        last = await outside(lambda: history(self.memory, self.session_id, limit=1))
        if not last:
            return None
        await outside(lambda: self.memory.forget(entry=last[0].id))
        return _item(last[0])

    async def clear_session(self) -> None:
        """Forgets the session permanently."""
        await outside(lambda: forget_conversation(self.memory, self.session_id))


def recall_filter(
    memory: MemoryClient, *, as_of: Time | None = None, budget_tokens: int | None = None
) -> CallModelInputFilter:
    """What `RunConfig(call_model_input_filter=…)` takes: it shows the model what was said about the last question, in any
    session, behind that question. What it adds is not stored."""

    async def add_block(data: CallModelData[Any]) -> ModelInputData:
        items = list(data.model_data.input)
        places = [place for place, item in enumerate(items) if dict(item).get("role") == "user"]
        question = _text(dict(items[places[-1]])) if places else ""
        block = await outside(lambda: memory_block(memory, question, as_of=as_of, budget_tokens=budget_tokens))
        if block:
            items.insert(places[-1] + 1, {"role": "user", "content": block})
        return ModelInputData(input=items, instructions=data.model_data.instructions)

    return add_block


def _entry(item: dict[str, Any], session_id: str, at: Time | None) -> NewEntry:
    kind = str(item.get("type", "message"))
    role = ROLES.get(str(item.get("role")), "tool" if kind.endswith("_output") else "assistant")
    return entry_of(FRAMEWORK, item, role=role, text=_text(item), conversation_id=session_id, at=at)


def _item(entry: Entry) -> TResponseInputItem:
    item = item_of(FRAMEWORK, entry)
    if item is None:
        item = {"role": "assistant" if entry.role == "tool" else entry.role, "content": entry.content}
    return item  # type: ignore[no-any-return]


def _text(item: dict[str, Any]) -> str:
    """The words of an item; those of its parts, if it has several."""
    said = item.get("content", item.get("output", ""))
    if isinstance(said, str):
        return said
    parts = said if isinstance(said, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))
