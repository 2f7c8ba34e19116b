"""Chats with every example workflow and looks at what the background left. Called by workflow-check."""

import json
import sys
import time
import urllib.error
import urllib.request

base = json.load(open(sys.argv[1]))["url"]
workflows = ["time-aware-chat", "group-chat", "chat-with-all-memory", "retrieval-with-dates", "background-memory"]


def call(method, path, body=None, headers=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, {"content-type": "application/json", **(headers or {})}, method=method)
    with urllib.request.urlopen(request, timeout=300) as response:
        return response.read().decode()


def ask(workflow, messages, stream):
    body = {"model": f"everwhen/{workflow}", "messages": messages, "stream": stream}
    text = call("POST", "/v1/chat/completions", body, {"x-everwhen-memory": workflow})
    if not stream:
        return json.loads(text)["choices"][0]["message"]["content"]
    assert text.endswith("data: [DONE]\n\n"), text[-200:]
    events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
    assert not any("error" in event for event in events), events
    return "".join(event["choices"][0]["delta"].get("content", "") for event in events if event["choices"])


listed = [model["id"] for model in json.loads(call("GET", "/v1/models"))["data"]]
assert all(f"everwhen/{one}" in listed for one in workflows), listed


def remember(memory, days):
    """A conversation a day, so that there is something to distil; or today's, to find."""
    said = ["I painted the kitchen wall yellow", "It looks warm", "My sister Ada helped me", "How kind of her"]
    entries = []
    for day in days or [0]:
        for minute, text in enumerate(said):
            entry = {"role": "user" if minute % 2 == 0 else "assistant", "content": f"{text}, day {day}."}
            if days:
                entry["conversation_time"] = f"2025-05-{day:02}T10:{minute:02}:00Z"
            entries.append(entry)
    call("POST", f"/v1/vaults/default/memories/{memory}/entries/batch", {"entries": entries})


# The model does one thing at a time, so what is to be distilled comes last.
for workflow in workflows:
    if workflow in ("retrieval-with-dates", "background-memory"):
        remember(workflow, [1, 2] if workflow == "background-memory" else [])
    first = [{"role": "user", "content": "When did I paint the kitchen?"}]
    if workflow == "group-chat":
        first = [{"role": "user", "content": "Ana: When did we paint the kitchen?"}, {"role": "assistant", "content": "Mira:"}]
    began = time.monotonic()
    said = ask(workflow, first, stream=False)
    again = ask(workflow, first[:1] + [{"role": "assistant", "content": said}, {"role": "user", "content": "And who helped?"}], stream=True)
    # So small a model may say nothing but an echo of a date, which is not said to the user.
    assert said.strip() or again.strip(), workflow
    print(f"{workflow}: answered twice in {time.monotonic() - began:.1f} s: {said[:60]!r} {again[:60]!r}", flush=True)
deadline = time.monotonic() + 420
place = "/v1/vaults/default/memories/background-memory"
while True:
    chapters = json.loads(call("GET", f"{place}/chapters"))["data"]
    facts = json.loads(call("GET", f"{place}/facts"))["data"]
    try:
        summary = json.loads(call("GET", f"{place}/summary"))
    except urllib.error.HTTPError:
        summary = None
    if chapters and facts and summary:
        break
    assert time.monotonic() < deadline, (len(chapters), len(facts), summary)
    time.sleep(1)
print(f"behind the answer: {len(chapters)} chapters, {len(facts)} facts, and a summary of {len(summary['text'])} characters")
assert all(chapter["written_by"] == "llm" for chapter in chapters), chapters
