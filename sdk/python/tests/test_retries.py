"""Requests that are sent again: a relay stands before the real server, and loses, refuses or delays."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from everwhen import AsyncEverwhen, EmbeddedServer, Everwhen, errors, types


class Relay(ThreadingHTTPServer):
    """Passes requests on, and does something else with the first few."""

    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.target = target
        self.plan: list[str] = []
        self.keys: list[str | None] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Relay

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.keys.append(self.headers.get("idempotency-key"))
        plan = self.server.plan.pop(0) if self.server.plan else "pass"
        if plan.isdigit():
            self.send_response(int(plan))
            self.send_header("retry-after", "0")
            self.send_header("content-length", "0")
            self.end_headers()
            return
        headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
        answer = httpx.request(self.command, self.server.target + self.path, content=body, headers=headers)
        if plan == "lose the answer":
            self.close_connection = True
            return
        self.send_response(answer.status_code)
        self.send_header("content-type", answer.headers["content-type"])
        self.send_header("content-length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)

    do_GET = do_DELETE = do_POST

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def relay(server: EmbeddedServer) -> Iterator[Relay]:
    relay = Relay(server.url)
    thread = threading.Thread(target=relay.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield relay
    relay.shutdown()
    thread.join()
    relay.server_close()


@pytest.mark.parametrize("plan", [["lose the answer"], ["503", "502"], ["429", "lose the answer", "504"]])
def test_a_write_that_is_sent_again_is_stored_once(relay: Relay, server: EmbeddedServer, name: str, plan: list[str]) -> None:
    relay.plan = list(plan)
    with Everwhen(relay.url, key=server.operator_token, retry_delay=0.001) as client:
        receipt = client.memory(name).remember("Once.")
        assert [entry.id for entry in client.memory(name).entries()] == [receipt.id]
    writes = relay.keys[: len(plan) + 1]
    assert len(set(writes)) == 1 and writes[0] is not None


async def test_the_asynchronous_client_sends_again_too(relay: Relay, server: EmbeddedServer, name: str) -> None:
    relay.plan = ["lose the answer", "503"]
    async with AsyncEverwhen(relay.url, key=server.operator_token, retry_delay=0.001) as client:
        receipt = await client.memory(name).remember("Once.")
        assert [entry.id async for entry in client.memory(name).entries()] == [receipt.id]


def test_retries_come_to_an_end(relay: Relay, name: str) -> None:
    relay.plan = ["503"] * 10
    with Everwhen(relay.url, retries=2, retry_delay=0.001) as client, pytest.raises(errors.APIError) as caught:
        client.memory(name).remember("Never.")
    assert caught.value.status == 503
    assert len(relay.keys) == 3


def test_what_takes_no_idempotency_key_is_not_sent_twice(relay: Relay, server: EmbeddedServer) -> None:
    relay.plan = ["lose the answer"]
    with Everwhen(relay.url, key=server.operator_token, retry_delay=0.001) as client:
        with pytest.raises(errors.NotReachableError):
            client.add_key(types.NewKey(vault="default", label="lost"))
        assert len(relay.keys) == 1
        labels = [key.label for key in client.keys()]
        assert labels.count("lost") == 1
        for key in client.keys():
            client.remove_key(key.id)


def test_nobody_there(name: str) -> None:
    with Everwhen("http://127.0.0.1:9", retries=1, retry_delay=0.001) as client:
        with pytest.raises(errors.NotReachableError, match="127.0.0.1:9"):
            client.memory(name).remember("Hello?")
