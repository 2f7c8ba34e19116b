"""What can go wrong, each with a type of its own."""

from __future__ import annotations

from typing import Any


class EverwhenError(Exception):
    """The base of everything that this package raises by itself."""


class NotReachableError(EverwhenError):
    """The server did not answer, also after retries."""


class EmbeddedServerError(EverwhenError):
    """The program could not be found, started or stopped."""


class APIError(EverwhenError):
    """The server refused a request and said why."""

    def __init__(self, status: int, kind: str, title: str, detail: str) -> None:
        super().__init__(f"{title}: {detail}" if detail else title)
        self.status = status
        """The HTTP status."""
        self.kind = kind
        """The kind of problem, a ProblemKind."""
        self.title = title
        """The problem in a few words."""
        self.detail = detail
        """What was wrong, and what would have been right."""


class InvalidError(APIError):
    """The request is wrong; the detail says what would be right."""


class UnauthenticatedError(APIError):
    """There is no valid key in the request."""


class DeniedError(APIError):
    """The key does not allow this."""


class NotFoundError(APIError):
    """There is no such thing."""


class MethodNotAllowedError(APIError):
    """The path does not know this method."""


class ConflictError(APIError):
    """It contradicts what is there, or the idempotency key was used for another request."""


class TooLargeError(APIError):
    """More than the server accepts at once."""


class UnsupportedMediaTypeError(APIError):
    """The body is not JSON."""


class RequestTimeoutError(APIError):
    """The request did not arrive in time."""


class BusyError(APIError):
    """The server has too much to do; later it may answer."""


class UnavailableError(APIError):
    """The server cannot reach its store, or is stopping."""


class DamagedError(APIError):
    """What the server has stored cannot be read."""


ERRORS: dict[str, type[APIError]] = {
    "invalid": InvalidError,
    "unauthenticated": UnauthenticatedError,
    "denied": DeniedError,
    "not_found": NotFoundError,
    "method_not_allowed": MethodNotAllowedError,
    "conflict": ConflictError,
    "too_large": TooLargeError,
    "unsupported_media_type": UnsupportedMediaTypeError,
    "timeout": RequestTimeoutError,
    "busy": BusyError,
    "unavailable": UnavailableError,
    "damaged": DamagedError,
}


def error_from(status: int, body: Any, text: str) -> APIError:
    """The error for a response. A server in between may have answered something else than a problem."""
    problem = body if isinstance(body, dict) and isinstance(body.get("kind"), str) else {}
    kind = problem.get("kind", "")
    title = str(problem.get("title") or f"HTTP {status}")
    detail = str(problem.get("detail") or text[:500])
    return ERRORS.get(kind, APIError)(status, kind, title, detail)
