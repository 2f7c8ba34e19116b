"""Two calls of tools at once, from the ollama package through translation to OpenAI's kind, streamed and not."""

from ollama import Client

from proof import PROXY, TOOLS, WEATHER, WEATHER_TOLD

client = Client(host=PROXY, headers={"x-everwhen-memory": "ollama-tools", "x-everwhen-upstream": "strict"})


def whole(messages):
    answer = client.chat(model="recorded", messages=messages, tools=TOOLS)
    assert answer.done and answer.eval_count == 7 and answer.eval_duration > 0, answer
    return answer.message.content, list(answer.message.tool_calls or [])


def streamed(messages):
    text, calls, last = "", [], None
    for last in client.chat(model="recorded", messages=messages, tools=TOOLS, stream=True):
        text += last.message.content or ""
        calls += last.message.tool_calls or []
    assert last.done and last.eval_count == 7, last
    return text, calls


def round_trip(ask, question, with_names):
    """Asks, calls both tools, gives their results, and gets which result was which."""
    messages = [{"role": "user", "content": question}]
    _, calls = ask(messages)
    assert [call.function.name for call in calls] == ["weather", "weather"], calls
    assert sorted(call.function.arguments["city"] for call in calls) == ["Porto", "Rome"], calls
    messages.append({"role": "assistant", "content": "", "tool_calls": [call.model_dump() for call in calls]})
    for call in calls:
        result = {"role": "tool", "content": WEATHER[call.function.arguments["city"]]}
        messages.append({**result, "tool_name": call.function.name} if with_names else result)
    text, calls = ask(messages)
    assert (text, calls) == (WEATHER_TOLD, []), (text, calls)


round_trip(whole, "Weather in Porto and Rome?", with_names=True)
round_trip(streamed, "And now, piece by piece?", with_names=True)
round_trip(whole, "And without names?", with_names=False)

digests = [model.digest for model in client.list().models]
assert len(digests) > 1 and len(set(digests)) == len(digests) and all(len(one) == 64 for one in digests), digests
shown = client.show("recorded")
assert "tools" in shown.capabilities and shown.details.family == "openai", shown
