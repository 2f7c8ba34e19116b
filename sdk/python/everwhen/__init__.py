"""Memory that knows when: everything said is kept with when it was said.

>>> from everwhen import Everwhen
>>> ana = Everwhen("http://localhost:3939").memory("ana")
>>> ana.remember("I visited MoMA today.", at="2023-01-08T12:49:00Z")
>>> print(ana.recall("what did I see in January?").briefing)
"""

from everwhen import errors, types
from everwhen._async.client import AsyncEverwhen, AsyncVaultClient
from everwhen._async.memory import AsyncMemoryClient
from everwhen._async.pages import AsyncPages
from everwhen._server import EmbeddedServer, find_binary
from everwhen._sync.client import Everwhen, VaultClient
from everwhen._sync.memory import MemoryClient
from everwhen._sync.pages import Pages
from everwhen._version import VERSION as __version__
from everwhen.errors import APIError, ConflictError, EverwhenError, InvalidError, NotFoundError, NotReachableError
from everwhen.types import NewEntry

__all__ = [
    "APIError",
    "AsyncEverwhen",
    "AsyncMemoryClient",
    "AsyncPages",
    "AsyncVaultClient",
    "ConflictError",
    "EmbeddedServer",
    "Everwhen",
    "EverwhenError",
    "InvalidError",
    "MemoryClient",
    "NewEntry",
    "NotFoundError",
    "NotReachableError",
    "Pages",
    "VaultClient",
    "__version__",
    "errors",
    "find_binary",
    "types",
]
