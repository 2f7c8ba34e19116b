"""Real agents through the real proxy, before a scripted model. Called by tools/agents-check.

What the agents get is a talk of a person's sentences and a model's replies. It is compared with what the memory
holds, with what the timeline shows, and with what reached the model.
"""
import argparse, json, os, platform, re, shutil, signal, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGES = os.path.join(ROOT, ".clients", "agents", "node_modules")
# One turn takes two seconds on an idle machine.
PATIENCE = 90
NOTES = "The boiler was serviced in May."
# What only agents say; none of it may be stored, shown or taken for a person's words.
BOILERPLATE = [
    "<system-reminder>", "<environment_context>", "AGENTS.md instructions", "<INSTRUCTIONS>", "<command-", "<local-command-",
    "Respond with TEXT ONLY", "being continued from a previous conversation", "CONTEXT CHECKPOINT", "Another language model started",
    "Project rules", "task-notification", "Count all files", "A summary of the talk",
]
STAMP = r"\((?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\) "
# What ends a window of messages: afterwards the agent sends a summary instead of them.
AUXILIARY = ["Respond with TEXT ONLY", "CONTEXT CHECKPOINT COMPACTION"]

DOG = {"said": "My dog is called Rex.", "reply": "Rex is a fine name for a dog."}
READ = {"said": "Read notes.txt and tell me what it says.", "reply": "The notes say that the boiler was serviced in May."}
PORTO = {"said": "I live in Porto.", "reply": "Porto is lovely in autumn."}
ASKED = {"said": "What is my dog called?", "reply": "Your dog is called Rex."}
HELP = {"said": "Ask a helper to count the files.", "reply": "I have asked a helper.", "notified": "The helper found one file."}
COUNT = {"said": "Count all files in this folder.", "reply": "One file: notes.txt."}


