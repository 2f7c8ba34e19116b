"""litellm by its three routes: OpenAI's, Ollama's and Anthropic's."""

import litellm

from proof import MODEL, PROXY, keeps, settled

REPLY = "Hello from upstream."
HELLO = [{"role": "user", "content": "Say hello."}]


def ask(model, memory, upstream, path="", **more):
    headers = {"x-everwhen-memory": memory, "x-everwhen-upstream": upstream}
    answer = litellm.completion(
        model=model, messages=HELLO, api_base=PROXY + path, api_key="unused", extra_headers=headers, max_tokens=8, **more
    )
    if more.get("stream"):
        return "".join(chunk.choices[0].delta.content or "" for chunk in answer if chunk.choices)
    return answer.choices[0].message.content


said = ask(f"openai/{MODEL}", "litellm-openai", "llama", "/v1", temperature=0)
keeps("litellm-openai", ("user", "Say hello."), ("assistant", said))
assert ask(f"openai/{MODEL}", "litellm-stream", "llama", "/v1", stream=True)
settled("litellm-stream", 2)
assert ask("ollama_chat/recorded", "litellm-ollama", "ollama") == REPLY
keeps("litellm-ollama", ("user", "Say hello."), ("assistant", REPLY))
assert ask("anthropic/recorded", "litellm-anthropic", "anthropic") == REPLY
keeps("litellm-anthropic", ("user", "Say hello."), ("assistant", REPLY))
