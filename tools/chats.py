"""Chats through the proxy for tools that break something meanwhile: an upstream, clients with a history of their own, and a
comparison of what clients saw answered with what is stored."""
import collections, http.client, http.server, json, threading, time


class Upstream:
    """A model that answers every message with the same words about it, whole or in events."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                content = body["messages"][-1]["content"]
                # Behind the message may stand what is remembered, which quotes other messages.
                asked = content.split("<<")[1].split(">>")[0]
                words = f"You said <<{asked}>>, noted."
                if body.get("stream"):
                    half = len(words) // 2
                    events = [{"choices": [{"index": 0, "delta": {"content": part}}]} for part in (words[:half], words[half:])]
                    text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
                    kind = "text/event-stream"
                else:
                    text = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": words}, "finish_reason": "stop"}]})
                    kind = "application/json"
                answer = text.encode()
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 256

            def handle_error(self, *_):
                pass  # A proxy that is killed leaves its connections.

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        self.url = f"http://{self.host}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Chat:
    """One client's chat. `history` is what it sends; a turn that got no whole reply is sent again."""

    def __init__(self, name, named, streamed):
        self.name, self.named, self.streamed = name, named, streamed
        self.history, self.turn, self.answered = [], 0, []
        self.is_again = False

    def question(self):
        # The first message of a chat without a name is long enough to tell it from others.
        return self.question_of(self.turn)

    def question_of(self, turn):
        return f"This is chat <<{self.name} turn {turn}>>"


Told = collections.namedtuple("Told", "status seconds degraded")


def send(host, chat, timeout, direct=False):
    """Sends the next turn; status is None if no whole reply came."""
    question = {"role": "user", "content": chat.question()}
    body = {"model": "m", "messages": chat.history + [question], "stream": chat.streamed}
    headers = {"content-type": "application/json"}
    if chat.named:
        headers["x-everwhen-memory"] = f"chat {chat.name}"
    if chat.is_again:
        headers["x-stainless-retry-count"] = "1"
    began = time.monotonic()
    connection = http.client.HTTPConnection(host, timeout=timeout)
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        degraded = answer.getheader("x-everwhen-degraded")
        reply = reply_of(text, chat.streamed) if answer.status == 200 else None
        status = answer.status
    except (OSError, http.client.HTTPException, ValueError):
        reply = status = degraded = None
    finally:
        connection.close()
    if direct:
        return Told(status, time.monotonic() - began, degraded)
    if reply is None:
        chat.is_again = True
        return Told(None if status in (None, 200) else status, time.monotonic() - began, degraded)
    chat.history += [question, {"role": "assistant", "content": reply}]
    chat.answered.append((question["content"], reply))
    chat.turn, chat.is_again = chat.turn + 1, False
    return Told(status, time.monotonic() - began, degraded)


def reply_of(text, streamed):
    """The words of a whole reply, or nothing."""
    if not streamed:
        return json.loads(text)["choices"][0]["message"]["content"]
    events = [event[6:] for event in text.split("\n\n") if event.startswith("data: ")]
    if not events or events[-1] != "[DONE]":
        return None
    return "".join(json.loads(event)["choices"][0]["delta"].get("content", "") for event in events[:-1])


def outbox_rows(host):
    """How many exchanges wait in the outbox; nothing if the server does not say."""
    try:
        connection = http.client.HTTPConnection(host, timeout=20)
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        lines = answer.read().decode().splitlines()
        connection.close()
    except (OSError, http.client.HTTPException):
        return None
    found = [float(line.split()[1]) for line in lines if line.startswith("everwhen_outbox_rows ")]
    return found[0] if answer.status == 200 and found else None


def drained(host, deadline):
    """Waits until nothing is left in the outbox; answers whether that was before the deadline."""
    while time.monotonic() < deadline:
        if outbox_rows(host) == 0:
            return True
        time.sleep(0.05)
    return False


def get(host, path):
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status} {text[:300]}")
    return json.loads(text)


def pages(host, path):
    cursor = path
    while cursor:
        page = get(host, cursor)
        yield from page["data"]
        cursor = page.get("next_cursor") and f"{path}&cursor={page['next_cursor']}"


def memories_of(host, vault="default"):
    return [memory["id"] for memory in pages(host, f"/v1/vaults/{vault}/memories?limit=1000")]


def entries_of(host, memory, vault="default"):
    """What is stored in a memory, oldest first."""
    found = pages(host, f"/v1/vaults/{vault}/memories/{memory}/entries?limit=1000&order=asc")
    return [entry["content"] for entry in found]


def check(chats, found):
    """Compares what clients saw answered with what is stored in all memories."""
    count = collections.Counter(text for texts in found.values() for text in texts)
    place = {text: (memory, number) for memory, texts in found.items() for number, text in enumerate(texts)}
    lost, out_of_order, split = [], [], []
    for chat in chats:
        said = [text for exchange in chat.answered for text in exchange]
        lost += [text for text in said if not count[text]]
        places = [place[text] for text in said if text in place]
        if places != sorted(places, key=lambda one: one[1]):
            out_of_order.append(chat.name)
        if len({memory for memory, _ in places}) > 1:
            split.append(chat.name)
    # Nothing tells the first message of a chat without a name, sent again after a crash, from a new chat.
    first = {chat.question_of(0) for chat in chats if not chat.named}
    doubled = [text for text, times in count.items() if times > 1 and text not in first]
    again = [text for text, times in count.items() if times > 1 and text in first]
    return {
        "chats": len(chats), "answered_whole": sum(len(chat.answered) for chat in chats), "stored": sum(count.values()),
        "lost": lost[:20], "doubled": doubled[:20], "out_of_order": out_of_order[:20], "in_several_memories": split[:20],
        "unnamed_beginnings_sent_again": len(again),
    }
