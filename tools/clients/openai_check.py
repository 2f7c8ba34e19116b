"""The openai package: whole and streamed replies, extra fields, errors, giving up."""

import openai
from openai import OpenAI

from proof import MODEL, PROXY, entries, keeps, settled

client = OpenAI(base_url=f"{PROXY}/m/openai/v1", api_key="unused")

assert MODEL in [model.id for model in client.models.list()]

asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say hello."}]
whole = client.chat.completions.create(model=MODEL, messages=asked, max_tokens=8, temperature=0)
first = whole.choices[0].message.content
assert first and whole.usage.total_tokens > 0

asked += [{"role": "assistant", "content": first}, {"role": "user", "content": "Say it again."}]
usage, second = None, ""
stream = client.chat.completions.create(
    model=MODEL, messages=asked, max_tokens=8, temperature=0, stream=True, stream_options={"include_usage": True}
)
for chunk in stream:
    usage = chunk.usage or usage
    second += "".join(choice.delta.content or "" for choice in chunk.choices)
assert second and usage.total_tokens > 0
keeps("openai", ("user", "Say hello."), ("assistant", first), ("user", "Say it again."), ("assistant", second))

raw = client.chat.completions.with_raw_response.create(
    model=MODEL, messages=asked, max_tokens=4, extra_headers={"x-everwhen-memory": "named"}
)
assert raw.headers["x-everwhen-memory"] == "named", dict(raw.headers)
assert raw.headers["x-everwhen-memory-source"] == "x-everwhen-memory", dict(raw.headers)

try:
    client.chat.completions.create(model=MODEL, messages=[{"role": "nobody", "content": "x"}], max_tokens=-5)
    raise SystemExit("a wrong request was answered")
except openai.APIStatusError as error:
    assert error.status_code >= 400 and error.body, error

leaving = OpenAI(base_url=f"{PROXY}/m/leaving/v1", api_key="unused")
stream = leaving.chat.completions.create(
    model=MODEL, messages=[{"role": "user", "content": "Count to one thousand."}], max_tokens=200, stream=True
)
heard = ""
for chunk in stream:
    heard += chunk.choices[0].delta.content or ""
    if len(heard) > 10:
        break
stream.close()
kept = settled("leaving", 2)[1][1]
assert heard.strip() and kept.startswith(heard.strip()[:10]), (heard, kept)
assert len(entries("openai")) == 4

import openai_tools  # noqa: E402, F401
