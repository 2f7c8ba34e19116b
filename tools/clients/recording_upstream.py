"""An upstream for dialects that the test model does not speak: Ollama's and Anthropic's.

It answers as those servers do, streamed or not, and writes every request it got to a file, one JSON
document per line, so that what really arrived can be compared. Usage: recording_upstream.py RECORD
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WORDS = ["Hello", " from", " upstream."]
MODEL = "recorded"


class Upstream(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path == "/api/tags":
            return self.whole({"models": [{"name": MODEL, "model": MODEL, "size": 1, "details": {}}]})
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
        if self.path == "/api/chat":
            return self.chat(body.get("stream", True))
        return self.whole({"error": "not found"}, 404)

    def chat(self, stream):
        def line(text, **more):
            message = {"role": "assistant", "content": text}
            return {"model": MODEL, "created_at": "2026-01-01T00:00:00Z", "message": message, **more}

        last = {"done": True, "done_reason": "stop", "eval_count": len(WORDS), "total_duration": 1}
        if not stream:
            return self.whole(line("".join(WORDS), **last))
        lines = [line(word, done=False) for word in WORDS] + [line("", **last)]
        self.pieces("application/x-ndjson", [json.dumps(one) + "\n" for one in lines])

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
