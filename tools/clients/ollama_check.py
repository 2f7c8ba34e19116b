"""The ollama package against an Ollama upstream, and against an OpenAI one through translation."""

from ollama import Client

from proof import EARLIER, MODEL, PROXY, STAMP, is_added_to, keeps, recorded, remember_earlier, settled

REPLY = "Hello from upstream."

remember_earlier("ollama")
client = Client(host=PROXY, headers={"x-everwhen-memory": "ollama", "x-everwhen-upstream": "ollama"})
asked = [{"role": "user", "content": "Say hello."}]
whole = client.chat(model="recorded", messages=asked)
assert whole.message.content == REPLY, whole
asked += [{"role": "assistant", "content": REPLY}, {"role": "user", "content": "Again."}]
pieces = list(client.chat(model="recorded", messages=asked, stream=True))
assert "".join(piece.message.content for piece in pieces) == REPLY and pieces[-1].done, pieces
keeps("ollama", EARLIER, ("user", "Say hello."), ("assistant", REPLY), ("user", "Again."), ("assistant", REPLY))
sent = [one["body"]["messages"] for one in recorded() if one["path"] == "/api/chat"]
assert all(STAMP.match(message["content"]) for message in sent[-1] if message["role"] != "system"), sent[-1]
is_added_to(sent[0])
is_added_to(sent[-1])
assert sent[1][: len(sent[0]) - 1] == sent[0][:-1], "what was sent before has changed"

other = Client(host=PROXY, headers={"x-everwhen-memory": "translated", "x-everwhen-upstream": "llama"})
answer = other.chat(model=MODEL, messages=asked[:1], options={"num_predict": 8, "temperature": 0})
assert answer.message.content and answer.done, answer
streamed = "".join(
    piece.message.content
    for piece in other.chat(model=MODEL, messages=asked[-1:], options={"num_predict": 8}, stream=True)
)
assert streamed
settled("translated", 4)

import ollama_tools  # noqa: E402, F401
