"""langchain-tests' own suite for chat models, over whatever BASE_URL names. ADDED says whether the proxy adds what it
adds for people: stamps, the time, and what is remembered."""

import os

from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import ChatModelIntegrationTests

# Everything is on unless a request says otherwise. The model is small: it gets a little of what is remembered.
SWITCHES = ("stamps", "now", "context", "briefing")
OFF = {f"x-everwhen-{name}": "off" for name in SWITCHES}
ADDITIONS = {"x-everwhen-budget-tokens": "100"} if os.environ["ADDED"] == "on" else OFF


class TestChat(ChatModelIntegrationTests):
    @property
    def chat_model_class(self):
        return ChatOpenAI

    @property
    def chat_model_params(self):
        return {
            "model": "smollm2-135m",
            "base_url": os.environ["BASE_URL"],
            "api_key": "unused",
            "temperature": 0,
            "seed": 1,
            "max_tokens": 64,
            "max_retries": 0,
            "stream_usage": True,
            "timeout": 120,
            "default_headers": {"x-everwhen-memory": f"langchain-tests-{os.environ['ADDED']}", **ADDITIONS},
        }
