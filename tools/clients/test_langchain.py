"""langchain-tests' own suite for chat models, over whatever BASE_URL names. Run twice, straight at the model and
through the proxy, it must come to the same verdicts."""

import os

from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import ChatModelIntegrationTests


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
            "max_tokens": 24,
            "max_retries": 0,
            "timeout": 120,
            # What the proxy adds for people would change what so small a model says.
            "default_headers": {
                "x-everwhen-memory": "langchain-tests",
                "x-everwhen-stamps": "off",
                "x-everwhen-now": "off",
                "x-everwhen-context": "off",
                "x-everwhen-briefing": "off",
            },
        }
