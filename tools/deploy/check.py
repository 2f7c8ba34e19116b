"""Starts what deploy/compose.yaml says, without containers, and takes it through failures. Called by tools/deploy-check.

PostgreSQL's parameters and scripts, the commands and the environment of servers, the job that makes the key, the health checks and
nginx's settings are read from the files in deploy/. Changed are only addresses: each container has a network address of its own, here each
server has one of 127.0.1.x, and Docker's name server is a thread.
"""
import argparse, http.client, importlib.machinery, importlib.util, json, os, re, shlex, shutil, signal, socket, struct, subprocess, sys
import tempfile, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEPLOY = os.path.join(ROOT, "deploy")
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("outage", os.path.join(ROOT, "tools", "outage"))
outage = importlib.util.module_from_spec(importlib.util.spec_from_loader("outage", loader))
loader.exec_module(outage)

# The name by which clients reach the balancer.
HOST = "memory.example"
# Nothing here takes longer on a machine that works.
PATIENCE = 120
NAMES = {"POSTGRES_PASSWORD": "postgres-secret", "REPLICATION_PASSWORD": "replication-secret", "EVERWHEN_HOST": HOST}


def compose(upstream):
    """deploy/compose.yaml with its variables filled in, as `docker compose config` shows it."""
    given = {**NAMES, "EVERWHEN_UPSTREAM": upstream}
    with open(os.path.join(DEPLOY, "compose.yaml"), encoding="utf-8") as file:
        text = re.sub(r"\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}", lambda found: given.get(found[1], found[2] or ""), file.read())
    return yaml.safe_load(text)["services"]


