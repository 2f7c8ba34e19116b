"""The whole story by the Python SDK: python_sdk.py BINARY URL"""

import asyncio
import datetime
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


async def keep_files(server):
    """Anthropic's memory tool for any client: six commands in plain text, and earlier versions."""
    async with Client(server) as client:
        async def run(command, **arguments):
            result = await client.call_tool("memory", {"command": command, **arguments})
            return result.content[0].text, result.is_error

        path = "/memories/notes.md"
        assert [tool.name for tool in (await client.list_tools()).tools] == ["memory"]
        assert (await run("view", path="/memories"))[0].endswith("\n0B\t/memories")
        assert await run("create", path=path, file_text="Ana\n") == (f"File created successfully at: {path}", False)
        before = datetime.datetime.now(datetime.timezone.utc).isoformat()
        assert not (await run("str_replace", path=path, old_str="Ana", new_str="Bea"))[1]
        assert await run("insert", path=path, insert_line=1, insert_text="Porto") == (f"The file {path} has been edited.", False)
        assert (await run("view", path=path))[0].endswith("     1\tBea\n     2\tPorto\n     3\t")
        assert (await run("view", path=path, as_of=before))[0].endswith("     1\tAna\n     2\t")
        assert not (await run("rename", old_path=path, new_path="/memories/bea.md"))[1]
        assert not (await run("delete", path="/memories/bea.md"))[1]
        assert (await run("view", path="/memories/../etc/passwd"))[1]


async def main(binary, url):
    print("http:", await tell(url, "python-http"))
    print("http, older:", await tell(url, "python-http-older", mode="legacy"))
    with tempfile.TemporaryDirectory() as data:
        server = StdioServerParameters(command=binary, args=["mcp", "--data", data])
        print("stdio:", await tell(server, "python-stdio"))
        print("stdio, older:", await tell(server, "python-stdio-older", mode="legacy"))
        await keep_files(StdioServerParameters(command=binary, args=["mcp", "--data", data, "--profile", "files"]))
        await keep_files(f"{url}?profile=files&memory=python-files")
        print("files: ok")


asyncio.run(main(*sys.argv[1:]))
