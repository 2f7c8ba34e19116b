"""The anthropic package: whole and streamed messages, counting tokens."""

from anthropic import Anthropic

from proof import EARLIER, PROXY, is_added_to, keeps, recorded, remember_earlier

REPLY = "Hello from upstream."

remember_earlier("anthropic")
client = Anthropic(
    base_url=PROXY,
    api_key="unused",
    default_headers={"x-everwhen-memory": "anthropic", "x-everwhen-upstream": "anthropic"},
)
asked = [{"role": "user", "content": "Say hello."}]
whole = client.messages.create(model="recorded", max_tokens=16, system="Be brief.", messages=asked)
assert whole.content[0].text == REPLY and whole.stop_reason == "end_turn", whole
asked += [
    {"role": "assistant", "content": REPLY},
    {"role": "user", "content": [{"type": "text", "text": "Again."}]},
]
with client.messages.stream(model="recorded", max_tokens=16, messages=asked) as stream:
    text = "".join(stream.text_stream)
    final = stream.get_final_message()
assert text == REPLY and final.usage.output_tokens == 3, final
counted = client.messages.with_raw_response.count_tokens(model="recorded", messages=asked)
assert counted.parse().input_tokens == 7 and counted.headers["x-everwhen-not-counted"], dict(counted.headers)
keeps("anthropic", EARLIER, ("user", "Say hello."), ("assistant", REPLY), ("user", "Again."), ("assistant", REPLY))
sent = [one["body"] for one in recorded() if one["path"] == "/v1/messages"]
assert sent[0]["system"] == "Be brief." or "Be brief." in str(sent[0]["system"]), sent[0]
assert len(sent[-1]["messages"]) == 3, sent[-1]
for messages in (sent[0]["messages"], sent[-1]["messages"]):
    is_added_to(messages)
