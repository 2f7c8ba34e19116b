"""What the checks of all clients share: where the proxy is, and what its memory holds afterwards."""

import json
import os
import re
import urllib.request

PROXY = os.environ["PROXY"]
MODEL = "smollm2-135m"
STAMP = re.compile(r"^\((Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\) ")


def entries(memory):
    """What the memory holds, oldest first, as (role, content)."""
    with urllib.request.urlopen(f"{PROXY}/v1/vaults/default/memories/{memory}/entries") as answer:
        return [(one["role"], one["content"]) for one in json.load(answer)["data"]]


def all_recorded():
    """The requests that reached the recording upstream, those of other clients' checks too."""
    with open(os.environ["RECORD"], encoding="utf-8") as record:
        return [json.loads(line) for line in record]


# Every check runs in a process of its own.
EARLIER_REQUESTS = len(all_recorded())


def recorded():
    """The requests that reached the recording upstream since this check began."""
    return all_recorded()[EARLIER_REQUESTS:]


def settled(memory, count):
    """The entries of a memory, once it has this number: replies are stored after they are sent."""
    import time

    for _ in range(100):
        found = entries(memory)
        if len(found) >= count:
            break
        time.sleep(0.05)
    assert len(found) == count, found
    return found


def keeps(memory, *expected):
    """The memory holds exactly this."""
    found = settled(memory, len(expected))
    assert found == list(expected), found


EARLIER = ("user", "My sister Ana keeps a goat called Bluebell.")


def remember_earlier(memory):
    """Something said in a memory long before, which the proxy may tell the model of."""
    url = f"{PROXY}/v1/vaults/default/memories/{memory}/entries"
    entry = {"role": EARLIER[0], "content": EARLIER[1], "conversation_time": "2025-03-02T09:00:00Z"}
    request = urllib.request.Request(url, json.dumps(entry).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 201, answer.status


def text_of(message):
    """The text of a message, which may be in parts."""
    text = message["content"]
    return text if isinstance(text, str) else "".join(part.get("text", "") for part in text)


def is_added_to(messages):
    """All that the proxy adds is there: a stamp and the time at the last message, and once what is remembered."""
    last = text_of(messages[-1])
    assert STAMP.match(last) and "[It is " in last, last
    told = "\n".join(text_of(message) for message in messages)
    assert told.count("Bluebell") == 1, told


TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "The weather in a city",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
]
WEATHER = {"Porto": "sunny", "Rome": "rain"}
WEATHER_TOLD = "Porto: sunny; Rome: rain"
