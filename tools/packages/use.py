"""Uses a program as its reader would: remembers, recalls, serves, speaks MCP, in a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import urllib.request
from pathlib import Path

SAID = "We picked the blue tent for the trip."
MOMENT = "2025-03-02 09:00"
STARTING_SECONDS = 120


class Use:
    """A command that starts the program, and the directory used as a user's home."""

    def __init__(self, command: list[str], *, home: str | None = None, path: str = "/usr/sbin:/usr/bin:/sbin:/bin") -> None:
        self.command = command
        self._own = tempfile.TemporaryDirectory(prefix="release-check-") if home is None else None
        self.environment = {"HOME": home or self._own.name, "PATH": path, "EVERWHEN_ZONE": "UTC"}

    def run(self, *arguments: str) -> str:
        done = subprocess.run([*self.command, *arguments], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join([*self.command, *arguments])} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def remember_and_recall(self) -> None:
        self.run("remember", SAID, "--at", MOMENT)
        found = self.run("recall", "which tent did we pick?")
        assert SAID in found and "2025-03-02" in found, found

    def serve(self) -> None:
        """A server answers over HTTP what the command line remembered."""
        command = [*self.command, "serve", "--json", "--listen", "127.0.0.1:0"]
        server = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = json.loads(server.stdout.readline())["url"]
            body = json.dumps({"query": "which tent?"}).encode()
            request = urllib.request.Request(
                f"{address}/v1/vaults/default/memories/default/recall", body, {"content-type": "application/json"}
            )
            with urllib.request.urlopen(request, timeout=STARTING_SECONDS) as response:
                assert SAID in response.read().decode()
            with urllib.request.urlopen(f"{address}/ui/", timeout=STARTING_SECONDS) as response:
                assert b"<html" in response.read().lower()
            with urllib.request.urlopen(f"{address}/docs/swagger-ui-bundle.js", timeout=STARTING_SECONDS) as response:
                assert len(response.read()) > 100_000
        finally:
            server.terminate()
            server.wait(60)

    def mcp(self) -> None:
        """An MCP client lists the tools and recalls."""
        started = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "release-check", "version": "1"}}
        calls = [
            {"id": 1, "method": "initialize", "params": started},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/list"},
            {"id": 3, "method": "tools/call", "params": {"name": "search_memories", "arguments": {"query": "which tent did we pick?"}}},
        ]
        client = subprocess.Popen(
            [*self.command, "mcp"], env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        answers = {}
        for call in calls:
            client.stdin.write(json.dumps({"jsonrpc": "2.0"} | call) + "\n")
            client.stdin.flush()
            while "id" in call and call["id"] not in answers:
                answer = json.loads(client.stdout.readline())
                answers[answer.get("id")] = answer
        client.stdin.close()
        client.wait(60)
        tools = [tool["name"] for tool in answers[2]["result"]["tools"]]
        assert "search_memories" in tools, tools
        assert "blue tent" in json.dumps(answers[3]), answers[3]

    def everything(self) -> None:
        self.remember_and_recall()
        self.serve()
        self.mcp()


def in_empty_root(binary: Path) -> tuple[list[str], Path]:
    """A command that runs the binary in a directory that holds nothing else: no library, no shell, no certificates."""
    root = Path(tempfile.mkdtemp(prefix="release-check-root-"))
    (root / "home").mkdir()
    (root / "tmp").mkdir()
    (root / "everwhen").write_bytes(binary.read_bytes())
    (root / "everwhen").chmod(0o755)
    change = ["chroot"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "chroot"]
    return [*change, str(root), "/everwhen"], root
