"""What is generated is up to date, and the client leaves nothing of the API out."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest

import everwhen
from everwhen import Everwhen, errors, types

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT: dict[str, Any] = json.loads((ROOT / "openapi.json").read_text())
METHODS = ("get", "put", "post", "patch", "delete")
# What the client does not need: documents for people and for Prometheus, and the lesser of two health checks.
LEFT_OUT = {"GET /metrics", "GET /openapi.json", "GET /healthz"}


def test_generated_files_are_up_to_date() -> None:
    checked = subprocess.run([sys.executable, ROOT / "tools/sdk/generate", "--check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_every_kind_of_problem_has_an_error() -> None:
    assert set(errors.ERRORS) == set(get_args(types.ProblemKind))


def test_versions_agree() -> None:
    package = json.loads((ROOT / "sdk/typescript/package.json").read_text())
    assert everwhen.__version__ == DOCUMENT["info"]["version"] == package["version"]


def test_adapters_are_small_and_asked_for_by_name() -> None:
    package = Path(everwhen.__file__).parent
    adapters = sorted(package.glob("integrations/[a-z]*.py"))
    assert len(adapters) == 9
    assert [path.name for path in adapters if len(path.read_text().splitlines()) >= 150] == []
    scripts = sorted((ROOT / "sdk/typescript/src/integrations").glob("*.ts"))
    assert [path.name for path in scripts if len(path.read_text().splitlines()) >= 150] == []
    frameworks = ("langchain_core", "langgraph", "agents", "google.adk", "llama_index", "pydantic", "agent_framework", "anthropic")
    code = f"import sys, everwhen, everwhen.integrations; print([name for name in {frameworks} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_every_operation_has_a_method() -> None:
    asked: set[str] = set()

    def refuse(request: httpx.Request) -> httpx.Response:
        asked.add(f"{request.method} {request.url.path}")
        return httpx.Response(400)

    client = Everwhen("http://server", http_client=httpx.Client(transport=httpx.MockTransport(refuse)))
    for thing in (client, client.vault("{vault}"), client.vault("{vault}").memory("{memory}")):
        for name, method in inspect.getmembers(thing, inspect.ismethod):
            if not name.startswith("_") and name not in ("embedded", "close", "vault", "memory"):
                call(name, method)
    expected = {f"{m.upper()} {path}" for path, item in DOCUMENT["paths"].items() for m in item if m in METHODS}
    expected = {re.sub(r"/{(id|version)}", "/-id-", path) for path in expected}
    assert asked == expected - LEFT_OUT


def call(name: str, method: Any) -> None:
    """Calls a method with something for each argument it insists on, and for each thing it can forget."""
    signature = inspect.signature(method)
    needed = {p.name: "-id-" for p in signature.parameters.values() if p.default is p.empty}
    needed |= {key: {} for key in ("vault", "memory", "key", "changes", "times", "conversation", "command") if key in needed}
    needed |= {key: [{"a": 1}] for key in ("entries", "activities", "conversations") if key in needed}
    needed |= {"path": __file__} if name == "import_file" else {}
    choices: list[dict[str, Any]] = [{}]
    if name == "forget" and "entry" in signature.parameters:
        choices = [{"entry": "-id-"}, {"conversation": "-id-"}, {"after": "-time-"}, {"whole_memory": True}]
    for choice in choices:
        with pytest.raises(errors.APIError):
            result = method(**needed, **choice)
            # A list asks when it is walked.
            result.to_list()
