"""mem0's own Python clients, blocking and async, with `host=` changed: a story of adding, finding, updating and deleting, with dates.

The same file runs with the current package and with 1.x, whose calls differ a little."""

import asyncio
import os
import urllib.error
import urllib.request

os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = os.path.join(os.environ["WORK"], "mem0-home")

from importlib.metadata import version

from mem0 import AsyncMemoryClient, MemoryClient

HOST = os.environ["PROXY"] + "/mem0"
OLD = version("mem0ai").startswith("1.")
USER = f"vera-{version('mem0ai')}"
MARCH, APRIL = 1_709_374_800, 1_712_000_000


def texts(answer):
    return [one["memory"] for one in answer["results"]]


def story(client):
    me = {"user_id": USER}
    added = client.add([{"role": "user", "content": "I moved to Porto."}, {"role": "assistant", "content": "How lovely!"}], **me, timestamp=MARCH, metadata={"kind": "home"})
    assert [one["event"] for one in added["results"]] == ["ADD", "ADD"], added
    client.add("I adopted a dog called Rex.", **me, agent_id="walker", timestamp=APRIL)
    porto = added["results"][0]["id"]

    found = client.search("Where do I live, Porto?", filters=me)
    assert found["results"][0]["memory"] == "I moved to Porto." and 0 <= found["results"][0]["score"] <= 1, found
    assert found["results"][0]["created_at"].startswith("2024-03-02T10:20:00"), found
    assert texts(client.search("dog", filters={"AND": [me, {"agent_id": "walker"}]})) == ["I adopted a dog called Rex."]
    assert texts(client.search("dog", filters={"user_id": "nobody"})) == []
    assert "I adopted a dog called Rex." not in texts(client.search("dog", filters={"AND": [me, {"created_at": {"lte": "2024-03-31"}}]}))
    assert texts(client.search("moved", filters={"AND": [me, {"metadata": {"kind": "home"}}]}, top_k=1)) == ["I moved to Porto."]

    everything = client.get_all(filters=me)
    assert texts(everything) == ["I adopted a dog called Rex.", "How lovely!", "I moved to Porto."], everything
    page = client.get_all(filters=me, page=2, page_size=2)
    assert page["count"] == 3 and texts(page) == ["I moved to Porto."], page

    one = client.get(porto)
    assert one["memory"] == "I moved to Porto." and one["metadata"] == {"kind": "home"} and one["user_id"] == USER, one
    changed = client.update(porto, text="I moved to Lisbon.")
    assert changed["id"] == porto and client.get(porto)["memory"] == "I moved to Lisbon.", changed
    client.update(porto, metadata={"kind": "place"})
    assert client.get(porto)["metadata"] == {"kind": "place"} and client.get(porto)["memory"] == "I moved to Lisbon."
    history = client.history(porto)
    assert [(row["event"], row["old_memory"], row["new_memory"]) for row in history][:2] == [
        ("ADD", None, "I moved to Porto."),
        ("UPDATE", "I moved to Porto.", "I moved to Lisbon."),
    ], history
    # Beyond mem0: as it was known then.
    before = client.search("Where do I live, Porto?", filters=me, as_of=history[0]["created_at"])
    assert "I moved to Porto." in texts(before), before

    assert USER in [entity["name"] for entity in client.users()["results"] if entity["type"] == "user"]
    second = client.get_all(filters=me)["results"][1]["id"]
    client.batch_update([{"memory_id": second, "text": "How wonderful!"}])
    assert "How wonderful!" in texts(client.get_all(filters=me))
    client.batch_delete([{"memory_id": second}])
    client.delete(porto)
    assert texts(client.get_all(filters=me)) == ["I adopted a dog called Rex."]
    try:
        client.get(porto)
        raise AssertionError("a deleted memory is found")
    except Exception as error:
        assert "not found" in str(error).lower(), error
    client.delete_all(**me)
    assert texts(client.get_all(filters=me)) == []
    client.add("Once more.", **me)
    client.delete_users(user_id=USER)
    assert USER not in [entity["name"] for entity in client.users()["results"]]


async def async_story():
    client = AsyncMemoryClient(api_key="unused", host=HOST)
    await client.add("The async client says hello.", user_id=f"{USER}-async")
    assert texts(await client.search("hello", filters={"user_id": f"{USER}-async"})) == ["The async client says hello."]
    await client.delete_all(user_id=f"{USER}-async")


def self_hosted():
    """The paths of the server that one hosts oneself, as any HTTP client sends them."""
    import json

    def call(method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(HOST + path, data, {"Content-Type": "application/json", "X-API-Key": "unused"} if data else {}, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    added = call("POST", "/memories", {"messages": [{"role": "user", "content": "Self-hosted tea."}], "user_id": f"{USER}-own"})
    one = added["results"][0]["id"]
    assert texts(call("GET", f"/memories?user_id={USER}-own")) == ["Self-hosted tea."]
    assert texts(call("POST", "/search", {"query": "tea", "user_id": f"{USER}-own"})) == ["Self-hosted tea."]
    assert call("GET", f"/memories/{one}")["memory"] == "Self-hosted tea."
    assert len(call("GET", f"/memories/{one}/history")) == 1
    call("DELETE", f"/memories/{one}")
    call("DELETE", f"/memories?user_id={USER}-own")
    try:
        call("GET", "/v1/exports/")
        raise AssertionError("an unknown call is answered")
    except urllib.error.HTTPError as error:
        told = json.load(error)
        assert error.code == 404 and told["detail"] and error.headers["content-type"].startswith("application/json"), told


story(MemoryClient(api_key="unused", host=HOST))
asyncio.run(async_story())
if not OLD:
    self_hosted()
