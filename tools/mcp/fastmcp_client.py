"""The whole story by FastMCP's client: fastmcp_client.py BINARY URL"""

import asyncio
import json
import pathlib
import sys
import tempfile

from fastmcp import Client

STORY = json.loads((pathlib.Path(__file__).parent / "story.json").read_text())


async def tell(server, memory):
    async with Client(server) as client:
        async def call(tool, arguments):
            result = await client.call_tool(tool, {**arguments, "memory": memory})
            return result.structured_content

        for entry in STORY["history"]:
            await call("add_entry", entry)
        told = await call("search_memories", STORY["question"])
        assert told["items"][0]["raw_entry"] == STORY["found"], told
        assert STORY["line"] in (await call("get_timeline", {}))["timeline"]
        await call("add_entry", STORY["farewell"])
        ended = await call("end_conversation", {})
        whole = await call("get_conversation", {"conversation_id": ended["conversation_id"]})
        assert whole["messages"][-1]["content"] == STORY["farewell"]["raw_entry"], whole
        timeline = await client.read_resource(f"everwhen://timeline/{memory}")
        assert STORY["line"] in timeline[0].text, timeline


async def main(binary, url):
    await tell(url, "fastmcp-http")
    print("http: ok")
    with tempfile.TemporaryDirectory() as data:
        servers = {"everwhen": {"command": binary, "args": ["mcp", "--data", data]}}
        await tell({"mcpServers": servers}, "fastmcp-stdio")
        print("stdio: ok")


asyncio.run(main(*sys.argv[1:]))
