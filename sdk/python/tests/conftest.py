"""One real server for all tests, and a memory of its own for each."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator

import pytest

from everwhen import AsyncEverwhen, AsyncMemoryClient, EmbeddedServer, Everwhen, MemoryClient


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    """The program, started once."""
    server = EmbeddedServer()
    yield server
    server.stop()


@pytest.fixture
def client(server: EmbeddedServer) -> Iterator[Everwhen]:
    with Everwhen(server.url, key=server.operator_token) as client:
        yield client


@pytest.fixture
async def async_client(server: EmbeddedServer) -> AsyncIterator[AsyncEverwhen]:
    async with AsyncEverwhen(server.url, key=server.operator_token) as client:
        yield client


@pytest.fixture
def name() -> str:
    """The name of a memory that no other test uses."""
    return f"ana-{uuid.uuid4()}"


@pytest.fixture
def memory(client: Everwhen, name: str) -> MemoryClient:
    return client.memory(name)


@pytest.fixture
def async_memory(async_client: AsyncEverwhen, name: str) -> AsyncMemoryClient:
    return async_client.memory(name)
