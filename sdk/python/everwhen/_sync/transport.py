# Generated from everwhen/_async/transport.py by tools/sdk/generate; do not edit.
"""Sends requests, again where that is safe, and turns refusals into errors."""

from __future__ import annotations

import os
from typing import Any, TypeVar

import httpx

from everwhen import _request
from everwhen._sync.waiting import chunks, sleep
from everwhen._json import decode
from everwhen._request import Request
from everwhen.errors import NotReachableError, error_from

T = TypeVar("T")


class Transport:
    """A server, and how it is asked."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        timeout: float,
        retries: int,
        retry_delay: float,
        http_client: httpx.Client | None,
    ) -> None:
        self.url = url.rstrip("/")
        self._retries = retries
        self._retry_delay = retry_delay
        self._timeout = timeout
        self._headers = {"user-agent": _request.USER_AGENT, "x-everwhen-client": _request.USER_AGENT}
        if key:
            self._headers["authorization"] = f"Bearer {key}"
        self._owns_client = http_client is None
        self._http = http_client if http_client is not None else httpx.Client()

    def send(self, kind: type[T], request: Request) -> T:
        """What the server answered, as a type."""
        return decode(kind, self.json(request))

    def json(self, request: Request) -> Any:
        """What the server answered, as JSON."""
        attempt = 0
        while True:
            response: httpx.Response | None = None
            try:
                response = self._once(request)
            except httpx.TransportError as failure:
                if attempt >= self._retries or not _request.may_repeat(request, failure):
                    raise NotReachableError(f"{self.url} did not answer: {failure!r}") from failure
            if response is not None:
                if response.is_success:
                    return _request.parse(response)
                is_final = response.status_code not in _request.RETRIED_STATUSES or not request.is_repeatable
                if is_final or attempt >= self._retries:
                    raise error_from(response.status_code, _request.parse(response), response.text)
            sleep(_request.delay(attempt, self._retry_delay, response))
            attempt += 1

    def _once(self, request: Request) -> httpx.Response:
        return self._http.request(
            request.method,
            self.url + request.path,
            params=_request.query_text(request.query),
            json=_request.body_text(request),
            headers={**self._headers, **request.headers},
            timeout=self._timeout,
        )

    def upload(self, kind: type[T], request: Request, path: str | os.PathLike[str]) -> T:
        """Sends a file as the body of a request. It is sent once: an import may be long."""
        try:
            response = self._http.request(
                request.method,
                self.url + request.path,
                params=_request.query_text(request.query),
                content=chunks(path),
                headers={**self._headers, "content-type": "application/octet-stream"},
                timeout=self._timeout,
            )
        except httpx.TransportError as failure:
            raise NotReachableError(f"{self.url} did not answer: {failure!r}") from failure
        if not response.is_success:
            raise error_from(response.status_code, _request.parse(response), response.text)
        return decode(kind, _request.parse(response))

    def download(self, request: Request, path: str | os.PathLike[str]) -> int:
        """Writes what the server answers into a file that does not exist yet; says how many bytes it has."""
        url, query = self.url + request.path, _request.query_text(request.query)
        try:
            with self._http.stream(
                request.method, url, params=query, headers=self._headers, timeout=self._timeout
            ) as response:
                if not response.is_success:
                    response.read()
                    raise error_from(response.status_code, _request.parse(response), response.text)
                size = 0
                with open(path, "xb") as file:
                    for chunk in response.iter_bytes():
                        size += file.write(chunk)
                return size
        except httpx.TransportError as failure:
            raise NotReachableError(f"{self.url} did not answer: {failure!r}") from failure

    def close(self) -> None:
        """Closes the connections, unless the caller brought them."""
        if self._owns_client:
            self._http.close()