def until(what, holds):
    """Waits until something holds; says what did not."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        told = holds()
        if told:
            return told
        time.sleep(0.05)
    sys.exit(f"this did not happen within {PATIENCE} s: {what}")


class Processes:
    """All that was started, so that all of it is stopped."""

    def __init__(self, home):
        self.home, self.running = home, {}

    def start(self, name, command, environment, as_postgres=False):
        if as_postgres and os.getuid() == 0:
            command = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", *command]
        log = open(os.path.join(self.home, f"{name}.log"), "ab")
        environment = {"PATH": os.environ["PATH"], "HOME": self.home, **environment}
        self.running[name] = subprocess.Popen(command, env=environment, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self.running[name]

    def log(self, name):
        with open(os.path.join(self.home, f"{name}.log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def end(self, name, kill=False):
        process = self.running.pop(name)
        # The image of PostgreSQL asks to be stopped by SIGINT, which ends its clients' connections.
        process.send_signal(signal.SIGKILL if kill else signal.SIGINT)
        process.wait(timeout=PATIENCE)

    def check(self):
        """Nothing that should run has ended: a program that fails and is started again is not one that waits."""
        for name, process in self.running.items():
            if process.poll() is not None:
                sys.exit(f"{name} ended with {process.returncode}:\n{self.log(name)[-3000:]}")


class Database:
    """One PostgreSQL as a service of the compose file runs it: the same arguments, scripts and health check."""

    def __init__(self, processes, service, name, data, port):
        self.processes, self.service, self.name, self.data, self.port = processes, service, name, data, port
        self.sockets = os.path.join(processes.home, name)
        for place in {self.sockets, data}:
            os.makedirs(place, mode=0o700, exist_ok=True)
            if os.getuid() == 0:
                shutil.chown(place, "postgres", "postgres")
        self.environment = {
            **{key: str(value) for key, value in service["environment"].items()},
            "PATH": f"{outage.programs()}:{os.environ['PATH']}", "PGDATA": data, "PGHOST": self.sockets, "PGPORT": str(port),
        }
        self.local = ["-p", str(port), "-k", self.sockets]

    def run(self, *command, check=True, **more):
        done = self.processes.start(f"{self.name}-{os.path.basename(command[0])}", list(command), {**self.environment, **more}, True)
        code = done.wait(timeout=PATIENCE)
        name = f"{self.name}-{os.path.basename(command[0])}"
        self.processes.running.pop(name)
        if check and code != 0:
            sys.exit(f"{shlex.join(command)} ended with {code}:\n{self.processes.log(name)[-3000:]}")
        return code

    def make(self):
        """What the image's entry point does with an empty directory before it starts the server."""
        user, method = self.environment["POSTGRES_USER"], self.environment["POSTGRES_HOST_AUTH_METHOD"]
        secret = os.path.join(self.sockets, "password")
        with open(secret, "w") as file:
            file.write(self.environment["POSTGRES_PASSWORD"])
        os.chmod(secret, 0o644)
        self.run("initdb", "--username", user, "--pwfile", secret)
        with open(os.path.join(self.data, "pg_hba.conf"), "a") as file:
            file.write(f"\nhost all all all {method}\n")
        arguments = shlex.join([*self.service["command"][1:], "-c", "listen_addresses=", *self.local])
        self.run("pg_ctl", "-D", self.data, "-w", "-s", "-o", arguments, "-l", os.path.join(self.sockets, "log"), "start")
        self.run("createdb", "--username", user, self.environment["POSTGRES_DB"])
        self.run("bash", os.path.join(DEPLOY, "postgres", "primary-init.sh"))
        self.run("pg_ctl", "-D", self.data, "-w", "-s", "-m", "fast", "stop")

    def start(self, **follows):
        """Starts it as the compose file does; with whom it follows, by the standby's script."""
        local = ["-c", "listen_addresses=127.0.0.1", *self.local]
        program, *arguments = self.service["command"]
        command = [program, *arguments, *local]
        if program.startswith("/"):
            command = ["bash", os.path.join(DEPLOY, "postgres", os.path.basename(program)), *arguments, *local]
        self.processes.start(self.name, command, {**self.environment, **follows}, True)

    def is_healthy(self):
        test = self.service["healthcheck"]["test"]
        return self.run(*test[1:], check=False) == 0

    def tell(self, sql):
        """One statement's answer."""
        command = [os.path.join(outage.programs(), "psql"), "-qtAX", "-h", self.sockets, "-p", str(self.port), "-U", "everwhen", "-d", "everwhen", "-c", sql]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env={"PATH": os.environ["PATH"]})
        return done.stdout.strip()


class NameServer(threading.Thread):
    """What Docker's name server at 127.0.0.11 does for the services: a name, and the addresses behind it."""

    def __init__(self, names):
        super().__init__(daemon=True)
        self.names, self.socket = names, socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.start()

    def run(self):
        while True:
            asked, client = self.socket.recvfrom(512)
            labels, place = [], 12
            while asked[place]:
                labels.append(asked[place + 1 : place + 1 + asked[place]].decode())
                place += 1 + asked[place]
            found = self.names.get(".".join(labels), [])
            head = asked[:2] + struct.pack(">HHHHH", 0x8180 if found else 0x8183, 1, len(found), 0, 0)
            record = lambda one: b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 1, 4) + socket.inet_aton(one)
            self.socket.sendto(head + asked[12 : place + 5] + b"".join(map(record, found)), client)


