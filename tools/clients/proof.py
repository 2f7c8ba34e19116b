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


def recorded():
    """The requests that reached the recording upstream."""
    with open(os.environ["RECORD"], encoding="utf-8") as record:
        return [json.loads(line) for line in record]


def settled(memory, count):
    """The entries of a memory, once there are so many: replies are kept after they are given."""
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
