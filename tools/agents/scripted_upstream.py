"""A model provider that gives the replies of a script: Anthropic's messages and OpenAI's responses, streamed or whole.

It writes every request it got to a file, one JSON document per line with the body's exact text, so that what really arrived can be
compared. Usage: scripted_upstream.py SCRIPT RECORD

SCRIPT is JSON: `turns` is a list of {"said", "reply", "call"?, "tokens"?}. The turn whose `said` begins what the last message with such
words says is the one that is answered. If it has a `call` ({"name", "input"}) the model calls that tool first and gives its reply once a
result follows the words. `tokens` is what the reply says the request took. `notified` is said instead of the reply once
a notification about a subagent follows the words. `else` answers everything that is no turn, and requests whose
last message holds one of `auxiliary`, such as one to summarise.
"""

import json
import re
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STAMP = re.compile(r"^\(\w+day, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\) ")
WRAPPED = re.compile(r"<(system-reminder|memory)\b.*?</\1>", re.DOTALL)

with open(sys.argv[1], encoding="utf-8") as script:
    SCRIPT = json.load(script)


def texts(content):
    """All text below a message's content."""
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else []:
        if isinstance(part, str):
            yield part
        elif isinstance(part.get("text"), str):
            yield part["text"]


def is_result(message):
    """Whether a message is what a tool gave back."""
    if message.get("type") in ("function_call_output", "custom_tool_call_output"):
        return True
    content = message.get("content")
    return isinstance(content, list) and any(part.get("type") == "tool_result" for part in content)


def said_in(message):
    """The turn whose words a message holds, if any. Times, reminders and what follows the words are no part of them."""
    for text in reversed(list(texts(message.get("content")))):
        words = WRAPPED.sub("", text).strip()
        words = STAMP.sub("", words)
        for turn in SCRIPT["turns"]:
            if words.startswith(turn["said"]):
                return turn
    return None


def answer(messages):
    """What the script says to this history: (reply or None, call or None, tokens)."""
    last = WRAPPED.sub("", "\n".join(texts(messages[-1].get("content"))))
    if any(phrase in last for phrase in SCRIPT["auxiliary"]):
        return SCRIPT["else"], None, 100
    for place in range(len(messages) - 1, -1, -1):
        turn = said_in(messages[place]) if messages[place].get("role") == "user" else None
        if turn:
            done = any(is_result(one) for one in messages[place:])
            if turn.get("call") and not done:
                return None, turn["call"], turn.get("tokens", 100)
            later = "\n".join(text for one in messages[place + 1 :] for text in texts(one.get("content")))
            reply = turn["notified"] if "notified" in turn and "<task-notification>" in later else turn["reply"]
            return reply, None, turn.get("tokens", 100)
    return SCRIPT["else"], None, 100


class Upstream(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.whole({})

    def do_GET(self):
        if self.path.split("?")[0].endswith("/models"):
            return self.whole({"object": "list", "data": [], "models": []})
        return self.whole({"error": {"message": "not found"}}, 404)

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        with open(sys.argv[2], "a", encoding="utf-8") as record:
            record.write(json.dumps({"path": self.path, "headers": dict(self.headers), "body": text}) + "\n")
        body, path = json.loads(text or "{}"), self.path.split("?")[0]
        if path == "/v1/messages/count_tokens":
            return self.whole({"input_tokens": 100})
        if path == "/v1/messages":
            return self.anthropic(body)
        if path == "/v1/responses":
            return self.open_ai(body)
        return self.whole({"error": {"message": "not found"}}, 404)

    def anthropic(self, body):
        reply, call, tokens = answer(body["messages"])
        if call:
            block = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:20]}", "name": call["name"], "input": call["input"]}
            start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(call["input"])}
        else:
            block = {"type": "text", "text": reply}
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": reply}
        usage = {"input_tokens": tokens, "output_tokens": 9, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
        stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        message = {"id": f"msg_{uuid.uuid4().hex[:20]}", "type": "message", "role": "assistant", "model": body["model"], "usage": usage}
        if not body.get("stream"):
            return self.whole({**message, "content": [block], **stop})
        nothing = {"stop_reason": None, "stop_sequence": None}
        self.events([
            {"type": "message_start", "message": {**message, "content": [], **nothing}},
            {"type": "content_block_start", "index": 0, "content_block": start},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": stop, "usage": usage},
            {"type": "message_stop"},
        ])

    def open_ai(self, body):
        said = body["input"]
        reply, call, tokens = answer([{"role": "user", "content": said}] if isinstance(said, str) else said)
        if call:
            item = {"type": "function_call", "id": f"fc_{uuid.uuid4().hex[:20]}", "call_id": f"call_{uuid.uuid4().hex[:20]}",
                    "name": call["name"], "arguments": json.dumps(call["input"]), "status": "completed"}
        else:
            part = {"type": "output_text", "text": reply, "annotations": []}
            item = {"type": "message", "id": f"msg_{uuid.uuid4().hex[:20]}", "role": "assistant", "status": "completed", "content": [part]}
        usage = {"input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 9,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": tokens + 9}
        response = {"id": f"resp_{uuid.uuid4().hex[:20]}", "object": "response", "created_at": 1, "model": body["model"]}
        whole = {**response, "status": "completed", "output": [item], "usage": usage}
        if not body.get("stream"):
            return self.whole(whole)
        place = {"output_index": 0, "item_id": item["id"], "content_index": 0}
        pieces = [] if call else [
            {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
            {"type": "response.output_text.delta", **place, "delta": reply},
            {"type": "response.output_text.done", **place, "text": reply},
            {"type": "response.content_part.done", **place, "part": part},
        ]
        begun = {**item, "status": "in_progress"} if call else {**item, "status": "in_progress", "content": []}
        self.events([
            {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": begun},
            *pieces,
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": whole},
        ])

    def whole(self, told, status=200):
        body = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def events(self, events):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number, event in enumerate(events):
            text = json.dumps({**event, "sequence_number": number})
            body = f"event: {event['type']}\ndata: {text}\n\n".encode()
            self.wfile.write(f"{len(body):x}\r\n".encode() + body + b"\r\n")
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")


server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