def nginx(processes, name, environment):
    """nginx with the settings of deploy/, rendered as the official image renders them: only variables of the environment."""
    with open(os.path.join(DEPLOY, "everwhen.conf.template"), encoding="utf-8") as file:
        text = re.sub(r"\$\{(\w+)\}", lambda found: environment.get(found[1], found[0]), file.read())
    home = os.path.join(processes.home, name)
    os.makedirs(home)
    places = "".join(f"{kind}_temp_path {home}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;" if os.getuid() == 0 else ""
    with open(os.path.join(home, "everwhen.conf"), "w") as file:
        file.write(text)
    with open(os.path.join(home, "nginx.conf"), "w") as file:
        file.write(f"daemon off; {user} worker_processes 1; pid {home}/pid; error_log {home}/error.log notice; events {{}}\n")
        file.write(f"http {{ access_log off; {places} include {home}/everwhen.conf; }}\n")
    # The name a client asked for goes on as it is, because servers check it.
    gixy = os.path.join(os.path.dirname(sys.executable), "gixy")
    subprocess.run([gixy, "--skips", "host_spoofing", os.path.join(home, "everwhen.conf")], check=True, timeout=PATIENCE, stdout=subprocess.DEVNULL)
    command = ["nginx", "-p", home, "-c", os.path.join(home, "nginx.conf"), "-e", os.path.join(home, "error.log")]
    subprocess.run([*command, "-t", "-q"], check=True, timeout=PATIENCE)
    processes.start(name, command, {})


class Upstream(BaseHTTPRequestHandler):
    """A model provider that sends its second word only once the client has received the first."""

    protocol_version = "HTTP/1.1"
    requests, heard = [], threading.Event()

    def log_message(self, *_):
        pass

    def do_POST(self):
        Upstream.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.say({"role": "assistant", "content": "Tim"})
        late = not Upstream.heard.wait(PATIENCE / 2)
        self.say({"content": " (the first word was late)" if late else " it is."})
        self.say({}, "stop")
        self.wfile.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")

    def say(self, delta, finish=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        body = f"data: {json.dumps(chunk)}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))
        self.wfile.flush()


class Silent(BaseHTTPRequestHandler):
    """A server that takes a request and goes away without an answer."""

    count = 0
    answers = False

    def log_message(self, *_):
        pass

    def do_POST(self):
        Silent.count += 1
        self.rfile.read(int(self.headers["content-length"]))
        if self.answers:
            self.send_response(204)
            self.end_headers()
        self.close_connection = True


class Answering(Silent):
    """One that answers."""

    answers = True


def listen(handler, address="127.0.0.1", port=0):
    server = ThreadingHTTPServer((address, port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Deployment:
    """All services of the compose file."""

    def __init__(self, binary, home):
        self.binary, self.processes = binary, Processes(home)
        upstream = listen(Upstream)
        self.services = compose(f"http://127.0.0.1:{upstream.server_port}/v1")
        self.port, self.ports = outage.free_port(), [outage.free_port(), outage.free_port()]
        self.addresses = {name: f"127.0.1.{number}" for number, name in enumerate(("server1", "server2", "server3"), 1)}
        names = {"everwhen": list(self.addresses.values()), "gone": ["127.0.2.1", "127.0.2.2"], "half": ["127.0.2.3", "127.0.2.4"]}
        self.names, self.balancer = NameServer(names), f"127.0.0.1:{outage.free_port()}"
        self.credentials = {}
        self.key_file = os.path.join(home, "run", "key")
        os.makedirs(os.path.dirname(self.key_file))

    def environment(self, name):
        """A service's variables, with the addresses that its names have here."""
        told = {key: str(value) for key, value in self.services[name]["environment"].items() if str(value)}
        one, two = (f"127.0.0.1:{port}" for port in self.ports)
        told["EVERWHEN_STORE_URL"] = told["EVERWHEN_STORE_URL"].replace("@primary,standby/", f"@{one},{two}/")
        # A volume is there before the container is.
        told["EVERWHEN_DATA"] = os.path.join(self.processes.home, "data", name)
        os.makedirs(told["EVERWHEN_DATA"], exist_ok=True)
        # Memory has all the time it needs on a busy machine; what is checked is not how fast it is.
        told["EVERWHEN_PROXY_DEADLINE_MS"] = "20000"
        told["EVERWHEN_LISTEN"] = f"{self.addresses.get(name, '127.0.0.1')}:{self.port}"
        return told

    def start_server(self, name):
        with open(os.path.join(DEPLOY, "Dockerfile"), encoding="utf-8") as file:
            program, *arguments = json.loads(re.search(r"^CMD (\[.*\])$", file.read(), re.M)[1])
        assert program == "everwhen", program
        self.processes.start(name, [self.binary, *arguments], self.environment(name))

    def start_balancer(self, name="balancer", listen=None, servers=None):
        given = {key: str(value) for key, value in self.services["balancer"]["environment"].items()}
        assert given["EVERWHEN_SERVERS"] == "everwhen:3939" and set(given) == {"EVERWHEN_LISTEN", "EVERWHEN_SERVERS", "EVERWHEN_RESOLVER"}, given
        servers = servers or f"everwhen:{self.port}"
        nginx(self.processes, name, {"EVERWHEN_LISTEN": listen or self.balancer, "EVERWHEN_SERVERS": servers, "EVERWHEN_RESOLVER": self.names.address})

    def make_key(self, number=0):
        """The job that makes the key."""
        program, *arguments = self.services["key"]["command"]
        command = [self.binary, *(self.key_file if one == "/run/everwhen/key" else one for one in arguments)]
        assert program == "everwhen" and self.key_file in command, command
        return self.processes.start(f"key{number}", command, self.environment("key"))

    def is_healthy(self, name):
        """The health check of the image: the binary asks itself."""
        self.processes.check()
        done = subprocess.run([self.binary, "health", "--ready"], env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **self.environment(name)}, capture_output=True, timeout=PATIENCE)
        return done.returncode == 0

    def ask(self, method, path, body=None, headers=None, at=None):
        """Asks through the balancer, by the name that clients know."""
        connection = http.client.HTTPConnection(at or self.balancer, timeout=PATIENCE)
        given = {"content-type": "application/json", "host": HOST, **(self.credentials if headers is None else headers)}
        connection.request(method, path, json.dumps(body) if body is not None else None, given)
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        connection.close()
        return answer.status, text

    def come_up(self):
        """Starts everything at once and in the wrong order: each process waits for those it needs."""
        self.start_balancer()
        status, _ = until("nginx answers without any server", lambda: self.try_ask("GET", "/healthz"))
        assert status == 502, status
        for name in self.addresses:
            self.start_server(name)
        home = self.processes.home
        self.primary = Database(self.processes, self.services["primary"], "primary", os.path.join(home, "volume1"), self.ports[0])
        self.standby = Database(self.processes, self.services["standby"], "standby", os.path.join(home, "volume2"), self.ports[1])
        self.standby.start(PRIMARY_HOST="127.0.0.1", PRIMARY_PORT=str(self.ports[0]))
        self.primary.make()
        self.primary.start()
        until("the primary is healthy", self.primary.is_healthy)
        until("the standby is healthy", self.standby.is_healthy)
        until("the standby is synchronous", lambda: self.primary.tell("SELECT sync_state FROM pg_stat_replication") == "sync")
        # One would do; if three start at once there is still one key.
        jobs = [self.make_key(number) for number in range(3)]
        for number, job in enumerate(jobs):
            code = job.wait(timeout=PATIENCE)
            self.processes.running.pop(f"key{number}")
            assert code == 0, self.processes.log(f"key{number}")
        with open(self.key_file) as file:
            self.key = file.read().strip()
        self.credentials = {"authorization": f"Bearer {self.key}"}
        assert os.stat(self.key_file).st_mode & 0o077 == 0, "others may read the key"
        for name in self.addresses:
            until(f"{name} is healthy", lambda: self.is_healthy(name))
            # On a loopback address servers do not wait for a key; they hear of one within a second.
            until(f"{name} knows the key", lambda: self.ask("GET", "/v1/vaults/default", at=f"{self.addresses[name]}:{self.port}")[0] == 200)
        assert self.primary.tell("SELECT count(*) FROM access_key") == "1", "there is more than one key"

    def try_ask(self, *what):
        try:
            return self.ask(*what)
        except OSError:
            return None


def traffic(deployment):
    """What clients do, through the balancer."""
    ask, memory = deployment.ask, "/v1/vaults/default/memories/diary"
    status, told = ask("POST", f"{memory}/entries", {"role": "user", "content": "My cat is called Tim."})
    assert status == 201, (status, told)
    status, told = ask("POST", f"{memory}/recall", {"query": "cat"})
    assert status == 200 and "Tim" in told, (status, told)
    status, told = ask("GET", f"{memory}/entries", headers={})
    assert status == 401, (status, told)
    # Without a key only the balancer's own name is answered; nginx passes on the name that was asked for.
    named = [ask("GET", "/openapi.json", headers={"host": host})[0] for host in (HOST, "evil.example")]
    assert named == [200, 403], named
    batch = [{"role": "user", "content": f"page {number}: " + "lorem " * 8000} for number in range(60)]
    status, told = ask("POST", f"{memory}/entries/batch", {"entries": batch})
    assert status == 201, (status, told[:300])
    status, told = ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}}},
        {**deployment.credentials, "accept": "application/json, text/event-stream"})
    assert status == 200 and "everwhen" in told, (status, told[:300])
    return len(json.dumps(batch))


