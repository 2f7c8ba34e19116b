"""The whole story by the Python SDK: python_sdk.py BINARY URL"""

import asyncio
import json
import pathlib
import sys
import tempfile

from mcp import Client, StdioServerParameters

STORY = json.loads((pathlib.Path(__file__).parent / "story.json").read_text())


async def tell(server, memory, mode="auto"):
    async with Client(server, mode=mode) as client:
        async def call(tool, arguments):
            result = await client.call_tool(tool, {**arguments, "memory": memory})
            assert not result.is_error, result
            return result.structured_content

        tools = await client.list_tools()
        assert len(tools.tools) == 7, tools
        for entry in STORY["history"]:
            stored = await call("add_entry", entry)
            assert stored["conversation_time"] == entry["conversation_time"], stored
        told = await call("search_memories", STORY["question"])
        assert told["items"][0]["raw_entry"] == STORY["found"], told
        assert told["about"]["since"].startswith("2023-01-15"), told
        assert STORY["line"] in (await call("get_timeline", {}))["timeline"]
        farewell = await call("add_entry", STORY["farewell"])
        ended = await call("end_conversation", {"reason": "done"})
        assert ended["conversation_id"] == farewell["conversation_id"], ended
        whole = await call("get_conversation", {"conversation_id": ended["conversation_id"]})
        assert whole["messages"][-1]["content"] == STORY["farewell"]["raw_entry"], whole
        wrong = {**STORY["farewell"], "conversation_time": "yesterday"}
        refused = await client.call_tool("add_entry", wrong)
        assert refused.is_error and "2023-01-08T12:49:00Z" in refused.content[0].text, refused
        prompts = await client.list_prompts()
        assert len(prompts.prompts) == 4, prompts
        return client.protocol_version


async def main(binary, url):
    print("http:", await tell(url, "python-http"))
    print("http, older:", await tell(url, "python-http-older", mode="legacy"))
    with tempfile.TemporaryDirectory() as data:
        server = StdioServerParameters(command=binary, args=["mcp", "--data", data])
        print("stdio:", await tell(server, "python-stdio"))
        print("stdio, older:", await tell(server, "python-stdio-older", mode="legacy"))


asyncio.run(main(*sys.argv[1:]))
