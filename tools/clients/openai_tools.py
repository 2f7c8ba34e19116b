"""Two calls of tools at once, from the openai package through translation to an Ollama, streamed and not."""

import json

from openai import OpenAI

from proof import PROXY, TOOLS, WEATHER, WEATHER_TOLD

client = OpenAI(
    base_url=f"{PROXY}/v1",
    api_key="unused",
    default_headers={"x-everwhen-memory": "openai-tools", "x-everwhen-upstream": "ollama"},
)


def whole(messages):
    answer = client.chat.completions.create(model="recorded", messages=messages, tools=TOOLS)
    assert answer.usage.total_tokens == 18, answer.usage
    choice = answer.choices[0]
    calls = [(call.id, call.function.name, call.function.arguments) for call in choice.message.tool_calls or []]
    return choice.message.content, calls, choice.finish_reason


def streamed(messages):
    """Puts pieces together as clients do: by their index."""
    text, calls, finish, ids, usage = "", {}, None, set(), None
    for chunk in client.chat.completions.create(
        model="recorded", messages=messages, tools=TOOLS, stream=True, stream_options={"include_usage": True}
    ):
        ids.add(chunk.id)
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
            for piece in choice.delta.tool_calls or []:
                call = calls.setdefault(piece.index, [None, "", ""])
                call[0] = piece.id or call[0]
                call[1] += piece.function.name or ""
                call[2] += piece.function.arguments or ""
    assert len(ids) == 1 and usage.total_tokens == 18, (ids, usage)
    return text, [tuple(calls[index]) for index in sorted(calls)], finish


def round_trip(ask, question):
    """Asks, calls both tools, answers them in the other order, and gets which result was which."""
    messages = [{"role": "user", "content": question}]
    _, calls, finish = ask(messages)
    assert finish == "tool_calls" and [name for _, name, _ in calls] == ["weather", "weather"], (finish, calls)
    cities = {call_id: json.loads(arguments)["city"] for call_id, _, arguments in calls}
    assert sorted(cities.values()) == ["Porto", "Rome"], calls
    written = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for call_id, name, arguments in calls
    ]
    messages.append({"role": "assistant", "content": None, "tool_calls": written})
    for call_id in reversed(list(cities)):
        messages.append({"role": "tool", "tool_call_id": call_id, "content": WEATHER[cities[call_id]]})
    text, calls, finish = ask(messages)
    assert (text, calls, finish) == (WEATHER_TOLD, [], "stop"), (text, calls, finish)
    return set(cities)


first = round_trip(whole, "Weather in Porto and Rome?")
second = round_trip(streamed, "And now, piece by piece?")
assert len(first) == len(second) == 2 and not first & second, (first, second)
