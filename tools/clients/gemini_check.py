"""The google-genai package: whole and streamed replies, tools, counting tokens, lists of models, errors; before an upstream
of its own protocol and before one of OpenAI's."""

from google import genai
from google.genai import errors, types

from proof import EARLIER, MODEL, PROXY, STAMP, WEATHER, WEATHER_TOLD, entries, keeps, recorded, remember_earlier, settled

REPLY = "Hello from upstream."


def client(memory, upstream, key="unused"):
    headers = {"x-everwhen-memory": memory, "x-everwhen-upstream": upstream}
    return genai.Client(api_key=key, http_options=types.HttpOptions(base_url=PROXY, headers=headers))


def sent():
    return [one for one in recorded() if "enerateContent" in one["path"]]


remember_earlier("gemini")
own = client("gemini", "gemini")
brief = types.GenerateContentConfig(system_instruction="Be brief.", temperature=0, max_output_tokens=16)
whole = own.models.generate_content(model="recorded", contents="Say hello.", config=brief)
assert whole.text == REPLY and whole.usage_metadata.total_token_count == 10, whole
assert whole.candidates[0].finish_reason == types.FinishReason.STOP, whole
history = [
    types.Content(role="user", parts=[types.Part.from_text(text="Say hello.")]),
    whole.candidates[0].content,
    types.Content(
        role="user",
        parts=[types.Part.from_text(text="Again."), types.Part.from_bytes(data=b"\x89PNG", mime_type="image/png")],
    ),
]
pieces = [piece.text for piece in own.models.generate_content_stream(model="recorded", contents=history)]
assert "".join(text or "" for text in pieces) == REPLY and len(pieces) > 2, pieces
keeps("gemini", EARLIER, ("user", "Say hello."), ("assistant", REPLY), ("user", "Again."), ("assistant", REPLY))
first, second = sent()[0], sent()[-1]
assert first["path"].endswith("/models/recorded:generateContent"), first
assert second["path"].endswith("/models/recorded:streamGenerateContent?alt=sse"), second
assert "Be brief." in str(first["body"]["systemInstruction"]), first
for request in (first, second):
    texts = ["".join(part.get("text", "") for part in one["parts"]) for one in request["body"]["contents"]]
    assert STAMP.match(texts[-1]) and "[It is " in texts[-1], texts[-1]
    assert "\n".join(texts).count("Bluebell") == 1, texts
assert second["body"]["contents"][0] == first["body"]["contents"][0], "what was added once is added again"
assert second["body"]["contents"][2]["parts"][1]["inlineData"], second

assert own.models.count_tokens(model="recorded", contents="Say hello.").total_tokens == 7
assert "models/recorded" in [model.name for model in own.models.list()]

# A chat that names no memory is recognised by what was delivered.
unnamed = genai.Client(
    api_key="unused", http_options=types.HttpOptions(base_url=PROXY, headers={"x-everwhen-upstream": "gemini"})
)
chat = unnamed.chats.create(model="recorded")
names = set()
for text in ("My bicycle is called Iris.", "And my boat Otto.", "Which is older?"):
    answer = chat.send_message(text)
    names.add(answer.sdk_http_response.headers["x-everwhen-memory"])
assert len(names) == 1, names
assert len(settled(names.pop(), 6)) == 6


def weather(city: str) -> str:
    """The weather in a city."""
    return WEATHER[city]


# Tools, called by the package itself: two at once, each result back to its own call.
for upstream in ("gemini", "strict", "ollama", "anthropic"):
    # The package closes a client without references.
    holding = client(f"gemini-tools-{upstream}", upstream)
    asking = holding.chats.create(model="recorded", config=types.GenerateContentConfig(tools=[weather]))
    told = asking.send_message("Weather in Porto and Rome?")
    expected = REPLY if upstream == "anthropic" else WEATHER_TOLD
    assert told.text == expected, (upstream, told.text)

# A model of OpenAI's kind behind Gemini's protocol.
llama = client("gemini-llama", "llama")
answer = llama.models.generate_content(model=MODEL, contents="Say hello.", config=brief)
assert answer.text and answer.usage_metadata.total_token_count > 0, answer
stream = llama.models.generate_content_stream(model=MODEL, contents="Say goodbye.", config=brief)
streamed = "".join(piece.text or "" for piece in stream)
assert streamed and len(settled("gemini-llama", 4)) == 4, entries("gemini-llama")

nobody = client("gemini", "nobody")
try:
    nobody.models.generate_content(model="recorded", contents="x")
    raise SystemExit("an upstream that is not there answered")
except errors.ClientError as error:
    assert error.code == 404 and error.status == "NOT_FOUND", error
