"""Real agents with hooks connected by `everwhen connect`, before a scripted model. Called by tools/client-check.

The agents speak to the model directly; only their hooks and the MCP server know of Everwhen. Session 1 says something, reads a file and
is compacted (not by opencode, which does so in its window only); session 2, a new one, must be told what was said, with dates;
afterwards `everwhen disconnect` must leave the configuration as it was, byte by byte.
"""
import argparse, glob, json, os, re, shlex, shutil, subprocess, sys

import check
from check import ASKED, DOG, PACKAGES, PORTO, READ, ROOT, machine

DATE = r"\[\d{4}-\d\d-\d\d \d\d:\d\d\] "
AGAIN = {"said": "What is my dog called, and where do I live?", "reply": "Rex; Porto."}
# What people have in their files already.
SETTINGS = '{\n\t"env": {"EDITOR": "vi"},\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}\n}'


class Run(check.Run):
    """One agent with a home of its own, and a scripted model it speaks to directly."""

    def __init__(self, binary, name, turns):
        self.binary, self.name, self.turns = binary, name, turns
        self.prepare(turns)
        self.upstream = self.start("upstream", [sys.executable, os.path.join(ROOT, "tools/agents/scripted_upstream.py"), os.path.join(self.home, "script.json"), self.record])
        subprocess.run(["git", "init", "-q", self.work], check=True)
        # As it is for a user who has installed it.
        os.makedirs(os.path.join(self.home, "bin"))
        os.symlink(binary, os.path.join(self.home, "bin", "everwhen"))

    def slow_hooks(self):
        """From now on a hook takes a second, as it may on a busy machine: an agent that ends must wait for it."""
        path = os.path.join(self.home, "bin", "everwhen")
        os.remove(path)
        with open(path, "w", encoding="utf-8") as script:
            script.write(f'#!/bin/sh\n[ "$1" != hook ] || sleep 1\nexec {shlex.quote(self.binary)} "$@"\n')
        os.chmod(path, 0o755)

    def environment(self, **more):
        environment = super().environment(**more)
        return {**environment, "PATH": os.path.join(self.home, "bin") + ":" + environment["PATH"], "EVERWHEN_DATA": self.data()}

    def files(self, names):
        """The bytes of configuration files; None for one that does not exist."""
        found = {}
        for name in names:
            path = os.path.join(self.home, name)
            found[name] = open(path, "rb").read() if os.path.exists(path) else None
        return found

    def plain(self, *words):
        """Runs the program as the user would, in the project."""
        done = subprocess.run(["everwhen", *words], cwd=self.work, env=self.environment(), capture_output=True, text=True, timeout=check.PATIENCE)
        if done.returncode != 0:
            sys.exit(f"everwhen {' '.join(words)}: {done.stderr}")
        return done.stdout


