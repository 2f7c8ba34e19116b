"""The story that every adapter gets: something dated in one session, a question in another."""

from __future__ import annotations

import os
from datetime import datetime, timezone

import pytest

# Frameworks that would report their use elsewhere do not.
for variable in ("OPENAI_AGENTS_DISABLE_TRACING", "ADK_DISABLE_TELEMETRY", "DO_NOT_TRACK"):
    os.environ[variable] = "1"
os.environ["LANGSMITH_TRACING"] = "false"

TOLD_AT = datetime(2023, 1, 8, 12, 49, tzinfo=timezone.utc)


@pytest.fixture
def told_at() -> datetime:
    """When the first session takes place."""
    return TOLD_AT
