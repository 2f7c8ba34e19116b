"""Anthropic's memory tool over Everwhen: the package's own tool runner carries out what a scripted model asks for."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

import httpx2
import pytest
from anthropic import Anthropic
from anthropic.lib.tools import ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from everwhen import AsyncMemoryClient, MemoryClient
from everwhen.integrations.anthropic_memory import AsyncEverwhenMemoryTool, EverwhenMemoryTool

NOTES = "/memories/notes.md"


def scripted(commands: list[dict[str, Any]], heard: list[dict[str, Any]]) -> Anthropic:
    """A client of a model that gives one command after the other, then says that it is done."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        heard.append(json.loads(request.content))
        done = len(heard) - 1
        usage = {"input_tokens": 1, "output_tokens": 1}
        block: dict[str, Any] = {"type": "text", "text": "Done."}
        if done < len(commands):
            block = {"type": "tool_use", "id": f"toolu_{done}", "name": "memory", "input": commands[done]}
        stop = "tool_use" if done < len(commands) else "end_turn"
        return httpx2.Response(200, json={"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage})

    return Anthropic(api_key="unused", base_url="http://model", http_client=httpx2.Client(transport=httpx2.MockTransport(answer)))


def test_a_model_keeps_files_and_every_version_has_its_date(memory: MemoryClient) -> None:
    tool = EverwhenMemoryTool(memory)
    heard: list[dict[str, Any]] = []
    commands = [
        {"command": "view", "path": "/memories"},
        {"command": "create", "path": NOTES, "file_text": "The user is called Ana.\n"},
        {"command": "create", "path": NOTES, "file_text": "again"},
    ]
    client = scripted(commands, heard)
    final = client.beta.messages.tool_runner(
        model="m", max_tokens=10, tools=[tool], messages=[{"role": "user", "content": "Remember me."}]
    ).until_done()
    assert final.stop_reason == "end_turn"
    assert heard[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    results = [block for request in heard[1:] for block in request["messages"][-1]["content"]]
    said = ["".join(part["text"] if isinstance(part, dict) else part for part in block["content"]) for block in results]
    assert said[0].endswith("0B\t/memories") and said[1] == f"File created successfully at: {NOTES}"
    assert f"File {NOTES} already exists" in said[2] and results[2]["is_error"]

    before = datetime.now(timezone.utc)
    told = tool.str_replace(BetaMemoryTool20250818StrReplaceCommand(command="str_replace", path=NOTES, old_str="Ana", new_str="Bea"))
    assert told.endswith("     1\tThe user is called Bea.\n     2\t")
    tool.insert(BetaMemoryTool20250818InsertCommand(command="insert", path=NOTES, insert_line=1, insert_text="She lives in Porto."))
    view = BetaMemoryTool20250818ViewCommand(command="view", path=NOTES)
    assert "Bea" in tool.view(view) and "Porto" in tool.view(view)
    then = EverwhenMemoryTool(memory, as_of=before).view(view)
    assert "Ana" in then and "Porto" not in then
    tool.rename(BetaMemoryTool20250818RenameCommand(command="rename", old_path=NOTES, new_path="/memories/ana.md"))
    tool.delete(BetaMemoryTool20250818DeleteCommand(command="delete", path="/memories/ana.md"))
    with pytest.raises(ToolError, match="does not exist"):
        tool.view(view)
    assert "Ana" in EverwhenMemoryTool(memory, as_of=before).view(view), "what was deleted was there before"


async def test_the_asynchronous_tool_does_the_same(async_memory: AsyncMemoryClient) -> None:
    tool = AsyncEverwhenMemoryTool(async_memory)
    told = await tool.call({"command": "create", "path": NOTES, "file_text": "x"})
    assert told == f"File created successfully at: {NOTES}"
    with pytest.raises(ToolError, match="Path must start with /memories"):
        await tool.view(BetaMemoryTool20250818ViewCommand(command="view", path="/etc/passwd"))