def claude(binary):
    read = {**READ, "call": {"name": "Read", "input": {"file_path": "notes.txt"}}}
    run = Run(binary, "claude-code", [DOG, read, PORTO, AGAIN, ASKED])
    read["call"]["input"]["file_path"] = os.path.join(run.work, "notes.txt")
    run.write("script.json", json.dumps({"turns": run.turns, "auxiliary": check.AUXILIARY, "else": "<summary>A summary of the talk.</summary>"}))
    os.makedirs(os.path.join(run.home, ".claude"))
    run.write(".claude/settings.json", SETTINGS)
    program = os.path.join(PACKAGES, "@anthropic-ai", f"claude-code-linux-{machine()}", "claude")
    quiet = {name: "1" for name in ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING")}
    say = lambda *words: run.type(program, *words, ANTHROPIC_BASE_URL=run.upstream, ANTHROPIC_API_KEY="sk-none", **quiet)
    # Claude Code makes its own file when it is first used.
    run.type(program, "mcp", "list", **quiet)
    for folder in (".", "plugins/claude-code"):
        run.type(program, "plugin", "validate", os.path.join(ROOT, folder), **quiet)
    return run, say, {"first": ["-p"], "next": ["-c", "-p"], "compact": ["-c", "-p", "/compact"], "compacts": True}, [".claude/settings.json", ".claude.json"]


def codex(binary):
    read = {**READ, "call": {"name": "exec_command", "input": {"cmd": "cat notes.txt"}}}
    run = Run(binary, "codex", [DOG, read, {**PORTO, "tokens": 50_000}, AGAIN, ASKED])
    os.makedirs(os.path.join(run.home, ".codex"))
    run.write(".codex/config.toml", f'''# what the user wrote
model = "gpt-5.5-codex"
model_provider = "scripted"
model_auto_compact_token_limit = 20000
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "{run.upstream}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
[otel]
exporter = "none"
[projects."{run.work}"]
trust_level = "trusted"''')
    triple = {"x64": "x86_64", "arm64": "aarch64"}[machine()] + "-unknown-linux-musl"
    program = os.path.join(PACKAGES, "@openai", f"codex-linux-{machine()}", "vendor", triple, "bin", "codex")
    # The repository is a marketplace, and what it leads Codex to must be the plugin for Codex.
    shop = {"CODEX_HOME": os.path.join(run.home, "shop")}
    os.makedirs(shop["CODEX_HOME"])
    run.type(program, "plugin", "marketplace", "add", ROOT, **shop)
    run.type(program, "plugin", "add", "everwhen@everwhen", **shop)
    installed = glob.glob(os.path.join(shop["CODEX_HOME"], "plugins/cache/everwhen/everwhen/*/hooks/hooks.json"))
    run.check([open(path).read() for path in installed] == [open(os.path.join(ROOT, "plugins/codex/hooks/hooks.json")).read()], f"the marketplace does not lead to the plugin for Codex: {installed}")
    # A person would answer once, in the terminal, that the hooks may run.
    say = lambda *words: run.type(program, "exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", *words, CODEX_HOME=os.path.join(run.home, ".codex"), OPENAI_API_KEY="sk-none")
    return run, say, {"first": [], "next": ["resume", "--last"], "compact": None, "compacts": True}, [".codex/config.toml", ".codex/hooks.json"]


def opencode(binary):
    read = {**READ, "call": {"name": "read", "input": {"filePath": "notes.txt"}}}
    run = Run(binary, "opencode", [DOG, read, PORTO, AGAIN, ASKED])
    run.slow_hooks()
    read["call"]["input"]["filePath"] = os.path.join(run.work, "notes.txt")
    run.write("script.json", json.dumps({"turns": run.turns, "auxiliary": ["Generate a title for this conversation"], "else": "A talk"}))
    os.makedirs(os.path.join(run.home, ".config/opencode"))
    options = {"options": {"baseURL": f"{run.upstream}/v1", "apiKey": "sk-none"}}
    model = "anthropic/claude-sonnet-4-5"
    # opencode adds the schema where it is absent.
    settings = {"$schema": "https://opencode.ai/config.json", "model": model, "small_model": model, "autoupdate": False, "share": "disabled", "provider": {"anthropic": options}}
    run.write(".config/opencode/opencode.json", json.dumps(settings))
    program = os.path.join(PACKAGES, f"opencode-linux-{machine()}", "bin", "opencode")
    # Words that are typed one by one are not put in quotation marks.
    say = lambda *words: run.type(program, "run", *words[:-1], *words[-1].split(), OPENCODE_DISABLE_MODELS_FETCH="1")
    return run, say, {"first": [], "next": ["-c"], "compact": None, "compacts": False}, [".config/opencode/opencode.json", ".config/opencode/plugins/everwhen.js"]


def text(body):
    """All that a request says to the model."""
    return "\n".join(part for message in check.history(body) for part in texts(message))


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts(one)


def session(run, say, how, turns):
    """A session of several turns; returns what reached the model in it."""
    before = len(run.requests())
    for place, turn in enumerate(turns):
        say(*how["first" if place == 0 else "next"], turn["said"])
    return run.requests()[before:]


def judge(run, say, how, files):
    before = run.files(files)
    shown = run.plain("connect", run.name)
    # opencode's plugin has the words as a list.
    run.check(re.search(rf'hook\W+{run.name}', shown) and "mcp" in shown, f"connect does not show what it writes:\n{shown}")
    connected = run.files(files)
    run.check(connected != before, "connect changed nothing")
    run.plain("connect", run.name)
    run.check(run.files(files) == connected, "connecting twice is not connecting once")

    first = session(run, say, how, [DOG, READ, PORTO])
    run.check(DATE not in text(first[0]), "the first session is told something")
    if how["compact"]:
        say(*how["compact"])
    # Codex compacts by itself before this turn.
    rest = session(run, say, {**how, "first": how["next"]}, [ASKED])
    compactions = [body for body in run.requests() if any(phrase in text(body) for phrase in check.AUXILIARY)]
    run.check(len(compactions) >= 1 or not how["compacts"], "nothing was compacted")
    told = text(rest[-1])
    run.check(re.search(DATE + r"User: My dog is called Rex\.", told) or re.search(r"\d{4}-\d\d-\d\d[^\n]*My dog is called Rex\.", told), f"after the compaction the session is not told what it said:\n{told[-3000:]}")

    talk = [DOG, READ, PORTO, ASKED]
    entries = json.loads(run.plain("entries", "--project", "--limit", "100", "--json"))["data"]
    said = [(one["role"], one["content"]) for one in reversed(entries) if one["role"] in ("user", "assistant")]
    expected = [pair for turn in talk for pair in (("user", turn["said"]), ("assistant", turn["reply"]))]
    run.check(said == expected, "the memory does not read like the talk:\n" + "\n".join(f"      {role}: {words[:110]!r}" for role, words in said))
    for words in [*check.BOILERPLATE, check.NOTES]:
        run.check(all(words not in one["content"] for one in entries), f"{words!r} is stored")

    # Not the request for a title, which has no tools.
    second = max(session(run, say, how, [AGAIN]), key=lambda body: len(body.get("tools") or []))
    told = text(second)
    for sentence in (DOG["said"], PORTO["said"], PORTO["reply"]):
        run.check(re.search(DATE + r"\w+: " + re.escape(sentence), told), f"session 2 is not told {sentence!r} with its date:\n{told[-3000:]}")
    # Some agents only name the tools, and let the model look for them.
    offered = json.dumps(second)
    run.check("search_memories" in offered, "the MCP server is not offered to the model")
    run.check("add_entry" not in offered, "the model is asked to record what the hooks record")

    theirs = run.files(files)
    run.plain("disconnect", run.name)
    after = run.files(files)
    for name in files:
        if theirs[name] == connected[name]:
            run.check(after[name] == before[name], f"{name} is not as it was before:\n{after[name]}")
        else:
            # The agent has written it meanwhile; what it wrote must be all that is different.
            run.check(b"everwhen hook" not in after[name] and b'"everwhen"' not in after[name], f"{name} still knows Everwhen:\n{after[name]}")
            own = json.loads(theirs[name])
            own["mcpServers"].pop("everwhen")
            if not own["mcpServers"] and "mcpServers" not in json.loads(before[name]):
                own.pop("mcpServers")
            run.check(json.loads(after[name]) == own, f"{name} lost something of the agent's")
    print(f"{run.name}: {len(run.requests())} requests, {len(entries)} entries; files: {', '.join(files)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("agents", nargs="*", choices=["claude-code", "codex", "opencode", []])
    parser.add_argument("--keep", action="store_true", help="keep the directories with all records")
    args = parser.parse_args()
    failed = False
    for name in args.agents or ["claude-code", "codex", "opencode"]:
        run, *rest = {"claude-code": claude, "codex": codex, "opencode": opencode}[name](args.binary)
        try:
            judge(run, *rest)
        finally:
            run.finish(args.keep)
        for failure in dict.fromkeys(run.failures):
            print(f"  {name}: {failure}")
        failed |= bool(run.failures)
    if failed:
        sys.exit("an agent with hooks is not told what was said, or is not left as it was")


if __name__ == "__main__":
    main()
