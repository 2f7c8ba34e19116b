"""A server of one's own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from everwhen import AsyncEverwhen, EmbeddedServer, Everwhen, find_binary
from everwhen.errors import EmbeddedServerError


def is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_given_directory_is_kept_and_a_temporary_one_is_not(tmp_path: Path) -> None:
    with Everwhen.embedded(tmp_path / "memory") as client:
        client.memory("ana").remember("Kept.", at="2023-01-08T12:49:00Z")
        assert client.doctor().problems == []
    with Everwhen.embedded(tmp_path / "memory") as client:
        assert [entry.content for entry in client.memory("ana").entries()] == ["Kept."]
    server = EmbeddedServer()
    assert is_running(server.process_id) and server.path.is_dir()
    server.stop()
    assert not is_running(server.process_id) and not server.path.exists()
    server.stop()


async def test_the_asynchronous_client_starts_one_too() -> None:
    async with await AsyncEverwhen.embedded() as client:
        assert (await client.health()).status == "ok"
        await client.memory().remember("Hello.")
        assert len(await client.memory().entries().to_list()) == 1


def test_settings_of_this_machine_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERWHEN_BINARY", str(find_binary()))
    monkeypatch.setenv("EVERWHEN_LISTEN", "not an address")
    (tmp_path / "everwhen.toml").write_text('zone = "Europe/Lisbon"\n')
    with Everwhen.embedded(config=tmp_path / "everwhen.toml") as client:
        client.memory().remember("Hello.")
        assert client.vault("default").get().zone == "Europe/Lisbon"


def test_a_server_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Everwhen.embedded(tmp_path), pytest.raises(EmbeddedServerError, match="held by process"):
        EmbeddedServer(tmp_path)
    with pytest.raises(EmbeddedServerError, match="did not start"):
        EmbeddedServer(binary="/bin/false")
    with pytest.raises(EmbeddedServerError, match="cannot start"):
        EmbeddedServer(binary=tmp_path / "nothing")
    monkeypatch.setenv("EVERWHEN_BINARY", str(tmp_path / "nothing"))
    with pytest.raises(EmbeddedServerError, match="EVERWHEN_BINARY"):
        find_binary()


def test_the_program_is_looked_for_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = find_binary()
    (tmp_path / "everwhen").symlink_to(real)
    monkeypatch.delenv("EVERWHEN_BINARY")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_binary() == tmp_path / "everwhen"
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EmbeddedServerError, match="was not found"):
        find_binary()


def test_a_program_that_ends_takes_its_server_with_it() -> None:
    code = "from everwhen import EmbeddedServer; print(EmbeddedServer().process_id)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not is_running(int(ended.stdout))


def test_a_program_that_is_killed_leaves_no_server_behind() -> None:
    code = "import time; from everwhen import EmbeddedServer; s = EmbeddedServer(); print(s.url, flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        url = program.stdout.readline().strip()
        assert answers(url)
        program.send_signal(signal.SIGKILL)
    for _ in range(600):
        if not answers(url):
            return
        time.sleep(0.1)
    raise AssertionError("the server still runs")


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", timeout=5, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False