class Run:
    """One agent, one server with a directory of its own, one scripted model, one home."""

    def __init__(self, binary, name, kind, turns):
        self.binary, self.name, self.turns = binary, name, turns
        self.prepare(turns)
        upstream = self.start("upstream", [sys.executable, os.path.join(ROOT, "tools/agents/scripted_upstream.py"), os.path.join(self.home, "script.json"), self.record])
        self.write("everwhen.toml", f'[[upstream]]\nname = "scripted"\nkind = "{kind}"\nbase_url = "{upstream}"\n')
        self.proxy = self.start("proxy", [binary, "serve", "--data", self.data(), "--config", os.path.join(self.home, "everwhen.toml"), "--listen", "127.0.0.1:0", "--log", "warn"],
                                # Memory has all the time it needs on a busy machine; what is checked is not how fast it is.
                                EVERWHEN_PROXY_DEADLINE_MS="20000")

    def prepare(self, turns):
        """A home with a project in it, and what the model is to say."""
        self.home = tempfile.mkdtemp(prefix=f"everwhen-{self.name}-")
        self.work, self.record = os.path.join(self.home, "work"), os.path.join(self.home, "record")
        os.makedirs(self.work)
        self.write("work/notes.txt", NOTES + "\n")
        for file in ("CLAUDE.md", "AGENTS.md"):
            self.write(f"work/{file}", "# Project rules: always be brief.\n")
        self.write("record", "")
        script = {"turns": turns, "auxiliary": AUXILIARY, "else": "<summary>A summary of the talk.</summary>"}
        self.write("script.json", json.dumps(script))
        self.started, self.failures = [], []

    def data(self):
        return os.path.join(self.home, "data")

    def write(self, name, text):
        with open(os.path.join(self.home, name), "w", encoding="utf-8") as file:
            file.write(text)

    def start(self, name, command, **more):
        """Starts a program that says where it listens."""
        log = os.path.join(self.home, f"{name}.log")
        with open(log, "w") as out:
            self.started.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.environment(**more)))
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with open(log) as file:
                found = re.search(r"http://[0-9.:]+", file.read())
            if found:
                return found[0]
            time.sleep(0.05)
        sys.exit(f"{name} did not start: {open(log).read()}")

    def environment(self, **more):
        """An environment without the user's settings, keys and proxies."""
        return {"PATH": os.environ["PATH"], "HOME": self.home, "LANG": "C.UTF-8", "TZ": "UTC", **more}

    def type(self, *command, **more):
        """Runs the agent once, as a person would type it; it ends, or is ended."""
        child = subprocess.Popen(command, cwd=self.work, env=self.environment(**more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            told, _ = child.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            sys.exit(f"{self.name} did not end within {PATIENCE} s: {command[1:]}")
        if child.returncode != 0:
            sys.exit(f"{self.name} {command[1:]} ended with {child.returncode}:\n{told[-3000:]}")
        return told

    def everwhen(self, *words):
        done = subprocess.run([self.binary, *words, "--data", self.data()], env=self.environment(), capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode != 0:
            sys.exit(f"everwhen {' '.join(words)}: {done.stderr}")
        return done.stdout

    def requests(self):
        """What reached the model, oldest first."""
        with open(self.record, encoding="utf-8") as file:
            return [json.loads(json.loads(line)["body"]) for line in file]

    def check(self, holds, sentence):
        if not holds:
            self.failures.append(sentence)

    def finish(self, keep):
        for child in reversed(self.started):
            child.terminate()
            try:
                child.wait(timeout=15)
            except subprocess.TimeoutExpired:
                child.kill()
        if keep:
            print(f"{self.name}: {self.home}", file=sys.stderr)
        else:
            shutil.rmtree(self.home, ignore_errors=True)


def claude(binary):
    """Claude Code: `-p`, then `-c -p` in the same session, `/compact`, and a subagent."""
    read = {**READ, "call": {"name": "Read", "input": {"file_path": "notes.txt"}}}
    task = {"description": "count files", "prompt": COUNT["said"], "subagent_type": "general-purpose"}
    run = Run(binary, "claude", "anthropic", [DOG, read, PORTO, ASKED, {**HELP, "call": {"name": "Task", "input": task}}, COUNT])
    read["call"]["input"]["file_path"] = os.path.join(run.work, "notes.txt")
    run.write("script.json", json.dumps({"turns": [*run.turns], "auxiliary": AUXILIARY, "else": "<summary>A summary of the talk.</summary>"}))
    program = os.path.join(PACKAGES, "@anthropic-ai", f"claude-code-linux-{machine()}", "claude")
    quiet = {name: "1" for name in ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING")}
    say = lambda *words: run.type(program, *words, ANTHROPIC_BASE_URL=run.proxy, ANTHROPIC_API_KEY="sk-none", **quiet)
    say("-p", DOG["said"])
    for turn in (READ, PORTO):
        say("-c", "-p", turn["said"])
    say("-c", "-p", "/compact")
    for turn in (ASKED, HELP):
        say("-c", "-p", turn["said"])
    return run, [DOG, READ, PORTO, ASKED, HELP]


def codex(binary):
    """Codex: `exec`, then `exec resume --last`; the third reply says that the window is full, so that the next turn compacts."""
    read = {**READ, "call": {"name": "exec_command", "input": {"cmd": "cat notes.txt"}}}
    run = Run(binary, "codex", "openai", [DOG, read, {**PORTO, "tokens": 50_000}, ASKED])
    os.makedirs(os.path.join(run.home, ".codex"))
    run.write(".codex/config.toml", f'''model = "gpt-5.5-codex"
model_provider = "everwhen"
model_auto_compact_token_limit = 20000
check_for_update_on_startup = false
[model_providers.everwhen]
name = "everwhen"
base_url = "{run.proxy}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
[otel]
exporter = "none"
''')
    triple = {"x64": "x86_64", "arm64": "aarch64"}[machine()] + "-unknown-linux-musl"
    program = os.path.join(PACKAGES, "@openai", f"codex-linux-{machine()}", "vendor", triple, "bin", "codex")
    say = lambda *words: run.type(program, "exec", *words, CODEX_HOME=os.path.join(run.home, ".codex"), OPENAI_API_KEY="sk-none")
    say("--skip-git-repo-check", DOG["said"])
    for turn in (READ, PORTO, ASKED):
        say("resume", "--last", "--skip-git-repo-check", turn["said"])
    return run, [DOG, READ, PORTO, ASKED]


def machine():
    return {"x86_64": "x64", "aarch64": "arm64"}[platform.machine()]


def parts(message):
    """A message's content as a list of parts, without marks for the cache: a text and a list of one text mean the same."""
    content = message.get("content")
    content = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    return [{key: value for key, value in part.items() if key != "cache_control"} for part in content]


def history(body):
    return body["messages"] if "messages" in body else body["input"]


def text_of(message):
    """What a message says, without what the proxy adds from memory."""
    text = "\n".join(part["text"] for part in parts(message) if isinstance(part.get("text"), str))
    return re.sub(r"<memory\b.*?</memory>", "", text, flags=re.DOTALL)


def prompt(body):
    """What a provider's cache compares, in its order: tools, system, messages."""
    system = parts({"content": body.get("system") or body.get("instructions") or ""})
    lines = [json.dumps(body.get("tools")), json.dumps(system)]
    for message in history(body):
        rest = {key: value for key, value in message.items() if key not in ("content", "output_config")}
        lines.append(json.dumps([rest, parts(message)]))
    return "\n".join(lines)


def is_auxiliary(body):
    """Whether the agent asks on its own behalf: a subagent, a summary."""
    last = text_of(history(body)[-1])
    # The header that names a subagent does not go upstream; the first line of its instructions does.
    return "cc_is_subagent=true" in json.dumps(body.get("system")) or any(phrase in last for phrase in AUXILIARY)


def windows(run):
    """The main thread's requests, cut where the agent compacted."""
    found = [[]]
    for body in run.requests():
        if any(phrase in text_of(history(body)[-1]) for phrase in AUXILIARY):
            found.append([])
        elif not is_auxiliary(body):
            found[-1].append(body)
    return found


def kept(window):
    """How much of each request's prompt the next one begins with, and how much there was to keep."""
    held = whole = 0
    for one, next_one in zip(window, window[1:]):
        before, after = prompt(one), prompt(next_one)
        held, whole = held + len(os.path.commonprefix([before, after])), whole + len(before)
    return held, whole


def judge(run, talk):
    """Everything that must hold afterwards."""
    expected = []
    for turn in talk:
        replies = [turn["reply"], *([turn["notified"]] if "notified" in turn else [])]
        expected += [("user", turn["said"]), *(("assistant", reply) for reply in replies)]
    memories = json.loads(run.everwhen("memories", "--json"))["data"]
    run.check(len(memories) == 1, f"one chat is one memory, not {[one['name'] for one in memories]}")
    found, shown = [], ""
    for memory in memories:
        deadline = time.monotonic() + 10
        while True:
            entries = json.loads(run.everwhen("entries", "--memory", memory["name"], "--limit", "100", "--json"))["data"]
            if len(entries) >= len(expected) or time.monotonic() > deadline:
                break
            time.sleep(0.2)
        # The newest come first.
        found += [(one["conversation_time"], one["role"], one["content"]) for one in reversed(entries)]
        shown += run.everwhen("timeline", "--memory", memory["name"])
    said = [(role, content) for _, role, content in found if role in ("user", "assistant")]
    run.check(said == expected, "the memory does not read like the talk:\n" + "\n".join(f"      {role}: {content[:110]!r}" for role, content in said))
    # Without the letter behind it, a time with a fraction sorts behind the one without.
    times = [when.rstrip("Z") for when, _, _ in found]
    run.check(times == sorted(times), f"entries are not in the order of their times: {times}")
    # The timeline is one of what the person said.
    places = [shown.find(turn["said"]) for turn in talk]
    run.check(-1 not in places and places == sorted(places), f"the timeline does not read like the talk:\n{shown}")
    for words in [*BOILERPLATE, NOTES]:
        run.check(all(words not in content for _, _, content in found), f"{words!r} is stored")
        run.check(words not in shown, f"{words!r} is in the timeline")
    upstream(run, talk)


def upstream(run, talk):
    """What the model saw: times before the person's words and nowhere else, and a prefix that holds."""
    compactions = 0
    for body in run.requests():
        compactions += any(phrase in text_of(history(body)[-1]) for phrase in AUXILIARY)
        if is_auxiliary(body):
            continue
        for message in history(body):
            words = text_of(message) if message.get("role") == "user" else ""
            for turn in talk:
                at = words.rfind(turn["said"])
                run.check(at < 0 or re.search(STAMP + "$", words[:at]), f"no time before {turn['said']!r}: {words[max(0, at - 60):at + 20]!r}")
            run.check(not re.search(STAMP + "<(system-reminder|environment_context|command-|local-command)", words), "a time before what no person said")
            run.check(not re.search(STAMP + "(# AGENTS.md|This session is being|Another language)", words), "a time before what no person said")
    run.check(compactions == 1, f"one compaction, not {compactions}")
    held, whole = map(sum, zip(*map(kept, windows(run))))
    share = held / whole if whole else 0
    print(f"{run.name}: {len(run.requests())} requests, {share:.2%} of {whole:,} characters of prompts kept from request to request")
    run.check(share >= 0.99, f"only {share:.2%} of the prompt is kept from request to request")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("agents", nargs="*", choices=["claude", "codex", []])
    parser.add_argument("--keep", action="store_true", help="keep the directories with all records")
    args = parser.parse_args()
    failed = False
    for name in args.agents or ["claude", "codex"]:
        run, talk = {"claude": claude, "codex": codex}[name](args.binary)
        try:
            judge(run, talk)
        finally:
            run.finish(args.keep)
        for failure in dict.fromkeys(run.failures):
            print(f"  {name}: {failure}")
        failed |= bool(run.failures)
    if failed:
        sys.exit("a talk with an agent is not remembered as it was")


if __name__ == "__main__":
    main()
