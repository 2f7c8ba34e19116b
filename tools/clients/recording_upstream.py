"""An upstream for what the test model does not do: Ollama's, Anthropic's and Gemini's protocols, and two calls of tools at
once in OpenAI's.

A request with tools is answered with two calls, one for Porto and one for Rome; a request with their results is answered with them
back by the call each belongs to. As OpenAI does, it refuses results that belong to no call.

It answers as those servers do, streamed or not, and writes every request it got to a file, one JSON
document per line, so that what really arrived can be compared. Usage: recording_upstream.py RECORD
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WORDS = ["Hello", " from", " upstream."]
MODEL = "recorded"
CITIES = ["Porto", "Rome"]
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


class Mismatch(Exception):
    """A history whose results and calls do not belong together."""


def wants_calls(body):
    """Whether the next thing to say is to call tools."""
    return bool(body.get("tools")) and body["messages"][-1]["role"] == "user"


def city_of(call):
    """The city a call is about; arguments are text in OpenAI's language and an object in Ollama's."""
    arguments = call["function"]["arguments"]
    return (json.loads(arguments) if isinstance(arguments, str) else arguments)["city"]


def results(body):
    """What the results at the end of a history say, by the city their call was about."""
    messages = body["messages"]
    last = max((at for at, message in enumerate(messages) if message.get("tool_calls")), default=None)
    if last is None or messages[-1]["role"] != "tool":
        return None
    calls = {call.get("id"): city_of(call) for call in messages[last]["tool_calls"]}
    found = {}
    for message in messages[last + 1 :]:
        if message["role"] != "tool" or message.get("tool_call_id") not in calls:
            raise Mismatch(f"tool_call_id {message.get('tool_call_id')!r} belongs to none of {sorted(map(str, calls))}")
        found[calls[message["tool_call_id"]]] = message["content"]
    if len(found) != len(calls):
        raise Mismatch(f"{len(calls)} calls have {len(found)} results")
    return "; ".join(f"{city}: {found[city]}" for city in sorted(found))


def gemini_results(contents):
    """What the results at the end of contents say, by the city their call was about."""
    answers = [part["functionResponse"] for part in contents[-1]["parts"] if "functionResponse" in part]
    if not answers:
        return None
    calls = [part["functionCall"] for part in contents[-2]["parts"] if "functionCall" in part]
    # Google's own client sends results in the order of their calls and without ids.
    if len(answers) != len(calls) or any(one.get("id", call["id"]) != call["id"] for call, one in zip(calls, answers)):
        raise Mismatch(f"{calls} are answered by {answers}")
    found = {call["args"]["city"]: one["response"]["result"] for call, one in zip(calls, answers)}
    return "; ".join(f"{city}: {found[city]}" for city in sorted(found))


class Upstream(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path == "/api/tags":
            return self.whole({"models": [{"name": MODEL, "model": MODEL, "size": 1, "details": {}}]})
        if self.path == "/v1/models":
            return self.whole({"object": "list", "data": [{"id": MODEL}, {"id": f"{MODEL}-2"}]})
        if self.path.startswith("/v1beta/models"):
            return self.whole({"models": [{"name": f"models/{MODEL}", "displayName": MODEL}]})
        if self.path == "/api/version":
            return self.whole({"version": "0.13.0"})
        return self.whole({"error": "not found"}, 404)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
        with open(sys.argv[1], "a", encoding="utf-8") as record:
            record.write(json.dumps({"path": self.path, "body": body}) + "\n")
        if self.path == "/v1/messages/count_tokens":
            return self.whole({"input_tokens": 7})
        if self.path == "/v1/messages":
            return self.messages(body.get("stream", False))
        if ":countTokens" in self.path:
            return self.whole({"totalTokens": 7})
        try:
            if "enerateContent" in self.path:
                return self.contents(body, "alt=sse" in self.path)
            if self.path == "/api/chat":
                return self.chat(body, body.get("stream", True))
            if self.path == "/v1/chat/completions":
                return self.completions(body, body.get("stream", False))
        except (Mismatch, KeyError) as error:
            return self.whole({"error": {"message": str(error), "type": "invalid_request_error"}}, 400)
        return self.whole({"error": "not found"}, 404)

    def chat(self, body, stream):
        """Ollama's chat. Calls have no ids, as in versions before 0.12, and come one a line."""

        def line(text, calls=None, **more):
            message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
            return {"model": MODEL, "created_at": "2026-01-01T00:00:00Z", "message": message, **more}

        last = {"done": True, "done_reason": "stop", "prompt_eval_count": 11, "eval_count": 7, "total_duration": 1}
        calls = [{"function": {"name": "weather", "arguments": {"city": city}}} for city in CITIES]
        calls = calls if wants_calls(body) else []
        told = results(body)
        words = [] if calls else [told] if told else WORDS
        if not stream:
            return self.whole(line("".join(words), calls, **last))
        lines = [line(word, done=False) for word in words] + [line("", [call], done=False) for call in calls]
        self.pieces("application/x-ndjson", [json.dumps(one) + "\n" for one in [*lines, line("", **last)]])

    def completions(self, body, stream):
        """OpenAI's chat completions. Streamed calls come in pieces, those of one between those of the other."""
        told = results(body)
        outline = {"id": "chatcmpl-1", "created": 1767225600, "model": MODEL}
        calls = [
            {"id": f"call_{city}", "type": "function", "function": {"name": "weather", "arguments": json.dumps({"city": city})}}
            for city in CITIES
        ]
        calls = calls if wants_calls(body) else []
        finish = "tool_calls" if calls else "stop"
        words = [] if calls else [told] if told else WORDS
        if not stream:
            message = {"role": "assistant", "content": "".join(words) or None, **({"tool_calls": calls} if calls else {})}
            choice = {"index": 0, "message": message, "finish_reason": finish}
            return self.whole({**outline, "object": "chat.completion", "choices": [choice], "usage": USAGE})
        deltas = [{"role": "assistant", "content": ""}, *({"content": word} for word in words)]
        for index, call in enumerate(calls):
            head = {**call, "index": index, "function": {"name": "weather", "arguments": ""}}
            deltas.append({"tool_calls": [head]})
        for part in (slice(None, 5), slice(5, None)):
            for index, call in enumerate(calls):
                piece = {"index": index, "function": {"arguments": call["function"]["arguments"][part]}}
                deltas.append({"tool_calls": [piece]})
        chunk = {**outline, "object": "chat.completion.chunk"}
        events = [{**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        events.append({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        events.append({**chunk, "choices": [], "usage": USAGE})
        self.pieces("text/event-stream", [*(f"data: {json.dumps(one)}\n\n" for one in events), "data: [DONE]\n\n"])

    def messages(self, stream):
        usage = {"input_tokens": 7, "output_tokens": 3}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "usage": usage}
        if not stream:
            content = [{"type": "text", "text": "".join(WORDS)}]
            return self.whole({**message, "content": content, "stop_reason": "end_turn", "stop_sequence": None})
        events = [
            {"type": "message_start", "message": {**message, "content": [], "stop_reason": None, "stop_sequence": None}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "ping"},
            *(
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}}
                for word in WORDS
            ),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        ]
        self.pieces("text/event-stream", [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events])

    def contents(self, body, stream):
        """Gemini's contents. As newer models do, it gives calls ids and thinks before it answers."""
        usage = {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10}
        told = gemini_results(body["contents"])
        calls = [
            {"functionCall": {"id": f"call_{city}", "name": "weather", "args": {"city": city}}, "thoughtSignature": "c2ln"}
            for city in CITIES
        ]
        calls = calls if body.get("tools") and not told else []
        words = [] if calls else [told] if told else WORDS
        texts = [{"text": "Hm.", "thought": True}, *({"text": word} for word in words)]

        def reply(parts, **more):
            candidate = {"content": {"role": "model", "parts": parts}, "index": 0, **more}
            return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": MODEL, "responseId": "r1"}

        if not stream:
            parts = [texts[0], *([{"text": "".join(words)}] if words else []), *calls]
            return self.whole(reply(parts, finishReason="STOP"))
        replies = [reply([part]) for part in texts] + [reply(calls or [{"text": ""}], finishReason="STOP")]
        self.pieces("text/event-stream", [f"data: {json.dumps(one)}\r\n\r\n" for one in replies])

    def whole(self, answer, status=200):
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def pieces(self, kind, pieces):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in [*pieces, ""]:
            body = piece.encode()
            self.wfile.write(f"{len(body):x}\r\n".encode() + body + b"\r\n")
            self.wfile.flush()


server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