def chat(deployment):
    """A streamed chat: the second word is said once the first has arrived, so nothing between buffers it."""
    connection = http.client.HTTPConnection(deployment.balancer, timeout=PATIENCE)
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "What is my cat called?"}]}
    headers = {"content-type": "application/json", "host": HOST, "x-everwhen-memory": "chat", **deployment.credentials}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    answer, reply = connection.getresponse(), ""
    assert answer.status == 200, (answer.status, answer.read()[:300])
    for line in answer:
        if line.startswith(b"data: {"):
            reply += json.loads(line[6:])["choices"][0]["delta"].get("content", "")
            Upstream.heard.set()
    assert reply == "Tim it is.", reply
    assert len(Upstream.requests) == 1, Upstream.requests
    entries = lambda: json.loads(deployment.ask("GET", "/v1/vaults/default/memories/chat/entries")[1]).get("data", [])
    until("the chat is stored", lambda: len(entries()) >= 2)
    assert [one["content"] for one in entries()] == ["What is my cat called?", "Tim it is."], entries()


def repeats(deployment):
    """A POST that was sent is not sent again; one that could not be sent goes to another server."""
    port, at = outage.free_port(), [f"127.0.0.1:{outage.free_port()}" for _ in range(2)]
    for address in ("127.0.2.1", "127.0.2.2"):
        listen(Silent, address, port)
    deployment.start_balancer("broken", at[0], f"gone:{port}")
    until("nginx listens", lambda: deployment.try_ask("GET", "/", None, None, at[0]))
    Silent.count = 0
    status, _ = deployment.ask("POST", "/v1/chat/completions", {"model": "m"}, at=at[0])
    assert (status, Silent.count) == (502, 1), f"a request that was sent once arrived {Silent.count} times ({status})"
    listen(Answering, "127.0.2.3", port)
    deployment.start_balancer("half", at[1], f"half:{port}")
    until("nginx listens", lambda: deployment.try_ask("GET", "/", None, None, at[1]))
    Silent.count = 0
    told = {deployment.ask("POST", "/v1/chat/completions", {"model": "m"}, at=at[1])[0] for _ in range(20)}
    assert (told, Silent.count) == ({204}, 20), f"with one of two servers down: {told}, {Silent.count} of 20 arrived"


