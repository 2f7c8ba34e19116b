"""Where everything begins: a server, and its vaults."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date
from functools import partial
from types import TracebackType
from typing import Literal

import httpx

from everwhen import _request, types
from everwhen._async.memory import AsyncMemoryClient
from everwhen._async.pages import AsyncPages
from everwhen._async.transport import AsyncTransport
from everwhen._async.waiting import outside
from everwhen._json import decode
from everwhen._server import EmbeddedServer
from everwhen.types import Time

USUAL_URL = "http://127.0.0.1:3939"


class AsyncEverwhen:
    """The asynchronous client of one server.

    Without arguments it asks the server that EVERWHEN_SERVER names, else the one on this machine, with the key in
    EVERWHEN_KEY. A request that fails on the way or finds the server busy is sent again, up to `retries` times;
    every write has an idempotency key, so nothing is stored twice.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        key: str | None = None,
        vault: str = "default",
        timeout: float = 30.0,
        retries: int = 3,
        retry_delay: float = 0.2,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._server: EmbeddedServer | None = None
        self._vault = vault
        self._transport = AsyncTransport(
            url or os.environ.get("EVERWHEN_SERVER") or USUAL_URL,
            key=key or os.environ.get("EVERWHEN_KEY"),
            timeout=timeout,
            retries=retries,
            retry_delay=retry_delay,
            http_client=http_client,
        )

    @classmethod
    async def embedded(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        vault: str = "default",
        binary: str | os.PathLike[str] | None = None,
        config: str | os.PathLike[str] | None = None,
        timeout: float = 30.0,
    ) -> AsyncEverwhen:
        """A client with a server of its own, on a free port, which stops when the client is closed.

        Everything is kept in `path`, or in a temporary directory that is removed at the end. The program is
        `binary`, else what EVERWHEN_BINARY names, else what came with this package, else what is on the PATH.
        """
        start = partial(EmbeddedServer, path, binary=binary, config=config)
        server = await outside(start)
        client = cls(server.url, key=server.operator_token, vault=vault, timeout=timeout)
        client._server = server
        return client

    @property
    def url(self) -> str:
        """The server's address."""
        return self._transport.url

    def vault(self, name: str) -> AsyncVaultClient:
        """One vault, by name or id."""
        return AsyncVaultClient(self._transport, name)

    def memory(self, name: str = "default") -> AsyncMemoryClient:
        """One memory of this client's vault, by name or id."""
        return AsyncMemoryClient(self._transport, self._vault, name)

    def vaults(self, *, limit: int | None = None) -> AsyncPages[types.Vault]:
        """All vaults, for who runs the server."""
        return AsyncPages(self._transport, types.Vault, _request.get("/v1/vaults"), limit)

    async def create_vault(
        self, vault: types.NewVault, *, idempotency_key: str | None = None
    ) -> types.Vault:
        """Makes a vault; the first entry would make it, too."""
        request = _request.write("POST", "/v1/vaults", vault, key=idempotency_key)
        return await self._transport.send(types.Vault, request)

    async def keys(self) -> list[types.Key]:
        """All keys, for who runs the server."""
        page = await self._transport.json(_request.get("/v1/keys"))
        return decode(list[types.Key], page["data"])

    async def add_key(self, key: types.NewKey) -> types.MadeKey:
        """Makes a key, which is shown only this once."""
        return await self._transport.send(types.MadeKey, _request.once("POST", "/v1/keys", key))

    async def remove_key(self, id: str) -> types.Removed:
        """Removes a key; from then on it is rejected."""
        request = _request.once("DELETE", f"/v1/keys/{_request.part(id)}")
        return await self._transport.send(types.Removed, request)

    async def settle(self, *, limit: int | None = None) -> types.Settled:
        """Does background work that is due now, and says how much is left."""
        request = _request.Request("POST", "/v1/settle", query={"limit": limit})
        return await self._transport.send(types.Settled, request)

    async def doctor(self) -> types.Doctor:
        """What waits, what failed, and what is wrong."""
        return await self._transport.send(types.Doctor, _request.get("/v1/doctor"))

    async def retry_job(self, id: str) -> types.Retried:
        """Has a job tried again that failed too often."""
        request = _request.once("POST", f"/v1/jobs/{_request.part(id)}/retry")
        return await self._transport.send(types.Retried, request)

    async def retry_jobs(self, *, kind: str | None = None) -> types.RetriedJobs:
        """Has all jobs tried again that failed too often, or those of one kind."""
        request = _request.Request("POST", "/v1/jobs/retry", query={"kind": kind})
        return await self._transport.send(types.RetriedJobs, request)

    async def health(self) -> types.Standing:
        """Whether the server is ready to answer. Raises UnavailableError if it is not."""
        return await self._transport.send(types.Standing, _request.get("/readyz"))

    async def aclose(self) -> None:
        """Closes the connections, and stops the server if it is this client's own."""
        await self._transport.aclose()
        if self._server is not None:
            await outside(self._server.stop)

    async def __aenter__(self) -> AsyncEverwhen:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class AsyncVaultClient:
    """One vault: an owner's memories, kept apart from all others."""

    def __init__(self, transport: AsyncTransport, name: str) -> None:
        self.name = name
        """The vault's name, or its id."""
        self._transport = transport
        self._path = f"/v1/vaults/{_request.part(name)}"

    def memory(self, name: str = "default") -> AsyncMemoryClient:
        """One memory, by name or id."""
        return AsyncMemoryClient(self._transport, self.name, name)

    def memories(self, *, limit: int | None = None) -> AsyncPages[types.Memory]:
        """All memories of the vault."""
        request = _request.get(f"{self._path}/memories")
        return AsyncPages(self._transport, types.Memory, request, limit)

    async def create_memory(
        self, memory: types.NewMemory, *, idempotency_key: str | None = None
    ) -> types.Memory:
        """Makes a memory; the first entry would make it, too."""
        request = _request.write("POST", f"{self._path}/memories", memory, key=idempotency_key)
        return await self._transport.send(types.Memory, request)

    async def recall(
        self,
        query: str,
        *,
        asked_at: Time | None = None,
        as_of: Time | None = None,
        period: Literal["boost", "filter", "ignore"] | None = None,
        roles: Sequence[types.Role] | None = None,
        limit: int | None = None,
        budget_tokens: int | None = None,
    ) -> types.Recollection:
        """What was said about a question in all memories of the vault."""
        question = types.Question(
            query=query,
            asked_at=asked_at,
            as_of=as_of,
            period=period,
            roles=list(roles) if roles is not None else None,
            limit=limit,
            budget_tokens=budget_tokens,
        )
        return await self._transport.send(types.Recollection, _request.ask(f"{self._path}/recall", question))

    async def usage(self, *, since: date | None = None) -> types.Usage:
        """What language models took, by day, model and purpose."""
        return await self._transport.send(types.Usage, _request.get(f"{self._path}/usage", since=since))

    async def read_period(self, text: str, *, asked_at: Time | None = None) -> types.FactPeriod:
        """How a date or words such as "last March" are read, in the zone of the vault."""
        request = _request.get(f"{self._path}/period", text=text, asked_at=asked_at)
        return await self._transport.send(types.FactPeriod, request)

    async def import_file(
        self,
        path: str | os.PathLike[str],
        *,
        memory: str | None = None,
        source: str | None = None,
        dry_run: bool | None = None,
        timezone: str | None = None,
        **options: str | bool,
    ) -> types.ImportRun:
        """Uploads a file of another program, or an export, which is imported in the background.

        `import_run` says how far it is. `options` are the other parameters of the API, such as `date_order`.
        """
        query = {
            "name": os.path.basename(path),
            "memory": memory,
            "from": source,
            "dry_run": dry_run,
            "timezone": timezone,
            **options,
        }
        request = _request.Request("POST", f"{self._path}/imports", query=query)
        return await self._transport.upload(types.ImportRun, request, path)

    async def imports(self) -> list[types.ImportRun]:
        """Imports of files since the server was started, newest first."""
        page = await self._transport.json(_request.get(f"{self._path}/imports"))
        return decode(list[types.ImportRun], page["data"])

    async def import_run(self, id: str) -> types.ImportRun:
        """How far an import is, and what was found."""
        request = _request.get(f"{self._path}/imports/{_request.part(id)}")
        return await self._transport.send(types.ImportRun, request)

    async def cancel_import(self, id: str) -> types.ImportRun:
        """Ends an import; what is stored stays."""
        request = _request.Request("DELETE", f"{self._path}/imports/{_request.part(id)}")
        return await self._transport.send(types.ImportRun, request)

    async def export(
        self, path: str | os.PathLike[str], *, memory: str | None = None, format: str | None = None
    ) -> int:
        """Writes everything in the vault, or in one memory, into a new file; says how many bytes it has.

        With a format of another program (`chatgpt`, `claude`, `open-webui`, `sillytavern`), the conversations of one memory.
        """
        request = _request.get(f"{self._path}/export", memory=memory, format=format)
        return await self._transport.download(request, path)

    async def get(self) -> types.Vault:
        """What is known of the vault itself."""
        return await self._transport.send(types.Vault, _request.get(self._path))

    async def change(self, changes: types.VaultPatch, *, idempotency_key: str | None = None) -> types.Vault:
        """Changes the name, the zone, the description or the settings."""
        request = _request.write("PATCH", self._path, changes, key=idempotency_key)
        return await self._transport.send(types.Vault, request)

    async def forget(self, *, idempotency_key: str | None = None) -> types.Removed:
        """Forgets the vault and all in it permanently, keys too."""
        request = _request.write("DELETE", self._path, key=idempotency_key)
        return await self._transport.send(types.Removed, request)