class Through(outage.Load):
    """The load of tools/outage, through the balancer and with the key of one vault."""

    def __init__(self, deployment, seed):
        super().__init__([type("Balancer", (), {"host": deployment.balancer})()], seed)
        self.vaults = ["default"]
        self.headers.update(deployment.credentials, host=HOST)


def failures(deployment, seconds, clients):
    """A server is killed and comes back, then the database fails over; what was acknowledged is there once."""
    load = Through(deployment, 1)
    threads = [threading.Thread(target=load.client, args=(number,), daemon=True) for number in range(clients)]
    [thread.start() for thread in threads]
    time.sleep(seconds / 4)
    deployment.processes.end("server1", kill=True)
    time.sleep(seconds / 4)
    deployment.start_server("server1")
    before, began = len(load.acknowledged), time.monotonic()
    deployment.primary.run("pg_ctl", "-D", deployment.primary.data, "-m", "immediate", "-s", "stop")
    deployment.processes.running.pop("primary")
    deployment.standby.run("pg_ctl", "-D", deployment.standby.data, "-w", "-s", "promote")
    so_far = len(load.acknowledged)
    until("a write is acknowledged after the failover", lambda: len(load.acknowledged) > so_far or load.strange)
    gap = round(time.monotonic() - began, 2)
    time.sleep(seconds / 2)
    until("the killed server is back", lambda: deployment.is_healthy("server1"))
    load.stop.set()
    for thread in threads:
        thread.join(timeout=PATIENCE)
        assert not thread.is_alive(), "a client is still waiting for an answer"
    lost, missing, doubled = outage.judge(load, deployment.balancer)
    told = {"acknowledged": len(load.acknowledged), "before_failover": before, "lost": len(lost) + len(missing), "doubled": len(doubled),
            "retryable_errors": dict(load.errors), "other_errors": load.strange[:20], "seconds_from_crash_to_next_write": gap}
    if lost or missing or doubled or load.strange or not load.acknowledged:
        sys.exit("something was lost, doubled or strange: " + json.dumps(told, indent=1))
    return load, told


def exchange(deployment, load):
    """Afterwards the volumes change places: the promoted database is the primary, and a standby comes up from nothing."""
    old, new = deployment.primary, deployment.standby
    deployment.processes.end("standby")
    shutil.rmtree(old.data)
    deployment.primary = Database(deployment.processes, deployment.services["primary"], "primary", new.data, deployment.ports[0])
    deployment.standby = Database(deployment.processes, deployment.services["standby"], "standby", old.data, deployment.ports[1])
    deployment.primary.start()
    deployment.standby.start(PRIMARY_HOST="127.0.0.1", PRIMARY_PORT=str(deployment.ports[0]))
    until("the new standby is synchronous", lambda: deployment.primary.tell("SELECT sync_state FROM pg_stat_replication") == "sync")
    body = {"role": "user", "content": "after the exchange"}
    until("writes go on", lambda: deployment.ask("POST", "/v1/vaults/default/memories/diary/entries", body, {**deployment.credentials, "idempotency-key": "after"})[0] == 201)
    assert not any(outage.judge(load, deployment.balancer)), "the exchange lost something"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--keep", action="store_true", help="keep the directory with all logs")
    args = parser.parse_args()
    home = tempfile.mkdtemp(prefix="everwhen-deploy-")
    os.chmod(home, 0o755)
    deployment = Deployment(args.binary, home)
    try:
        began = time.monotonic()
        deployment.come_up()
        up = round(time.monotonic() - began, 1)
        bytes_sent = traffic(deployment)
        chat(deployment)
        repeats(deployment)
        load, told = failures(deployment, args.seconds, args.clients)
        exchange(deployment, load)
        deployment.processes.check()
        for name in os.listdir(home):
            if name.endswith(".log") and deployment.key in deployment.processes.log(name[:-4]):
                sys.exit(f"the key is in {name}")
        print(json.dumps({"seconds_until_healthy": up, "largest_body": bytes_sent, **told}, indent=1))
    finally:
        for name in list(deployment.processes.running):
            deployment.processes.end(name, kill=not name.startswith(("primary", "standby")))
        print(f"logs: {home}", file=sys.stderr) if args.keep else shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
